"""Rows counted by cell and score: score by score, or by stretches of scores if there are many."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy import sparse

from fairordinal._rows._rows import Rows
from fairordinal._table import ScoreTable
from fairordinal._validation import Array

if TYPE_CHECKING:
    from fairordinal._rows._block import Block

MOST_DISTINCT = 1 << 17  # rows whose scores are told apart
STRETCHES = 1 << 14  # into which the scores of more rows are put
UNEVEN = 2.0  # times the mean weight that a stretch may have, before they are divided again
MOST_ROUNDS = 6
ROUNDING = 1e-12  # of the range of scores
N_QUANTILES = 64  # by which scores of different fits are aligned
TOLD_APART = 1e-6  # share of an affine map in the alignment


def score_table(rows: Rows, coef: Array, names: Array, labels: Array) -> ScoreTable:
    """Counts by group, label and score, with the names of groups and labels.

    Scores that differ by rounding alone are one. The scores of more than `MOST_DISTINCT` rows are
    put into stretches of about equal weight; a table then says where each begins and ends.
    """
    if rows.n_rows <= MOST_DISTINCT:
        scored = rows.reduce(_scored, _one_below_the_other, coef)
        return counted_scores(*scored, names, labels, rows.one)
    stretches = _stretches(rows, coef)
    counts = sparse.csc_array(stretches.counts)
    return ScoreTable(
        counts,
        names,
        labels,
        stretches.highest,
        predicts_labels=False,
        lowest=stretches.lowest,
        one=rows.one,
    )


class Scored(NamedTuple):
    """Rows as scores."""

    scores: Array
    cells: Array
    weight: Array


def _scored(block: Block, coef: Array) -> Scored:
    return Scored(block.scores(coef), block.cells, block.weight)


def _one_below_the_other(parts: Sequence[Scored]) -> Scored:
    return Scored(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def counted_scores(
    scores: Array, cells: Array, weight: Array, names: Array, labels: Array, one: float = 1.0
) -> ScoreTable:
    """Counts by group, label and score of rows in memory."""
    values, number = distinct_scores(scores)
    shape = (len(names) * len(labels), len(values))
    counts = sparse.csc_array((weight, (cells, number)), shape=shape)
    return ScoreTable(counts, names, labels, values, predicts_labels=False, one=one)


def distinct_scores(scores: Array) -> tuple[Array, Array]:
    """Distinct scores in ascending order, and the number of each row's score among them.

    Scores that differ by rounding alone are equal.
    """
    order = np.argsort(scores, kind="stable")
    placed = scores[order]
    first = np.concatenate([[True], np.diff(placed) > ROUNDING * (placed[-1] - placed[0])])
    number = np.empty(len(scores), dtype=np.intp)
    number[order] = np.cumsum(first) - 1
    return placed[first], number


def align(scores: Array, own: Array, common: Array, weight: Array | None = None) -> Array:
    """Put scores of one fit on the scale of another.

    The scores of a ranker are defined up to an increasing map, which differs from fit to fit. `own`
    and `common` are the scores of the same rows by the one and by the other. Quantiles of `own` are
    mapped to those of `common`, linearly in between; beyond the outer ones, the map has the slope
    of the standard deviations. Scores of a frozen estimator do not change.
    """
    if np.array_equal(own, common):
        return scores
    (own_mean, own_spread), (mean, spread) = (_moments(each, weight) for each in (own, common))
    slope = spread / own_spread if own_spread > 0 and spread > 0 else 1.0
    knots, values = (_quantiles(each, weight) for each in (own, common))
    knots, number = np.unique(knots, return_inverse=True)  # equal ones have their mean value
    values = np.bincount(number, values) / np.bincount(number)
    inner = np.clip(scores, knots[0], knots[-1])
    mapped = np.interp(inner, knots, values) + slope * (scores - inner)
    ordered = slope * (scores - own_mean) + mean  # tells scores apart that are mapped to one
    return np.asarray((1.0 - TOLD_APART) * mapped + TOLD_APART * ordered)


def _quantiles(scores: Array, weight: Array | None) -> Array:
    """Quantiles of weighted scores, evenly spaced."""
    order = np.argsort(scores, kind="stable")
    through = np.cumsum(np.ones(len(scores)) if weight is None else weight[order])
    shares = (np.arange(N_QUANTILES) + 0.5) / N_QUANTILES * through[-1]
    return scores[order][np.searchsorted(through, shares)]


def _moments(scores: Array, weight: Array | None) -> tuple[float, float]:
    mean = np.average(scores, weights=weight)
    return float(mean), float(np.sqrt(np.average((scores - mean) ** 2, weights=weight)))


class Stretches(NamedTuple):
    """Consecutive stretches of scores: weight of each cell, lowest and highest score."""

    counts: Array  # (n_cells, stretches)
    lowest: Array
    highest: Array

    @property
    def filled(self) -> Stretches:
        some = self.lowest <= self.highest
        return Stretches(self.counts[:, some], self.lowest[some], self.highest[some])


def _stretches(rows: Rows, coef: Array) -> Stretches:
    """Stretches of about equal weight; equal scores are never parted."""
    edges = np.zeros(0)
    for number in range(MOST_ROUNDS):
        found = rows.reduce(_in_stretches, _add_stretches, coef, edges).filled
        if number and _is_even(found):
            break
        edges = _even_edges(found)
    return found


def _in_stretches(block: Block, coef: Array, edges: Array) -> Stretches:
    """Rows of a block in the stretches between edges; a score on an edge lies below it."""
    scores, n = block.scores(coef), len(edges) + 1
    place = np.searchsorted(edges, scores, side="left")
    at = block.cells * n + place
    counts = np.bincount(at, block.weight, block.n_cells * n).reshape(-1, n)
    lowest, highest = np.full(n, np.inf), np.full(n, -np.inf)
    np.minimum.at(lowest, place, scores)
    np.maximum.at(highest, place, scores)
    return Stretches(counts, lowest, highest)


def _add_stretches(parts: Sequence[Stretches]) -> Stretches:
    return Stretches(
        np.sum([part.counts for part in parts], axis=0),
        np.min([part.lowest for part in parts], axis=0),
        np.max([part.highest for part in parts], axis=0),
    )


def _is_even(found: Stretches) -> bool:
    weight = found.counts.sum(axis=0)
    wide = found.lowest < found.highest
    return float(weight[wide].max(initial=0.0)) <= UNEVEN * weight.sum() / STRETCHES


def _even_edges(found: Stretches) -> Array:
    """Edges between stretches of equal weight, if the rows of each found lie evenly in it."""
    weight = found.counts.sum(axis=0)
    through = np.cumsum(weight)
    ends = np.stack([found.lowest, found.highest], axis=1).ravel()
    below = np.stack([through - weight, through], axis=1).ravel()
    shares = through[-1] * np.arange(1, STRETCHES) / STRETCHES
    inner = np.interp(shares, below, ends)
    return np.unique(np.concatenate([inner, found.highest[:-1]]))
