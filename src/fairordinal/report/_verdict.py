"""The verdict: one sentence that says what was found, how large it is, and how sure."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fairordinal._audit import Audit, Finding
from fairordinal._render import number, percent
from fairordinal.criteria import ConditionalHarmParity, HarmParity, PairwiseCriterion
from fairordinal.frontier import FairOrdinalFrontier
from fairordinal.report._findings import interval_text, wording
from fairordinal.report._names import plural, shown, text
from fairordinal.thresholds import ThresholdResult

WIDTH = 48  # of a name in a sentence
BAD, UNSURE, GOOD, NEUTRAL = "bad", "unsure", "good", "neutral"


class Verdict(NamedTuple):
    """One sentence, and a word for it."""

    mood: str
    word: str
    sentence: str


def of_audit(audit: Audit, finding: Finding, limit: float | None) -> Verdict:
    """What an audit found about a notion, against a limit if there is one."""
    title = capital(finding.criterion.title)
    if finding.worst is None:
        return Verdict(
            UNSURE,
            "Undefined",
            f"{title} cannot be judged on these rows: no two groups can be compared.",
        )
    lower, upper = finding.violation_interval
    violation = _with_interval(finding.violation, audit.confidence, lower, upper)
    size = f"{_who(finding)}: the violation of {finding.criterion.title} is {violation}"
    if limit is None:
        return _without_limit(size, lower)
    verdict = _against(limit, size, finding.violation, lower, upper)
    return _where_defined(verdict) if n_undefined(finding) else verdict


def _with_interval(value: float, confidence: float, lower: float, upper: float) -> str:
    return f"{number(value)} ({percent(confidence)} interval {interval_text(lower, upper)})"


def _without_limit(size: str, lower: float) -> Verdict:
    if lower > 0:
        return Verdict(BAD, "Unequal", f"{size}, which chance alone does not explain.")
    return Verdict(UNSURE, "Not shown", f"{size}, which may be chance.")


def _against(limit: float, size: str, violation: float, lower: float, upper: float) -> Verdict:
    if lower > limit:
        return Verdict(BAD, "Above the limit", f"{size}, surely above the limit of {limit:g}.")
    if violation > limit:
        return Verdict(
            UNSURE,
            "Above the limit, not surely",
            f"{size}, above the limit of {limit:g}, though chance may explain it.",
        )
    if upper <= limit:
        return Verdict(GOOD, "Within the limit", f"{size}, surely within the limit of {limit:g}.")
    return Verdict(
        UNSURE,
        "Within the limit, not surely",
        f"{size}, within the limit of {limit:g}, but more rows are needed to be sure.",
    )


def _where_defined(verdict: Verdict) -> Verdict:
    """Nothing is surely fair while some groups cannot be compared."""
    if verdict.mood != GOOD:
        return verdict
    sentence = verdict.sentence.removesuffix(".") + " where groups can be compared."
    return Verdict(UNSURE, "Within the limit where defined", sentence)


def _who(finding: Finding) -> str:
    """The worst pair in words."""
    assert finding.worst is not None
    part, g, h = finding.worst
    names = shown(finding.table.groups.tolist(), WIDTH)
    group, other = f"“{names[g].short}”", f"“{names[h].short}”"
    more, less = finding.probabilities[part, g, h], finding.probabilities[part, h, g]
    if not finding.violation > 0:
        return "All groups fare alike"
    if finding.criterion.name == "demographic_parity":
        return (
            f"{group} is placed above {other} in {percent(more)} of pairs and below in "
            f"{percent(less)}"
        )
    if finding.criterion.name == "equal_opportunity":
        return (
            f"A truly higher {group} is placed above {other} in {percent(more)} of pairs, a truly "
            f"higher {other} above {group} in {percent(less)}"
        )
    values = f"{number(more)} against {number(less)}"
    if not isinstance(finding.criterion, PairwiseCriterion | HarmParity | ConditionalHarmParity):
        event = text(finding.criterion.parts(finding.table)[part])
        return f"{group} has {event} (f predicted, y true) more often than {other}, {values}"
    is_more, than, *_ = wording(finding.criterion)
    return f"{group} is {is_more} {than} {other}, {values}"


def of_frontier(frontier: FairOrdinalFrontier, chosen: int, limit: float | None) -> Verdict:
    """What to expect of the chosen model in new rows."""
    expected = frontier.points_[chosen].expected
    violation = _with_interval(
        expected.violation, frontier.confidence, *expected.violation_interval
    )
    many = len(frontier.points_)
    model = f"Model {chosen}, of {many} between accurate and fair," if many > 1 else "The model"
    values = f"a violation of {violation} at a mean cost of {number(expected.cost)}"
    sentence = f"{model} is expected to have {values} in new rows"
    if limit is None:
        return Verdict(NEUTRAL, "Trade-off", f"{sentence}.")
    return _against(limit, sentence, expected.violation, *expected.violation_interval)


def of_thresholds(result: ThresholdResult, before: object = None) -> Verdict:
    """What moving the cut points does."""
    proof = (
        "no cut points on these scores are better"
        if result.is_optimal
        else f"the best cut points are at most {result.gap:.2g} better"
    )
    return Verdict(NEUTRAL, "Cut points", f"{_moved(result, before)}; {proof}.")


def _moved(result: ThresholdResult, before: object) -> str:
    """Violation and cost before and after."""
    old, title = result.state(result.cheapest if before is None else before), result.criterion.title
    if before is None and (old.violation, old.cost) == (result.violation, result.cost):
        return (
            f"The cheapest cut points will do: the violation of {title} is "
            f"{number(old.violation)} and the mean cost {number(old.cost)}"
        )
    these = "Compared with the cheapest cut points, these change"
    return (
        f"{these if before is None else 'Moving the cut points changes'} the violation of {title} "
        f"from {number(old.violation)} to {number(result.violation)} and the mean cost from "
        f"{number(old.cost)} to {number(result.cost)}"
    )


def notes_on(finding: Finding) -> list[str]:
    """What a reader must know beside the verdict."""
    return [note for note in (_undefined_note(finding), _clearest_note(finding)) if note]


def _undefined_note(finding: Finding) -> str:
    undefined = n_undefined(finding)
    if not undefined or finding.worst is None:
        return ""
    are = "is" if undefined == 1 else "are"
    return f"{plural(undefined, 'comparison')} of groups {are} undefined and left out of this."


def n_undefined(finding: Finding) -> int:
    """How many comparisons of groups are undefined."""
    return len(finding.undefined)


def _clearest_note(finding: Finding) -> str:
    """The pair that shows a violation, if the worst does not."""
    if not finding.worst_is_doubtful or not finding.violation_interval[0] > 0:
        return ""
    places = np.unravel_index(
        np.argmax(np.nan_to_num(finding.lower, nan=-np.inf)), finding.lower.shape
    )
    names = shown(finding.table.groups.tolist(), WIDTH)
    return (
        f"That pair does not show it by itself; the clearest is “{names[places[1]].short}” and "
        f"“{names[places[2]].short}”, with a disparity of {number(finding.disparities[places])} "
        f"({interval_text(finding.lower[places], finding.upper[places])})."
    )


def capital(text: str) -> str:
    """With a capital letter."""
    return text[:1].upper() + text[1:]
