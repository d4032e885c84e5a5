"""Two predictors of the same rows, side by side."""

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
from fairordinal._validation import check_number
from fairordinal.criteria import as_criterion
from fairordinal.frontier import compare
from fairordinal.report import _verdict
from fairordinal.report._entry import check_lines, facts
from fairordinal.report._findings import Notion, interval_text, notions, signed
from fairordinal.report._groups import Groups, groups_of
from fairordinal.report._limits import limits
from fairordinal.report._names import shown, text
from fairordinal.report._page import Report, environment, render


class Difference(NamedTuple):
    """A quantity of both predictors, and how far they are apart."""

    name: str
    first: str
    second: str
    difference: str
    interval: str
    clear: bool


class Side(NamedTuple):
    """One of the predictors."""

    name: str
    verdict: _verdict.Verdict
    main: Notion
    groups: Groups


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
    """One HTML file about two predictors of the same rows, with paired differences.

    Parameters
    ----------
    a, b : fitted estimators, array-like, or Audit
        The predictors: models that predict from `X`, or predictions. Two audits of the same rows
        are set side by side too, but without intervals of differences, which need the rows.
    X : array-like of shape (n_samples, n_features), default=None
        Rows that no model was fitted to; not needed for predictions.
    y : array-like of shape (n_samples,), default=None
        True ordinal labels; not needed for audits, as all that follows up to `labels`.
    sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns), default=None
        Group of each sample.
    names : pair of str, default=("A", "B")
        What to call the predictors; differences are B - A.
    criterion : str or Criterion, default="demographic_parity"
        What is fair.
    cost_matrix : {"absolute", "zero_one", "squared", "asymmetric"} or array, default="absolute"
        The price of errors.
    confidence : float, default=0.95
        Of the intervals.
    labels : sequence, default=None
        All labels in ascending order.
    max_violation, title, data, settings, date :
        As in :func:`report`.

    Returns
    -------
    report : Report
        With `html` and `save(path)`.

    See Also
    --------
    fairordinal.compare : The same as numbers.

    Examples
    --------
    >>> from fairordinal.report import report_compare
    >>> page = report_compare([1, 2, 3, 2, 2, 3], [1, 2, 3, 1, 2, 3], y=[1, 2, 3, 1, 2, 3],
    ...                       sensitive_features=list("fffmmm"), names=("today", "fair"))
    >>> "Two models compared" in page.html
    True
    """
    environment()
    check_lines(data, "data")
    check_lines(settings, "settings")
    limit = None if max_violation is None else check_number(max_violation, "max_violation")
    called = _names(names)
    notion = as_criterion(criterion, cost_matrix).name
    if isinstance(a, Audit) and isinstance(b, Audit):
        audits = _same_rows(a, b, notion)
        rows = _unpaired(audits, notion)
    else:
        _require_rows(a, b, y, sensitive_features)
        columns = {"sensitive_features": sensitive_features, "labels": labels}
        predicted = [_predictions(model, X, sensitive_features) for model in (a, b)]
        audits = tuple(
            _audit(y, labels_of, columns, criterion, cost_matrix, confidence)
            for labels_of in predicted
        )
        rows = _paired(predicted, y, columns, criterion, cost_matrix, confidence)
    paired = bool(rows[0].interval)
    view: dict[str, Any] = {
        "sides": [_side(*both, notion, limit) for both in zip(called, audits, strict=True)],
        "rows": rows,
        "paired": paired,
        "notion": audits[0][notion].criterion.title,
        "confidence": f"{100 * audits[0].confidence:g}%",
        "limit": None if limit is None else f"{limit:g}",
        "verdict": _in_words(called, rows, paired),
        **facts(audits[0], None, None, data, settings, date),
        "limits": limits(frontier=False, scores=False, paired=paired),
    }
    return render("compare.html", view, title=text(title), script_data=None)


def _names(names: Sequence[str]) -> tuple[str, str]:
    if isinstance(names, str) or len(names) != 2:
        raise ValueError(f"names must be two names, of a and of b, got {names!r}.")
    first, second = (name.whole for name in shown([str(name) for name in names]))
    return first, second


def _require_rows(a: Any, b: Any, y: Any, sensitive_features: Any) -> None:
    if isinstance(a, Audit) or isinstance(b, Audit):
        raise TypeError("a and b must be two audits, or two models or predictions; not one each.")
    if y is None or sensitive_features is None:
        raise ValueError("Models and predictions are compared on rows: pass y and sensitive_features.")


def _predictions(model: Any, X: Any, sensitive_features: Any) -> Any:
    """What a model predicts; it is told the groups only if it has thresholds for each."""
    if not hasattr(model, "predict"):
        return model
    if X is None:
        raise ValueError("X is missing: models predict from it. Pass X, or predictions.")
    if getattr(model, "group_aware", False):
        return model.predict(X, sensitive_features=sensitive_features)
    return model.predict(X)


def _audit(
    y: Any, predicted: Any, columns: Any, criterion: Any, cost_matrix: Any, confidence: float
) -> Audit:
    with warnings.catch_warnings():  # the page says what is undefined
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        return audit(
            y,
            predicted,
            **columns,
            criteria=[criterion],
            cost_matrix=cost_matrix,
            confidence=confidence,
        )


def _same_rows(a: Audit, b: Audit, notion: str) -> tuple[Audit, Audit]:
    """Two audits, if they can be of the same rows."""
    for name, one in (("a", a), ("b", b)):
        known = [finding.criterion.name for finding in one.findings]
        if notion not in known:
            raise ValueError(f"criterion must be audited in {name}, one of {known}, got {notion!r}.")
    same = a.table.groups.tolist() == b.table.groups.tolist()
    same = same and a.table.labels.tolist() == b.table.labels.tolist()
    if not same or not np.allclose(a.table.totals, b.table.totals):
        raise ValueError(
            "a and b must be audits of the same rows, but their groups, labels or numbers of rows "
            "differ. Audit both on the same rows, with the same labels=."
        )
    return a, b


def _unpaired(audits: tuple[Audit, ...], notion: str) -> list[Difference]:
    costs = [_mean_cost(one) for one in audits]
    violations = [one[notion].violation for one in audits]
    pairs = [("mean cost", costs), ("violation", violations)]
    return [
        Difference(name, number(one), number(two), signed(two - one), "", False)
        for name, (one, two) in pairs
    ]


def _mean_cost(one: Audit) -> float:
    columns = one.group_columns()
    if "mean_cost" not in columns:
        return float("nan")
    return float(columns["mean_cost"] @ columns["rows"] / columns["rows"].sum())


def _paired(
    predicted: list[Any], y: Any, columns: Any, criterion: Any, cost_matrix: Any, confidence: float
) -> list[Difference]:
    """Cost and violation of both, and their differences with paired intervals."""
    found = compare(
        {"a": predicted[0], "b": predicted[1]},
        None,
        y,
        sensitive_features=columns["sensitive_features"],
        criterion=criterion,
        cost_matrix=cost_matrix,
        confidence=confidence,
        labels=columns["labels"],
    )
    first, second = nw.from_native(found.frame(), eager_only=True).rows(named=True)
    return [
        _difference("mean cost", "cost", first, second),
        _difference("violation", "violation", first, second),
    ]


def _difference(name: str, key: str, first: Any, second: Any) -> Difference:
    lower, upper = (second[f"{key}_difference_{end}"] for end in ("lower", "upper"))
    return Difference(
        name,
        *(f"{number(row[key])} ({_ends(row, key)})" for row in (first, second)),
        signed(second[f"{key}_difference"]),
        f"{signed(lower)} to {signed(upper)}",
        bool(lower > 0 or upper < 0),
    )


def _ends(row: Any, key: str) -> str:
    return interval_text(row[f"{key}_lower"], row[f"{key}_upper"])


def _in_words(names: tuple[str, str], rows: list[Difference], paired: bool) -> _verdict.Verdict:
    """Which is fairer, which is cheaper, and how sure that is."""
    parts = []
    for row, less, more in ((rows[1], "fairer", "less fair"), (rows[0], "cheaper", "dearer")):
        sure = "" if not paired else " (surely)" if row.clear else " (which may be chance)"
        parts.append(f"{_direction(row.difference, less, more)}{sure}")
    sentence = (
        f"“{names[1]}” is {parts[0]} than “{names[0]}”, by {rows[1].difference} in violation, and "
        f"{parts[1]}, by {rows[0].difference} in mean cost."
    )
    return _verdict.Verdict(_verdict.NEUTRAL, "Compared", sentence)


def _direction(difference: str, less: str, more: str) -> str:
    if difference == "undefined":
        return "not comparable"
    return less if difference.startswith("−") else more


def _side(name: str, one: Audit, notion: str, limit: float | None) -> Side:
    finding = one[notion]
    return Side(
        name,
        _verdict.of_audit(one, finding, limit),
        notions(one, finding, limit)[0],
        groups_of(one),
    )
