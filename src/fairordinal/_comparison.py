"""What metrics made for two classes say of ordered labels, beside the pairwise notions.

Libraries for binary decisions take label 1 as "selected" and look at nothing else; standard
notions look at labels one by one. Both are computed here from the counts, as those libraries
compute them, so that an audit can say where they disagree with the pairwise notions and why.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from fairordinal._render import name_of, number, percent
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
FAIR = 0.05  # what people tend to pass as fair
APART = 0.05  # values farther apart than this, on two sides of FAIR, disagree


@dataclass(frozen=True)
class Comparison:
    """A metric of another kind beside the pairwise notion it stands in for."""

    metric: str
    value: float
    pairwise_notion: str
    pairwise_value: float
    why: str  # empty if the two agree


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
        rows.append((standard.title, standard.violation(table), notion, ""))
    return tuple(
        _compared(metric, value, notion.title, notion.violation(table), why)
        for metric, value, notion, why in rows
    )


def _compared(metric: str, value: float, notion: str, pairwise: float, why: str) -> Comparison:
    if np.isnan(value) or np.isnan(pairwise):
        return Comparison(metric, value, notion, pairwise, "one of them is undefined here")
    apart = abs(value - pairwise) > APART and (value < FAIR) != (pairwise < FAIR)
    if not apart:
        why = ""
    elif not why or value > pairwise:
        why = _why_standard(value, pairwise)
    return Comparison(metric, value, notion, pairwise, why)


def _why_standard(value: float, pairwise: float) -> str:
    if value > pairwise:
        return (
            "label by label the groups differ, but the differences balance: neither group is "
            "placed above the other more often"
        )
    return (
        "label by label the groups fare alike, but they hold different labels, and comparisons "
        "across labels add up"
    )


def _label_one(table: ScoreTable) -> Array:
    """Which labels are 1, as binary libraries look for it."""
    return np.array([label == 1 for label in table.labels.tolist()])


def _selected(table: ScoreTable) -> Array:
    """Share of each group that is predicted 1."""
    return table.cube[:, :, _label_one(table)].sum(axis=(1, 2)) / table.rows


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
    names = [name_of(group) for group in table.groups.tolist()]
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
