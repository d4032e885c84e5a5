r"""Thresholds for several goals at once, quickly: for choosing among candidates.

At fixed multipliers τ the Lagrangian ``cost + τ . disparities`` is additive over neighbouring cuts,
so the best cuts are a shortest path::

    F_t(j) = own_t(j) + min_{i <= j} (F_{t-1}(i) + c(j)' Q_τ c(i))

`shortest_paths` solves it for many multipliers together. Its cuts lie on the convex hull of what
cuts can reach. Local search from the nearest of them, and from the cuts of the neighbouring goals,
finds what lies inside (`sweep`). There is no certificate: the chosen candidate gets one by the
certified search.

Good multipliers for one sample are good for another of the same population. So the search for
them, which takes a while with many groups, is done once for all rows (`multipliers_for`), and the
folds of a cross-validation share them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fairordinal._cuts import Deadline, Goal, Problem, cheapest_cuts, quadratic, symmetric
from fairordinal._threads import one_thread
from fairordinal._validation import Array
from fairordinal.thresholds._certified import Certified
from fairordinal.thresholds._local import descend

SIZES = (0.0, *np.geomspace(0.03, 30.0, 9))  # of a multiplier, relative to the size of costs
TURNED = (0.1, 1.0)  # sizes of multipliers of the other sign
AROUND = (0.5, 1.0, 2.0)  # factors of multipliers that a search found
GENTLE = 2.0  # price of a violation, relative to costs, with which local search begins
STARTS = 3  # shortest paths from which local search starts, for each goal
ROUGH = 5e-3  # gap at which the search for multipliers stops, relative to the size of costs
MOST_ENTRIES = 1 << 22  # of the tables of edges of all multipliers together
NO_DEADLINE = Deadline()


@one_thread
def sweep(problem: Problem, goals: Sequence[Goal], multipliers: Array) -> list[Array]:
    """Good cuts for each goal; multipliers of shape (n_multipliers, n_contrasts)."""
    starts = _starts(problem, multipliers)
    reached = np.array([(problem.cost(cuts), problem.violation(cuts)) for cuts in starts]).T
    found = _Found(problem, goals)
    order = sorted(range(len(goals)), key=lambda i: _strictness(goals[i]))
    for i in order:
        for start in _nearest(goals[i], reached, problem.scale):
            found.improve(i, starts[start])
    for way in (order, order[::-1]):  # from strict to loose, and back
        for i, neighbour in zip(way[1:], way, strict=False):
            found.improve(i, found.cuts[neighbour])
    return found.cuts


class _Found:
    """The best cuts of each goal so far."""

    def __init__(self, problem: Problem, goals: Sequence[Goal]) -> None:
        self.problem, self.goals = problem, goals
        self.cuts = [problem.constant(0)] * len(goals)
        self._values = [np.inf] * len(goals)
        self._met: set[tuple[Goal, bytes]] = set()

    def improve(self, i: int, start: Array) -> None:
        """Search locally from a start: at a gentle price first, then for the goal itself."""
        goal = self.goals[i]
        self._offer(i, start)
        gentle = goal._replace(price=min(GENTLE * self.problem.scale, goal.price))
        for each in dict.fromkeys((gentle, goal)):
            if (each, start.tobytes()) in self._met:
                return
            self._met.add((each, start.tobytes()))
            start, _ = descend(self.problem, each, start, NO_DEADLINE)
            self._met.add((each, start.tobytes()))
        self._offer(i, start)

    def _offer(self, i: int, cuts: Array) -> None:
        """Take cuts for a goal, if they are the best."""
        cost, violation = self.problem.cost(cuts), self.problem.violation(cuts)
        value = float(self.goals[i].penalised(cost, violation))
        if value < self._values[i]:
            self.cuts[i], self._values[i] = cuts, value


def _strictness(goal: Goal) -> tuple[float, float]:
    return (goal.allowance, -goal.price) if goal.hard else (np.inf, -goal.price)


def _starts(problem: Problem, multipliers: Array) -> Array:
    constants = [problem.constant(label) for label in range(problem.n_cuts + 1)]
    return np.unique(np.vstack([shortest_paths(problem, multipliers), *constants]), axis=0)


def _nearest(goal: Goal, reached: Array, scale: float) -> list[int]:
    """The start that is best for a goal, and those that are best at a gentle price."""
    gentle = goal._replace(price=min(GENTLE * scale, goal.price))
    near = np.argsort(gentle.penalised(*reached), kind="stable")[:STARTS].tolist()
    return list(dict.fromkeys([int(goal.penalised(*reached).argmin()), *near]))


def multipliers_for(problem: Problem, goals: Sequence[Goal], most_bounds: int) -> Array:
    """Multipliers, (n_multipliers, n_contrasts), whose shortest paths serve some goals.

    For two groups a grid on the line. For more, those that the certified search arrives at by so
    many bounds.
    """
    if problem.n_contrasts <= 1:
        lean = problem.disparities(cheapest_cuts(problem.gains))
        sign = np.where(lean < 0, -1.0, 1.0)
        sizes = [*SIZES, *(-size for size in TURNED)]
        return problem.scale * np.outer(sizes, sign)
    found = [np.zeros(problem.n_contrasts)]
    for goal in goals:
        search = Certified(
            problem, goal, ROUGH * problem.scale, NO_DEADLINE, most_bounds=most_bounds
        ).run()
        if search.stopped_by == "interrupt":  # there is more to stop than one search
            raise KeyboardInterrupt
        found += [factor * search.multipliers for factor in AROUND]
    return np.unique(found, axis=0)


def shortest_paths(problem: Problem, multipliers: Array) -> Array:
    """Cuts of the least Lagrangian for each of several multipliers, (n_multipliers, n_cuts)."""
    most = max(1, MOST_ENTRIES // (problem.n_positions + 1) ** 2)
    parts = [multipliers[at : at + most] for at in range(0, len(multipliers), most)]
    return np.vstack([_shortest_paths(problem, part) for part in parts])


def _shortest_paths(problem: Problem, multipliers: Array) -> Array:
    below = problem.cumulative
    crossing = np.tri(len(below), k=-1, dtype=bool).T  # cut t+1 (row) below cut t (column)
    own, edges = [], []
    for steps, mixed in map(problem.mix, multipliers):
        own.append(problem.gains + steps @ below.T - quadratic(below, symmetric(mixed)))
        edges.append(np.where(crossing, np.inf, below @ mixed @ below.T))
    return _backtracked(np.stack(own, axis=1), np.stack(edges))


def _backtracked(own: Array, edges: Array) -> Array:
    """Shortest paths of several chains.

    Own terms are of shape (cut, chain, place), edges of shape (chain, to, from).
    """
    reach, steps = own[0], []
    for terms in own[1:]:
        through = edges + reach[:, None, :]
        step = through.argmin(axis=2)
        steps.append(step)
        reach = terms + np.take_along_axis(through, step[:, :, None], axis=2)[:, :, 0]
    path = [reach.argmin(axis=1)]
    chains = np.arange(len(edges))
    for step in reversed(steps):
        path.append(step[chains, path[-1]])
    return np.stack(path[::-1], axis=1)
