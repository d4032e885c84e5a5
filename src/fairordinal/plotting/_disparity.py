"""The disparities of all pairs of groups as a coloured matrix.

A disparity ``p[g, h] - p[h, g]`` is positive if the group g of the row has the larger value.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fairordinal._audit import Audit, Finding, audit
from fairordinal._render import make_frame, names_of
from fairordinal._validation import Array, labels_of, predictions_of, warn_misaligned
from fairordinal.criteria import as_criterion
from fairordinal.plotting._canvas import axes_for, set_names
from fairordinal.plotting._matrix import (
    MOST_DRAWN,
    add_colour_bar,
    check_drawn,
    draw_cells,
    name_sides,
    write_in_cells,
)

COLOURS = "PuOr_r"  # orange is positive, purple negative; distinguishable with colour blindness
LEAST_COLOUR_LIMIT = 0.25  # so that small disparities get pale colours


def worst_parts(finding: Finding) -> tuple[Array, Array, Array]:
    """Disparities and both ends of their intervals, each of shape (n_groups, n_groups).

    A criterion may have several parts, such as the two rates of equalized odds. For each pair of
    groups, the part with the largest absolute disparity is taken.
    """
    worst = np.argmax(np.nan_to_num(np.abs(finding.disparities), nan=-1.0), axis=0)[None]
    disparities, lower, upper = (
        np.take_along_axis(values, worst, axis=0)[0]
        for values in (finding.disparities, finding.lower, finding.upper)
    )
    return disparities, lower, upper


def colour_limit(disparities: Array) -> float:
    """The absolute disparity that gets the strongest colour."""
    return max([LEAST_COLOUR_LIMIT, *np.abs(disparities[np.isfinite(disparities)]).tolist()])


class DisparityDisplay:
    r"""Matrix of the disparities of all pairs of groups.

    A cell holds the disparity of the group of its row compared with the group of its column, and
    the interval; it is bold if the interval excludes 0. Undefined cells are hatched.

    Parameters
    ----------
    groups : sequence of length n_groups
        Names of the groups.
    disparities : array-like of shape (n_groups, n_groups)
        Disparity of each row's group compared with each column's; nan if undefined.
    lower : array-like of shape (n_groups, n_groups)
        Lower ends of the intervals; nan if there is none.
    upper : array-like of shape (n_groups, n_groups)
        Upper ends of the intervals; nan if there is none.
    title : str, default=""
        Title of the figure, such as the name of the criterion.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes of the last `plot`.
    figure_ : matplotlib Figure
        The figure of the last `plot`.
    image_ : matplotlib AxesImage
        The coloured cells.
    texts_ : list of matplotlib Text
        Text in the cells, row by row; empty if the cells are too small.

    See Also
    --------
    fairordinal.audit : Computes the disparities and their intervals.
    GroupConfusionDisplay : Draws true and predicted labels of each group.

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
        cls, audit: Audit, criterion: str = "demographic_parity", *, ax: Any = None
    ) -> DisparityDisplay:
        """Draw one criterion of an audit.

        If the criterion has several parts, the largest disparity of each pair is drawn.

        Parameters
        ----------
        audit : Audit
            As :func:`~fairordinal.audit` returns it.
        criterion : str, default="demographic_parity"
            Name of the criterion.
        ax : matplotlib Axes, default=None
            Where to draw; None makes a figure.

        Returns
        -------
        display : DisparityDisplay
            The display, drawn.
        """
        finding = audit[criterion]
        disparities, lower, upper = worst_parts(finding)
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
        """Audit predictions by one criterion and draw its disparities.

        Rows are matched by position; an index is ignored.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            True ordinal labels.
        y_pred : array-like of shape (n_samples,)
            Predicted labels or scores.
        sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns)
            Group of each sample; several columns mean their intersections.
        criterion : str or Criterion, default="demographic_parity"
            The definition of fairness.
        sample_weight : array-like of shape (n_samples,), default=None
            A weight of 2 is a row repeated twice.
        labels : sequence, default=None
            All labels in ascending order; None takes the order of numbers or of categoricals.
        confidence : float, default=0.95
            Confidence level of the intervals, for all pairs of groups at once.
        ax : matplotlib Axes, default=None
            Where to draw; None makes a figure.

        Returns
        -------
        display : DisparityDisplay
            The display, drawn.
        """
        criterion = as_criterion(criterion)
        found = audit(
            y_true,
            y_pred,
            sensitive_features=sensitive_features,
            sample_weight=sample_weight,
            labels=labels,
            predictions="labels" if criterion.needs_labels else "auto",
            criteria=[criterion],
            confidence=confidence,
        )
        return cls.from_audit(found, criterion.name, ax=ax)

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
        """Predict with a model, audit the predictions by one criterion and draw its disparities.

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
        criterion : str or Criterion, default="demographic_parity"
            The definition of fairness.
        sample_weight : array-like of shape (n_samples,), default=None
            A weight of 2 is a row repeated twice.
        labels : sequence, default=None
            All labels in ascending order; None takes those of a model that was fitted with
            `labels`, else the order of numbers or of categoricals.
        confidence : float, default=0.95
            Confidence level of the intervals, for all pairs of groups at once.
        ax : matplotlib Axes, default=None
            Where to draw; None makes a figure.

        Returns
        -------
        display : DisparityDisplay
            The display, drawn.
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
        """Draw the matrix.

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
        diagonal = np.eye(len(self.groups), dtype=bool)
        shown = np.where(diagonal, np.nan, self.disparities)
        limit = colour_limit(shown)
        undefined = np.isnan(shown) & ~diagonal
        self.image_ = draw_cells(self.ax_, shown, undefined, cmap=COLOURS, limits=(-limit, limit))
        set_names(self.ax_, title=self.title, y="group", x="compared with")
        label = "disparity" + " (hatched: undefined)" * bool(undefined.any())
        add_colour_bar(self.image_, self.ax_, label)
        name_sides([self.ax_], self.groups, [self.ax_], self.groups)
        clear = (self.lower > 0) | (self.upper < 0)
        choices = [self._words(with_interval) for with_interval in (True, False)]
        self.texts_ = write_in_cells(self.ax_, self.image_, choices, clear)
        return self

    def _words(self, with_interval: bool) -> list[list[str]]:
        """Text of all cells."""
        groups = range(len(self.groups))
        return [[self._word(g, h, with_interval) for h in groups] for g in groups]

    def _word(self, g: int, h: int, with_interval: bool) -> str:
        value, lower, upper = self.disparities[g, h], self.lower[g, h], self.upper[g, h]
        if g == h or np.isnan(value):
            return ""
        if not with_interval or np.isnan(lower):
            return _signed(value)
        return f"{_signed(value)}\n({_signed(lower)} … {_signed(upper)})"

    def frame(self) -> Any:
        """Return the disparities as a frame, one row for each ordered pair of groups.

        Returns
        -------
        frame : frame of pandas, polars or pyarrow
            With the columns `group`, `other`, `disparity`, `lower` and `upper`.
        """
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
    """A number with two digits and its sign; zero has no sign."""
    return "0.00" if abs(value) < 0.005 else f"{value:+.2f}"
