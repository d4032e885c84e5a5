"""The loss of all pairs by the coefficients of a ranker: what passes over rows find of it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property

from fairordinal._pairloss import (
    Bins,
    Histogram,
    Kernel,
    Tally,
    added,
    measure,
    slopes_at,
    spread,
    tally,
)
from fairordinal._rows import Block, Rows
from fairordinal._validation import Array

MOST_STEPS = 256  # widths of a smooth step in the range of the scores


@dataclass(frozen=True, eq=False)
class Surface(ABC):
    """All pairs of rows at some coefficients; smooth steps are read off `histogram`."""

    rows: Rows
    kernel: Kernel
    coef: Array
    detail: float  # of the histogram

    @cached_property
    def histogram(self) -> Histogram:
        return histogram_at(self.rows, self.coef, self.detail)

    @abstractmethod
    def loss(self, weights: Array, less: Array | None = None) -> tuple[float, Array]:
        """The loss for signed weights of pairs, and its gradient by the coefficients.

        From the gradient, that of `less` is taken off: a potential over the bins of `histogram`.
        """


class Smooth(Surface):
    """Two passes: one for the histogram, one for the gradient."""

    def loss(self, weights: Array, less: Array | None = None) -> tuple[float, Array]:
        histogram = self.histogram
        potential = histogram.potential(self.kernel, weights)
        total = histogram.total(self.kernel, weights, potential)
        less_steep = potential if less is None else potential - less
        return total, self.rows.sum(_gradient, self.coef, histogram.bins, less_steep)


class Kinked(Surface):
    """The rows are sorted, which takes all of them in memory."""

    def loss(self, weights: Array, less: Array | None = None) -> tuple[float, Array]:
        block = self.rows.whole()
        scores = block.scores(self.coef)
        pairs = measure(self.kernel, scores, block.cells, block.n_cells, block.weight)
        total, slopes = pairs.loss(weights)
        gradient = block.pulled(slopes)
        if less is not None:
            gradient = gradient - _gradient(block, self.coef, self.histogram.bins, less)
        return total, gradient


def surface_at(rows: Rows, kernel: Kernel, coef: Array, detail: float) -> Surface:
    """The loss of all pairs at some coefficients; `detail` is that of steps it is mixed with."""
    way = Kinked if kernel.kinked else Smooth
    return way(rows, kernel, coef, min(kernel.detail, detail))


def histogram_at(rows: Rows, coef: Array, detail: float) -> Histogram:
    """The histogram of the scores, by one pass; by another if they lie wide apart.

    Then, as in the first steps of a search, steps may be less sharp.
    """
    counted = rows.reduce(_tally, added, coef, detail)
    widest = counted.width / MOST_STEPS
    known = Histogram.from_tally(counted, detail) if widest <= detail else None
    if known is not None:
        return known
    bins = Bins.over(counted.spans, max(detail, widest))
    return Histogram(bins, rows.sum(_spread, coef, bins))


def _tally(block: Block, coef: Array, detail: float) -> Tally:
    return tally(block.scores(coef), block.cells, block.n_cells, block.weight, detail)


def _spread(block: Block, coef: Array, bins: Bins) -> Array:
    return spread(bins, block.scores(coef), block.cells, block.n_cells, block.weight)


def _gradient(block: Block, coef: Array, bins: Bins, potential: Array) -> Array:
    slopes = slopes_at(bins, block.scores(coef), block.cells, potential)
    return block.pulled(block.weight * slopes)
