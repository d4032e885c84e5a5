"""Which cells of a file are missing, and a count of them by column and value."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from fairordinal._escapes import visible

MISSING = ("NA", "N/A", "n/a", "#N/A", "NaN", "nan", "NULL", "null")  # in a text file
MOST_SHOWN = 12


@dataclass(frozen=True)
class Missing:
    """Cells that are missing: null, nan, and some texts.

    In a text file, the texts are that of an empty cell and the `values`, without blanks around
    them. A format with types has null for what is missing; there the texts are the `values` only,
    and numbers are compared as they are written.
    """

    values: tuple[str, ...]
    in_text_file: bool

    def meant(self, column: Any, labels: Collection[str] = ()) -> Any:
        """Return a column of pyarrow as it is meant: null where missing, no blanks around text.

        Cells that `labels` name are not missing.
        """
        return self.hidden(self.trimmed(column), labels)

    def hidden(self, column: Any, labels: Collection[str] = ()) -> Any:
        """Return a column with null where a cell is missing, other cells as they are."""
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

    def _is_comparable(self, kind: Any) -> bool:
        """Whether cells of a type are text, or numbers that nobody compared when they were text."""
        from pyarrow import types

        kind = kind.value_type if types.is_dictionary(kind) else kind
        texts, numbers = (
            (types.is_string, types.is_large_string),
            (types.is_integer, types.is_floating),
        )
        return any(test(kind) for test in (texts if self.in_text_file else texts + numbers))

    def _texts(self) -> tuple[str, ...]:
        return ("", *self.values) if self.in_text_file else self.values

    def trimmed(self, column: Any) -> Any:
        """Return a column of a text file without blanks around text."""
        import pyarrow as pa
        import pyarrow.compute as pc

        trimmed = self.in_text_file and pa.types.is_string(column.type)
        return pc.utf8_trim_whitespace(column) if trimmed else column


def missing_of(given: str | None, kind: str) -> Missing:
    """Return what is missing in a kind of file: values separated by commas, or the usual ones."""
    if given is None:
        return Missing(MISSING if kind == "csv" else (), kind == "csv")
    (values,) = csv.reader([given], skipinitialspace=True) if given.strip() else ([""],)
    return Missing(tuple(value.strip() for value in values), kind == "csv")


class MissingCells(NamedTuple):
    """How many rows of a column have a certain missing value; None is null."""

    column: str
    value: Any
    rows: float

    def __str__(self) -> str:
        shown = {"": "empty", None: "null", "nan": "nan"}.get(self.value, repr(self.value))
        return visible(f"{shown} in {self.column} ({self.rows:,.0f})")


def missing_cells(
    written: Mapping[str, Any], meant: Mapping[str, Any], counts: Sequence[float] | None = None
) -> list[MissingCells]:
    """Count cells by column and value that are there as written, but missing as meant.

    Columns are of pyarrow. `counts` says how many rows each cell stands for.
    """
    found: list[MissingCells] = []
    for name, column in meant.items():
        if column.null_count:
            tally = _tally(written[name], column, counts)
            found += [MissingCells(name, value, rows) for value, rows in tally.most_common()]
    return found


def _tally(written: Any, meant: Any, counts: Sequence[float] | None) -> Counter[Any]:
    import pyarrow as pa
    import pyarrow.compute as pc

    places = pc.is_null(meant)
    values = [_plain(value) for value in written.filter(places).to_pylist()]
    weights = pa.array([1] * len(written) if counts is None else counts).filter(places)
    tally: Counter[Any] = Counter()
    for value, rows in zip(values, weights.to_pylist(), strict=True):
        tally[value] += rows
    return tally


def _plain(value: Any) -> Any:
    """Text without blanks around it; nan as text, since nan is not equal to itself."""
    if isinstance(value, str):
        return value.strip()
    return "nan" if isinstance(value, float) and value != value else value


def listed(cells: Sequence[MissingCells]) -> str:
    """Return the counts for people."""
    more = f" and {len(cells) - MOST_SHOWN} more" if len(cells) > MOST_SHOWN else ""
    return ", ".join(map(str, cells[:MOST_SHOWN])) + more
