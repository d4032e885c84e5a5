"""The trade-off between violation and cost as a picture."""

from __future__ import annotations

import numbers
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from fairordinal._render import make_frame
from fairordinal._validation import Array
from fairordinal.plotting._canvas import axes_for, ink, set_names, text_size
from fairordinal.plotting._legend import Entry, add_legend
from fairordinal.plotting._note import add_note
from fairordinal.plotting._points import Points, read_baselines, read_points

FAIR, ACCURATE = "#3fd0e0", "#7b2d99"  # cyan to purple, as in the paper: from light to dark
PAPER_MARKS: tuple[dict[str, Any], ...] = (  # of the paper's figures
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
BAR = {"fmt": "none", "elinewidth": 0.8, "capsize": 0}


class Chosen(NamedTuple):
    """The point that is ringed."""

    violation: float
    cost: float

    @property
    def words(self) -> str:
        return f"cost {self.cost:.3f}\nviolation {self.violation:.3f}"


class FrontierDisplay:
    """What fairness costs: predictors by violation and cost, and the frontier below them.

    Stars are coloured from cyan (fair) to purple (accurate) by their level; the stepped line is
    the least cost at each violation. Light bars are intervals.

    Parameters
    ----------
    points : Points
        The models.
    baselines : mapping of str to Points, default=None
        Other predictors; beside models, the first four get the marks of the paper's figures.
    chosen : int, default=None
        Number of the point to ring.
    gaps : sequence of tuple of float, default=()
        Violations between which there is nothing.
    names : tuple of str, default=("violation", "mean cost")
        Of the axes.

    Attributes
    ----------
    ax_, figure_ : Axes and Figure
        Of matplotlib.
    stars_, line_ : PathCollection and Line2D
        The models and the frontier.

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
        gaps: Any = (),
        names: tuple[str, str] = ("violation", "mean cost"),
    ) -> None:
        self.points = points
        self.baselines = dict(baselines or {})
        self.chosen = chosen
        self.gaps = [*gaps]
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
        """Show predictors given by their costs and violations.

        Parameters
        ----------
        costs, violations : array-like of shape (n_points,)
            Where the points are; there may be none beside baselines.
        levels : array-like of shape (n_points,), default=None
            What they are coloured by; None takes their place from fair to accurate.
        cost_intervals, violation_intervals : array-like of shape (n_points, 2), default=None
            Lower and upper ends.
        chosen : int, default=None
            Number of the point to ring.
        baselines : ModelComparison or mapping of str to tuple, default=None
            What :func:`~fairordinal.compare` found; or name to (cost, violation), each a number or
            an array, or to (cost, its interval, violation, its interval).
        ax : matplotlib Axes, default=None
            Where to draw; None makes a figure.

        Returns
        -------
        display : FrontierDisplay
            Drawn.
        """
        some = 0 if baselines else 1
        points = read_points(
            costs, violations, levels, cost_intervals, violation_intervals, least=some
        )
        display = cls(
            points, baselines=read_baselines(baselines), chosen=_read_number(chosen, len(points))
        )
        return display.plot(ax)

    @classmethod
    def from_frontier(
        cls,
        frontier: Any,
        *,
        rows: str = "cross-validated",
        chosen: Any = None,
        baselines: Any = None,
        ax: Any = None,
    ) -> FrontierDisplay:
        """Show a fitted frontier.

        Parameters
        ----------
        frontier : FairOrdinalFrontier
            Fitted.
        rows : {"cross-validated", "train", "held-out"}, default="cross-validated"
            Where cost and violation are measured; held-out rows are those of `eval_set`.
        chosen : FairOrdinalClassifier or int, default=None
            A model of `select`, or the number of one, to ring.
        baselines, ax :
            As in :meth:`from_points`.

        Returns
        -------
        display : FrontierDisplay
            Drawn.
        """
        found = [row for i, point in enumerate(frontier.points_) for row in point.rows(i)]
        known = sorted({row["rows"] for row in found})
        if rows not in known:
            raise ValueError(
                f"rows must be one of {known}, where this frontier was measured, got {rows!r}. "
                "Held-out rows are passed to fit as eval_set."
            )
        column = {key: [row[key] for row in found if row["rows"] == rows] for key in found[0]}
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
            chosen=_number_of(chosen, frontier.points_),
            gaps=frontier.gaps_ if rows == "cross-validated" else (),
            names=(f"violation of {frontier.criterion_.title}", f"mean cost, {rows}"),
        )
        return display.plot(ax)

    @classmethod
    def from_comparison(cls, comparison: Any, *, ax: Any = None) -> FrontierDisplay:
        """Show models that were compared.

        Parameters
        ----------
        comparison : ModelComparison
            What :func:`~fairordinal.compare` found.
        ax : matplotlib Axes, default=None
            Where to draw; None makes a figure.

        Returns
        -------
        display : FrontierDisplay
            Drawn.
        """
        display = cls(
            read_points([], [], least=0),
            baselines=read_baselines(comparison),
            names=(f"violation of {comparison.criterion.title}", "mean cost"),
        )
        return display.plot(ax)

    def plot(self, ax: Any = None, *, intervals: bool = True) -> FrontierDisplay:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None makes a figure.
        intervals : bool, default=True
            Whether to draw them.

        Returns
        -------
        self : FrontierDisplay
            With `ax_`, `figure_`, `stars_` and `line_`.
        """
        self.ax_ = axes_for(ax)
        self.figure_ = self.ax_.figure
        self._draw_frontier()
        if intervals:
            self._draw_bars(self.points, ink(self.ax_), 0.22)
        self._draw_stars()
        for (_, points), look in zip(self.baselines.items(), self._looks(), strict=True):
            if intervals:
                self._draw_bars(points, look["color"], 0.5)
            self.ax_.plot(*points.places.T, ls="none", zorder=4, **look)
        set_names(self.ax_, x=self.names[0], y=self.names[1])
        self.ax_.margins(0.06)
        add_legend(self.ax_, self._entries())
        self._draw_chosen()
        return self

    def _draw_frontier(self) -> None:
        """The least cost at each violation, and where nothing was found."""
        front = self.points.places[self.points.undominated]
        (self.line_,) = self.ax_.plot(
            *front.T, drawstyle="steps-post", lw=1.0, color=ink(self.ax_), alpha=0.55, zorder=2
        )
        for low, high in self.gaps:
            self.ax_.axvspan(low, high, color=ink(self.ax_), alpha=0.07, lw=0, zorder=0)

    def _draw_bars(self, points: Points, colour: Any, alpha: float) -> None:
        x, y = points.places.T
        for axis, intervals, values in (
            ("xerr", points.violation_intervals, x),
            ("yerr", points.cost_intervals, y),
        ):
            known = np.isfinite(intervals).all(axis=1) & points.shown
            reach = np.abs(intervals[known] - values[known, None]).T
            bars = {axis: reach, "ecolor": colour, "alpha": alpha, "zorder": 1, **BAR}
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
        """Levels from 0 to 1; infinite ones are the highest."""
        levels = self.points.levels
        known = levels[np.isfinite(levels)]
        low, length = (known.min(), np.ptp(known) or 1.0) if len(known) else (0.0, 1.0)
        return np.clip(np.nan_to_num((levels - low) / length, posinf=1.0, neginf=0.0), 0.0, 1.0)

    def _looks(self) -> list[dict[str, Any]]:
        """Marks of the baselines."""
        marks = MARKS if len(self.points) else MARKS[len(PAPER_MARKS) :]
        size = 0.67 * self._size()
        return [{"ms": size, **marks[i % len(marks)]} for i in range(len(self.baselines))]

    def _size(self) -> float:
        """Width of a star, in points."""
        return 0.9 * text_size(self.ax_)

    def _entries(self) -> list[Entry]:
        star = {"marker": "*", "ls": "none", "ms": self._size(), "mew": 0.4}
        star["mec"] = ink(self.ax_)
        stars = tuple({**star, "color": star_colours()(shade)} for shade in (0.0, 0.5, 1.0))
        entries = []
        if len(self.points):
            entries.append(Entry("models, fair to accurate", stars[0], stars[1:]))
        for (name, points), look in zip(self.baselines.items(), self._looks(), strict=True):
            said = name if points.shown.any() else f"{name}: undefined"
            entries.append(Entry(said, {"ls": "none", **look}))
        if self.gaps:
            look = {"marker": "s", "ls": "none", "ms": 9, "mew": 0, "alpha": 0.15}
            entries.append(Entry("nothing found here", {**look, "color": ink(self.ax_)}))
        return entries

    def _draw_chosen(self) -> None:
        if self.chosen is None:
            return
        chosen = Chosen(*self.points.places[self.chosen].tolist())
        self.ring_ = self.ax_.scatter(
            *chosen,
            s=(1.65 * self._size()) ** 2,
            facecolors="none",
            edgecolors=ink(self.ax_),
            linewidths=1.4,
            zorder=5,
        )
        every = [points.places for points in (self.points, *self.baselines.values())]
        steps = along_steps(self.points.places[self.points.undominated])
        self.note_ = add_note(self.ax_, chosen, chosen.words, np.concatenate([*every, steps]))

    def frame(self) -> Any:
        """Every point as a row.

        Columns: `name` (model, or that of the baseline), `number` within it, `cost` and
        `violation` with their intervals, `level`, whether it is on the `frontier`, and `chosen`.
        """
        rows = [row for i in range(len(self.points)) if (row := self._row("model", self.points, i))]
        front = {*self.points.undominated.tolist()}
        for row in rows:
            row["frontier"], row["chosen"] = row["number"] in front, row["number"] == self.chosen
        for name, points in self.baselines.items():
            rows += [self._row(name, points, i) for i in range(len(points))]
        return make_frame({key: [row[key] for row in rows] for key in rows[0]}, None)

    def _row(self, name: str, points: Points, i: int) -> dict[str, Any]:
        return {
            "name": name,
            "number": i,
            "cost": float(points.costs[i]),
            "cost_lower": float(points.cost_intervals[i, 0]),
            "cost_upper": float(points.cost_intervals[i, 1]),
            "violation": float(points.violations[i]),
            "violation_lower": float(points.violation_intervals[i, 0]),
            "violation_upper": float(points.violation_intervals[i, 1]),
            "level": float(points.levels[i]),
            "frontier": False,
            "chosen": False,
        }


def along_steps(front: Array, n_each: int = 8) -> Array:
    """Places along the stepped line, so many on each piece."""
    if not len(front):
        return front
    corners = np.repeat(front, 2, axis=0)
    x, y = corners[1:, 0], corners[:-1, 1]  # first to the right, then down
    at = np.linspace(0, max(len(x) - 1, 0), n_each * len(x))
    return np.column_stack([np.interp(at, np.arange(len(x)), line) for line in (x, y)])


def star_colours() -> Any:
    """From cyan to purple."""
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("fair_to_accurate", [FAIR, ACCURATE])


def _read_number(chosen: Any, n_points: int) -> int | None:
    if chosen is None:
        return None
    is_number = isinstance(chosen, numbers.Integral) and not isinstance(chosen, bool)
    if not is_number or not 0 <= int(chosen) < n_points:
        raise ValueError(f"chosen must be a number from 0 to {n_points - 1}, got {chosen!r}.")
    return int(chosen)


def _number_of(chosen: Any, points: Any) -> int | None:
    """The number of a model on the frontier."""
    if not hasattr(chosen, "result_"):
        return _read_number(chosen, len(points))
    for number, point in enumerate(points):
        if _same(chosen.result_, point.result):
            return number
    raise ValueError("chosen must be a model of this frontier's select, or the number of one.")


def _same(one: Any, other: Any) -> bool:
    """Whether two results are the same thresholds of the same scores; a copy is."""
    values = [(r.cost, r.violation, *r.thresholds.tolist()) for r in (one, other)]
    return values[0] == values[1]
