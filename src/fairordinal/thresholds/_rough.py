"""Good cuts for several goals, quickly and always the same: for choosing among models."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from fairordinal._cuts import Deadline, Goal, Notion, read_problem
from fairordinal._table import ScoreTable
from fairordinal._threads import one_thread
from fairordinal._validation import Array
from fairordinal.criteria import Criterion
from fairordinal.thresholds._certified import Certified
from fairordinal.thresholds._entry import scale_goal, search_unit

ROUGH = 5e-3  # gap, relative to the size of costs
MOST_BOUNDS = 30  # of a search; unlike seconds, they are the same on any machine
LEAST_BOUNDS = 3
MOST_COMPARISONS = 1500  # bounds × pairs of groups: each bound of many groups is dear
MOST_SWEPT = 300  # bounds × thresholds
MOST_PROVING = 20_000  # bounds of a proof × pairs of groups or thresholds


class RoughCut(NamedTuple):
    """Thresholds at scores, and what they reach; a score on a threshold belongs below."""

    thresholds: Array
    objective: float
    cost: float
    violation: float


@one_thread
def rough_cuts(
    table: ScoreTable,
    criterion: Criterion,
    cost: Array,
    goals: Sequence[Goal],
    notion: Notion | None = None,
) -> list[RoughCut]:
    """Cut the scores of a table, once for each goal; `notion` as for all tables of these rows."""
    unit = search_unit(cost)
    matrix = cost / unit
    problem = read_problem(table, criterion, matrix, notion)
    edges = np.concatenate([[-np.inf], table.axis[:-1], [np.inf]])
    found = []
    for goal in goals:
        search = Certified(
            problem,
            scale_goal(goal, table, matrix, unit),
            ROUGH * problem.scale,
            Deadline(float("inf")),
            most_bounds=_most_bounds(problem.n_contrasts, problem.n_cuts),
        ).run()
        if search.stopped_by == "interrupt":  # there is more to stop than one search
            raise KeyboardInterrupt
        best = search.best
        objective, reached = unit * search.objective, unit * best.cost
        found.append(RoughCut(edges[best.cuts], objective, reached, best.violation))
    return found


def _most_bounds(n_contrasts: int, n_cuts: int) -> int:
    """All up to 11 groups and 11 labels, then fewer."""
    affordable = min(MOST_COMPARISONS // max(n_contrasts, 1), MOST_SWEPT // n_cuts)
    return max(LEAST_BOUNDS, min(MOST_BOUNDS, affordable))


def most_proving_bounds(n_contrasts: int, n_cuts: int) -> int:
    """How many bounds a proof may take where there are many models to prove."""
    return max(LEAST_BOUNDS, MOST_PROVING // max(n_contrasts, n_cuts, 1))
