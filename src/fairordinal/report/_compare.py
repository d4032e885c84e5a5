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

from fairordinal._audit import Audit, Finding, audit
from fairordinal._render import number
from fairordinal._validation import check_choice, check_number, predictions_of, shared_labels
from fairordinal.criteria import DIRECTIONS, as_criterion
from fairordinal.frontier import compare
from fairordinal.report import _verdict
from fairordinal.report._audit import (
    MOST_OPEN,
    MOST_PAIRS,
    CriterionView,
    GroupsView,
    PairView,
    Scale,
    common_scale,
    groups_view,
    main_view,
    mean_cost,
    pair_view,
    short_group_names,
)
from fairordinal.report._model_card import caveats, check_lines, facts
from fairordinal.report._numbers import Axis, axis_around, interval_text, signed
from fairordinal.report._page import Report, display_names, environment, render, user_text


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
    higher_is: str | None = None,
    max_violation: float | None = None,
    title: str = "Two models compared",
    data: Mapping[str, Any] | None = None,
    settings: Mapping[str, Any] | None = None,
    date: datetime.date | None = None,
) -> Report:
    """Make an HTML page about two predictors of the same rows, with paired differences.

    Pass two fitted models, two columns of predictions, or two audits. Audits bring their own rows
    and settings: leave out `X`, `y`, `sensitive_features`, `cost_matrix`, `confidence`, `labels`
    and `higher_is`. Rows are matched by position; an index is ignored.

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
        compared = _compare_audits(a, b, name)
    else:
        _require_rows(a, b, y, sensitive_features)
        labels = shared_labels({"a": a, "b": b}, labels)
        criterion = as_criterion(criterion, cost_matrix, higher_is)
        rows = LabelledRows(
            X, y, sensitive_features, labels, criterion, cost_matrix, confidence, higher_is
        )
        compared = _compare_rows(a, b, rows)
    view = _view(_two_names(("A", "B") if names is None else names), compared, limit)
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

    @property
    def evidence(self) -> str:
        """Whether there is clear evidence of a difference."""
        if np.isnan(self.change) or "undefined" in self.interval:
            return "undefined"
        return "yes" if self.clear else "no"


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
    higher_is: str | None

    def predict(self, model: Any) -> Any:
        """Predictions of a model; predictions are returned unchanged."""
        if not hasattr(model, "predict"):
            return model
        if self.X is None:
            raise ValueError("X is missing: models predict from it. Pass X, or predictions.")
        return predictions_of(model, self.X, self.sensitive_features)

    def audits(self, first: Any, second: Any) -> tuple[Audit, Audit]:
        """Audits of both predictors, with the labels of both."""
        a, b = self._audit(first), self._audit(second)
        if a.table.labels.tolist() == b.table.labels.tolist():
            return a, b
        # without an order given, labels are numbers
        both = self._replace(labels=np.union1d(a.table.labels, b.table.labels).tolist())
        return both._audit(first), both._audit(second)

    def _audit(self, predicted: Any) -> Audit:
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
                higher_is=self.higher_is,
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
    return ComparedAudits(rows.audits(*predicted), differences, name, paired=True)


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


def _check_same_rows(a: Audit, b: Audit, criterion: str) -> None:
    """Refuse audits that cannot be of the same rows."""
    for name, one in (("a", a), ("b", b)):
        known = [finding.criterion.name for finding in one.findings]
        if criterion not in known:
            raise ValueError(
                f"criterion must be audited in {name}, one of {known}, got {criterion!r}."
            )
    if a.higher_is != b.higher_is:
        raise ValueError(
            f"a and b must be audits with the same higher_is, got {a.higher_is!r} and "
            f"{b.higher_is!r}."
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


RowPair = tuple[dict[str, Any], dict[str, Any]]
INTERVAL = ("disparity", "lower", "upper")


class JointPair(NamedTuple):
    """Two groups, by both predictors: disparities of the first group over the second."""

    group: str
    other: str
    part: str
    sides: list[PairView]


def _pairs_of_rows(first: Finding, second: Finding) -> list[RowPair]:
    """Rows of both findings about the same pair of groups, in the direction of the first.

    The pairs with the largest disparity of both come first.
    """
    at = {(row["part"], row["group"], row["other"]): row for row in second.rows()}
    at |= {(row["part"], row["group"], row["other"]): row for row in map(_turned, at.values())}
    pairs = [(row, at[row["part"], row["group"], row["other"]]) for row in first.rows()]
    sizes = [np.fmax(*(abs(row["disparity"]) for row in pair)) for pair in pairs]
    listed = np.argsort(-np.array(sizes), kind="stable")[:MOST_PAIRS]
    return [pairs[i] for i in listed.tolist()]


def _turned(row: dict[str, Any]) -> dict[str, Any]:
    """The same pair of groups in the other direction."""
    swapped = {"group": "other", "probability": "other_probability"}
    swapped |= {"rows": "other_rows", "support": "other_support"}
    swapped |= {other: one for one, other in swapped.items()}
    turned = {key: row[swapped.get(key, key)] for key in row}
    ends = {"disparity": -row["disparity"], "lower": -row["upper"], "upper": -row["lower"]}
    return turned | ends


def _joint_scale(pairs: list[RowPair], findings: Sequence[Finding], limit: float | None) -> Scale:
    """A scale for both predictors: colours of the matrices, and the axis of all drawn intervals."""
    ends = [row[key] for pair in pairs[:MOST_OPEN] for row in pair for key in INTERVAL]
    axis = axis_around([0.0, limit or 0.0, -(limit or 0.0), *ends], least=0.1)
    return common_scale(findings, limit)._replace(axis=axis)


def _joint_pairs(pairs: list[RowPair], short: dict[str, str], axis: Axis) -> list[JointPair]:
    """Views of pairs of groups; the first of them are drawn."""
    found = []
    for i, rows in enumerate(pairs):
        views = [pair_view(row, short, axis if i < MOST_OPEN else None) for row in rows]
        found.append(JointPair(*views[0][:3], views))
    return found


def _view(names: tuple[str, str], compared: ComparedAudits, limit: float | None) -> dict[str, Any]:
    audits, criterion = compared.audits, compared.criterion
    title = audits[0][criterion].criterion.title
    findings = [one[criterion] for one in audits]
    pairs = _pairs_of_rows(*findings)
    scale, short = _joint_scale(pairs, findings, limit), short_group_names(findings[0])
    return {
        "sides": [
            _side(name, one, criterion, limit, scale)
            for name, one in zip(names, audits, strict=True)
        ],
        "pairs": _joint_pairs(pairs, short, scale.axis),
        "rows": compared.differences,
        "paired": compared.paired,
        "criterion": title,
        "confidence": f"{100 * audits[0].confidence:g}%",
        "limit": None if limit is None else f"{limit:g}",
        "limit_below": None if limit is None else scale.axis.at(-limit),
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
    return _verdict.Verdict(_verdict.NEUTRAL, "Comparison", sentence)


def _change(row: Difference, paired: bool) -> str:
    """Whether a quantity rises or falls, by how much, and how certain that is."""
    if np.isnan(row.change):
        return "cannot be compared"
    if not round(row.change, 3):
        return "stays the same"
    change = f"{'rises' if row.change > 0 else 'falls'} by {number(abs(row.change))}"
    certainty = "clear evidence" if row.clear else "no clear evidence"
    return f"{change} ({certainty})" if paired else change
