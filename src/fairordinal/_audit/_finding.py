"""What an audit finds out about one notion of fairness."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from fairordinal._inference import Intervals, intervals
from fairordinal._render import names_of, number
from fairordinal._table import ScoreTable
from fairordinal._validation import Array
from fairordinal.criteria import Criterion, PairwiseCriterion


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

    def rows(self) -> Iterator[dict[str, Any]]:
        """Every part and pair of groups, the group with the greater value first."""
        names = names_of(self.table.groups.tolist())
        power = 2 if isinstance(self.criterion, PairwiseCriterion) else 1
        support = self.table.in_rows(self.criterion.support(self.table), power)
        for part, part_name in enumerate(self.criterion.parts(self.table)):
            for g, h in combinations(range(len(names)), 2):
                if self.disparities[part, g, h] < 0:
                    g, h = h, g
                yield {
                    "notion": self.criterion.name,
                    "part": part_name,
                    "group": names[g],
                    "other": names[h],
                    "probability": float(self.probabilities[part, g, h]),
                    "other_probability": float(self.probabilities[part, h, g]),
                    "disparity": float(self.disparities[part, g, h]),
                    "lower": float(self.lower[part, g, h]),
                    "upper": float(self.upper[part, g, h]),
                    "rows": float(self.table.rows[g]),
                    "other_rows": float(self.table.rows[h]),
                    "support": float(support[part, g, h]),
                    "other_support": float(support[part, h, g]),
                    "note": self._note(part, g, h),
                }

    def _note(self, part: int, g: int, h: int) -> str:
        if np.isnan(self.disparities[part, g, h]):
            return "undefined: nothing to compare"
        return (
            "no interval: a group of fewer than two rows"
            if np.isnan(self.lower[part, g, h])
            else ""
        )

    def notes(self) -> list[str]:
        """What a reader must know beside the number."""
        undefined = [row for row in self.rows() if np.isnan(row["disparity"])]
        pairs = [f"{row['group']!r} and {row['other']!r}" for row in undefined]
        more = f"; and {len(pairs) - 3} more" if len(pairs) > 3 else ""
        notes = [f"{self.criterion.title}: undefined for {'; '.join(pairs[:3])}{more}."]
        return notes * bool(pairs) + self._clearest()

    @property
    def worst_is_doubtful(self) -> bool:
        """Whether the worst pair does not by itself show that there is a violation."""
        return self.worst is not None and not self.lower[self.worst] > 0

    def _clearest(self) -> list[str]:
        """The pair that shows a violation, if the worst does not."""
        if not self.worst_is_doubtful or not self.violation_interval[0] > 0:
            return []
        row = max(self.rows(), key=lambda row: np.nan_to_num(row["lower"], nan=-np.inf))
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
