"""What a score depends on, as bars."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from fairordinal._render import make_frame
from fairordinal._validation import Array, check_whole
from fairordinal.plotting._canvas import axes_for, distinct_names, root_figure, set_names

LONGEST_NAME = 30


class ImportanceDisplay:
    """Shares of the variance of a score by feature.

    Parameters
    ----------
    names : sequence of str
        Features.
    importances : array-like of shape (n_features,)
        Their shares. They add up to 1; a negative share belongs to a feature that offsets others.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Where it was drawn last.

    See Also
    --------
    FairOrdinalClassifier : Its `feature_importances_` are drawn here.

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
                f"importances must be one number for each of {len(self.names)} names, got shape "
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
            Fitted, or any model with `feature_importances_`.
        feature_names : sequence of str, default=None
            Names of the features; None takes those it was fitted with, or numbers them.
        most : int, default=15
            How many features are drawn; those with the largest shares.
        ax : matplotlib Axes, default=None
            Where to draw; None makes a figure.

        Returns
        -------
        display : ImportanceDisplay
            Drawn.
        """
        check_is_fitted(estimator, "feature_importances_")
        importances = estimator.feature_importances_
        if feature_names is None:
            numbered = [f"feature {i}" for i in range(len(importances))]
            feature_names = getattr(estimator, "feature_names_in_", numbered)
        return cls(feature_names, importances).plot(most=most, ax=ax)

    def plot(self, *, most: int = 15, ax: Any = None) -> ImportanceDisplay:
        """Draw bars, the largest share on top.

        Parameters
        ----------
        most : int, default=15
            How many features are drawn; those with the largest shares.
        ax : matplotlib Axes, default=None
            Where to draw; None makes a figure.

        Returns
        -------
        display : ImportanceDisplay
            With `ax_` and `figure_`.
        """
        shown = self._order[: check_whole(most, "most", least=1)]
        self.ax_ = axes_for(ax)
        self.figure_ = root_figure(self.ax_)
        places = np.arange(len(shown))
        self.ax_.barh(places, self.importances[shown])
        names = distinct_names([self.names[i] for i in shown], LONGEST_NAME)
        self.ax_.set_yticks(places, names, parse_math=False)
        self.ax_.invert_yaxis()
        self.ax_.axvline(0.0, color="0.5", linewidth=0.8)
        rest = len(self.names) - len(shown)
        title = "What the score depends on" + (f" ({rest} more features)" if rest else "")
        set_names(self.ax_, x="share of the variance of the score", title=title)
        return self

    def frame(self) -> Any:
        """Features and their shares, the largest first, as a frame of pandas."""
        order = self._order
        columns = {
            "feature": [self.names[i] for i in order],
            "importance": self.importances[order].tolist(),
        }
        return make_frame(columns, "pandas")

    @property
    def _order(self) -> Array:
        return np.argsort(-np.abs(self.importances), kind="stable")
