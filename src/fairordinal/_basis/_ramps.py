r"""Ramps: logits of logistic regressions, clipped to [-1, 1].

A ramp is ``clip(x @ weights + offset, -1, 1)``. The function inside is the logit of a logistic
regression, divided by the logit at which it is clipped. It is linear, or trees add the values of
their leaves to it (`_leaf_ramps`). There is one ramp for "the label is above l", for each label l
except the highest (at most 12), and one for each group (a single one if there are two groups). Far
from the boundary between two labels, the ramp of that boundary is constant. A ranker with ramps as
columns can therefore trade accuracy for fairness at a different rate at each boundary; a linear
ranker has the same rate everywhere.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from fairordinal._forest import Forest
from fairordinal._support import advance, one_thread
from fairordinal._validation import Array, row_blocks

LIMIT = 1.5  # absolute logit at which ramps are clipped: probabilities of 0.18 and 0.82
STRENGTH = 0.1  # `C` of the logistic regressions
TOLERANCE, MAX_ITER = 1e-3, 100  # of the logistic regressions
MOST_BOUNDARIES = 12  # between labels that have ramps
BLOCK = 1 << 14  # rows that fit into the cache


class Ramps(NamedTuple):
    """Linear functions of features, plus leaves of trees if there are any, clipped to [-1, 1]."""

    weights: Array  # (n_features, n_ramps)
    offsets: Array  # (n_ramps,)
    forest: Forest | None = None
    leaf_values: Array | None = None  # (n_leaves, n_ramps)

    @property
    def n_ramps(self) -> int:
        return len(self.offsets)

    def values(self, X: Any) -> Array:
        """Value of each ramp for each row, (n_rows, n_ramps)."""
        found = np.empty((X.shape[0], self.n_ramps))
        for rows, logits in self.logits(X):
            np.clip(logits, -1.0, 1.0, out=found[rows])
        return found

    def sums(self, X: Any, coef: Array) -> Array:
        """Sum of the ramps, each times a coefficient, for each row, (n_rows,)."""
        return self.reduced(X, lambda ramps: ramps @ coef)

    def reduced(self, X: Any, function: Callable[[Array], Array]) -> Array:
        """A function of the ramps of each row, (n_rows,); rows are taken in blocks."""
        found = np.empty(X.shape[0])
        for rows, logits in self.logits(X):
            found[rows] = function(np.clip(logits, -1.0, 1.0))
        return found

    def logits(self, X: Any) -> Iterator[tuple[slice, Array]]:
        """For each block of rows: the rows, and the values before clipping."""
        for rows in row_blocks(X.shape[0], BLOCK):
            found = np.asarray(X[rows] @ self.weights) + self.offsets
            if self.forest is not None and self.leaf_values is not None:
                found += self.forest.sums(X[rows], self.leaf_values)
            yield rows, found


@one_thread
def fit_ramps(
    X: Any,
    targets: Sequence[Array],
    weight: Array,
    *,
    strength: float = STRENGTH,
    limit: float = LIMIT,
) -> Ramps:
    """Fit ramps by logistic regressions, one for each binary target.

    The features should be standardised. The ramp of a target with one class is 1 or -1. `limit` is
    the absolute logit at which ramps are clipped.
    """
    fitted = (_logit(X, target, weight, strength) for target in targets)
    weights, offsets = zip(*fitted, strict=True)
    # ±inf, if there is one class, becomes ±limit
    whole = np.where(np.isinf(offsets), np.copysign(limit, offsets), offsets)
    return Ramps(np.stack(weights, axis=1) / limit, whole / limit)


def _logit(X: Any, target: Array, weight: Array, strength: float) -> tuple[Array, float]:
    """Coefficients and intercept of a logistic regression; inf or -inf if there is one class."""
    advance(note="ramps")
    if len(np.unique(target)) < 2:
        return np.zeros(X.shape[1]), np.inf if target.all() else -np.inf
    model = LogisticRegression(C=strength, tol=TOLERANCE, max_iter=MAX_ITER)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # an approximate direction is enough
        model.fit(X, target, sample_weight=weight)
    return model.coef_[0], float(model.intercept_[0])


def boundaries(totals: Array) -> tuple[int, ...]:
    """Labels l with a ramp for "above l", given the weight of each label.

    If there are more than `MOST_BOUNDARIES`, those are taken that divide the rows most evenly.
    """
    if len(totals) - 1 <= MOST_BOUNDARIES:
        return tuple(range(len(totals) - 1))
    below = np.cumsum(totals)[:-1] / totals.sum()
    shares = np.arange(1, MOST_BOUNDARIES + 1) / (MOST_BOUNDARIES + 1)
    nearest = np.abs(below - shares[:, None]).argmin(axis=1)
    return tuple(np.unique(nearest).tolist())
