"""Columns as integer codes of their levels; sensitive groups as codes.

A *level* is a distinct value of a column, and levels are in ascending order: row ``i`` holds
``levels[code_i]``. Codes are computed for one block of rows at a time, so that an integer column of
10⁸ rows is never copied. A sensitive group is a level of one column, or a combination of levels of
several columns that occurs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import narwhals as nw
import numpy as np

from fairordinal._validation._columns import (
    Array,
    Column,
    is_number,
    locate,
    read_column,
    refuse_lazy,
)

BLOCK_ROWS = 1 << 16  # a few arrays of this length fit into a processor's cache
DENSE_SPAN = 1 << 16  # integers of a smaller range are encoded by a lookup table, not by sorting
MISSING = "(missing)"


@dataclass(frozen=True)
class Coded:
    """A column as codes: row ``i`` holds ``levels[lookup[values[i] - offset]]``."""

    name: str
    values: Array  # (n_rows,) integers
    offset: int
    lookup: Array  # code of each integer from `offset` on; -1 if it does not occur
    levels: Array  # ascending
    counts: Array | None = None  # rows per entry, as in `Column`

    def codes(self, rows: slice) -> Array:
        """Return the codes of some rows as integers that can index arrays."""
        return self.lookup[self.values[rows].astype(np.intp) - self.offset]

    def recode(self, new_code: Array, levels: Array) -> Coded:
        """Return the column with other levels: level ``i`` becomes ``levels[new_code[i]]``."""
        lookup = np.where(self.lookup < 0, -1, new_code[self.lookup])
        return replace(self, lookup=lookup, levels=levels)

    def rows_with(self, codes: Array) -> Array:
        """Return the numbers of the rows that hold one of the codes."""
        found = [
            rows.start + np.flatnonzero(np.isin(self.codes(rows), codes))
            for rows in blocks_of(self.values)
        ]
        return np.concatenate(found)


def row_blocks(n_rows: int, size: int = BLOCK_ROWS) -> Iterator[slice]:
    """Yield consecutive slices that cover ``n_rows`` rows."""
    return (slice(start, min(start + size, n_rows)) for start in range(0, n_rows, size))


def blocks_of(values: Array) -> Iterator[slice]:
    """Yield consecutive slices that cover a column."""
    return row_blocks(len(values))


def encode(column: Column) -> Coded:
    """Encode a column: numbers in ascending order, names in the order of `Column.names`."""
    if column.names is not None:
        return _encode_names(column)
    low, high = column.values.min(), column.values.max()
    narrow = float(high) - float(low) < DENSE_SPAN and abs(float(low)) < 2**52
    if narrow and all_whole(column.values):
        return _encode_span(column, int(low), int(high))
    levels, codes = np.unique(column.values, return_inverse=True)
    return Coded(column.name, codes, 0, np.arange(len(levels)), levels, column.counts)


def _encode_names(column: Column) -> Coded:
    assert column.names is not None
    levels = np.empty(len(column.names), dtype=object)
    levels[:] = column.names
    return Coded(column.name, column.values, 0, np.arange(len(levels)), levels, column.counts)


def all_whole(values: Array) -> bool:
    """Return whether all numbers are integers, of any dtype."""
    if values.dtype.kind in "iu":
        return True
    return all(bool((values[rows] == np.rint(values[rows])).all()) for rows in blocks_of(values))


def _encode_span(column: Column, low: int, high: int) -> Coded:
    """Encode integers from `low` to `high` by a lookup table, without copying the column."""
    present = np.zeros(high - low + 1, dtype=bool)
    for rows in blocks_of(column.values):
        present[column.values[rows].astype(np.intp) - low] = True
    levels = (np.flatnonzero(present) + low).astype(column.values.dtype)
    lookup = np.where(present, np.cumsum(present) - 1, -1)
    return Coded(column.name, column.values, low, lookup, levels, column.counts)


def check_same_length(*columns: Column | Coded) -> None:
    """Raise ValueError if columns have different lengths."""
    first, *others = columns
    for other in others:
        if len(other.values) != len(first.values):
            raise ValueError(
                f"{other.name} has {len(other.values)} rows but {first.name} has "
                f"{len(first.values)}; row i of each must describe the same sample."
            )


def read_groups(sensitive_features: Any, missing_group: str = "error", least: int = 2) -> Coded:
    """Encode sensitive groups, at least `least` of them; several columns mean intersections.

    Missing groups raise ValueError, or are one more group with ``missing_group="own"``.
    """
    if missing_group not in ("error", "own"):
        raise ValueError(f"missing_group must be 'error' or 'own', got {missing_group!r}.")
    columns = _group_columns(sensitive_features)
    lengths = [len(column.values) for column in columns]
    if len(set(lengths)) > 1:
        raise ValueError(f"the columns of sensitive_features have different lengths {lengths}.")
    coded = [_encode_groups(column, missing_group) for column in columns]
    groups = coded[0] if len(coded) == 1 else _intersect(coded)
    if len(groups.levels) < least:
        raise ValueError(
            f"sensitive_features has one group ({groups.levels.tolist()[0]!r}); pairwise "
            "disparities need two. Pass the full audit sample, not one stratum."
        )
    return groups


def _group_columns(sensitive_features: Any) -> list[Column]:
    name = "sensitive_features"
    refuse_lazy(sensitive_features, name)
    columns = _feature_columns(
        nw.from_native(sensitive_features, pass_through=True, allow_series=True)
    )
    if columns is None:
        return [read_column(sensitive_features, name, exact=True)]
    if not len(columns):
        raise ValueError(f"{name} is empty; it must hold at least one column of groups.")
    return [read_column(column, name, exact=True) for column in columns]


def _feature_columns(features: Any) -> list[Any] | None:
    """Return the columns of a frame, a mapping or a 2-D array; None for a single column."""
    if isinstance(features, nw.DataFrame):
        return [features[:, j] for j in range(len(features.columns))]
    if isinstance(features, Mapping):
        return [*features.values()]
    if isinstance(features, nw.Series | Column) or hasattr(features, "categories"):
        return None
    try:
        shape = np.shape(features)
    except ValueError:
        raise ValueError("sensitive_features has rows of different lengths.") from None
    if len(shape) != 2:
        return None
    if 0 in shape:
        return []
    if isinstance(features, np.ndarray):
        features = np.asarray(features) if isinstance(features, np.matrix) else features
        return [*features.T]
    return [[row[j] for row in features] for j in range(shape[1])]


def _encode_groups(column: Column, missing_group: str) -> Coded:
    missing = _missing_rows(column)
    if missing is not None and missing_group == "error":
        rows = np.flatnonzero(missing)
        raise ValueError(
            f"{column.name} must be complete, got {column.show(rows[0])} "
            f"{locate(rows, column.counts)}. Fill them in or drop these rows; an audit takes them "
            "as a group of their own with missing_group='own'."
        )
    if missing is not None:
        column = _with_missing_level(column, missing)
    return _sorted_by_name(encode(column), boolean=column.boolean)


def _missing_rows(column: Column) -> Array | None:
    """Return a mask of the missing rows; None if no row is missing."""
    if column.names is None and column.values.dtype.kind != "f":
        return None
    missing = column.missing()
    return missing if missing.any() else None


def _with_missing_level(column: Column, missing: Array) -> Column:
    """Return the column with `MISSING` as a name for the missing rows."""
    if column.names is None:
        present = column.values[~missing]
        small = bool((np.abs(present) < 2**53).all()) and all_whole(present)
        kind = bool if column.boolean else np.int64 if small else None
        levels, codes = np.unique(present.astype(kind), return_inverse=True)
        values = np.full(len(missing), len(levels))
        values[~missing] = codes
        return replace(column, values=values, names=(*levels.tolist(), MISSING), boolean=False)
    if MISSING in column.names:
        raise ValueError(
            f"{column.name} has rows without a group and a group called {MISSING!r}. Rename that "
            "group."
        )
    values = np.where(missing, len(column.names), column.values)
    return replace(column, values=values, names=(*column.names, MISSING))


def _sorted_by_name(coded: Coded, *, boolean: bool = False) -> Coded:
    """Keep the groups that occur, numbers before names, each in ascending order."""
    if coded.levels.dtype.kind != "O":
        levels = coded.levels.astype(bool) if boolean else coded.levels
        return replace(coded, levels=levels)
    n_rows = sum(np.bincount(coded.codes(rows), minlength=len(coded.levels))
                 for rows in blocks_of(coded.values))  # fmt: skip
    occurring = np.flatnonzero(n_rows)
    order = sorted(occurring, key=lambda code: _name_key(coded.levels[code]))
    new_code = np.full(len(coded.levels), -1)
    new_code[order] = np.arange(len(order))
    return coded.recode(new_code, coded.levels[order])


def _name_key(name: Any) -> tuple[Any, ...]:
    """Return a sort key: numbers first, then names, then `MISSING`; tuples entry by entry."""
    if isinstance(name, tuple):
        return tuple(_name_key(entry) for entry in name)
    if name == MISSING:
        return (3, "", 0)
    return (0, "", name) if is_number(name) else (1, str(name), 0)


def _intersect(columns: list[Coded]) -> Coded:
    """Return one group for each combination of levels that occurs.

    Columns are combined one at a time, ``code * n_levels + next code``, and the combinations that
    occur are numbered again after each column, so that codes never exceed rows × levels.
    """
    everything = slice(None)
    codes = np.zeros(len(columns[0].values), dtype=np.int64)
    names: list[tuple[Any, ...]] = [()]
    for column in columns:
        mixed = encode(Column(column.name, codes * len(column.levels) + column.codes(everything)))
        codes = mixed.codes(everything)
        before, now = np.divmod(mixed.levels, len(column.levels))
        levels = column.levels.tolist()
        names = [(*names[i], levels[j]) for i, j in zip(before, now, strict=True)]
    groups = np.empty(len(names), dtype=object)
    groups[:] = names
    return Coded(columns[0].name, codes, 0, np.arange(len(names)), groups)
