"""From a fitted classifier to the parts of a model file."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from fairordinal.estimators import DEFAULT_LIMIT, FairOrdinalClassifier
from fairordinal.models._model import TableModel
from fairordinal.models._parts import (
    BasisResult,
    Certificate,
    Classes,
    Coefficient,
    DataRecord,
    DecisionTree,
    Expected,
    GroupCounts,
    Ramp,
    Scalar,
    Settings,
    Split,
)
from fairordinal.models._preparation import TablePreparation
from fairordinal.thresholds import ThresholdResult, read_goal


def model_of(
    classifier: FairOrdinalClassifier, preparation: TablePreparation, data: DataRecord
) -> TableModel:
    """The model of a table that a classifier is, fitted to its prepared rows."""
    _check(classifier, preparation, data)
    thresholds = classifier.thresholds_ + classifier.origin_ @ classifier.coef_
    named = zip(preparation.input_names, classifier.coef_.tolist(), strict=True)
    return TableModel(
        settings=_settings(classifier),
        classes=Classes.of(classifier.classes_),
        thresholds=tuple(thresholds.tolist()),
        coefficients=tuple(Coefficient(name, value) for name, value in named),
        ramps=_ramps(classifier),
        forest=_forest(classifier),
        preparation=preparation,
        certificate=_certificate(classifier.result_),
        expected=_expected(classifier),
        bases=tuple(BasisResult(name, *r) for name, r in classifier.basis_results_.items()),
        groups=_groups(classifier.result_),
        data=data,
    )


def _check(classifier: Any, preparation: TablePreparation, data: DataRecord) -> None:
    if not isinstance(classifier, FairOrdinalClassifier):
        raise ValueError(
            "classifier must be a FairOrdinalClassifier, or a model of a frontier without "
            f"estimator=, got {type(classifier).__name__}: other models are not kept in files."
        )
    check_is_fitted(classifier, "coef_")
    n_inputs, n_rows = preparation.n_inputs, round(float(classifier.result_.score_table.rows.sum()))
    if len(classifier.coef_) != n_inputs or n_rows != data.rows_used:
        raise ValueError(
            f"classifier must be fitted to these {data.rows_used} rows of {n_inputs} inputs, "
            f"without weights; it was fitted to {n_rows} of {len(classifier.coef_)}."
        )


def _ramps(classifier: FairOrdinalClassifier) -> tuple[Ramp, ...]:
    if classifier.ramps_ is None:
        return ()
    weights, offsets = classifier.ramps_
    offsets = offsets - classifier.origin_ @ weights
    columns = zip(classifier.ramp_coef_, offsets, weights.T, strict=True)
    return tuple(
        Ramp(float(coef), float(offset), tuple(own.tolist())) for coef, offset, own in columns
    )


def _forest(classifier: FairOrdinalClassifier) -> tuple[DecisionTree, ...]:
    if classifier.forest_ is None:
        return ()
    forest = classifier.forest_
    values = np.split(classifier.leaf_values_, forest.first_leaves[1:-1])
    return tuple(
        DecisionTree(
            tuple(
                Split(int(feature), float(threshold), int(left), int(right))
                for feature, threshold, left, right in zip(*tree, strict=True)
            ),
            tuple(leaves.tolist()),
        )
        for tree, leaves in zip(forest.trees, values, strict=True)
    )


def _settings(classifier: FairOrdinalClassifier) -> Settings:
    goal = read_goal(
        classifier.trade_off, classifier.max_violation, "certified", default_limit=DEFAULT_LIMIT
    )
    return Settings(
        criterion=classifier.criterion_.name,
        max_violation=goal.allowance if goal.hard else None,
        trade_off=None if goal.hard else _number(classifier.trade_off),
        confidence=_number(classifier.confidence),
        cost_matrix=tuple(map(tuple, classifier.result_.cost_matrix.astype(float).tolist())),
        basis=classifier.basis_,
        ranker=classifier.ranker,
        loss=classifier.loss,
        alpha=float(classifier.alpha_),
    )


def _certificate(result: ThresholdResult) -> Certificate:
    return Certificate(
        objective=float(result.objective),
        lower_bound=float(result.lower_bound),
        gap=float(result.gap),
        cost=float(result.cost),
        violation=float(result.violation),
        limit=float(result.goal.allowance) if result.goal.hard else None,
        price=None if result.goal.hard else float(result.goal.price),
        surcharge=float(result.goal.surcharge),
        stopped_by=result.stopped_by,
    )


def _expected(classifier: FairOrdinalClassifier) -> Expected:
    return Expected(
        cost=float(classifier.expected_cost_),
        cost_interval=_interval(classifier.expected_cost_interval_),
        violation=float(classifier.expected_violation_),
        violation_interval=_interval(classifier.expected_violation_interval_),
        confidence=float(classifier.confidence_),
    )


def _interval(ends: tuple[float, float]) -> tuple[float, float]:
    return float(ends[0]), float(ends[1])


def _groups(result: ThresholdResult) -> tuple[GroupCounts, ...]:
    names, totals = result.groups.tolist(), np.rint(result.score_table.totals).astype(int)
    return tuple(
        GroupCounts(_values(name), int(counts.sum()), tuple(counts.tolist()))
        for name, counts in zip(names, totals, strict=True)
    )


def _values(name: Any) -> tuple[Scalar, ...]:
    entries = name if isinstance(name, tuple) else (name,)
    return tuple(value if isinstance(value, Scalar) else str(value) for value in entries)


def _number(value: Any) -> float | None:
    return None if value is None else float(value)
