"""The methods: from a problem and a goal to cuts with a lower bound."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import check_random_state

from fairordinal._cuts import Deadline, Goal, OutOfTimeError, Problem, cheapest_cuts
from fairordinal._progress import progress
from fairordinal._validation import Array
from fairordinal.thresholds._certified import Certified
from fairordinal.thresholds._local import descend, random_cuts

EXACT = 1e-10  # the least tolerance relative to the cost, for bounds are rounded


class Solution(NamedTuple):
    """Cuts, a bound of what any cuts can reach, and how they were found."""

    cuts: Array
    lower_bound: float
    n_iter: int
    stopped_by: str = ""  # "max_time", "max_bounds" or "interrupt", if it did not finish


class Settings(NamedTuple):
    """How hard to try."""

    tol: float
    deadline: Deadline
    n_restarts: int
    random_state: Any
    known: Array | None = None  # cuts that are good already
    most_bounds: float = float("inf")  # unlike seconds, they are the same on any machine


def certified(problem: Problem, goal: Goal, settings: Settings) -> Solution:
    """Prove cuts to be within the tolerance of the best."""
    with progress("thresholds") as say:
        report = None
        if say is not None:
            report = lambda best, bound, n: say(  # noqa: E731
                f"objective {best:.5f}, bound {bound:.5f}, gap {best - bound:.1e} ({n} bounds)"
            )
        tol = max(settings.tol, EXACT * problem.scale)
        search = Certified(problem, goal, tol, settings.deadline, report, settings.most_bounds)
        if settings.known is not None:
            search.offer(settings.known)
        search.run()
    return Solution(search.best.cuts, search.lower_bound, search.n_iter, search.stopped_by)


def exact(problem: Problem, goal: Goal, settings: Settings) -> Solution:
    """Prove cuts to be the best, to rounding."""
    return certified(problem, goal, settings._replace(tol=0.0))


def cost_only(problem: Problem, goal: Goal, settings: Settings) -> Solution:
    """Cuts of least cost (appendix A.11)."""
    cuts = cheapest_cuts(problem.gains)
    return Solution(cuts, problem.cost(cuts), 1)


def local_search(problem: Problem, goal: Goal, settings: Settings) -> Solution:
    """The best of several local searches, from the cuts of least cost and random ones."""
    generator = check_random_state(settings.random_state)
    cheapest = cheapest_cuts(problem.gains)
    starts = [cheapest, *(random_cuts(problem, generator) for _ in range(settings.n_restarts))]
    found: list[Array] = []
    rounds, stopped_by = 0, ""
    try:
        for start in starts:
            cuts, n = descend(problem, goal, start, settings.deadline)
            found.append(cuts)
            rounds += n
    except OutOfTimeError:
        stopped_by = "max_time"
    except KeyboardInterrupt:
        stopped_by = "interrupt"
    best = _best(problem, goal, found)
    return Solution(best, problem.cost(cheapest), rounds, stopped_by)


def _best(problem: Problem, goal: Goal, found: list[Array]) -> Array:
    """The best of the cuts found; the best constant prediction if none keeps the limit."""
    constants = [problem.constant(label) for label in range(problem.n_cuts + 1)]
    for candidates in (found, constants):
        values = [goal.value(problem.cost(cuts), problem.violation(cuts)) for cuts in candidates]
        if values and min(values) < float("inf"):
            break
    return candidates[int(np.argmin(values))]


METHODS: dict[str, Callable[[Problem, Goal, Settings], Solution]] = {
    "certified": certified,
    "local_search": local_search,
    "exact": exact,
    "cost_only": cost_only,
}
