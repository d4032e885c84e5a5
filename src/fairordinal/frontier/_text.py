"""The frontier as text."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from fairordinal._render import number, paragraphs, text_table

if TYPE_CHECKING:
    from fairordinal.frontier._frontier import FairOrdinalFrontier
    from fairordinal.thresholds import ThresholdResult

MOST_LINES = 12


def as_text(frontier: FairOrdinalFrontier) -> str:
    """What can be had, and what could not."""
    points = frontier.points_
    title = (
        f"Frontier of {len(points)} models: {frontier.criterion_.title}, expected in new rows "
        f"({100 * frontier.confidence:g} % intervals)"
    )
    return "\n".join([title, "", _table(frontier), "", paragraphs(_notes(frontier))]).rstrip()


def _table(frontier: FairOrdinalFrontier) -> str:
    """The models, or some evenly spread over them."""
    points = frontier.points_
    step = max((len(points) - 1) / (MOST_LINES - 1), 1.0)
    shown = sorted({round(i * step) for i in range(MOST_LINES) if round(i * step) < len(points)})
    header = ["model", "violation", "interval", "cost", "interval", "labels used"]
    rows = []
    for i in shown:
        expected, used = points[i].expected, points[i].result.after.table.cube.sum(axis=(0, 1))
        rows.append(
            [
                str(i),
                number(expected.violation),
                _interval(expected.violation_interval),
                number(expected.cost),
                _interval(expected.cost_interval),
                str(int((used > 0).sum())),
            ]
        )
    return text_table(header, rows)


def _interval(ends: tuple[float, float]) -> str:
    return f"{number(ends[0])} – {number(ends[1])}"


def _notes(frontier: FairOrdinalFrontier) -> list[str]:
    notes = [
        f"Between violations {number(low)} and {number(high)} there is nothing: other limits lead "
        "to the same models, or to worse ones."
        for low, high in frontier.gaps_
    ]
    stopped = [point.result for point in frontier.points_ if point.result.stopped_by]
    if stopped:
        notes.append(
            f"The thresholds of {len(stopped)} of {len(frontier.points_)} models were stopped by "
            f"{_limits(frontier, stopped)}, with a gap of up to "
            f"{max(result.gap for result in stopped):.1e}."
        )
    return [*notes, "Take one: select(max_violation=…), select(max_cost=…) or select(knee=True)."]


def _limits(frontier: FairOrdinalFrontier, stopped: list[ThresholdResult]) -> str:
    """What ended the searches for thresholds."""
    limits = {
        "max_time": f"max_time={frontier.max_time or math.inf:g} s",
        "max_bounds": "the number of steps for so many groups",
    }
    reasons = {result.stopped_by for result in stopped}
    return " or ".join(limit for reason, limit in limits.items() if reason in reasons)
