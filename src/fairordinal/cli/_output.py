"""What commands print and write: text and notes for people, files for programs.

All printed text goes through `show` and `show_note`, so that text from files cannot control the
terminal. Characters that the encoding of a stream lacks are replaced by ASCII or by escapes, so
that printing a result never fails.
"""

from __future__ import annotations

import codecs
import io
import json
import logging
import math
import os
import shutil
import stat
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from fairordinal._render import paragraphs
from fairordinal._source import STANDARD_INPUT
from fairordinal._support import (
    ResultWarning,
    escaped,
    is_read_only,
    is_regular,
    show_progress,
    status_of,
    visible,
    visible_lines,
    write_whole,
)
from fairordinal.cli._wording import in_options

ASCII = {
    "─": "-",
    "–": "-",
    "—": "-",
    "−": "-",
    "…": "...",
    "→": "->",
    "←": "<-",
    "≤": "<=",
    "≥": ">=",
    "≠": "!=",
    "×": "x",
    "·": "*",
    "∞": "inf",
    "²": "^2",
    "λ": "lambda",
    "•": "*",
}
ENCODING_ERRORS = "fairordinal-ascii"  # name of an error handler of codecs
TEXTS, PARQUETS = (".csv", ".tsv", ".txt"), (".parquet", ".pq")
ARROWS = (".arrow", ".feather", ".ipc")


def show(text: str, *, err: bool = False) -> None:
    """Print lines, with hidden characters escaped.

    `typer.echo` is not used because it writes UTF-8 to streams of another encoding.
    """
    stream = sys.stderr if err else sys.stdout
    if stream is not None:  # a closed stream
        stream.write(f"{visible_lines(text)}\n")
        stream.flush()


def show_note(text: str) -> None:
    """Print a note on standard error, so that standard output can be piped.

    It is one line, which is wrapped in a terminal.
    """
    show(wrapped(f"Note: {in_one_line(text)}"), err=True)


def wrapped(line: str) -> str:
    """Return a line as a paragraph, if it is shown in a terminal."""
    return paragraphs([line], len(line) + 1)


def in_one_line(text: str) -> str:
    """Join lines, with hidden characters escaped."""
    return visible(" ".join(filter(None, (line.strip(" ") for line in text.split("\n")))))


class NoteHandler(logging.Handler):
    """A logging handler that prints messages as notes."""

    def emit(self, record: logging.LogRecord) -> None:
        """Print one message."""
        show_note(in_options(record.getMessage()))


def replace_characters(error: UnicodeError) -> tuple[str, int]:
    """Replace characters that an encoding lacks; an error handler of codecs."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    letters = error.object[error.start : error.end]
    return "".join(ASCII.get(letter) or escaped(letter) for letter in letters), error.end


def adapt_streams() -> None:
    """Let standard output and error print any character, if need be by a replacement."""
    codecs.register_error(ENCODING_ERRORS, replace_characters)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=ENCODING_ERRORS)


def columns_of_terminal() -> int | None:
    """Return the width of the terminal; None if standard output is a file or a pipe."""
    is_terminal = sys.stdout is not None and sys.stdout.isatty()
    return shutil.get_terminal_size().columns if is_terminal else None


def shows_progress(quiet: bool) -> bool:
    """Return whether progress is shown: to a terminal, not to a file."""
    return not quiet and sys.stderr.isatty()


@contextmanager
def progress_and_notes(quiet: bool) -> Iterator[None]:
    """Show progress, warnings and log messages while a command works.

    If `quiet`, only warnings about the result are shown.
    """
    with show_progress(shows_progress(quiet)), warnings.catch_warnings():
        if quiet:
            warnings.simplefilter("ignore")
            warnings.simplefilter("always", ResultWarning)
            logging.disable(logging.WARNING)
        try:
            yield
        finally:
            logging.disable(logging.NOTSET)


@contextmanager
def resumable() -> Iterator[None]:
    """Exit with a message on Ctrl-C, for work whose finished parts are kept."""
    try:
        yield
    except KeyboardInterrupt:
        sys.exit("Stopped. What was finished is kept; the same command continues from there.")


def show_written(*paths: Path | None) -> None:
    """Print the files that were written, in one line; devices and pipes are no files."""
    written = ", ".join(str(path) for path in paths if path and is_regular(path))
    if written:
        show(f"Written: {visible(written)}")


def check_outputs(outputs: Mapping[str, Path | None], inputs: Sequence[Path]) -> None:
    """Raise ValueError for outputs that cannot be written or would replace an input.

    Commands call it before they start to work.
    """
    taken = {_identity(path): "the table or model that is read" for path in inputs}
    for option, path in outputs.items():
        if path is None:
            continue
        if path.is_dir():
            raise ValueError(f"{option}: {path} is a folder; name a file in it.")
        identity = _identity(path)
        if identity is not None and identity in taken:
            raise ValueError(f"{option}: {path} is {taken[identity]}; name another file.")
        taken[identity] = "written to by another option"
        if is_read_only(path):
            raise ValueError(f"{option}: {path} is read-only; allow writing, or name another file.")
        if is_regular(path) and not _is_writable(path):
            raise ValueError(f"{option}: {path} cannot be written; name another folder.")


def _identity(path: Path) -> tuple[int, int] | str | None:
    """Return what two paths of one file have in common; None for devices and sockets."""
    status = _status_of_input() if path == STANDARD_INPUT else status_of(path)
    if status is None:
        return os.path.realpath(path)
    holds_data = stat.S_ISREG(status.st_mode) or stat.S_ISFIFO(status.st_mode)
    return (status.st_dev, status.st_ino) if holds_data else None


def _status_of_input() -> os.stat_result | None:
    try:
        return os.fstat(0)
    except OSError:  # standard input is closed
        return None


def _is_writable(path: Path) -> bool:
    """Return whether the folder of a file, or its nearest existing parent, can be written to."""
    real_path = Path(os.path.realpath(path))
    folder = next(parent for parent in real_path.parents if parent.exists())
    return folder.is_dir() and os.access(folder, os.W_OK)


def write_page(path: Path, page: Any) -> None:
    """Write a report; missing folders are created."""
    path.parent.mkdir(parents=True, exist_ok=True)
    page.save(path)


def write_json(path: Path, content: Any) -> None:
    """Write numbers as JSON; undefined numbers are null."""
    write_whole(path, json.dumps(_as_json(content), indent=2, ensure_ascii=False) + "\n")


def is_text(path: Path) -> bool:
    """Return whether a table is written to this path as CSV or TSV."""
    return path.suffix.lower() in TEXTS


def check_extension(path: Path) -> None:
    """Raise ValueError if the extension of an output table is unknown."""
    if path.suffix.lower() not in (*TEXTS, *PARQUETS, *ARROWS):
        raise ValueError(
            f"--out: {path.name} should end in .csv, .tsv, .parquet or .arrow, which selects the "
            "format."
        )


def write_table(path: Path, table: Any) -> None:
    """Write a pyarrow table in the format of the extension."""
    import pyarrow as pa
    from pyarrow import csv, feather, parquet

    check_extension(path)
    extension, stream = path.suffix.lower(), pa.BufferOutputStream()
    if is_text(path):
        separator = "\t" if extension == ".tsv" else ","
        csv.write_csv(table, stream, csv.WriteOptions(delimiter=separator))
    elif extension in PARQUETS:
        parquet.write_table(table, stream)
    else:
        feather.write_feather(table, stream)
    write_whole(path, stream.getvalue().to_pybytes())


def _as_json(content: Any) -> Any:
    """Convert arrays and tuples to lists, NumPy scalars to numbers, and nan to null."""
    if isinstance(content, dict):
        return {str(key): _as_json(value) for key, value in content.items()}
    if isinstance(content, list | tuple | np.ndarray):
        return [_as_json(value) for value in content]
    if isinstance(content, np.generic):
        return _as_json(content.item())
    if isinstance(content, float) and not math.isfinite(content):
        return None if math.isnan(content) else ("inf" if content > 0 else "-inf")
    return content
