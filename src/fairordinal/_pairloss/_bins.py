"""Bins for scores, and rows spread over them.

Bins lie on one grid, so that blocks of rows are counted without knowing of one another, and their
counts add up. Scores that lie wide apart get bins of their own: stretches of more than `REACH`
without a score are shortened, which needs to know all blocks first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from fairordinal._pairloss._kernels import REACH
from fairordinal._validation import Array, row_blocks

BINS_PER_DETAIL = 32  # width of bins: a cubic spline is then exact to 1e-7
MOST_BINS = 1 << 17
ROUND_BINS = 128  # numbers of bins are multiples, so that transforms of kernels are kept
NARROW = 8 * REACH  # scores within it are not searched for gaps
FARTHEST = 2.0**40  # bins from 0 at which rounding does not matter
BLOCK = 1 << 13  # rows that stay in cache; small enough for workers that return memory at once


@dataclass(frozen=True, eq=False)
class Bins:
    """Equal bins along spans of scores; a span is a stretch without wide gaps."""

    starts: Array  # (spans,)  lowest score of each
    places: Array  # (spans,)  and where it lies, in bins
    cut: Array  # (spans - 1,)  what was cut out of the gap above each
    step: float
    n_bins: int

    @classmethod
    def over(cls, spans: Array, detail: float) -> Bins:
        """Bins for all scores in some spans; fine enough for a detail, if there can be so many."""
        lengths = spans[:, 1] - spans[:, 0]
        offsets = np.concatenate([[0.0], np.cumsum(lengths[:-1] + REACH)])
        width = float(offsets[-1] + lengths[-1])
        step = max(detail / BINS_PER_DETAIL, width / (MOST_BINS - 8))
        cut = spans[1:, 0] - spans[:-1, 1] - REACH
        return cls(spans[:, 0], offsets / step, cut, step, rounded_up(width / step))

    def place(self, scores: Array) -> Array:
        """Where scores lie, in bins."""
        if len(self.starts) == 1:
            return self.places[0] + (scores - self.starts[0]) / self.step
        span = np.searchsorted(self.starts, scores, side="right") - 1
        return self.places[span] + (scores - self.starts[span]) / self.step


def rounded_up(width: float) -> int:
    """A number of bins for scores that lie so many bins apart."""
    needed = int(np.ceil(width)) + 5
    return -(-needed // ROUND_BINS) * ROUND_BINS


def spans_of(scores: Array) -> Array:
    """Lowest and highest score of each span, ascending, (spans, 2)."""
    if not len(scores):
        return np.zeros((0, 2))
    low, high = scores.min(), scores.max()
    if high - low <= NARROW:
        return np.array([[low, high]])
    placed = np.sort(scores)
    return joined(np.stack([placed, placed], axis=1))


def joined(spans: Array) -> Array:
    """Spans of several blocks of rows together."""
    spans = spans[np.argsort(spans[:, 0], kind="stable")]
    if not len(spans):
        return spans
    ends = np.maximum.accumulate(spans[:, 1])
    last = np.flatnonzero(spans[1:, 0] - ends[:-1] > REACH)
    return np.stack([spans[np.append(0, last + 1), 0], ends[np.append(last, -1)]], axis=1)


class Tally(NamedTuple):
    """Rows of a block in the bins of the one grid, from bin `first` on; none if they lie wide."""

    spans: Array
    first: int
    counts: Array | None  # (n_cells, bins)

    @property
    def width(self) -> float:
        return float(self.spans[-1, 1] - self.spans[0, 0]) if len(self.spans) else 0.0


def tally(scores: Array, cells: Array, n_cells: int, weight: Array, detail: float) -> Tally:
    """Count a block of rows."""
    spans, step = spans_of(scores), detail / BINS_PER_DETAIL
    if not len(spans):
        return Tally(spans, 0, np.zeros((n_cells, 0)))
    low, high = float(spans[0, 0]), float(spans[-1, 1])
    if high - low > NARROW or max(abs(low), abs(high)) > FARTHEST * step:
        return Tally(spans, 0, None)
    first = int(np.floor(low / step))
    n_bins = int(high / step - first) + 5
    bins = Bins(np.zeros(1), np.array([-float(first)]), np.zeros(0), step, n_bins)
    return Tally(spans, first, spread(bins, scores, cells, n_cells, weight))


def added(tallies: Sequence[Tally]) -> Tally:
    """Several blocks together."""
    spans = joined(np.concatenate([part.spans for part in tallies]))
    known = [(part.first, part.counts) for part in tallies if part.counts is not None]
    whole = Tally(spans, min((first for first, _ in known), default=0), None)
    if len(known) < len(tallies) or whole.width > NARROW:
        return whole
    filled = [(first, counts) for first, counts in known if counts.shape[1]]
    first = min((first for first, _ in filled), default=0)
    last = max((first + counts.shape[1] for first, counts in filled), default=0)
    total = np.zeros((len(known[0][1]), last - first))
    for start, counts in filled:
        total[:, start - first : start - first + counts.shape[1]] += counts
    return Tally(spans, first, total)


def spread(bins: Bins, scores: Array, cells: Array, n_cells: int, values: Array) -> Array:
    """Sums of values by cell and bin, each spread over four bins by a cubic B-spline."""
    flat = np.zeros(n_cells * bins.n_bins)
    taps = [flat[tap:] for tap in range(4)]
    for rows in row_blocks(len(scores), BLOCK):
        at, f = _places(bins, scores[rows], cells[rows])
        for tap, share in zip(taps, _spline(f), strict=True):
            np.add.at(tap, at, share * values[rows])
    return flat.reshape(n_cells, bins.n_bins)


def slopes_at(bins: Bins, scores: Array, cells: Array, potential: Array) -> Array:
    """``φ'(s_i)`` of the potential of each row's cell."""
    steps = np.diff(potential, axis=1, append=0.0).ravel() / bins.step
    slopes = np.empty(len(scores))
    for rows in row_blocks(len(scores), BLOCK):
        at, f = _places(bins, scores[rows], cells[rows])
        slope = 0.5 * (1.0 - f) ** 2 * steps[at] + (0.5 + f - f * f) * steps[at + 1]
        slopes[rows] = slope + 0.5 * f * f * steps[at + 2]
    return slopes


def values_at(bins: Bins, scores: Array, cells: Array, potential: Array) -> Array:
    """``φ(s_i)`` of the potential of each row's cell."""
    flat = potential.ravel()
    values = np.empty(len(scores))
    for rows in row_blocks(len(scores), BLOCK):
        at, f = _places(bins, scores[rows], cells[rows])
        values[rows] = sum(share * flat[at + tap] for tap, share in enumerate(_spline(f)))
    return values


def _places(bins: Bins, scores: Array, cells: Array) -> tuple[Array, Array]:
    """Where the first of the four bins of each row is in a flat table, and how far beyond it."""
    places = bins.place(scores)
    whole = places.astype(np.intp)
    return cells * bins.n_bins + whole, places - whole


def _spline(f: Array) -> tuple[Array, Array, Array, Array]:
    """Shares of a place f beyond a bin in the four bins around it."""
    g, square = 1.0 - f, f * f
    first, last = g * g * g / 6.0, square * f / 6.0  # a power of 3 would be slow
    second = 2.0 / 3.0 - 0.5 * square * (1.0 + g)
    return first, second, 1.0 - first - second - last, last
