"""Models on the frontier: what was measured of them, the knee, and the frontier as text."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from fairordinal._costs import cost_matrix as as_cost_matrix
from fairordinal._render import confidence_level, number, paragraphs, text_table
from fairordinal._table import ScoreTable
from fairordinal._validation import Array
from fairordinal.plotting import model_number
from fairordinal.thresholds import Candidate, Measured, ThresholdResult

if TYPE_CHECKING:
    from fairordinal.frontier._frontier import FairOrdinalFrontier

ROUNDING = 1e-9
MOST_LINES = 12
CHOSEN = "← chosen"
TAKE_ONE = "Take one: select(max_violation=…), select(max_cost=…) or select(knee=True)."


@dataclass(frozen=True, eq=False)
class FrontierPoint:
    """A model on the frontier.

    Attributes
    ----------
    candidate : Candidate
        The ranker with thresholds, and its cross-fitted predictions.
    result : ThresholdResult
        Its thresholds, with their certificate.
    table : ScoreTable
        Counts of its predictions for the rows of `fit`.
    expected : Measured
        Cost and violation on new rows, by cross-validation.
    train : Measured
        Cost and violation on the rows of `fit`.
    importances : ndarray of shape (n_columns,) or None
        Importances of the columns; None for thresholds of given scores.
    held_out : Measured or None
        Cost and violation on the rows of `eval_set`, if it was given.

    See Also
    --------
    FairOrdinalFrontier : Finds the models, from fair to accurate.
    """

    candidate: Candidate
    result: ThresholdResult
    table: ScoreTable
    expected: Measured
    train: Measured
    importances: Array | None = None
    held_out: Measured | None = None

    def rows(self, number: int) -> Iterator[dict[str, Any]]:
        """Yield the point as rows of a frame, one for each set of rows on which it was measured.

        Parameters
        ----------
        number : int
            The number of the model.

        Yields
        ------
        row : dict
            Values by the name of the column.
        """
        goal, table = self.candidate.goal, self.table
        for measured_on, values in self.measured().items():
            yield {
                "model": number,
                "measured_on": measured_on,
                "cost": values.cost,
                "cost_lower": values.cost_interval[0],
                "cost_upper": values.cost_interval[1],
                "violation": values.violation,
                "violation_lower": values.violation_interval[0],
                "violation_upper": values.violation_interval[1],
                "limit": goal.limit if goal.hard else float("inf"),
                "ranker": self.candidate.ranker,
                "n_labels": int((table.cube.sum(axis=(0, 1)) > 0).sum()),
                "gap": self.result.gap,
            }

    def measured(self) -> dict[str, Measured]:
        """Cost and violation by the set of rows: train, cross-validated, and perhaps held-out.

        Returns
        -------
        measured : dict of str to Measured
            Without the sets of rows on which the point was not measured.
        """
        known = {"train": self.train, "cross-validated": self.expected, "held-out": self.held_out}
        return {name: values for name, values in known.items() if values is not None}


def farthest_from_chord(violations: Array, costs: Array) -> int:
    """The knee of a falling curve: the point farthest below the line between its ends.

    Both axes are scaled to [0, 1], so that the line is ``across + down = 1``. If no point is below
    the line, it is the last one, the most accurate, because the first one is constant.
    """
    across = (violations - violations[0]) / (np.ptp(violations) or 1.0)
    down = (costs - costs[-1]) / (np.ptp(costs) or 1.0)
    below = 1.0 - across - down
    return int(below.argmax()) if below.max() > ROUNDING else len(below) - 1


def frontier_text(
    frontier: FairOrdinalFrontier,
    chosen: int | None = None,
    *,
    has_all: str = "frame()",
    closing: Sequence[str] = (TAKE_ONE,),
) -> str:
    """A fitted frontier as text: a table of its models, and notes.

    The model with the number `chosen` is marked. `has_all` says where to find the models that the
    table leaves out, and `closing` are the last notes.
    """
    points = frontier.points_
    title = (
        f"Frontier of {len(points)} models: {frontier.criterion_.title}, expected on new rows "
        f"({confidence_level(frontier.confidence)} intervals)"
    )
    shown = _shown(len(points), chosen)
    notes = [*_notes(frontier), *closing]
    if len(shown) < len(points):
        notes.insert(0, f"{len(shown)} of {len(points)} models shown; {has_all} has all.")
    blocks = [paragraphs([title]), _table(frontier, shown, chosen), paragraphs(notes)]
    return "\n\n".join(blocks).rstrip()


def price_of_fairness(frontier: FairOrdinalFrontier, chosen: Any) -> str:
    """A sentence: violation and cost of a model, compared with the most accurate one.

    `chosen` is a model of the frontier's `select`, or the number of one. Both are expected values
    on new rows.
    """
    number_chosen, points = model_number(frontier, chosen), frontier.points_
    assert number_chosen is not None
    own, best = points[number_chosen].expected, points[-1].expected
    what, unit = ("mean error", " labels") if _counts_labels(frontier) else ("mean cost", "")
    if number_chosen == len(points) - 1:
        violation, cost = number(own.violation), number(own.cost, 2)
        return f"This is the most accurate model: violation {violation}, {what} {cost}{unit}."
    digits = 2 if number(best.cost, 2) != number(own.cost, 2) else 3
    cost = _changes(best.cost, own.cost, digits)
    return f"Violation {_changes(best.violation, own.violation, 3)}; the {what} {cost}{unit}."


def _changes(before: float, after: float, digits: int) -> str:
    """How a quantity changes, such as "falls from 0.156 to 0.015"."""
    old, new = number(before, digits), number(after, digits)
    if old == new:
        return f"stays at {old}"
    return f"{'grows' if after > before else 'falls'} from {old} to {new}"


def _counts_labels(frontier: FairOrdinalFrontier) -> bool:
    """Whether the cost of an error is the number of labels between prediction and truth."""
    if not isinstance(frontier.cost_matrix, str) or frontier.cost_matrix != "absolute":
        return False
    steps = np.arange(len(frontier.classes_))
    distances = as_cost_matrix("absolute", frontier.classes_)
    return np.array_equal(distances, np.abs(steps[:, None] - steps))


def _shown(n_points: int, chosen: int | None) -> list[int]:
    """The numbers of the models in the table: of many, the chosen one and evenly spaced ones."""
    step = max((n_points - 1) / (MOST_LINES - 1), 1.0)
    spaced = {round(i * step) for i in range(MOST_LINES) if round(i * step) < n_points}
    if chosen is None or chosen in spaced:
        return sorted(spaced)
    inner = spaced - {0, n_points - 1}
    nearest = min(inner, key=lambda i: abs(i - chosen))
    return sorted({*spaced, chosen} - {nearest})


def _table(frontier: FairOrdinalFrontier, shown: Sequence[int], chosen: int | None) -> str:
    """A table of some models; the chosen one is marked."""
    header = ["model", "violation", "interval", "cost", "interval", "labels used"]
    rows = [_row(frontier.points_[i], i) for i in shown]
    if chosen is not None:
        header.append("")
        rows = [[*row, CHOSEN * (i == chosen)] for i, row in zip(shown, rows, strict=True)]
    return text_table(header, rows, left=(0, 6))


def _row(point: FrontierPoint, i: int) -> list[str]:
    expected, used = point.expected, point.result.after.table.cube.sum(axis=(0, 1))
    return [
        str(i),
        number(expected.violation),
        _interval(expected.violation_interval),
        number(expected.cost),
        _interval(expected.cost_interval),
        str(int((used > 0).sum())),
    ]


def _interval(ends: tuple[float, float]) -> str:
    return f"{number(ends[0])} – {number(ends[1])}"


def readable_holes(frontier: FairOrdinalFrontier) -> list[tuple[float, float]]:
    """Return holes of the frontier, except those that are only wide in cost.

    The ends of these would be printed as the same violation.
    """
    return [(low, high) for low, high in frontier.holes_ if number(low) != number(high)]


def _notes(frontier: FairOrdinalFrontier) -> list[str]:
    """Holes of the frontier, and searches that were stopped."""
    holes = [f"between {number(low)} and {number(high)}" for low, high in readable_holes(frontier)]
    notes = []
    if holes:
        notes.append(
            f"No model has a violation {_either(holes)}: limits in between lead to the same "
            "models, or to worse ones."
        )
    stopped = [point.result for point in frontier.points_ if point.result.stopped_by]
    if stopped:
        notes.append(
            f"The thresholds of {len(stopped)} of {len(frontier.points_)} models were stopped by "
            f"{_stopped_by(frontier, stopped)}, with a gap of up to "
            f"{max(result.gap for result in stopped):.2g}."
        )
    return notes


def _either(parts: list[str]) -> str:
    """Parts of a sentence, joined by commas and "or"."""
    *others, last = parts
    return f"{', '.join(others)} or {last}" if others else last


def _stopped_by(frontier: FairOrdinalFrontier, stopped: list[ThresholdResult]) -> str:
    """What stopped the searches for thresholds."""
    names = {
        "max_time": f"max_time={frontier.max_time or math.inf:g} s",
        "max_bounds": "the number of steps for so many groups",
    }
    reasons = {result.stopped_by for result in stopped}
    return " or ".join(name for reason, name in names.items() if reason in reasons)
