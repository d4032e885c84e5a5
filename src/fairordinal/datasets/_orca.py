"""ORCA's benchmark sets (Gutiérrez et al. 2016), as in section 5.2 of the paper."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from fairordinal.datasets._archive import set_from_archive
from fairordinal.datasets._catalogue import OrcaSet, orca_set
from fairordinal.datasets._home import source_of
from fairordinal.datasets._rows import Array, Rows, as_bunch
from fairordinal.datasets._stored import StoredSet, stored_set

DESCRIPTION = """{name}: a benchmark set of ordinal regression.

{n_rows} rows, {n_inputs} inputs, {n_labels} ordered labels, 2 groups; {n_splits} splits.

Inputs: {inputs}
Labels: 1 to {n_labels}{labels}.
Protected attribute: {rule} It is no input.

Source: {source}; by way of ORCA, datasets-orreview.zip, folder {folder}.
Citation: P. A. Gutiérrez, M. Pérez-Ortiz, J. Sánchez-Monedero, F. Fernández-Navarro,
C. Hervás-Martínez (2016). Ordinal regression methods: survey and experimental study. IEEE
Transactions on Knowledge and Data Engineering 28, 127-146.
Licence: {licence}.

Known points: the set comes without groups. Kleindessner et al., AISTATS 2022 (arXiv:2105.03153),
make them of a feature that they do not name; this one gives the statistics of their Tables 3 and 4.
Rows are in the order of the first training file and the first test file.{note}
"""


def fetch_orca(
    name: str,
    *,
    data_home: str | os.PathLike[str] | None = None,
    download_if_missing: bool = True,
    return_X_y: bool = False,
    as_frame: bool = False,
    n_retries: int = 3,
    delay: float = 1.0,
) -> Any:
    """Load one of ORCA's 33 benchmark sets, with ORCA's splits and the paper's groups.

    All sets are one download; each is checked on every use against the checksums of ORCA's own
    training and test files.

    Parameters
    ----------
    name : str
        One of :func:`orca_names`.
    data_home : str or path, default=None
        Folder of the data; see :func:`get_data_home`.
    download_if_missing : bool, default=True
        If False, missing or damaged files are an ``OSError``.
    return_X_y : bool, default=False
        Return ``(data, target)``. Groups and splits are only in the Bunch.
    as_frame : bool, default=False
        Give pandas objects; needs ``pip install fairordinal[data]``.
    n_retries : int, default=3
        How often a failed download is tried again.
    delay : float, default=1.0
        Seconds between attempts.

    Returns
    -------
    data : Bunch
        `data`, unscaled and without the protected attribute; `target`, labels 1 to k;
        `sensitive_features`, 0 or 1; `feature_names`; `target_names`, of the labels in order, or
        None; `sensitive_names`, of the groups; `splits`, pairs of training and test row numbers;
        `split_sensitive_features`, groups of those rows (see notes); `frame`, all columns if
        `as_frame`, or None; `DESCR`, with source, citation and licence.

    Notes
    -----
    Groups are a binary feature, or whether a feature is at or above its median. As the paper's
    tables require, that median is taken within each training and each test file, so that a row may
    be in one group in one split and in the other in the next: `split_sensitive_features` has these
    groups. `sensitive_features` takes the median of all rows.
    """
    source = source_of(data_home, download_if_missing, n_retries, delay)
    entry = orca_set(name)
    stored = stored_set(entry, source.home) or set_from_archive(entry, source)
    rows = _rows(entry, stored)
    return as_bunch(rows, return_X_y=return_X_y, as_frame=as_frame)


def _rows(entry: OrcaSet, stored: StoredSet) -> Rows:
    values = stored.values()
    place = entry.columns.index(entry.sensitive_column)
    target, feature = values[:, -1].astype(int), values[:, place]
    return Rows(
        data=np.delete(values[:, :-1], place, axis=1),
        target=target,
        sensitive_features=groups_of(feature, entry),
        feature_names=[name for name in entry.columns if name != entry.sensitive_column],
        sensitive_names=group_names(entry),
        description=_description(entry, target),
        target_names=entry.target_names,
        splits=stored.splits,
        split_sensitive_features=[
            (groups_of(feature[train], entry), groups_of(feature[test], entry))
            for train, test in stored.splits
        ],
    )


def groups_of(feature: Array, entry: OrcaSet) -> Array:
    """Whether the feature has the value of group 1, or is not below its median in these rows."""
    if entry.sensitive_value is None:
        return (feature >= np.median(feature)).astype(int)
    return (feature == entry.sensitive_value).astype(int)


def group_names(entry: OrcaSet) -> dict[Any, str]:
    """What the groups have in common."""
    column, value = entry.sensitive_column, entry.sensitive_value
    if value is None:
        return {0: f"{column} below its median", 1: f"{column} at or above its median"}
    return {0: f"{column} is not {value:g}", 1: f"{column} is {value:g}"}


def _description(entry: OrcaSet, target: Array) -> str:
    n_labels, names = len(np.unique(target)), entry.target_names
    within = "the median being that of the training or test file."
    scaled = "standardised by ORCA." if entry.bins else "as ORCA has them, unscaled."
    rule = f"1 if {group_names(entry)[1]}"
    return DESCRIPTION.format(
        name=entry.name,
        n_rows=len(target),
        n_inputs=len(entry.columns) - 1,
        n_labels=n_labels,
        n_splits=entry.n_splits,
        inputs=scaled,
        labels=f", originally {', '.join(names)}" if names else ", a number cut by its quantiles",
        rule=f"{rule}, {within}" if entry.sensitive_value is None else f"{rule}.",
        source=entry.source,
        folder=entry.folder,
        licence=entry.licence,
        note=f" {entry.note}." if entry.note else "",
    )
