"""Count datasets and streams of pyarrow, one batch at a time.

Batches are grouped one by one, and `StreamTotals` adds their counts up as they accumulate. Memory
is needed for a few batches and for the distinct rows, not for the rows that are read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import narwhals as nw

from fairordinal._lazy._group_by import (
    COUNTED,
    LEAST,
    PRESENT,
    ROWS,
    SQUARES,
    WEIGHT,
    DistinctRows,
    Order,
    Query,
    check_few_distinct,
    read_counts,
)

BATCH_ROWS = 1 << 17
MOST_PENDING = 1_000_000  # distinct rows of batches that have not been merged yet
FILES_AHEAD = 2  # files that are opened in advance; each may hold a row group in memory


class StreamTotals:
    """Totals by group over a stream of pyarrow tables, each of which has one row per group.

    Parameters
    ----------
    keys : sequence of str
        Columns that identify a group.
    merges : mapping of str to str
        How each of the other columns is merged, ``"sum"`` or ``"min"``, in the order of the tables.
    """

    def __init__(self, keys: Sequence[str], merges: Mapping[str, str]) -> None:
        self._keys, self._merges = [*keys], dict(merges)
        self._parts: list[Any] = []

    def __len__(self) -> int:
        """Return the number of tables that wait to be merged."""
        return len(self._parts)

    def add(self, part: Any) -> Any:
        """Add a table; return the total if tables were merged, else None."""
        self._parts.append(part)
        if not self._merge_is_due():
            return None
        self._parts = [self.total()]
        return self._parts[0]

    def _merge_is_due(self) -> bool:
        """Return whether as many rows wait as the last total has.

        Each merge then at least doubles the rows that were merged, so that merges are few.
        """
        first, *others = (part.num_rows for part in self._parts)
        return sum(others) > max(first, MOST_PENDING)

    def total(self) -> Any:
        """Return the totals of all tables so far."""
        import pyarrow as pa

        whole = pa.concat_tables(self._parts, promote_options="permissive").unify_dictionaries()
        found = whole.group_by(self._keys).aggregate([*self._merges.items()])
        return found.rename_columns([*self._keys, *self._merges])


def is_arrow(data: Any) -> bool:
    """Return whether data are a pyarrow dataset or record batch reader, without an import."""
    classes = {(each.__module__, each.__name__) for each in type(data).__mro__}
    return bool(classes & {("pyarrow._dataset", "Dataset"), ("pyarrow.lib", "RecordBatchReader")})


def count_arrow(data: Any, query: Query) -> DistinctRows:
    """Count the rows of a dataset or stream in one pass."""
    _check_weight_type(data.schema, query)
    orders: list[set[Order]] = [set() for _ in query.names]
    totals = StreamTotals(query.keys, _merges(query))
    for batch in _batches(data, query):
        for order, name in zip(orders, query.names, strict=True):
            order.add(_declared_order(batch.column(batch.schema.names.index(name))))
        merged = totals.add(_grouped(batch, query))
        if merged is not None:
            check_few_distinct(nw.from_native(merged, eager_only=True), query)
    if not len(totals):
        totals.add(_grouped(_empty_batch(data), query))
    return read_counts(totals.total(), query, _common_orders(data, query, orders))


def _common_orders(data: Any, query: Query, orders: list[set[Order]]) -> list[Order]:
    """Return the order of each column that is the same in all batches and can be trusted."""
    return [
        next(iter(order)) if len(order) == 1 and keeps_dictionaries(data, name) else None
        for order, name in zip(orders, query.names, strict=True)
    ]


def _check_weight_type(schema: Any, query: Query) -> None:
    from pyarrow import types

    if query.weight is None:
        return
    dtype = schema.field(query.weight).type
    numeric = (types.is_integer, types.is_floating, types.is_decimal, types.is_boolean)
    if not any(test(dtype) for test in numeric):
        raise ValueError(
            f"sample_weight must hold numbers, got column {query.weight!r} of type {dtype}."
        )


def _batches(data: Any, query: Query) -> Iterator[Any]:
    if not hasattr(data, "scanner"):
        yield from data  # a stream
        return
    with _two_threads():
        yield from data.scanner(
            columns=query.columns, batch_size=BATCH_ROWS, fragment_readahead=FILES_AHEAD
        ).to_batches()


@contextmanager
def _two_threads() -> Iterator[None]:
    """Give pyarrow at least two threads.

    With one thread, a scan of a CSV reads most of the file before it returns the first batch, so
    that memory grows with the file.
    """
    import pyarrow as pa

    before = pa.cpu_count()
    pa.set_cpu_count(max(before, 2))
    try:
        yield
    finally:
        pa.set_cpu_count(before)


def _empty_batch(data: Any) -> Any:
    import pyarrow as pa

    return pa.RecordBatch.from_pylist([], schema=data.schema)


def _grouped(batch: Any, query: Query) -> Any:
    """Return the table of counts of one batch."""
    import pyarrow as pa
    import pyarrow.compute as pc

    whole = pa.table(batch)
    columns = {k: whole.column(name) for k, name in zip(query.keys, query.names, strict=True)}
    aggregates: list[Any] = [([], "count_all")]
    if query.weight is not None:
        columns[WEIGHT] = pc.cast(whole.column(query.weight), pa.float64())
        aggregates += [(WEIGHT, "sum"), (WEIGHT, "count"), (WEIGHT, "min")]
        aggregates += [(name, "sum") for name in query.survey_sums]
    if query.survey:
        weight = columns[WEIGHT]
        columns[SQUARES] = pc.multiply(weight, weight)
        columns[COUNTED] = pc.cast(pc.greater(weight, 0), pa.float64())
    found = pa.table(columns).group_by(query.keys).aggregate(aggregates)
    return _decoded(found.rename_columns([*query.keys, *_merges(query)]))


def _merges(query: Query) -> dict[str, str]:
    """Return how each column of a table of counts is merged."""
    merges = {ROWS: "sum"}
    if query.weight is not None:
        merges |= {WEIGHT: "sum", PRESENT: "sum", LEAST: "min"}
    return merges | dict.fromkeys(query.survey_sums, "sum")


def _decoded(table: Any) -> Any:
    """Replace dictionary columns by their values, because dictionaries of batches differ."""
    import pyarrow as pa

    for i, field in enumerate(table.schema):
        if pa.types.is_dictionary(field.type):
            values = table.column(i).cast(field.type.value_type)
            table = table.set_column(i, field.name, values)
    return table


def _declared_order(column: Any) -> Order:
    """Return the values of an ordered dictionary; None for any other column."""
    ordered = getattr(column.type, "ordered", False)
    return tuple(column.dictionary.to_pylist()) if ordered else None


def keeps_dictionaries(data: Any, name: str) -> bool:
    """Return whether the dictionaries of a column are stored in the data, in their order.

    A Parquet file may hold plain values although its schema declares a dictionary. Readers then
    build a dictionary in the order in which values occur, and still call it ordered.
    """
    return all(
        chunk.has_dictionary_page
        for fragment in (data.get_fragments() if hasattr(data, "get_fragments") else ())
        if hasattr(fragment, "row_groups")
        for chunk in _column_chunks(fragment.metadata, name)
    )


def _column_chunks(footer: Any, name: str) -> Iterator[Any]:
    """Yield the metadata of each chunk of a column in a Parquet file."""
    for i in range(footer.num_row_groups):
        group = footer.row_group(i)
        columns = (group.column(j) for j in range(group.num_columns))
        yield from (column for column in columns if column.path_in_schema == name)
