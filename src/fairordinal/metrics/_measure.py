"""From rows to a violation or a matrix: what every fairness metric does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from fairordinal._table import ScoreTable, read_table
from fairordinal._validation import Array
from fairordinal.criteria import Criterion, require_labels, warn_undefined


@dataclass(frozen=True, eq=False)
class PairMatrix:
    """Disparities of all pairs of groups.

    ``np.asarray`` gives `disparity`; rows and columns follow `groups`.

    Attributes
    ----------
    groups : ndarray of shape (n_groups,)
        Names of the groups, sorted.
    disparity : ndarray of shape (n_groups, n_groups)
        ``probability - probability.T``: positive at (g, h) if g is favoured over h; of several
        parts, the one with the greatest absolute value. nan where undefined, 0 on the diagonal.
    probability : ndarray of shape (n_groups, n_groups)
        The probability for g against h that the disparity compares with that for h against g.
    """

    groups: Array
    disparity: Array
    probability: Array

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return np.array(self.disparity, dtype=dtype)


class Rows(NamedTuple):
    """The arguments that all fairness metrics share."""

    y_true: Any
    y_pred: Any
    sensitive_features: Any
    sample_weight: Any
    labels: Any
    missing_group: str


def table_for(criterion: Criterion, rows: Rows, *, stacklevel: int) -> ScoreTable:
    """Count the rows; warn about pairs of groups for which the criterion is undefined."""
    table = read_table(
        rows.y_true,
        rows.y_pred,
        rows.sensitive_features,
        sample_weight=rows.sample_weight,
        labels=rows.labels,
        missing_group=rows.missing_group,
    )
    require_labels(criterion, table)
    warn_undefined(criterion, table, stacklevel=stacklevel + 1)
    return table


def violation_of(criterion: Criterion, rows: Rows, *, stacklevel: int = 4) -> float:
    """The greatest absolute disparity."""
    return criterion.violation(table_for(criterion, rows, stacklevel=stacklevel))


def matrix_of(criterion: Criterion, rows: Rows) -> PairMatrix:
    """The disparities of all pairs of groups, of the worst part."""
    table = table_for(criterion, rows, stacklevel=4)
    disparities = criterion.disparities(table)
    worst = np.argmax(np.nan_to_num(np.abs(disparities), nan=-1.0), axis=0)[None]
    disparity = np.take_along_axis(disparities, worst, axis=0)[0]
    probability = np.take_along_axis(criterion.probabilities(table), worst, axis=0)[0]
    return PairMatrix(table.groups, disparity, probability)
