"""Paths of rankers: how they are learned from rows, and the candidates made of them.

A `Plan` has everything that a path depends on, except the rows. So the same path can be learned
from all rows and, to estimate its quality on new rows, from the training rows of each fold. A
`RankerPool` holds the rankers of one path for each basis, computes their out-of-fold scores, and
cuts these by thresholds. Functions of rows are module-level, so that they can run where the rows
are, in this process or in a cluster (`on_site`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from sklearn.utils.parallel import Parallel, delayed

from fairordinal._basis import Basis, Linear, Score, importances
from fairordinal._pairloss import Kernel
from fairordinal._rows import Block, Folds, Rows, align, fold_numbers, on_site, score_table
from fairordinal._support import awaited, one_thread, steps
from fairordinal._table import ScoreTable
from fairordinal._validation import Array
from fairordinal.ranker import (
    ALPHAS,
    Aim,
    Fit,
    PairData,
    Training,
    accuracies_by_alpha,
    constant_ranker,
    fit_path,
    measured_in_folds,
    pair_data,
    require_pairwise,
    warn_unconverged,
)
from fairordinal.thresholds import (
    Candidate,
    Cut,
    Evaluation,
    Goal,
    HeldOutRows,
    Pool,
    Settings,
    ThresholdResult,
    solve_near,
)

MOST_HESSIAN_ROWS = 1 << 16  # from which the Hessian is estimated
MOST_BASIS_ROWS = 3 << 14  # from which ramps, trees and their ranker are learned
MOST_TESTED = 1 << 15  # held-out rows by which the strength of the penalty is chosen
FOLD_TOL = 100.0  # tolerance of fits to folds, relative to that of the path
THRESHOLD_FOLDS = 5  # if all rankers learn from the same rows
TREE_ALPHAS = (1.0, 0.3, 0.1, 0.03, 0.01, 0.003, 0.001)


@dataclass(frozen=True, eq=False)
class Plan:
    """How a path of rankers is learned, independent of the rows."""

    evaluation: Evaluation  # its criterion is pairwise
    loss: Kernel
    methods: tuple[str, ...]
    training: Training
    basis: Basis

    def path(self, rows: Rows) -> list[Fit]:
        """Rankers from accurate to fair."""
        return on_site(_path, [rows], self)

    def grown(self, rows: Rows) -> Plan:
        """The plan with a basis that is learned from some rows."""
        return replace(self, basis=self.basis.refit(rows))

    def accuracies(self, rows: Rows, folds: Folds) -> Array:
        """Shares of held-out pairs that the plain ranker puts in order, for each fold and alpha."""
        known = held_out_together(rows, folds)  # the basis was learned from these rows
        text = "strength of the penalty, fold"
        return measured_in_folds(rows, folds, _accuracies, self, known, text=text)

    def with_alpha(self, accuracies: Array) -> Plan:
        """The plan with the alpha that puts the most held-out pairs in order."""
        alpha = self.alphas[int(accuracies.mean(axis=0).argmax())]
        return replace(self, training=replace(self.training, alpha=alpha))

    @property
    def alphas(self) -> tuple[float, ...]:
        return TREE_ALPHAS if self.basis.has_leaves else ALPHAS

    def refit(self, rows: Rows, path: list[Fit]) -> list[Fit]:
        """Rankers with the aims of a path, fitted to the training rows of a fold."""
        max_iter = min(self.training.max_iter, self.evaluation.effort.max_iter)
        rough = replace(self.training, tol=FOLD_TOL * self.training.tol, max_iter=max_iter)
        again = rough.fit_in_turn if self.basis.has_leaves else rough.fit_again
        return again(self.pairs(rows), path)

    @one_thread
    def extend(self, rows: Rows, fit: Fit, sample: Rows) -> tuple[Plan, Fit]:
        """Fit a ranker of a small sample to more rows; return its plan and the fit.

        A linear ranker is fitted to all rows. The Hessian on the sample preconditions the fit, so
        that it takes fewer steps. Ramps, trees and plug-in rules are learned again from a larger
        sample, together with their ranker.
        """
        if not self.basis.is_fixed:
            more = rows.sample(MOST_BASIS_ROWS)
            plan = self.grown(more)
            return plan, fit if fit.aim is None else on_site(_fit_cold, [more], plan, fit)
        if fit.aim is None:
            return self, fit
        hessian = on_site(_hessian, [sample], self, fit.aim, fit.coef)
        extended = self.training.fit(self.pairs(rows), fit.aim, fit.coef, hessian)
        warn_unconverged([extended], self.training.max_iter)
        return self, extended

    def pairs(self, rows: Rows) -> PairData:
        """The pairs of rows that rankers learn from."""
        return pair_data(rows, require_pairwise(self.evaluation.criterion), self.loss)


def held_out_together(rows: Rows, folds: Folds) -> bool:
    """Whether rankers learn from all of these rows, and one other set of rows is held out."""
    return len(folds) == 1 and folds[0][0] is rows


def _path(rows: Rows, plan: Plan) -> list[Fit]:
    """The path of a plan, learned from rows in one place."""
    return fit_path(plan.pairs(plan.basis.mapped(rows)), plan.methods, plan.training)


def _fit_cold(rows: Rows, plan: Plan, fit: Fit) -> Fit:
    """A ranker with the aim of another one, without starting from its coefficients."""
    return plan.training.fit_in_turn(plan.pairs(plan.basis.mapped(rows)), [fit])[0]


def _accuracies(train: Block, held_out: Block, plan: Plan, known: bool) -> list[float]:
    """Shares of held-out pairs that the plain ranker puts in order, for each alpha."""
    again, some = plan.basis if known else plan.basis.refit(train), held_out.sample(MOST_TESTED)
    learned, tested = (plan.pairs(again.mapped(rows)) for rows in (train, some))
    return accuracies_by_alpha(learned, tested, plan.alphas, plan.training.max_iter)


def _hessian(rows: Rows, plan: Plan, aim: Aim, coef: Array) -> Array | None:
    return plan.training.steepness(plan.pairs(rows.sample(MOST_HESSIAN_ROWS)), aim, coef)


class Ranker(NamedTuple):
    """A ranker, and the plan by which it was learned."""

    plan: Plan
    fit: Fit

    @property
    def score(self) -> Score:
        return self.plan.basis.score(self.fit.coef)


class Trained(NamedTuple):
    """A ranker without rows or plan: what a model needs of it."""

    basis: str
    alpha: float
    score: Score


class RankerPool(Pool):
    """Candidates of paths of rankers, one path for each basis. The last ranker is constant.

    Rankers are fitted to folds when they are first needed. If there are very many rows, `sample` is
    a part of them, by which candidates are chosen; `thresholds` then fits the chosen ranker to more
    rows.
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
        self.rankers.append(Ranker(linear, constant_ranker(rows.n_features)))
        self._scored_rows: tuple[Fit, Rows] | None = None  # of the last ranker with ramps or trees
        self._folds, self._jobs = folds, Parallel(**rows.workers(n_jobs), return_as="generator")
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
        for numbers in steps(self._by_basis(rankers)):
            plan = self.rankers[numbers[0]].plan
            path = [self.rankers[number].fit for number in numbers]
            scores = self._jobs(
                delayed(on_site)(_held_out_scores, [held_out], plan, path)
                if train is self.sample
                else delayed(on_site)(_fold_scores, (train, held_out), plan, path)
                for train, held_out in self._folds
            )
            scores = [*awaited(scores, len(self._folds), "cross-validation, fold")]
            found |= dict(zip(numbers, np.concatenate(scores, axis=1), strict=True))
        return [found[number] for number in rankers]

    def screen(self, goals: Sequence[Goal]) -> dict[int, list[Cut]]:
        """What thresholds for some goals reach on in-sample scores, for every step-th ranker."""
        found: dict[int, list[Cut]] = {}
        step = self.rows.evaluation.effort.step
        for numbers in steps(self.bases):
            some = numbers[::step]
            path = {number: self.rankers[number].fit for number in some}
            plan = self.rankers[numbers[0]].plan
            found |= on_site(_screen, [self.sample], plan, path, goals)
        return found

    @property
    def trained(self) -> list[Trained]:
        """All rankers, in the order of their numbers."""
        scores = [(ranker.plan.training.alpha, ranker.score) for ranker in self.rankers]
        return [Trained(score.basis, alpha, score) for alpha, score in scores]

    def thresholds(self, candidate: Candidate, settings: Settings) -> ThresholdResult:
        """The thresholds of a candidate with a certificate, on out-of-fold scores.

        If the pool has only a sample of the rows, the ranker is first fitted to more rows, and its
        own scores of all rows are cut: with so many rows, their optimism is negligible.
        """
        table = self._table_to_cut(candidate)
        return replace(solve_near(candidate, table, settings), of_fair_model=True)

    def _table_to_cut(self, candidate: Candidate) -> ScoreTable:
        if self.all_rows.n_rows == self.sample.n_rows:
            return self.score_table(candidate)
        number = self.constant if candidate.is_constant else candidate.ranker
        plan, fit = self.rankers[number]
        self.rankers[number] = Ranker(*plan.extend(self.all_rows, fit, self.sample))
        names = (self.rows.evaluation.groups, self.rows.evaluation.labels)
        return score_table(*self._scored(number), *names)

    def predictions(self, candidate: Candidate, result: ThresholdResult) -> ScoreTable:
        rows, coef = self._scored(candidate.ranker)
        counts = rows.sum(_predictions, coef, result.thresholds)
        return self.rows.evaluation.predictions(counts)

    def importances(self, candidate: Candidate) -> Array:
        """Share of each column in the variance of the scores of a candidate."""
        return on_site(_importances, [self.sample], self.rankers[candidate.ranker].score)

    def _scored(self, number: int) -> tuple[Rows, Array]:
        """Rows and coefficients whose products are the scores of all rows.

        With ramps or trees, the scores themselves become the only column.
        """
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

    Scores are defined up to an increasing map. They are aligned to the scores of the path, so that
    the same thresholds cut all folds.
    """
    again = plan.basis.refit(train)
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
    """Cuts for each goal on in-sample scores, for each ranker."""
    rows = HeldOutRows(plan.evaluation, block.cells, block.weight, np.zeros(block.n_rows, int))
    found, mapped = {}, plan.basis.mapped(block)
    for ranker, fit in steps([*path.items()], "screening, ranker"):
        binned = rows.bin(mapped.scores(fit.coef))
        found[ranker] = rows.cut(binned, goals, rows.multipliers(binned, goals))
    return found


def _importances(block: Block, score: Score) -> Array:
    """Share of each column in the variance of a score."""
    return importances(score, block.alone().features, block.weight)


def _predictions(block: Block, coef: Array, thresholds: Array) -> Array:
    """Counts by cell and predicted label."""
    predicted = np.searchsorted(thresholds, block.scores(coef), side="left")
    at = block.cells * block.n_labels + predicted
    counts = np.bincount(at, block.weight, block.n_cells * block.n_labels)
    return counts.reshape(block.n_cells, block.n_labels)
