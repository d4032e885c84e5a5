"""A fairness test for test suites, and the number of rows that such a test needs."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from fairordinal._audit._audit_result import RowsNeeded
from fairordinal._audit._disparities import Finding
from fairordinal._audit._from_rows import audit
from fairordinal._render import number, quantity
from fairordinal._validation import is_number


def assert_pairwise_fair(
    y_true: Any,
    y_pred: Any,
    *,
    sensitive_features: Any,
    max_violation: float = 0.05,
    criterion: Any = "demographic_parity",
    confidence: float | None = None,
    interval: str = "delta",
    sample_weight: Any = None,
    weights: str = "frequency",
    labels: Any = None,
    predictions: str = "auto",
    missing_group: str = "error",
    data: Any = None,
    higher_is: str | None = None,
) -> None:
    """Raise AssertionError if predictions violate a criterion by more than a limit.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), or str
        True ordinal labels: numbers, ordered categoricals, or names with `labels`. With `data`,
        the name of a column. Rows are matched by position; an index is ignored.
    y_pred : array-like of shape (n_samples,), or str
        Predicted ordinal labels, or scores. With `data`, the name of a column.
    sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns), str or list
        Group of each sample. Several columns define one group for each combination of their
        values. With `data`, a name or a list of names of columns.
    max_violation : float, default=0.05
        The largest violation allowed.
    criterion : str or Criterion, default="demographic_parity"
        The criterion: ``"demographic_parity"``, ``"equal_opportunity"``, ``"equalized_odds"``,
        ``"conditional_demographic_parity"``, ``"harm_parity"``, ``"conditional_harm_parity"``,
        ``"standard_demographic_parity"``, ``"standard_equal_opportunity"``,
        ``"standard_equalized_odds"``, or an instance of Criterion.
    confidence : float, default=None
        None compares the violation with the limit. A number, such as 0.95, compares the upper
        bound of its interval at this confidence; the test then passes only if there are enough
        rows to show fairness.
    interval : {"delta", "bootstrap", "distribution_free"}, default="delta"
        How the interval is made: by the delta method, by resampling, or by a tail bound that is
        valid for any sample size, and wide.
    sample_weight : array-like of shape (n_samples,), or str, default=None
        Weights of the rows. With `data`, the name of a column.
    weights : {"frequency", "survey"}, default="frequency"
        ``"frequency"``: a weight of 2 is equivalent to a row repeated twice. ``"survey"``: it is
        one row that represents two people; see `audit`.
    labels : sequence, default=None
        All labels in ascending order. Required if labels are names without an order.
    predictions : {"auto", "labels", "scores"}, default="auto"
        What `y_pred` holds; ``"auto"`` decides as in `audit`.
    missing_group : {"error", "own"}, default="error"
        What to do with rows whose group is missing: ``"error"`` raises ValueError, ``"own"``
        makes them a group of their own.
    data : frame, lazy frame or dataset, default=None
        Where the columns are: a frame of pandas, polars or pyarrow, a lazy frame of polars, a
        dataset of pyarrow, a Dask DataFrame, a relation of DuckDB or a frame of Spark.
    higher_is : {"better", "worse"}, default=None
        Whether higher labels are better or worse for people. With ``"worse"``, the harm criteria
        count ratings that are too high.

    Raises
    ------
    AssertionError
        If the violation, or the upper bound of its interval, exceeds the limit, or if the
        criterion is undefined for a pair of groups.

    See Also
    --------
    audit : Reports violations and intervals of several criteria.
    rows_needed : Number of rows needed to detect a violation.

    Examples
    --------
    >>> from fairordinal import assert_pairwise_fair
    >>> assert_pairwise_fair([1, 2, 1, 2], [1, 2, 1, 2], sensitive_features=list("aabb"))
    >>> assert_pairwise_fair([1, 2, 1, 2], [2, 2, 1, 2], sensitive_features=list("aabb"))
    Traceback (most recent call last):
        ...
    AssertionError: pairwise demographic parity: violation 0.500 > max_violation=0.05. ...
    """
    if not is_number(max_violation) or not max_violation >= 0:
        raise ValueError(f"max_violation must be a number of at least 0, got {max_violation!r}.")
    from sklearn.exceptions import UndefinedMetricWarning

    with warnings.catch_warnings():  # undefined pairs of groups raise an error below
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        result = audit(
            y_true,
            y_pred,
            sensitive_features=sensitive_features,
            sample_weight=sample_weight,
            weights=weights,
            labels=labels,
            predictions=predictions,
            criteria=[criterion],
            confidence=0.95 if confidence is None else confidence,
            interval=interval,
            missing_group=missing_group,
            data=data,
            higher_is=higher_is,
        )
    (finding,) = result.findings
    _refuse_undefined(finding)
    _refuse_excess(finding, max_violation, confidence)


def _refuse_undefined(finding: Finding) -> None:
    """Raise AssertionError if the criterion is undefined for a pair of groups."""
    for row in finding.rows(finding.undefined[:1]):
        raise AssertionError(
            f"{finding.criterion.title} is undefined for {row['group']!r} and "
            f"{row['other']!r}, so fairness between them cannot be tested. Remove such groups, "
            "or collect more rows."
        )


def _refuse_excess(finding: Finding, max_violation: float, confidence: float | None) -> None:
    """Raise AssertionError if the violation, or its upper bound, exceeds the limit."""
    lower, upper = finding.violation_interval
    held, what = finding.violation, "violation"
    if confidence is not None:
        held, what = upper, f"upper bound of the violation at confidence {confidence:g}"
    if held > max_violation:
        (worst,) = finding.rows([int(np.argmax(finding.listed(finding.disparities)))])
        raise AssertionError(
            f"{finding.criterion.title}: {what} {number(held)} > max_violation={max_violation:g}. "
            f"{worst['group']!r} > {worst['other']!r} by {number(finding.violation)} (interval "
            f"{number(lower)} … {number(upper)}, {quantity(finding.table.rows.sum())} rows)."
        )


def rows_needed(
    y_true: Any,
    y_pred: Any,
    *,
    sensitive_features: Any,
    violation: float = 0.05,
    criterion: Any = "demographic_parity",
    power: float = 0.8,
    confidence: float = 0.95,
    sample_weight: Any = None,
    weights: str = "frequency",
    labels: Any = None,
    predictions: str = "auto",
    missing_group: str = "error",
    data: Any = None,
    higher_is: str | None = None,
) -> RowsNeeded | None:
    """Return the number of rows needed to detect a violation.

    A first sample gives the proportions of groups and labels, and the variance of the predictions.
    A violation is detected if the simultaneous interval of its disparity excludes 0.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), or str
        True ordinal labels: numbers, ordered categoricals, or names with `labels`. With `data`,
        the name of a column. Rows are matched by position; an index is ignored.
    y_pred : array-like of shape (n_samples,), or str
        Predicted ordinal labels, or scores. With `data`, the name of a column.
    sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns), str or list
        Group of each sample. Several columns define one group for each combination of their
        values. With `data`, a name or a list of names of columns.
    violation : float, default=0.05
        The violation to detect.
    criterion : str or Criterion, default="demographic_parity"
        The criterion: ``"demographic_parity"``, ``"equal_opportunity"``, ``"equalized_odds"``,
        ``"conditional_demographic_parity"``, ``"harm_parity"``, ``"conditional_harm_parity"``,
        ``"standard_demographic_parity"``, ``"standard_equal_opportunity"``,
        ``"standard_equalized_odds"``, or an instance of Criterion.
    power : float, default=0.8
        Probability of detection, for the pair of groups for which it is lowest.
    confidence : float, default=0.95
        Confidence of the interval.
    sample_weight : array-like of shape (n_samples,), or str, default=None
        Weights of the rows. With `data`, the name of a column.
    weights : {"frequency", "survey"}, default="frequency"
        ``"frequency"``: a weight of 2 is equivalent to a row repeated twice. ``"survey"``: it is
        one row that represents two people; see `audit`.
    labels : sequence, default=None
        All labels in ascending order. Required if labels are names without an order.
    predictions : {"auto", "labels", "scores"}, default="auto"
        What `y_pred` holds; ``"auto"`` decides as in `audit`.
    missing_group : {"error", "own"}, default="error"
        What to do with rows whose group is missing: ``"error"`` raises ValueError, ``"own"``
        makes them a group of their own.
    data : frame, lazy frame or dataset, default=None
        Where the columns are: a frame of pandas, polars or pyarrow, a lazy frame of polars, a
        dataset of pyarrow, a Dask DataFrame, a relation of DuckDB or a frame of Spark.
    higher_is : {"better", "worse"}, default=None
        Whether higher labels are better or worse for people. With ``"worse"``, the harm criteria
        count ratings that are too high.

    Returns
    -------
    rows : RowsNeeded or None
        Rows of all groups together: an int with the attribute `groups`, the pair of groups that
        needs so many. None if the criterion is undefined for the sample, or if all predictions are
        equal.

    See Also
    --------
    Audit.rows_needed : Computes the number from an audit.

    Examples
    --------
    >>> from fairordinal import rows_needed
    >>> y = [1, 2, 3, 4] * 50
    >>> rows_needed(y, y, sensitive_features=["a", "b"] * 100, violation=0.1)
    RowsNeeded(975, groups=('a', 'b'))
    """
    result = audit(
        y_true,
        y_pred,
        sensitive_features=sensitive_features,
        sample_weight=sample_weight,
        weights=weights,
        labels=labels,
        predictions=predictions,
        criteria=[criterion],
        confidence=confidence,
        missing_group=missing_group,
        data=data,
        higher_is=higher_is,
    )
    return result.rows_needed(violation, criterion=criterion, power=power)
