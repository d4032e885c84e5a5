"""Comparison of pairwise criteria with metrics that ignore the order of labels.

Libraries for binary decisions treat label 1 as "selected" and ignore the other labels. Standard
criteria treat labels as unordered classes. Both are computed here from the counts, with the
definitions of those libraries, so that an audit can report where and why they disagree with the
pairwise criteria.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from fairordinal._render import names_of, number, percent
from fairordinal._table import ScoreTable
from fairordinal._validation import Array
from fairordinal.criteria import (
    Criterion,
    DemographicParity,
    EqualOpportunity,
    StandardDemographicParity,
    StandardEqualizedOdds,
    StandardEqualOpportunity,
)

BINARY_PARITY = "demographic parity of label 1"
BINARY_OPPORTUNITY = "equal opportunity of label 1"
KNOWN_AS = (
    "this is what demographic_parity_difference of fairlearn and statistical_parity_difference "
    "of AIF360 compute; "
)
MOST_APART = 0.05  # greatest difference of two values that agree
ADD_UP = "each label differs little between the groups, but in pairs the differences add up"
BALANCE = "single labels differ more between the groups, but in pairs the differences balance"


@dataclass(frozen=True)
class MetricComparison:
    """A binary or standard metric, and the pairwise criterion that corresponds to it.

    Attributes
    ----------
    metric : str
        Title of the binary or standard metric.
    value : float
        Its value.
    pairwise_criterion : str
        Title of the pairwise criterion.
    pairwise_value : float
        The violation of the pairwise criterion.
    why : str
        Why the two disagree; empty if they agree.
    """

    metric: str
    value: float
    pairwise_criterion: str
    pairwise_value: float
    why: str

    @property
    def agree(self) -> bool | None:
        """Whether the two values differ by at most 0.05; None if one is undefined."""
        if np.isnan(self.value) or np.isnan(self.pairwise_value):
            return None
        return abs(self.value - self.pairwise_value) <= MOST_APART


def compare_metrics(table: ScoreTable) -> tuple[MetricComparison, ...]:
    """Compare binary and standard metrics with pairwise demographic parity and opportunity."""
    parity, opportunity = DemographicParity(), EqualOpportunity()
    only_ones = "it considers only rows whose true label is 1, and whether they are predicted 1"
    rows: list[tuple[str, float, Criterion, str]] = [
        (BINARY_PARITY, _range(_selected(table)), parity, _why_selected(table)),
        (BINARY_OPPORTUNITY, _range(_recognised(table)), opportunity, only_ones),
    ]
    for standard, pairwise in (
        (StandardDemographicParity(), parity),
        (StandardEqualOpportunity(), opportunity),
        (StandardEqualizedOdds(), opportunity),
    ):
        rows.append((standard.title, standard.violation(table), pairwise, ADD_UP))
    return tuple(
        _compared(metric, value, pairwise.title, pairwise.violation(table), why)
        for metric, value, pairwise, why in rows
    )


def _compared(
    metric: str, value: float, title: str, pairwise_value: float, why: str
) -> MetricComparison:
    """Compare two values; `why` explains a metric that is smaller than the pairwise violation."""
    reason = why if value < pairwise_value else BALANCE
    found = MetricComparison(metric, value, title, pairwise_value, reason)
    return found if found.agree is False else replace(found, why="")


def _label_one(table: ScoreTable) -> Array:
    """Mask of the labels that are equal to 1."""
    return np.array([label == 1 for label in table.labels.tolist()])


def _selected(table: ScoreTable) -> Array:
    """Share of each group that is predicted 1."""
    return table.cube[:, :, _label_one(table)].sum(axis=(1, 2)) / table.group_totals


def _recognised(table: ScoreTable) -> Array:
    """Share of each group's samples of true label 1 that are predicted 1."""
    one = _label_one(table)
    true = table.totals[:, one].sum(axis=1)
    hit = table.cube[:, one][:, :, one].sum(axis=(1, 2))
    return np.divide(hit, true, out=np.full(len(true), np.nan), where=true > 0)


def _range(rates: Array) -> float:
    """Difference of the greatest and the smallest rate."""
    return float(rates.max() - rates.min())


def _why_selected(table: ScoreTable) -> str:
    """Explain why parity of label 1 may be smaller than pairwise demographic parity."""
    rates = _selected(table)
    if not rates.any():
        return (
            f"{KNOWN_AS}label 1 counts as selected, no row is predicted 1, and other labels have "
            "no effect"
        )
    names = names_of(table.groups.tolist())
    low, high = int(rates.argmin()), int(rates.argmax())
    return (
        f"{KNOWN_AS}label 1 counts as selected, {percent(rates[low])} of {names[low]!r} and "
        f"{percent(rates[high])} of {names[high]!r}, and other labels have no effect"
    )


def disagreements(comparisons: tuple[MetricComparison, ...]) -> list[str]:
    """Return a sentence for each comparison that disagrees."""
    return [
        f"{row.metric} is {number(row.value)} where {row.pairwise_criterion} is "
        f"{number(row.pairwise_value)}: {row.why}."
        for row in comparisons
        if row.why
    ]
