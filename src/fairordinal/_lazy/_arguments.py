"""The arguments of an audit: columns in memory, or distinct rows of out-of-core data.

With ``data=frame`` the arguments are names of columns. Columns of a frame in memory are picked from
it; all other data are counted by their engine, and the distinct rows replace the rows.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import Any, NamedTuple

import narwhals as nw

from fairordinal._lazy._arrow import count_arrow, is_arrow
from fairordinal._lazy._dask import count_columns, count_dask, feature_columns
from fairordinal._lazy._group_by import DistinctRows, Query, count_lazy
from fairordinal._validation import is_dask


class AuditColumns(NamedTuple):
    """The columns that an audit reads; with `data`, their names."""

    y_true: Any
    y_pred: Any
    sensitive_features: Any
    sample_weight: Any = None
    scores: Any = None


def gather(rows: AuditColumns, data: Any, *, survey: bool = False) -> AuditColumns:
    """Return columns in memory; those of out-of-core data as distinct rows with weights.

    With `survey`, weights are survey weights, of which the squares are summed as well.
    """
    if survey and rows.sample_weight is None:
        raise ValueError("weights='survey' needs sample_weight, the weight of each row.")
    if data is None:
        return _count_dask_columns(rows, survey) if _has_dask(rows) else rows
    names = _read_names(rows)
    frame = nw.from_native(data, pass_through=True)
    if isinstance(frame, nw.DataFrame):
        _check_columns(frame.columns, names)
        return _pick(frame, names)
    query = _query(names, survey)
    return _as_rows(_count(frame, data, names, query), names)


def _count(frame: Any, data: Any, names: AuditColumns, query: Query) -> DistinctRows:
    """Count rows by the library that holds them."""
    if is_arrow(data):
        _check_columns(data.schema.names, names)
        return count_arrow(data, query)
    if not isinstance(frame, nw.LazyFrame):
        raise ValueError(
            "data must be a frame (pandas, polars, pyarrow, Dask, DuckDB, Spark; lazy or not) or a "
            f"dataset of pyarrow, got {data!r:.60}. Open files first: polars.scan_parquet(...), "
            "pyarrow.dataset.dataset(...), dask.dataframe.read_parquet(...)."
        )
    _check_columns(frame.collect_schema().names(), names)
    return count_dask(data, query) if is_dask(data) else count_lazy(frame, query)


def _read_names(rows: AuditColumns) -> AuditColumns:
    """Check the names of columns, and make a list of those of the groups."""
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


def _pairs(rows: AuditColumns) -> list[tuple[str, Any]]:
    """Return pairs of an argument and one column, or its name; groups come first."""
    pairs = [("sensitive_features", feature) for feature in rows.sensitive_features]
    others = {**rows._asdict(), "sensitive_features": None}
    return pairs + [(argument, given) for argument, given in others.items() if given is not None]


def _check_columns(found: Sequence[str], names: AuditColumns) -> None:
    for argument, name in _pairs(names):
        if name not in found:
            near = difflib.get_close_matches(name, found, 1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            raise ValueError(
                f"{argument}: data has no column {name!r}.{hint} It has {[*found]!r:.500}."
            )


def _pick(frame: nw.DataFrame[Any], names: AuditColumns) -> AuditColumns:
    """Return columns of a frame in memory."""
    columns = {
        argument: None if name is None else frame[name].to_native()
        for argument, name in names._asdict().items()
        if argument != "sensitive_features"
    }
    features = enumerate(names.sensitive_features)
    return AuditColumns(
        **columns, sensitive_features={i: frame[name].to_native() for i, name in features}
    )


def _query(names: AuditColumns, survey: bool) -> Query:
    pairs = [pair for pair in _pairs(names) if pair[0] != "sample_weight"]
    arguments, columns = zip(*pairs, strict=True)
    return Query([*columns], [*arguments], names.sample_weight, survey)


def _as_rows(distinct: DistinctRows, names: AuditColumns) -> AuditColumns:
    """Return distinct rows as arguments; groups come first among the counted columns."""
    n_features = len(names.sensitive_features)
    y_true, y_pred, *scores = distinct.columns[n_features:]
    features = dict(enumerate(distinct.columns[:n_features]))
    return AuditColumns(y_true, y_pred, features, distinct.weight, *scores)


def _has_dask(rows: AuditColumns) -> bool:
    features = rows.sensitive_features
    if isinstance(features, dict):
        features = [*features.values()]
    first = features[:1] if isinstance(features, list | tuple) else [features]
    return any(is_dask(column) for column in (*rows._replace(sensitive_features=None), *first))


def _count_dask_columns(rows: AuditColumns, survey: bool) -> AuditColumns:
    """Count Dask columns that were passed as arguments."""
    given = rows._replace(sensitive_features=feature_columns(rows.sensitive_features))
    features = [f"feature {i}" for i in range(len(given.sensitive_features))]
    names = AuditColumns(
        *(None if column is None else name for name, column in given._asdict().items())
    )
    names = names._replace(sensitive_features=features)
    columns = [column for argument, column in _pairs(given) if argument != "sample_weight"]
    weight = [] if rows.sample_weight is None else [rows.sample_weight]
    return _as_rows(count_columns([*columns, *weight], _query(names, survey)), names)
