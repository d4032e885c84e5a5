"""All thresholds of few scores at once: what small examples are made of.

A *cell* is a group and a true label, as in ``fairordinal._table``. With c(b) the rows of each cell
at the b lowest positions, cuts 0 ≤ b₁ ≤ … ≤ b_{k-1} ≤ b_k = n predict label l between b_{l-1} and
b_l, and a pairwise notion with signed pair weights Q has the disparity::

    sum_l (c(b_{l+1}) - c(b_l))ᵀ Q c(b_l)

so that the 11 × 11 table of all products c(b')ᵀ Q c(b) serves all 66 predictors of ten rows.
"""

from __future__ import annotations

from itertools import combinations_with_replacement
from typing import Any

import numpy as np

from fairordinal._table import ScoreTable
from fairordinal._validation import Array
from fairordinal.criteria import as_criterion, pair_tables


def every_cut(n_positions: int, n_labels: int) -> Array:
    """All ``b_1 ≤ … ≤ b_k``, of which the last is n: each a different predictor."""
    cuts = combinations_with_replacement(range(n_positions + 1), n_labels - 1)
    return np.array([(*cut, n_positions) for cut in cuts], dtype=np.intp)


def contrast_of(criterion: str, table: ScoreTable) -> Array:
    """Q of a pairwise notion between two groups."""
    notion: Any = as_criterion(criterion)
    (contrast,) = pair_tables(notion.contrasts(table)).toarray()
    return contrast.reshape(table.totals.size, -1)


def below(counts: Array) -> Array:
    """c(b) for b = 0 … n, (…, n + 1, cells), of counts (…, cells, positions)."""
    through = np.cumsum(counts, axis=-1, dtype=np.float64)
    padded = np.concatenate([np.zeros((*through.shape[:-1], 1)), through], axis=-1)
    return np.swapaxes(padded, -1, -2)


def disparities(counts_below: Array, contrast: Array, cuts: Array) -> Array:
    """Disparity of each predictor, (…, cuts)."""
    products = _products(counts_below, contrast)
    lower, upper = cuts[:, :-1], cuts[:, 1:]
    gained = products[..., lower, upper] - products[..., lower, lower]
    return gained.sum(axis=-1)


def score_disparity(counts_below: Array, contrast: Array) -> Array:
    """Disparity of the scores themselves, (…): a cut everywhere."""
    everywhere = np.arange(counts_below.shape[-2])[None]
    return disparities(counts_below, contrast, everywhere)[..., 0]


def mean_costs(counts_below: Array, cost: Array, cuts: Array) -> Array:
    """Mean cost of each predictor, (cuts,); a row of the cost for each cell."""
    edges = np.pad(cuts, ((0, 0), (1, 0)))
    predicted = np.diff(counts_below[edges], axis=1)  # (cuts, labels, cells)
    return np.einsum("nlu,ul->n", predicted, cost) / counts_below[-1].sum()


def _products(counts_below: Array, contrast: Array) -> Array:
    """``c(b')ᵀ Q c(b)``, (…, b, b')."""
    return counts_below @ contrast.T @ np.swapaxes(counts_below, -1, -2)
