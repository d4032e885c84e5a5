"""Fit a model to a table: read its training rows, fit a classifier, and make a `TableModel`."""

from __future__ import annotations

import logging
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from fairordinal._table import read_table
from fairordinal._validation import Array, Column, check_weight, read_column
from fairordinal.estimators import FairOrdinalClassifier
from fairordinal.models._columns import (
    TableColumn,
    check_lengths,
    columns_of,
    fingerprint,
    read_table_column,
    read_without_blanks,
)
from fairordinal.models._components import (
    BasisResult,
    Certificate,
    Classes,
    Coefficient,
    DataRecord,
    DecisionTree,
    Expected,
    GroupCounts,
    ModelSettings,
    PlugInRule,
    Ramp,
)
from fairordinal.models._model import TableModel
from fairordinal.models._preparation import MOST_CATEGORIES, TablePreparation
from fairordinal.models._suspects import Suspects

logger = logging.getLogger("fairordinal.models")


@dataclass(frozen=True, eq=False)
class TrainingTable:
    """The training rows of a table, in the form that estimators take.

    Made by `read`. It connects estimators, which take matrices, to models of tables: fit any
    `FairOrdinalClassifier` or `FairOrdinalFrontier` to its rows, and `model` returns the
    :class:`TableModel`.

    Attributes
    ----------
    X : ndarray of shape (n_rows, n_inputs)
        Inputs made by `preparation`. The group columns are never inputs.
    y : Column
        Labels, to be passed to `fit`.
    sensitive_features : dict of str to Column
        Groups, to be passed to `fit`.
    preparation : TablePreparation
        How columns become inputs.
    data : DataRecord
        Number of rows in the table and of rows left out, names of columns, and a fingerprint.
    sample_weight : ndarray of shape (n_rows,), or None
        Weights, to be passed to `fit`.

    See Also
    --------
    fit_table : Read a table and fit one model to it.

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
    sample_weight: Array | None = None

    @classmethod
    def read(
        cls,
        frame: Any,
        *,
        y: str,
        sensitive_features: str | Sequence[str],
        features: Sequence[str] | None = None,
        ignore: Sequence[str] = (),
        sample_weight: str | None = None,
        most_categories: int = MOST_CATEGORIES,
    ) -> TrainingTable:
        """Read the rows that have a label and a group.

        Other rows are left out, with a message of the logger ``fairordinal.models``; `data` has
        their number.

        Parameters
        ----------
        frame : frame of pandas, polars or pyarrow, or mapping of names to columns
            Columns of numbers and of text.
        y : str
            Name of the column of labels.
        sensitive_features : str or sequence of str
            Name of the column of groups, or of several columns, whose intersections are the groups.
            They are never inputs.
        features : sequence of str, default=None
            Names of the columns to predict from; None takes all others.
        ignore : sequence of str, default=()
            Names of columns not to predict from, if `features` is None.
        sample_weight : str, default=None
            Name of a column of weights. A weight of 2 is equivalent to a row repeated twice. It is
            never an input.
        most_categories : int, default=50
            Largest number of categories of a column with an input of their own.

        Returns
        -------
        rows : TrainingTable
            The training rows.
        """
        columns = columns_of(frame)
        groups = _names(sensitive_features, "sensitive_features")
        weights = [] if sample_weight is None else [sample_weight]
        _check_known(columns, weights, "sample_weight")
        if sample_weight in (y, *groups, *(features or ())):
            raise ValueError(
                f"sample_weight is {sample_weight!r}, which another argument names too."
            )
        inputs = _input_names(columns, y, groups, features, [*ignore, *weights])
        read = {name: read_table_column(columns[name], name) for name in (y, *groups, *inputs)}
        check_lengths([*read.values()])
        labels = read_without_blanks(columns[y], "y")
        group_columns = {name: read_column(columns[name], f"column {name!r}") for name in groups}
        kept, data = _usable_rows(labels, group_columns, read, inputs, y)
        taken = {name: read[name].take(kept) for name in inputs}
        preparation = TablePreparation.learn(taken, most_categories=most_categories)
        labels = _take(labels, kept)
        _warn_about_columns(taken, preparation, labels, y, by_ignoring=features is None)
        return cls(
            preparation.matrix(taken),
            labels,
            {name: _take(column, kept) for name, column in group_columns.items()},
            preparation,
            data,
            *(check_weight(columns[name], data.rows)[kept] for name in weights),
        )

    def fit(self, estimator: Any) -> Any:
        """Fit an estimator to these rows and their weights.

        Parameters
        ----------
        estimator : FairOrdinalClassifier or FairOrdinalFrontier
            The estimator.

        Returns
        -------
        estimator : FairOrdinalClassifier or FairOrdinalFrontier
            The same estimator, fitted.
        """
        return estimator.fit(
            self.X,
            self.y,
            sensitive_features=self.sensitive_features,
            sample_weight=self.sample_weight,
        )

    def model(self, classifier: FairOrdinalClassifier) -> TableModel:
        """Return a classifier that was fitted to these rows as a model of the table.

        Parameters
        ----------
        classifier : FairOrdinalClassifier
            Fitted to `X`, `y` and `sensitive_features`; also one that a frontier returns by
            `select` or `model`.

        Returns
        -------
        model : TableModel
            Predicts from tables, and can be saved to a file.
        """
        self._check_fitted(classifier)
        # the classifier subtracts origin_ from its inputs; here the thresholds absorb it
        thresholds = classifier.thresholds_ + classifier.origin_ @ classifier.coef_
        named = zip(self.preparation.input_names, classifier.coef_.tolist(), strict=True)
        return TableModel(
            settings=ModelSettings.of(classifier),
            classes=Classes.of(classifier.classes_),
            thresholds=tuple(thresholds.tolist()),
            coefficients=tuple(Coefficient(name, value) for name, value in named),
            ramps=Ramp.all_of(classifier),
            rule=PlugInRule.of(classifier),
            forest=DecisionTree.all_of(classifier),
            preparation=self.preparation,
            certificate=Certificate.of(classifier.result_),
            expected=Expected.of(classifier),
            bases=tuple(BasisResult(name, *r) for name, r in classifier.basis_results_.items()),
            groups=self._group_counts(classifier),
            data=self.data,
        )

    def _check_fitted(self, classifier: Any) -> None:
        """Raise ValueError unless a classifier was fitted to these rows."""
        if not isinstance(classifier, FairOrdinalClassifier):
            raise ValueError(
                "classifier must be a FairOrdinalClassifier, or a model of a frontier without "
                f"estimator=, got {type(classifier).__name__}: other models are not kept in files."
            )
        check_is_fitted(classifier, "coef_")
        weight, n_inputs = self.sample_weight, self.preparation.n_inputs
        expected = float(self.data.rows_used if weight is None else weight.sum())
        n_rows = float(classifier.result_.score_table.rows.sum())
        if not math.isclose(n_rows, expected, rel_tol=1e-9) or len(classifier.coef_) != n_inputs:
            raise ValueError(
                f"classifier must be fitted to these {expected:g} rows of {n_inputs} inputs, "
                f"{'without weights' if weight is None else 'with their sample_weight'}; it was "
                f"fitted to {n_rows:g} of {len(classifier.coef_)}."
            )

    def _group_counts(self, classifier: FairOrdinalClassifier) -> tuple[GroupCounts, ...]:
        """Return the numbers of rows by group and label, without weights."""
        result = classifier.result_
        if self.sample_weight is None:
            return GroupCounts.all_of(result)
        table = read_table(
            self.y,
            np.zeros(len(self.sample_weight)),
            self.sensitive_features,
            sample_weight=(self.sample_weight > 0).astype(float),
            labels=classifier.classes_,
            as_scores=True,
        )
        return GroupCounts.all_of(replace(result, score_table=table))


def fit_table(
    frame: Any,
    *,
    y: str,
    sensitive_features: str | Sequence[str],
    features: Sequence[str] | None = None,
    ignore: Sequence[str] = (),
    sample_weight: str | None = None,
    labels: Sequence[Any] | None = None,
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
        Columns of numbers and of text; see :class:`TablePreparation` for how they become inputs.
    y : str
        Name of the column of labels: numbers, an ordered categorical, or names with `labels`.
        Rows without a label are left out, and counted in the `data` of the model.
    sensitive_features : str or sequence of str
        Name of the column of groups, or of several columns, whose intersections are the groups.
        They are never inputs. Rows without a group are left out.
    features : sequence of str, default=None
        Names of the columns to predict from; None takes all others.
    ignore : sequence of str, default=()
        Names of columns not to predict from, if `features` is None.
    sample_weight : str, default=None
        Name of a column of weights, which is never an input. A weight of 2 is equivalent to a row
        repeated twice; estimates for new rows take the sum of the weights for the number of rows.
    labels : sequence, default=None
        All labels in ascending order.
    criterion : str or PairwiseCriterion, default="demographic_parity"
        Criterion of fairness, such as ``"demographic_parity"``, ``"equal_opportunity"`` or
        ``"equalized_odds"``.
    trade_off : float in [0, 1), default=None
        Weight of the violation, λ' of the paper, instead of a limit.
    max_violation : float, default=None
        Largest violation in new rows, as estimated by cross-validation; 0.05 if `trade_off` is not
        given either.
    confidence : float, default=None
        Keep the limit in new rows with this confidence, such as 0.9; None keeps it on average.
    cost_matrix : {"absolute", "zero_one", "squared", "asymmetric"} or array, default="absolute"
        Cost of predicting one label for another.
    basis : {"auto", "linear", "piecewise", "plug-in", "trees"}, default="auto"
        What scores are made of: the inputs, also ramps, also leaves of trees, or costs of labels by
        group; ``"auto"`` chooses among them.
    ranker : {"auto", "direct", "reduction", "grid", "relaxed"}, default="auto"
        How rankers are made fair; ``"auto"`` pools ``"direct"``, which penalises smooth
        disparities, and ``"reduction"``, the method of the paper.
    alpha : float, default=None
        Strength of the l2 penalty; None chooses it by cross-validation.
    cv : int, splitter or iterable of splits, default=5
        Folds for cross-validation. A number means shuffled folds, stratified by group and label.
    max_time : float, default=60.0
        Seconds for the final search for thresholds.
    most_categories : int, default=50
        Largest number of categories of a column with an input of their own.

    Returns
    -------
    model : TableModel
        Predicts from tables, and can be saved by :func:`save_model`.

    See Also
    --------
    TrainingTable : Fit a frontier, or a classifier with other parameters, to a table.
    fairordinal.FairOrdinalClassifier : The classifier that is fitted.

    Notes
    -----
    The fit is deterministic: equal rows give equal models, unless `max_time` stops the search.

    Examples
    --------
    >>> from fairordinal.models import fit_table
    >>> table = {"grade": ["low", "high", "low", "high"] * 6, "points": [3, 8, 2, 9] * 6,
    ...          "school": ["north", "north", "south", "south"] * 6}
    >>> model = fit_table(table, y="grade", sensitive_features="school", trade_off=0.1,
    ...                   labels=["low", "high"], alpha=0.01, cv=3)
    >>> model.predict({"points": [1, 10], "grade": [None, None]})
    array(['low', 'high'], dtype='<U4')
    """
    rows = TrainingTable.read(
        frame,
        y=y,
        sensitive_features=sensitive_features,
        features=features,
        ignore=ignore,
        sample_weight=sample_weight,
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
        labels=labels,
    )
    return rows.model(rows.fit(classifier))


def _names(names: str | Sequence[str], argument: str) -> list[str]:
    """Return one name or several names of columns as a list."""
    listed = [names] if isinstance(names, str) else list(names)
    if not listed or not all(isinstance(name, str) for name in listed):
        raise ValueError(f"{argument} must be the name of a column, or several, got {names!r}.")
    return listed


def _input_names(
    columns: Mapping[str, Any],
    y: str,
    groups: Sequence[str],
    features: Sequence[str] | None,
    ignore: Sequence[str],
) -> list[str]:
    """Return the names of the columns to predict from."""
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


def _warn_about_columns(
    columns: Mapping[str, TableColumn],
    preparation: TablePreparation,
    labels: Column,
    y: str,
    *,
    by_ignoring: bool,
) -> None:
    """Warn about inputs that look like identifiers, or like the label."""
    used = [columns[column.name] for column in preparation.columns]
    codes = np.unique(labels.values, return_inverse=True)[1]
    remedy = " by ignore={}" if by_ignoring else " of features"
    Suspects.among(used, codes).warn_about_columns(y, remedy=remedy)


def _usable_rows(
    labels: Column,
    groups: Mapping[str, Column],
    columns: Mapping[str, TableColumn],
    inputs: Sequence[str],
    y: str,
) -> tuple[Array, DataRecord]:
    """Return the numbers of the rows with a label and a group, and the record of all rows."""
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
    sha256 = fingerprint(columns.values())
    return kept, DataRecord(len(no_label), *counts, y, tuple(groups), tuple(inputs), sha256)


def _take(column: Column, rows: Array) -> Column:
    """Return some rows of a column.

    The integer dtype is restored if the rows with missing values were dropped.
    """
    values = column.values[rows]
    numbers = column.names is None and not column.boolean and len(rows) < len(column.values)
    if numbers and values.dtype.kind == "f" and bool((values == np.rint(values)).all()):
        small = bool((np.abs(values) < 2**53).all())
        values = values.astype(np.int64) if small else values
    return replace(column, values=values)
