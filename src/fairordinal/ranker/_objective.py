r"""The objective of a fair linear ranker, as a function of its coefficients w.

With scores s = Xw of standardised features, and the weight w_i of row i::

    F(w) = L(s)                                       loss of all pairs with weights W
         + α/2 |w|²
         + penalty/2 · Σ_e max(|v_e| - limit, 0)²     on smooth disparities v_e
         + mean_penalty/2 · |D w|²                    on disparities of mean scores

A smooth disparity has a smooth step in place of a win. With the step function σ of `STEP`, which is
1 for a lost pair and 0 for a won one, and its sharpness κ::

    v_e = Σ_uv Q_e[u, v] Σ_{i in u, j in v} w_i w_j (1 - σ(κ (s_i - s_j)))

The derivative of the penalty by v_e is τ_e = penalty · max(|v_e| - limit, 0) · sgn(v_e). The
gradient by the scores is therefore *minus* that of a pairwise loss σ(κ x) with weights Σ_e τ_e Q_e,
and its potential is subtracted from that of L. The gradient by w then takes one pass over the rows
for both.

An `Aim` says which of these terms are present. It does not refer to rows, so that a fit to other
rows minimises the same function.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fairordinal._pairloss import (
    STEP,
    Bins,
    GridCounts,
    Histogram,
    Kernel,
    add_grid_counts,
    count_on_grid,
    make_pair_loss,
    slopes_at,
    spread,
)
from fairordinal._rows import Block, Rows
from fairordinal._validation import Array
from fairordinal.ranker._pairs import PairData

MOST_STEPS = 256  # a smooth step is at least 1/256 of the range of the scores wide
SHARPNESS = 4.0  # of the smooth step, for scores with a spread of 1
# Quantiles whose difference measures the spread of scores, about 0.9 and 0.1. They are not simple
# fractions: at a share k/n of the rows, rounding would decide between two neighbouring scores.
OUTER = np.array([0.898765432101, 0.101234567899])


@dataclass(frozen=True, eq=False)
class Aim:
    """What a ranker minimises besides the loss of all pairs, independently of the rows.

    The reduction uses `tilt`, the direct way `penalty` and `limit`, the relaxation `mean_penalty`.
    """

    tilt: Array | None = None  # (m, m) subtracted from W, in units of the weight of one pair
    penalty: float = 0.0  # on squared smooth disparities beyond the limit, halved
    limit: float = 0.0
    sharpness: float = 0.0  # κ; 0: chosen for the scores that a fit starts from
    mean_penalty: float = 0.0  # on squared disparities of mean scores, halved


PLAIN = Aim()


@dataclass(frozen=True, eq=False)
class Objective:
    """F(w) and its gradient, as in the module docstring."""

    data: PairData
    alpha: float
    aim: Aim = PLAIN

    def __call__(self, coef: Array) -> tuple[float, Array]:
        value, gradient = self._of_pairs(coef)
        value += 0.5 * self.alpha * float(coef @ coef)
        gradient = gradient + self.alpha * coef
        if self.aim.mean_penalty:
            disparities = self.data.mean_differences @ coef
            value += 0.5 * self.aim.mean_penalty * float(disparities @ disparities)
            gradient = gradient + self.aim.mean_penalty * disparities @ self.data.mean_differences
        return value, gradient

    def _of_pairs(self, coef: Array) -> tuple[float, Array]:
        """The loss of all pairs plus the penalty on smooth disparities, and the gradient."""
        data, aim, step = self.data, self.aim, self._step
        detail = step.detail if aim.penalty else np.inf
        pairs = ScoredPairs(data.rows, data.loss, coef, min(data.loss.detail, detail))
        if not aim.penalty:
            return pairs.loss(self.weights)
        histogram = pairs.histogram
        added, multipliers = disparity_penalty(data, histogram, step, aim.penalty, aim.limit)
        subtracted = histogram.potential(step, data.mix_contrasts(multipliers))
        value, gradient = pairs.loss(self.weights, subtracted)
        return value + added, gradient

    @cached_property
    def weights(self) -> Array:
        """Weights of pairs, tilted and netted: ``max(W' - W'ᵀ, 0)`` with ``W' = W - tilt``.

        (u above v) and (v above u) are one decision, so that only the difference of their weights
        counts. If the tilt exceeds the weight of a pair, the pair is reversed. This is a
        cost-sensitive classification of pairs.
        """
        if self.aim.tilt is None:
            return self.data.pair_weights
        tilted = self.data.pair_weights - self.data.unit_weight * self.aim.tilt
        return np.maximum(tilted - tilted.T, 0.0)

    @cached_property
    def hessian_at_0(self) -> Array:
        """The Hessian at w = 0 without the penalty on smooth disparities, (d, d).

        For very many features, its diagonal, (d,).
        """
        hessian = self.data.hessian_at_0
        if hessian.ndim == 1:
            return np.maximum(hessian, 0.0) + self.alpha
        mean_penalty = self.aim.mean_penalty
        mean = self.data.mean_differences if mean_penalty else np.zeros((0, len(hessian)))
        return hessian + self.alpha * np.eye(len(hessian)) + mean_penalty * mean.T @ mean

    @cached_property
    def _step(self) -> Kernel:
        return STEP.sharper(self.aim.sharpness or 1.0)


def disparity_penalty(
    data: PairData, histogram: Histogram, step: Kernel, penalty: float, limit: float
) -> tuple[float, Array]:
    """The penalty on smooth disparities beyond a limit, and its derivatives τ_e by v_e.

    Pairs that the step counts as lost are subtracted from all pairs. The rest are smooth wins.
    """
    merged = data.merged.number
    totals = np.bincount(merged, data.totals)
    wins = np.outer(totals, totals) - histogram.pair_table(step, merged)
    disparities = data.disparities(wins)
    over = np.maximum(np.abs(disparities) - limit, 0.0)
    return 0.5 * penalty * float(over @ over), penalty * over * np.sign(disparities)


@dataclass(frozen=True, eq=False)
class ScoredPairs:
    """All pairs of rows with the scores s = Xw, computed by passes over the rows."""

    rows: Rows
    kernel: Kernel
    coef: Array
    detail: float  # of the histogram

    @cached_property
    def histogram(self) -> Histogram:
        """Histogram of the scores by cell."""
        return histogram_at(self.rows, self.coef, self.detail)

    def loss(self, weights: Array, subtracted: Array | None = None) -> tuple[float, Array]:
        """The loss L for signed weights of pairs, and its gradient by the coefficients.

        The gradient of `subtracted`, a potential at the bins of the histogram, is subtracted.
        """
        if self.kernel.kinked:
            return self._sorted_loss(weights, subtracted)
        total, potential = self.histogram.loss(self.kernel, weights)
        if subtracted is not None:
            potential -= subtracted
        return total, self._gradient(potential)

    def _sorted_loss(self, weights: Array, subtracted: Array | None) -> tuple[float, Array]:
        """Loss and gradient of the squared hinge; all rows must be in memory to be sorted."""
        block = self.rows.whole()
        scores = block.scores(self.coef)
        pairs = make_pair_loss(self.kernel, scores, block.cells, block.n_cells, block.weight)
        total, slopes = pairs.loss(weights)
        gradient = block.weighted_sum(slopes)
        return total, gradient if subtracted is None else gradient - self._gradient(subtracted)

    def _gradient(self, potential: Array) -> Array:
        """``Σ_i w_i φ'_u(s_i) x_i``, by one pass."""
        return self.rows.sum(_gradient, self.coef, self.histogram.bins, potential)


def histogram_at(rows: Rows, coef: Array, detail: float) -> Histogram:
    """Histogram of the scores Xw, by one pass over the rows; two if scores are far apart.

    Scores may be far apart in the first steps of a search. Bins are then wider, and smooth steps
    less precise.
    """
    counted = rows.reduce(_score_counts, add_grid_counts, coef, detail)
    widest = counted.width / MOST_STEPS
    histogram = Histogram.from_grid(counted, detail) if widest <= detail else None
    if histogram is not None:
        return histogram
    bins = Bins.over(counted.spans, max(detail, widest))
    return Histogram(bins, rows.sum(_spread_scores, coef, bins))


def _score_counts(block: Block, coef: Array, detail: float) -> GridCounts:
    rows = block.scores(coef), block.cells, block.n_cells, block.weight
    return count_on_grid(*rows, detail, MOST_STEPS)


def _spread_scores(block: Block, coef: Array, bins: Bins) -> Array:
    return spread(bins, block.scores(coef), block.cells, block.n_cells, block.weight)


def _gradient(block: Block, coef: Array, bins: Bins, potential: Array) -> Array:
    slopes = slopes_at(bins, block.scores(coef), block.cells, potential)
    return block.weighted_sum(block.weight * slopes)


def sharpness_for(data: PairData, coef: Array) -> float:
    """Sharpness κ of the smooth step that suits the spread of the scores Xw; at least 1."""
    if not coef.any():
        return 1.0
    histogram = histogram_at(data.rows, coef, 1.0)
    # for normal scores, 0.9 and 0.1 quantiles are 2.5 standard deviations apart
    spread = float(np.subtract(*histogram.quantiles(OUTER))) / 2.5
    return max(1.0, SHARPNESS / spread) if spread > 0 else 1.0
