"""Models on the frontier: what was measured of them, the knee, and the frontier as text."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from fairordinal._costs import label_places
from fairordinal._render import number, paragraphs, text_table
from fairordinal._table import ScoreTable
from fairordinal._validation import Array
from fairordinal.plotting import model_number
from fairordinal.thresholds import Candidate, Measured, ThresholdResult

if TYPE_CHECKING:
    from fairordinal.frontier._frontier import FairOrdinalFrontier

MOST_LINES = 12


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

    Both axes are scaled to [0, 1], so that the line is ``across + down = 1``.
    """
    across = (violations - violations[0]) / (np.ptp(violations) or 1.0)
    down = (costs - costs[-1]) / (np.ptp(costs) or 1.0)
    return int((1.0 - across - down).argmax())


def price_of_fairness(frontier: FairOrdinalFrontier, chosen: Any) -> str:
    """A sentence: violation and cost of a model, compared with the most accurate one.

    `chosen` is a model of the frontier's `select`, or the number of one. Both are expected values
    on new rows.
    """
    number_chosen, points = model_number(frontier, chosen), frontier.points_
    assert number_chosen is not None
    own, best = points[number_chosen].expected, points[-1].expected
    in_labels = isinstance(frontier.cost_matrix, str) and frontier.cost_matrix == "absolute"
    in_labels = in_labels and bool((np.diff(label_places(frontier.classes_)) == 1).all())
    what, unit = ("mean error", " labels") if in_labels else ("mean cost", "")
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


def frontier_text(frontier: FairOrdinalFrontier) -> str:
    """A fitted frontier as text: a table of its models, and notes."""
    points = frontier.points_
    title = (
        f"Frontier of {len(points)} models: {frontier.criterion_.title}, expected on new rows "
        f"({100 * frontier.confidence:g} % intervals)"
    )
    return "\n".join([title, "", _table(frontier), "", paragraphs(_notes(frontier))]).rstrip()


def _table(frontier: FairOrdinalFrontier) -> str:
    """A table of the models; of many, some that are evenly spaced."""
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
    """Holes of the frontier, searches that were stopped, and how to select a model."""
    notes = [
        f"No model lies between the violations {number(low)} and {number(high)}: limits between "
        "them lead to the same models, or to worse ones."
        for low, high in frontier.holes_
    ]
    stopped = [point.result for point in frontier.points_ if point.result.stopped_by]
    if stopped:
        notes.append(
            f"The thresholds of {len(stopped)} of {len(frontier.points_)} models were stopped by "
            f"{_stopped_by(frontier, stopped)}, with a gap of up to "
            f"{max(result.gap for result in stopped):.1e}."
        )
    return [*notes, "Take one: select(max_violation=…), select(max_cost=…) or select(knee=True)."]


def _stopped_by(frontier: FairOrdinalFrontier, stopped: list[ThresholdResult]) -> str:
    """What stopped the searches for thresholds."""
    names = {
        "max_time": f"max_time={frontier.max_time or math.inf:g} s",
        "max_bounds": "the number of steps for so many groups",
    }
    reasons = {result.stopped_by for result in stopped}
    return " or ".join(name for reason, name in names.items() if reason in reasons)
