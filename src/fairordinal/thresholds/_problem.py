r"""The threshold problem: cost and disparities as functions of cuts.

Scores take P distinct values, *positions*. A *cut* ``b`` in 0 … P has the b lowest positions below
it; thresholds are cuts ``b[1] <= … <= b[k-1]``, with ``b[0] = 0`` and ``b[k] = P``, and label l is
predicted between cuts l and l+1. With ``c(b)``, the share of each cell below b, and the signed
tables ``Q_e`` of a criterion, everything is additive over single cuts and neighbouring cuts::

    cost        = base + sum_t gains[t, b_t]
    disparity_e = offsets[e] + sum_t (steps[e, t] . c(b_t) - c(b_t)' Q_e c(b_t))
                             + sum_t c(b_{t+1})' Q_e c(b_t)

because the rows with label l are those between two cuts, ``c(b_{l+1}) - c(b_l)``, and win against
the rows below, ``c(b_l)``. So at fixed multipliers τ the Lagrangian ``cost + sum_e τ_e
disparity_e`` is a chain of cuts, and its minimum a shortest path (`_lower_bound`,
`_local_search`).

Cells of a group that no disparity distinguishes are *merged*: for demographic parity, the cells of
a group become one, and a scan costs O(groups² · positions) for any number of labels. Below, a cell
is a merged one. A contrast concerns the L cells of two groups (`members`), and its tables have only
these.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from fairordinal._table import ScoreTable
from fairordinal._validation import Array, check_sizes, row_blocks
from fairordinal.criteria import Contrasts, Criterion, PairwiseCriterion, SampleCriterion

MOST_GROUPS = 100  # each pair of groups has a multiplier
MOST_ENTRIES = 1 << 25  # of the tables of all contrasts
MOST_SCANNED = 1 << 21  # numbers in memory during a scan


@dataclass(frozen=True, eq=False)
class Problem:
    """Cost and disparities of cuts, as in the module docstring."""

    base: float  # mean cost if the highest label is predicted for all rows
    gains: Array  # (n_cuts, P + 1)    change of the mean cost if cut t is at b instead of 0
    cumulative: Array  # (P + 1, n_cells)    c(b)
    offsets: Array  # (n_contrasts,)
    members: Array  # (n_contrasts, L)    the cells of the two groups of a contrast
    steps: Array  # (n_contrasts, n_cuts, L)
    pairs: Array  # (n_contrasts, L, L)    Q
    cell_groups: Array  # (n_cells,)    the group of each cell

    @property
    def n_cuts(self) -> int:
        return len(self.gains)

    @property
    def n_positions(self) -> int:
        return self.gains.shape[1] - 1

    @property
    def n_contrasts(self) -> int:
        return len(self.offsets)

    @cached_property
    def scale(self) -> float:
        """The size of costs, relative to which rounding errors are judged."""
        return abs(self.base) + float(np.abs(self.gains).max(initial=0.0))

    def constant(self, label: int) -> Array:
        """The cuts that predict one label for all rows."""
        below = np.arange(self.n_cuts) < label
        return np.where(below, 0, self.n_positions)

    def cost(self, cuts: Array) -> float:
        """Mean cost of the predictions."""
        return self.base + float(self.gains[np.arange(self.n_cuts), cuts].sum())

    def disparities(self, cuts: Array) -> Array:
        """The disparity of each contrast."""
        return self.disparities_at(self.cumulative[cuts])

    def disparities_at(self, below: Array, some: Any = slice(None)) -> Array:
        """Disparities of some contrasts, given the shares ``below[t]`` of each cell below cut t."""
        here = self._of_members(below, some)
        products = here @ self.pairs[some]  # c_t' Q
        neighbours = (products[:, 1:] * here[:, :-1]).sum(axis=(1, 2))  # c_{t+1}' Q c_t
        single = ((self.steps[some] - products) * here).sum(axis=(1, 2))  # steps . c_t - c_t' Q c_t
        return self.offsets[some] + neighbours + single

    def _of_members(self, below: Array, some: Any = slice(None)) -> Array:
        """Shares of the cells of each contrast, (contrasts, cuts, L)."""
        return below[:, self.members[some]].transpose(1, 0, 2)

    def violation(self, cuts: Array) -> float:
        """The largest absolute disparity."""
        return float(np.abs(self.disparities(cuts)).max(initial=0.0))

    def scan(
        self, cuts: Array, moved: Array, positions: Array, some: Array | None = None
    ) -> tuple[Array, Array]:
        """Cost and violation if only cut ``moved[i]`` moved, to ``positions[i]``, for each i.

        With `some` contrasts only, the violation is a lower bound. Cost: O(moves) for each
        contrast. The terms of a disparity that contain cut t are ``slope_t . c - c' Q c`` with
        c = c(b_t) (`slopes`). They are subtracted from the disparity, and added for the new
        position.
        """
        here, some = self.cumulative[cuts], self._every if some is None else some
        own = self.gains[np.arange(self.n_cuts), cuts]
        cost = self.base + own.sum() - own[moved] + self.gains[moved, positions]
        slopes, now = self.slopes(here, some), self.disparities_at(here, some)
        rest = now[:, None] - (self._of_members(here, some) * slopes).sum(axis=2)
        rest += self._squares_at(cuts, some)  # the disparity without cut t, (contrast, t)
        largest, members = np.zeros(len(positions)), self.members[some]
        for part in row_blocks(len(positions), max(1, MOST_SCANNED // max(members.size, 1))):
            t, at = moved[part], positions[part]
            shares = self.cumulative[at][:, members]  # (move, contrast, L)
            disparities = np.einsum("iel,eil->ei", shares, slopes[:, t]) + rest[:, t]
            if self._squares:
                disparities -= self._squares_at(at, some)
            largest[part] = np.abs(disparities).max(axis=0, initial=0.0)
        return cost, largest

    @cached_property
    def _every(self) -> Array:
        return np.arange(self.n_contrasts)

    def slopes(self, below: Array, some: Any = slice(None)) -> Array:
        """Coefficients of c(b_t) in the disparities, without squares, (contrasts, cuts, L).

        ``slope_t = steps_t + Q c(b_{t-1}) + Q' c(b_{t+1})``
        """
        slopes, here, pairs = self.steps[some], self._of_members(below, some), self.pairs[some]
        slopes = slopes.copy()
        slopes[:, 1:] += here[:, :-1] @ pairs.transpose(0, 2, 1)
        slopes[:, :-1] += here[:, 1:] @ pairs
        return slopes

    def slopes_of_group(self, below: Array, cells: Array) -> Array:
        """Slopes for the cells of one group that has cuts of its own, (contrasts, cuts, cells).

        `below` has the shares of the other groups, and 0 for this one. Let x be the shares of this
        group below its own cut. ``-(below + x)' Q (below + x)`` is linear in x with the slope
        ``-(Q + Q') below``, for Q relates only cells of different groups: ``x' Q x = 0``.
        """
        squares = self._of_members(below) @ (self.pairs + self.pairs.transpose(0, 2, 1))
        slopes = np.zeros((self.n_contrasts, self.n_cuts, len(self.cell_groups)))
        np.put_along_axis(slopes, self.members[:, None], self.slopes(below) - squares, axis=2)
        return slopes[:, :, cells]

    def mix(self, multipliers: Array) -> tuple[Array, Array]:
        """``sum_e τ_e steps[e]`` and ``Q_τ = sum_e τ_e Q_e``, over all cells."""
        n_cells, some = len(self.cell_groups), np.flatnonzero(multipliers)
        members, weight = self.members[some], multipliers[some, None, None]
        pairs = _summed(
            members[:, :, None] * n_cells + members[:, None, :],
            weight * self.pairs[some],
            (n_cells, n_cells),
        )
        at = np.arange(self.n_cuts)[:, None] * n_cells + members[:, None, :]
        return _summed(at, weight * self.steps[some], (self.n_cuts, n_cells)), pairs

    def _squares_at(self, positions: Array, some: Array) -> Array:
        """``c(b)' Q c(b)`` for some contrasts and each position b."""
        found = np.zeros((len(some), len(positions)))
        for i, e in enumerate(some.tolist() if self._squares else ()):
            if e in self._squares:
                found[i] = self._squares[e][positions]
        return found

    @cached_property
    def _squares(self) -> dict[int, Array]:
        """``c(b)' Q c(b)`` for all positions b, of the contrasts in which it is not 0.

        Only the symmetric part of Q matters; that of demographic parity is 0.
        """
        doubled = self.pairs + self.pairs.transpose(0, 2, 1)
        return {
            int(e): np.asarray(quadratic(self.cumulative[:, self.members[e]], doubled[e] / 2))
            for e in np.flatnonzero(doubled.any(axis=(1, 2)))
        }


def _summed(at: Array, values: Array, shape: tuple[int, int]) -> Array:
    """A table of the sums of values by their indexes in the flat table."""
    flat = np.bincount(at.ravel(), values.ravel(), minlength=shape[0] * shape[1])
    return flat.reshape(shape)


def symmetric(table: Array) -> Array:
    """The symmetric part of a table, which has the same quadratic form."""
    return (table + table.T) / 2


def quadratic(rows: Array, square: Array) -> Array | float:
    """``row' square row`` for each row; 0 if the table is, as for demographic parity."""
    return np.einsum("nu,nu->n", rows @ square, rows) if square.any() else 0.0


@dataclass(frozen=True, eq=False)
class MergedContrasts:
    """The contrasts of a criterion over merged cells.

    They do not depend on the scores, and are computed once for all rankers of some rows.
    """

    merging: (
        sparse.csr_array
    )  # (n_cells, n_cells of the table)    1 where a cell is part of another
    offsets: Array
    members: Array
    steps: Array
    pairs: Array
    cell_groups: Array
    totals: Array  # (n_cells,)    weight of each cell; 1 for an empty one


def read_contrasts(table: ScoreTable, criterion: Criterion) -> MergedContrasts:
    """The contrasts of a criterion over merged cells; only the totals of the table matter."""
    _check_size(table, criterion)
    assert isinstance(criterion, PairwiseCriterion | SampleCriterion)
    pairwise, contrasts = isinstance(criterion, PairwiseCriterion), criterion.contrasts(table)
    merged, first = _merged_labels(contrasts.tables, pairwise=pairwise)
    n_merged, n_groups = len(first), len(table.groups)
    same = (np.arange(n_merged)[:, None] == merged).astype(np.float64)
    totals = table.totals @ same.T  # (group, merged label)
    of_groups = np.stack([contrasts.g, contrasts.h], axis=1)
    members = (of_groups[:, :, None] * n_merged + np.arange(n_merged)).reshape(-1, 2 * n_merged)
    local = _pairwise_tables if pairwise else _sample_tables
    offsets, steps, pairs = local(contrasts, totals[of_groups], first)
    return MergedContrasts(
        merging=sparse.csr_array(sparse.kron(sparse.eye_array(n_groups), same)),
        offsets=offsets,
        members=members,
        steps=steps,
        pairs=pairs,
        cell_groups=np.repeat(np.arange(n_groups), n_merged),
        totals=np.where(totals > 0, totals, 1.0).ravel(),
    )


def _merged_labels(tables: Array, *, pairwise: bool) -> tuple[Array, Array]:
    """The number of the merged label of each true label, and the first label of each.

    Labels are merged if their rows are equal in all tables, and in pairwise tables their columns.
    """
    by_label = [tables.transpose(1, 0, 2), tables.transpose(2, 0, 1)][: 1 + pairwise]
    entries = np.concatenate(by_label, axis=1).reshape(tables.shape[1], -1)
    _, first, merged = np.unique(entries, axis=0, return_index=True, return_inverse=True)
    return first.argsort().argsort()[merged.ravel()], np.sort(first)


def _pairwise_tables(contrasts: Contrasts, totals: Array, first: Array) -> tuple[Array, ...]:
    """`offsets`, `steps` and `pairs` of pairwise contrasts.

    `totals` of the cells of both groups are (contrast, 2, merged label). Q has two blocks off the
    diagonal: ``ahead · K n_g n_h`` where a row of g wins against one of h, and ``-behind · K n_h
    n_g`` the other way round; counts n, because c(b) are shares. The rows of the highest label are
    those above the last cut, with ``c(b_k) = 1``: its term ``1' Q c(b_{k-1})`` is linear.
    """
    n, n_merged = len(contrasts), len(first)
    relation = contrasts.tables[:, first][:, :, first][contrasts.part]
    weight = relation * totals[:, 0, :, None] * totals[:, 1, None, :]
    turned = relation * totals[:, 1, :, None] * totals[:, 0, None, :]
    pairs = np.zeros((n, 2 * n_merged, 2 * n_merged))
    pairs[:, :n_merged, n_merged:] = contrasts.ahead[:, None, None] * weight
    pairs[:, n_merged:, :n_merged] = -contrasts.behind[:, None, None] * turned
    steps = np.zeros((n, contrasts.tables.shape[1] - 1, 2 * n_merged))
    steps[:, -1] = pairs.sum(axis=1)
    return np.zeros(n), steps, pairs


def _sample_tables(contrasts: Contrasts, totals: Array, first: Array) -> tuple[Array, ...]:
    """`offsets`, `steps` and `pairs` of contrasts of single samples, whose Q is 0.

    The offset is the disparity if all rows get the highest label. Below cut t, rows get label t
    instead of t+1.
    """
    n, n_merged = len(contrasts), len(first)
    sign = np.stack([contrasts.ahead, -contrasts.behind], axis=1)
    weight = (sign[:, :, None] * totals).reshape(n, 2 * n_merged)  # (contrast, L)
    value = np.tile(contrasts.tables[:, first], (1, 2, 1))[contrasts.part]  # (contrast, L, label)
    offsets = (value[:, :, -1] * weight).sum(axis=1)
    steps = -np.diff(value, axis=2).transpose(0, 2, 1) * weight[:, None]
    return offsets, steps, np.zeros((n, 2 * n_merged, 2 * n_merged))


def read_problem(
    table: ScoreTable,
    criterion: Criterion,
    cost: Array,
    contrasts: MergedContrasts | None = None,
) -> Problem:
    """The problem of cutting the scores of a table, with a cost matrix.

    `contrasts` are those of `read_contrasts`, if they were computed before.
    """
    contrasts = read_contrasts(table, criterion) if contrasts is None else contrasts
    counts = (contrasts.merging @ table.counts).toarray()
    return Problem(
        base=float(table.totals.sum(axis=0) @ cost[:, -1] / table.totals.sum()),
        gains=cost_gains(table, cost),
        cumulative=_cumulative(counts / contrasts.totals[:, None]).T.copy(),
        offsets=contrasts.offsets,
        members=contrasts.members,
        steps=contrasts.steps,
        pairs=contrasts.pairs,
        cell_groups=contrasts.cell_groups,
    )


def check_groups(n_groups: int, n_labels: int) -> None:
    """Raise an error if there are too many groups for a search, before any other work."""
    check_sizes(n_groups, n_labels, what="a search for thresholds", most_groups=MOST_GROUPS)


def _check_size(table: ScoreTable, criterion: Criterion) -> None:
    """Raise an error if a search would take more than seconds for so many groups and labels."""
    n_groups, n_labels, _ = table.shape
    check_groups(n_groups, n_labels)
    n_contrasts = n_groups * (n_groups - 1) // 2 * len(criterion.parts(table))
    entries = n_contrasts * 4 * n_labels**2
    if entries > MOST_ENTRIES:
        raise ValueError(
            f"{criterion.title} makes {n_contrasts:,} comparisons between {n_groups} groups with "
            f"{n_labels} labels, which take {entries:,} numbers; a search for thresholds takes at "
            f"most {MOST_ENTRIES:,}. Merge small groups, or neighbouring labels."
        )


def cost_gains(table: ScoreTable, cost: Array, groups: Sequence[int] | None = None) -> Array:
    """``gains[t, b]``: change of the mean cost if cut t is at b instead of 0.

    The rows below b then get a label of at most t: each changes the cost by
    ``cost[y, t] - cost[y, t + 1]``. With `groups`, only their rows are counted.
    """
    n_groups = len(table.groups)
    counted = np.isin(np.arange(n_groups), range(n_groups) if groups is None else groups)
    step = (cost[:, :-1] - cost[:, 1:]).T / table.totals.sum()
    return _cumulative(np.kron(counted, step) @ table.counts)


def _cumulative(values: Array) -> Array:
    """Sums of the first b columns, for b = 0 … P."""
    summed = np.zeros((len(values), values.shape[1] + 1))
    np.cumsum(values, axis=1, out=summed[:, 1:])
    return summed


def cheapest_cuts(gains: Array) -> Array:
    """The cuts of least cost, given `Problem.gains`.

    ``F_t(b) = gains[t, b] + min_{b' <= b} F_{t-1}(b')`` is a running minimum. Cost: O(positions ·
    labels); appendix A.11 of the paper takes O(n² k³).
    """
    lowest = [gains[0]]
    for own in gains[1:]:
        lowest.append(own + np.minimum.accumulate(lowest[-1]))
    cuts = [int(lowest[-1].argmin())]
    for row in lowest[-2::-1]:
        cuts.append(int(row[: cuts[-1] + 1].argmin()))
    return np.array(cuts[::-1])
