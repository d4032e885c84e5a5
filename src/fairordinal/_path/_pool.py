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
from fairordinal.thresholds import RoughCut

MOST_RANKERS = 6  # for each goal, that are cross-validated


class Candidate(NamedTuple):
    """A ranker of the path with a goal of its thresholds."""

    ranker: int
    goal: Goal
    cost: float  # estimates for new rows; see `_estimates`
    violation: float
    held_out: ScoreTable  # predictions by models that were fitted to other rows


def candidates(
    plan: Plan,
    rows: Rows,
    path: list[Fit],
    goals: Sequence[Goal],
    folds: Folds,
    most: int = MOST_RANKERS,
) -> list[Candidate]:
    """The promising rankers for each goal, judged by cross-validation."""
    cuts = [plan.rough_cuts(rows, fit.coef, goals) for fit in path]
    wanted = _promising(np.array([[cut.objective for cut in row] for row in cuts]), most)
    held_out = _held_out(plan, rows, path, goals, wanted, folds)
    found: list[Candidate] = []
    for r in np.flatnonzero(wanted.any(axis=1)).tolist():
        at = np.flatnonzero(wanted[r]).tolist()
        tables = [_label_table(plan, held_out[r, g]) for g in at]
        reached = _estimates(plan, [cuts[r][g] for g in at], tables)
        found += [
            Candidate(r, goals[g], *estimate, table)
            for g, estimate, table in zip(at, reached, tables, strict=True)
        ]
    return found


def _promising(objectives: Array, most: int) -> Array:
    """Which rankers are among those that reach most for a goal on the rows given, a mask."""
    order = np.argsort(np.round(objectives, 9), axis=0, kind="stable")
    return np.argsort(order, axis=0) < most


def _held_out(
    plan: Plan,
    rows: Rows,
    path: list[Fit],
    goals: Sequence[Goal],
    wanted: Array,
    folds: Folds,
) -> Array:
    """Counts of held-out predictions by ranker, goal, group, label and predicted label."""
    cubes = np.zeros((*wanted.shape, rows.n_groups, rows.n_labels, rows.n_labels))
    kept = np.flatnonzero(wanted.any(axis=1))
    with progress("cross-validation") as say:
        for number, (train, test) in enumerate(folds):
            if say is not None:
                say(f"fold {number + 1} of {len(folds)}")
            some, others = rows.take(train), rows.take(test)
            fits = plan.path_again(some, [path[r] for r in kept])
            for r, fit in zip(kept, fits, strict=True):
                at = np.flatnonzero(wanted[r]).tolist()
                cuts = plan.rough_cuts(some, fit.coef, [goals[g] for g in at])
                for g, cut in zip(at, cuts, strict=True):
                    cubes[r, g] += _predictions(others, fit.coef, cut.thresholds)
    return cubes


def _estimates(
    plan: Plan, cuts: Sequence[RoughCut], tables: Sequence[ScoreTable]
) -> list[tuple[float, float]]:
    """Cost and violation of a ranker's candidates in new rows.

    What is seen, and how much the ranker promises too much: the difference between held-out and
    seen rows depends on the ranker more than on the goal, and its mean over goals has less noise
    than each, so that fewer candidates are chosen for their luck.
    """
    seen = np.array([(cut.cost, cut.violation) for cut in cuts])
    held_out = [(mean_cost(t, plan.cost), plan.criterion.violation(t)) for t in tables]
    estimates = np.maximum(seen + (np.array(held_out) - seen).mean(axis=0), 0.0)
    return [(float(cost), float(violation)) for cost, violation in estimates]


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
