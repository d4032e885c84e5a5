"""A `ThresholdResult` as text for a terminal, and as HTML for a notebook."""

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
        aim = f"least mean cost with {title} violation of at most {goal.limit:g}"
    elif goal.penalty:
        aim = f"least mean cost + {goal.penalty:.4g} × violation of {title}"
    else:
        aim = "least mean cost"
    return f"Thresholds for {aim} ({result.method.replace('_', ' ')})"


def _values(result: ThresholdResult) -> Table:
    before, after = result.state(result.cheapest), result.after
    rows = [
        ["mean cost", number(before.cost), number(after.cost)],
        ["violation", number(before.violation, 4), number(after.violation, 4)],
    ]
    if result.goal.penalty and not result.goal.hard:
        rows.append(["objective", number(before.objective), number(after.objective)])
    return ["", "cheapest", "these"], rows


def _labels(result: ThresholdResult) -> Table:
    """Cut points and shares, before and after.

    Cut points have a column; if each group has its own, they are beside the shares.
    """
    before, after = result.state(result.cheapest), result.after
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
    return f"{_score(before.up_to[group, label])} → {_score(after.up_to[group, label])}"


def _share(before: State, after: State, group: int, label: int) -> str:
    return f"{percent(before.shares[group, label])} → {percent(after.shares[group, label])}"


def _score(value: float) -> str:
    return "none" if value == float("-inf") else "∞" if value == float("inf") else f"{value:.4g}"


def _closing(result: ThresholdResult) -> list[str]:
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
    if hidden > 0:
        lines.append(f"{hidden} more groups: see .frame().")
    return lines


def hardly_tells_apart(result: ThresholdResult) -> str:
    """That nearly all people get one label, and what to do."""
    text = f"{result.near_constant}: these cut points hardly tell people apart"
    if not result.goal.penalty:  # fairness was not asked for
        return f"{text}."
    if result.of_fair_model:
        return f"{text}; allow more."
    return f"{text}; train a fair model (FairOrdinalClassifier, `fairordinal fit`), or allow more."


def _certificate(result: ThresholdResult) -> str:
    bound, value = f"{result.lower_bound:.5g}", f"{result.objective:.5g}"
    if result.is_optimal:
        return "Proved: no thresholds on these scores are better."
    if result.method in ("certified", "exact"):
        return f"Proved: no thresholds have an objective below {bound}; these have {value}."
    remedy = "" if result.thresholds.ndim == 2 else " method='certified' closes the gap."
    return f"Not proved: the best objective lies between {bound} and {value}.{remedy}"
