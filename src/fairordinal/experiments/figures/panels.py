"""Panels of cost against violation: means over splits, curves through them, and their marks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from fairordinal._validation import Array
from fairordinal.experiments._cells import Row
from fairordinal.experiments.methods import DP, EO
from fairordinal.plotting import pyplot

SHORT = {DP: "DP", EO: "EO"}


# Means over splits


class Mean(NamedTuple):
    """Cost and violation of a predictor on test rows, averaged over splits where it is defined."""

    data: str
    criterion: str
    kind: str
    parameter: float
    cost: float
    violation: float
    cost_spread: float  # standard deviation over splits
    violation_spread: float
    n_splits: int


Means = dict[tuple[str, str, str], list[Mean]]  # by data, criterion and kind


def means(rows: Sequence[Row]) -> Means:
    """Return the means of all predictors; those of a kind are in ascending order of parameter."""
    gathered = defaultdict(list)
    for row in rows:
        key = (row["data"], row["criterion"], row["kind"], row["parameter"])
        gathered[key].append((row["cost"], row["violation"]))
    found: Means = {}
    for key, values in sorted(gathered.items(), key=lambda item: item[0][-1]):
        mean = _mean(*key, np.array(values)[~np.isnan(values).any(axis=1)])
        found.setdefault(key[:3], []).append(mean)
    return found


def _mean(data: str, criterion: str, kind: str, parameter: float, found: Array) -> Mean:
    """Return the mean of costs and violations, (n_splits, 2); nan if there are none."""
    moments = [*found.mean(axis=0), *found.std(axis=0)] if len(found) else [np.nan] * 4
    cost, violation, *spreads = map(float, moments)
    return Mean(
        data, criterion, kind, parameter, cost, violation, spreads[0], spreads[1], len(found)
    )


def pick(found: Means, *, data: str, criterion: str, kind: str) -> list[Mean]:
    """Return the predictors of a kind, without those that are defined in no split."""
    return [mean for mean in found.get((data, criterion, kind), []) if mean.n_splits]


def cost_at(curve: Sequence[Mean], violation: float) -> float:
    """Return the least cost of a curve at a violation, by linear interpolation.

    The violation need not be monotone along a curve, so that all segments that reach it count; nan
    if none does.
    """
    found = [np.inf]
    for one, other in pairwise(curve):
        low, high = sorted([one, other], key=lambda mean: mean.violation)
        if low.violation <= violation <= high.violation:
            width = high.violation - low.violation
            share = (violation - low.violation) / width if width else 0.0
            reached = low.cost + share * (high.cost - low.cost)
            found.append(reached if width else min(low.cost, high.cost))
    return float(min(found)) if len(found) > 1 else np.nan


def savings(points: Sequence[Mean], curve: Sequence[Mean]) -> list[float]:
    """Return the cost of a curve less that of points, at the violations that the curve reaches."""
    differences = [cost_at(curve, point.violation) - point.cost for point in points]
    return [difference for difference in differences if not np.isnan(difference)]


# Drawing

LEVEL_COLOURS = "cool"  # cyan to purple
MARKS: Mapping[str, dict[str, Any]] = {
    "mixture": {"marker": "x", "color": "0.6", "markersize": 4, "zorder": 1},
    "POM thresholds": {"marker": "o", "color": "#2a9d3a", "markerfacecolor": "none", "zorder": 2},
    "POM": {"marker": "o", "color": "#2a9d3a", "markersize": 8, "zorder": 3},
    "constant": {"marker": "D", "color": "#8c5a2b", "markersize": 7, "zorder": 3},
    "frontier": {"marker": ".", "color": "black", "ls": "-", "lw": 0.8, "zorder": 2},
}
NAMES = {
    "mixture": "random mixture of POM and constant",
    "POM thresholds": "POM with fair thresholds",
    "POM": "POM",
    "constant": "best constant",
    "frontier": "frontier of fairordinal, by limit",
    "ours": "the paper's method, µ = λ'",
    "ranker only": "the paper's method, λ' = 0",
}


def panels(n_rows: int, n_columns: int, *, width: float = 3.4, height: float = 2.9) -> Any:
    """Return a figure, and its axes as an array (n_rows, n_columns)."""
    pyplot()  # raises an ImportError that says how to install matplotlib
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width * n_columns, height * n_rows), layout="constrained")
    return figure, figure.subplots(n_rows, n_columns, squeeze=False)


def draw_points(ax: Any, points: Sequence[Mean], marks: Mapping[str, Any], name: str) -> None:
    """Draw predictors with one mark."""
    x, y = ([getattr(point, axis) for point in points] for axis in ("violation", "cost"))
    ax.plot(x, y, **({"ls": "none"} | dict(marks)), label=name)


def draw_levels(
    ax: Any, points: Sequence[Mean], name: str, *, marker: str = "*", colours: str = LEVEL_COLOURS
) -> Any:
    """Draw predictors with colours for their parameter."""
    x, y, level = (
        [getattr(point, axis) for point in points] for axis in ("violation", "cost", "parameter")
    )
    size = 110 if marker == "*" else 35
    return ax.scatter(
        x, y, c=level, cmap=colours, vmin=0, vmax=0.9, marker=marker, s=size, label=name,
        edgecolors="none" if marker == "*" else None, zorder=4,
    )  # fmt: skip


def draw_spread(ax: Any, points: Sequence[Mean], colour: Any = "0.75") -> None:
    """Draw the standard deviations over splits as error bars."""
    ax.errorbar(
        [point.violation for point in points],
        [point.cost for point in points],
        xerr=[point.violation_spread for point in points],
        yerr=[point.cost_spread for point in points],
        fmt="none",
        ecolor=colour,
        elinewidth=0.6,
        zorder=0,
    )


def label_axes(ax: Any, x: str, y: str, title: str) -> None:
    """Write the labels of both axes and the title, in small type."""
    ax.set_xlabel(x, fontsize=8)
    ax.set_ylabel(y, fontsize=8)
    ax.set_title(title, fontsize=9)
    ax.tick_params(labelsize=7)


def share_legend(figure: Any, axes: Any, *, columns: int = 4) -> None:
    """Draw one legend for all panels, above them."""
    entries: dict[str, Any] = {}
    for ax in axes.flat:
        for handle, name in zip(*ax.get_legend_handles_labels(), strict=True):
            entries.setdefault(name, handle)
    figure.legend(
        entries.values(), entries.keys(), loc="outside upper center", ncols=columns, fontsize=8
    )
