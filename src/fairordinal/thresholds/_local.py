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
        rounds += 1
        moves = []
        for t in range(problem.n_cuts):
            deadline.check()
            moves.append(_best_move(problem, goal, cuts, t, most_places))
        best = int(np.argmin([move[0] for move in moves]))
        if moves[best][0] >= value - LEAST_GAIN:
            return cuts, rounds
        value, cuts[best] = moves[best]


def _best_move(
    problem: Problem, goal: Goal, cuts: Array, t: int, most_places: int | None
) -> tuple[float, int]:
    """The best place of cut t between its neighbours, and the objective there."""
    lowest = int(cuts[t - 1]) if t else 0
    highest = int(cuts[t + 1]) if t < problem.n_cuts - 1 else problem.n_positions
    places: slice | Array = slice(lowest, highest + 1)
    if most_places is not None and highest - lowest >= most_places:
        places = np.linspace(lowest, highest, most_places).round().astype(np.intp)
    values = goal.penalised(*problem.scan(cuts, t, places))
    at = int(values.argmin())
    return float(values[at]), lowest + at if isinstance(places, slice) else int(places[at])


def random_cuts(problem: Problem, generator: np.random.RandomState) -> Array:
    """Cuts at random places, in order."""
    return np.sort(generator.randint(0, problem.n_positions + 1, problem.n_cuts))
