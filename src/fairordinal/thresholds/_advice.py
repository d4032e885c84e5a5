"""What users should know about a chosen candidate."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np
from scipy.special import ndtri

from fairordinal._cuts import Goal
from fairordinal._escapes import visible
from fairordinal._inference import fisher_estimates, measured_contrasts
from fairordinal._render import name_of
from fairordinal.thresholds._choice import Chosen, judged_violation
from fairordinal.thresholds._cross_fit import Candidate

NEARLY_ALL = 0.9  # share of the rows that get one label, beyond which users are told


def warn_about(
    candidates: Sequence[Candidate],
    chosen: Chosen,
    goal: Goal,
    confidence: float | None,
    *,
    stacklevel: int,
) -> None:
    """Tell users if the limit cannot be kept, or if nearly everyone gets one label."""
    message = _about_limit(chosen, goal, confidence)
    message = message or _about_labels(candidates, chosen, goal, confidence)
    if message:
        warnings.warn(message, UserWarning, stacklevel=stacklevel + 1)


def _about_limit(chosen: Chosen, goal: Goal, confidence: float | None) -> str:
    if chosen.keeps:
        return ""
    sure = "" if confidence is None else f" with confidence {confidence:g}"
    return (
        f"No candidate keeps max_violation={goal.allowance:g} on held-out rows{sure}; the one with "
        f"the lowest violation ({chosen.candidate.violation:.3f}) is taken. More rows, larger "
        "groups or a higher max_violation would help."
    )


def _about_labels(
    candidates: Sequence[Candidate], chosen: Chosen, goal: Goal, confidence: float | None
) -> str:
    candidate = chosen.candidate
    shares = candidate.table.cube.sum(axis=(0, 1)) / candidate.table.cube.sum()
    if shares.max() <= NEARLY_ALL or not goal.price:
        return ""
    label = candidate.evaluation.labels[int(shares.argmax())]
    text = (
        f"{shares.max():.0%} of the rows are predicted label {_shown(label)}: this model hardly "
        f"tells people apart (expected cost {candidate.cost:.3g})."
    )
    return text + _what_helps(candidates, chosen, goal, confidence)


def _shown(name: object) -> str:
    return visible(name_of(name))


def _what_helps(
    candidates: Sequence[Candidate], chosen: Chosen, goal: Goal, confidence: float | None
) -> str:
    """How many rows would allow a candidate that tells people apart, if any number would."""
    if not goal.hard:
        return " A lower trade_off would help."
    informative = [
        c
        for c in candidates
        if c.table.cube.sum(axis=(0, 1)).max() <= NEARLY_ALL * c.table.cube.sum()
        and c.violation < goal.allowance
    ]
    if not informative and _n_rankers(candidates) <= 1:
        return (
            f" Thresholds of these scores cannot keep max_violation={goal.allowance:g} otherwise: "
            "allow a higher one, or train a fair model (FairOrdinalClassifier, `fairordinal fit`)."
        )
    if not informative:
        return f" No other candidate keeps max_violation={goal.allowance:g}: allow a higher one."
    best = min(informative, key=lambda c: (round(judged_violation(c, confidence), 9), c.cost))
    rows, needed, group = _rows_needed(best, goal.allowance, confidence, chosen.optimism.margin)
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
    """Rows given; rows with which the bound of a candidate would keep a limit; the scarcest group.

    Deviations and the margin fall with the root of the number of rows.
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
    scarce = min(pair, key=lambda g: table.rows[g])
    rows = float(table.rows.sum())
    needed = rows * max(float(reach[worst] / room[worst]), 0.0) ** 2
    digits = max(int(np.log10(max(needed, 1.0))) - 1, 0)
    return round(rows), int(np.ceil(needed / 10**digits) * 10**digits), table.groups[scarce]
