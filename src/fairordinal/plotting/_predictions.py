"""Predictions of a model, for the displays that take one."""

from __future__ import annotations

from typing import Any


def predictions_of(model: Any, X: Any, sensitive_features: Any) -> Any:
    """What a model predicts; it is told the groups only if it has thresholds for each."""
    if getattr(model, "group_aware", False):
        return model.predict(X, sensitive_features=sensitive_features)
    return model.predict(X)


def labels_of(model: Any, labels: Any) -> Any:
    """The labels given, or those of a model of this library, whose order is meant."""
    if labels is None and hasattr(model, "result_") and hasattr(model, "classes_"):
        return model.classes_.tolist()
    return labels
