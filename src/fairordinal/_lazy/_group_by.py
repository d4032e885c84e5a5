"""Count distinct rows by a ``GROUP BY``: the query, its result, and lazy frames that run it.

Every engine returns one small table. Its key columns are called by number, ``key 0``, ``key 1``, …,
so that no name of a column can collide with another one. The columns `ROWS` and, if rows have
weights, `WEIGHT` (their sum), `PRESENT` (how many are not missing) and `LEAST` (the smallest)
follow. For survey weights, `SQUARES` (the sum of their squares) and `COUNTED` (how many are above
0) follow as well.

Lazy frames of polars, DuckDB, Spark and others run the query through narwhals. Streams of pyarrow
and Dask have modules of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import narwhals as nw
import numpy as np

from fairordinal._validation import Array, Column, Weight, read_column, survey_weight

MOST_DISTINCT = 2_000_000  # counting them takes up to two GB in any engine
ROWS, WEIGHT, PRESENT, LEAST = "rows", "weight", "weights present", "least weight"
SQUARES, COUNTED = "squared weights", "weights above 0"
NARROW = (nw.Boolean, nw.Enum, nw.Int8, nw.UInt8)  # types with few values

Order = tuple[Any, ...] | None  # categories in ascending order, if a column declares them


class Query(NamedTuple):
    """Columns whose combinations are counted, and perhaps a column of weights to be summed."""

    names: list[str]  # of the columns
    arguments: list[str]  # of `audit`, one for each column
    weight: str | None
    survey: bool = False  # whether weights are survey weights

    @property
    def keys(self) -> list[str]:
        return [key(i) for i in range(len(self.names))]

    @property
    def survey_sums(self) -> list[str]:
        """Columns that are summed for survey weights only."""
        return [SQUARES, COUNTED] if self.survey else []

    @property
    def columns(self) -> list[str]:
        """Names of all columns that are read, each once."""
        weight = [] if self.weight is None else [self.weight]
        return [*dict.fromkeys([*self.names, *weight])]


class DistinctRows(NamedTuple):
    """Distinct rows as columns, and the weight of each."""

    columns: list[Column]
    weight: Array | Weight


def key(i: int) -> str:
    """Return the name of key column `i` in a table of counts."""
    return f"key {i}"


def read_counts(frame: Any, query: Query, orders: Sequence[Order] | None = None) -> DistinctRows:
    """Read a table of counts; `orders` are orders of categories that were declared elsewhere."""
    table = nw.from_native(frame, eager_only=True)
    check_few_distinct(table, query)
    rows = table[ROWS].to_numpy().astype(np.float64)
    columns = [
        read_column(table[name], argument, exact=argument == "sensitive_features")
        for name, argument in zip(query.keys, query.arguments, strict=True)
    ]
    columns = [replace(column, counts=rows) for column in columns]
    if orders is not None:
        columns = [_ordered(*pair) for pair in zip(columns, orders, strict=True)]
    if query.weight is None:
        return DistinctRows(columns, rows)
    _check_weight(table, rows)
    sums, *survey = (
        table[name].to_numpy().astype(np.float64) for name in (WEIGHT, *query.survey_sums)
    )
    return DistinctRows(columns, survey_weight(sums, *survey) if query.survey else sums)


def _ordered(column: Column, order: Order) -> Column:
    """Return a column of names with a declared order."""
    if order is None or column.names is None:
        return column
    place = {name: code for code, name in enumerate(order)}
    codes = np.array([place.get(name, -1) for name in column.objects()], dtype=np.int64)
    return replace(column, values=codes, names=order, ordered=True)


def _check_weight(table: nw.DataFrame[Any], rows: Array) -> None:
    """Raise ValueError for missing, negative and infinite weights, which aggregates reveal."""
    n_missing = int((rows - table[PRESENT].to_numpy()).sum())
    if n_missing:
        found = f"a missing value in {n_missing:,} rows"
    else:
        sums, least = (table[name].to_numpy().astype(np.float64) for name in (WEIGHT, LEAST))
        negative, infinite = least[~(least >= 0)], sums[~np.isfinite(sums)]
        if not negative.size and not infinite.size:
            return
        found = (
            f"{negative[0]}"
            if negative.size
            else f"{infinite[0]} as a weight or as a sum of weights"
        )
    raise ValueError(
        f"sample_weight must be finite and at least 0, got {found}. Correct them, drop the "
        "rows, or divide all of them by a constant."
    )


def check_few_distinct(table: nw.DataFrame[Any], query: Query) -> None:
    """Raise ValueError if a table has more than `MOST_DISTINCT` distinct rows."""
    if len(table) > MOST_DISTINCT:
        raise too_many_distinct([table[name].n_unique() for name in query.keys], query)


def too_many_distinct(n_values: Sequence[int], query: Query) -> ValueError:
    """Return an error that names the column with the most values; `n_values` has one per column."""
    most = int(np.argmax(n_values))
    return ValueError(
        f"the columns {query.names} have more than {MOST_DISTINCT:,} distinct combinations, too "
        f"many to count in one process; {query.arguments[most]} ({query.names[most]!r}) has the "
        "most values. Round or bin scores (a thousand levels are nearly as exact), leave "
        "identifiers out, or load the columns, if memory allows, and audit them as rows."
    )


def count_lazy(frame: nw.LazyFrame[Any], query: Query) -> DistinctRows:
    """Count the rows of a lazy frame by a ``GROUP BY`` of its engine."""
    schema = frame.collect_schema()
    _check_weight_type(schema, query)
    chosen = _chosen(frame, query)
    if frame.implementation.is_polars():
        _check_estimate(chosen, query)
    found = _grouped(chosen, query).head(MOST_DISTINCT + 1)
    orders = [_declared_order(schema[name]) for name in query.names]
    return read_counts(_collected(found), query, orders)


def _check_weight_type(schema: nw.Schema, query: Query) -> None:
    if query.weight is None:
        return
    if not schema[query.weight].is_numeric() and schema[query.weight] != nw.Boolean:
        raise ValueError(
            f"sample_weight must hold numbers, got column {query.weight!r} of type "
            f"{schema[query.weight]}."
        )


def _chosen(frame: nw.LazyFrame[Any], query: Query) -> nw.LazyFrame[Any]:
    """Select the columns of a query, under the names of a table of counts."""
    columns = [nw.col(name).alias(key(i)) for i, name in enumerate(query.names)]
    if query.weight is not None:
        weight = nw.col(query.weight).cast(nw.Float64)
        columns.append(weight.alias(WEIGHT))
        if query.survey:
            counted = (weight > 0).cast(nw.Float64)
            columns += [(weight * weight).alias(SQUARES), counted.alias(COUNTED)]
    return frame.select(*columns)


def _grouped(chosen: nw.LazyFrame[Any], query: Query) -> nw.LazyFrame[Any]:
    groups = chosen.group_by(*query.keys)
    if query.weight is None:
        return groups.agg(nw.len().alias(ROWS))
    weight = nw.col(WEIGHT)
    present, least = weight.count().alias(PRESENT), weight.min().alias(LEAST)
    more = [nw.col(name).sum() for name in query.survey_sums]
    return groups.agg(nw.len().alias(ROWS), weight.sum(), present, least, *more)


def _collected(found: nw.LazyFrame[Any]) -> Any:
    """Run a query and return its table; polars uses its streaming engine."""
    if not found.implementation.is_polars():
        return found.collect().to_native()
    try:
        return found.to_native().collect(engine="streaming")
    except TypeError:  # polars before 1.23
        return found.to_native().collect(streaming=True)


def _check_estimate(chosen: nw.LazyFrame[Any], query: Query) -> None:
    """Raise ValueError if polars estimates too many distinct rows.

    Polars holds the whole result in this process; an estimate costs a pass, and hardly any memory.
    Other engines spill to disk or run elsewhere.
    """
    schema = chosen.collect_schema()
    if all(isinstance(schema[name], NARROW) for name in query.keys):
        return
    import polars as pl

    combinations = chosen.select(*query.keys).to_native().select(pl.struct(pl.all()).hash())
    (n_distinct,) = _estimates(combinations)
    if n_distinct > MOST_DISTINCT:
        raise too_many_distinct(_estimates(chosen.select(*query.keys).to_native()), query)


def _estimates(frame: Any) -> tuple[int, ...]:
    """Estimate the number of distinct values of each column (HyperLogLog)."""
    import polars as pl

    found = nw.from_native(frame.select(pl.all().approx_n_unique()))
    return tuple(_collected(found).row(0))


def _declared_order(dtype: Any) -> tuple[str, ...] | None:
    return tuple(dtype.categories) if isinstance(dtype, nw.Enum) else None
