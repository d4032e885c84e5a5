r"""Paths of rankers from accurate to fair.

A path starts from the *plain* ranker, which minimises the loss of all pairs. Each method to make it
fair has a parameter that rises along the path, and each fit starts from the previous one:

* ``direct``: a penalty on smooth disparities beyond a limit that falls to 0;
* ``reduction``: weights W - Σ_e τ_e Q_e of pairs, with rising multipliers τ;
* ``grid``: the reduction with the paper's fixed grid of multipliers;
* ``relaxed``: a rising penalty on disparities of mean scores.

The strength α of the l2 penalty is chosen by the plain ranker: by its share of held-out pairs in
order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
from sklearn.utils.parallel import Parallel, delayed

from fairordinal._rows import Folds, Rows, on_site, score_table
from fairordinal._support import awaited, one_thread, part, steps
from fairordinal._validation import Array, check_choice
from fairordinal.ranker._objective import PLAIN, Aim
from fairordinal.ranker._pairs import PairData
from fairordinal.ranker._solver import Fit, Training

PENALTIES = (10.0, 300.0)  # of the direct method, one after the other at each limit
LIMITS = (
    0.8,
    0.65,
    0.5,
    0.4,
    0.3,
    0.2,
    0.12,
    0.05,
    0.0,
)  # relative to the plain ranker's violation
SIZES = tuple(0.03 * 2.0**i for i in range(9))  # of the multipliers of the reduction, |τ|₁
SHRUNK = 0.01  # relative size of coefficients at which the direct method stops
MOST_FILLED = 6  # rankers inserted into the path of the reduction
JUMP = 0.03  # difference of disparities between neighbours above which a ranker is inserted
GRID = np.linspace(-3.0, 3.0, 100)  # the paper's multipliers, in units of the weight of one pair
MEAN_PENALTIES = (0.1, 0.3, 1.0, 3.0, 10.0, 100.0, 1000.0)  # of the relaxed method

ALPHAS = (1e-1, 1e-2, 1e-3, 1e-4, 1e-5)
ALPHA_TOL = 1e-4  # tolerance of the fits that choose α
PLAIN_SHARE = 0.05  # of the time for a path, for progress
DIRECT_TIME = 5.0  # in that of the reduction, for progress
MOST_CHOOSING = 1 << 17  # rows from which α and models are chosen; the chosen one learns from all

Method = Callable[[PairData, Fit, Training], list[Fit]]


def methods_of(ranker: str) -> tuple[str, ...]:
    """Names of the methods whose paths a `ranker` option pools."""
    check_choice(ranker, "ranker", ("auto", *METHODS))
    return ("direct", "reduction") if ranker == "auto" else (ranker,)


@one_thread
def fit_path(data: PairData, methods: tuple[str, ...], training: Training) -> list[Fit]:
    """The plain ranker, followed by the paths of the methods."""
    with part(PLAIN_SHARE, "training"):
        first = plain(data, training)
    rough, path = replace(training, tol=10 * training.tol), [first]
    times = np.array([DIRECT_TIME if method == "direct" else 1.0 for method in methods])
    for method, share in zip(methods, (1.0 - PLAIN_SHARE) * times / times.sum(), strict=True):
        with part(float(share), f"training, {method}"):
            path += METHODS[method](data, first, rough)
    return path


def plain(data: PairData, training: Training, start: Array | None = None) -> Fit:
    """The ranker that minimises the loss of all pairs, without regard to fairness."""
    start = np.zeros(data.rows.n_features) if start is None else start
    return training.fit(data, PLAIN, start)


def constant_ranker(n_features: int) -> Fit:
    """The constant ranker: all rows have the same score."""
    return Fit(np.zeros(n_features), None)


def direct(data: PairData, first: Fit, training: Training) -> list[Fit]:
    """Path of rankers with a penalty on smooth disparities beyond a limit that falls to 0.

    At each limit, the fit with a small penalty is the start of the fit with a large one.
    """
    path, fit = [], first
    largest = least = violation_of(data, fit.coef)
    for limit in steps(LIMITS):
        for penalty in steps(PENALTIES):
            fit = training.fit(data, Aim(penalty=penalty, limit=limit * largest), fit.coef)
        path.append(fit)
        reached = violation_of(data, fit.coef)
        if reached >= least and _shrunk(fit.coef, first.coef):
            break  # the limit is out of reach: scores only shrink towards 0, in ever more steps
        least = min(least, reached)
    return path


def _shrunk(coef: Array, first: Array) -> bool:
    return float(np.abs(coef).max(initial=0.0)) <= SHRUNK * float(np.abs(first).max(initial=0.0))


def reduction(data: PairData, first: Fit, training: Training) -> list[Fit]:
    """Path of rankers for weights ``W - Σ_e τ_e Q_e`` of pairs, with |τ|₁ doubled at each step.

    The direction of τ is the sum of all disparities of the path so far, which works for any number
    of groups. The path ends when it overshoots. Rankers are then inserted where disparities jump.
    """
    path, found = [first], [disparities_of(data, first.coef)]
    for size in steps(SIZES, share=0.6):
        direction = np.sum(found, axis=0)
        multipliers = size * direction / max(np.abs(direction).sum(), np.finfo(float).tiny)
        tilt = data.mix_contrasts(multipliers) / data.unit_weight
        path.append(training.fit(data, Aim(tilt=tilt), path[-1].coef))
        found.append(disparities_of(data, path[-1].coef))
        violations = [np.abs(disparities).max(initial=0.0) for disparities in found]
        if violations[-1] > 1.5 * min(violations):
            break  # larger multipliers favour the other group
    _fill_jumps(data, path, found, training)
    return path[1:]


def _fill_jumps(data: PairData, path: list[Fit], found: list[Array], training: Training) -> None:
    """Insert rankers between neighbours whose disparities differ most, with the mean tilt."""
    for _ in steps(range(MOST_FILLED), share=0.4):
        jumps = [np.abs(b - a).max(initial=0.0) for a, b in pairwise(found)]
        at = int(np.argmax(jumps))
        if jumps[at] <= JUMP:
            return
        aims = [fit.aim for fit in path[at : at + 2]]
        tilts = [aim.tilt for aim in aims if aim is not None and aim.tilt is not None]
        fit = training.fit(data, Aim(tilt=0.5 * np.sum(tilts, axis=0)), path[at].coef)
        path.insert(at + 1, fit)
        found.insert(at + 1, disparities_of(data, fit.coef))


def grid(data: PairData, first: Fit, training: Training) -> list[Fit]:
    """Path of the reduction with the paper's fixed grid of multipliers, positive and negative.

    At multiplier 1, pairs in the order that the plain ranker's disparities favour have weight 0;
    beyond, they are reversed. With more than two groups, the multipliers of all pairs of groups are
    proportional to the disparities of the plain ranker.
    """
    direction = disparities_of(data, first.coef)
    direction = direction / max(np.abs(direction).max(initial=0.0), np.finfo(float).tiny)
    tilt = data.mix_contrasts(direction / data.largest_net_weights)
    path = []
    for side in (GRID[GRID > 0], GRID[GRID < 0][::-1]):
        fit = first
        for size in steps([*side], share=0.5):
            fit = training.fit(data, Aim(tilt=size * tilt), fit.coef)
            path.append(fit)
    return path


def relaxed(data: PairData, first: Fit, training: Training) -> list[Fit]:
    """Path of rankers with a rising penalty on disparities of mean scores, linear in w."""
    path, fit = [], first
    size = np.abs(data.mean_differences).max(initial=0.0) or 1.0
    for penalty in steps(MEAN_PENALTIES):
        fit = training.fit(data, Aim(mean_penalty=penalty / size**2), fit.coef)
        path.append(fit)
    return path


METHODS: dict[str, Method] = {
    "direct": direct,
    "reduction": reduction,
    "grid": grid,
    "relaxed": relaxed,
}


def disparities_of(data: PairData, coef: Array) -> Array:
    """Disparities of the scores Xw, with exact wins."""
    return data.disparities(wins_of(data, coef))


def violation_of(data: PairData, coef: Array) -> float:
    """The largest absolute disparity of the scores Xw, with exact wins."""
    return float(np.abs(disparities_of(data, coef)).max(initial=0.0))


def accuracy_of(data: PairData, coef: Array) -> float:
    """Share of the pairs of unequal labels that the scores rank correctly; ties do not count."""
    return float((data.pair_weights * wins_of(data, coef)).sum())


def wins_of(data: PairData, coef: Array) -> Array:
    """Weight of pairs (i in u, j in v) with i strictly above j, (m, m)."""
    rows = data.rows
    return score_table(rows, coef, np.arange(rows.n_groups), np.arange(rows.n_labels)).wins


def is_small(rows: Rows) -> bool:
    """Whether α and models are chosen from all rows, and not from a sample."""
    return rows.n_rows <= MOST_CHOOSING


def sample_of(rows: Rows) -> Rows:
    """Rows from which α and models are chosen: at most about `MOST_CHOOSING`."""
    return rows.sample(MOST_CHOOSING)


def measured_in_folds(
    rows: Rows, folds: Folds, measure: Callable[..., list[float]], *arguments: Any, text: str
) -> Array:
    """What ``measure(train, held_out, *arguments)`` returns for each fold, (n_folds, n_values).

    Progress shows the text.
    """
    found = Parallel(**rows.workers(None), return_as="generator")(
        delayed(on_site)(measure, fold, *arguments) for fold in folds
    )
    return np.array([*awaited(found, len(folds), text)])


@one_thread
def accuracies_by_alpha(
    data: PairData, held_out: PairData, alphas: Sequence[float], max_iter: int
) -> list[float]:
    """Shares of held-out pairs in order by the plain ranker, for each α.

    They are 0 if there are no such pairs. Each fit starts from the one before.
    """
    coef, reached = np.zeros(data.rows.n_features), []
    for alpha in steps(alphas):
        coef = plain(data, Training(alpha, ALPHA_TOL, max_iter), coef).coef
        reached.append(accuracy_of(held_out, coef))
    return reached
