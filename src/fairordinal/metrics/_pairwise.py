"""Pairwise demographic parity, equal opportunity and equalized odds of predictions.

For two groups g and h, each metric compares how often a sample of g is predicted above a sample of
h, with how often the reverse happens. Which pairs of samples count depends on the criterion.
"""

from __future__ import annotations

from typing import Any

from fairordinal.criteria import DemographicParity, EqualizedOdds, EqualOpportunity
from fairordinal.metrics._violation import MetricInput, PairMatrix, matrix_of, violation_of


def pairwise_demographic_parity_difference(
    y_true: Any,
    y_pred: Any,
    *,
    sensitive_features: Any,
    sample_weight: Any = None,
    labels: Any = None,
    missing_group: str = "error",
) -> float:
    r"""Largest pairwise demographic parity difference between two groups.

    0 is fair, 1 is the worst. For a random sample of one group and a random sample of another, it
    compares how often the first is predicted above the second with how often the second is
    predicted above the first.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True ordinal labels. They are checked, but have no effect on the result.
    y_pred : array-like of shape (n_samples,)
        Predicted ordinal labels, or scores; only their order matters.
    sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns)
        Group of each sample, of any hashable type. Several columns define one group for each
        combination of their values. Rows are matched by position; an index is ignored.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the samples. A weight of 2 is equivalent to a row repeated twice; the
        weight of a pair is the product of the weights of its samples.
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
    pairwise_demographic_parity_matrix : The differences of all pairs of groups.
    pairwise_equal_opportunity_difference : Compares pairs whose true labels differ.
    standard_demographic_parity_difference : Compares how often each label is predicted.

    Notes
    -----
    With :math:`\pi_{gh} = P(\hat y_i > \hat y_j \mid a_i = g, a_j = h)`, the value is
    :math:`\max_{g<h} |\pi_{gh} - \pi_{hg}|`. A predicted tie counts for neither group, so a
    constant prediction has violation 0. No pairs are enumerated: the rows are counted once (and
    sorted, if predictions are scores), then the cost is O(groups² · positions).

    References
    ----------
    M. Kleindessner, S. Samadi, M. B. Zafar, K. Kenthapadi and C. Russell, "Pairwise Fairness for
    Ordinal Regression", AISTATS 2022, arXiv:2105.03153. The
    paper calls this ``DP-viol``.

    Examples
    --------
    Group a is always predicted above group b:

    >>> from fairordinal.metrics import pairwise_demographic_parity_difference
    >>> pairwise_demographic_parity_difference(
    ...     [3, 0, 3, 0, 2], [3, 3, 3, 0, 2], sensitive_features=list("aaabb"))
    1.0
    """
    data = MetricInput(y_true, y_pred, sensitive_features, sample_weight, labels, missing_group)
    return violation_of(DemographicParity(), data)


def pairwise_demographic_parity_matrix(
    y_true: Any,
    y_pred: Any,
    *,
    sensitive_features: Any,
    sample_weight: Any = None,
    labels: Any = None,
    missing_group: str = "error",
) -> PairMatrix:
    r"""Pairwise demographic parity difference of every pair of groups.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True ordinal labels. They are checked, but have no effect on the result.
    y_pred : array-like of shape (n_samples,)
        Predicted ordinal labels, or scores; only their order matters.
    sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns)
        Group of each sample, of any hashable type. Several columns define one group for each
        combination of their values. Rows are matched by position; an index is ignored.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the samples. A weight of 2 is equivalent to a row repeated twice; the
        weight of a pair is the product of the weights of its samples.
    labels : sequence, default=None
        All labels in ascending order. Required if labels are names without an order.
    missing_group : {"error", "own"}, default="error"
        What to do with rows whose group is missing: ``"error"`` raises ValueError, ``"own"``
        makes them a group of their own.

    Returns
    -------
    matrix : PairMatrix
        Has the attributes `groups`, `disparity` and `probability`. Entries of pairs of groups that
        cannot be compared are nan, with an ``UndefinedMetricWarning``.

    See Also
    --------
    pairwise_demographic_parity_difference : The largest absolute entry, with its definition.

    Examples
    --------
    >>> from fairordinal.metrics import pairwise_demographic_parity_matrix
    >>> matrix = pairwise_demographic_parity_matrix(
    ...     [0, 1, 2, 0], [1, 2, 0, 1], sensitive_features=list("aabc"))
    >>> matrix.disparity
    array([[ 0. ,  1. ,  0.5],
           [-1. ,  0. , -1. ],
           [-0.5,  1. ,  0. ]])
    """
    data = MetricInput(y_true, y_pred, sensitive_features, sample_weight, labels, missing_group)
    return matrix_of(DemographicParity(), data)


def pairwise_equal_opportunity_difference(
    y_true: Any,
    y_pred: Any,
    *,
    sensitive_features: Any,
    sample_weight: Any = None,
    labels: Any = None,
    missing_group: str = "error",
) -> float:
    r"""Largest pairwise equal opportunity difference between two groups.

    0 is fair, 1 is the worst. Among pairs whose true labels differ, it compares how often the
    sample with the higher true label is predicted higher if it is from one group with how often
    that happens if it is from the other.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True ordinal labels.
    y_pred : array-like of shape (n_samples,)
        Predicted ordinal labels, or scores; only their order matters.
    sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns)
        Group of each sample, of any hashable type. Several columns define one group for each
        combination of their values. Rows are matched by position; an index is ignored.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the samples. A weight of 2 is equivalent to a row repeated twice; the
        weight of a pair is the product of the weights of its samples.
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
    pairwise_equal_opportunity_matrix : The differences of all pairs of groups.
    pairwise_demographic_parity_difference : Compares all pairs; true labels have no effect.
    pairwise_equalized_odds_difference : Also compares pairs with equal true labels.
    standard_equal_opportunity_difference : Compares how often each true label is predicted.

    Notes
    -----
    With :math:`\pi_{gh} = P(\hat y_i > \hat y_j \mid y_i > y_j, a_i = g, a_j = h)`, the value
    is :math:`\max_{g<h} |\pi_{gh} - \pi_{hg}|`. A predicted tie is not "higher", so a constant
    prediction has violation 0. Undefined for two groups if no sample of one has a true label above
    that of a sample of the other. No pairs are enumerated: the rows are counted once (and sorted,
    if predictions are scores), then the cost is O(cells² · positions), with one cell per group and
    label.

    References
    ----------
    M. Kleindessner, S. Samadi, M. B. Zafar, K. Kenthapadi and C. Russell, "Pairwise Fairness for
    Ordinal Regression", AISTATS 2022, arXiv:2105.03153. The
    paper calls this ``EO-viol``.

    Examples
    --------
    Most samples of group b are rated one level too low:

    >>> from fairordinal.metrics import pairwise_equal_opportunity_difference
    >>> pairwise_equal_opportunity_difference(
    ...     [1, 2, 3, 1, 2, 3], [1, 2, 3, 1, 1, 2], sensitive_features=list("aaabbb"))
    0.666...
    """
    data = MetricInput(y_true, y_pred, sensitive_features, sample_weight, labels, missing_group)
    return violation_of(EqualOpportunity(), data)


def pairwise_equal_opportunity_matrix(
    y_true: Any,
    y_pred: Any,
    *,
    sensitive_features: Any,
    sample_weight: Any = None,
    labels: Any = None,
    missing_group: str = "error",
) -> PairMatrix:
    r"""Pairwise equal opportunity difference of every pair of groups.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True ordinal labels.
    y_pred : array-like of shape (n_samples,)
        Predicted ordinal labels, or scores; only their order matters.
    sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns)
        Group of each sample, of any hashable type. Several columns define one group for each
        combination of their values. Rows are matched by position; an index is ignored.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the samples. A weight of 2 is equivalent to a row repeated twice; the
        weight of a pair is the product of the weights of its samples.
    labels : sequence, default=None
        All labels in ascending order. Required if labels are names without an order.
    missing_group : {"error", "own"}, default="error"
        What to do with rows whose group is missing: ``"error"`` raises ValueError, ``"own"``
        makes them a group of their own.

    Returns
    -------
    matrix : PairMatrix
        Has the attributes `groups`, `disparity` and `probability`. Entries of pairs of groups that
        cannot be compared are nan, with an ``UndefinedMetricWarning``.

    See Also
    --------
    pairwise_equal_opportunity_difference : The largest absolute entry, with its definition.

    Examples
    --------
    >>> from fairordinal.metrics import pairwise_equal_opportunity_matrix
    >>> matrix = pairwise_equal_opportunity_matrix(
    ...     [1, 2, 3, 1, 2, 3], [1, 2, 3, 1, 1, 2], sensitive_features=list("aaabbb"))
    >>> matrix.probability[[0, 1], [1, 0]].round(3).tolist()
    [1.0, 0.333]
    """
    data = MetricInput(y_true, y_pred, sensitive_features, sample_weight, labels, missing_group)
    return matrix_of(EqualOpportunity(), data)


def pairwise_equalized_odds_difference(
    y_true: Any,
    y_pred: Any,
    *,
    sensitive_features: Any,
    sample_weight: Any = None,
    labels: Any = None,
    missing_group: str = "error",
) -> float:
    r"""Largest pairwise equalized odds difference between two groups.

    0 is fair, 1 is the worst. The greater of two differences: the pairwise equal opportunity
    difference, and its variant with "not lower" in place of "higher", for true labels and for
    predictions.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True ordinal labels.
    y_pred : array-like of shape (n_samples,)
        Predicted ordinal labels, or scores; only their order matters.
    sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns)
        Group of each sample, of any hashable type. Several columns define one group for each
        combination of their values. Rows are matched by position; an index is ignored.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the samples. A weight of 2 is equivalent to a row repeated twice; the
        weight of a pair is the product of the weights of its samples.
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
    pairwise_equalized_odds_matrix : The differences of all pairs of groups.
    pairwise_equal_opportunity_difference : The first of the two differences.
    standard_equalized_odds_difference : Compares predicted labels given the true label.

    Notes
    -----
    With :math:`\pi_{gh} = P(\hat y_i > \hat y_j \mid y_i > y_j, a_i = g, a_j = h)` and
    :math:`\rho_{gh} = P(\hat y_i \ge \hat y_j \mid y_i \ge y_j, a_i = g, a_j = h)`, the value is
    :math:`\max_{g<h} \max(|\pi_{gh} - \pi_{hg}|, |\rho_{gh} - \rho_{hg}|)`. It is at least the
    equal opportunity difference, and 0 for a constant prediction. No pairs are enumerated: the
    rows are counted once (and sorted, if predictions are scores), then the cost is
    O(cells² · positions), with one cell per group and label.

    References
    ----------
    M. Kleindessner, S. Samadi, M. B. Zafar, K. Kenthapadi and C. Russell, "Pairwise Fairness for
    Ordinal Regression", AISTATS 2022, arXiv:2105.03153. Appendix
    A.1.

    Examples
    --------
    >>> from fairordinal.metrics import pairwise_equalized_odds_difference
    >>> pairwise_equalized_odds_difference(
    ...     [1, 2, 3, 1, 2, 3], [1, 2, 3, 1, 1, 2], sensitive_features=list("aaabbb"))
    0.666...
    """
    data = MetricInput(y_true, y_pred, sensitive_features, sample_weight, labels, missing_group)
    return violation_of(EqualizedOdds(), data)


def pairwise_equalized_odds_matrix(
    y_true: Any,
    y_pred: Any,
    *,
    sensitive_features: Any,
    sample_weight: Any = None,
    labels: Any = None,
    missing_group: str = "error",
) -> PairMatrix:
    r"""Pairwise equalized odds difference of every pair of groups.

    Each entry is the one with the greater absolute value of two differences, "higher" and "not
    lower".

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True ordinal labels.
    y_pred : array-like of shape (n_samples,)
        Predicted ordinal labels, or scores; only their order matters.
    sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns)
        Group of each sample, of any hashable type. Several columns define one group for each
        combination of their values. Rows are matched by position; an index is ignored.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the samples. A weight of 2 is equivalent to a row repeated twice; the
        weight of a pair is the product of the weights of its samples.
    labels : sequence, default=None
        All labels in ascending order. Required if labels are names without an order.
    missing_group : {"error", "own"}, default="error"
        What to do with rows whose group is missing: ``"error"`` raises ValueError, ``"own"``
        makes them a group of their own.

    Returns
    -------
    matrix : PairMatrix
        Has the attributes `groups`, `disparity` and `probability`. Entries of pairs of groups that
        cannot be compared are nan, with an ``UndefinedMetricWarning``.

    See Also
    --------
    pairwise_equalized_odds_difference : The largest absolute entry, with its definition.

    Examples
    --------
    >>> from fairordinal.metrics import pairwise_equalized_odds_matrix
    >>> matrix = pairwise_equalized_odds_matrix(
    ...     [1, 2, 3, 1, 2, 3], [1, 2, 3, 1, 1, 2], sensitive_features=list("aaabbb"))
    >>> matrix.disparity.round(2)
    array([[ 0.  ,  0.67],
           [-0.67,  0.  ]])
    """
    data = MetricInput(y_true, y_pred, sensitive_features, sample_weight, labels, missing_group)
    return matrix_of(EqualizedOdds(), data)
