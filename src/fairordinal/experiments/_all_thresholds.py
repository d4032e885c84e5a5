"""Disparities and costs of all thresholds at once, for small examples.

A *cell* is a group and a true label, as in ``fairordinal._table``. Let c(b) be the number of rows
of each cell at the b lowest positions. Cuts ``0 ≤ b_1 ≤ … ≤ b_{k-1} ≤ b_k = n`` predict label l
between b_{l-1} and b_l, and a pairwise criterion with signed pair weights Q has the disparity::

    sum_l (c(b_{l+1}) - c(b_l))ᵀ Q c(b_l)

All products c(b')ᵀ Q c(b) are computed once: for ten rows and three labels, an 11 × 11 table gives
the disparities of all 66 predictors.
"""

from __future__ import annotations

from itertools import combinations_with_replacement
from typing import Any

import numpy as np

from fairordinal._table import ScoreTable
from fairordinal._validation import Array
from fairordinal.criteria import as_criterion, pair_tables


def all_cuts(n_positions: int, n_labels: int) -> Array:
    """Return all ``b_1 ≤ … ≤ b_k = n``, one row for each predictor."""
    cuts = combinations_with_replacement(range(n_positions + 1), n_labels - 1)
    return np.array([(*cut, n_positions) for cut in cuts], dtype=np.intp)


def contrast_of(criterion: str, table: ScoreTable) -> Array:
    """Return Q of a pairwise criterion between two groups, (n_cells, n_cells)."""
    checked: Any = as_criterion(criterion)
    (contrast,) = pair_tables(checked.contrasts(table)).toarray()
    return contrast.reshape(table.totals.size, -1)


def counts_below(counts: Array) -> Array:
    """Return c(b) for b = 0 … n, (…, n + 1, n_cells), of counts (…, n_cells, n)."""
    through = np.cumsum(counts, axis=-1, dtype=np.float64)
    padded = np.concatenate([np.zeros((*through.shape[:-1], 1)), through], axis=-1)
    return np.swapaxes(padded, -1, -2)


def disparities(below: Array, contrast: Array, cuts: Array) -> Array:
    """Return the disparity of each predictor, (…, n_predictors), given c(b) and Q."""
    products = below @ contrast.T @ np.swapaxes(below, -1, -2)  # c(b')ᵀ Q c(b) at [..., b, b']
    lower, upper = cuts[:, :-1], cuts[:, 1:]
    gained = products[..., lower, upper] - products[..., lower, lower]
    return gained.sum(axis=-1)


def score_disparity(below: Array, contrast: Array) -> Array:
    """Return the disparity of the scores themselves: that of a cut at every position."""
    everywhere = np.arange(below.shape[-2])[None]
    return disparities(below, contrast, everywhere)[..., 0]


def mean_costs(below: Array, cost: Array, cuts: Array) -> Array:
    """Return the mean cost of each predictor, given the cost matrix with a row for each cell."""
    edges = np.pad(cuts, ((0, 0), (1, 0)))
    predicted = np.diff(below[edges], axis=1)  # (n_predictors, n_labels, n_cells)
    return np.einsum("nlu,ul->n", predicted, cost) / below[-1].sum()
