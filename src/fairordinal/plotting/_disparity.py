"""Disparities of all pairs of groups as a picture."""

from __future__ import annotations

from typing import Any

import numpy as np

from fairordinal._audit import Audit, audit
from fairordinal._predictions import labels_of, predictions_of
from fairordinal._render import make_frame, names_of
from fairordinal._validation import warn_misaligned
from fairordinal.criteria import as_criterion
from fairordinal.plotting._canvas import axes_for, set_names, text_size
from fairordinal.plotting._cells import (
    MOST_DRAWN,
    check_drawn,
    draw_cells,
    name_sides,
    write_in_cells,
)

COLOURS = "PuOr_r"  # orange is for more, purple for less: told apart by all eyes
LEAST_LIMIT = 0.25  # so that hardly any disparity looks like hardly any


class DisparityDisplay:
    r"""Who is favoured over whom: a matrix of pairs of groups.

    A cell holds the disparity of its row over its column with the interval, in bold where the
    interval excludes 0. What is undefined is hatched.

    Parameters
    ----------
    groups : sequence of length n_groups
        Names.
    disparities, lower, upper : ndarray of shape (n_groups, n_groups)
        Disparities and their intervals; nan where there are none.
    title : str, default=""
        The notion of fairness.

    Attributes
    ----------
    ax_, figure_, image_ : Axes, Figure and AxesImage
        Of matplotlib.
    texts_ : list of Text
        In the cells; empty if they are too small for any.

    Examples
    --------
    >>> from fairordinal.plotting import DisparityDisplay
    >>> display = DisparityDisplay.from_predictions(
    ...     [0, 1, 2, 0, 1, 2], [1, 2, 2, 0, 0, 1], sensitive_features=list("aaabbb"))
    >>> [text.get_text() for text in display.texts_][1]
    '+0.89\n(-0.28 … +0.96)'
    """

    def __init__(
        self, groups: Any, disparities: Any, *, lower: Any, upper: Any, title: str = ""
    ) -> None:
        self.groups = [*groups]
        self.disparities = np.asarray(disparities, dtype=np.float64)
        self.lower = np.asarray(lower, dtype=np.float64)
        self.upper = np.asarray(upper, dtype=np.float64)
        self.title = title

    @classmethod
    def from_audit(
        cls, audit: Audit, notion: str = "demographic_parity", *, ax: Any = None
    ) -> DisparityDisplay:
        """Show a notion of an audit; of several parts, the worst of each pair.

        Parameters
        ----------
        audit : Audit
            As :func:`~fairordinal.audit` returns it.
        notion : str, default="demographic_parity"
            Name of the notion.
        ax : matplotlib Axes, default=None
            Where to draw; None makes a figure.

        Returns
        -------
        display : DisparityDisplay
            Drawn.
        """
        finding = audit[notion]
        worst = np.argmax(np.nan_to_num(np.abs(finding.disparities), nan=-1.0), axis=0)[None]
        disparities, lower, upper = (
            np.take_along_axis(values, worst, axis=0)[0]
            for values in (finding.disparities, finding.lower, finding.upper)
        )
        groups, title = audit.table.groups.tolist(), finding.criterion.title
        return cls(groups, disparities, lower=lower, upper=upper, title=title).plot(ax)

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_pred: Any,
        *,
        sensitive_features: Any,
        criterion: Any = "demographic_parity",
        sample_weight: Any = None,
        labels: Any = None,
        confidence: float = 0.95,
        ax: Any = None,
    ) -> DisparityDisplay:
        """Audit predictions for a notion, and show it.

        Parameters
        ----------
        y_true, y_pred, sensitive_features, sample_weight, labels, confidence :
            As in :func:`~fairordinal.audit`. Rows are matched by position; an index is ignored.
        criterion : str or Criterion, default="demographic_parity"
            The notion.
        ax : matplotlib Axes, default=None
            Where to draw; None makes a figure.

        Returns
        -------
        display : DisparityDisplay
            Drawn.
        """
        notion = as_criterion(criterion)
        found = audit(
            y_true,
            y_pred,
            sensitive_features=sensitive_features,
            sample_weight=sample_weight,
            labels=labels,
            criteria=[notion],
            confidence=confidence,
        )
        return cls.from_audit(found, notion.name, ax=ax)

    @classmethod
    def from_estimator(
        cls,
        model: Any,
        X: Any,
        y: Any,
        *,
        sensitive_features: Any,
        criterion: Any = "demographic_parity",
        sample_weight: Any = None,
        labels: Any = None,
        confidence: float = 0.95,
        ax: Any = None,
    ) -> DisparityDisplay:
        """Predict, audit, and show a notion.

        Parameters
        ----------
        model : estimator
            Fitted; its `predict` is asked.
        X : array-like of shape (n_samples, n_features)
            Features.
        y : array-like of shape (n_samples,)
            True labels.
        sensitive_features, criterion, sample_weight, labels, confidence, ax :
            As in :meth:`from_predictions`. Rows are matched by position; an index is ignored.

        Returns
        -------
        display : DisparityDisplay
            Drawn.
        """
        warn_misaligned({"X": X, "y": y, "sensitive_features": sensitive_features})
        return cls.from_predictions(
            y,
            predictions_of(model, X, sensitive_features),
            sensitive_features=sensitive_features,
            criterion=criterion,
            sample_weight=sample_weight,
            labels=labels_of(model, labels),
            confidence=confidence,
            ax=ax,
        )

    def plot(self, ax: Any = None) -> DisparityDisplay:
        """Draw.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None makes a figure.

        Returns
        -------
        self : DisparityDisplay
            With `ax_`, `figure_`, `image_` and `texts_`.
        """
        check_drawn(len(self.groups), MOST_DRAWN, "groups")
        self.ax_ = axes_for(ax)
        self.figure_ = self.ax_.figure
        itself = np.eye(len(self.groups), dtype=bool)
        shown = np.where(itself, np.nan, self.disparities)
        limit = max([LEAST_LIMIT, *np.abs(shown[np.isfinite(shown)]).tolist()])
        undefined = np.isnan(shown) & ~itself
        self.image_ = draw_cells(self.ax_, shown, undefined, cmap=COLOURS, limits=(-limit, limit))
        set_names(self.ax_, title=self.title, y="this group over …", x="… this group")
        bar = self.figure_.colorbar(self.image_, ax=self.ax_)
        label = "disparity" + " (hatched: undefined)" * bool(undefined.any())
        bar.set_label(label, size=text_size(self.ax_))
        bar.ax.tick_params(labelsize=0.9 * text_size(self.ax_))
        bar.outline.set_visible(False)
        name_sides([self.ax_], self.groups, [self.ax_], self.groups)
        sure = (self.lower > 0) | (self.upper < 0)
        choices = [self._words(with_interval) for with_interval in (True, False)]
        self.texts_ = write_in_cells(self.ax_, self.image_, choices, sure)
        return self

    def _words(self, with_interval: bool) -> list[list[str]]:
        places = range(len(self.groups))
        return [[self._word(g, h, with_interval) for h in places] for g in places]

    def _word(self, g: int, h: int, with_interval: bool) -> str:
        value, lower, upper = self.disparities[g, h], self.lower[g, h], self.upper[g, h]
        if g == h or np.isnan(value):
            return ""
        if not with_interval or np.isnan(lower):
            return _signed(value)
        return f"{_signed(value)}\n({_signed(lower)} … {_signed(upper)})"

    def frame(self) -> Any:
        """Every pair of groups as a row: `group`, `other`, `disparity`, `lower`, `upper`."""
        names = names_of(self.groups)
        pairs = [(g, h) for g in range(len(names)) for h in range(len(names)) if g != h]
        columns: dict[str, list[Any]] = {
            "group": [names[g] for g, _ in pairs],
            "other": [names[h] for _, h in pairs],
        }
        for name in ("disparity", "lower", "upper"):
            values = self.disparities if name == "disparity" else getattr(self, name)
            columns[name] = [float(values[pair]) for pair in pairs]
        return make_frame(columns, None)


def _signed(value: float) -> str:
    """With its sign, but for 0."""
    return "0.00" if abs(value) < 0.005 else f"{value:+.2f}"
