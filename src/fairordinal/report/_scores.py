"""Scores of each group, and where they are cut into labels, before and after."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from fairordinal._render import number, percent
from fairordinal._validation import Array
from fairordinal.plotting import density, picture_range
from fairordinal.report._names import Name, shown
from fairordinal.report._scale import Axis, Tick
from fairordinal.thresholds import ThresholdResult

MOST_OVERLAID = 3  # groups that share a baseline
FEW_BINS, MANY_BINS = 160, 60  # of a curve; the latter for many groups
MANY = 12
MOST_GROUPS = 60  # that are shown
LABEL_WIDTH = 16
NARROW = 6.0  # percent of the width that a name of a label needs


class Curve(NamedTuple):
    """The density of a group as a path in a box of 100 by 100."""

    name: Name
    style: int  # which colour and dash
    line: str
    area: str


class Segment(NamedTuple):
    """A label between its cut points."""

    left: float
    width: float
    name: Name


class Ridge(NamedTuple):
    """Curves on one baseline, with cut points through them."""

    curves: list[Curve]
    before: list[float]
    after: list[float]
    segments: list[Segment]


class Row(NamedTuple):
    """A label: its cut points, and the share of each group that gets it."""

    name: Name
    cuts: list[tuple[str, str]]  # before and after; one, or one for each group
    shares: list[tuple[str, str]]


class Values(NamedTuple):
    """Cost or violation before and after."""

    name: str
    before: str
    after: str


class Scores(NamedTuple):
    """The section of the page."""

    ridges: list[Ridge]
    ticks: list[Tick]
    groups: list[Name]
    rows: list[Row]
    values: list[Values]
    by_group: bool
    before_name: str
    after_name: str
    unused: list[Name]
    hidden: int  # groups


def scores_of(result: ThresholdResult, before: Any = None, shift: float = 0.0) -> Scores:
    """What the page shows of scores and thresholds; scores are moved by `shift`."""
    old, new = result.state(result.cheapest if before is None else before), result.after
    names, labels = shown(result.groups.tolist()), shown(result.labels.tolist(), LABEL_WIDTH)
    axis, ridges = _ridges(result, old.thresholds, names, labels)
    cuts = [_cuts(old.up_to[:, label], new.up_to[:, label], shift) for label in range(len(labels))]
    shares = [
        [(percent(a), percent(b)) for a, b in zip(x, y, strict=True)]
        for x, y in zip(old.shares.T.tolist(), new.shares.T.tolist(), strict=True)
    ]
    by_group = result.thresholds.ndim == 2
    rows = [
        Row(name, cut if by_group else cut[:1], share)
        for name, cut, share in zip(labels, cuts, shares, strict=True)
    ]
    values = [
        Values("mean cost", number(old.cost), number(new.cost)),
        Values("violation", number(old.violation), number(new.violation)),
    ]
    used = new.table.cube.sum(axis=(0, 1)) > 0
    return Scores(
        ridges[:MOST_GROUPS],
        Axis(axis.low + shift, axis.high + shift).ticks(),
        names[:MOST_GROUPS],
        rows,
        values,
        by_group,
        *(("cheapest", "these") if before is None else ("before", "after")),
        [name for name, is_used in zip(labels, used, strict=True) if not is_used],
        max(len(names) - MOST_GROUPS, 0),
    )


def _ridges(
    result: ThresholdResult, before: Array, names: list[Name], labels: list[Name]
) -> tuple[Axis, list[Ridge]]:
    by_group = result.thresholds.ndim == 2
    axis, curves = _curves(result, before, names)
    alone = by_group or len(names) > MOST_OVERLAID
    sets = [[curve._replace(style=0)] for curve in curves] if alone else [curves]
    ridges = []
    for place, together in enumerate(sets):
        old, new = (c[place] if c.ndim == 2 else c for c in (before, result.thresholds))
        named = by_group or place == 0
        segments = _segments(new, axis, labels) if named else []
        ridges.append(Ridge(together, _places(old, axis), _places(new, axis), segments))
    return axis, ridges


def _curves(result: ThresholdResult, before: Array, names: list[Name]) -> tuple[Axis, list[Curve]]:
    table, n_labels = result.score_table, len(result.labels)
    counts = table.counts.tocsr()
    mass = [
        np.asarray(counts[g * n_labels : (g + 1) * n_labels].sum(axis=0)) for g in range(len(names))
    ]
    marks = np.concatenate([np.ravel(before), np.ravel(result.thresholds)])
    axis = Axis(*picture_range(table.axis, np.sum(mass, axis=0), marks[np.isfinite(marks)]))
    n_bins = FEW_BINS if len(names) <= MANY else MANY_BINS
    edges = np.linspace(axis.low, axis.high, n_bins + 1)
    heights = [density(table.axis[rows > 0], rows[rows > 0], edges) for rows in mass]
    highest = max(float(curve.max()) for curve in heights) or 1.0
    pairs = zip(names, heights, strict=True)
    return axis, [_curve(name, i, curve / highest) for i, (name, curve) in enumerate(pairs)]


def _curve(name: Name, style: int, heights: Array) -> Curve:
    """Thinned to what can be seen: one decimal of a percent, flat stretches left out."""
    across = (np.arange(len(heights)) + 0.5) * 100 / len(heights)
    down = np.round(100 - 94 * heights, 1)
    flat = np.r_[False, (down[1:-1] == down[:-2]) & (down[1:-1] == down[2:]), False]
    steps = zip(across[~flat], down[~flat], strict=True)
    line = "L".join(f"{x:.4g} {y:.4g}" for x, y in steps)
    return Curve(name, style, f"M{line}", f"M0 100L{line}L100 100Z")


def _places(cuts: Array, axis: Axis) -> list[float]:
    return [axis.at(cut) for cut in np.unique(cuts[np.isfinite(cuts)]).tolist()]


def _segments(cuts: Array, axis: Axis, labels: list[Name]) -> list[Segment]:
    """Labels between their cuts, where there is room for a name."""
    ends = [0.0, *(axis.at(min(max(cut, axis.low), axis.high)) for cut in cuts.tolist()), 100.0]
    pairs = zip(ends[:-1], ends[1:], labels, strict=True)
    return [
        Segment(left, round(right - left, 2), name)
        for left, right, name in pairs
        if right - left >= NARROW
    ]


def _cuts(before: Array, after: Array, shift: float) -> list[tuple[str, str]]:
    pairs = zip((before + shift).tolist(), (after + shift).tolist(), strict=True)
    return [(score_text(old), score_text(new)) for old, new in pairs]


def score_text(value: float) -> str:
    """A cut point for people."""
    if math.isinf(value):
        return "any score" if value > 0 else "no score"
    return f"{value:.4g}".replace("-", "−")
