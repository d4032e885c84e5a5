"""What a file is, by its first bytes and the ending of its name; and how its text is laid out."""

from __future__ import annotations

import atexit
import codecs
import os
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


def is_pipe(path: Path) -> bool:
    """Whether a path is standard input or another pipe, which can be read only once."""
    return path == STANDARD_INPUT or (path.exists() and not path.is_file() and not path.is_dir())


def on_disk(path: Path) -> Path:
    """Return a file that can be read twice, and whose name is text.

    What comes through a pipe is written to a temporary folder. A file whose name is not UTF-8,
    which pyarrow cannot open, gets a link there.
    """
    name = _printable(path.name)
    if not is_pipe(path):
        if not path.exists():
            raise ValueError(f"there is no file {_printable(str(path))}. Check the path.")
        if _printable(str(path)) == str(path):
            return path
        link = _temporary_folder() / name
        link.symlink_to(path.absolute())
        return link
    if path == STANDARD_INPUT and sys.stdin.isatty():
        raise ValueError("- means standard input: pipe a table into the command, or name a file.")
    copy = _temporary_folder() / ("standard input" if path == STANDARD_INPUT else name)
    with copy.open("wb") as file:
        if path == STANDARD_INPUT:
            shutil.copyfileobj(sys.stdin.buffer, file)
        else:
            with path.open("rb") as pipe:
                shutil.copyfileobj(pipe, file)
    return copy


def _temporary_folder() -> Path:
    """A folder that is removed when the program ends."""
    folder = Path(tempfile.mkdtemp(prefix="fairordinal-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _printable(name: str) -> str:
    """A file name with a replacement character for each byte that is not UTF-8."""
    return os.fsencode(name).decode(errors="replace")


def kind_of(file: Path, *, piped: bool) -> str:
    """Of csv, parquet and ipc; what begins as Parquet or Arrow is such, whatever its name."""
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


def start_of(file: Path) -> bytes:
    """The first bytes of a text, which may be compressed; an empty one is refused."""
    import pyarrow as pa

    try:
        with pa.input_stream(str(file), compression="detect") as stream:
            start = bytes(stream.read(HEAD))
    except OSError as error:
        packed = file.suffix in (".gz", ".bz2")
        remedy = "It is damaged, cut short, or not packed as its name says." if packed else ""
        raise ValueError(f"{file.name} cannot be read: {error}. {remedy}".strip()) from error
    if not start.strip(codecs.BOM_UTF8 + b" \t\r\n"):
        raise ValueError(f"{file.name} is empty.")
    return start


def encoding_of(given: str | None, start: bytes, file: Path) -> str:
    """The encoding given, with the order of bytes if its name leaves it open; UTF-8 by default."""
    if given is None:
        if start.startswith(WIDE) or start.count(b"\0") > len(start) // 4:
            raise ValueError(
                f"{file.name} is not UTF-8; it looks like UTF-16. Save it as UTF-8 (in a "
                "spreadsheet: 'CSV UTF-8'), or pass --encoding utf-16."
            )
        return "utf8"
    name = codecs.lookup(given).name
    if name not in ("utf-16", "utf-32") or start.startswith(WIDE):
        return given
    orders = [f"{name}-le", f"{name}-be"]  # the wrong one turns line ends into other characters
    fitting = [order for order in orders if len(lines(start.decode(order, "replace"))) > 1]
    if len(fitting) == 1:
        return fitting[0]
    raise ValueError(
        f"{file.name} does not begin with a byte order mark, which --encoding {given} needs. Pass "
        f"--encoding {name}-le (as Windows writes it) or --encoding {name}-be, or another encoding "
        "if it is not such a file."
    )


def lines(text: str) -> list[str]:
    """The lines of a text; unlike str.splitlines, only those that a CSV knows."""
    return re.split("\r\n|\r|\n", text)


def check_encoding(encoding: str | None) -> None:
    """Refuse an unknown encoding."""
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
    header = lines(head.lstrip())[0]
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
    cells = [cell.strip() for line in lines(head)[1:] for cell in line.split(separator)]
    commas, points = (
        sum(pattern.fullmatch(cell) is not None for cell in cells)
        for pattern in (WITH_COMMA, WITH_POINT)
    )
    return "," if commas > points else "."


def blank_lines(head: str) -> int:
    """How many lines without anything come before the header."""
    return next((number for number, line in enumerate(lines(head)) if line), 0)
