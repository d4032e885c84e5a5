"""Count Dask frames, series and arrays, one partition at a time.

Workers count their partitions, and counts are added up in a tree; no row leaves its partition. The
workers need this library, too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial, reduce
from typing import Any

import narwhals as nw

from fairordinal._lazy._group_by import (
    COUNTED,
    LEAST,
    MOST_DISTINCT,
    PRESENT,
    ROWS,
    SQUARES,
    WEIGHT,
    DistinctRows,
    Query,
    check_few_distinct,
    read_counts,
)
from fairordinal._support import optional
from fairordinal._validation import is_dask

FAN_IN = 4  # tables of counts that one task adds up
NUMERIC = (
    "integer",
    "integer-na",
    "floating",
    "mixed-integer-float",
    "decimal",
    "boolean",
    "empty",
)
USE = "Counting rows of Dask"


def _dask(module: str) -> Any:
    return optional(f"dask{module}", USE, "dask")


def count_dask(frame: Any, query: Query) -> DistinctRows:
    """Count the rows of a Dask DataFrame."""
    count = partial(_count, query=query)
    return _total(_mapped(count, [frame[query.columns]]), query)


def count_columns(columns: Sequence[Any], query: Query) -> DistinctRows:
    """Count the rows of Dask series or arrays, matched by position within partitions."""
    arguments = [*query.arguments, *(["sample_weight"] if query.weight is not None else [])]
    columns = [_as_column(*pair) for pair in zip(columns, arguments, strict=True)]
    columns = _same_chunks(columns, arguments)
    _check_partitions(columns, arguments)
    count = partial(_count_columns, arguments=arguments, query=query)
    if not any(hasattr(column, "chunks") for column in columns):
        return _total(_mapped(count, columns), query)
    delayed = _dask("").delayed(count, pure=True)
    blocks = zip(*(_partitions(column) for column in columns), strict=True)
    return _total([delayed(*parts) for parts in blocks], query)


def _mapped(count: Callable[..., Any], columns: Sequence[Any]) -> Sequence[Any]:
    """Return delayed counts of partitions.

    `map_partitions` computes a frame that several series come from only once.
    """
    meta = optional("pandas", USE, "dask").DataFrame({ROWS: []})
    counted = _dask(".dataframe").map_partitions(
        count, *columns, meta=meta, align_dataframes=False, enforce_metadata=False
    )
    return counted.to_delayed()


def _total(parts: Sequence[Any], query: Query) -> DistinctRows:
    """Add up the counts of partitions in a tree, and compute the result."""
    dask = _dask("")
    add_up = dask.delayed(_add_up, pure=True)
    while len(parts) > 1:
        starts = range(0, len(parts), FAN_IN)
        parts = [add_up([*parts[i : i + FAN_IN]], query) for i in starts]
    (total,) = dask.compute(parts[0])
    return read_counts(total, query)


def _count(part: Any, query: Query) -> Any:
    """Return the table of counts of one partition, a pandas frame."""
    keys = dict(zip(query.keys, query.names, strict=True))
    columns = {name: part[column].reset_index(drop=True) for name, column in keys.items()}
    if query.weight is None:
        return _grouped(type(part)(columns), query, {ROWS: (query.keys[0], "size")})
    weight = _as_weight(part[query.weight].reset_index(drop=True), query.weight)
    how = {ROWS: "size", WEIGHT: "sum", PRESENT: "count", LEAST: "min"}
    aggregates = {name: (WEIGHT, each) for name, each in how.items()} | _survey_sums(query)
    if query.survey:
        columns |= {SQUARES: weight * weight, COUNTED: (weight > 0).astype("float64")}
    frame = type(part)({**columns, WEIGHT: weight})
    return _grouped(frame, query, aggregates)


def _survey_sums(query: Query) -> dict[str, tuple[str, str]]:
    return {name: (name, "sum") for name in query.survey_sums}


def _as_weight(column: Any, name: str) -> Any:
    """Return weights as float64, nan where missing; raise ValueError for other types."""
    pd = optional("pandas", USE, "dask")
    if len(column) and pd.api.types.infer_dtype(column, skipna=True) not in NUMERIC:
        raise ValueError(f"sample_weight must hold numbers, got column {name!r} of {column.dtype}.")
    return pd.Series(column.to_numpy(dtype="float64", na_value=float("nan")))


def _add_up(parts: Sequence[Any], query: Query) -> Any:
    """Add up the tables of counts of several partitions."""
    pd = optional("pandas", USE, "dask")
    nonempty = [part for part in parts if len(part)] or [*parts[:1]]
    if len(nonempty) > 2 and sum(map(len, nonempty)) > MOST_DISTINCT:
        # one by one, so that memory is bounded by the check after each addition
        return reduce(lambda total, part: _add_up([total, part], query), nonempty)
    whole = pd.concat(nonempty, ignore_index=True)
    aggregates = {ROWS: (ROWS, "sum")}
    if query.weight is not None:
        aggregates |= {WEIGHT: (WEIGHT, "sum"), PRESENT: (PRESENT, "sum"), LEAST: (LEAST, "min")}
    aggregates |= _survey_sums(query)
    total = _grouped(whole, query, aggregates)
    check_few_distinct(nw.from_native(total, eager_only=True), query)
    return total


def _grouped(frame: Any, query: Query, aggregates: dict[str, tuple[str, str]]) -> Any:
    groups = frame.groupby(query.keys, dropna=False, observed=True, sort=False)
    return groups.agg(**aggregates).reset_index()


def _as_column(column: Any, argument: str) -> Any:
    """Return a Dask series or one-dimensional array; raise ValueError for anything else."""
    da, dd = _dask(".array"), _dask(".dataframe")
    if isinstance(column, dd.Series) or (isinstance(column, da.Array) and column.ndim == 1):
        return column
    if isinstance(column, dd.DataFrame) and len(column.columns) == 1:
        return column[column.columns[0]]
    what = f"a {type(column).__name__} of {type(column).__module__.partition('.')[0]}"
    raise ValueError(
        f"{argument} must be a column of Dask (a series or a one-dimensional array) like the other "
        f"arguments, got {what}. Take all columns from one Dask DataFrame: data=frame."
    )


def _same_chunks(columns: Sequence[Any], arguments: Sequence[str]) -> list[Any]:
    """Rechunk arrays of known lengths like the first one; return other columns unchanged."""
    first = columns[0]
    known = [hasattr(column, "chunks") and column.shape[0] == column.shape[0] for column in columns]
    if not all(known):
        return [*columns]
    for column, argument in zip(columns, arguments, strict=True):
        if column.shape != first.shape:
            raise ValueError(
                f"{argument} has {column.shape[0]} rows but {arguments[0]} has {first.shape[0]}; "
                "row i of each must describe the same sample."
            )
    return [column.rechunk(first.chunks) for column in columns]


def _check_partitions(columns: Sequence[Any], arguments: Sequence[str]) -> None:
    first = columns[0].npartitions
    for column, argument in zip(columns, arguments, strict=True):
        if column.npartitions != first:
            raise ValueError(
                f"{argument} has {column.npartitions} partitions but {arguments[0]} has {first}; "
                "rows are matched by their position in a partition. Take the columns from one Dask "
                "DataFrame, or repartition (rechunk) them alike."
            )


def _partitions(column: Any) -> list[Any]:
    return [*column.to_delayed().ravel()] if hasattr(column, "chunks") else column.to_delayed()


def _count_columns(*parts: Any, arguments: Sequence[str], query: Query) -> Any:
    """Return the table of counts of one partition, given as columns without regard to indexes."""
    pd = optional("pandas", USE, "dask")
    for part, argument in zip(parts, arguments, strict=True):
        if len(part) != len(parts[0]):
            raise ValueError(
                f"a partition of {argument} has {len(part)} rows but that of {arguments[0]} has "
                f"{len(parts[0])}; row i of each must describe the same sample. Take the columns "
                "from one Dask DataFrame, or repartition (rechunk) them alike."
            )
    weight = [query.weight] if query.weight is not None else []
    columns = {
        name: pd.Series(part).reset_index(drop=True)
        for name, part in zip([*query.names, *weight], parts, strict=True)
    }
    return _count(pd.DataFrame(columns), query)


def feature_columns(features: Any) -> list[Any]:
    """Return the columns of sensitive features: a frame, 2-D array, mapping, list or column."""
    da, dd = _dask(".array"), _dask(".dataframe")
    if isinstance(features, dd.DataFrame):
        return [features[name] for name in features.columns]
    if isinstance(features, da.Array) and features.ndim == 2:
        return [features[:, j] for j in range(features.shape[1])]
    if isinstance(features, dict):
        return [*features.values()]
    listed = isinstance(features, list | tuple) and any(is_dask(column) for column in features)
    return [*features] if listed else [features]
