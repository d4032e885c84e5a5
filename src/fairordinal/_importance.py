r"""What a score depends on: shares of its variance by column.

A score is a sum of contributions of columns, ``s(x) = const + Σ_j c_j(x)``. The linear part
contributes ``coef_j x_j``. In a tree, each split on the path of a row contributes to its column the
change of the mean leaf value from the split to the child. The share of column j is
``cov(c_j, s) / var(s)``. Shares add up to 1. A negative one belongs to a column that offsets
others, as columns that make scores fairer often do.

References
----------
Saabas, "Interpreting random forests", 2014 (contributions along the path of a row).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from fairordinal._basis import Score
from fairordinal._forest import Forest, Tree
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
    if score.forest is not None and score.values is not None:
        shares = shares + _tree_shares(score.forest, score.values, X, weight, apart)
    return np.asarray(shares / total)


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
