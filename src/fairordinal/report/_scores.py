"""View of the scores: densities of each group, and cut points before and after.

Densities and cut points are drawn in boxes of 100 by 100, which the page stretches to its width.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fairordinal._render import number, percent
from fairordinal._validation import Array
from fairordinal.plotting import MOST_OVERLAID, density, group_weights, picture_range
from fairordinal.report._numbers import Axis, Tick, score_texts
from fairordinal.report._page import LABEL_WIDTH, Name, display_names
from fairordinal.thresholds import ThresholdResult

MANY_GROUPS = 12  # more groups have coarser curves
FINE_BINS, COARSE_BINS = 160, 60
MOST_GROUPS = 60  # groups that are shown
LEAST_WIDTH = 6.0  # percent of the width that the name of a label needs
CURVE_HEIGHT = 94  # of 100, of the highest density


class Curve(NamedTuple):
    """The density of a group as paths of SVG."""

    name: Name
    style: int  # number of a colour and dash in the style sheet
    line: str
    area: str


class LabelSpan(NamedTuple):
    """A label between its cut points, in percent of the width."""

    left: float
    width: float
    name: Name


class RidgeView(NamedTuple):
    """Curves on one baseline, with cut points through them."""

    curves: list[Curve]
    before: list[float]
    after: list[float]
    spans: list[LabelSpan]


class LabelRow(NamedTuple):
    """A label with its cut points and the share of each group that gets it."""

    name: Name
    cuts: list[tuple[str, str]]  # before and after; one entry, or one for each group
    shares: list[tuple[str, str]]  # before and after; one entry for each group


class Change(NamedTuple):
    """A quantity before and after."""

    name: str
    before: str
    after: str


class ScoresView(NamedTuple):
    """The section about scores and cut points."""

    ridges: list[RidgeView]
    ticks: list[Tick]
    groups: list[Name]
    rows: list[LabelRow]
    changes: list[Change]
    by_group: bool
    compared: bool  # with other cut points
    before_name: str
    after_name: str
    unused: list[Name]
    hidden: int  # groups that are left out


def scores_view(result: ThresholdResult, before: Any = None) -> ScoresView:
    """View of a result, compared with the cut points `before` or with those of least cost."""
    old = result.state_before(before)
    names = ("least cost", "chosen") if before is None else ("before", "after")
    return _scores_view(result, old, 0.0, names)


def model_scores_view(result: ThresholdResult, shift: float) -> ScoresView:
    """View of a result by itself; `shift` is added to all scores that are shown."""
    return _scores_view(result, None, shift, ("", "of the model"))


def _scores_view(
    result: ThresholdResult, before: Any, shift: float, before_after: tuple[str, str]
) -> ScoresView:
    """View of a result, compared with other cut points if there are any."""
    new = result.after
    old = before or new
    names = display_names(result.groups.tolist())
    labels = display_names(result.labels.tolist(), LABEL_WIDTH)
    axis, ridges = _ridges(result, old.thresholds, names, labels)
    if before is None:
        ridges = [ridge._replace(before=[]) for ridge in ridges]
    used = new.table.cube.sum(axis=(0, 1)) > 0
    return ScoresView(
        ridges[:MOST_GROUPS],
        Axis(axis.low + shift, axis.high + shift).ticks(),
        names[:MOST_GROUPS],
        _label_rows(result, old, labels, shift),
        [
            Change("mean cost", number(old.cost), number(new.cost)),
            Change("violation", number(old.violation), number(new.violation)),
        ],
        result.thresholds.ndim == 2,
        before is not None,
        *before_after,
        [name for name, is_used in zip(labels, used, strict=True) if not is_used],
        max(len(names) - MOST_GROUPS, 0),
    )


def _label_rows(
    result: ThresholdResult, old: Any, labels: list[Name], shift: float
) -> list[LabelRow]:
    new, by_group = result.after, result.thresholds.ndim == 2
    cuts_before, cuts_after = (
        [score_texts(highest) for highest in (state.up_to + shift).tolist()] for state in (old, new)
    )
    rows = []
    for i, name in enumerate(labels):
        pairs = zip(cuts_before, cuts_after, strict=True)
        cuts = [(before[i], after[i]) for before, after in pairs]
        shares = _before_after(old.shares[:, i], new.shares[:, i])
        rows.append(LabelRow(name, cuts if by_group else cuts[:1], shares))
    return rows


def _before_after(before: Array, after: Array) -> list[tuple[str, str]]:
    pairs = zip(before.tolist(), after.tolist(), strict=True)
    return [(percent(old), percent(new)) for old, new in pairs]


def _ridges(
    result: ThresholdResult, before: Array, names: list[Name], labels: list[Name]
) -> tuple[Axis, list[RidgeView]]:
    """The axis of the scores, and all groups on one baseline or one ridge for each."""
    by_group = result.thresholds.ndim == 2
    axis, curves = _curves(result, before, names)
    alone = by_group or len(names) > MOST_OVERLAID
    sets = [[curve._replace(style=0)] for curve in curves] if alone else [curves]
    ridges = []
    for i, together in enumerate(sets):
        old, new = (cuts[i] if cuts.ndim == 2 else cuts for cuts in (before, result.thresholds))
        spans = _label_spans(new, axis, labels) if by_group or i == 0 else []
        ridges.append(RidgeView(together, _positions(old, axis), _positions(new, axis), spans))
    return axis, ridges


def _curves(result: ThresholdResult, before: Array, names: list[Name]) -> tuple[Axis, list[Curve]]:
    """Densities of all groups on a common axis, in units of the highest of them."""
    scores, weights = result.score_table.axis, group_weights(result)
    marks = np.concatenate([np.ravel(before), np.ravel(result.thresholds)])
    axis = Axis(*picture_range(scores, np.sum(weights, axis=0), marks[np.isfinite(marks)]))
    n_bins = FINE_BINS if len(names) <= MANY_GROUPS else COARSE_BINS
    edges = np.linspace(axis.low, axis.high, n_bins + 1)
    heights = [density(scores[weight > 0], weight[weight > 0], edges) for weight in weights]
    highest = max(float(curve.max()) for curve in heights) or 1.0
    pairs = zip(names, heights, strict=True)
    return axis, [_curve(name, i, curve / highest) for i, (name, curve) in enumerate(pairs)]


def _curve(name: Name, style: int, heights: Array) -> Curve:
    """Paths rounded to a tenth of a percent; points inside of flat pieces are left out."""
    across = (np.arange(len(heights)) + 0.5) * 100 / len(heights)
    down = np.round(100 - CURVE_HEIGHT * heights, 1)  # SVG counts from the top
    flat = np.r_[False, (down[1:-1] == down[:-2]) & (down[1:-1] == down[2:]), False]
    steps = zip(across[~flat], down[~flat], strict=True)
    line = "L".join(f"{x:.4g} {y:.4g}" for x, y in steps)
    return Curve(name, style, f"M{line}", f"M0 100L{line}L100 100Z")


def _positions(cuts: Array, axis: Axis) -> list[float]:
    return [axis.at(cut) for cut in np.unique(cuts[np.isfinite(cuts)]).tolist()]


def _label_spans(cuts: Array, axis: Axis, labels: list[Name]) -> list[LabelSpan]:
    """Labels between their cut points, where there is room for a name."""
    ends = [0.0, *(axis.at(min(max(cut, axis.low), axis.high)) for cut in cuts.tolist()), 100.0]
    spans = zip(ends[:-1], ends[1:], labels, strict=True)
    return [
        LabelSpan(left, round(right - left, 2), name)
        for left, right, name in spans
        if right - left >= LEAST_WIDTH
    ]
