"""Cost matrices: ``C[i, j]`` is the cost of predicting label j where label i is true.

A matrix is *V-shaped* if each row is 0 on the diagonal and does not decrease as the predicted
label moves away from the true one (section 2 of the paper). The distance of two numeric labels is
the difference of the numbers; neighbouring labels that are names have distance 1.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from fairordinal._validation import Array

NAMES = ("absolute", "zero_one", "squared", "asymmetric")
USUAL = (2.0**-20, 2.0**20)  # costs are not rescaled if the largest lies in this range


def cost_matrix(cost: Any, labels: Array) -> Array:
    """Cost matrix of shape (n_labels, n_labels), made from a name or checked.

    Parameters
    ----------
    cost : {"absolute", "zero_one", "squared", "asymmetric"} or array-like
        |i-j|, 1{i≠j}, (i-j)², |i-j|·(1 + 1{j>i}) (appendix B.4 of the paper), or a V-shaped
        matrix.
    labels : ndarray of shape (n_labels,)
        Labels in ascending order.
    """
    if not isinstance(cost, str):
        return _checked(cost, labels)
    with np.errstate(over="ignore"):
        matrix = _named(cost, labels)
    if not np.isfinite(matrix).all():
        raise ValueError(
            f"cost_matrix={cost!r} overflows: the labels {labels.tolist()} are too far apart. "
            "Number them 0, 1, 2, …, or pass a matrix."
        )
    return matrix


def _named(cost: str, labels: Array) -> Array:
    """Cost matrix of one of `NAMES`."""
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
    """Power of two near the largest cost; sums and squares of ``cost / unit`` do not overflow.

    It is 1 for costs of usual size. Division by a power of two is exact.
    """
    largest = float(np.max(cost, initial=0.0))
    if largest == 0 or USUAL[0] <= largest <= USUAL[1]:
        return 1.0
    return 2.0 ** max(math.frexp(largest)[1] - 1, -1000)


def mean_costs(counts: Array, cost: Array) -> Array:
    """Mean cost of each table of counts, for counts of shape (..., n_labels, n_labels)."""
    unit = cost_unit(cost)
    total = np.einsum("...yl,yl->...", counts, cost / unit)
    return np.asarray(total / counts.sum(axis=(-2, -1)) * unit)


def surcharged(cost: Array, totals: Array, surcharge: float) -> Array:
    """Add a surcharge to the cost of all predicted labels except the best constant one.

    Parameters
    ----------
    cost : ndarray of shape (n_labels, n_labels)
        Cost matrix.
    totals : ndarray of shape (n_labels,)
        Weight of the rows of each true label.
    surcharge : float
        The amount that is added; 0 returns `cost` itself.
    """
    if not surcharge:
        return cost
    best = int((totals @ (cost / cost_unit(cost))).argmin())
    return cost + surcharge * (np.arange(len(cost)) != best)


def label_places(labels: Array) -> Array:
    """Numeric value of each label: the label itself, or 0, …, k-1 for names.

    Numbers that are in no order also get 0, …, k-1.
    """
    if labels.dtype.kind in "iuf":
        at = labels.astype(np.float64)
        if not _monotone(at):
            # Integers above 2⁵³ may round to equal floats. Their differences do not.
            at = np.array([label - labels[0].item() for label in labels.tolist()], dtype=np.float64)
        if _monotone(at):
            return at
    return np.arange(len(labels), dtype=np.float64)


def _monotone(at: Array) -> bool:
    return bool((np.diff(at) > 0).all() or (np.diff(at) < 0).all())


def _checked(cost: Any, labels: Array) -> Array:
    """Check that a matrix is V-shaped and has a row and a column for each label."""
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
            "cost_matrix must be V-shaped: finite, 0 on the diagonal and not decreasing as the "
            f"predicted label moves away from the true one. Row {i} is {matrix[i].tolist()}, wrong "
            f"at column {j}."
        )
    return matrix


def _v_shaped(matrix: Array) -> Array:
    """Mask of the entries that are valid.

    An entry off the diagonal is compared with its neighbour that is one step nearer to it.
    """
    size = len(matrix)
    i, j = np.indices((size, size))
    nearer = np.where(i == j, 0.0, matrix[i, j - np.sign(j - i)])
    with np.errstate(invalid="ignore"):
        rising = np.where(i == j, matrix == 0, matrix >= nearer)
    return rising & np.isfinite(matrix)
