"""Bases of rankers: the columns, made from features, in which a ranker is linear.

Each basis has the columns of the previous one, and more:

* *linear*: the features;
* *piecewise*: ramps, linear functions of the features clipped to [-1, 1] (`_ramps`);
* *trees*: predictions of boosted trees, and indicators of the leaves of the first trees (1 if a row
  is in a leaf).

Some ramps and trees are fitted to predict the label, some to predict the group: rankers need the
latter to correct disparities. A ranker of the tree basis is a forest, whose leaf values are fitted
together, plus a piecewise linear part.

Ramps and trees overfit the rows that they are fitted to. For held-out scores, they are therefore
fitted again to the training rows of each fold (`Basis.refit`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, TypeVar
from weakref import WeakKeyDictionary

import numpy as np
from scipy import sparse

from fairordinal._basis._ramps import Ramps, boundaries, fit_ramps
from fairordinal._basis._score import Score
from fairordinal._forest import BoostedTrees, Boosting, Forest, binned, exact_values, grow
from fairordinal._rows import Block, Features, Rows, on_site
from fairordinal._validation import Array

LABEL_TREES = 120  # for 1000 rows; proportional to the square root of the number of rows
MOST_LABEL_TREES = 300
GROUP_TREES = 30  # for all groups together
TREES_WITH_COLUMNS = 30  # label trees whose leaves have columns; all group trees have them
ROUNDING = 1e-9  # relative error of ratios of weights that count as whole numbers
MOST_INT32_ENTRIES = (
    1 << 31
)  # entries of a sparse matrix up to which indices have 32 bits, to save memory

AnyRows = TypeVar("AnyRows", bound=Rows)
Fitted = TypeVar("Fitted")
FITTED: WeakKeyDictionary[Block, dict[Any, Any]] = WeakKeyDictionary()  # as long as blocks live


class Basis(ABC):
    """Columns made from the features of rows."""

    name: ClassVar[str]
    is_fixed: ClassVar[bool]  # whether the columns do not depend on the training rows
    has_leaves: ClassVar[bool] = False  # if so, the number of columns depends on the training rows

    @abstractmethod
    def refit(self, rows: Rows) -> Basis:
        """The basis fitted to other training rows."""

    @property
    @abstractmethod
    def n_columns(self) -> int:
        """Number of columns."""

    @abstractmethod
    def columns(self, given: Features) -> Features:
        """The columns of some rows."""

    def mapped(self, rows: AnyRows) -> AnyRows:
        """Rows with the columns of the basis as features."""
        return rows.mapped(self.columns, self.n_columns)

    @abstractmethod
    def score(self, coef: Array) -> Score:
        """The ranker with given coefficients of the columns, as a function of features."""


def remembered(block: Block, key: Any, fit: Callable[[], Fitted]) -> Fitted:
    """What is fitted to a block once, and then known by its key.

    The training rows of a fold are needed several times: to choose the penalty, for each basis with
    the same ramps, and whenever more rankers are cross-validated.
    """
    known = FITTED.setdefault(block, {})
    if key not in known:
        known[key] = fit()
    return known[key]


@dataclass(frozen=True, eq=False)
class Linear(Basis):
    """The standardised features."""

    scaling: Features

    name: ClassVar[str] = "linear"
    is_fixed: ClassVar[bool] = True

    def refit(self, rows: Rows) -> Basis:
        return self

    @property
    def n_columns(self) -> int:
        return self.scaling.n_features

    def columns(self, given: Features) -> Features:
        return given

    def mapped(self, rows: AnyRows) -> AnyRows:
        return rows

    def score(self, coef: Array) -> Score:
        raw = coef / self.scaling.spreads
        origin = np.zeros(len(raw)) + self.scaling.origin
        return Score(raw, origin, float(self.scaling.means @ raw))


@dataclass(frozen=True, eq=False)
class Piecewise(Basis):
    """The standardised features, and ramps."""

    scaling: Features
    one: float  # weight of one row
    boundaries: tuple[int, ...]  # labels l with a ramp for "above l"
    ramps: Ramps
    means: Array  # of the ramps
    spreads: Array  # of the ramps

    name: ClassVar[str] = "piecewise"
    is_fixed: ClassVar[bool] = False

    @classmethod
    def unfitted(cls, rows: Rows) -> Piecewise:
        """A basis without ramps: `refit` fits them."""
        totals = rows.totals.reshape(rows.n_groups, rows.n_labels).sum(axis=0)
        no_ramps = Ramps(np.zeros((rows.n_features, 0)), np.zeros(0))
        one = on_site(_one_row, [rows])
        return cls(rows.scaling, one, boundaries(totals), no_ramps, np.zeros(0), np.ones(0))

    def refit(self, rows: Rows) -> Piecewise:
        return on_site(_with_ramps, [rows], self)

    @property
    def n_columns(self) -> int:
        return self.scaling.n_features + self.ramps.n_ramps

    def columns(self, given: Features) -> Features:
        features = given.standardised(slice(None))
        ramps = (self.ramps.values(given.X) - self.means) / self.spreads
        if not sparse.issparse(features):
            return Features.plain(np.hstack([features, ramps]))
        return Features.plain(sparse.hstack([features, sparse.csr_array(ramps)], format="csr"))

    def score(self, coef: Array) -> Score:
        d = self.scaling.n_features
        linear, ramp_coef = Linear(self.scaling).score(coef[:d]), coef[d:] / self.spreads
        shift = linear.shift + float(self.means @ ramp_coef)
        return linear._replace(shift=shift, ramps=self.ramps, ramp_coef=ramp_coef)


@dataclass(frozen=True, eq=False)
class Trees(Basis):
    """The columns of the piecewise basis, predictions of boosted trees, and leaves of trees."""

    base: Piecewise
    boosters: tuple[BoostedTrees, ...]  # for each predicted group, and for the label
    means: Array  # of their predictions
    spreads: Array  # of their predictions

    name: ClassVar[str] = "trees"
    is_fixed: ClassVar[bool] = False
    has_leaves: ClassVar[bool] = True

    @classmethod
    def unfitted(cls, base: Piecewise) -> Trees:
        """A basis without trees: `refit` fits them."""
        return cls(base, (), np.zeros(0), np.ones(0))

    def refit(self, rows: Rows) -> Trees:
        return on_site(_with_trees, [rows], self.base)

    @cached_property
    def forest(self) -> Forest:
        return Forest(tuple(tree for part in self.boosters for tree in part.forest.trees))

    @property
    def n_trees_with_columns(self) -> int:
        """Number of trees whose leaves have columns: the first trees of the forest."""
        for_label = len(self.boosters[-1].forest.trees)
        return len(self.forest.trees) - max(for_label - TREES_WITH_COLUMNS, 0)

    @property
    def n_leaves(self) -> int:
        """Number of leaves that have columns."""
        return int(self.forest.first_leaves[self.n_trees_with_columns])

    @property
    def n_columns(self) -> int:
        return self.base.n_columns + len(self.boosters) + self.n_leaves

    def columns(self, given: Features) -> Features:
        features = self.base.columns(given).standardised(slice(None))
        predicted, leaves = self.predictions_and_leaves(given.X)
        predicted = (predicted - self.means) / self.spreads
        if not sparse.issparse(features):
            dense = np.hstack([features, predicted])
            return Features.plain(_with_indicators(dense, leaves, self.n_leaves))
        others = _with_indicators(predicted, leaves, self.n_leaves)
        return Features.plain(sparse.hstack([features, others], format="csr"))

    def predictions_and_leaves(self, X: Any) -> tuple[Array, Array]:
        """Predictions of the boosters, and the leaves of rows in trees that have columns."""
        predicted = np.zeros((X.shape[0], len(self.boosters)), order="F")
        leaves = np.empty((X.shape[0], self.n_trees_with_columns), dtype=np.int32, order="F")
        sizes = [len(booster.forest.trees) for booster in self.boosters]
        booster_of = np.repeat(np.arange(len(sizes)), sizes)
        values = np.concatenate([booster.values for booster in self.boosters])
        for rows, number, found in self.forest.walk(X):
            predicted[rows, booster_of[number]] += values[found]
            if number < self.n_trees_with_columns:
                leaves[rows, number] = found
        return predicted, leaves

    def score(self, coef: Array) -> Score:
        d, p = self.base.n_columns, len(self.boosters)
        base = self.base.score(coef[:d])
        if not self.forest.trees:
            return base
        weights = coef[d : d + p] / self.spreads
        parts = zip(self.boosters, weights, strict=True)
        values = np.concatenate([weight * booster.values for booster, weight in parts])
        values[: self.n_leaves] += coef[d + p :]
        values = exact_values(values, len(self.forest.trees))
        shift = base.shift + float(self.means @ weights)
        return base._replace(shift=shift, forest=self.forest, values=values)


def _with_indicators(dense: Array, leaves: Array, n_leaves: int) -> sparse.csr_array:
    """Columns, followed by indicators of leaves, as a sparse matrix.

    Each row has the same number of entries, so that the CSR arrays are written directly.
    """
    (n_rows, n_dense), n_trees = dense.shape, leaves.shape[1]
    values = np.ones((n_rows, n_dense + n_trees))
    columns = np.empty(values.shape, dtype=leaves.dtype)
    values[:, :n_dense], columns[:, :n_dense] = dense, np.arange(n_dense)
    np.add(leaves, n_dense, out=columns[:, n_dense:])
    ends = np.arange(
        n_rows + 1, dtype=columns.dtype if values.size < MOST_INT32_ENTRIES else np.int64
    )
    ends *= n_dense + n_trees
    shape = (n_rows, n_dense + n_leaves)
    return sparse.csr_array((values.ravel(), columns.ravel(), ends), shape)


def label_boosting(n_rows: float) -> Boosting:
    """Settings of the trees for labels, given the number of rows."""
    n_trees = int(LABEL_TREES * np.sqrt(n_rows / 1000))
    return Boosting(n_trees=min(max(n_trees, TREES_WITH_COLUMNS), MOST_LABEL_TREES))


def _one_row(block: Block) -> float:
    """Weight of one row for ramps and trees, in the unit of the weights given.

    If all weights are multiples of the smallest one, they are numbers of rows, and the smallest one
    is the weight of a row. Otherwise it is the mean weight.
    """
    weight = block.weight
    ratios = weight / weight.min()
    are_counts = np.abs(ratios - np.rint(ratios)) <= ROUNDING * ratios
    return float(weight.min() if are_counts.all() else weight.mean())


def _with_trees(block: Block, base: Piecewise) -> Trees:
    """Fit trees that predict the label, and trees that predict the group."""
    key = ("trees", base.one, base.boundaries)
    return remembered(block, key, lambda: _grow_trees(block, base))


def _grow_trees(whole: Block, base: Piecewise) -> Trees:
    block = whole.alone()
    X, weight, one = block.features.X, block.weight, base.one
    boosting = label_boosting(float(weight.sum()) / one)
    groups = _predicted_groups(block.n_groups)
    each = boosting._replace(n_trees=max(1, GROUP_TREES // len(groups)))
    data = binned(X, weight)
    for_label = grow(data, block.labels * 1.0, boosting, one=one)
    for_groups = [
        grow(data, (block.groups == group) * 1.0, each, one=one, binary=True) for group in groups
    ]
    none = np.zeros(len(groups) + 1)
    basis = Trees(base.refit(whole), (*for_groups, for_label), none, none + 1.0)
    means, spreads = _moments(basis.predictions_and_leaves(X)[0], weight)
    return replace(basis, means=means, spreads=spreads)


def _with_ramps(block: Block, basis: Piecewise) -> Piecewise:
    """Fit ramps for labels and for groups."""
    key = ("ramps", basis.one, basis.boundaries)
    return remembered(block, key, lambda: _fit_ramps(block.alone(), basis))


def _fit_ramps(block: Block, basis: Piecewise) -> Piecewise:
    X, weight = block.features.standardised(slice(None)), block.weight / basis.one
    fitted = fit_ramps(X, ramp_targets(block, basis.boundaries), weight)
    weights = fitted.weights / block.scaling.spreads[:, None]
    ramps = Ramps(weights, fitted.offsets - block.scaling.means @ weights)
    means, spreads = _moments(ramps.values(block.features.X), weight)
    return replace(basis, scaling=block.scaling, ramps=ramps, means=means, spreads=spreads)


def ramp_targets(block: Block, boundaries: tuple[int, ...]) -> list[Array]:
    """What ramps predict: whether the label is above each boundary, and the group."""
    targets = [block.labels > label for label in boundaries]
    return targets + [block.groups == group for group in _predicted_groups(block.n_groups)]


def _predicted_groups(n_groups: int) -> range:
    """Groups that ramps and trees predict; of two groups, one is enough."""
    return range(n_groups)[n_groups == 2 :]


def _moments(values: Array, weight: Array) -> tuple[Array, Array]:
    """Means and standard deviations of columns; constant columns get the deviation 1."""
    means = np.average(values, axis=0, weights=weight)
    spreads = np.sqrt(np.average((values - means) ** 2, axis=0, weights=weight))
    return means, np.where(spreads > 0, spreads, 1.0)
