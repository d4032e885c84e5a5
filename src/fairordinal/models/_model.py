"""A fair model of a table with named columns.

The score of a row with inputs x is ``Σ_i coef_i x_i + Σ_r ramp_r(x) + Σ_t leaf_t(x)``: coefficients
of the inputs, ramps, and the leaves of trees. A plug-in model has the score of a rule of its ramps;
its trees add to the ramps before they are clipped. Label l is predicted where ``thresholds[l-1] <
score <= thresholds[l]``. Terms are always added in the same order, so that scores are equal to the
last bit in every process.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from fairordinal._forest import Forest, Tree
from fairordinal._render import BASIS_NAMES, confidence_level, name_of
from fairordinal._support import visible
from fairordinal._validation import Array
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
from fairordinal.models._preparation import TablePreparation

MOST_NAMED = 6  # groups in text
MOST_RAMPS = 100
MOST_ANSWERS = 1 << 22  # Σ 2^splits over trees and sums: numbers that scoring tabulates, 32 MB


@dataclass(frozen=True)
class TableModel:
    """A fair model that predicts labels from the columns of a table.

    Made by :func:`fit_table`, :meth:`TrainingTable.model` or :func:`load_model`. A model is
    immutable and holds plain values only; two models are equal if all their values are.

    Attributes
    ----------
    settings : ModelSettings
        Parameters of the fit: criterion, limit or trade-off, cost matrix.
    classes : Classes
        Labels in ascending order; as an array `classes_`.
    thresholds : tuple of float
        Label l is predicted where ``thresholds[l-1] < score <= thresholds[l]``; as an array
        `thresholds_`.
    coefficients : tuple of Coefficient
        Name and coefficient of each input; as an array `coef_`.
    ramps : tuple of Ramp
        Linear functions of the inputs, clipped at both ends, that are added to the score; empty in
        a linear model.
    rule : PlugInRule or None
        Costs of labels for each group, by which a plug-in model chooses labels.
    forest : tuple of DecisionTree
        Trees whose leaves are added to the score, or with a rule to the ramps; empty in a model
        without trees.
    preparation : TablePreparation
        How columns become inputs.
    certificate : Certificate
        Cost, violation and the proved lower bound on the training rows.
    expected : Expected
        Cost and violation in new rows, estimated by cross-validation, with intervals.
    bases : tuple of BasisResult
        Expected cost and violation of the best model of each basis that was tried (linear,
        piecewise, plug-in, plug-in-trees or trees).
    groups : tuple of GroupCounts
        Training rows of each group by label.
    data : DataRecord
        The training rows: their number, columns and fingerprint.

    See Also
    --------
    fit_table : Fit a model to a table.
    load_model : Read a model from a file.
    save_model : Write a model to a file.

    Examples
    --------
    >>> from fairordinal.models import fit_table
    >>> table = {"grade": [1, 2, 3, 1, 2, 3] * 5, "points": [3, 5, 9, 2, 6, 8] * 5,
    ...          "school": ["north"] * 15 + ["south"] * 15}
    >>> model = fit_table(table, y="grade", sensitive_features="school", trade_off=0.1,
    ...                   alpha=0.01, cv=3)
    >>> model.predict({"points": [2, None, 9]})
    array([1, 2, 3])
    """

    settings: ModelSettings
    classes: Classes
    thresholds: tuple[float, ...]
    coefficients: tuple[Coefficient, ...]
    ramps: tuple[Ramp, ...]
    rule: PlugInRule | None
    forest: tuple[DecisionTree, ...]
    preparation: TablePreparation
    certificate: Certificate
    expected: Expected
    bases: tuple[BasisResult, ...]
    groups: tuple[GroupCounts, ...]
    data: DataRecord

    def __post_init__(self) -> None:
        _check_thresholds(self.thresholds, len(self.classes.values))
        _check_coefficients(self.coefficients, self.preparation)
        _check_ramps(self.ramps, self.preparation)
        _check_rule(self)
        _check_forest(self)
        _check_consistent(self)

    @cached_property
    def classes_(self) -> Array:
        """Labels in ascending order."""
        return self.classes.array()

    @cached_property
    def thresholds_(self) -> Array:
        """Thresholds between neighbouring labels, ascending."""
        return np.array(self.thresholds, dtype=np.float64)

    @cached_property
    def coef_(self) -> Array:
        """Coefficients of the inputs."""
        return np.array([coefficient.value for coefficient in self.coefficients], dtype=np.float64)

    @cached_property
    def _forest(self) -> tuple[Forest, Array]:
        """The trees as arrays, and the values of all leaves, (n_leaves, n_sums)."""
        trees = tuple(
            Tree(
                np.array([split.input for split in tree.splits]),
                np.array([split.threshold for split in tree.splits]),
                np.array([split.left for split in tree.splits]),
                np.array([split.right for split in tree.splits]),
            )
            for tree in self.forest
        )
        none = np.zeros((0, self._n_sums))
        return Forest(trees), np.concatenate([none, *(np.array(t.leaves).T for t in self.forest)])

    @property
    def _n_sums(self) -> int:
        """Number of sums that trees add to: the ramps of a rule, or the score alone."""
        return 1 if self.rule is None else len(self.ramps)

    def scores(self, frame: Any) -> Array:
        """Return the score of each row; higher scores mean higher labels.

        Scores are the same to the last bit in every process.

        Parameters
        ----------
        frame : frame of pandas, polars or pyarrow, or mapping of names to columns
            All columns of `preparation`; others are ignored.

        Returns
        -------
        scores : ndarray of shape (n_rows,)
            Inputs times coefficients, the ramps, the score of the rule, and the leaves of the
            trees.
        """
        scores = self.preparation.scores(frame, self.coef_)
        forest, values = self._forest
        leaves = forest.sums(self.preparation.matrix(frame), values) if self.forest else None
        if self.rule is not None:
            ramps = self._ramps(frame, leaves)
            return self._add_ramps(scores, ramps) + self.rule.label_costs().scores(ramps)
        if self.ramps:
            scores = self._add_ramps(scores, self._ramps(frame, None))
        return scores if leaves is None else scores + leaves[:, 0]

    def _ramps(self, frame: Any, leaves: Array | None) -> Array:
        """Return the value of each ramp for each row; sums of leaves add to what is clipped."""
        weights = np.array([ramp.weights for ramp in self.ramps]).T
        linear = self.preparation.scores(frame, weights) + [ramp.offset for ramp in self.ramps]
        return np.clip(linear if leaves is None else linear + leaves, -1.0, 1.0)

    def _add_ramps(self, scores: Array, values: Array) -> Array:
        """Add the ramps one after the other, so that rounding is the same in every process."""
        for ramp, value in zip(self.ramps, values.T, strict=True):
            scores = scores + ramp.coefficient * value
        return scores

    def predict(self, frame: Any) -> Array:
        """Predict a label for each row, without its group.

        Parameters
        ----------
        frame : frame of pandas, polars or pyarrow, or mapping of names to columns
            All columns of `preparation`; others are ignored.

        Returns
        -------
        y : ndarray of shape (n_rows,)
            Labels.
        """
        return self.classes_[np.searchsorted(self.thresholds_, self.scores(frame), side="left")]

    def __str__(self) -> str:
        expected, level = self.expected, f"{confidence_level(self.expected.confidence)} interval"
        return (
            f"Fair model of {self.data.label_column!r}: {self._criterion} between "
            f"{_listed(self.groups)}\n"
            f"expected cost {expected.cost:.3f} ({level} {_interval(expected.cost_interval)})\n"
            f"expected violation {expected.violation:.3f} ({level} "
            f"{_interval(expected.violation_interval)})\n"
            f"{len(self.coefficients)} inputs from {len(self.preparation.columns)} columns"
            f"{self._ramps_and_trees}, fitted to {self.data.rows_used:,} rows{self._other_bases}"
        )

    @property
    def _criterion(self) -> str:
        """Name of the criterion in words, if it is one of this package."""
        from fairordinal.criteria import (
            NAMED,  # slow to import: who only predicts needs no criteria
        )

        name = self.settings.criterion
        return NAMED[name].title if name in NAMED else visible(name)

    @property
    def _ramps_and_trees(self) -> str:
        """Text with the number of ramps and trees, if there are any."""
        ramps = f", {len(self.ramps)} ramps" if self.ramps else ""
        return ramps + (f", {len(self.forest)} trees" if self.forest else "")

    @property
    def _other_bases(self) -> str:
        """Text with the results of the best models of other bases."""
        return "".join(
            f"\nthe best {BASIS_NAMES.get(each.basis, visible(each.basis))} within the limit: "
            f"expected cost {each.cost:.3f}, expected violation {each.violation:.3f}"
            for each in self.bases
            if each.basis != self.settings.basis
        )


def _interval(interval: tuple[float, float]) -> str:
    return f"{interval[0]:.3f} … {interval[1]:.3f}"


def _listed(groups: Sequence[GroupCounts]) -> str:
    """Number and names of groups, the first ones of many."""
    names = [repr(visible(name_of(group.values))) for group in groups[:MOST_NAMED]]
    if len(names) == 2:
        return " and ".join(names)
    more = ", …" * (len(groups) > MOST_NAMED)
    return f"{len(groups)} groups ({', '.join(names)}{more})"


def _check_thresholds(thresholds: tuple[float, ...], n_labels: int) -> None:
    ascending = all(lower <= upper for lower, upper in pairwise(thresholds))
    if len(thresholds) != n_labels - 1 or not ascending or any(map(math.isnan, thresholds)):
        raise ValueError(
            f"thresholds must be {n_labels - 1} numbers in ascending order, one fewer than the "
            f"labels, got {list(thresholds)!r:.100}."
        )


def _check_coefficients(
    coefficients: tuple[Coefficient, ...], preparation: TablePreparation
) -> None:
    if len(coefficients) != preparation.n_inputs:
        raise ValueError(
            f"coefficients must be one for each of {preparation.n_inputs} inputs, got "
            f"{len(coefficients)}."
        )
    # names are generated one by one, because all names of a hostile file might not fit into memory
    for coefficient, name in zip(coefficients, preparation.each_input(), strict=True):
        if coefficient.input != name or not math.isfinite(coefficient.value):
            raise ValueError(
                f"coefficients must have a finite number for input {name!r:.60}, in the order of "
                f"the columns, got {coefficient!r:.100}."
            )


def _check_ramps(ramps: tuple[Ramp, ...], preparation: TablePreparation) -> None:
    if len(ramps) > MOST_RAMPS:
        raise ValueError(f"there must be at most {MOST_RAMPS} ramps, got {len(ramps)}.")
    for ramp in ramps:
        if len(ramp.weights) != preparation.n_inputs:
            raise ValueError(
                f"a ramp must have a weight for each of {preparation.n_inputs} inputs, got "
                f"{len(ramp.weights)}."
            )


def _check_rule(model: TableModel) -> None:
    rule, n_labels = model.rule, len(model.classes.values)
    if rule is None:
        return
    if (len(rule.costs[0]), rule.n_ramps) != (n_labels, len(model.ramps)):
        raise ValueError(
            f"rule must have costs of {n_labels} labels and {len(model.ramps)} ramps, got "
            f"{len(rule.costs[0])} labels and {rule.n_ramps} ramps."
        )


def _check_forest(model: TableModel) -> None:
    forest, n_inputs = model.forest, model.preparation.n_inputs
    n_sums = model._n_sums
    if any(len(tree.leaves) != n_sums for tree in forest):
        raise ValueError(f"each tree of the forest must have {n_sums} values of each leaf.")
    answers = n_sums * sum(2 ** len(tree.splits) for tree in forest)
    if answers > MOST_ANSWERS:
        raise ValueError(
            f"the forest is too large: {len(forest)} trees have {answers} sums for combinations of "
            f"answers to their splits, more than {MOST_ANSWERS}."
        )
    for split in (split for tree in forest for split in tree.splits):
        if not 0 <= split.input < n_inputs:
            raise ValueError(
                f"the forest must split on one of {n_inputs} inputs, got number {split.input}."
            )


def _check_consistent(model: TableModel) -> None:
    n_labels, columns = len(model.classes.values), model.preparation.columns
    if len({column.name for column in columns}) < len(columns):
        raise ValueError("preparation.columns must have distinct names.")
    if [len(row) for row in model.settings.cost_matrix] != [n_labels] * n_labels:
        raise ValueError(f"settings.cost_matrix must have {n_labels} rows and columns.")
    for group in model.groups:
        if len(group.rows_by_label) != n_labels or sum(group.rows_by_label) != group.rows:
            raise ValueError(
                f"groups must have rows for each of {n_labels} labels that add up, got "
                f"{group!r:.100}."
            )
