"""An audit as text for a terminal and as HTML for a notebook, with the same tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fairordinal._audit._disparities import Finding
from fairordinal._audit._metric_comparison import disagreements
from fairordinal._near_constant import near_constant
from fairordinal._render import (
    Markup,
    confidence_level,
    html_page,
    html_table,
    interval_bar,
    name_of,
    names_of,
    number,
    paragraphs,
    percent,
    percents,
    quantity,
    short_names,
    text_table,
)
from fairordinal.criteria import HarmParity, PairwiseCriterion

if TYPE_CHECKING:
    from fairordinal._audit._audit_result import Audit

MOST_GROUPS = 12  # rows of the table of groups
MOST_LABELS = 8  # labels that are listed by name
NAME_WIDTH = 18  # characters of a group's name in a terminal
TOO_SMALL = " (too small)"  # beside the name of a group
NO_LIMIT = 10**6  # names in a notebook are not shortened

Table = tuple[list[str], list[list[str]]]


def as_text(audit: Audit) -> str:
    """Return the audit as text for a terminal."""
    blocks = [
        paragraphs(_headline(audit)),
        text_table(*_violations(audit, NAME_WIDTH), left=(0, 4)),
        text_table(*_groups(audit, 2 * NAME_WIDTH)),
    ]
    if audit.comparison is not None:
        blocks.append(text_table(*_comparisons(audit)))
        blocks.append(paragraphs(disagreements(audit.comparison)))
    blocks.append(paragraphs(_closing(audit)))
    return "\n\n".join(block for block in blocks if block)


def as_html(audit: Audit) -> str:
    """Return the audit as HTML for a notebook."""
    header, rows = _violations(audit, NO_LIMIT)
    bars = [_bar(finding) for finding in audit.findings]
    drawn = [[*row[:3], bar, *row[3:]] for row, bar in zip(rows, bars, strict=True)]
    parts = [
        *_headline(audit),
        html_table([*header[:3], "", *header[3:]], drawn, left=(0, 3, 4, 5)),
        html_table(*_groups(audit, NO_LIMIT)),
    ]
    if audit.comparison is not None:
        parts += [html_table(*_comparisons(audit)), *disagreements(audit.comparison)]
    return html_page(*parts, *_closing(audit))


def _headline(audit: Audit) -> list[str]:
    """Lines about the rows and the intervals."""
    table = audit.table
    names = [name_of(label) for label in table.labels.tolist()]
    if len(names) > MOST_LABELS:
        names = [*names[: MOST_LABELS - 2], "…", names[-1]]
    axis = "labels" if table.predicts_labels else f"{len(table.axis):,} distinct scores"
    rows = f"{quantity(table.rows.sum())} rows"
    if table.survey is not None:
        rows += f" (sum of weights {quantity(table.in_rows(table.group_totals).sum())})"
    return [
        f"Audit of {rows}: {len(table.groups)} groups, "
        f"{len(table.labels)} labels {' < '.join(names)}, predictions are {axis}",
        f"{confidence_level(audit.confidence)} intervals ({audit.interval.replace('_', '-')}), "
        "simultaneous over pairs of groups",
    ]


def _violations(audit: Audit, width: int) -> Table:
    """Header and rows of the table of criteria."""
    marked = any(finding.headline != finding.worst for finding in audit.findings)
    pair = "main pair (* not the worst, see below)" if marked else "worst pair"
    header = ["criterion", "violation", "interval", "clear evidence", pair]
    return header, [_violation(finding, width) for finding in audit.findings]


def _violation(finding: Finding, width: int) -> list[str]:
    if finding.headline is None:
        return [finding.criterion.title, "undefined", "–", "–", "–"]
    lower, upper = finding.violation_interval
    is_worst = finding.headline == finding.worst
    mark = "" if is_worst else f": {number(finding.disparities[finding.headline])} *"
    _, group, other = finding.headline
    names = short_names(finding.table.groups.tolist(), width)
    return [
        finding.criterion.title,
        number(finding.violation),
        f"{number(lower)} … {number(upper)}",
        "yes" if lower > 0 else "no",
        f"{names[group]} > {names[other]}{mark}" if finding.violation > 0 else "–",
    ]


def _bar(finding: Finding) -> Markup:
    """Draw the interval of a violation in [0, 1]; empty for harms, which are in units of cost."""
    if finding.criterion.scale(finding.table) != 1:
        return Markup("")
    return interval_bar(finding.violation, *finding.violation_interval)


def _groups(audit: Audit, width: int) -> Table:
    """Header and rows of the table of groups."""
    columns = audit.group_columns()
    totals = audit.table.group_totals
    shares = totals / totals.sum()
    weight = ["weight"] * ("weight" in columns)
    header, cells = ["group", "rows", *weight, "share"], []
    if "mean_cost" in columns:
        header += ["mean cost", "rated too low", "rated too high"]
    names = short_names(audit.table.groups.tolist(), width)
    small = audit.findings[0].too_small.tolist()
    names = [name + TOO_SMALL * mark for name, mark in zip(names, small, strict=True)]
    for i, name in enumerate(names[:MOST_GROUPS]):
        numbers = [quantity(columns[each][i]) for each in ("rows", *weight)]
        row = [name, *numbers, percent(shares[i])]
        if "mean_cost" in columns:
            row.append(number(columns["mean_cost"][i]))
            row += [percent(columns["too_low"][i]), percent(columns["too_high"][i])]
        cells.append(row)
    hidden = len(audit.table.groups) - len(cells)
    if hidden:
        cells.append([f"… {hidden} more, see .group_frame()"] + [""] * (len(header) - 1))
    return header, cells


def _comparisons(audit: Audit) -> Table:
    """Header and rows of the table of other metrics."""
    header = ["other metric", "value", "pairwise", "within 0.05"]
    answer = {True: "yes", False: "no", None: "–"}
    rows = [
        [row.metric, number(row.value), number(row.pairwise_value), answer[row.agree]]
        for row in audit.comparison or ()
    ]
    return header, rows


def _closing(audit: Audit) -> list[str]:
    """Sentences below the tables: the main pair of the first criterion, and notes."""
    first = audit.findings[0]
    place = first.headline
    lines = [_in_words(first, place)] if place and first.disparities[place] > 0 else []
    one = near_constant(audit.table) if audit.table.predicts_labels else None
    if one is not None:
        lines.insert(0, f"{one}: these predictions hardly tell people apart.")
    lines += _direction(audit)
    lines += [note for finding in audit.findings for note in finding.notes()] + audit.notes()
    if audit.table.reading_is_guessed:
        other = "scores" if audit.table.predicts_labels else "labels"
        lines.append(f"If they are {other}, pass predictions={other!r}.")
    return lines


def _direction(audit: Audit) -> list[str]:
    """What 'a > b' says about the groups a and b."""
    lines, criteria = [], [finding.criterion for finding in audit.findings]
    if audit.higher_is and any(isinstance(c, PairwiseCriterion) for c in criteria):
        is_placed = "favoured" if audit.higher_is == "better" else "disadvantaged"
        lines.append(f"Higher labels are {audit.higher_is}: 'a > b' means that a is {is_placed}.")
    return lines + [_meaning_of_harm(c) for c in criteria if isinstance(c, HarmParity)][:1]


def _meaning_of_harm(criterion: HarmParity) -> str:
    if criterion.higher_is is None:
        return (
            "Costs of too-low ratings are in units of cost; there 'a > b' means that being rated "
            "too low costs a more."
        )
    harmed = "low" if criterion.higher_is == "better" else "high"
    return (
        f"Harms are costs of being rated too {harmed}; there 'a > b' means that a is harmed more."
    )


def _in_words(finding: Finding, place: tuple[int, int, int]) -> str:
    """A sentence about the pair of groups at a place."""
    part, group, other = place
    names = names_of(finding.table.groups.tolist())
    forward = finding.probabilities[part, group, other]
    backward = finding.probabilities[part, other, group]
    if finding.criterion.name != "demographic_parity":
        kind = finding.headline_kind.capitalize()
        return (
            f"{kind} by {finding.criterion.title}: {number(forward)} for {names[group]!r} and "
            f"{number(backward)} for {names[other]!r}."
        )
    above, below = percents(forward, backward)
    return (
        f"Of pairs with one row of each, {names[group]!r} is predicted above {names[other]!r} in "
        f"{above} and below in {below}."
    )
