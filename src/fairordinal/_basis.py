"""Bases of rankers: from the features given to the columns that a ranker weighs.

A ranker is linear in its columns and does not know where they come from. Each basis has the columns
of the one before, and more:

* *linear*: the features;
* *piecewise*: ramps, linear functions of the features that are cut off at both ends (`_ramps`);
* *trees*: what boosted trees predict, and the leaves of the first trees (1 where a row falls into a
  leaf).

Some ramps and trees are learned to predict the label, some to predict the group: the latter are
what disparities can be corrected by. A ranker of the tree basis is a forest, whose leaf values were
learned together, with a piecewise linear part.

Ramps and trees fit the rows that they were learned from too well. For held-out scores, they are
therefore learned again from the training rows of each fold (`Basis.again`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, TypeVar

import numpy as np
from scipy import sparse

from fairordinal._forest import Forest, Grown, Growth, exact_values, grow
from fairordinal._ramps import Ramps, boundaries, fit_ramps
from fairordinal._rows import Block, Features, Rows, linear_scores, on_site
from fairordinal._validation import Array

LABEL_TREES = 120  # for 1000 rows; more for more rows, by the square root
MOST_LABEL_TREES = 300
GROUP_TREES = 30  # for all groups together
OWN_COLUMNS = 30  # trees for labels whose leaves have columns; those of all group trees have them
ROUNDING = 1e-9  # of ratios of weights
MOST_SHORT = 1 << 31  # entries of a matrix that 32 bits can number; it takes less memory

AnyRows = TypeVar("AnyRows", bound=Rows)


class Score(NamedTuple):
    """A ranker as a function of features: ``(X - origin) @ coef``, plus ramps, plus leaves."""

    coef: Array
    origin: Array
    shift: float  # of these scores against those of the ranker
    forest: Forest | None = None
    values: Array | None = None  # of the leaves
    ramps: Ramps | None = None
    ramp_coef: Array | None = None

    def __call__(self, X: Any) -> Array:
        score = linear_scores(X, self.coef, self.origin)
        if self.forest is None and self.ramps is None:
            return score
        X = X - self.origin if self.origin.any() else X
        if self.ramps is not None and self.ramp_coef is not None:
            score = score + self.ramps.sums(X, self.ramp_coef)
        if self.forest is not None and self.values is not None:
            score = score + self.forest.sums(X, self.values)
        return score

    @property
    def basis(self) -> str:
        """The name of the smallest basis that has it."""
        if self.forest is not None:
            return "trees"
        return "linear" if self.ramps is None else "piecewise"

    def feature(self, given: Features) -> Features:
        """The score as the only feature, on the scale of the ranker's own scores."""
        origin = np.zeros(len(self.coef))  # given features are counted from it already
        scores = self._replace(origin=origin)(given.X) - self.shift
        return Features.plain(scores[:, None])


class Basis(ABC):
    """Columns made of the features of rows."""

    name: ClassVar[str]
    is_fixed: ClassVar[bool]  # whether the columns do not depend on the training rows
    has_leaves: ClassVar[bool] = False  # columns of other training rows then differ in number

    @abstractmethod
    def again(self, rows: Rows) -> Basis:
        """The basis that other training rows lead to."""

    @property
    @abstractmethod
    def n_columns(self) -> int:
        """How many columns there are."""

    @abstractmethod
    def columns(self, given: Features) -> Features:
        """The columns of some rows."""

    def mapped(self, rows: AnyRows) -> AnyRows:
        """Rows with the columns of the basis as features."""
        return rows.mapped(self.columns, self.n_columns)

    @abstractmethod
    def score(self, coef: Array) -> Score:
        """A ranker, given the coefficients of the columns."""


@dataclass(frozen=True, eq=False)
class Linear(Basis):
    """The features, standardised."""

    scaling: Features

    name: ClassVar[str] = "linear"
    is_fixed: ClassVar[bool] = True

    def again(self, rows: Rows) -> Basis:
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
    """The features, and ramps."""

    scaling: Features
    one: float  # weight of one row
    boundaries: tuple[int, ...]  # labels l with a ramp for "above l"
    ramps: Ramps
    means: Array  # of the ramps
    spreads: Array

    name: ClassVar[str] = "piecewise"
    is_fixed: ClassVar[bool] = False

    @classmethod
    def none(cls, rows: Rows) -> Piecewise:
        """No ramps yet: `again` learns them."""
        totals = rows.totals.reshape(rows.n_groups, rows.n_labels).sum(axis=0)
        no_ramps = Ramps(np.zeros((rows.n_features, 0)), np.zeros(0))
        one = on_site(_one_row, [rows])
        return cls(rows.scaling, one, boundaries(totals), no_ramps, np.zeros(0), np.ones(0))

    def again(self, rows: Rows) -> Piecewise:
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
    """The columns of the piecewise basis, what boosted trees predict, and their leaves."""

    base: Piecewise
    boosters: tuple[Grown, ...]  # of groups, and of the label
    means: Array  # of their predictions
    spreads: Array

    name: ClassVar[str] = "trees"
    is_fixed: ClassVar[bool] = False
    has_leaves: ClassVar[bool] = True

    @classmethod
    def none(cls, base: Piecewise) -> Trees:
        """No trees yet: `again` grows them."""
        return cls(base, (), np.zeros(0), np.ones(0))

    def again(self, rows: Rows) -> Basis:
        return on_site(_grown, [rows], self.base)

    @cached_property
    def forest(self) -> Forest:
        return Forest(tuple(tree for part in self.boosters for tree in part.forest.trees))

    @property
    def n_own(self) -> int:
        """How many trees, the first ones, have leaves with columns of their own."""
        for_label = len(self.boosters[-1].forest.trees)
        return len(self.forest.trees) - max(for_label - OWN_COLUMNS, 0)

    @property
    def n_leaves(self) -> int:
        """How many leaves have columns."""
        return int(self.forest.first_leaves[self.n_own])

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
        """What boosters predict, and the leaves that have columns; trees are walked once."""
        predicted = np.zeros((X.shape[0], len(self.boosters)), order="F")
        leaves = np.empty((X.shape[0], self.n_own), dtype=np.int32, order="F")
        sizes = [len(booster.forest.trees) for booster in self.boosters]
        booster_of = np.repeat(np.arange(len(sizes)), sizes)
        values = np.concatenate([booster.values for booster in self.boosters])
        for rows, number, found in self.forest.walk(X):
            predicted[rows, booster_of[number]] += values[found]
            if number < self.n_own:
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
    """Columns, followed by 1 for each leaf that a row falls into."""
    (n_rows, n_dense), n_trees = dense.shape, leaves.shape[1]
    values = np.ones((n_rows, n_dense + n_trees))
    columns = np.empty(values.shape, dtype=leaves.dtype)
    values[:, :n_dense], columns[:, :n_dense] = dense, np.arange(n_dense)
    np.add(leaves, n_dense, out=columns[:, n_dense:])
    ends = np.arange(n_rows + 1, dtype=columns.dtype if values.size < MOST_SHORT else np.int64)
    ends *= n_dense + n_trees
    shape = (n_rows, n_dense + n_leaves)
    return sparse.csr_array((values.ravel(), columns.ravel(), ends), shape)


def label_growth(n_rows: float) -> Growth:
    """How trees for labels are grown on so many rows."""
    n_trees = int(LABEL_TREES * np.sqrt(n_rows / 1000))
    return Growth(n_trees=min(max(n_trees, OWN_COLUMNS), MOST_LABEL_TREES))


def _one_row(block: Block) -> float:
    """The weight of one row, by which ramps and trees count rows; it follows the unit of weights.

    Weights that are multiples of the smallest one are numbers of rows; otherwise rows count alike.
    """
    weight = block.weight
    ratios = weight / weight.min()
    are_counts = np.abs(ratios - np.rint(ratios)) <= ROUNDING * ratios
    return float(weight.min() if are_counts.all() else weight.mean())


def _grown(block: Block, base: Piecewise) -> Trees:
    """Trees that predict the label, and trees that predict the group."""
    block = block.alone()
    X, weight, one = block.features.X, block.weight, base.one
    growth = label_growth(float(weight.sum()) / one)
    groups = _told_apart(block.n_groups)
    each = growth._replace(n_trees=max(1, GROUP_TREES // len(groups)))
    for_label = grow(X, block.labels * 1.0, weight, growth, one=one)
    for_groups = [
        grow(X, (block.groups == group) * 1.0, weight, each, one=one, binary=True)
        for group in groups
    ]
    none = np.zeros(len(groups) + 1)
    basis = Trees(base.again(block), (*for_groups, for_label), none, none + 1.0)
    means, spreads = _moments(basis.predictions_and_leaves(X)[0], weight)
    return replace(basis, means=means, spreads=spreads)


def _with_ramps(block: Block, basis: Piecewise) -> Piecewise:
    """Ramps for labels and for groups, learned from some rows."""
    block = block.alone()
    X, weight = block.features.standardised(slice(None)), block.weight / basis.one
    targets = [block.labels > label for label in basis.boundaries]
    targets += [block.groups == group for group in _told_apart(block.n_groups)]
    fitted = fit_ramps(X, targets, weight)
    weights = fitted.weights / block.scaling.spreads[:, None]
    ramps = Ramps(weights, fitted.offsets - block.scaling.means @ weights)
    means, spreads = _moments(ramps.values(block.features.X), weight)
    return replace(basis, scaling=block.scaling, ramps=ramps, means=means, spreads=spreads)


def _told_apart(n_groups: int) -> range:
    """Groups that are predicted; one of two tells both."""
    return range(n_groups)[n_groups == 2 :]


def _moments(values: Array, weight: Array) -> tuple[Array, Array]:
    """Means and standard deviations of columns; 1 for a constant one."""
    means = np.average(values, axis=0, weights=weight)
    spreads = np.sqrt(np.average((values - means) ** 2, axis=0, weights=weight))
    return means, np.where(spreads > 0, spreads, 1.0)
