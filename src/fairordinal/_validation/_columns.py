"""Columns of any library as numbers or as codes into names."""

from __future__ import annotations

import numbers
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

LONG_COLUMN = 10_000  # from here on names are looked up by the column's own library


@dataclass(frozen=True)
class Column:
    """One column as it came: numbers, or codes into `names` (-1 where missing)."""

    name: str
    values: Array
    names: tuple[Any, ...] | None = None  # None: the values are numbers
    ordered: bool = False  # the names were declared in ascending order
    boolean: bool = False

    def missing(self) -> Array:
        """Which rows hold nothing."""
        if self.names is not None:
            return self.values < 0
        if self.values.dtype.kind == "f":
            return np.isnan(self.values)
        return np.zeros(len(self.values), dtype=bool)

    def show(self, row: int) -> str:
        """The value at a row, as a message should show it."""
        if self.names is None:
            return repr(self.values[row].item())
        return "a missing value" if self.values[row] < 0 else repr(self.names[self.values[row]])


def read_column(values: Any, name: str) -> Column:
    """Read one column of rows, whatever library it comes from."""
    values = _one_column(values, name)
    if isinstance(values, nw.Series):
        column = _from_series(values, name)
    elif all(hasattr(values, attribute) for attribute in ("categories", "codes", "ordered")):
        names = tuple(values.categories.tolist())  # pandas.Categorical, without its series
        column = Column(name, np.asarray(values.codes), names, ordered=bool(values.ordered))
    else:
        column = _from_array(values, name)
    if not len(column.values):
        raise ValueError(f"{name} is empty; it must hold at least one row.")
    return column


def _one_column(values: Any, name: str) -> Any:
    """Unwrap frames and arrays of one column; refuse what is not a column."""
    values = nw.from_native(values, pass_through=True, allow_series=True)
    if isinstance(values, nw.LazyFrame):
        raise ValueError(f"{name} is a lazy frame; collect it and pass one of its columns.")
    if isinstance(values, nw.DataFrame):
        if len(values.columns) != 1:
            raise ValueError(
                f"{name} must be one column, got a frame with {len(values.columns)} columns "
                f"{values.columns}. Pass the one that holds the ordinal labels."
            )
        return values[values.columns[0]]
    if isinstance(values, str | bytes | Mapping) or np.isscalar(values) or values is None:
        raise ValueError(
            f"{name} must be a column of rows (list, array or series), got {values!r:.60}."
        )
    return values


def _from_series(series: nw.Series[Any], name: str) -> Column:
    if series.dtype.is_numeric():
        nulls = series.is_null().to_numpy()
        if not nulls.any():
            return Column(name, _real(series.to_numpy(), name))
        return Column(name, series.cast(nw.Float64).to_numpy())
    if isinstance(series.dtype, nw.Enum):
        names = tuple(series.dtype.categories)
        return Column(name, _look_up(series, names), names, ordered=True)
    if isinstance(series.dtype, nw.String | nw.Categorical):
        names = tuple(value for value in series.unique().to_list() if not is_missing(value))
        return Column(name, _look_up(series, names), names)
    return _from_array(np.asarray(series.to_list(), dtype=object), name)


def _look_up(series: nw.Series[Any], names: Sequence[Any]) -> Array:
    """Place of each row's value among the names, -1 where it is missing."""
    place: dict[Any, int] = {value: code for code, value in enumerate(names)}
    if len(series) < LONG_COLUMN:
        return np.array([place.get(value, -1) for value in series.to_list()], dtype=np.int64)
    missing = series.is_null().to_numpy()
    filled = series.cast(nw.String).fill_null("")
    old, new = [*map(str, names)], [*range(len(names))]
    if "" not in place:
        old, new = [*old, ""], [*new, -1]
    codes = filled.replace_strict(old, new, return_dtype=nw.Int64).to_numpy()
    return np.where(missing, -1, codes)


def _from_array(values: Any, name: str) -> Column:
    array = _as_array(values, name)
    if array.dtype.kind == "b":
        return Column(name, array.view(np.uint8), boolean=True)
    if array.dtype.kind in "iuf":
        return Column(name, array)
    objects = array.astype(object).tolist()
    present = [value for value in objects if not is_missing(value)]
    if present and all(isinstance(value, bool | np.bool_) for value in present):
        numbers_ = np.array([np.nan if is_missing(v) else float(v) for v in objects])
        return Column(name, numbers_, boolean=True)
    if present and all(is_number(value) for value in present):
        return Column(name, np.array([np.nan if is_missing(v) else v for v in objects]))
    place: dict[Any, int] = {}
    codes = [-1 if is_missing(v) else place.setdefault(v, len(place)) for v in objects]
    return Column(name, np.array(codes, dtype=np.int64), tuple(place))


def _as_array(values: Any, name: str) -> Array:
    """A one-dimensional array that keeps strings, numbers and missing values apart."""
    if np.ma.is_masked(values):
        values = np.asarray(values.astype(object).filled(None))
    try:
        array = np.asarray(values)
        mixed = array.dtype.kind in "US" and not isinstance(values, np.ndarray)
        if mixed and not all(isinstance(value, str | bytes) for value in values):
            array = np.asarray(values, dtype=object)  # not [1, "a"] -> ["1", "a"]
    except ValueError:
        raise ValueError(f"{name} must be one column; its rows have different lengths.") from None
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise ValueError(
            f"{name} must be one column, got an array of shape {array.shape}. "
            "Pass one column of labels or scores; probabilities must be turned into one of them."
        )
    return _real(array, name)


def _real(array: Array, name: str) -> Array:
    if array.dtype.kind == "c":
        raise ValueError(f"{name} must hold real numbers or names, got {array.dtype}.")
    return array.astype(np.float64) if array.dtype == np.float16 else array


def is_number(value: Any) -> bool:
    """A real number, not a boolean."""
    return isinstance(value, numbers.Real) and not isinstance(value, bool | np.bool_)


def is_missing(value: Any) -> bool:
    """None, nan, pandas.NA and pandas.NaT."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float | np.floating) and bool(np.isnan(value))
