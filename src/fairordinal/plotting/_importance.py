"""Feature importances as bars: the share of the variance of a score by feature."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from fairordinal._render import make_frame
from fairordinal._validation import Array, check_whole
from fairordinal.plotting._canvas import axes_for, distinct_names, root_figure, set_names

LONGEST_NAME = 30  # letters


class ImportanceDisplay:
    """Bars of feature importances: shares of the variance of a score.

    Parameters
    ----------
    names : sequence of str
        Names of the features.
    importances : array-like of shape (n_features,)
        Shares of the variance, which sum to 1. The share of a feature is negative if it offsets
        other features.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes of the last `plot`.
    figure_ : matplotlib Figure
        The figure of the last `plot`.

    See Also
    --------
    fairordinal.FairOrdinalClassifier : Computes `feature_importances_`.

    Examples
    --------
    >>> from fairordinal.plotting import ImportanceDisplay
    >>> display = ImportanceDisplay(["age", "points"], [0.3, 0.7])
    >>> display.frame()["feature"].tolist()
    ['points', 'age']
    """

    def __init__(self, names: Sequence[str], importances: Any) -> None:
        self.names = [str(name) for name in names]
        self.importances = np.asarray(importances, dtype=np.float64)
        if self.importances.shape != (len(self.names),):
            raise ValueError(
                f"importances must hold one number for each of {len(self.names)} names, got shape "
                f"{self.importances.shape}."
            )

    @classmethod
    def from_estimator(
        cls, estimator: Any, *, feature_names: Any = None, most: int = 15, ax: Any = None
    ) -> ImportanceDisplay:
        """Draw the importances of a fitted model.

        Parameters
        ----------
        estimator : FairOrdinalClassifier
            A fitted model, or any other with `feature_importances_`.
        feature_names : sequence of str, default=None
            Names of the features; None takes `feature_names_in_` of the model, or numbers.
        most : int, default=15
            Number of features to draw: those with the largest absolute shares.
        ax : matplotlib Axes, default=None
            Where to draw; None makes a figure.

        Returns
        -------
        display : ImportanceDisplay
            The display, drawn.
        """
        check_is_fitted(estimator, "feature_importances_")
        importances = estimator.feature_importances_
        if feature_names is None:
            numbered = [f"feature {i}" for i in range(len(importances))]
            feature_names = getattr(estimator, "feature_names_in_", numbered)
        return cls(feature_names, importances).plot(most=most, ax=ax)

    def plot(self, *, most: int = 15, ax: Any = None) -> ImportanceDisplay:
        """Draw the bars, the largest absolute share at the top.

        Parameters
        ----------
        most : int, default=15
            Number of features to draw: those with the largest absolute shares.
        ax : matplotlib Axes, default=None
            Where to draw; None makes a figure.

        Returns
        -------
        self : ImportanceDisplay
            With `ax_` and `figure_`.
        """
        shown = self._order[: check_whole(most, "most", least=1)]
        self.ax_ = axes_for(ax)
        self.figure_ = root_figure(self.ax_)
        heights = np.arange(len(shown))
        self.ax_.barh(heights, self.importances[shown])
        names = distinct_names([self.names[i] for i in shown], LONGEST_NAME)
        self.ax_.set_yticks(heights, names, parse_math=False)
        self.ax_.invert_yaxis()
        self.ax_.axvline(0.0, color="0.5", linewidth=0.8)
        rest = len(self.names) - len(shown)
        title = "What the score depends on" + (f" ({rest} more features)" if rest else "")
        set_names(self.ax_, x="share of the variance of the score", title=title)
        return self

    def frame(self) -> Any:
        """Return the importances as a frame, the largest absolute share first.

        Returns
        -------
        frame : frame of pandas
            With the columns `feature` and `importance`; polars or pyarrow if there is no pandas.
        """
        order = self._order
        columns = {
            "feature": [self.names[i] for i in order],
            "importance": self.importances[order].tolist(),
        }
        return make_frame(columns, "pandas")

    @property
    def _order(self) -> Array:
        """Numbers of the features, the largest absolute share first."""
        return np.argsort(-np.abs(self.importances), kind="stable")
