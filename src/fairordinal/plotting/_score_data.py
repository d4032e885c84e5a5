"""What a figure of scores shows: smooth densities of the scores, and cut points.

The density is a fine histogram, smoothed by a Gaussian kernel. Its bandwidth follows Silverman's
rule of thumb, ``0.9 * min(sd, iqr / 1.34) * n ** (-1/5)``, with the effective number of rows
``n = sum(w)**2 / sum(w**2)`` for weights w.

Cut points (`thresholds` in the code) may be shared by all groups or differ between them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.ndimage import gaussian_filter1d

from fairordinal._validation import Array

N_BINS = 400
LEAST_BANDWIDTH = 1.5  # in bins
TAIL = 0.002  # share of the rows on either side that may lie outside of the figure
REACH = 1.5  # how far outliers are still shown, in units of the range without tails


# Densities


def picture_range(values: Array, weights: Array, marks: Array) -> tuple[float, float]:
    """Range of an axis that shows all values except far outliers, and all finite marks."""
    order = np.argsort(values)
    share = np.cumsum(weights[order]) / weights.sum()
    inner = values[order][np.searchsorted(share, [TAIL, 1.0 - TAIL]).clip(0, len(values) - 1)]
    reach = REACH * (inner[1] - inner[0])
    seen = values[(values >= inner[0] - reach) & (values <= inner[1] + reach)]
    seen = np.concatenate([seen, marks[np.isfinite(marks)]])
    low, high = float(seen.min()), float(seen.max())
    margin = 0.06 * (high - low) or max(abs(low), 1.0) * 0.5
    return low - margin, high + margin


def density(values: Array, weights: Array, edges: Array) -> Array:
    """Density of weighted values at the middle of each bin."""
    share = weights / weights.sum()
    counts, _ = np.histogram(values, bins=edges, weights=share)
    width = edges[1] - edges[0]
    rule = _spread(values, share) * 0.9 * _effective_rows(weights) ** -0.2
    bandwidth = max(rule / width, LEAST_BANDWIDTH)
    # "reflect" loses no mass at the ends of the range
    return np.asarray(gaussian_filter1d(counts, bandwidth, mode="reflect") / width)


def _effective_rows(weights: Array) -> float:
    """Number of rows of equal weight that would be as informative."""
    return float(weights.sum() ** 2 / (weights**2).sum()) if len(weights) else 1.0


def _spread(values: Array, share: Array) -> float:
    """Smaller of the standard deviation and the scaled interquartile range, if that is not 0."""
    order = np.argsort(values)
    at = np.searchsorted(np.cumsum(share[order]), [0.25, 0.75]).clip(0, len(values) - 1)
    quartiles: Any = values[order][at]
    deviation = float(np.sqrt(max(share @ values**2 - (share @ values) ** 2, 0.0)))
    between = float(quartiles[1] - quartiles[0]) / 1.34
    return min(deviation, between) if between > 0 else deviation


def group_weights(result: Any) -> list[Array]:
    """Weight of the rows of each group at each distinct score of a ThresholdResult."""
    counts, n_labels = result.score_table.counts.tocsr(), len(result.labels)
    return [
        np.asarray(counts[g * n_labels : (g + 1) * n_labels].sum(axis=0))  # rows are cells (g, y)
        for g in range(len(result.score_table.groups))
    ]


# Cut points


@dataclass(frozen=True, eq=False)
class Cuts:
    """Cut points between labels, before and after a change.

    Attributes
    ----------
    labels : tuple of length n_labels
        Labels in ascending order.
    after : ndarray of shape (n_labels - 1,) or (n_groups, n_labels - 1)
        Cut points, shared or one row for each group; infinite ones mean unused labels.
    before : ndarray of shape (n_labels - 1,) or (n_groups, n_labels - 1), default=None
        Cut points to compare with, such as those of least cost; None if there are none.

    See Also
    --------
    ScoreDisplay : Draws cut points on the densities of the scores.
    """

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
        """Whether each group has its own cut points."""
        return self.after.ndim == 2

    def of(self, group: int) -> tuple[Array | None, Array]:
        """Cut points of a group, before and after.

        Parameters
        ----------
        group : int
            Number of the group.

        Returns
        -------
        before : ndarray of shape (n_labels - 1,) or None
            Cut points before.
        after : ndarray of shape (n_labels - 1,)
            Cut points after.
        """
        pair = [
            None if cuts is None else cuts[group] if cuts.ndim == 2 else cuts
            for cuts in (self.before, self.after)
        ]
        return pair[0], np.asarray(pair[1])

    def finite(self) -> Array:
        """Return all finite cut points, before and after.

        Returns
        -------
        cuts : ndarray of shape (n_finite,)
            The cut points that can be drawn.
        """
        every = [np.ravel(cuts) for cuts in (self.before, self.after) if cuts is not None]
        cuts = np.concatenate(every)
        return cuts[np.isfinite(cuts)]


def cuts_of_model(model: Any, groups: list[Any], X: Any, scores: Array) -> Cuts | None:
    """Cut points of a fitted model in the order of `groups`; None if it does not predict by any."""
    if not hasattr(model, "thresholds_"):
        return None
    after, labels = np.asarray(model.thresholds_), tuple(model.classes_.tolist())
    result = getattr(model, "result_", None)
    if result is None:
        return Cuts(labels, after) if _predicts_by(model, after, X, scores) else None
    shift = score_shift(after, result)
    before = None if np.isnan(shift) else result.cheapest + shift
    if after.ndim == 2:
        after = after[_rows_of_groups(groups, result.groups.tolist())]
    return Cuts(labels, after, before)


def score_shift(thresholds: Array, result: Any) -> float:
    """Difference between a model's thresholds and those of its ThresholdResult; nan if unknown.

    The result has thresholds on out-of-fold scores; the model's own scores may be shifted by a
    constant. Infinite thresholds say nothing about it.
    """
    known = np.isfinite(thresholds) & np.isfinite(result.thresholds)
    return float((thresholds[known] - result.thresholds[known]).mean()) if known.any() else np.nan


def _rows_of_groups(groups: list[Any], known: list[Any]) -> list[int]:
    """Rows of the thresholds of groups; unknown groups are refused."""
    unknown = [group for group in groups if group not in known]
    if unknown:
        raise ValueError(
            f"sensitive_features holds group {unknown[0]!r}, which has no thresholds; known groups "
            f"are {known}."
        )
    return [known.index(group) for group in groups]


def _predicts_by(model: Any, thresholds: Array, X: Any, scores: Array) -> bool:
    """Whether the predictions of a model are its scores, cut at the thresholds."""
    if thresholds.shape != (len(model.classes_) - 1,):
        return False
    cut = model.classes_[np.searchsorted(thresholds, scores, side="left")]
    return np.array_equal(cut, model.predict(X))
