"""ORCA's benchmark sets (Gutiérrez et al. 2016), with the groups of the paper's section 5.2."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from fairordinal.datasets._dataset import Array, Dataset, as_bunch
from fairordinal.datasets._download import read_fetch_options
from fairordinal.datasets._orca_files import (
    CatalogueEntry,
    OrcaTable,
    catalogue_entry,
    read_from_archive,
    read_from_home,
)

DESCRIPTION = """{name}: a benchmark set of ordinal regression.

{n_rows} rows, {n_inputs} inputs, {n_labels} ordered labels, 2 groups; {n_splits} splits.

Inputs: {inputs}
Labels: 1 to {n_labels}{labels}.
Protected attribute: {rule} It is not an input.

Source: {source}; from ORCA's archive datasets-orreview.zip, folder {folder}.
Citation: P. A. Gutiérrez, M. Pérez-Ortiz, J. Sánchez-Monedero, F. Fernández-Navarro,
C. Hervás-Martínez (2016). Ordinal regression methods: survey and experimental study. IEEE
Transactions on Knowledge and Data Engineering 28, 127-146.
Licence: {licence}.

Known points: the original set has no groups. Kleindessner et al., AISTATS 2022 (arXiv:2105.03153),
define them by a feature that they do not name; this one gives the statistics of their Tables 3 and
4. Rows are in the order of the first training file and the first test file.{note}
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

    All sets come in one download. On every use, a set is checked against the checksums of ORCA's
    training and test files.

    Parameters
    ----------
    name : str
        One of :func:`orca_names`.
    data_home : str or path, default=None
        Folder of the data; see :func:`get_data_home`.
    download_if_missing : bool, default=True
        If False, raise an ``OSError`` if files are missing or damaged.
    return_X_y : bool, default=False
        Return ``(data, target)``. Groups and splits are only in the Bunch.
    as_frame : bool, default=False
        Return pandas objects; this needs ``pip install fairordinal[data]``.
    n_retries : int, default=3
        How often a failed download is tried again.
    delay : float, default=1.0
        Seconds between attempts.

    Returns
    -------
    data : Bunch
        Dictionary-like object, with these attributes:

        data : ndarray or DataFrame of shape (n_samples, n_features)
            Features, not scaled and without the protected attribute.
        target : ndarray or Series of shape (n_samples,)
            Labels 1 to k.
        sensitive_features : ndarray or Series of shape (n_samples,)
            Groups, 0 or 1.
        feature_names : list of str
            Names of the columns of `data`.
        target_names : list of str or None
            Names of the labels, in ascending order.
        sensitive_names : dict
            Names of the groups.
        splits : list of (ndarray, ndarray)
            Row numbers of the training and the test set of each split.
        split_sensitive_features : list of (ndarray, ndarray)
            Groups of these rows; see Notes.
        frame : DataFrame or None
            All columns, if `as_frame`.
        DESCR : str
            Description, with source, citation and licence.

        If `return_X_y`, the tuple ``(data, target)`` instead.

    See Also
    --------
    orca_names : Names of the sets.
    load_era : ERA as embedded in skordinal; also ESL, LEV, SWD and balance scale.

    Notes
    -----
    Groups are a binary feature, or whether a feature is at or above its median. The paper's tables
    require that this median is taken within each training and each test file, so that the group of
    a row may differ between splits: `split_sensitive_features` has these groups.
    `sensitive_features` uses the median of all rows.
    """
    options = read_fetch_options(data_home, download_if_missing, n_retries, delay)
    entry = catalogue_entry(name)
    table = read_from_home(entry, options.home) or read_from_archive(entry, options)
    return as_bunch(_dataset(entry, table), return_X_y=return_X_y, as_frame=as_frame)


def _dataset(entry: CatalogueEntry, table: OrcaTable) -> Dataset:
    values = table.values()
    column = entry.columns.index(entry.sensitive_column)
    target, feature = values[:, -1].astype(int), values[:, column]
    return Dataset(
        data=np.delete(values[:, :-1], column, axis=1),
        target=target,
        sensitive_features=groups_of(feature, entry),
        feature_names=[name for name in entry.columns if name != entry.sensitive_column],
        sensitive_names=group_names(entry),
        description=_description(entry, target),
        target_names=entry.target_names,
        splits=table.splits,
        split_sensitive_features=[
            (groups_of(feature[train], entry), groups_of(feature[test], entry))
            for train, test in table.splits
        ],
    )


def groups_of(feature: Array, entry: CatalogueEntry) -> Array:
    """Return group 1 for rows with the sensitive value, or at or above the median of the rows."""
    if entry.sensitive_value is None:
        return (feature >= np.median(feature)).astype(int)
    return (feature == entry.sensitive_value).astype(int)


def group_names(entry: CatalogueEntry) -> dict[Any, str]:
    """Return descriptions of groups 0 and 1."""
    column, value = entry.sensitive_column, entry.sensitive_value
    if value is None:
        return {0: f"{column} below its median", 1: f"{column} at or above its median"}
    return {0: f"{column} is not {value:g}", 1: f"{column} is {value:g}"}


def _description(entry: CatalogueEntry, target: Array) -> str:
    n_labels, names = len(np.unique(target)), entry.target_names
    within = "with the median of the training or test file."
    scaled = "standardised by ORCA." if entry.bins else "as in ORCA, not scaled."
    rule = f"1 if {group_names(entry)[1]}"
    return DESCRIPTION.format(
        name=entry.name,
        n_rows=len(target),
        n_inputs=len(entry.columns) - 1,
        n_labels=n_labels,
        n_splits=entry.n_splits,
        inputs=scaled,
        labels=f", originally {', '.join(names)}" if names else ", a number cut at its quantiles",
        rule=f"{rule}, {within}" if entry.sensitive_value is None else f"{rule}.",
        source=entry.source,
        folder=entry.folder,
        licence=entry.licence,
        note=f" {entry.note}." if entry.note else "",
    )
