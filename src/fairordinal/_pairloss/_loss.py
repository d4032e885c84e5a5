"""The loss of all pairs and its derivatives by each row's score."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property

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
        return Histogram(self.scores, self.cells, self.n_cells, self.weight, detail=self.detail)

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
        return total, histogram.slopes(potential if less is None else potential - less)

    def curvatures(self, weights: Array) -> Array:
        return self.histogram.curvatures(self.kernel, weights)

    def hessian_product(self, weights: Array, vector: Array) -> Array:
        return self.histogram.hessian_product(self.kernel, weights, vector)
