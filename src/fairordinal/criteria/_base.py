"""What every criterion promises."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np

from fairordinal._table import Block, ScoreTable
from fairordinal._validation import Array


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
    def influence(self, table: ScoreTable, block: Block) -> Array:
        """How one more sample at an entry of the table, in group g, moves disparities.

        An array (part, entry of the block, h): the derivative of the disparity of (g, h) by
        the weight of the entry.
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


def defined_only(tables: list[Array], shape: tuple[int, int]) -> Array:
    """Stack the tables of the contrasts that are defined."""
    kept = [table for table in tables if np.isfinite(table).all()]
    return np.stack(kept) if kept else np.zeros((0, *shape))
