r"""Candidates: scores with thresholds, and what to expect of them on new rows.

Scores that were not fitted to a row (out-of-fold scores) are free of the optimism of the ranker.
Thresholds add optimism of their own, because they were chosen on the same rows. Two sets of
thresholds therefore belong to a *candidate*:

* those cut on the scores of all rows: they make the model;
* for each fold, those cut on the scores of the other folds. They predict the rows of the fold.

The table of these *cross-fitted* predictions gives the estimates of cost and disparities: neither
ranker nor thresholds were fitted to a row that they predict. The model has other thresholds than
the folds. How much that matters, the *instability* of a candidate, is how far the thresholds of
folds move cost and disparities on all rows; it adds to the standard deviations.

Scores are put into at most 128 places of about equal weight, the same for all folds.
Counts by fold, cell and place are then all that cutting and predicting need.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy import sparse

from fairordinal._costs import cost_unit, mean_costs, surcharged
from fairordinal._cuts import Goal, Notion, Problem, read_notion, read_problem
from fairordinal._inference import violation_bound
from fairordinal._rows import distinct_scores, fold_numbers
from fairordinal._table import ScoreTable
from fairordinal._validation import Array
from fairordinal.criteria import Criterion, PairwiseCriterion
from fairordinal.thresholds._entry import check_defined, midway, scale_goal, search_unit, solve
from fairordinal.thresholds._result import ThresholdResult
from fairordinal.thresholds._solve import Settings
from fairordinal.thresholds._sweep import multipliers_for, sweep

MOST_GROUPS, MOST_LABELS, MOST_CELLS = 11, 15, 50  # beyond, each search takes long
FEW_GROUPS, FEW_CELLS = 3, 30  # beyond, it takes a while
LEAST_PROVING = 4  # bounds of a certificate
BELOW = 1e-9  # taken off shares, relatively, so that rounding does not decide where a place ends


class Effort(NamedTuple):
    """How many candidates are tried, and how hard."""

    places: int = 128  # between which thresholds are chosen
    most_bounds: int = 12  # of a search for multipliers
    shares: tuple[float, ...] = (1.0, 0.5, 0.2, 0.05)  # of the limit asked for
    surcharged: tuple[float, ...] = (0.5, 0.05)  # of it, with a surcharge
    surcharges: tuple[float, ...] = (0.1, 0.4, 0.8)  # relative to the cost of a constant predictor
    halvings: int = 3  # of the distance between two limits, around the one chosen
    step: int = 1  # one in so many rankers of a path is screened
    screened: tuple[float, ...] = (1.0, 0.2)  # shares of the limit that screening takes
    rankers: int = 5  # for each of these, that are cross-validated
    max_iter: int = 50  # of a fit to a fold, which starts from the fit to all rows
    front_limits: int = 9  # at which a frontier begins
    front_rankers: int = 5  # for each of these
    front_rounds: int = 5  # in which limits are halved
    most_proving: int = 1000  # bounds of a certificate × disparities


FULL = Effort()
SEVERAL_GROUPS = FULL._replace(front_limits=5, front_rankers=3, front_rounds=2, most_proving=600)
MANY_GROUPS = FULL._replace(
    step=2, front_limits=4, front_rankers=2, front_rounds=1, most_proving=200
)
SMALL = Effort(64, 3, (1.0, 0.3), (0.3,), (0.4,), 0, 4, (1.0,), 2, 15, 3, 2, 1, 1)


@dataclass(frozen=True, eq=False)
class Evaluation:
    """What candidates are judged by."""

    criterion: Criterion
    cost: Array  # (n_labels, n_labels)
    groups: Array  # names
    labels: Array  # in ascending order
    one: float = 1.0  # weight of one row

    @property
    def n_cells(self) -> int:
        return len(self.groups) * len(self.labels)

    @property
    def effort(self) -> Effort:
        """Less for many groups or labels, so that the time for a model stays bounded."""
        n_groups, n_labels = len(self.groups), len(self.labels)
        if n_groups > MOST_GROUPS or n_labels > MOST_LABELS or self.n_cells > MOST_CELLS:
            return SMALL
        if n_groups <= FEW_GROUPS:
            return FULL
        return SEVERAL_GROUPS if self.n_cells <= FEW_CELLS else MANY_GROUPS

    def predictions(self, counts: Array) -> ScoreTable:
        """A table of counts by cell and predicted label."""
        return self._table(counts, self.labels, predicts_labels=True)

    def scores(self, counts: Array) -> ScoreTable:
        """A table of counts by cell and place."""
        return self._table(counts, np.arange(counts.shape[1]) * 1.0, predicts_labels=False)

    def _table(self, counts: Array, axis: Array, *, predicts_labels: bool) -> ScoreTable:
        return ScoreTable(
            sparse.csc_array(counts),
            self.groups,
            self.labels,
            axis,
            predicts_labels=predicts_labels,
            one=self.one,
        )

    def mean_cost(self, table: ScoreTable) -> float:
        """Mean cost of the predictions of a table."""
        unit = cost_unit(self.cost)
        return unit * float(mean_costs(table.cube.sum(axis=0), self.cost / unit))


class Binned(NamedTuple):
    """Scores in places of about equal weight."""

    places: Array  # (n_rows,)
    thresholds: Array  # (n_places + 1,) the threshold that has b places below it
    counts: Array  # (n_folds, n_cells, n_places)

    @property
    def n_places(self) -> int:
        return self.counts.shape[2]


class Cut(NamedTuple):
    """Places where scores are cut, and what that reaches."""

    places: Array
    objective: float
    violation: float


class Instability(NamedTuple):
    """Standard deviations of a candidate that its thresholds add."""

    cost: float
    disparities: Array  # (n_parts, n_groups, n_groups)


@dataclass(frozen=True, eq=False)
class Candidate:
    """A ranker with thresholds, and its cross-fitted predictions."""

    ranker: int
    goal: Goal  # of its thresholds
    thresholds: Array  # cut on the scores of all rows
    reached: Cut  # by these thresholds there
    cuts: Array  # (n_folds, n_labels - 1) places where each fold is cut
    table: ScoreTable  # of the cross-fitted predictions
    instability: Instability
    evaluation: Evaluation
    folds_agree: bool = True  # False: some fold is cut to one label, and the model is not
    _bounds: dict[float, float] = field(default_factory=dict, repr=False)

    @cached_property
    def cost(self) -> float:
        """Estimated mean cost on new rows."""
        return self.evaluation.mean_cost(self.table)

    @cached_property
    def violation(self) -> float:
        """Estimated violation on new rows; 0 where no disparity is defined."""
        if self.is_surely_fair:
            return 0.0
        return float(np.nan_to_num(self.evaluation.criterion.violation(self.table)))

    @property
    def is_constant(self) -> bool:
        """Whether everyone gets one label."""
        return bool(np.isinf(self.thresholds).all())

    @property
    def is_surely_fair(self) -> bool:
        """Whether the violation is 0 on any rows: a constant predictor has no pairs in order."""
        return self.is_constant and isinstance(self.evaluation.criterion, PairwiseCriterion)

    def bound(self, confidence: float) -> float:
        """Upper bound of the violation on new rows: one-sided, for each pair of groups by itself.

        ``max_e (|v_e| + z_c σ_e)``, with the deviations of an audit's intervals.
        """
        if self.is_surely_fair:
            return 0.0
        if confidence not in self._bounds:
            self._bounds[confidence] = violation_bound(
                self.evaluation.criterion, self.table, confidence, self.instability.disparities
            )
        return self._bounds[confidence]


@dataclass(frozen=True, eq=False)
class HeldOutRows:
    """Rows whose scores were not fitted to them."""

    evaluation: Evaluation
    cells: Array  # group * n_labels + label
    weight: Array
    fold: Array  # that is cut by thresholds of the others

    @cached_property
    def n_folds(self) -> int:
        return int(self.fold.max()) + 1

    def bin(self, scores: Array) -> Binned:
        """Scores in places of about equal weight."""
        places, thresholds = places_of(scores, self.weight, self.evaluation.effort.places)
        shape = (self.n_folds, self.evaluation.n_cells, len(thresholds) - 1)
        at = (self.fold * shape[1] + self.cells) * shape[2] + places
        counts = np.bincount(at, self.weight, int(np.prod(shape))).reshape(shape)
        return Binned(places, thresholds, counts)

    def predicted(self, binned: Binned, candidate: Candidate, rows: Array) -> Array:
        """Cross-fitted labels of some rows."""
        cuts = candidate.cuts[self.fold[rows]]
        return (cuts <= binned.places[rows, None]).sum(axis=1)

    @cached_property
    def _notions(self) -> list[Notion]:
        """The contrasts of all rows, and those of the rows outside each fold."""
        shape = (self.n_folds, self.evaluation.n_cells)
        at = self.fold * shape[1] + self.cells
        inside = np.bincount(at, self.weight, shape[0] * shape[1]).reshape(shape)
        whole = inside.sum(axis=0)
        tables = [self.evaluation.scores(part[:, None]) for part in (whole, *(whole - inside))]
        notions = [read_notion(table, self.evaluation.criterion) for table in tables]
        check_defined(len(notions[0].offsets), self.evaluation.criterion)
        return notions

    def _problem(self, counts: Array, number: int, surcharge: float = 0.0) -> Problem:
        """The problem of cutting places; `number` is 0 for all rows, f + 1 without fold f."""
        evaluation, unit = self.evaluation, search_unit(self.evaluation.cost)
        table, notion = evaluation.scores(counts), self._notions[number]
        cost = surcharged(evaluation.cost, self._label_totals, surcharge) / unit
        return read_problem(table, evaluation.criterion, cost, notion)

    @cached_property
    def _label_totals(self) -> Array:
        n_labels = len(self.evaluation.labels)
        return np.bincount(self.cells % n_labels, self.weight, n_labels)

    def multipliers(self, binned: Binned, goals: Sequence[Goal]) -> Array:
        """Multipliers whose shortest paths serve some goals, on all rows and on those of folds."""
        problem = self._problem(binned.counts.sum(axis=0), 0)
        most_bounds = self.evaluation.effort.most_bounds
        return multipliers_for(problem, self._scaled(goals), most_bounds)

    def cut(self, binned: Binned, goals: Sequence[Goal], multipliers: Array) -> list[Cut]:
        """Thresholds for each goal on the scores of all rows."""
        return self._cut(binned.counts.sum(axis=0), 0, goals, multipliers)

    def cross_fit(
        self, ranker: int, binned: Binned, goals: Sequence[Goal], multipliers: Array
    ) -> list[Candidate]:
        """Candidates of a ranker, one for each goal."""
        whole = binned.counts.sum(axis=0)
        final = self._cut(whole, 0, goals, multipliers)
        by_fold = [
            [cut.places for cut in self._cut(whole - inside, fold + 1, goals, multipliers)]
            for fold, inside in enumerate(binned.counts)
        ]
        return [
            self._candidate(ranker, goal, binned, cut, np.array(cuts))
            for goal, cut, cuts in zip(goals, final, zip(*by_fold, strict=True), strict=True)
        ]

    def _cut(
        self, counts: Array, number: int, goals: Sequence[Goal], multipliers: Array
    ) -> list[Cut]:
        """Places where counts are cut for each goal; `number` as in `_problem`."""
        found: dict[Goal, Cut] = {}
        for surcharge in dict.fromkeys(goal.surcharge for goal in goals):
            some = [goal for goal in goals if goal.surcharge == surcharge]
            problem, scaled = self._problem(counts, number, surcharge), self._scaled(some)
            known = multipliers
            if problem.n_contrasts != known.shape[1]:  # some are undefined without the fold
                known = multipliers_for(problem, scaled, self.evaluation.effort.most_bounds)
            found |= dict(zip(some, _cut(problem, scaled, known), strict=True))
        return [found[goal] for goal in goals]

    def _candidate(
        self, ranker: int, goal: Goal, binned: Binned, cut: Cut, cuts: Array
    ) -> Candidate:
        thresholds = binned.thresholds[cut.places]
        if np.isinf(thresholds).all():
            cuts = np.repeat(cut.places[None], self.n_folds, axis=0)  # new rows get this label
        table = self.evaluation.predictions(_predicted_counts(binned.counts, cuts))
        whole = binned.counts.sum(axis=0)
        return Candidate(
            ranker,
            goal,
            thresholds,
            cut,
            cuts,
            table,
            self._instability(whole, cut.places, cuts),
            self.evaluation,
            bool(np.isinf(thresholds).all() or not _constant(cuts, binned.n_places).any()),
        )

    def _instability(self, whole: Array, final: Array, cuts: Array) -> Instability:
        """Mean squared changes by the thresholds of folds in place of the final ones."""
        tables = [
            self.evaluation.predictions(_predicted_counts(whole[None], places[None]))
            for places in (final, *cuts)
        ]
        unit = cost_unit(self.evaluation.cost)
        costs = np.array([self.evaluation.mean_cost(table) for table in tables]) / unit
        disparities = np.array([self.evaluation.criterion.disparities(t) for t in tables])
        return Instability(
            unit * float(np.sqrt(((costs[1:] - costs[0]) ** 2).mean())),
            np.sqrt(np.nan_to_num((disparities[1:] - disparities[0]) ** 2).mean(axis=0)),
        )

    def _scaled(self, goals: Sequence[Goal]) -> list[Goal]:
        """Goals in the units of the costs."""
        evaluation, unit = self.evaluation, search_unit(self.evaluation.cost)
        n_labels = len(evaluation.labels)
        return [scale_goal(goal, n_labels, evaluation.cost / unit, unit) for goal in goals]


def _constant(cuts: Array, n_places: int) -> Array:
    """Whether each fold is cut to one label."""
    return ((cuts == 0) | (cuts == n_places)).all(axis=1)


def _cut(problem: Problem, goals: Sequence[Goal], multipliers: Array) -> list[Cut]:
    found = []
    for goal, cuts in zip(goals, sweep(problem, goals, multipliers), strict=True):
        cost, violation = problem.cost(cuts), problem.violation(cuts)
        found.append(Cut(cuts, float(goal.penalised(cost, violation)), violation))
    return found


def _predicted_counts(counts: Array, cuts: Array) -> Array:
    """Counts by cell and predicted label, if each fold is cut at its own places."""
    total = np.zeros((counts.shape[1], cuts.shape[1] + 1))
    for inside, places in zip(counts, cuts, strict=True):
        through = np.concatenate([np.zeros((len(inside), 1)), np.cumsum(inside, axis=1)], axis=1)
        ends = np.concatenate([[0], places, [counts.shape[2]]])
        total += np.diff(through[:, ends], axis=1)
    return np.maximum(total, 0.0)


def places_of(scores: Array, weight: Array, most: int) -> tuple[Array, Array]:
    """The place of each score, and the thresholds around places.

    Equal scores are in one place. Threshold b has the lowest b places below it.
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

    The quick search may exceed the limit of the candidate a little. What its thresholds reach is
    then the limit: cuts that keep 0 exactly may be very different.
    """
    evaluation, goal = candidate.evaluation, candidate.goal
    if goal.hard:
        goal = goal._replace(allowance=max(goal.allowance, candidate.reached.violation))
    notion = read_notion(table, evaluation.criterion)
    known = np.searchsorted(table.axis, candidate.thresholds, side="right")
    most = max(LEAST_PROVING, evaluation.effort.most_proving // len(notion.offsets))
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
            notion=notion,
        )
