"""From collections of Dask to rows in blocks: columns are read and coded where they are."""

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


class Columns(NamedTuple):
    """What is said of the rows beside their features; parts are delayed, one for each block."""

    y: Any
    groups: Any
    weight: Any = None


class Look(NamedTuple):
    """The distinct labels and groups of some blocks, and the range of their weights."""

    labels: list[Column]
    groups: list[Any]
    weights: tuple[float, float] = (math.inf, 0.0)  # the least above 0, and the greatest


class Codes(NamedTuple):
    """The rows of a block that count, as codes of cells."""

    cells: Array
    weight: Array | None
    places: Array | None  # among the rows of the block, if some do not count
    n_rows: int  # of the block


def read_partitions(
    X: Any,
    y: Any,
    sensitive_features: Any,
    sample_weight: Any,
    categories: Any,
    *,
    score: Callable[[Any, Array], Array] | None = None,
) -> tuple[DaskRows, Array, Array]:
    """Rows in blocks; the labels and the groups. Three passes, one of them over features.

    The features are scaled; or, with `score`, their one feature is a score as it is, made of the
    features of a block and the labels.
    """
    import dask

    features = feature_parts(X)
    lengths = _Lengths(X, features)
    columns = [
        _parts_of(column, name, len(features), lengths)
        for column, name in (
            (y, "y"),
            (sensitive_features, "sensitive_features"),
            (sample_weight, "sample_weight"),
        )
    ]
    parts = [dask.delayed(Columns)(*each) for each in zip(*columns, strict=True)]
    look = one_pass([*enumerate(parts)], _look, _add_looks)
    labels = _label_levels(look, categories)
    groups = read_groups(look.groups).levels
    greatest = 1.0
    if sample_weight is not None:
        weight_of_one_row(*look.weights)  # refuses weights that are too far apart
        greatest = look.weights[1]
    one = 1.0 / greatest
    codes = dask.persist(
        *(
            dask.delayed(_codes)(number, part, labels.tolist(), groups.tolist(), greatest)
            for number, part in enumerate(parts)
        )
    )
    shape = (len(groups), len(labels))
    counts = np.stack(compute([dask.delayed(_counts)(part, shape) for part in codes]))
    if score is not None:
        scored = [dask.delayed(_as_column)(score, part, labels) for part in features]
        features = [*dask.persist(*scored)]  # a number a row: no pass has to score again
    scaling = _scaling([*zip(features, codes, strict=True)], scaled=score is None)
    blocks = [
        dask.delayed(_block)(part, code, scaling, *shape, one)
        for part, code in zip(features, codes, strict=True)
    ]
    return DaskRows(blocks, counts.sum(axis=1), scaling, *shape, one), labels, groups


def _as_column(score: Callable[[Any, Array], Array], part: Any, labels: Array) -> Array:
    return score(part, labels)[:, None] if len(part) else np.zeros((0, 1))


def feature_parts(X: Any) -> list[Any]:
    """Blocks of features, delayed; all columns of a row in one block."""
    if hasattr(X, "partitions") and hasattr(X, "columns"):
        return [*X.to_delayed()]
    if X.ndim != 2:
        raise ValueError(f"Expected 2D array, got {X.ndim}D array instead: X must have columns.")
    return [*X.rechunk({1: -1}).to_delayed().ravel()]


class _Lengths:
    """Numbers of rows of the blocks, computed lazily when chunk sizes are unknown."""

    def __init__(self, X: Any, parts: Sequence[Any]) -> None:
        self._X, self._parts = X, parts

    def __call__(self) -> list[int]:
        known = getattr(self._X, "chunks", ((np.nan,),))[0]
        if not np.isnan(known).any():
            return [*known]
        import dask

        return [*compute([dask.delayed(len)(part) for part in self._parts])]


def _parts_of(column: Any, name: str, n_blocks: int, lengths: _Lengths) -> list[Any]:
    """A column cut as the features are."""
    import dask

    if column is None:
        return [None] * n_blocks
    if isinstance(column, Mapping):
        cut = {key: _parts_of(each, name, n_blocks, lengths) for key, each in column.items()}
        return [dask.delayed({key: each[i] for key, each in cut.items()}) for i in range(n_blocks)]
    if not is_dask(column):
        return _cut(column, name, lengths())
    parts = [*np.ravel(column.to_delayed())] if hasattr(column, "to_delayed") else [column]
    if len(parts) != n_blocks:
        raise ValueError(
            f"{name} has {len(parts)} blocks but X has {n_blocks}: rows of a block must belong "
            "together. Rechunk or repartition it like X."
        )
    return parts


def _cut(column: Any, name: str, lengths: Sequence[int]) -> list[Any]:
    """A column in memory, in pieces of these lengths."""
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
    if isinstance(values, Mapping):
        return _n_rows(next(iter(values.values())))
    return len(values.values) if isinstance(values, Column) else len(values)


def _look(numbered: tuple[int, Columns]) -> Look:
    number, columns = numbered
    if not _n_rows(columns.y):
        return Look([], [])
    with _said_of(number):
        column = read_column(columns.y, "y")
        check_complete(column)
        groups = _read_groups(columns.groups)
        weight = _read_weight(columns.weight, len(column.values))
    labels = [replace(column, values=np.unique(column.values))]
    return Look(labels, groups.levels.tolist(), *([] if weight is None else [weight_range(weight)]))


def _read_groups(values: Any) -> Any:
    return read_groups(values, least=1)


def _add_looks(looks: Sequence[Look]) -> Look:
    labels = [column for look in looks for column in look.labels]
    groups = dict.fromkeys(group for look in looks for group in look.groups)
    if not labels:
        return Look([], [])
    whole = stack(labels)
    least, greatest = zip(*(look.weights for look in looks), strict=True)
    found = [replace(whole, values=np.unique(whole.values))]
    return Look(found, [*groups], (min(least), max(greatest)))


def _label_levels(look: Look, categories: Any) -> Array:
    if not look.labels:
        raise ValueError("X has no rows: every block is empty.")
    (column,) = look.labels
    truth, _, _ = order_labels(column, column, categories)
    return truth.levels


@contextmanager
def _said_of(number: int) -> Iterator[None]:
    """Errors say in which block they were found."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"block {number}: {error}") from error


def _codes(
    number: int, columns: Columns, labels: list[Any], groups: list[Any], greatest: float
) -> Codes:
    """Cells of the rows of a block in the smallest whole numbers that hold them."""
    n_rows = _n_rows(columns.y)
    if not n_rows:
        return Codes(np.zeros(0, dtype=np.uint8), None, None, 0)
    with _said_of(number):
        column, found = read_column(columns.y, "y"), _read_groups(columns.groups)
        check_same_length(column, found)
        truth, _, _ = order_labels(column, column, labels)
        weight = _read_weight(columns.weight, n_rows, greatest)
    place = {name: code for code, name in enumerate(groups)}
    group = np.array([place[name] for name in found.levels.tolist()])[found.codes(slice(None))]
    cells = group * len(labels) + truth.codes(slice(None))
    small = cells.astype(np.min_scalar_type(len(labels) * len(groups)))
    if weight is None or weight.all():
        return Codes(small, weight, None, n_rows)
    places = np.flatnonzero(weight)
    return Codes(small[places], weight[places], places, n_rows)


def _read_weight(weight: Any, n_rows: int, greatest: float = 1.0) -> Array | None:
    """Weights of a block, all of which may be 0, relative to the greatest of all blocks."""
    if weight is None:
        return None
    return relative_weight(check_weight(weight, n_rows, rows_of="y"), greatest)


def _counts(codes: Codes, shape: tuple[int, int]) -> Array:
    """Rows by group and label."""
    return np.bincount(codes.cells, minlength=shape[0] * shape[1]).reshape(shape)


def _scaling(parts: list[Any], *, scaled: bool) -> Features:
    moments = one_pass(parts, _moments, add_moments)
    plain = Features(None, np.zeros(len(moments.means)), np.ones(len(moments.means)))
    return scaled_by(moments).moved() if scaled else plain


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
    return moments_of(X if codes.places is None else X[codes.places], codes.weight)


def _block(
    X: Any, codes: Codes, scaling: Features, n_groups: int, n_labels: int, one: float
) -> Block:
    X = native(np.asarray(X, dtype=np.float64))
    X = X if codes.places is None else X[codes.places]
    weight = np.ones(len(codes.cells)) if codes.weight is None else native(codes.weight)
    cells = codes.cells.astype(np.intp)
    return Block(scaling.holding(X), cells, weight, n_groups, n_labels, one=one)
