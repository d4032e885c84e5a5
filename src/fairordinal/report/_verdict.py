"""The verdict: a sentence that says what was found, how large it is, and how certain it is."""

from __future__ import annotations

from typing import NamedTuple

from fairordinal._audit import Audit, Finding
from fairordinal._near_constant import near_constant
from fairordinal._render import confidence_level, number, percents
from fairordinal._table import ScoreTable
from fairordinal.criteria import HarmParity, PairwiseCriterion
from fairordinal.frontier import FairOrdinalFrontier, price_of_fairness
from fairordinal.report._disparities import wording
from fairordinal.report._numbers import interval_text
from fairordinal.report._page import display_names, user_text
from fairordinal.thresholds import ThresholdResult

SENTENCE_WIDTH = 48  # letters of a name in a sentence
BAD, UNSURE, GOOD, NEUTRAL = "bad", "unsure", "good", "neutral"  # classes of the style sheet


class Verdict(NamedTuple):
    """A heading, a sentence, and the class of their colour."""

    tone: str
    heading: str
    sentence: str


# Audits


def of_audit(audit: Audit, finding: Finding, limit: float | None) -> Verdict:
    """Verdict on one criterion of an audit, compared with a limit if there is one."""
    title = finding.criterion.title
    if finding.headline is None:
        return Verdict(
            UNSURE,
            "Undefined",
            f"{title[:1].upper()}{title[1:]} is undefined on these rows: no two groups can be "
            "compared.",
        )
    lower, upper = finding.violation_interval
    violation = _with_interval(finding.violation, audit.confidence, lower, upper)
    pair, size = _pair(finding), f"the violation of {title} is {violation}"
    if finding.headline == finding.worst:
        size = f"{pair}: {size}"
    elif limit is None:
        arrays = (finding.disparities, finding.lower, finding.upper)
        value, lower, upper = (float(array[finding.headline]) for array in arrays)
        disparity = _with_interval(value, audit.confidence, lower, upper)
        size = f"{pair}: their disparity is {disparity}"
    else:
        size = f"{pair}. All groups considered, {size}"
    if limit is None:
        return _if_near_constant(audit.table, _without_limit(size, finding.violation, lower))
    verdict = _against_limit(limit, size, finding.violation, lower, upper)
    verdict = _where_defined(verdict) if len(finding.undefined) else verdict
    return _if_near_constant(audit.table, verdict)


def _if_near_constant(
    table: ScoreTable, verdict: Verdict, what: str = "predictions", remedy: str = ""
) -> Verdict:
    """Say so if nearly all people are predicted one label, and what helps."""
    found = near_constant(table) if table.predicts_labels else None
    if found is None:
        return verdict
    more = f"{user_text(str(found))}: these {what} hardly tell people apart{remedy}."
    tone = UNSURE if verdict.tone == GOOD else verdict.tone
    return verdict._replace(tone=tone, sentence=f"{verdict.sentence} {more}")


def _with_interval(value: float, confidence: float, lower: float, upper: float) -> str:
    return (
        f"{number(value)} ({confidence_level(confidence)} interval {interval_text(lower, upper)})"
    )


def _without_limit(size: str, violation: float, lower: float) -> Verdict:
    if lower > 0:
        return Verdict(BAD, "Unequal", f"{size}, which chance alone does not explain.")
    if not violation > 0:
        return Verdict(UNSURE, "No clear evidence", f"{size}.")
    return Verdict(UNSURE, "No clear evidence", f"{size}, which may be chance.")


def _against_limit(
    limit: float, size: str, violation: float, lower: float, upper: float
) -> Verdict:
    if lower > limit:
        return Verdict(BAD, "Above the limit", f"{size}, clearly above the limit of {limit:g}.")
    if violation > limit:
        return Verdict(
            UNSURE,
            "Above the limit, uncertain",
            f"{size}, above the limit of {limit:g}, though chance may explain it.",
        )
    if upper <= limit:
        return Verdict(GOOD, "Within the limit", f"{size}, clearly within the limit of {limit:g}.")
    return Verdict(
        UNSURE,
        "Within the limit, uncertain",
        f"{size}, within the limit of {limit:g}, but more rows are needed to be sure.",
    )


def _where_defined(verdict: Verdict) -> Verdict:
    """Restrict a good verdict to the groups that can be compared."""
    if verdict.tone != GOOD:
        return verdict
    sentence = verdict.sentence.removesuffix(".") + " where groups can be compared."
    return Verdict(UNSURE, "Within the limit where defined", sentence)


def _pair(finding: Finding) -> str:
    """The pair that the summary leads with in words."""
    assert finding.headline is not None
    part, g, h = finding.headline
    names = display_names(finding.table.groups.tolist(), SENTENCE_WIDTH)
    group, other = f"“{names[g].short}”", f"“{names[h].short}”"
    more, less = finding.probabilities[part, g, h], finding.probabilities[part, h, g]
    if not finding.disparities[finding.headline] > 0:
        return "No difference was found between groups"
    often, seldom = percents(more, less)
    if finding.criterion.name == "demographic_parity":
        worse = " (higher is worse)" if finding.higher_is == "worse" else ""
        return f"{group} is placed above {other}{worse} in {often} of pairs and below in {seldom}"
    if finding.criterion.name == "equal_opportunity":
        return (
            f"A truly higher {group} is placed above {other} in {often} of pairs, a truly higher "
            f"{other} above {group} in {seldom}"
        )
    values = f"{number(more)} against {number(less)}"
    if not isinstance(finding.criterion, PairwiseCriterion | HarmParity):
        event = user_text(finding.criterion.parts(finding.table)[part])
        return f"{group} has {event} (f predicted, y true) more often than {other}, {values}"
    if isinstance(finding.criterion, HarmParity) and finding.criterion.higher_is is None:
        return f"Being rated too low costs {group} more than {other}, {values}"
    is_more, than, *_ = wording(finding)
    return f"{group} is {is_more} {than} {other}, {values}"


def notes_on(finding: Finding) -> list[str]:
    """Notes beside the verdict: undefined comparisons, and a worst pair that is too small."""
    return [note for note in (_undefined_note(finding), _worst_note(finding)) if note]


def _undefined_note(finding: Finding) -> str:
    count = len(finding.undefined)
    if not count or finding.worst is None:
        return ""
    are = " of groups is" if count == 1 else "s of groups are"
    return f"{count:,} comparison{are} undefined and not part of the violation."


def _worst_note(finding: Finding) -> str:
    """The pair with the largest disparity, if it is not the one that the verdict names."""
    if finding.worst is None or finding.headline == finding.worst:
        return ""
    _, g, h = finding.worst
    names = display_names(finding.table.groups.tolist(), SENTENCE_WIDTH)
    ends = interval_text(finding.lower[finding.worst], finding.upper[finding.worst])
    interval = "no interval" if ends == "–" else ends
    return (
        f"The largest disparity is {number(finding.violation)} ({interval}), of “{names[g].short}” "
        f"and “{names[h].short}”. That pair {finding.why_not_worst}; the sentence above is about "
        f"the {finding.headline_kind}."
    )


# Frontiers and cut points


def of_model(frontier: FairOrdinalFrontier, number: int, limit: float | None) -> list[Verdict]:
    """Verdicts on a model of a frontier: what is expected of it, and the price of fairness."""
    found = [of_frontier(frontier, number, limit)]
    if len(frontier.points_) > 1:
        sentence = price_of_fairness(frontier, number)
        if number < len(frontier.points_) - 1:
            sentence = (
                f"Compared with the most accurate model: {sentence[:1].lower()}{sentence[1:]}"
            )
        found.append(Verdict(NEUTRAL, "The price of fairness", sentence))
    return found


def on_held_out_rows(finding: Finding) -> str:
    """The worst pair of groups in words, for held-out predictions."""
    if finding.headline is None:
        return f"{finding.criterion.title[:1].upper()}{finding.criterion.title[1:]} is undefined."
    return f"{_pair(finding)}, by held-out predictions."


def of_frontier(frontier: FairOrdinalFrontier, chosen: int, limit: float | None) -> Verdict:
    """Estimated violation and cost of the chosen model on new rows."""
    expected = frontier.points_[chosen].expected
    violation = _with_interval(
        expected.violation, frontier.confidence, *expected.violation_interval
    )
    many = len(frontier.points_)
    model = f"Model {chosen}, one of {many} from fair to accurate," if many > 1 else "The model"
    sentence = (
        f"{model} is expected to have a violation of {violation} and a mean cost of "
        f"{number(expected.cost)} on new rows"
    )
    verdict = (
        Verdict(NEUTRAL, "Selected model", f"{sentence}.")
        if limit is None
        else _against_limit(limit, sentence, expected.violation, *expected.violation_interval)
    )
    table = frontier.points_[chosen].result.after.table
    return _if_near_constant(table, verdict, "cut points")


def of_thresholds(result: ThresholdResult, before: object = None) -> Verdict:
    """Change of violation and cost by the cut points, and how close to optimal they are."""
    proof = (
        "no cut points on these scores are better"
        if result.is_optimal
        else f"no cut points on these scores are better by more than {result.gap:.2g}"
    )
    verdict = Verdict(NEUTRAL, "Cut points", f"{_change(result, before)}; {proof}.")
    return _if_near_constant(result.after.table, verdict, "cut points", _remedy(result))


def _remedy(result: ThresholdResult) -> str:
    """What helps if nearly all people get one label, as the end of a sentence."""
    if result.of_fair_model or not result.goal.penalty:  # without it, fairness was not asked for
        return ""
    if not result.limit_is_reason:
        return ". Nor do those of least cost: a larger violation would not help"
    return "; train a fair model, or allow a larger violation"


def _change(result: ThresholdResult, before: object) -> str:
    """Violation and cost before and after."""
    old, title = result.state_before(before), result.criterion.title
    if before is None and (old.violation, old.cost) == (result.violation, result.cost):
        return (
            f"The cut points of least cost are chosen: the violation of {title} is "
            f"{number(old.violation)} and the mean cost {number(old.cost)}"
        )
    what = "Compared with the cut points of least cost, these change"
    return (
        f"{what if before is None else 'Moving the cut points changes'} the violation of {title} "
        f"from {number(old.violation)} to {number(result.violation)} and the mean cost from "
        f"{number(old.cost)} to {number(result.cost)}"
    )
