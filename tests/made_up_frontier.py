"""A frontier of as many groups, labels and models as a test wants, made up in no time."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np

from fairordinal import FairOrdinalFrontier, ThresholdResult
from fairordinal._costs import cost_matrix
from fairordinal._table import read_table
from fairordinal.criteria import DemographicParity
from fairordinal.frontier import FrontierPoint, Measured
from fairordinal.thresholds import Goal


class MadeUpFrontier(FairOrdinalFrontier):
    """Points are given instead of found."""

    def model(self, number):
        result = self.points_[number].result
        return SimpleNamespace(result_=result, thresholds_=result.thresholds + 1.0)


def scored_rows(groups, labels, n_rows=None, seed=0):
    """Scores, true labels and groups by name; every group has every label."""
    generator = np.random.default_rng(seed)
    n_cells = len(groups) * len(labels)
    n_rows = n_rows or 4 * n_cells
    group, label = np.divmod(np.arange(n_rows) % n_cells, len(labels))
    scores = label + 0.02 * group + generator.normal(size=n_rows)
    return scores, np.array(labels, dtype=object)[label], np.array(groups, dtype=object)[group]


def made_up_frontier(groups, labels, n_points=12, held_out=True):
    """Models whose cut points close in on the middle, from fair to accurate."""
    scores, y, a = scored_rows(groups, labels)
    table = read_table(y.tolist(), scores, a.tolist(), labels=labels, as_scores=True)
    cuts, cost = np.arange(len(labels) - 1) + 0.5, cost_matrix("absolute", table.labels)
    rest = (0, "certified", "", DemographicParity(), Goal(0.0), table, cost, cuts + 0.2)
    found = ThresholdResult(cuts, 0.0, *rest)
    frontier = MadeUpFrontier("demographic_parity", cv=3)
    frontier.criterion_, frontier.classes_ = DemographicParity(), np.array(labels, dtype=object)
    frontier.holes_, frontier._library = [(0.1, 0.2)], None
    frontier.points_ = [_point(found, i, n_points, held_out) for i in range(n_points)]
    return frontier


def _point(found, number, n_points, held_out):
    share = number / max(n_points - 1, 1)
    middle = np.mean(found.thresholds)
    result = replace(found, thresholds=middle + (found.thresholds - middle) * share)
    violation, cost = 0.6 * share**1.5, 1.4 - 0.9 * share
    near = [(violation - shift, cost - shift / 2) for shift in (0.0, 0.02, -0.03)]
    expected, train, new = (
        Measured(c, (c - 0.05, c + 0.05), abs(v), (max(v - 0.04, 0.0), abs(v) + 0.07))
        for v, c in near
    )
    goal = Goal(1.0, round(violation, 3), hard=number < n_points - 1)
    table = result.after.table
    candidate = SimpleNamespace(
        ranker=number, goal=goal, cost=cost, violation=violation, table=table
    )
    return FrontierPoint(candidate, result, table, expected, train, new if held_out else None)
