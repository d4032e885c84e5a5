"""Fairness metrics about single samples: harm parity, and the standard criteria label by label.

The harm of a sample is the cost of being predicted below its true label (section 6 of the paper).
The standard criteria treat labels as unordered classes; they are here for comparison with the
pairwise ones (section 2 of the paper).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fairordinal._costs import cost_unit
from fairordinal._validation import check_choice
from fairordinal.criteria import (
    ConditionalHarmParity,
    HarmParity,
    StandardDemographicParity,
    StandardEqualizedOdds,
    StandardEqualOpportunity,
)
from fairordinal.metrics._violation import MetricInput, count_rows, violation_of


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
    r"""Largest difference between groups in the mean harm of being rated too low.

    0 is fair. The harm of a sample is the cost of the error if it is predicted below its true
    label, and 0 otherwise.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True ordinal labels.
    y_pred : array-like of shape (n_samples,)
        Predicted ordinal labels.
    sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns)
        Group of each sample, of any hashable type. Several columns define one group for each
        combination of their values. Rows are matched by position; an index is ignored.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the samples. A weight of 2 is equivalent to a row repeated twice.
    labels : sequence, default=None
        All labels in ascending order. Required if labels are names without an order.
    missing_group : {"error", "own"}, default="error"
        What to do with rows whose group is missing: ``"error"`` raises ValueError, ``"own"``
        makes them a group of their own.
    cost_matrix : {"absolute", "zero_one", "squared", "asymmetric"} or array, default="absolute"
        Costs of errors ``C[i, j]`` for true label i and predicted label j: ``|i-j|``, ``1{i≠j}``,
        ``(i-j)²``, ``|i-j|·(1 + 1{j>i})``, or a V-shaped matrix: 0 on the diagonal and not
        decreasing away from it.
    method : {"between_groups", "to_overall"}, default="between_groups"
        Compare groups with each other, or each group with all samples together, as in the paper.

    Returns
    -------
    violation : float
        At least 0. Groups without a mean are left out, with an ``UndefinedMetricWarning``; nan if
        fewer than two groups remain.

    See Also
    --------
    conditional_harm_parity_difference : Compares the mean harm of the samples rated too low.
    mean_cost : Mean cost of all errors, without groups.

    Notes
    -----
    With :math:`h_g = E[C_{y,\hat y} 1\{\hat y < y\} \mid a = g]`, the value is
    :math:`\max_{g<g'} |h_g - h_{g'}|`, or :math:`\max_g |h_g - h|` with h the mean of all samples.
    Cost: one pass over the rows.

    References
    ----------
    M. Kleindessner, S. Samadi, M. B. Zafar, K. Kenthapadi and C. Russell, "Pairwise Fairness for
    Ordinal Regression", AISTATS 2022, arXiv:2105.03153. Section
    6.

    Examples
    --------
    Half of group b is rated one level too low:

    >>> from fairordinal.metrics import harm_parity_difference
    >>> harm_parity_difference([1, 2, 1, 2], [1, 2, 1, 1], sensitive_features=list("aabb"))
    0.5
    """
    data = MetricInput(y_true, y_pred, sensitive_features, sample_weight, labels, missing_group)
    return _harm_difference(HarmParity(cost_matrix), data, method)


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
    r"""Largest difference between groups in the mean harm of samples rated too low.

    0 is fair. Among the samples predicted below their true label, it compares the mean cost of the
    error. Undefined for a group without such samples.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True ordinal labels.
    y_pred : array-like of shape (n_samples,)
        Predicted ordinal labels.
    sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns)
        Group of each sample, of any hashable type. Several columns define one group for each
        combination of their values. Rows are matched by position; an index is ignored.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the samples. A weight of 2 is equivalent to a row repeated twice.
    labels : sequence, default=None
        All labels in ascending order. Required if labels are names without an order.
    missing_group : {"error", "own"}, default="error"
        What to do with rows whose group is missing: ``"error"`` raises ValueError, ``"own"``
        makes them a group of their own.
    cost_matrix : {"absolute", "zero_one", "squared", "asymmetric"} or array, default="absolute"
        Costs of errors ``C[i, j]`` for true label i and predicted label j: ``|i-j|``, ``1{i≠j}``,
        ``(i-j)²``, ``|i-j|·(1 + 1{j>i})``, or a V-shaped matrix: 0 on the diagonal and not
        decreasing away from it.
    method : {"between_groups", "to_overall"}, default="between_groups"
        Compare groups with each other, or each group with all samples together, as in the paper.

    Returns
    -------
    violation : float
        At least 0. Groups without a mean are left out, with an ``UndefinedMetricWarning``; nan if
        fewer than two groups remain.

    See Also
    --------
    harm_parity_difference : Compares the mean harm of all samples.

    Notes
    -----
    With :math:`h_g = E[C_{y,\hat y} \mid \hat y < y, a = g]`, the value is
    :math:`\max_{g<g'} |h_g - h_{g'}|`, or :math:`\max_g |h_g - h|` with h the mean of all samples
    rated too low. Cost: one pass over the rows.

    References
    ----------
    M. Kleindessner, S. Samadi, M. B. Zafar, K. Kenthapadi and C. Russell, "Pairwise Fairness for
    Ordinal Regression", AISTATS 2022, arXiv:2105.03153. Section
    6.

    Examples
    --------
    >>> from fairordinal.metrics import conditional_harm_parity_difference
    >>> conditional_harm_parity_difference(
    ...     [2, 2, 3, 3], [1, 2, 1, 3], sensitive_features=list("aabb"))
    1.0
    """
    data = MetricInput(y_true, y_pred, sensitive_features, sample_weight, labels, missing_group)
    return _harm_difference(ConditionalHarmParity(cost_matrix), data, method)


def _harm_difference(criterion: HarmParity, data: MetricInput, method: str) -> float:
    """Compute a harm metric, between groups or with the mean of all samples."""
    check_choice(method, "method", ("between_groups", "to_overall"))
    if method == "between_groups":
        return violation_of(criterion, data)
    table = count_rows(criterion, data)
    value, among = criterion.events(table.labels)[""]
    everyone = table.cube.sum(axis=0)
    means = criterion.group_means(table)
    if np.isfinite(means).sum() < 2:  # a single group is its own overall mean
        return float("nan")
    unit = cost_unit(value)  # products of large costs and weights must not overflow
    overall = unit * ((value / unit * everyone).sum() / (among * everyone).sum())
    return float(np.nanmax(np.abs(means - overall)))


def standard_demographic_parity_difference(
    y_true: Any,
    y_pred: Any,
    *,
    sensitive_features: Any,
    sample_weight: Any = None,
    labels: Any = None,
    missing_group: str = "error",
) -> float:
    r"""Largest difference between two groups in how often a label is predicted.

    0 is fair, 1 is the worst. The order of the labels has no effect.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True ordinal labels. They are checked, but have no effect on the result.
    y_pred : array-like of shape (n_samples,)
        Predicted ordinal labels.
    sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns)
        Group of each sample, of any hashable type. Several columns define one group for each
        combination of their values. Rows are matched by position; an index is ignored.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the samples. A weight of 2 is equivalent to a row repeated twice.
    labels : sequence, default=None
        All labels in ascending order. Required if labels are names without an order.
    missing_group : {"error", "own"}, default="error"
        What to do with rows whose group is missing: ``"error"`` raises ValueError, ``"own"``
        makes them a group of their own.

    Returns
    -------
    violation : float
        In [0, 1]. Pairs of groups that cannot be compared are left out of the maximum, with an
        ``UndefinedMetricWarning``; nan if no pair remains.

    See Also
    --------
    pairwise_demographic_parity_difference : Uses the order of the labels.

    Notes
    -----
    The value is :math:`\max_{g<h} \max_l |P(\hat y = l \mid a=g) - P(\hat y = l \mid a=h)|`. A
    value of 0 implies pairwise demographic parity. With two labels both criteria are equivalent;
    with more labels the converse is false. Cost: one pass over the rows.

    Examples
    --------
    Predictions of group a lie on both sides of those of group b: pairwise parity holds, but parity
    of each label does not.

    >>> from fairordinal.metrics import standard_demographic_parity_difference
    >>> standard_demographic_parity_difference(
    ...     [1, 2, 3], [1, 2, 3], sensitive_features=list("aba"))
    1.0
    """
    data = MetricInput(y_true, y_pred, sensitive_features, sample_weight, labels, missing_group)
    return violation_of(StandardDemographicParity(), data)


def standard_equal_opportunity_difference(
    y_true: Any,
    y_pred: Any,
    *,
    sensitive_features: Any,
    sample_weight: Any = None,
    labels: Any = None,
    missing_group: str = "error",
    preferred: Any = None,
) -> float:
    r"""Largest difference between two groups in how often a true label is predicted correctly.

    0 is fair, 1 is the worst. The order of the labels has no effect. Equal opportunity is usually
    defined for one preferred label; without it, the label with the largest difference counts.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True ordinal labels.
    y_pred : array-like of shape (n_samples,)
        Predicted ordinal labels.
    sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns)
        Group of each sample, of any hashable type. Several columns define one group for each
        combination of their values. Rows are matched by position; an index is ignored.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the samples. A weight of 2 is equivalent to a row repeated twice.
    labels : sequence, default=None
        All labels in ascending order. Required if labels are names without an order.
    missing_group : {"error", "own"}, default="error"
        What to do with rows whose group is missing: ``"error"`` raises ValueError, ``"own"``
        makes them a group of their own.
    preferred : label, default=None
        The preferred label; None compares all labels.

    Returns
    -------
    violation : float
        In [0, 1]. Pairs of groups that cannot be compared are left out of the maximum, with an
        ``UndefinedMetricWarning``; nan if no pair remains.

    See Also
    --------
    pairwise_equal_opportunity_difference : Uses the order of the labels.

    Notes
    -----
    The value is :math:`\max_{g<h} \max_l |P(\hat y = l \mid y = l, a=g) - P(\hat y = l \mid y =
    l, a=h)|`. It neither implies pairwise equal opportunity nor follows from it. Cost: one pass
    over the rows.

    Examples
    --------
    >>> from fairordinal.metrics import standard_equal_opportunity_difference
    >>> standard_equal_opportunity_difference(
    ...     [1, 2, 1, 2], [1, 2, 1, 1], sensitive_features=list("aabb"), preferred=2)
    1.0
    """
    data = MetricInput(y_true, y_pred, sensitive_features, sample_weight, labels, missing_group)
    return violation_of(StandardEqualOpportunity(preferred), data)


def standard_equalized_odds_difference(
    y_true: Any,
    y_pred: Any,
    *,
    sensitive_features: Any,
    sample_weight: Any = None,
    labels: Any = None,
    missing_group: str = "error",
) -> float:
    r"""Largest difference between two groups in the predicted labels, given the true label.

    0 is fair, 1 is the worst. The order of the labels has no effect.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True ordinal labels.
    y_pred : array-like of shape (n_samples,)
        Predicted ordinal labels.
    sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns)
        Group of each sample, of any hashable type. Several columns define one group for each
        combination of their values. Rows are matched by position; an index is ignored.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the samples. A weight of 2 is equivalent to a row repeated twice.
    labels : sequence, default=None
        All labels in ascending order. Required if labels are names without an order.
    missing_group : {"error", "own"}, default="error"
        What to do with rows whose group is missing: ``"error"`` raises ValueError, ``"own"``
        makes them a group of their own.

    Returns
    -------
    violation : float
        In [0, 1]. Pairs of groups that cannot be compared are left out of the maximum, with an
        ``UndefinedMetricWarning``; nan if no pair remains.

    See Also
    --------
    pairwise_equalized_odds_difference : Uses the order of the labels.

    Notes
    -----
    The value is :math:`\max_{g<h} \max_{l,m} |P(\hat y = l \mid y = m, a=g) - P(\hat y = l \mid
    y = m, a=h)|`. With two labels, 0 implies pairwise equal opportunity; with more it does not.
    Cost: one pass over the rows.

    Examples
    --------
    >>> from fairordinal.metrics import standard_equalized_odds_difference
    >>> standard_equalized_odds_difference(
    ...     [1, 2, 1, 2], [1, 2, 2, 2], sensitive_features=list("aabb"))
    1.0
    """
    data = MetricInput(y_true, y_pred, sensitive_features, sample_weight, labels, missing_group)
    return violation_of(StandardEqualizedOdds(), data)
