"""A confusion matrix for each group, drawn side by side with one scale of colours."""

from __future__ import annotations

from typing import Any

import numpy as np

from fairordinal._audit import Audit, audit
from fairordinal._render import make_frame, name_of, names_of, percent
from fairordinal._validation import Array, labels_of, predictions_of, warn_misaligned
from fairordinal.plotting._canvas import (
    distinct_names,
    inches,
    letters,
    plain,
    pyplot,
    settle_layout,
    text_size,
)
from fairordinal.plotting._matrix import (
    MOST_DRAWN,
    add_colour_bar,
    check_drawn,
    draw_cells,
    name_sides,
    write_in_cells,
)

COLOURS = "Blues"  # lightness alone encodes the share
MOST_COLUMNS = 3  # of panels
MOST_PANELS = 30
PANEL_SIZE = 2.6  # inches


class GroupConfusionDisplay:
    """Confusion matrix of each group: true against predicted labels.

    A cell holds a share of its row: of the samples of the group with this true label, the share
    that gets this predicted label. All matrices have the same scale of colours. Rows without
    samples are hatched.

    Parameters
    ----------
    groups : sequence of length n_groups
        Names of the groups.
    labels : sequence of length n_labels
        Names of the labels, in ascending order.
    counts : array-like of shape (n_groups, n_labels, n_labels)
        Number of samples by group, true label and predicted label.

    Attributes
    ----------
    ax_ : ndarray of matplotlib Axes
        The axes of the last `plot`, one for each group.
    figure_ : matplotlib Figure
        The figure of the last `plot`.
    images_ : list of matplotlib AxesImage
        The coloured cells of each group.
    texts_ : list of matplotlib Text
        Text in the cells; empty if the cells are too small.

    See Also
    --------
    DisparityDisplay : Draws the disparities of all pairs of groups.

    Examples
    --------
    >>> from fairordinal.plotting import GroupConfusionDisplay
    >>> display = GroupConfusionDisplay.from_predictions(
    ...     [0, 1, 1, 0, 1, 1], [0, 1, 1, 0, 0, 1], sensitive_features=list("aaabbb"))
    >>> display.shares[1]
    array([[1. , 0. ],
           [0.5, 0.5]])
    """

    def __init__(self, groups: Any, labels: Any, counts: Any) -> None:
        self.groups = [*groups]
        self.labels = [*labels]
        self.counts = np.asarray(counts, dtype=np.float64)

    @property
    def shares(self) -> Array:
        """Shares of the rows, of shape (n_groups, n_labels, n_labels); nan without samples."""
        with np.errstate(invalid="ignore"):
            return self.counts / self.counts.sum(axis=2, keepdims=True)

    @classmethod
    def from_audit(cls, audit: Audit, *, ax: Any = None) -> GroupConfusionDisplay:
        """Draw the counts of an audit of predicted labels.

        Parameters
        ----------
        audit : Audit
            As :func:`~fairordinal.audit` returns it.
        ax : sequence of matplotlib Axes, default=None
            Where to draw, one for each group; None makes a figure.

        Returns
        -------
        display : GroupConfusionDisplay
            The display, drawn.
        """
        groups = audit.table.groups.tolist()
        counts = [audit.confusion(group) for group in groups]
        return cls(groups, audit.table.labels.tolist(), counts).plot(ax)

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_pred: Any,
        *,
        sensitive_features: Any,
        sample_weight: Any = None,
        labels: Any = None,
        ax: Any = None,
    ) -> GroupConfusionDisplay:
        """Count true and predicted labels in each group and draw the counts.

        Rows are matched by position; an index is ignored.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            True ordinal labels.
        y_pred : array-like of shape (n_samples,)
            Predicted labels.
        sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns)
            Group of each sample; several columns mean their intersections.
        sample_weight : array-like of shape (n_samples,), default=None
            A weight of 2 is a row repeated twice.
        labels : sequence, default=None
            All labels in ascending order; None takes the order of numbers or of categoricals.
        ax : sequence of matplotlib Axes, default=None
            Where to draw, one for each group; None makes a figure.

        Returns
        -------
        display : GroupConfusionDisplay
            The display, drawn.
        """
        found = audit(
            y_true,
            y_pred,
            sensitive_features=sensitive_features,
            sample_weight=sample_weight,
            labels=labels,
            predictions="labels",
            criteria=["demographic_parity"],  # the fastest, and always defined
        )
        return cls.from_audit(found, ax=ax)

    @classmethod
    def from_estimator(
        cls,
        model: Any,
        X: Any,
        y: Any,
        *,
        sensitive_features: Any,
        sample_weight: Any = None,
        labels: Any = None,
        ax: Any = None,
    ) -> GroupConfusionDisplay:
        """Predict with a model, count true and predicted labels and draw the counts.

        Rows are matched by position; an index is ignored.

        Parameters
        ----------
        model : estimator
            A fitted model; its `predict` gets `sensitive_features` if it takes them.
        X : array-like of shape (n_samples, n_features)
            Features.
        y : array-like of shape (n_samples,)
            True ordinal labels.
        sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns)
            Group of each sample; several columns mean their intersections.
        sample_weight : array-like of shape (n_samples,), default=None
            A weight of 2 is a row repeated twice.
        labels : sequence, default=None
            All labels in ascending order; None takes those of a model that was fitted with
            `labels`, else the order of numbers or of categoricals.
        ax : sequence of matplotlib Axes, default=None
            Where to draw, one for each group; None makes a figure.

        Returns
        -------
        display : GroupConfusionDisplay
            The display, drawn.
        """
        warn_misaligned({"X": X, "y": y, "sensitive_features": sensitive_features})
        return cls.from_predictions(
            y,
            predictions_of(model, X, sensitive_features),
            sensitive_features=sensitive_features,
            sample_weight=sample_weight,
            labels=labels_of(model, labels),
            ax=ax,
        )

    def plot(self, ax: Any = None) -> GroupConfusionDisplay:
        """Draw the matrices.

        Parameters
        ----------
        ax : sequence of matplotlib Axes, default=None
            Where to draw, one for each group; None makes a figure.

        Returns
        -------
        self : GroupConfusionDisplay
            With `ax_`, `figure_`, `images_` and `texts_`.
        """
        check_drawn(len(self.groups), MOST_PANELS, "groups")
        check_drawn(len(self.labels), MOST_DRAWN, "labels")
        self.ax_ = self._axes(ax)
        self.figure_ = self.ax_[0].figure
        self.images_ = [
            draw_cells(panel, share, np.isnan(share), cmap=COLOURS, limits=(0.0, 1.0))
            for panel, share in zip(self.ax_, self.shares, strict=True)
        ]
        no_rows = "\n(hatched: no rows)" * bool(np.isnan(self.shares).any())
        label = "share of the true label" + no_rows
        add_colour_bar(self.images_[-1], self.ax_.tolist(), label, _percent)
        self._name_panels()
        settle_layout(self.ax_[0])
        self.texts_ = self._write("%") or self._write("")
        return self

    def _axes(self, ax: Any) -> Array:
        """The axes given, or those of a new figure; one for each group."""
        n_groups = len(self.groups)
        if ax is not None:
            panels = np.ravel(np.asarray(ax, dtype=object))
            if len(panels) != n_groups:
                raise ValueError(f"ax must be {n_groups} axes, one for each group, got {ax!r}.")
            return panels
        return self._new_axes()

    def _new_axes(self) -> Array:
        """Axes of a new figure, in a grid."""
        n_groups = len(self.groups)
        columns = min(n_groups, MOST_COLUMNS)
        rows = -(-n_groups // columns)
        size = pyplot().rcParams["figure.figsize"]
        if size == pyplot().rcParamsDefault["figure.figsize"]:  # the user did not set it
            size = (PANEL_SIZE * columns + 1.0, PANEL_SIZE * rows)
        _, axes = pyplot().subplots(
            *(rows, columns), figsize=size, layout="constrained", squeeze=False
        )
        for spare in axes.ravel()[n_groups:]:
            spare.remove()
        return axes.ravel()[:n_groups]

    def _name_panels(self) -> None:
        """Write groups above the panels, true labels to the left, predicted labels below."""
        size = text_size(self.ax_[0])
        first = [panel for panel in self.ax_ if _is_leftmost(panel)]
        lowest = [panel for i, panel in enumerate(self.ax_) if self._is_lowest(i)]
        for panel in self.ax_:
            panel.set(xticklabels=[], yticklabels=[])
        for panel in first:
            panel.set_ylabel("true", size=size)
        name_sides(lowest, self.labels, first, self.labels)
        fits = letters(inches(lowest[0])[0], size) >= len("predicted")
        for panel in lowest if fits else [lowest[len(lowest) // 2]]:
            panel.set_xlabel("predicted", size=size)
        titles = distinct_names(self.groups, letters(0.95 * inches(self.ax_[0])[0], size))
        for panel, title in zip(self.ax_, titles, strict=True):
            plain(panel.set_title(title, size=size))

    def _is_lowest(self, panel: int) -> bool:
        """Whether there is no panel below this one."""
        spec = self.ax_[panel].get_subplotspec()
        return spec is None or panel + spec.get_gridspec().ncols >= len(self.ax_)

    def _write(self, sign: str) -> list[Any]:
        """Write shares into all panels in one size, or into none if a panel has no room."""
        correct = np.eye(len(self.labels), dtype=bool)
        texts: list[Any] = []
        for panel, image, shares in zip(self.ax_, self.images_, self.shares, strict=True):
            words = [[_word(share, sign) for share in row] for row in shares]
            written = write_in_cells(panel, image, [words], correct)
            if not written:
                for text in texts:
                    text.remove()
                return []
            texts += written
        smallest = min(text.get_size() for text in texts)
        for text in texts:
            text.set_size(smallest)
        return texts

    def frame(self) -> Any:
        """Return the counts as a frame, one row for each group, true label and predicted label.

        Returns
        -------
        frame : frame of pandas, polars or pyarrow
            With the columns `group`, `y_true`, `y_pred`, `count` and `share`.
        """
        names, labels = names_of(self.groups), [name_of(label) for label in self.labels]
        cells = [*np.ndindex(self.counts.shape)]
        columns = {
            "group": [names[g] for g, _, _ in cells],
            "y_true": [labels[true] for _, true, _ in cells],
            "y_pred": [labels[predicted] for _, _, predicted in cells],
            "count": self.counts.ravel().tolist(),
            "share": self.shares.ravel().tolist(),
        }
        return make_frame(columns, None)


def _word(share: float, sign: str) -> str:
    """A share in percent, with or without the sign; empty for 0 and nan."""
    return percent(share).removesuffix("%") + sign if share > 0 else ""


def _percent(share: float, _: Any) -> str:
    """A tick of the colour bar, in the signature that matplotlib expects."""
    return percent(share)


def _is_leftmost(panel: Any) -> bool:
    """Whether axes are in the first column of their grid, or in no grid."""
    spec = panel.get_subplotspec()
    return spec is None or bool(spec.is_first_col())
