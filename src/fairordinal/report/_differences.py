"""Differences between two predictors of the same rows.

Models and predictions are compared row by row, so that intervals of the differences are paired. Two
audits hold only counts; their differences have no intervals.
"""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import narwhals as nw
import numpy as np
from sklearn.exceptions import UndefinedMetricWarning

from fairordinal._audit import Audit, audit
from fairordinal._render import number
from fairordinal._validation import predictions_of
from fairordinal.criteria import as_criterion
from fairordinal.frontier import compare
from fairordinal.report._groups import mean_cost
from fairordinal.report._numbers import interval_text, signed


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
    sample_weight: Any
    weights: str

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
                sample_weight=self.sample_weight,
                weights=self.weights,
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
            sample_weight=self.sample_weight,
            weights=self.weights,
        )
        return nw.from_native(found.frame(), eager_only=True).rows(named=True)


def compare_rows(a: Any, b: Any, rows: LabelledRows) -> ComparedAudits:
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


def compare_audits(a: Audit, b: Audit, criterion: str) -> ComparedAudits:
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
