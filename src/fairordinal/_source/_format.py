"""Open a table: detect its format, encoding, separator and decimal mark.

The format is detected from the first bytes and the extension of the name; the layout of a text file
from its first `HEAD` bytes. Every detected property can be overridden by an option.
"""

from __future__ import annotations

import atexit
import codecs
import os
import re
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from fairordinal._source._cells import missing_rule
from fairordinal._source._table_file import TableFile
from fairordinal._source._workbook import read_sheet

SEPARATORS = ",;\t|"
TAB = ("\\t", "tab", "TAB")  # ways to type a tab
FORMATS = {
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
ARCHIVES = (".zip", ".xz", ".zst", ".7z", ".tar", ".tgz", ".rar")
WORKBOOKS = (".xlsx", ".xlsm")
SPREADSHEETS = (".xls", ".xlsb", ".ods", ".numbers")
ZIP = b"PK\x03\x04"  # a workbook is a packed folder
WIDE_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)
HEAD = 1 << 16  # bytes that are inspected
STANDARD_INPUT = Path("-")
WITH_COMMA, WITH_POINT = (re.compile(rf'"?-?\d+{mark}\d+"?') for mark in (",", r"\."))


def open_table(
    path: str | Path,
    *,
    separator: str | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    missing: str | None = None,
    sheet: str | None = None,
) -> TableFile:
    """Open a table; its format and layout are detected from the first bytes and the file name.

    ``-`` is standard input. `missing` lists values of missing cells, separated by commas. `sheet`
    names a sheet of an Excel file; the first one by default.
    """
    _require_pyarrow()
    _check_encoding(encoding)
    path_on_disk = _on_disk(Path(path))
    try:
        file_format = _format_of(path_on_disk, piped=_is_pipe(Path(path)))
        start = _first_bytes(path_on_disk) if file_format == "csv" else b""
    except OSError as error:
        raise ValueError(f"{path_on_disk} cannot be read: {error.strerror or error}.") from error
    if file_format == "xlsx":
        return _opened_sheet(path_on_disk, sheet, missing)
    if sheet is not None:
        raise ValueError(f"--sheet: {path_on_disk.name} is not an Excel file; leave --sheet out.")
    file = TableFile(path_on_disk, file_format, missing_rule(missing, file_format), {})
    if file_format != "csv":
        return _with_columns(file, file.read_header())
    encoding = _encoding_of(encoding, start, path_on_disk)
    head = start.decode(encoding, errors="replace").removeprefix("\ufeff")
    separator = _separator_of(separator, head, path_on_disk)
    decimal = _decimal_of(decimal, head, separator)
    file = replace(file, separator=separator, encoding=encoding, decimal=decimal)
    header = file.read_header()
    return _with_numbered_header(_with_columns(file, header), header, _n_blank_lines(head))


def _opened_sheet(path: Path, name: str | None, missing: str | None) -> TableFile:
    """Open a sheet of a workbook, which is copied to a CSV in a temporary folder."""
    sheet = read_sheet(path, name)
    copy = _temporary_folder() / path.name
    sheet.write_csv(copy)
    rule, others = missing_rule(missing, "csv"), tuple(sheet.others)
    file = TableFile(copy, "csv", rule, {}, sheet=sheet.name, other_sheets=others)
    header = file.read_header()
    return _with_numbered_header(_with_columns(file, header), header, sheet.n_blank)


def _require_pyarrow() -> None:
    """Raise ImportError with the command that installs pyarrow, if it is missing."""
    try:
        import pyarrow  # noqa: F401
    except ImportError as error:
        raise ImportError(
            "Reading files needs pyarrow: pip install 'fairordinal[files]'."
        ) from error


def _with_columns(file: TableFile, header: Sequence[str]) -> TableFile:
    """Return the file with columns by name, without blanks around names; duplicates apart."""
    clean = [name.strip() for name in header]
    counts = Counter(clean)
    unique = {name: there for name, there in zip(clean, header, strict=True) if counts[name] == 1}
    duplicated = tuple(name for name, count in counts.items() if count > 1)
    return replace(file, columns=unique, duplicated=duplicated)


def _with_numbered_header(file: TableFile, header: Sequence[str], n_blank: int) -> TableFile:
    """Return a CSV whose columns are called by number, where pyarrow cannot read its header.

    Pyarrow refuses duplicate names, and blank lines before the header of a single column.
    """
    if not file.duplicated and not (n_blank and len(file.columns) == 1):
        return file
    clean = [name.strip() for name in header]
    numbers = tuple(str(number) for number in range(len(clean)))
    columns = {name: str(clean.index(name)) for name in file.columns}
    return replace(file, columns=columns, header=numbers, skipped=n_blank + 1)


def _is_pipe(path: Path) -> bool:
    """Return whether a path is standard input or another pipe, which can be read only once."""
    return path == STANDARD_INPUT or (path.exists() and not path.is_file() and not path.is_dir())


def _on_disk(path: Path) -> Path:
    """Return a path that can be read twice, and whose name is valid UTF-8.

    The content of a pipe is copied to a temporary folder. A file whose name is not UTF-8, which
    pyarrow cannot open, gets a symbolic link there.
    """
    if _is_pipe(path):
        return _copied_from_pipe(path)
    if not path.exists():
        raise ValueError(f"there is no file {_printable(str(path))}. Check the path.")
    if _printable(str(path)) == str(path):
        return path
    link = _temporary_folder() / _printable(path.name)
    link.symlink_to(path.absolute())
    return link


def _copied_from_pipe(path: Path) -> Path:
    if path == STANDARD_INPUT and sys.stdin.isatty():
        raise ValueError("- means standard input: pipe a table into the command, or name a file.")
    name = "standard input" if path == STANDARD_INPUT else _printable(path.name)
    copy = _temporary_folder() / name
    with copy.open("wb") as file:
        if path == STANDARD_INPUT:
            shutil.copyfileobj(sys.stdin.buffer, file)
        else:
            with path.open("rb") as pipe:
                shutil.copyfileobj(pipe, file)
    return copy


def _temporary_folder() -> Path:
    """Make a folder that is removed when the program ends."""
    folder = Path(tempfile.mkdtemp(prefix="fairordinal-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _printable(name: str) -> str:
    """Return a file name with a replacement character for each byte that is not UTF-8."""
    return os.fsencode(name).decode(errors="replace")


def _format_of(file: Path, *, piped: bool) -> str:
    """Return "csv", "parquet", "ipc" or "xlsx"; the first bytes take precedence over the name."""
    if file.is_dir():
        raise ValueError(f"{file} is a folder; name a file in it.")
    with file.open("rb") as stream:
        start = stream.read(8)
    for signature, found in SIGNATURES.items():
        if start.startswith(signature):
            return found
    if file.suffix.lower() in WORKBOOKS or (piped and start.startswith(ZIP)):
        return "xlsx"
    return "csv" if piped else _format_by_name(file)


def _format_by_name(file: Path) -> str:
    suffixes = [suffix.lower() for suffix in file.suffixes]
    last = suffixes[-1] if suffixes else ""
    if last in ARCHIVES:
        raise ValueError(f"{file.name} is packed; unpack it first (.csv.gz and .csv.bz2 are fine).")
    if last in SPREADSHEETS:
        raise ValueError(f"{file.name} is a spreadsheet; save it as .xlsx or 'CSV UTF-8' first.")
    plain = [suffix for suffix in suffixes if suffix not in (".gz", ".bz2")]
    found = FORMATS.get(plain[-1]) if plain else None
    if found is None:
        raise ValueError(
            f"{file.name}: the ending should say what it is, one of "
            f"{', '.join([*FORMATS, *WORKBOOKS])} (.csv.gz is fine too). Rename the file."
        )
    return found


def _first_bytes(file: Path) -> bytes:
    """Return the first bytes of a text, which may be compressed; raise ValueError if empty."""
    import pyarrow as pa

    try:
        with pa.input_stream(str(file), compression="detect") as stream:
            start = bytes(stream.read(HEAD))
    except OSError as error:
        packed = file.suffix in (".gz", ".bz2")
        remedy = "It is damaged, truncated, or not packed as its name says." if packed else ""
        raise ValueError(f"{file.name} cannot be read: {error}. {remedy}".strip()) from error
    if not start.strip(codecs.BOM_UTF8 + b" \t\r\n"):
        raise ValueError(f"{file.name} is empty.")
    return start


def _encoding_of(given: str | None, start: bytes, file: Path) -> str:
    """Return the encoding that was passed, with its byte order; UTF-8 by default."""
    if given is None:
        if start.startswith(WIDE_MARKS) or start.count(b"\0") > len(start) // 4:
            raise ValueError(
                f"{file.name} is not UTF-8; it looks like UTF-16. Save it as UTF-8 (in a "
                "spreadsheet: 'CSV UTF-8'), or pass --encoding utf-16."
            )
        return "utf8"
    name = codecs.lookup(given).name
    if name not in ("utf-16", "utf-32") or start.startswith(WIDE_MARKS):
        return given
    # with the wrong byte order, line ends are decoded as other characters
    orders = [f"{name}-le", f"{name}-be"]
    matching = [order for order in orders if len(_lines(start.decode(order, "replace"))) > 1]
    if len(matching) == 1:
        return matching[0]
    raise ValueError(
        f"{file.name} does not begin with a byte order mark, which --encoding {given} needs. Pass "
        f"--encoding {name}-le (as Windows writes it) or --encoding {name}-be, or another encoding "
        "if it is not such a file."
    )


def _lines(text: str) -> list[str]:
    """Split a text at the line ends of a CSV, which are fewer than those of str.splitlines."""
    return re.split("\r\n|\r|\n", text)


def _check_encoding(encoding: str | None) -> None:
    """Raise ValueError for an unknown encoding."""
    try:
        codecs.lookup(encoding or "utf-8")
    except LookupError:
        raise ValueError(
            f"--encoding: there is no encoding {encoding!r}; try utf-8, latin-1, cp1252 or utf-16."
        ) from None


def _separator_of(given: str | None, head: str, file: Path) -> str:
    """Return the separator that was passed, or the most frequent one of the unquoted header."""
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
    header = _lines(head.lstrip())[0]
    unquoted = "".join(header.split('"')[::2])
    return max(SEPARATORS, key=unquoted.count)


def _decimal_of(given: str | None, head: str, separator: str) -> str:
    """Return the decimal mark that was passed; else a comma if most decimals have one.

    Only cells that are separated by semicolons are inspected.
    """
    if given is not None:
        if given not in (".", ",") or given == separator:
            raise ValueError(
                f"--decimal must be '.' or ',' and not the separator {separator!r}, got {given!r}."
            )
        return given
    if separator != ";":
        return "."
    cells = [cell.strip() for line in _lines(head)[1:] for cell in line.split(separator)]
    commas, points = (
        sum(pattern.fullmatch(cell) is not None for cell in cells)
        for pattern in (WITH_COMMA, WITH_POINT)
    )
    return "," if commas > points else "."


def _n_blank_lines(head: str) -> int:
    """Return the number of blank lines before the header."""
    return next((number for number, line in enumerate(_lines(head)) if line), 0)
