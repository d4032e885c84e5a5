"""Candidates from paths of rankers: out-of-fold scores of rankers, cut by thresholds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from sklearn.utils.parallel import Parallel, delayed

from fairordinal._basis import Linear, Score
from fairordinal._importance import importances
from fairordinal._path._plan import Plan
from fairordinal._progress import progress
from fairordinal._rows import (
    Block,
    Folds,
    Rows,
    align,
    fold_numbers,
    on_site,
    score_table,
)
from fairordinal._table import ScoreTable
from fairordinal._validation import Array
from fairordinal.ranker import Fit, nothing
from fairordinal.thresholds import (
    Candidate,
    Cut,
    Goal,
    HeldOutRows,
    Pool,
    Settings,
    ThresholdResult,
    solve_near,
)

THRESHOLD_FOLDS = 5  # where rows were held out together


class Ranker(NamedTuple):
    """A ranker, and the plan by which it was learned."""

    plan: Plan
    fit: Fit

    @property
    def score(self) -> Score:
        return self.plan.basis.score(self.fit.coef)


class Trained(NamedTuple):
    """What is left of a ranker without rows: enough to make a model of it."""

    basis: str
    alpha: float
    score: Score


class RankerPool(Pool):
    """Candidates of paths of rankers, one path for each basis. The last ranker is constant.

    Rankers are fitted to folds when they are first needed. Of very many rows, a sample is enough
    to choose by; `thresholds` then fits the chosen ranker to more rows.
    """

    def __init__(
        self,
        paths: Sequence[tuple[Plan, list[Fit]]],
        rows: Rows,
        sample: Rows,
        folds: Folds,
        *,
        n_jobs: int | None = None,
        seed: int = 0,
    ) -> None:
        self.all_rows, self.sample = rows, sample
        self.rankers = [Ranker(plan, fit) for plan, path in paths for fit in path]
        self.constant = len(self.rankers)
        linear = replace(paths[0][0], basis=Linear(sample.scaling))
        self.rankers.append(Ranker(linear, nothing(rows.n_features)))
        self._scored_rows: tuple[Fit, Rows] | None = None  # by ramps, trees
        self._folds, self._jobs = folds, Parallel(**rows.workers(n_jobs))
        parts = [on_site(_columns, [held_out]) for _, held_out in folds]
        cells, weight = (np.concatenate(column) for column in zip(*parts, strict=True))
        fold = np.repeat(np.arange(len(parts)), [len(part[0]) for part in parts])
        if len(parts) == 1:
            fold = fold_numbers(cells, THRESHOLD_FOLDS, seed)
        super().__init__(HeldOutRows(paths[0][0].evaluation, cells, weight, fold))

    @property
    def bases(self) -> Sequence[Sequence[int]]:
        return self._by_basis(range(self.constant))

    def _by_basis(self, rankers: Sequence[int]) -> list[list[int]]:
        found: dict[str, list[int]] = {}
        for number in rankers:
            found.setdefault(self.rankers[number].plan.basis.name, []).append(number)
        return [*found.values()]

    def out_of_fold(self, rankers: Sequence[int]) -> list[Array]:
        found: dict[int, Array] = {}
        with progress("cross-validation") as say:
            if say is not None:
                say(f"{len(rankers)} rankers in {len(self._folds)} folds")
            for numbers in self._by_basis(rankers):
                plan = self.rankers[numbers[0]].plan
                path = [self.rankers[number].fit for number in numbers]
                scores = self._jobs(
                    delayed(on_site)(_held_out_scores, [held_out], plan, path)
                    if train is self.sample
                    else delayed(on_site)(_fold_scores, (train, held_out), plan, path)
                    for train, held_out in self._folds
                )
                found |= dict(zip(numbers, np.concatenate(scores, axis=1), strict=True))
        return [found[number] for number in rankers]

    def screen(self, goals: Sequence[Goal]) -> dict[int, list[Cut]]:
        """For rankers, what thresholds for some goals reach on their in-sample scores."""
        found: dict[int, list[Cut]] = {}
        step = self.rows.evaluation.effort.step
        with progress("thresholds") as say:
            if say is not None:
                say(f"{len(goals)} limits for each of {self.constant} rankers")
            for numbers in self.bases:
                some = numbers[::step]
                path = {number: self.rankers[number].fit for number in some}
                plan = self.rankers[numbers[0]].plan
                found |= on_site(_screen, [self.sample], plan, path, goals)
        return found

    @property
    def trained(self) -> list[Trained]:
        scores = [(ranker.plan.training.alpha, ranker.score) for ranker in self.rankers]
        return [Trained(score.basis, alpha, score) for alpha, score in scores]

    def thresholds(self, candidate: Candidate, settings: Settings) -> ThresholdResult:
        """The thresholds of a candidate with a certificate, on out-of-fold scores.

        If the pool has a sample of the rows, the ranker is fitted to more rows first, and its own
        scores are cut: with so many rows they are hardly optimistic.
        """
        if self.all_rows.n_rows == self.sample.n_rows:
            return solve_near(candidate, self.score_table(candidate), settings)
        number = self.constant if candidate.is_constant else candidate.ranker
        plan, fit = self.rankers[number]
        self.rankers[number] = Ranker(*plan.extend(self.all_rows, fit, self.sample))
        names = (self.rows.evaluation.groups, self.rows.evaluation.labels)
        table = score_table(*self._scored(number), *names)
        return solve_near(candidate, table, settings)

    def predictions(self, candidate: Candidate, result: ThresholdResult) -> ScoreTable:
        rows, coef = self._scored(candidate.ranker)
        counts = rows.sum(_predictions, coef, result.thresholds)
        return self.rows.evaluation.predictions(counts)

    def importances(self, candidate: Candidate) -> Array:
        """Shares of the variance of a candidate's scores by column."""
        return on_site(_importances, [self.sample], self.rankers[candidate.ranker].score)

    def _scored(self, number: int) -> tuple[Rows, Array]:
        """Rows and coefficients whose products are the scores of all rows."""
        ranker = self.rankers[number]
        if ranker.plan.basis.is_fixed:
            return self.all_rows, ranker.fit.coef
        if self._scored_rows is None or self._scored_rows[0] is not ranker.fit:
            self._scored_rows = ranker.fit, self.all_rows.mapped(ranker.score.feature, 1)
        return self._scored_rows[1], np.ones(1)


def _columns(block: Block) -> tuple[Array, Array]:
    return block.cells, block.weight


def _held_out_scores(held_out: Block, plan: Plan, path: list[Fit]) -> Array:
    """Scores of held-out rows by rankers that were fitted to all the others."""
    tested = plan.basis.mapped(held_out)
    return np.stack([tested.scores(fit.coef).copy() for fit in path])


def _fold_scores(train: Block, held_out: Block, plan: Plan, path: list[Fit]) -> Array:
    """Scores of held-out rows by rankers fitted to the others, (n_rankers, n_rows).

    They are aligned to the scores of the path, so that the same thresholds cut all folds.
    """
    again = plan.basis.again(train)
    known, learned, tested = plan.basis.mapped(train), again.mapped(train), again.mapped(held_out)
    scores = []
    for fit, refitted in zip(path, plan.refit(learned, path), strict=True):
        common = known.scores(fit.coef).copy()
        own = learned.scores(refitted.coef)
        scores.append(align(tested.scores(refitted.coef), own, common, train.weight))
    return np.stack(scores)


def _screen(
    block: Block, plan: Plan, path: dict[int, Fit], goals: Sequence[Goal]
) -> dict[int, list[Cut]]:
    rows = HeldOutRows(plan.evaluation, block.cells, block.weight, np.zeros(block.n_rows, int))
    found, mapped = {}, plan.basis.mapped(block)
    for ranker, fit in path.items():
        binned = rows.bin(mapped.scores(fit.coef))
        found[ranker] = rows.cut(binned, goals, rows.multipliers(binned, goals))
    return found


def _importances(block: Block, score: Score) -> Array:
    return importances(score, block.alone().features, block.weight)


def _predictions(block: Block, coef: Array, thresholds: Array) -> Array:
    """Counts by cell and predicted label."""
    predicted = np.searchsorted(thresholds, block.scores(coef), side="left")
    at = block.cells * block.n_labels + predicted
    counts = np.bincount(at, block.weight, block.n_cells * block.n_labels)
    return counts.reshape(block.n_cells, block.n_labels)
