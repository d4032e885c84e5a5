"""Histograms of scores by cell, and what can be read off them about all pairs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.fft import irfft, next_fast_len, rfft
from scipy.ndimage import spline_filter1d

from fairordinal._pairloss._alike import alike
from fairordinal._pairloss._bins import (
    BINS_PER_DETAIL,
    Bins,
    Tally,
    rounded_up,
    spread,
    tally,
)
from fairordinal._pairloss._kernels import Kernel
from fairordinal._validation import Array

MARGIN = 40  # bins by which kernels are sampled further, where sharpening has its edges


@dataclass(frozen=True, eq=False)
class Histogram:
    """Rows of cells, spread over bins; see the package docstring.

    ``counts[u, b]`` is the weight of cell u at bin b, spread by cubic B-splines. Histograms of
    blocks of rows add up to that of all rows.
    """

    bins: Bins
    counts: Array  # (n_cells, n_bins)

    @classmethod
    def of(
        cls, scores: Array, cells: Array, n_cells: int, weight: Array, *, detail: float = 1.0
    ) -> Histogram:
        """The histogram of rows in memory."""
        counted = tally(scores, cells, n_cells, weight, detail)
        known = cls.from_tally(counted, detail)
        if known is not None:
            return known
        bins = Bins.over(counted.spans, detail)
        return cls(bins, spread(bins, scores, cells, n_cells, weight))

    @classmethod
    def from_tally(cls, counted: Tally, detail: float) -> Histogram | None:
        """The histogram of rows that were counted; None if they have to be counted in own bins."""
        if counted.counts is None:
            return None
        n_bins = rounded_up(counted.counts.shape[1] - 5)
        padding = n_bins - counted.counts.shape[1]
        place = np.array([-float(counted.first)])
        step = detail / BINS_PER_DETAIL
        bins = Bins(np.zeros(1), place, np.zeros(0), step, n_bins)
        return cls(bins, np.pad(counted.counts, ((0, 0), (0, padding))))

    @property
    def n_bins(self) -> int:
        return self.bins.n_bins

    def quantiles(self, shares: Array) -> Array:
        """Scores below which shares of the weight lie, to about a bin; without wide gaps."""
        below = np.cumsum(self.counts.sum(axis=0))
        bins = np.interp(shares, below / below[-1], np.arange(self.n_bins))
        return np.asarray(bins * self.bins.step)

    def potential(self, kernel: Kernel, weights: Array) -> Array:
        """``φ[u, b]``: loss of one more row of cell u at bin b, for signed weights of pairs."""
        return self._convolve(self.counts, weights, kernel.value)

    def bending(self, kernel: Kernel, weights: Array, counts: Array) -> Array:
        """Potential of the second derivative of the loss, of rows counted in any way."""
        return self._convolve(counts, weights, kernel.curvature)

    def pair_table(self, kernel: Kernel, kinds: Array) -> Array:
        """``P[u, v]``: the loss of all pairs (i in u, j in v) if i should be above j.

        Cells of a kind count as one. For a loss without a tail.
        """
        assert kernel.tail == 0.0
        won, _ = self._spectra(kernel.value)
        counts = _merged(self.counts, kinds)
        seen = irfft(rfft(counts, self._size, axis=1) * won, self._size, axis=1)
        return counts @ seen[:, : self.n_bins].T

    @property
    def _size(self) -> int:
        return next_fast_len(2 * self.n_bins, real=True)

    def _spectra(self, function: Callable[[Array], Array]) -> tuple[Array, Array]:
        return _spectra(function, self.n_bins, self.bins.step, self._size)

    def _convolve(self, counts: Array, weights: Array, function: Callable[[Array], Array]) -> Array:
        won, lost = self._spectra(function)
        plus, minus = np.maximum(weights, 0.0), np.maximum(-weights, 0.0)
        # how much rows of u should be above rows of v, and below: the same turned round, so that
        # cells which are alike as u are alike as v
        above = plus + minus.T
        cells = alike(np.stack([above, above.T], axis=1))
        spectrum = rfft(_merged(counts, cells.kinds), self._size, axis=1)
        few = above[np.ix_(cells.first, cells.first)]
        mixed = irfft((few @ spectrum) * won + (few.T @ spectrum) * lost, self._size, axis=1)
        return mixed[cells.kinds, : self.n_bins]

    def total(self, kernel: Kernel, weights: Array, potential: Array) -> float:
        """The loss of all pairs."""
        near = 0.5 * float(np.vdot(self.counts, potential))
        if not len(self.bins.cut) or kernel.tail == 0.0:
            return near
        return near + kernel.tail * self._across_gaps(weights)

    def _across_gaps(self, weights: Array) -> float:
        """What lost pairs lose by the parts of gaps that were cut out."""
        through = np.cumsum(self.counts, axis=1)
        below = through[:, self.bins.places[1:].astype(np.intp) - 1].T
        above = through[:, -1] - below
        plus, minus = np.maximum(weights, 0.0), np.maximum(-weights, 0.0)
        lost = np.einsum("gu,uv,gv->g", below, plus, above, optimize=True)
        lost += np.einsum("gu,uv,gv->g", above, minus, below, optimize=True)
        return float(self.bins.cut @ lost)


def _merged(counts: Array, kinds: Array) -> Array:
    """Counts of cells of a kind added up."""
    n_kinds = int(kinds.max(initial=-1)) + 1
    if n_kinds == len(counts):
        return counts
    member = (np.arange(n_kinds)[:, None] == kinds).astype(np.float64)
    return member @ counts


@lru_cache(maxsize=32)
def _spectra(
    function: Callable[[Array], Array], n_bins: int, step: float, size: int
) -> tuple[Array, Array]:
    """Transforms of the sharpened kernel, for rows that should be above and below."""
    samples = function(step * np.arange(-n_bins - MARGIN, n_bins + MARGIN + 1))
    for _ in range(2):  # once for the rows, once for those they are compared with
        samples = spline_filter1d(samples, order=3, mode="mirror")
    kernel = samples[MARGIN:-MARGIN]  # offsets -n_bins … n_bins
    won, lost = (rfft(_wrapped(k, n_bins, size)) for k in (kernel, kernel[::-1]))
    return won, lost


def _wrapped(kernel: Array, n_bins: int, size: int) -> Array:
    """Negative offsets at the end, as a circular convolution has them."""
    wrapped = np.zeros(size)
    wrapped[:n_bins] = kernel[n_bins : 2 * n_bins]
    wrapped[size - n_bins + 1 :] = kernel[1:n_bins]
    return wrapped
