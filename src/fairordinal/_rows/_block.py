"""Rows in memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from scipy import sparse

from fairordinal._rows._features import Features
from fairordinal._rows._folds import fold_numbers, spaced
from fairordinal._rows._rows import Part, Rows
from fairordinal._validation import Array


@dataclass(frozen=True, eq=False)
class Block(Rows):
    """Rows with codes of their cells. Parts of them share the features: none are copied."""

    features: Features
    cells: Array  # group * n_labels + label
    weight: Array
    n_groups: int
    n_labels: int
    places: Array | None = None  # among the rows of `features`, if not all of them are taken
    one: float = 1.0  # weight of one row
    numbers: Array | None = None  # among the rows given, where some of those have no weight
    _known: dict[bytes, Array] = field(default_factory=dict, repr=False)

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
        numbers: Array | None = None,
    ) -> Block:
        """Rows with codes of groups and labels."""
        weight = np.ones(len(labels)) if weight is None else weight
        cells = groups * n_labels + labels
        shape = (int(n_groups), int(n_labels))
        return cls(features, cells, weight, *shape, one=one, numbers=numbers)

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
        """Some of the rows."""
        return replace(
            self,
            cells=self.cells[at],
            weight=self.weight[at],
            places=at if self.places is None else self.places[at],
            numbers=None if self.numbers is None else self.numbers[at],
            _known={},
        )

    def stratified(self, n_folds: int, seed: int) -> list[tuple[Rows, Rows]]:
        fold = fold_numbers(self.cells, n_folds, seed)
        return [
            (self.take(np.flatnonzero(fold != f)), self.take(np.flatnonzero(fold == f)))
            for f in range(n_folds)
        ]

    def sample(self, most: int) -> Rows:
        at = spaced(0, self.n_rows, self.n_rows, most)
        return self if len(at) == self.n_rows else self.take(at).alone()

    def mapped(self, work: Callable[[Features], Features], n_features: int) -> Self:
        own = self.alone()
        return replace(own, features=work(own.features), _known={})

    def alone(self) -> Self:
        """Copy the features of these rows, so that those of other rows need not be kept."""
        if self.places is None:
            return self
        features = self.features._replace(X=self.features.X[self.places])
        return replace(self, features=features, places=None, _known={})

    def scores(self, coef: Array) -> Array:
        """A score for each row; the last ones are remembered."""
        key = coef.tobytes()
        known = self._known.get(key)
        if known is None:
            known = self.features.times(coef)
            known = known if self.places is None else known[self.places]
            self._known.clear()
            self._known[key] = known
        return known

    def pulled(self, values: Array) -> Array:
        """A sum of rows, each times a value."""
        return self.features.transposed_times(self._among_all(values))

    def sums_by_cell(self) -> Array:
        """Weighted sums of the rows of each cell, (n_cells, n_features)."""
        places = np.arange(self.n_rows) if self.places is None else self.places
        shape = (self.n_cells, self.features.n_rows)
        return self.features.sums(sparse.csr_array((self.weight, (self.cells, places)), shape))

    def gram(self, values: Array) -> Array:
        """``Σ_i value_i x_i x_i'``."""
        return self.features.gram(self._among_all(values))

    def squares(self, values: Array) -> Array:
        """The diagonal of ``Σ_i value_i x_i x_i'``."""
        return self.features.squares(self._among_all(values))

    def _among_all(self, values: Array) -> Array:
        """Values of all rows of the features: 0 of those that are not taken."""
        if self.places is None:
            return values
        return np.bincount(self.places, values, self.features.n_rows)

    def __sizeof__(self) -> int:
        """Size in bytes, reported to Dask so that the scheduler prefers locality."""
        X = self.features.X
        held = X.data.nbytes if sparse.issparse(X) else getattr(X, "nbytes", 0)
        return int(held + self.cells.nbytes + self.weight.nbytes)

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_known": {}}

    def __setstate__(self, state: dict[str, Any]) -> None:
        features = state["features"]
        features = features._replace(X=native(features.X))
        columns = {name: native(state[name]) for name in ("cells", "weight", "places")}
        self.__dict__.update(state | columns | {"features": features})


def native(values: Any) -> Any:
    """Arrays that came from another process, as NumPy would have made them here.

    They may begin anywhere in memory, and have types equal to NumPy's own but not the same: linear
    algebra then copies all of them at each step, and ``ufunc.at`` takes thirty times as long.
    """
    if values is None or sparse.issparse(values):
        return values
    return np.require(values, values.dtype.type, "A")
