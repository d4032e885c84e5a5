"""What can be asked of rows, wherever they are."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self, TypeVar

import numpy as np

from fairordinal._validation import Array

if TYPE_CHECKING:
    from fairordinal._rows._block import Block
    from fairordinal._rows._features import Features

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
        """How many there are."""

    @property
    @abstractmethod
    def scaling(self) -> Features:
        """Means and spreads of the features, without the features."""

    @property
    def n_features(self) -> int:
        return len(self.scaling.means)

    @cached_property
    def totals(self) -> Array:
        """Weight of the rows in each cell."""
        return self.sum(_totals)

    @abstractmethod
    def reduce(
        self, work: Callable[..., Part], add: Callable[[Sequence[Part]], Part], *arguments: Any
    ) -> Part:
        """One pass: ``work(block, *arguments)`` of every block, added up by `add`."""

    def sum(self, work: Callable[..., Array], *arguments: Any) -> Array:
        """One pass whose parts are arrays of one shape."""
        return self.reduce(work, add_arrays, *arguments)

    def workers(self, n_jobs: int | None) -> dict[str, Any]:
        """How joblib may work on several parts of the rows at once."""
        return {"n_jobs": n_jobs, "max_nbytes": None}

    @abstractmethod
    def whole(self) -> Block:
        """The rows in memory, for what no pass can do; refused where they are elsewhere."""

    @abstractmethod
    def stratified(self, n_folds: int, seed: int) -> list[tuple[Rows, Rows]]:
        """Rows to learn from and rows held out, alike in groups and labels."""

    @abstractmethod
    def mapped(self, work: Callable[[Features], Features], n_features: int) -> Self:
        """Rows with other features, made of theirs."""

    @abstractmethod
    def sample(self, most: int) -> Rows:
        """So many rows that stand for all; all of them if there are no more."""


def add_arrays(parts: Sequence[Array]) -> Array:
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total


def _totals(block: Block) -> Array:
    return np.bincount(block.cells, block.weight, block.n_cells)
