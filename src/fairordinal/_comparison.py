"""What metrics made for two classes say of ordered labels, beside the pairwise notions.

Libraries for binary decisions take label 1 as "selected" and look at nothing else; standard
notions look at labels one by one. Both are computed here from the counts, as those libraries
compute them, so that an audit can say where they disagree with the pairwise notions and why.
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
APART = 0.05  # values farther apart than this disagree
ADD_UP = "no single label tells as much, but comparisons of labels add their differences up"
BALANCE = "label by label the groups differ more, but in comparisons the differences balance"


@dataclass(frozen=True)
class Comparison:
    """A metric of another kind beside the pairwise notion it stands in for."""

    metric: str
    value: float
    pairwise_notion: str
    pairwise_value: float
    why: str  # why they disagree; empty if they agree

    @property
    def agree(self) -> bool | None:
        """Whether they are within 0.05 of each other; None if one is undefined."""
        if np.isnan(self.value) or np.isnan(self.pairwise_value):
            return None
        return abs(self.value - self.pairwise_value) <= APART


def compare(table: ScoreTable) -> tuple[Comparison, ...]:
    """Binary and standard metrics beside pairwise demographic parity and equal opportunity."""
    parity, opportunity = DemographicParity(), EqualOpportunity()
    only_ones = "it looks only at rows whose true label is 1, and at whether they are predicted 1"
    rows: list[tuple[str, float, Criterion, str]] = [
        (BINARY_PARITY, _range(_selected(table)), parity, _why_selected(table)),
        (BINARY_OPPORTUNITY, _range(_recognised(table)), opportunity, only_ones),
    ]
    for standard, notion in (
        (StandardDemographicParity(), parity),
        (StandardEqualOpportunity(), opportunity),
        (StandardEqualizedOdds(), opportunity),
    ):
        rows.append((standard.title, standard.violation(table), notion, ADD_UP))
    return tuple(
        _compared(metric, value, notion.title, notion.violation(table), why)
        for metric, value, notion, why in rows
    )


def _compared(metric: str, value: float, notion: str, pairwise: float, why: str) -> Comparison:
    found = Comparison(metric, value, notion, pairwise, why if value < pairwise else BALANCE)
    return found if found.agree is False else replace(found, why="")


def _label_one(table: ScoreTable) -> Array:
    """Which labels are 1, as binary libraries look for it."""
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
    return float(rates.max() - rates.min())


def _why_selected(table: ScoreTable) -> str:
    rates = _selected(table)
    if not rates.any():
        return (
            f"{KNOWN_AS}label 1 counts as selected, no row is predicted 1, and all else is unseen"
        )
    names = names_of(table.groups.tolist())
    low, high = int(rates.argmin()), int(rates.argmax())
    return (
        f"{KNOWN_AS}label 1 counts as selected, {percent(rates[low])} of {names[low]!r} and "
        f"{percent(rates[high])} of {names[high]!r}, and the other labels are unseen"
    )


def as_lines(comparisons: tuple[Comparison, ...]) -> list[str]:
    """The comparisons that disagree, as sentences."""
    return [
        f"{row.metric} is {number(row.value)} where {row.pairwise_notion} is "
        f"{number(row.pairwise_value)}: {row.why}."
        for row in comparisons
        if row.why
    ]
