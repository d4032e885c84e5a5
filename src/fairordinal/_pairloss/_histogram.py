"""Histograms of scores by cell, and what can be read off them about all pairs."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np
from scipy.fft import irfft, next_fast_len, rfft
from scipy.ndimage import spline_filter1d

from fairordinal._pairloss._alike import alike
from fairordinal._pairloss._kernels import REACH, Kernel
from fairordinal._validation import Array, row_blocks

BINS_PER_DETAIL = 32  # width of bins: a cubic spline is then exact to 1e-7
MOST_BINS = 1 << 17
ROUND_BINS = 128  # numbers of bins are multiples, so that transforms of kernels are kept
MARGIN = 40  # bins by which kernels are sampled further, where sharpening has its edges
BLOCK = 1 << 14  # rows that stay in cache


class Histogram:
    """Scores of rows in cells, spread over bins; see the package docstring.

    ``counts[u, b]`` is the weight of cell u at bin b, spread by cubic B-splines.
    """

    def __init__(
        self, scores: Array, cells: Array, n_cells: int, weight: Array, *, detail: float = 1.0
    ) -> None:
        self.cells, self.n_cells, self.weight = cells, n_cells, weight
        low, width = float(scores.min()), float(np.ptp(scores))
        finest = detail / BINS_PER_DETAIL
        self._gaps: tuple[Array, Array] | None = None
        if width > REACH * 8:
            scores, self._gaps = _shorten_gaps(scores)
            low, width = 0.0, float(scores.max())
        self.step = max(finest, width / (MOST_BINS - 8))
        needed = int(np.ceil(width / self.step)) + 5
        self.n_bins = -(-needed // ROUND_BINS) * ROUND_BINS
        self.places = (scores - low) / self.step
        self.counts = self._spread(weight)

    def _spread(self, values: Array) -> Array:
        """Sums of values by cell and bin, each spread over four bins."""
        flat = np.zeros(self.n_cells * self.n_bins)
        for rows in row_blocks(len(self.places), BLOCK):
            whole = self.places[rows].astype(np.intp)
            f = self.places[rows] - whole
            at = self.cells[rows] * self.n_bins + whole
            for tap, share in enumerate(_spline(f)):
                flat += np.bincount(at + tap, share * values[rows], minlength=flat.size)
        return flat.reshape(self.n_cells, self.n_bins)

    def potential(self, kernel: Kernel, weights: Array) -> Array:
        """``φ[u, b]``: loss of one more row of cell u at bin b, for signed weights of pairs."""
        return self._convolve(self.counts, weights, kernel.value)

    def bending(self, kernel: Kernel, weights: Array, counts: Array) -> Array:
        """The same for the second derivative of the loss, of rows counted in any way."""
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
        return _spectra(function, self.n_bins, self.step, self._size)

    def _convolve(self, counts: Array, weights: Array, function: Callable[[Array], Array]) -> Array:
        won, lost = self._spectra(function)
        plus, minus = np.maximum(weights, 0.0), np.maximum(-weights, 0.0)
        # how much rows of u should be above rows of v, and below
        sides = np.stack([plus + minus.T, minus + plus.T])
        looking, seen = alike(sides.transpose(1, 0, 2)), alike(sides.transpose(2, 0, 1))
        spectrum = rfft(_merged(counts, seen.kinds), self._size, axis=1)
        ahead, behind = sides[:, looking.first][:, :, seen.first] @ spectrum
        mixed = irfft(ahead * won + behind * lost, self._size, axis=1)
        return mixed[looking.kinds, : self.n_bins]

    def total(self, kernel: Kernel, weights: Array, potential: Array) -> float:
        """The loss of all pairs."""
        near = 0.5 * float(np.vdot(self.counts, potential))
        if self._gaps is None or kernel.tail == 0.0:
            return near
        return near + kernel.tail * self._across_gaps(weights)

    def _across_gaps(self, weights: Array) -> float:
        """What lost pairs lose by the parts of gaps that were cut out."""
        assert self._gaps is not None
        order, cut = self._gaps
        places = np.flatnonzero(cut)
        below = np.zeros((len(places), self.n_cells))
        for u in range(self.n_cells):
            summed = np.cumsum(np.where(self.cells[order] == u, self.weight[order], 0.0))
            below[:, u] = summed[places]
        above = np.bincount(self.cells, self.weight, self.n_cells) - below
        plus, minus = np.maximum(weights, 0.0), np.maximum(-weights, 0.0)
        lost = np.einsum("gu,uv,gv->g", below, plus, above)
        lost += np.einsum("gu,uv,gv->g", above, minus, below)
        return float(cut[places] @ lost)

    def slopes(self, potential: Array) -> Array:
        """``w_i φ'(s_i)``: the derivative of the loss by each score."""
        steps = np.diff(potential, axis=1, append=0.0).ravel() / self.step
        slopes = np.empty(len(self.places))
        for rows in row_blocks(len(self.places), BLOCK):
            whole = self.places[rows].astype(np.intp)
            f = self.places[rows] - whole
            at = self.cells[rows] * self.n_bins + whole
            slope = 0.5 * (1.0 - f) ** 2 * steps[at] + (0.5 + f - f * f) * steps[at + 1]
            slopes[rows] = self.weight[rows] * (slope + 0.5 * f * f * steps[at + 2])
        return slopes

    def values(self, potential: Array) -> Array:
        """``w_i φ(s_i)``."""
        flat = potential.ravel()
        values = np.empty(len(self.places))
        for rows in row_blocks(len(self.places), BLOCK):
            whole = self.places[rows].astype(np.intp)
            at = self.cells[rows] * self.n_bins + whole
            shares = _spline(self.places[rows] - whole)
            seen = sum(share * flat[at + tap] for tap, share in enumerate(shares))
            values[rows] = self.weight[rows] * seen
        return values

    def curvatures(self, kernel: Kernel, weights: Array) -> Array:
        """The second derivative of the loss by each score."""
        return self.values(self.bending(kernel, weights, self.counts))

    def hessian_product(self, kernel: Kernel, weights: Array, vector: Array) -> Array:
        """The Hessian of the loss, by scores, times a vector."""
        pulled = self.bending(kernel, weights, self._spread(self.weight * vector))
        return self.curvatures(kernel, weights) * vector - self.values(pulled)


def _merged(counts: Array, kinds: Array) -> Array:
    """Counts of cells of a kind added up."""
    n_kinds = int(kinds.max(initial=-1)) + 1
    if n_kinds == len(counts):
        return counts
    member = (np.arange(n_kinds)[:, None] == kinds).astype(np.float64)
    return member @ counts


def _spline(f: Array) -> tuple[Array, Array, Array, Array]:
    """Shares of a place f beyond a bin in the four bins around it."""
    g, square = 1.0 - f, f * f
    first, last = g * g * g / 6.0, square * f / 6.0  # a power of 3 would be slow
    second = 2.0 / 3.0 - 0.5 * square * (1.0 + g)
    return first, second, 1.0 - first - second - last, last


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


def _shorten_gaps(scores: Array) -> tuple[Array, tuple[Array, Array]]:
    """Scores from 0 on with no gap beyond REACH; their order, and what was cut after each."""
    order = np.argsort(scores, kind="stable")
    gaps = np.diff(scores[order])
    cut = np.append(np.maximum(gaps - REACH, 0.0), 0.0)
    placed = np.concatenate([[0.0], np.cumsum(np.minimum(gaps, REACH))])
    shortened = np.empty_like(placed)
    shortened[order] = placed
    return shortened, (order, cut)
