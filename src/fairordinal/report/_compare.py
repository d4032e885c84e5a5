"""The report about two predictors of the same rows, side by side.

Models and predictions are compared row by row, so that intervals of the differences are paired. Two
audits hold only counts; their differences have no intervals.
"""

from __future__ import annotations

import datetime
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import narwhals as nw
import numpy as np
from sklearn.exceptions import UndefinedMetricWarning

from fairordinal._audit import Audit, audit
from fairordinal._render import number
from fairordinal._validation import check_number, predictions_of, shared_labels
from fairordinal.criteria import as_criterion
from fairordinal.frontier import compare
from fairordinal.report import _verdict
from fairordinal.report._audit import (
    CriterionView,
    GroupsView,
    Scale,
    common_scale,
    groups_view,
    main_view,
    mean_cost,
)
from fairordinal.report._model_card import caveats, check_lines, facts
from fairordinal.report._numbers import interval_text, signed
from fairordinal.report._page import Report, display_names, environment, render, user_text


def report_compare(
    a: Any,
    b: Any,
    X: Any = None,
    y: Any = None,
    *,
    sensitive_features: Any = None,
    names: Sequence[str] = ("A", "B"),
    criterion: Any = "demographic_parity",
    cost_matrix: Any = "absolute",
    confidence: float = 0.95,
    labels: Any = None,
    max_violation: float | None = None,
    title: str = "Two models compared",
    data: Mapping[str, Any] | None = None,
    settings: Mapping[str, Any] | None = None,
    date: datetime.date | None = None,
) -> Report:
    """Make an HTML page about two predictors of the same rows, with paired differences.

    Pass two fitted models, two columns of predictions, or two audits. Audits bring their own rows
    and settings: leave out `X`, `y`, `sensitive_features`, `cost_matrix`, `confidence` and
    `labels`. Rows are matched by position; an index is ignored.

    Parameters
    ----------
    a : fitted estimator, array-like of shape (n_samples,) or Audit
        The first predictor: a model, its predictions, or an audit of them.
    b : fitted estimator, array-like of shape (n_samples,) or Audit
        The second predictor. If `a` and `b` are audits of the same rows, there are no intervals
        of the differences, because these need the rows.
    X : array-like of shape (n_samples, n_features), default=None
        Features of rows that were not used to fit the models; not needed for predictions.
    y : array-like of shape (n_samples,), default=None
        True ordinal labels.
    sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns), default=None
        Group of each sample; several columns mean their intersections. Models whose `predict`
        takes `sensitive_features` get them.
    names : pair of str, default=("A", "B")
        Names of `a` and `b`; differences are those of `b` minus `a`.
    criterion : str or Criterion, default="demographic_parity"
        The definition of fairness.
    cost_matrix : {"absolute", "zero_one", "squared", "asymmetric"} or array, default="absolute"
        Costs of errors, by name or as an array of shape (n_labels, n_labels).
    confidence : float, default=0.95
        Confidence level of the intervals.
    labels : sequence, default=None
        All labels in ascending order; None takes the order of numbers, of categoricals, or of
        models that were fitted with `labels`.
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
    check_lines(data, "data")
    check_lines(settings, "settings")
    limit = None if max_violation is None else check_number(max_violation, "max_violation")
    if isinstance(a, Audit) and isinstance(b, Audit):
        name = as_criterion(criterion, cost_matrix).name
        compared = _compare_audits(a, b, name)
    else:
        _require_rows(a, b, y, sensitive_features)
        labels = shared_labels({"a": a, "b": b}, labels)
        rows = LabelledRows(X, y, sensitive_features, labels, criterion, cost_matrix, confidence)
        compared = _compare_rows(a, b, rows)
    view = _view(_two_names(names), compared, limit)
    view |= facts(compared.audits[0], None, None, data, settings, date, limit)
    return render("compare.html", view, title=user_text(title), script_data=None)


# Differences


class Difference(NamedTuple):
    """A quantity of both predictors and the difference between them."""

    name: str
    first: str
    second: str
    change: float
    difference: str
    interval: str
    clear: bool  # the interval excludes 0


class ComparedAudits(NamedTuple):
    """An audit of each predictor, and the differences between the predictors."""

    audits: tuple[Audit, Audit]
    differences: list[Difference]
    criterion: str
    paired: bool


class LabelledRows(NamedTuple):
    """Rows on which models are compared, and how."""

    X: Any
    y: Any
    sensitive_features: Any
    labels: Any
    criterion: Any
    cost_matrix: Any
    confidence: float

    def predict(self, model: Any) -> Any:
        """Predictions of a model; predictions are returned unchanged."""
        if not hasattr(model, "predict"):
            return model
        if self.X is None:
            raise ValueError("X is missing: models predict from it. Pass X, or predictions.")
        return predictions_of(model, self.X, self.sensitive_features)

    def audit(self, predicted: Any) -> Audit:
        """Audit of one predictor."""
        with warnings.catch_warnings():  # the page lists what is undefined
            warnings.simplefilter("ignore", UndefinedMetricWarning)
            return audit(
                self.y,
                predicted,
                sensitive_features=self.sensitive_features,
                labels=self.labels,
                criteria=[self.criterion],
                cost_matrix=self.cost_matrix,
                confidence=self.confidence,
            )

    def compare(self, first: Any, second: Any) -> list[dict[str, Any]]:
        """Rows of the frame of a paired comparison, one for each predictor."""
        found = compare(
            {"a": first, "b": second},
            self.X,
            self.y,
            sensitive_features=self.sensitive_features,
            criterion=self.criterion,
            cost_matrix=self.cost_matrix,
            confidence=self.confidence,
            labels=self.labels,
        )
        return nw.from_native(found.frame(), eager_only=True).rows(named=True)


def _compare_rows(a: Any, b: Any, rows: LabelledRows) -> ComparedAudits:
    """Compare models or predictions, with paired intervals."""
    name = as_criterion(rows.criterion, rows.cost_matrix).name
    predicted = rows.predict(a), rows.predict(b)
    first, second = rows.compare(*predicted)
    differences = [
        _paired_difference("mean cost", "cost", first, second),
        _paired_difference("violation", "violation", first, second),
    ]
    audits = rows.audit(predicted[0]), rows.audit(predicted[1])
    return ComparedAudits(audits, differences, name, paired=True)


def _paired_difference(
    name: str, key: str, first: dict[str, Any], second: dict[str, Any]
) -> Difference:
    lower, upper = (second[f"{key}_difference_{end}"] for end in ("lower", "upper"))
    return Difference(
        name,
        _with_interval(first, key),
        _with_interval(second, key),
        float(second[f"{key}_difference"]),
        signed(second[f"{key}_difference"]),
        f"{signed(lower)} to {signed(upper)}",
        bool(lower > 0 or upper < 0),
    )


def _with_interval(row: dict[str, Any], key: str) -> str:
    ends = interval_text(row[f"{key}_lower"], row[f"{key}_upper"])
    return f"{number(row[key])} ({ends})"


def _compare_audits(a: Audit, b: Audit, criterion: str) -> ComparedAudits:
    """Compare two audits, without intervals."""
    _check_same_rows(a, b, criterion)
    values = {
        "mean cost": (mean_cost(a), mean_cost(b)),
        "violation": (a[criterion].violation, b[criterion].violation),
    }
    differences = [
        Difference(name, number(one), number(two), two - one, signed(two - one), "", False)
        for name, (one, two) in values.items()
        if name == "violation" or not np.isnan(one + two)  # scores have no cost
    ]
    return ComparedAudits((a, b), differences, criterion, paired=False)


# Checks


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


def _check_same_rows(a: Audit, b: Audit, criterion: str) -> None:
    """Refuse audits that cannot be of the same rows."""
    for name, one in (("a", a), ("b", b)):
        known = [finding.criterion.name for finding in one.findings]
        if criterion not in known:
            raise ValueError(
                f"criterion must be audited in {name}, one of {known}, got {criterion!r}."
            )
    same = a.table.groups.tolist() == b.table.groups.tolist()
    same = same and a.table.labels.tolist() == b.table.labels.tolist()
    first, second = (table.in_rows(table.totals) for table in (a.table, b.table))
    same = same and np.allclose(first, second, atol=0)
    if not same:
        raise ValueError(
            "a and b must be audits of the same rows, but their groups, labels or numbers of rows "
            "differ. Audit both on the same rows, with the same labels=."
        )


# Views


class Side(NamedTuple):
    """Sections about one of the predictors."""

    name: str
    verdict: _verdict.Verdict
    notes: list[str]
    main: CriterionView
    groups: GroupsView


def _view(names: tuple[str, str], compared: ComparedAudits, limit: float | None) -> dict[str, Any]:
    audits, criterion = compared.audits, compared.criterion
    title = audits[0][criterion].criterion.title
    scale = common_scale([one[criterion] for one in audits], limit)
    pairs = zip(names, audits, strict=True)
    return {
        "sides": [_side(name, one, criterion, limit, scale) for name, one in pairs],
        "rows": compared.differences,
        "paired": compared.paired,
        "criterion": title,
        "confidence": f"{100 * audits[0].confidence:g}%",
        "limit": None if limit is None else f"{limit:g}",
        "verdict": _verdict_on(names, compared, title),
        "caveats": caveats(frontier=False, scores=False, paired=compared.paired),
    }


def _side(name: str, one: Audit, criterion: str, limit: float | None, scale: Scale) -> Side:
    finding = one[criterion]
    return Side(
        name,
        _verdict.of_audit(one, finding, limit),
        _verdict.notes_on(finding),
        main_view(finding, limit, scale),
        groups_view(one),
    )


def _verdict_on(names: tuple[str, str], compared: ComparedAudits, title: str) -> _verdict.Verdict:
    """What changes from the first predictor to the second, and how certain that is."""
    titles = {"violation": f"the violation of {title}", "mean cost": "the mean cost"}
    changes = [
        f"{titles[row.name]} {_change(row, compared.paired)}"
        for row in reversed(compared.differences)
    ]
    sentence = f"From “{names[0]}” to “{names[1]}”, {', and '.join(changes)}."
    return _verdict.Verdict(_verdict.NEUTRAL, "ComparedAudits", sentence)


def _change(row: Difference, paired: bool) -> str:
    """Whether a quantity rises or falls, by how much, and how certain that is."""
    if np.isnan(row.change):
        return "cannot be compared"
    if not round(row.change, 3):
        return "stays the same"
    change = f"{'rises' if row.change > 0 else 'falls'} by {number(abs(row.change))}"
    certainty = "chance does not explain it" if row.clear else "which may be chance"
    return f"{change} ({certainty})" if paired else change
