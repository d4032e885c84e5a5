"""What commands write: notes for people, JSON for programs."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import typer

from fairordinal._files import write_whole


def wanted(quiet: bool) -> bool:
    """Whether progress is shown: to people, not to files."""
    return not quiet and sys.stderr.isatty()


def say(notes: Sequence[str], quiet: bool) -> None:
    """Notes on standard error, so that standard output can be piped."""
    for note in notes:
        if note and not quiet:
            typer.echo(f"Note: {note}", err=True)


def write_json(path: Path, content: Any) -> None:
    """Numbers as JSON; what is undefined is null."""
    write_whole(path, json.dumps(plain(content), indent=2, ensure_ascii=False) + "\n")


def write_table(path: Path, table: Any) -> None:
    """A table of pyarrow, as the ending of the name says."""
    import pyarrow as pa
    from pyarrow import csv, feather, parquet

    ending, stream = path.suffix.lower(), pa.BufferOutputStream()
    if ending in (".csv", ".tsv", ".txt"):
        separator = "\t" if ending == ".tsv" else ","
        csv.write_csv(table, stream, csv.WriteOptions(delimiter=separator))
    elif ending in (".parquet", ".pq"):
        parquet.write_table(table, stream)
    elif ending in (".arrow", ".feather", ".ipc"):
        feather.write_feather(table, stream)
    else:
        raise ValueError(
            f"--out: {path.name} should end in .csv, .tsv, .parquet or .arrow, to say what it is."
        )
    write_whole(path, stream.getvalue().to_pybytes())


def plain(content: Any) -> Any:
    """Of what JSON knows: no arrays, no tuples, no nan."""
    if isinstance(content, dict):
        return {str(key): plain(value) for key, value in content.items()}
    if isinstance(content, list | tuple | np.ndarray):
        return [plain(value) for value in content]
    if isinstance(content, np.generic):
        return plain(content.item())
    if isinstance(content, float) and not math.isfinite(content):
        return None if math.isnan(content) else ("inf" if content > 0 else "-inf")
    return content
