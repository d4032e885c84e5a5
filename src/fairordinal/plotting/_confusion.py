"""A confusion matrix for each group, side by side."""

from __future__ import annotations

from typing import Any

import numpy as np

from fairordinal._audit import Audit, audit
from fairordinal._predictions import labels_of, predictions_of
from fairordinal._render import make_frame, name_of, names_of, percent
from fairordinal._validation import Array, warn_misaligned
from fairordinal.plotting._canvas import (
    distinct_names,
    inches,
    letters,
    plain,
    pyplot,
    settle_layout,
    text_size,
)
from fairordinal.plotting._cells import (
    MOST_DRAWN,
    check_drawn,
    draw_cells,
    name_sides,
    write_in_cells,
)

COLOURS = "Blues"  # lightness alone tells the share
MOST_COLUMNS = 3
MOST_PANELS = 30
PANEL = 2.6  # inches


class GroupConfusionDisplay:
    """True against predicted labels, a matrix for each group.

    A cell holds the share of its row: of the group's samples with this true label, how many are
    predicted so. All matrices share one scale of colours; rows without samples are hatched.

    Parameters
    ----------
    groups, labels : sequence
        Names.
    counts : ndarray of shape (n_groups, n_labels, n_labels)
        Samples by group, true and predicted label.

    Attributes
    ----------
    ax_ : ndarray of Axes
        One for each group.
    figure_, images_ : Figure and list of AxesImage
        Of matplotlib.

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
        """Share of each row, (n_groups, n_labels, n_labels); nan in rows without samples."""
        with np.errstate(invalid="ignore"):
            return self.counts / self.counts.sum(axis=2, keepdims=True)

    @classmethod
    def from_audit(cls, audit: Audit, *, ax: Any = None) -> GroupConfusionDisplay:
        """Show the counts of an audit of predicted labels.

        Parameters
        ----------
        audit : Audit
            As :func:`~fairordinal.audit` returns it.
        ax : sequence of matplotlib Axes, default=None
            One for each group; None makes a figure.

        Returns
        -------
        display : GroupConfusionDisplay
            Drawn.
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
        """Count true and predicted labels in each group, and show them.

        Parameters
        ----------
        y_true, y_pred, sensitive_features, sample_weight, labels :
            As in :func:`~fairordinal.audit`. Rows are matched by position; an index is ignored.
        ax : sequence of matplotlib Axes, default=None
            One for each group; None makes a figure.

        Returns
        -------
        display : GroupConfusionDisplay
            Drawn.
        """
        found = audit(
            y_true,
            y_pred,
            sensitive_features=sensitive_features,
            sample_weight=sample_weight,
            labels=labels,
            criteria=["demographic_parity"],  # the cheapest, and always defined
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
        """Predict, count and show.

        Parameters
        ----------
        model : estimator
            Fitted; its `predict` is asked.
        X : array-like of shape (n_samples, n_features)
            Features.
        y : array-like of shape (n_samples,)
            True labels.
        sensitive_features, sample_weight, labels, ax :
            As in :meth:`from_predictions`. Rows are matched by position; an index is ignored.

        Returns
        -------
        display : GroupConfusionDisplay
            Drawn.
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
        """Draw.

        Parameters
        ----------
        ax : sequence of matplotlib Axes, default=None
            One for each group; None makes a figure.

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
        bar = self.figure_.colorbar(self.images_[-1], ax=self.ax_.tolist(), format=_percent)
        label = "share of the true label" + "\n(hatched: no rows)" * bool(
            np.isnan(self.shares).any()
        )
        bar.set_label(label, size=text_size(self.ax_[0]))
        bar.ax.tick_params(labelsize=0.9 * text_size(self.ax_[0]))
        bar.outline.set_visible(False)
        self._name_panels()
        settle_layout(self.ax_[0])
        self.texts_ = self._write("%") or self._write("")
        return self

    def _axes(self, ax: Any) -> Array:
        """A panel for each group."""
        n_groups = len(self.groups)
        if ax is not None:
            panels = np.ravel(np.asarray(ax, dtype=object))
            if len(panels) != n_groups:
                raise ValueError(f"ax must be {n_groups} axes, one for each group, got {ax!r}.")
            return panels
        columns = min(n_groups, MOST_COLUMNS)
        rows = -(-n_groups // columns)
        size = pyplot().rcParams["figure.figsize"]
        if size == pyplot().rcParamsDefault["figure.figsize"]:  # nobody asked for it
            size = (PANEL * columns + 1.0, PANEL * rows)
        _, axes = pyplot().subplots(
            *(rows, columns), figsize=size, layout="constrained", squeeze=False
        )
        for spare in axes.ravel()[n_groups:]:
            spare.remove()
        return axes.ravel()[:n_groups]

    def _name_panels(self) -> None:
        """Groups above, true labels to the left of the first column, predicted ones below."""
        size = text_size(self.ax_[0])
        first = [panel for panel in self.ax_ if _is_at(panel, "first_col")]
        lowest = [panel for place, panel in enumerate(self.ax_) if self._is_lowest(place)]
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

    def _is_lowest(self, place: int) -> bool:
        """Whether no other panel is below."""
        spec = self.ax_[place].get_subplotspec()
        return spec is None or place + spec.get_gridspec().ncols >= len(self.ax_)

    def _write(self, sign: str) -> list[Any]:
        """Shares in the cells of all panels, or of none."""
        hits = np.eye(len(self.labels), dtype=bool)
        texts: list[Any] = []
        for panel, image, shares in zip(self.ax_, self.images_, self.shares, strict=True):
            words = [[_word(share, sign) for share in row] for row in shares]
            written = write_in_cells(panel, image, [words], hits)
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
        """Every group, true and predicted label as a row, with `count` and `share`."""
        names, labels = names_of(self.groups), [name_of(label) for label in self.labels]
        places = [*np.ndindex(self.counts.shape)]
        columns = {
            "group": [names[g] for g, _, _ in places],
            "y_true": [labels[true] for _, true, _ in places],
            "y_pred": [labels[predicted] for _, _, predicted in places],
            "count": self.counts.ravel().tolist(),
            "share": self.shares.ravel().tolist(),
        }
        return make_frame(columns, None)


def _word(share: float, sign: str) -> str:
    return percent(share).removesuffix("%") + sign if share > 0 else ""


def _percent(share: float, _: Any) -> str:
    return percent(share)


def _is_at(panel: Any, side: str) -> bool:
    """Whether axes are at a side of their grid; alone, they are at every side."""
    place = panel.get_subplotspec()
    return place is None or bool(getattr(place, f"is_{side}")())
