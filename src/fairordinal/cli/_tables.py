"""Whole tables for commands that learn: inferred columns, and the order of the labels."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from fairordinal._source import (
    MissingCells,
    Source,
    labels_in,
    listed,
    missing_cells,
    order_of,
    read_labels,
)
from fairordinal.cli._columns import LeftOut
from fairordinal.cli._streams import show

Features = Annotated[
    list[str] | None,
    typer.Option(
        "--feature",
        help="Column to predict from; repeat it. All others by default.",
        metavar="COLUMN",
    ),
]
Ignored = Annotated[
    list[str] | None,
    typer.Option(
        "--ignore", help="Column not to predict from, such as an identifier.", metavar="COLUMN"
    ),
]
Criterion = Annotated[
    str, typer.Option(help="What is fair, such as demographic_parity or equal_opportunity.")
]
Cost = Annotated[str, typer.Option(help="absolute, zero_one, squared or asymmetric.")]
MODELS = ("auto", "linear", "piecewise", "trees")
Basis = Annotated[
    str,
    typer.Option(
        "--model",
        help="linear, piecewise (linear, with kinks), trees (a forest), or auto: piecewise, or a "
        "forest if held-out rows prefer it.",
    ),
]
Html = Annotated[Path | None, typer.Option("--html", help="Write a report there.", metavar="FILE")]
ModelFile = Annotated[
    Path | None, typer.Option("--out", "-o", help="Write the model there, as JSON.", metavar="FILE")
]


class Table(NamedTuple):
    """A table in memory, its labels in order, and what is missing in it."""

    frame: Any  # of pyarrow
    categories: list[Any]
    note: str  # on columns that were left out
    missing: list[MissingCells]

    def left_out(self, record: Any) -> LeftOut:
        """Rows that no model was fitted to, by the columns of labels and groups."""
        named = (record.label_column, *record.group_columns)
        cells = [each for each in self.missing if each.column in named]
        return LeftOut(record.rows - record.rows_used, cells)

    def missing_inputs(self, record: Any) -> list[MissingCells]:
        """Cells of inputs that were taken as missing."""
        return [each for each in self.missing if each.column in record.columns]

    def tell(self, record: Any) -> None:
        """Print what is missing, as part of the result."""
        self.left_out(record).tell()
        tell_missing(self.missing_inputs(record))


def whole_table(
    source: Source,
    y: str,
    groups: list[str],
    order: str | None,
    features: list[str],
    ignored: list[str],
) -> Table:
    """Read a file; columns that an option names must be there."""
    options = {"--y": [y], "--group": groups, "--feature": features, "--ignore": ignored}
    for option, names in options.items():
        for name in names:
            source.column(name, option)
    frame = source.table([y, *groups], find_codes=True, labels={y: labels_in(order)})
    missing = missing_in(source, frame)
    strange = _no_inputs(frame, [y, *groups, *features, *ignored])
    frame = frame.drop_columns(strange)
    for name in groups:
        frame = _replaced(frame, name, _as_numbers(source.missing.trimmed(frame.column(name))))
    written = source.missing.trimmed(frame.column(y)).to_pylist()
    cells = read_labels(written, source.decimal, order)
    labels = order_of(source, source.columns[y], cells, order, "--y")
    labels.check(cells, "--y")
    return Table(_replaced(frame, y, [cells.values]), labels.labels, _told(strange), missing)


def missing_in(source: Source, frame: Any) -> list[MissingCells]:
    """What was written in a file where a table of it has null; only such columns are read again."""
    lacking = [name for name in frame.column_names if frame.column(name).null_count]
    if not lacking:
        return []
    written = source.written([source.columns[name] for name in lacking])
    names = dict(zip(lacking, written.columns, strict=True))
    return missing_cells(names, {name: frame.column(name) for name in lacking})


def tell_missing(cells: Sequence[MissingCells]) -> None:
    """Print which cells of inputs were taken as missing."""
    if cells:
        show(f"\nInputs taken as missing: {listed(cells)}.")


def _replaced(frame: Any, name: str, column: Any) -> Any:
    return frame.set_column(frame.column_names.index(name), name, column)


def _as_numbers(column: Any) -> Any:
    """Whole numbers, if all of a column of text are written as such; 01 is a name."""
    import pyarrow as pa

    if not pa.types.is_string(column.type):
        return column
    try:
        numbers = column.cast(pa.int64())
    except pa.ArrowInvalid:
        return column
    return numbers if numbers.cast(pa.string()).equals(column) else column


def _no_inputs(frame: Any, named: list[str]) -> list[str]:
    """Columns of dates, lists and the like, of which no option speaks."""
    from pyarrow import types

    tests = (types.is_temporal, types.is_nested, types.is_binary, types.is_large_binary)
    return [
        field.name
        for field in frame.schema
        if field.name not in named and any(test(field.type) for test in tests)
    ]


def _told(strange: list[str]) -> str:
    names = ", ".join(map(repr, strange))
    return f"Not predicted from, being neither numbers nor text: {names}." if strange else ""
