"""Pairwise demographic parity, equal opportunity and equalized odds of a predictor."""

from __future__ import annotations

from typing import Any

from fairordinal.criteria import DemographicParity, EqualizedOdds, EqualOpportunity
from fairordinal.metrics._measure import PairMatrix, Rows, matrix_of, violation_of


def pairwise_demographic_parity_difference(
    y_true: Any,
    y_pred: Any,
    *,
    sensitive_features: Any,
    sample_weight: Any = None,
    labels: Any = None,
    missing_group: str = "error",
) -> float:
    r"""Largest pairwise demographic-parity gap between two groups.

    0 is fair, 1 is the worst. Of a random sample of one group and one of another, how much more
    often is the first predicted higher than the second, than the other way round?

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True and predicted ordinal labels; `y_pred` may hold scores. Only the order of
        predictions matters; true labels are checked but do not enter the value.
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
    With :math:`\pi_{gh} = P(\hat y_i > \hat y_j \mid a_i = g, a_j = h)`, the value is
    :math:`\max_{g<h} |\pi_{gh} - \pi_{hg}|`. A predicted tie is not "higher", so a constant
    prediction has violation 0. Cost: one count of the rows (one sort, if scores), then
    O(groups² · positions); no pair is formed.
    This is ``DP-viol`` of Kleindessner et al., AISTATS 2022, arXiv:2105.03153.

    Examples
    --------
    Group a is always above group b:

    >>> from fairordinal.metrics import pairwise_demographic_parity_difference
    >>> pairwise_demographic_parity_difference(
    ...     [3, 0, 3, 0, 2], [3, 3, 3, 0, 2], sensitive_features=list("aaabb"))
    1.0
    """
    rows = Rows(y_true, y_pred, sensitive_features, sample_weight, labels, missing_group)
    return violation_of(DemographicParity(), rows)


def pairwise_demographic_parity_matrix(
    y_true: Any,
    y_pred: Any,
    *,
    sensitive_features: Any,
    sample_weight: Any = None,
    labels: Any = None,
    missing_group: str = "error",
) -> PairMatrix:
    """Pairwise demographic-parity disparity of every pair of groups.

    Parameters as for :func:`pairwise_demographic_parity_difference`, whose value is the
    greatest absolute entry of the matrix. Rows are matched by position; an index is ignored.

    Returns
    -------
    matrix : PairMatrix
        With `groups`, `disparity` and `probability`.

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
    rows = Rows(y_true, y_pred, sensitive_features, sample_weight, labels, missing_group)
    return matrix_of(DemographicParity(), rows)


def pairwise_equal_opportunity_difference(
    y_true: Any,
    y_pred: Any,
    *,
    sensitive_features: Any,
    sample_weight: Any = None,
    labels: Any = None,
    missing_group: str = "error",
) -> float:
    r"""Largest pairwise equal-opportunity gap between two groups.

    0 is fair, 1 is the worst. Among pairs whose true labels differ, how much more often is
    the truly higher sample predicted higher when it is from one group than from the other?

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True and predicted ordinal labels; `y_pred` may hold scores. Only order matters.
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
    With :math:`\pi_{gh} = P(\hat y_i > \hat y_j \mid y_i > y_j, a_i = g, a_j = h)`, the value
    is :math:`\max_{g<h} |\pi_{gh} - \pi_{hg}|`. A predicted tie is not "higher", so a constant
    prediction has violation 0. Undefined for a pair of groups if no sample of one has a true
    label above one of the other. Cost: one count of the rows (one sort, if scores), then
    O(cells² · positions) with a cell per group and label; no pair is formed.
    This is ``EO-viol`` of Kleindessner et al., AISTATS 2022, arXiv:2105.03153.

    Examples
    --------
    Group b is rated one level too low:

    >>> from fairordinal.metrics import pairwise_equal_opportunity_difference
    >>> pairwise_equal_opportunity_difference(
    ...     [1, 2, 3, 1, 2, 3], [1, 2, 3, 1, 1, 2], sensitive_features=list("aaabbb"))
    0.666...
    """
    rows = Rows(y_true, y_pred, sensitive_features, sample_weight, labels, missing_group)
    return violation_of(EqualOpportunity(), rows)


def pairwise_equal_opportunity_matrix(
    y_true: Any,
    y_pred: Any,
    *,
    sensitive_features: Any,
    sample_weight: Any = None,
    labels: Any = None,
    missing_group: str = "error",
) -> PairMatrix:
    """Pairwise equal-opportunity disparity of every pair of groups.

    Parameters as for :func:`pairwise_equal_opportunity_difference`, whose value is the
    greatest absolute entry of the matrix. Rows are matched by position; an index is ignored.

    Returns
    -------
    matrix : PairMatrix
        With `groups`, `disparity` and `probability`.

    Examples
    --------
    >>> from fairordinal.metrics import pairwise_equal_opportunity_matrix
    >>> matrix = pairwise_equal_opportunity_matrix(
    ...     [1, 2, 3, 1, 2, 3], [1, 2, 3, 1, 1, 2], sensitive_features=list("aaabbb"))
    >>> matrix.probability[0, 1], matrix.probability[1, 0]
    (np.float64(1.0), np.float64(0.333...))
    """
    rows = Rows(y_true, y_pred, sensitive_features, sample_weight, labels, missing_group)
    return matrix_of(EqualOpportunity(), rows)


def pairwise_equalized_odds_difference(
    y_true: Any,
    y_pred: Any,
    *,
    sensitive_features: Any,
    sample_weight: Any = None,
    labels: Any = None,
    missing_group: str = "error",
) -> float:
    r"""Largest pairwise equalized-odds gap between two groups.

    0 is fair, 1 is the worst. The greater of the equal-opportunity gap and of the same with
    "not lower" in place of "higher", for true labels and for predictions.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True and predicted ordinal labels; `y_pred` may hold scores. Only order matters.
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
    With :math:`\pi_{gh} = P(\hat y_i > \hat y_j \mid y_i > y_j, a_i = g, a_j = h)` and
    :math:`\rho_{gh} = P(\hat y_i \ge \hat y_j \mid y_i \ge y_j, a_i = g, a_j = h)`, the value is
    :math:`\max_{g<h} \max(|\pi_{gh} - \pi_{hg}|, |\rho_{gh} - \rho_{hg}|)`. Never less than the
    equal-opportunity gap; 0 for a constant prediction. Cost as for equal opportunity.
    Appendix A.1 of Kleindessner et al., AISTATS 2022, arXiv:2105.03153.

    Examples
    --------
    >>> from fairordinal.metrics import pairwise_equalized_odds_difference
    >>> pairwise_equalized_odds_difference(
    ...     [1, 2, 3, 1, 2, 3], [1, 2, 3, 1, 1, 2], sensitive_features=list("aaabbb"))
    0.666...
    """
    rows = Rows(y_true, y_pred, sensitive_features, sample_weight, labels, missing_group)
    return violation_of(EqualizedOdds(), rows)


def pairwise_equalized_odds_matrix(
    y_true: Any,
    y_pred: Any,
    *,
    sensitive_features: Any,
    sample_weight: Any = None,
    labels: Any = None,
    missing_group: str = "error",
) -> PairMatrix:
    """Pairwise equalized-odds disparity, the greater of its two parts, of every pair of groups.

    Parameters as for :func:`pairwise_equalized_odds_difference`, whose value is the
    greatest absolute entry of the matrix. Rows are matched by position; an index is ignored.

    Returns
    -------
    matrix : PairMatrix
        With `groups`, `disparity` and `probability`.

    Examples
    --------
    >>> from fairordinal.metrics import pairwise_equalized_odds_matrix
    >>> matrix = pairwise_equalized_odds_matrix(
    ...     [1, 2, 3, 1, 2, 3], [1, 2, 3, 1, 1, 2], sensitive_features=list("aaabbb"))
    >>> matrix.disparity.round(2)
    array([[ 0.  ,  0.67],
           [-0.67,  0.  ]])
    """
    rows = Rows(y_true, y_pred, sensitive_features, sample_weight, labels, missing_group)
    return matrix_of(EqualizedOdds(), rows)
