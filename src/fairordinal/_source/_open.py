"""Opening a table: which kind it is, what its columns are called, and where it is not readable."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import dropwhile, islice
from pathlib import Path
from typing import Any

from fairordinal._source._kind import (
    blank_lines,
    check_encoding,
    decimal_of,
    encoding_of,
    is_pipe,
    kind_of,
    on_disk,
    separator_of,
    start_of,
)
from fairordinal._source._missing import Missing, missing_of
from fairordinal._source._text import BLOCK, Layout, Record, TextStream, check_quotes, records

REMEDY = "Check the separator (--separator) and the quotes."
AHEAD = 2  # batches and files that pyarrow reads before they are asked for
BATCH_ROWS = 1 << 18
MOST_LISTED = 12
CODE = r"^\s*0[0-9]"  # how codes begin that look like numbers


@dataclass(frozen=True)
class Source:
    """A table in a file; columns are called as in its header, without blanks around them."""

    path: Path
    kind: str
    missing: Missing
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

    @property
    def layout(self) -> Layout:
        """How the text of a CSV is written."""
        return Layout(self.path, self.encoding, self.separator)

    def place(self, row: int) -> str:
        """Where a row is that counts from 0: the line of a CSV, else the row, both from 1 on."""
        if self.kind != "csv":
            return f"row {row + 1:,}"
        found = next(islice(self._records(), row + 1, None), None)
        return f"row {row + 1:,} below the header" if found is None else f"line {found.line:,}"

    def _records(self) -> Iterator[Record]:
        """The header and the rows of a CSV; lines without anything are rows of a single column."""
        some = dropwhile(lambda record: not record.cells, records(self.layout))
        return (record for record in some if record.cells or self._has_one_column)

    @property
    def _has_one_column(self) -> bool:
        return len(self.columns) == 1 and not self.doubled

    def damage(self, error: Exception) -> str:
        """What is wrong with the file, and what to do."""
        words = str(error).rpartition("Invalid: ")[2].rstrip(".")
        if "UTF8" in words or isinstance(error, UnicodeDecodeError):
            return (
                f"{self.path.name} has bytes that are not {self.encoding}. Save it as UTF-8, or "
                "pass --encoding, such as --encoding latin-1."
            )
        if self.kind != "csv":
            return f"{self.path.name} is no {self.kind.title()} file, or it is damaged."
        if isinstance(error, OSError):
            return f"{self.path.name} cannot be read: {words}. It is damaged, or cut short."
        check_quotes(self.layout)
        if "Empty CSV file or block" in words:
            return f"{self.path.name} has no rows below its header."
        ragged = self._ragged()
        if ragged:
            return f"{self.path.name} cannot be read: {ragged}"
        return f"{self.path.name} cannot be read: {words}. {REMEDY}"

    def _ragged(self) -> str:
        """The first row of a CSV that has not as many cells as the header, and what to do."""
        found = self._records()
        width = len(next(found).cells)
        row = next((record for record in found if len(record.cells or [""]) != width), None)
        if row is None:
            return ""
        what = f"line {row.line:,} has {len(row.cells)} cells but the header has {width}"
        above = "Is the header the first line? Remove what is above it, or pass --separator."
        return f"{what}. {above if width == 1 else REMEDY}"

    def names(self) -> list[str]:
        """The header of a CSV as it is."""
        with self._reported(), self._text() as text, self._reader(text, ()) as reader:
            return list(reader.schema.names)

    def batches(self, names: Sequence[str]) -> Iterator[Any]:
        """Cells of some columns as they are written, those of CSV as text, block by block.

        Memory is bounded by a few blocks.
        """
        with self._reported():
            yield from self._batches_of_text(names) if self.kind == "csv" else self._scan(names)

    def _batches_of_text(self, names: Sequence[str]) -> Iterator[Any]:
        n_rows = 0
        with self._text() as text, self._reader(text, names) as reader:
            for batch in reader:
                n_rows += batch.num_rows
                yield batch
            text.check(n_rows)

    def _scan(self, names: Sequence[str]) -> Iterator[Any]:
        ahead = {"batch_readahead": AHEAD, "fragment_readahead": AHEAD}
        scanner = self.dataset().scanner(columns=list(names), batch_size=BATCH_ROWS, **ahead)
        yield from scanner.to_batches()

    def dataset(self) -> Any:
        """A file with types as a dataset of pyarrow."""
        from pyarrow import dataset

        with self._reported():
            return dataset.dataset(self.path, format=self.kind)

    def written(self, names: Sequence[str]) -> Any:
        """Cells of some columns as they are written, those of CSV as text, as a table."""
        import pyarrow as pa

        batches = [*self.batches(names)]
        if not any(batch.num_rows for batch in batches):
            raise ValueError(f"{self.path.name} has no rows below its header.")
        return pa.Table.from_batches(batches)

    def table(
        self,
        texts: Sequence[str] = (),
        *,
        find_codes: bool = False,
        labels: Mapping[str, Collection[str]] | None = None,
    ) -> Any:
        """All of it in memory, as a table of pyarrow with clean names and null where missing.

        Cells of CSV are numbers, dates or text, as all of their column allow. `texts` are columns
        to be read as text; `find_codes` adds those with codes such as 00123. `labels` are names in
        a column that are not missing.
        """
        if self.doubled:
            raise ValueError(self._several(self.doubled[0]))
        with self._reported():
            found = self._whole([self.columns[name] for name in texts if name in self.columns])
            codes = self._codes(found) if find_codes and self.kind == "csv" else []
            if codes:
                found = self._whole([*(self.columns[name] for name in texts), *codes])
        if not found.num_rows:
            raise ValueError(f"{self.path.name} has no rows below its header.")
        return self._hidden(found.rename_columns([*self.columns]), labels or {})

    def _hidden(self, table: Any, labels: Mapping[str, Collection[str]]) -> Any:
        """The table with null where a cell is missing."""
        import pyarrow as pa

        hide = self.missing.hidden
        return pa.table(
            {name: hide(table.column(name), labels.get(name, ())) for name in table.column_names}
        )

    def _whole(self, texts: Iterable[str]) -> Any:
        from pyarrow import csv

        if self.kind != "csv":
            return self.dataset().to_table()
        with self._text() as text:
            found = csv.read_csv(  # unlike open_csv it infers types from all rows
                text,
                read_options=self._reading(None),
                parse_options=self._parsing(),
                convert_options=self._conversion(texts),
            )
            text.check(found.num_rows)
        return found

    def _codes(self, table: Any) -> list[str]:
        """Columns of whole numbers some of which are written with a 0 in front: names, in truth."""
        import pyarrow as pa
        import pyarrow.compute as pc

        whole = [field.name for field in table.schema if pa.types.is_integer(field.type)]
        if not whole:
            return []
        written = self.written(whole)
        begins = {name: pc.match_substring_regex(written.column(name), CODE) for name in whole}
        return [name for name in whole if pc.any(begins[name]).as_py()]

    @contextmanager
    def _reported(self) -> Iterator[None]:
        """Turn errors of pyarrow into messages for people."""
        import pyarrow as pa

        try:
            yield
        except (pa.ArrowException, UnicodeDecodeError, OSError) as error:
            raise ValueError(self.damage(error)) from error

    def _text(self) -> TextStream:
        return TextStream(self.layout)

    def _reader(self, text: TextStream, names: Sequence[str]) -> Any:
        """A reader of blocks of a CSV; some columns, or all, as text."""
        from pyarrow import csv

        return csv.open_csv(
            text,
            read_options=self._reading(BLOCK),
            parse_options=self._parsing(),
            convert_options=self._conversion(names, names),
        )

    def _reading(self, block_size: int | None) -> Any:
        from pyarrow import csv

        return csv.ReadOptions(
            block_size=block_size, column_names=self.header, skip_rows_after_names=self.skipped
        )

    def _parsing(self) -> Any:
        from pyarrow import csv

        return csv.ParseOptions(
            delimiter=self.separator,
            newlines_in_values=True,
            ignore_empty_lines=not self._has_one_column,
        )

    def _conversion(self, texts: Iterable[str], names: Sequence[str] = ()) -> Any:
        """How cells are read: some columns as text; all columns, or those with certain names."""
        import pyarrow as pa
        from pyarrow import csv

        return csv.ConvertOptions(
            null_values=["", *self.missing.values],
            strings_can_be_null=False,
            decimal_point=self.decimal,
            column_types={name: pa.string() for name in texts},
            include_columns=list(names),
        )


def open_source(
    path: str | Path,
    *,
    separator: str | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    missing: str | None = None,
) -> Source:
    """Open a table by its beginning and the ending of its name; nothing but its head is read.

    ``-`` is standard input. `missing` are cells that are missing, separated by commas.
    """
    require_pyarrow()
    check_encoding(encoding)
    file = on_disk(Path(path))
    try:
        kind = kind_of(file, piped=is_pipe(Path(path)))
        start = start_of(file) if kind == "csv" else b""
    except OSError as error:
        raise ValueError(f"{file} cannot be read: {error.strerror or error}.") from error
    source = Source(file, kind, missing_of(missing, kind), {})
    if kind != "csv":
        return _named(source, source.dataset().schema.names)
    encoding = encoding_of(encoding, start, file)
    head = start.decode(encoding, errors="replace").removeprefix("\ufeff")
    separator = separator_of(separator, head, file)
    decimal = decimal_of(decimal, head, separator)
    source = replace(source, separator=separator, encoding=encoding, decimal=decimal)
    found = source.names()
    return _with_own_names(_named(source, found), found, blank_lines(head))


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


def _with_own_names(source: Source, found: Sequence[str], n_blank: int) -> Source:
    """Columns of a CSV by number where pyarrow cannot take the header.

    It refuses columns of the same name, and blank lines before the header of a single column.
    """
    if not source.doubled and not (n_blank and len(source.columns) == 1):
        return source
    clean = [name.strip() for name in found]
    header = tuple(str(number) for number in range(len(clean)))
    columns = {name: str(clean.index(name)) for name in source.columns}
    return replace(source, columns=columns, header=header, skipped=n_blank + 1)
