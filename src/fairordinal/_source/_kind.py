"""What a file is, by its first bytes and the ending of its name; and how its text is laid out."""

from __future__ import annotations

import atexit
import codecs
import re
import shutil
import sys
import tempfile
from pathlib import Path

SEPARATORS = ",;\t|"
TAB = ("\\t", "tab", "TAB")  # ways to type a tab
KINDS = {
    ".csv": "csv",
    ".txt": "csv",
    ".tsv": "csv",
    ".tab": "csv",
    ".data": "csv",
    ".dat": "csv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "ipc",
    ".feather": "ipc",
    ".ipc": "ipc",
}
SIGNATURES = {b"PAR1": "parquet", b"ARROW1": "ipc"}
PACKED = (".zip", ".xz", ".zst", ".7z", ".tar", ".tgz", ".rar")
SPREADSHEETS = (".xlsx", ".xls", ".ods")
WIDE = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)
HEAD = 1 << 16  # bytes that are looked at
STANDARD_INPUT = Path("-")
WITH_COMMA, WITH_POINT = (re.compile(rf'"?-?\d+{mark}\d+"?') for mark in (",", r"\."))


def on_disk(path: Path) -> Path:
    """A file that can be read twice: what comes through a pipe is written down first."""
    if path != STANDARD_INPUT and not (path.exists() and not path.is_file() and not path.is_dir()):
        return path
    if path == STANDARD_INPUT and sys.stdin.isatty():
        raise ValueError("- means standard input: pipe a table into the command, or name a file.")
    folder = Path(tempfile.mkdtemp(prefix="fairordinal-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    copy = folder / ("standard input" if path == STANDARD_INPUT else path.name)
    with copy.open("wb") as file:
        if path == STANDARD_INPUT:
            shutil.copyfileobj(sys.stdin.buffer, file)
        else:
            with path.open("rb") as pipe:
                shutil.copyfileobj(pipe, file)
    return copy


def kind_of(file: Path, *, piped: bool) -> str:
    """Of csv, parquet and ipc; what begins as Parquet or Arrow is such, whatever its name."""
    if not file.exists():
        raise ValueError(f"there is no file {file}. Check the path.")
    if file.is_dir():
        raise ValueError(f"{file} is a folder; name a file in it.")
    with file.open("rb") as stream:
        start = stream.read(8)
    for signature, kind in SIGNATURES.items():
        if start.startswith(signature):
            return kind
    return "csv" if piped else _kind_by_name(file)


def _kind_by_name(file: Path) -> str:
    endings = [ending.lower() for ending in file.suffixes]
    last = endings[-1] if endings else ""
    if last in PACKED:
        raise ValueError(f"{file.name} is packed; unpack it first (.csv.gz and .csv.bz2 are fine).")
    if last in SPREADSHEETS:
        raise ValueError(f"{file.name} is a spreadsheet; save it as 'CSV UTF-8' first.")
    plain = [ending for ending in endings if ending not in (".gz", ".bz2")]
    kind = KINDS.get(plain[-1]) if plain else None
    if kind is None:
        raise ValueError(
            f"{file.name}: the ending should say what it is, one of {', '.join(KINDS)} "
            "(.csv.gz is fine too). Rename it."
        )
    return kind


def head_of(file: Path, encoding: str | None) -> str:
    """The beginning of a text; what is no text is refused."""
    import pyarrow as pa

    try:
        with pa.input_stream(str(file), compression="detect") as stream:
            start = stream.read(HEAD)
    except OSError as error:
        packed = file.suffix in (".gz", ".bz2")
        remedy = "It is damaged, cut short, or not packed as its name says." if packed else ""
        raise ValueError(f"{file.name} cannot be read: {error}. {remedy}".strip()) from error
    if not start.strip(codecs.BOM_UTF8 + b" \t\r\n"):
        raise ValueError(f"{file.name} is empty.")
    if encoding is None:
        _check_text(start, file)
    return start.decode(encoding or "utf-8-sig", errors="replace")


def _check_text(start: bytes, file: Path) -> None:
    """Refuse text of wide characters, and what is no text."""
    if start.startswith(WIDE) or start.count(b"\0") > len(start) // 4:
        raise ValueError(
            f"{file.name} is not UTF-8; it looks like UTF-16. Save it as UTF-8 (in a spreadsheet: "
            "'CSV UTF-8'), or pass --encoding utf-16."
        )
    if b"\0" in start:
        raise ValueError(f"{file.name} has bytes of value 0: it is no text, or damaged.")


def check_encoding(encoding: str | None) -> None:
    """Refuse an encoding that nobody knows."""
    try:
        codecs.lookup(encoding or "utf-8")
    except LookupError:
        raise ValueError(
            f"--encoding: there is no encoding {encoding!r}; try utf-8, latin-1, cp1252 or utf-16."
        ) from None


def separator_of(given: str | None, head: str, file: Path) -> str:
    """The one given, or the candidate that the header has most often, outside of quotes."""
    if given in TAB:
        return "\t"
    if given is not None:
        if len(given) != 1:
            raise ValueError(
                f"--separator must be one character, such as ';' or '\\t' for a tab, got {given!r}."
            )
        return given
    if file.suffixes and ".tsv" in file.suffixes:
        return "\t"
    header = head.lstrip().splitlines()[0]
    bare = "".join(header.split('"')[::2])
    return max(SEPARATORS, key=bare.count)


def decimal_of(given: str | None, head: str, separator: str) -> str:
    """The one given, or a comma if cells between semicolons are numbers with commas."""
    if given is not None:
        if given not in (".", ",") or given == separator:
            raise ValueError(
                f"--decimal must be '.' or ',' and not the separator {separator!r}, got {given!r}."
            )
        return given
    if separator != ";":
        return "."
    cells = [cell.strip() for line in head.splitlines()[1:] for cell in line.split(separator)]
    commas, points = (
        sum(pattern.fullmatch(cell) is not None for cell in cells)
        for pattern in (WITH_COMMA, WITH_POINT)
    )
    return "," if commas > points else "."


def blank_lines(head: str) -> int:
    """How many lines without anything come before the header."""
    lines = head.splitlines()
    return next((number for number, line in enumerate(lines) if line), 0)
