"""Estimates of disparities on Fisher's scale, with covariances by the delta method.

A *contrast* e is a disparity ``v_e = p[part, g, h] - p[part, h, g]`` with g < h. Its estimate is
``atanh(v_e / scale)``. The influence of a row on v_e is the derivative of v_e by the weight of the
row; the covariance is a weighted sum of products of influences (see the docstring of the package).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy import linalg, special

from fairordinal._table import BLOCK_ENTRIES, ScoreTable
from fairordinal._validation import Array, row_blocks
from fairordinal.criteria import Criterion

MOST_JOINT = 1000  # contrasts up to which correlations are computed
GAUSSIAN_DRAWS = 1 << 22  # entries of the random matrix behind a max-t quantile
FEW_CONTRASTS = 100  # up to which the correlation matrix has a Cholesky factor of full size
JITTER = 1e-6  # added to the diagonal, because correlation matrices may be singular
ALMOST_ONE = float(np.nextafter(1.0, 0.0))


@dataclass(frozen=True)
class MeasuredContrasts:
    """Indices of the disparities that get an interval: one per part and pair of groups g < h."""

    part: Array  # (n_contrasts,)
    g: Array  # (n_contrasts,)
    h: Array  # (n_contrasts,)
    shape: tuple[int, int, int]  # (n_parts, n_groups, n_groups)

    def __len__(self) -> int:
        return len(self.part)

    def pick(self, values: Array) -> Array:
        """Return the entries of an array (..., n_parts, n_groups, n_groups) at the contrasts."""
        return values[..., self.part, self.g, self.h]

    def spread(self, forward: Array, turned: Array) -> Array:
        """Return a full array with `forward` at (g, h), `turned` at (h, g) and nan elsewhere."""
        full = np.full(self.shape, np.nan)
        full[self.part, self.g, self.h] = forward
        full[self.part, self.h, self.g] = turned
        return full


def measured_contrasts(criterion: Criterion, table: ScoreTable) -> MeasuredContrasts:
    """Return the defined disparities between groups of at least two rows."""
    disparities = criterion.disparities(table)
    enough = table.unweighted.group_totals >= 2 * table.unweighted.one
    known = np.isfinite(disparities) & enough[:, None] & enough
    part, g, h = np.nonzero(np.triu(known, 1))
    return MeasuredContrasts(part, g, h, disparities.shape)


@dataclass(frozen=True)
class Estimates:
    """Disparities on Fisher's scale, with their standard deviations and correlations."""

    centre: Array  # (n_contrasts,)
    deviation: Array  # (n_contrasts,)
    correlation: Array | None  # (n_contrasts, n_contrasts); None if there are too many contrasts

    def critical_value(self, confidence: float) -> float:
        """Return c such that, with this confidence, all |estimate - truth| <= c * deviation."""
        if self.correlation is None:
            return float(-special.ndtri((1 - confidence) / 2 / len(self.centre)))  # Bonferroni
        return _max_t(self.correlation, confidence)


def fisher_estimates(
    criterion: Criterion,
    table: ScoreTable,
    contrasts: MeasuredContrasts,
    instability: Array | None = None,
) -> Estimates:
    """Estimate disparities on the scale ``atanh(disparity / scale)``.

    Parameters
    ----------
    criterion : Criterion
        The criterion.
    table : ScoreTable
        Counts of the rows; one pseudo-row per group is added here.
    contrasts : MeasuredContrasts
        The disparities to estimate.
    instability : ndarray of shape (n_parts, n_groups, n_groups), default=None
        An additional standard deviation of each disparity.

    Returns
    -------
    estimates : Estimates
        Deviations are converted to Fisher's scale by its derivative, 1 / (1 - ratio²).
    """
    table = table.padded
    scale = criterion.scale(table)
    ratio = below_one(contrasts.pick(criterion.disparities(table)) / scale)
    covariance = _covariance(criterion, table, contrasts, scale)
    variance = covariance if covariance.ndim == 1 else covariance.diagonal()
    one = table.one if table.survey is None else 1.0
    deviation = math.sqrt(one) * np.sqrt(variance)
    if instability is not None:
        deviation = np.hypot(deviation, contrasts.pick(instability) / scale)
    correlation = None
    if covariance.ndim == 2:
        unit = np.sqrt(np.where(variance > 0, variance, 1.0))
        correlation = covariance / unit / unit[:, None]
    return Estimates(np.arctanh(ratio), deviation / (1 - ratio**2), correlation)


def below_one(ratio: Array) -> Array:
    """Clip to the open interval (-1, 1), in which atanh is finite.

    The pseudo-row keeps ratios inside, except that it vanishes by rounding among very many rows.
    """
    return np.clip(ratio, -ALMOST_ONE, ALMOST_ONE)


def row_effects(criterion: Criterion, table: ScoreTable, contrasts: MeasuredContrasts) -> Array:
    """Return the influence of one more row on each contrast, (n_contrasts, n_cells, n_positions).

    As for intervals, one pseudo-row per group is added to the table first.
    """
    table = table.padded
    n_groups, n_labels, n_positions = table.shape
    effects = np.zeros((len(contrasts), n_groups, n_labels, n_positions))
    influence = criterion.influence(table)
    for block in table.blocks(BLOCK_ENTRIES // len(criterion.parts(table))):
        of_entries = influence(block)
        for group in np.unique(block.group):
            entries = np.flatnonzero(block.group == group)
            at = (block.label[entries], block.position[entries])
            found = of_entries(entries)  # (part, entry, h)
            for sign, own, other in ((1, contrasts.g, contrasts.h), (-1, contrasts.h, contrasts.g)):
                mine = np.flatnonzero(own == group)
                effects[mine[:, None], group, at[0], at[1]] = (
                    sign * found[contrasts.part[mine], :, other[mine]]
                )
    return effects.reshape(len(contrasts), n_groups * n_labels, n_positions)


# Covariance ---------------------------------------------------------------------------------


def _covariance(
    criterion: Criterion, table: ScoreTable, contrasts: MeasuredContrasts, scale: float = 1.0
) -> Array:
    """Covariance matrix of disparities in units of `scale`.

    Only the variances, (n_contrasts,), if there are more than `MOST_JOINT` contrasts. With
    frequency weights, covariances are divided by ``table.one``; those of very many rows would
    underflow.
    """
    if len(contrasts) <= MOST_JOINT:
        return _joint_covariance(criterion, table, contrasts, scale)
    variances = np.zeros(contrasts.shape)  # contribution of the rows of g to the variance of (g, h)
    for group, weight, effect in _effects(criterion, table, scale):
        variances[:, group] += np.einsum("peh,peh,e->ph", effect, effect, weight)
    return contrasts.pick(variances + variances.transpose(0, 2, 1))


def _joint_covariance(
    criterion: Criterion, table: ScoreTable, contrasts: MeasuredContrasts, scale: float
) -> Array:
    """Covariance matrix (n_contrasts, n_contrasts), summed over blocks of rows of one group."""
    covariance = np.zeros((len(contrasts), len(contrasts)))
    for group, weight, influence in _effects(criterion, table, scale):
        # A row of a group affects the contrasts that have the group first (as g), and, with the
        # opposite sign, those that have it second (as h).
        mine = np.flatnonzero((contrasts.g == group) | (contrasts.h == group))
        first = contrasts.g[mine] == group
        other = np.where(first, contrasts.h[mine], contrasts.g[mine])
        effect = influence[contrasts.part[mine], :, other]
        effect *= np.where(first, 1.0, -1.0)[:, None]
        covariance[np.ix_(mine, mine)] += (effect * weight) @ effect.T
    return covariance


def _effects(
    criterion: Criterion, table: ScoreTable, scale: float
) -> Iterator[tuple[int, Array, Array]]:
    """Iterate over (group, weights, influences) of some entries of one group at a time.

    Influences have shape (n_parts, n_entries, n_groups) and are in units of `scale`. Weights, by
    which squared influences are multiplied, include the factor ``n_g / (n_g - 1)``.
    """
    n_parts, n_groups = len(criterion.parts(table)), len(table.groups)
    totals, influence = table.group_totals, criterion.influence(table)
    # Groups of fewer than two rows are in no contrast; the maximum avoids a division by 0.
    one = table.row_weight
    correction = totals / np.maximum(totals - one, one)
    for block in table.blocks(BLOCK_ENTRIES // n_parts):
        effect_of = influence(block)
        by_group = np.argsort(block.group, kind="stable")
        ends = np.searchsorted(block.group[by_group], np.arange(n_groups + 1))
        for group in range(n_groups):
            mine = by_group[ends[group] : ends[group + 1]]
            for some in row_blocks(len(mine), max(1, BLOCK_ENTRIES // (n_parts * n_groups))):
                weight = block.spread[mine[some]] * correction[group]
                yield group, weight, effect_of(mine[some]) / scale


# Critical values ----------------------------------------------------------------------------


def _max_t(correlation: Array, confidence: float) -> float:
    """Quantile of the greatest absolute entry of a Gaussian vector, by simulation."""
    varying = correlation.diagonal() > 0
    correlation = correlation[np.ix_(varying, varying)]
    if len(correlation) <= 1:
        return float(-special.ndtri((1 - confidence) / 2))
    root = _root(correlation)
    n_draws = int(np.clip(GAUSSIAN_DRAWS // len(root), 1 << 12, 1 << 15))
    draws = np.random.default_rng(0).standard_normal((n_draws, root.shape[1]))
    return float(np.quantile(np.abs(draws @ root.T).max(axis=1), confidence))


def _root(matrix: Array) -> Array:
    """Return R with ``R @ R.T`` equal to a positive semi-definite matrix.

    Disparities of many pairs of groups are differences of a few numbers per group, so that the
    matrix has a low rank. A pivoted Cholesky factorisation then gives R with few columns.
    """
    if len(matrix) <= FEW_CONTRASTS:
        return np.linalg.cholesky(matrix + JITTER * np.eye(len(matrix)))
    factor, order, rank, _ = linalg.lapack.dpstrf(matrix, tol=JITTER, lower=1)
    root = np.empty((len(matrix), rank))
    root[order - 1] = np.tril(factor)[:, :rank]
    return root
