"""Scores of rows: counted by cell, and aligned between fits.

`score_table` counts rows by cell and distinct score. If there are more than `MOST_DISTINCT` rows,
it counts them by intervals of scores of about equal weight.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy import sparse

from fairordinal._table import ScoreTable
from fairordinal._validation import Array

if TYPE_CHECKING:
    from fairordinal._rows._block import Block, Rows

MOST_DISTINCT = 1 << 17  # rows up to which distinct scores are counted separately
N_INTERVALS = 1 << 14  # of about equal weight, for the scores of more rows
UNEVEN = 2.0  # largest weight of an interval, relative to the mean, that is accepted
MOST_PASSES = 6  # by which intervals of about equal weight are found
ROUNDING = 1e-12  # difference, relative to the range, up to which scores are equal
N_QUANTILES = 64  # by which scores of different fits are aligned
TOLD_APART = 1e-6  # share of an affine map in the alignment, which keeps distinct scores distinct


def score_table(rows: Rows, coef: Array, names: Array, labels: Array) -> ScoreTable:
    """Counts of rows by group, label and score Xw.

    Scores that differ only by rounding are equal. The scores of more than `MOST_DISTINCT` rows are
    counted by intervals of about equal weight; the table then has the ends of each interval.

    Parameters
    ----------
    rows : Rows
        Rows, in memory or in blocks of Dask.
    coef : ndarray of shape (n_features,)
        Coefficients w.
    names : ndarray of shape (n_groups,)
        Names of the groups.
    labels : ndarray of shape (n_labels,)
        Labels in ascending order.
    """
    if rows.n_rows <= MOST_DISTINCT:
        scored = rows.reduce(_scored, _concatenated, coef)
        return counted_scores(*scored, names, labels, rows.one)
    intervals = _even_intervals(rows, coef)
    counts = sparse.csc_array(intervals.counts)
    return ScoreTable(
        counts,
        names,
        labels,
        intervals.highest,
        predicts_labels=False,
        lowest=intervals.lowest,
        one=rows.one,
    )


class Scored(NamedTuple):
    """Scores, cells and weights of rows."""

    scores: Array
    cells: Array
    weight: Array


def _scored(block: Block, coef: Array) -> Scored:
    return Scored(block.scores(coef), block.cells, block.weight)


def _concatenated(parts: Sequence[Scored]) -> Scored:
    return Scored(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def counted_scores(
    scores: Array, cells: Array, weight: Array, names: Array, labels: Array, one: float = 1.0
) -> ScoreTable:
    """Counts by group, label and score of rows in memory, given their scores."""
    values, number = distinct_scores(scores)
    shape = (len(names) * len(labels), len(values))
    counts = sparse.csc_array((weight, (cells, number)), shape=shape)
    return ScoreTable(counts, names, labels, values, predicts_labels=False, one=one)


def distinct_scores(scores: Array) -> tuple[Array, Array]:
    """Distinct scores in ascending order, and for each row the index of its score among them.

    Scores that differ only by rounding are equal.
    """
    order = np.argsort(scores, kind="stable")
    ordered = scores[order]
    first = np.concatenate([[True], np.diff(ordered) > ROUNDING * (ordered[-1] - ordered[0])])
    number = np.empty(len(scores), dtype=np.intp)
    number[order] = np.cumsum(first) - 1
    return ordered[first], number


def align(scores: Array, own: Array, common: Array, weight: Array | None = None) -> Array:
    """Map scores of one fit to the scale of another.

    The scores of a ranker are defined up to an increasing map, which differs from fit to fit. The
    map used here takes quantiles of `own` to those of `common` and is linear between them. Beyond
    the outer quantiles, its slope is the ratio of the standard deviations. If `own` and `common`
    are equal, as for a frozen estimator, scores do not change.

    Parameters
    ----------
    scores : ndarray of shape (n_scores,)
        Scores of the first fit, of any rows.
    own : ndarray of shape (n_rows,)
        Scores of the first fit, of rows that both fits have scored.
    common : ndarray of shape (n_rows,)
        Scores of the second fit, of the same rows.
    weight : ndarray of shape (n_rows,), default=None
        Weights of these rows.

    Returns
    -------
    aligned : ndarray of shape (n_scores,)
        Scores on the scale of the second fit.
    """
    if np.array_equal(own, common):
        return scores
    (own_mean, own_spread), (mean, spread) = (_moments(each, weight) for each in (own, common))
    slope = spread / own_spread if own_spread > 0 and spread > 0 else 1.0
    knots, values = (_quantiles(each, weight) for each in (own, common))
    knots, number = np.unique(
        knots, return_inverse=True
    )  # equal knots get the mean of their values
    values = np.bincount(number, values) / np.bincount(number)
    inner = np.clip(scores, knots[0], knots[-1])
    mapped = np.interp(inner, knots, values) + slope * (scores - inner)
    ordered = slope * (scores - own_mean) + mean  # strictly increasing
    return np.asarray((1.0 - TOLD_APART) * mapped + TOLD_APART * ordered)


def _quantiles(scores: Array, weight: Array | None) -> Array:
    """Weighted quantiles at the shares (1/2)/N, (3/2)/N, … with N = `N_QUANTILES`."""
    order = np.argsort(scores, kind="stable")
    through = np.cumsum(np.ones(len(scores)) if weight is None else weight[order])
    shares = (np.arange(N_QUANTILES) + 0.5) / N_QUANTILES * through[-1]
    return scores[order][np.searchsorted(through, shares)]


def _moments(scores: Array, weight: Array | None) -> tuple[float, float]:
    """Weighted mean and standard deviation."""
    mean = np.average(scores, weights=weight)
    return float(mean), float(np.sqrt(np.average((scores - mean) ** 2, weights=weight)))


class ScoreIntervals(NamedTuple):
    """Consecutive intervals of scores: weights by cell, lowest and highest score."""

    counts: Array  # (n_cells, n_intervals)
    lowest: Array  # (n_intervals,); inf if the interval is empty
    highest: Array  # (n_intervals,); -inf if the interval is empty

    @property
    def filled(self) -> ScoreIntervals:
        """The intervals that are not empty."""
        some = self.lowest <= self.highest
        return ScoreIntervals(self.counts[:, some], self.lowest[some], self.highest[some])


def _even_intervals(rows: Rows, coef: Array) -> ScoreIntervals:
    """Intervals of about equal weight; equal scores are in one interval.

    The first pass finds the range of the scores. Each further pass counts rows between edges that
    are quantiles, if the rows found so far are spread evenly within each interval.
    """
    edges = np.zeros(0)
    for number in range(MOST_PASSES):
        found = rows.reduce(_in_intervals, _add_intervals, coef, edges).filled
        if number and _is_even(found):
            break
        edges = _quantile_edges(found)
    return found


def _in_intervals(block: Block, coef: Array, edges: Array) -> ScoreIntervals:
    """Rows of a block in the intervals between edges; a score equal to an edge is below it."""
    scores, n = block.scores(coef), len(edges) + 1
    interval = np.searchsorted(edges, scores, side="left")
    at = block.cells * n + interval
    counts = np.bincount(at, block.weight, block.n_cells * n).reshape(-1, n)
    lowest, highest = np.full(n, np.inf), np.full(n, -np.inf)
    np.minimum.at(lowest, interval, scores)
    np.maximum.at(highest, interval, scores)
    return ScoreIntervals(counts, lowest, highest)


def _add_intervals(parts: Sequence[ScoreIntervals]) -> ScoreIntervals:
    return ScoreIntervals(
        np.sum([part.counts for part in parts], axis=0),
        np.min([part.lowest for part in parts], axis=0),
        np.max([part.highest for part in parts], axis=0),
    )


def _is_even(found: ScoreIntervals) -> bool:
    """Whether no interval of several scores has much more than the mean weight."""
    weight = found.counts.sum(axis=0)
    several = found.lowest < found.highest
    return float(weight[several].max(initial=0.0)) <= UNEVEN * weight.sum() / N_INTERVALS


def _quantile_edges(found: ScoreIntervals) -> Array:
    """Edges at evenly spaced quantiles, and between the intervals found.

    Quantiles are interpolated: rows are assumed to be spread evenly within each interval.
    """
    weight = found.counts.sum(axis=0)
    through = np.cumsum(weight)
    ends = np.stack([found.lowest, found.highest], axis=1).ravel()
    below = np.stack([through - weight, through], axis=1).ravel()
    shares = through[-1] * np.arange(1, N_INTERVALS) / N_INTERVALS
    inner = np.interp(shares, below, ends)
    return np.unique(np.concatenate([inner, found.highest[:-1]]))
