"""Standard (per-label) notions of fairness, which do not know that labels are ordered.

For comparison with the pairwise notions, as in the remarks of the paper's section 2.
"""

from __future__ import annotations

from typing import Any

from fairordinal.criteria import (
    StandardDemographicParity,
    StandardEqualizedOdds,
    StandardEqualOpportunity,
)
from fairordinal.metrics._measure import Rows, violation_of


def standard_demographic_parity_difference(
    y_true: Any,
    y_pred: Any,
    *,
    sensitive_features: Any,
    sample_weight: Any = None,
    labels: Any = None,
    missing_group: str = "error",
) -> float:
    r"""Largest gap between two groups in how often a label is predicted.

    0 is fair, 1 is the worst: each label is predicted equally often in every group.

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

    Returns
    -------
    violation : float
        In [0, 1]. Pairs of groups that cannot be compared are warned about and left out of the
        maximum (``UndefinedMetricWarning``); nan if none is left.

    Notes
    -----
    The value is :math:`\max_{g<h} \max_l |P(\hat y = l \mid a=g) - P(\hat y = l \mid a=h)|`. 0
    implies pairwise demographic parity; with two labels the two are equivalent, with more the
    converse fails. Cost: one count of the rows.

    Examples
    --------
    Group a lies on both sides of group b: parity pair by pair, not label by label.

    >>> from fairordinal.metrics import standard_demographic_parity_difference
    >>> standard_demographic_parity_difference(
    ...     [1, 2, 3], [1, 2, 3], sensitive_features=list("aba"))
    1.0
    """
    rows = Rows(y_true, y_pred, sensitive_features, sample_weight, labels, missing_group)
    return violation_of(StandardDemographicParity(), rows)


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
    r"""Largest gap between two groups in how often a label is recognised.

    0 is fair, 1 is the worst: samples of a true label are given it equally often in every
    group. The notion is made for one preferred label; without it, the worst label counts.

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
    preferred : label, default=None
        The preferred label; None looks at every label.

    Returns
    -------
    violation : float
        In [0, 1]. Pairs of groups that cannot be compared are warned about and left out of the
        maximum (``UndefinedMetricWarning``); nan if none is left.

    Notes
    -----
    The value is :math:`\max_{g<h} \max_l |P(\hat y = l \mid y = l, a=g) - P(\hat y = l \mid y =
    l, a=h)|`. Neither implies pairwise equal opportunity nor follows from it. Cost: one count of
    the rows.

    Examples
    --------
    >>> from fairordinal.metrics import standard_equal_opportunity_difference
    >>> standard_equal_opportunity_difference(
    ...     [1, 2, 1, 2], [1, 2, 1, 1], sensitive_features=list("aabb"), preferred=2)
    1.0
    """
    rows = Rows(y_true, y_pred, sensitive_features, sample_weight, labels, missing_group)
    return violation_of(StandardEqualOpportunity(preferred), rows)


def standard_equalized_odds_difference(
    y_true: Any,
    y_pred: Any,
    *,
    sensitive_features: Any,
    sample_weight: Any = None,
    labels: Any = None,
    missing_group: str = "error",
) -> float:
    r"""Largest gap between two groups in the predictions given the true label.

    0 is fair, 1 is the worst: for each true label, each label is predicted equally often in
    every group.

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

    Returns
    -------
    violation : float
        In [0, 1]. Pairs of groups that cannot be compared are warned about and left out of the
        maximum (``UndefinedMetricWarning``); nan if none is left.

    Notes
    -----
    The value is :math:`\max_{g<h} \max_{l,m} |P(\hat y = l \mid y = m, a=g) - P(\hat y = l \mid
    y = m, a=h)|`. 0 implies pairwise equal opportunity with two labels, not with more. Cost: one
    count of the rows.

    Examples
    --------
    >>> from fairordinal.metrics import standard_equalized_odds_difference
    >>> standard_equalized_odds_difference(
    ...     [1, 2, 1, 2], [1, 2, 2, 2], sensitive_features=list("aabb"))
    1.0
    """
    rows = Rows(y_true, y_pred, sensitive_features, sample_weight, labels, missing_group)
    return violation_of(StandardEqualizedOdds(), rows)
