"""What every criterion promises."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import ClassVar, NamedTuple

import numpy as np

from fairordinal._table import Block, ScoreTable
from fairordinal._validation import Array

Influence = Callable[[Block], Callable[[Array], Array]]  # of a block, of numbers of its entries


class Criterion(ABC):
    """A notion of fairness: probabilities that should agree between groups."""

    needs_labels: ClassVar[bool] = False  # whether scores will not do as predictions

    @property
    @abstractmethod
    def name(self) -> str:
        """The name by which functions take it."""

    @property
    @abstractmethod
    def title(self) -> str:
        """The name in words."""

    @abstractmethod
    def parts(self, table: ScoreTable) -> tuple[str, ...]:
        """Names of the parts."""

    @abstractmethod
    def probabilities(self, table: ScoreTable) -> Array:
        """``p[part, g, h]``; nan where undefined."""

    @abstractmethod
    def support(self, table: ScoreTable) -> Array:
        """Weight of the pairs (or samples) behind each probability, (parts, groups, groups)."""

    @abstractmethod
    def unconditional(self, table: ScoreTable) -> Array:
        """Which parts take all pairs (or samples) there are, (parts,)."""

    @abstractmethod
    def influence(self, table: ScoreTable) -> Influence:
        """How one more sample at an entry of the table, in group g, moves disparities.

        ``influence(table)(block)(entries)`` is an array (part, entry, h): the derivative of the
        disparity of (g, h) by the weight of the entry. In steps, so that only as many entries
        are computed at a time as there is memory for.
        """

    def scale(self, table: ScoreTable) -> float:
        """The greatest disparity there can be."""
        return 1.0

    def disparities(self, table: ScoreTable) -> Array:
        """``p[part, g, h] - p[part, h, g]``; nan where undefined, 0 on the diagonal."""
        values = self.probabilities(table)
        disparities = values - values.transpose(0, 2, 1)
        disparities[:, np.eye(len(table.groups), dtype=bool)] = 0.0
        return disparities

    def violation(self, table: ScoreTable) -> float:
        """Greatest absolute disparity over parts and pairs of groups; nan if none is defined."""
        gaps = np.abs(self.disparities(table))
        off_diagonal = gaps[:, ~np.eye(gaps.shape[1], dtype=bool)]
        return float(np.nanmax(off_diagonal)) if np.isfinite(off_diagonal).any() else float("nan")

    def worst(
        self, table: ScoreTable, pair: tuple[int, int] | None = None
    ) -> tuple[int, int, int] | None:
        """Part and groups of the greatest disparity, of one pair or of all; None if undefined.

        Of all pairs, the group with the greater probability comes first.
        """
        gaps = self.disparities(table)
        wanted = ~np.eye(len(table.groups), dtype=bool)
        if pair is not None:
            gaps, wanted[:] = np.abs(gaps), False
            wanted[pair] = pair[0] != pair[1]
        gaps = np.where(wanted, gaps, np.nan)
        if not np.isfinite(gaps).any():
            return None
        part, g, h = (int(i) for i in np.unravel_index(int(np.nanargmax(gaps)), gaps.shape))
        return part, g, h


class Contrasts(NamedTuple):
    """Disparities of a criterion that are defined, as signed tables; one per part and pair g < h.

    Contrast e is ``ahead[e]`` times ``tables[part[e]]`` where the first row is of g, less
    ``behind[e]`` times it where the first row is of h, and 0 elsewhere. All tables written out
    would have groups⁴ · labels² entries.
    """

    part: Array  # (E,)
    g: Array  # (E,)
    h: Array  # (E,)
    ahead: Array  # (E,)
    behind: Array  # (E,)
    tables: Array  # (parts, n_labels, n_labels)
    n_groups: int

    def __len__(self) -> int:
        return len(self.part)


def defined_pairs(weight: Array) -> tuple[Array, Array, Array]:
    """Part and groups g < h between which samples or pairs count both ways."""
    both = (weight > 0) & (weight.transpose(0, 2, 1) > 0)
    part, g, h = np.nonzero(np.triu(both, 1))
    return part, g, h
