"""Views of two predictors side by side: verdicts, and disparities of all pairs on one scale."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from fairordinal._audit import Audit, Finding
from fairordinal._render import number
from fairordinal.report import _verdict
from fairordinal.report._differences import ComparedAudits, Difference
from fairordinal.report._disparities import (
    MOST_OPEN,
    MOST_PAIRS,
    CriterionView,
    PairView,
    Scale,
    common_scale,
    main_view,
    pair_view,
    short_group_names,
)
from fairordinal.report._groups import GroupsView, groups_view
from fairordinal.report._model_card import caveats
from fairordinal.report._numbers import Axis, axis_around


class Side(NamedTuple):
    """Sections about one of the predictors."""

    name: str
    verdict: _verdict.Verdict
    notes: list[str]
    main: CriterionView
    groups: GroupsView


RowPair = tuple[dict[str, Any], dict[str, Any]]
INTERVAL = ("disparity", "lower", "upper")


class JointPair(NamedTuple):
    """Two groups, by both predictors: disparities of the first group over the second."""

    group: str
    other: str
    part: str
    sides: list[PairView]


def _pairs_of_rows(first: Finding, second: Finding) -> list[RowPair]:
    """Rows of both findings about the same pair of groups, in the direction of the first.

    The pairs with the largest disparity of both come first.
    """
    at = {(row["part"], row["group"], row["other"]): row for row in second.rows()}
    at |= {(row["part"], row["group"], row["other"]): row for row in map(_turned, at.values())}
    pairs = [(row, at[row["part"], row["group"], row["other"]]) for row in first.rows()]
    sizes = [np.fmax(*(abs(row["disparity"]) for row in pair)) for pair in pairs]
    listed = np.argsort(-np.array(sizes), kind="stable")[:MOST_PAIRS]
    return [pairs[i] for i in listed.tolist()]


def _turned(row: dict[str, Any]) -> dict[str, Any]:
    """The same pair of groups in the other direction."""
    swapped = {"group": "other", "probability": "other_probability"}
    swapped |= {"rows": "other_rows", "support": "other_support"}
    swapped |= {other: one for one, other in swapped.items()}
    turned = {key: row[swapped.get(key, key)] for key in row}
    ends = {"disparity": -row["disparity"], "lower": -row["upper"], "upper": -row["lower"]}
    return turned | ends


def _joint_scale(pairs: list[RowPair], findings: Sequence[Finding], limit: float | None) -> Scale:
    """A scale for both predictors: colours of the matrices, and the axis of all drawn intervals."""
    ends = [row[key] for pair in pairs[:MOST_OPEN] for row in pair for key in INTERVAL]
    axis = axis_around([0.0, limit or 0.0, -(limit or 0.0), *ends], least=0.1)
    return common_scale(findings, limit)._replace(axis=axis)


def _joint_pairs(pairs: list[RowPair], short: dict[str, str], axis: Axis) -> list[JointPair]:
    """Views of pairs of groups; the first of them are drawn."""
    found = []
    for i, rows in enumerate(pairs):
        views = [pair_view(row, short, axis if i < MOST_OPEN else None) for row in rows]
        found.append(JointPair(*views[0][:3], views))
    return found


def compared_view(
    names: tuple[str, str], compared: ComparedAudits, limit: float | None
) -> dict[str, Any]:
    audits, criterion = compared.audits, compared.criterion
    title = audits[0][criterion].criterion.title
    findings = [one[criterion] for one in audits]
    pairs = _pairs_of_rows(*findings)
    scale, short = _joint_scale(pairs, findings, limit), short_group_names(findings[0])
    return {
        "sides": [
            _side(name, one, criterion, limit, scale)
            for name, one in zip(names, audits, strict=True)
        ],
        "pairs": _joint_pairs(pairs, short, scale.axis),
        "rows": compared.differences,
        "paired": compared.paired,
        "criterion": title,
        "confidence": f"{100 * audits[0].confidence:g}%",
        "limit": None if limit is None else f"{limit:g}",
        "limit_below": None if limit is None else scale.axis.at(-limit),
        "verdict": _verdict_on(names, compared, title),
        "caveats": caveats(frontier=False, scores=False, paired=compared.paired),
    }


def _side(name: str, one: Audit, criterion: str, limit: float | None, scale: Scale) -> Side:
    finding = one[criterion]
    return Side(
        name,
        _verdict.of_audit(one, finding, limit),
        _verdict.notes_on(finding),
        main_view(finding, limit, scale),
        groups_view(one),
    )


def _verdict_on(names: tuple[str, str], compared: ComparedAudits, title: str) -> _verdict.Verdict:
    """What changes from the first predictor to the second, and how certain that is."""
    titles = {"violation": f"the violation of {title}", "mean cost": "the mean cost"}
    changes = [
        f"{titles[row.name]} {_change(row, compared.paired)}"
        for row in reversed(compared.differences)
    ]
    sentence = f"From “{names[0]}” to “{names[1]}”, {', and '.join(changes)}."
    return _verdict.Verdict(_verdict.NEUTRAL, "Comparison", sentence)


def _change(row: Difference, paired: bool) -> str:
    """Whether a quantity rises or falls, by how much, and how certain that is."""
    if np.isnan(row.change):
        return "cannot be compared"
    if not round(row.change, 3):
        return "stays the same"
    change = f"{'rises' if row.change > 0 else 'falls'} by {number(abs(row.change))}"
    certainty = "clear evidence" if row.clear else "no clear evidence"
    return f"{change} ({certainty})" if paired else change
