"""What baselines read, and how they fit the estimators that they wrap.

Labels become codes 0 … k-1 in ascending order, with a weight for each row; groups become codes
among those seen in `fit`.
"""

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


class CodedLabels(NamedTuple):
    """Labels of rows as codes, with weights."""

    codes: Array
    weight: Array
    labels: Array  # ascending
    one: float = 1.0  # weight of one row, see `read_weight`

    @property
    def totals(self) -> Array:
        """Weight of each label."""
        return np.bincount(self.codes, self.weight, len(self.labels))


def read_labels(X: Any, y: Any, sample_weight: Any, labels: Any, *, least: int = 2) -> CodedLabels:
    """Check and code the labels of as many rows as X has; there must be at least `least` labels."""
    warn_misaligned({"X": X, "y": y, "sample_weight": sample_weight})
    column = read_target(y)
    check_consistent_length(X, column.values)
    truth: Coded = order_labels(column, column, labels, least=least)[0]
    n_rows = len(column.values)
    weight = read_weight(sample_weight, n_rows, rows_of="y")
    weight = Weight(np.ones(n_rows)) if weight is None else weight
    levels = plain_array(truth.levels)
    return CodedLabels(truth.codes(slice(None)), weight.values, levels, weight.one)


def read_labels_and_groups(
    X: Any, y: Any, sensitive_features: Any, sample_weight: Any, labels: Any
) -> tuple[CodedLabels, Coded]:
    """Check and code the labels and the groups of rows."""
    warn_misaligned({"X": X, "y": y, "sensitive_features": sensitive_features})
    column, groups = read_target(y), read_groups(sensitive_features)
    check_same_length(column, groups)
    return read_labels(X, column, sample_weight, labels), groups


def group_codes(sensitive_features: Any, known: Array, n_rows: int) -> Array:
    """Return the codes of the groups of rows, among the groups that were seen in `fit`."""
    if sensitive_features is None:
        raise ValueError("predict needs sensitive_features: the prediction depends on the group.")
    groups = read_groups(sensitive_features, least=1)
    if len(groups.values) != n_rows:
        raise ValueError(f"sensitive_features has {len(groups.values)} rows but X has {n_rows}.")
    code_of = {name: code for code, name in enumerate(known.tolist())}
    unknown = [name for name in groups.levels.tolist() if name not in code_of]
    if unknown:
        raise ValueError(
            f"sensitive_features must hold groups from {known.tolist()}, got {unknown[0]!r}. "
            "Predictions are not defined for groups that were not seen in fit."
        )
    codes = np.array([code_of[name] for name in groups.levels.tolist()], dtype=np.intp)
    return codes[groups.codes(slice(None))]


def count_rows(X: Any) -> int:
    """Return the number of rows of a frame, a dense or sparse array, or a list."""
    shaped = X if hasattr(X, "shape") else np.asarray(X)
    return int(shaped.shape[0])


def fit_clone(estimator: Any, X: Any, targets: Array, **columns: Any) -> Any:
    """Fit a clone of an estimator, with those of the columns that its `fit` accepts."""
    accepted = {
        name: column
        for name, column in columns.items()
        if column is not None and has_fit_parameter(estimator, name)
    }
    return clone(estimator).fit(X, targets, **accepted)
