"""From rows to a violation or a matrix: what every fairness metric does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

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


def measure(
    criterion: Criterion,
    y_true: Any,
    y_pred: Any,
    *,
    sensitive_features: Any,
    sample_weight: Any,
    labels: Any,
    missing_group: str,
) -> ScoreTable:
    """Count the rows; warn about pairs of groups for which the criterion is undefined."""
    table = read_table(
        y_true,
        y_pred,
        sensitive_features,
        sample_weight=sample_weight,
        labels=labels,
        missing_group=missing_group,
    )
    require_labels(criterion, table)
    warn_undefined(criterion, table, stacklevel=4)
    return table


def pair_matrix(criterion: Criterion, table: ScoreTable) -> PairMatrix:
    """The disparities of all pairs of groups, of the worst part."""
    disparities = criterion.disparities(table)
    worst = np.argmax(np.nan_to_num(np.abs(disparities), nan=-1.0), axis=0)[None]
    disparity = np.take_along_axis(disparities, worst, axis=0)[0]
    probability = np.take_along_axis(criterion.probabilities(table), worst, axis=0)[0]
    return PairMatrix(table.groups, disparity, probability)
