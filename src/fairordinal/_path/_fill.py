"""The trade-off without holes: limits between which candidates lie far apart are halved."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from fairordinal._cuts import Goal
from fairordinal._path._pool import Candidate, Pool
from fairordinal.thresholds import read_goal

MOST_RANKERS = 5  # for each limit, that are cross-validated
WIDEST, DEAREST = 0.05, 0.05  # hole in violation, and in cost, relatively
NEAREST = 0.002  # limits nearer than this lead to the same models


def fill(pool: Pool) -> list[Candidate]:
    """Candidates from accurate to fair of which none is dominated, by rising violation."""
    free, effort = Goal(0.0), pool.plan.effort
    most = min(MOST_RANKERS, effort.rankers)
    pool.add([free], most=most)
    widest = max(pool.seen_violation(free), NEAREST)
    limits = widest * np.linspace(0.0, 1.0, effort.limits, endpoint=False) ** 1.3
    pool.add([_limited(limit) for limit in limits.tolist()], most=most)
    pool.add([_limited(0.0)], rankers=pool.know_nothing)
    for _ in range(effort.rounds):
        front = non_dominated(pool.candidates())
        wanted = _between(front, widest)
        if not wanted:
            break
        pool.add_each(
            {_limited(limit): pool.tried_for(goals) for limit, goals in wanted.items()},
            most,
        )
    return non_dominated(pool.candidates())


def _limited(limit: float) -> Goal:
    return read_goal(None, limit, "certified")


def non_dominated(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Those than which no other has less estimated cost and no more violation."""
    kept: list[Candidate] = []
    for candidate in sorted(candidates, key=lambda c: (c.violation, c.cost)):
        if not kept or candidate.cost < kept[-1].cost - 1e-9:
            kept.append(candidate)
    return kept


def is_hole(fair: Candidate, cheap: Candidate) -> bool:
    """Whether two neighbours are so far apart that people would want something between."""
    apart = cheap.violation - fair.violation > WIDEST
    return apart or fair.cost - cheap.cost > DEAREST * fair.cost


def _between(front: Sequence[Candidate], widest: float) -> dict[float, tuple[Goal, Goal]]:
    """Limits halfway between those of neighbours that are far apart."""
    wanted = {}
    for fair, cheap in pairwise(front):
        ends = [c.goal.allowance if c.goal.hard else widest for c in (fair, cheap)]
        if is_hole(fair, cheap) and abs(ends[1] - ends[0]) > NEAREST:
            wanted[0.5 * (ends[0] + ends[1])] = (fair.goal, cheap.goal)
    return wanted
