"""Cost matrices: ``C[i, j]`` is the price of predicting label j where label i is true.

A matrix is *V-shaped* if each row is 0 on the diagonal, at least 0 elsewhere, and does not
fall as the prediction moves away from the truth (paper, section 2). Labels that are numbers in
order are as far apart as the numbers; names are one step apart.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from fairordinal._validation import Array

NAMES = ("absolute", "zero_one", "squared", "asymmetric")
USUAL = (2.0**-20, 2.0**20)  # costs are summed as they are if the largest lies in this range


def cost_matrix(cost: Any, labels: Array) -> Array:
    """The cost matrix for labels in ascending order, by name or checked.

    `cost` is ``"absolute"`` |i-j|, ``"zero_one"`` 1{i≠j}, ``"squared"`` (i-j)²,
    ``"asymmetric"`` |i-j|·(1 + 1{j>i}) (paper, appendix B.4), or a V-shaped matrix.
    """
    if not isinstance(cost, str):
        return _checked(cost, labels)
    with np.errstate(over="ignore"):
        matrix = _named(cost, labels)
    if not np.isfinite(matrix).all():
        raise ValueError(
            f"cost_matrix={cost!r} is beyond floating-point numbers for labels as far apart as "
            f"{labels.tolist()}. Number them 0, 1, 2, …, or pass a matrix."
        )
    return matrix


def _named(cost: str, labels: Array) -> Array:
    at = label_places(labels)
    step = np.abs(at[None, :] - at[:, None])
    if cost == "absolute":
        return step
    if cost == "zero_one":
        return (step > 0).astype(np.float64)
    if cost == "squared":
        return step**2
    if cost == "asymmetric":
        return step * (1 + np.triu(np.ones_like(step), 1))
    raise ValueError(
        f"cost_matrix must be one of {list(NAMES)} or a V-shaped matrix, got {cost!r}."
    )


def cost_unit(cost: Array) -> float:
    """A power of two near the largest cost, in units of which sums and squares stay in range."""
    largest = float(np.max(cost, initial=0.0))
    if largest == 0 or USUAL[0] <= largest <= USUAL[1]:
        return 1.0
    return 2.0 ** max(math.frexp(largest)[1] - 1, -1000)


def mean_costs(counts: Array, cost: Array) -> Array:
    """Mean costs of counts by (…, true label, predicted label)."""
    unit = cost_unit(cost)
    total = np.einsum("...yl,yl->...", counts, cost / unit)
    return np.asarray(total / counts.sum(axis=(-2, -1)) * unit)


def surcharged(cost: Array, totals: Array, surcharge: float) -> Array:
    """Costs plus a surcharge on all labels but the best constant one.

    `totals` has the weight of the rows of each true label.
    """
    if not surcharge:
        return cost
    best = int((totals @ (cost / cost_unit(cost))).argmin())
    return cost + surcharge * (np.arange(len(cost)) != best)


def label_places(labels: Array) -> Array:
    """Where the labels lie on a line: numbers in order at themselves, names at 0, 1, …, k-1."""
    if labels.dtype.kind in "iuf":
        at = labels.astype(np.float64)
        if not _monotone(at):  # large whole numbers may be equal as floats; their steps are not
            at = np.array([label - labels[0].item() for label in labels.tolist()], dtype=np.float64)
        if _monotone(at):
            return at
    return np.arange(len(labels), dtype=np.float64)


def _monotone(at: Array) -> bool:
    return bool((np.diff(at) > 0).all() or (np.diff(at) < 0).all())


def _checked(cost: Any, labels: Array) -> Array:
    try:
        if np.iscomplexobj(cost):
            raise TypeError
        matrix = np.asarray(cost, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(
            "cost_matrix must be a V-shaped matrix of numbers with a row and a column per label, "
            f"or one of {NAMES}, got {cost!r:.60}."
        ) from None
    if matrix.shape != (len(labels), len(labels)):
        raise ValueError(
            f"cost_matrix has shape {matrix.shape} but there are {len(labels)} labels "
            f"{labels.tolist()}. Pass one row and one column per label, in ascending order; "
            "labels=[...] names labels that do not occur."
        )
    wrong = np.argwhere(~_v_shaped(matrix))
    if len(wrong):
        i, j = wrong[0]
        raise ValueError(
            "cost_matrix must be V-shaped: finite, 0 on the diagonal and never falling as the "
            f"prediction moves away from the truth. Row {i} is {matrix[i].tolist()}, wrong at "
            f"column {j}."
        )
    return matrix


def _v_shaped(matrix: Array) -> Array:
    """Which entries keep the rules, each compared with its neighbour nearer the diagonal."""
    size = len(matrix)
    i, j = np.indices((size, size))
    nearer = np.where(i == j, 0.0, matrix[i, j - np.sign(j - i)])
    with np.errstate(invalid="ignore"):
        rising = np.where(i == j, matrix == 0, matrix >= nearer)
    return rising & np.isfinite(matrix)
