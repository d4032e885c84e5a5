r"""Histograms of scores by cell, and the loss of all pairs by convolution.

With ``T[u, b]``, the weight of cell u at bin b, and ``A[u, v]``, the weight of pairs in which a row
of u should score above a row of v, the potential of cell u is the loss that one more row of u would
add at bin b::

    φ[u, b] = Σ_v A[u, v] Σ_b' T[v, b'] ℓ(h (b - b'))      pairs in which it should be above
            + Σ_v A[v, u] Σ_b' T[v, b'] ℓ(h (b' - b))      pairs in which it should be below

    L = Σ_uv A[u, v] Σ_bb' T[u, b] T[v, b'] ℓ(h (b - b')) = ½ Σ_u Σ_b T[u, b] φ[u, b]

The factor ½ is there because each pair is counted in the potentials of both of its cells. Inner
sums are convolutions, which the FFT turns into products.

**Sharpening.** Scores are spread over bins by cubic B-splines, and potentials are read at scores
with the same splines. Both steps smooth ℓ. The kernel is therefore divided, in the frequency
domain, by the response of the spline (2 + cos ω)/3 twice; `spline_filter1d` does one such division.
The result then interpolates ℓ at multiples of h.

**Merging.** Cells with equal rows and equal columns of A have the same potential, and count as one
cell in the transforms.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.fft import irfft, next_fast_len, rfft
from scipy.ndimage import spline_filter1d

from fairordinal._pairloss._bins import (
    BINS_PER_DETAIL,
    Bins,
    GridCounts,
    count_on_grid,
    padded_size,
    spread,
)
from fairordinal._pairloss._losses import Kernel
from fairordinal._validation import Array

EDGE = 40  # bins by which kernels are sampled beyond the ends, where sharpening is inexact


@dataclass(frozen=True, eq=False)
class Histogram:
    """Weights of rows by cell and bin. Histograms of blocks with the same bins add up."""

    bins: Bins
    counts: Array  # T, (n_cells, n_bins)

    @classmethod
    def of(
        cls, scores: Array, cells: Array, n_cells: int, weight: Array, *, detail: float = 1.0
    ) -> Histogram:
        """Histogram of rows in memory."""
        counted = count_on_grid(scores, cells, n_cells, weight, detail)
        histogram = cls.from_grid(counted, detail)
        if histogram is not None:
            return histogram
        bins = Bins.over(counted.spans, detail)
        return cls(bins, spread(bins, scores, cells, n_cells, weight))

    @classmethod
    def from_grid(cls, counted: GridCounts, detail: float) -> Histogram | None:
        """Histogram on the common grid; None if the scores are too far apart for it."""
        if counted.counts is None:
            return None
        n_counted = counted.counts.shape[1]
        bins = Bins.on_grid(counted.first, detail / BINS_PER_DETAIL, padded_size(n_counted - 5))
        counts = np.zeros((len(counted.counts), bins.n_bins))
        counts[:, :n_counted] = counted.counts
        return cls(bins, counts)

    @property
    def n_bins(self) -> int:
        return self.bins.n_bins

    def quantiles(self, shares: Array) -> Array:
        """Quantiles of the scores, to about a bin and up to a common shift.

        Gaps between spans count as shortened.
        """
        below = np.cumsum(self.counts.sum(axis=0))
        bins = np.interp(shares, below / below[-1], np.arange(self.n_bins))
        return np.asarray(bins * self.bins.step)

    def loss(self, kernel: Kernel, weights: Array) -> tuple[float, Array]:
        """The loss L of all pairs and the potentials φ, for signed weights W of pairs of cells."""
        potential = self.potential(kernel, weights)
        near = 0.5 * float(np.vdot(self.counts, potential))
        if not len(self.bins.removed) or kernel.tail == 0.0:
            return near, potential
        return near + kernel.tail * self._loss_in_gaps(weights), potential

    def potential(self, kernel: Kernel, weights: Array) -> Array:
        """The potentials φ of the loss for signed weights W, (n_cells, n_bins)."""
        return self._convolve(weights, kernel.value)

    def curvature_potential(self, kernel: Kernel, weights: Array) -> Array:
        """The potentials with ℓ'' in place of ℓ, (n_cells, n_bins)."""
        return self._convolve(weights, kernel.curvature)

    def pair_table(self, kernel: Kernel, merged: Array) -> Array:
        """``P[u, v]``: the loss of all pairs (i in u, j in v) in which i should be above j.

        Parameters
        ----------
        kernel : Kernel
            A loss without a tail: shortened gaps then make no difference.
        merged : ndarray of shape (n_cells,)
            Number of the merged cell of each cell; u and v are merged cells.
        """
        assert kernel.tail == 0.0
        above, _ = self._spectra(kernel.value)
        losses = irfft(self._transformed(merged) * above, self._size, axis=1)
        return _sum_cells(self.counts, merged) @ losses[:, : self.n_bins].T

    def _transformed(self, merged: Array) -> Array:
        """Transforms of the counts of merged cells; kept if no cells are merged."""
        if _n_merged(merged) == len(self.counts):
            return self._all_transformed
        return np.asarray(rfft(_sum_cells(self.counts, merged), self._size, axis=1))

    @cached_property
    def _all_transformed(self) -> Array:
        return np.asarray(rfft(self.counts, self._size, axis=1))

    @property
    def _size(self) -> int:
        """Length of the transforms: at least 2·n_bins, so that the convolution does not wrap."""
        return next_fast_len(2 * self.n_bins, real=True)

    def _spectra(self, function: Callable[[Array], Array]) -> tuple[Array, Array]:
        return _spectra(function, self.n_bins, self.bins.step, self._size)

    def _convolve(self, weights: Array, function: Callable[[Array], Array]) -> Array:
        above, below = self._spectra(function)
        weights = np.asarray(weights, dtype=np.float64)
        merged, both = _read_order(weights.tobytes(), len(weights))
        # weights are real: they mix real and imaginary parts alike, in half the time
        mixed = both @ self._transformed(merged).view(np.float64)
        won, lost = np.split(mixed.view(np.complex128), 2)
        won *= above
        lost *= below
        won += lost
        return irfft(won, self._size, axis=1)[merged, : self.n_bins]

    def _loss_in_gaps(self, weights: Array) -> float:
        """Loss of lost pairs in the removed parts of gaps, for a tail of slope -1.

        Beyond `REACH` the loss of a lost pair is linear in the distance, so that each unit removed
        from a gap takes 1 off the loss of every lost pair across it::

            Σ_gaps removed · Σ_uv (W⁺[u, v] below_u above_v + W⁻[u, v] above_u below_v)

        with the weights of the cells below and above the gap.
        """
        through = np.cumsum(self.counts, axis=1)
        below = through[:, self.bins.positions[1:].astype(np.intp) - 1].T
        above = through[:, -1] - below
        plus, minus = np.maximum(weights, 0.0), np.maximum(-weights, 0.0)
        lost = np.einsum("gu,uv,gv->g", below, plus, above, optimize=True)
        lost += np.einsum("gu,uv,gv->g", above, minus, below, optimize=True)
        return float(self.bins.removed @ lost)


def order_weights(weights: Array) -> Array:
    """``A = W⁺ + (W⁻)ᵀ``: weights of pairs in which rows of u should be above rows of v."""
    return np.maximum(weights, 0.0) + np.maximum(-weights, 0.0).T


@lru_cache(maxsize=32)
def _read_order(weights: bytes, n_cells: int) -> tuple[Array, Array]:
    """The number of the merged cell of each cell; A of the merged cells on top of its transpose.

    Weights are bytes, by which results are found again: they are equal in all steps of a fit.
    """
    order = order_weights(np.frombuffer(weights).reshape(n_cells, n_cells))
    cells = merge_equal(np.stack([order, order.T], axis=1))
    few = order[np.ix_(cells.first, cells.first)]
    return cells.number, np.concatenate([few, few.T])


@lru_cache(maxsize=32)
def _spectra(
    function: Callable[[Array], Array], n_bins: int, step: float, size: int
) -> tuple[Array, Array]:
    """Transforms of the sharpened kernels b → ℓ(h·b) and b → ℓ(-h·b)."""
    samples = function(step * np.arange(-n_bins - EDGE, n_bins + EDGE + 1))
    for _ in range(2):  # once for spreading, once for reading
        samples = spline_filter1d(samples, order=3, mode="mirror")
    kernel = samples[EDGE:-EDGE]  # at offsets -n_bins … n_bins
    above, below = (rfft(_wrapped(k, n_bins, size)) for k in (kernel, kernel[::-1]))
    return above, below


def _wrapped(kernel: Array, n_bins: int, size: int) -> Array:
    """Kernel in the order of a circular convolution: negative offsets are at the end."""
    wrapped = np.zeros(size)
    wrapped[:n_bins] = kernel[n_bins : 2 * n_bins]
    wrapped[size - n_bins + 1 :] = kernel[1:n_bins]
    return wrapped


class MergedCells(NamedTuple):
    """Cells that are treated equally, merged into one cell."""

    number: Array  # (n_cells,) number of the merged cell of each cell
    first: Array  # (n_merged,) the first cell of each merged cell


def merge_equal(tables: Array) -> MergedCells:
    """Merge cells whose entries along the first axis are equal, (n_cells, …)."""
    return _merge_by_key(table.tobytes() for table in tables + 0.0)  # + 0.0 turns -0 into 0


def merge_equal_rows(*tables: sparse.csr_array) -> MergedCells:
    """Merge cells whose rows are equal in each of some sparse tables without stored zeros."""
    for table in tables:
        table.sort_indices()
    return _merge_by_key(
        tuple(_row_bytes(table, row) for table in tables) for row in range(tables[0].shape[0])
    )


def _row_bytes(table: sparse.csr_array, row: int) -> tuple[bytes, bytes]:
    at = slice(table.indptr[row], table.indptr[row + 1])
    return table.indices[at].tobytes(), table.data[at].tobytes()


def _merge_by_key(keys: Iterable[Hashable]) -> MergedCells:
    numbers: dict[Hashable, int] = {}
    number: list[int] = []
    first: list[int] = []
    for cell, key in enumerate(keys):
        found = numbers.setdefault(key, len(numbers))
        if found == len(first):
            first.append(cell)
        number.append(found)
    return MergedCells(np.array(number, dtype=np.intp), np.array(first, dtype=np.intp))


def _sum_cells(counts: Array, merged: Array) -> Array:
    """Counts of merged cells: sums of the counts of their cells."""
    n_merged = _n_merged(merged)
    if n_merged == len(counts):
        return counts
    member = (np.arange(n_merged)[:, None] == merged).astype(np.float64)
    return member @ counts


def _n_merged(merged: Array) -> int:
    return int(merged.max(initial=-1)) + 1
