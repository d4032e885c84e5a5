"""Read the rows of a metric or an estimator: labels, predictions, groups and weights.

A weight of 2 is a row repeated twice. Only ratios of weights matter for a metric or a model, so
very large or very small weights are multiplied by a power of two, which is exact, and products of
two weights neither overflow nor underflow. `Weight.one` is then the weight of one row: counts that
are shown and intervals depend on the number of rows, and need it.

A survey weight of 2 is one row that represents two people. Intervals then depend on the sum of the
squared weights, and numbers of rows are those of the sample.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from fairordinal._support import warn
from fairordinal._validation._checks import check_choice, check_sizes, warn_misaligned
from fairordinal._validation._codes import Coded, check_same_length, read_groups
from fairordinal._validation._columns import Array, Column, is_number, read_column
from fairordinal._validation._labels import Reading, check_complete, order_labels

MOST_SCORED_CELLS = 1024  # groups × labels of an audit of scores, which has one position per row
USUAL = (2.0**-40, 2.0**64)  # weights are not rescaled if the largest lies in this range
DIGITS = 2.0**40  # 12 decimal digits, of weights relative to the largest
MOST_RATIO = 2.0**400  # of two weights: the product of two small ones is still a normal float


WEIGHTS = ("frequency", "survey")


class SurveyWeight(NamedTuple):
    """What survey weights have besides their values, for each row or set of equal rows."""

    squares: Array  # sums of squared weights
    rows: Array  # numbers of rows with a weight above 0


@dataclass(frozen=True)
class Weight:
    """Weights of rows; ``values / one`` are the weights that were passed."""

    values: Array
    one: float = 1.0
    survey: SurveyWeight | None = None

    def take(self, rows: Any) -> Weight:
        """Return the weights of some rows."""
        return Weight(self.values[rows], self.one)

    def relative(self) -> Weight:
        """Return weights relative to the largest, so that models do not depend on their unit."""
        greatest = float(self.values.max())
        return Weight(relative_weight(self.values, greatest), self.one / greatest)


def relative_weight(weight: Array, greatest: float) -> Array:
    """Divide weights by the largest, and round to 12 digits.

    Without rounding, the same weights in another unit could differ in the last bit. A search for
    thresholds compares sums of weights, and the last bit could decide between two optima.
    """
    part, exponent = np.frexp(weight / greatest)
    return np.ldexp(np.rint(part * DIGITS) / DIGITS, exponent)


def read_weight(
    sample_weight: Any, n_rows: int, name: str = "sample_weight", rows_of: str = "y_true"
) -> Weight | None:
    """Read finite weights of at least 0, not all 0; None and a `Weight` are returned as is."""
    if sample_weight is None or isinstance(sample_weight, Weight):
        return sample_weight
    weight = check_weight(sample_weight, n_rows, name, rows_of)
    one = weight_of_one_row(*weight_range(weight), name)
    return Weight(weight if one == 1 else weight * one, one)


def _as_survey(weight: Weight | None) -> Weight | None:
    """Return survey weights, given the weight of each row."""
    if weight is None or weight.survey is not None:
        return weight
    survey = SurveyWeight(weight.values**2, (weight.values > 0).astype(np.float64))
    return replace(weight, survey=survey)


def survey_weight(sums: Array, squares: Array, rows: Array, name: str = "sample_weight") -> Weight:
    """Return survey weights of sets of equal rows, given the sums of weights and of squares."""
    if not np.isfinite(squares).all() or (squares[sums > 0] == 0).any():
        raise ValueError(
            f"the squares of {name} are too large or too small for floating-point numbers. Divide "
            "or multiply all weights by a constant; it does not change the result."
        )
    one = weight_of_one_row(*weight_range(sums), name)
    return Weight(sums * one, one, SurveyWeight(squares * one * one, rows))


def check_weight(
    sample_weight: Any, n_rows: int, name: str = "sample_weight", rows_of: str = "y_true"
) -> Array:
    """Return a copy of finite weights of at least 0, in the unit that was passed."""
    weight = _as_numbers(read_column(sample_weight, name))
    if len(weight) != n_rows:
        raise ValueError(f"{name} has {len(weight)} rows but {rows_of} has {n_rows}.")
    wrong = np.flatnonzero(~((weight >= 0) & np.isfinite(weight)))
    if wrong.size:
        raise ValueError(
            f"{name} must be finite and at least 0, got {weight[wrong[0]]} at row {wrong[0]} "
            f"({wrong.size} such rows). Correct them, or drop the rows."
        )
    return weight


def _as_numbers(column: Column) -> Array:
    if column.names is None:
        return column.values.astype(np.float64)
    objects = column.objects()
    others = [i for i, value in enumerate(objects) if not is_number(value)]
    if others:
        raise ValueError(
            f"{column.name} must hold numbers, got {column.show(others[0])} at row {others[0]} "
            f"({len(others)} such rows)."
        )
    return np.array([_as_float(value) for value in objects])  # integers of more than 64 bits


def _as_float(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf


def weight_range(weight: Array) -> tuple[float, float]:
    """Return the smallest weight above 0, and the largest; infinity and 0 if all are 0."""
    least = np.min(weight, where=weight > 0, initial=np.inf)
    return float(least), float(np.max(weight, initial=0.0))


def weight_of_one_row(least: float, greatest: float, name: str = "sample_weight") -> float:
    """Return the power of two to multiply weights by, given their range; 1 for usual weights."""
    if not greatest > 0:
        raise ValueError(f"{name} is zero in every row; some rows must have a weight above 0.")
    if greatest / MOST_RATIO > least:
        raise ValueError(
            f"{name} holds {least:g} beside {greatest:g}: weights must not differ by more than a "
            f"factor of {MOST_RATIO:.0e}, because the products of two weights would underflow. "
            "Set the weight to 0 in rows that should not count."
        )
    if USUAL[0] <= greatest <= USUAL[1]:
        return 1.0
    exponent = math.frexp(greatest)[1] - 1
    return 2.0 ** -max(min(exponent, 1000), -1000)


@dataclass(frozen=True)
class Samples:
    """The arguments of a metric, read and checked."""

    groups: Coded
    truth: Coded
    positions: Coded  # predicted labels, or scores
    weight: Weight | None
    reading: Reading
    labels_are_given: bool  # if so, labels without rows are kept

    @property
    def n_rows(self) -> int:
        return len(self.truth.values)

    @property
    def predicts_labels(self) -> bool:
        return self.reading.are_labels


def read_samples(
    y_true: Any,
    y_pred: Any,
    sensitive_features: Any,
    *,
    sample_weight: Any = None,
    labels: Any = None,
    missing_group: str = "error",
    as_scores: bool = False,
    predictions: str = "auto",
    weights: str = "frequency",
    name: str = "y_true",
    predicted_name: str = "y_pred",
) -> Samples:
    """Read and check the arguments that all metrics share.

    `name` and `predicted_name` are the arguments that messages about labels refer to.
    """
    if as_scores:
        predictions, predicted_name = "scores", "scores"
    labelled = {name: y_true, predicted_name: y_pred}
    others = {"sensitive_features": sensitive_features, "sample_weight": sample_weight}
    warn_misaligned(labelled | others)
    true = read_column(y_true, name)
    read = read_scores if predictions == "scores" else read_column
    predicted = read(y_pred, predicted_name)
    groups = read_groups(sensitive_features, missing_group)
    check_same_length(true, predicted, groups)
    truth, positions, reading = order_labels(true, predicted, labels, predictions=predictions)
    weight = read_weight(sample_weight, len(truth.values), rows_of=name)
    if check_choice(weights, "weights", WEIGHTS) == "survey":
        weight = _as_survey(weight)
    sizes = (len(groups.levels), len(truth.levels))
    if reading.are_labels:
        check_sizes(*sizes, name=name)
    else:
        check_sizes(*sizes, name=name, what="an audit of scores", most_cells=MOST_SCORED_CELLS)
    given = labels is not None or true.ordered or predicted.ordered
    return Samples(groups, truth, positions, weight, reading, given)


def read_target(y: Any) -> Column:
    """Read the labels that an estimator is fitted to; a column vector warns as in scikit-learn."""
    if len(getattr(y, "shape", ())) == 2:
        from sklearn.exceptions import (
            DataConversionWarning,
        )  # imported here because it is slow and rarely needed

        warn("A column-vector y was passed when a 1d array was expected.", DataConversionWarning)
    return read_column(y, "y")


def read_scores(scores: Any, name: str = "scores") -> Column:
    """Read a column of finite numbers."""
    column = read_column(scores, name)
    check_complete(column)
    if column.names is not None:
        raise ValueError(f"{name} must hold numbers, got {column.show(0)} at row 0.")
    return column
