r"""The squared hinge of all pairs, exactly, by one sort.

ℓ(x) = max(1 - x, 0)² has a kink in its slope that bins would blur. Sort the rows. Those that row i
should be above, and is not by a margin of 1, are all rows from some place on; those that should be
above row j, all rows up to some place. For the latter, with masses m_k of the rows::

    M0[k] = Σ_{l<=k} m_l               = M0[k-1] + m_k
    M1[k] = Σ_{l<=k} m_l (s_k - s_l)   = M1[k-1] + gap_k M0[k-1]
    M2[k] = Σ_{l<=k} m_l (s_k - s_l)²  = M2[k-1] + gap_k (2 M1[k-1] + gap_k M0[k-1])

and at s_j + 1 = s_k + r, with k the last row within reach, the sums are M0, M1 + r M0 and
M2 + r (2 M1 + r M0). Nothing here is negative, so that nothing cancels, however far the outliers.
The former are the same with the scores turned round.

The mass of a row depends on the cell that looks at it. Cells that look alike share their sums.
Cost: a sort, and O(n) for each kind of cell.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np

from fairordinal._pairloss._loss import PairLoss
from fairordinal._validation import Array, row_blocks

BLOCK = 1 << 13  # places that stay in cache, for every kind of cell


class Sorted(PairLoss):
    """The squared hinge, by sorting; exact for any scores. Inf where a square is beyond floats."""

    def loss(self, weights: Array, less: Array | None = None) -> tuple[float, Array]:
        with np.errstate(over="ignore"):
            _, far_above, squares = self._above(weights, self.weight, power=2)
            _, far_below = self._below(weights, self.weight, power=1)
            counted = self.weight > 0  # 0 · inf is 0 here
            total = float(self.weight[counted] @ squares[counted])
        slopes = 2.0 * self.weight * (far_below - far_above)
        return total, slopes if less is None else slopes - self.slopes_of(less)

    def curvatures(self, weights: Array) -> Array:
        return 2.0 * self.weight * self._near(weights, self.weight)

    def hessian_product(self, weights: Array, vector: Array) -> Array:
        pulled = 2.0 * self.weight * self._near(weights, self.weight * vector)
        return self.curvatures(weights) * vector - pulled

    def _near(self, weights: Array, masses: Array) -> Array:
        """Masses of the rows with which each row has a margin below 1."""
        (above,) = self._above(weights, masses, power=0)
        (below,) = self._below(weights, masses, power=0)
        return above + below

    def _above(self, weights: Array, masses: Array, *, power: int) -> Array:
        """Sums over the rows that a row should be above, (power + 1, n)."""
        return self._sides[0].sums(_ahead(weights), masses, power)

    def _below(self, weights: Array, masses: Array, *, power: int) -> Array:
        """Sums over the rows that should be above a row, (power + 1, n)."""
        return self._sides[1].sums(_ahead(weights).T, masses, power)

    @cached_property
    def _sides(self) -> tuple[_Side, _Side]:
        order = np.argsort(self.scores)
        placed, n = self.scores[order], len(order)
        # equal scores are within reach, though s - 1 is s for s beyond 2^53
        reached = np.minimum(placed - 1.0, np.nextafter(placed, -np.inf))
        first = np.searchsorted(placed, reached, side="right")
        last = np.cumsum(np.bincount(first, minlength=n)) - 1  # the same pairs, seen from below
        return (
            _Side.of(-placed[::-1], (n - 1 - first)[::-1], order[::-1], self.cells),
            _Side.of(placed, last, order, self.cells),
        )


def _ahead(weights: Array) -> Array:
    """Weights of pairs in which rows of u should be above rows of v."""
    return np.maximum(weights, 0.0) + np.maximum(-weights, 0.0).T


class _Side(NamedTuple):
    """Rows in ascending order, and how far up each looks."""

    order: Array  # (n,) rows
    cells: Array  # (n,) in this order
    gaps: Array  # (n,) to the place below; 0 first
    last: Array  # (n,) the last place within reach, ascending
    beyond: Array  # (n,) r: how far the reach goes beyond it

    @classmethod
    def of(cls, placed: Array, last: Array, order: Array, cells: Array) -> _Side:
        gaps = np.diff(placed, prepend=placed[0])
        beyond = np.maximum(1.0 - (placed[last] - placed), 0.0)
        return cls(order, cells[order], gaps, last, beyond)

    def sums(self, looks: Array, masses: Array, power: int) -> Array:
        """Sums of masses, of masses times distances, … up to a power, (power + 1, n).

        ``looks[u, v]`` is how much of the mass of cell v a row of cell u sees.
        """
        kinds, kind_of_cell = np.unique(looks, axis=0, return_inverse=True)
        kind, placed = kind_of_cell.ravel()[self.cells], masses[self.order]
        moments = np.zeros((power + 1, len(kinds), 1))
        sums = np.empty((power + 1, len(placed)))
        for places in row_blocks(len(placed), BLOCK):
            seen = np.take(kinds, self.cells[places], axis=1) * placed[places]
            moments = _climb(moments[..., -1], seen, self.gaps[places])
            # rows look up to ascending places: those that end in this block are neighbours
            rows = slice(*np.searchsorted(self.last, [places.start, places.stop]))
            at = kind[rows] * moments.shape[2] + self.last[rows] - (places.start - 1)
            reached = np.take(moments.reshape(power + 1, -1), at, axis=1)  # flat: 4 times as fast
            for p, moment in enumerate(reached):
                sums[p, self.order[rows]] = moment + _growth(reached[:p], self.beyond[rows])
        return sums


def _climb(moments: Array, masses: Array, gaps: Array) -> Array:
    """M0, M1, … of the module docstring at the place below a block and at each of its places."""
    climbed = np.empty((*moments.shape, len(gaps) + 1))
    climbed[..., 0] = moments
    climbed[0, :, 1:] = masses
    for p, moment in enumerate(climbed):
        if p:
            moment[:, 1:] = _growth(climbed[:p, :, :-1], gaps)
        np.cumsum(moment, axis=1, out=moment)
    return climbed


def _growth(lower: Array, distance: Array) -> Array | float:
    """How much a moment grows over a distance, by the moments below it."""
    if len(lower) < 2:
        return distance * lower[0] if len(lower) else 0.0
    return distance * (2.0 * lower[1] + distance * lower[0])
