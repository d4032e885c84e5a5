"""What an audit finds out about one notion of fairness."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from fairordinal._inference import Intervals, intervals
from fairordinal._render import names_of, number
from fairordinal._table import ScoreTable
from fairordinal._validation import Array
from fairordinal.criteria import Criterion, PairwiseCriterion

NOTES = np.array(
    ["", "no interval: a group of fewer than two rows", "undefined: nothing to compare"],
    dtype=object,
)


@dataclass(frozen=True, eq=False, repr=False)
class Finding:
    """One notion of fairness, for all pairs of groups.

    Attributes
    ----------
    criterion : Criterion
        The notion.
    probabilities, disparities : ndarray of shape (n_parts, n_groups, n_groups)
        The compared probabilities, and their differences; nan where undefined.
    lower, upper : ndarray of shape (n_parts, n_groups, n_groups)
        Simultaneous interval of each disparity; nan where there is none.
    """

    criterion: Criterion
    table: ScoreTable
    bounds: Intervals

    @cached_property
    def probabilities(self) -> Array:
        return self.criterion.probabilities(self.table)

    @cached_property
    def disparities(self) -> Array:
        return self.criterion.disparities(self.table)

    @property
    def lower(self) -> Array:
        return self.bounds.lower

    @property
    def upper(self) -> Array:
        return self.bounds.upper

    @property
    def violation(self) -> float:
        """Greatest absolute disparity; nan if none is defined."""
        return self.criterion.violation(self.table)

    @cached_property
    def violation_interval(self) -> tuple[float, float]:
        """Interval of the violation, from those of the disparities."""
        defined = np.isfinite(self.disparities) & ~np.eye(len(self.table.groups), dtype=bool)
        return self.bounds.of_violation(self.criterion.scale(self.table), defined)

    @cached_property
    def worst(self) -> tuple[int, int, int] | None:
        """Part and groups of the greatest disparity, the greater one first; None if undefined."""
        return self.criterion.worst(self.table)

    @cached_property
    def places(self) -> tuple[Array, Array, Array]:
        """Part and groups of every disparity, the group with the greater value first."""
        part, g, h = np.nonzero(np.triu(np.ones(self.disparities.shape, dtype=bool), 1))
        turned = self.disparities[part, g, h] < 0
        return part, np.where(turned, h, g), np.where(turned, g, h)

    def listed(self, values: Array) -> Array:
        """The entries of an array (part, group, group) at `places`."""
        return values[self.places]

    def columns(self, some: Any = slice(None)) -> dict[str, Array]:
        """Every part and pair of groups, or some of `places`, as columns."""
        part, g, h = (index[some] for index in self.places)
        names = np.array(names_of(self.table.groups.tolist()), dtype=object)
        parts = np.array(self.criterion.parts(self.table), dtype=object)
        power = 2 if isinstance(self.criterion, PairwiseCriterion) else 1
        support = self.table.in_rows(self.criterion.support(self.table), power)
        rows = self.table.rows
        disparity, lower = self.disparities[part, g, h], self.lower[part, g, h]
        return {
            "notion": np.full(len(part), self.criterion.name, dtype=object),
            "part": parts[part],
            "group": names[g],
            "other": names[h],
            "probability": self.probabilities[part, g, h],
            "other_probability": self.probabilities[part, h, g],
            "disparity": disparity,
            "lower": lower,
            "upper": self.upper[part, g, h],
            "rows": rows[g],
            "other_rows": rows[h],
            "support": support[part, g, h],
            "other_support": support[part, h, g],
            "note": NOTES[np.where(np.isnan(disparity), 2, np.isnan(lower))],
        }

    def rows(self, some: Any = slice(None)) -> list[dict[str, Any]]:
        """Every part and pair of groups, or some of `places`."""
        columns = self.columns(some)
        lists = (column.tolist() for column in columns.values())
        return [dict(zip(columns, row, strict=True)) for row in zip(*lists, strict=True)]

    @property
    def undefined(self) -> Array:
        """Which of `places` have no disparity."""
        return np.flatnonzero(np.isnan(self.listed(self.disparities)))

    def notes(self) -> list[str]:
        """What a reader must know beside the number."""
        undefined = self.undefined
        pairs = [f"{row['group']!r} and {row['other']!r}" for row in self.rows(undefined[:3])]
        more = f"; and {len(undefined) - 3} more" if len(undefined) > 3 else ""
        notes = [f"{self.criterion.title}: undefined for {'; '.join(pairs)}{more}."]
        return notes * bool(pairs) + self._clearest()

    @property
    def worst_is_doubtful(self) -> bool:
        """Whether the worst pair does not by itself show that there is a violation."""
        return self.worst is not None and not self.lower[self.worst] > 0

    def _clearest(self) -> list[str]:
        """The pair that shows a violation, if the worst does not."""
        if not self.worst_is_doubtful or not self.violation_interval[0] > 0:
            return []
        clearest = int(np.nanargmax(self.listed(self.lower)))
        (row,) = self.rows([clearest])
        return [
            f"* {self.criterion.title}: the worst pair is not significant by itself; the clearest "
            f"is {row['group']!r} > {row['other']!r}, {number(row['disparity'])} "
            f"({number(row['lower'])} … {number(row['upper'])})."
        ]

    def __repr__(self) -> str:
        lower, upper = self.violation_interval
        text = f"{self.criterion.title}: violation {number(self.violation)}"
        return text if self.worst is None else f"{text} ({number(lower)} … {number(upper)})"


def find(
    criterion: Criterion,
    table: ScoreTable,
    *,
    interval: str,
    confidence: float,
    n_resamples: int,
    random_state: Any,
) -> Finding:
    """Measure one notion with intervals."""
    bounds = intervals(
        criterion,
        table,
        method=interval,
        confidence=confidence,
        n_resamples=n_resamples,
        random_state=random_state,
    )
    return Finding(criterion, table, bounds)
