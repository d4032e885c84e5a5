"""A table as named columns: each holds numbers, or text.

Missing are None, nan and the empty text (which is a name in a column of groups). Booleans are the
numbers 0 and 1. Numbers in a column of text are taken as people write them: 12.0 is ``"12"``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

import narwhals as nw
import numpy as np

from fairordinal._validation import Array, Column, RowError, is_number, read_column


@dataclass(frozen=True, eq=False)
class Cells:
    """A column: numbers (nan where missing), or places among its texts (-1 where missing)."""

    name: str
    values: Array
    texts: tuple[str, ...] | None = None  # those that occur, sorted; None: numbers
    rows: Array | None = None  # where in the table they are, if only some were taken

    def take(self, rows: Array) -> Cells:
        """Some rows."""
        taken = replace(self, values=self.values[rows])
        if self.texts is not None:
            taken = _coded(self.name, self.texts, taken.values)
        return replace(taken, rows=rows)

    def error(self, what: str, place: int, after: str) -> RowError:
        """An error about one of the cells, with the row of the table that it is in."""
        row = place if self.rows is None else int(self.rows[place])
        return RowError(f"column {self.name!r} {what}", row, after)

    def as_numbers(self) -> Array:
        """A column as numbers; text is refused."""
        if self.texts is None:
            return self.values
        strange = [place for place, text in enumerate(self.texts) if not _is_written_number(text)]
        row = int(np.flatnonzero(np.isin(self.values, strange or [0]))[0])
        found = f"{self.texts[self.values[row]]!r:.60}"
        raise self.error(
            f"must hold numbers, as it did when the model was fitted, got {found}",
            row,
            ". Correct it, or leave it empty.",
        )

    def as_texts(self) -> Cells:
        """A column as text."""
        if self.texts is not None:
            return self
        levels, places = np.unique(self.values, return_inverse=True)
        known = levels[~np.isnan(levels)]  # nan comes last
        texts = [_written(level) for level in known.tolist()]
        return _coded(self.name, texts, np.where(places < len(known), places, -1))


def columns_of(frame: Any) -> dict[str, Any]:
    """The columns of a frame of pandas, polars or pyarrow, or of a mapping, by name."""
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


def read_cells(values: Any, name: str) -> Cells:
    """Read one column; anything but finite numbers and text is refused."""
    if isinstance(values, Cells):
        return values
    column = read_complete(values, f"column {name!r}")
    if column.names is None:
        return Cells(name, _finite(column.values.astype(np.float64), name))
    if not (column.values >= 0).any():
        return Cells(name, np.full(len(column.values), np.nan))
    return _coded(name, [_text(value, column, name) for value in column.names], column.values)


def check_lengths(columns: Sequence[Cells]) -> None:
    """Refuse columns of different lengths."""
    for column in columns[1:]:
        if len(column.values) != len(columns[0].values):
            raise ValueError(
                f"column {column.name!r} has {len(column.values)} rows but column "
                f"{columns[0].name!r} has {len(columns[0].values)}."
            )


def read_complete(values: Any, name: str) -> Column:
    """A column with empty texts missing; numbers, if nothing else is left beside them."""
    column = read_column(values, name)
    if column.names is None or column.ordered:
        return column
    column = _without_blanks(column)
    if not column.names or _is_categorical(values) or not all(map(is_number, column.names)):
        return column
    numbers = np.array([*map(float, column.names), np.nan])
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
    """Whether numbers in a column are names of categories."""
    series = nw.from_native(values, pass_through=True, allow_series=True)
    if isinstance(series, nw.Series):
        return isinstance(series.dtype, nw.Categorical | nw.Enum)
    return hasattr(values, "categories")


def _coded(name: str, texts: Sequence[str], codes: Array) -> Cells:
    """Places among the texts that occur, sorted; equal texts become one."""
    occurring = np.flatnonzero(np.bincount(codes[codes >= 0])).tolist()
    kept = sorted({texts[code] for code in occurring})
    place = {text: i for i, text in enumerate(kept)}
    new_code = np.full(len(texts) + 1, -1)  # the last is for -1
    new_code[occurring] = [place[texts[code]] for code in occurring]
    return Cells(name, new_code[codes], tuple(kept))


def _finite(values: Array, name: str) -> Array:
    wild = np.flatnonzero(np.isinf(values))
    if wild.size:
        raise RowError(
            f"column {name!r} must hold finite numbers, got {values[wild[0]]}",
            int(wild[0]),
            f" ({wild.size} such rows). Correct it, or leave the cell empty.",
        )
    return values


def _text(value: Any, column: Column, name: str) -> str:
    if isinstance(value, str):
        return str(value)
    if isinstance(value, bool | np.bool_):
        return str(bool(value))
    if is_number(value) or isinstance(value, Decimal):
        return _written(value)
    assert column.names is not None
    found = np.flatnonzero(column.values == column.names.index(value))
    if not found.size:  # a category that does not occur
        return ""
    raise RowError(
        f"column {name!r} must hold numbers or text, got {value!r:.60}",
        int(found[0]),
        ". Turn it into one of them, dates into days for instance, or leave the column out.",
    )


def _written(number: Any) -> str:
    """A number as people write it."""
    value = float(number)
    return str(int(number)) if value.is_integer() else repr(value)


def _is_written_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
