"""Guards for test suites and plans for audits to come."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from fairordinal._audit._entry import audit
from fairordinal._audit._finding import Finding
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
    labels: Any = None,
    missing_group: str = "error",
    data: Any = None,
) -> None:
    """Fail unless a predictor is fair: for test suites.

    Parameters
    ----------
    y_true, y_pred, sensitive_features, sample_weight, labels, missing_group, data
        As for :func:`audit`. Rows are matched by position; an index is ignored.
    max_violation : float, default=0.05
        The greatest violation that passes.
    criterion : str or Criterion, default="demographic_parity"
        The notion of fairness.
    confidence : float, default=None
        None holds the violation itself against the limit; 0.95 the upper end of its interval, so
        that the guard passes only if the rows show that the predictor is fair.
    interval : {"delta", "bootstrap", "distribution_free"}, default="delta"
        How the interval is made.

    Raises
    ------
    AssertionError
        If the violation, or the upper end of its interval, exceeds the limit; and if the
        criterion is undefined for some pair of groups, for then nothing is shown.

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

    with warnings.catch_warnings():  # what is undefined fails below
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        result = audit(
            y_true,
            y_pred,
            sensitive_features=sensitive_features,
            sample_weight=sample_weight,
            labels=labels,
            criteria=[criterion],
            confidence=0.95 if confidence is None else confidence,
            interval=interval,
            missing_group=missing_group,
            data=data,
        )
    (finding,) = result.findings
    _refuse_undefined(finding)
    _refuse_excess(finding, max_violation, confidence)


def _refuse_undefined(finding: Finding) -> None:
    for row in finding.rows(finding.undefined[:1]):
        raise AssertionError(
            f"{finding.criterion.title} is undefined for {row['group']!r} and "
            f"{row['other']!r}: nothing shows that the predictor is fair to them. Leave "
            "out such groups on purpose, or collect more rows."
        )


def _refuse_excess(finding: Finding, max_violation: float, confidence: float | None) -> None:
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
    labels: Any = None,
    missing_group: str = "error",
    data: Any = None,
) -> int | None:
    """How many rows, of the kind of a first sample, tell a violation from 0.

    Parameters
    ----------
    y_true, y_pred, sensitive_features, sample_weight, labels, missing_group, data
        A first sample, as for :func:`audit`. It gives the proportions of groups and labels and
        how much predictions vary. Rows are matched by position; an index is ignored.
    violation : float, default=0.05
        The violation that should not go unnoticed.
    criterion : str or Criterion, default="demographic_parity"
        The notion of fairness.
    power : float, default=0.8
        With what probability it should be noticed, in the pair of groups for which that is
        hardest.
    confidence : float, default=0.95
        Noticed means that the simultaneous interval at this confidence excludes 0.

    Returns
    -------
    rows : int or None
        In all groups together; None if the criterion is undefined for the sample.

    Examples
    --------
    >>> from fairordinal import rows_needed
    >>> y = [1, 2, 3, 4] * 50
    >>> rows_needed(y, y, sensitive_features=["a", "b"] * 100, violation=0.1)
    975
    """
    result = audit(
        y_true,
        y_pred,
        sensitive_features=sensitive_features,
        sample_weight=sample_weight,
        labels=labels,
        criteria=[criterion],
        confidence=confidence,
        missing_group=missing_group,
        data=data,
    )
    return result.rows_needed(violation, criterion=criterion, power=power)
