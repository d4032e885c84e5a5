"""Thresholds for each group.

With the cuts of all other groups fixed, cost and disparities are additive over the cuts of one
group: at fixed multipliers, its best cuts are a running minimum (`cheapest_cuts`). Optimising one
group after the other, while the multipliers follow the disparities (a subgradient method), gives
good candidates. Local search, group by group, improves them to a local optimum. The lower bound is
the least cost of any cuts, without regard to disparities: valid but loose.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from fairordinal._table import ScoreTable
from fairordinal._validation import Array
from fairordinal.criteria import Criterion
from fairordinal.thresholds._branch_and_bound import certified
from fairordinal.thresholds._goal import Goal, OutOfTimeError, Settings, Solution
from fairordinal.thresholds._local_search import LEAST_GAIN, descend
from fairordinal.thresholds._problem import Problem, cheapest_cuts, cost_gains, read_problem

N_STEPS = 30  # of the multipliers
FIRST_STEP = 1.0  # relative to the cost of a constant prediction
MOST_CANDIDATES = 3  # of each start that local search improves


@dataclass(frozen=True, eq=False)
class _GroupProblem:
    """One group: its cuts among those of all scores, and the problem of cutting it."""

    positions: Array  # cuts of all scores that differ for the group
    cells: Array
    own: Problem  # with the costs of the group; disparities depend on the other groups

    def index(self, cuts: Array) -> Array:
        """Cuts of all scores as cuts of the scores of the group."""
        return np.searchsorted(self.positions, cuts, side="right") - 1


def group_cuts(
    table: ScoreTable, criterion: Criterion, cost: Array, goal: Goal, settings: Settings
) -> Solution:
    """Good cuts for each group, of shape (n_groups, n_cuts)."""
    whole = read_problem(table, criterion, cost)
    members = [_member(table, cost, whole, g) for g in range(len(table.groups))]
    cheapest = np.stack([m.positions[cheapest_cuts(m.own.gains)] for m in members])
    bound = _cost(whole, members, cheapest)
    together = certified(whole, goal, settings)
    best, rounds, stopped_by = np.tile(together.cuts, (len(members), 1)), 0, together.stopped_by
    starts = [] if stopped_by else _starts(members, whole, best, cheapest)
    try:
        for start in starts:
            for candidate in _candidates(whole, members, goal, start):
                found, n = _descend(whole, members, goal, settings, candidate)
                rounds += n
                best = min((best, found), key=lambda cuts: _value(whole, members, goal, cuts))
    except OutOfTimeError:
        stopped_by = "max_time"
    except KeyboardInterrupt:
        stopped_by = "interrupt"
    return Solution(best, bound, rounds, stopped_by)


def _member(table: ScoreTable, cost: Array, whole: Problem, group: int) -> _GroupProblem:
    n_labels = len(table.labels)
    here = table.counts[group * n_labels : (group + 1) * n_labels].sum(axis=0) > 0
    positions = np.concatenate([[0], 1 + np.flatnonzero(here)])
    cells = np.flatnonzero(whole.cell_groups == group)
    own = replace(
        whole,
        gains=cost_gains(table, cost, [group])[:, positions],
        cumulative=whole.cumulative[np.ix_(positions, cells)],
        members=np.tile(np.arange(len(cells)), (whole.n_contrasts, 1)),
        pairs=np.zeros((whole.n_contrasts, len(cells), len(cells))),
        steps=np.zeros((whole.n_contrasts, whole.n_cuts, len(cells))),
        cell_groups=whole.cell_groups[cells],
    )
    return _GroupProblem(positions, cells, own)


def _starts(
    members: Sequence[_GroupProblem], whole: Problem, together: Array, cheapest: Array
) -> list[Array]:
    """Common cuts; the cheapest cuts of each group; and equal shares of labels in all groups.

    The shares are those of the cheapest cuts of all rows, and of each group.
    """
    starts = [together, cheapest]
    for row in (cheapest_cuts(whole.gains), *cheapest):
        starts.append(np.stack([_at_shares(member, row / whole.n_positions) for member in members]))
    return starts


def _at_shares(member: _GroupProblem, shares: Array) -> Array:
    """The cuts of a group with these shares of its distinct scores below."""
    return member.positions[np.rint(shares * (len(member.positions) - 1)).astype(np.intp)]


def _below(whole: Problem, members: Sequence[_GroupProblem], cuts: Array) -> Array:
    """Shares of each cell below each cut, if each group has its own cuts."""
    below = np.zeros((whole.n_cuts, len(whole.cell_groups)))
    for member, row in zip(members, cuts, strict=True):
        below[:, member.cells] = whole.cumulative[np.ix_(row, member.cells)]
    return below


def _cost(whole: Problem, members: Sequence[_GroupProblem], cuts: Array) -> float:
    own = [m.own.cost(m.index(row)) - whole.base for m, row in zip(members, cuts, strict=True)]
    return whole.base + sum(own)


def _value(whole: Problem, members: Sequence[_GroupProblem], goal: Goal, cuts: Array) -> float:
    disparities = whole.disparities_at(_below(whole, members, cuts))
    violation = float(np.abs(disparities).max(initial=0.0))
    return goal.value(_cost(whole, members, cuts), violation)


def _candidates(
    whole: Problem, members: Sequence[_GroupProblem], goal: Goal, cuts: Array
) -> list[Array]:
    """The best cuts of a subgradient method.

    Multipliers move by the disparities, in steps that fall with the root of their number, and are
    scaled down if ``|τ|_1`` exceeds λ.
    """
    multipliers, found = np.zeros(whole.n_contrasts), [cuts]
    soft = goal._replace(hard=False)
    for step in range(1, N_STEPS + 1):
        for g in range(len(members)):
            cuts = _moved(
                cuts, g, members[g], _at_multipliers(whole, members, cuts, g, multipliers)
            )
        found.append(cuts)
        disparities = whole.disparities_at(_below(whole, members, cuts))
        multipliers = multipliers + FIRST_STEP * whole.base / np.sqrt(step) * disparities
        multipliers *= min(1.0, goal.penalty / max(np.abs(multipliers).sum(), goal.penalty))
    found.sort(key=lambda cuts: _value(whole, members, soft, cuts))
    return found[:MOST_CANDIDATES]


def _at_multipliers(
    whole: Problem, members: Sequence[_GroupProblem], cuts: Array, group: int, multipliers: Array
) -> Array:
    """The cuts of one group with the least Lagrangian, with the cuts of the others fixed."""
    problem = _given_others(whole, members, cuts, group)
    charges = np.einsum("e,etu,bu->tb", multipliers, problem.steps, problem.cumulative)
    return cheapest_cuts(problem.gains + charges)


def _descend(
    whole: Problem, members: Sequence[_GroupProblem], goal: Goal, settings: Settings, cuts: Array
) -> tuple[Array, int]:
    """Local search, group by group, until no group improves."""
    soft, rounds = goal._replace(hard=False), 0
    value = _value(whole, members, soft, cuts)
    while True:
        before = value
        for g, member in enumerate(members):
            problem = _given_others(whole, members, cuts, g)
            found, n = descend(problem, soft, member.index(cuts[g]), settings.deadline)
            cuts, rounds = _moved(cuts, g, member, found), rounds + n
        value = _value(whole, members, soft, cuts)
        if value >= before - LEAST_GAIN:
            return cuts, rounds


def _moved(cuts: Array, group: int, member: _GroupProblem, own_cuts: Array) -> Array:
    moved = cuts.copy()
    moved[group] = member.positions[own_cuts]
    return moved


def _given_others(
    whole: Problem, members: Sequence[_GroupProblem], cuts: Array, group: int
) -> Problem:
    """The problem of cutting one group, with the cuts of the others fixed."""
    member = members[group]
    below = _below(whole, members, cuts)
    below[:, member.cells] = 0.0
    steps = whole.slopes_of_group(below, member.cells)
    others = _cost(whole, members, cuts) - member.own.cost(member.index(cuts[group]))
    return replace(
        member.own,
        base=whole.base + others,
        offsets=whole.disparities_at(below),
        steps=steps,
    )
