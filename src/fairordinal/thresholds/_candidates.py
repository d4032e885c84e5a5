"""Pools of candidates: rankers with thresholds for several goals, and the search among them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence

import numpy as np

from fairordinal._rows import counted_scores
from fairordinal._support import part, steps
from fairordinal._table import ScoreTable
from fairordinal._validation import Array
from fairordinal.thresholds._choice import Chosen, choose, keeps_limit
from fairordinal.thresholds._cross_fit import (
    BinnedScores,
    Candidate,
    Cut,
    HeldOutRows,
    solve_near,
)
from fairordinal.thresholds._evaluation import Effort
from fairordinal.thresholds._goal import Goal, Settings
from fairordinal.thresholds._optimism import Optimism, SimulatedSamples, smoothed
from fairordinal.thresholds._result import ThresholdResult

SCORING_SHARE = 0.4  # of the time for candidates of new rankers, as shown by progress
MOST_REFINED = 3  # rankers for which limits are halved

Rankers = Sequence[int]


class Pool(ABC):
    """Candidates of several rankers; `add` makes more of them.

    Rankers have numbers. Out-of-fold scores are computed when they are first needed.
    """

    constant: int  # the number of a ranker that gives all rows one score

    def __init__(self, rows: HeldOutRows) -> None:
        self.rows = rows
        self.scores: dict[int, Array] = {}
        self._binned: dict[int, BinnedScores] = {}
        self._multipliers: dict[int, Array] = {}
        self._candidates: dict[tuple[int, Goal], Candidate] = {}
        self._smoothed: tuple[list[Candidate], list[Candidate]] | None = None

    @property
    @abstractmethod
    def bases(self) -> Sequence[Rankers]:
        """Numbers of the rankers except the constant one, by basis; the most accurate first."""

    @abstractmethod
    def out_of_fold(self, rankers: Rankers) -> Sequence[Array]:
        """Scores of the rows by rankers that were not fitted to them."""

    @abstractmethod
    def screen(self, goals: Sequence[Goal]) -> dict[int, list[Cut]]:
        """For rankers except the constant one, what thresholds for some goals reach, roughly."""

    @abstractmethod
    def thresholds(self, candidate: Candidate, settings: Settings) -> ThresholdResult:
        """The thresholds of a candidate, with a certificate."""

    @abstractmethod
    def predictions(self, candidate: Candidate, result: ThresholdResult) -> ScoreTable:
        """The table of predictions for the rows of the pool."""

    def add(self, wanted: Mapping[int, Sequence[Goal]]) -> None:
        """Make candidates of rankers, one for each goal."""
        unscored = [ranker for ranker in wanted if ranker not in self.scores]
        share = SCORING_SHARE if unscored else 0.0
        with part(share):
            self._score(unscored)
        for ranker, goals in steps([*wanted.items()], "thresholds, ranker", share=1.0 - share):
            missing = [goal for goal in goals if (ranker, goal) not in self._candidates]
            if missing:
                self._add(ranker, missing)

    def _score(self, rankers: Rankers) -> None:
        if rankers:
            self.scores.update(zip(rankers, self.out_of_fold(rankers), strict=True))
        for ranker in rankers:
            self._binned[ranker] = self.rows.bin(self.scores[ranker])

    def _add(self, ranker: int, goals: Sequence[Goal]) -> None:
        binned = self._binned[ranker]
        if ranker not in self._multipliers:
            self._multipliers[ranker] = self.rows.multipliers(binned, goals)
        for found in self.rows.cross_fit(ranker, binned, goals, self._multipliers[ranker]):
            self._candidates[ranker, found.goal] = found

    @property
    def candidates(self) -> list[Candidate]:
        """Candidates by ranker and goal, with smoothed estimates.

        Those whose estimates belong to another model are left out: if the limit is so strict that
        the thresholds of a fold predict one label, and those of the model do not.
        """
        known = [*map(self._candidates.__getitem__, sorted(self._candidates))]
        if self._smoothed is None or self._smoothed[0] != known:
            agreeing = [candidate for candidate in known if candidate.folds_agree]
            self._smoothed = known, smoothed(agreeing)
        return self._smoothed[1]

    def simulate(self) -> SimulatedSamples:
        """The estimates of all candidates on simulated samples."""
        return SimulatedSamples(self.rows, self.candidates, self._binned)

    def score_table(self, candidate: Candidate) -> ScoreTable:
        """Counts of the out-of-fold scores of a candidate."""
        rows, evaluation = self.rows, self.rows.evaluation
        scores = self.scores[self.constant if candidate.is_constant else candidate.ranker]
        names = (evaluation.groups, evaluation.labels)
        return counted_scores(scores, rows.cells, rows.weight, *names, evaluation.one)


class ScorePool(Pool):
    """Candidates of scores that are given (ranker 0), and of a constant ranker."""

    constant = 1

    def __init__(self, rows: HeldOutRows, scores: Array, table: ScoreTable) -> None:
        super().__init__(rows)
        self._given = [scores, np.zeros(len(scores))]
        self.table = table  # of all scores, if the rows are a sample

    @property
    def bases(self) -> Sequence[Rankers]:
        return [[0]]

    def out_of_fold(self, rankers: Rankers) -> Sequence[Array]:
        return [self._given[ranker] for ranker in rankers]

    def screen(self, goals: Sequence[Goal]) -> dict[int, list[Cut]]:
        binned = self.rows.bin(self._given[0])
        return {0: self.rows.cut(binned, goals, self.rows.multipliers(binned, goals))}

    def thresholds(self, candidate: Candidate, settings: Settings) -> ThresholdResult:
        table = self.score_table(candidate) if candidate.is_constant else self.table
        return solve_near(candidate, table, settings)

    def predictions(self, candidate: Candidate, result: ThresholdResult) -> ScoreTable:
        return result.after.table


def choose_from(pool: Pool, rankers: Rankers, goal: Goal, confidence: float | None) -> Chosen:
    """The best candidate of some rankers for a goal.

    Thresholds have to be cut for a stricter limit than asked for, so that the limit is kept on new
    rows. How much stricter is found on a grid, and then by halving around the best limit.
    """
    effort = pool.rows.evaluation.effort
    with part(0.01):
        pool.add({pool.constant: [goal]})
    constant_cost = pool.candidates[-1].cost
    goals = _grid(goal, effort, constant_cost if confidence is not None else 0.0)
    with part(0.7):
        pool.add(dict.fromkeys(rankers, goals))
    with part(0.1, "estimating the optimism"):
        optimism = pool.simulate().optimism(goal, confidence) if goal.hard else Optimism()
    for _ in steps(range(effort.halvings if goal.hard else 0), share=0.19):
        wanted = _between(pool.candidates, goal, confidence, optimism.margin)
        if not wanted:
            break
        pool.add(wanted)
    return choose(pool.candidates, goal, confidence, optimism)


def _grid(goal: Goal, effort: Effort, constant_cost: float) -> list[Goal]:
    """Goals for which thresholds are cut; with surcharges unless `constant_cost` is 0."""
    if not goal.hard:
        return [goal]
    found = [goal._replace(limit=share * goal.limit) for share in effort.shares]
    for surcharge in effort.surcharges if constant_cost else ():
        charged = goal._replace(surcharge=surcharge * constant_cost)
        found += [charged._replace(limit=share * goal.limit) for share in effort.surcharged]
    return list(dict.fromkeys(found))


def _between(
    candidates: Sequence[Candidate], goal: Goal, confidence: float | None, margin: float
) -> dict[int, list[Goal]]:
    """For the best rankers, the limit halfway between their best one and the next looser one."""
    best: dict[int, Candidate] = {}
    for candidate in candidates:
        if not candidate.is_surely_fair and keeps_limit(candidate, goal, confidence, margin):
            known = best.get(candidate.ranker)
            if known is None or candidate.cost < known.cost:
                best[candidate.ranker] = candidate
    wanted = {}
    for candidate in sorted(best.values(), key=lambda c: round(c.cost, 9))[:MOST_REFINED]:
        limit = candidate.goal.limit
        looser = [
            c.goal.limit
            for c in candidates
            if c.ranker == candidate.ranker
            and c.goal.surcharge == candidate.goal.surcharge
            and c.goal.limit > limit
        ]
        if looser:
            between = 0.5 * (limit + min(looser))
            wanted[candidate.ranker] = [candidate.goal._replace(limit=between)]
    return wanted
