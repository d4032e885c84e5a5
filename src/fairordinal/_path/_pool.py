"""Candidates: what rankers with thresholds reach on the rows given, and in held-out ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy import sparse

from fairordinal._cuts import Goal
from fairordinal._path._plan import Plan
from fairordinal._progress import progress
from fairordinal._table import ScoreTable
from fairordinal._validation import Array
from fairordinal.ranker import Fit, Folds, Rows

MOST_RANKERS = 6  # for each goal, that are cross-validated


class Candidate(NamedTuple):
    """A ranker of the path with a goal of its thresholds."""

    ranker: int
    goal: Goal
    cost: float  # estimates for new rows; see `_estimated`
    violation: float
    held_out: ScoreTable  # predictions by models that were fitted to other rows


def candidates(
    plan: Plan, rows: Rows, path: list[Fit], goals: Sequence[Goal], folds: Folds
) -> list[Candidate]:
    """The promising rankers of a path with every goal, judged by cross-validation."""
    cuts = [plan.rough_cuts(rows, fit.coef, goals) for fit in path]
    kept = _promising(np.array([[cut.objective for cut in row] for row in cuts]))
    seen = np.array([[(cut.cost, cut.violation) for cut in cuts[r]] for r in kept])
    cubes = _held_out(plan, rows, [path[r] for r in kept], goals, folds)
    return _estimated(plan, kept, goals, seen, cubes)


def _promising(objectives: Array) -> list[int]:
    """The rankers that reach most on the rows they were fitted to, for one goal or another."""
    order = np.argsort(np.round(objectives, 9), axis=0, kind="stable")
    return np.unique(order[:MOST_RANKERS]).tolist()


def _held_out(
    plan: Plan, rows: Rows, path: list[Fit], goals: Sequence[Goal], folds: Folds
) -> Array:
    """Counts of held-out predictions by ranker, goal, group, label and predicted label."""
    shape = (rows.n_groups, rows.n_labels, rows.n_labels)
    cubes = np.zeros((len(path), len(goals), *shape))
    with progress("cross-validation") as say:
        for number, (train, test) in enumerate(folds):
            if say is not None:
                say(f"fold {number + 1} of {len(folds)}")
            some, others = rows.take(train), rows.take(test)
            for r, fit in enumerate(plan.path_again(some, path)):
                for g, cut in enumerate(plan.rough_cuts(some, fit.coef, goals)):
                    cubes[r, g] += _predictions(others, fit.coef, cut.thresholds)
    return cubes


def _estimated(
    plan: Plan, kept: list[int], goals: Sequence[Goal], seen: Array, cubes: Array
) -> list[Candidate]:
    """Candidates with estimates: what is seen, and how much their ranker promises too much.

    The difference between held-out and seen rows depends on the ranker more than on the goal; its
    mean over goals has less noise than each, so that fewer candidates are chosen for their luck.
    """
    tables = [[_label_table(plan, cube) for cube in row] for row in cubes]
    held_out = np.array(
        [[(mean_cost(t, plan.cost), plan.criterion.violation(t)) for t in row] for row in tables]
    )
    estimates = np.maximum(seen + (held_out - seen).mean(axis=1, keepdims=True), 0.0)
    return [
        Candidate(kept[r], goals[g], float(cost), float(violation), tables[r][g])
        for r, row in enumerate(estimates)
        for g, (cost, violation) in enumerate(row)
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


def mean_cost(table: ScoreTable, cost: Array) -> float:
    return float(np.einsum("gyl,yl->", table.cube, cost) / table.rows.sum())
