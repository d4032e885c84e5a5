"""Rows of a table to learn from, and the model that was learned from them."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from fairordinal._validation import Array, Column, read_column
from fairordinal.estimators import FairOrdinalClassifier
from fairordinal.models._columns import Cells, check_lengths, columns_of, read_cells, read_complete
from fairordinal.models._fingerprint import fingerprint
from fairordinal.models._model import TableModel
from fairordinal.models._parts import DataRecord
from fairordinal.models._preparation import MOST_CATEGORIES, TablePreparation
from fairordinal.models._worth import model_of

logger = logging.getLogger("fairordinal.models")


@dataclass(frozen=True, eq=False)
class TrainingTable:
    """Rows of a table as estimators take them; made by `read`.

    Attributes
    ----------
    X : ndarray of shape (n_rows, n_inputs)
        Inputs, by `preparation`. The group columns are never among them.
    y : Column
        Labels, to be passed to `fit`.
    sensitive_features : dict of str to Column
        Groups, to be passed to `fit`.
    preparation : TablePreparation
        From columns to inputs.
    data : DataRecord
        How many rows were given and left out, which columns, and a fingerprint.

    Examples
    --------
    >>> from fairordinal import FairOrdinalFrontier
    >>> from fairordinal.models import TrainingTable
    >>> table = {"grade": [1, 2, 3, 1, 2, 3] * 5, "points": [3, 5, 9, 2, 6, 8] * 5,
    ...          "school": ["north"] * 15 + ["south"] * 15}
    >>> rows = TrainingTable.read(table, y="grade", sensitive_features="school")
    >>> frontier = FairOrdinalFrontier(alpha=0.01, cv=3)
    >>> frontier = frontier.fit(rows.X, rows.y, sensitive_features=rows.sensitive_features)
    >>> model = rows.model(frontier.select(max_violation=0.1))
    >>> models = [rows.model(frontier.model(i)) for i in range(len(frontier.points_))]
    """

    X: Array
    y: Column
    sensitive_features: Mapping[str, Column]
    preparation: TablePreparation
    data: DataRecord

    @classmethod
    def read(
        cls,
        frame: Any,
        *,
        y: str,
        sensitive_features: str | Sequence[str],
        features: Sequence[str] | None = None,
        ignore: Sequence[str] = (),
        most_categories: int = MOST_CATEGORIES,
    ) -> TrainingTable:
        """Read the rows that have a label and a group.

        Others are left out, with a message of the logger ``fairordinal.models``; how many is in
        `data`.

        Parameters
        ----------
        frame : frame of pandas, polars or pyarrow, or mapping of names to columns
            Named columns.
        y : str
            The column of labels.
        sensitive_features : str or sequence of str
            The column of groups, or several that mean their intersections. Never an input.
        features : sequence of str, default=None
            The columns to predict from; None takes all others.
        ignore : sequence of str, default=()
            Columns not to predict from, if `features` is None.
        most_categories : int, default=50
            How many categories of a column have an input of their own.

        Returns
        -------
        rows : TrainingTable
            To be fitted to.
        """
        columns = columns_of(frame)
        groups = _names(sensitive_features, "sensitive_features")
        inputs = _chosen(columns, y, groups, features, ignore)
        cells = {name: read_cells(columns[name], name) for name in (y, *groups, *inputs)}
        check_lengths([*cells.values()])
        labels = read_complete(columns[y], "y")
        group_columns = {name: read_column(columns[name], f"column {name!r}") for name in groups}
        kept, data = _usable_rows(labels, group_columns, cells, inputs, y)
        taken = {name: cells[name].take(kept) for name in inputs}
        preparation = TablePreparation.learn(taken, most_categories=most_categories)
        return cls(
            preparation.matrix(taken),
            _take(labels, kept),
            {name: _take(column, kept) for name, column in group_columns.items()},
            preparation,
            data,
        )

    def model(self, classifier: FairOrdinalClassifier) -> TableModel:
        """The model of the table that a classifier is, fitted to these rows.

        Parameters
        ----------
        classifier : FairOrdinalClassifier
            Fitted to `X`, `y` and `sensitive_features`; also one that a frontier returns by
            `select` or `model`.

        Returns
        -------
        model : TableModel
            To predict from tables, and to be kept in a file.
        """
        return model_of(classifier, self.preparation, self.data)


def fit_table(
    frame: Any,
    *,
    y: str,
    sensitive_features: str | Sequence[str],
    features: Sequence[str] | None = None,
    ignore: Sequence[str] = (),
    categories: Sequence[Any] | None = None,
    criterion: Any = "demographic_parity",
    trade_off: float | None = None,
    max_violation: float | None = None,
    confidence: float | None = None,
    cost_matrix: Any = "absolute",
    basis: str = "auto",
    ranker: str = "auto",
    alpha: float | None = None,
    cv: Any = 5,
    max_time: float | None = 60.0,
    most_categories: int = MOST_CATEGORIES,
) -> TableModel:
    """Fit a fair model to a table with named columns.

    Parameters
    ----------
    frame : frame of pandas, polars or pyarrow, or mapping of names to columns
        Columns of numbers and of text; see :class:`TablePreparation` for what becomes of them.
    y : str
        The column of labels: numbers, an ordered categorical, or names with `categories`. Rows
        without one are left out, and counted in the `data` of the model.
    sensitive_features : str or sequence of str
        The column of groups, or several that mean their intersections. Never an input. Rows
        without one are left out as well.
    features : sequence of str, default=None
        The columns to predict from; None takes all others.
    ignore : sequence of str, default=()
        Columns not to predict from, if `features` is None.
    categories : sequence, default=None
        All labels in ascending order.
    criterion, trade_off, max_violation, confidence, cost_matrix :
        As in :class:`~fairordinal.FairOrdinalClassifier`.
    basis, ranker, alpha, cv, max_time :
        As in :class:`~fairordinal.FairOrdinalClassifier`.
    most_categories : int, default=50
        How many categories of a column have an input of their own.

    Returns
    -------
    model : TableModel
        With `predict`; keep it by :func:`save_model`.

    Notes
    -----
    Nothing is random: the same rows give the same model, unless `max_time` cuts a search short.

    Examples
    --------
    >>> from fairordinal.models import fit_table
    >>> table = {"grade": ["low", "high", "low", "high"] * 6, "points": [3, 8, 2, 9] * 6,
    ...          "school": ["north", "north", "south", "south"] * 6}
    >>> model = fit_table(table, y="grade", sensitive_features="school", trade_off=0.1,
    ...                   categories=["low", "high"], alpha=0.01, cv=3)
    >>> model.predict({"points": [1, 10], "grade": [None, None]})
    array(['low', 'high'], dtype='<U4')
    """
    rows = TrainingTable.read(
        frame,
        y=y,
        sensitive_features=sensitive_features,
        features=features,
        ignore=ignore,
        most_categories=most_categories,
    )
    classifier = FairOrdinalClassifier(
        criterion,
        trade_off=trade_off,
        max_violation=max_violation,
        confidence=confidence,
        cost_matrix=cost_matrix,
        basis=basis,
        ranker=ranker,
        alpha=alpha,
        cv=cv,
        max_time=max_time,
        categories=categories,
    )
    return rows.model(classifier.fit(rows.X, rows.y, sensitive_features=rows.sensitive_features))


def _names(names: str | Sequence[str], argument: str) -> list[str]:
    listed = [names] if isinstance(names, str) else list(names)
    if not listed or not all(isinstance(name, str) for name in listed):
        raise ValueError(f"{argument} must be the name of a column, or several, got {names!r}.")
    return listed


def _chosen(
    columns: Mapping[str, Any],
    y: str,
    groups: Sequence[str],
    features: Sequence[str] | None,
    ignore: Sequence[str],
) -> list[str]:
    """Names of the columns to predict from."""
    _check_known(columns, [y], "y")
    _check_known(columns, groups, "sensitive_features")
    if y in groups:
        raise ValueError(f"y and sensitive_features are one column, {y!r}; they must differ.")
    left_out = _names(ignore, "ignore") if len(ignore) else []
    _check_known(columns, left_out, "ignore")
    if features is None:
        return [name for name in columns if name not in (y, *groups, *left_out)]
    chosen = [*dict.fromkeys(_names(features, "features"))]
    _check_known(columns, chosen, "features")
    for name in chosen:
        if name == y or name in groups or name in left_out:
            role = "y" if name == y else "sensitive_features" if name in groups else "ignore"
            raise ValueError(
                f"features has the column {name!r}, which is in {role} too; it cannot be an input. "
                "Leave it out of one of them."
            )
    return chosen


def _check_known(columns: Iterable[str], names: Iterable[str], argument: str) -> None:
    for name in names:
        if name not in columns:
            raise ValueError(
                f"{argument} must name columns of the frame, {list(columns)}, got {name!r}."
            )


def _usable_rows(
    labels: Column,
    groups: Mapping[str, Column],
    cells: Mapping[str, Cells],
    inputs: Sequence[str],
    y: str,
) -> tuple[Array, DataRecord]:
    """Rows with a label and a group, and what is to be said of all of them."""
    no_label = labels.missing()
    no_group = np.any([column.missing() for column in groups.values()], axis=0) & ~no_label
    kept = np.flatnonzero(~no_label & ~no_group)
    counts = int(no_label.sum()), int(no_group.sum())
    if not kept.size:
        raise ValueError(
            f"no row has both a label (column {y!r}) and a group ({list(groups)}): "
            f"{counts[0]} rows lack a label, {counts[1]} a group."
        )
    if any(counts):
        logger.warning(
            "%d of %d rows are left out: %d without a label (column %r), %d without a group.",
            sum(counts), len(no_label), counts[0], y, counts[1],
        )  # fmt: skip
    found = fingerprint(cells.values())
    return kept, DataRecord(len(no_label), *counts, y, tuple(groups), tuple(inputs), found)


def _take(column: Column, rows: Array) -> Column:
    """Some rows; the integer dtype is restored if the rows with missing values are dropped."""
    values = column.values[rows]
    numbers = column.names is None and not column.boolean and len(rows) < len(column.values)
    if numbers and values.dtype.kind == "f" and bool((values == np.rint(values)).all()):
        small = bool((np.abs(values) < 2**53).all())
        values = values.astype(np.int64) if small else values
    return replace(column, values=values)
