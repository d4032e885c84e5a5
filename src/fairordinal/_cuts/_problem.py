"""Cost and disparities as functions of cuts; see the package docstring."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from fairordinal._table import ScoreTable
from fairordinal._validation import Array, row_blocks
from fairordinal.criteria import Criterion, PairwiseCriterion, SampleCriterion

MOST_ENTRIES = 1 << 28  # of the contrasts' tables
MOST_SCANNED = 1 << 21  # disparities at once
SMALL = 1 << 14  # entries of tables that are not worth compressing


@dataclass(frozen=True, eq=False)
class Problem:
    """Cost and disparities of cuts.

    Cells of a group that no disparity tells apart are merged into *kinds*: for demographic
    parity a kind is a group, and a scan costs O(groups² · positions) for any number of labels.
    """

    base: float  # cost of predicting the highest label throughout
    gains: Array  # (n_cuts, P + 1)     change of cost by cutting at b
    cumulative: Array  # (P + 1, n_kinds)    share of the kind below b
    offsets: Array  # (n_contrasts,)
    steps: Array  # (n_contrasts, n_cuts, n_kinds)
    pairs: Array  # (n_contrasts, n_kinds, n_kinds)    Q
    kind_groups: Array  # (n_kinds,)    the group of each kind

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
        """The size of costs, by which rounding is judged."""
        return abs(self.base) + float(np.abs(self.gains).max(initial=0.0))

    def constant(self, label: int) -> Array:
        """The cuts that predict one label throughout."""
        below = np.arange(self.n_cuts) < label
        return np.where(below, 0, self.n_positions)

    def cost(self, cuts: Array) -> float:
        """Mean cost of the predictions."""
        return self.base + float(self.gains[np.arange(self.n_cuts), cuts].sum())

    def disparities(self, cuts: Array) -> Array:
        """The disparity of each contrast."""
        return self.disparities_at(self.cumulative[cuts])

    def disparities_at(self, below: Array) -> Array:
        """The same, given the shares ``below[t]`` of each kind below cut t."""
        seen = self._times(self._columns, below)
        won = seen[:, 1:] * below[:-1]
        own = (self.steps - seen) * below
        return self.offsets + won.sum(axis=(1, 2)) + own.sum(axis=(1, 2))

    def violation(self, cuts: Array) -> float:
        """The greatest absolute disparity."""
        return float(np.abs(self.disparities(cuts)).max(initial=0.0))

    def scan(self, cuts: Array, moved: Array, places: Array) -> tuple[Array, Array]:
        """Cost and violation if cut ``moved[i]`` went to ``places[i]`` alone, for each i.

        Cost: O(moves · kinds) each contrast.
        """
        here = self.cumulative[cuts]
        own = self.gains[np.arange(self.n_cuts), cuts]
        cost = self.base + own.sum() - own[moved] + self.gains[moved, places]
        slopes, now = self.slopes(here), self.disparities_at(here)
        rest = now[:, None] - (here * slopes).sum(axis=2) + self._squares_at(cuts).T
        worst = np.zeros(len(places))
        for t in range(self.n_cuts if self.n_contrasts else 0):
            moves = np.flatnonzero(moved == t)
            for some in row_blocks(len(moves), max(1, MOST_SCANNED // self.n_contrasts)):
                at = places[moves[some]]
                turned = self.cumulative[at] @ slopes[:, t].T - self._squares_at(at)
                worst[moves[some]] = np.abs(turned + rest[:, t]).max(axis=1)
        return cost, worst

    def slopes(self, below: Array) -> Array:
        """How each disparity depends on the shares below each cut, but for their squares.

        Of shape (contrasts, cuts, kinds).
        """
        slopes = self.steps.copy()
        slopes[:, 1:] += self._times(self._rows, below[:-1])
        slopes[:, :-1] += self._times(self._columns, below[1:])
        return slopes

    def _times(self, tables: Any, below: Array) -> Array:
        """Shares times the table of each contrast, (contrasts, cuts, kinds)."""
        found = np.asarray(tables @ below.T)
        return found.reshape(*self.pairs.shape[:2], len(below)).transpose(0, 2, 1)

    @cached_property
    def _rows(self) -> Any:
        """Rows of all tables, one below the other."""
        return _lean(self.pairs.reshape(-1, self.pairs.shape[1]))

    @cached_property
    def _columns(self) -> Any:
        return _lean(self.pairs.transpose(0, 2, 1).reshape(-1, self.pairs.shape[1]))

    def mix(self, multipliers: Array) -> tuple[Array, Array]:
        """The contrasts' `steps` and `pairs`, added up."""
        n_kinds = self.pairs.shape[1]
        pairs = multipliers @ self.pairs.reshape(-1, n_kinds * n_kinds)
        steps = multipliers @ self.steps.reshape(-1, self.n_cuts * n_kinds)
        return steps.reshape(self.n_cuts, n_kinds), pairs.reshape(n_kinds, n_kinds)

    def _squares_at(self, places: Array) -> Array:
        """``c(b)' Q c(b)`` for each place b and contrast."""
        found = np.zeros((len(places), self.n_contrasts))
        for e, square in self._squares.items():
            found[:, e] = square[places]
        return found

    @cached_property
    def _squares(self) -> dict[int, Array]:
        """The same for all places, of contrasts that have such a term."""
        squares = {}
        for e, pairs in enumerate(self.pairs):
            kinds = np.flatnonzero(pairs.any(axis=0) | pairs.any(axis=1))
            square = quadratic(self.cumulative[:, kinds], symmetric(pairs[np.ix_(kinds, kinds)]))
            if not isinstance(square, float):
                squares[e] = square
        return squares


def _lean(table: Array) -> Any:
    """A table that is mostly 0, such as those of many groups, without its zeros."""
    return sparse.csr_array(table) if table.size > SMALL else table


def symmetric(table: Array) -> Array:
    return (table + table.T) / 2


def quadratic(rows: Array, square: Array) -> Array | float:
    """``row' square row`` for each row; demographic parity has no such term."""
    return np.einsum("nu,nu->n", rows @ square, rows) if square.any() else 0.0


@dataclass(frozen=True, eq=False)
class Notion:
    """What is fair between cells, whatever the scores: made once for all rankers of some rows."""

    members: Array  # (n_kinds, n_cells)    1 where a cell is of a kind
    offsets: Array
    steps: Array
    pairs: Array
    kind_groups: Array
    totals: Array  # (n_kinds,)    weight of each kind; 1 for none


def read_notion(table: ScoreTable, criterion: Criterion) -> Notion:
    """The contrasts of a criterion by kinds of cells; of the table only its totals matter."""
    _check_size(table, criterion)
    offsets, steps, pairs = _contrasts(criterion, table)
    group = np.repeat(np.arange(len(table.groups)), len(table.labels))
    kinds, first = _kinds(group, steps, pairs)
    members = np.zeros((len(first), len(kinds)))
    members[kinds, np.arange(len(kinds))] = 1.0
    totals = members @ table.totals.ravel()
    scale = np.where(totals > 0, totals, 1.0)
    return Notion(
        members=members,
        offsets=offsets,
        steps=steps[:, :, first] * scale,
        pairs=pairs[:, first][:, :, first] * np.outer(scale, scale),
        kind_groups=group[first],
        totals=scale,
    )


def read_problem(
    table: ScoreTable, criterion: Criterion, cost: Array, notion: Notion | None = None
) -> Problem:
    """The problem of cutting the scores of a table, with a cost matrix."""
    notion = read_notion(table, criterion) if notion is None else notion
    return Problem(
        base=float(table.totals.sum(axis=0) @ cost[:, -1] / table.totals.sum()),
        gains=cost_gains(table, cost),
        cumulative=_through(notion.members @ table.counts / notion.totals[:, None]).T.copy(),
        offsets=notion.offsets,
        steps=notion.steps,
        pairs=notion.pairs,
        kind_groups=notion.kind_groups,
    )


def _check_size(table: ScoreTable, criterion: Criterion) -> None:
    n_groups, n_labels, _ = table.shape
    n_contrasts = n_groups * (n_groups - 1) // 2 * len(criterion.parts(table))
    if n_contrasts * (n_groups * n_labels) ** 2 > MOST_ENTRIES:
        raise ValueError(
            f"sensitive_features has {n_groups} groups and y {n_labels} labels: too many pairs of "
            f"cells for thresholds ({n_contrasts:,} comparisons). Merge small groups."
        )


def cost_gains(table: ScoreTable, cost: Array, groups: Sequence[int] | None = None) -> Array:
    """``gains[t, b]``: change of the mean cost by putting what is below b under cut t.

    Of some groups only, if they are given.
    """
    n_groups = len(table.groups)
    counted = np.isin(np.arange(n_groups), range(n_groups) if groups is None else groups)
    step = (cost[:, :-1] - cost[:, 1:]).T / table.totals.sum()
    return _through(np.kron(counted, step) @ table.counts)


def _through(values: Array) -> Array:
    """Sums of the first b columns, for b = 0 … P."""
    summed = np.zeros((len(values), values.shape[1] + 1))
    np.cumsum(values, axis=1, out=summed[:, 1:])
    return summed


def _contrasts(criterion: Criterion, table: ScoreTable) -> tuple[Array, Array, Array]:
    """`offsets`, `steps` and `pairs` over cells."""
    n_cells, n_cuts = table.totals.size, len(table.labels) - 1
    tables: Any
    if isinstance(criterion, PairwiseCriterion):
        tables = criterion.contrasts(table)
        steps = np.zeros((len(tables), n_cuts, n_cells))
        steps[:, -1] = np.einsum("euv,u->ev", tables, table.totals.ravel())
        return np.zeros(len(tables)), steps, tables
    assert isinstance(criterion, SampleCriterion)
    tables = criterion.contrasts(table)
    steps = -np.diff(tables, axis=2).transpose(0, 2, 1)
    return tables[:, :, -1] @ table.totals.ravel(), steps, np.zeros((len(tables), n_cells, n_cells))


def _kinds(group: Array, steps: Array, pairs: Array) -> tuple[Array, Array]:
    """The kind of each cell, and a cell of each kind: equal in every table's rows and columns."""
    known: dict[tuple[bytes, ...], int] = {}
    kinds, first = [], []
    for cell, traits in enumerate(
        (
            group[u].tobytes(),
            steps[:, :, u].tobytes(),
            pairs[:, u].tobytes(),
            pairs[:, :, u].tobytes(),
        )
        for u in range(len(group))
    ):
        if traits not in known:
            known[traits] = len(known)
            first.append(cell)
        kinds.append(known[traits])
    return np.array(kinds), np.array(first)
