"""Views of the groups of an audit: size, errors, labels and confusion matrix of each."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fairordinal._audit import SMALL_GROUPS_RULE, Audit
from fairordinal._render import number, percent, quantity
from fairordinal._validation import Array
from fairordinal.report._numbers import SHADES
from fairordinal.report._page import LABEL_WIDTH, Name, display_names

MOST_OPEN_GROUPS = 6  # groups whose confusion matrices are shown at first
MOST_CONFUSIONS = 60  # groups with a confusion matrix in the page
MOST_LABELS = 30  # labels of a confusion matrix


class LabelShare(NamedTuple):
    """How often a label is true, and how often it is predicted."""

    true: str
    predicted: str


class ConfusionCell(NamedTuple):
    """Number of rows with a true and a predicted label."""

    text: str
    shade: str
    correct: bool


class ErrorRates(NamedTuple):
    """How often and how badly the labels of a group are wrong."""

    mean_cost: str
    too_low: str
    correct: str
    too_high: str
    widths: tuple[float, float, float]  # of too low, correct and too high, in percent


class GroupView(NamedTuple):
    """A group with its size, errors, labels and confusion matrix."""

    name: Name
    rows: str
    weight: str  # with survey weights
    share: str
    errors: ErrorRates | None
    too_small: bool
    labels: list[LabelShare]
    confusion: list[list[ConfusionCell]] | None


class GroupsView(NamedTuple):
    """All groups, and the names of the labels."""

    groups: list[GroupView]
    labels: list[Name]
    with_predictions: bool
    rule: str  # which groups are too small; empty if none is
    open: bool  # whether confusion matrices are shown at first
    shortened: bool  # whether some confusion matrices are left out


def groups_view(audit: Audit) -> GroupsView:
    """View of each group; those that are too small by the first criterion are marked."""
    table, columns, first = audit.table, audit.group_columns(), audit.findings[0]
    names = display_names(table.groups.tolist())
    cubes = table.cube if table.predicts_labels else [None] * len(names)
    groups = [
        _group_view(audit, columns, i, name, counts)._replace(too_small=bool(first.too_small[i]))
        for i, (name, counts) in enumerate(zip(names, cubes, strict=True))
    ]
    return GroupsView(
        groups,
        display_names(table.labels.tolist(), LABEL_WIDTH),
        table.predicts_labels,
        f"Groups may be too small for a conclusion by {first.criterion.title}. {SMALL_GROUPS_RULE}"
        if first.too_small.any()
        else "",
        len(names) <= MOST_OPEN_GROUPS,
        len(names) > MOST_CONFUSIONS,
    )


def mean_cost(audit: Audit) -> float:
    """Mean cost of all rows; nan for scores."""
    columns = audit.group_columns()
    if "mean_cost" not in columns:
        return float("nan")
    totals = audit.table.group_totals
    return float(columns["mean_cost"] @ (totals / totals.sum()))


def _group_view(
    audit: Audit, columns: dict[str, Array], i: int, name: Name, counts: Array | None
) -> GroupView:
    """View of group i; `counts` are weights by true and predicted label."""
    table, sample = audit.table, audit.table.unweighted
    weight = float(table.group_totals[i])
    return GroupView(
        name,
        quantity(float(columns["rows"][i])),
        quantity(float(columns["weight"][i])) if "weight" in columns else "",
        percent(weight / table.totals.sum()),
        _error_rates(columns, i),
        False,
        _label_shares(table.totals[i] / weight, counts, weight),
        None
        if counts is None or i >= MOST_CONFUSIONS
        else _confusion(sample.in_rows(sample.cube[i])),
    )


def _error_rates(columns: dict[str, Array], i: int) -> ErrorRates | None:
    if "mean_cost" not in columns:
        return None
    low, high = float(columns["too_low"][i]), float(columns["too_high"][i])
    correct = 1.0 - low - high
    widths = (round(100 * low, 2), round(100 * correct, 2), round(100 * high, 2))
    cost = number(float(columns["mean_cost"][i]))
    return ErrorRates(cost, percent(low), percent(correct), percent(high), widths)


def _label_shares(true: Array, counts: Array | None, weight: float) -> list[LabelShare]:
    predicted = [""] * len(true) if counts is None else map(percent, counts.sum(axis=0) / weight)
    return [LabelShare(percent(t), p) for t, p in zip(true.tolist(), predicted, strict=True)]


def _confusion(counts: Array) -> list[list[ConfusionCell]] | None:
    """Rows by true label (line) and predicted label (column); shades are shares of the line."""
    if len(counts) > MOST_LABELS:
        return None
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1e-300)  # a line may be empty
    labels = range(len(counts))
    return [
        [
            ConfusionCell(quantity(float(counts[y, f])), _share_shade(shares[y, f]), y == f)
            for f in labels
        ]
        for y in labels
    ]


def _share_shade(share: float) -> str:
    strength = round(SHADES * float(share))
    return f"heat{strength}" if strength else ""
