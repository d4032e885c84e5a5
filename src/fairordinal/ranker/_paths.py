"""Paths of rankers from accurate to fair."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import sparse

from fairordinal._table import ScoreTable
from fairordinal._validation import Array
from fairordinal.ranker._objective import Fit, Objective, PairData, minimise, sharpness_for

PRICES = (10.0, 300.0)  # of the direct way, at each level
LEVELS = (0.8, 0.65, 0.5, 0.4, 0.3, 0.2, 0.12, 0.05, 0.0)  # of the violation without fairness
MULTIPLIERS = (0.03, 0.06, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5, 0.6, 0.8, 1.0, 1.4, 2.0)
TILTS = (0.1, 0.3, 1.0, 3.0, 10.0, 100.0, 1000.0)

Way = Callable[[PairData, list[Fit], float, float, int], list[Fit]]


def plain(data: PairData, alpha: float, start: Array, tol: float, max_iter: int) -> Fit:
    """The ranker that is not fair."""
    return minimise(Objective(data, alpha, data.accuracy), start, tol=tol, max_iter=max_iter)


def direct(data: PairData, starts: list[Fit], alpha: float, tol: float, max_iter: int) -> list[Fit]:
    """Penalise smooth disparities beyond a level that falls to 0.

    `starts` are the plain fit, or the plain fit and a path of other rows to start from.
    """
    path, fit = [], starts[0]
    worst = violation_of(data, fit.coef)
    for i, level in enumerate(LEVELS):
        known = i + 1 < len(starts)
        fit = starts[i + 1] if known else fit
        for price in PRICES[-1:] if known else PRICES:
            sharpness = sharpness_for(data.scores(fit.coef))
            objective = Objective(
                data, alpha, data.accuracy, price, level * worst, sharpness=sharpness
            )
            fit = minimise(objective, fit.coef, tol=tol, max_iter=max_iter)
        path.append(fit)
    return path


def reduction(
    data: PairData, starts: list[Fit], alpha: float, tol: float, max_iter: int
) -> list[Fit]:
    """Turn pairs round that favour a group: weights W - τ·Q with rising multipliers τ.

    The multipliers lean towards the disparities met so far, so that any number of groups goes.
    """
    path, fit, reached = [], starts[0], []
    lean = np.zeros(len(data.contrasts))
    for size in MULTIPLIERS[: len(starts) - 1] if len(starts) > 1 else MULTIPLIERS:
        disparities = disparities_of(data, fit.coef)
        reached.append(np.abs(disparities).max(initial=0.0))
        if len(starts) == 1 and reached[-1] > 1.5 * min(reached):
            break  # the multipliers overshoot: beyond, models are unfair the other way
        lean = lean + disparities
        multipliers = size * lean / max(np.abs(lean).sum(), np.finfo(float).tiny)
        weights = data.accuracy - np.tensordot(multipliers, data.contrasts, 1)
        fit = minimise(Objective(data, alpha, weights), fit.coef, tol=tol, max_iter=max_iter)
        path.append(fit)
    return path


def relaxed(
    data: PairData, starts: list[Fit], alpha: float, tol: float, max_iter: int
) -> list[Fit]:
    """Penalise differences of mean scores: a linear stand-in for disparities."""
    path, fit = [], starts[0]
    size = np.abs(data.mean_differences).max(initial=0.0) or 1.0
    for tilt in TILTS:
        prices = np.full(len(data.contrasts), tilt / size**2)
        objective = Objective(data, alpha, data.accuracy, tilt=prices)
        fit = minimise(objective, fit.coef, tol=tol, max_iter=max_iter)
        path.append(fit)
    return path


def disparities_of(data: PairData, coef: Array) -> Array:
    """Disparities of the scores as they are."""
    return np.einsum("euv,uv->e", data.contrasts, wins_of(data, coef))


def violation_of(data: PairData, coef: Array) -> float:
    """The greatest absolute disparity of the scores as they are."""
    return float(np.abs(disparities_of(data, coef)).max(initial=0.0))


def accuracy_of(data: PairData, coef: Array) -> float:
    """Share of the pairs of unequal labels that are in order; a tie is not."""
    return float((data.accuracy * wins_of(data, coef)).sum())


def wins_of(data: PairData, coef: Array) -> Array:
    """Weight of pairs (i in u, j in v) with i strictly above j, (m, m)."""
    values, places = np.unique(data.scores(coef), return_inverse=True)
    shape = (data.n_cells, len(values))
    counts = sparse.csc_array((data.weight, (data.cells, places)), shape=shape)
    names = np.arange(data.n_cells)
    return ScoreTable(counts, names, np.arange(1), values, predicts_labels=False).wins


WAYS: dict[str, Way] = {"direct": direct, "reduction": reduction, "relaxed": relaxed}
