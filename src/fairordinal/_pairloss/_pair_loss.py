r"""The loss of all pairs of rows in memory, and its derivatives by the score of each row.

Smooth losses are computed from the histogram of the scores (`BinnedLoss`).

The squared hinge ℓ(x) = max(1 - x, 0)² has a kink in its derivative, which bins would blur. Its sum
over all pairs is computed exactly instead, by sorting (`SortedLoss`). For row j, let i run over the
rows that should be above j. A pair has a loss if s_i < s_j + 1, and its loss is
((s_j + 1) - s_i)². In ascending order of the scores, these i are all rows up to some position k.
With the masses m of the rows, the sums are moments around s_k, which grow from position to
position::

    M0[k] = Σ_{l<=k} m_l               = M0[k-1] + m_k
    M1[k] = Σ_{l<=k} m_l (s_k - s_l)   = M1[k-1] + gap_k M0[k-1]
    M2[k] = Σ_{l<=k} m_l (s_k - s_l)²  = M2[k-1] + gap_k (2 M1[k-1] + gap_k M0[k-1])

with gap_k = s_k - s_{k-1}. Moved from s_k to s_j + 1 = s_k + r, they are M0, M1 + r M0 and
M2 + r (2 M1 + r M0). No term is negative, so that nothing cancels, even if there are outliers.

The rows that row i should be above are treated in the same way, with all scores negated.

The mass of a row l is its weight times the weight A of the pair of cells, so it depends on the cell
of j as well. Cells with equal rows of A share their moments. Cost: a sort, and O(n) for each
distinct row of A.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property
from typing import NamedTuple

import numpy as np

from fairordinal._pairloss._bins import slopes_at, values_at
from fairordinal._pairloss._histogram import Histogram, order_weights
from fairordinal._pairloss._losses import Kernel
from fairordinal._validation import Array, row_blocks

BLOCK = 1 << 13  # rows whose moments, for each distinct row of A, fit into the cache


def make_pair_loss(
    kernel: Kernel,
    scores: Array,
    cells: Array,
    n_cells: int,
    weight: Array,
    *,
    detail: float = np.inf,
) -> PairLoss:
    """Make the `PairLoss` of a kernel: sorted for a loss with a kink, binned otherwise.

    `detail` is the finest detail that other kernels on the same histogram need.
    """
    make = SortedLoss if kernel.kinked else BinnedLoss
    return make(kernel, scores, cells, n_cells, weight, detail=min(kernel.detail, detail))


class PairLoss(ABC):
    """All pairs of rows with given scores, and a loss of their margins.

    `histogram` has bins fine enough for `detail`. The potentials of other kernels, such as smooth
    steps, are computed from it, also where the loss itself is summed in another way.
    """

    def __init__(
        self,
        kernel: Kernel,
        scores: Array,
        cells: Array,
        n_cells: int,
        weight: Array,
        *,
        detail: float,
    ) -> None:
        self.kernel, self.detail = kernel, detail
        self.scores, self.cells, self.n_cells, self.weight = scores, cells, n_cells, weight

    @cached_property
    def histogram(self) -> Histogram:
        """Histogram of the scores by cell."""
        return Histogram.of(self.scores, self.cells, self.n_cells, self.weight, detail=self.detail)

    def slopes_of(self, potential: Array) -> Array:
        """``w_i φ'_u(s_i)`` for each row i of a cell u, given potentials at the bins."""
        bins = self.histogram.bins
        return self.weight * slopes_at(bins, self.scores, self.cells, potential)

    @abstractmethod
    def loss(self, weights: Array) -> tuple[float, Array]:
        """The loss L for signed weights W of pairs of cells, and ∂L/∂s_i for each row."""

    @abstractmethod
    def curvatures(self, weights: Array) -> Array:
        """``∂²L/∂s_i²`` for each row, plus ``2 |W_uu| w_i² ℓ''(0)`` for its pair with itself."""


class BinnedLoss(PairLoss):
    """Smooth losses, computed from the histogram."""

    def loss(self, weights: Array) -> tuple[float, Array]:
        total, potential = self.histogram.loss(self.kernel, weights)
        return total, self.slopes_of(potential)

    def curvatures(self, weights: Array) -> Array:
        potential = self.histogram.curvature_potential(self.kernel, weights)
        values = values_at(self.histogram.bins, self.scores, self.cells, potential)
        return self.weight * values


class SortedLoss(PairLoss):
    """The squared hinge, exactly, by sorting; inf if a square exceeds floating-point numbers."""

    def loss(self, weights: Array) -> tuple[float, Array]:
        with np.errstate(over="ignore"):
            _, distances_above, squares = self._sums_above(weights, power=2)
            _, distances_below = self._sums_below(weights, power=1)
            counted = self.weight > 0  # 0 · inf is 0 here
            total = float(self.weight[counted] @ squares[counted])
        return total, 2.0 * self.weight * (distances_below - distances_above)

    def curvatures(self, weights: Array) -> Array:
        (above,) = self._sums_above(weights, power=0)
        (below,) = self._sums_below(weights, power=0)
        return 2.0 * self.weight * (above + below)

    def _sums_above(self, weights: Array, *, power: int) -> Array:
        """For each row, sums over the rows that it should be above, (power + 1, n_rows)."""
        return self._sorted[0].sums(order_weights(weights), self.weight, power)

    def _sums_below(self, weights: Array, *, power: int) -> Array:
        """For each row, sums over the rows that should be above it, (power + 1, n_rows)."""
        return self._sorted[1].sums(order_weights(weights).T, self.weight, power)

    @cached_property
    def _sorted(self) -> tuple[SortedRows, SortedRows]:
        return sorted_both_ways(self.scores, self.cells)


# Sums over the rows within a distance of 1


def sorted_both_ways(scores: Array, cells: Array) -> tuple[SortedRows, SortedRows]:
    """Rows sorted for sums over the rows that each should be above, and that should be above it."""
    order = np.argsort(scores)
    ordered, n = scores[order], len(order)
    # beyond 2^53, s - 1 is s; nextafter then keeps rows with equal scores within reach
    reached = np.minimum(ordered - 1.0, np.nextafter(ordered, -np.inf))
    first = np.searchsorted(ordered, reached, side="right")
    # the same pairs seen from the other row: last[j] is the last k with first[k] <= j
    last = np.cumsum(np.bincount(first, minlength=n)) - 1
    return (
        SortedRows.of(-ordered[::-1], (n - 1 - first)[::-1], order[::-1], cells),
        SortedRows.of(ordered, last, order, cells),
    )


class SortedRows(NamedTuple):
    """Rows in ascending order; the reach of a row are the rows at most 1 above it."""

    order: Array  # (n,) row at each position
    cells: Array  # (n,) cell at each position
    gaps: Array  # (n,) difference from the score below; 0 at the first position
    last: Array  # (n,) k, the last position within reach; ascending
    beyond: Array  # (n,) r, the distance from there to the end of the reach

    @classmethod
    def of(cls, ordered: Array, last: Array, order: Array, cells: Array) -> SortedRows:
        """Sorted rows, given their scores in order and the last position within reach."""
        gaps = np.diff(ordered, prepend=ordered[0])
        beyond = np.maximum(1.0 - (ordered[last] - ordered), 0.0)
        return cls(order, cells[order], gaps, last, beyond)

    def sums(self, pair_weights: Array, weight: Array, power: int) -> Array:
        """Sums of masses times distances to the powers 0, …, `power`, (power + 1, n).

        The mass of a row of cell v, seen from cell u, is ``pair_weights[u, v]`` times its weight.
        """
        distinct, distinct_of_cell = np.unique(pair_weights, axis=0, return_inverse=True)
        number, ordered = distinct_of_cell.ravel()[self.cells], weight[self.order]
        moments = np.zeros((power + 1, len(distinct), 1))
        sums = np.empty((power + 1, len(ordered)))
        for block in row_blocks(len(ordered), BLOCK):
            masses = np.take(distinct, self.cells[block], axis=1) * ordered[block]
            moments = _moments(moments[..., -1], masses, self.gaps[block])
            # `last` is ascending: the rows whose reach ends in this block are consecutive
            rows = slice(*np.searchsorted(self.last, [block.start, block.stop]))
            at = number[rows] * moments.shape[2] + self.last[rows] - (block.start - 1)
            # a flat index is 4 times as fast as a pair of indices
            reached = np.take(moments.reshape(power + 1, -1), at, axis=1)
            for p, moment in enumerate(reached):
                sums[p, self.order[rows]] = moment + _growth(reached[:p], self.beyond[rows])
        return sums


def _moments(before: Array, masses: Array, gaps: Array) -> Array:
    """M0, M1, … before a block and at each of its positions, (power + 1, n_distinct, 1 + block)."""
    moments = np.empty((*before.shape, len(gaps) + 1))
    moments[..., 0] = before
    moments[0, :, 1:] = masses
    for p, moment in enumerate(moments):
        if p:
            moment[:, 1:] = _growth(moments[:p, :, :-1], gaps)
        np.cumsum(moment, axis=1, out=moment)
    return moments


def _growth(lower: Array, distance: Array) -> Array | float:
    """Growth of a moment over a distance, given the moments of lower powers."""
    if len(lower) < 2:
        return distance * lower[0] if len(lower) else 0.0
    return distance * (2.0 * lower[1] + distance * lower[0])
