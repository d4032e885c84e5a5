r"""Candidates: scores with thresholds, and cross-fitted estimates of their cost and violation.

Out-of-fold scores come from rankers that were not fitted to the rows they score. So they are free
of the optimism of the ranker. Thresholds have an optimism of their own, because they are chosen on
the same rows. A *candidate* therefore has two sets of thresholds:

* those cut on the scores of all rows, which the model predicts with;
* for each fold, those cut on the scores of the other folds, which predict the rows of the fold.

The table of these *cross-fitted* predictions estimates cost and disparities on new rows: neither
ranker nor thresholds were fitted to a row that they predict. The thresholds of the model differ
from those of the folds. The *instability* of a candidate measures this: the root mean square change
of cost and disparities on all rows if the thresholds of a fold replace those of the model. It adds
to the standard deviations.

Scores are put into at most 128 bins of about equal weight, the same for all folds. Cutting and
predicting then need only the counts by fold, cell and bin. A cut b has the b lowest bins below it.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np

from fairordinal._costs import cost_unit, surcharged
from fairordinal._inference import violation_bound
from fairordinal._rows import distinct_scores, fold_numbers
from fairordinal._table import ScoreTable
from fairordinal._validation import Array
from fairordinal.criteria import PairwiseCriterion
from fairordinal.thresholds._branch_and_bound import multipliers_for
from fairordinal.thresholds._evaluation import Evaluation, Instability
from fairordinal.thresholds._goal import Goal, Settings, search_unit
from fairordinal.thresholds._local_search import sweep
from fairordinal.thresholds._problem import MergedContrasts, Problem, read_contrasts, read_problem
from fairordinal.thresholds._result import ThresholdResult
from fairordinal.thresholds._solve import check_defined, midway, solve

LEAST_PROVING = 4  # bounds of a certificate
BELOW = 1e-9  # subtracted from shares, relatively, so that rounding does not move the end of a bin


class BinnedScores(NamedTuple):
    """Scores in bins of about equal weight."""

    bins: Array  # (n_rows,)
    thresholds: Array  # (n_bins + 1,)    the threshold that has b bins below it
    counts: Array  # (n_folds, n_cells, n_bins)

    @property
    def n_bins(self) -> int:
        return self.counts.shape[2]


class Cut(NamedTuple):
    """Cuts of binned scores, with their objective and violation."""

    cuts: Array
    objective: float
    violation: float


@dataclass(frozen=True, eq=False)
class Candidate:
    """A ranker with thresholds, and its cross-fitted predictions."""

    ranker: int
    goal: Goal  # for which thresholds were cut
    thresholds: Array  # cut on the scores of all rows
    reached: Cut  # the same thresholds as cuts, with what they reach on all rows
    cuts: Array  # (n_folds, n_labels - 1)    of each fold
    table: ScoreTable  # of the cross-fitted predictions
    instability: Instability
    evaluation: Evaluation
    folds_agree: bool = (
        True  # False if a fold is predicted one label, and the model is not constant
    )
    correction: float = 0.0  # of the violation, by similar candidates (`_optimism`)
    _bounds: dict[float, float] = field(default_factory=dict, repr=False)

    @cached_property
    def cost(self) -> float:
        """Estimated mean cost on new rows."""
        return self.evaluation.mean_cost(self.table)

    @cached_property
    def cross_fitted_violation(self) -> float:
        """Violation of the cross-fitted predictions; 0 if no disparity is defined."""
        if self.is_surely_fair:
            return 0.0
        return float(np.nan_to_num(self.evaluation.criterion.violation(self.table)))

    @property
    def violation(self) -> float:
        """Estimated violation on new rows."""
        return max(self.cross_fitted_violation + self.correction, 0.0)

    @property
    def is_constant(self) -> bool:
        """Whether all rows get one label."""
        return bool(np.isinf(self.thresholds).all())

    @property
    def is_surely_fair(self) -> bool:
        """Whether the violation is 0 on any rows: a constant predictor has no pairs in order."""
        return self.is_constant and isinstance(self.evaluation.criterion, PairwiseCriterion)

    def bound(self, confidence: float) -> float:
        """Upper bound of the violation on new rows, one-sided, for each pair of groups by itself.

        ``max_e (|v_e| + z_c σ_e)``, with the deviations of the intervals of an audit; at least the
        estimated violation.
        """
        if self.is_surely_fair:
            return 0.0
        if confidence not in self._bounds:
            self._bounds[confidence] = violation_bound(
                self.evaluation.criterion, self.table, confidence, self.instability.disparities
            )
        return max(self._bounds[confidence], self.violation)


@dataclass(frozen=True, eq=False)
class HeldOutRows:
    """Rows with out-of-fold scores, divided into folds for cross-fitted thresholds."""

    evaluation: Evaluation
    cells: Array  # group * n_labels + label
    weight: Array
    fold: Array  # number of the fold of each row

    @cached_property
    def n_folds(self) -> int:
        return int(self.fold.max()) + 1

    def bin(self, scores: Array) -> BinnedScores:
        """Scores in bins of about equal weight."""
        bins, thresholds = bin_scores(scores, self.weight, self.evaluation.effort.n_bins)
        shape = (self.n_folds, self.evaluation.n_cells, len(thresholds) - 1)
        at = (self.fold * shape[1] + self.cells) * shape[2] + bins
        counts = np.bincount(at, self.weight, int(np.prod(shape))).reshape(shape)
        return BinnedScores(bins, thresholds, counts)

    def predicted(self, binned: BinnedScores, candidate: Candidate, rows: Array) -> Array:
        """Cross-fitted labels of some rows."""
        cuts = candidate.cuts[self.fold[rows]]
        return (cuts <= binned.bins[rows, None]).sum(axis=1)

    def multipliers(self, binned: BinnedScores, goals: Sequence[Goal]) -> Array:
        """Multipliers for some goals, for all rows and for the folds."""
        problem = self._problem(binned.counts.sum(axis=0), 0)
        most_bounds = self.evaluation.effort.most_bounds
        return multipliers_for(problem, self._at_costs(goals), most_bounds)

    def cut(self, binned: BinnedScores, goals: Sequence[Goal], multipliers: Array) -> list[Cut]:
        """Cuts for each goal, on the scores of all rows."""
        return self._cut(binned.counts.sum(axis=0), 0, goals, multipliers)

    def cross_fit(
        self, ranker: int, binned: BinnedScores, goals: Sequence[Goal], multipliers: Array
    ) -> list[Candidate]:
        """Candidates of a ranker, one for each goal."""
        whole = binned.counts.sum(axis=0)
        final = self._cut(whole, 0, goals, multipliers)
        # each fold is cut on the counts of all other folds
        by_fold = [
            [cut.cuts for cut in self._cut(whole - inside, fold + 1, goals, multipliers)]
            for fold, inside in enumerate(binned.counts)
        ]
        return [
            self._candidate(ranker, goal, binned, cut, np.array(cuts))
            for goal, cut, cuts in zip(goals, final, zip(*by_fold, strict=True), strict=True)
        ]

    def _cut(
        self, counts: Array, number: int, goals: Sequence[Goal], multipliers: Array
    ) -> list[Cut]:
        """Cuts of counts for each goal; goals with equal surcharges are one problem.

        `number` is 0 for all rows, and f + 1 for the rows outside fold f.
        """
        found: dict[Goal, Cut] = {}
        for surcharge in dict.fromkeys(goal.surcharge for goal in goals):
            some = [goal for goal in goals if goal.surcharge == surcharge]
            problem, searched = self._problem(counts, number, surcharge), self._at_costs(some)
            known = multipliers
            if problem.n_contrasts != known.shape[1]:  # some are undefined without the fold
                known = multipliers_for(problem, searched, self.evaluation.effort.most_bounds)
            found |= dict(zip(some, _cut(problem, searched, known), strict=True))
        return [found[goal] for goal in goals]

    def _problem(self, counts: Array, number: int, surcharge: float = 0.0) -> Problem:
        """The problem of cutting counts by bin; `number` as in `_cut`."""
        evaluation, unit = self.evaluation, search_unit(self.evaluation.cost)
        table, contrasts = evaluation.scores(counts), self._contrasts[number]
        cost = surcharged(evaluation.cost, self._label_totals, surcharge) / unit
        return read_problem(table, evaluation.criterion, cost, contrasts)

    @cached_property
    def _contrasts(self) -> list[MergedContrasts]:
        """The contrasts of all rows, and those of the rows outside each fold."""
        shape = (self.n_folds, self.evaluation.n_cells)
        at = self.fold * shape[1] + self.cells
        inside = np.bincount(at, self.weight, shape[0] * shape[1]).reshape(shape)
        whole = inside.sum(axis=0)
        tables = [self.evaluation.scores(part[:, None]) for part in (whole, *(whole - inside))]
        contrasts = [read_contrasts(table, self.evaluation.criterion) for table in tables]
        check_defined(len(contrasts[0].offsets), self.evaluation.criterion)
        return contrasts

    @cached_property
    def _label_totals(self) -> Array:
        n_labels = len(self.evaluation.labels)
        return np.bincount(self.cells % n_labels, self.weight, n_labels)

    def _at_costs(self, goals: Sequence[Goal]) -> list[Goal]:
        """Goals with λ as their penalty, in the unit of a search."""
        unit = search_unit(self.evaluation.cost)
        return [goal.at_costs(self.evaluation.cost / unit, unit) for goal in goals]

    def _candidate(
        self, ranker: int, goal: Goal, binned: BinnedScores, cut: Cut, cuts: Array
    ) -> Candidate:
        thresholds = binned.thresholds[cut.cuts]
        constant = bool(np.isinf(thresholds).all())
        if constant:  # then the model predicts one label, which needs no cross-fitting
            cuts = np.repeat(cut.cuts[None], self.n_folds, axis=0)
        return Candidate(
            ranker,
            goal,
            thresholds,
            cut,
            cuts,
            self.evaluation.predictions(_predicted_counts(binned.counts, cuts)),
            self._instability(binned.counts.sum(axis=0), cut.cuts, cuts),
            self.evaluation,
            constant or not _are_constant(cuts, binned.n_bins).any(),
        )

    def _instability(self, whole: Array, final: Array, by_fold: Array) -> Instability:
        """Root mean square changes on all rows, if cuts of folds replace those of the model."""
        tables = [
            self.evaluation.predictions(_predicted_counts(whole[None], cuts[None]))
            for cuts in (final, *by_fold)
        ]
        unit = cost_unit(self.evaluation.cost)
        costs = np.array([self.evaluation.mean_cost(table) for table in tables]) / unit
        disparities = np.array([self.evaluation.criterion.disparities(t) for t in tables])
        return Instability(
            unit * float(np.sqrt(((costs[1:] - costs[0]) ** 2).mean())),
            np.sqrt(np.nan_to_num((disparities[1:] - disparities[0]) ** 2).mean(axis=0)),
        )


def _are_constant(cuts: Array, n_bins: int) -> Array:
    """Whether the rows of each fold are predicted one label."""
    return ((cuts == 0) | (cuts == n_bins)).all(axis=1)


def _cut(problem: Problem, goals: Sequence[Goal], multipliers: Array) -> list[Cut]:
    """Cuts for each goal by the quick search."""
    found = []
    for goal, cuts in zip(goals, sweep(problem, goals, multipliers), strict=True):
        cost, violation = problem.cost(cuts), problem.violation(cuts)
        found.append(Cut(cuts, float(goal.penalised(cost, violation)), violation))
    return found


def _predicted_counts(counts: Array, cuts: Array) -> Array:
    """Counts by cell and predicted label, with cuts for each fold.

    The rows of label l lie between two cuts: a difference of cumulative counts.
    """
    total = np.zeros((counts.shape[1], cuts.shape[1] + 1))
    for inside, row in zip(counts, cuts, strict=True):
        through = np.concatenate([np.zeros((len(inside), 1)), np.cumsum(inside, axis=1)], axis=1)
        ends = np.concatenate([[0], row, [counts.shape[2]]])
        total += np.diff(through[:, ends], axis=1)
    return np.maximum(total, 0.0)  # differences of weights may be rounded to less than 0


def bin_scores(scores: Array, weight: Array, most: int) -> tuple[Array, Array]:
    """The bin of each score, and the thresholds around bins.

    Equal scores are in one bin. Threshold b has the lowest b bins below it.
    """
    values, number = distinct_scores(scores)
    through = np.cumsum(np.bincount(number, weight, len(values)))
    shares = (1.0 - BELOW) * through[-1] * np.arange(1, most + 1) / most
    last = np.unique(np.minimum(np.searchsorted(through, shares), len(values) - 1))
    thresholds = midway(values, np.concatenate([[0], last + 1]))
    return np.searchsorted(last, number), thresholds


def threshold_folds(
    groups: Array, labels: Array, scores: Array, weight: Array, n_folds: int, seed: int
) -> Array:
    """Folds of rows with given scores, by codes of groups and labels.

    They depend neither on the order of the rows nor on the names of the groups.
    """
    sums = np.bincount(groups, weight * scores)
    rank = np.lexsort((sums, np.bincount(groups, weight), np.bincount(groups))).argsort()
    cells = rank[groups] * (labels.max() + 1) + labels
    order = np.lexsort((weight, scores, cells))
    fold = np.empty(len(cells), dtype=np.intp)
    fold[order] = fold_numbers(cells[order], n_folds, seed)
    return fold


def solve_near(candidate: Candidate, table: ScoreTable, settings: Settings) -> ThresholdResult:
    """Thresholds of a candidate with a certificate; never worse than those it has.

    The quick search may exceed the limit of the candidate a little. Its violation is then the limit
    for the certificate: cuts that keep a limit of 0 exactly may be very different ones.
    """
    evaluation, goal = candidate.evaluation, candidate.goal
    if goal.hard:
        goal = goal._replace(limit=max(goal.limit, candidate.reached.violation))
    contrasts = read_contrasts(table, evaluation.criterion)
    known = np.searchsorted(table.axis, candidate.thresholds, side="right")
    most = max(LEAST_PROVING, evaluation.effort.most_proving // len(contrasts.offsets))
    with warnings.catch_warnings():
        if candidate.is_constant:
            warnings.filterwarnings("ignore", "scores has one distinct value")
        return solve(
            table,
            evaluation.criterion,
            evaluation.cost,
            goal,
            "certified",
            settings._replace(known=known, most_bounds=most),
            contrasts=contrasts,
        )
