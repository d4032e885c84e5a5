"""Simultaneous intervals, upper bounds and sample sizes for disparities.

Three methods make intervals:

* ``"delta"``: Gaussian on Fisher's scale, with the covariance of ``_delta_method``;
* ``"bootstrap"``: groups are resampled; the width is a quantile of the resampled disparities;
* ``"distribution_free"``: the tail bound of appendix A.4 of the paper, valid for any sample size.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from scipy import sparse, special

from fairordinal._inference._delta_method import (
    MeasuredContrasts,
    below_one,
    fisher_estimates,
    measured_contrasts,
)
from fairordinal._table import ScoreTable
from fairordinal._validation import Array, check_choice, check_fraction, check_whole
from fairordinal.criteria import Criterion, PairwiseCriterion

METHODS = ("delta", "bootstrap", "distribution_free")
MOST_RESAMPLED = 2.5e7  # pairs of cells, summed over resamples, that are counted again
FEW_RESAMPLES = 20  # resamples that are allowed for any number of cells
MOST_DRAWN = 2.0**53  # rows of a group in a resample; floats hold integers exactly up to here


@dataclass(frozen=True)
class Intervals:
    """Lower and upper bounds of disparities; nan where a disparity has no interval."""

    lower: Array  # (n_parts, n_groups, n_groups)
    upper: Array  # (n_parts, n_groups, n_groups)

    def of_violation(self, scale: float, defined: Array) -> tuple[float, float]:
        """Return bounds of the largest absolute disparity.

        Parameters
        ----------
        scale : float
            The greatest possible disparity. It is the upper bound if a defined disparity has no
            interval.
        defined : ndarray of bool of shape (n_parts, n_groups, n_groups)
            The disparities that count.

        Returns
        -------
        lower, upper : float
            nan if no disparity is defined.
        """
        if not defined.any():
            return math.nan, math.nan
        known = defined & np.isfinite(self.lower)
        nearest = np.maximum(np.maximum(self.lower, -self.upper), 0)[known]
        farthest = np.maximum(self.upper, -self.lower)[known]
        upper = farthest.max() if known.sum() == defined.sum() else scale
        return float(nearest.max(initial=0.0)), float(upper)


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
    """Return simultaneous intervals for the disparities of all pairs of groups.

    Parameters
    ----------
    criterion : Criterion
        The criterion.
    table : ScoreTable
        Counts of the rows.
    method : {"delta", "bootstrap", "distribution_free"}, default="delta"
        How intervals are made; see the docstring of the module.
    confidence : float, default=0.95
        Probability that all intervals hold.
    n_resamples : int, default=1000
        Number of resamples of the bootstrap.
    random_state : int, RandomState instance or None, default=0
        Seed of the bootstrap.
    instability : ndarray of shape (n_parts, n_groups, n_groups), default=None
        An additional standard deviation of each disparity, for ``method="delta"``.

    Returns
    -------
    intervals : Intervals
        They contain the observed disparities.
    """
    check_choice(method, "interval", METHODS)
    check_fraction(confidence, "confidence")
    if method != "delta" and table.survey is not None:
        raise ValueError(
            f"interval={method!r} is not available with survey weights; use interval='delta'."
        )
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
        if method == "delta":
            reach = estimates.critical_value(confidence) * estimates.deviation
        else:
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
    """Return a one-sided upper bound of the violation, ``max_e (|v_e| + z_c σ_e)``.

    It is computed on Fisher's scale, without a correction for several pairs of groups. None is
    needed: if one disparity exceeds a limit, its own bound is within the limit with probability
    at most 1 - c, and so is the maximum (an intersection-union test).

    Parameters
    ----------
    criterion : Criterion
        The criterion.
    table : ScoreTable
        Counts of the rows.
    confidence : float
        The confidence c.
    instability : ndarray of shape (n_parts, n_groups, n_groups), default=None
        An additional standard deviation of each disparity.

    Returns
    -------
    bound : float
        The scale of the criterion if a defined disparity has no interval, because a group has
        fewer than two rows; 0 if no disparity is defined.
    """
    contrasts = measured_contrasts(criterion, table)
    observed = criterion.disparities(table)
    scale = criterion.scale(table)
    if len(contrasts) < np.isfinite(observed[:, *np.triu_indices(observed.shape[1], 1)]).sum():
        return scale
    if not len(contrasts):
        return 0.0
    estimates = fisher_estimates(criterion, table, contrasts, instability)
    reach = float(special.ndtri(confidence)) * estimates.deviation
    farthest = scale * np.tanh(np.abs(estimates.centre) + reach)
    return float(np.maximum(farthest, np.abs(contrasts.pick(observed))).max())


# The bootstrap ------------------------------------------------------------------------------


def _resample(
    criterion: Criterion,
    table: ScoreTable,
    contrasts: MeasuredContrasts,
    n_resamples: int,
    random_state: Any,
) -> Array:
    """Disparities of resampled tables on Fisher's scale, (n_resamples, n_contrasts).

    Each group keeps its number of rows (at most `MOST_DRAWN`), and is drawn from its counts with
    one pseudo-row. A resample gets a pseudo-row too, so that it has all labels.
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
        again = replace(table, counts=counts, one=1.0).pad(label_shares)
        ratio = contrasts.pick(criterion.disparities(again)) / criterion.scale(again)
        draws[i] = np.arctanh(below_one(ratio))
    return draws


def _check_resampling(table: ScoreTable, n_resamples: int) -> None:
    """Raise ValueError if the resamples would take minutes.

    The wins of all pairs of cells are counted again for each resample.
    """
    n_groups, n_labels, _ = table.shape
    most = max(int(MOST_RESAMPLED / (n_groups * n_labels) ** 2), FEW_RESAMPLES)
    if n_resamples > most:
        raise ValueError(
            f"interval='bootstrap' with {n_groups} groups and {n_labels} labels takes at most "
            f"{most} resamples, got n_resamples={n_resamples}. Reduce n_resamples, use "
            "interval='delta', or merge small groups or neighbouring labels."
        )


def _bootstrap_reach(draws: Array, confidence: float) -> Array:
    """Half-widths of simultaneous intervals: a common quantile of standardised draws."""
    deviation = draws.std(axis=0, ddof=1)
    unit = np.where(deviation > 0, deviation, 1.0)
    farthest = (np.abs(draws - draws.mean(axis=0)) / unit).max(axis=1)
    return float(np.quantile(farthest, confidence)) * deviation


# The distribution-free bound ----------------------------------------------------------------


def _free_bounds(
    criterion: Criterion, table: ScoreTable, contrasts: MeasuredContrasts, confidence: float
) -> tuple[Array, Array]:
    """Lower and upper bounds of the contrasts by the tail bound of appendix A.4.

    A probability is a ratio A/B of means of bounded variables over pairs (i, j) of two groups.
    Each row is in as many pairs as the other group has rows, so the variables are a read-k
    family, and a mean deviates by more than t with probability at most
    ``2 exp(-2 t² min(n_g, n_h))``. The paper has two further terms, 1/n for pairs i = j and a
    bound of P[a]; given the sizes of the groups they are not needed.
    """
    event, base, rows = _means(criterion, table)
    ratio = np.divide(event, base, out=np.zeros_like(event), where=base > 0)
    n_parts, n_groups, _ = contrasts.shape
    n_means = 4 * n_parts * math.comb(n_groups, 2)  # A and B, for (g, h) and for (h, g)
    reach = np.sqrt(np.log(2 * n_means / (1 - confidence)) / (2 * rows))
    known = criterion.unconditional(table)[:, None, None]
    slack = np.where(known, 0.0, reach)  # without a condition, B = 1 is known exactly
    with np.errstate(divide="ignore", invalid="ignore"):
        highest = np.where(base > slack, (event + reach) / (base - slack), 1.0)
        lowest = (event - reach) / np.minimum(base + slack, 1)
    highest, lowest = np.clip(highest, ratio, 1), np.clip(lowest, 0, ratio)
    lower = lowest - highest.transpose(0, 2, 1)
    upper = highest - lowest.transpose(0, 2, 1)
    scale = criterion.scale(table)
    return scale * contrasts.pick(lower), scale * contrasts.pick(upper)


def _means(criterion: Criterion, table: ScoreTable) -> tuple[Array, Array, Array]:
    """A, B and the effective number of rows, each (n_parts, n_groups, n_groups)."""
    values = np.nan_to_num(criterion.probabilities(table)) / criterion.scale(table)
    size = np.repeat(table.group_totals[:, None], len(table.groups), axis=1)
    rows = table.in_rows(size)
    if isinstance(criterion, PairwiseCriterion):
        size = size * size.T
        rows = np.minimum(rows, rows.T)
    base = criterion.support(table) / size
    return values * base, base, np.broadcast_to(rows, base.shape)


# Sample size --------------------------------------------------------------------------------


def rows_for_power(
    criterion: Criterion,
    table: ScoreTable,
    *,
    violation: float,
    power: float,
    confidence: float,
) -> Fraction | None:
    """Return the number of rows that a test needs to detect a violation.

    The test is that of `intervals`: a violation is detected if the interval of its disparity
    excludes 0. Standard deviations are those of equal groups: each group gets the labels and
    predictions of all groups together. They decrease as 1/sqrt(rows).

    Parameters
    ----------
    criterion : Criterion
        The criterion.
    table : ScoreTable
        Counts of a first sample, which gives the proportions of groups, labels and predictions.
    violation : float
        The violation to detect.
    power : float
        The probability of detection, for the pair of groups with the greatest deviation.
    confidence : float
        Confidence of the intervals.

    Returns
    -------
    rows : Fraction or None
        Rows of all groups together; a Fraction, because it may exceed the range of floats. None
        if no disparity is defined, or if all predictions are equal.
    """
    equal = _equal_groups(table)
    contrasts = measured_contrasts(criterion, equal)
    if not len(contrasts) or np.count_nonzero(equal.counts.sum(axis=0)) < 2:
        return None
    estimates = fisher_estimates(criterion, equal, contrasts)
    critical = estimates.critical_value(confidence) + float(special.ndtri(power))
    distance = math.atanh(violation / criterion.scale(table))
    ratio = Fraction(critical * float(estimates.deviation.max())) / Fraction(distance)
    first = table.unweighted
    return Fraction(float(first.totals.sum())) / Fraction(first.one) * ratio**2


def least_known_pair(criterion: Criterion, table: ScoreTable) -> tuple[int, int]:
    """Return the pair of groups with the greatest deviation, which `rows_for_power` is about.

    Parameters
    ----------
    criterion : Criterion
        The criterion; a disparity must be defined.
    table : ScoreTable
        Counts of a first sample.

    Returns
    -------
    g, h : int
        Numbers of the groups.
    """
    equal = _equal_groups(table)
    contrasts = measured_contrasts(criterion, equal)
    widest = int(fisher_estimates(criterion, equal, contrasts).deviation.argmax())
    return int(contrasts.g[widest]), int(contrasts.h[widest])


def _equal_groups(table: ScoreTable) -> ScoreTable:
    """Give each group, at its own size, the distribution of all groups together."""
    n_groups, n_labels, _ = table.shape
    fold = sparse.csr_array(np.tile(np.eye(n_labels), n_groups))  # sums the cells of a label

    def equal(counts: sparse.csc_array) -> sparse.csc_array:
        totals = counts.sum(axis=1).reshape(n_groups, n_labels).sum(axis=1)
        shares = sparse.csr_array((totals / totals.sum())[:, None])
        return sparse.csc_array(sparse.kron(shares, fold @ counts))

    return table.map_counts(equal)
