"""Lazy frames whose engine counts: polars, DuckDB, Spark, and what else narwhals knows."""

from __future__ import annotations

from typing import Any

import narwhals as nw

from fairordinal._lazy._counted import (
    LEAST,
    MOST_DISTINCT,
    PRESENT,
    ROWS,
    WEIGHT,
    Counted,
    Query,
    key,
    read_counted,
    refuse,
)

NARROW = (nw.Boolean, nw.Enum, nw.Int8, nw.UInt8)  # types of few values


def count_lazy(frame: nw.LazyFrame[Any], query: Query) -> Counted:
    """Count by a ``GROUP BY`` of the engine; at most so many distinct rows are fetched."""
    schema = frame.collect_schema()
    _check_types(schema, query)
    chosen = _chosen(frame, query)
    if frame.implementation.is_polars():
        _guard(chosen, query)
    found = _grouped(chosen, query).head(MOST_DISTINCT + 1)
    orders = [_declared(schema[name]) for name in query.names]
    return read_counted(_collected(found), query, orders)


def _check_types(schema: nw.Schema, query: Query) -> None:
    if query.weight is None:
        return
    if not schema[query.weight].is_numeric() and schema[query.weight] != nw.Boolean:
        raise ValueError(
            f"sample_weight must hold numbers, got column {query.weight!r} of type "
            f"{schema[query.weight]}."
        )


def _chosen(frame: nw.LazyFrame[Any], query: Query) -> nw.LazyFrame[Any]:
    """The columns that count, called by number: no name meets another."""
    columns = [nw.col(name).alias(key(i)) for i, name in enumerate(query.names)]
    if query.weight is not None:
        columns.append(nw.col(query.weight).cast(nw.Float64).alias(WEIGHT))
    return frame.select(*columns)


def _grouped(chosen: nw.LazyFrame[Any], query: Query) -> nw.LazyFrame[Any]:
    groups = chosen.group_by(*query.keys)
    if query.weight is None:
        return groups.agg(nw.len().alias(ROWS))
    weight = nw.col(WEIGHT)
    present, least = weight.count().alias(PRESENT), weight.min().alias(LEAST)
    return groups.agg(nw.len().alias(ROWS), weight.sum(), present, least)


def _collected(found: nw.LazyFrame[Any]) -> Any:
    """The small table; polars streams."""
    if not found.implementation.is_polars():
        return found.collect().to_native()
    try:
        return found.to_native().collect(engine="streaming")
    except TypeError:  # of polars before 1.23
        return found.to_native().collect(streaming=True)


def _guard(chosen: nw.LazyFrame[Any], query: Query) -> None:
    """Refuse what polars would hold in this process; an estimate that needs hardly any memory.

    Other engines spill to disk, or are elsewhere.
    """
    schema = chosen.collect_schema()
    if all(isinstance(schema[name], NARROW) for name in query.keys):
        return
    import polars as pl

    combinations = chosen.select(*query.keys).to_native().select(pl.struct(pl.all()).hash())
    (distinct,) = _estimates(combinations)
    if distinct > MOST_DISTINCT:
        refuse(_estimates(chosen.select(*query.keys).to_native()), query)


def _estimates(frame: Any) -> tuple[int, ...]:
    """Roughly how many values each column has."""
    import polars as pl

    found = nw.from_native(frame.select(pl.all().approx_n_unique()))
    return tuple(_collected(found).row(0))


def _declared(dtype: Any) -> tuple[str, ...] | None:
    return tuple(dtype.categories) if isinstance(dtype, nw.Enum) else None
