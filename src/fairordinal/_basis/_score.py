r"""The score of a ranker as a function of features, and the importances of columns for it.

The importance of a column is its share of the variance of the score. A score is a sum of
contributions of columns, ``s(x) = const + Σ_j c_j(x)``:

* the linear part contributes ``coef_j x_j``;
* a ramp ``r(x) = clip(z(x), -1, 1)`` with ``z(x) = Σ_j w_j x_j + b`` contributes ``w_j (x_j - m_j)
  (r(x) - r(m)) / (z(x) - z(m))``, where m is the mean row: the change of r from m to x is divided
  in proportion to the terms of z (integrated gradients);
* a plug-in rule is replaced by the linear function of its ramps that is nearest to its scores, and
  the shares are those of this function, divided by their sum;
* in a tree, each split on the path of a row contributes, to its column, the change of the mean leaf
  value from the split to the child.

The share of column j is ``cov(c_j, s) / var(s)``. Shares sum to 1. A negative share means that the
column offsets other columns, as columns that make scores fairer often do.

References
----------
Saabas, "Interpreting random forests", 2014 (contributions along the path of a row). Sundararajan,
Taly, Yan, "Axiomatic attribution for deep networks", ICML 2017 (integrated gradients).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from fairordinal._basis._ramps import Ramps
from fairordinal._forest import Forest, Tree
from fairordinal._label_costs import LabelCosts
from fairordinal._rows import Features, linear_scores
from fairordinal._validation import Array


class Score(NamedTuple):
    """A ranker as a function of features.

    ``(X - origin) @ coef``, plus ramps, plus leaves, plus the score of a plug-in rule.
    """

    coef: Array
    origin: Array
    shift: float  # these scores less those of the ranker, whose columns are centred
    forest: Forest | None = None
    values: Array | None = None  # of the leaves
    ramps: Ramps | None = None
    ramp_coef: Array | None = None
    rule: LabelCosts | None = None

    def __call__(self, X: Any) -> Array:
        """Scores of rows, (n_rows,)."""
        score = linear_scores(X, self.coef, self.origin)
        if self.forest is None and self.ramps is None:
            return score
        X = X - self.origin if self.origin.any() else X
        if self.ramps is not None and self.ramp_coef is not None:
            score = score + self.ramps.sums(X, self.ramp_coef)
        if self.ramps is not None and self.rule is not None:
            score = score + self.ramps.reduced(X, self.rule.scores)
        if self.forest is not None and self.values is not None:
            score = score + self.forest.sums(X, self.values)
        return score

    @property
    def basis(self) -> str:
        """Name of the smallest basis that contains this score."""
        if self.rule is not None:
            return "plug-in"
        if self.forest is not None:
            return "trees"
        return "linear" if self.ramps is None else "piecewise"

    def feature(self, given: Features) -> Features:
        """The score as the only feature, on the scale of the ranker's own scores."""
        origin = np.zeros(len(self.coef))  # X of `Features` has its origin subtracted already
        scores = self._replace(origin=origin)(given.X) - self.shift
        return Features.plain(scores[:, None])


# Importances


def importances(score: Score, features: Features, weight: Array) -> Array:
    """Share of each column in the variance of a score, (n_columns,); nan for a constant score."""
    X = features.X
    scores = score.feature(features).X[:, 0]
    centred = weight * (scores - np.average(scores, weights=weight))
    total = float(centred @ scores)
    if total <= 0.0:
        return np.full(len(score.coef), np.nan)
    if score.ramps is not None and score.rule is not None:
        coef = _slopes(score.ramps.values(X), scores, weight)
        shares = _ramp_shares(score.ramps, coef, X, weight, centred)
        return np.asarray(shares / (shares.sum() or np.nan))
    shares = score.coef * np.asarray(X.T @ centred).ravel()
    if score.ramps is not None and score.ramp_coef is not None:
        shares = shares + _ramp_shares(score.ramps, score.ramp_coef, X, weight, centred)
    if score.forest is not None and score.values is not None:
        shares = shares + _tree_shares(score.forest, score.values, X, weight, centred)
    return np.asarray(shares / total)


def _ramp_shares(ramps: Ramps, coef: Array, X: Any, weight: Array, centred: Array) -> Array:
    """``Σ_i w_i (s_i - mean) c_j(x_i)`` for the contributions of ramps, (n_columns,)."""
    mean = np.asarray(X.T @ (weight / weight.sum())).ravel()
    (_, centre), *_ = ramps.linear_parts(mean[None])
    shares = np.zeros(X.shape[1])
    for rows, linear in ramps.linear_parts(X):
        step, rise = linear - centre, np.clip(linear, -1.0, 1.0) - np.clip(centre, -1.0, 1.0)
        slope = np.divide(rise, step, out=np.zeros_like(step), where=step != 0.0)
        factor = centred[rows, None] * slope * coef
        moved = np.asarray(X[rows].T @ factor) - np.outer(mean, factor.sum(axis=0))  # Σ f (x - m)
        shares += (ramps.weights * moved).sum(axis=1)
    return shares


def _slopes(ramps: Array, scores: Array, weight: Array) -> Array:
    """Coefficients of the linear function of ramps that is nearest to some scores."""
    centred = [values - np.average(values, axis=0, weights=weight) for values in (ramps, scores)]
    by_row = np.sqrt(weight)
    ramps, scores = by_row[:, None] * centred[0], by_row * centred[1]
    return np.asarray(np.linalg.lstsq(ramps, scores, rcond=None)[0])


def _tree_shares(forest: Forest, values: Array, X: Any, weight: Array, centred: Array) -> Array:
    """``Σ_i w_i (s_i - mean) c_j(x_i)`` for the contributions of trees, (n_columns,)."""
    leaves, shares = forest.leaves(X), np.zeros(X.shape[1])
    for number, tree in enumerate(forest.trees):
        first = forest.first_leaves[number]
        leaf = leaves[:, number] - first
        rows, factor = (np.bincount(leaf, each, tree.n_leaves) for each in (weight, centred))
        leaf_values = values[first : first + tree.n_leaves]
        shares += factor @ _contributions(tree, leaf_values, rows, X.shape[1])
    return shares


def _contributions(tree: Tree, values: Array, rows: Array, n_columns: int) -> sparse.csr_array:
    """Contribution of each column to the value of each leaf, (n_leaves, n_columns).

    `rows` is the weight of the rows in each leaf. The mean leaf value of a split is over the rows
    below it.
    """
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
