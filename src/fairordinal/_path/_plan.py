"""How models are made from rows: a path of rankers, and cuts of their scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from fairordinal._cuts import Goal, Notion, read_notion
from fairordinal._pairloss import Kernel
from fairordinal._table import ScoreTable
from fairordinal._validation import Array
from fairordinal.criteria import Criterion
from fairordinal.ranker import (
    Fit,
    PairData,
    Rows,
    Training,
    fit_path,
    pair_data,
    require_pairwise,
)
from fairordinal.thresholds import (
    RoughCut,
    ThresholdResult,
    midway,
    read_settings,
    rough_cuts,
    solve,
)

ROUNDING = 1e-12  # of the range of scores
MOST_PLACES = 256  # between which rough cuts choose


@dataclass(frozen=True, eq=False)
class Plan:
    """Everything about a model but the rows."""

    criterion: Criterion  # pairwise, if rankers are to be trained
    loss: Kernel
    ways: tuple[str, ...]
    training: Training
    cost: Array
    names: Array  # of the groups
    labels: Array

    def path(self, rows: Rows) -> list[Fit]:
        """Rankers from accurate to fair."""
        return fit_path(self._pairs(rows), self.ways, self.training)

    def path_again(self, rows: Rows, path: list[Fit]) -> list[Fit]:
        """The same rankers for other rows."""
        if all(fit.aim is None for fit in path):
            return path
        rough = replace(self.training, tol=100 * self.training.tol)
        return rough.fit_again(self._pairs(rows), path)

    def _pairs(self, rows: Rows) -> PairData:
        return pair_data(rows, require_pairwise(self.criterion), self.loss)

    def thresholds(
        self,
        rows: Rows,
        coef: Array,
        goal: Goal,
        max_time: float | None,
        *,
        known: RoughCut,
        notion: Notion,
    ) -> ThresholdResult:
        """The best thresholds of a ranker, with their proof; never worse than those known."""
        table = self._table(rows, _merged(rows.features.times(coef)))
        cuts = np.searchsorted(table.axis, known.thresholds, side="right")
        settings = read_settings(1e-3, max_time, 0, 0)._replace(known=cuts)
        return solve(table, self.criterion, self.cost, goal, "certified", settings, notion=notion)

    def notion(self, rows: Rows) -> Notion:
        """What is fair between cells of some rows, for the cuts of all rankers."""
        return read_notion(self._table(rows, np.zeros(len(rows.labels))), self.criterion)

    def rough_cuts(
        self, rows: Rows, coef: Array, goals: Sequence[Goal], notion: Notion | None = None
    ) -> list[RoughCut]:
        """Good thresholds of a ranker for each goal, at quantiles of its scores."""
        scores = _at_quantiles(rows.features.times(coef), rows.weight)
        return rough_cuts(self._table(rows, scores), self.criterion, self.cost, goals, notion)

    def _table(self, rows: Rows, scores: Array) -> ScoreTable:
        return rows.table(scores, self.names, self.labels)


def _merged(scores: Array) -> Array:
    """Scores that differ by rounding alone made equal: products of equal rows may differ."""
    order = np.argsort(scores)
    placed = scores[order]
    first = np.concatenate([[True], np.diff(placed) > ROUNDING * (placed[-1] - placed[0])])
    merged = np.empty_like(scores)
    merged[order] = placed[first][np.cumsum(first) - 1]
    return merged


def _at_quantiles(scores: Array, weight: Array) -> Array:
    """Each score raised to midway beyond the next of a few quantiles: where cuts may lie."""
    order = np.argsort(scores)
    placed, below = scores[order], np.cumsum(weight[order])
    shares = np.arange(1, MOST_PLACES + 1) / MOST_PLACES
    highest = np.unique(placed[np.searchsorted(below[:-1], shares * below[-1])])
    distinct = np.unique(placed)
    beyond = midway(distinct, np.searchsorted(distinct, highest, side="right"))
    beyond[-1] = distinct[-1]
    return beyond[np.searchsorted(highest, scores)]
