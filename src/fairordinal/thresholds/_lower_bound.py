r"""Lower bounds of the Lagrangian, by shortest paths through windows of positions.

At fixed multipliers τ the Lagrangian ``cost + τ . disparities`` is a chain: a term of each cut
alone, and an edge ``c(b_{t+1})' Q c(b_t)`` between neighbouring cuts, with ``Q = Q_τ``
(`_problem`). If each cut may be at any of P + 1 positions, the shortest path takes O(P²) for each
edge. Instead, the positions of a cut are divided into *windows* (`Windows`), and a path goes
through windows:

* terms of a cut alone are computed for all positions, and minimised over each window: exact;
* an edge between two windows is bounded from the ends of the windows: c is non-decreasing in b, so
  that each entry of c(b) lies between its values at the first and last position of the window.

Windows of one position make the bound exact.

The bound of an edge is taken around an anchor, a position a_t for each cut. With
``d_t = c(b_t) - c(a_t)``, so that ``c(b_t) = c(a_t) + d_t``::

    c(b_{t+1})' Q c(b_t) =   d_{t+1}' Q d_t                               bounded
                           + c(b_{t+1})' Q c(a_t) + c(a_{t+1})' Q c(b_t)  linear, exact
                           - c(a_{t+1})' Q c(a_t)                         constant

The linear terms are terms of one cut alone. Only the bound of the first term loses something: about
the width of a window times its *distance from the anchor*. With the best known cuts as the anchor
the bound is tight where it matters, and windows far away may stay wide. That is why a million
scores take little more time than a thousand.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from fairordinal._validation import Array
from fairordinal.thresholds._goal import Deadline
from fairordinal.thresholds._problem import Problem, quadratic, symmetric

ROUNDING = 1e-13  # subtracted from each bound, relatively, so that it holds in floating point


class Windows(NamedTuple):
    """Disjoint windows of positions in ascending order: ``first[i] … last[i]`` for each i."""

    first: Array
    last: Array

    @classmethod
    def spread(cls, n_positions: int, n_windows: int) -> Windows:
        """The positions 0 … n_positions - 1 in windows of about equal width."""
        edges = np.linspace(0, n_positions, min(n_windows, n_positions) + 1).round()
        edges = edges.astype(np.intp)
        return cls(edges[:-1], edges[1:] - 1)

    @property
    def are_points(self) -> bool:
        """Whether each window has one position."""
        return bool((self.first == self.last).all())

    @property
    def n_positions(self) -> int:
        return int((self.last - self.first + 1).sum())

    def positions(self) -> tuple[Array, Array]:
        """All positions, and the index among them at which each window begins."""
        widths = self.last - self.first + 1
        begin = np.cumsum(widths) - widths
        return np.arange(widths.sum()) + np.repeat(self.first - begin, widths), begin

    def windows_between(self, position: int, other: int) -> int:
        """How many windows two positions are apart."""
        one, two = np.searchsorted(self.first, [position, other], side="right")
        return abs(int(one) - int(two))

    def keep(self, wanted: Array) -> Windows:
        """Some of the windows."""
        return Windows(self.first[wanted], self.last[wanted])

    def halve(self) -> Windows:
        """Windows of half the width; those of one position stay."""
        wide, middle = self.first < self.last, (self.first + self.last) // 2
        # a wide window ends in the middle, and another begins after it; sorted, they match again
        first = np.concatenate([self.first, middle[wide] + 1])
        last = np.concatenate([self.last[~wide], middle[wide], self.last[wide]])
        return Windows(np.sort(first), np.sort(last))

    def below(self, position: int) -> Windows:
        """The part of the windows below a position."""
        kept = self.keep(self.first < position)
        return Windows(kept.first, np.minimum(kept.last, position - 1))

    def from_(self, position: int) -> Windows:
        """The part of the windows at a position or above."""
        kept = self.keep(self.last >= position)
        return Windows(np.maximum(kept.first, position), kept.last)

    def boundary(self, position: int) -> int:
        """The nearest position that is the last of a window, or just before the first window.

        Each window then lies entirely at or below it, or entirely above.
        """
        ends = np.concatenate([[max(self.first[0] - 1, 0)], self.last])
        if self.first[0] == 0:  # there is nothing before the first window
            ends = self.last
        return int(ends[np.abs(ends - position).argmin()])


class ChainBound(NamedTuple):
    """A lower bound of the Lagrangian over all cuts within windows."""

    value: float
    through: list[Array]  # for each cut and each of its windows, the bound of cuts through there
    cuts: Array  # of the shortest path; their Lagrangian is near the bound if windows are narrow


class _CutTerms(NamedTuple):
    """Terms of the Lagrangian that depend on one cut alone."""

    lowest: Array  # of each window
    terms: Array  # of each position
    begin: Array  # index at which each window begins
    positions: Array

    def best_position(self, window: int) -> int:
        end = self.begin[window + 1] if window + 1 < len(self.begin) else len(self.terms)
        at = slice(self.begin[window], end)
        return int(self.positions[at][self.terms[at].argmin()])


def chain_bound(
    problem: Problem,
    windows: Sequence[Windows],
    multipliers: Array,
    near: Array,
    deadline: Deadline,
) -> ChainBound:
    """Bound ``cost + multipliers . disparities`` from below, over cuts within windows.

    `near` are cuts around which the bound is tightest. Cost: O(positions + windows²) for each cut.
    """
    # 1. The anchor: the windows' boundaries next to `near`, so that d has one sign in a window.
    anchors = np.array([window.boundary(b) for window, b in zip(windows, near, strict=True)])
    shares = problem.cumulative[anchors]
    # 2. Terms of single cuts, with the linear terms of the edges.
    steps, mixed = problem.mix(multipliers)
    slopes = steps + _edge_slopes(mixed, shares)
    square = symmetric(mixed)
    single = [
        _cut_terms(problem, t, window, slope, square)
        for t, (window, slope) in enumerate(zip(windows, slopes, strict=True))
    ]
    # 3. Bounds of d_{t+1}' Q d_t for each pair of windows of neighbouring cuts.
    edges = []
    for t in range(len(windows) - 1):
        deadline.check()
        edges.append(_edges(problem, mixed, windows[t : t + 2], anchors[t : t + 2]))
    # 4. What does not depend on the cuts; rounded down.
    constant = problem.base + float(multipliers @ problem.offsets)
    constant -= float(np.einsum("tu,uv,tv->", shares[1:], mixed, shares[:-1]))
    constant -= ROUNDING * (problem.scale + float(np.abs(multipliers).sum()))
    # 5. Shortest paths to each window and from each window.
    forward, backward = _shortest([terms.lowest for terms in single], edges)
    through = [f + b + constant for f, b in zip(forward, backward, strict=True)]
    path = _backtrack(forward, edges)
    cuts = np.array([terms.best_position(i) for terms, i in zip(single, path, strict=True)])
    return ChainBound(float(through[-1].min()), through, np.maximum.accumulate(cuts))


def _edge_slopes(mixed: Array, shares: Array) -> Array:
    """Coefficients of c(b_t) in the linear terms of edges, (n_cuts, n_cells).

    ``Q c(a_{t-1})`` from the edge to the cut below, ``Q' c(a_{t+1})`` from that to the cut above.
    """
    slopes = np.zeros_like(shares)
    slopes[1:] += shares[:-1] @ mixed.T
    slopes[:-1] += shares[1:] @ mixed
    return slopes


def _cut_terms(
    problem: Problem, t: int, windows: Windows, slope: Array, square: Array
) -> _CutTerms:
    """Terms of cut t alone: ``gains[t, b] + slope . c(b) - c(b)' Q c(b)``."""
    positions, begin = windows.positions()
    below = problem.cumulative[positions]
    terms = problem.gains[t, positions] + below @ slope - quadratic(below, square)
    return _CutTerms(np.minimum.reduceat(terms, begin), terms, begin, positions)


def _edges(problem: Problem, mixed: Array, windows: Sequence[Windows], anchors: Array) -> Array:
    """Lowest ``d_{t+1}' Q d_t`` for each window of cut t (rows) and of cut t+1 (columns)."""
    lower, upper = windows
    if lower.are_points and upper.are_points:
        behind, ahead = (
            problem.cumulative[w.first] - problem.cumulative[a]
            for w, a in zip(windows, anchors, strict=True)
        )
        edges = behind @ mixed.T @ ahead.T
    else:
        edges = _bounded_edges(problem, mixed, windows, anchors)
    edges[lower.first[:, None] > upper.last[None, :]] = np.inf  # cuts are in ascending order
    return edges


def _bounded_edges(
    problem: Problem, mixed: Array, windows: Sequence[Windows], anchors: Array
) -> Array:
    """Lower bounds of ``d_{t+1}' Q d_t`` from the ends of windows.

    Within a window all entries of d have one sign, and their sizes lie between those at the end
    next to the anchor (``near``) and at the other end (``far``). Let both windows lie on the same
    side of their anchors. Then each product of two entries of d is positive: with a positive entry
    of Q it is least at the near ends, with a negative one at the far ends. On different sides the
    products are negative, and it is the other way round.
    """
    (above, near, far), (above_next, near_next, far_next) = (
        _sizes(problem, w, a) for w, a in zip(windows, anchors, strict=True)
    )
    plus, minus = np.maximum(mixed, 0.0), np.maximum(-mixed, 0.0)
    same_side = near @ plus.T @ near_next.T - far @ minus.T @ far_next.T
    other_side = near @ minus.T @ near_next.T - far @ plus.T @ far_next.T
    return np.where(above[:, None] == above_next[None, :], same_side, other_side)


def _sizes(problem: Problem, windows: Windows, anchor: int) -> tuple[Array, Array, Array]:
    """Whether windows lie above the anchor; |d| at their near and far ends."""
    above = windows.first > anchor
    here = problem.cumulative[anchor]
    low = np.abs(problem.cumulative[windows.first] - here)
    high = np.abs(problem.cumulative[windows.last] - here)
    return above, np.where(above[:, None], low, high), np.where(above[:, None], high, low)


def _shortest(single: list[Array], edges: list[Array]) -> tuple[list[Array], list[Array]]:
    """Lengths of the shortest paths to each window, and from each window to the end.

    The term of the window itself is part of the first; the sum of both is the length of the
    shortest path through the window.
    """
    forward = [single[0]]
    for term, edge in zip(single[1:], edges, strict=True):
        forward.append(term + (forward[-1][:, None] + edge).min(axis=0))
    backward = [np.zeros(len(single[-1]))]
    for term, edge in zip(single[:0:-1], edges[::-1], strict=True):
        backward.append((edge + (term + backward[-1])).min(axis=1))
    return forward, backward[::-1]


def _backtrack(forward: list[Array], edges: list[Array]) -> list[int]:
    """The windows of a shortest path, from the last to the first."""
    path = [int(forward[-1].argmin())]
    for reach, edge in zip(forward[-2::-1], edges[::-1], strict=True):
        path.append(int((reach + edge[:, path[-1]]).argmin()))
    return path[::-1]
