"""The last sections of every report: what was done, and what to bear in mind."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Mapping
from importlib.metadata import PackageNotFoundError, version
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator

from fairordinal._audit import Audit
from fairordinal._costs import cost_matrix
from fairordinal._render import confidence_level, quantity
from fairordinal._validation import Array
from fairordinal.frontier import FairOrdinalFrontier
from fairordinal.report._page import display_names, user_text
from fairordinal.thresholds import ThresholdResult

MOST_NAMES = 30  # groups or labels in a list
MOST_LETTERS = 600  # letters of a setting

COSTS = {
    "absolute": "the distance between the labels",
    "zero_one": "1 for every error",
    "squared": "the squared distance between the labels",
    "asymmetric": "the distance between the labels, doubled if the prediction is too high",
}
METHODS = {  # intervals of an audit, in words
    "delta": "the delta method",
    "bootstrap": "bootstrap",
    "distribution_free": "a bound for any distribution",
}
TECHNICAL = {  # parameters of a frontier, in words
    "estimator": "Estimator of the scores",
    "basis": "Kind of models tried",
    "ranker": "How scores are made fair",
    "loss": "Loss of a pair of rows",
    "alpha": "Strength of the penalty on coefficients",
    "cv": "Cross-validation, folds",
    "tol": "Tolerance of a fit",
    "max_iter": "Most steps of a fit",
    "max_time": "Most seconds for the cut points of a model",
    "n_jobs": "Processes",
    "random_state": "Seed of the folds",
}


# What was done


class Fact(NamedTuple):
    """A line of the section."""

    name: str
    value: str


def facts(
    audit: Audit | None,
    thresholds: ThresholdResult | None,
    frontier: FairOrdinalFrontier | None,
    data: Mapping[str, Any] | None,
    settings: Mapping[str, Any] | None,
    date: datetime.date | None,
    limit: float | None,
    higher_is: str | None = None,
) -> dict[str, Any]:
    """Data, settings, date and version; lines of the user come first."""
    result = thresholds if frontier is None else frontier.points_[0].result
    table = audit.table if audit is not None else result.score_table if result else None
    return {
        "data": [*_user_facts(data), *_data_facts(audit, table)],
        "settings": [
            *_user_facts(settings),
            *([] if limit is None else [Fact("Limit", f"a violation of at most {limit:g}")]),
            *_direction(audit.higher_is if audit is not None else higher_is),
            *([] if audit is None else _audit_facts(audit)),
            *([] if frontier is None else _frontier_facts(frontier)),
            *([] if thresholds is None else _threshold_facts(thresholds)),
        ],
        "technical": [] if frontier is None else [*_technical_facts(frontier)],
        "date": (date or datetime.date.today()).isoformat(),
        "version": _version(),
    }


def check_date(date: Any) -> None:
    """Refuse what is not a date."""
    if date is not None and not isinstance(date, datetime.date):
        raise TypeError(f"date must be a date, not text or a number; got {date!r}.")


def check_lines(lines: Any, name: str) -> None:
    """Refuse what is not a mapping of names to texts."""
    if lines is not None and not isinstance(lines, Mapping):
        raise TypeError(f"{name} must be a mapping of names to texts, got {type(lines).__name__}.")


def _user_facts(given: Mapping[str, Any] | None) -> list[Fact]:
    return [Fact(user_text(name), user_text(value)) for name, value in (given or {}).items()]


def _data_facts(audit: Audit | None, table: Any) -> Iterator[Fact]:
    if table is not None:
        yield Fact("Rows", quantity(float(table.rows.sum())))
        if table.survey is not None:
            yield Fact("Sum of weights", quantity(float(table.in_rows(table.group_totals).sum())))
        yield Fact("Groups", _name_list(table.groups.tolist(), "; "))
        yield Fact("Labels, ascending", _name_list(table.labels.tolist(), " < "))
    for note in [] if audit is None else audit.notes():
        yield Fact("Note", user_text(note))


def _name_list(names: list[Any], separator: str) -> str:
    """Names in full; if there are many, the first of them."""
    whole = [name.whole for name in display_names(names)]
    more = [] if len(whole) <= MOST_NAMES else [f"… ({len(whole)} in all)"]
    return separator.join([*whole[:MOST_NAMES], *more])


def _direction(higher_is: str | None) -> list[Fact]:
    return [] if higher_is is None else [Fact("Higher labels are", f"{higher_is} for people")]


def _audit_facts(audit: Audit) -> Iterator[Fact]:
    criteria = ", ".join(finding.criterion.title for finding in audit.findings)
    method, confidence = METHODS[audit.interval], confidence_level(audit.confidence)
    yield Fact("Audited for", criteria)
    yield Fact("Intervals", f"{confidence}, by {method}, for all pairs of groups at once")
    if audit.table.predicts_labels:
        yield Fact("Cost of an error", _cost_text(audit.cost, audit.table.labels))


def _cost_text(cost: Array, labels: Array) -> str:
    """The cost matrix in words."""
    for name, words in COSTS.items():
        if np.array_equal(cost, cost_matrix(name, labels)):
            return words
    return "a given cost matrix"


def _threshold_facts(result: ThresholdResult) -> Iterator[Fact]:
    goal = result.goal
    aim = "least mean cost"
    if goal.hard:
        aim += f" with a violation of at most {goal.limit:g}"
    elif goal.penalty:
        aim += f" plus {goal.penalty:.4g} times the violation"
    if goal.surcharge:
        aim += f", and a surcharge of {goal.surcharge:.3g} on all labels but the best constant one"
    yield Fact("Goal of the cut points", f"{aim} ({result.criterion.title})")
    yield Fact("Search for cut points", result.method.replace("_", " "))


def _frontier_facts(frontier: FairOrdinalFrontier) -> Iterator[Fact]:
    result = frontier.points_[0].result
    yield Fact("Criterion of the frontier", frontier.criterion_.title)
    yield Fact("Cost of an error, in the frontier", _cost_text(result.cost_matrix, result.labels))
    yield Fact("Confidence of its intervals", confidence_level(frontier.confidence))


def _technical_facts(frontier: FairOrdinalFrontier) -> Iterator[Fact]:
    """Settings of the frontier that only specialists need."""
    values = frontier.get_params(deep=False)
    for name, words in TECHNICAL.items():
        value = values[name]
        if isinstance(value, BaseEstimator):
            value = type(value).__name__
        if value is not None:
            yield Fact(words, user_text(value)[:MOST_LETTERS])


def _version() -> str:
    try:
        return version("fairordinal")
    except PackageNotFoundError:  # run from a source tree
        return "(not installed)"


# What to bear in mind


class Caveat(NamedTuple):
    """A heading and its paragraphs."""

    heading: str
    paragraphs: list[str]


MEANING = Caveat(
    "What pairwise fairness means",
    [
        "The labels have an order. A pairwise criterion takes two people from different groups and "
        "asks how often each is placed above the other. A violation of 0 means: equally often, for "
        "any two groups. A violation of 1 means that one group is always placed above another.",
        "Demographic parity asks this of all pairs. Equal opportunity asks it of pairs whose true "
        "labels differ: is the person with the higher true label placed higher equally often in "
        "both groups? Equalized odds asks this too, and the same of people whose true label is "
        "not lower.",
    ],
)
NOT_MEANT = Caveat(
    "What it does not mean",
    [
        "It does not mean that the true labels are just. If they record past unfairness, equal "
        "opportunity and low cost repeat it.",
        "It is about groups, not about individuals, and only about the groups named here. Two "
        "groups may be equal while a part of one of them is not.",
        "It rewards neither accuracy nor usefulness: giving everyone the same label is perfectly "
        "fair in this sense.",
        "Criteria conflict: if the groups differ in their true labels, demographic parity, equal "
        "opportunity and low cost cannot all be achieved at once. Which of them matters is a "
        "decision for people; the numbers do not make it.",
    ],
)
INTENDED_USE = Caveat(
    "Intended use",
    [
        "This report informs a decision about a predictor of ordered labels, made by people who "
        "know what the labels mean and whom they concern. It does not prove that a predictor is "
        "lawful or fair in every sense. It does not apply to rows of another kind than those "
        "described here.",
    ],
)
UNDEFINED = (
    "A comparison is undefined if there are no pairs of people to compare. It is listed as "
    "undefined and is not part of the violation. Nothing is known about those groups; this does "
    "not mean that they are treated fairly."
)
INTERVALS = (
    "Intervals describe the uncertainty from the random choice of rows, for all pairs of groups at "
    "once. They do not cover wrong labels, missing people, or changes after the data was "
    "collected. Few rows make wide intervals: “no clear evidence” does not mean “fair”."
)
EXPECTED = (
    "Values for new rows are estimated by cross-validation, for rows like those given. They are "
    "slightly optimistic for a model that was picked because it looked best; held-out rows give "
    "better estimates."
)
TRAINING = (
    "Shares, costs and cut points of scores are measured on the rows on which the cut points were "
    "found, unless stated otherwise; they will differ on new rows."
)
PAIRED = (
    "Differences are between two predictors of the same rows, so that variation that they share "
    "cancels out. They hold for these rows and this criterion."
)


def caveats(*, frontier: bool, scores: bool, paired: bool = False) -> list[Caveat]:
    """The section for a page with these parts."""
    uncertainty = [INTERVALS, UNDEFINED]
    uncertainty += [EXPECTED] * frontier + [TRAINING] * scores + [PAIRED] * paired
    return [MEANING, NOT_MEANT, INTENDED_USE, Caveat("How certain the numbers are", uncertainty)]
