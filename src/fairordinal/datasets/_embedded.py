"""Data sets that are embedded in scikit-learn and skordinal, so that nothing is downloaded."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn import datasets as sklearn_datasets

from fairordinal._support import optional
from fairordinal.datasets._dataset import Dataset, as_bunch
from fairordinal.datasets._orca import group_names, groups_of
from fairordinal.datasets._orca_files import catalogue_entry

N_LEVELS = 5  # of the progression of diabetes

SKORDINAL = """{name}, from skordinal, with groups.

Protected attribute: 1 if {group}, else 0; it is not an input. The original set has no groups:
Kleindessner et al., AISTATS 2022 (arXiv:2105.03153), define them by a feature that they do not
name, and this one gives the statistics of their Table 3. `fetch_orca("{name}")` has the same rows
in the same order, with ORCA's splits and the groups of each split.
Licence: {licence}.

{source}"""

DIABETES = """

In this version, the progression is cut into five levels at its quintiles. The protected attribute
is sex, which is not an input."""


def load_diabetes(*, return_X_y: bool = False, as_frame: bool = False) -> Any:
    """Load scikit-learn's diabetes data as an ordinal task: five levels of disease progression.

    The data is embedded in scikit-learn.

    Parameters
    ----------
    return_X_y : bool, default=False
        Return ``(data, target)``. Groups are only in the Bunch.
    as_frame : bool, default=False
        Return pandas objects; this needs ``pip install fairordinal[data]``.

    Returns
    -------
    data : Bunch
        `data` of shape (442, 9), without the sensitive feature; `target`, levels 0 to 4 of about
        equal size (progression after a year, cut at its quintiles); `sensitive_features`,
        ``"sex 1"`` or ``"sex 2"`` as in the source; `feature_names`; `target_names`, None;
        `sensitive_names`; empty lists `splits` and `split_sensitive_features`; `frame`, a
        DataFrame of all columns if `as_frame`, else None; and `DESCR`. If `return_X_y`, the tuple
        ``(data, target)`` instead.

    See Also
    --------
    make_biased_ordinal : Synthetic data with known violations.

    Examples
    --------
    >>> from fairordinal.datasets import load_diabetes
    >>> data = load_diabetes()
    >>> data.data.shape, np.bincount(data.target).tolist()
    ((442, 9), [91, 87, 89, 87, 88])
    """
    source = sklearn_datasets.load_diabetes()
    sex = source.feature_names.index("sex")
    thresholds = np.quantile(source.target, np.arange(1, N_LEVELS) / N_LEVELS)
    dataset = Dataset(
        data=np.delete(source.data, sex, axis=1),
        target=np.searchsorted(thresholds, source.target, side="left"),
        sensitive_features=np.where(source.data[:, sex] < 0, "sex 1", "sex 2"),
        feature_names=[name for name in source.feature_names if name != "sex"],
        sensitive_names={name: f"{name} of the source" for name in ("sex 1", "sex 2")},
        description=source.DESCR + DIABETES,
    )
    return as_bunch(dataset, return_X_y=return_X_y, as_frame=as_frame)


def load_balance_scale(*, return_X_y: bool = False, as_frame: bool = False) -> Any:
    """Load balance scale: the side to which a scale tips.

    The data is embedded in skordinal, which ``pip install fairordinal[baselines]`` installs.

    Parameters
    ----------
    return_X_y : bool, default=False
        Return ``(data, target)``. Groups are only in the Bunch.
    as_frame : bool, default=False
        Return pandas objects; this needs ``pip install fairordinal[data]``.

    Returns
    -------
    data : Bunch
        `data` of shape (625, 3), without the protected attribute; `target`, labels 1 to 3;
        `sensitive_features`, 1 if left-weight is at or above its median, else 0; `feature_names`,
        `target_names` and `sensitive_names`; empty lists `splits` and `split_sensitive_features`;
        `frame`, a DataFrame of all columns if `as_frame`, else None; and `DESCR`. If
        `return_X_y`, the tuple ``(data, target)`` instead.

    See Also
    --------
    fetch_orca : All of ORCA's benchmark sets, with splits.

    Examples
    --------
    >>> from fairordinal.datasets import load_balance_scale
    >>> data = load_balance_scale()
    >>> data.data.shape, np.bincount(data.sensitive_features).tolist()
    ((625, 3), [250, 375])
    """
    return _from_skordinal("balance-scale", "load_balance_scale", return_X_y, as_frame)


def load_era(*, return_X_y: bool = False, as_frame: bool = False) -> Any:
    """Load ERA: how likely applicants are to be accepted for a job.

    The data is embedded in skordinal, which ``pip install fairordinal[baselines]`` installs.

    Parameters
    ----------
    return_X_y : bool, default=False
        Return ``(data, target)``. Groups are only in the Bunch.
    as_frame : bool, default=False
        Return pandas objects; this needs ``pip install fairordinal[data]``.

    Returns
    -------
    data : Bunch
        `data` of shape (1000, 3), without the protected attribute; `target`, labels 1 to 9;
        `sensitive_features`, 1 if in1 is at or above its median, else 0; `feature_names`,
        `target_names` and `sensitive_names`; empty lists `splits` and `split_sensitive_features`;
        `frame`, a DataFrame of all columns if `as_frame`, else None; and `DESCR`. If
        `return_X_y`, the tuple ``(data, target)`` instead.

    See Also
    --------
    fetch_orca : All of ORCA's benchmark sets, with splits.

    Examples
    --------
    >>> from fairordinal.datasets import load_era
    >>> data = load_era()
    >>> data.data.shape, np.bincount(data.sensitive_features).tolist()
    ((1000, 3), [472, 528])
    """
    return _from_skordinal("ERA", "load_era", return_X_y, as_frame)


def load_esl(*, return_X_y: bool = False, as_frame: bool = False) -> Any:
    """Load ESL: how well applicants fit a type of job.

    The data is embedded in skordinal, which ``pip install fairordinal[baselines]`` installs.

    Parameters
    ----------
    return_X_y : bool, default=False
        Return ``(data, target)``. Groups are only in the Bunch.
    as_frame : bool, default=False
        Return pandas objects; this needs ``pip install fairordinal[data]``.

    Returns
    -------
    data : Bunch
        `data` of shape (488, 3), without the protected attribute; `target`, labels 1 to 9;
        `sensitive_features`, 1 if in1 is at or above its median, else 0; `feature_names`,
        `target_names` and `sensitive_names`; empty lists `splits` and `split_sensitive_features`;
        `frame`, a DataFrame of all columns if `as_frame`, else None; and `DESCR`. If
        `return_X_y`, the tuple ``(data, target)`` instead.

    See Also
    --------
    fetch_orca : All of ORCA's benchmark sets, with splits.

    Examples
    --------
    >>> from fairordinal.datasets import load_esl
    >>> data = load_esl()
    >>> data.data.shape, np.bincount(data.sensitive_features).tolist()
    ((488, 3), [235, 253])
    """
    return _from_skordinal("ESL", "load_esl", return_X_y, as_frame)


def load_lev(*, return_X_y: bool = False, as_frame: bool = False) -> Any:
    """Load LEV: how lecturers are rated.

    The data is embedded in skordinal, which ``pip install fairordinal[baselines]`` installs.

    Parameters
    ----------
    return_X_y : bool, default=False
        Return ``(data, target)``. Groups are only in the Bunch.
    as_frame : bool, default=False
        Return pandas objects; this needs ``pip install fairordinal[data]``.

    Returns
    -------
    data : Bunch
        `data` of shape (1000, 3), without the protected attribute; `target`, labels 1 to 5;
        `sensitive_features`, 1 if In1 is at or above its median, else 0; `feature_names`,
        `target_names` and `sensitive_names`; empty lists `splits` and `split_sensitive_features`;
        `frame`, a DataFrame of all columns if `as_frame`, else None; and `DESCR`. If
        `return_X_y`, the tuple ``(data, target)`` instead.

    See Also
    --------
    fetch_orca : All of ORCA's benchmark sets, with splits.

    Examples
    --------
    >>> from fairordinal.datasets import load_lev
    >>> data = load_lev()
    >>> data.data.shape, np.bincount(data.sensitive_features).tolist()
    ((1000, 3), [437, 563])
    """
    return _from_skordinal("LEV", "load_lev", return_X_y, as_frame)


def load_swd(*, return_X_y: bool = False, as_frame: bool = False) -> Any:
    """Load SWD: how large the risk of a child at home is.

    The data is embedded in skordinal, which ``pip install fairordinal[baselines]`` installs.

    Parameters
    ----------
    return_X_y : bool, default=False
        Return ``(data, target)``. Groups are only in the Bunch.
    as_frame : bool, default=False
        Return pandas objects; this needs ``pip install fairordinal[data]``.

    Returns
    -------
    data : Bunch
        `data` of shape (1000, 9), without the protected attribute; `target`, labels 1 to 4;
        `sensitive_features`, 1 if In6 is 2, else 0; `feature_names`,
        `target_names` and `sensitive_names`; empty lists `splits` and `split_sensitive_features`;
        `frame`, a DataFrame of all columns if `as_frame`, else None; and `DESCR`. If
        `return_X_y`, the tuple ``(data, target)`` instead.

    See Also
    --------
    fetch_orca : All of ORCA's benchmark sets, with splits.

    Examples
    --------
    >>> from fairordinal.datasets import load_swd
    >>> data = load_swd()
    >>> data.data.shape, np.bincount(data.sensitive_features).tolist()
    ((1000, 9), [545, 455])
    """
    return _from_skordinal("SWD", "load_swd", return_X_y, as_frame)


def _from_skordinal(name: str, loader: str, return_X_y: bool, as_frame: bool) -> Any:
    """Load a set of skordinal, and add the groups of ORCA's catalogue."""
    datasets = optional("skordinal.datasets", f"{loader}()", "baselines")
    source, entry = getattr(datasets, loader)(), catalogue_entry(name)
    column = entry.columns.index(entry.sensitive_column)
    text = SKORDINAL.format(
        name=name, group=group_names(entry)[1], licence=entry.licence, source=source.DESCR
    )
    dataset = Dataset(
        data=np.delete(source.data, column, axis=1),
        target=source.target.astype(int) + 1,
        sensitive_features=groups_of(source.data[:, column], entry),
        feature_names=[name for name in entry.columns if name != entry.sensitive_column],
        sensitive_names=group_names(entry),
        description=text,
        target_names=entry.target_names,
    )
    return as_bunch(dataset, return_X_y=return_X_y, as_frame=as_frame)
