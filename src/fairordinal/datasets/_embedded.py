"""Data sets that come with other packages; nothing is downloaded."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn import datasets as sklearn_datasets

from fairordinal._optional import optional
from fairordinal.datasets._catalogue import orca_set
from fairordinal.datasets._orca import group_names, groups_of
from fairordinal.datasets._rows import Rows, as_bunch

N_LEVELS = 5

SKORDINAL = """{name}, as skordinal has it, with groups.

Protected attribute: 1 if {group}, else 0; it is no input. The set comes without groups:
Kleindessner et al., AISTATS 2022 (arXiv:2105.03153), make them of a feature that they do not name,
and this one gives the statistics of their Table 3. ORCA's splits, with the groups of each, are in
`fetch_orca("{name}")`, which has the same rows in the same order.
Licence: {licence}.

{source}"""

DIABETES = """

Here: five levels of progression, cut at its quintiles; the protected attribute is sex, which is no
input."""


def load_diabetes(*, return_X_y: bool = False, as_frame: bool = False) -> Any:
    """Load scikit-learn's diabetes data as an ordinal task: five levels of disease progression.

    Embedded in scikit-learn; nothing is downloaded.

    Parameters
    ----------
    return_X_y : bool, default=False
        Return ``(data, target)``. The groups are only in the Bunch.
    as_frame : bool, default=False
        Give pandas objects; needs ``pip install fairordinal[data]``.

    Returns
    -------
    data : Bunch
        `data` of shape (442, 9), without the sensitive feature; `target`, levels 0 to 4 of equal
        size (progression after a year, cut at its quintiles); `sensitive_features`, ``"sex 1"``
        or ``"sex 2"`` as the source codes them; `feature_names`; `target_names`, None;
        `sensitive_names`; `splits` and `split_sensitive_features`, empty; `frame`, all columns if
        `as_frame`, or None; `DESCR`.

    Examples
    --------
    >>> from fairordinal.datasets import load_diabetes
    >>> data = load_diabetes()
    >>> data.data.shape, np.bincount(data.target).tolist()
    ((442, 9), [91, 87, 89, 87, 88])
    """
    source = sklearn_datasets.load_diabetes()
    sex = source.feature_names.index("sex")
    cuts = np.quantile(source.target, np.arange(1, N_LEVELS) / N_LEVELS)
    rows = Rows(
        data=np.delete(source.data, sex, axis=1),
        target=np.searchsorted(cuts, source.target, side="left"),
        sensitive_features=np.where(source.data[:, sex] < 0, "sex 1", "sex 2"),
        feature_names=[name for name in source.feature_names if name != "sex"],
        sensitive_names={name: f"{name} of the source" for name in ("sex 1", "sex 2")},
        description=source.DESCR + DIABETES,
    )
    return as_bunch(rows, return_X_y=return_X_y, as_frame=as_frame)


def load_balance_scale(*, return_X_y: bool = False, as_frame: bool = False) -> Any:
    """Load balance scale: which way does it tip?

    Embedded in skordinal, which ``pip install fairordinal[baselines]`` installs.

    Parameters
    ----------
    return_X_y : bool, default=False
        Return ``(data, target)``. The groups are only in the Bunch.
    as_frame : bool, default=False
        Give pandas objects; needs ``pip install fairordinal[data]``.

    Returns
    -------
    data : Bunch
        `data` of shape (625, 3), without the protected attribute; `target`, labels 1 to 3;
        `sensitive_features`, 1 if left-weight is at or above its median, else 0; other
        fields as :func:`fetch_orca` has them, but no splits.

    Examples
    --------
    >>> from fairordinal.datasets import load_balance_scale
    >>> data = load_balance_scale()
    >>> data.data.shape, np.bincount(data.sensitive_features).tolist()
    ((625, 3), [250, 375])
    """
    return _from_skordinal("balance-scale", "load_balance_scale", return_X_y, as_frame)


def load_era(*, return_X_y: bool = False, as_frame: bool = False) -> Any:
    """Load ERA: would one hire this person?

    Embedded in skordinal, which ``pip install fairordinal[baselines]`` installs.

    Parameters
    ----------
    return_X_y : bool, default=False
        Return ``(data, target)``. The groups are only in the Bunch.
    as_frame : bool, default=False
        Give pandas objects; needs ``pip install fairordinal[data]``.

    Returns
    -------
    data : Bunch
        `data` of shape (1000, 3), without the protected attribute; `target`, labels 1 to 9;
        `sensitive_features`, 1 if in1 is at or above its median, else 0; other
        fields as :func:`fetch_orca` has them, but no splits.

    Examples
    --------
    >>> from fairordinal.datasets import load_era
    >>> data = load_era()
    >>> data.data.shape, np.bincount(data.sensitive_features).tolist()
    ((1000, 3), [472, 528])
    """
    return _from_skordinal("ERA", "load_era", return_X_y, as_frame)


def load_esl(*, return_X_y: bool = False, as_frame: bool = False) -> Any:
    """Load ESL: how fit is a candidate for a job?

    Embedded in skordinal, which ``pip install fairordinal[baselines]`` installs.

    Parameters
    ----------
    return_X_y : bool, default=False
        Return ``(data, target)``. The groups are only in the Bunch.
    as_frame : bool, default=False
        Give pandas objects; needs ``pip install fairordinal[data]``.

    Returns
    -------
    data : Bunch
        `data` of shape (488, 3), without the protected attribute; `target`, labels 1 to 9;
        `sensitive_features`, 1 if in1 is at or above its median, else 0; other
        fields as :func:`fetch_orca` has them, but no splits.

    Examples
    --------
    >>> from fairordinal.datasets import load_esl
    >>> data = load_esl()
    >>> data.data.shape, np.bincount(data.sensitive_features).tolist()
    ((488, 3), [235, 253])
    """
    return _from_skordinal("ESL", "load_esl", return_X_y, as_frame)


def load_lev(*, return_X_y: bool = False, as_frame: bool = False) -> Any:
    """Load LEV: how good is a lecturer?

    Embedded in skordinal, which ``pip install fairordinal[baselines]`` installs.

    Parameters
    ----------
    return_X_y : bool, default=False
        Return ``(data, target)``. The groups are only in the Bunch.
    as_frame : bool, default=False
        Give pandas objects; needs ``pip install fairordinal[data]``.

    Returns
    -------
    data : Bunch
        `data` of shape (1000, 3), without the protected attribute; `target`, labels 1 to 5;
        `sensitive_features`, 1 if In1 is at or above its median, else 0; other
        fields as :func:`fetch_orca` has them, but no splits.

    Examples
    --------
    >>> from fairordinal.datasets import load_lev
    >>> data = load_lev()
    >>> data.data.shape, np.bincount(data.sensitive_features).tolist()
    ((1000, 3), [437, 563])
    """
    return _from_skordinal("LEV", "load_lev", return_X_y, as_frame)


def load_swd(*, return_X_y: bool = False, as_frame: bool = False) -> Any:
    """Load SWD: at what risk is a child at home?

    Embedded in skordinal, which ``pip install fairordinal[baselines]`` installs.

    Parameters
    ----------
    return_X_y : bool, default=False
        Return ``(data, target)``. The groups are only in the Bunch.
    as_frame : bool, default=False
        Give pandas objects; needs ``pip install fairordinal[data]``.

    Returns
    -------
    data : Bunch
        `data` of shape (1000, 9), without the protected attribute; `target`, labels 1 to 4;
        `sensitive_features`, 1 if In6 is 2, else 0; other
        fields as :func:`fetch_orca` has them, but no splits.

    Examples
    --------
    >>> from fairordinal.datasets import load_swd
    >>> data = load_swd()
    >>> data.data.shape, np.bincount(data.sensitive_features).tolist()
    ((1000, 9), [545, 455])
    """
    return _from_skordinal("SWD", "load_swd", return_X_y, as_frame)


def _from_skordinal(name: str, loader: str, return_X_y: bool, as_frame: bool) -> Any:
    datasets = optional("skordinal.datasets", f"{loader}()", "baselines")
    source, entry = getattr(datasets, loader)(), orca_set(name)
    place = entry.columns.index(entry.sensitive_column)
    text = SKORDINAL.format(
        name=name, group=group_names(entry)[1], licence=entry.licence, source=source.DESCR
    )
    rows = Rows(
        data=np.delete(source.data, place, axis=1),
        target=source.target.astype(int) + 1,
        sensitive_features=groups_of(source.data[:, place], entry),
        feature_names=[column for column in entry.columns if column != entry.sensitive_column],
        sensitive_names=group_names(entry),
        description=text,
        target_names=entry.target_names,
    )
    return as_bunch(rows, return_X_y=return_X_y, as_frame=as_frame)
