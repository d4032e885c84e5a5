"""What can be proved of scores that are known only to lie in stretches.

Cuts between stretches are compared with cuts anywhere. Any cuts can be moved to the nearest lower
ends of stretches; each then passes rows of one stretch, whose labels change by one step. That
changes the mean cost and each disparity by at most what those rows weigh in them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fairordinal._table import ScoreTable
from fairordinal._validation import Array
from fairordinal.criteria import Criterion, PairwiseCriterion, SampleCriterion


class Coarseness(NamedTuple):
    """By how much moving cuts to the ends of stretches changes cost and violation, at most."""

    cost: float
    violation: float


def coarseness_of(table: ScoreTable, criterion: Criterion, cost: Array) -> Coarseness:
    """0 if every position is one score."""
    if table.lowest is None:
        return Coarseness(0.0, 0.0)
    rows = table.counts[:, np.flatnonzero(table.lowest < table.axis)]
    if not rows.shape[1]:
        return Coarseness(0.0, 0.0)
    steps = np.abs(np.diff(cost, axis=1)).T / table.totals.sum()
    dearer = (np.tile(steps, len(table.groups)) @ rows).max(axis=1).sum()
    n_cuts = len(table.labels) - 1
    shifts = n_cuts * (_weights(table, criterion) @ rows).max(axis=1, initial=0.0)
    return Coarseness(float(dearer), float(shifts.max(initial=0.0)))


def _weights(table: ScoreTable, criterion: Criterion) -> Array:
    """How much a row of each cell weighs in each disparity at most, if its label changes by one."""
    assert isinstance(criterion, PairwiseCriterion | SampleCriterion)
    contrasts, (n_groups, n_labels, _) = criterion.contrasts(table), table.shape
    weights, e = np.zeros((len(contrasts), n_groups, n_labels)), np.arange(len(contrasts))
    tables, ahead, behind = contrasts.tables, contrasts.ahead[:, None], contrasts.behind[:, None]
    if isinstance(criterion, PairwiseCriterion):
        above, below = tables @ table.totals.T, tables.transpose(0, 2, 1) @ table.totals.T
        for g, h in ((contrasts.g, contrasts.h), (contrasts.h, contrasts.g)):
            weights[e, g] = (
                ahead * above[contrasts.part, :, h] + behind * below[contrasts.part, :, h]
            )
            ahead, behind = behind, ahead
    else:
        steepest = np.abs(np.diff(tables, axis=2)).max(axis=2)[contrasts.part]
        weights[e, contrasts.g], weights[e, contrasts.h] = ahead * steepest, behind * steepest
    return weights.reshape(len(contrasts), n_groups * n_labels)
