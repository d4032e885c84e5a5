"""Violations and matrices of disparities: the computation that all fairness metrics share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from fairordinal._table import ScoreTable, read_table
from fairordinal._validation import Array
from fairordinal.criteria import Criterion, warn_undefined


@dataclass(frozen=True, eq=False)
class PairMatrix:
    """Disparities of all pairs of groups.

    Rows and columns are in the order of `groups`. ``np.asarray(matrix)`` is `disparity`.

    Attributes
    ----------
    groups : ndarray of shape (n_groups,)
        Names of the groups, sorted.
    disparity : ndarray of shape (n_groups, n_groups)
        ``probability - probability.T``: positive at (g, h) if g is placed above h. If the
        criterion has several parts, the part with the largest absolute disparity. nan where
        undefined, 0 on the diagonal.
    probability : ndarray of shape (n_groups, n_groups)
        Entry (g, h) is the probability that the disparity compares with entry (h, g).

    See Also
    --------
    pairwise_demographic_parity_matrix : Returns such a matrix.
    pairwise_equal_opportunity_matrix : Returns such a matrix.
    pairwise_equalized_odds_matrix : Returns such a matrix.
    """

    groups: Array
    disparity: Array
    probability: Array

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return np.array(self.disparity, dtype=dtype)


class MetricInput(NamedTuple):
    """The arguments that all fairness metrics share."""

    y_true: Any
    y_pred: Any
    sensitive_features: Any
    sample_weight: Any
    labels: Any
    missing_group: str


def count_rows(criterion: Criterion, data: MetricInput) -> ScoreTable:
    """Count the rows, and warn about pairs of groups for which the criterion is undefined."""
    table = read_table(
        data.y_true,
        data.y_pred,
        data.sensitive_features,
        sample_weight=data.sample_weight,
        labels=data.labels,
        missing_group=data.missing_group,
        predictions="labels" if criterion.needs_labels else "auto",
    )
    warn_undefined(criterion, table)
    return table


def violation_of(criterion: Criterion, data: MetricInput) -> float:
    """Return the largest absolute disparity."""
    return criterion.violation(count_rows(criterion, data))


def matrix_of(criterion: Criterion, data: MetricInput) -> PairMatrix:
    """Return, for each pair of groups, the part with the largest absolute disparity."""
    table = count_rows(criterion, data)
    disparities = criterion.disparities(table)
    worst = np.argmax(np.nan_to_num(np.abs(disparities), nan=-1.0), axis=0)[None]
    disparity = np.take_along_axis(disparities, worst, axis=0)[0]
    probability = np.take_along_axis(criterion.probabilities(table), worst, axis=0)[0]
    return PairMatrix(table.groups, disparity, probability)
