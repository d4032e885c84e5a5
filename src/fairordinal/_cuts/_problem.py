"""Cost and disparities as functions of cuts; see the package docstring."""

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

MOST_GROUPS = 100  # each pair of them is a disparity to be weighed
MOST_ENTRIES = 1 << 25  # of the contrasts' tables
MOST_SCANNED = 1 << 21  # numbers at once


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
    members: Array  # (n_contrasts, L)    the kinds that a contrast is about: those of two groups
    steps: Array  # (n_contrasts, n_cuts, L)
    pairs: Array  # (n_contrasts, L, L)    Q
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

    def disparities_at(self, below: Array, some: Any = slice(None)) -> Array:
        """Disparities of some contrasts, given the shares ``below[t]`` of each kind below cut t."""
        here = self._of_members(below, some)
        seen = here @ self.pairs[some]
        won = (seen[:, 1:] * here[:, :-1]).sum(axis=(1, 2))
        return self.offsets[some] + won + ((self.steps[some] - seen) * here).sum(axis=(1, 2))

    def _of_members(self, below: Array, some: Any = slice(None)) -> Array:
        """Shares of the kinds that each contrast is about, (contrasts, cuts, L)."""
        return below[:, self.members[some]].transpose(1, 0, 2)

    def violation(self, cuts: Array) -> float:
        """The greatest absolute disparity."""
        return float(np.abs(self.disparities(cuts)).max(initial=0.0))

    def scan(
        self, cuts: Array, moved: Array, places: Array, some: Array | None = None
    ) -> tuple[Array, Array]:
        """Cost and violation if cut ``moved[i]`` went to ``places[i]`` alone, for each i.

        Cost: O(moves) each contrast. Of `some` contrasts only, the violation is a lower bound.
        """
        here, some = self.cumulative[cuts], self._every if some is None else some
        own = self.gains[np.arange(self.n_cuts), cuts]
        cost = self.base + own.sum() - own[moved] + self.gains[moved, places]
        slopes, now = self.slopes(here, some), self.disparities_at(here, some)
        rest = now[:, None] - (self._of_members(here, some) * slopes).sum(axis=2)
        rest += self._squares_at(cuts, some)
        worst, members = np.zeros(len(places)), self.members[some]
        for part in row_blocks(len(places), max(1, MOST_SCANNED // max(members.size, 1))):
            t, at = moved[part], places[part]
            shares = self.cumulative[at][:, members]  # (move, contrast, L)
            turned = np.einsum("iel,eil->ei", shares, slopes[:, t]) + rest[:, t]
            if self._squares:
                turned -= self._squares_at(at, some)
            worst[part] = np.abs(turned).max(axis=0, initial=0.0)
        return cost, worst

    @cached_property
    def _every(self) -> Array:
        return np.arange(self.n_contrasts)

    def slopes(self, below: Array, some: Any = slice(None)) -> Array:
        """How disparities depend on the shares below each cut, but for their squares.

        Of shape (contrasts, cuts, L).
        """
        slopes, here, pairs = self.steps[some], self._of_members(below, some), self.pairs[some]
        slopes = slopes.copy()
        slopes[:, 1:] += here[:, :-1] @ pairs.transpose(0, 2, 1)
        slopes[:, :-1] += here[:, 1:] @ pairs
        return slopes

    def slopes_apart(self, below: Array, kinds: Array) -> Array:
        """The slopes for kinds that are cut elsewhere, of shape (contrasts, cuts, kinds)."""
        tied = self._of_members(below) @ (self.pairs + self.pairs.transpose(0, 2, 1))
        slopes = np.zeros((self.n_contrasts, self.n_cuts, len(self.kind_groups)))
        np.put_along_axis(slopes, self.members[:, None], self.slopes(below) - tied, axis=2)
        return slopes[:, :, kinds]

    def mix(self, multipliers: Array) -> tuple[Array, Array]:
        """The contrasts' `steps` and `pairs` over all kinds, added up."""
        n_kinds, some = len(self.kind_groups), np.flatnonzero(multipliers)
        members, weight = self.members[some], multipliers[some, None, None]
        pairs = _added(
            members[:, :, None] * n_kinds + members[:, None, :],
            weight * self.pairs[some],
            (n_kinds, n_kinds),
        )
        at = np.arange(self.n_cuts)[:, None] * n_kinds + members[:, None, :]
        return _added(at, weight * self.steps[some], (self.n_cuts, n_kinds)), pairs

    def _squares_at(self, places: Array, some: Array) -> Array:
        """``c(b)' Q c(b)`` for some contrasts and each place b."""
        found = np.zeros((len(some), len(places)))
        for i, e in enumerate(some.tolist() if self._squares else ()):
            if e in self._squares:
                found[i] = self._squares[e][places]
        return found

    @cached_property
    def _squares(self) -> dict[int, Array]:
        """``c(b)' Q c(b)`` for all places b, of contrasts that have such a term."""
        turned = self.pairs + self.pairs.transpose(0, 2, 1)
        return {
            int(e): np.asarray(quadratic(self.cumulative[:, self.members[e]], turned[e] / 2))
            for e in np.flatnonzero(turned.any(axis=(1, 2)))
        }


def _added(places: Array, values: Array, shape: tuple[int, int]) -> Array:
    """Values added up by their places in a flat table."""
    flat = np.bincount(places.ravel(), values.ravel(), minlength=shape[0] * shape[1])
    return flat.reshape(shape)


def symmetric(table: Array) -> Array:
    return (table + table.T) / 2


def quadratic(rows: Array, square: Array) -> Array | float:
    """``row' square row`` for each row; demographic parity has no such term."""
    return np.einsum("nu,nu->n", rows @ square, rows) if square.any() else 0.0


@dataclass(frozen=True, eq=False)
class Notion:
    """What is fair between cells, whatever the scores: made once for all rankers of some rows."""

    kinds: sparse.csr_array  # (n_kinds, n_cells)    1 where a cell is of a kind
    offsets: Array
    members: Array
    steps: Array
    pairs: Array
    kind_groups: Array
    totals: Array  # (n_kinds,)    weight of each kind; 1 for none


def read_notion(table: ScoreTable, criterion: Criterion) -> Notion:
    """The contrasts of a criterion by kinds of cells; of the table only its totals matter."""
    _check_size(table, criterion)
    assert isinstance(criterion, PairwiseCriterion | SampleCriterion)
    pairwise, contrasts = isinstance(criterion, PairwiseCriterion), criterion.contrasts(table)
    kind, first = _kinds(contrasts.tables, pairwise=pairwise)
    n_kinds, n_groups = len(first), len(table.groups)
    same = (np.arange(n_kinds)[:, None] == kind).astype(np.float64)
    totals = table.totals @ same.T  # (group, kind)
    of_groups = np.stack([contrasts.g, contrasts.h], axis=1)
    members = (of_groups[:, :, None] * n_kinds + np.arange(n_kinds)).reshape(-1, 2 * n_kinds)
    local = _pairwise_tables if pairwise else _sample_tables
    offsets, steps, pairs = local(contrasts, totals[of_groups], first)
    return Notion(
        kinds=sparse.csr_array(sparse.kron(sparse.eye_array(n_groups), same)),
        offsets=offsets,
        members=members,
        steps=steps,
        pairs=pairs,
        kind_groups=np.repeat(np.arange(n_groups), n_kinds),
        totals=np.where(totals > 0, totals, 1.0).ravel(),
    )


def _kinds(tables: Array, *, pairwise: bool) -> tuple[Array, Array]:
    """The kind of each label, and a label of each kind: equal in all tables, in order."""
    by_label = [tables.transpose(1, 0, 2), tables.transpose(2, 0, 1)][: 1 + pairwise]
    traits = np.concatenate(by_label, axis=1).reshape(tables.shape[1], -1)
    _, first, kind = np.unique(traits, axis=0, return_index=True, return_inverse=True)
    return first.argsort().argsort()[kind.ravel()], np.sort(first)


def _pairwise_tables(contrasts: Contrasts, totals: Array, first: Array) -> tuple[Array, ...]:
    """`offsets`, `steps` and `pairs`; totals of both groups' kinds are (contrast, 2, kind)."""
    n, n_kinds = len(contrasts), len(first)
    relation = contrasts.tables[:, first][:, :, first][contrasts.part]
    weight = relation * totals[:, 0, :, None] * totals[:, 1, None, :]
    turned = relation * totals[:, 1, :, None] * totals[:, 0, None, :]
    pairs = np.zeros((n, 2 * n_kinds, 2 * n_kinds))
    pairs[:, :n_kinds, n_kinds:] = contrasts.ahead[:, None, None] * weight
    pairs[:, n_kinds:, :n_kinds] = -contrasts.behind[:, None, None] * turned
    steps = np.zeros((n, contrasts.tables.shape[1] - 1, 2 * n_kinds))
    steps[:, -1] = pairs.sum(axis=1)
    return np.zeros(n), steps, pairs


def _sample_tables(contrasts: Contrasts, totals: Array, first: Array) -> tuple[Array, ...]:
    """`offsets`, `steps` and `pairs` of contrasts of single samples, which have no pairs."""
    n, n_kinds = len(contrasts), len(first)
    sign = np.stack([contrasts.ahead, -contrasts.behind], axis=1)
    weight = (sign[:, :, None] * totals).reshape(n, 2 * n_kinds)  # (contrast, L)
    value = np.tile(contrasts.tables[:, first], (1, 2, 1))[contrasts.part]  # (contrast, L, label)
    offsets = (value[:, :, -1] * weight).sum(axis=1)
    steps = -np.diff(value, axis=2).transpose(0, 2, 1) * weight[:, None]
    return offsets, steps, np.zeros((n, 2 * n_kinds, 2 * n_kinds))


def read_problem(
    table: ScoreTable, criterion: Criterion, cost: Array, notion: Notion | None = None
) -> Problem:
    """The problem of cutting the scores of a table, with a cost matrix."""
    notion = read_notion(table, criterion) if notion is None else notion
    return Problem(
        base=float(table.totals.sum(axis=0) @ cost[:, -1] / table.totals.sum()),
        gains=cost_gains(table, cost),
        cumulative=_through(
            (notion.kinds @ table.counts).toarray() / notion.totals[:, None]
        ).T.copy(),
        offsets=notion.offsets,
        members=notion.members,
        steps=notion.steps,
        pairs=notion.pairs,
        kind_groups=notion.kind_groups,
    )


def check_groups(n_groups: int, n_labels: int) -> None:
    """Refuse more groups than thresholds are found for, before any other work."""
    check_sizes(n_groups, n_labels, what="a search for thresholds", most_groups=MOST_GROUPS)


def _check_size(table: ScoreTable, criterion: Criterion) -> None:
    """Refuse more groups and labels than thresholds are found for in seconds."""
    n_groups, n_labels, _ = table.shape
    check_groups(n_groups, n_labels)
    n_contrasts = n_groups * (n_groups - 1) // 2 * len(criterion.parts(table))
    entries = n_contrasts * 4 * n_labels**2
    if entries > MOST_ENTRIES:
        raise ValueError(
            f"{criterion.title} compares {n_groups} groups with {n_labels} labels in "
            f"{n_contrasts:,} ways, by {entries:,} numbers; thresholds are found for at most "
            f"{MOST_ENTRIES:,}. Merge small groups, or neighbouring labels."
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
