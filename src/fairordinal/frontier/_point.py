"""A model on the frontier, and what it costs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from fairordinal._table import ScoreTable
from fairordinal._validation import Array
from fairordinal.thresholds import Candidate, Measured, ThresholdResult


@dataclass(frozen=True, eq=False)
class FrontierPoint:
    """A model on the frontier.

    Attributes
    ----------
    expected : Measured
        On new rows, by cross-validation.
    train, held_out : Measured
        On the rows given, and on those of `eval_set` (or None).
    result : ThresholdResult
        Its thresholds, with their certificate.
    """

    candidate: Candidate
    result: ThresholdResult
    table: ScoreTable  # of its predictions for the rows given
    expected: Measured
    train: Measured
    importances: Array | None = None  # of its columns; None for thresholds of given scores
    held_out: Measured | None = None

    def rows(self, number: int) -> Iterator[dict[str, Any]]:
        """The point as rows of a frame, one for each place where it was measured."""
        goal, table = self.candidate.goal, self.table
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
                "limit": goal.limit if goal.hard else float("inf"),
                "ranker": self.candidate.ranker,
                "labels": int((table.cube.sum(axis=(0, 1)) > 0).sum()),
                "gap": self.result.gap,
            }

    def measured(self) -> dict[str, Measured]:
        """Where it was measured, and what."""
        known = {"train": self.train, "cross-validated": self.expected, "held-out": self.held_out}
        return {rows: values for rows, values in known.items() if values is not None}


def farthest_from_chord(violations: Array, costs: Array) -> int:
    """The knee of a falling curve: the point farthest below the line between its ends."""
    across = (violations - violations[0]) / (np.ptp(violations) or 1.0)
    down = (costs - costs[-1]) / (np.ptp(costs) or 1.0)
    return int((1.0 - across - down).argmax())
