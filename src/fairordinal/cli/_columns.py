"""Columns of a file for a command: labels in order, groups, and the rows that lack them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from fairordinal._source import MISSING, MissingCells, Source, labels_in, listed, open_source
from fairordinal._validation import RowError
from fairordinal.cli._streams import show

File = Annotated[
    Path,
    typer.Argument(
        help="CSV, TSV, Parquet or Arrow; - is standard input.", show_default=False, metavar="FILE"
    ),
]
Label = Annotated[
    str, typer.Option("--y", help="Column of true labels.", metavar="COLUMN", show_default=False)
]
Groups = Annotated[
    list[str],
    typer.Option(
        "--group",
        help="Column of groups; repeat it for intersections.",
        metavar="COLUMN",
        show_default=False,
    ),
]
Order = Annotated[
    str | None,
    typer.Option(help="Labels from lowest to highest, such as bad,okay,good.", metavar="LABELS"),
]
Separator = Annotated[
    str | None,
    typer.Option(help="Between cells of a CSV; guessed.", metavar="CHARACTER"),
]
Encoding = Annotated[
    str | None, typer.Option(help="Of a CSV, such as latin-1; UTF-8 by default.", metavar="NAME")
]
Decimal = Annotated[
    str | None,
    typer.Option(
        help="In numbers of a CSV, '.' or ','; guessed between semicolons.", metavar="CHARACTER"
    ),
]
Missing = Annotated[
    str | None,
    typer.Option(
        help=(
            "Cells that are missing, such as NA,-99; '' for none but empty ones. By default "
            f"{', '.join(MISSING)} and empty cells of a CSV; null only in Parquet and Arrow. What "
            "--order names is never missing."
        ),
        metavar="VALUES",
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", help="No progress and no notes.")]


class LeftOut(NamedTuple):
    """Rows that lack a value, and the cells that were taken as missing."""

    rows: float
    cells: Sequence[MissingCells]

    def __str__(self) -> str:
        if not self.cells:
            return ""
        rows = "1 row" if self.rows == 1 else f"{self.rows:,.0f} rows"
        return f"{rows} with a missing value: {listed(self.cells)}."

    def as_json(self) -> dict[str, Any]:
        """The counts by column and value; null is a cell without a value."""
        return {"rows_left_out": self.rows, "cells": [each._asdict() for each in self.cells]}

    def tell(self) -> None:
        """Print it as part of the result."""
        if self.cells:
            show(f"\nLeft out: {self}")

    @contextmanager
    def explained(self) -> Iterator[None]:
        """Let an error about the other rows say what was left out: it may be the cause."""
        try:
            yield
        except ValueError as error:
            if not self.cells:
                raise
            raise ValueError(
                f"{error} Left out: {self} --missing changes what counts as missing."
            ) from error


@dataclass(frozen=True)
class Kept:
    """Rows in which nothing is missing, and the others."""

    columns: dict[str, list[Any]]
    counts: list[float]
    left_out: LeftOut


def meant_columns(
    source: Source, written: Mapping[str, Any], labelled: Sequence[str], order: str | None
) -> dict[str, Any]:
    """Columns of pyarrow with null where missing; what --order names is a label in some columns."""
    labels = labels_in(order)
    return {
        name: source.missing.meant(column, labels if name in labelled else ())
        for name, column in written.items()
    }


def keep_whole(
    columns: Mapping[str, Sequence[Any]],
    missing: Sequence[MissingCells],
    counts: Sequence[float] | None = None,
) -> Kept:
    """Rows in which all columns have a value; `counts` says how many rows each stands for."""
    size = len(next(iter(columns.values())))
    weight: Sequence[float] = [1] * size if counts is None else counts
    whole = [i for i in range(size) if all(values[i] is not None for values in columns.values())]
    if not whole:
        found = f" Taken as missing: {listed(missing)}." if missing else ""
        raise ValueError(f"no row has a value in each of {', '.join(columns)}.{found}")
    kept = [weight[i] for i in whole]
    return Kept(
        {name: [values[i] for i in whole] for name, values in columns.items()},
        kept,
        LeftOut(sum(weight) - sum(kept), missing),
    )


@contextmanager
def placed(source: Source) -> Iterator[None]:
    """Let messages about a row name its place in the file."""
    try:
        yield
    except RowError as error:
        raise ValueError(error.located(source.place(error.row))) from error


def check_different(options: dict[str, Any]) -> None:
    """Refuse a column that is named twice."""
    seen: dict[str, str] = {}
    for option, names in options.items():
        for name in [names] if isinstance(names, str) else names or []:
            if seen.get(name) == option:
                raise ValueError(f"{option} names column {name!r} twice; name it once.")
            if name in seen:
                raise ValueError(
                    f"{option} and {seen[name]} both name column {name!r}; they must differ."
                )
            seen[name] = option


def opened(
    path: Path,
    separator: str | None,
    encoding: str | None,
    decimal: str | None,
    missing: str | None,
) -> Source:
    """The file of a command."""
    return open_source(
        path, separator=separator, encoding=encoding, decimal=decimal, missing=missing
    )
