"""Candidates: what rankers with thresholds reach on the rows given, and in held-out ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.utils.parallel import Parallel, delayed

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


class Pool:
    """All pairs of a ranker and a goal that were tried; `add` tries more.

    Rankers are fitted to the rows of a fold once, and only those that are wanted.
    """

    def __init__(
        self, plan: Plan, rows: Rows, path: list[Fit], folds: Folds, n_jobs: int | None = None
    ) -> None:
        self.plan, self.rows, self.path = plan, rows, path
        self._parts = [(rows.take(train), rows.take(test)) for train, test in folds]
        self._fits: list[dict[int, Fit]] = [{} for _ in folds]
        self._cuts: dict[int, dict[Goal, RoughCut]] = {}
        self._held_out: dict[tuple[int, Goal], Array] = {}
        self._jobs = Parallel(n_jobs=n_jobs)

    def add(
        self, goals: Sequence[Goal], rankers: Sequence[int] | None = None, most: int = MOST_RANKERS
    ) -> None:
        """Cut some rankers for each goal, and judge the most promising by held-out rows."""
        rankers = range(len(self.path)) if rankers is None else rankers
        for r in rankers:
            cuts = self.plan.rough_cuts(self.rows, self.path[r].coef, goals)
            self._cuts.setdefault(r, {}).update(zip(goals, cuts, strict=True))
        wanted: dict[int, list[Goal]] = {}
        for goal in goals:
            for r in self._promising(goal, rankers)[:most]:
                wanted.setdefault(r, []).append(goal)
        self._hold_out(wanted)

    def _promising(self, goal: Goal, rankers: Sequence[int]) -> list[int]:
        """Rankers by what they reach on the rows given; of equals the first."""
        return sorted(rankers, key=lambda r: round(self._cuts[r][goal].objective, 9))

    def _hold_out(self, wanted: dict[int, list[Goal]]) -> None:
        with progress("cross-validation") as say:
            if say is not None:
                say(f"{sum(map(len, wanted.values()))} candidates in {len(self._parts)} folds")
            found = self._jobs(
                delayed(_predictions_in_fold)(self.plan, *part, self.path, fits, wanted)
                for part, fits in zip(self._parts, self._fits, strict=True)
            )
        for number, (fits, cubes) in enumerate(found):
            self._fits[number].update(fits)
            for key, cube in cubes.items():
                self._held_out[key] = self._held_out.get(key, 0.0) + cube

    def candidates(self) -> list[Candidate]:
        """Every pair that was judged, with estimates for new rows."""
        found: list[Candidate] = []
        for r in sorted({r for r, _ in self._held_out}):
            goals = [goal for goal in self._cuts[r] if (r, goal) in self._held_out]
            tables = [_label_table(self.plan, self._held_out[r, goal]) for goal in goals]
            cuts = [self._cuts[r][goal] for goal in goals]
            found += [
                Candidate(r, goal, *estimate, table)
                for goal, estimate, table in zip(
                    goals, _estimates(self.plan, cuts, tables), tables, strict=True
                )
            ]
        return found


def _predictions_in_fold(
    plan: Plan,
    some: Rows,
    others: Rows,
    path: list[Fit],
    known: dict[int, Fit],
    wanted: dict[int, list[Goal]],
) -> tuple[dict[int, Fit], dict[tuple[int, Goal], Array]]:
    """Rankers fitted to some rows, and counts of their predictions for others."""
    missing = [r for r in wanted if r not in known]
    fits = dict(zip(missing, plan.path_again(some, [path[r] for r in missing]), strict=True))
    cubes = {}
    for r, goals in wanted.items():
        coef = (known.get(r) or fits[r]).coef
        for goal, cut in zip(goals, plan.rough_cuts(some, coef, goals), strict=True):
            cubes[r, goal] = _predictions(others, coef, cut.thresholds)
    return fits, cubes


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


def _label_table(plan: Plan, cube: Any) -> ScoreTable:
    counts = sparse.csc_array(cube.reshape(-1, cube.shape[2]))
    return ScoreTable(counts, plan.names, plan.labels, plan.labels, predicts_labels=True)


def mean_cost(table: ScoreTable, cost: Array) -> float:
    return float(np.einsum("gyl,yl->", table.cube, cost) / table.rows.sum())
