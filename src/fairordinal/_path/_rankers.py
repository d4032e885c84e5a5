"""Candidates from a path of rankers: out-of-fold scores of rankers, cut by thresholds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from sklearn.utils.parallel import Parallel, delayed

from fairordinal._cuts import Goal
from fairordinal._path._plan import Plan
from fairordinal._progress import progress
from fairordinal._rows import (
    Block,
    Features,
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
    HeldOutRows,
    Pool,
    Settings,
    ThresholdResult,
    solve_near,
)

THRESHOLD_FOLDS = 5  # where rows were held out together


class Trained(NamedTuple):
    """What is left of a path without its rows: enough to make a model of a candidate."""

    path: list[Fit]
    features: Features  # means and spreads


class RankerPool(Pool):
    """Candidates of a path of rankers. The last ranker of the path is constant.

    Rankers are fitted to folds when they are first needed. Of very many rows, a sample is enough
    to choose by; `thresholds` then fits the chosen ranker to all rows.
    """

    def __init__(
        self,
        plan: Plan,
        rows: Rows,
        sample: Rows,
        path: list[Fit],
        folds: Folds,
        *,
        n_jobs: int | None = None,
        seed: int = 0,
    ) -> None:
        self.plan, self.all_rows, self.sample = plan, rows, sample
        self.path = [*path, nothing(rows.n_features)]
        self.constant = len(path)
        self._folds, self._jobs = folds, Parallel(**rows.workers(n_jobs))
        parts = [on_site(_columns, [held_out]) for _, held_out in folds]
        cells, weight = (np.concatenate(column) for column in zip(*parts, strict=True))
        fold = np.repeat(np.arange(len(parts)), [len(part[0]) for part in parts])
        if len(parts) == 1:
            fold = fold_numbers(cells, THRESHOLD_FOLDS, seed)
        super().__init__(HeldOutRows(plan.evaluation, cells, weight, fold))

    def out_of_fold(self, rankers: Sequence[int]) -> list[Array]:
        path = [self.path[r] for r in rankers]
        with progress("cross-validation") as say:
            if say is not None:
                say(f"{len(path)} rankers in {len(self._folds)} folds")
            found = self._jobs(
                delayed(on_site)(_fold_scores, fold, self.plan, path) for fold in self._folds
            )
        return [*np.concatenate(found, axis=1)]

    def screen(self, goals: Sequence[Goal]) -> dict[int, list[Cut]]:
        """For rankers, what thresholds for some goals reach on their in-sample scores."""
        path = dict(enumerate(self.path[: self.constant]))
        path = {r: path[r] for r in [*path][:: self.plan.evaluation.effort.step]}
        with progress("thresholds") as say:
            if say is not None:
                say(f"{len(goals)} limits for each of {len(path)} rankers")
            return on_site(_screen, [self.sample], self.plan, path, goals)

    @property
    def trained(self) -> Trained:
        path = [replace(fit, steepness=None) for fit in self.path]
        return Trained(path, self.sample.scaling)

    def thresholds(self, candidate: Candidate, settings: Settings) -> ThresholdResult:
        """The thresholds of a candidate with a certificate, on out-of-fold scores.

        If the pool has a sample of the rows, the ranker is fitted to all rows first, and its own
        scores are cut: with so many rows they are hardly optimistic.
        """
        if self.all_rows.n_rows == self.sample.n_rows:
            return solve_near(candidate, self.score_table(candidate), settings)
        ranker = self.constant if candidate.is_constant else candidate.ranker
        self.path[ranker] = self.plan.extend(self.all_rows, self.path[ranker], self.sample)
        names = (self.plan.evaluation.groups, self.plan.evaluation.labels)
        table = score_table(self.all_rows, self.path[ranker].coef, *names)
        return solve_near(candidate, table, settings)

    def predictions(self, candidate: Candidate, result: ThresholdResult) -> ScoreTable:
        coef = self.path[candidate.ranker].coef
        counts = self.all_rows.sum(_predictions, coef, result.thresholds)
        return self.plan.evaluation.predictions(counts)


def _columns(block: Block) -> tuple[Array, Array]:
    return block.cells, block.weight


def _fold_scores(train: Block, held_out: Block, plan: Plan, path: list[Fit]) -> Array:
    """Scores of held-out rows by rankers fitted to the others, (n_rankers, n_rows).

    They are aligned to the scores of the path, so that the same thresholds cut all folds.
    """
    scores = []
    for fit, refitted in zip(path, plan.refit(train, path), strict=True):
        common = train.scores(fit.coef).copy()
        own = train.scores(refitted.coef)
        scores.append(align(held_out.scores(refitted.coef), own, common, train.weight))
    return np.stack(scores)


def _screen(
    block: Block, plan: Plan, path: dict[int, Fit], goals: Sequence[Goal]
) -> dict[int, list[Cut]]:
    rows = HeldOutRows(plan.evaluation, block.cells, block.weight, np.zeros(block.n_rows, int))
    found = {}
    for ranker, fit in path.items():
        binned = rows.bin(block.scores(fit.coef))
        found[ranker] = rows.cut(binned, goals, rows.multipliers(binned, goals))
    return found


def _predictions(block: Block, coef: Array, thresholds: Array) -> Array:
    """Counts by cell and predicted label."""
    predicted = np.searchsorted(thresholds, block.scores(coef), side="left")
    at = block.cells * block.n_labels + predicted
    counts = np.bincount(at, block.weight, block.n_cells * block.n_labels)
    return counts.reshape(block.n_cells, block.n_labels)
