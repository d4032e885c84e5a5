"""Opening a table: which kind it is, what its columns are called, and where it is not readable."""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from fairordinal._source._kind import (
    blank_lines,
    check_encoding,
    decimal_of,
    head_of,
    kind_of,
    on_disk,
    separator_of,
)

BLOCK = 1 << 22  # bytes of a CSV that are read at once
MISSING = ("", "NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "None", "none", "#N/A")
MOST_LISTED = 12
CODE = r"^\s*0[0-9]"  # how codes begin that look like numbers


@dataclass(frozen=True)
class Source:
    """A table in a file; columns are called as in its header, without blanks around them."""

    path: Path
    kind: str
    columns: dict[str, str]  # name to the name in the file, or to one of its own
    separator: str = ","
    encoding: str = "utf8"
    decimal: str = "."
    doubled: tuple[str, ...] = ()  # names that several columns have; none of them can be asked for
    header: tuple[str, ...] | None = None  # names to be used instead of those in a CSV
    skipped: int = 0  # lines of a CSV up to the first row, if there is such a header

    def column(self, name: str, option: str) -> str:
        """The name of a column in the file."""
        if name in self.columns:
            return self.columns[name]
        if name in self.doubled:
            raise ValueError(f"{option}: {self._several(name)}")
        folded = {known.casefold(): known for known in self.columns}
        near = difflib.get_close_matches(name.strip().casefold(), folded, 1)
        hint = f" Did you mean {folded[near[0]]!r}?" if near else ""
        if len(self.columns) == 1 and self.kind == "csv":
            hint = f" Are cells separated by {self.separator!r}? If not, say so by --separator."
        raise ValueError(
            f"{option}: {self.path.name} has no column {name!r}.{hint} It has {self._listed()}."
        )

    def _several(self, name: str) -> str:
        return f"{self.path.name} has several columns {name!r}. Give columns different names."

    def _listed(self) -> str:
        names = [*self.columns, *self.doubled]
        more = f", … ({len(names):,} in all)" if len(names) > MOST_LISTED else ""
        return ", ".join(f"{name!r:.80}" for name in names[:MOST_LISTED]) + more

    def damage(self, error: Exception) -> str:
        """What is wrong with the file, and what to do."""
        words = str(error).rpartition("Invalid: ")[2].rstrip(".")
        if "UTF8" in words or isinstance(error, UnicodeDecodeError):
            return (
                f"{self.path.name} has bytes that are not {self.encoding}. Save it as UTF-8, or "
                "pass --encoding, such as --encoding latin-1."
            )
        if "Empty CSV file or block" in words:
            return f"{self.path.name} has no rows below its header."
        if self.kind != "csv":
            return f"{self.path.name} is no {self.kind.title()} file, or it is damaged."
        return f"{self.path.name} cannot be read: {_ragged(words)}"

    def names(self) -> list[str]:
        """The header of a CSV as it is."""
        import pyarrow as pa
        from pyarrow import csv

        try:
            with csv.open_csv(
                self.path, read_options=self._reading(), parse_options=self._parsing()
            ) as reader:
                return list(reader.schema.names)
        except (pa.ArrowException, UnicodeDecodeError, OSError) as error:
            raise ValueError(self.damage(error)) from error

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

    def table(self, *, verbatim: bool = False, texts: Iterable[str] | None = None) -> Any:
        """All of it in memory, as a table of pyarrow with clean names.

        Cells of CSV are numbers, dates or text, as all of their column allow, or text as it is if
        verbatim. `texts` are columns to be read as text; None: those with codes such as 00123.
        """
        import pyarrow as pa

        if self.doubled:
            raise ValueError(self._several(self.doubled[0]))
        try:
            found = self._whole(verbatim, texts)
        except (pa.ArrowException, UnicodeDecodeError, OSError) as error:
            raise ValueError(self.damage(error)) from error
        if not found.num_rows:
            raise ValueError(f"{self.path.name} has no rows below its header.")
        return found.rename_columns([*self.columns])

    def _whole(self, verbatim: bool, texts: Iterable[str] | None) -> Any:
        if self.kind != "csv":
            return self.dataset(None).to_table()
        if verbatim:
            return self._read_csv(self.columns.values(), verbatim=True)
        if texts is not None:
            return self._read_csv([self.columns[name] for name in texts if name in self.columns])
        found = self._read_csv(())
        codes = self._codes(found)
        return self._read_csv(codes) if codes else found

    def _read_csv(self, texts: Iterable[str], *, verbatim: bool = False) -> Any:
        from pyarrow import csv

        return csv.read_csv(  # unlike a dataset it infers types from all rows
            self.path,
            read_options=self._reading(),
            parse_options=self._parsing(),
            convert_options=self._conversion(texts, verbatim),
        )

    def _codes(self, table: Any) -> list[str]:
        """Columns of whole numbers some of which are written with a 0 in front: names, in truth."""
        import pyarrow as pa
        import pyarrow.compute as pc

        whole = [field.name for field in table.schema if pa.types.is_integer(field.type)]
        if not whole:
            return []
        written = self.dataset(whole, as_text=True).to_table(columns=whole)
        begins = {name: pc.match_substring_regex(written.column(name), CODE) for name in whole}
        return [name for name in whole if pc.any(begins[name]).as_py()]

    def _format(self, names: Sequence[str] | None, as_text: bool) -> Any:
        if self.kind != "csv":
            return self.kind
        from pyarrow import dataset

        wanted = [*self.columns.values()] if names is None else names
        return dataset.CsvFileFormat(
            parse_options=self._parsing(),
            read_options=self._reading(block_size=BLOCK),
            convert_options=self._conversion(wanted if as_text else ()),
        )

    def _reading(self, block_size: int | None = None) -> Any:
        from pyarrow import csv

        return csv.ReadOptions(
            encoding=self.encoding,
            block_size=block_size,
            column_names=self.header,
            skip_rows_after_names=self.skipped,
        )

    def _parsing(self) -> Any:
        from pyarrow import csv

        alone = len(self.columns) == 1 and not self.doubled  # a blank line is then an empty cell
        return csv.ParseOptions(
            delimiter=self.separator, newlines_in_values=True, ignore_empty_lines=not alone
        )

    def _conversion(self, texts: Iterable[str], verbatim: bool = False) -> Any:
        """How cells are read; some columns as text, and missing ones as they are if verbatim."""
        import pyarrow as pa
        from pyarrow import csv

        return csv.ConvertOptions(
            null_values=[*MISSING],
            strings_can_be_null=not verbatim,
            decimal_point=self.decimal,
            column_types={name: pa.string() for name in texts},
        )


def open_source(
    path: str | Path,
    *,
    separator: str | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
) -> Source:
    """Open a table by its beginning and the ending of its name; nothing but its head is read.

    ``-`` is standard input.
    """
    require_pyarrow()
    check_encoding(encoding)
    file = on_disk(Path(path))
    try:
        kind = kind_of(file, piped=file != Path(path))
        head = head_of(file, encoding) if kind == "csv" else ""
    except OSError as error:
        raise ValueError(f"{file} cannot be read: {error.strerror or error}.") from error
    if kind != "csv":
        source = Source(file, kind, {})
        return _named(source, source.dataset(None).schema.names)
    separator = separator_of(separator, head, file)
    decimal = decimal_of(decimal, head, separator)
    source = Source(file, kind, {}, separator, encoding or "utf8", decimal)
    return _with_own_names(_named(source, source.names()), blank_lines(head))


def require_pyarrow() -> None:
    """Say how to get pyarrow, if it is not there."""
    try:
        import pyarrow  # noqa: F401
    except ImportError as error:
        raise ImportError(
            "Reading files needs pyarrow: pip install 'fairordinal[files]'."
        ) from error


def _named(source: Source, found: Sequence[str]) -> Source:
    """With columns by their names without blanks around them; doubled ones apart."""
    clean = [name.strip() for name in found]
    counts = Counter(clean)
    once = {name: there for name, there in zip(clean, found, strict=True) if counts[name] == 1}
    doubled = tuple(name for name, count in counts.items() if count > 1)
    return replace(source, columns=once, doubled=doubled)


def _with_own_names(source: Source, n_blank: int) -> Source:
    """Columns of a CSV by number, if some have the same name: pyarrow refuses such."""
    if not source.doubled:
        return _below_blank_lines(source, n_blank)
    clean = [name.strip() for name in source.names()]
    header = tuple(str(number) for number in range(len(clean)))
    columns = {name: str(clean.index(name)) for name in source.columns}
    return replace(source, columns=columns, header=header, skipped=n_blank + 1)


def _below_blank_lines(source: Source, n_blank: int) -> Source:
    """A single column whose header is not the first line, where blank lines are cells."""
    if not n_blank or len(source.columns) > 1:
        return source
    return replace(source, header=tuple(source.columns.values()), skipped=n_blank + 1)


def _ragged(words: str) -> str:
    """What is wrong with rows of a CSV, and what to do."""
    found = re.search(r"Row #(\d+): Expected (\d+) columns, got (\d+)", words)
    remedy = "Check the separator (--separator) and the quotes."
    if found is None:
        return f"{words}. {remedy}"
    row, expected, got = found.groups()
    if expected == "1":
        remedy = "Is the header the first line? Remove what is above it, or pass --separator."
    return f"row {row} has {got} cells but the header has {expected}. {remedy}"
