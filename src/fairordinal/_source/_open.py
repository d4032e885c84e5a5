"""Opening a table: which kind it is, what its columns are called, and where it is not readable."""

from __future__ import annotations

import codecs
import difflib
import gzip
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

SEPARATORS = ",;\t|"
BLOCK = 1 << 22  # bytes of a CSV that are read at once
KINDS = {
    ".csv": "csv",
    ".txt": "csv",
    ".tsv": "csv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "ipc",
    ".feather": "ipc",
    ".ipc": "ipc",
}
WIDE = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)
MISSING = ("", "NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "None", "none", "#N/A")


@dataclass(frozen=True)
class Source:
    """A table in a file; columns are called as in its header, without blanks around them."""

    path: Path
    kind: str
    columns: dict[str, str]  # name to the name in the file
    separator: str = ","
    encoding: str = "utf8"

    def column(self, name: str, option: str) -> str:
        """The name of a column in the file."""
        if name in self.columns:
            return self.columns[name]
        folded = {known.casefold(): known for known in self.columns}
        near = [
            folded[key] for key in difflib.get_close_matches(name.strip().casefold(), folded, 1)
        ]
        hint = f" Did you mean {near[0]!r}?" if near else ""
        shown = ", ".join(repr(known) for known in self.columns)
        raise ValueError(
            f"{option}: {self.path.name} has no column {name!r}.{hint} It has {shown:.500}."
        )

    def damage(self, error: Exception) -> str:
        """What is wrong with the file, and what to do."""
        words = str(error).rpartition("Invalid: ")[2].rstrip(".")
        if "UTF8" in words or isinstance(error, UnicodeDecodeError):
            return (
                f"{self.path.name} has bytes that are not {self.encoding}. Save it as UTF-8, or "
                "pass --encoding, such as --encoding latin-1."
            )
        remedy = "Check the separator (--separator) and the quotes." if self.kind == "csv" else ""
        if "multiple columns" in words:
            remedy = "Give columns different names."
        return f"{self.path.name} cannot be read: {words}. {remedy}".strip()

    def dataset(self, names: Sequence[str] | None, *, as_text: bool = False) -> Any:
        """The table as a dataset of pyarrow; columns (all if None) of CSV as text, if asked."""
        import pyarrow as pa
        from pyarrow import dataset

        try:
            return dataset.dataset(self.path, format=self._format(names, as_text))
        except (pa.ArrowException, UnicodeDecodeError, OSError) as error:
            raise ValueError(self.damage(error)) from error

    def read(self, names: Sequence[str]) -> list[list[Any]]:
        """Cells of some columns, all rows."""
        import pyarrow as pa

        data = self.dataset(names, as_text=True)
        try:
            table = data.to_table(columns=list(names))
        except (pa.ArrowException, UnicodeDecodeError, OSError) as error:
            raise ValueError(self.damage(error)) from error
        if not table.num_rows:
            raise ValueError(f"{self.path.name} has no rows below its header.")
        return [table.column(name).to_pylist() for name in names]

    def table(self, *, verbatim: bool = False) -> Any:
        """All of it in memory, as a table of pyarrow with clean names.

        Cells of CSV are numbers, dates or text, as all of their column allow, or text as it is.
        """
        import pyarrow as pa

        try:
            found = self._whole(verbatim)
        except (pa.ArrowException, UnicodeDecodeError, OSError) as error:
            raise ValueError(self.damage(error)) from error
        if not found.num_rows:
            raise ValueError(f"{self.path.name} has no rows below its header.")
        return found.rename_columns([*self.columns])

    def _whole(self, verbatim: bool) -> Any:
        if self.kind != "csv":
            return self.dataset(None).to_table()
        from pyarrow import csv

        return csv.read_csv(  # unlike a dataset it infers types from all rows
            self.path,
            read_options=csv.ReadOptions(encoding=self.encoding),
            parse_options=self._parsing(),
            convert_options=self._conversion(self.columns.values() if verbatim else (), verbatim),
        )

    def _format(self, names: Sequence[str] | None, as_text: bool) -> Any:
        if self.kind != "csv":
            return self.kind
        from pyarrow import csv, dataset

        wanted = [*self.columns.values()] if names is None else names
        return dataset.CsvFileFormat(
            parse_options=self._parsing(),
            read_options=csv.ReadOptions(encoding=self.encoding, block_size=BLOCK),
            convert_options=self._conversion(wanted if as_text else ()),
        )

    def _parsing(self) -> Any:
        from pyarrow import csv

        return csv.ParseOptions(delimiter=self.separator, newlines_in_values=True)

    def _conversion(self, texts: Iterable[str], verbatim: bool = False) -> Any:
        """How cells are read; some columns as text, and missing ones as they are if verbatim."""
        import pyarrow as pa
        from pyarrow import csv

        return csv.ConvertOptions(
            null_values=[*MISSING],
            strings_can_be_null=not verbatim,
            column_types={name: pa.string() for name in texts},
        )


def open_source(
    path: str | Path, *, separator: str | None = None, encoding: str | None = None
) -> Source:
    """Open a table by the ending of its name; nothing but its head is read."""
    require_pyarrow()
    file = Path(path)
    kind = _kind(file)
    if kind == "csv":
        separator = separator or _guess_separator(_head(file, encoding), file)
    source = Source(file, kind, {}, separator or ",", encoding or "utf8")
    return replace(source, columns=_names(source.dataset(None).schema.names, file))


def require_pyarrow() -> None:
    """Say how to get pyarrow, if it is not there."""
    try:
        import pyarrow  # noqa: F401
    except ImportError as error:
        raise ImportError(
            "Reading files needs pyarrow: pip install 'fairordinal[files]'."
        ) from error


def _kind(file: Path) -> str:
    if not file.exists():
        raise ValueError(f"there is no file {file}. Check the path.")
    if file.is_dir():
        raise ValueError(f"{file} is a folder; name a file in it.")
    endings = [ending for ending in file.suffixes if ending not in (".gz", ".bz2", ".zst")]
    kind = KINDS.get(endings[-1].lower()) if endings else None
    if kind is None:
        raise ValueError(
            f"{file.name}: the ending should say what it is, one of {', '.join(KINDS)} "
            "(.csv.gz is fine too). Rename it."
        )
    return kind


def _head(file: Path, encoding: str | None) -> str:
    """The first line with anything in it."""
    with gzip.open(file) if file.suffix == ".gz" else file.open("rb") as stream:
        start = stream.read(1 << 16)
    if not start.strip():
        raise ValueError(f"{file.name} is empty.")
    if encoding is None and (start.startswith(WIDE) or b"\0" in start):
        raise ValueError(
            f"{file.name} is not UTF-8; it looks like UTF-16. Save it as UTF-8 (in a spreadsheet: "
            "'CSV UTF-8'), or pass --encoding utf-16."
        )
    return start.decode(encoding or "utf-8-sig", errors="replace").lstrip().splitlines()[0]


def _guess_separator(head: str, file: Path) -> str:
    """The candidate that the header has most often, outside of quotes."""
    if ".tsv" in file.suffixes:
        return "\t"
    bare = "".join(head.split('"')[::2])
    return max(SEPARATORS, key=bare.count)


def _names(found: Sequence[str], file: Path) -> dict[str, str]:
    """Clean names of columns to those in the file."""
    clean = [name.strip() for name in found]
    twice = sorted({name for name in clean if clean.count(name) > 1})
    if twice:
        raise ValueError(
            f"{file.name} has several columns {twice[0]!r}. Give columns different names."
        )
    return dict(zip(clean, found, strict=True))
