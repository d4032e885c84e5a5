"""The trade-off between violation and cost as a figure.

Models are stars at (violation, cost), baselines have marks of their own, and the stepped line is
the Pareto frontier: the least cost at each violation.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from fairordinal._render import make_frame
from fairordinal._validation import Array
from fairordinal.plotting._canvas import (
    LegendEntry,
    add_legend,
    add_note,
    axes_for,
    ink,
    set_names,
    text_size,
)
from fairordinal.plotting._points import (
    Points,
    model_number,
    read_baselines,
    read_number,
    read_points,
)

FAIR, ACCURATE = "#3fd0e0", "#7b2d99"  # cyan and purple, as in the paper; also light and dark
PAPER_MARKS: tuple[dict[str, Any], ...] = (  # the four baselines of the paper's figures
    {"marker": "o", "color": "#009E73"},
    {"marker": "o", "color": "#009E73", "markerfacecolor": "none"},
    {"marker": "x", "color": "#8a8a8a"},
    {"marker": "D", "color": "#a0612b"},
)
SHAPES, HUES = "s^vP<>ph", ("#E69F00", "#0072B2", "#D55E00", "#CC79A7", "#56B4E9", "#8a8a8a")
MARKS = PAPER_MARKS + tuple(
    {"marker": shape, "color": HUES[i % len(HUES)], **fill}
    for fill in ({}, {"markerfacecolor": "none"})
    for i, shape in enumerate(SHAPES)
)
ERROR_BAR = {"fmt": "none", "elinewidth": 0.8, "capsize": 0}


class FrontierDisplay:
    """Predictors by violation and cost, with the Pareto frontier.

    Models are stars, coloured from cyan (fair) to purple (accurate) by their level. The stepped
    line is the least cost at each violation. Light bars are intervals.

    Parameters
    ----------
    points : Points
        The models.
    baselines : mapping of str to Points, default=None
        Other predictors by name. If there are models, the first four baselines get the marks of
        the paper's figures.
    chosen : int, default=None
        Number of the point to circle.
    holes : sequence of tuple of float, default=()
        Ranges of the violation, (low, high), in which no model was found.
    names : tuple of str, default=("violation", "mean cost")
        Names of the x axis and the y axis.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes of the last `plot`.
    figure_ : matplotlib Figure
        The figure of the last `plot`.
    stars_ : matplotlib PathCollection
        The models.
    line_ : matplotlib Line2D
        The Pareto frontier.

    See Also
    --------
    fairordinal.FairOrdinalFrontier : Finds the models; its `plot` makes this display.
    fairordinal.compare : Compares models; its result can be passed as `baselines`.

    Examples
    --------
    >>> from fairordinal.plotting import FrontierDisplay
    >>> display = FrontierDisplay.from_points(
    ...     [1.2, 1.0, 0.8], [0.0, 0.1, 0.3], chosen=1, baselines={"constant": (1.3, 0.0)})
    >>> display.stars_.get_offsets().data
    array([[0. , 1.2],
           [0.1, 1. ],
           [0.3, 0.8]])
    """

    def __init__(
        self,
        points: Points,
        *,
        baselines: Mapping[str, Points] | None = None,
        chosen: int | None = None,
        holes: Any = (),
        names: tuple[str, str] = ("violation", "mean cost"),
    ) -> None:
        self.points = points
        self.baselines = dict(baselines or {})
        self.chosen = chosen
        self.holes = [*holes]
        self.names = names

    @classmethod
    def from_points(
        cls,
        costs: Any,
        violations: Any,
        *,
        levels: Any = None,
        cost_intervals: Any = None,
        violation_intervals: Any = None,
        chosen: int | None = None,
        baselines: Any = None,
        ax: Any = None,
    ) -> FrontierDisplay:
        """Draw predictors that are given by their costs and violations.

        Parameters
        ----------
        costs : array-like of shape (n_points,)
            Mean costs; may be empty if there are baselines.
        violations : array-like of shape (n_points,)
            Violations.
        levels : array-like of shape (n_points,), default=None
            Values that determine the colours; None takes the rank from fair to accurate.
        cost_intervals : array-like of shape (n_points, 2), default=None
            Lower and upper ends of the costs.
        violation_intervals : array-like of shape (n_points, 2), default=None
            Lower and upper ends of the violations.
        chosen : int, default=None
            Number of the point to circle.
        baselines : ModelComparison or mapping of str to tuple, default=None
            Other predictors: the result of :func:`~fairordinal.compare`, or a mapping of names
            to (cost, violation), each a number or an array, or to (cost, its interval, violation,
            its interval).
        ax : matplotlib Axes, default=None
            Where to draw; None makes a figure.

        Returns
        -------
        display : FrontierDisplay
            The display, drawn.
        """
        least = 0 if baselines else 1
        points = read_points(
            costs, violations, levels, cost_intervals, violation_intervals, least=least
        )
        display = cls(
            points, baselines=read_baselines(baselines), chosen=read_number(chosen, len(points))
        )
        return display.plot(ax)

    @classmethod
    def from_frontier(
        cls,
        frontier: Any,
        *,
        measured_on: str = "cross-validated",
        chosen: Any = None,
        baselines: Any = None,
        ax: Any = None,
    ) -> FrontierDisplay:
        """Draw a fitted frontier.

        Parameters
        ----------
        frontier : FairOrdinalFrontier
            A fitted frontier.
        measured_on : {"cross-validated", "train", "held-out"}, default="cross-validated"
            The rows on which cost and violation are measured:

            - ``"cross-validated"``: estimates for new rows, by cross-validation;
            - ``"train"``: the rows that were passed to `fit`;
            - ``"held-out"``: the rows that were passed to `fit` as `eval_set`.
        chosen : FairOrdinalClassifier, FairThresholdClassifier or int, default=None
            A model of the frontier's `select`, or the number of one, to circle.
        baselines : ModelComparison or mapping of str to tuple, default=None
            Other predictors: the result of :func:`~fairordinal.compare`, or a mapping of names
            to (cost, violation), each a number or an array, or to (cost, its interval, violation,
            its interval).
        ax : matplotlib Axes, default=None
            Where to draw; None makes a figure.

        Returns
        -------
        display : FrontierDisplay
            The display, drawn.
        """
        found = [row for i, point in enumerate(frontier.points_) for row in point.rows(i)]
        known = sorted({row["measured_on"] for row in found})
        if measured_on not in known:
            raise ValueError(
                f"measured_on must be one of {known}, got {measured_on!r}. Pass held-out rows to "
                "fit as eval_set."
            )
        found = [row for row in found if row["measured_on"] == measured_on]
        column = {key: [row[key] for row in found] for key in found[0]}
        points = read_points(
            column["cost"],
            column["violation"],
            column["limit"],
            np.column_stack([column["cost_lower"], column["cost_upper"]]),
            np.column_stack([column["violation_lower"], column["violation_upper"]]),
        )
        display = cls(
            points,
            baselines=read_baselines(baselines, frontier.criterion_),
            chosen=model_number(frontier, chosen),
            holes=frontier.holes_ if measured_on == "cross-validated" else (),
            names=(f"violation of {frontier.criterion_.title}", f"mean cost, {measured_on}"),
        )
        return display.plot(ax)

    @classmethod
    def from_comparison(cls, comparison: Any, *, ax: Any = None) -> FrontierDisplay:
        """Draw models that were compared.

        Parameters
        ----------
        comparison : ModelComparison
            As :func:`~fairordinal.compare` returns it.
        ax : matplotlib Axes, default=None
            Where to draw; None makes a figure.

        Returns
        -------
        display : FrontierDisplay
            The display, drawn.
        """
        display = cls(
            read_points([], [], least=0),
            baselines=read_baselines(comparison),
            names=(f"violation of {comparison.criterion.title}", "mean cost"),
        )
        return display.plot(ax)

    def plot(self, ax: Any = None, *, intervals: bool = True) -> FrontierDisplay:
        """Draw the figure.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None makes a figure.
        intervals : bool, default=True
            Whether to draw the intervals.

        Returns
        -------
        self : FrontierDisplay
            With `ax_`, `figure_`, `stars_` and `line_`.
        """
        self.ax_ = axes_for(ax)
        self.figure_ = self.ax_.figure
        self._draw_frontier()
        if intervals:
            self._draw_intervals(self.points, ink(self.ax_), 0.22)
        self._draw_stars()
        for points, style in zip(self.baselines.values(), self._mark_styles(), strict=True):
            if intervals:
                self._draw_intervals(points, style["color"], 0.5)
            self.ax_.plot(*points.places.T, ls="none", zorder=4, **style)
        set_names(self.ax_, x=self.names[0], y=self.names[1])
        self.ax_.margins(0.06)
        add_legend(self.ax_, self._legend_entries())
        self._draw_chosen()
        return self

    def _draw_frontier(self) -> None:
        """Draw the least cost at each violation, and shade ranges in which no model was found."""
        front = self.points.places[self.points.undominated]
        (self.line_,) = self.ax_.plot(
            *front.T, drawstyle="steps-post", lw=1.0, color=ink(self.ax_), alpha=0.55, zorder=2
        )
        for low, high in self.holes:
            self.ax_.axvspan(low, high, color=ink(self.ax_), alpha=0.07, lw=0, zorder=0)

    def _draw_intervals(self, points: Points, colour: Any, alpha: float) -> None:
        x, y = points.places.T
        for axis, intervals, values in (
            ("xerr", points.violation_intervals, x),
            ("yerr", points.cost_intervals, y),
        ):
            known = np.isfinite(intervals).all(axis=1) & points.shown
            reach = np.abs(intervals[known] - values[known, None]).T
            bars = {axis: reach, "ecolor": colour, "alpha": alpha, "zorder": 1, **ERROR_BAR}
            self.ax_.errorbar(x[known], y[known], **bars)

    def _draw_stars(self) -> None:
        self.stars_ = self.ax_.scatter(
            *self.points.places.T,
            marker="*",
            s=self._size() ** 2,
            c=self._shades(),
            cmap=star_colours(),
            vmin=0.0,
            vmax=1.0,
            edgecolors=ink(self.ax_),
            linewidths=0.4,
            zorder=3,
        )

    def _shades(self) -> Array:
        """Levels scaled to 0 … 1; an infinite level (no limit) is 1."""
        levels = self.points.levels
        known = levels[np.isfinite(levels)]
        low, length = (known.min(), np.ptp(known) or 1.0) if len(known) else (0.0, 1.0)
        return np.clip(np.nan_to_num((levels - low) / length, posinf=1.0, neginf=0.0), 0.0, 1.0)

    def _mark_styles(self) -> list[dict[str, Any]]:
        """Marks of the baselines."""
        marks = MARKS if len(self.points) else MARKS[len(PAPER_MARKS) :]
        size = 0.67 * self._size()
        return [{"ms": size, **marks[i % len(marks)]} for i in range(len(self.baselines))]

    def _size(self) -> float:
        """Width of a star, in points."""
        return 0.9 * text_size(self.ax_)

    def _legend_entries(self) -> list[LegendEntry]:
        entries = [self._star_entry()] if len(self.points) else []
        for (name, points), style in zip(self.baselines.items(), self._mark_styles(), strict=True):
            text = name if points.shown.any() else f"{name}: undefined"
            entries.append(LegendEntry(text, {"ls": "none", **style}))
        if self.holes:
            style = {"marker": "s", "ls": "none", "ms": 9, "mew": 0, "alpha": 0.15}
            entries.append(LegendEntry("no model found", {**style, "color": ink(self.ax_)}))
        return entries

    def _star_entry(self) -> LegendEntry:
        """Three stars, from fair to accurate."""
        star = {"marker": "*", "ls": "none", "ms": self._size(), "mew": 0.4, "mec": ink(self.ax_)}
        stars = [{**star, "color": star_colours()(shade)} for shade in (0.0, 0.5, 1.0)]
        return LegendEntry("models, fair to accurate", stars[0], (stars[1], stars[2]))

    def _draw_chosen(self) -> None:
        """Circle the chosen point and write its cost and violation beside it."""
        if self.chosen is None:
            return
        violation, cost = self.points.places[self.chosen].tolist()
        self.ring_ = self.ax_.scatter(
            *(violation, cost),
            s=(1.65 * self._size()) ** 2,
            facecolors="none",
            edgecolors=ink(self.ax_),
            linewidths=1.4,
            zorder=5,
        )
        drawn = [points.places for points in (self.points, *self.baselines.values())]
        line = along_steps(self.points.places[self.points.undominated])
        words = f"cost {cost:.3f}\nviolation {violation:.3f}"
        self.note_ = add_note(self.ax_, (violation, cost), words, np.concatenate([*drawn, line]))

    def frame(self) -> Any:
        """Return the points as a frame, one row for each model and each point of a baseline.

        Returns
        -------
        frame : frame of pandas, polars or pyarrow
            With the columns `name` ("model" or the name of the baseline), `number` within the
            name, `cost`, `cost_lower`, `cost_upper`, `violation`, `violation_lower`,
            `violation_upper`, `level`, `frontier` (whether the model is on the Pareto frontier)
            and `chosen`.
        """
        rows = self.points.records("model")
        front = {*self.points.undominated.tolist()}
        for row in rows:
            row["frontier"], row["chosen"] = row["number"] in front, row["number"] == self.chosen
        for name, points in self.baselines.items():
            rows += points.records(name)
        return make_frame({key: [row[key] for row in rows] for key in rows[0]}, None)


def along_steps(front: Array, n_each: int = 8) -> Array:
    """Points along the stepped line, `n_each` on each piece, so that notes do not cover it."""
    if not len(front):
        return front
    corners = np.repeat(front, 2, axis=0)
    x, y = corners[1:, 0], corners[:-1, 1]  # each step goes right, then down
    at = np.linspace(0, max(len(x) - 1, 0), n_each * len(x))
    return np.column_stack([np.interp(at, np.arange(len(x)), line) for line in (x, y)])


def star_colours() -> Any:
    """Colour map from cyan to purple."""
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("fair_to_accurate", [FAIR, ACCURATE])
