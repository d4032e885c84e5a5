"""The loss of all pairs and its derivatives by each row's score."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property

from fairordinal._pairloss._bins import slopes_at, spread, values_at
from fairordinal._pairloss._histogram import Histogram
from fairordinal._pairloss._kernels import Kernel
from fairordinal._validation import Array


class PairLoss(ABC):
    """All pairs of rows with these scores, and a loss of their margins.

    Whatever sums the loss, smooth steps are read off `histogram`, whose bins suit `detail`.
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
        return Histogram.of(self.scores, self.cells, self.n_cells, self.weight, detail=self.detail)

    def slopes_of(self, potential: Array) -> Array:
        """``w_i φ'(s_i)`` of a potential over the bins of `histogram`."""
        bins = self.histogram.bins
        return self.weight * slopes_at(bins, self.scores, self.cells, potential)

    @abstractmethod
    def loss(self, weights: Array, less: Array | None = None) -> tuple[float, Array]:
        """The loss for signed weights of pairs, and its slopes by row.

        From the slopes, those of `less` are taken off: a potential over the bins of `histogram`.
        """

    @abstractmethod
    def curvatures(self, weights: Array) -> Array:
        """The second derivative of the loss by each score."""

    @abstractmethod
    def hessian_product(self, weights: Array, vector: Array) -> Array:
        """The Hessian of the loss, by scores, times a vector."""


class Binned(PairLoss):
    """Smooth losses, from the histogram."""

    def loss(self, weights: Array, less: Array | None = None) -> tuple[float, Array]:
        histogram = self.histogram
        potential = histogram.potential(self.kernel, weights)
        total = histogram.total(self.kernel, weights, potential)
        return total, self.slopes_of(potential if less is None else potential - less)

    def curvatures(self, weights: Array) -> Array:
        return self._bent(weights, self.histogram.counts)

    def hessian_product(self, weights: Array, vector: Array) -> Array:
        bins, values = self.histogram.bins, self.weight * vector
        counts = spread(bins, self.scores, self.cells, self.n_cells, values)
        return self.curvatures(weights) * vector - self._bent(weights, counts)

    def _bent(self, weights: Array, counts: Array) -> Array:
        """Second derivatives with respect to rows counted in any way."""
        potential = self.histogram.bending(self.kernel, weights, counts)
        values = values_at(self.histogram.bins, self.scores, self.cells, potential)
        return self.weight * values
