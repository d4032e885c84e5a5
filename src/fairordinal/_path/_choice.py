"""Which candidate to take, and what to expect of it."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np
from scipy.special import ndtri

from fairordinal._audit import Finding, find
from fairordinal._costs import cost_unit
from fairordinal._cuts import Goal
from fairordinal._path._plan import Plan
from fairordinal._path._pool import Candidate, Pool, mean_cost
from fairordinal._table import ScoreTable
from fairordinal._validation import Array
from fairordinal.criteria import Criterion

HALVINGS = 2
ROUNDING = 1e-9


def choose(
    plan: Plan, candidates: Sequence[Candidate], goal: Goal, confidence: float | None
) -> Candidate:
    """The least estimated objective, or the least cost within the limit; of equals the first.

    With `confidence`, the upper end of the interval has to keep the limit. Where no candidate
    keeps it, the fairest.
    """
    unit = max(cost_unit(plan.cost), 1.0)
    costs = unit * np.round([candidate.cost / unit for candidate in candidates], 9)
    violations = np.round([candidate.violation for candidate in candidates], 9)
    if not goal.hard:
        price = goal.price * len(plan.labels)
        return candidates[int((costs + price * violations).argmin())]
    kept = np.array([keeps(plan, c, goal, confidence) for c in candidates])
    if not kept.any():
        return candidates[int(violations.argmin())]
    return candidates[int(np.where(kept, costs, np.inf).argmin())]


def keeps(plan: Plan, candidate: Candidate, goal: Goal, confidence: float | None) -> bool:
    """Whether a candidate keeps a limit by its estimate, or by the upper end of its interval."""
    highest = candidate.violation
    if confidence is not None:
        highest = violation_interval(plan, candidate, confidence)[1]
    return not goal.hard or highest <= goal.allowance + ROUNDING


def choose_closely(pool: Pool, goals: Sequence[Goal], confidence: float | None) -> Candidate:
    """Choose among candidates for some goals, the first of which is asked for.

    Thresholds have to be stricter than asked for to keep a limit in new rows; how much is found
    out by halving the way from the strictness chosen to the next that is too loose.
    """
    asked, tried = goals[0], {goal.allowance for goal in goals}
    pool.add(goals)
    chosen = choose(pool.plan, pool.candidates(), asked, confidence)
    for _ in range(HALVINGS if asked.hard else 0):
        looser = [limit for limit in tried if limit > chosen.goal.allowance]
        if not looser:
            break
        halfway = asked._replace(allowance=0.5 * (chosen.goal.allowance + min(looser)))
        tried.add(halfway.allowance)
        pool.add([halfway], rankers=pool.tried_for(goals))
        chosen = choose(pool.plan, pool.candidates(), asked, confidence)
    return chosen


def warn_unless_kept(
    plan: Plan, chosen: Candidate, goal: Goal, confidence: float | None, stacklevel: int
) -> None:
    """Say so if a limit cannot be kept."""
    if keeps(plan, chosen, goal, confidence):
        return
    sure = "" if confidence is None else f" with confidence {confidence:g}"
    warnings.warn(
        f"No model keeps max_violation={goal.allowance:g} in held-out rows{sure}; the one with the "
        f"least estimated violation ({chosen.violation:.3f}) is taken. More rows, larger groups or "
        "a wider limit would help.",
        UserWarning,
        stacklevel=stacklevel + 1,
    )


def cost_interval(plan: Plan, candidate: Candidate, confidence: float) -> tuple[float, float]:
    """Interval of the mean cost in new rows, around the estimate."""
    return around_mean(candidate.held_out, plan.cost, candidate.cost, confidence)


def around_mean(
    table: ScoreTable, cost: Array, centre: float, confidence: float
) -> tuple[float, float]:
    """Interval of a mean cost around a centre, as wide as the rows of a table say.

    It stays between 0 and the highest cost.
    """
    unit = cost_unit(cost)
    variance = mean_cost(table, (cost / unit) ** 2) - mean_cost(table, cost / unit) ** 2
    spread = unit * np.sqrt(max(variance, 0.0) / table.rows.sum())
    width = float(ndtri(0.5 + 0.5 * confidence) * spread)
    return max(centre - width, 0.0), max(min(centre + width, float(cost.max())), centre)


def violation_interval(plan: Plan, candidate: Candidate, confidence: float) -> tuple[float, float]:
    """Interval of the violation in new rows: that of the held-out ones, around the estimate.

    It holds the estimate and stays within the criterion's range: all of that, if the held-out
    rows have no groups to compare.
    """
    finding, estimate = (
        found_in(plan.criterion, candidate.held_out, confidence),
        candidate.violation,
    )
    low, high = np.array(finding.violation_interval) + (estimate - finding.violation)
    most = plan.criterion.scale(candidate.held_out)
    if np.isnan(low):
        return 0.0, most
    return min(max(float(low), 0.0), estimate), max(min(float(high), most), estimate)


def found_in(criterion: Criterion, table: ScoreTable, confidence: float) -> Finding:
    """An audit of one notion, with intervals by the delta method."""
    return find(
        criterion,
        table,
        interval="delta",
        confidence=confidence,
        n_resamples=0,
        random_state=0,
    )
