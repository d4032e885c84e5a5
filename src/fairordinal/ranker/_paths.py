"""Paths of rankers from accurate to fair."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from fairordinal._rows import score_table
from fairordinal._validation import Array
from fairordinal.ranker._objective import PLAIN, Aim, Fit, PairData, Training

PRICES = (10.0, 300.0)  # of the direct way, at each level
LEVELS = (0.8, 0.65, 0.5, 0.4, 0.3, 0.2, 0.12, 0.05, 0.0)  # of the violation without fairness
SIZES = tuple(0.03 * 2.0**i for i in range(9))  # of the multipliers of the reduction
SHRUNK = 0.01  # coefficients, relatively, where the direct way gives up
MOST_FILLED, HOLE = 6, 0.03  # rankers put in between, where disparities jump by more
GRID = np.linspace(-3.0, 3.0, 100)  # the paper's multipliers, in units of a pair's weight
PULLS = (0.1, 0.3, 1.0, 3.0, 10.0, 100.0, 1000.0)

Way = Callable[[PairData, Fit, Training], list[Fit]]


def plain(data: PairData, training: Training, start: Array | None = None) -> Fit:
    """The ranker that is not fair."""
    start = np.zeros(data.rows.n_features) if start is None else start
    return training.fit(data, PLAIN, start)


def nothing(n_features: int) -> Fit:
    """The ranker to which all rows are equal: a constant predictor."""
    return Fit(np.zeros(n_features), None)


def direct(data: PairData, first: Fit, training: Training) -> list[Fit]:
    """Penalise smooth disparities beyond a level that falls to 0."""
    path, fit = [], first
    worst = lowest = violation_of(data, fit.coef)
    for level in LEVELS:
        for price in PRICES:
            fit = training.fit(data, Aim(price=price, level=level * worst), fit.coef)
        path.append(fit)
        reached = violation_of(data, fit.coef)
        if reached >= lowest and _shrunk(fit.coef, first.coef):
            break  # out of reach: scores only shrink towards 0, in ever more steps
        lowest = min(lowest, reached)
    return path


def _shrunk(coef: Array, first: Array) -> bool:
    return float(np.abs(coef).max(initial=0.0)) <= SHRUNK * float(np.abs(first).max(initial=0.0))


def reduction(data: PairData, first: Fit, training: Training) -> list[Fit]:
    """Turn pairs round that favour a group: weights W - τ·Q with rising multipliers τ.

    The multipliers lean towards the disparities met so far, so that any number of groups goes.
    Once they overshoot, rankers are put in between where disparities jump.
    """
    path, met = [first], [disparities_of(data, first.coef)]
    for size in SIZES:
        lean = np.sum(met, axis=0)
        multipliers = size * lean / max(np.abs(lean).sum(), np.finfo(float).tiny)
        turn = data.mixed(multipliers) / data.pair_weight
        path.append(training.fit(data, Aim(turn=turn), path[-1].coef))
        met.append(disparities_of(data, path[-1].coef))
        reached = [np.abs(disparities).max(initial=0.0) for disparities in met]
        if reached[-1] > 1.5 * min(reached):
            break  # beyond, models are unfair the other way
    _fill(data, path, met, training)
    return path[1:]


def _fill(data: PairData, path: list[Fit], met: list[Array], training: Training) -> None:
    """Put rankers between neighbours that are far apart, halfway between their turns."""
    for _ in range(MOST_FILLED):
        jumps = [np.abs(b - a).max(initial=0.0) for a, b in pairwise(met)]
        at = int(np.argmax(jumps))
        if jumps[at] <= HOLE:
            return
        aims = [fit.aim for fit in path[at : at + 2]]
        turns = [aim.turn for aim in aims if aim is not None and aim.turn is not None]
        fit = training.fit(data, Aim(turn=0.5 * np.sum(turns, axis=0)), path[at].coef)
        path.insert(at + 1, fit)
        met.insert(at + 1, disparities_of(data, fit.coef))


def grid(data: PairData, first: Fit, training: Training) -> list[Fit]:
    """The reduction as the paper has it: a fixed grid of multipliers, of either sign.

    At 1, pairs in the order that the disparities of the plain ranker favour weigh nothing; beyond,
    they are turned round. More than two groups share one multiplier, by their disparities.
    """
    lean = disparities_of(data, first.coef)
    lean = lean / max(np.abs(lean).max(initial=0.0), np.finfo(float).tiny)
    turn = data.mixed(lean / data.greatest_netted)
    path = []
    for side in (GRID[GRID > 0], GRID[GRID < 0][::-1]):
        fit = first
        for size in side:
            fit = training.fit(data, Aim(turn=size * turn), fit.coef)
            path.append(fit)
    return path


def relaxed(data: PairData, first: Fit, training: Training) -> list[Fit]:
    """Penalise differences of mean scores: a linear stand-in for disparities."""
    path, fit = [], first
    size = np.abs(data.mean_differences).max(initial=0.0) or 1.0
    for pull in PULLS:
        fit = training.fit(data, Aim(pull=pull / size**2), fit.coef)
        path.append(fit)
    return path


def disparities_of(data: PairData, coef: Array) -> Array:
    """Disparities of the scores as they are."""
    return data.disparities(wins_of(data, coef))


def violation_of(data: PairData, coef: Array) -> float:
    """The greatest absolute disparity of the scores as they are."""
    return float(np.abs(disparities_of(data, coef)).max(initial=0.0))


def accuracy_of(data: PairData, coef: Array) -> float:
    """Share of the pairs of unequal labels that are in order; a tie is not."""
    return float((data.accuracy * wins_of(data, coef)).sum())


def wins_of(data: PairData, coef: Array) -> Array:
    """Weight of pairs (i in u, j in v) with i strictly above j, (m, m)."""
    rows = data.rows
    return score_table(rows, coef, np.arange(rows.n_groups), np.arange(rows.n_labels)).wins


WAYS: dict[str, Way] = {
    "direct": direct,
    "reduction": reduction,
    "grid": grid,
    "relaxed": relaxed,
}
