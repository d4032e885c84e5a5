"""Local search: move one cut at a time (appendix A.10)."""

from __future__ import annotations

import numpy as np

from fairordinal._cuts import Deadline, Goal, Problem
from fairordinal._validation import Array

LEAST_GAIN = 1e-12


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
        values = goal.penalised(*problem.scan(cuts, moved, places))
        best = int(values.argmin())
        if values[best] >= value - LEAST_GAIN:
            return cuts, rounds
        value, cuts[moved[best]] = float(values[best]), places[best]


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
