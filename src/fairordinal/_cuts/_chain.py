r"""Lower bounds by shortest paths through windows of cuts.

At fixed multipliers the Lagrangian is a chain: own terms of single cuts, and an edge
``c(b_{t+1})' Q c(b_t)`` between neighbours. Its minimum over cuts within windows is found by
going forward and back through the windows. Windows that are single places are exact. For wider
ones own terms are minimised over their places, and edges bounded from their ends: c rises, so
``lowest <= c(b) <= highest`` in each entry.

The bound of an edge is taken around an anchor, a cut a_t for each t: with
``d_t = c(b_t) - c(a_t)``,

    c(b_{t+1})' Q c(b_t) = d_{t+1}' Q d_t + linear terms in c(b_t) and c(b_{t+1}) + constant

and the linear terms join the own ones, where they are exact. What is lost is the width of a
window times its *distance from the anchor*. With the best known cuts as the anchor the bound is
tight where it matters, and windows may stay wide where it does not: that is why a million scores
cost little more than a thousand.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from fairordinal._cuts._problem import Problem, quadratic, symmetric
from fairordinal._cuts._windows import Windows
from fairordinal._validation import Array

ROUNDING = 1e-13  # taken off each bound, relatively, so that it stays below the truth


class OutOfTimeError(Exception):
    """The deadline has passed."""


@dataclass(frozen=True)
class Deadline:
    """A moment of the monotonic clock after which work stops."""

    moment: float = float("inf")

    def check(self) -> None:
        if time.monotonic() > self.moment:
            raise OutOfTimeError


class ChainBound(NamedTuple):
    """A lower bound of the Lagrangian, and how it comes about."""

    value: float
    through: list[Array]  # for each cut and window, the bound given that the cut is there
    cuts: Array  # cuts that (nearly) attain it


class _Own(NamedTuple):
    """Own terms of a cut."""

    lowest: Array  # for each window
    terms: Array  # for each place
    begin: Array  # of each window among the places
    places: Array

    def best_place(self, window: int) -> int:
        end = self.begin[window + 1] if window + 1 < len(self.begin) else len(self.terms)
        at = slice(self.begin[window], end)
        return int(self.places[at][self.terms[at].argmin()])


def chain_bound(
    problem: Problem,
    windows: Sequence[Windows],
    multipliers: Array,
    near: Array,
    deadline: Deadline,
) -> ChainBound:
    """Bound ``cost + multipliers . disparities`` over cuts within windows.

    ``near`` are cuts around which the bound is best. Cost: O(places + windows²) for each cut.
    """
    anchors = np.array([window.boundary(b) for window, b in zip(windows, near, strict=True)])
    shares = problem.cumulative[anchors]
    steps, mixed = problem.mix(multipliers)
    slopes = steps + _edge_slopes(mixed, shares)
    square = symmetric(mixed)
    owns = [
        _own(problem, t, window, slope, square)
        for t, (window, slope) in enumerate(zip(windows, slopes, strict=True))
    ]
    edges = []
    for t in range(len(windows) - 1):
        deadline.check()
        edges.append(_edges(problem, mixed, windows[t : t + 2], anchors[t : t + 2]))
    constant = problem.base + float(multipliers @ problem.offsets)
    constant -= float(np.einsum("tu,uv,tv->", shares[1:], mixed, shares[:-1]))
    constant -= ROUNDING * (problem.scale + float(np.abs(multipliers).sum()))
    forward, backward = _sweep([own.lowest for own in owns], edges)
    through = [f + b + constant for f, b in zip(forward, backward, strict=True)]
    path = _path(forward, edges)
    cuts = np.array([own.best_place(i) for own, i in zip(owns, path, strict=True)])
    return ChainBound(float(through[-1].min()), through, np.maximum.accumulate(cuts))


def _edge_slopes(mixed: Array, shares: Array) -> Array:
    """How the linear terms of edges depend on the shares below each cut, (n_cuts, n_kinds)."""
    slopes = np.zeros_like(shares)
    slopes[1:] += shares[:-1] @ mixed.T
    slopes[:-1] += shares[1:] @ mixed
    return slopes


def _own(problem: Problem, t: int, windows: Windows, slope: Array, square: Array) -> _Own:
    """What cut t adds by itself, with the linear terms of its edges."""
    places, begin = windows.places()
    below = problem.cumulative[places]
    terms = problem.gains[t, places] + below @ slope - quadratic(below, square)
    return _Own(np.minimum.reduceat(terms, begin), terms, begin, places)


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
        edges = _box_edges(problem, mixed, windows, anchors)
    edges[lower.first[:, None] > upper.last[None, :]] = np.inf  # cuts do not cross
    return edges


def _box_edges(problem: Problem, mixed: Array, windows: Sequence[Windows], anchors: Array) -> Array:
    """Bounds from the ends of windows.

    Within a window all entries of d have one sign, and lie between the end next to the anchor
    (``near``) and the other (``far``): for equal signs the least of ``d' Q d`` is that of the
    near ends for positive entries of Q, of the far ends for negative ones, else the reverse.
    """
    (above, near, far), (above_next, near_next, far_next) = (
        _sized(problem, w, a) for w, a in zip(windows, anchors, strict=True)
    )
    plus, minus = np.maximum(mixed, 0.0), np.maximum(-mixed, 0.0)
    alike = near @ plus.T @ near_next.T - far @ minus.T @ far_next.T
    unlike = near @ minus.T @ near_next.T - far @ plus.T @ far_next.T
    return np.where(above[:, None] == above_next[None, :], alike, unlike)


def _sized(problem: Problem, windows: Windows, anchor: int) -> tuple[Array, Array, Array]:
    """Whether windows lie above the anchor; sizes of d at their near and far ends."""
    above = windows.first > anchor
    here = problem.cumulative[anchor]
    low = np.abs(problem.cumulative[windows.first] - here)
    high = np.abs(problem.cumulative[windows.last] - here)
    return above, np.where(above[:, None], low, high), np.where(above[:, None], high, low)


def _sweep(own: list[Array], edges: list[Array]) -> tuple[list[Array], list[Array]]:
    """Shortest ways to each window, its own term included, and from each, without."""
    forward = [own[0]]
    for term, edge in zip(own[1:], edges, strict=True):
        forward.append(term + (forward[-1][:, None] + edge).min(axis=0))
    backward = [np.zeros(len(own[-1]))]
    for term, edge in zip(own[:0:-1], edges[::-1], strict=True):
        backward.append((edge + (term + backward[-1])).min(axis=1))
    return forward, backward[::-1]


def _path(forward: list[Array], edges: list[Array]) -> list[int]:
    """The windows of a shortest way."""
    path = [int(forward[-1].argmin())]
    for reach, edge in zip(forward[-2::-1], edges[::-1], strict=True):
        path.append(int((reach + edge[:, path[-1]]).argmin()))
    return path[::-1]


def cheapest_cuts(gains: Array) -> Array:
    """The cuts of least cost, given `Problem.gains`; O(places · labels).

    ``F_t(b) = gains[t, b] + min_{b' <= b} F_{t-1}(b')``: a running minimum (appendix A.11 takes
    O(n² k³)).
    """
    lowest = [gains[0]]
    for own in gains[1:]:
        lowest.append(own + np.minimum.accumulate(lowest[-1]))
    cuts = [int(lowest[-1].argmin())]
    for row in lowest[-2::-1]:
        cuts.append(int(row[: cuts[-1] + 1].argmin()))
    return np.array(cuts[::-1])
