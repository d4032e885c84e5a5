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
    change: float
    difference: str
    interval: str
    clear: bool


class Side(NamedTuple):
    """One of the predictors."""

    name: str
    verdict: _verdict.Verdict
    notes: list[str]
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
        Group of each sample. Rows are matched by position; an index is ignored.
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
    terms = Terms(sensitive_features, labels, criterion, cost_matrix, confidence)
    judge = _judge_audits if isinstance(a, Audit) and isinstance(b, Audit) else _judge_rows
    audits, rows = judge(a, b, X, y, terms)
    view = _view(_names(names), audits, rows, terms.notion, limit)
    view |= facts(audits[0], None, None, data, settings, date, limit)
    return render("compare.html", view, title=text(title), script_data=None)


class Terms(NamedTuple):
    """On which terms predictors are compared."""

    sensitive_features: Any
    labels: Any
    criterion: Any
    cost_matrix: Any
    confidence: float

    @property
    def notion(self) -> str:
        """The name of the criterion."""
        return as_criterion(self.criterion, self.cost_matrix).name

    def audit(self, y: Any, predicted: Any) -> Audit:
        """One of the predictors by itself."""
        with warnings.catch_warnings():  # the page says what is undefined
            warnings.simplefilter("ignore", UndefinedMetricWarning)
            return audit(
                y,
                predicted,
                sensitive_features=self.sensitive_features,
                labels=self.labels,
                criteria=[self.criterion],
                cost_matrix=self.cost_matrix,
                confidence=self.confidence,
            )

    def compare(self, y: Any, predicted: Sequence[Any]) -> tuple[Any, Any]:
        """Both together: rows of the frame of a paired comparison."""
        found = compare(
            {"a": predicted[0], "b": predicted[1]},
            None,
            y,
            sensitive_features=self.sensitive_features,
            criterion=self.criterion,
            cost_matrix=self.cost_matrix,
            confidence=self.confidence,
            labels=self.labels,
        )
        first, second = nw.from_native(found.frame(), eager_only=True).rows(named=True)
        return first, second


Judged = tuple[tuple[Audit, Audit], list[Difference]]


def _judge_audits(a: Audit, b: Audit, X: Any, y: Any, terms: Terms) -> Judged:
    """Two audits, and differences without intervals."""
    _check_same_rows(a, b, terms.notion)
    costs = _mean_cost(a), _mean_cost(b)
    violations = a[terms.notion].violation, b[terms.notion].violation
    return (a, b), [
        Difference(name, number(one), number(two), two - one, signed(two - one), "", False)
        for name, (one, two) in (("mean cost", costs), ("violation", violations))
        if name == "violation" or not np.isnan(one + two)  # scores have no cost
    ]


def _judge_rows(a: Any, b: Any, X: Any, y: Any, terms: Terms) -> Judged:
    """Audits of the predictions of both, and differences with paired intervals."""
    _require_rows(a, b, y, terms.sensitive_features)
    predicted = [_predictions(model, X, terms.sensitive_features) for model in (a, b)]
    first, second = terms.compare(y, predicted)
    return (terms.audit(y, predicted[0]), terms.audit(y, predicted[1])), [
        _difference("mean cost", "cost", first, second),
        _difference("violation", "violation", first, second),
    ]


def _view(
    names: tuple[str, str],
    audits: tuple[Audit, Audit],
    rows: list[Difference],
    notion: str,
    limit: float | None,
) -> dict[str, Any]:
    paired = bool(rows[0].interval)
    return {
        "sides": [_side(*both, notion, limit) for both in zip(names, audits, strict=True)],
        "rows": rows,
        "paired": paired,
        "notion": audits[0][notion].criterion.title,
        "confidence": f"{100 * audits[0].confidence:g}%",
        "limit": None if limit is None else f"{limit:g}",
        "verdict": _in_words(names, rows, audits[0][notion].criterion.title, paired),
        "limits": limits(frontier=False, scores=False, paired=paired),
    }


def _names(names: Sequence[str]) -> tuple[str, str]:
    if isinstance(names, str) or len(names) != 2:
        raise ValueError(f"names must be two names, of a and of b, got {names!r}.")
    first, second = (name.whole for name in shown([str(name) for name in names]))
    return first, second


def _require_rows(a: Any, b: Any, y: Any, sensitive_features: Any) -> None:
    if isinstance(a, Audit) or isinstance(b, Audit):
        raise TypeError("a and b must be two audits, or two models or predictions; not one each.")
    if y is None or sensitive_features is None:
        raise ValueError(
            "Models and predictions are compared on rows: pass y and sensitive_features."
        )


def _predictions(model: Any, X: Any, sensitive_features: Any) -> Any:
    """What a model predicts; it is told the groups only if it has thresholds for each."""
    if not hasattr(model, "predict"):
        return model
    if X is None:
        raise ValueError("X is missing: models predict from it. Pass X, or predictions.")
    if getattr(model, "group_aware", False):
        return model.predict(X, sensitive_features=sensitive_features)
    return model.predict(X)


def _check_same_rows(a: Audit, b: Audit, notion: str) -> None:
    """Refuse audits that cannot be of the same rows."""
    for name, one in (("a", a), ("b", b)):
        known = [finding.criterion.name for finding in one.findings]
        if notion not in known:
            raise ValueError(
                f"criterion must be audited in {name}, one of {known}, got {notion!r}."
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


def _mean_cost(one: Audit) -> float:
    columns = one.group_columns()
    if "mean_cost" not in columns:
        return float("nan")
    totals = one.table.group_totals
    return float(columns["mean_cost"] @ (totals / totals.sum()))


def _difference(name: str, key: str, first: Any, second: Any) -> Difference:
    lower, upper = (second[f"{key}_difference_{end}"] for end in ("lower", "upper"))
    return Difference(
        name,
        _with_ends(first, key),
        _with_ends(second, key),
        float(second[f"{key}_difference"]),
        signed(second[f"{key}_difference"]),
        f"{signed(lower)} to {signed(upper)}",
        bool(lower > 0 or upper < 0),
    )


def _with_ends(row: Any, key: str) -> str:
    ends = interval_text(row[f"{key}_lower"], row[f"{key}_upper"])
    return f"{number(row[key])} ({ends})"


def _in_words(
    names: tuple[str, str], rows: list[Difference], notion: str, paired: bool
) -> _verdict.Verdict:
    """What changes from one to the other, and how sure that is."""
    titles = {"violation": f"the violation of {notion}", "mean cost": "the mean cost"}
    changes = [f"{titles[row.name]} {_changed(row, paired)}" for row in reversed(rows)]
    sentence = f"From “{names[0]}” to “{names[1]}”, {', and '.join(changes)}."
    return _verdict.Verdict(_verdict.NEUTRAL, "Compared", sentence)


def _changed(row: Difference, paired: bool) -> str:
    """Whether it rises or falls, by how much, and how sure that is."""
    if np.isnan(row.change):
        return "cannot be compared"
    if not round(row.change, 3):
        return "stays the same"
    change = f"{'rises' if row.change > 0 else 'falls'} by {number(abs(row.change))}"
    sure = "chance does not explain it" if row.clear else "which may be chance"
    return f"{change} ({sure})" if paired else change


def _side(name: str, one: Audit, notion: str, limit: float | None) -> Side:
    finding = one[notion]
    return Side(
        name,
        _verdict.of_audit(one, finding, limit),
        _verdict.notes_on(finding),
        notions(one, finding, limit)[0],
        groups_of(one),
    )
