"""Dask: frames, series and arrays, counted partition by partition.

Partitions are counted where they are, and counts are added up in a tree; no row leaves its
partition. Workers need this library too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial, reduce
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
    read_counted,
    refuse_many,
)
from fairordinal._optional import optional
from fairordinal._validation import is_dask

FAN_IN = 4  # tables of counts that are added up at once
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


def count_dask(frame: Any, query: Query) -> Counted:
    """Count the rows of a Dask DataFrame."""
    wanted = [*query.names, *([query.weight] if query.weight is not None else [])]
    count = partial(_count, query=query)
    return _total(_mapped(count, [frame[list(dict.fromkeys(wanted))]]), query)


def count_columns(columns: Sequence[Any], query: Query) -> Counted:
    """Count columns of Dask, series or arrays, matched by position within partitions."""
    arguments = [*query.arguments, *(["sample_weight"] if query.weight is not None else [])]
    columns = [_checked(*pair) for pair in zip(columns, arguments, strict=True)]
    columns = _same_chunks(columns, arguments)
    _check_partitions(columns, arguments)
    count = partial(_count_beside, arguments=arguments, query=query)
    if not any(hasattr(column, "chunks") for column in columns):
        return _total(_mapped(count, columns), query)
    delayed = _dask("").delayed(count, pure=True)
    blocks = zip(*(_partitions(column) for column in columns), strict=True)
    return _total([delayed(*parts) for parts in blocks], query)


def _mapped(count: Callable[..., Any], columns: Sequence[Any]) -> Sequence[Any]:
    """Counts of partitions; what several series are made of is made once."""
    nothing = optional("pandas", USE, "dask").DataFrame({ROWS: []})
    counted = _dask(".dataframe").map_partitions(
        count, *columns, meta=nothing, align_dataframes=False, enforce_metadata=False
    )
    return counted.to_delayed()


def _total(parts: Sequence[Any], query: Query) -> Counted:
    """Add up counts of partitions, a few at a time."""
    dask = _dask("")
    add_up = dask.delayed(_add_up, pure=True)
    while len(parts) > 1:
        starts = range(0, len(parts), FAN_IN)
        parts = [add_up([*parts[i : i + FAN_IN]], query) for i in starts]
    (total,) = dask.compute(parts[0])
    return read_counted(total, query)


def _count(part: Any, query: Query) -> Any:
    """Distinct rows of one partition, a frame of pandas; columns are called by number."""
    keys = dict(zip(query.keys, query.names, strict=True))
    columns = {name: part[column].reset_index(drop=True) for name, column in keys.items()}
    if query.weight is None:
        return _grouped(type(part)(columns), query, {ROWS: (query.keys[0], "size")})
    weight = _as_weight(part[query.weight].reset_index(drop=True), query.weight)
    figures = {ROWS: "size", WEIGHT: "sum", PRESENT: "count", LEAST: "min"}
    frame = type(part)({**columns, WEIGHT: weight})
    return _grouped(frame, query, {name: (WEIGHT, how) for name, how in figures.items()})


def _as_weight(column: Any, name: str) -> Any:
    """Numbers of full precision, nan where missing; what is no number is refused."""
    pd = optional("pandas", USE, "dask")
    if len(column) and pd.api.types.infer_dtype(column, skipna=True) not in NUMERIC:
        raise ValueError(f"sample_weight must hold numbers, got column {name!r} of {column.dtype}.")
    return pd.Series(column.to_numpy(dtype="float64", na_value=float("nan")))


def _add_up(parts: Sequence[Any], query: Query) -> Any:
    """Counts of several partitions together."""
    pd = optional("pandas", USE, "dask")
    some = [part for part in parts if len(part)] or [*parts[:1]]
    if len(some) > 2 and sum(map(len, some)) > MOST_DISTINCT:  # one by one, to stop in time
        return reduce(lambda total, part: _add_up([total, part], query), some)
    whole = pd.concat(some, ignore_index=True)
    figures = {ROWS: (ROWS, "sum")}
    if query.weight is not None:
        figures |= {WEIGHT: (WEIGHT, "sum"), PRESENT: (PRESENT, "sum"), LEAST: (LEAST, "min")}
    total = _grouped(whole, query, figures)
    refuse_many(nw.from_native(total, eager_only=True), query)
    return total


def _grouped(frame: Any, query: Query, figures: dict[str, tuple[str, str]]) -> Any:
    groups = frame.groupby(query.keys, dropna=False, observed=True, sort=False)
    return groups.agg(**figures).reset_index()


def _checked(column: Any, argument: str) -> Any:
    """A series, or an array of one dimension."""
    da, dd = _dask(".array"), _dask(".dataframe")
    if isinstance(column, dd.Series) or (isinstance(column, da.Array) and column.ndim == 1):
        return column
    if isinstance(column, dd.DataFrame) and len(column.columns) == 1:
        return column[column.columns[0]]
    what = f"a {type(column).__name__} of {type(column).__module__.partition('.')[0]}"
    raise ValueError(
        f"{argument} must be a column of Dask (a series, or an array of one dimension) as other "
        f"arguments are, got {what}. Take all columns from one Dask DataFrame: data=frame."
    )


def _same_chunks(columns: Sequence[Any], arguments: Sequence[str]) -> list[Any]:
    """Arrays of known lengths in the chunks of the first; others as they are."""
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
                "rows are matched by their place in a partition. Take the columns from one Dask "
                "DataFrame, or repartition (rechunk) them alike."
            )


def _partitions(column: Any) -> list[Any]:
    return [*column.to_delayed().ravel()] if hasattr(column, "chunks") else column.to_delayed()


def _count_beside(*parts: Any, arguments: Sequence[str], query: Query) -> Any:
    """Distinct rows of one partition, given as columns; their indices are ignored."""
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
    """The columns of sensitive features: of a frame, a two-dimensional array, a list, a mapping."""
    da, dd = _dask(".array"), _dask(".dataframe")
    if isinstance(features, dd.DataFrame):
        return [features[name] for name in features.columns]
    if isinstance(features, da.Array) and features.ndim == 2:
        return [features[:, j] for j in range(features.shape[1])]
    if isinstance(features, dict):
        return [*features.values()]
    listed = isinstance(features, list | tuple) and any(is_dask(column) for column in features)
    return [*features] if listed else [features]
