"""Good cuts for several goals, quickly and always the same: for choosing among models."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from fairordinal._cuts import Deadline, Goal, read_problem
from fairordinal._table import ScoreTable
from fairordinal._threads import one_thread
from fairordinal._validation import Array
from fairordinal.criteria import Criterion
from fairordinal.thresholds._certified import Certified
from fairordinal.thresholds._entry import scale_goal

ROUGH = 5e-3  # gap, relative to the size of costs
MOST_BOUNDS = 30  # of a search; unlike seconds, they are the same on any machine


class RoughCut(NamedTuple):
    """Thresholds at scores, and what they reach; a score on a threshold belongs below."""

    thresholds: Array
    objective: float
    cost: float
    violation: float


@one_thread
def rough_cuts(
    table: ScoreTable, criterion: Criterion, cost: Array, goals: Sequence[Goal]
) -> list[RoughCut]:
    """Cut the scores of a table, once for each goal."""
    problem = read_problem(table, criterion, cost)
    edges = np.concatenate([[-np.inf], table.axis[:-1], [np.inf]])
    found = []
    for goal in goals:
        search = Certified(
            problem,
            scale_goal(goal, table, cost),
            ROUGH * problem.scale,
            Deadline(float("inf")),
            most_bounds=MOST_BOUNDS,
        ).run()
        best = search.best
        found.append(RoughCut(edges[best.cuts], search.objective, best.cost, best.violation))
    return found
