"""Thresholds in a terminal and in a notebook: the same tables, as text and as HTML."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fairordinal._render import (
    html_page,
    html_table,
    name_of,
    number,
    paragraphs,
    percent,
    short_names,
    text_table,
)

if TYPE_CHECKING:
    from fairordinal.thresholds._result import State, ThresholdResult

MOST_GROUPS = 5  # columns of the table of shares
NAME_WIDTH = 15

Table = tuple[list[str], list[list[str]]]


def as_text(result: ThresholdResult) -> str:
    """The result for a terminal."""
    blocks = [
        paragraphs([_headline(result)]),
        text_table(*_values(result)),
        text_table(*_labels(result)),
        paragraphs(_closing(result)),
    ]
    return "\n\n".join(blocks)


def as_html(result: ThresholdResult) -> str:
    """The result for a notebook."""
    tables = [html_table(*_values(result)), html_table(*_labels(result))]
    return html_page(_headline(result), *tables, *_closing(result))


def _headline(result: ThresholdResult) -> str:
    goal, title = result.goal, result.criterion.title
    if goal.hard:
        aim = f"least mean cost with {title} violation of at most {goal.allowance:g}"
    elif goal.price:
        aim = f"least mean cost + {goal.price:.4g} × violation of {title}"
    else:
        aim = "least mean cost"
    return f"Thresholds for {aim} ({result.method.replace('_', ' ')})"


def _values(result: ThresholdResult) -> Table:
    before, after = result.state(result.cheapest), result.after
    rows = [
        ["mean cost", number(before.cost), number(after.cost)],
        ["violation", number(before.violation, 4), number(after.violation, 4)],
    ]
    if result.goal.price and not result.goal.hard:
        rows.append(["objective", number(before.objective), number(after.objective)])
    return ["", "cheapest", "these"], rows


def _labels(result: ThresholdResult) -> Table:
    before, after = result.state(result.cheapest), result.after
    groups = short_names(result.groups.tolist(), NAME_WIDTH)[:MOST_GROUPS]
    header = ["label", "scores up to", *groups]
    rows = []
    for label, name in enumerate(result.labels.tolist()):
        cuts = f"{_score(before.up_to[label])} → {_score(after.up_to[label])}"
        shares = [_share(before, after, group, label) for group in range(len(groups))]
        rows.append([name_of(name), cuts, *shares])
    return header, rows


def _score(value: float) -> str:
    return "none" if value == float("-inf") else "∞" if value == float("inf") else f"{value:.4g}"


def _share(before: State, after: State, group: int, label: int) -> str:
    old, new = before.shares[group, label], after.shares[group, label]
    return f"{percent(old)} → {percent(new)}"


def _closing(result: ThresholdResult) -> list[str]:
    lines = []
    if result.is_optimal:
        lines.append("Proved: no thresholds on these scores are better.")
    elif result.method in ("certified", "exact"):
        lines.append(
            f"Proved: no thresholds have an objective below {result.lower_bound:.5f}; these are "
            f"within {result.gap:.1e} of it."
        )
    else:
        lines.append(
            f"Not proved: the best objective lies between {result.lower_bound:.4g} and "
            f"{result.objective:.4g}. method='certified' closes the gap."
        )
    if result.stopped_by:
        lines.append(f"The search was cut short by {result.stopped_by}.")
    if result.constant_label is not None:
        lines.append(
            f"The answer is the constant predictor: every row gets {name_of(result.constant_label)}"
            ". On these scores nothing else is worth its price in fairness; fairer scores would "
            "help."
        )
    hidden = len(result.groups) - MOST_GROUPS
    if hidden > 0:
        lines.append(f"{hidden} more groups: see .table().")
    return lines
