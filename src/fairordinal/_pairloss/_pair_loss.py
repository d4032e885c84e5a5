"""The loss of all pairs of rows in memory, and its derivatives by the score of each row."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property

import numpy as np

from fairordinal._pairloss._bins import slopes_at, values_at
from fairordinal._pairloss._histogram import Histogram, order_weights
from fairordinal._pairloss._losses import Kernel
from fairordinal._pairloss._sorted_sums import SortedRows, sorted_both_ways
from fairordinal._validation import Array


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
            _, far_above, squares = self._sums_above(weights, power=2)
            _, far_below = self._sums_below(weights, power=1)
            counted = self.weight > 0  # 0 · inf is 0 here
            total = float(self.weight[counted] @ squares[counted])
        return total, 2.0 * self.weight * (far_below - far_above)

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


def measure(
    kernel: Kernel,
    scores: Array,
    cells: Array,
    n_cells: int,
    weight: Array,
    *,
    detail: float = np.inf,
) -> PairLoss:
    """Make the `PairLoss` of a kernel: sorted for a loss with a kink, binned otherwise.

    `detail` is that of other kernels whose potentials are computed from the same histogram.
    """
    make = SortedLoss if kernel.kinked else BinnedLoss
    return make(kernel, scores, cells, n_cells, weight, detail=min(kernel.detail, detail))
