r"""Bins for scores: weights spread over bins by cubic B-splines, and functions read off bins.

A score s has a position x on an axis whose unit is the width h of a bin. With b = floor(x) and
f = x - b, it is spread over the bins b, …, b+3 with the weights of a cubic B-spline::

    (1-f)³/6,   2/3 - f²(2-f)/2,   2/3 - (1-f)²(1+f)/2,   f³/6          (they sum to 1)

The spline is centred at b+1+f, one bin above the position. Only differences of positions matter, so
this common shift has no effect. A function φ given at bins is read at a score with the same
weights; its derivative is (1/h) times the sum of the differences φ[b+1] - φ[b], … with the weights
of the quadratic B-spline, (1-f)²/2, 1/2 + f - f² and f²/2.

There are two kinds of bins:

* **The common grid** has x = s/h, so that blocks of rows are counted independently, and
  the counts of blocks are added up (`GridCounts`).
* **Bins along spans** (`Bins.over`) are for scores that are far apart. A *span* is an interval that
  contains scores and no gap longer than `REACH`. Longer gaps are shortened to `REACH`, so that
  outliers do not need millions of empty bins. The spans of all blocks must be known first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from fairordinal._pairloss._losses import REACH
from fairordinal._validation import Array, row_blocks

BINS_PER_DETAIL = 32  # with bins this narrow, a cubic spline is exact to 1e-7
MOST_BINS = 1 << 17
ROUND_BINS = 128  # numbers of bins are multiples of it, so that cached transforms are reused
NARROW = 8 * REACH  # scores within this range are not searched for gaps
FARTHEST = 2.0**40  # in bins from 0: up to it, positions on the common grid are precise enough
BLOCK = 1 << 13  # rows at a time, which fit into the cache


@dataclass(frozen=True, eq=False)
class Bins:
    """Bins of equal width along spans of scores, in ascending order."""

    starts: Array  # (n_spans,) lowest score of each span
    positions: Array  # (n_spans,) position of that score, in bins
    removed: Array  # (n_spans - 1,) by how much the gap above each span was shortened
    step: float  # h, the width of a bin
    n_bins: int

    @classmethod
    def over(cls, spans: Array, detail: float) -> Bins:
        """Bins for all scores in the spans, wide enough that there are at most `MOST_BINS`."""
        lengths = spans[:, 1] - spans[:, 0]
        offsets = np.concatenate([[0.0], np.cumsum(lengths[:-1] + REACH)])
        width = float(offsets[-1] + lengths[-1])
        step = max(detail / BINS_PER_DETAIL, width / (MOST_BINS - 8))
        removed = spans[1:, 0] - spans[:-1, 1] - REACH
        return cls(spans[:, 0], offsets / step, removed, step, padded_size(width / step))

    @classmethod
    def on_grid(cls, first: int, step: float, n_bins: int) -> Bins:
        """Bins of the common grid, from bin number `first` on."""
        return cls(np.zeros(1), np.array([-float(first)]), np.zeros(0), step, n_bins)

    def position(self, scores: Array) -> Array:
        """Positions x of scores, in bins."""
        if len(self.starts) == 1:
            return self.positions[0] + (scores - self.starts[0]) / self.step
        span = np.searchsorted(self.starts, scores, side="right") - 1
        return self.positions[span] + (scores - self.starts[span]) / self.step


def padded_size(width: float) -> int:
    """Number of bins, a multiple of `ROUND_BINS`, for scores in a range of `width` bins."""
    needed = int(np.ceil(width)) + 5  # a score at the upper end is spread over four bins
    return -(-needed // ROUND_BINS) * ROUND_BINS


def find_spans(scores: Array) -> Array:
    """Lowest and highest score of each span, ascending, (n_spans, 2)."""
    if not len(scores):
        return np.zeros((0, 2))
    low, high = scores.min(), scores.max()
    if high - low <= NARROW:
        return np.array([[low, high]])
    ordered = np.sort(scores)
    return merge_spans(np.stack([ordered, ordered], axis=1))


def merge_spans(spans: Array) -> Array:
    """Union of spans; those at most `REACH` apart become one, and all within `NARROW`."""
    spans = spans[np.argsort(spans[:, 0], kind="stable")]
    if not len(spans):
        return spans
    ends = np.maximum.accumulate(spans[:, 1])
    if ends[-1] - spans[0, 0] <= NARROW:  # as in `find_spans`, for any blocks of rows
        return np.array([[spans[0, 0], ends[-1]]])
    last = np.flatnonzero(spans[1:, 0] - ends[:-1] > REACH)
    return np.stack([spans[np.append(0, last + 1), 0], ends[np.append(last, -1)]], axis=1)


class GridCounts(NamedTuple):
    """Weights of a block of rows by cell and bin of the common grid.

    `counts` is None if the scores are too far apart for the grid. They then have to be counted in
    `Bins.over` the spans of all blocks.
    """

    spans: Array  # (n_spans, 2)
    first: int  # number of the first bin
    counts: Array | None  # (n_cells, n_bins)

    @property
    def width(self) -> float:
        """Range of the scores."""
        return float(self.spans[-1, 1] - self.spans[0, 0]) if len(self.spans) else 0.0


def count_on_grid(
    scores: Array,
    cells: Array,
    n_cells: int,
    weight: Array,
    detail: float,
    most_details: float = np.inf,
) -> GridCounts:
    """Count a block of rows on the common grid; not if its range has more than `most_details`."""
    spans, step = find_spans(scores), detail / BINS_PER_DETAIL
    if not len(spans):
        return GridCounts(spans, 0, np.zeros((n_cells, 0)))
    low, high = float(spans[0, 0]), float(spans[-1, 1])
    is_wide = high - low > NARROW or (high - low) / most_details > detail
    if is_wide or max(abs(low), abs(high)) > FARTHEST * step:
        return GridCounts(spans, 0, None)
    first = int(np.floor(low / step))
    n_bins = int(high / step - first) + 5
    bins = Bins.on_grid(first, step, n_bins)
    return GridCounts(spans, first, spread(bins, scores, cells, n_cells, weight))


def add_grid_counts(blocks: Sequence[GridCounts]) -> GridCounts:
    """Counts of several blocks together."""
    spans = merge_spans(np.concatenate([block.spans for block in blocks]))
    known = [(block.first, block.counts) for block in blocks if block.counts is not None]
    uncounted = GridCounts(spans, min((first for first, _ in known), default=0), None)
    if len(known) < len(blocks) or uncounted.width > NARROW:
        return uncounted
    filled = [(first, counts) for first, counts in known if counts.shape[1]]
    first = min((first for first, _ in filled), default=0)
    last = max((first + counts.shape[1] for first, counts in filled), default=0)
    total = np.zeros((len(known[0][1]), last - first))
    for start, counts in filled:
        total[:, start - first : start - first + counts.shape[1]] += counts
    return GridCounts(spans, first, total)


def spread(bins: Bins, scores: Array, cells: Array, n_cells: int, values: Array) -> Array:
    """Sums of values by cell and bin, each value spread over four bins, (n_cells, n_bins)."""
    flat = np.zeros(n_cells * bins.n_bins)
    shifted = [flat[tap:] for tap in range(4)]
    for rows in row_blocks(len(scores), BLOCK):
        at, f = _locate(bins, scores[rows], cells[rows])
        for target, share in zip(shifted, _cubic_weights(f), strict=True):
            np.add.at(target, at, share * values[rows])
    return flat.reshape(n_cells, bins.n_bins)


def slopes_at(bins: Bins, scores: Array, cells: Array, potential: Array) -> Array:
    """``φ'_u(s_i)`` for each row i of a cell u, given the potentials φ at bins, (n_rows,)."""
    table = np.zeros_like(potential)  # the last bins have no scores: their slopes are never read
    np.subtract(potential[:, 1:], potential[:, :-1], out=table[:, :-1])
    table /= bins.step
    differences = table.ravel()
    slopes = np.empty(len(scores))
    for rows in row_blocks(len(scores), BLOCK):
        at, f = _locate(bins, scores[rows], cells[rows])
        slope = 0.5 * (1.0 - f) ** 2 * differences[at] + (0.5 + f - f * f) * differences[at + 1]
        slopes[rows] = slope + 0.5 * f * f * differences[at + 2]
    return slopes


def values_at(bins: Bins, scores: Array, cells: Array, potential: Array) -> Array:
    """``φ_u(s_i)`` for each row i of a cell u, given the potentials φ at bins, (n_rows,)."""
    flat = potential.ravel()
    values = np.empty(len(scores))
    for rows in row_blocks(len(scores), BLOCK):
        at, f = _locate(bins, scores[rows], cells[rows])
        values[rows] = sum(share * flat[at + tap] for tap, share in enumerate(_cubic_weights(f)))
    return values


def _locate(bins: Bins, scores: Array, cells: Array) -> tuple[Array, Array]:
    """Index of (cell, b) in a flattened (n_cells, n_bins) table, and f, for each row."""
    positions = bins.position(scores)
    whole = positions.astype(np.intp)
    return cells * bins.n_bins + whole, positions - whole


def _cubic_weights(f: Array) -> tuple[Array, Array, Array, Array]:
    """Weights of the cubic B-spline at the four bins, as in the module docstring."""
    g, square = 1.0 - f, f * f
    first, last = g * g * g / 6.0, square * f / 6.0  # products are faster than a power of 3
    second = 2.0 / 3.0 - 0.5 * square * (1.0 + g)
    return first, second, 1.0 - first - second - last, last
