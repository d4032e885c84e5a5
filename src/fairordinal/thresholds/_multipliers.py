"""Which multipliers promise the highest bound, by what is known of the Lagrangian."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import linprog

from fairordinal._cuts import Goal
from fairordinal._validation import Array

PREFER_SMALL = 1e-9  # among equally good multipliers
FIRST_TRIED = 64  # contrasts of a linear programme, and those that join it at a time
WORTH_JOINING = 1e-9


class Plane(NamedTuple):
    """Cuts; their Lagrangian, ``cost + τ . disparities``, is a plane over multipliers τ."""

    cost: float
    disparities: Array
    cuts: Array

    @property
    def violation(self) -> float:
        return float(np.abs(self.disparities).max(initial=0.0))

    def lagrangian(self, multipliers: Array) -> float:
        """The height of the plane."""
        return self.cost + float(multipliers @ self.disparities)


def best_multipliers(planes: Sequence[Plane], goal: Goal) -> tuple[Array, float]:
    """Multipliers at which the lowest plane is highest, and its height (Kelley's method).

    The Lagrangian's minimum lies below every plane, so no multipliers can bound the objective
    beyond this height.
    """
    costs = np.array([plane.cost for plane in planes])
    disparities = np.array([plane.disparities for plane in planes])
    solve = _on_a_line if disparities.shape[1] == 1 else _by_linear_programme
    return solve(costs, disparities, goal)


def _on_a_line(costs: Array, disparities: Array, goal: Goal) -> tuple[Array, float]:
    """One contrast: the best multiplier is where two lines cross, or an end, or 0."""
    slopes = disparities[:, 0]
    i, j = np.triu_indices(len(slopes), 1)
    apart = slopes[i] != slopes[j]
    i, j = i[apart], j[apart]
    with np.errstate(over="ignore"):
        crossings = (costs[j] - costs[i]) / (slopes[i] - slopes[j])
    places = np.concatenate([crossings, [-goal.price, 0.0, goal.price]])
    places = places[np.abs(places) <= goal.price]
    heights = (costs[:, None] + slopes[:, None] * places).min(axis=0)
    heights -= (goal.allowance + PREFER_SMALL) * np.abs(places)
    best = int(heights.argmax())
    return places[best : best + 1], float(heights[best])


def _by_linear_programme(costs: Array, disparities: Array, goal: Goal) -> tuple[Array, float]:
    """Maximise the height h with ``h <= cost + (τ⁺ - τ⁻) . disparities`` and ``|τ|_1 <= price``.

    Of many contrasts, few have a multiplier in the end. Those with the greatest disparities are
    tried first, and others join while they would raise the height (column generation).
    """
    n_contrasts = disparities.shape[1]
    multipliers = np.zeros(n_contrasts)
    greatest = np.argsort(-np.abs(disparities).max(axis=0), kind="stable")
    tried = np.sort(greatest[:FIRST_TRIED])
    while True:
        found = _solve(costs, disparities[:, tried], goal)
        if not found.success:  # any multipliers give a valid bound
            return multipliers, float(costs.min())
        *shares, toll = found.ineqlin.marginals
        worth = np.abs(np.array(shares) @ disparities) + toll - goal.allowance - PREFER_SMALL
        worth[tried] = 0.0
        joining = np.argsort(-worth, kind="stable")[:FIRST_TRIED]
        joining = joining[worth[joining] > WORTH_JOINING]
        if not len(joining):
            break
        tried = np.sort(np.concatenate([tried, joining]))
    plus, minus = np.split(found.x[1:], 2)
    multipliers[tried] = plus - minus
    return multipliers, float(-found.fun)


def _solve(costs: Array, disparities: Array, goal: Goal) -> Any:
    n_planes, n_contrasts = disparities.shape
    heights = np.column_stack([np.ones(n_planes), -disparities, disparities])
    norm = np.concatenate([[0.0], np.ones(2 * n_contrasts)])
    return linprog(
        np.concatenate([[-1.0], np.full(2 * n_contrasts, goal.allowance + PREFER_SMALL)]),
        A_ub=np.vstack([heights, norm]),
        b_ub=np.concatenate([costs, [goal.price]]),
        bounds=[(None, None)] + [(0.0, None)] * (2 * n_contrasts),
        method="highs",
    )
