"""View of a frontier: a chart whose points can be selected, and what is known of each model."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from fairordinal._render import number
from fairordinal.estimators import describe_basis
from fairordinal.frontier import (
    FairOrdinalFrontier,
    FrontierPoint,
    Measured,
    farthest_from_chord,
    readable_holes,
)
from fairordinal.plotting import model_number
from fairordinal.report._numbers import Axis, Tick, axis_around, interval_text
from fairordinal.report._page import as_json

MEASURED_ON = {"train": "training rows", "cross-validated": "new rows (cross-validated)",
               "held-out": "held-out rows"}  # fmt: skip

FACTS = ["Labels used", "Limit in training", "Proved", "Kind of model"]


class Mark(NamedTuple):
    """A position in the chart, in percent from the left and from below."""

    x: float
    y: float


class PointView(NamedTuple):
    """A model on the frontier."""

    number: int
    mark: Mark | None
    label: str
    measures: list[list[str]]  # for each set of rows: cost, interval, violation, interval
    facts: list[str]
    whiskers: list[float]  # left, right, bottom and top of the intervals
    others: list[Mark | None]  # on the training rows and on the held-out rows


class Chart(NamedTuple):
    """The section about the frontier."""

    points: list[PointView]
    chosen: int
    measured_on: list[str]
    main_measure: int  # which of `measured_on` places the points
    line: str
    x_ticks: list[Tick]
    y_ticks: list[Tick]
    limit: float | None
    criterion: str
    confidence: str
    cut_off: bool  # whether an interval is longer than the chart
    empty_ranges: list[str]
    fact_names: list[str]
    details: list[str | None]
    models: list[str | None]

    @property
    def script_data(self) -> dict[str, Any]:
        """What the page's script needs to show another point."""
        return {
            "chosen": self.chosen,
            "points": [
                [p.label, p.measures, p.facts, p.whiskers, p.others, p.mark] for p in self.points
            ],
            "details": self.details,
            "models": self.models,
        }


def chart_of(frontier: FairOrdinalFrontier, chosen: Any, limit: float | None) -> Chart:
    """View of a fitted frontier, with one model selected."""
    points = frontier.points_
    number_chosen = model_number(frontier, chosen)
    x_axis, y_axis = _axes(points, limit)
    views = [_point_view(frontier, i, x_axis, y_axis) for i in range(len(points))]
    rows = [*points[0].measured()]
    return Chart(
        views,
        _default(points, limit) if number_chosen is None else number_chosen,
        [MEASURED_ON[name] for name in rows],
        rows.index("cross-validated"),
        _staircase([view.mark for view in views if view.mark]),
        x_axis.ticks(),
        y_axis.ticks(),
        None if limit is None else x_axis.at(limit),
        frontier.criterion_.title,
        f"{100 * frontier.confidence:g}%",
        not all(_holds_intervals(point.expected, x_axis, y_axis) for point in points),
        [f"between {number(low)} and {number(high)}" for low, high in readable_holes(frontier)],
        FACTS,
        [],
        [],
    )


def _axes(points: Sequence[FrontierPoint], limit: float | None) -> tuple[Axis, Axis]:
    """Axes of violation and cost that contain all measured values, 0 and the limit."""
    seen = [values for point in points for values in point.measured().values()]
    x_axis = axis_around([0.0, limit or 0.0, *(values.violation for values in seen)], least=0.02)
    return x_axis, axis_around((values.cost for values in seen), least=0.02)


def _holds_intervals(values: Measured, x_axis: Axis, y_axis: Axis) -> bool:
    return x_axis.holds(values.violation_interval) and y_axis.holds(values.cost_interval)


def _default(points: Sequence[FrontierPoint], limit: float | None) -> int:
    """Number of the point that is shown if the user chose none.

    It is the most accurate one within the limit, or the one where the frontier bends most.
    """
    if limit is not None:
        within = [i for i, point in enumerate(points) if point.expected.violation <= limit]
        return max(within, default=0)
    violations, costs = np.array([(p.expected.violation, p.expected.cost) for p in points]).T
    return farthest_from_chord(violations, costs)


def _point_view(frontier: FairOrdinalFrontier, i: int, x_axis: Axis, y_axis: Axis) -> PointView:
    point, model = frontier.points_[i], frontier.model(i)
    measured, expected = point.measured(), point.expected
    left, right = (x_axis.at(_finite(v, expected.violation)) for v in expected.violation_interval)
    bottom, top = (y_axis.at(_finite(v, expected.cost)) for v in expected.cost_interval)
    others = [measured.get(rows) for rows in ("train", "held-out")]
    return PointView(
        i,
        _mark(expected, x_axis, y_axis),
        f"Model {i}: violation {number(expected.violation)}, mean cost {number(expected.cost)}",
        [_measure(values) for values in measured.values()],
        _facts(point, model),
        [left, right, bottom, top],
        [None if values is None else _mark(values, x_axis, y_axis) for values in others],
    )


def _finite(value: float, otherwise: float) -> float:
    return value if math.isfinite(value) else otherwise


def _mark(values: Measured, x_axis: Axis, y_axis: Axis) -> Mark | None:
    if not math.isfinite(values.violation + values.cost):
        return None
    return Mark(x_axis.at(values.violation), y_axis.at(values.cost))


def _measure(values: Measured) -> list[str]:
    return [
        number(values.cost),
        interval_text(*values.cost_interval),
        number(values.violation),
        interval_text(*values.violation_interval),
    ]


def _facts(point: FrontierPoint, model: Any) -> list[str]:
    """Values of `FACTS`."""
    goal, result = point.candidate.goal, point.result
    used = int((result.after.table.cube.sum(axis=(0, 1)) > 0).sum())
    proof = (
        "no cut points on its scores are better"
        if result.is_optimal
        else f"no cut points on its scores are better by more than {result.gap:.2g}"
    )
    return [
        f"{used} of {len(result.labels)}",
        f"{goal.limit:.4g}" if goal.hard else "none",
        proof,
        describe_basis(model) if hasattr(model, "basis_") else "cut points of given scores",
    ]


def _staircase(marks: list[Mark]) -> str:
    """Path of the frontier: the cost of a point is the least up to the violation of the next."""
    if not marks:
        return ""
    steps = [f"M{marks[0].x:g} {100 - marks[0].y:.4g}"]
    steps += [f"H{mark.x:g}V{100 - mark.y:.4g}" for mark in marks[1:]]
    return "".join(steps)


# Model files


def check_models(models: Any, n_points: int) -> list[str]:
    """Check that there is one model file, as text, for each point."""
    texts = [] if isinstance(models, str | bytes) else [*models]
    if len(texts) != n_points:
        raise ValueError(
            f"models must be a sequence of {n_points} texts, one for each point of the frontier, "
            f"got {len(texts)}."
        )
    for i, model in enumerate(texts):
        if not isinstance(model, str):
            raise TypeError(f"models[{i}] must be text, got {type(model).__name__}.")
    return texts


def models_that_fit(models: Sequence[str], chosen: int, room: int) -> list[str | None]:
    """Keep the chosen model file, and those nearest to it that fit into `room` bytes."""
    kept: list[str | None] = [None] * len(models)
    for i in sorted(range(len(models)), key=lambda i: abs(i - chosen)):
        size = len(as_json(models[i]))
        if size <= room or i == chosen:
            kept[i] = models[i]
            room -= size
    return kept
