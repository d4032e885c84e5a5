"""Cost and violation of predictions on the test rows of a split."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from fairordinal._table import ScoreTable, read_table
from fairordinal._validation import Array
from fairordinal.baselines import ConstantClassifier
from fairordinal.criteria import as_criterion
from fairordinal.experiments._cell import Row
from fairordinal.experiments._split import Rows, Split
from fairordinal.metrics import mean_cost

CRITERIA = ("demographic_parity", "equal_opportunity")


def judge(
    split: Split, predicted: Array, cost: str, *, kind: str, criterion: str, parameter: float
) -> Row:
    """A row of results for predictions of the test rows."""
    return {
        "kind": kind,
        "criterion": criterion,
        "parameter": parameter,
        "cost": mean_cost(split.test.y, predicted, cost_matrix=cost, labels=split.labels),
        "violation": as_criterion(criterion).violation(table_of(split, predicted)),
    }


def mixtures(
    split: Split,
    predicted: Array,
    cost: str,
    *,
    kind: str,
    criterion: str,
    probabilities: tuple[float, ...],
) -> list[Row]:
    """Expected cost and violation of coins between predictions and the best constant."""
    constant = np.full_like(predicted, best_constant(split.train, cost, split.labels))
    ends = [
        (
            mean_cost(split.test.y, labels, cost_matrix=cost, labels=split.labels),
            table_of(split, labels),
        )
        for labels in (predicted, constant)
    ]
    return [
        {
            "kind": kind,
            "criterion": criterion,
            "parameter": p,
            "cost": (1 - p) * ends[0][0] + p * ends[1][0],
            "violation": as_criterion(criterion).violation(mixed_table(ends[0][1], ends[1][1], p)),
        }
        for p in probabilities
    ]


def mixed_table(model: ScoreTable, constant: ScoreTable, probability: float) -> ScoreTable:
    """Expected counts, where the constant is predicted with some probability."""
    counts = (1 - probability) * model.counts + probability * constant.counts
    return replace(model, counts=counts)


def best_constant(rows: Rows, cost: str, labels: list[int]) -> int:
    """The label of least cost in these rows; the median for absolute errors."""
    model = ConstantClassifier(cost_matrix=cost, categories=labels)
    return int(model.fit(rows.X, rows.y).constant_)


def table_of(split: Split, predicted: Array) -> ScoreTable:
    """Counts of test rows by group, true and predicted label."""
    return read_table(split.test.y, predicted, split.test.groups, labels=split.labels)


def is_defined(criterion: str, rows: Rows) -> bool:
    """Whether any pair of groups can be compared in these rows."""
    table = read_table(rows.y, rows.y, rows.groups)
    return not np.isnan(as_criterion(criterion).violation(table))
