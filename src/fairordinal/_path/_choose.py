"""Which rankers of a path are worth cross-validating, and which candidate to take."""

from __future__ import annotations

from fairordinal._cuts import Goal
from fairordinal._path._front import promising
from fairordinal.thresholds import Chosen, Pool, choose_from, limited


def choose_on_path(pool: Pool, goal: Goal, confidence: float | None) -> Chosen:
    """The best candidate of a path of rankers; constant predictors are always candidates."""
    effort = pool.rows.evaluation.effort
    tried, most = [goal], effort.rankers * len(effort.screened)
    if goal.hard and goal.allowance:
        tried = [limited(share * goal.allowance) for share in effort.screened]
        most = effort.rankers
    best = promising(pool, tried, most)
    return choose_from(pool, sorted({0}.union(*best.values())), goal, confidence)
