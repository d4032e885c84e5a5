r"""What a score depends on: shares of its variance by column.

A score is a sum of contributions of columns, ``s(x) = const + Σ_j c_j(x)``:

* the linear part contributes ``coef_j x_j``;
* a ramp ``r(x) = clip(z(x), -1, 1)`` with ``z(x) = Σ_j w_j x_j + b`` contributes ``w_j (x_j - m_j)
  (r(x) - r(m)) / (z(x) - z(m))``, where m is the mean row: its rise from m to x is divided in
  proportion to the terms of z (integrated gradients);
* in a tree, each split on the path of a row contributes to its column the change of the mean leaf
  value from the split to the child.

The share of column j is ``cov(c_j, s) / var(s)``. Shares add up to 1. A negative one belongs to a
column that offsets others, as columns that make scores fairer often do.

References
----------
Saabas, "Interpreting random forests", 2014 (contributions along the path of a row). Sundararajan,
Taly, Yan, "Axiomatic attribution for deep networks", ICML 2017 (integrated gradients).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from fairordinal._basis import Score
from fairordinal._forest import Forest, Tree
from fairordinal._ramps import Ramps
from fairordinal._rows import Features
from fairordinal._validation import Array


def importances(score: Score, features: Features, weight: Array) -> Array:
    """Shares of the variance of a score, one for each column; nan if the score is constant."""
    X = features.X
    scores = score.feature(features).X[:, 0]
    apart = weight * (scores - np.average(scores, weights=weight))
    total = float(apart @ scores)
    if total <= 0.0:
        return np.full(len(score.coef), np.nan)
    shares = score.coef * np.asarray(X.T @ apart).ravel()
    if score.ramps is not None and score.ramp_coef is not None:
        shares = shares + _ramp_shares(score.ramps, score.ramp_coef, X, weight, apart)
    if score.forest is not None and score.values is not None:
        shares = shares + _tree_shares(score.forest, score.values, X, weight, apart)
    return np.asarray(shares / total)


def _ramp_shares(ramps: Ramps, coef: Array, X: Any, weight: Array, apart: Array) -> Array:
    """Sums over rows of contributions by ramps, times how far the score lies from its mean."""
    mean = np.asarray(X.T @ (weight / weight.sum())).ravel()
    (_, centre), *_ = ramps.uncut(mean[None])
    shares = np.zeros(X.shape[1])
    for rows, linear in ramps.uncut(X):
        step, rise = linear - centre, np.clip(linear, -1.0, 1.0) - np.clip(centre, -1.0, 1.0)
        slope = np.divide(rise, step, out=np.zeros_like(step), where=step != 0.0)
        pull = apart[rows, None] * slope * coef
        moved = np.asarray(X[rows].T @ pull) - np.outer(mean, pull.sum(axis=0))
        shares += (ramps.weights * moved).sum(axis=1)
    return shares


def _tree_shares(forest: Forest, values: Array, X: Any, weight: Array, apart: Array) -> Array:
    """Sums over rows of contributions by trees, times how far the score lies from its mean."""
    leaves, shares = forest.leaves(X), np.zeros(X.shape[1])
    for number, tree in enumerate(forest.trees):
        first = forest.first_leaves[number]
        own = leaves[:, number] - first
        rows, pull = (np.bincount(own, each, tree.n_leaves) for each in (weight, apart))
        leaf_values = values[first : first + tree.n_leaves]
        shares += pull @ _contributions(tree, leaf_values, rows, X.shape[1])
    return shares


def _contributions(tree: Tree, values: Array, rows: Array, n_columns: int) -> sparse.csr_array:
    """What each column contributes to the value of each leaf, (n_leaves, n_columns)."""
    paths = dict(tree.paths())
    weight, total = np.zeros((2, tree.n_splits))
    for leaf, above in paths.items():
        for split, _ in above:
            weight[split] += rows[leaf]
            total[split] += rows[leaf] * values[leaf]
    means = np.divide(total, weight, out=np.zeros(tree.n_splits), where=weight > 0)
    found = np.zeros((tree.n_leaves, n_columns))
    for leaf, above in paths.items():
        steps = [*(means[split] for split, _ in above), values[leaf]]
        for (split, _), step in zip(above, np.diff(steps), strict=True):
            found[leaf, tree.feature[split]] += step
    return sparse.csr_array(found)
