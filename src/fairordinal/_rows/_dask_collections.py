"""Dask collections as input and output.

`read_partitions` turns a collection X, with its labels, groups and weights, into `DaskRows`.
Columns are read and coded on their workers, in three passes:

1. labels, groups and the range of the weights that occur (`Summary`);
2. codes of the cells of all rows (`Codes`), which are persisted;
3. moments of the features, for their scaling.

`lazily` maps a function of rows, such as `predict`, over a collection, and `lazy_table` a function
of scores that returns several numbers for each.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import check_array

from fairordinal._rows._block import Block, native
from fairordinal._rows._dask import DaskRows, compute, one_pass
from fairordinal._rows._features import Features, Moments, add_moments, moments_of, scaled_by
from fairordinal._validation import (
    Array,
    Column,
    check_complete,
    check_same_length,
    check_weight,
    is_dask,
    order_labels,
    read_column,
    read_groups,
    relative_weight,
    stack,
    weight_of_one_row,
    weight_range,
)

NO_ROWS = "X has no rows: every block is empty."


class Columns(NamedTuple):
    """Labels, groups and weights of the rows of a block."""

    y: Any
    groups: Any
    weight: Any = None


class Summary(NamedTuple):
    """The distinct labels and groups of some blocks, and the range of their weights."""

    labels: list[Column]  # one column; none if there are no rows
    groups: list[Any]
    weights: tuple[float, float] = (math.inf, 0.0)  # the least above 0, and the largest


class Codes(NamedTuple):
    """Cells of the rows of a block; rows without weight are left out."""

    cells: Array
    weight: Array | None
    positions: Array | None  # of these rows in the block, if some rows have no weight
    n_rows: int  # of the block, with rows without weight


def read_partitions(
    X: Any,
    y: Any,
    sensitive_features: Any,
    sample_weight: Any,
    labels: Any,
    *,
    score: Callable[[Any, Array], Array] | None = None,
) -> tuple[DaskRows, Array, Array]:
    """Read Dask collections as rows in blocks.

    Parameters
    ----------
    X : Dask array or data frame of shape (n_rows, n_features)
        Features. Each chunk or partition of rows becomes a block.
    y : array-like, or Dask collection with the blocks of X
        True labels.
    sensitive_features : array-like, mapping of columns, or Dask collection with the blocks of X
        Group of each row.
    sample_weight : array-like, Dask collection with the blocks of X, or None
        Weight of each row.
    labels : sequence or None
        All labels in ascending order.
    score : callable, default=None
        If given, ``score(part of X, labels)`` is the only feature, and is not scaled. Otherwise,
        the features are standardised.

    Returns
    -------
    rows : DaskRows
        Rows with weight, in blocks.
    labels : ndarray of shape (n_labels,)
        Labels in ascending order.
    groups : ndarray of shape (n_groups,)
        Names of the groups.
    """
    import dask

    features = feature_parts(X)
    parts = _columns(_Lengths(X, features), len(features), y, sensitive_features, sample_weight)
    summary = one_pass([*enumerate(parts)], _summary, _add_summaries)
    levels = _label_levels(summary, labels)
    groups = read_groups(summary.groups).levels
    largest = 1.0 if sample_weight is None else _largest_weight(summary)
    one = 1.0 / largest
    codes = dask.persist(
        *(
            dask.delayed(_codes)(number, part, levels.tolist(), groups.tolist(), largest)
            for number, part in enumerate(parts)
        )
    )
    shape = (len(groups), len(levels))
    counts = np.stack(compute([dask.delayed(_counts)(part, shape) for part in codes]))
    if score is not None:
        scored = [dask.delayed(_as_column)(score, part, levels) for part in features]
        features = [*dask.persist(*scored)]  # one number for each row: passes do not score again
    scaling = _scaling([*zip(features, codes, strict=True)], scaled=score is None)
    blocks = [
        dask.delayed(_block)(part, code, scaling, *shape, one)
        for part, code in zip(features, codes, strict=True)
    ]
    return DaskRows(blocks, counts.sum(axis=1), scaling, *shape, one), levels, groups


def _as_column(score: Callable[[Any, Array], Array], part: Any, labels: Array) -> Array:
    return score(part, labels)[:, None] if len(part) else np.zeros((0, 1))


def feature_parts(X: Any) -> list[Any]:
    """Blocks of features, delayed; each block has all columns."""
    if hasattr(X, "partitions") and hasattr(X, "columns"):
        return [*X.to_delayed()]
    if X.ndim != 2:
        raise ValueError(f"Expected 2D array, got {X.ndim}D array instead: X must have columns.")
    return [*X.rechunk({1: -1}).to_delayed().ravel()]


def _columns(lengths: _Lengths, n_blocks: int, y: Any, groups: Any, weight: Any) -> list[Any]:
    """`Columns` of each block, delayed."""
    import dask

    named = ((y, "y"), (groups, "sensitive_features"), (weight, "sample_weight"))
    parts = [_parts_of(column, name, n_blocks, lengths) for column, name in named]
    return [dask.delayed(Columns)(*each) for each in zip(*parts, strict=True)]


class _Lengths:
    """Numbers of rows of the blocks, computed only if asked for and unknown."""

    def __init__(self, X: Any, parts: Sequence[Any]) -> None:
        self._X, self._parts = X, parts

    def __call__(self) -> list[int]:
        known = getattr(self._X, "chunks", ((np.nan,),))[0]
        if not np.isnan(known).any():
            return [*known]
        import dask

        return [*compute([dask.delayed(len)(part) for part in self._parts])]


def _parts_of(column: Any, name: str, n_blocks: int, lengths: _Lengths) -> list[Any]:
    """Parts of a column for each block of the features."""
    import dask

    if column is None:
        return [None] * n_blocks
    if isinstance(column, Mapping):
        cut = {key: _parts_of(each, name, n_blocks, lengths) for key, each in column.items()}
        return [dask.delayed({key: each[i] for key, each in cut.items()}) for i in range(n_blocks)]
    if not is_dask(column):
        return _split(column, name, lengths())
    parts = [*np.ravel(column.to_delayed())] if hasattr(column, "to_delayed") else [column]
    if len(parts) != n_blocks:
        raise ValueError(
            f"{name} has {len(parts)} blocks but X has {n_blocks}: rows of a block must belong "
            "together. Rechunk or repartition it like X."
        )
    return parts


def _split(column: Any, name: str, lengths: Sequence[int]) -> list[Any]:
    """A column in memory, split into parts of these lengths."""
    if name == "sensitive_features":
        groups = read_groups(column)
        codes, names = groups.codes(slice(None)), tuple(groups.levels.tolist())
        whole = Column(name, codes, names)
    else:
        whole = read_column(column, name)
    if len(whole.values) != sum(lengths):
        raise ValueError(f"X has {sum(lengths)} rows but {name} has {len(whole.values)}.")
    stops = np.cumsum(lengths).tolist()
    pieces = zip([0, *stops], stops, strict=False)
    return [replace(whole, values=whole.values[start:stop]) for start, stop in pieces]


def _n_rows(values: Any) -> int:
    """Number of rows of a part of a column, or of a mapping of columns."""
    if isinstance(values, Mapping):
        return _n_rows(next(iter(values.values())))
    return len(values.values) if isinstance(values, Column) else len(values)


def _summary(numbered: tuple[int, Columns]) -> Summary:
    number, columns = numbered
    if not _n_rows(columns.y):
        return Summary([], [])
    with _errors_name_block(number):
        column = read_column(columns.y, "y")
        check_complete(column)
        groups = _read_groups(columns.groups)
        weight = _read_weight(columns.weight, len(column.values))
    labels = [replace(column, values=np.unique(column.values))]
    weights = [] if weight is None else [weight_range(weight)]
    return Summary(labels, groups.levels.tolist(), *weights)


def _read_groups(values: Any) -> Any:
    return read_groups(values, least=1)


def _add_summaries(summaries: Sequence[Summary]) -> Summary:
    labels = [column for summary in summaries for column in summary.labels]
    groups = dict.fromkeys(group for summary in summaries for group in summary.groups)
    if not labels:
        return Summary([], [])
    whole = stack(labels)
    least, largest = zip(*(summary.weights for summary in summaries), strict=True)
    found = [replace(whole, values=np.unique(whole.values))]
    return Summary(found, [*groups], (min(least), max(largest)))


def _label_levels(summary: Summary, labels: Any) -> Array:
    """Labels in ascending order."""
    if not summary.labels:
        raise ValueError(NO_ROWS)
    (column,) = summary.labels
    truth, _, _ = order_labels(column, column, labels)
    return truth.levels


def _largest_weight(summary: Summary) -> float:
    """The largest weight; an error if weights differ by too large a factor."""
    weight_of_one_row(*summary.weights)
    return summary.weights[1]


@contextmanager
def _errors_name_block(number: int) -> Iterator[None]:
    """Put the number of the block in front of error messages."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"block {number}: {error}") from error


def _codes(
    number: int, columns: Columns, labels: list[Any], groups: list[Any], largest: float
) -> Codes:
    """Codes of the rows of a block, in the smallest integer dtype that holds them."""
    n_rows = _n_rows(columns.y)
    if not n_rows:
        return Codes(np.zeros(0, dtype=np.uint8), None, None, 0)
    with _errors_name_block(number):
        column, found = read_column(columns.y, "y"), _read_groups(columns.groups)
        check_same_length(column, found)
        truth, _, _ = order_labels(column, column, labels)
        weight = _read_weight(columns.weight, n_rows, largest)
    code_of = {name: code for code, name in enumerate(groups)}
    group = np.array([code_of[name] for name in found.levels.tolist()])[found.codes(slice(None))]
    cells = group * len(labels) + truth.codes(slice(None))
    small = cells.astype(np.min_scalar_type(len(labels) * len(groups)))
    if weight is None or weight.all():
        return Codes(small, weight, None, n_rows)
    positions = np.flatnonzero(weight)
    return Codes(small[positions], weight[positions], positions, n_rows)


def _read_weight(weight: Any, n_rows: int, largest: float = 1.0) -> Array | None:
    """Weights of a block, relative to the largest weight of all blocks; all of them may be 0."""
    if weight is None:
        return None
    return relative_weight(check_weight(weight, n_rows, rows_of="y"), largest)


def _counts(codes: Codes, shape: tuple[int, int]) -> Array:
    """Number of rows by group and label."""
    return np.bincount(codes.cells, minlength=shape[0] * shape[1]).reshape(shape)


def _scaling(parts: list[Any], *, scaled: bool) -> Features:
    moments = one_pass(parts, _moments, add_moments)
    plain = Features(None, np.zeros(len(moments.means)), np.ones(len(moments.means)))
    return scaled_by(moments).with_origin() if scaled else plain


def _moments(part: tuple[Any, Codes]) -> Moments:
    X, codes = part
    if len(X) != codes.n_rows:
        raise ValueError(
            f"a block of X has {len(X)} rows but that of y has {codes.n_rows}: rows of a block "
            "must belong together. Rechunk or repartition y like X."
        )
    if not len(X):
        return Moments(0, 0.0, np.zeros(np.shape(X)[1]), np.zeros(np.shape(X)[1]))
    X = check_array(X, dtype=np.float64, input_name="X")
    return moments_of(X if codes.positions is None else X[codes.positions], codes.weight)


def _block(
    X: Any, codes: Codes, scaling: Features, n_groups: int, n_labels: int, one: float
) -> Block:
    X = native(np.asarray(X, dtype=np.float64))
    X = X if codes.positions is None else X[codes.positions]
    weight = np.ones(len(codes.cells)) if codes.weight is None else native(codes.weight)
    cells = codes.cells.astype(np.intp)
    return Block(scaling.applied_to(X), cells, weight, n_groups, n_labels, one=one)


def lazily(function: Callable[[Any], Array], X: Any, dtype: Any) -> Any:
    """Map a function of rows over a Dask collection, lazily.

    Parameters
    ----------
    function : callable
        Returns one value for each row of a block.
    X : Dask array or data frame of shape (n_rows, n_features)
        The rows.
    dtype : dtype
        Type of the values.

    Returns
    -------
    values : Dask array or series of shape (n_rows,)
        A series with the index of X if X is a data frame.
    """
    if hasattr(X, "map_partitions"):
        return X.map_partitions(_as_series, function, meta=(None, dtype))
    whole = X.rechunk({1: -1})
    return whole.map_blocks(_as_array, function, dtype=dtype, drop_axis=1)


def _as_series(part: Any, function: Callable[[Any], Array]) -> Any:
    import pandas as pd

    return pd.Series(_as_array(part, function), index=part.index)


def lazy_table(function: Callable[[Array], Array], column: Any, names: list[Any]) -> Any:
    """Map a function of a lazy column, which returns a row of numbers for each value.

    Parameters
    ----------
    function : callable
        Returns an array of shape (n_values, n_names) for the values of a block.
    column : Dask array or series of shape (n_rows,)
        The values.
    names : list
        Names of the columns.

    Returns
    -------
    table : Dask array or data frame of shape (n_rows, n_names)
        A data frame with the index of the column if that is a series.
    """
    if hasattr(column, "map_partitions"):
        import pandas as pd

        meta = pd.DataFrame(columns=names, dtype=np.float64)
        return column.map_partitions(_as_frame, function, names, meta=meta)
    chunks = (column.chunks[0], (len(names),))
    return column.map_blocks(function, dtype=np.float64, new_axis=1, chunks=chunks)


def _as_frame(part: Any, function: Callable[[Array], Array], names: list[Any]) -> Any:
    import pandas as pd

    return pd.DataFrame(function(part.to_numpy()), columns=names, index=part.index)


def _as_array(part: Any, function: Callable[[Any], Array]) -> Array:
    return function(part) if len(part) else np.zeros(0)


def first_rows(X: Any, n_rows: int = 2) -> Any:
    """The first rows, in memory, of the first block of a Dask collection that has rows."""
    for part in feature_parts(X):
        rows = compute(part)
        if len(rows):
            return rows[:n_rows]
    raise ValueError(NO_ROWS)
