"""Figure 2 and the figures of appendix B.5: the paper's method and ORCA's on 33 benchmark sets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from fairordinal.baselines import orca_methods
from fairordinal.datasets import orca_names
from fairordinal.experiments._cells import ExperimentCell, Method, Row, SplitCell, n_splits
from fairordinal.experiments._experiment import Experiment, Options
from fairordinal.experiments.figures.figure2_claims import findings, mixtures_with_constant
from fairordinal.experiments.figures.panels import (
    MARKS,
    NAMES,
    SHORT,
    Means,
    draw_levels,
    draw_points,
    draw_spread,
    label_axes,
    means,
    panels,
    pick,
    share_legend,
)
from fairordinal.experiments.methods import DP, EO, Constant, Orca, Recipe

TRADE_OFFS = tuple(round(0.1 * i, 1) for i in range(10))
SHOWN = (("automobile", DP), ("balance-scale", DP), ("ERA", EO), ("ESL", EO))
SHAPES = "os^v<>DPXhdp8HsDo"  # of the 17 methods; their colours differ as well
ABLATION_COLOURS = "copper_r"  # orange to black


def cells(options: Options) -> list[ExperimentCell]:
    """Return the cells: quick methods before those of ORCA, split by split."""
    names = options.methods or tuple(orca_methods())
    steps: list[list[Method]] = [
        [*(Recipe(criterion, TRADE_OFFS) for criterion in (DP, EO)), Constant()],
        [Orca(name, quick=options.quick) for name in names],
    ]
    most = {data: min(options.splits or n_splits(data), n_splits(data)) for data in orca_names()}
    return [
        SplitCell(data, split, method)
        for methods in steps
        for split in range(max(most.values()))
        for data in orca_names()
        if split < most[data]
        for method in methods
    ]


# Pictures


def collection(name: str) -> str:
    """Return "real" for ordinal data, "five" or "ten" for regression data in 5 or 10 classes."""
    return {"-5": "five", "10": "ten"}.get(name[-2:], "real")


def orca_marks() -> dict[str, dict[str, Any]]:
    """Return a mark for each method of ORCA."""
    from matplotlib import colormaps

    palette = colormaps["tab20"]
    return {
        name: {"marker": shape, "color": palette(i), "markersize": 5, "zorder": 3}
        for i, (name, shape) in enumerate(zip(orca_methods(), SHAPES, strict=True))
    }


def draw_comparison(
    ax: Any, found: Means, data: str, criterion: str, *, spread: bool = False
) -> None:
    """Draw a data set: the methods of ORCA, random mixtures, and the paper's method."""
    mixtures = mixtures_with_constant(found, data, criterion)[1:-1]
    draw_points(ax, mixtures, MARKS["mixture"], "random mixture of best and constant")
    constant = pick(found, data=data, criterion=criterion, kind="constant")
    draw_points(ax, constant, MARKS["constant"], NAMES["constant"])
    for method, marks in orca_marks().items():
        points = pick(found, data=data, criterion=criterion, kind=method)
        if points:
            draw_points(ax, points, marks, method)
            if spread:
                draw_spread(ax, points, marks["color"])
    ours = pick(found, data=data, criterion=criterion, kind="ours")
    if spread:
        draw_spread(ax, ours)
    draw_levels(ax, ours, NAMES["ours"])
    label_axes(ax, f"{SHORT[criterion]} violation", "MAE", data)
    if not any(np.isfinite(point.violation) for point in ours):
        ax.text(0.5, 0.5, "undefined", transform=ax.transAxes, ha="center", color="0.4")
        ax.set(xticks=[], yticks=[])


def draw_ablation(ax: Any, found: Means, data: str, criterion: str) -> None:
    """Draw the paper's method with and without fair thresholds."""
    ours, alone = (
        pick(found, data=data, criterion=criterion, kind=kind) for kind in ("ours", "ranker only")
    )
    draw_levels(ax, alone, NAMES["ranker only"], marker="x", colours=ABLATION_COLOURS)
    draw_levels(ax, ours, NAMES["ours"])
    label_axes(ax, f"{SHORT[criterion]} violation", "MAE", data)


def figure2(rows: Sequence[Row]) -> Any:
    """Draw four data sets, and below each the effect of fair thresholds."""
    found = means(rows)
    figure, axes = panels(2, 4, width=3.0, height=2.7)
    for column, case in enumerate(SHOWN):
        draw_comparison(axes[0, column], found, *case)
        draw_ablation(axes[1, column], found, *case)
    share_legend(figure, axes, columns=8)
    return figure


def appendix(kind: str, criterion: str, spread: bool, rows: Sequence[Row]) -> Any:
    """Draw all data sets of a collection."""
    found = means(rows)
    names = [name for name in orca_names() if collection(name) == kind]
    figure, axes = panels(3, 4, width=3.0, height=2.5)
    for name, ax in zip(names, axes.flat, strict=False):
        draw_comparison(ax, found, name, criterion, spread=spread)
    for ax in axes.flat[len(names) :]:
        ax.set_axis_off()
    share_legend(figure, axes, columns=8)
    return figure


def pictures() -> dict[str, Callable[[Sequence[Row]], Any]]:
    """Return the functions that draw the rows, by the name of the picture."""
    named: dict[str, Callable[[Sequence[Row]], Any]] = {"figure2": figure2}
    for kind in ("real", "five", "ten"):
        for criterion in (DP, EO):
            for spread in (False, True):
                name = f"figure2-{kind}-{SHORT[criterion]}{'-spread' if spread else ''}"
                named[name] = partial(appendix, kind, criterion, spread)
    return named


EXPERIMENTS = (
    Experiment(
        "figure2",
        "Figure 2 and appendix B.5: benchmark sets, section 5.2",
        cells,
        findings,
        pictures(),
        takes_methods=True,
    ),
)
