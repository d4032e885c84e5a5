"""The best candidate of paths of rankers for a goal, and the Pareto frontier of all candidates.

Cross-validating a ranker takes much longer than cutting its in-sample scores. So in-sample scores
screen the rankers (`promising`), and only the best are cross-validated.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from fairordinal._support import part, steps
from fairordinal.thresholds import Candidate, Chosen, Goal, Pool, choose_from, limited

MOST_APART = 0.05  # distance in violation of neighbours on a frontier, beyond which it has a hole
MOST_COST_APART = 0.05  # the same for costs, relative to the higher one
LEAST_APART = 0.002  # limits that are nearer than this lead to the same candidates
LEAST_SAVING = 0.004  # by which a candidate must be cheaper than fairer ones, relatively
FEWEST = 2  # rankers of a basis that are cross-validated for a goal
EXPONENT = 1.3  # limits of a frontier are denser near 0


def promising(pool: Pool, goals: Sequence[Goal], most: int) -> dict[Goal, list[int]]:
    """For each goal, the rankers of each basis with the best objective on in-sample scores.

    In-sample scores of different bases differ in optimism, so that each basis has its own list.
    With several bases, the lists are shorter. Of equally good rankers, the first is taken.
    """
    screened = pool.screen(goals)
    most = max(FEWEST, round(2 * most / (1 + len(pool.bases))))

    def best(rankers: Sequence[int], g: int) -> list[int]:
        known = [ranker for ranker in rankers if ranker in screened]
        return sorted(known, key=lambda r: round(screened[r][g].objective, 9))[:most]

    return {
        goal: [ranker for rankers in pool.bases for ranker in best(rankers, g)]
        for g, goal in enumerate(goals)
    }


def choose_on_path(pool: Pool, goal: Goal, confidence: float | None) -> Chosen:
    """The best candidate of a path of rankers; constant predictors are always candidates."""
    effort = pool.rows.evaluation.effort
    tried, most = [goal], effort.rankers * len(effort.screened)
    if goal.hard and goal.limit:
        tried = [limited(share * goal.limit) for share in effort.screened]
        most = effort.rankers
    with part(0.1):
        best = promising(pool, tried, most)
    plain = {rankers[0] for rankers in pool.bases}
    with part(0.9):
        return choose_from(pool, sorted(plain.union(*best.values())), goal, confidence)


def best_by_basis(
    candidates: Sequence[Candidate], bases: Sequence[str]
) -> dict[str, tuple[float, float]]:
    """For each basis, estimated cost and violation of its cheapest candidate.

    `bases` has the basis of each ranker. Constant predictors belong to none.
    """
    found: dict[str, tuple[float, float]] = {}
    for candidate in candidates:
        basis, reached = bases[candidate.ranker], (candidate.cost, candidate.violation)
        if not candidate.is_constant and reached < found.get(basis, (float("inf"), 0.0)):
            found[basis] = reached
    return found


def fill(pool: Pool) -> list[Candidate]:
    """The Pareto frontier of cost and violation: candidates that are not dominated.

    They are ordered by violation. Thresholds are first cut for limits between 0 and the violation
    without a limit. Then limits are halved between neighbours that are far apart.
    """
    free, effort = Goal(0.0), pool.rows.evaluation.effort
    with part(0.05):
        first = pool.screen([free])
    widest = max(LEAST_APART, *(cuts[0].violation for cuts in first.values()))
    shares = np.linspace(0.0, 1.0, effort.front_limits, endpoint=False) ** EXPONENT
    limits = (widest * shares).tolist()
    goals = [free, *map(limited, limits)]
    with part(0.1):
        best = promising(pool, goals, effort.front_rankers)
    with part(0.45):
        pool.add(_by_ranker(best) | {pool.constant: [limited(0.0)]})
    for _ in steps(range(effort.front_rounds), share=0.4):
        between = _between(non_dominated(pool.candidates), widest)
        if not between:
            break
        wanted = {goal: _tried_for(best, ends) for goal, ends in between.items()}
        pool.add(_by_ranker(wanted))
        best |= wanted
    return non_dominated(pool.candidates)


def non_dominated(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Candidates that are cheaper than all fairer ones, ordered by violation."""
    kept: list[Candidate] = []
    for candidate in sorted(candidates, key=lambda c: (c.violation, c.cost)):
        if not kept or candidate.cost < (1.0 - LEAST_SAVING) * kept[-1].cost:
            kept.append(candidate)
    return kept


def is_wide(fair: Candidate, cheap: Candidate) -> bool:
    """Whether two neighbours are so far apart that users would want a model between them."""
    apart = cheap.violation - fair.violation > MOST_APART
    return apart or fair.cost - cheap.cost > MOST_COST_APART * fair.cost


def _between(front: Sequence[Candidate], widest: float) -> dict[Goal, tuple[Goal, Goal]]:
    """Goals with limits halfway between neighbours that are far apart, and the goals of these."""
    wanted = {}
    for fair, cheap in pairwise(front):
        ends = [c.goal.limit if c.goal.hard else widest for c in (fair, cheap)]
        if is_wide(fair, cheap) and abs(ends[1] - ends[0]) > LEAST_APART:
            wanted[limited(0.5 * (ends[0] + ends[1]))] = (fair.goal, cheap.goal)
    return wanted


def _tried_for(best: dict[Goal, list[int]], ends: tuple[Goal, Goal]) -> list[int]:
    """The rankers that were tried for one of two goals."""
    return sorted({r for goal in ends for r in best.get(goal, [])})


def _by_ranker(rankers: dict[Goal, list[int]]) -> dict[int, list[Goal]]:
    """The goals of each ranker, given the rankers of each goal."""
    wanted: dict[int, list[Goal]] = {}
    for goal, numbers in rankers.items():
        for ranker in numbers:
            wanted.setdefault(ranker, []).append(goal)
    return dict(sorted(wanted.items()))
