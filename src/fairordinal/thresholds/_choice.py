"""Which candidate to take for a goal, and warnings about it.

The rule takes the cheapest candidate whose estimated violation on new rows keeps the limit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from fairordinal._inference import fisher_estimates, measured_contrasts
from fairordinal._near_constant import near_constant
from fairordinal._render import name_of
from fairordinal._support import ResultWarning, visible, warn
from fairordinal._validation import Array
from fairordinal.thresholds._cross_fit import Candidate
from fairordinal.thresholds._goal import Goal, search_unit
from fairordinal.thresholds._optimism import Optimism

ROUNDING = 1e-9
MOST_GROWTH = 100.0  # number of rows needed, relative to those at hand, that is worth naming


class Chosen(NamedTuple):
    """A candidate, and the optimism of choosing it."""

    candidate: Candidate
    optimism: Optimism
    keeps: bool  # whether it keeps the limit asked for


def choose(
    candidates: Sequence[Candidate],
    goal: Goal,
    confidence: float | None,
    optimism: Optimism,
) -> Chosen:
    """The candidate of least cost within the limit, or of the least objective.

    Its estimated violation, or with `confidence` the upper bound, has to be within the limit less
    the margin for the optimism of the choice. If no candidate is within the limit, the fairest is
    taken.
    """
    evaluation = candidates[0].evaluation
    unit = search_unit(evaluation.cost)
    costs = unit * np.round([candidate.cost / unit for candidate in candidates], 9)
    if not goal.hard:
        violations = np.round([candidate.violation for candidate in candidates], 9)
        best = int(goal.at_costs(evaluation.cost).penalised(costs, violations).argmin())
        return Chosen(candidates[best], optimism, keeps=True)
    judged = np.array([judged_violation(candidate, confidence) for candidate in candidates])
    kept = np.array([keeps_limit(c, goal, confidence, optimism.margin) for c in candidates])
    if not kept.any():
        return Chosen(candidates[int(np.round(judged, 9).argmin())], optimism, keeps=False)
    return Chosen(candidates[int(np.where(kept, costs, np.inf).argmin())], optimism, keeps=True)


def rivals(
    chosen: Chosen, candidates: Sequence[Candidate], goal: Goal, confidence: float | None
) -> list[Candidate]:
    """Candidates that keep the limit as the chosen one does; otherwise those no less fair."""
    if goal.hard and chosen.keeps:
        return [c for c in candidates if keeps_limit(c, goal, confidence, chosen.optimism.margin)]
    return no_less_fair(chosen.candidate, candidates)


def no_less_fair(than: Candidate, candidates: Sequence[Candidate]) -> list[Candidate]:
    """Candidates whose estimated violation is at most that of another one."""
    return [c for c in candidates if c.violation <= than.violation + ROUNDING]


def judged_violation(candidate: Candidate, confidence: float | None) -> float:
    """The estimated violation, or with `confidence` its upper bound."""
    return candidate.violation if confidence is None else candidate.bound(confidence)


def keeps_limit(candidate: Candidate, goal: Goal, confidence: float | None, margin: float) -> bool:
    """Whether a candidate is within the limit of a goal, less a margin."""
    if candidate.is_surely_fair:
        return True
    return judged_violation(candidate, confidence) <= goal.limit - margin + ROUNDING


def warn_about(
    candidates: Sequence[Candidate],
    chosen: Chosen,
    goal: Goal,
    confidence: float | None,
    *,
    scores_given: bool,
) -> None:
    """Warn if no candidate keeps the limit, or if nearly all rows get one label.

    With `scores_given`, no ranker was trained to be fair, which may help.
    """
    message = _about_limit(chosen, goal, confidence)
    message = message or _about_labels(candidates, chosen, goal, confidence, scores_given)
    if message:
        warn(message, ResultWarning)


def _about_limit(chosen: Chosen, goal: Goal, confidence: float | None) -> str:
    if chosen.keeps:
        return ""
    sure = "" if confidence is None else f" with confidence {confidence:g}"
    return (
        f"No candidate keeps max_violation={goal.limit:g} on held-out rows{sure}; the one with the "
        f"lowest violation ({chosen.candidate.violation:.3f}) is taken. More rows, larger groups "
        "or a higher max_violation would help."
    )


def _about_labels(
    candidates: Sequence[Candidate],
    chosen: Chosen,
    goal: Goal,
    confidence: float | None,
    scores_given: bool,
) -> str:
    candidate = chosen.candidate
    found = near_constant(candidate.table)
    if found is None or not goal.penalty:
        return ""
    cost = f"(expected cost {candidate.cost:.3g})"
    text = f"{found}: the model hardly tells people apart {cost}."
    return text + _what_helps(candidates, chosen, goal, confidence, scores_given)


def _shown(name: object) -> str:
    return visible(name_of(name))


def _what_helps(
    candidates: Sequence[Candidate],
    chosen: Chosen,
    goal: Goal,
    confidence: float | None,
    scores_given: bool,
) -> str:
    """What to change for a model that distinguishes between rows; how many rows, if that helps."""
    if not goal.hard:
        return " A lower trade_off would help."
    informative = [c for c in candidates if near_constant(c.table) is None]
    margin = chosen.optimism.margin
    growth = [_growth_needed(c, goal.limit, confidence, margin) for c in informative]
    least = min(growth, default=MOST_GROWTH)
    if least <= 1.0:
        return " Allow a higher max_violation."
    if least < MOST_GROWTH:
        return _more_rows(informative[growth.index(least)], least)
    if not scores_given:
        return (
            f" No other candidate keeps max_violation={goal.limit:g}: allow a higher one, or "
            "collect more rows."
        )
    return (
        f" No other thresholds of these scores keep max_violation={goal.limit:g}: allow a "
        "higher one, or train a fair model (FairOrdinalClassifier, `fairordinal fit`)."
    )


def _growth_needed(
    candidate: Candidate, limit: float, confidence: float | None, margin: float
) -> float:
    """How many times as many rows would let a candidate keep a limit; inf if none would.

    A violation v is judged by ``v + excess``, and the excess falls with the root of the number of
    rows. So ``v + excess / sqrt(growth) <= limit`` gives the growth. Without confidence, v is
    what the thresholds reach on the rows they were cut on, and the excess is their optimism. With
    confidence, v is a disparity, and the excess is ``z_c σ`` and the margin.
    """
    if confidence is None:
        reached = min(candidate.reached.violation, candidate.violation)
        excess, room = np.array([candidate.violation - reached]), np.array([limit - reached])
    else:
        excess, room = _excess_and_room(candidate, limit, confidence, margin)
    if not len(room) or room.min() <= 0:  # no group may have two rows, if weights are very small
        return float("inf")
    return float((excess / room).max() ** 2)


def _excess_and_room(
    candidate: Candidate, limit: float, confidence: float, margin: float
) -> tuple[Array, Array]:
    """For each disparity, ``z_c σ + margin`` and the limit less the disparity; scale 1."""
    criterion, table = candidate.evaluation.criterion, candidate.table
    contrasts = measured_contrasts(criterion, table)
    if not len(contrasts):
        return np.zeros(0), np.zeros(0)
    estimates, scale = fisher_estimates(criterion, table, contrasts), criterion.scale(table)
    centre = np.abs(np.tanh(estimates.centre))
    excess = float(ndtri(confidence)) * estimates.deviation * (1 - centre**2) + margin / scale
    return excess, limit / scale - centre


def _more_rows(candidate: Candidate, growth: float) -> str:
    """The number of rows that would allow more, and the group that needs them most."""
    table = candidate.table
    rows = float(table.rows.sum())
    digits = max(int(np.log10(growth * rows)) - 1, 0)
    needed = int(np.ceil(growth * rows / 10**digits) * 10**digits)
    return (
        f" About {needed:,} rows instead of {round(rows):,}, above all of group "
        f"{_shown(_limiting_group(candidate))}, or a higher max_violation would allow more."
    )


def _limiting_group(candidate: Candidate) -> object:
    """The smaller group of the pair with the largest disparity plus its standard deviation."""
    criterion, table = candidate.evaluation.criterion, candidate.table
    contrasts = measured_contrasts(criterion, table)
    if not len(contrasts):  # weights are so small that no group has two rows
        return table.groups[int(table.rows.argmin())]
    estimates = fisher_estimates(criterion, table, contrasts)
    worst = int((np.abs(estimates.centre) + estimates.deviation).argmax())
    pair = contrasts.g[worst], contrasts.h[worst]
    return table.groups[min(pair, key=lambda g: table.rows[g])]
