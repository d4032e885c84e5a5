"""A model on the frontier, and what it costs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from fairordinal._path import (
    Candidate,
    Plan,
    around_mean,
    cost_interval,
    found_in,
    mean_cost,
    violation_interval,
)
from fairordinal._table import ScoreTable
from fairordinal._validation import Array
from fairordinal.criteria import Criterion
from fairordinal.thresholds import ThresholdResult


class Measured(NamedTuple):
    """Cost and violation on some rows, with intervals."""

    cost: float
    cost_interval: tuple[float, float]
    violation: float
    violation_interval: tuple[float, float]


@dataclass(frozen=True, eq=False)
class FrontierPoint:
    """A model on the frontier.

    Attributes
    ----------
    expected : Measured
        In new rows, by cross-validation.
    train, held_out : Measured
        On the rows given, and on those of `eval_set` (or None).
    result : ThresholdResult
        Its thresholds, with their certificate.
    """

    candidate: Candidate
    result: ThresholdResult
    expected: Measured
    train: Measured
    held_out: Measured | None = None

    def rows(self, number: int) -> Iterator[dict[str, Any]]:
        """The point as rows of a frame, one for each place where it was measured."""
        goal, table = self.candidate.goal, self.result.after.table
        for rows, values in self.measured().items():
            yield {
                "model": number,
                "rows": rows,
                "cost": values.cost,
                "cost_lower": values.cost_interval[0],
                "cost_upper": values.cost_interval[1],
                "violation": values.violation,
                "violation_lower": values.violation_interval[0],
                "violation_upper": values.violation_interval[1],
                "limit": goal.allowance if goal.hard else float("inf"),
                "ranker": self.candidate.ranker,
                "labels": int((table.cube.sum(axis=(0, 1)) > 0).sum()),
                "gap": self.result.gap,
            }

    def measured(self) -> dict[str, Measured]:
        """Where it was measured, and what."""
        known = {"train": self.train, "cross-validated": self.expected, "held-out": self.held_out}
        return {rows: values for rows, values in known.items() if values is not None}


def expected(plan: Plan, candidate: Candidate, confidence: float) -> Measured:
    """What to expect of a candidate in new rows."""
    return Measured(
        candidate.cost,
        cost_interval(plan, candidate, confidence),
        candidate.violation,
        violation_interval(plan, candidate, confidence),
    )


def measured(criterion: Criterion, matrix: Array, table: ScoreTable, confidence: float) -> Measured:
    """Cost and violation of predicted labels."""
    cost, finding = mean_cost(table, matrix), found_in(criterion, table, confidence)
    interval = around_mean(table, matrix, cost, confidence)
    return Measured(cost, interval, finding.violation, finding.violation_interval)


def farthest_from_chord(violations: Array, costs: Array) -> int:
    """The knee of a falling curve: the point farthest below the line between its ends."""
    across = (violations - violations[0]) / (np.ptp(violations) or 1.0)
    down = (costs - costs[-1]) / (np.ptp(costs) or 1.0)
    return int((1.0 - across - down).argmax())
