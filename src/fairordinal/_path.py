"""Rankers × thresholds: which pair of them promises most for rows that were not seen."""

from __future__ import annotations

import warnings
from typing import NamedTuple

import numpy as np
from scipy import sparse
from sklearn.exceptions import UndefinedMetricWarning

from fairordinal._cuts import Goal
from fairordinal._pairloss import Kernel
from fairordinal._progress import progress
from fairordinal._table import ScoreTable
from fairordinal._validation import Array
from fairordinal.criteria import PairwiseCriterion
from fairordinal.ranker import Fit, Folds, Rows, fit_path, pair_data
from fairordinal.thresholds import ThresholdResult, read_settings, solve

ROUGH = 1e-2  # gap of thresholds in cross-validation
HASTE = 0.5  # seconds for them
MOST_RANKERS = 8  # that are cross-validated


class Plan(NamedTuple):
    """How models are made from rows."""

    criterion: PairwiseCriterion
    loss: Kernel
    ways: tuple[str, ...]
    alpha: float
    cost: Array
    names: Array  # of the groups
    labels: Array
    tol: float
    max_iter: int

    def path(self, rows: Rows, starts: dict[str, list[Fit]] | None = None) -> dict[str, list[Fit]]:
        data = pair_data(rows, self.criterion, self.loss)
        return fit_path(data, self.ways, self.alpha, self.tol, self.max_iter, starts)

    def thresholds(
        self, rows: Rows, coef: Array, goal: Goal, tol: float, max_time: float | None
    ) -> ThresholdResult:
        table = rows.table(rows.features.times(coef), self.names, self.labels)
        settings = read_settings(tol, max_time, 0, 0)
        return solve(table, self.criterion, self.cost, goal, "certified", settings)


class Candidate(NamedTuple):
    """A ranker of the path with a goal of its thresholds, and its held-out predictions."""

    ranker: int
    goal: Goal
    table: ScoreTable


def flat(path: dict[str, list[Fit]]) -> list[Fit]:
    """All rankers of a path, the plain one first."""
    return [fit for part in path.values() for fit in part]


def promising(plan: Plan, rows: Rows, path: dict[str, list[Fit]], goal: Goal) -> list[int]:
    """The rankers that reach most on the rows they were fitted to."""
    reached = [plan.thresholds(rows, fit.coef, goal, ROUGH, HASTE).objective for fit in flat(path)]
    return sorted(np.argsort(reached, kind="stable")[:MOST_RANKERS].tolist())


def cross_validate(
    plan: Plan, rows: Rows, path: dict[str, list[Fit]], goals: list[Goal], folds: Folds
) -> list[Candidate]:
    """Held-out predictions of the promising rankers with every goal, as counts."""
    with progress("cross-validation") as say, warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)  # said of all rows already
        kept = promising(plan, rows, path, goals[0])
        cubes = np.zeros((len(kept), len(goals), rows.n_groups, rows.n_labels, rows.n_labels))
        for number, (train, test) in enumerate(folds):
            if say is not None:
                say(f"fold {number + 1} of {len(folds)}")
            seen, held_out = rows.take(train), rows.take(test)
            fits = flat(plan.path(seen, path))
            for r, g in np.ndindex(len(kept), len(goals)):
                coef = fits[kept[r]].coef
                found = plan.thresholds(seen, coef, goals[g], ROUGH, HASTE)
                cubes[r, g] += _predictions(held_out, coef, found.thresholds)
    return [
        Candidate(kept[r], goals[g], _label_table(plan, cubes[r, g]))
        for r, g in np.ndindex(len(kept), len(goals))
    ]


def _predictions(rows: Rows, coef: Array, thresholds: Array) -> Array:
    """Counts by group, label and predicted label."""
    predicted = np.searchsorted(thresholds, rows.features.times(coef), side="left")
    shape = (rows.n_groups, rows.n_labels, rows.n_labels)
    at = np.ravel_multi_index((rows.groups, rows.labels, predicted), shape)
    return np.bincount(at, rows.weight, int(np.prod(shape))).reshape(shape)


def _label_table(plan: Plan, cube: Array) -> ScoreTable:
    counts = sparse.csc_array(cube.reshape(-1, cube.shape[2]))
    return ScoreTable(counts, plan.names, plan.labels, plan.labels, predicts_labels=True)


def mean_cost_of(table: ScoreTable, cost: Array) -> float:
    return float(np.einsum("gyl,yl->", table.cube, cost) / table.rows.sum())
