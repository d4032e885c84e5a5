"""A `ThresholdResult` as text for a terminal, and as HTML for a notebook."""

from __future__ import annotations

from decimal import ROUND_FLOOR, Context
from typing import TYPE_CHECKING, Any

import numpy as np

from fairordinal._render import (
    fits_terminal,
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


def as_text(result: ThresholdResult, before: Any = None, *, all_groups: bool = False) -> str:
    """The result for a terminal, beside the cut points `before` or those of least cost.

    With `all_groups`, groups have rows if they are many or their columns too wide.
    """
    tables = [_labels(result, before)]
    in_rows = all_groups and (len(result.groups) > MOST_GROUPS or not fits_terminal(*tables[0]))
    if in_rows:
        tables = [_cut_points(result, before), _groups(result, before)]
    blocks = [
        paragraphs([_headline(result)]),
        text_table(*_values(result, before)),
        *(text_table(*table) for table in tables),
        paragraphs(_closing(result, in_rows)),
    ]
    return "\n\n".join(blocks)


def as_html(result: ThresholdResult) -> str:
    """The result for a notebook."""
    tables = [html_table(*_values(result)), html_table(*_labels(result))]
    return html_page(_headline(result), *tables, *_closing(result))


def _headline(result: ThresholdResult) -> str:
    goal, title = result.goal, result.criterion.title
    if goal.hard:
        aim = f"least mean cost with {title} violation of at most {goal.limit:g}"
    elif goal.penalty:
        aim = f"least mean cost + {goal.penalty:.4g} × violation of {title}"
    else:
        aim = "least mean cost"
    return f"Thresholds for {aim} ({result.method.replace('_', ' ')})"


def _values(result: ThresholdResult, before: Any = None) -> Table:
    old, new = _states(result, before)
    rows = [
        ["mean cost", number(old.cost), number(new.cost)],
        ["violation", number(old.violation, 4), number(new.violation, 4)],
    ]
    if result.goal.penalty and not result.goal.hard:
        rows.append(["objective", number(old.objective), number(new.objective)])
    return ["", "cheapest" if before is None else "before", "these"], rows


def _states(result: ThresholdResult, before: Any) -> tuple[State, State]:
    return result.state_before(before), result.after


def _cut_points(result: ThresholdResult, before: Any) -> Table:
    """Cut points alone."""
    states, labels = _states(result, before), map(name_of, result.labels.tolist())
    return ["label", "scores up to"], [[name, _cut(*states, 0, i)] for i, name in enumerate(labels)]


def _groups(result: ThresholdResult, before: Any) -> Table:
    """Shares of the labels, with a row for each group."""
    states, labels = _states(result, before), [name_of(label) for label in result.labels.tolist()]
    names = short_names(result.groups.tolist(), 2 * NAME_WIDTH)
    rows = [
        [name, *(_share(*states, group, label) for label in range(len(labels)))]
        for group, name in enumerate(names)
    ]
    return ["share that gets", *labels], rows


def _labels(result: ThresholdResult, old: Any = None) -> Table:
    """Cut points and shares, before and after.

    Cut points have a column; if each group has its own, they are beside the shares.
    """
    before, after = _states(result, old)
    groups = short_names(result.groups.tolist(), NAME_WIDTH)[:MOST_GROUPS]
    by_group = result.thresholds.ndim == 2
    header = ["label", *([] if by_group else ["scores up to"]), *(f"share of {g}" for g in groups)]
    rows = []
    for label, name in enumerate(result.labels.tolist()):
        cuts = [_cut(before, after, group, label) for group in range(len(groups))]
        shares = [_share(before, after, group, label) for group in range(len(groups))]
        both = [f"{share}  ({cut})" for share, cut in zip(shares, cuts, strict=True)]
        rows.append([name_of(name), *(both if by_group else [cuts[0], *shares])])
    return header, rows


def _cut(before: State, after: State, group: int, label: int) -> str:
    return f"{_highest_score(before, group, label)} → {_highest_score(after, group, label)}"


def _share(before: State, after: State, group: int, label: int) -> str:
    return f"{percent(before.shares[group, label])} → {percent(after.shares[group, label])}"


def _highest_score(state: State, group: int, label: int) -> str:
    """The highest score of a label; none if its scores end where those of the label below end."""
    highest = state.up_to[group]
    below = highest[label - 1] if label else -np.inf
    if highest[label] <= below:
        return "none"
    return "∞" if highest[label] == np.inf else f"{highest[label]:.4g}"


def _closing(result: ThresholdResult, all_groups: bool = False) -> list[str]:
    """What is proved, and what readers should know about the thresholds."""
    lines = [_certificate(result)]
    if result.goal.surcharge:
        lines.append(
            f"All labels but the best constant one carry a surcharge of {result.goal.surcharge:.3g}"
            ": with fewer labels in use, it is more certain that the limit is kept."
        )
    if result.stopped_by:
        lines.append(f"The search was cut short by {result.stopped_by}.")
    if result.thresholds.ndim == 2:
        lines.append("Each group has its own thresholds: predictions need the group.")
    if result.near_constant is not None:
        lines.insert(0, hardly_tells_apart(result))
    hidden = len(result.groups) - MOST_GROUPS
    if hidden > 0 and not all_groups:
        lines.append(f"Groups that are not shown: {hidden}; see .frame().")
    return lines


def hardly_tells_apart(result: ThresholdResult) -> str:
    """That nearly all people get one label, and what to do."""
    text = f"{result.near_constant}: these cut points hardly tell people apart"
    if not result.goal.penalty:  # fairness was not asked for
        return f"{text}."
    if result.of_fair_model:
        return f"{text}; allow a larger violation."
    if not result.limit_is_reason:
        return f"{text}. Nor do those of least cost: a larger violation would not help."
    return (
        f"{text}; train a fair model (FairOrdinalClassifier, `fairordinal fit`), or allow a larger "
        "violation."
    )


def _certificate(result: ThresholdResult) -> str:
    """What is proved: no other cut points have a lower cost, or how much lower it may be."""
    bound, value = _rounded_down(result.lower_bound), f"{result.objective:.4g}"
    if result.is_optimal:
        return "Proved: no cut points on these scores are better."
    if result.method in ("certified", "exact"):
        return f"Proved: no cut points {_objective_text(result, bound, value)}."
    remedy = "" if result.thresholds.ndim == 2 else " method='certified' closes the gap."
    return f"Not proved: the best objective lies between {bound} and {value}.{remedy}"


def _objective_text(result: ThresholdResult, bound: str, value: str) -> str:
    """The lower bound of the objective in words, and the objective of these cut points."""
    goal = result.goal
    if goal.penalty and not goal.hard:
        objective = f"mean cost + {goal.penalty:.4g} × violation"
        return f"have a {objective} below {bound}; these have {value}"
    within = "within the limit " if goal.hard else ""
    charged = ", with the surcharge" if goal.surcharge else ""
    return f"{within}cost less than {bound}; these cost {value}{charged}"


def _rounded_down(bound: float) -> str:
    """A lower bound with four digits, which is still a lower bound."""
    four_digits = Context(prec=4, rounding=ROUND_FLOOR)
    return f"{float(four_digits.create_decimal(repr(float(bound)))):.4g}"
