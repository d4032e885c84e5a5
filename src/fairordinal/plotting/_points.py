"""Predictors as points: numbers in, checked arrays out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from fairordinal._validation import Array


@dataclass(frozen=True, eq=False)
class Points:
    """Predictors by cost and violation, with intervals (nan: none) and levels."""

    costs: Array
    violations: Array
    cost_intervals: Array  # (n_points, 2)
    violation_intervals: Array  # (n_points, 2)
    levels: Array

    def __len__(self) -> int:
        return len(self.costs)

    @property
    def places(self) -> Array:
        """Where they are drawn, (n_points, 2)."""
        return np.column_stack([self.violations, self.costs])

    @property
    def shown(self) -> Array:
        """Which of them have a place."""
        return np.isfinite(self.violations) & np.isfinite(self.costs)

    @property
    def undominated(self) -> Array:
        """Than which no other is both as cheap and as fair; from fair to cheap."""
        order = np.lexsort([self.costs, self.violations])
        order = order[self.shown[order]]
        best = np.minimum.accumulate(self.costs[order])
        first = np.concatenate([[True], best[1:] < best[:-1]])[: len(order)]
        return order[first]


def read_points(
    costs: Any,
    violations: Any,
    levels: Any = None,
    cost_intervals: Any = None,
    violation_intervals: Any = None,
    *,
    least: int = 1,
) -> Points:
    """Numbers or arrays as points; levels default to the place from fair to accurate."""
    cost, violation = (np.atleast_1d(np.asarray(v, np.float64)) for v in (costs, violations))
    if cost.ndim != 1 or cost.shape != violation.shape or len(cost) < least:
        raise ValueError(
            "costs and violations must be as many numbers each, at least one, got shapes "
            f"{cost.shape} and {violation.shape}."
        )
    if levels is None:
        level = np.argsort(np.lexsort([-cost, violation])).astype(np.float64)
    else:
        level = _of_shape(levels, (len(cost),), "levels")
    ends = {"cost_intervals": cost_intervals, "violation_intervals": violation_intervals}
    read = [
        np.full((len(cost), 2), np.nan) if e is None else _of_shape(e, (len(cost), 2), name)
        for name, e in ends.items()
    ]
    return Points(cost, violation, read[0], read[1], level)


def _of_shape(values: Any, shape: tuple[int, ...], name: str) -> Array:
    array = np.asarray(values, dtype=np.float64)
    if array.shape != shape:
        raise ValueError(f"{name} must have the shape {shape}, got {array.shape}.")
    return array


def read_baselines(baselines: Any, criterion: Any = None) -> dict[str, Points]:
    """Points by name, of a mapping or of a comparison of models by the same criterion."""
    other = getattr(baselines, "criterion", criterion)
    if criterion is not None and other != criterion:
        raise ValueError(
            f"baselines were compared by {other.title}, but the frontier is that of "
            f"{criterion.title}. Pass criterion={criterion.name!r} to compare."
        )
    named = getattr(baselines, "baselines", baselines) or {}
    if not isinstance(named, Mapping):
        raise ValueError(
            "baselines must be what compare returns, or a mapping of names to (cost, violation), "
            f"got {baselines!r:.60}."
        )
    return {str(name): _read_baseline(name, value) for name, value in named.items()}


def _read_baseline(name: str, value: Any) -> Points:
    """(cost, violation), or (cost, interval, violation, interval)."""
    parts = [*value] if np.iterable(value) else []
    try:
        if len(parts) == 2:
            return read_points(*parts)
        cost, cost_interval, violation, violation_interval = parts
        ends = (np.reshape(pair, (-1, 2)) for pair in (cost_interval, violation_interval))
        return read_points(cost, violation, None, *ends)
    except (TypeError, ValueError):
        raise ValueError(
            f"baseline {name!r} must be (cost, violation) or (cost, its interval, violation, its "
            f"interval), numbers or arrays of as many, got {value!r:.60}."
        ) from None
