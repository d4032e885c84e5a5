"""Whole tables for commands that learn: inferred columns, and the order of the labels."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from fairordinal._source import Source, order_of, read_values

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
Html = Annotated[Path | None, typer.Option("--html", help="Write a report there.", metavar="FILE")]
ModelFile = Annotated[
    Path | None, typer.Option("--out", "-o", help="Write the model there, as JSON.", metavar="FILE")
]


class Table(NamedTuple):
    """A table in memory, and its labels in order."""

    frame: Any  # of pyarrow
    categories: list[Any]
    note: str  # on columns that were left out


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
    frame = source.table()
    strange = _no_inputs(frame, [y, *groups, *features, *ignored])
    frame = frame.drop_columns(strange)
    column = frame.column(y)
    cells = read_values(column.to_pylist())
    labels = order_of(source, source.columns[y], cells, order, "--y")
    labels.check(cells, "--y")
    place = frame.column_names.index(y)
    return Table(frame.set_column(place, y, [cells.values]), labels.labels, _told(strange))


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
