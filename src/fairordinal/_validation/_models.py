"""Fitted models that users pass: what they predict, and which order of labels they mean.

scikit-learn is imported by the functions that need it: audits do without.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any


def predictions_of(model: Any, X: Any, sensitive_features: Any) -> Any:
    """What a model predicts; it is told the groups if its `predict` looks at them."""
    if looks_at_groups(model):
        return model.predict(X, sensitive_features=sensitive_features)
    return model.predict(X)


def looks_at_groups(model: Any) -> bool:
    """Whether `predict` takes `sensitive_features`; ``group_aware=False`` takes and refuses them.

    A pipeline passes them on to its last step.
    """
    if _is_pipeline(model):
        return looks_at_groups(model[-1])
    try:
        taken = inspect.signature(model.predict).parameters
    except (AttributeError, TypeError, ValueError):  # no such method, or a compiled one
        return False
    return "sensitive_features" in taken and bool(getattr(model, "group_aware", True))


def labels_of(model: Any, labels: Any) -> Any:
    """The labels given, or those of a model that can be told their order."""
    known = _meant_order(model)
    return known if labels is None else labels


def shared_labels(models: Mapping[str, Any], labels: Any) -> Any:
    """The labels given, or those of the models, if they mean another order than that of numbers."""
    if labels is not None:
        return labels
    orders = {name: order for name, model in models.items() if (order := _meant_order(model))}
    orders = {name: order for name, order in orders.items() if not _is_ascending(order)}
    most = max(orders, key=lambda name: len(orders[name]), default=None)
    if most is None:
        return None
    for name, order in orders.items():
        if order != [label for label in orders[most] if label in order]:
            raise ValueError(
                f"models[{most!r}] and models[{name!r}] have different labels, {orders[most]} and "
                f"{order}. Pass labels=[...] with all of them in ascending order."
            )
    return orders[most]


def _meant_order(model: Any) -> list[Any] | None:
    """Labels of a fitted model with a parameter `labels`; others have them in no order."""
    if _is_pipeline(model):
        return _meant_order(model[-1])
    if hasattr(model, "best_estimator_"):  # of a search
        return _meant_order(model.best_estimator_)
    if hasattr(model, "labels") and hasattr(model, "classes_"):
        return list(model.classes_.tolist())
    return None


def _is_pipeline(model: Any) -> bool:
    from sklearn.pipeline import Pipeline

    return isinstance(model, Pipeline)


def _is_ascending(order: list[Any]) -> bool:
    """Whether numbers are in their own order."""
    return all(isinstance(label, int | float) for label in order) and order == sorted(order)
