"""Which candidate to take for a goal, and warnings about it.

The rule takes the cheapest candidate whose estimated violation on new rows keeps the limit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from fairordinal._inference import fisher_estimates, measured_contrasts
from fairordinal._render import name_of
from fairordinal._support import visible, warn
from fairordinal.thresholds._cross_fit import Candidate
from fairordinal.thresholds._goal import Goal, search_unit
from fairordinal.thresholds._optimism import Optimism

ROUNDING = 1e-9
NEARLY_ALL = 0.9  # share of the rows with one predicted label, beyond which users are warned


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
) -> None:
    """Warn if no candidate keeps the limit, or if nearly all rows get one label."""
    message = _about_limit(chosen, goal, confidence)
    message = message or _about_labels(candidates, chosen, goal, confidence)
    if message:
        warn(message)


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
    candidates: Sequence[Candidate], chosen: Chosen, goal: Goal, confidence: float | None
) -> str:
    candidate = chosen.candidate
    shares = candidate.table.cube.sum(axis=(0, 1)) / candidate.table.cube.sum()
    if shares.max() <= NEARLY_ALL or not goal.penalty:
        return ""
    label = candidate.evaluation.labels[int(shares.argmax())]
    text = (
        f"{shares.max():.0%} of the rows are predicted label {_shown(label)}: the model hardly "
        f"distinguishes between them (expected cost {candidate.cost:.3g})."
    )
    return text + _what_helps(candidates, chosen, goal, confidence)


def _shown(name: object) -> str:
    return visible(name_of(name))


def _what_helps(
    candidates: Sequence[Candidate], chosen: Chosen, goal: Goal, confidence: float | None
) -> str:
    """What to change for a model that distinguishes between rows; how many rows, if that helps."""
    if not goal.hard:
        return " A lower trade_off would help."
    informative = [
        c
        for c in candidates
        if c.table.cube.sum(axis=(0, 1)).max() <= NEARLY_ALL * c.table.cube.sum()
        and c.violation < goal.limit
    ]
    if not informative and _n_rankers(candidates) <= 1:
        return (
            f" No other thresholds of these scores keep max_violation={goal.limit:g}: allow a "
            "higher one, or train a fair model (FairOrdinalClassifier, `fairordinal fit`)."
        )
    if not informative:
        return f" No other candidate keeps max_violation={goal.limit:g}: allow a higher one."
    best = min(informative, key=lambda c: (round(judged_violation(c, confidence), 9), c.cost))
    rows, needed, group = _rows_needed(best, goal.limit, confidence, chosen.optimism.margin)
    if needed <= rows:
        return " Allow a higher max_violation."
    return (
        f" About {needed:,} rows instead of {rows:,}, above all of group {_shown(group)}, or a "
        "higher max_violation would allow more."
    )


def _n_rankers(candidates: Sequence[Candidate]) -> int:
    return len({candidate.ranker for candidate in candidates if not candidate.is_constant})


def _rows_needed(
    candidate: Candidate, limit: float, confidence: float | None, margin: float
) -> tuple[int, int, object]:
    """The number of rows; how many would keep a limit; the smaller group of the worst pair.

    A disparity v is within the limit ε if ``|v| + reach <= ε``, where the reach, ``z_c σ`` and the
    margin, falls with the root of the number of rows: n rows become ``n (reach / (ε - |v|))²``.
    """
    criterion, table = candidate.evaluation.criterion, candidate.table
    contrasts = measured_contrasts(criterion, table)
    if not len(contrasts):  # weights are so small that no group has two rows
        return 0, 0, None
    estimates = fisher_estimates(criterion, table, contrasts)
    centre = np.abs(np.tanh(estimates.centre))
    z = 0.0 if confidence is None else float(ndtri(confidence))
    reach = z * estimates.deviation * (1 - centre**2) + margin
    room = np.maximum(limit / criterion.scale(table) - centre, 1e-3)
    worst = int((reach / room).argmax())
    pair = (contrasts.g[worst], contrasts.h[worst])
    smaller = min(pair, key=lambda g: table.rows[g])
    rows = float(table.rows.sum())
    needed = rows * max(float(reach[worst] / room[worst]), 0.0) ** 2
    digits = max(int(np.log10(max(needed, 1.0))) - 1, 0)
    return round(rows), int(np.ceil(needed / 10**digits) * 10**digits), table.groups[smaller]
