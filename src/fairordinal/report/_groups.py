"""Groups side by side: rows, labels, costs, errors and confusion."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fairordinal._audit import Audit
from fairordinal._render import number, percent, quantity
from fairordinal._validation import Array
from fairordinal.report._names import Name, shown

LABEL_WIDTH = 16
SHADES = 5
MOST_OPEN = 6  # groups whose confusion is seen at once
MOST_CONFUSED = 60  # groups that have a confusion matrix in the page
MOST_LABELS = 30  # labels of a confusion matrix


class Share(NamedTuple):
    """How often a label is true, and how often predicted."""

    true: str
    predicted: str


class Counted(NamedTuple):
    """An entry of a confusion matrix."""

    text: str
    shade: str
    right: bool


class Errors(NamedTuple):
    """How often and how badly a group is rated wrongly."""

    mean_cost: str
    too_low: str
    right: str
    too_high: str
    parts: tuple[float, float, float]  # too low, right, too high, in percent


class Group(NamedTuple):
    """A group, as the page shows it."""

    name: Name
    rows: str
    share: str
    errors: Errors | None
    labels: list[Share]
    confusion: list[list[Counted]] | None


class Groups(NamedTuple):
    """All groups, and the names of the labels."""

    groups: list[Group]
    labels: list[Name]
    with_predictions: bool
    open: bool
    shortened: bool


def groups_of(audit: Audit) -> Groups:
    """What the page shows of each group."""
    table, columns = audit.table, audit.group_columns()
    names, labels = shown(table.groups.tolist()), shown(table.labels.tolist(), LABEL_WIDTH)
    cube = table.cube if table.predicts_labels else None
    groups = []
    for i, name in enumerate(names):
        rows, weight = float(columns["rows"][i]), float(table.group_totals[i])
        true = table.totals[i] / weight
        square = None if cube is None else cube[i]
        groups.append(
            Group(
                name,
                quantity(rows),
                percent(weight / table.totals.sum()),
                _errors(columns, i),
                _labels(true, square, weight),
                None if square is None or i >= MOST_CONFUSED else _confusion(table.in_rows(square)),
            )
        )
    return Groups(
        groups, labels, cube is not None, len(names) <= MOST_OPEN, len(names) > MOST_CONFUSED
    )


def _errors(columns: dict[str, Array], i: int) -> Errors | None:
    if "mean_cost" not in columns:
        return None
    low, high = float(columns["too_low"][i]), float(columns["too_high"][i])
    right = 1.0 - low - high
    parts = (round(100 * low, 2), round(100 * right, 2), round(100 * high, 2))
    cost = number(float(columns["mean_cost"][i]))
    return Errors(cost, percent(low), percent(right), percent(high), parts)


def _labels(true: Array, square: Array | None, weight: float) -> list[Share]:
    predicted = [""] * len(true) if square is None else map(percent, square.sum(axis=0) / weight)
    return [Share(percent(t), p) for t, p in zip(true.tolist(), predicted, strict=True)]


def _confusion(square: Array) -> list[list[Counted]] | None:
    """Counts of true labels (rows) by predicted ones; shades are shares of the row."""
    if len(square) > MOST_LABELS:
        return None
    shares = square / np.maximum(square.sum(axis=1, keepdims=True), 1e-300)
    return [
        [
            Counted(quantity(float(square[y, p])), _shade(float(shares[y, p])), y == p)
            for p in range(len(square))
        ]
        for y in range(len(square))
    ]


def _shade(share: float) -> str:
    strength = round(SHADES * share)
    return f"heat{strength}" if strength else ""
