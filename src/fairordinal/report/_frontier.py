"""The frontier as a chart whose points can be picked, and what the page says of each."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from fairordinal._render import number, percent
from fairordinal._validation import Array
from fairordinal.estimators import describe_basis
from fairordinal.frontier import FairOrdinalFrontier, FrontierPoint, Measured
from fairordinal.frontier._point import farthest_from_chord
from fairordinal.report._findings import interval_text
from fairordinal.report._names import Name, shown
from fairordinal.report._page import as_json
from fairordinal.report._scale import Axis, Tick, axis_around
from fairordinal.report._scores import MOST_GROUPS, score_text
from fairordinal.thresholds import ThresholdResult

LABEL_WIDTH = 16
PLACES = {"train": "training rows", "cross-validated": "new rows, cross-validated",
          "held-out": "held-out rows"}  # fmt: skip
TELLING = (  # attributes by which models of a frontier differ
    *("coef_", "ramp_coef_", "leaf_values_", "thresholds_"),
    *("expected_cost_", "expected_violation_"),  # the same thresholds may have been found twice
)


class Mark(NamedTuple):
    """A place in the chart, in percent from the left and from below."""

    x: float
    y: float


class Point(NamedTuple):
    """A model on the frontier, as the page shows it."""

    number: int
    mark: Mark | None
    label: str
    measures: list[list[str]]  # cost, its interval, violation, its interval; for each place
    cuts: list[str]
    shares: list[list[str]]
    facts: list[str]
    whiskers: list[float]  # left, right, bottom, top of the intervals
    others: list[Mark | None]  # where the training and held-out rows place it


class Chart(NamedTuple):
    """The section of the page."""

    points: list[Point]
    chosen: int
    was_chosen: bool
    places: list[str]
    main_place: int
    labels: list[Name]
    groups: list[Name]
    line: str
    x_ticks: list[Tick]
    y_ticks: list[Tick]
    limit: float | None
    notion: str
    confidence: str
    gaps: list[str]
    hidden: int  # groups
    models: list[str | None]

    @property
    def script_data(self) -> dict[str, Any]:
        """What the page's script needs to show another point."""
        return {
            "chosen": self.chosen,
            "points": [
                [p.label, p.measures, p.cuts, p.shares, p.facts, p.whiskers, p.others, p.mark]
                for p in self.points
            ],
            "models": self.models,
        }


def chart_of(frontier: FairOrdinalFrontier, chosen: Any, limit: float | None) -> Chart:
    """What the page shows of a fitted frontier."""
    points = frontier.points_
    first = number_of(frontier, chosen)
    seen = [values for point in points for values in point.measured().values()]
    x_axis = axis_around([0.0, limit or 0.0, *(values.violation for values in seen)], least=0.02)
    y_axis = axis_around((values.cost for values in seen), least=0.02)
    views = [_point(frontier, i, x_axis, y_axis) for i in range(len(points))]
    start = knee(points) if first is None else first
    places = [*points[0].measured()]
    table = points[0].result.after.table
    return Chart(
        views,
        start,
        first is not None,
        [PLACES[place] for place in places],
        places.index("cross-validated"),
        shown(table.labels.tolist(), LABEL_WIDTH),
        shown(table.groups.tolist())[:MOST_GROUPS],
        _staircase([view.mark for view in views if view.mark]),
        x_axis.ticks(),
        y_axis.ticks(),
        None if limit is None else x_axis.at(limit),
        frontier.criterion_.title,
        f"{100 * frontier.confidence:g}%",
        [f"{number(low)} and {number(high)}" for low, high in frontier.gaps_],
        max(len(table.groups) - MOST_GROUPS, 0),
        [],
    )


def number_of(frontier: FairOrdinalFrontier, chosen: Any) -> int | None:
    """The number of a model on the frontier."""
    n_points = len(frontier.points_)
    if chosen is None:
        return None
    if isinstance(chosen, int | np.integer) and 0 <= chosen < n_points:
        return int(chosen)
    result = getattr(chosen, "result_", None)
    for i, point in enumerate(frontier.points_):
        if isinstance(result, ThresholdResult) and _same(chosen, frontier, i, point):
            return i
    raise ValueError(
        "chosen must be a model of this frontier's select, or the number of one, from 0 to "
        f"{n_points - 1}; got {chosen!r}."
    )


def _same(chosen: Any, frontier: FairOrdinalFrontier, i: int, point: FrontierPoint) -> bool:
    """Whether a model is that of a point, or a copy of it."""
    if chosen.result_ is point.result:
        return True
    if not np.array_equal(chosen.result_.thresholds, point.result.thresholds):
        return False
    model = frontier.model(i)
    return all(
        np.array_equal(getattr(chosen, name, 0.0), getattr(model, name, 0.0)) for name in TELLING
    )


def knee(points: Sequence[FrontierPoint]) -> int:
    """The point that is shown first if none was chosen: where the curve bends most."""
    violations, costs = np.array([(p.expected.violation, p.expected.cost) for p in points]).T
    return farthest_from_chord(violations, costs)


def _point(frontier: FairOrdinalFrontier, i: int, x_axis: Axis, y_axis: Axis) -> Point:
    point = frontier.points_[i]
    measured, state = point.measured(), point.result.after
    expected = point.expected
    left, right = (x_axis.at(_finite(v, expected.violation)) for v in expected.violation_interval)
    bottom, top = (y_axis.at(_finite(v, expected.cost)) for v in expected.cost_interval)
    others = [measured.get(place) for place in ("train", "held-out")]
    return Point(
        i,
        _mark(expected, x_axis, y_axis),
        f"Model {i}: violation {number(expected.violation)}, mean cost {number(expected.cost)}",
        [_measure(values) for values in measured.values()],
        _cut_texts(np.asarray(frontier.model(i).thresholds_)),
        [[percent(share) for share in shares] for shares in state.shares[:MOST_GROUPS].tolist()],
        _facts(point, frontier.model(i)),
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


def _cut_texts(thresholds: Array) -> list[str]:
    """The highest score of each label; groups' own ones beside each other."""
    columns = np.atleast_2d(thresholds).T
    texts = [" / ".join(score_text(cut) for cut in cuts) for cuts in columns.tolist()]
    return [*texts, score_text(math.inf)]


def _facts(point: FrontierPoint, model: Any) -> list[str]:
    """Its limit, the labels it uses, what is proved of its cut points, and its kind."""
    goal, result = point.candidate.goal, point.result
    used = int((result.after.table.cube.sum(axis=(0, 1)) > 0).sum())
    proof = (
        "no cut points on its scores are better"
        if result.is_optimal
        else f"the best cut points on its scores are at most {result.gap:.2g} better"
    )
    return [
        f"{goal.allowance:.4g}" if goal.hard else "none",
        f"{used} of {len(result.labels)}",
        proof,
        describe_basis(model) if hasattr(model, "basis_") else "cut points of given scores",
    ]


def _staircase(marks: list[Mark]) -> str:
    """What can be had: a point serves every limit up to the next."""
    if not marks:
        return ""
    steps = [f"M{marks[0].x:g} {100 - marks[0].y:.4g}"]
    steps += [f"H{mark.x:g}V{100 - mark.y:.4g}" for mark in marks[1:]]
    return "".join(steps)


def check_models(models: Any, n_points: int) -> list[str]:
    """Model files, one for each point."""
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


def kept_models(models: Sequence[str], start: int, room: int) -> list[str | None]:
    """Model files that fit into so many bytes: those nearest to the one shown first, and it."""
    kept: list[str | None] = [None] * len(models)
    for i in sorted(range(len(models)), key=lambda i: abs(i - start)):
        size = len(as_json(models[i]))
        if size <= room or i == start:
            kept[i] = models[i]
            room -= size
    return kept
