r"""The score of a ranker as a function of features, and the importances of columns for it.

The importance of a column is its share of the variance of the score. A score is a sum of
contributions of columns, ``s(x) = const + Σ_j c_j(x)``:

* the linear part contributes ``coef_j x_j``;
* a ramp ``r(x) = clip(z(x), -1, 1)`` with ``z(x) = Σ_j z_j(x) + b`` contributes ``(z_j(x) - m_j)
  (r(x) - clip(m, -1, 1)) / (z(x) - m)``, where m_j and m are the means of z_j and z: the change of
  r is divided in proportion to the changes of the terms of z (integrated gradients); z_j is ``w_j
  x_j``, plus the contributions of trees;
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

    ``(X - origin) @ coef``, plus ramps, plus leaves, plus the score of a plug-in rule of the ramps.
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
        if self.ramps is not None and self.ramp_coef is not None and self.ramp_coef.any():
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
            has_trees = self.ramps is not None and self.ramps.forest is not None
            return "plug-in-trees" if has_trees else "plug-in"
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
        of_leaves = score.values[:, None], centred[:, None]
        shares = shares + _tree_shares(score.forest, *of_leaves, X, weight)
    return np.asarray(shares / total)


def _ramp_shares(ramps: Ramps, coef: Array, X: Any, weight: Array, centred: Array) -> Array:
    """``Σ_i w_i (s_i - mean) c_j(x_i)`` for the contributions of ramps, (n_columns,)."""
    logits = np.concatenate([part for _, part in ramps.logits(X)])
    centre, mean = (weight @ each / weight.sum() for each in (logits, X))
    step, rise = logits - centre, np.clip(logits, -1.0, 1.0) - np.clip(centre, -1.0, 1.0)
    slope = np.divide(rise, step, out=np.zeros_like(step), where=step != 0.0)
    factor = centred[:, None] * slope * coef
    moved = np.asarray(X.T @ factor) - np.outer(mean, factor.sum(axis=0))  # Σ f (x - mean)
    shares = (ramps.weights * moved).sum(axis=1)
    if ramps.forest is None or ramps.leaf_values is None:
        return np.asarray(shares)
    return np.asarray(shares + _tree_shares(ramps.forest, ramps.leaf_values, factor, X, weight))


def _slopes(ramps: Array, scores: Array, weight: Array) -> Array:
    """Coefficients of the linear function of ramps that is nearest to some scores."""
    centred = [values - np.average(values, axis=0, weights=weight) for values in (ramps, scores)]
    by_row = np.sqrt(weight)
    ramps, scores = by_row[:, None] * centred[0], by_row * centred[1]
    return np.asarray(np.linalg.lstsq(ramps, scores, rcond=None)[0])


def _tree_shares(forest: Forest, values: Array, factor: Array, X: Any, weight: Array) -> Array:
    """``Σ_ir factor_ir c_jr(x_i)`` for the contributions of trees to sums r, (n_columns,).

    `values` has a column for each sum r, and so has `factor`.
    """
    leaves, shares = forest.leaves(X), np.zeros(X.shape[1])
    for number, tree in enumerate(forest.trees):
        first = forest.first_leaves[number]
        member = sparse.csr_array(
            (np.ones(len(leaves)), (leaves[:, number] - first, np.arange(len(leaves)))),
            (tree.n_leaves, len(leaves)),
        )
        of_tree = values[first : first + tree.n_leaves]
        _add_contributions(shares, tree, of_tree, member @ factor, member @ weight)
    return shares


def _add_contributions(
    shares: Array, tree: Tree, values: Array, factor: Array, rows: Array
) -> None:
    """Add the contributions of each leaf, times its factors, to those of the columns.

    `rows` is the weight of the rows in each leaf. The mean leaf value of a split is over the rows
    below it.
    """
    paths = dict(tree.paths())
    weight, total = np.zeros((tree.n_splits, 1)), np.zeros((tree.n_splits, values.shape[1]))
    for leaf, above in paths.items():
        for split, _ in above:
            weight[split] += rows[leaf]
            total[split] += rows[leaf] * values[leaf]
    means = np.divide(total, weight, out=np.zeros_like(total), where=weight > 0)
    for leaf, above in paths.items():
        splits = [split for split, _ in above]
        steps = np.diff(np.concatenate([means[splits], values[leaf][None]]), axis=0)
        np.add.at(shares, tree.feature[splits], steps @ factor[leaf])
