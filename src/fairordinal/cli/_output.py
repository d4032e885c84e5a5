"""What commands write: notes for people, JSON for programs."""

from __future__ import annotations

import json
import logging
import math
import os
import stat
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from fairordinal._escapes import visible
from fairordinal._files import is_read_only, is_regular, status_of, write_whole
from fairordinal._progress import show_progress
from fairordinal._source import STANDARD_INPUT
from fairordinal.cli._streams import show, show_note


def wanted(quiet: bool) -> bool:
    """Whether progress is shown: to people, not to files."""
    return not quiet and sys.stderr.isatty()


@contextmanager
def told(quiet: bool) -> Iterator[None]:
    """Work that shows progress and notes, unless quiet: then neither, of warnings and of logs."""
    with show_progress(wanted(quiet)), warnings.catch_warnings():
        if quiet:
            warnings.simplefilter("ignore")
            logging.disable(logging.WARNING)
        try:
            yield
        finally:
            logging.disable(logging.NOTSET)


def say(notes: Sequence[str], quiet: bool) -> None:
    """Notes on standard error, so that standard output can be piped."""
    for note in notes:
        if note and not quiet:
            show_note(note)


def say_written(*paths: Path | None) -> None:
    """The files that were written, in one line."""
    written = ", ".join(str(path) for path in paths if path)
    if written:
        show(f"Written: {visible(written)}")


def check_outputs(outputs: Mapping[str, Path | None], inputs: Sequence[Path]) -> None:
    """Refuse what cannot be written, and what would replace an input, before any work is done."""
    taken = {identity(path): "the table or model that is read" for path in inputs}
    for option, path in outputs.items():
        if path is None:
            continue
        if path.is_dir():
            raise ValueError(f"{option}: {path} is a folder; name a file in it.")
        place = identity(path)
        if place is not None and place in taken:
            raise ValueError(f"{option}: {path} is {taken[place]}; name another file.")
        taken[place] = "written to by another option"
        if is_read_only(path):
            raise ValueError(f"{option}: {path} is read-only; allow writing, or name another file.")
        if is_regular(path) and not _has_room(path):
            raise ValueError(f"{option}: {path} cannot be written; name a folder of yours.")


def identity(path: Path) -> tuple[int, int] | str | None:
    """Identify a file whatever it is called, standard input too; None for devices and sockets."""
    status = _status_of_input() if path == STANDARD_INPUT else status_of(path)
    if status is None:
        return os.path.realpath(path)
    kept = stat.S_ISREG(status.st_mode) or stat.S_ISFIFO(status.st_mode)
    return (status.st_dev, status.st_ino) if kept else None


def _status_of_input() -> os.stat_result | None:
    try:
        return os.fstat(0)
    except OSError:  # it is closed
        return None


def _has_room(path: Path) -> bool:
    """Whether a file can be made in the folder, or in the nearest one above that exists."""
    place = Path(os.path.realpath(path))
    folder = next(parent for parent in place.parents if parent.exists())
    return folder.is_dir() and os.access(folder, os.W_OK)


def write_page(path: Path, page: Any) -> None:
    """A report; folders are made as for all that is written."""
    path.parent.mkdir(parents=True, exist_ok=True)
    page.save(path)


def write_json(path: Path, content: Any) -> None:
    """Numbers as JSON; what is undefined is null."""
    write_whole(path, json.dumps(plain(content), indent=2, ensure_ascii=False) + "\n")


TEXTS, PARQUETS = (".csv", ".tsv", ".txt"), (".parquet", ".pq")
ARROWS = (".arrow", ".feather", ".ipc")


def is_text(path: Path) -> bool:
    """Whether a table is written as CSV or TSV."""
    return path.suffix.lower() in TEXTS


def check_ending(path: Path) -> None:
    """Refuse a table whose name does not say what it is."""
    if path.suffix.lower() not in (*TEXTS, *PARQUETS, *ARROWS):
        raise ValueError(
            f"--out: {path.name} should end in .csv, .tsv, .parquet or .arrow, to say what it is."
        )


def write_table(path: Path, table: Any) -> None:
    """A table of pyarrow, as the ending of the name says."""
    import pyarrow as pa
    from pyarrow import csv, feather, parquet

    check_ending(path)
    ending, stream = path.suffix.lower(), pa.BufferOutputStream()
    if is_text(path):
        separator = "\t" if ending == ".tsv" else ","
        csv.write_csv(table, stream, csv.WriteOptions(delimiter=separator))
    elif ending in PARQUETS:
        parquet.write_table(table, stream)
    else:
        feather.write_feather(table, stream)
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
