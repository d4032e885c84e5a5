"""Tables with named columns: read a column as numbers or text, and hash its content.

Missing are None, nan and the empty text (which is a name in a column of groups). Booleans are the
numbers 0 and 1. Numbers in a column of text are written in decimal notation: 12.0 is ``"12"``.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

import narwhals as nw
import numpy as np

from fairordinal._validation import Array, Column, RowError, is_number, read_column


@dataclass(frozen=True, eq=False)
class TableColumn:
    """A column of numbers (nan where missing), or of codes into `texts` (-1 where missing)."""

    name: str
    values: Array
    texts: tuple[str, ...] | None = None  # that occur, sorted; None for a column of numbers
    rows: Array | None = None  # row numbers in the table, if only some rows were taken

    def take(self, rows: Array) -> TableColumn:
        """Return some rows of the column."""
        taken = replace(self, values=self.values[rows])
        if self.texts is not None:
            taken = _text_column(self.name, self.texts, taken.values)
        return replace(taken, rows=rows)

    def error(self, what: str, place: int, after: str) -> RowError:
        """Return an error about one cell, with the row of the table that it is in."""
        row = place if self.rows is None else int(self.rows[place])
        return RowError(f"column {self.name!r} {what}", row, after)

    def as_numbers(self) -> Array:
        """Return the numbers of the column; raise ValueError if it holds text."""
        if self.texts is None:
            return self.values
        no_numbers = [code for code, text in enumerate(self.texts) if not _is_number_text(text)]
        row = int(np.flatnonzero(np.isin(self.values, no_numbers or [0]))[0])
        found = f"{self.texts[self.values[row]]!r:.60}"
        raise self.error(
            f"must hold numbers, as it did when the model was fitted, got {found}",
            row,
            ". Correct it, or leave it empty.",
        )

    def as_texts(self) -> TableColumn:
        """Return the column with numbers converted to text."""
        if self.texts is not None:
            return self
        levels, codes = np.unique(self.values, return_inverse=True)
        known = levels[~np.isnan(levels)]  # np.unique puts nan last
        texts = [_number_text(level) for level in known.tolist()]
        return _text_column(self.name, texts, np.where(codes < len(known), codes, -1))


def columns_of(frame: Any) -> dict[str, Any]:
    """Return the columns of a frame of pandas, polars or pyarrow, or of a mapping, by name."""
    try:
        frame = nw.from_native(frame, pass_through=True)
        columns = _by_name(frame)
    except nw.exceptions.DuplicateError as error:
        raise ValueError(f"frame has columns of the same name; rename them. {error}") from None
    for name in columns:
        if not isinstance(name, str):
            raise ValueError(
                f"frame must have columns named by text, got the name {name!r}. Rename it, "
                "for instance by frame.columns = frame.columns.astype(str)."
            )
    return columns


def _by_name(frame: Any) -> dict[Any, Any]:
    if isinstance(frame, nw.LazyFrame):
        raise ValueError("frame is a lazy frame; collect it first.")
    if isinstance(frame, nw.DataFrame):
        return {name: frame[:, j] for j, name in enumerate(frame.columns)}
    if isinstance(frame, Mapping):
        return dict(frame)
    raise ValueError(
        "frame must be a table with named columns (a frame of pandas, polars or pyarrow, or a "
        f"mapping of names to columns), got {type(frame).__name__}."
    )


def read_table_column(values: Any, name: str) -> TableColumn:
    """Read a column of finite numbers or of text; raise ValueError for anything else."""
    if isinstance(values, TableColumn):
        return values
    column = read_without_blanks(values, f"column {name!r}")
    if column.names is None:
        return TableColumn(name, _check_finite(column.values.astype(np.float64), name))
    if not (column.values >= 0).any():
        return TableColumn(name, np.full(len(column.values), np.nan))
    texts = [_as_text(value, column, name) for value in column.names]
    return _text_column(name, texts, column.values)


def check_lengths(columns: Sequence[TableColumn]) -> None:
    """Raise ValueError if columns have different lengths."""
    for column in columns[1:]:
        if len(column.values) != len(columns[0].values):
            raise ValueError(
                f"column {column.name!r} has {len(column.values)} rows but column "
                f"{columns[0].name!r} has {len(columns[0].values)}."
            )


def read_without_blanks(values: Any, name: str) -> Column:
    """Read a column in which empty text is missing; numbers, if only they remain."""
    column = read_column(values, name)
    if column.names is None or column.ordered:
        return column
    column = _without_blanks(column)
    if not column.names or _is_categorical(values) or not all(map(is_number, column.names)):
        return column
    numbers = np.array([*map(float, column.names), np.nan])  # code -1 takes the nan
    return Column(name, numbers[column.values])


def _without_blanks(column: Column) -> Column:
    assert column.names is not None
    if "" not in column.names:
        return column
    blank = column.names.index("")
    names = column.names[:blank] + column.names[blank + 1 :]
    codes = np.where(column.values == blank, -1, column.values - (column.values > blank))
    return replace(column, values=codes, names=names)


def _is_categorical(values: Any) -> bool:
    """Return whether a column is categorical, so that numbers in it are names."""
    series = nw.from_native(values, pass_through=True, allow_series=True)
    if isinstance(series, nw.Series):
        return isinstance(series.dtype, nw.Categorical | nw.Enum)
    return hasattr(values, "categories")


def _text_column(name: str, texts: Sequence[str], codes: Array) -> TableColumn:
    """Return a column with the texts that occur, sorted and without duplicates."""
    occurring = np.flatnonzero(np.bincount(codes[codes >= 0])).tolist()
    kept = sorted({texts[code] for code in occurring})
    place = {text: i for i, text in enumerate(kept)}
    new_code = np.full(len(texts) + 1, -1)  # code -1 takes the last entry
    new_code[occurring] = [place[texts[code]] for code in occurring]
    return TableColumn(name, new_code[codes], tuple(kept))


def _check_finite(values: Array, name: str) -> Array:
    infinite = np.flatnonzero(np.isinf(values))
    if infinite.size:
        raise RowError(
            f"column {name!r} must hold finite numbers, got {values[infinite[0]]}",
            int(infinite[0]),
            f" ({infinite.size} such rows). Correct it, or leave the cell empty.",
        )
    return values


def _as_text(value: Any, column: Column, name: str) -> str:
    if isinstance(value, str):
        return str(value)
    if isinstance(value, bool | np.bool_):
        return str(bool(value))
    if is_number(value) or isinstance(value, Decimal):
        return _number_text(value)
    assert column.names is not None
    found = np.flatnonzero(column.values == column.names.index(value))
    if not found.size:  # a category that does not occur
        return ""
    raise RowError(
        f"column {name!r} must hold numbers or text, got {value!r:.60}",
        int(found[0]),
        ". Turn it into one of them, dates into days for instance, or leave the column out.",
    )


def _number_text(number: Any) -> str:
    """Return a number as text, integers without a decimal point."""
    value = float(number)
    return str(int(number)) if value.is_integer() else repr(value)


def _is_number_text(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def fingerprint(columns: Iterable[TableColumn]) -> str:
    """Return the SHA-256 of columns: their names and cells, with rows in order.

    It depends neither on the order of the columns nor on the library of the frame: numbers count by
    their value as a 64-bit float, text by its characters, and all missing cells are equal.
    """
    total = hashlib.sha256()
    for column in sorted(columns, key=lambda column: column.name):
        total.update(_with_length(column.name.encode(errors="surrogatepass")))
        total.update(_content(column))
    return total.hexdigest()


def _content(column: TableColumn) -> bytes:
    if column.texts is None:
        numbers = column.values + 0.0  # -0.0 becomes 0.0
        numbers[np.isnan(numbers)] = np.nan  # all nan get the same bits
        return b"numbers" + _with_length(numbers.astype("<f8").tobytes())
    texts = b"".join(_with_length(text.encode(errors="surrogatepass")) for text in column.texts)
    codes = column.values.astype("<i8").tobytes()
    return b"texts" + _with_length(texts) + _with_length(codes)


def _with_length(content: bytes) -> bytes:
    """Prefix content by its length, so that ("ab", "c") and ("a", "bc") differ."""
    return len(content).to_bytes(8, "little") + content
