"""Read one column of any library into NumPy arrays.

A column holds numbers, or names. Names are stored as integer codes into a tuple of distinct names,
with code -1 for a missing value; a missing number is nan.
"""

from __future__ import annotations

import numbers
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

import narwhals as nw
import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

PLAIN_INTEGERS = (
    nw.Int8, nw.Int16, nw.Int32, nw.Int64, nw.UInt8, nw.UInt16, nw.UInt32, nw.UInt64,
)  # fmt: skip
EXACT_BELOW = 2**53  # float64 represents every smaller integer exactly
LONG_COLUMN = 10_000  # longer columns are encoded by their own library, which is faster


@dataclass(frozen=True)
class Column:
    """A column of numbers, or of codes into `names` (-1 where missing)."""

    name: str
    values: Array
    names: tuple[Any, ...] | None = None  # None if the values are numbers
    ordered: bool = False  # the names were declared in ascending order
    boolean: bool = False
    counts: Array | None = None  # rows per entry; None if each entry is one row

    def missing(self) -> Array:
        """Return a boolean mask of the rows with a missing value."""
        if self.names is not None:
            return self.values < 0
        if self.values.dtype.kind == "f":
            return np.isnan(self.values)
        return np.zeros(len(self.values), dtype=bool)

    def objects(self) -> list[Any]:
        """Return the values as Python objects; None where missing."""
        if self.names is None:
            return self.values.tolist()
        return [self.names[code] if code >= 0 else None for code in self.values.tolist()]

    def show(self, row: int) -> str:
        """Return the value at a row as text for a message."""
        if self.names is None:
            return repr(self.values[row].item())
        return "a missing value" if self.values[row] < 0 else repr(self.names[self.values[row]])


class RowError(ValueError):
    """A ValueError about one row; `row` counts from 0."""

    def __init__(self, before: str, row: int, after: str) -> None:
        super().__init__(before, row, after)
        self.row = row

    def __str__(self) -> str:
        return self.located(f"row {self.row}")

    def located(self, place: str) -> str:
        """Return the message with `place` instead of the row number, such as ``"line 7"``."""
        return f"{self.args[0]} at {place}{self.args[2]}"


def locate(entries: Array, counts: Array | None) -> str:
    """Say at which rows some entries of a column are, for a message.

    Entries that stand for several rows have no row number, so only the rows are counted.
    """
    if counts is None:
        return f"at row {entries[0]} ({len(entries)} such rows)"
    return f"in {int(counts[entries].sum()):,} rows"


def read_column(values: Any, name: str, *, exact: bool = False) -> Column:
    """Read one column of a list, an array, or a series of pandas, polars or pyarrow.

    Numbers become NumPy numbers. With `exact`, different numbers that NumPy would round to the same
    value are read as names, so that they remain different.
    """
    if isinstance(values, Column):
        return replace(values, name=name)
    values = _one_column(values, name)
    if isinstance(values, nw.Series):
        column = _from_series(values, name, exact)
    elif all(hasattr(values, attribute) for attribute in ("categories", "codes", "ordered")):
        names = tuple(values.categories.tolist())  # pandas.Categorical, without its series
        column = Column(name, np.asarray(values.codes), names, ordered=bool(values.ordered))
    else:
        column = _from_array(values, name, exact)
    if not len(column.values):
        raise ValueError(f"{name} is empty; it must hold at least one row.")
    return column


def is_dask(values: Any) -> bool:
    """Return whether the values are a Dask collection."""
    return hasattr(values, "__dask_graph__")


def stack(columns: Sequence[Column]) -> Column:
    """Concatenate columns; an order of the names is kept if all columns declare the same one."""
    first = columns[0]
    if all(column.names is None for column in columns):
        boolean = all(column.boolean for column in columns)
        return replace(first, values=np.concatenate([c.values for c in columns]), boolean=boolean)
    if any(column.names is None for column in columns):
        raise ValueError(f"{first.name} holds numbers in one table and names in another.")
    place: dict[Any, int] = {}
    values = []
    for column in columns:
        objects = column.objects()
        values += [-1 if is_missing(v) else place.setdefault(v, len(place)) for v in objects]
    if all(column.ordered and column.names == first.names for column in columns):
        return replace(first, values=np.concatenate([column.values for column in columns]))
    return Column(first.name, np.array(values, dtype=np.int64), tuple(place))


def _one_column(values: Any, name: str) -> Any:
    """Unwrap a frame or matrix of one column; raise ValueError for anything that is no column."""
    refuse_lazy(values, name)
    values = nw.from_native(_chunked(values), pass_through=True, allow_series=True)
    if isinstance(values, nw.DataFrame):
        if len(values.columns) != 1:
            raise ValueError(
                f"{name} must be one column, got a frame with {len(values.columns)} columns "
                f"{values.columns}. Pass the one that holds the ordinal labels."
            )
        return values[:, 0]
    if hasattr(values, "__array__") and not hasattr(values, "__len__"):
        values = np.asarray(values)
    if isinstance(values, np.matrix):
        values = np.asarray(values)  # slices of np.matrix always have two dimensions
    if isinstance(values, str | bytes | Mapping | Set) or not _has_length(values):
        shown = repr(values)
        hint = " Columns have names only with data=frame." if isinstance(values, str) else ""
        raise ValueError(
            f"{name} must be a column of rows (list, array or series), got {shown:.60}.{hint}"
        )
    return values


def _chunked(values: Any) -> Any:
    """Wrap a pyarrow array into a chunked array, which distinguishes null from nan."""
    if type(values).__module__ != "pyarrow.lib" or not hasattr(values, "dictionary_encode"):
        return values
    import pyarrow as pa

    return pa.chunked_array([values]) if isinstance(values, pa.Array) else values


def refuse_lazy(values: Any, name: str) -> None:
    """Raise ValueError for lazy frames and Dask collections instead of loading them."""
    lazy = isinstance(nw.from_native(values, pass_through=True, allow_series=True), nw.LazyFrame)
    if not lazy and not is_dask(values):
        return
    raise ValueError(
        f"{name} is {_type_name(values)}, whose rows are not in memory. "
        'audit("true", "predicted", sensitive_features="group", data=frame) counts such rows out '
        "of core and has every metric; or load the columns (.collect(), .compute())."
    )


def _type_name(values: Any) -> str:
    library = type(values).__module__.partition(".")[0]
    return f"a {type(values).__name__} of {library}"


def _has_length(values: Any) -> bool:
    try:
        return len(values) >= 0
    except TypeError:
        return False


def _from_series(series: nw.Series[Any], name: str, exact: bool) -> Column:
    if series.dtype.is_float() or isinstance(series.dtype, PLAIN_INTEGERS):
        if not series.is_null().to_numpy().any():
            return Column(name, series.to_numpy())
        if series.dtype.is_float() or _are_small(series):
            return Column(name, series.cast(nw.Float64).to_numpy())
    if isinstance(series.dtype, nw.Enum):
        names = tuple(series.dtype.categories)
        return Column(name, _look_up(series, names), names, ordered=True)
    if isinstance(series.dtype, nw.String | nw.Categorical):
        names = tuple(value for value in series.unique().to_list() if not is_missing(value))
        return Column(name, _look_up(series, names), names)
    return _from_objects(series.to_list(), name, exact)


def _are_small(integers: nw.Series[Any]) -> bool:
    """Return whether float64 represents these integers exactly."""
    ends = integers.min(), integers.max()
    return all(end is None or abs(int(end)) < EXACT_BELOW for end in ends)


def _look_up(series: nw.Series[Any], names: Sequence[Any]) -> Array:
    """Return the code of each row: the index of its name, -1 where it is missing."""
    place: dict[Any, int] = {value: code for code, value in enumerate(names)}
    few = len(series) < LONG_COLUMN or not names
    if few or not all(isinstance(value, str) for value in names):
        return np.array([place.get(value, -1) for value in series.to_list()], dtype=np.int64)
    known = ~series.is_null()
    text = series.filter(known).alias("name").cast(nw.String)  # pandas 2 joins by the name
    found = text.replace_strict([*place], [*place.values()], return_dtype=nw.Int64)
    codes = np.full(len(series), -1, dtype=np.int64)
    codes[known.to_numpy()] = found.to_numpy()
    return codes


def _from_array(values: Any, name: str, exact: bool) -> Column:
    if np.ma.is_masked(values):
        hidden = np.ma.getmaskarray(values).tolist()
        shown = zip(values.data.tolist(), hidden, strict=True)
        return _from_objects([None if hide else value for value, hide in shown], name, exact)
    array = _one_dimensional(values, name)
    if array.dtype.kind == "b":
        return Column(name, array.view(np.uint8), boolean=True)
    if array.dtype.kind in "iu":
        return Column(name, array)
    if array.dtype.kind == "f":
        return _from_floats(values, array, name, exact)
    if array.dtype.kind in "mM":
        return _from_text(array, ~np.isnat(array), name)
    if array.dtype.kind in "US" and not isinstance(values, np.ndarray) and np.ndim(values) == 1:
        return _from_objects(list(values), name)  # NumPy turns [1, "a"] into strings
    return _from_objects(array.tolist(), name, exact)


def _from_floats(values: Any, array: Array, name: str, exact: bool) -> Column:
    """Read floats of any precision as float32 or float64; as names if `exact` requires it."""
    usual = array if array.dtype.itemsize in (4, 8) else array.astype(np.float64)
    if exact and not isinstance(values, np.ndarray) and (np.abs(usual) >= EXACT_BELOW).any():
        return _from_objects(list(values), name, exact)  # NumPy rounded integers to floats
    if exact and usual.dtype.itemsize < array.dtype.itemsize:
        known = ~np.isnan(array)
        if not _is_lossless(array[known].tolist(), usual[known]):
            return _from_text(array, known, name)
    return Column(name, usual)


def _from_text(array: Array, known: Array, name: str) -> Column:
    """Read values as text; those that are not `known` are missing."""
    pairs = zip(array.astype(str).tolist(), known.tolist(), strict=True)
    return _from_objects([text if known else None for text, known in pairs], name)


def _is_lossless(originals: Sequence[Any], floats: Array) -> bool:
    """Return whether different numbers are different floats, and integers are exact."""
    pairs = zip(originals, floats.tolist(), strict=True)
    same = all(value == near for value, near in pairs if isinstance(value, numbers.Integral))
    return same and len(set(originals)) == len(np.unique(floats))


def _one_dimensional(values: Any, name: str) -> Array:
    try:
        array = np.asarray(values)
    except ValueError:
        raise ValueError(f"{name} must be one column; its rows have different lengths.") from None
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise ValueError(
            f"{name} must be one column, got an array of shape {array.shape}. "
            "Pass one column of labels or scores; probabilities must be turned into one of them."
        )
    if array.dtype.kind == "c":
        raise ValueError(f"{name} must hold real numbers or names, got {array.dtype}.")
    return array


def _from_objects(objects: Sequence[Any], name: str, exact: bool = False) -> Column:
    """Read Python objects as booleans, numbers or names; some may be missing."""
    present = [value for value in objects if not is_missing(value)]
    if present and all(isinstance(value, bool | np.bool_) for value in present):
        filled = [np.nan if is_missing(value) else float(value) for value in objects]
        return Column(name, np.array(filled), boolean=True)
    if present and all(_is_numeric(value) for value in present):
        array = np.array([np.nan if is_missing(v) else _plain(v) for v in objects])
        if array.dtype.kind == "f" and exact and not _is_lossless(present, array[array == array]):
            array = array.astype(object)
        if array.dtype.kind in "iuf":  # integers of more than 64 bits are objects
            return Column(name, array)
    place: dict[Any, int] = {}
    codes = np.full(len(objects), -1, dtype=np.int64)
    for row, value in enumerate(objects):
        try:
            codes[row] = -1 if is_missing(value) else place.setdefault(value, len(place))
        except TypeError:
            raise ValueError(
                f"{name} must be a column of numbers or names, got {value!r:.60} at row {row}."
            ) from None
    return Column(name, codes, tuple(place))


def is_number(value: Any) -> bool:
    """Return whether a value is a real number and not a boolean."""
    return isinstance(value, numbers.Real) and not isinstance(value, bool | np.bool_)


def _is_numeric(value: Any) -> bool:
    """Return whether a value is a real number or a Decimal, which databases return."""
    return is_number(value) or isinstance(value, Decimal)


def _plain(value: Any) -> int | float:
    whole = isinstance(value, numbers.Integral) or (np.isfinite(float(value)) and value % 1 == 0)
    return int(value) if whole else float(value)


def is_missing(value: Any) -> bool:
    """Return whether a value is None, nan, pandas.NA, or NaT of pandas or NumPy."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    if isinstance(value, np.datetime64 | np.timedelta64):
        return bool(np.isnat(value))
    return isinstance(value, float | np.floating | Decimal) and value != value
