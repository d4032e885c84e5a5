"""The report about two predictors of the same rows, side by side."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from typing import Any

from fairordinal._audit import Audit
from fairordinal._validation import check_choice, check_number, shared_labels
from fairordinal.criteria import DIRECTIONS, as_criterion
from fairordinal.report._differences import LabelledRows, compare_audits, compare_rows
from fairordinal.report._model_card import check_date, check_lines, facts
from fairordinal.report._page import Report, display_names, environment, render, user_text
from fairordinal.report._side_by_side import compared_view


def report_compare(
    a: Any,
    b: Any = None,
    X: Any = None,
    y: Any = None,
    *,
    sensitive_features: Any = None,
    names: Sequence[str] | None = None,
    criterion: Any = "demographic_parity",
    cost_matrix: Any = "absolute",
    confidence: float = 0.95,
    labels: Any = None,
    sample_weight: Any = None,
    weights: str = "frequency",
    higher_is: str | None = None,
    max_violation: float | None = None,
    title: str = "Two models compared",
    data: Mapping[str, Any] | None = None,
    settings: Mapping[str, Any] | None = None,
    date: datetime.date | None = None,
) -> Report:
    """Make an HTML page about two predictors of the same rows, with paired differences.

    Pass two fitted models, two columns of predictions, or two audits. Audits bring their own rows
    and settings: leave out `X`, `y`, `sensitive_features`, `cost_matrix`, `confidence`, `labels`,
    `sample_weight`, `weights` and `higher_is`. Rows are matched by position; an index is ignored.

    Parameters
    ----------
    a : fitted estimator, array-like of shape (n_samples,), Audit or mapping
        The first predictor: a model, its predictions, or an audit of them. A mapping of two names
        to predictors, as :func:`~fairordinal.compare` takes it, replaces `a`, `b` and `names`.
    b : fitted estimator, array-like of shape (n_samples,) or Audit, default=None
        The second predictor. If `a` and `b` are audits of the same rows, there are no intervals
        of the differences, because these need the rows.
    X : array-like of shape (n_samples, n_features), default=None
        Features of rows that were not used to fit the models; not needed for predictions.
    y : array-like of shape (n_samples,), default=None
        True ordinal labels.
    sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns), default=None
        Group of each sample; several columns mean their intersections. Models whose `predict`
        takes `sensitive_features` get them.
    names : pair of str, default=None
        Names of `a` and `b`; None means "A" and "B". Differences are those of `b` minus `a`.
    criterion : str or Criterion, default="demographic_parity"
        The definition of fairness.
    cost_matrix : {"absolute", "zero_one", "squared", "asymmetric"} or array, default="absolute"
        Costs of errors, by name or as an array of shape (n_labels, n_labels).
    confidence : float, default=0.95
        Confidence level of the intervals.
    labels : sequence, default=None
        All labels in ascending order; None takes the order of numbers, of categoricals, or of
        models that were fitted with `labels`.
    sample_weight : array-like of shape (n_samples,), default=None
        Weight of each row; see `weights`.
    weights : {"frequency", "survey"}, default="frequency"
        A frequency weight of 2 is a row repeated twice. A survey weight of 2 is one row that
        represents two people: intervals are then those of the rows in the sample.
    higher_is : {"better", "worse"}, default=None
        Whether higher labels are better for people, such as grades, or worse, such as levels of
        risk; None calls no group favoured, disadvantaged or harmed.
    max_violation : float, default=None
        The limit with which the verdicts compare the violations; None means no limit.
    title : str, default="Two models compared"
        Title of the page.
    data : mapping of str to str, default=None
        Lines about the data for the section "What was done", by name.
    settings : mapping of str to str, default=None
        Lines about the settings for the section "What was done", by name.
    date : date, default=None
        Date of the report; None takes today.

    Returns
    -------
    report : Report
        The page; `html` is its text, and `save(path)` writes it to a file.

    See Also
    --------
    fairordinal.compare : Compares two or more models as a table of numbers.
    report : Makes a page about one predictor.

    Examples
    --------
    >>> from fairordinal.report import report_compare
    >>> page = report_compare([1, 2, 3, 2, 2, 3], [1, 2, 3, 1, 2, 3], y=[1, 2, 3, 1, 2, 3],
    ...                       sensitive_features=list("fffmmm"), names=("today", "fair"))
    >>> "Two models compared" in page.html
    True
    """
    environment()  # fails early if jinja2 is missing
    check_date(date)
    check_lines(data, "data")
    check_lines(settings, "settings")
    limit = None if max_violation is None else check_number(max_violation, "max_violation")
    check_choice(higher_is, "higher_is", DIRECTIONS)
    if isinstance(a, Mapping) and (b is None or y is None):  # as `compare` takes models
        X, y = (b, X) if y is None else (X, y)
        a, b, names = _two_of_mapping(a, names)
    if b is None:
        raise ValueError("b is missing: pass two predictors, or a mapping of two names to them.")
    if isinstance(a, Audit) and isinstance(b, Audit):
        name = as_criterion(criterion, cost_matrix).name
        compared = compare_audits(a, b, name)
    else:
        _require_rows(a, b, y, sensitive_features)
        labels = shared_labels({"a": a, "b": b}, labels)
        criterion = as_criterion(criterion, cost_matrix, higher_is)
        rows = LabelledRows(
            X=X,
            y=y,
            sensitive_features=sensitive_features,
            labels=labels,
            criterion=criterion,
            cost_matrix=cost_matrix,
            confidence=confidence,
            higher_is=higher_is,
            sample_weight=sample_weight,
            weights=weights,
        )
        compared = compare_rows(a, b, rows)
    view = compared_view(_two_names(("A", "B") if names is None else names), compared, limit)
    view |= facts(compared.audits[0], None, None, data, settings, date, limit)
    return render("compare.html", view, title=user_text(title), script_data=None)


def _two_of_mapping(models: Mapping[str, Any], names: Any) -> tuple[Any, Any, list[str]]:
    """Two predictors with their names, given as `compare` takes them."""
    if len(models) != 2 or names is not None:
        raise ValueError(
            "A mapping in place of a and b must have two predictors, by their names, without "
            f"names=; got {len(models)} predictors."
        )
    first, second = models.values()
    return first, second, [str(name) for name in models]


def _two_names(names: Sequence[str]) -> tuple[str, str]:
    if isinstance(names, str) or len(names) != 2:
        raise ValueError(f"names must be two names, of a and of b, got {names!r}.")
    first, second = (name.whole for name in display_names([str(name) for name in names]))
    return first, second


def _require_rows(a: Any, b: Any, y: Any, sensitive_features: Any) -> None:
    if isinstance(a, Audit) or isinstance(b, Audit):
        raise TypeError("a and b must be two audits, or two models or predictions; not one each.")
    if y is None or sensitive_features is None:
        raise ValueError(
            "Models and predictions are compared on rows: pass y and sensitive_features."
        )
