"""How models are made from rows: a path of rankers, and cuts of their scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from scipy import sparse

from fairordinal._cuts import Goal, Notion, read_notion
from fairordinal._pairloss import Kernel
from fairordinal._rows import Rows, on_site, score_table
from fairordinal._table import ScoreTable
from fairordinal._threads import one_thread
from fairordinal._validation import Array
from fairordinal.criteria import Criterion
from fairordinal.ranker import (
    Aim,
    Fit,
    PairData,
    Training,
    fit_path,
    pair_data,
    require_pairwise,
    warn_unconverged,
)
from fairordinal.thresholds import (
    RoughCut,
    ThresholdResult,
    midway,
    most_proving_bounds,
    read_settings,
    rough_cuts,
    solve,
)

MOST_PLACES = 256  # between which rough cuts choose
MOST_STEEP = 1 << 16  # rows that say how steep the objective is


MANY_GROUPS, MANY_LABELS = 12, 16  # from which each search for thresholds takes long


class Effort(NamedTuple):
    """How many candidates are tried."""

    step: int  # of the rankers of the path, one in so many is cut
    rankers: int  # for each goal, that are cross-validated
    limits: int  # at which a frontier begins
    rounds: int  # in which limits are halved where a frontier has holes
    max_iter: int  # of a fit to a fold, which starts from the fit to all rows


FULL, SMALL = Effort(1, 6, 9, 5, 50), Effort(4, 2, 4, 1, 20)


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

    @property
    def effort(self) -> Effort:
        """Less for many groups or labels, so that the time for a model stays bounded."""
        many = len(self.names) >= MANY_GROUPS or len(self.labels) >= MANY_LABELS
        return SMALL if many else FULL

    def path(self, rows: Rows) -> list[Fit]:
        """Rankers from accurate to fair."""
        return on_site(_path, [rows], self)

    def path_again(self, rows: Rows, path: list[Fit]) -> list[Fit]:
        """The same rankers for other rows."""
        if all(fit.aim is None for fit in path):
            return path
        max_iter = min(self.training.max_iter, self.effort.max_iter)
        rough = replace(self.training, tol=100 * self.training.tol, max_iter=max_iter)
        return rough.fit_again(self.pairs(rows), path)

    @one_thread
    def fit_to(self, rows: Rows, fit: Fit, some: Rows) -> Fit:
        """The same ranker for more rows, from where it is.

        Some of the rows say how steep it is there, so that it takes fewer steps.
        """
        if fit.aim is None:
            return fit
        steepness = on_site(_steepness, [some], self, fit.aim, fit.coef)
        again = self.training.fit(self.pairs(rows), fit.aim, fit.coef, steepness)
        warn_unconverged([again], self.training.max_iter)
        return again

    def pairs(self, rows: Rows) -> PairData:
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
        table = score_table(rows, coef, self.names, self.labels)
        cuts = np.searchsorted(table.axis, known.thresholds, side="right")
        most_bounds = most_proving_bounds(len(notion.offsets), len(self.labels) - 1)
        settings = read_settings(1e-3, max_time, 0, 0)
        settings = settings._replace(known=cuts, most_bounds=most_bounds)
        return solve(table, self.criterion, self.cost, goal, "certified", settings, notion=notion)

    def notion(self, rows: Rows) -> Notion:
        """What is fair between cells of some rows, for the cuts of all rankers."""
        totals = sparse.csc_array(rows.totals[:, None])
        table = ScoreTable(totals, self.names, self.labels, np.zeros(1), predicts_labels=False)
        return read_notion(table, self.criterion)

    def rough_cuts(
        self, rows: Rows, coef: Array, goals: Sequence[Goal], notion: Notion | None = None
    ) -> list[RoughCut]:
        """Good thresholds of a ranker for each goal, at quantiles of its scores."""
        return on_site(_rough_cuts, [rows], self, coef, goals, notion)


def _path(rows: Rows, plan: Plan) -> list[Fit]:
    return fit_path(plan.pairs(rows), plan.ways, plan.training)


def _steepness(rows: Rows, plan: Plan, aim: Aim, coef: Array) -> Array | None:
    return plan.training.steepness(plan.pairs(rows.sample(MOST_STEEP)), aim, coef)


def _rough_cuts(
    rows: Rows, plan: Plan, coef: Array, goals: Sequence[Goal], notion: Notion | None
) -> list[RoughCut]:
    table = at_quantiles(score_table(rows, coef, plan.names, plan.labels))
    return rough_cuts(table, plan.criterion, plan.cost, goals, notion)


def at_quantiles(table: ScoreTable) -> ScoreTable:
    """Each score raised to midway beyond the next of a few quantiles: where cuts may lie."""
    below = np.cumsum(table.counts.sum(axis=0))
    shares = np.arange(1, MOST_PLACES + 1) / MOST_PLACES
    last = np.unique(np.searchsorted(below[:-1], shares * below[-1]))
    beyond = midway(table.axis, last + 1, table.lowest)
    beyond[-1] = table.axis[-1]
    return table.merge(np.searchsorted(last, np.arange(len(table.axis))), beyond)
