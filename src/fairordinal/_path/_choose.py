"""Which rankers of a path are worth cross-validating, and which candidate to take."""

from __future__ import annotations

from collections.abc import Sequence

from fairordinal._path._front import promising
from fairordinal.thresholds import Candidate, Chosen, Goal, Pool, choose_from, limited


def choose_on_path(pool: Pool, goal: Goal, confidence: float | None) -> Chosen:
    """The best candidate of a path of rankers; constant predictors are always candidates."""
    effort = pool.rows.evaluation.effort
    tried, most = [goal], effort.rankers * len(effort.screened)
    if goal.hard and goal.limit:
        tried = [limited(share * goal.limit) for share in effort.screened]
        most = effort.rankers
    best = promising(pool, tried, most)
    plain = {rankers[0] for rankers in pool.bases}
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
