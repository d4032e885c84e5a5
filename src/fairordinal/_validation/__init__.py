"""The one door: columns of any kind in, small integer codes out.

Every public function reads its rows here, once. A column may be a list, a NumPy array, or a
series of pandas, polars or pyarrow; it leaves as codes of ordered levels.

All messages about rows are written in this package. Each says which argument, what was
expected, what came (value and row), and what to do.
"""

from __future__ import annotations

import numbers
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from fairordinal._validation._codes import Coded, check_same_length, encode, row_blocks
from fairordinal._validation._columns import (
    Array,
    Column,
    RowError,
    is_dask,
    is_number,
    read_column,
    stack,
)
from fairordinal._validation._groups import read_groups
from fairordinal._validation._index import warn_misaligned
from fairordinal._validation._labels import check_complete, order_labels
from fairordinal._validation._weights import (
    Weight,
    check_weight,
    read_weight,
    relative_weight,
    weight_of_one_row,
    weight_range,
)

__all__ = [
    "Array",
    "Coded",
    "Column",
    "RowError",
    "Samples",
    "Weight",
    "check_choice",
    "check_complete",
    "check_fraction",
    "check_number",
    "check_same_length",
    "check_share",
    "check_sizes",
    "check_weight",
    "check_whole",
    "encode",
    "is_dask",
    "is_number",
    "order_labels",
    "read_column",
    "read_groups",
    "read_samples",
    "read_scores",
    "read_target",
    "read_weight",
    "relative_weight",
    "row_blocks",
    "stack",
    "warn_misaligned",
    "weight_of_one_row",
    "weight_range",
]

MOST_GROUPS = 500  # results are quadratic in it
MOST_LABELS = 1500  # influences take their cube
MOST_CELLS = 4096  # groups × labels; tables are quadratic in it
MOST_SCORED_CELLS = 1024  # with scores, of which there are as many as rows


@dataclass(frozen=True)
class Samples:
    """Rows, read and checked: what a table of counts is made of."""

    groups: Coded
    truth: Coded
    positions: Coded  # predicted labels or scores
    weight: Weight | None
    predicts_labels: bool
    labels_are_given: bool  # and stay, whether or not they occur

    @property
    def n_rows(self) -> int:
        return len(self.truth.values)


def read_samples(
    y_true: Any,
    y_pred: Any,
    sensitive_features: Any,
    *,
    sample_weight: Any = None,
    labels: Any = None,
    missing_group: str = "error",
    as_scores: bool = False,
    name: str = "y_true",
    predicted_name: str = "y_pred",
) -> Samples:
    """Read and check the arguments that all metrics share; names are what the labels are called."""
    labelled = {name: y_true, "scores" if as_scores else predicted_name: y_pred}
    others = {"sensitive_features": sensitive_features, "sample_weight": sample_weight}
    warn_misaligned(labelled | others)
    true = read_column(y_true, name)
    predicted = read_scores(y_pred) if as_scores else read_column(y_pred, predicted_name)
    groups = read_groups(sensitive_features, missing_group)
    check_same_length(true, predicted, groups)
    truth, positions, predicts_labels = order_labels(true, predicted, labels, as_scores=as_scores)
    weight = read_weight(sample_weight, len(truth.values), rows_of=name)
    sizes = (len(groups.levels), len(truth.levels))
    if predicts_labels:
        check_sizes(*sizes, name=name)
    else:
        check_sizes(*sizes, name=name, what="an audit of scores", most_cells=MOST_SCORED_CELLS)
    given = labels is not None or true.ordered or predicted.ordered
    return Samples(groups, truth, positions, weight, predicts_labels, given)


def check_sizes(
    n_groups: int,
    n_labels: int,
    *,
    name: str = "y",
    what: str = "fairordinal",
    most_groups: int = MOST_GROUPS,
    most_cells: int = MOST_CELLS,
) -> None:
    """Refuse more groups and labels than can be compared within seconds and 1 GB."""
    within = n_groups <= most_groups and n_labels <= MOST_LABELS
    if within and n_groups * n_labels <= most_cells:
        return
    raise ValueError(
        f"sensitive_features has {n_groups} groups and {name} {n_labels} labels; {what} takes at "
        f"most {most_groups} groups, {MOST_LABELS} labels and {most_cells} cells (groups times "
        "labels). Merge small groups, or neighbouring labels. Is one of them an identifier or a "
        "measurement? Bin it into a few ordered levels first."
    )


def read_target(y: Any) -> Column:
    """The labels an estimator is fitted to; of a column vector, with scikit-learn's warning."""
    if len(getattr(y, "shape", ())) == 2:
        from sklearn.exceptions import DataConversionWarning  # slow to import, seldom needed

        warnings.warn(
            "A column-vector y was passed when a 1d array was expected.",
            DataConversionWarning,
            stacklevel=4,
        )
    return read_column(y, "y")


def read_scores(scores: Any, name: str = "scores") -> Column:
    """A column of finite numbers."""
    column = read_column(scores, name)
    check_complete(column)
    if column.names is not None:
        raise ValueError(f"{name} must hold numbers, got {column.show(0)} at row 0.")
    return column


def check_fraction(value: Any, name: str) -> float:
    """A number strictly between 0 and 1."""
    if not is_number(value) or not 0 < value < 1:
        raise ValueError(f"{name} must lie strictly between 0 and 1, got {value!r}.")
    return float(value)


def check_share(value: Any, name: str) -> float:
    """A number from 0 to 1, both included."""
    if not is_number(value) or not 0 <= value <= 1:
        raise ValueError(f"{name} must be a number from 0 to 1, got {value!r}.")
    return float(value)


def check_number(
    value: Any, name: str, *, least: float = 0.0, below: float = float("inf")
) -> float:
    """A finite number of at least `least`, and less than `below`."""
    if not is_number(value) or not least <= value < below:
        limit = "" if below == float("inf") else f" and less than {below:g}"
        raise ValueError(f"{name} must be a number of at least {least:g}{limit}, got {value!r}.")
    return float(value)


def check_whole(value: Any, name: str, *, least: int, most: int | None = None) -> int:
    """A whole number within limits."""
    whole = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    if not whole or value < least or (most is not None and value > most):
        limits = f"of at least {least}" if most is None else f"in {least}..{most}"
        raise ValueError(f"{name} must be a whole number {limits}, got {value!r}.")
    return int(value)


def check_choice(value: Any, name: str, choices: Sequence[Any]) -> Any:
    """One of a few allowed values."""
    if value not in choices:
        raise ValueError(f"{name} must be one of {list(choices)}, got {value!r}.")
    return value
