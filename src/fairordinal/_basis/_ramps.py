r"""Ramps: linear functions of the features, clipped to [-1, 1].

A ramp is ``clip(x @ weights + offset, -1, 1)``. Its linear function is the logit of a logistic
regression, divided by `LIMIT`. There is one ramp for "the label is above l", for each label l
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

from fairordinal._support import advance, one_thread
from fairordinal._validation import Array, row_blocks

LIMIT = 1.5  # absolute logit at which ramps are clipped: probabilities of 0.18 and 0.82
STRENGTH = 0.1  # `C` of the logistic regressions
TOLERANCE, MAX_ITER = 1e-3, 100  # of the logistic regressions
MOST_BOUNDARIES = 12  # between labels that have ramps
BLOCK = 1 << 14  # rows that fit into the cache


class Ramps(NamedTuple):
    """Linear functions of features, clipped to [-1, 1]."""

    weights: Array  # (n_features, n_ramps)
    offsets: Array  # (n_ramps,)

    @property
    def n_ramps(self) -> int:
        return len(self.offsets)

    def values(self, X: Any) -> Array:
        """Value of each ramp for each row, (n_rows, n_ramps)."""
        found = np.empty((X.shape[0], self.n_ramps))
        for rows, linear in self.linear_parts(X):
            np.clip(linear, -1.0, 1.0, out=found[rows])
        return found

    def sums(self, X: Any, coef: Array) -> Array:
        """Sum of the ramps, each times a coefficient, for each row, (n_rows,)."""
        return self.reduced(X, lambda ramps: ramps @ coef)

    def reduced(self, X: Any, function: Callable[[Array], Array]) -> Array:
        """A function of the ramps of each row, (n_rows,); rows are taken in blocks."""
        found = np.empty(X.shape[0])
        for rows, linear in self.linear_parts(X):
            found[rows] = function(np.clip(linear, -1.0, 1.0))
        return found

    def linear_parts(self, X: Any) -> Iterator[tuple[slice, Array]]:
        """For each block of rows: the rows, and the linear functions before clipping."""
        for rows in row_blocks(X.shape[0], BLOCK):
            yield rows, np.asarray(X[rows] @ self.weights) + self.offsets


@one_thread
def fit_ramps(X: Any, targets: Sequence[Array], weight: Array) -> Ramps:
    """Fit ramps by logistic regressions, one for each binary target.

    The features should be standardised. The ramp of a target with one class is 1 or -1.
    """
    weights, offsets = zip(*(_logit(X, target, weight) for target in targets), strict=True)
    return Ramps(np.stack(weights, axis=1) / LIMIT, np.array(offsets) / LIMIT)


def _logit(X: Any, target: Array, weight: Array) -> tuple[Array, float]:
    """Coefficients and intercept of a logistic regression."""
    advance(note="ramps")
    if len(np.unique(target)) < 2:
        return np.zeros(X.shape[1]), LIMIT if target.all() else -LIMIT
    model = LogisticRegression(C=STRENGTH, tol=TOLERANCE, max_iter=MAX_ITER)
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
