"""The harm of being rated too low, compared between groups (paper, section 6)."""

from __future__ import annotations

from typing import Any

import numpy as np

from fairordinal._validation import check_choice
from fairordinal.criteria import ConditionalHarmParity, HarmParity
from fairordinal.metrics._measure import Rows, table_for, violation_of


def harm_parity_difference(
    y_true: Any,
    y_pred: Any,
    *,
    sensitive_features: Any,
    sample_weight: Any = None,
    labels: Any = None,
    missing_group: str = "error",
    cost_matrix: Any = "absolute",
    method: str = "between_groups",
) -> float:
    r"""Largest gap between groups in the mean harm of being rated too low.

    0 is fair. A sample is harmed, by the cost of the error, if it is predicted below its true
    label; others count with harm 0.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True and predicted ordinal labels.
    sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns)
        Group of each sample, of any hashable type; several columns mean their intersections. Rows
        are matched by position; an index is ignored.
    sample_weight : array-like of shape (n_samples,), default=None
        A weight of 2 is a row repeated twice; pairs weigh the product of their ends.
    labels : sequence, default=None
        All labels in ascending order. Needed for names without an order.
    missing_group : {"error", "own"}, default="error"
        Refuse rows without a group, or make them a group of their own.
    cost_matrix : {"absolute", "zero_one", "squared", "asymmetric"} or array, default="absolute"
        The price of an error; a matrix must be V-shaped.
    method : {"between_groups", "to_overall"}, default="between_groups"
        Compare the groups with each other, or each with the whole sample as the paper writes.

    Returns
    -------
    violation : float
        At least 0. Groups without a mean are warned about and left out
        (``UndefinedMetricWarning``); nan if no pair is left.

    Notes
    -----
    With :math:`h_g = E[C_{y,\hat y} 1\{\hat y < y\} \mid a = g]`, the value is
    :math:`\max_{g<h} |h_g - h_h|`, or :math:`\max_g |h_g - h|` with h the mean of all samples.
    Cost: one count of the rows. Section 6 of Kleindessner et al., AISTATS 2022.

    Examples
    --------
    Half of group b is rated one level too low:

    >>> from fairordinal.metrics import harm_parity_difference
    >>> harm_parity_difference([1, 2, 1, 2], [1, 2, 1, 1], sensitive_features=list("aabb"))
    0.5
    """
    rows = Rows(y_true, y_pred, sensitive_features, sample_weight, labels, missing_group)
    return _gap(HarmParity(cost_matrix), rows, method)


def conditional_harm_parity_difference(
    y_true: Any,
    y_pred: Any,
    *,
    sensitive_features: Any,
    sample_weight: Any = None,
    labels: Any = None,
    missing_group: str = "error",
    cost_matrix: Any = "absolute",
    method: str = "between_groups",
) -> float:
    r"""Largest gap between groups in the mean harm of those who are rated too low.

    0 is fair. Of the samples predicted below their true label, how much do the groups differ in
    the mean cost of the error? Undefined for a group in which nobody is rated too low.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True and predicted ordinal labels.
    sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns)
        Group of each sample, of any hashable type; several columns mean their intersections. Rows
        are matched by position; an index is ignored.
    sample_weight : array-like of shape (n_samples,), default=None
        A weight of 2 is a row repeated twice; pairs weigh the product of their ends.
    labels : sequence, default=None
        All labels in ascending order. Needed for names without an order.
    missing_group : {"error", "own"}, default="error"
        Refuse rows without a group, or make them a group of their own.
    cost_matrix : {"absolute", "zero_one", "squared", "asymmetric"} or array, default="absolute"
        The price of an error; a matrix must be V-shaped.
    method : {"between_groups", "to_overall"}, default="between_groups"
        Compare the groups with each other, or each with the whole sample as the paper writes.

    Returns
    -------
    violation : float
        At least 0. Groups without a mean are warned about and left out
        (``UndefinedMetricWarning``); nan if no pair is left.

    Notes
    -----
    With :math:`h_g = E[C_{y,\hat y} \mid \hat y < y, a = g]`, the value is
    :math:`\max_{g<h} |h_g - h_h|`, or :math:`\max_g |h_g - h|` with h the mean of all samples.
    Cost: one count of the rows. Section 6 of Kleindessner et al., AISTATS 2022.

    Examples
    --------
    >>> from fairordinal.metrics import conditional_harm_parity_difference
    >>> conditional_harm_parity_difference(
    ...     [2, 2, 3, 3], [1, 2, 1, 3], sensitive_features=list("aabb"))
    1.0
    """
    rows = Rows(y_true, y_pred, sensitive_features, sample_weight, labels, missing_group)
    return _gap(ConditionalHarmParity(cost_matrix), rows, method)


def _gap(criterion: HarmParity, rows: Rows, method: str) -> float:
    check_choice(method, "method", ("between_groups", "to_overall"))
    if method == "between_groups":
        return violation_of(criterion, rows, stacklevel=5)
    table = table_for(criterion, rows, stacklevel=4)
    value, among = criterion.events(table.labels)[""]
    everyone = table.cube.sum(axis=0)
    means = criterion.group_means(table)
    if np.isfinite(means).sum() < 2:  # one group alone is the overall mean
        return float("nan")
    overall = (value * everyone).sum() / (among * everyone).sum()
    return float(np.nanmax(np.abs(means - overall)))
