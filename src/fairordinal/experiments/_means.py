"""Means over splits, and curves through them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from fairordinal._validation import Array
from fairordinal.experiments._cell import Row


class Mean(NamedTuple):
    """A predictor on the test rows, averaged over the splits in which it is defined."""

    data: str
    criterion: str
    kind: str
    parameter: float
    cost: float
    violation: float
    cost_spread: float  # standard deviation over splits
    violation_spread: float
    n_splits: int


def means(rows: Sequence[Row]) -> list[Mean]:
    """Means of all predictors, in the order of their first rows."""
    gathered = defaultdict(list)
    for row in rows:
        key = (row["data"], row["criterion"], row["kind"], row["parameter"])
        gathered[key].append((row["cost"], row["violation"]))
    return [
        _mean(*key, np.array(found)[~np.isnan(found).any(axis=1)])
        for key, found in gathered.items()
    ]


def _mean(data: str, criterion: str, kind: str, parameter: float, found: Array) -> Mean:
    """Of costs and violations, (n_splits, 2)."""
    moments = [*found.mean(axis=0), *found.std(axis=0)] if len(found) else [np.nan] * 4
    cost, violation, *spreads = map(float, moments)
    return Mean(
        data, criterion, kind, parameter, cost, violation, spreads[0], spreads[1], len(found)
    )


def pick(found: Sequence[Mean], *, data: str, criterion: str, kind: str) -> list[Mean]:
    """Predictors of one kind, by parameter; those that are nowhere defined are left out."""
    kept = [
        mean
        for mean in found
        if (mean.data, mean.criterion, mean.kind) == (data, criterion, kind) and mean.n_splits
    ]
    return sorted(kept, key=lambda mean: mean.parameter)


def cost_at(curve: Sequence[Mean], violation: float) -> float:
    """Least cost of a curve at a violation, along the segments between neighbours.

    Mixtures need not be monotone in their violation, so that every segment that reaches the
    violation counts; nan if none does.
    """
    found = [np.inf]
    for one, other in pairwise(curve):
        low, high = sorted([one, other], key=lambda mean: mean.violation)
        if low.violation <= violation <= high.violation:
            width = high.violation - low.violation
            share = (violation - low.violation) / width if width else 0.0
            found.append(low.cost + share * (high.cost - low.cost))
    return float(min(found)) if len(found) > 1 else np.nan


def saved(points: Sequence[Mean], curve: Sequence[Mean]) -> list[float]:
    """How much less points cost than a curve at their violations, where it reaches them."""
    differences = [cost_at(curve, point.violation) - point.cost for point in points]
    return [difference for difference in differences if not np.isnan(difference)]
