"""Columns of a file for a command: labels in order, groups, and the rows that lack them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from fairordinal._source import Source, open_source

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
Quiet = Annotated[bool, typer.Option("--quiet", help="No progress and no notes.")]


@dataclass(frozen=True)
class Kept:
    """Rows in which nothing is missing, and a word on the others."""

    places: list[int]
    note: str


def keep_whole(columns: Mapping[str, Sequence[Any]], counts: Sequence[float] | None = None) -> Kept:
    """Where all columns have a value; `counts` says how many rows each place stands for."""
    size = len(next(iter(columns.values())))
    weight = [1.0] * size if counts is None else counts
    whole = [i for i in range(size) if all(values[i] is not None for values in columns.values())]
    if not whole:
        raise ValueError(f"no row has a value in each of {', '.join(columns)}.")
    lacking = {
        name: sum(n for n, value in zip(weight, values, strict=True) if value is None)
        for name, values in columns.items()
    }
    parts = [f"{n:,.0f} in {name}" for name, n in lacking.items() if n]
    left_out = sum(weight) - sum(weight[i] for i in whole)
    note = f"{left_out:,.0f} rows were left out: values are missing ({', '.join(parts)})."
    return Kept(whole, note if parts else "")


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


def opened(path: Path, separator: str | None, encoding: str | None, decimal: str | None) -> Source:
    """The file of a command."""
    return open_source(path, separator=separator, encoding=encoding, decimal=decimal)
