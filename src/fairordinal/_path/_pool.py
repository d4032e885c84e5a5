"""Candidates: what rankers with thresholds reach on the rows given, and in held-out ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy import sparse
from sklearn.utils.parallel import Parallel, delayed

from fairordinal._costs import cost_unit, mean_costs
from fairordinal._cuts import Goal, Notion
from fairordinal._path._plan import Plan
from fairordinal._progress import progress
from fairordinal._rows import Block, Features, Folds, Rows, on_site
from fairordinal._table import ScoreTable
from fairordinal._validation import Array
from fairordinal.ranker import Fit
from fairordinal.thresholds import RoughCut, ThresholdResult

Pair = tuple[int, Goal]  # a ranker of the path, and what its thresholds aim at
Model = tuple[Array, Array]  # coefficients and thresholds


class Candidate(NamedTuple):
    """A ranker of the path with a goal of its thresholds."""

    ranker: int
    goal: Goal
    cost: float  # estimates for new rows; see `_estimates`
    violation: float
    held_out: ScoreTable  # predictions by models that were fitted to other rows


class Trained(NamedTuple):
    """What is left of a pool without its rows: enough to make a model of a candidate."""

    plan: Plan
    path: list[Fit]
    features: Features  # their means and spreads


class Pool:
    """All pairs of a ranker and a goal that were tried; `add` tries more.

    Rankers are fitted to the rows of a fold once, and only those that are wanted. Of very many
    rows, a sample is enough to choose by; `thresholds` then learns from all.
    """

    def __init__(
        self, plan: Plan, rows: Rows, path: list[Fit], folds: Folds, n_jobs: int | None = None
    ) -> None:
        self.plan, self.rows, self.path = plan, rows, path
        self._parts = folds
        self._fits: list[dict[int, Fit]] = [{} for _ in folds]
        self._cuts: dict[int, dict[Goal, RoughCut]] = {}
        self._held_out: dict[Pair, Array] = {}
        self._seen: dict[Pair, Array] = {}  # the same for the rows given
        self._jobs = Parallel(**rows.workers(n_jobs))

    def add(
        self, goals: Sequence[Goal], rankers: Sequence[int] | None = None, most: int | None = None
    ) -> None:
        """Cut rankers for each goal; judge the most promising by held-out rows.

        By default, cut all rankers and judge as many as the effort of the plan allows.
        """
        every = range(0, len(self.path), self.plan.effort.step)
        self.add_each(dict.fromkeys(goals, every if rankers is None else rankers), most)

    def add_each(self, tried: Mapping[Goal, Sequence[int]], most: int | None = None) -> None:
        """Cut rankers of its own for each goal, and judge the most promising."""
        most = self.plan.effort.rankers if most is None else most
        with progress("thresholds") as say:
            for r in sorted({r for rankers in tried.values() for r in rankers}):
                goals = [goal for goal, rankers in tried.items() if r in rankers]
                if say is not None:
                    say(f"ranker {r + 1} of {len(self.path)}, {len(goals)} limits")
                cuts = self.plan.rough_cuts(self.rows, self.path[r].coef, goals, self._notion)
                self._cuts.setdefault(r, {}).update(zip(goals, cuts, strict=True))
        wanted: dict[int, list[Goal]] = {}
        for goal, rankers in tried.items():
            for r in self._promising(goal, rankers)[:most]:
                if (r, goal) not in self._held_out:
                    wanted.setdefault(r, []).append(goal)
        if wanted:
            self._hold_out(wanted)

    def _promising(self, goal: Goal, rankers: Sequence[int]) -> list[int]:
        """Rankers by what they reach on the rows given; of equals the first."""
        return sorted(rankers, key=lambda r: round(self._cuts[r][goal].objective, 9))

    def _hold_out(self, wanted: dict[int, list[Goal]]) -> None:
        with progress("cross-validation") as say:
            if say is not None:
                say(f"{sum(map(len, wanted.values()))} candidates in {len(self._parts)} folds")
            found = self._jobs(
                delayed(on_site)(_predictions_in_fold, part, self.plan, self.path, fits, wanted)
                for part, fits in zip(self._parts, self._fits, strict=True)
            )
        for number, (fits, cubes) in enumerate(found):
            self._fits[number].update(fits)
            for pair, cube in cubes.items():
                self._held_out[pair] = self._held_out.get(pair, 0.0) + cube
        models = {
            (r, goal): (self.path[r].coef, self._cuts[r][goal].thresholds)
            for r, goals in wanted.items()
            for goal in goals
        }
        self._seen.update(_predicted(self.rows, models))

    @cached_property
    def _notion(self) -> Notion:
        return self.plan.notion(self.rows)

    @property
    def trained(self) -> Trained:
        return Trained(self.plan, self.path, self.rows.scaling)

    def thresholds(
        self, candidate: Candidate, max_time: float | None, rows: Rows | None = None
    ) -> ThresholdResult:
        """The best thresholds of a candidate, with their proof.

        Its ranker first learns from rows of which those of the pool are a sample, if they are
        given.
        """
        ranker, goal, plan = candidate.ranker, candidate.goal, self.plan
        all_rows = self.rows if rows is None or rows.n_rows == self.rows.n_rows else rows
        if all_rows is not self.rows:
            self.path[ranker] = plan.fit_to(all_rows, self.path[ranker], self.rows)
        return plan.thresholds(
            all_rows,
            self.path[ranker].coef,
            goal,
            max_time,
            known=self._cuts[ranker][goal],
            notion=self._notion if all_rows is self.rows else plan.notion(all_rows),
        )

    @property
    def know_nothing(self) -> list[int]:
        """Rankers to which all rows are equal."""
        return [r for r, fit in enumerate(self.path) if not fit.coef.any()]

    def seen_violation(self, goal: Goal) -> float:
        """The greatest violation of what was cut for a goal, on the rows given."""
        return max(cuts[goal].violation for cuts in self._cuts.values() if goal in cuts)

    def tried_for(self, goals: Sequence[Goal]) -> list[int]:
        """The rankers that were judged for one of these goals."""
        return sorted({r for r, goal in self._held_out if goal in goals})

    def candidates(self) -> list[Candidate]:
        """Every pair that was judged, with estimates for new rows."""
        pairs = [(r, goal) for r in sorted(self._cuts) for goal in self._cuts[r]]
        pairs = [pair for pair in pairs if pair in self._held_out]
        held_out, seen = (
            [_label_table(self.plan, cubes[pair], self.rows.one) for pair in pairs]
            for cubes in (self._held_out, self._seen)
        )
        rankers = np.array([-1 if r in self.know_nothing else r for r, _ in pairs])
        costs, violations = _estimates(self.plan, rankers, seen, held_out)
        return [
            Candidate(r, goal, cost, violation, table)
            for (r, goal), cost, violation, table in zip(
                pairs, costs.tolist(), violations.tolist(), held_out, strict=True
            )
        ]


def _predictions_in_fold(
    some: Rows,
    others: Rows,
    plan: Plan,
    path: list[Fit],
    known: dict[int, Fit],
    wanted: dict[int, list[Goal]],
) -> tuple[dict[int, Fit], dict[Pair, Array]]:
    """Rankers fitted to some rows, and counts of their predictions for others."""
    missing = [r for r in wanted if r not in known]
    fits = dict(zip(missing, plan.path_again(some, [path[r] for r in missing]), strict=True))
    models, notion = {}, plan.notion(some)
    for r, goals in wanted.items():
        coef = (known.get(r) or fits[r]).coef
        for goal, cut in zip(goals, plan.rough_cuts(some, coef, goals, notion), strict=True):
            models[r, goal] = (coef, cut.thresholds)
    return fits, _predicted(others, models)


def _estimates(
    plan: Plan, rankers: Array, seen: Sequence[ScoreTable], held_out: Sequence[ScoreTable]
) -> tuple[Array, Array]:
    """Costs and violations in new rows: what is seen, and how much that promises too much.

    Held-out rows say by how much. They are the same for all, and so is much of their noise: half
    of the difference is the mean over all candidates, half that over the ranker's own, so that
    fewer are chosen for their luck. Disparities keep their sign, for the noise of an absolute
    value would count as unfairness. The ranker -1 knows nothing, and promises nothing too much.
    An estimate that leaves the range of what it estimates is taken back to its end.
    """
    unit = cost_unit(plan.cost)
    matrix = plan.cost / unit
    cost, cost_there = (np.array([mean_cost(t, matrix) for t in ts]) for ts in (seen, held_out))
    gaps, gaps_there = (
        np.array([np.nan_to_num(plan.criterion.disparities(t)) for t in ts])
        for ts in (seen, held_out)
    )
    violations = np.abs(gaps + _smooth(gaps_there - gaps, rankers)).max(axis=(1, 2, 3))
    costs = unit * np.clip(cost + _smooth(cost_there - cost, rankers), 0.0, matrix.max())
    return costs, np.minimum(violations, plan.criterion.scale(held_out[0]))


def _smooth(values: Array, kinds: Array) -> Array:
    """Halfway between the mean of all and the mean of the own kind; 0 for kind -1."""
    own = np.stack([values[kinds == kind].mean(axis=0) for kind in kinds])
    some = kinds >= 0
    common = values[some].mean(axis=0) if some.any() else 0.0
    own = 0.5 * own + 0.5 * common
    own[~some] = 0.0
    return own


def _predicted(rows: Rows, models: Mapping[Pair, Model]) -> dict[Pair, Array]:
    """Counts of the predictions of several models, by one pass."""
    return dict(zip(models, rows.sum(_predictions, [*models.values()]), strict=True))


def _predictions(block: Block, models: Sequence[Model]) -> Array:
    """Counts by model, group, label and predicted label."""
    shape = (block.n_groups, block.n_labels, block.n_labels)
    counts = []
    for coef, thresholds in models:
        predicted = np.searchsorted(thresholds, block.scores(coef), side="left")
        at = block.cells * block.n_labels + predicted
        counts.append(np.bincount(at, block.weight, int(np.prod(shape))).reshape(shape))
    return np.stack(counts)


def _label_table(plan: Plan, cube: Array, one: float) -> ScoreTable:
    counts = sparse.csc_array(cube.reshape(-1, cube.shape[2]))
    return ScoreTable(counts, plan.names, plan.labels, plan.labels, predicts_labels=True, one=one)


def mean_cost(table: ScoreTable, cost: Array) -> float:
    return float(mean_costs(table.cube.sum(axis=0), cost))
