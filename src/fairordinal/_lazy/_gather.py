"""The arguments of an audit as columns in memory: as they are, or counted where they are."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import Any, NamedTuple

import narwhals as nw

from fairordinal._lazy._arrow import count_arrow, is_arrow, names_of_arrow
from fairordinal._lazy._counted import Counted, Query
from fairordinal._lazy._dask import count_columns, count_dask, feature_columns
from fairordinal._lazy._engines import count_lazy
from fairordinal._validation import is_dask


class Rows(NamedTuple):
    """What an audit reads; with `data`, names of its columns."""

    y_true: Any
    y_pred: Any
    sensitive_features: Any
    sample_weight: Any = None
    scores: Any = None


def gather(rows: Rows, data: Any) -> Rows:
    """Rows in memory, or distinct rows with their weights for those that are elsewhere."""
    if data is None:
        return _of_dask_columns(rows) if _has_dask(rows) else rows
    names = _named(rows)
    frame = nw.from_native(data, pass_through=True)
    if isinstance(frame, nw.DataFrame):
        _check_columns(frame.columns, names)
        return _picked(frame, names)
    query = _query(names)
    return _distinct(_count(frame, data, names, query), names)


def _count(frame: Any, data: Any, names: Rows, query: Query) -> Counted:
    """Let whoever holds the rows count them."""
    if is_arrow(data):
        _check_columns(names_of_arrow(data), names)
        return count_arrow(data, query)
    if not isinstance(frame, nw.LazyFrame):
        raise ValueError(
            "data must be a frame (pandas, polars, pyarrow, Dask, DuckDB, Spark; lazy or not) or a "
            f"dataset of pyarrow, got {data!r:.60}. Open files first: polars.scan_parquet(...), "
            "pyarrow.dataset.dataset(...), dask.dataframe.read_parquet(...)."
        )
    _check_columns(frame.collect_schema().names(), names)
    return count_dask(data, query) if is_dask(data) else count_lazy(frame, query)


def _named(rows: Rows) -> Rows:
    """The names of columns, groups as a list."""
    features = rows.sensitive_features
    features = [features] if isinstance(features, str) else features
    if not isinstance(features, Sequence) or not len(features):
        raise ValueError(
            "with data=, sensitive_features must be the name of a column or a list of names, got "
            f"{features!r:.60}."
        )
    named = rows._replace(sensitive_features=[*features])
    for argument, name in _pairs(named):
        if not isinstance(name, str):
            raise ValueError(
                f"with data=, {argument} must be the name of a column, got {name!r:.60}."
            )
    return named


def _pairs(rows: Rows) -> list[tuple[str, Any]]:
    """Arguments and what was given for them, column by column."""
    pairs = [("sensitive_features", feature) for feature in rows.sensitive_features]
    others = {**rows._asdict(), "sensitive_features": None}
    return pairs + [(argument, given) for argument, given in others.items() if given is not None]


def _check_columns(found: Sequence[str], names: Rows) -> None:
    for argument, name in _pairs(names):
        if name not in found:
            near = difflib.get_close_matches(name, found, 1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            raise ValueError(
                f"{argument}: data has no column {name!r}.{hint} It has {[*found]!r:.500}."
            )


def _picked(frame: nw.DataFrame[Any], names: Rows) -> Rows:
    """Columns of a frame in memory."""
    columns = {
        argument: None if name is None else frame[name].to_native()
        for argument, name in names._asdict().items()
        if argument != "sensitive_features"
    }
    features = enumerate(names.sensitive_features)
    return Rows(**columns, sensitive_features={i: frame[name].to_native() for i, name in features})


def _query(names: Rows) -> Query:
    pairs = [pair for pair in _pairs(names) if pair[0] != "sample_weight"]
    arguments, columns = zip(*pairs, strict=True)
    return Query([*columns], [*arguments], names.sample_weight)


def _distinct(counted: Counted, names: Rows) -> Rows:
    """Distinct rows in the place of all rows; groups come first among the columns."""
    n_features = len(names.sensitive_features)
    y_true, y_pred, *scores = counted.columns[n_features:]
    features = dict(enumerate(counted.columns[:n_features]))
    return Rows(y_true, y_pred, features, counted.weight, *scores)


def _has_dask(rows: Rows) -> bool:
    features = rows.sensitive_features
    if isinstance(features, dict):
        features = [*features.values()]
    first = features[:1] if isinstance(features, list | tuple) else [features]
    return any(is_dask(column) for column in (*rows._replace(sensitive_features=None), *first))


def _of_dask_columns(rows: Rows) -> Rows:
    """Columns of Dask, counted side by side; they are called as their arguments."""
    given = rows._replace(sensitive_features=feature_columns(rows.sensitive_features))
    features = [f"feature {i}" for i in range(len(given.sensitive_features))]
    names = Rows(*(None if column is None else name for name, column in given._asdict().items()))
    names = names._replace(sensitive_features=features)
    columns = [column for argument, column in _pairs(given) if argument != "sample_weight"]
    weight = [] if rows.sample_weight is None else [rows.sample_weight]
    return _distinct(count_columns([*columns, *weight], _query(names)), names)
