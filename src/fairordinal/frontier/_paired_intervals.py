r"""Intervals of the difference of the violations of two models, on the same rows.

With signs s and t and contrasts e and f (pairs of groups), two violations differ by::

    max_e |d_e| - max_f |d'_f| = max_{s,e} min_{t,f} (s d_e - t d'_f)

This is non-decreasing in each ``s d_e - t d'_f``. So an interval of each of these gives one of the
difference, by the same max and min of their ends: neither the signs nor the worst pairs of groups
have to be known. Variances come from the influence of each row on both d and d', so that rows are
paired. Squared influences are multiplied by frequency weights, and by the squares of survey
weights. The interval misses the true difference only if the interval of a pair with the true
largest contrast does; the level is therefore divided among the pairs of groups (Bonferroni). It is
not divided between the signs: simulations in ``tests/test_compare.py`` show that this is enough.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from fairordinal._table import ScoreTable
from fairordinal._validation import Array, Weight
from fairordinal.criteria import Criterion

MOST_CONTRASTS = 200  # the largest ones; the true maximum is assumed to be among them
BLOCK = 4096  # distinct rows at a time


class PairedRows(NamedTuple):
    """Rows on which models are compared."""

    groups: Array  # (n_rows,) codes
    weight: Array  # (n_rows,)
    spread: Array  # (n_rows,) factors of squared influences

    def correction(self, groups: Array) -> Array:
        """The factor ``n / (n - 1)`` of each group, with Kish's n for survey weights."""
        totals, squares = (np.bincount(groups, each) for each in (self.weight, self.spread))
        one = squares / totals  # weight of one row
        return np.asarray(totals / np.maximum(totals - one, one))


def paired_rows(groups: Array, weight: Weight | None) -> PairedRows:
    """The rows of some groups, with the weights that were given."""
    if weight is None:
        weight = Weight(np.ones(len(groups)))
    spread = weight.values * weight.one if weight.survey is None else weight.survey.squares
    return PairedRows(groups, weight.values, spread)


def mean_difference(values: Array, rows: PairedRows, confidence: float) -> tuple[float, float]:
    """Interval of the mean of the differences of rows."""
    mean = np.average(values, weights=rows.weight)
    variance = (rows.spread * (values - mean) ** 2).sum() / rows.weight.sum() ** 2
    (correction,) = rows.correction(np.zeros(len(values), dtype=np.intp))
    reach = ndtri(0.5 + 0.5 * confidence) * np.sqrt(variance * correction)
    return float(mean - reach), float(mean + reach)


class Effects(NamedTuple):
    """Disparities of a model, and their derivatives by one more row."""

    disparities: Array  # (n_contrasts,)
    of_cells: Array  # (n_contrasts, n_cells); a cell is a group, a label and a prediction
    cells: Array  # (n_rows,)
    n_defined: int  # number of contrasts, with those left out


def effects_of(criterion: Criterion, table: ScoreTable, cells: Array) -> Effects:
    """The largest disparities between groups, and the influence of rows on them."""
    values = criterion.disparities(table)
    part, g, h = np.nonzero(np.triu(np.isfinite(values), k=1))
    kept = np.argsort(-np.abs(values[part, g, h]), kind="stable")[:MOST_CONTRASTS]
    influences = np.zeros((len(kept), *table.shape))
    influence = criterion.influence(table)
    for block in table.blocks():
        effect_of = influence(block)
        for i, contrast in enumerate(kept):
            for group, other, sign in ((g, h, 1.0), (h, g, -1.0)):
                entry = np.flatnonzero(block.group == group[contrast])
                at = (i, group[contrast], block.label[entry], block.position[entry])
                influences[at] = sign * effect_of(entry)[part[contrast], :, other[contrast]]
    found = values[part, g, h][kept]
    return Effects(found, influences.reshape(len(kept), math.prod(table.shape)), cells, len(part))


def violation_difference(
    model: Effects, first: Effects, rows: PairedRows, confidence: float
) -> tuple[float, float]:
    """Interval of the difference of two violations; nan if one is undefined."""
    if not len(model.disparities) or not len(first.disparities):
        return np.nan, np.nan
    covariance, m = _joint_covariance(model, first, rows), len(model.disparities)
    own, common, other = covariance[:m, :m], covariance[:m, m:], covariance[m:, m:]
    sign = np.array([1.0, -1.0])
    # all arrays below are of shape (s, e, t, f)
    both_signs = np.multiply.outer(sign, sign)[:, None, :, None]  # s·t
    centre = (
        np.multiply.outer(sign, model.disparities)[:, :, None, None]
        - np.multiply.outer(sign, first.disparities)[None, None]
    )
    variance = np.add.outer(own.diagonal(), other.diagonal())[None, :, None, :]
    variance = variance - 2 * both_signs * common[None, :, None, :]  # of s d_e - t d'_f
    n_pairs = max(model.n_defined, first.n_defined)
    reach = -ndtri((1 - confidence) / 2 / n_pairs) * np.sqrt(np.maximum(variance, 0.0))
    low, high = ((centre + end).min(axis=(2, 3)).max() for end in (-reach, reach))
    return float(low), float(high)


def _joint_covariance(model: Effects, first: Effects, rows: PairedRows) -> Array:
    """Covariance of the disparities of both models.

    Rows that are in the same cells of both models have equal influence, and are added up. The
    factor ``n_g / (n_g - 1)`` makes the variance within each group unbiased.
    """
    n_cells = first.of_cells.shape[1]
    distinct, row, place = np.unique(
        model.cells * n_cells + first.cells, return_index=True, return_inverse=True
    )
    weight = np.bincount(place, rows.spread) * rows.correction(rows.groups)[rows.groups[row]]
    size = len(model.disparities) + len(first.disparities)
    covariance = np.zeros((size, size))
    for start in range(0, len(distinct), BLOCK):
        some = slice(start, start + BLOCK)
        here, there = np.divmod(distinct[some], n_cells)
        both = np.concatenate([model.of_cells[:, here], first.of_cells[:, there]])
        covariance += (both * weight[some]) @ both.T
    return covariance
