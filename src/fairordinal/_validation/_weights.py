"""Weights of rows: numbers of rows, in units in which products of two of them are exact.

A weight of 2 is a row repeated twice. Only ratios of weights matter for a metric or a model, so
weights of a very large or very small size are multiplied by a power of two, which rounds
nothing. `Weight.one` is then the weight of one row, for what depends on the number of rows:
counts shown to people, and intervals.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from fairordinal._validation._columns import Array, Column, is_number, read_column

USUAL = (2.0**-40, 2.0**64)  # weights are left alone if the largest lies in this range
DIGITS = 2.0**40  # of weights relative to the greatest
FARTHEST = 2.0**400  # ratio of two weights: products of two light ones are still normal numbers


@dataclass(frozen=True)
class Weight:
    """Weights of rows; ``values / one`` are the weights as they were given."""

    values: Array
    one: float = 1.0

    def take(self, rows: Any) -> Weight:
        """The weights of some rows."""
        return Weight(self.values[rows], self.one)

    def relative(self) -> Weight:
        """Weights relative to the greatest, for models: their unit then makes no difference."""
        greatest = float(self.values.max())
        return Weight(relative_weight(self.values, greatest), self.one / greatest)


def relative_weight(weight: Array, greatest: float) -> Array:
    """Weights relative to the greatest, rounded to 12 digits.

    Rounding makes equal weights of different units equal to the last bit. A search for thresholds
    compares sums of weights, so that the last bit may decide which of two equals is taken.
    """
    part, exponent = np.frexp(weight / greatest)
    return np.ldexp(np.rint(part * DIGITS) / DIGITS, exponent)


def read_weight(
    sample_weight: Any, n_rows: int, name: str = "sample_weight", rows_of: str = "y_true"
) -> Weight | None:
    """Finite weights of at least 0, not all 0; None and weights already read stay as they are."""
    if sample_weight is None or isinstance(sample_weight, Weight):
        return sample_weight
    weight = check_weight(sample_weight, n_rows, name, rows_of)
    one = weight_of_one_row(*weight_range(weight), name)
    return Weight(weight if one == 1 else weight * one, one)


def check_weight(
    sample_weight: Any, n_rows: int, name: str = "sample_weight", rows_of: str = "y_true"
) -> Array:
    """A copy of finite weights of at least 0, as they were given."""
    weight = _numbers(read_column(sample_weight, name))
    if len(weight) != n_rows:
        raise ValueError(f"{name} has {len(weight)} rows but {rows_of} has {n_rows}.")
    wrong = np.flatnonzero(~((weight >= 0) & np.isfinite(weight)))
    if wrong.size:
        raise ValueError(
            f"{name} must be finite and at least 0, got {weight[wrong[0]]} at row {wrong[0]} "
            f"({wrong.size} such rows). Correct them, or drop the rows."
        )
    return weight


def _numbers(column: Column) -> Array:
    if column.names is None:
        return column.values.astype(np.float64)
    objects = column.objects()
    strange = [i for i, value in enumerate(objects) if not is_number(value)]
    if strange:
        raise ValueError(
            f"{column.name} must hold numbers, got {column.show(strange[0])} at row {strange[0]} "
            f"({len(strange)} such rows)."
        )
    return np.array([_as_float(value) for value in objects])  # whole numbers beyond 64 bits


def _as_float(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf


def weight_range(weight: Array) -> tuple[float, float]:
    """The least weight above 0, and the greatest; infinity and 0 if all are 0."""
    least = np.min(weight, where=weight > 0, initial=np.inf)
    return float(least), float(np.max(weight, initial=0.0))


def weight_of_one_row(least: float, greatest: float, name: str = "sample_weight") -> float:
    """The power of two to multiply weights by, given their range; 1 for weights of usual size."""
    if not greatest > 0:
        raise ValueError(f"{name} is zero in every row; some rows must count.")
    if greatest / FARTHEST > least:
        raise ValueError(
            f"{name} holds {least:g} beside {greatest:g}: weights must not differ by more than a "
            f"factor of {FARTHEST:.0e}, for floating-point numbers cannot hold the weights of "
            "their pairs. Give rows that should not count a weight of 0."
        )
    if USUAL[0] <= greatest <= USUAL[1]:
        return 1.0
    exponent = math.frexp(greatest)[1] - 1
    return 2.0 ** -max(min(exponent, 1000), -1000)
