"""Datasets and streams of pyarrow, counted batch by batch."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import narwhals as nw

from fairordinal._lazy._counted import (
    LEAST,
    PRESENT,
    ROWS,
    WEIGHT,
    Counted,
    Order,
    Query,
    read_counted,
    refuse_many,
)

BATCH_ROWS = 1 << 17
MOST_PENDING = 1_000_000  # distinct rows of batches that wait for being added up
FILES_AHEAD = 2  # opened before their turn; each may hold a row group


def is_arrow(data: Any) -> bool:
    """A dataset or a stream of batches; nothing is imported for the answer."""
    kinds = {(kind.__module__, kind.__name__) for kind in type(data).__mro__}
    return bool(kinds & {("pyarrow._dataset", "Dataset"), ("pyarrow.lib", "RecordBatchReader")})


def names_of_arrow(data: Any) -> list[str]:
    """Names of the columns."""
    return list(data.schema.names)


def count_arrow(data: Any, query: Query) -> Counted:
    """Count a dataset in one pass; memory for a few batches and for what is distinct."""
    _check_types(data.schema, query)
    orders: list[set[Order]] = [set() for _ in query.names]
    pending: list[Any] = []
    for batch in _batches(data, query):
        for order, name in zip(orders, query.names, strict=True):
            order.add(_declared(batch.column(batch.schema.names.index(name))))
        pending.append(_grouped(batch, query))
        if _is_much(pending):
            pending = [_added(pending, query)]
            refuse_many(nw.from_native(pending[0], eager_only=True), query)
    total = _added(pending or [_grouped(_nothing(data), query)], query)
    trusted = [
        next(iter(order)) if len(order) == 1 and keeps_dictionaries(data, name) else None
        for order, name in zip(orders, query.names, strict=True)
    ]
    return read_counted(total, query, trusted)


def _check_types(schema: Any, query: Query) -> None:
    import pyarrow.types as kinds

    if query.weight is None:
        return
    kind = schema.field(query.weight).type
    numeric = (kinds.is_integer, kinds.is_floating, kinds.is_decimal, kinds.is_boolean)
    if not any(is_of(kind) for is_of in numeric):
        raise ValueError(
            f"sample_weight must hold numbers, got column {query.weight!r} of type {kind}."
        )


def _is_much(pending: list[Any]) -> bool:
    """Whether counts wait that are as many as those added up: sums are then few and cheap."""
    first, *others = (part.num_rows for part in pending)
    return sum(others) > max(first, MOST_PENDING)


def _batches(data: Any, query: Query) -> Iterator[Any]:
    if not hasattr(data, "scanner"):
        yield from data  # a stream
        return
    wanted = [*query.names, *([query.weight] if query.weight else [])]
    with _two_threads():
        yield from data.scanner(
            columns=list(dict.fromkeys(wanted)),
            batch_size=BATCH_ROWS,
            fragment_readahead=FILES_AHEAD,
        ).to_batches()


@contextmanager
def _two_threads() -> Iterator[None]:
    """Let pyarrow have at least two threads.

    With one, a scan of a CSV reads on and on before it hands out a batch: memory grows with the
    file.
    """
    import pyarrow as pa

    before = pa.cpu_count()
    pa.set_cpu_count(max(before, 2))
    try:
        yield
    finally:
        pa.set_cpu_count(before)


def _nothing(data: Any) -> Any:
    import pyarrow as pa

    return pa.RecordBatch.from_pylist([], schema=data.schema)


def _grouped(batch: Any, query: Query) -> Any:
    """Distinct rows of a batch, columns called by number, names as text."""
    import pyarrow as pa
    import pyarrow.compute as pc

    whole = pa.table(batch)
    columns = {k: whole.column(name) for k, name in zip(query.keys, query.names, strict=True)}
    figures: list[Any] = [([], "count_all")]
    if query.weight is not None:
        columns[WEIGHT] = pc.cast(whole.column(query.weight), pa.float64())
        figures += [(WEIGHT, "sum"), (WEIGHT, "count"), (WEIGHT, "min")]
    found = pa.table(columns).group_by(query.keys).aggregate(figures)
    return _decoded(found.rename_columns(_header(query)))


def _header(query: Query) -> list[str]:
    return [*query.keys, ROWS, *([WEIGHT, PRESENT, LEAST] if query.weight is not None else [])]


def _decoded(table: Any) -> Any:
    """Dictionaries of batches differ; what they stand for is comparable."""
    import pyarrow as pa

    for i, field in enumerate(table.schema):
        if pa.types.is_dictionary(field.type):
            values = table.column(i).cast(field.type.value_type)
            table = table.set_column(i, field.name, values)
    return table


def _added(parts: list[Any], query: Query) -> Any:
    """Counts of several batches together."""
    import pyarrow as pa

    figures = [(ROWS, "sum")]
    if query.weight is not None:
        figures += [(WEIGHT, "sum"), (PRESENT, "sum"), (LEAST, "min")]
    whole = pa.concat_tables(parts, promote_options="permissive")
    return whole.group_by(query.keys).aggregate(figures).rename_columns(_header(query))


def _declared(column: Any) -> Order:
    """The values of an ordered dictionary, in their order."""
    ordered = getattr(column.type, "ordered", False)
    return tuple(column.dictionary.to_pylist()) if ordered else None


def keeps_dictionaries(data: Any, name: str) -> bool:
    """Whether dictionaries of a column are those that were written, in their order.

    A Parquet file may hold plain values although its schema speaks of a dictionary; readers then
    make one up in the order in which values occur, and still call it ordered.
    """
    return all(
        chunk.has_dictionary_page
        for fragment in (data.get_fragments() if hasattr(data, "get_fragments") else ())
        if hasattr(fragment, "row_groups")
        for chunk in _chunks(fragment.metadata, name)
    )


def _chunks(footer: Any, name: str) -> Iterator[Any]:
    """What a Parquet file says about each part of a column."""
    for i in range(footer.num_row_groups):
        group = footer.row_group(i)
        columns = (group.column(j) for j in range(group.num_columns))
        yield from (column for column in columns if column.path_in_schema == name)
