"""Densities of the scores of each group, with the cut points between labels.

Up to three groups share a baseline, in different colours and dashes. With more groups, or with cut
points by group, each group has a baseline of its own. A baseline with its densities is a *ridge*;
its height is 1 in units of the y axis.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fairordinal._render import make_frame, name_of, names_of
from fairordinal._validation import (
    Array,
    check_same_length,
    read_groups,
    read_scores,
    read_weight,
    warn_misaligned,
)
from fairordinal.plotting._canvas import (
    LegendEntry,
    add_legend,
    axes_for,
    distinct_names,
    inches,
    ink,
    letters,
    plain,
    set_names,
    settle_layout,
    text_size,
)
from fairordinal.plotting._score_data import (
    N_BINS,
    Cuts,
    cuts_of_model,
    density,
    group_weights,
    picture_range,
)

COLOURS = ("#0072B2", "#E69F00", "#009E73")  # of Okabe and Ito
DASHES = ("-", (0, (5, 1)), (0, (1, 1)))
MOST_OVERLAID = 3  # groups that share a baseline
RIDGE_GAP = 0.1  # between ridges with cut points of their own
LABEL_STRIP = 0.22  # height of the names of the labels above a ridge


class Ridge(NamedTuple):
    """A baseline with the densities of one or more groups and their cut points."""

    bottom: float
    groups: tuple[int, ...]
    before: Array | None
    after: Array | None
    named: bool  # whether the names of the labels are written above


class ScoreDisplay:
    """Densities of the scores of each group, and the cut points between labels.

    Up to three groups share a baseline, more groups have one each. Cut points of least cost are
    dashed, fair ones solid. The names of the labels stand between the latter.

    Parameters
    ----------
    groups : sequence of length n_groups
        Names of the groups.
    scores : sequence of n_groups ndarrays
        Scores of each group.
    weights : sequence of n_groups ndarrays
        Weights of the scores: a weight of 2 is a row repeated twice.
    cuts : Cuts, default=None
        Cut points. Infinite ones are not drawn; labels that are never predicted are listed.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes of the last `plot`.
    figure_ : matplotlib Figure
        The figure of the last `plot`.
    texts_ : list of matplotlib Text
        Names of the labels; those without room are left out.

    See Also
    --------
    fairordinal.optimize_thresholds : Finds the cut points.

    Examples
    --------
    >>> from fairordinal import optimize_thresholds
    >>> from fairordinal.plotting import ScoreDisplay
    >>> result = optimize_thresholds(
    ...     [1, 2, 3, 4, 5, 6], [1, 1, 2, 1, 2, 2], sensitive_features=list("aaabbb"),
    ...     max_violation=0.4)
    >>> display = ScoreDisplay.from_result(result)
    >>> display.cuts.before, display.cuts.after
    (array([2.5]), array([1.5]))
    """

    def __init__(self, groups: Any, scores: Any, weights: Any, cuts: Cuts | None = None) -> None:
        self.groups = [*groups]
        self.scores = [np.asarray(values, dtype=np.float64) for values in scores]
        self.weights = [np.asarray(values, dtype=np.float64) for values in weights]
        self.cuts = cuts

    @classmethod
    def from_result(cls, result: Any, *, ax: Any = None) -> ScoreDisplay:
        """Draw the result of a search for cut points, on the scores of that search.

        Parameters
        ----------
        result : ThresholdResult
            As :func:`~fairordinal.optimize_thresholds` returns it.
        ax : matplotlib Axes, default=None
            Where to draw; None makes a figure.

        Returns
        -------
        display : ScoreDisplay
            The display, drawn.
        """
        axis, weights = result.score_table.axis, group_weights(result)
        cuts = Cuts(tuple(result.labels.tolist()), result.thresholds, result.cheapest)
        return cls(
            result.score_table.groups.tolist(),
            [axis[weight > 0] for weight in weights],
            [weight[weight > 0] for weight in weights],
            cuts,
        ).plot(ax)

    @classmethod
    def from_estimator(
        cls,
        model: Any,
        X: Any,
        *,
        sensitive_features: Any,
        sample_weight: Any = None,
        ax: Any = None,
    ) -> ScoreDisplay:
        """Draw a model's scores of given rows, and its cut points.

        Rows are matched by position; an index is ignored.

        Parameters
        ----------
        model : estimator
            A fitted model with a `decision_function`. Its `thresholds_` are drawn if it predicts
            by them; proportional odds, for example, predict the most probable label instead.
        X : array-like of shape (n_samples, n_features)
            Features.
        sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns)
            Group of each sample; several columns mean their intersections.
        sample_weight : array-like of shape (n_samples,), default=None
            A weight of 2 is a row repeated twice.
        ax : matplotlib Axes, default=None
            Where to draw; None makes a figure.

        Returns
        -------
        display : ScoreDisplay
            The display, drawn.
        """
        if not hasattr(model, "decision_function"):
            raise ValueError(
                "model must have a decision_function with one score for each row, got "
                f"{model!r}. Wrap the model in FairThresholdClassifier, which makes scores from "
                "predictions or probabilities."
            )
        features = {"sensitive_features": sensitive_features, "sample_weight": sample_weight}
        warn_misaligned({"X": X} | features)
        column = read_scores(model.decision_function(X))
        coded = read_groups(sensitive_features, least=1)
        check_same_length(column, coded)
        values, codes = column.values.astype(np.float64), coded.codes(slice(None))
        weight = read_weight(sample_weight, len(values), rows_of="X")
        rows = np.ones(len(values)) if weight is None else weight.values
        members = {name: (codes == g) & (rows > 0) for g, name in enumerate(coded.levels.tolist())}
        members = {name: mask for name, mask in members.items() if mask.any()}
        cuts = cuts_of_model(model, [*members], X, values)
        masks = members.values()
        return cls(
            members, [values[mask] for mask in masks], [rows[mask] for mask in masks], cuts
        ).plot(ax)

    def plot(self, ax: Any = None) -> ScoreDisplay:
        """Draw the figure.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None makes a figure.

        Returns
        -------
        self : ScoreDisplay
            With `ax_`, `figure_` and `texts_`.
        """
        self.ax_ = axes_for(ax)
        self.figure_ = self.ax_.figure
        middles, curves = self._densities()
        highest = max(float(curve.max()) for curve in curves)
        ridges = self._ridges()
        for ridge in ridges:
            for group in ridge.groups:
                self._draw_density(ridge, group, middles, 0.92 * curves[group] / highest)
            self._draw_cuts(ridge)
        top = ridges[-1].bottom + 1 + LABEL_STRIP
        self.ax_.set(xlim=(middles[0], middles[-1]), ylim=(0, top), yticks=[])
        self.ax_.spines[["left", "right", "top"]].set_visible(False)
        set_names(self.ax_, x="\n".join(["score", *self._unused_labels()]))
        self._name_groups(ridges)
        add_legend(self.ax_, self._legend_entries())
        self.texts_ = self._name_labels(ridges)
        return self

    @property
    def overlaid(self) -> bool:
        """Whether all groups share one baseline."""
        by_group = self.cuts is not None and self.cuts.by_group
        return len(self.groups) <= MOST_OVERLAID and not by_group

    def _densities(self) -> tuple[Array, list[Array]]:
        """Middles of the bins, and the density of each group at them."""
        marks = np.empty(0) if self.cuts is None else self.cuts.finite()
        every, weights = np.concatenate(self.scores), np.concatenate(self.weights)
        edges = np.linspace(*picture_range(every, weights, marks), N_BINS + 1)
        pairs = zip(self.scores, self.weights, strict=True)
        return (edges[:-1] + edges[1:]) / 2, [density(*pair, edges) for pair in pairs]

    def _ridges(self) -> list[Ridge]:
        """Ridges from the bottom to the top; the first group is at the top."""
        n_groups = len(self.groups)
        sets = [(*range(n_groups),)] if self.overlaid else [(g,) for g in reversed(range(n_groups))]
        by_group = self.cuts is not None and self.cuts.by_group
        step = 1.0 + (LABEL_STRIP + RIDGE_GAP) * by_group
        ridges = []
        for i, groups in enumerate(sets):
            before, after = (None, None) if self.cuts is None else self.cuts.of(groups[0])
            named = self.cuts is not None and (i == len(sets) - 1 or by_group)
            ridges.append(Ridge(i * step, groups, before, after, named))
        return ridges

    def _style(self, group: int) -> tuple[Any, Any]:
        """Colour and dash of a group."""
        return (COLOURS[group], DASHES[group]) if self.overlaid else (COLOURS[0], DASHES[0])

    def _draw_density(self, ridge: Ridge, group: int, middles: Array, heights: Array) -> None:
        colour, dash = self._style(group)
        top = ridge.bottom + heights
        self.ax_.fill_between(middles, ridge.bottom, top, color=colour, alpha=0.3, lw=0)
        self.ax_.plot(middles, top, color=colour, lw=1.4, ls=dash)

    def _draw_cuts(self, ridge: Ridge) -> None:
        colour, top = ink(self.ax_), ridge.bottom + 1.0
        if ridge.before is not None:
            finite = ridge.before[np.isfinite(ridge.before)]
            self.ax_.vlines(finite, ridge.bottom, top, colour, "dashed", lw=0.9, alpha=0.6)
        if ridge.after is not None:
            finite = ridge.after[np.isfinite(ridge.after)]
            top += LABEL_STRIP * ridge.named
            self.ax_.vlines(finite, ridge.bottom, top, colour, "solid", lw=1.3)

    def _name_groups(self, ridges: list[Ridge]) -> None:
        """Write names to the left if each group has its ridge; else the legend has them."""
        if self.overlaid:
            return
        size = 0.9 * text_size(self.ax_)
        most = letters(0.3 * self.ax_.figure.bbox.width / self.ax_.figure.dpi, size)
        names = distinct_names(self.groups, most)
        self.ax_.set_yticks(
            [ridge.bottom + 0.1 for ridge in ridges],
            [names[ridge.groups[0]] for ridge in ridges],
            size=size,
        )
        self.ax_.tick_params(axis="y", length=0)
        plain(*self.ax_.get_yticklabels())

    def _legend_entries(self) -> list[LegendEntry]:
        names = names_of(self.groups) if self.overlaid else []
        styles = [self._style(group) for group in range(len(names))]
        entries = [
            LegendEntry(name, {"color": colour, "ls": dash, "lw": 2})
            for name, (colour, dash) in zip(names, styles, strict=True)
        ]
        if self.cuts is not None and _any_finite(self.cuts.before):
            style = {"color": ink(self.ax_), "ls": "--", "alpha": 0.6}
            entries.append(LegendEntry("cut point of least cost", style))
        if self.cuts is not None and _any_finite(self.cuts.after):
            name = "cut point" if self.cuts.before is None else "fair cut point"
            entries.append(LegendEntry(name, {"color": ink(self.ax_), "ls": "-"}))
        return entries

    def _unused_labels(self) -> list[str]:
        """A line of text with the labels that no score gets; empty if there are none."""
        if self.cuts is None:
            return []
        used = set[int]()
        for group, values in enumerate(self.scores):
            used |= {*np.searchsorted(self.cuts.of(group)[1], values, side="left").tolist()}
        names = names_of(self.cuts.labels)
        unused = [name for label, name in enumerate(names) if label not in used]
        if not unused:
            return []
        width = letters(0.8 * inches(self.ax_)[0], text_size(self.ax_))
        text = "never predicted: " + ", ".join(unused)
        return [text if len(text) <= width else text[: width - 1] + "…"]

    def _name_labels(self, ridges: list[Ridge]) -> list[Any]:
        """Write labels between cut points; leave out those without room, narrow ones first."""
        settle_layout(self.ax_)
        texts = [text for ridge in ridges if ridge.named for text in self._label_texts(ridge)]
        texts.sort(key=lambda pair: -pair[0])
        kept: list[Any] = []
        for width, text in texts:
            box = text.get_window_extent()
            if box.width > 0.96 * width or any(box.overlaps(t.get_window_extent()) for t in kept):
                text.remove()
            else:
                kept.append(text)
        return kept

    def _label_texts(self, ridge: Ridge) -> list[tuple[float, Any]]:
        """Names of the labels of a ridge, each with the pixels between its cut points."""
        assert self.cuts is not None
        assert ridge.after is not None
        low, high = self.ax_.get_xlim()
        ends = np.concatenate([[low], np.clip(ridge.after, low, high), [high]])
        names, found = [name_of(label) for label in self.cuts.labels], []
        pixels = self.ax_.get_window_extent().width / (high - low)
        for name, left, right in zip(names, ends[:-1], ends[1:], strict=True):
            width = (right - left) * pixels
            if width > 0:
                found.append((width, self._label_text(ridge, (left + right) / 2, name, width)))
        return found

    def _label_text(self, ridge: Ridge, middle: float, name: str, width: float) -> Any:
        size = 0.9 * text_size(self.ax_)
        most = letters(0.96 * width / self.ax_.figure.dpi, size)
        return self.ax_.text(
            middle,
            ridge.bottom + 1.0 + LABEL_STRIP / 2,
            name if len(name) <= most else f"{name[: most - 1]}…",
            ha="center",
            va="center",
            size=size,
            color=ink(self.ax_),
            in_layout=False,
            parse_math=False,
        )

    def frame(self) -> Any:
        """Return the densities as a frame, one row for each group and bin.

        Returns
        -------
        frame : frame of pandas, polars or pyarrow
            With the columns `group`, `score` (the middle of a bin) and `density`.
        """
        middles, curves = self._densities()
        columns = {
            "group": np.repeat(names_of(self.groups), len(middles)).tolist(),
            "score": np.tile(middles, len(curves)).tolist(),
            "density": np.concatenate(curves).tolist(),
        }
        return make_frame(columns, None)

    def cuts_frame(self) -> Any:
        """Return the cut points as a frame, one row for each group and label but the highest.

        Returns
        -------
        frame : frame of pandas, polars or pyarrow
            With the columns `group`, `label`, `before` and `after`: the highest score that gets
            the label; `before` is nan if there are no cut points to compare with.
        """
        if self.cuts is None:
            raise ValueError("There are no cut points: the model does not predict by thresholds_.")
        columns: dict[str, list[Any]] = {"group": [], "label": [], "before": [], "after": []}
        for group, name in enumerate(names_of(self.groups)):
            before, after = self.cuts.of(group)
            columns["group"] += [name] * len(after)
            columns["label"] += [*self.cuts.labels[:-1]]
            columns["before"] += [np.nan] * len(after) if before is None else before.tolist()
            columns["after"] += after.tolist()
        return make_frame(columns, None)


def _any_finite(cuts: Array | None) -> bool:
    return cuts is not None and bool(np.isfinite(cuts).any())
