"""Which candidate to take, and what to expect of it."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np
from scipy.special import ndtri

from fairordinal._audit import find
from fairordinal._cuts import Goal
from fairordinal._path._plan import Plan
from fairordinal._path._pool import Candidate, mean_cost


def choose(
    plan: Plan, candidates: Sequence[Candidate], goal: Goal, confidence: float | None
) -> Candidate:
    """The least estimated objective, or the least cost within the limit; of equals the first.

    With `confidence`, the upper end of the interval has to keep the limit.
    """
    estimates = np.round([(candidate.cost, candidate.violation) for candidate in candidates], 9)
    costs, violations = estimates.T
    if not goal.hard:
        price = goal.price * len(plan.labels)
        return candidates[int((costs + price * violations).argmin())]
    if confidence is not None:
        violations = np.array([violation_interval(plan, c, confidence)[1] for c in candidates])
    kept = violations <= goal.allowance
    if not kept.any():
        return _fairest(candidates, goal.allowance, confidence)
    return candidates[int(np.where(kept, costs, np.inf).argmin())]


def _fairest(candidates: Sequence[Candidate], limit: float, confidence: float | None) -> Candidate:
    """The least estimated violation, where no candidate keeps the limit."""
    best = min(candidates, key=lambda candidate: candidate.violation)
    sure = "" if confidence is None else f" with confidence {confidence:g}"
    warnings.warn(
        f"No model keeps max_violation={limit:g} in held-out rows{sure}; the one with the least "
        f"estimated violation ({best.violation:.3f}) is taken. More rows, larger groups or a wider "
        "limit would help.",
        UserWarning,
        stacklevel=4,
    )
    return best


def cost_interval(plan: Plan, candidate: Candidate, confidence: float) -> tuple[float, float]:
    """Interval of the mean cost in new rows, around the estimate."""
    table = candidate.held_out
    squares = mean_cost(table, plan.cost**2) - mean_cost(table, plan.cost) ** 2
    spread = np.sqrt(max(squares, 0.0) / table.rows.sum())
    width = float(ndtri(0.5 + 0.5 * confidence) * spread)
    return max(candidate.cost - width, 0.0), candidate.cost + width


def violation_interval(plan: Plan, candidate: Candidate, confidence: float) -> tuple[float, float]:
    """Interval of the violation in new rows: that of the held-out ones, around the estimate."""
    finding = find(
        plan.criterion,
        candidate.held_out,
        interval="delta",
        confidence=confidence,
        n_resamples=0,
        random_state=0,
    )
    low, high = finding.violation_interval
    shift = candidate.violation - finding.violation
    return max(low + shift, 0.0), min(high + shift, plan.criterion.scale(candidate.held_out))
