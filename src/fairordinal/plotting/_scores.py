"""Scores of each group, and the cut points before and after."""

from __future__ import annotations

from dataclasses import dataclass
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
from fairordinal.plotting._density import N_BINS, density, picture_range
from fairordinal.plotting._legend import Entry, add_legend

COLOURS = ("#0072B2", "#E69F00", "#009E73")  # of Okabe and Ito
DASHES = ("-", (0, (5, 1)), (0, (1, 1)))
MOST_OVERLAID = 3
GAP = 0.1  # between rows with cuts of their own
STRIP = 0.22  # height of the names of the labels, in units of a row


class Row(NamedTuple):
    """A part of the picture with a baseline of its own."""

    bottom: float
    groups: tuple[int, ...]
    before: Array | None
    after: Array | None
    named: bool  # whether the labels are named in it


@dataclass(frozen=True, eq=False)
class Cuts:
    """Cut points for labels, shared or a row for each group."""

    labels: tuple[Any, ...]
    after: Array
    before: Array | None = None

    def __post_init__(self) -> None:
        for name in ("after", "before"):
            cuts = getattr(self, name)
            if cuts is not None and np.shape(cuts)[-1:] != (len(self.labels) - 1,):
                raise ValueError(
                    f"{name} must hold one cut point fewer than the {len(self.labels)} labels, got "
                    f"shape {np.shape(cuts)}."
                )

    @property
    def by_group(self) -> bool:
        return self.after.ndim == 2

    def of(self, group: int) -> tuple[Array | None, Array]:
        """Before and after, for a group."""
        pair = [
            None if cuts is None else cuts[group] if cuts.ndim == 2 else cuts
            for cuts in (self.before, self.after)
        ]
        return pair[0], np.asarray(pair[1])

    def finite(self) -> Array:
        """All cut points that have a place."""
        every = [np.ravel(cuts) for cuts in (self.before, self.after) if cuts is not None]
        cuts = np.concatenate(every)
        return cuts[np.isfinite(cuts)]


class ScoreDisplay:
    """How the scores of the groups lie, and where they are cut into labels.

    Densities of up to three groups share a baseline, more groups have one each. Cut points of
    least cost are dashed, fair ones solid; between these are the names of the labels.

    Parameters
    ----------
    groups : sequence of length n_groups
        Names.
    scores : sequence of n_groups ndarrays
        Scores of each group.
    weights : sequence of n_groups ndarrays
        Rows of each score.
    cuts : Cuts, default=None
        Cut points; infinite ones are not drawn, and labels that nobody gets are said.

    Attributes
    ----------
    ax_, figure_ : Axes and Figure
        Of matplotlib.

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
        """Show thresholds that were found, on the scores that they were found for.

        Parameters
        ----------
        result : ThresholdResult
            As :func:`~fairordinal.optimize_thresholds` returns it.
        ax : matplotlib Axes, default=None
            Where to draw; None makes a figure.

        Returns
        -------
        display : ScoreDisplay
            Drawn.
        """
        table, n_labels = result.score_table, len(result.labels)
        counts = table.counts.tocsr()
        scores, weights = [], []
        for group in range(len(table.groups)):
            mass = np.asarray(counts[group * n_labels : (group + 1) * n_labels].sum(axis=0))
            scores.append(table.axis[mass > 0])
            weights.append(mass[mass > 0])
        cuts = Cuts(tuple(result.labels.tolist()), result.thresholds, result.cheapest)
        return cls(table.groups.tolist(), scores, weights, cuts).plot(ax)

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
        """Show the scores of rows and the thresholds of a model.

        Parameters
        ----------
        model : estimator
            Fitted; its `decision_function` is asked, and its `thresholds_` are shown if it
            predicts by them (proportional odds predict the most probable label instead).
        X : array-like of shape (n_samples, n_features)
            Features.
        sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns)
            Group of each sample. Rows are matched by position; an index is ignored.
        sample_weight : array-like of shape (n_samples,), default=None
            A weight of 2 is a row repeated twice.
        ax : matplotlib Axes, default=None
            Where to draw; None makes a figure.

        Returns
        -------
        display : ScoreDisplay
            Drawn.
        """
        if not hasattr(model, "decision_function"):
            raise ValueError(
                "model must have a decision_function with one score for each row, got "
                f"{model!r}. FairThresholdClassifier makes one of predictions and probabilities."
            )
        features = {"sensitive_features": sensitive_features, "sample_weight": sample_weight}
        warn_misaligned({"X": X} | features)
        column = read_scores(model.decision_function(X))
        coded = read_groups(sensitive_features, least=1)
        check_same_length(column, coded)
        values, codes = column.values.astype(np.float64), coded.codes(slice(None))
        weight = read_weight(sample_weight, len(values), rows_of="X")
        rows = np.ones(len(values)) if weight is None else weight.values
        members = [(codes == g) & (rows > 0) for g in range(len(coded.levels))]
        groups = [
            name for name, who in zip(coded.levels.tolist(), members, strict=True) if who.any()
        ]
        members = [who for who in members if who.any()]
        cuts = _cuts_of(model, groups, X, values)
        return cls(
            groups, [values[who] for who in members], [rows[who] for who in members], cuts
        ).plot(ax)

    def plot(self, ax: Any = None) -> ScoreDisplay:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None makes a figure.

        Returns
        -------
        self : ScoreDisplay
            With `ax_` and `figure_`.
        """
        self.ax_ = axes_for(ax)
        self.figure_ = self.ax_.figure
        middles, curves = self._densities()
        highest = max(float(curve.max()) for curve in curves)
        rows = self._rows()
        for row in rows:
            for group in row.groups:
                self._ridge(row, group, middles, 0.92 * curves[group] / highest)
            self._cut_lines(row)
        self.ax_.set(
            xlim=(middles[0], middles[-1]), ylim=(0, rows[-1].bottom + 1 + STRIP), yticks=[]
        )
        self.ax_.spines[["left", "right", "top"]].set_visible(False)
        set_names(self.ax_, x="\n".join(["score", *self._unused()]))
        self._name_groups(rows)
        add_legend(self.ax_, self._entries())
        self.texts_ = self._name_labels(rows)
        return self

    @property
    def overlaid(self) -> bool:
        """Whether all groups share one baseline."""
        by_group = self.cuts is not None and self.cuts.by_group
        return len(self.groups) <= MOST_OVERLAID and not by_group

    def _densities(self) -> tuple[Array, list[Array]]:
        """Middles of the bins, and the density of each group there."""
        marks = np.empty(0) if self.cuts is None else self.cuts.finite()
        every, weights = np.concatenate(self.scores), np.concatenate(self.weights)
        edges = np.linspace(*picture_range(every, weights, marks), N_BINS + 1)
        pairs = zip(self.scores, self.weights, strict=True)
        return (edges[:-1] + edges[1:]) / 2, [density(*pair, edges) for pair in pairs]

    def _rows(self) -> list[Row]:
        """The first group on top."""
        n_groups = len(self.groups)
        sets = [(*range(n_groups),)] if self.overlaid else [(g,) for g in reversed(range(n_groups))]
        step = 1.0 + (STRIP + GAP) * (self.cuts is not None and self.cuts.by_group)
        rows = []
        for place, groups in enumerate(sets):
            before, after = (None, None) if self.cuts is None else self.cuts.of(groups[0])
            top = place == len(sets) - 1
            named = self.cuts is not None and (top or self.cuts.by_group)
            rows.append(Row(place * step, groups, before, after, named))
        return rows

    def _style(self, group: int) -> tuple[Any, Any]:
        return (COLOURS[group], DASHES[group]) if self.overlaid else (COLOURS[0], DASHES[0])

    def _ridge(self, row: Row, group: int, middles: Array, heights: Array) -> None:
        colour, dash = self._style(group)
        top = row.bottom + heights
        self.ax_.fill_between(middles, row.bottom, top, color=colour, alpha=0.3, lw=0)
        self.ax_.plot(middles, top, color=colour, lw=1.4, ls=dash)

    def _cut_lines(self, row: Row) -> None:
        paper = ink(self.ax_)
        top = row.bottom + 1.0 + STRIP * row.named
        if row.before is not None:
            places = row.before[np.isfinite(row.before)]
            self.ax_.vlines(
                places, row.bottom, row.bottom + 1.0, paper, "dashed", lw=0.9, alpha=0.6
            )
        if row.after is not None:
            places = row.after[np.isfinite(row.after)]
            self.ax_.vlines(places, row.bottom, top, paper, "solid", lw=1.3)

    def _name_groups(self, rows: list[Row]) -> None:
        """To the left, if each group has its row."""
        if self.overlaid:
            return
        size = 0.9 * text_size(self.ax_)
        most = letters(0.3 * self.ax_.figure.bbox.width / self.ax_.figure.dpi, size)
        names = distinct_names(self.groups, most)
        self.ax_.set_yticks(
            [row.bottom + 0.1 for row in rows], [names[row.groups[0]] for row in rows], size=size
        )
        self.ax_.tick_params(axis="y", length=0)
        plain(*self.ax_.get_yticklabels())

    def _entries(self) -> list[Entry]:
        entries = []
        if self.overlaid:
            for group, name in enumerate(names_of(self.groups)):
                colour, dash = self._style(group)
                entries.append(Entry(name, {"color": colour, "ls": dash, "lw": 2}))
        if self.cuts is not None:
            paper = ink(self.ax_)
            if _any_finite(self.cuts.before):
                entries.append(
                    Entry("cut at least cost", {"color": paper, "ls": "--", "alpha": 0.6})
                )
            if _any_finite(self.cuts.after):
                name = "cut" if self.cuts.before is None else "fair cut"
                entries.append(Entry(name, {"color": paper, "ls": "-"}))
        return entries

    def _unused(self) -> list[str]:
        """Labels that no score gets, as a line of text."""
        if self.cuts is None:
            return []
        used = set[int]()
        for group, values in enumerate(self.scores):
            used |= {*np.searchsorted(self.cuts.of(group)[1], values, side="left").tolist()}
        names = names_of(self.cuts.labels)
        unused = [name for label, name in enumerate(names) if label not in used]
        room = letters(0.8 * inches(self.ax_)[0], text_size(self.ax_))
        if not unused:
            return []
        text = "never predicted: " + ", ".join(unused)
        return [text if len(text) <= room else text[: room - 1] + "…"]

    def _name_labels(self, rows: list[Row]) -> list[Any]:
        """Between the cuts; those that would touch another are left out, narrow ones first."""
        settle_layout(self.ax_)
        texts = [text for row in rows if row.named for text in self._names_in(row)]
        texts.sort(key=lambda pair: -pair[0])
        kept: list[Any] = []
        for room, text in texts:
            box = text.get_window_extent()
            if box.width > 0.96 * room or any(box.overlaps(t.get_window_extent()) for t in kept):
                text.remove()
            else:
                kept.append(text)
        return kept

    def _names_in(self, row: Row) -> list[tuple[float, Any]]:
        """Names of the labels with the pixels that each has."""
        assert self.cuts is not None
        assert row.after is not None
        low, high = self.ax_.get_xlim()
        ends = np.concatenate([[low], np.clip(row.after, low, high), [high]])
        names, found = [name_of(label) for label in self.cuts.labels], []
        pixels = self.ax_.get_window_extent().width / (high - low)
        size = 0.9 * text_size(self.ax_)
        for name, left, right in zip(names, ends[:-1], ends[1:], strict=True):
            room = (right - left) * pixels
            if room > 0:
                fits = letters(0.96 * room / self.ax_.figure.dpi, size)
                found.append((room, self._name(row, (left + right) / 2, name, fits, size)))
        return found

    def _name(self, row: Row, middle: float, name: str, most: int, size: float) -> Any:
        shown = name if len(name) <= most else f"{name[: most - 1]}…"
        return self.ax_.text(
            *(middle, row.bottom + 1.0 + STRIP / 2, shown),
            ha="center",
            va="center",
            size=size,
            color=ink(self.ax_),
            in_layout=False,
            parse_math=False,
        )

    def frame(self) -> Any:
        """The curves: `group`, `score` and `density`, a row for each point of them."""
        middles, curves = self._densities()
        columns = {
            "group": np.repeat(names_of(self.groups), len(middles)).tolist(),
            "score": np.tile(middles, len(curves)).tolist(),
            "density": np.concatenate(curves).tolist(),
        }
        return make_frame(columns, None)

    def cuts_frame(self) -> Any:
        """The cut points: `group`, `label`, and the score `before` and `after` that it goes up to.

        The highest label has no row; `before` is nan if nothing is known of it.
        """
        if self.cuts is None:
            raise ValueError("There are no cut points: the model has no thresholds_.")
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


def _cuts_of(model: Any, groups: list[Any], X: Any, scores: Array) -> Cuts | None:
    """The thresholds of a model, those of least cost moved to the scale of its scores."""
    if not hasattr(model, "thresholds_"):
        return None
    after, labels = np.asarray(model.thresholds_), tuple(model.classes_.tolist())
    result = getattr(model, "result_", None)
    if result is None:
        return Cuts(labels, after) if _predicts_by(model, after, X, scores) else None
    known = np.isfinite(after) & np.isfinite(result.thresholds)
    shift = (after[known] - result.thresholds[known]).mean() if known.any() else np.nan
    before = None if np.isnan(shift) else result.cheapest + shift
    if after.ndim == 2:
        known_groups = result.groups.tolist()
        strange = [group for group in groups if group not in known_groups]
        if strange:
            raise ValueError(
                f"sensitive_features holds group {strange[0]!r}, which has no thresholds; known "
                f"groups are {known_groups}."
            )
        after = after[[known_groups.index(group) for group in groups]]
    return Cuts(labels, after, before)


def _predicts_by(model: Any, thresholds: Array, X: Any, scores: Array) -> bool:
    """Whether the predictions of a model are its scores, cut at thresholds."""
    if thresholds.shape != (len(model.classes_) - 1,):
        return False
    cut = model.classes_[np.searchsorted(thresholds, scores, side="left")]
    return np.array_equal(cut, model.predict(X))
