r"""The multipliers of the highest bound that the known cuts allow (Kelley's cutting planes).

The Lagrangian of fixed cuts, ``cost + τ . disparities``, is a plane over the multipliers τ. Its
minimum over all cuts, from which bounds come, lies below the plane of any cuts. So the lowest of
the known planes bounds what multipliers can achieve. The next multipliers to try are those at which
the lowest plane, less ``limit · |τ|_1``, is highest::

    max h  with  h <= cost_i + τ . disparities_i  for all known cuts i,  |τ|_1 <= λ
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import linprog

from fairordinal._validation import Array
from fairordinal.thresholds._goal import Goal

PREFER_SMALL = 1e-9  # added to the limit, so that of equally good multipliers small ones are best
MOST_ADDED = 64  # contrasts that a linear programme begins with, and that are added at a time
LEAST_GAIN = 1e-9  # reduced cost with which a contrast is added


class Plane(NamedTuple):
    """Cuts and their Lagrangian, ``cost + τ . disparities``: a plane over multipliers τ."""

    cost: float
    disparities: Array
    cuts: Array

    @property
    def violation(self) -> float:
        return float(np.abs(self.disparities).max(initial=0.0))

    def lagrangian(self, multipliers: Array) -> float:
        """The height of the plane at some multipliers."""
        return self.cost + float(multipliers @ self.disparities)


def best_multipliers(planes: Sequence[Plane], goal: Goal) -> tuple[Array, float]:
    """Multipliers at which the lowest plane is highest, and its height.

    No multipliers give a bound above this height.
    """
    costs = np.array([plane.cost for plane in planes])
    disparities = np.array([plane.disparities for plane in planes])
    solve = _by_crossings if disparities.shape[1] == 1 else _by_linear_programme
    return solve(costs, disparities, goal)


def _by_crossings(costs: Array, disparities: Array, goal: Goal) -> tuple[Array, float]:
    """One contrast: planes are lines, and their lowest is highest at a crossing, an end, or 0."""
    slopes = disparities[:, 0]
    i, j = np.triu_indices(len(slopes), 1)
    apart = slopes[i] != slopes[j]
    i, j = i[apart], j[apart]
    with np.errstate(over="ignore"):
        crossings = (costs[j] - costs[i]) / (slopes[i] - slopes[j])
    candidates = np.concatenate([crossings, [-goal.penalty, 0.0, goal.penalty]])
    candidates = candidates[np.abs(candidates) <= goal.penalty]
    heights = (costs[:, None] + slopes[:, None] * candidates).min(axis=0)
    heights -= (goal.limit + PREFER_SMALL) * np.abs(candidates)
    best = int(heights.argmax())
    return candidates[best : best + 1], float(heights[best])


def _by_linear_programme(costs: Array, disparities: Array, goal: Goal) -> tuple[Array, float]:
    """The best multipliers of several contrasts, by column generation.

    Most of many contrasts have the multiplier 0 in the end. The programme begins with those of the
    largest disparities. Its dual solution tells by how much the multiplier of another contrast
    would raise the height: the mean disparity with the shares of the planes as weights, less what
    ``|τ|_1`` costs. Contrasts are added while one would raise it.
    """
    n_contrasts = disparities.shape[1]
    multipliers = np.zeros(n_contrasts)
    largest = np.argsort(-np.abs(disparities).max(axis=0), kind="stable")
    tried = np.sort(largest[:MOST_ADDED])
    while True:
        found = _solve(costs, disparities[:, tried], goal)
        if not found.success:  # any multipliers give a valid bound
            return multipliers, float(costs.min())
        *shares, norm_marginal = found.ineqlin.marginals
        gain = np.abs(np.array(shares) @ disparities) + norm_marginal - goal.limit - PREFER_SMALL
        gain[tried] = 0.0
        added = np.argsort(-gain, kind="stable")[:MOST_ADDED]
        added = added[gain[added] > LEAST_GAIN]
        if not len(added):
            break
        tried = np.sort(np.concatenate([tried, added]))
    plus, minus = np.split(found.x[1:], 2)
    multipliers[tried] = plus - minus
    return multipliers, float(-found.fun)


def _solve(costs: Array, disparities: Array, goal: Goal) -> Any:
    """Solve ``max h - limit · Σ (τ⁺ + τ⁻)`` for the variables h, τ⁺ and τ⁻ with τ = τ⁺ - τ⁻.

    A row for each plane, ``h - (τ⁺ - τ⁻) . disparities <= cost``, and one for ``|τ|_1 <= λ``.
    """
    n_planes, n_contrasts = disparities.shape
    heights = np.column_stack([np.ones(n_planes), -disparities, disparities])
    norm = np.concatenate([[0.0], np.ones(2 * n_contrasts)])
    return linprog(
        np.concatenate([[-1.0], np.full(2 * n_contrasts, goal.limit + PREFER_SMALL)]),
        A_ub=np.vstack([heights, norm]),
        b_ub=np.concatenate([costs, [goal.penalty]]),
        bounds=[(None, None)] + [(0.0, None)] * (2 * n_contrasts),
        method="highs",
    )
