"""A panel of cost against violation, with the marks of the paper's figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fairordinal.experiments._means import Mean
from fairordinal.plotting._canvas import pyplot

SHORT = {"demographic_parity": "DP", "equal_opportunity": "EO"}
LEVELS = "cool"  # cyan to purple
LOOKS: Mapping[str, dict[str, Any]] = {
    "mixture": {"marker": "x", "color": "0.6", "markersize": 4, "zorder": 1},
    "POM thresholds": {"marker": "o", "color": "#2a9d3a", "markerfacecolor": "none", "zorder": 2},
    "POM": {"marker": "o", "color": "#2a9d3a", "markersize": 8, "zorder": 3},
    "constant": {"marker": "D", "color": "#8c5a2b", "markersize": 7, "zorder": 3},
    "frontier": {"marker": ".", "color": "black", "ls": "-", "lw": 0.8, "zorder": 2},
}
NAMES = {
    "mixture": "POM or constant, by a coin",
    "POM thresholds": "POM with fair thresholds",
    "POM": "POM",
    "constant": "best constant",
    "frontier": "frontier of fairordinal, by limit",
    "ours": "the paper's method, µ = λ'",
    "ranker only": "the paper's method, λ' = 0",
}


def panels(n_rows: int, n_columns: int, *, width: float = 3.4, height: float = 2.9) -> Any:
    """A figure, and its axes row by row."""
    pyplot()  # says how to get matplotlib, if it is not there
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width * n_columns, height * n_rows), layout="constrained")
    return figure, figure.subplots(n_rows, n_columns, squeeze=False)


def draw_kind(ax: Any, points: Sequence[Mean], look: Mapping[str, Any], name: str) -> None:
    """Predictors that look alike."""
    x, y = ([getattr(point, axis) for point in points] for axis in ("violation", "cost"))
    ax.plot(x, y, **({"ls": "none"} | dict(look)), label=name)


def draw_levels(
    ax: Any, points: Sequence[Mean], name: str, *, marker: str = "*", colours: str = LEVELS
) -> Any:
    """Predictors coloured by their parameter."""
    x, y, level = (
        [getattr(point, axis) for point in points] for axis in ("violation", "cost", "parameter")
    )
    size = 110 if marker == "*" else 35
    return ax.scatter(
        x, y, c=level, cmap=colours, vmin=0, vmax=0.9, marker=marker, s=size, label=name,
        edgecolors="none" if marker == "*" else None, zorder=4,
    )  # fmt: skip


def draw_spread(ax: Any, points: Sequence[Mean], colour: Any = "0.75") -> None:
    """Standard deviations over splits."""
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


def name_axes(ax: Any, criterion: str, title: str, cost: str = "MAE") -> None:
    """What is on the axes."""
    ax.set_xlabel(f"{SHORT[criterion]} violation", fontsize=8)
    ax.set_ylabel(cost, fontsize=8)
    ax.set_title(title, fontsize=9)
    ax.tick_params(labelsize=7)


def share_legend(figure: Any, axes: Any, *, columns: int = 4) -> None:
    """One legend for all panels, above them."""
    entries: dict[str, Any] = {}
    for ax in axes.flat:
        for handle, name in zip(*ax.get_legend_handles_labels(), strict=True):
            entries.setdefault(name, handle)
    figure.legend(
        entries.values(), entries.keys(), loc="outside upper center", ncols=columns, fontsize=8
    )
