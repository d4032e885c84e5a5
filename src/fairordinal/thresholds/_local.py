"""Local search: move one cut at a time (appendix A.10)."""

from __future__ import annotations

import numpy as np

from fairordinal._cuts import Deadline, Goal, Problem
from fairordinal._validation import Array

LEAST_GAIN = 1e-12
FEW_CONTRASTS = 64  # by which moves are screened
FEW_MOVES = 16  # that are looked at together


def descend(
    problem: Problem, goal: Goal, cuts: Array, deadline: Deadline, most_places: int | None = None
) -> tuple[Array, int]:
    """Make the best single move until none helps; the cuts and the number of rounds.

    A round scans every place of every cut between its neighbours, O(places) in all; with
    `most_places`, only so many of each cut, evenly spread.
    """
    cuts, rounds = cuts.copy(), 0
    value = float(goal.penalised(problem.cost(cuts), problem.violation(cuts)))
    while True:
        deadline.check()
        rounds += 1
        moved, places = _moves(problem, cuts, most_places)
        best, reached = _best_move(problem, goal, cuts, moved, places)
        if reached >= value - LEAST_GAIN:
            return cuts, rounds
        value, cuts[moved[best]] = reached, places[best]


def _best_move(
    problem: Problem, goal: Goal, cuts: Array, moved: Array, places: Array
) -> tuple[int, float]:
    """The best of some moves, of equals the first, and what it reaches.

    The contrasts that are greatest now bound what each move reaches. Few moves have a bound
    that is low enough for all contrasts to be looked at.
    """
    now = np.abs(problem.disparities(cuts))
    greatest = np.argsort(-now, kind="stable")[:FEW_CONTRASTS]
    bounds = goal.penalised(*problem.scan(cuts, moved, places, greatest))
    if len(now) <= FEW_CONTRASTS:
        best = int(bounds.argmin())
        return best, float(bounds[best])
    best, reached = 0, float("inf")
    order = np.argsort(bounds, kind="stable")
    for start in range(0, len(order), FEW_MOVES):
        some = np.sort(order[start : start + FEW_MOVES])
        if bounds[order[start]] > reached:
            break
        values = goal.penalised(*problem.scan(cuts, moved[some], places[some]))
        first = int(values.argmin())
        if (values[first], some[first]) < (reached, best):
            best, reached = int(some[first]), float(values[first])
    return best, reached


def _moves(problem: Problem, cuts: Array, most_places: int | None) -> tuple[Array, Array]:
    """Which cut each move is of, and where it goes: anywhere between its neighbours."""
    ends = np.concatenate([[0], cuts, [problem.n_positions]])
    width = ends[2:] - ends[:-2]
    count = width + 1 if most_places is None else np.minimum(width + 1, most_places)
    moved = np.repeat(np.arange(len(cuts)), count)
    number = np.arange(len(moved)) - (np.cumsum(count) - count)[moved]
    step = width / np.maximum(count - 1, 1)  # 1, unless there are too many places
    return moved, ends[moved] + np.rint(number * step[moved]).astype(np.intp)


def random_cuts(problem: Problem, generator: np.random.RandomState) -> Array:
    """Cuts at random places, in order."""
    return np.sort(generator.randint(0, problem.n_positions + 1, problem.n_cuts))
