"""Rows as baselines read them: features, codes of labels in order, weights."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_consistent_length
from sklearn.utils.validation import has_fit_parameter

from fairordinal._validation import (
    Array,
    Coded,
    Weight,
    check_same_length,
    order_labels,
    read_groups,
    read_target,
    read_weight,
    warn_misaligned,
)
from fairordinal.estimators import plain_array


class Labelled(NamedTuple):
    """Labels of rows as codes, with weights."""

    codes: Array
    weight: Array
    labels: Array  # ascending
    one: float = 1.0  # weight of one row

    @property
    def totals(self) -> Array:
        """Weight of each label."""
        return np.bincount(self.codes, self.weight, len(self.labels))


def read_labels(X: Any, y: Any, sample_weight: Any, categories: Any, *, least: int = 2) -> Labelled:
    """Codes and weights, of as many rows as X has; at least `least` labels."""
    warn_misaligned({"X": X, "y": y, "sample_weight": sample_weight})
    column = read_target(y)
    check_consistent_length(X, column.values)
    truth: Coded = order_labels(column, column, categories, least=least)[0]
    n_rows = len(column.values)
    weight = read_weight(sample_weight, n_rows, rows_of="y")
    weight = Weight(np.ones(n_rows)) if weight is None else weight
    levels = plain_array(truth.levels)
    return Labelled(truth.codes(slice(None)), weight.values, levels, weight.one)


def read_grouped(
    X: Any, y: Any, sensitive_features: Any, sample_weight: Any, categories: Any
) -> tuple[Labelled, Coded]:
    """Labels and weights of rows, and the column of their groups."""
    warn_misaligned({"X": X, "y": y, "sensitive_features": sensitive_features})
    column, groups = read_target(y), read_groups(sensitive_features)
    check_same_length(column, groups)
    return read_labels(X, column, sample_weight, categories), groups


def count_rows(X: Any) -> int:
    """Rows of a frame, an array, dense or sparse, or a list."""
    shaped = X if hasattr(X, "shape") else np.asarray(X)
    return int(shaped.shape[0])


def fit_clone(estimator: Any, X: Any, targets: Array, **columns: Any) -> Any:
    """Fit a copy of an estimator, with those of the columns that its `fit` takes."""
    passed = {
        name: column
        for name, column in columns.items()
        if column is not None and has_fit_parameter(estimator, name)
    }
    return clone(estimator).fit(X, targets, **passed)


def group_codes(sensitive_features: Any, known: Array, n_rows: int) -> Array:
    """Codes of the groups of rows among those seen in `fit`."""
    if sensitive_features is None:
        raise ValueError("predict needs sensitive_features: the prediction depends on the group.")
    groups = read_groups(sensitive_features, least=1)
    if len(groups.values) != n_rows:
        raise ValueError(f"sensitive_features has {len(groups.values)} rows but X has {n_rows}.")
    place = {name: code for code, name in enumerate(known.tolist())}
    strange = [name for name in groups.levels.tolist() if name not in place]
    if strange:
        raise ValueError(
            f"sensitive_features must hold groups from {known.tolist()}, got {strange[0]!r}. There "
            "is nothing to compare a new group with."
        )
    seen = np.array([place[name] for name in groups.levels.tolist()], dtype=np.intp)
    return seen[groups.codes(slice(None))]
