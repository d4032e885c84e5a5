"""A set of thresholds for each group.

With the cuts of all other groups held, the disparities are additive over the cuts of one group,
so that at fixed multipliers its best cuts are a running minimum. Going round the groups while the
multipliers follow the disparities leads to good candidates; local search, group by group, ends at
a local optimum. The bound is that of the least cost, whatever the disparities: honest but loose.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from fairordinal._cuts import Goal, OutOfTimeError, Problem, cheapest_cuts, cost_gains, read_problem
from fairordinal._table import ScoreTable
from fairordinal._validation import Array
from fairordinal.criteria import Criterion
from fairordinal.thresholds._local import LEAST_GAIN, descend
from fairordinal.thresholds._solve import Settings, Solution, certified

MOST_STEPS = 30  # of the multipliers
FIRST_STEP = 1.0
MOST_CANDIDATES = 3  # that local search improves, of each start


@dataclass(frozen=True, eq=False)
class _Member:
    """One group: where its own scores are among all, and what its cuts do."""

    places: Array  # cuts of the whole axis that differ for the group
    kinds: Array
    own: Problem  # its costs; its disparities depend on the other groups

    def index(self, cuts: Array) -> Array:
        """Cuts of the whole axis as cuts of the group's own scores."""
        return np.searchsorted(self.places, cuts, side="right") - 1


def group_cuts(
    table: ScoreTable, criterion: Criterion, cost: Array, goal: Goal, settings: Settings
) -> Solution:
    """Cuts of the scores' axis for each group, (n_groups, n_cuts)."""
    whole = read_problem(table, criterion, cost)
    members = [_member(table, cost, whole, g) for g in range(len(table.groups))]
    cheapest = np.stack([m.places[cheapest_cuts(m.own.gains)] for m in members])
    bound = _cost(whole, members, cheapest)
    together = certified(whole, goal, settings)
    best, rounds, stopped_by = _alike(together.cuts, len(members)), 0, together.stopped_by
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


def _member(table: ScoreTable, cost: Array, whole: Problem, group: int) -> _Member:
    n_labels = len(table.labels)
    here = table.counts[group * n_labels : (group + 1) * n_labels].sum(axis=0) > 0
    places = np.concatenate([[0], 1 + np.flatnonzero(here)])
    kinds = np.flatnonzero(whole.kind_groups == group)
    own = replace(
        whole,
        gains=cost_gains(table, cost, [group])[:, places],
        cumulative=whole.cumulative[np.ix_(places, kinds)],
        members=np.tile(np.arange(len(kinds)), (whole.n_contrasts, 1)),
        pairs=np.zeros((whole.n_contrasts, len(kinds), len(kinds))),
        steps=np.zeros((whole.n_contrasts, whole.n_cuts, len(kinds))),
        kind_groups=whole.kind_groups[kinds],
    )
    return _Member(places, kinds, own)


def _alike(cuts: Array, n_groups: int) -> Array:
    return np.tile(cuts, (n_groups, 1))


def _starts(
    members: Sequence[_Member], whole: Problem, together: Array, cheapest: Array
) -> list[Array]:
    """Common cuts; each group's cheapest; and equal shares of labels, as the cheapest have them."""
    starts = [together, cheapest]
    for row in (cheapest_cuts(whole.gains), *cheapest):
        starts.append(np.stack([_at_shares(member, row / whole.n_positions) for member in members]))
    return starts


def _at_shares(member: _Member, shares: Array) -> Array:
    """The group's cuts with these shares of its scores below."""
    return member.places[np.rint(shares * (len(member.places) - 1)).astype(np.intp)]


def _below(whole: Problem, members: Sequence[_Member], cuts: Array) -> Array:
    """Shares of each kind below each cut, where each group has its own."""
    below = np.zeros((whole.n_cuts, len(whole.kind_groups)))
    for member, row in zip(members, cuts, strict=True):
        below[:, member.kinds] = whole.cumulative[np.ix_(row, member.kinds)]
    return below


def _cost(whole: Problem, members: Sequence[_Member], cuts: Array) -> float:
    own = [m.own.cost(m.index(row)) - whole.base for m, row in zip(members, cuts, strict=True)]
    return whole.base + sum(own)


def _value(whole: Problem, members: Sequence[_Member], goal: Goal, cuts: Array) -> float:
    disparities = whole.disparities_at(_below(whole, members, cuts))
    violation = float(np.abs(disparities).max(initial=0.0))
    return goal.value(_cost(whole, members, cuts), violation)


def _candidates(whole: Problem, members: Sequence[_Member], goal: Goal, cuts: Array) -> list[Array]:
    """The best cuts met while multipliers rise with the disparities that they are to balance."""
    multipliers, met = np.zeros(whole.n_contrasts), [cuts]
    soft = goal._replace(hard=False)
    for step in range(1, MOST_STEPS + 1):
        for g in range(len(members)):
            cuts = _moved(
                cuts, g, members[g], _at_multipliers(whole, members, cuts, g, multipliers)
            )
        met.append(cuts)
        disparities = whole.disparities_at(_below(whole, members, cuts))
        multipliers = multipliers + FIRST_STEP * whole.base / np.sqrt(step) * disparities
        multipliers *= min(1.0, goal.price / max(np.abs(multipliers).sum(), goal.price))
    met.sort(key=lambda cuts: _value(whole, members, soft, cuts))
    return met[:MOST_CANDIDATES]


def _at_multipliers(
    whole: Problem, members: Sequence[_Member], cuts: Array, group: int, multipliers: Array
) -> Array:
    """The cuts of one group with the least Lagrangian, the others' being held."""
    problem = _given_others(whole, members, cuts, group)
    taxes = np.einsum("e,etu,bu->tb", multipliers, problem.steps, problem.cumulative)
    return cheapest_cuts(problem.gains + taxes)


def _descend(
    whole: Problem, members: Sequence[_Member], goal: Goal, settings: Settings, cuts: Array
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


def _moved(cuts: Array, group: int, member: _Member, own_cuts: Array) -> Array:
    moved = cuts.copy()
    moved[group] = member.places[own_cuts]
    return moved


def _given_others(whole: Problem, members: Sequence[_Member], cuts: Array, group: int) -> Problem:
    """The problem of one group, the others' cuts being held."""
    member = members[group]
    below = _below(whole, members, cuts)
    below[:, member.kinds] = 0.0
    steps = whole.slopes_apart(below, member.kinds)
    others = _cost(whole, members, cuts) - member.own.cost(member.index(cuts[group]))
    return replace(
        member.own,
        base=whole.base + others,
        offsets=whole.disparities_at(below),
        steps=steps,
    )
