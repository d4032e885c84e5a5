r"""Thresholds without a proof: shortest paths at fixed multipliers, improved by local search.

Local search moves one cut at a time (`descend`; appendix A.10 of the paper). `local_search` starts
it from the cuts of least cost and from random ones, as the paper does.

`sweep` finds thresholds for several goals at once, quickly, to choose among candidates. At fixed
multipliers τ the Lagrangian ``cost + τ . disparities`` is additive over neighbouring cuts, so that
the best cuts are a shortest path::

    F_t(j) = own_t(j) + min_{i <= j} (F_{t-1}(i) + c(j)' Q_τ c(i))

`shortest_paths` computes it for many multipliers together. It finds only cuts on the convex hull of
all pairs of cost and violation. Local search from the best of them, and from the cuts of
neighbouring goals, finds cuts inside the hull. Good multipliers for one sample are good for another
one of the same population, so that the folds of a cross-validation share them
(`_branch_and_bound.multipliers_for`).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from sklearn.utils import check_random_state

from fairordinal._support import advance, one_thread
from fairordinal._validation import Array
from fairordinal.thresholds._goal import Deadline, Goal, OutOfTimeError, Settings, Solution
from fairordinal.thresholds._problem import Problem, cheapest_cuts, quadratic, symmetric

LEAST_GAIN = 1e-12  # of a move
FEW_CONTRASTS = 64  # by which moves are screened
FEW_MOVES = 16  # that are evaluated together for all contrasts
GENTLE = 2.0  # λ relative to the size of costs, with which local search begins
STARTS = 3  # shortest paths from which local search starts, for each goal
MOST_EDGES = 1 << 16  # numbers at a time for shortest paths, which fit into the cache
NO_DEADLINE = Deadline()


def descend(
    problem: Problem,
    goal: Goal,
    cuts: Array,
    deadline: Deadline,
    most_positions: int | None = None,
) -> tuple[Array, int]:
    """Make the best move of one cut until none helps; return the cuts and the number of rounds.

    A round scans all positions of each cut between its neighbours, O(positions) in all; with
    `most_positions`, at most so many for each cut, evenly spaced.
    """
    cuts, rounds = cuts.copy(), 0
    value = float(goal.penalised(problem.cost(cuts), problem.violation(cuts)))
    while True:
        deadline.check()
        rounds += 1
        advance()
        moved, positions = _moves(problem, cuts, most_positions)
        best, reached = _best_move(problem, goal, cuts, moved, positions)
        if reached >= value - LEAST_GAIN:
            return cuts, rounds
        value, cuts[moved[best]] = reached, positions[best]


def _best_move(
    problem: Problem, goal: Goal, cuts: Array, moved: Array, positions: Array
) -> tuple[int, float]:
    """The first of the best moves, and its objective.

    The contrasts that are largest now give a lower bound of the objective of each move. Moves are
    evaluated for all contrasts in the order of these bounds, until a bound exceeds the best
    objective. Few moves are.
    """
    if problem.n_contrasts <= FEW_CONTRASTS:
        values = goal.penalised(*problem.scan(cuts, moved, positions))
        best = int(values.argmin())
        return best, float(values[best])
    now = np.abs(problem.disparities(cuts))
    largest = np.argsort(-now, kind="stable")[:FEW_CONTRASTS]
    bounds = goal.penalised(*problem.scan(cuts, moved, positions, largest))
    best, reached = 0, float("inf")
    order = np.argsort(bounds, kind="stable")
    for start in range(0, len(order), FEW_MOVES):
        some = np.sort(order[start : start + FEW_MOVES])
        if bounds[order[start]] > reached:
            break
        values = goal.penalised(*problem.scan(cuts, moved[some], positions[some]))
        first = int(values.argmin())
        if (values[first], some[first]) < (reached, best):
            best, reached = int(some[first]), float(values[first])
    return best, reached


def _moves(problem: Problem, cuts: Array, most_positions: int | None) -> tuple[Array, Array]:
    """The cut and the new position of each move: anywhere between the neighbours of the cut."""
    ends = np.concatenate([[0], cuts, [problem.n_positions]])
    width = ends[2:] - ends[:-2]
    count = width + 1 if most_positions is None else np.minimum(width + 1, most_positions)
    moved = np.repeat(np.arange(len(cuts)), count)
    number = np.arange(len(moved)) - (np.cumsum(count) - count)[moved]  # among the moves of a cut
    step = width / np.maximum(count - 1, 1)  # 1, unless there are too many positions
    return moved, ends[moved] + np.rint(number * step[moved]).astype(np.intp)


def local_search(problem: Problem, goal: Goal, settings: Settings) -> Solution:
    """The best of several local searches, from the cuts of least cost and from random ones."""
    generator = check_random_state(settings.random_state)
    cheapest = cheapest_cuts(problem.gains)
    starts = [cheapest, *(_random_cuts(problem, generator) for _ in range(settings.n_restarts))]
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


def _random_cuts(problem: Problem, generator: np.random.RandomState) -> Array:
    return np.sort(generator.randint(0, problem.n_positions + 1, problem.n_cuts))


def _best(problem: Problem, goal: Goal, found: list[Array]) -> Array:
    """The best of the cuts found; the best constant prediction if none keeps the limit."""
    constants = [problem.constant(label) for label in range(problem.n_cuts + 1)]
    for candidates in (found, constants):
        values = [goal.value(problem.cost(cuts), problem.violation(cuts)) for cuts in candidates]
        if values and min(values) < float("inf"):
            break
    return candidates[int(np.argmin(values))]


@one_thread
def sweep(problem: Problem, goals: Sequence[Goal], multipliers: Array) -> list[Array]:
    """Good cuts for each goal; multipliers are of shape (n_multipliers, n_contrasts)."""
    starts = _starts(problem, multipliers)
    reached = np.array([(problem.cost(cuts), problem.violation(cuts)) for cuts in starts]).T
    found = _BestCuts(problem, goals)
    order = sorted(range(len(goals)), key=lambda i: _strictness(goals[i]))
    for i in order:
        for start in _best_starts(goals[i], reached, problem.scale):
            found.improve(i, starts[start])
    # the cuts of a goal are starts for the next: from strict goals to loose ones, and back
    for way in (order, order[::-1]):
        for i, neighbour in zip(way[1:], way, strict=False):
            found.improve(i, found.cuts[neighbour])
    return found.cuts


class _BestCuts:
    """The best cuts found for each goal."""

    def __init__(self, problem: Problem, goals: Sequence[Goal]) -> None:
        self.problem, self.goals = problem, goals
        self.cuts = [problem.constant(0)] * len(goals)
        self._values = [np.inf] * len(goals)
        self._seen: set[tuple[Goal, bytes]] = set()

    def improve(self, i: int, start: Array) -> None:
        """Search locally from a start, first with a gentle λ, then for the goal itself.

        A search is left out if it would start from cuts that a search for the same goal started
        from or ended at.
        """
        goal = self.goals[i]
        self._offer(i, start)
        for each in dict.fromkeys((_gentle(goal, self.problem.scale), goal)):
            if (each, start.tobytes()) in self._seen:
                return
            self._seen.add((each, start.tobytes()))
            start, _ = descend(self.problem, each, start, NO_DEADLINE)
            self._seen.add((each, start.tobytes()))
        self._offer(i, start)

    def _offer(self, i: int, cuts: Array) -> None:
        """Keep cuts for a goal, if they are the best."""
        cost, violation = self.problem.cost(cuts), self.problem.violation(cuts)
        value = float(self.goals[i].penalised(cost, violation))
        if value < self._values[i]:
            self.cuts[i], self._values[i] = cuts, value


def _gentle(goal: Goal, scale: float) -> Goal:
    """The goal with a smaller λ, at which local search does not get stuck near the limit."""
    return goal._replace(penalty=min(GENTLE * scale, goal.penalty))


def _strictness(goal: Goal) -> tuple[float, float]:
    """A key by which strict goals come first."""
    return (goal.limit, -goal.penalty) if goal.hard else (np.inf, -goal.penalty)


def _starts(problem: Problem, multipliers: Array) -> Array:
    """Shortest paths, and the cuts of constant predictions."""
    constants = [problem.constant(label) for label in range(problem.n_cuts + 1)]
    return np.unique(np.vstack([shortest_paths(problem, multipliers), *constants]), axis=0)


def _best_starts(goal: Goal, reached: Array, scale: float) -> list[int]:
    """The start that is best for a goal, and those that are best with a gentle λ."""
    near = np.argsort(_gentle(goal, scale).penalised(*reached), kind="stable")[:STARTS].tolist()
    return list(dict.fromkeys([int(goal.penalised(*reached).argmin()), *near]))


def shortest_paths(problem: Problem, multipliers: Array) -> Array:
    """Cuts of the least Lagrangian for each of several multipliers, (n_multipliers, n_cuts)."""
    most = max(1, MOST_EDGES // (problem.n_positions + 1) ** 2)
    parts = [multipliers[at : at + most] for at in range(0, len(multipliers), most)]
    return np.vstack([_shortest_paths(problem, part) for part in parts])


def _shortest_paths(problem: Problem, multipliers: Array) -> Array:
    below = problem.cumulative
    crossing = np.tri(len(below), k=-1, dtype=bool).T  # cut t+1 (row) below cut t (column)
    own = np.empty((problem.n_cuts, len(multipliers), len(below)))
    edges = np.empty((len(multipliers), len(below), len(below)))
    for chain, (steps, mixed) in enumerate(map(problem.mix, multipliers)):
        own[:, chain] = problem.gains + steps @ below.T - quadratic(below, symmetric(mixed))
        np.matmul(below @ mixed, below.T, out=edges[chain])
    np.copyto(edges, np.inf, where=crossing)
    return _backtracked(own, edges)


def _backtracked(own: Array, edges: Array) -> Array:
    """Shortest paths of several chains.

    `own` terms are of shape (cut, chain, position), `edges` of shape (chain, to, from).
    """
    reach, steps, through = own[0], [], np.empty_like(edges)
    for terms in own[1:]:
        np.add(edges, reach[:, None, :], out=through)
        step = through.argmin(axis=2)  # the best position of the cut before
        steps.append(step)
        reach = terms + np.take_along_axis(through, step[:, :, None], axis=2)[:, :, 0]
    path = [reach.argmin(axis=1)]
    chains = np.arange(len(edges))
    for step in reversed(steps):
        path.append(step[chains, path[-1]])
    return np.stack(path[::-1], axis=1)
