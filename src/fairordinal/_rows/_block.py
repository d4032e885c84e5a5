"""Rows to learn from: the interface `Rows`, and rows in memory, `Block`.

A row has features x_i, a cell u = (group, true label) and a weight w_i. A *pass* over rows calls a
function of a block of rows, which returns a small table, and adds up the tables of all blocks. Code
that uses passes only works for rows in memory and for rows in blocks of Dask alike.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self, TypeVar

import numpy as np
from scipy import sparse

from fairordinal._rows._features import Features
from fairordinal._rows._folds import fold_numbers, sample_positions
from fairordinal._validation import Array

Part = TypeVar("Part")


class Rows(ABC):
    """Rows with features, in cells (group, label); cell ``g * n_labels + y`` in arrays."""

    n_groups: int
    n_labels: int
    one: float  # weight of one row, as in `Weight`

    @property
    def n_cells(self) -> int:
        return self.n_groups * self.n_labels

    @property
    @abstractmethod
    def n_rows(self) -> int:
        """Number of rows."""

    @property
    @abstractmethod
    def scaling(self) -> Features:
        """Means and spreads of the features, without the features themselves."""

    @property
    def n_features(self) -> int:
        return len(self.scaling.means)

    @cached_property
    def totals(self) -> Array:
        """Weight of the rows of each cell, (n_cells,)."""
        return self.sum(_totals)

    @abstractmethod
    def reduce(
        self, work: Callable[..., Part], add: Callable[[Sequence[Part]], Part], *arguments: Any
    ) -> Part:
        """One pass: ``work(block, *arguments)`` for every block, added up by `add`."""

    def sum(self, work: Callable[..., Array], *arguments: Any) -> Array:
        """One pass that adds up arrays of one shape."""
        return self.reduce(work, add_arrays, *arguments)

    def workers(self, n_jobs: int | None) -> dict[str, Any]:
        """Options of joblib's Parallel for work on several parts of the rows at once."""
        return {"n_jobs": n_jobs, "max_nbytes": None}

    @abstractmethod
    def whole(self) -> Block:
        """All rows in memory, for algorithms that are not passes; an error for rows of Dask."""

    @abstractmethod
    def stratified(self, n_folds: int, seed: int) -> list[tuple[Rows, Rows]]:
        """Pairs of training rows and held-out rows, stratified by cell."""

    @abstractmethod
    def mapped(self, work: Callable[[Features], Features], n_features: int) -> Self:
        """Rows whose features are ``work(features)``, with `n_features` columns."""

    @abstractmethod
    def sample(self, most: int) -> Rows:
        """A pseudo-random sample of about `most` rows; all rows if there are no more than that."""


def add_arrays(parts: Sequence[Array]) -> Array:
    """Sum of arrays of one shape."""
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total


def _totals(block: Block) -> Array:
    return np.bincount(block.cells, block.weight, block.n_cells)


@dataclass(frozen=True, eq=False)
class Block(Rows):
    """Rows in memory. Subsets of a block share its features: `take` does not copy them."""

    features: Features
    cells: Array  # group * n_labels + label
    weight: Array
    n_groups: int
    n_labels: int
    positions: Array | None = None  # of the rows in `features`; None if the block has all of them
    one: float = 1.0  # weight of one row
    row_numbers: Array | None = None  # in the user's data, if rows without weight were dropped
    _last_scores: dict[bytes, Array] = field(default_factory=dict, repr=False)

    @classmethod
    def of(
        cls,
        features: Features,
        groups: Array,
        labels: Array,
        n_groups: int,
        n_labels: int,
        *,
        weight: Array | None = None,
        one: float = 1.0,
        row_numbers: Array | None = None,
    ) -> Block:
        """Make a block from codes of groups and labels."""
        weight = np.ones(len(labels)) if weight is None else weight
        cells = groups * n_labels + labels
        shape = (int(n_groups), int(n_labels))
        return cls(features, cells, weight, *shape, one=one, row_numbers=row_numbers)

    @property
    def n_rows(self) -> int:
        return len(self.cells)

    @property
    def groups(self) -> Array:
        return self.cells // self.n_labels

    @property
    def labels(self) -> Array:
        return self.cells % self.n_labels

    @cached_property
    def scaling(self) -> Features:
        return self.features._replace(X=None)

    def reduce(
        self, work: Callable[..., Part], add: Callable[[Sequence[Part]], Part], *arguments: Any
    ) -> Part:
        return work(self, *arguments)

    def whole(self) -> Block:
        return self

    def take(self, at: Array) -> Block:
        """The rows at some positions."""
        return replace(
            self,
            cells=self.cells[at],
            weight=self.weight[at],
            positions=at if self.positions is None else self.positions[at],
            row_numbers=None if self.row_numbers is None else self.row_numbers[at],
            _last_scores={},
        )

    def stratified(self, n_folds: int, seed: int) -> list[tuple[Rows, Rows]]:
        fold = fold_numbers(self.cells, n_folds, seed)
        return [
            (self.take(np.flatnonzero(fold != f)), self.take(np.flatnonzero(fold == f)))
            for f in range(n_folds)
        ]

    def sample(self, most: int) -> Rows:
        at = sample_positions(0, self.n_rows, self.n_rows, most)
        return self if len(at) == self.n_rows else self.take(at).alone()

    def mapped(self, work: Callable[[Features], Features], n_features: int) -> Self:
        own = self.alone()
        return replace(own, features=work(own.features), _last_scores={})

    def alone(self) -> Self:
        """Copy the features of these rows, so that those of other rows can be freed."""
        if self.positions is None:
            return self
        features = self.features._replace(X=self.features.X[self.positions])
        return replace(self, features=features, positions=None, _last_scores={})

    def scores(self, coef: Array) -> Array:
        """Scores of the rows; those of the last coefficients are cached."""
        key = coef.tobytes()
        scores = self._last_scores.get(key)
        if scores is None:
            scores = self.features.times(coef)
            scores = scores if self.positions is None else scores[self.positions]
            self._last_scores.clear()
            self._last_scores[key] = scores
        return scores

    def weighted_sum(self, values: Array) -> Array:
        """``Σ_i value_i x_i``, (n_features,)."""
        return self.features.transposed_times(self._among_all(values))

    def sums_by_cell(self) -> Array:
        """``Σ_{i in u} w_i x_i`` for each cell u, (n_cells, n_features)."""
        positions = np.arange(self.n_rows) if self.positions is None else self.positions
        shape = (self.n_cells, self.features.n_rows)
        return self.features.sums(sparse.csr_array((self.weight, (self.cells, positions)), shape))

    def gram(self, values: Array) -> Array:
        """``Σ_i value_i x_i x_i'``, (n_features, n_features)."""
        return self.features.gram(self._among_all(values))

    def squares(self, values: Array) -> Array:
        """The diagonal of ``Σ_i value_i x_i x_i'``, (n_features,)."""
        return self.features.squares(self._among_all(values))

    def _among_all(self, values: Array) -> Array:
        """Values for all rows of `features`: 0 for rows that are not in this block."""
        if self.positions is None:
            return values
        return np.bincount(self.positions, values, self.features.n_rows)

    def __sizeof__(self) -> int:
        """Size in bytes, reported to Dask so that the scheduler prefers locality."""
        X = self.features.X
        held = X.data.nbytes if sparse.issparse(X) else getattr(X, "nbytes", 0)
        return int(held + self.cells.nbytes + self.weight.nbytes)

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_last_scores": {}}

    def __setstate__(self, state: dict[str, Any]) -> None:
        features = state["features"]
        features = features._replace(X=native(features.X))
        columns = {name: native(state[name]) for name in ("cells", "weight", "positions")}
        self.__dict__.update(state | columns | {"features": features})


def native(values: Any) -> Any:
    """Turn an array that came from another process into one that NumPy handles fast.

    Such arrays may be unaligned, and their dtype may be equal to NumPy's own without being the same
    object. Linear algebra would then copy them at each call, and ``ufunc.at`` would be thirty times
    slower.
    """
    if values is None or sparse.issparse(values):
        return values
    return np.require(values, values.dtype.type, "A")
