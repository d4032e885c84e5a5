r"""How sure a disparity is: intervals from the table of counts.

A disparity is a smooth function of the counts, so with the influence ``psi_e(u, b)`` of one more
sample (`Criterion.influence`) the covariance of the disparities e and e' is estimated by::

    cov[e, e'] = sum_g n_g / (n_g - 1) * sum_{u in g, b} T[u, b] psi_e(u, b) psi_e'(u, b)

which is DeLong's estimator for demographic parity and the delta method for the ratios of equal
opportunity: O(cells²) once the rows are counted. Three refinements make the intervals of
pairwise notions keep their promise in small samples, as measured in ``tests/slow``; those of the
standard notions, with a part for each label, are less reliable in groups of few rows:

* Fisher's scale: the interval is symmetric in ``atanh(disparity / scale)`` and never leaves the
  possible range;
* one pseudo-row per group without information (`ScoreTable.padded`): perfect separation or a
  constant prediction does not look certain;
* intervals hold for all pairs of groups at once: the critical value is the quantile of the
  greatest absolute entry of a Gaussian vector with the estimated correlations (max-t).

Weights are counts of rows here as everywhere: a weight of 2 is a row twice. Sums are taken in the
table's units, in which a row has the weight ``table.one``, so that no weight is too large.

References
----------
DeLong, DeLong, Clarke-Pearson, Biometrics 1988. Feng and Cliff, J. Mod. Appl. Stat. Methods
2004. Hothorn, Bretz, Westfall, Biometrical Journal 2008. Gavinsky, Lovett, Saks, Srinivasan,
Random Structures & Algorithms 2015 (the tail bound of the paper's appendix A.4).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from scipy import linalg, sparse, special

from fairordinal._table import BLOCK_ENTRIES, ScoreTable
from fairordinal._validation import Array, check_choice, check_fraction, check_whole, row_blocks
from fairordinal.criteria import Criterion, PairwiseCriterion

METHODS = ("delta", "bootstrap", "distribution_free")
GAUSSIAN_DRAWS = 1 << 22  # entries of the matrix of draws behind a max-t quantile
MOST_RESAMPLED = 2.5e7  # pairs of cells in all resamples
FEW_RESAMPLES = 20  # are allowed in any case
MOST_JOINT = 1000  # contrasts whose correlations are kept
MOST_DRAWN = 2.0**53  # rows of a group in a resample: whole numbers up to here are exact
ALMOST_ONE = float(np.nextafter(1.0, 0.0))
FEW_CONTRASTS = 100  # whose correlations are taken as they are
JITTER = 1e-6  # correlations of disparities may be singular


@dataclass(frozen=True)
class Intervals:
    """Bounds of the disparities, (part, group, group); nan where there is no interval."""

    lower: Array
    upper: Array

    def of_violation(self, scale: float, defined: Array) -> tuple[float, float]:
        """Bounds of the greatest absolute disparity.

        A defined disparity without an interval may be anything, up to the scale.
        """
        if not defined.any():
            return math.nan, math.nan
        known = defined & np.isfinite(self.lower)
        nearest = np.maximum(np.maximum(self.lower, -self.upper), 0)[known]
        farthest = np.maximum(self.upper, -self.lower)[known]
        upper = farthest.max() if known.sum() == defined.sum() else scale
        return float(nearest.max(initial=0.0)), float(upper)


@dataclass(frozen=True)
class Contrasts:
    """The disparities that can be told: one per part and pair of groups g < h."""

    part: Array
    g: Array
    h: Array
    shape: tuple[int, int, int]  # parts, groups, groups

    def __len__(self) -> int:
        return len(self.part)

    def pick(self, values: Array) -> Array:
        """The contrasts' entries of an array (..., part, group, group)."""
        return values[..., self.part, self.g, self.h]

    def spread(self, forward: Array, turned: Array) -> Array:
        """An array (part, group, group) with `forward` at (g, h) and `turned` at (h, g)."""
        full = np.full(self.shape, np.nan)
        full[self.part, self.g, self.h] = forward
        full[self.part, self.h, self.g] = turned
        return full


def measured_contrasts(criterion: Criterion, table: ScoreTable) -> Contrasts:
    """Defined disparities between groups of at least two rows."""
    disparities = criterion.disparities(table)
    enough = table.group_totals >= 2 * table.one
    known = np.isfinite(disparities) & enough[:, None] & enough
    part, g, h = np.nonzero(np.triu(known, 1))
    return Contrasts(part, g, h, disparities.shape)


def intervals(
    criterion: Criterion,
    table: ScoreTable,
    *,
    method: str = "delta",
    confidence: float = 0.95,
    n_resamples: int = 1000,
    random_state: Any = 0,
    instability: Array | None = None,
) -> Intervals:
    """Simultaneous intervals of the disparities of all pairs of groups.

    `instability` is a further standard deviation of each disparity, for ``method="delta"``.
    """
    check_choice(method, "interval", METHODS)
    check_fraction(confidence, "confidence")
    if method == "bootstrap":
        _check_resampling(table, check_whole(n_resamples, "n_resamples", least=2))
    contrasts = measured_contrasts(criterion, table)
    if not len(contrasts):
        nothing = np.full(contrasts.shape, np.nan)
        return Intervals(nothing, nothing)
    if method == "distribution_free":
        lower, upper = _free_bounds(criterion, table, contrasts, confidence)
    else:
        estimates = fisher_estimates(criterion, table, contrasts, instability)
        reach = estimates.critical_value(confidence) * estimates.deviation
        if method == "bootstrap":
            draws = _resample(criterion, table, contrasts, n_resamples, random_state)
            reach = _bootstrap_reach(draws, confidence)
        scale = criterion.scale(table)
        lower = scale * np.tanh(estimates.centre - reach)
        upper = scale * np.tanh(estimates.centre + reach)
    observed = contrasts.pick(criterion.disparities(table))
    lower, upper = np.minimum(lower, observed), np.maximum(upper, observed)
    return Intervals(contrasts.spread(lower, -upper), contrasts.spread(upper, -lower))


def violation_bound(
    criterion: Criterion,
    table: ScoreTable,
    confidence: float,
    instability: Array | None = None,
) -> float:
    """One-sided upper bound of the violation: ``max_e (|v_e| + z_c σ_e)``, on Fisher's scale.

    `instability` is a further standard deviation of each disparity, (part, group, group). There is
    no correction for several pairs of groups: if one disparity exceeds a limit, its own bound is
    within the limit with probability at most 1 - c (an intersection-union test).
    """
    contrasts = measured_contrasts(criterion, table)
    observed = criterion.disparities(table)
    scale = criterion.scale(table)
    if len(contrasts) < np.isfinite(observed[:, *np.triu_indices(observed.shape[1], 1)]).sum():
        return scale  # a group of one row: its disparities may be anything
    if not len(contrasts):
        return 0.0
    estimates = fisher_estimates(criterion, table, contrasts, instability)
    reach = float(special.ndtri(confidence)) * estimates.deviation
    farthest = scale * np.tanh(np.abs(estimates.centre) + reach)
    return float(np.maximum(farthest, np.abs(contrasts.pick(observed))).max())


def row_effects(criterion: Criterion, table: ScoreTable, contrasts: Contrasts) -> Array:
    """Influence of one more row on some disparities, (contrast, cell, position).

    One pseudo-row for each group is added, as for intervals.
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


# The delta method ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Estimates:
    """Disparities on Fisher's scale, their standard deviations and correlations."""

    centre: Array
    deviation: Array
    correlation: Array | None  # None: too many contrasts to keep

    def critical_value(self, confidence: float) -> float:
        """The c such that all |estimate - truth| <= c·deviation with this confidence."""
        if self.correlation is None:
            return float(-special.ndtri((1 - confidence) / 2 / len(self.centre)))  # Bonferroni
        return _max_t(self.correlation, confidence)


def fisher_estimates(
    criterion: Criterion,
    table: ScoreTable,
    contrasts: Contrasts,
    instability: Array | None = None,
) -> Estimates:
    """Estimates on the scale ``atanh(disparity / scale)``, with one pseudo-row per group."""
    table = table.padded
    scale = criterion.scale(table)
    ratio = _within_scale(contrasts.pick(criterion.disparities(table)) / scale)
    covariance = _covariance(criterion, table, contrasts, scale)
    variance = covariance if covariance.ndim == 1 else covariance.diagonal()
    deviation = math.sqrt(table.one) * np.sqrt(variance)
    if instability is not None:
        deviation = np.hypot(deviation, contrasts.pick(instability) / scale)
    correlation = None
    if covariance.ndim == 2:
        unit = np.sqrt(np.where(variance > 0, variance, 1.0))
        correlation = covariance / unit / unit[:, None]
    return Estimates(np.arctanh(ratio), deviation / (1 - ratio**2), correlation)


def _within_scale(ratio: Array) -> Array:
    """Less than 1: beside very many rows, rounding takes the pseudo-row away."""
    return np.clip(ratio, -ALMOST_ONE, ALMOST_ONE)


def _covariance(
    criterion: Criterion, table: ScoreTable, contrasts: Contrasts, scale: float = 1.0
) -> Array:
    """Covariances of the disparities in units of `scale`; only variances if there are very many.

    They are divided by the weight of one row, so that those of very many rows do not underflow.
    """
    if len(contrasts) <= MOST_JOINT:
        return _joint_covariance(criterion, table, contrasts, scale)
    variances = np.zeros(contrasts.shape)  # what the rows of g add to the variance of (g, h)
    for group, weight, effect in _effects(criterion, table, scale):
        variances[:, group] += np.einsum("peh,peh,e->ph", effect, effect, weight)
    return contrasts.pick(variances + variances.transpose(0, 2, 1))


def _joint_covariance(
    criterion: Criterion, table: ScoreTable, contrasts: Contrasts, scale: float
) -> Array:
    covariance = np.zeros((len(contrasts), len(contrasts)))
    for group, weight, influence in _effects(criterion, table, scale):
        # a contrast knows a group as its first, or with the sign turned as its second
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
    """Influences (part, entry, h) of some entries of a group, with the weights of these.

    Influences are in units of `scale`.
    """
    n_parts, n_groups = len(criterion.parts(table)), len(table.groups)
    totals, influence = table.group_totals, criterion.influence(table)
    # groups that are compared have two rows or more; smaller ones must not divide by 0
    correction = totals / np.maximum(totals - table.one, table.one)
    for block in table.blocks(BLOCK_ENTRIES // n_parts):
        effect_of = influence(block)
        by_group = np.argsort(block.group, kind="stable")
        ends = np.searchsorted(block.group[by_group], np.arange(n_groups + 1))
        for group in range(n_groups):
            mine = by_group[ends[group] : ends[group + 1]]
            for some in row_blocks(len(mine), max(1, BLOCK_ENTRIES // (n_parts * n_groups))):
                weight = block.weight[mine[some]] * correction[group]
                yield group, weight, effect_of(mine[some]) / scale


def _max_t(correlation: Array, confidence: float) -> float:
    """Quantile of the greatest absolute entry of a Gaussian vector."""
    varying = correlation.diagonal() > 0
    correlation = correlation[np.ix_(varying, varying)]
    if len(correlation) <= 1:
        return float(-special.ndtri((1 - confidence) / 2))
    root = _root(correlation)
    n_draws = int(np.clip(GAUSSIAN_DRAWS // len(root), 1 << 12, 1 << 15))
    draws = np.random.default_rng(0).standard_normal((n_draws, root.shape[1]))
    return float(np.quantile(np.abs(draws @ root.T).max(axis=1), confidence))


def _root(matrix: Array) -> Array:
    """A root R of a positive semi-definite matrix, ``R @ R.T``.

    Disparities of many pairs of groups are differences of a few numbers for each group: the root
    then has few columns.
    """
    if len(matrix) <= FEW_CONTRASTS:
        return np.linalg.cholesky(matrix + JITTER * np.eye(len(matrix)))
    factor, order, rank, _ = linalg.lapack.dpstrf(matrix, tol=JITTER, lower=1)
    root = np.empty((len(matrix), rank))
    root[order - 1] = np.tril(factor)[:, :rank]
    return root


# The bootstrap ------------------------------------------------------------------------------


def _resample(
    criterion: Criterion,
    table: ScoreTable,
    contrasts: Contrasts,
    n_resamples: int,
    random_state: Any,
) -> Array:
    """Disparities of resampled tables on Fisher's scale, (resamples, contrasts).

    Each group is resampled, with its number of rows, from its counts and one pseudo-row. At
    most `MOST_DRAWN` rows are drawn: the interval of more is narrower than it can show.
    """
    from sklearn.utils import check_random_state  # slow to import, seldom needed

    random = check_random_state(random_state)
    law = table.padded
    label_shares = table.totals.sum(axis=0) / table.totals.sum()
    cells, positions = law.counts.tocoo().coords
    weights = law.counts.tocoo().data
    owner = cells // len(table.labels)
    members = [np.flatnonzero(owner == group) for group in range(len(table.groups))]
    sizes = np.rint(np.minimum(table.rows, MOST_DRAWN)).astype(np.int64)
    draws = np.empty((n_resamples, len(contrasts)))
    for i in range(n_resamples):
        drawn = np.zeros_like(weights)
        for rows, member in zip(sizes, members, strict=True):
            drawn[member] = random.multinomial(rows, weights[member] / weights[member].sum())
        counts = sparse.csc_array((drawn, (cells, positions)), shape=law.counts.shape)
        again = replace(table, counts=counts, one=1.0).pad(label_shares)  # which hold every label
        ratio = contrasts.pick(criterion.disparities(again)) / criterion.scale(again)
        draws[i] = np.arctanh(_within_scale(ratio))
    return draws


def _check_resampling(table: ScoreTable, n_resamples: int) -> None:
    """Refuse resamples that would take minutes: each counts all pairs of cells again."""
    n_groups, n_labels, _ = table.shape
    most = int(MOST_RESAMPLED / (n_groups * n_labels) ** 2)
    if n_resamples > max(most, FEW_RESAMPLES):
        raise ValueError(
            f"interval='bootstrap' with {n_groups} groups and {n_labels} labels takes at most "
            f"{max(most, FEW_RESAMPLES)} resamples, got n_resamples={n_resamples}. Take fewer, "
            "interval='delta', or merge small groups or neighbouring labels."
        )


def _bootstrap_reach(draws: Array, confidence: float) -> Array:
    """Half-widths such that all contrasts are covered at once."""
    deviation = draws.std(axis=0, ddof=1)
    unit = np.where(deviation > 0, deviation, 1.0)
    farthest = (np.abs(draws - draws.mean(axis=0)) / unit).max(axis=1)
    return float(np.quantile(farthest, confidence)) * deviation


# The distribution-free bound ----------------------------------------------------------------


def _free_bounds(
    criterion: Criterion, table: ScoreTable, contrasts: Contrasts, confidence: float
) -> tuple[Array, Array]:
    """The tail bound of appendix A.4 with its constants, given the sizes of the groups.

    A probability is a ratio A/B of means of bounded variables over pairs (i, j) of two groups,
    each row in as many pairs as the other group has rows: a read-k family, so that each mean
    deviates by more than t with probability at most ``2 exp(-2 t² min(n_g, n_h))``. Given the
    sizes of the groups there is neither the paper's 1/n for i = j nor a bound on P[a].
    """
    event, base, rows = _means(criterion, table)
    ratio = np.divide(event, base, out=np.zeros_like(event), where=base > 0)
    n_parts, n_groups, _ = contrasts.shape
    n_means = 4 * n_parts * math.comb(n_groups, 2)  # A and B, for (g, h) and for (h, g)
    reach = np.sqrt(np.log(2 * n_means / (1 - confidence)) / (2 * rows))
    known = criterion.unconditional(table)[:, None, None]
    slack = np.where(known, 0.0, reach)  # B = 1 is no estimate
    with np.errstate(divide="ignore", invalid="ignore"):
        highest = np.where(base > slack, (event + reach) / (base - slack), 1.0)
        lowest = (event - reach) / np.minimum(base + slack, 1)
    highest, lowest = np.clip(highest, ratio, 1), np.clip(lowest, 0, ratio)
    lower = lowest - highest.transpose(0, 2, 1)
    upper = highest - lowest.transpose(0, 2, 1)
    scale = criterion.scale(table)
    return scale * contrasts.pick(lower), scale * contrasts.pick(upper)


def _means(criterion: Criterion, table: ScoreTable) -> tuple[Array, Array, Array]:
    """A, B and the number of independent rows behind them, each (part, group, group)."""
    values = np.nan_to_num(criterion.probabilities(table)) / criterion.scale(table)
    size = np.repeat(table.group_totals[:, None], len(table.groups), axis=1)
    rows = table.in_rows(size)
    if isinstance(criterion, PairwiseCriterion):
        size = size * size.T
        rows = np.minimum(rows, rows.T)
    base = criterion.support(table) / size
    return values * base, base, np.broadcast_to(rows, base.shape)


# Planning -----------------------------------------------------------------------------------


def rows_for_power(
    criterion: Criterion,
    table: ScoreTable,
    *,
    violation: float,
    power: float,
    confidence: float,
) -> Fraction | None:
    """Rows, in the proportions of the table, that tell a violation from 0; None if none can.

    The test is that of `intervals`: a disparity is told from 0 if its interval excludes 0. Its
    deviation is that of groups which are alike, each with the labels and predictions of all
    groups together, and falls as 1/sqrt(rows). A fraction, as numbers of rows have no limit.
    """
    alike = _alike(table)
    contrasts = measured_contrasts(criterion, alike)
    if not len(contrasts) or np.count_nonzero(alike.counts.sum(axis=0)) < 2:
        return None
    estimates = fisher_estimates(criterion, alike, contrasts)
    critical = estimates.critical_value(confidence) + float(special.ndtri(power))
    distance = math.atanh(violation / criterion.scale(table))
    ratio = Fraction(critical * float(estimates.deviation.max())) / Fraction(distance)
    return Fraction(float(table.totals.sum())) / Fraction(table.one) * ratio**2


def _alike(table: ScoreTable) -> ScoreTable:
    """Groups of the same sizes that all have the counts of the whole, in proportion."""
    n_groups, n_labels, _ = table.shape
    fold = sparse.csr_array(np.tile(np.eye(n_labels), n_groups))
    whole = fold @ table.counts
    totals = table.group_totals
    shares = sparse.csr_array((totals / totals.sum())[:, None])
    return replace(table, counts=sparse.csc_array(sparse.kron(shares, whole)))
