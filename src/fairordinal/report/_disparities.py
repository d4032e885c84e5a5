"""Views of the criteria of an audit: disparities of all pairs of groups.

A criterion has a matrix of all pairs of groups and a list of pairs, the largest disparity first.
Intervals are drawn on an axis and cells of the matrix are coloured by a *scale*, which pages that
compare two predictors share between them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from fairordinal._audit import Audit, Finding
from fairordinal._render import names_of, number
from fairordinal._validation import Array
from fairordinal.criteria import Criterion, HarmParity, PairwiseCriterion
from fairordinal.plotting import colour_limit, worst_parts
from fairordinal.report._numbers import (
    SHADES,
    Axis,
    Bar,
    Tick,
    axis_around,
    count_text,
    interval_bar,
    interval_text,
    signed,
)
from fairordinal.report._page import Name, display_names, user_text

MOST_IN_MATRIX = 60  # groups in the matrix of the main criterion; with more there is none
MOST_IN_OTHERS = 12  # groups in the matrix of other criteria
MOST_WITH_INTERVALS = 8  # groups in a matrix with room for intervals
MOST_PAIRS = 1000  # pairs of the main criterion
MOST_OPEN = 20  # pairs shown at first for the main criterion; for the others, all that are listed
SMALL_LAST = "; pairs with groups that are too small follow"

QUESTIONS = {
    "demographic_parity": (
        "Take one person from each of two groups: is each of them placed above the other equally "
        "often?"
    ),
    "conditional_demographic_parity": (
        "Take one person from each of two groups, with different true labels: is each of them "
        "placed above the other equally often?"
    ),
    "equal_opportunity": (
        "Take two people from different groups. The one with the higher true label should be "
        "placed higher: does this happen equally often for both groups?"
    ),
    "equalized_odds": (
        "Equal opportunity, and also: is a person whose true label is not lower placed not lower "
        "equally often?"
    ),
    "harm_parity": "Does being rated too {side} cost both groups the same on average?",
    "conditional_harm_parity": (
        "Among people who are rated too {side}: does it cost both groups the same on average?"
    ),
    "standard_demographic_parity": "Does each group get each label equally often?",
    "standard_equal_opportunity": (
        "Is each true label predicted correctly equally often in each group?"
    ),
    "standard_equalized_odds": (
        "Among people with the same true label: does each group get each label equally often?"
    ),
}

PLACED = {  # the group with the positive disparity, by what higher labels are
    None: ("placed higher", "than"),
    "better": ("favoured", "over"),
    "worse": ("disadvantaged", "compared with"),
}


class Scale(NamedTuple):
    """The axis of intervals, and the disparity that gets the strongest colour."""

    axis: Axis
    strongest: float


class MatrixCell(NamedTuple):
    """The disparity of a row's group compared with a column's group."""

    text: str
    interval: str
    shade: str  # a class of the style sheet


class PairView(NamedTuple):
    """Two groups, the one with the larger value first."""

    group: str
    other: str
    part: str
    values: str
    disparity: str
    interval: str
    support: str
    clear: bool  # the interval excludes 0
    note: str
    bar: Bar | None


class CriterionView(NamedTuple):
    """A criterion with its matrix and its list of pairs."""

    title: str
    question: str
    first: str  # header of the first group of a pair
    second: str  # header of the second group
    caption: str  # caption of the matrix
    unit: str  # what is counted
    values: str  # the two values that are compared
    violation: str
    interval: str
    evidence: str  # whether the interval of the violation excludes 0
    worst: str
    replaced: bool  # whether `worst` is another pair, because the worst one has too few rows
    matrix: list[list[MatrixCell]] | None
    pairs: list[PairView]
    hidden: int  # pairs that are left out
    order: str  # of the pairs
    with_parts: bool
    ticks: list[Tick]
    zero: float
    limit: float | None


def criterion_views(
    audit: Audit, main: Finding, limit: float | None
) -> tuple[CriterionView, list[CriterionView]]:
    """Views of the main criterion, and of all criteria in the order of the audit."""
    views = {
        id(finding): _criterion_view(finding, None, common_scale([finding], None), is_main=False)
        for finding in audit.findings
        if finding is not main
    }
    views[id(main)] = main_view(main, limit, common_scale([main], limit))
    return views[id(main)], [views[id(finding)] for finding in audit.findings]


def main_view(finding: Finding, limit: float | None, scale: Scale) -> CriterionView:
    """View of the criterion that the verdict is about."""
    return _criterion_view(finding, limit, scale, is_main=True)


def common_scale(findings: Sequence[Finding], limit: float | None) -> Scale:
    """A scale for the matrices and the largest disparities of one or more findings."""
    ends = [end for finding in findings for end in _interval_ends(finding)]
    axis = axis_around([0.0, limit or 0.0, *ends], least=0.1)
    return Scale(axis, max(colour_limit(worst_parts(finding)[0]) for finding in findings))


def _interval_ends(finding: Finding) -> list[float]:
    """Disparities and ends of intervals of the pairs whose intervals are drawn."""
    worst = _worst_pairs(finding)[:MOST_OPEN]
    values = (finding.disparities, finding.lower, finding.upper)
    return [end for value in values for end in finding.listed(value)[worst].tolist()]


def _worst_pairs(finding: Finding) -> Array:
    """Indices of the pairs, the largest disparity first.

    Pairs with a group that is set aside follow, then undefined ones.
    """
    _, g, h = finding.places
    disparity = finding.listed(finding.disparities)
    last = np.where(np.isnan(disparity), 2, finding.set_aside[g] | finding.set_aside[h])
    return np.lexsort((-disparity, last))


def _criterion_view(
    finding: Finding, limit: float | None, scale: Scale, *, is_main: bool
) -> CriterionView:
    names = display_names(finding.table.groups.tolist())
    has_matrix = 2 < len(names) <= (MOST_IN_MATRIX if is_main else MOST_IN_OTHERS)
    on_paper = has_matrix and len(names) <= MOST_WITH_INTERVALS  # wider matrices are not printed
    most = MOST_PAIRS if is_main else 0 if on_paper else MOST_OPEN
    pairs = _pair_views(finding, most, scale.axis)
    return CriterionView(
        finding.criterion.title,
        _question(finding.criterion),
        *wording(finding),
        number(finding.violation),
        interval_text(*finding.violation_interval),
        _evidence(finding),
        _worst_text(finding, names),
        finding.headline != finding.worst,
        _matrix(finding, scale.strongest) if has_matrix else None,
        pairs,
        len(finding.places[0]) - len(pairs) if most else 0,
        "the largest first" + SMALL_LAST * bool(finding.set_aside.any()),
        len(finding.disparities) > 1,
        scale.axis.ticks(4),
        scale.axis.at(0.0),
        None if limit is None else scale.axis.at(limit),
    )


def _question(criterion: Criterion) -> str:
    too_high = getattr(criterion, "higher_is", None) == "worse"
    return QUESTIONS.get(criterion.name, "").format(side="high" if too_high else "low")


def wording(finding: Finding) -> tuple[str, str, str, str, str]:
    """Headers of the two groups of a pair, caption of the matrix, what is counted and compared."""
    rows, columns = "How much more the group of the row", "than the group of the column"
    if isinstance(finding.criterion, HarmParity):
        if finding.criterion.higher_is is None:
            caption = f"How much more being rated too low costs the group of the row {columns}"
            return "costs more", "than", caption, "people", "mean costs"
        return "harmed more", "than", f"{rows} is harmed {columns}", "people", "mean harms"
    if isinstance(finding.criterion, PairwiseCriterion):
        first, second = PLACED[finding.higher_is]
        neutral = "How much more often the group of the row is placed above that of the column"
        caption = f"{rows} is {first} {columns}" if finding.higher_is else neutral
        return first, second, caption, "pairs of people", "rates"
    caption = "How much more often this happens to the group of the row than to that of the column"
    return "more often", "than", caption, "people", "rates"


def _evidence(finding: Finding) -> str:
    """Whether there is clear evidence of a violation."""
    if finding.worst is None:
        return "undefined"
    return "yes" if finding.violation_interval[0] > 0 else "no"


def _worst_text(finding: Finding, names: list[Name]) -> str:
    if finding.headline is None or not finding.disparities[finding.headline] > 0:
        return "–"
    _, group, other = finding.headline
    mark = "" if finding.headline == finding.worst else " *"
    return f"{names[group].short} > {names[other].short}{mark}"


def _pair_views(finding: Finding, most: int, axis: Axis) -> list[PairView]:
    """The pairs with the largest disparities; the first of them have a bar."""
    short = short_group_names(finding)
    rows = finding.rows(_worst_pairs(finding)[:most])
    return [pair_view(row, short, axis if i < MOST_OPEN else None) for i, row in enumerate(rows)]


def short_group_names(finding: Finding) -> dict[str, str]:
    """Names of groups as they are shown, by their names in the rows of a finding."""
    groups = finding.table.groups.tolist()
    return {
        name: view.short for name, view in zip(names_of(groups), display_names(groups), strict=True)
    }


def pair_view(row: dict[str, Any], short: dict[str, str], axis: Axis | None) -> PairView:
    """View of a pair of groups; it is drawn if there is an axis."""
    disparity, lower, upper = (row[key] for key in ("disparity", "lower", "upper"))
    values = (row["probability"], row["other_probability"])
    return PairView(
        short[row["group"]],
        short[row["other"]],
        user_text(row["part"]) if row["part"] else "",
        " / ".join("–" if value != value else number(value) for value in values),
        signed(disparity),
        interval_text(lower, upper),
        count_text(row["support"]),
        bool(lower > 0 or upper < 0),
        row["note"].removeprefix("undefined: "),
        None if axis is None else interval_bar(disparity, lower, upper, axis),
    )


def _matrix(finding: Finding, strongest: float) -> list[list[MatrixCell]]:
    """Disparities of all pairs; of several parts, the one with the largest disparity."""
    values = worst_parts(finding)
    groups = range(len(values[0]))
    return [[_matrix_cell(g, h, values, strongest) for h in groups] for g in groups]


def _matrix_cell(
    g: int, h: int, values: tuple[Array, Array, Array], strongest: float
) -> MatrixCell:
    if g == h:
        return MatrixCell("", "", "same")
    value, low, high = (float(array[g, h]) for array in values)
    if math.isnan(value):
        return MatrixCell("n/a", "", "undefined")
    has_space = len(values[0]) <= MOST_WITH_INTERVALS
    star = "*" if low > 0 or high < 0 else ""
    text = signed(value) if has_space else signed(value, 2)
    ends = f"{signed(low)} to {signed(high)}" if has_space and not math.isnan(low + high) else ""
    return MatrixCell(text + star, ends, _disparity_shade(value, strongest))


def _disparity_shade(value: float, strongest: float) -> str:
    """Class of a colour: orange for positive, purple for negative, in five strengths."""
    strength = min(math.ceil(SHADES * abs(value) / strongest - 0.5), SHADES)
    return f"{'more' if value > 0 else 'less'}{strength}" if strength > 0 else ""
