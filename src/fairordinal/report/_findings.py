"""Disparities of pairs of groups: a matrix, and a list with the worst first."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from fairordinal._audit import Audit, Finding
from fairordinal._render import names_of, number, quantity
from fairordinal._validation import Array
from fairordinal.criteria import (
    ConditionalHarmParity,
    Criterion,
    HarmParity,
    PairwiseCriterion,
)
from fairordinal.report._names import Name, shown, text
from fairordinal.report._scale import Axis, Tick, axis_around

MOST_IN_MATRIX = 60  # groups; more have no matrix
MOST_WITH_INTERVALS = 8  # groups whose matrix has room for them
MOST_IN_OTHERS = 12  # groups whose other notions have a matrix, too
MOST_PAIRS = 1000  # of the main notion
MOST_OPEN = 20  # pairs of the main notion that are seen at once, and of the others at all
MOST_WRITTEN = 1e9  # greater counts are written as powers of ten
RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
STRONGEST = 5  # shades of a colour
LEAST_LIMIT = 0.25  # of the colours, so that hardly any disparity looks like hardly any

QUESTIONS = {
    "demographic_parity": "Take one person of each group: is either as often placed above?",
    "conditional_demographic_parity": (
        "Take one person of each group, with different true labels: is either as often placed "
        "above?"
    ),
    "equal_opportunity": (
        "Of two people of different groups, the truly higher one should be placed higher. Does "
        "that happen as often for either group?"
    ),
    "equalized_odds": (
        "Equal opportunity, and the same for people who are truly not lower and placed not lower."
    ),
    "harm_parity": "Does being rated too low cost either group as much, on average?",
    "conditional_harm_parity": (
        "Among those rated too low: does it cost either group as much, on average?"
    ),
    "standard_demographic_parity": "Does either group get each label as often?",
    "standard_equal_opportunity": "Of the best, does either group get the best label as often?",
    "standard_equalized_odds": (
        "Of those with the same true label, does either group get each label as often?"
    ),
}


class Cell(NamedTuple):
    """A disparity in the matrix."""

    text: str
    interval: str
    shade: str  # a class of the style sheet


class Bar(NamedTuple):
    """An interval as a line and its estimate as a mark, in percent of an axis."""

    left: float
    width: float
    mark: float


class Pair(NamedTuple):
    """Two groups, the one with the greater value first."""

    group: str
    other: str
    part: str
    values: str
    disparity: str
    interval: str
    support: str
    clear: bool
    note: str
    bar: Bar | None


class Notion(NamedTuple):
    """A notion of fairness, as the page shows it."""

    title: str
    question: str
    first: str  # what the first group of a pair is, beside the second
    second: str
    reading: str  # of the matrix
    unit: str  # what is counted
    violation: str
    interval: str
    answer: str
    worst: str
    matrix: list[list[Cell]] | None
    pairs: list[Pair]
    hidden: int
    with_parts: bool
    ticks: list[Tick]
    zero: float
    limit: float | None


def notions(audit: Audit, main: Finding, limit: float | None) -> tuple[Notion, list[Notion]]:
    """The main notion, and all in the order of the audit."""
    names = shown(audit.table.groups.tolist())
    views = {
        id(finding): _notion(finding, names, limit if finding is main else None, finding is main)
        for finding in audit.findings
    }
    return views[id(main)], [views[id(finding)] for finding in audit.findings]


def _notion(finding: Finding, names: list[Name], limit: float | None, is_main: bool) -> Notion:
    most_in_matrix = MOST_IN_MATRIX if is_main else MOST_IN_OTHERS
    has_matrix = 2 < len(names) <= most_in_matrix
    most = MOST_PAIRS if is_main else 0 if has_matrix else MOST_OPEN
    rows = _worst_rows(finding, names, max(most, MOST_OPEN))
    axis = _axis(rows[:MOST_OPEN], limit)
    pairs = [_pair(row, axis if i < MOST_OPEN else None) for i, row in enumerate(rows[:most])]
    return Notion(
        finding.criterion.title,
        QUESTIONS.get(finding.criterion.name, ""),
        *wording(finding.criterion),
        number(finding.violation),
        interval_text(*finding.violation_interval),
        answer(finding),
        _worst(finding, names),
        _matrix(finding) if has_matrix else None,
        pairs,
        len(finding.places[0]) - len(pairs) if most else 0,
        len(finding.disparities) > 1,
        axis.ticks(4),
        axis.at(0.0),
        None if limit is None else axis.at(limit),
    )


def wording(criterion: Criterion) -> tuple[str, str, str, str]:
    """What it means that a group has the greater value, and of what it is one."""
    if isinstance(criterion, HarmParity | ConditionalHarmParity):
        reading = "How much more the group of the row is harmed than that of the column"
        return "harmed more", "than", reading, "people"
    if isinstance(criterion, PairwiseCriterion):
        reading = "How much more the group of the row is favoured than that of the column"
        return "favoured", "over", reading, "pairs of people"
    reading = "How much more often it is so for the row than for the column"
    return "more often", "than", reading, "people"


def answer(finding: Finding) -> str:
    """Whether the rows show a violation."""
    if finding.worst is None:
        return "undefined"
    lower = finding.violation_interval[0]
    return "yes" if lower > 0 else "not shown"


def interval_text(lower: float, upper: float) -> str:
    """An interval for people."""
    if lower != lower or upper != upper:
        return "–"
    ends = (number(round(end, 3) + 0.0) for end in (lower, upper))  # -0.0 + 0.0 is 0.0
    return " to ".join(ends).replace("-", "−")


def _worst_rows(finding: Finding, names: list[Name], most: int) -> list[dict[str, Any]]:
    """The rows of the greatest disparities, undefined ones last, with names as they are shown."""
    raw = names_of(finding.table.groups.tolist())
    known = {name: view.short for name, view in zip(raw, names, strict=True)}
    worst = np.argsort(-finding.listed(finding.disparities), kind="stable")[:most]  # nan is last
    return [
        row | {"group": known[row["group"]], "other": known[row["other"]]}
        for row in finding.rows(worst)
    ]


def _axis(rows: list[dict[str, Any]], limit: float | None) -> Axis:
    """An axis for the intervals of the worst pairs, 0 and the limit."""
    ends = [row[key] for row in rows for key in ("disparity", "lower", "upper")]
    return axis_around([0.0, limit or 0.0, *ends], least=0.1)


def _pair(row: dict[str, Any], axis: Axis | None) -> Pair:
    values = " / ".join(_value(row[key]) for key in ("probability", "other_probability"))
    return Pair(
        row["group"],
        row["other"],
        text(row["part"]) if row["part"] else "",
        values,
        signed(row["disparity"]),
        interval_text(row["lower"], row["upper"]),
        amount(row["support"]),
        bool(row["lower"] > 0),
        row["note"].removeprefix("undefined: "),
        None if axis is None else bar(row["disparity"], row["lower"], row["upper"], axis),
    )


def bar(value: float, lower: float, upper: float, axis: Axis) -> Bar | None:
    """An interval on an axis; None if there is none."""
    if math.isnan(value + lower + upper):
        return None
    left, right = axis.at(lower), axis.at(upper)
    return Bar(left, round(right - left, 2), axis.at(value))


def signed(value: float, digits: int = 3) -> str:
    """A number with its sign, which is no hyphen; zero has none."""
    if value != value:
        return "undefined"
    sign = "+" if round(value, digits) else ""
    return f"{round(value, digits) + 0.0:{sign}.{digits}f}".replace("-", "−")


def _value(value: float) -> str:
    return "–" if value != value else number(value)


def amount(value: float) -> str:
    """A count of which the size matters, not every digit."""
    if value < MOST_WRITTEN:
        return quantity(value)
    digits, power = f"{value:.2e}".split("e")
    return f"{digits} × 10{str(int(power)).translate(RAISED)}"


def _worst(finding: Finding, names: list[Name]) -> str:
    if finding.worst is None or not finding.violation > 0:
        return "–"
    _, group, other = finding.worst
    return f"{names[group].short} > {names[other].short}"


def _matrix(finding: Finding) -> list[list[Cell]]:
    """The disparity of each row's group over each column's; of several parts, the worst."""
    worst = np.argmax(np.nan_to_num(np.abs(finding.disparities), nan=-1.0), axis=0)[None]
    disparities, lower, upper = (
        np.take_along_axis(values, worst, axis=0)[0]
        for values in (finding.disparities, finding.lower, finding.upper)
    )
    n_groups = len(disparities)
    top = max(float(np.nanmax(np.abs(disparities), initial=0.0)), LEAST_LIMIT)
    return [
        [_cell(g, h, disparities, lower, upper, top) for h in range(n_groups)]
        for g in range(n_groups)
    ]


def _cell(g: int, h: int, disparities: Array, lower: Array, upper: Array, top: float) -> Cell:
    if g == h:
        return Cell("", "", "same")
    value, low, high = (float(values[g, h]) for values in (disparities, lower, upper))
    if math.isnan(value):
        return Cell("n/a", "", "undefined")
    roomy = len(disparities) <= MOST_WITH_INTERVALS
    star = "*" if low > 0 or high < 0 else ""
    written = signed(value) if roomy else signed(value, 2)
    ends = f"{signed(low)} to {signed(high)}" if roomy and not math.isnan(low + high) else ""
    return Cell(written + star, ends, shade(value, top))


def shade(value: float, top: float) -> str:
    """The class of a colour: orange for more, purple for less, in five strengths."""
    strength = min(math.ceil(STRONGEST * abs(value) / top - 0.5), STRONGEST)
    return f"{'more' if value > 0 else 'less'}{strength}" if strength > 0 else ""
