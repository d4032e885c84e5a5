"""What was done, with which data and settings: the rows that the parts of a report can tell."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator

from fairordinal._audit import Audit
from fairordinal._costs import cost_matrix
from fairordinal._render import percent, quantity
from fairordinal.frontier import FairOrdinalFrontier
from fairordinal.report._names import shown, text
from fairordinal.thresholds import ThresholdResult

MOST_NAMES = 30  # of groups or labels
MOST_TEXT = 600  # letters of a setting


PRICES = {
    "absolute": "how far the labels are apart",
    "zero_one": "1, whichever it is",
    "squared": "how far the labels are apart, squared",
    "asymmetric": "how far the labels are apart, doubled if too high",
}


class Fact(NamedTuple):
    """A line of the section."""

    name: str
    value: str


def of_data(audit: Audit | None, table: Any, given: Mapping[str, Any] | None) -> list[Fact]:
    """What is known of the rows, after what the user says."""
    facts = said(given)
    if table is not None:
        facts += [
            Fact("Rows", quantity(float(table.rows.sum()))),
            Fact("Groups", _listed(table.groups.tolist(), "; ")),
            Fact("Labels, ascending", _listed(table.labels.tolist(), " < ")),
        ]
    return facts + [Fact("Note", text(note)) for note in ([] if audit is None else audit.notes())]


def _listed(names: list[Any], between: str) -> str:
    """Names in full, unless they are many."""
    whole = [name.whole for name in shown(names)]
    more = [] if len(whole) <= MOST_NAMES else [f"… ({len(whole)} in all)"]
    return between.join([*whole[:MOST_NAMES], *more])


def of_settings(
    audit: Audit | None,
    thresholds: ThresholdResult | None,
    frontier: FairOrdinalFrontier | None,
    given: Mapping[str, Any] | None,
    limit: float | None,
) -> list[Fact]:
    """What was computed, and how."""
    facts = said(given)
    if limit is not None:
        facts.append(Fact("Limit", f"a violation of at most {limit:g}"))
    if audit is not None:
        facts += _audit(audit)
    if thresholds is not None:
        facts += _thresholds(thresholds)
    if frontier is not None:
        facts += [*_frontier(frontier)]
    return facts


def _audit(audit: Audit) -> list[Fact]:
    notions = ", ".join(finding.criterion.title for finding in audit.findings)
    method = audit.interval.replace("_", "-")
    return [
        Fact("Audited for", notions),
        Fact(
            "Intervals", f"{percent(audit.confidence)}, {method}, for all pairs of groups at once"
        ),
        *([Fact("Cost of an error", _price(audit))] if audit.table.predicts_labels else []),
    ]


def _price(audit: Audit) -> str:
    """The cost matrix in words."""
    for name, words in PRICES.items():
        if np.array_equal(audit.cost, cost_matrix(name, audit.table.labels)):
            return words
    return "as given"


def _thresholds(result: ThresholdResult) -> list[Fact]:
    goal = result.goal
    aim = "least mean cost"
    if goal.hard:
        aim += f" with a violation of at most {goal.allowance:g}"
    elif goal.price:
        aim += f" plus {goal.price:.4g} times the violation"
    if goal.surcharge:
        aim += f", and a surcharge of {goal.surcharge:.3g} on all labels but the best constant one"
    return [
        Fact("Cut points for", f"{aim} ({result.criterion.title})"),
        Fact("Search for cut points", result.method.replace("_", " ")),
    ]


def _frontier(frontier: FairOrdinalFrontier) -> Iterator[Fact]:
    yield Fact("Frontier for", frontier.criterion_.title)
    for name, value in sorted(frontier.get_params(deep=False).items()):
        if isinstance(value, BaseEstimator):
            value = type(value).__name__
        if name != "criterion" and value is not None:
            yield Fact(f"Frontier: {name}", text(value)[:MOST_TEXT])


def said(given: Mapping[str, Any] | None) -> list[Fact]:
    """Lines of the user."""
    return [Fact(text(name), text(value)) for name, value in (given or {}).items()]
