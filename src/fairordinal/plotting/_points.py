"""Predictors as points of cost and violation: checked arrays, and the number of a chosen model."""

from __future__ import annotations

import numbers
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from fairordinal._validation import Array

DISTINGUISHING = (  # attributes by which models of a frontier differ
    *("coef_", "ramp_coef_", "leaf_values_", "thresholds_"),
    *("expected_cost_", "expected_violation_"),  # the same thresholds may have been found twice
)


@dataclass(frozen=True, eq=False)
class Points:
    """Predictors by cost and violation, with intervals and levels.

    Attributes
    ----------
    costs : ndarray of shape (n_points,)
        Mean costs.
    violations : ndarray of shape (n_points,)
        Violations; nan if undefined.
    cost_intervals : ndarray of shape (n_points, 2)
        Lower and upper ends of the costs; nan if there are none.
    violation_intervals : ndarray of shape (n_points, 2)
        Lower and upper ends of the violations; nan if there are none.
    levels : ndarray of shape (n_points,)
        Values that determine the colours.

    See Also
    --------
    FrontierDisplay : Draws points.
    """

    costs: Array
    violations: Array
    cost_intervals: Array
    violation_intervals: Array
    levels: Array

    def __len__(self) -> int:
        return len(self.costs)

    @property
    def places(self) -> Array:
        """Coordinates in the figure, (violation, cost), of shape (n_points, 2)."""
        return np.column_stack([self.violations, self.costs])

    @property
    def shown(self) -> Array:
        """Whether a point can be drawn: cost and violation are finite."""
        return np.isfinite(self.violations) & np.isfinite(self.costs)

    @property
    def undominated(self) -> Array:
        """Numbers of the points on the Pareto frontier, from fair to accurate.

        Points are sorted by violation; a point is on the frontier if it costs less than all points
        before it.
        """
        order = np.lexsort([self.costs, self.violations])
        order = order[self.shown[order]]
        best = np.minimum.accumulate(self.costs[order])
        first = np.concatenate([[True], best[1:] < best[:-1]])[: len(order)]
        return order[first]

    def records(self, name: str) -> list[dict[str, Any]]:
        """The points as rows of a frame.

        Parameters
        ----------
        name : str
            The value of the column `name`.

        Returns
        -------
        rows : list of dict
            One for each point.
        """
        return [
            {
                "name": name,
                "number": i,
                "cost": float(self.costs[i]),
                "cost_lower": float(self.cost_intervals[i, 0]),
                "cost_upper": float(self.cost_intervals[i, 1]),
                "violation": float(self.violations[i]),
                "violation_lower": float(self.violation_intervals[i, 0]),
                "violation_upper": float(self.violation_intervals[i, 1]),
                "level": float(self.levels[i]),
                "frontier": False,
                "chosen": False,
            }
            for i in range(len(self))
        ]


def read_points(
    costs: Any,
    violations: Any,
    levels: Any = None,
    cost_intervals: Any = None,
    violation_intervals: Any = None,
    *,
    least: int = 1,
) -> Points:
    """Check numbers or arrays and return them as points; `least` is the smallest number of them.

    Levels default to the rank from fair to accurate.
    """
    cost, violation = (np.atleast_1d(np.asarray(v, np.float64)) for v in (costs, violations))
    if cost.ndim != 1 or cost.shape != violation.shape or len(cost) < least:
        raise ValueError(
            "costs and violations must be columns of the same length, at least one number each, "
            f"got shapes {cost.shape} and {violation.shape}."
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
    """Points by name, from a mapping or from a comparison of models by the same criterion."""
    other = getattr(baselines, "criterion", criterion)
    if criterion is not None and other != criterion:
        raise ValueError(
            f"baselines were compared by {other.title}, but the criterion of the frontier is "
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
    """Points of (cost, violation) or of (cost, interval, violation, interval)."""
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
            f"interval), as numbers or as arrays of as many numbers each, got {value!r:.60}."
        ) from None


def read_number(chosen: Any, n_points: int) -> int | None:
    """Check the number of a point; None stays None."""
    if chosen is None:
        return None
    if _is_number(chosen, n_points):
        return int(chosen)
    raise ValueError(f"chosen must be a number from 0 to {n_points - 1}, got {chosen!r}.")


def _is_number(chosen: Any, n_points: int) -> bool:
    is_whole = isinstance(chosen, numbers.Integral) and not isinstance(chosen, bool)
    return is_whole and 0 <= int(chosen) < n_points


def model_number(frontier: Any, chosen: Any) -> int | None:
    """Number of a model on a fitted frontier; `chosen` is a number, a model or None."""
    n_points = len(frontier.points_)
    if chosen is None:
        return None
    if _is_number(chosen, n_points):
        return int(chosen)
    for i in range(n_points if hasattr(chosen, "result_") else 0):
        if _is_model(chosen, frontier, i):
            return i
    raise ValueError(
        f"chosen must be a number from 0 to {n_points - 1}, or a model of this frontier's select; "
        f"got {chosen!r}."
    )


def _is_model(chosen: Any, frontier: Any, i: int) -> bool:
    """Whether a model is the one of point i, or a copy of it."""
    result = frontier.points_[i].result
    if chosen.result_ is result:
        return True
    if not np.array_equal(getattr(chosen.result_, "thresholds", ()), result.thresholds):
        return False
    model = frontier.model(i)
    return all(
        np.array_equal(getattr(chosen, name, 0.0), getattr(model, name, 0.0))
        for name in DISTINGUISHING
    )
