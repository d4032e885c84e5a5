"""From scores to thresholds."""

from __future__ import annotations

import time
import warnings
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from fairordinal._costs import cost_unit, surcharged
from fairordinal._cuts import (
    Deadline,
    Goal,
    Notion,
    Problem,
    cheapest_cuts,
    cost_gains,
    read_problem,
)
from fairordinal._table import ScoreTable
from fairordinal._threads import one_thread
from fairordinal._validation import (
    Array,
    check_choice,
    check_number,
    check_whole,
)
from fairordinal.criteria import Criterion, warn_undefined
from fairordinal.thresholds._group_aware import group_cuts
from fairordinal.thresholds._result import ThresholdResult
from fairordinal.thresholds._solve import METHODS, Settings, Solution
from fairordinal.thresholds._stretched import Coarseness, coarseness_of

MOST = float(np.finfo(np.float64).max)
MOST_HARM = 1e12  # searches compare violations with numbers of about 1
STEEP = 1e4  # price of a violation beyond its limit, in units of the worst cost


@one_thread
def solve(
    table: ScoreTable,
    criterion: Criterion,
    cost: Array,
    goal: Goal,
    method: str,
    settings: Settings,
    *,
    group_aware: bool = False,
    library: str | None = None,
    notion: Notion | None = None,
) -> ThresholdResult:
    """Cut the scores of a table; `notion` is what is fair, if it was worked out before."""
    unit, asked = search_unit(cost), scale_goal(goal, len(table.labels), cost)
    settings = settings._replace(tol=settings.tol / unit)
    matrix = surcharged(cost, table.totals.sum(axis=0), goal.surcharge) / unit
    problem = read_problem(table, criterion, matrix, notion)
    gains = cost_gains(table, cost / unit) if goal.surcharge else problem.gains
    check_usable(problem, table, criterion, method)
    goal, coarse = (
        scale_goal(goal, len(table.labels), matrix, unit),
        coarseness_of(table, criterion, matrix),
    )
    if group_aware:
        found, method = group_cuts(table, criterion, matrix, goal, settings), "group-aware search"
        found = found._replace(lower_bound=found.lower_bound - coarse.cost)
        thresholds = midway_by_group(table, found.cuts)
    else:
        found = METHODS[method](problem, goal, settings)
        found = found._replace(lower_bound=_bound(problem, goal, settings, found, coarse))
        thresholds = midway(table.axis, found.cuts, table.lowest)
    return ThresholdResult(
        thresholds=thresholds,
        proved_bound=unit * found.lower_bound,
        n_iter=found.n_iter,
        method=method,
        stopped_by=found.stopped_by,
        criterion=criterion,
        goal=asked,
        score_table=table,
        cost_matrix=cost,
        cheapest=midway(table.axis, cheapest_cuts(gains), table.lowest),
        library=library,
    )


def _bound(
    problem: Problem, goal: Goal, settings: Settings, found: Solution, coarse: Coarseness
) -> float:
    """A bound for cuts anywhere, given one for cuts between stretches of scores."""
    if not any(coarse):
        return found.lower_bound
    if not goal.hard:
        return found.lower_bound - coarse.cost - goal.price * coarse.violation
    looser = goal._replace(allowance=goal.allowance + coarse.violation)
    return METHODS["certified"](problem, looser, settings).lower_bound - coarse.cost


def read_goal(
    trade_off: Any, max_violation: Any, method: str, *, default_limit: float | None = None
) -> Goal:
    """The goal, its price in units of k (trade-off) or of the worst cost (limit)."""
    check_choice(method, "method", tuple(METHODS))
    if trade_off is None and max_violation is None:
        max_violation = default_limit if method != "cost_only" else None
    if method == "cost_only":
        if trade_off is not None or max_violation is not None:
            raise ValueError(
                "method='cost_only' ignores fairness; leave out trade_off and max_violation, or "
                "take another method."
            )
        return Goal(0.0)
    if (trade_off is None) == (max_violation is None):
        raise ValueError(
            "Give either trade_off (a price on the violation, in [0, 1)) or max_violation (a limit "
            f"to it), got trade_off={trade_off!r} and max_violation={max_violation!r}."
        )
    if trade_off is not None:
        share = check_number(trade_off, "trade_off", least=0.0, below=1.0)
        return Goal(share / (1.0 - share))
    return Goal(STEEP, check_number(max_violation, "max_violation"), hard=True)


def limited(limit: float) -> Goal:
    """The goal of least cost within a limit to the violation."""
    return Goal(STEEP, limit, hard=True)


def search_unit(cost: Array) -> float:
    """The unit of costs in a search: not 1 only where they are very large."""
    return max(cost_unit(cost), 1.0)


def scale_goal(goal: Goal, n_labels: int, cost: Array, unit: float = 1.0) -> Goal:
    """The goal for so many labels and such costs, which are in units of `unit`."""
    worst = max(float(cost.max()), 1.0) if goal.hard else n_labels / unit
    return goal._replace(price=min(goal.price * worst, MOST))


def read_settings(tol: Any, max_time: Any, n_restarts: Any, random_state: Any) -> Settings:
    """How hard to try; the clock starts here."""
    seconds = float("inf") if max_time is None else check_number(max_time, "max_time")
    return Settings(
        tol=check_number(tol, "tol"),
        deadline=Deadline(time.monotonic() + seconds),
        n_restarts=check_whole(n_restarts, "n_restarts", least=0),
        random_state=random_state,
    )


def check_usable(problem: Problem, table: ScoreTable, criterion: Criterion, method: str) -> None:
    """Refuse a criterion that says nothing; warn where it says little, or scores do."""
    if method != "cost_only":
        check_defined(problem.n_contrasts, criterion)
        cut = table.cut(np.full(len(table.labels) - 1, np.inf))
        warn_undefined(criterion, cut, stacklevel=4)
        if criterion.scale(cut) > MOST_HARM:
            raise ValueError(
                f"{criterion.title} with costs up to {criterion.scale(cut):g} cannot be limited: "
                f"they must be at most {MOST_HARM:g}. Divide cost_matrix by a constant."
            )
    if problem.n_positions == 1:
        warnings.warn(
            f"scores has one distinct value ({table.axis[0]:g}): every threshold gives a constant "
            "prediction.",
            UserWarning,
            stacklevel=4,
        )


def check_defined(n_contrasts: int, criterion: Criterion) -> None:
    """Refuse a criterion that compares no pair of groups."""
    if not n_contrasts:
        raise ValueError(
            f"{criterion.title} is undefined for every pair of groups of sensitive_features: no "
            "pair of groups can be compared. Take another criterion, or more rows."
        )


def warn_unfinished(result: ThresholdResult, tol: float, *, stacklevel: int = 2) -> None:
    """Say so if the gap is wider than was asked for."""
    if not result.stopped_by or result.method == "cost_only":
        return
    reason = "max_time" if result.stopped_by == "max_time" else "an interrupt"
    warnings.warn(
        f"optimize_thresholds was stopped by {reason} with gap {result.gap:.1e} (tol={tol:g}); the "
        "thresholds are the best found. Raise max_time, or accept the gap.",
        ConvergenceWarning,
        stacklevel=stacklevel + 1,
    )


def midway(axis: Array, cuts: Array, lowest: Array | None = None) -> Array:
    """Thresholds midway between the scores on either side; infinite where there are none.

    Positions that are stretches of scores begin at `lowest` and end at the axis. A score on a
    threshold belongs below it, so where no number lies between two scores the threshold is the
    lower one.
    """
    below = np.concatenate([[-np.inf], axis])[cuts]
    above = np.concatenate([axis if lowest is None else lowest, [np.inf]])[cuts]
    with np.errstate(invalid="ignore"):
        middle = below / 2 + above / 2
    middle = np.where((middle >= below) & (middle < above), middle, below)
    return np.where(np.isinf(below) | np.isinf(above), np.where(cuts > 0, np.inf, -np.inf), middle)


def midway_by_group(table: ScoreTable, cuts: Array) -> Array:
    """Thresholds of each group, (n_groups, n_labels - 1), midway between scores of its own."""
    entries = table.counts.tocoo()
    group = entries.coords[0] // len(table.labels)
    own = [np.unique(entries.coords[1][group == g]) for g in range(len(table.groups))]
    return np.stack(
        [
            midway(
                table.axis[places],
                np.searchsorted(places, row),
                None if table.lowest is None else table.lowest[places],
            )
            for places, row in zip(own, cuts, strict=True)
        ]
    )
