"""Cost and violation of predicted labels, with intervals."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from fairordinal._costs import cost_unit, mean_costs
from fairordinal._inference import intervals
from fairordinal._table import ScoreTable
from fairordinal._validation import Array
from fairordinal.thresholds._cross_fit import Candidate, Evaluation, Instability
from fairordinal.thresholds._optimism import Optimism


class Measured(NamedTuple):
    """Cost and violation on some rows, with intervals."""

    cost: float
    cost_interval: tuple[float, float]
    violation: float
    violation_interval: tuple[float, float]


def expected(candidate: Candidate, confidence: float, optimism: Optimism) -> Measured:
    """Cost and violation of a candidate on new rows, by its cross-fitted predictions.

    The best of many candidates looks cheaper and fairer than it is. The upper ends of the
    intervals are therefore raised by the optimism of the choice.
    """
    found = measured(candidate.evaluation, candidate.table, confidence, candidate.instability)
    low, high = found.cost_interval
    highest = max(float(candidate.evaluation.cost.max()), high)
    found = found._replace(cost_interval=(low, min(high + optimism.cost, highest)))
    if candidate.is_surely_fair:
        return found._replace(violation=0.0, violation_interval=(0.0, 0.0))
    most = candidate.evaluation.criterion.scale(candidate.table)
    if np.isnan(found.violation):  # no disparity is defined: nothing is known
        return found._replace(violation=0.0, violation_interval=(0.0, most))
    low, high = found.violation_interval
    return found._replace(violation_interval=(low, max(high, min(high + optimism.violation, most))))


def measured(
    evaluation: Evaluation,
    table: ScoreTable,
    confidence: float,
    instability: Instability | None = None,
) -> Measured:
    """Cost and violation of a table of predictions."""
    more_cost, more = (0.0, None) if instability is None else instability
    return Measured(
        evaluation.mean_cost(table),
        cost_interval(table, evaluation.cost, confidence, more_cost),
        evaluation.criterion.violation(table),
        _violation_interval(evaluation, table, confidence, more),
    )


def _violation_interval(
    evaluation: Evaluation, table: ScoreTable, confidence: float, instability: Array | None
) -> tuple[float, float]:
    criterion = evaluation.criterion
    found = intervals(criterion, table, confidence=confidence, instability=instability)
    defined = np.isfinite(criterion.disparities(table))
    defined[:, np.eye(defined.shape[1], dtype=bool)] = False
    return found.of_violation(criterion.scale(table), defined)


def cost_interval(
    table: ScoreTable, cost: Array, confidence: float, instability: float = 0.0
) -> tuple[float, float]:
    """Interval of the mean cost; it stays between 0 and the highest cost.

    `instability` is a further standard deviation.
    """
    unit, counts = cost_unit(cost), table.cube.sum(axis=0)
    mean = float(mean_costs(counts, cost / unit))
    variance = float(mean_costs(counts, (cost / unit) ** 2)) - mean**2
    spread = np.hypot(np.sqrt(max(variance, 0.0) / table.rows.sum()), instability / unit)
    width = float(ndtri(0.5 + 0.5 * confidence) * spread)
    most = max(float(cost.max() / unit), mean)
    return unit * max(mean - width, 0.0), unit * min(mean + width, most)
