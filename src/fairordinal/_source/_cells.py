"""Interpret the cells of a file: missing values, numbers or names, and the order of labels.

A cell is *raw* as it is written in the file, and *clean* once blanks around its text are removed
and missing values are null. Columns are pyarrow arrays until they are clean, then lists of Python
values with None for missing ones.
"""

from __future__ import annotations

import csv
import math
import re
import shlex
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from fairordinal._support import visible
from fairordinal._validation import listed

if TYPE_CHECKING:
    from fairordinal._source._table_file import TableFile

MISSING = ("NA", "N/A", "n/a", "#N/A", "NaN", "nan", "NULL", "null")  # in a text file
MOST_SHOWN = 12


@dataclass(frozen=True)
class MissingRule:
    """Decides which cells are missing: null, nan, and some texts.

    In a text file, the texts are the empty one and `values`; blanks around a cell are ignored. A
    typed format has null for missing cells; there the texts are `values` only, and numbers are
    compared with them in their written form.
    """

    values: tuple[str, ...]
    in_text_file: bool

    def clean(self, column: Any, labels: Collection[str] = ()) -> Any:
        """Return a column with null for missing cells, and without blanks around text.

        Cells that are one of `labels` are not missing.
        """
        return self.with_nulls(self.trimmed(column), labels)

    def with_nulls(self, column: Any, labels: Collection[str] = ()) -> Any:
        """Return a column with null for missing cells, and other cells unchanged."""
        import pyarrow as pa
        import pyarrow.compute as pc

        missing = pc.is_null(column, nan_is_null=True)
        texts = [text for text in self._texts() if text not in labels]
        if texts and self._is_comparable(column.type):
            written = self.trimmed(column.cast(pa.string()))
            missing = pc.or_(missing, pc.is_in(written, value_set=pa.array(texts)))
        if pc.sum(missing).as_py() in (None, column.null_count):
            return column
        kept = column.cast(pa.string()) if pa.types.is_dictionary(column.type) else column
        return pc.if_else(missing, pa.scalar(None, kept.type), kept)

    def _is_comparable(self, dtype: Any) -> bool:
        """Return whether cells of a type are compared with the texts.

        Numbers of a text file are not: they were compared before they were converted.
        """
        from pyarrow import types

        dtype = dtype.value_type if types.is_dictionary(dtype) else dtype
        texts, numbers = (
            (types.is_string, types.is_large_string),
            (types.is_integer, types.is_floating),
        )
        return any(test(dtype) for test in (texts if self.in_text_file else texts + numbers))

    def _texts(self) -> tuple[str, ...]:
        return ("", *self.values) if self.in_text_file else self.values

    def trimmed(self, column: Any) -> Any:
        """Return a column without blanks around text, if it is one of a text file."""
        import pyarrow as pa
        import pyarrow.compute as pc

        trimmed = self.in_text_file and pa.types.is_string(column.type)
        return pc.utf8_trim_whitespace(column) if trimmed else column


def missing_rule(given: str | None, file_format: str) -> MissingRule:
    """Return the rule for a file: values separated by commas, or the default ones for None."""
    if given is None:
        return MissingRule(MISSING if file_format == "csv" else (), file_format == "csv")
    (values,) = csv.reader([given], skipinitialspace=True) if given.strip() else ([""],)
    return MissingRule(tuple(value.strip() for value in values), file_format == "csv")


class MissingCells(NamedTuple):
    """Number of rows in which a column has a certain missing value; None is null."""

    column: str
    value: Any
    rows: float

    def __str__(self) -> str:
        shown = {"": "empty", None: "null", "nan": "nan"}.get(self.value, repr(self.value))
        return visible(f"{shown} in {self.column} ({self.rows:,.0f})")


def count_missing(
    raw: Mapping[str, Any], clean: Mapping[str, Any], counts: Sequence[float] | None = None
) -> list[MissingCells]:
    """Count missing cells by column and raw value.

    Columns are pyarrow arrays by name. `counts` is the number of rows that each cell stands for.
    """
    found: list[MissingCells] = []
    for name, column in clean.items():
        if column.null_count:
            tally = _tally(raw[name], column, counts)
            found += [MissingCells(name, value, rows) for value, rows in tally.most_common()]
    return found


def _tally(raw: Any, clean: Any, counts: Sequence[float] | None) -> Counter[Any]:
    import pyarrow as pa
    import pyarrow.compute as pc

    missing = pc.is_null(clean)
    values = [_comparable(value) for value in raw.filter(missing).to_pylist()]
    weights = pc.filter(pa.array([1] * len(raw) if counts is None else counts), missing)
    tally: Counter[Any] = Counter()
    for value, rows in zip(values, weights.to_pylist(), strict=True):
        tally[value] += rows
    return tally


def _comparable(value: Any) -> Any:
    """Return text without blanks around it, and nan as text because nan != nan."""
    if isinstance(value, str):
        return value.strip()
    return "nan" if isinstance(value, float) and value != value else value


def describe_missing(cells: Sequence[MissingCells]) -> str:
    """Return counts of missing cells as text: all of a few, the first ones of many."""
    more = f" and {len(cells) - MOST_SHOWN} more" if len(cells) > MOST_SHOWN else ""
    return ", ".join(map(str, cells[:MOST_SHOWN])) + more


@dataclass(frozen=True)
class ColumnValues:
    """The values of a clean column: numbers if all are, otherwise names; None where missing."""

    values: list[Any]
    are_numbers: bool
    decimal: str = "."  # mark of numbers in text

    @property
    def first_name(self) -> Any:
        """The first name of a column that mixes numbers and names; None if it does not."""
        names = [value for value in self.distinct if _number(value, self.decimal) is None]
        return names[0] if len(names) < len(self.distinct) and names else None

    @property
    def distinct(self) -> list[Any]:
        """Values that occur, numbers in ascending order, names in order of appearance."""
        found = [*dict.fromkeys(value for value in self.values if value is not None)]
        return sorted(found) if self.are_numbers else found


def read_names(values: Sequence[Any]) -> list[Any]:
    """Read names of groups: "01" and "1" differ; None where missing."""
    names = {value: _name(value) for value in dict.fromkeys(values)}
    return [names[value] for value in values]


def read_values(values: Sequence[Any], decimal: str = ".") -> ColumnValues:
    """Read numbers, if all cells are numbers or text such as "1"; otherwise names."""
    distinct = [value for value in dict.fromkeys(values) if value is not None]
    numbers = {value: _number(value, decimal) for value in distinct}
    are_numbers = bool(numbers) and None not in numbers.values()
    read = [numbers.get(value) for value in values] if are_numbers else [*values]
    return ColumnValues(read, are_numbers, decimal)


def _name(value: Any) -> Any:
    """Convert values such as dates to text; keep text, numbers and booleans."""
    return value if value is None or isinstance(value, str | bool | int | float) else str(value)


def _number(value: Any, decimal: str) -> int | float | None:
    """Return a finite number, as int if it is an integer; None for any other value."""
    if isinstance(value, bool) or (decimal != "." and isinstance(value, str) and "." in value):
        return None
    try:
        number = float(value.replace(decimal, ".") if isinstance(value, str) else value)
    except (TypeError, ValueError):
        return None
    if not math.isfinite(number) or (isinstance(value, str) and "_" in value):
        return None
    return int(number) if number.is_integer() else number


@dataclass(frozen=True)
class LabelOrder:
    """Labels in ascending order."""

    labels: list[Any]

    def check(self, column: ColumnValues, option: str, remedy: str = "") -> None:
        """Raise ValueError if a column has a value that is not one of the labels."""
        unknown = self.unknown(column)
        if unknown:
            raise ValueError(
                f"{option}: value {unknown[0]!r} is not one of the labels {listed(self.labels)}. "
                f"Add it to --labels, correct the column, or pass --missing "
                f"{_example([str(unknown[0])])} if it stands for a missing label.{remedy}"
            )

    def unknown(self, column: ColumnValues) -> list[Any]:
        """Return the distinct values of a column that are not labels."""
        known = set(self.labels)
        return [value for value in column.distinct if value not in known]


def split_labels(order: str | None) -> list[str]:
    """Split the value of --labels into labels, as text; empty if it is not given."""
    if order is None:
        return []
    (given,) = csv.reader([order], skipinitialspace=True) if order.strip() else ([],)
    return [label.strip() for label in given]  # "very, very bad",bad,good


def read_labels(values: Sequence[Any], decimal: str, order: str | None) -> ColumnValues:
    """Read labels: numbers if all are, unless --labels names a text; then all are names."""
    column = read_values(values, decimal)
    if column.are_numbers and not read_values(split_labels(order) or [0]).are_numbers:
        return ColumnValues([value if value is None else str(value) for value in values], False)
    return column


def order_of(
    file: TableFile, name: str, column: ColumnValues, order: str | None, option: str
) -> LabelOrder:
    """Return the order of a column's labels: that of --labels, of numbers, or stored in the file.

    `name` is the name of the column in the file, and `option` the one that names it.
    """
    if order is not None:
        return _given_labels(order, column)
    if not column.distinct:
        raise ValueError(f"{option}: column {name!r} is empty.")
    if len(column.distinct) == 1:
        raise ValueError(
            f"{option}: column {name!r} has one label, {column.distinct[0]!r}; two are needed. If "
            "there are other labels, list all with --labels, lowest first."
        )
    if column.are_numbers:
        return LabelOrder(column.distinct)
    stored = file.stored_order(name)
    if stored is not None:
        return LabelOrder(stored)
    found = sorted(map(str, column.distinct), key=_natural_key)
    raise ValueError(
        f"{option}: the order of the labels {listed(found)} is not known. Pass --labels "
        f"{_example(found)}, but in their order, lowest first.{_hint(column)}"
    )


def _given_labels(order: str, column: ColumnValues) -> LabelOrder:
    labels: list[Any] = [*split_labels(order)]
    if column.are_numbers:
        labels = read_values(labels).values
    repeated = [label for label in labels if labels.count(label) > 1]
    if repeated or "" in labels:
        raise ValueError(f"--labels must name each label once, got {order!r}.")
    if len(labels) < 2:
        raise ValueError(f"--labels must name at least two labels, got {order!r}.")
    return LabelOrder(labels)


def _natural_key(label: str) -> list[Any]:
    """Return a sort key that puts "2 stars" before "10 stars"."""
    return [int(part) if part.isdecimal() else part for part in re.split(r"(\d+)", label)]


def _example(labels: Sequence[str]) -> str:
    """Return labels as an argument of a shell command; labels with commas are quoted."""
    quoted = [f'"{label}"' if "," in label else label for label in labels[:MOST_SHOWN]]
    return shlex.quote(",".join(quoted))


def _hint(column: ColumnValues) -> str:
    """Name the cell that keeps a column from being numeric, if most cells are numbers."""
    name = column.first_name
    return "" if name is None else f" If the labels are numbers, correct the cell {name!r}."
