"""A table in a file: its columns, its cells as they are written, and counts of equal rows.

Text files are read by pyarrow's CSV reader through `TextStream`, which checks quotes; typed formats
are read as pyarrow datasets. Errors of pyarrow become messages that name the line and what to do.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain, dropwhile, islice
from pathlib import Path
from typing import Any, NamedTuple

from fairordinal._lazy import StreamTotals, keeps_dictionaries
from fairordinal._source._cells import MissingRule
from fairordinal._source._csv_text import BLOCK, CsvText, Record, TextStream, check_quotes, records
from fairordinal._validation import listed

REMEDY = "Check the separator (--separator) and the quotes."
READ_AHEAD = 2  # batches and files that pyarrow reads in advance
BATCH_ROWS = 1 << 18
LEADING_ZERO = r"^\s*0[0-9]"  # of codes that look like numbers
COUNT = "count"  # a column of counts, beside those of the file, which have numbers for names
SUMS = ("weight", "squared weight", "weight above 0")  # columns that are summed for weights


@dataclass(frozen=True)
class TableFile:
    """A table in a file; names of columns are those of the header without blanks around them."""

    path: Path
    format: str  # "csv", "parquet" or "ipc"
    missing: MissingRule
    columns: dict[str, str]  # from names to names in the file, or in `header`
    separator: str = ","
    encoding: str = "utf8"
    decimal: str = "."
    duplicated: tuple[str, ...] = ()  # names of several columns, which cannot be read by name
    header: tuple[str, ...] | None = None  # names that replace those of a CSV
    skipped: int = 0  # lines of a CSV before the first row, if there is a `header`
    sheet: str = ""  # of an Excel file, of which `path` is a copy as CSV
    other_sheets: tuple[str, ...] = ()  # of this Excel file

    def column(self, name: str, option: str) -> str:
        """Return the name of a column in the file; raise ValueError if there is none."""
        if name in self.columns:
            return self.columns[name]
        if name in self.duplicated:
            raise ValueError(f"{option}: {self._duplicate_message(name)}")
        folded = {known.casefold(): known for known in self.columns}
        near = difflib.get_close_matches(name.strip().casefold(), folded, 1)
        hint = f" Did you mean {folded[near[0]]!r}?" if near else ""
        if len(self.columns) == 1 and self.format == "csv" and not self.sheet:
            hint = f" Are cells separated by {self.separator!r}? If not, pass --separator."
        known = listed([*self.columns, *self.duplicated])
        sheet = f" in the sheet {self.sheet!r}" * bool(self.other_sheets)
        others = f" Other sheets are {listed(self.other_sheets)}; --sheet names one."
        raise ValueError(
            f"{option}: {self.path.name} has no column {name!r}{sheet}.{hint} It has {known}."
            + others * bool(self.other_sheets)
        )

    def _duplicate_message(self, name: str) -> str:
        return f"{self.path.name} has several columns {name!r}. Give columns different names."

    @property
    def csv_text(self) -> CsvText:
        """The text of a CSV, its encoding and separator."""
        return CsvText(self.path, self.encoding, self.separator)

    def locate(self, row: int) -> str:
        """Return where row `row` is, for a message: the line of a CSV, else the row from 1 on.

        Rows of a sheet are counted as in the spreadsheet.
        """
        if self.format != "csv":
            return f"row {row + 1:,}"
        found = next(islice(self._records(), row + 1, None), None)
        if found is None:
            return f"row {row + 1:,} below the header"
        return f"row {found.number:,} of the sheet" if self.sheet else f"line {found.line:,}"

    def _records(self) -> Iterator[Record]:
        """Yield the header and the rows of a CSV; a blank line is a row if there is one column."""
        found = dropwhile(lambda record: not record.cells, records(self.csv_text))
        return (record for record in found if record.cells or self._has_one_column)

    def with_columns(self, names: Sequence[str], columns: Iterable[Sequence[str]]) -> str | None:
        """Return the text of a CSV with columns of text appended, and its own cells unchanged.

        None if the rows of the file are not those of the columns.
        """
        parts, end = [], "\n"
        rows = chain([names], zip(*columns, strict=True))
        try:
            for record, added in zip(self._records(), rows, strict=True):
                text = record.text.rstrip("\r\n")
                end = record.text[len(text) :] or end  # the last line may have none
                parts += [text, *(f"{self.separator}{self._quoted(cell)}" for cell in added), end]
        except ValueError:  # a cell is too long for the reader of records
            return None
        return "".join(parts)

    def _quoted(self, cell: str) -> str:
        """Return a cell in quotes if it holds the separator, a quote or a line end."""
        if not any(mark in cell for mark in (self.separator, '"', "\n", "\r")):
            return cell
        return '"{}"'.format(cell.replace('"', '""'))

    @property
    def _has_one_column(self) -> bool:
        return len(self.columns) == 1 and not self.duplicated

    def _describe(self, error: Exception) -> str:
        """Return a message for an error of pyarrow: what is wrong with the file, what to do."""
        words = str(error).rpartition("Invalid: ")[2].rstrip(".")
        if "UTF8" in words or isinstance(error, UnicodeDecodeError):
            return (
                f"{self.path.name} has bytes that are not {self.encoding}. Save it as UTF-8, or "
                "pass --encoding, such as --encoding latin-1."
            )
        if self.format != "csv":
            return f"{self.path.name} is not a {self.format.title()} file, or it is damaged."
        if isinstance(error, OSError):
            return f"{self.path.name} cannot be read: {words}. It is damaged or truncated."
        check_quotes(self.csv_text)
        if "Empty CSV file or block" in words:
            return f"{self.path.name} has no rows below its header."
        ragged = self._ragged()
        if ragged:
            return f"{self.path.name} cannot be read: {ragged}"
        return f"{self.path.name} cannot be read: {words}. {REMEDY}"

    def _ragged(self) -> str:
        """Describe the first row of a CSV that has more or fewer cells than the header."""
        found = self._records()
        width = len(next(found).cells)
        row = next((record for record in found if len(record.cells or [""]) != width), None)
        if row is None:
            return ""
        wrong = f"line {row.line:,} has {len(row.cells)} cells but the header has {width}"
        above = "Is the header the first line? Remove what is above it, or pass --separator."
        return f"{wrong}. {above if width == 1 else REMEDY}"

    def read_header(self) -> list[str]:
        """Return the names of the columns as the file has them."""
        if self.format != "csv":
            return list(self.dataset().schema.names)
        with self._reported(), self._text() as text, self._reader(text, ()) as reader:
            return list(reader.schema.names)

    def batches(self, names: Sequence[str]) -> Iterator[Any]:
        """Yield raw cells of some columns as record batches; cells of a CSV are text.

        Memory is bounded by a few batches.
        """
        with self._reported():
            yield from self._batches_of_text(names) if self.format == "csv" else self._scan(names)

    def _batches_of_text(self, names: Sequence[str]) -> Iterator[Any]:
        n_rows = 0
        with self._text() as text, self._reader(text, names) as reader:
            for batch in reader:
                n_rows += batch.num_rows
                yield batch
            text.check(n_rows)

    def _scan(self, names: Sequence[str]) -> Iterator[Any]:
        ahead = {"batch_readahead": READ_AHEAD, "fragment_readahead": READ_AHEAD}
        scanner = self.dataset().scanner(columns=list(names), batch_size=BATCH_ROWS, **ahead)
        yield from scanner.to_batches()

    def dataset(self) -> Any:
        """Open a file of a typed format as a pyarrow dataset."""
        from pyarrow import dataset

        with self._reported():
            return dataset.dataset(self.path, format=self.format)

    def stored_order(self, name: str) -> list[str] | None:
        """Return the categories of an ordered dictionary that the file stores; None if none."""
        if self.format == "csv":
            return None
        import pyarrow as pa

        data = self.dataset()
        dtype = data.schema.field(name).type
        if not pa.types.is_dictionary(dtype) or not dtype.ordered:
            return None
        if not keeps_dictionaries(data, name):
            return None
        head = data.head(1, columns=[name]).column(name).combine_chunks()
        return [str(label) for label in head.dictionary.to_pylist()]

    def raw_table(self, names: Sequence[str]) -> Any:
        """Return raw cells of some columns as a pyarrow table; cells of a CSV are text."""
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
        """Return the whole table as a pyarrow table, with null for missing cells.

        The type of a CSV column, numbers, dates or text, is inferred from all of its cells. Columns
        in `texts` are read as text, and with `find_codes` also columns of codes such as 00123.
        Cells of a column that are one of its `labels` are not missing.
        """
        if self.duplicated:
            raise ValueError(self._duplicate_message(self.duplicated[0]))
        with self._reported():
            found = self._read([self.columns[name] for name in texts if name in self.columns])
            codes = self._code_columns(found) if find_codes and self.format == "csv" else []
            if codes:
                found = self._read([*(self.columns[name] for name in texts), *codes])
        if not found.num_rows:
            raise ValueError(f"{self.path.name} has no rows below its header.")
        return self._with_nulls(found.rename_columns([*self.columns]), labels or {})

    def _with_nulls(self, table: Any, labels: Mapping[str, Collection[str]]) -> Any:
        import pyarrow as pa

        clean = self.missing.with_nulls
        return pa.table(
            {name: clean(table.column(name), labels.get(name, ())) for name in table.column_names}
        )

    def _read(self, texts: Iterable[str]) -> Any:
        from pyarrow import csv

        if self.format != "csv":
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

    def _code_columns(self, table: Any) -> list[str]:
        """Return integer columns with a leading zero in some cell: codes rather than numbers."""
        import pyarrow as pa
        import pyarrow.compute as pc

        integers = [field.name for field in table.schema if pa.types.is_integer(field.type)]
        if not integers:
            return []
        raw = self.raw_table(integers)
        zeros = {n: pc.match_substring_regex(raw.column(n), LEADING_ZERO) for n in integers}
        return [name for name in integers if pc.any(zeros[name]).as_py()]

    @contextmanager
    def _reported(self) -> Iterator[None]:
        """Raise ValueError with a message for users instead of errors of pyarrow."""
        import pyarrow as pa

        try:
            yield
        except (pa.ArrowException, UnicodeDecodeError, OSError) as error:
            raise ValueError(self._describe(error)) from error

    def _text(self) -> TextStream:
        return TextStream(self.csv_text)

    def _reader(self, text: TextStream, names: Sequence[str]) -> Any:
        """Return a streaming reader of a CSV: `names` as text, or all columns if it is empty."""
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
        """Return how cells are converted: `texts` as text; only columns in `names`, if any."""
        import pyarrow as pa
        from pyarrow import csv

        return csv.ConvertOptions(
            null_values=["", *self.missing.values],
            strings_can_be_null=False,
            decimal_point=self.decimal,
            column_types={name: pa.string() for name in texts},
            include_columns=list(names),
        )


@dataclass(frozen=True)
class RowCounts:
    """Distinct rows of some columns, and the number of rows that each stands for."""

    columns: dict[str, Any]  # pyarrow columns of raw cells
    counts: list[float]
    weights: tuple[list[float], ...] = ()  # sums of weights and of squares; numbers above 0


class CountColumn(NamedTuple):
    """A column of counts or of survey weights, and the option that names it."""

    name: str
    option: str
    survey: bool = False


def count_rows(
    file: TableFile,
    names: Sequence[str],
    *,
    count: CountColumn | None = None,
    on_progress: Callable[[int], None] | None = None,
) -> RowCounts:
    """Count equal rows in one pass; memory is needed for distinct rows only.

    `count` is a column of counts, if rows already stand for several, or of survey weights, which
    are summed besides the rows. `on_progress` is called with the number of rows read so far.
    """
    names, weight = list(dict.fromkeys(names)), [count.name] if count else []
    sums = [COUNT, *SUMS] if count and count.survey else [COUNT]
    totals, n_rows = StreamTotals(_keys(names), dict.fromkeys(sums, "sum")), 0
    for batch in file.batches(list(dict.fromkeys([*names, *weight]))):
        n_rows += batch.num_rows
        totals.add(_grouped(batch, names, count, file))
        if on_progress:
            on_progress(n_rows)
    if not n_rows:
        raise ValueError(f"{file.path.name} has no rows below its header.")
    total = totals.total()
    columns = dict(zip(names, total.columns, strict=False))
    counts, *weights = (total.column(name).to_pylist() for name in sums)
    return RowCounts(columns, counts, tuple(weights))


def _keys(names: Sequence[str]) -> list[str]:
    """Return names for columns that cannot be equal to `COUNT`."""
    return [str(number) for number in range(len(names))]


def _grouped(batch: Any, names: Sequence[str], count: CountColumn | None, file: TableFile) -> Any:
    """Return the distinct rows of a batch with their counts."""
    import pyarrow as pa
    import pyarrow.compute as pc

    block, keys = pa.table(batch), _keys(names)
    rows = block.select(list(names)).rename_columns(keys)
    if count is None:
        found = rows.group_by(keys).aggregate([([], "count_all")])
        return found.rename_columns([*keys, COUNT])
    column = file.missing.clean(block.column(count.name))
    numbers = read_counts(column, count.name, file.decimal, count.option)
    if not count.survey:
        found = rows.append_column(COUNT, numbers).group_by(keys).aggregate([(COUNT, "sum")])
        return found.rename_columns([*keys, COUNT])
    above = pc.cast(pc.greater(numbers, 0), pa.float64())
    for name, values in zip(SUMS, (numbers, pc.multiply(numbers, numbers), above), strict=True):
        rows = rows.append_column(name, values)
    sums = [(name, "sum") for name in SUMS]
    found = rows.group_by(keys).aggregate([([], "count_all"), *sums])
    return found.rename_columns([*keys, COUNT, *SUMS])


def read_counts(column: Any, name: str, decimal: str, option: str) -> Any:
    """Read a column of counts or weights: finite numbers of at least 0, one in each row."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_string(column.type):
        column = pc.replace_substring(column, decimal, ".")
    try:
        numbers = pc.cast(column, pa.float64())
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        found = re.search("'(.*)'", str(error), re.DOTALL)
        value = f", got {found[1]!r}" if found else f", got {column.type}"
        raise ValueError(
            f"{option}: column {name!r} must hold numbers{value}. Write them without separators "
            "between thousands."
        ) from error
    if numbers.null_count:
        raise ValueError(
            f"{option}: column {name!r} has no number in some rows. Leave these rows out, or write "
            "0."
        )
    wrong = numbers.filter(pc.invert(pc.and_(pc.greater_equal(numbers, 0), pc.is_finite(numbers))))
    if len(wrong):
        raise ValueError(
            f"{option}: column {name!r} must hold numbers of at least 0, got {wrong[0].as_py():g}."
        )
    return numbers
