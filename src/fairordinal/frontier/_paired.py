r"""How sure the difference of two models' violations is, on the same rows.

With signs s and t and contrasts e and f (pairs of groups), two violations differ by::

    max_e |d_e| - max_f |d'_f| = max_{s,e} min_{t,f} (s d_e - t d'_f)

which is rising in each ``s d_e - t d'_f``. So are the ends of the interval: no sign and no worst
pair has to be known. Variances come from the rows' joint effects on d and d', so that rows are
paired. To miss an end, a contrast of some pair of groups with the true worst one has to be missed;
the level is therefore shared among the pairs of groups (Bonferroni), but not between the signs:
simulations in ``tests/test_compare.py`` show that this is enough.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from fairordinal._table import ScoreTable
from fairordinal._validation import Array
from fairordinal.criteria import Criterion

MOST_CONTRASTS = 200  # the greatest; the others are taken to be no greater in truth either
BLOCK = 4096  # kinds of rows at a time


class Effects(NamedTuple):
    """Disparities of a model, and how one more row moves them."""

    disparities: Array  # (n_contrasts,)
    of_cells: Array  # (n_contrasts, n_cells); a cell is a group, a label and a prediction
    cells: Array  # of each row
    n_defined: int  # contrasts, also those left out


def effects_of(criterion: Criterion, table: ScoreTable, cells: Array) -> Effects:
    """The greatest disparities between groups, and the influence of rows on them."""
    values = criterion.disparities(table)
    part, g, h = np.nonzero(np.triu(np.isfinite(values), k=1))
    kept = np.argsort(-np.abs(values[part, g, h]), kind="stable")[:MOST_CONTRASTS]
    moved = np.zeros((len(kept), *table.shape))
    influence = criterion.influence(table)
    for block in table.blocks():
        effect_of = influence(block)
        for i, contrast in enumerate(kept):
            for group, other, sign in ((g, h, 1.0), (h, g, -1.0)):
                entry = np.flatnonzero(block.group == group[contrast])
                at = (i, group[contrast], block.label[entry], block.position[entry])
                moved[at] = sign * effect_of(entry)[part[contrast], :, other[contrast]]
    found = values[part, g, h][kept]
    return Effects(found, moved.reshape(len(kept), math.prod(table.shape)), cells, len(part))


def violation_difference(
    model: Effects, first: Effects, groups: Array, confidence: float
) -> tuple[float, float]:
    """Interval of the difference of two violations; nan if one is undefined."""
    if not len(model.disparities) or not len(first.disparities):
        return np.nan, np.nan
    covariance, m = _joint_covariance(model, first, groups), len(model.disparities)
    own, common, other = covariance[:m, :m], covariance[:m, m:], covariance[m:, m:]
    sign = np.array([1.0, -1.0])
    turned = np.multiply.outer(sign, sign)[:, None, :, None]  # s·t, (sign, e, sign, f)
    centre = (
        np.multiply.outer(sign, model.disparities)[:, :, None, None]
        - np.multiply.outer(sign, first.disparities)[None, None]
    )
    variance = np.add.outer(own.diagonal(), other.diagonal())[None, :, None, :]
    variance = variance - 2 * turned * common[None, :, None, :]
    n_pairs = max(model.n_defined, first.n_defined)
    reach = -ndtri((1 - confidence) / 2 / n_pairs) * np.sqrt(np.maximum(variance, 0.0))
    low, high = ((centre + end).min(axis=(2, 3)).max() for end in (-reach, reach))
    return float(low), float(high)


def _joint_covariance(model: Effects, first: Effects, groups: Array) -> Array:
    """Of the disparities of both models; rows of one kind are counted once."""
    n_cells = first.of_cells.shape[1]
    kinds, row, counts = np.unique(
        model.cells * n_cells + first.cells, return_index=True, return_counts=True
    )
    sizes = np.bincount(groups)
    weight = counts * (sizes / np.maximum(sizes - 1, 1))[groups[row]]
    size = len(model.disparities) + len(first.disparities)
    covariance = np.zeros((size, size))
    for start in range(0, len(kinds), BLOCK):
        some = slice(start, start + BLOCK)
        here, there = np.divmod(kinds[some], n_cells)
        both = np.concatenate([model.of_cells[:, here], first.of_cells[:, there]])
        covariance += (both * weight[some]) @ both.T
    return covariance
