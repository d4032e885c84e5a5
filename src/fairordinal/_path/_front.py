"""The Pareto frontier: limits are halved where neighbouring candidates lie far apart."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from fairordinal.thresholds import Candidate, Goal, Pool, limited

WIDEST, DEAREST = 0.05, 0.05  # distance of neighbours in violation, and relatively in cost
NEAREST = 0.002  # limits nearer than this lead to the same candidates
LEAST_STEP = 0.004  # by which a candidate must be cheaper than a fairer one, relatively


def fill(pool: Pool) -> list[Candidate]:
    """The candidates that no other dominates, by rising violation."""
    free, effort = Goal(0.0), pool.rows.evaluation.effort
    widest = max(NEAREST, *(cuts[0].violation for cuts in pool.screen([free]).values()))
    shares = np.linspace(0.0, 1.0, effort.front_limits, endpoint=False) ** 1.3
    limits = (widest * shares).tolist()
    goals = [free, *map(limited, limits)]
    best = promising(pool, goals, effort.front_rankers)
    pool.add(_by_ranker(best) | {pool.constant: [limited(0.0)]})
    for _ in range(effort.front_rounds):
        wanted = _between(non_dominated(pool.candidates), widest)
        if not wanted:
            break
        pool.add(_by_ranker({goal: _near(best, ends) for goal, ends in wanted.items()}))
        best |= {goal: _near(best, ends) for goal, ends in wanted.items()}
    return non_dominated(pool.candidates)


def promising(pool: Pool, goals: Sequence[Goal], most: int) -> dict[Goal, list[int]]:
    """For each goal, the rankers of each basis whose in-sample scores reach most.

    Bases differ in how optimistic in-sample scores are, so that each has its own best. Of equals
    the first is taken.
    """
    screened = pool.screen(goals)

    def best(rankers: Sequence[int], g: int) -> list[int]:
        known = [ranker for ranker in rankers if ranker in screened]
        return sorted(known, key=lambda r: round(screened[r][g].objective, 9))[:most]

    return {
        goal: [ranker for rankers in pool.bases for ranker in best(rankers, g)]
        for g, goal in enumerate(goals)
    }


def _by_ranker(rankers: dict[Goal, list[int]]) -> dict[int, list[Goal]]:
    wanted: dict[int, list[Goal]] = {}
    for goal, numbers in rankers.items():
        for ranker in numbers:
            wanted.setdefault(ranker, []).append(goal)
    return dict(sorted(wanted.items()))


def _near(best: dict[Goal, list[int]], ends: tuple[Goal, Goal]) -> list[int]:
    """The rankers that were tried for one of two goals."""
    return sorted({r for goal in ends for r in best.get(goal, [])})


def non_dominated(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Candidates that are cheaper than all fairer ones, by rising violation."""
    kept: list[Candidate] = []
    for candidate in sorted(candidates, key=lambda c: (c.violation, c.cost)):
        if not kept or candidate.cost < (1.0 - LEAST_STEP) * kept[-1].cost:
            kept.append(candidate)
    return kept


def is_wide(fair: Candidate, cheap: Candidate) -> bool:
    """Whether two neighbours are so far apart that users would want a model between them."""
    apart = cheap.violation - fair.violation > WIDEST
    return apart or fair.cost - cheap.cost > DEAREST * fair.cost


def _between(front: Sequence[Candidate], widest: float) -> dict[Goal, tuple[Goal, Goal]]:
    """Limits halfway between those of neighbours that are far apart."""
    wanted = {}
    for fair, cheap in pairwise(front):
        ends = [c.goal.limit if c.goal.hard else widest for c in (fair, cheap)]
        if is_wide(fair, cheap) and abs(ends[1] - ends[0]) > NEAREST:
            wanted[limited(0.5 * (ends[0] + ends[1]))] = (fair.goal, cheap.goal)
    return wanted
