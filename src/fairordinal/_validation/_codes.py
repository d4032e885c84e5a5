"""Columns as codes: row ``i`` holds ``levels[code_i]``, the levels in ascending order.

Codes are produced for one slice of rows at a time, so that an integer column of 10⁸ rows is
never copied.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from fairordinal._validation._columns import Array, Column

BLOCK_ROWS = 1 << 16  # a few arrays of this length fit into a processor's cache
DENSE_SPAN = 1 << 16  # integers within such a span are coded by a lookup, not by sorting


@dataclass(frozen=True)
class Coded:
    """A column as codes: row ``i`` holds ``levels[lookup[values[i] - offset]]``."""

    name: str
    values: Array  # (n_rows,) whole numbers
    offset: int
    lookup: Array  # code of each whole number from `offset` on; -1 where none occurs
    levels: Array  # ascending
    counts: Array | None = None  # rows that each entry stands for, as in `Column`

    def codes(self, rows: slice) -> Array:
        """Codes of some rows, as integers fit for indexing."""
        return self.lookup[self.values[rows].astype(np.intp) - self.offset]

    def recode(self, new_code: Array, levels: Array) -> Coded:
        """Rename the levels of a column: level ``i`` becomes ``levels[new_code[i]]``."""
        lookup = np.where(self.lookup < 0, -1, new_code[self.lookup])
        return replace(self, lookup=lookup, levels=levels)

    def rows_with(self, codes: Array) -> Array:
        """Numbers of the rows that hold one of some codes."""
        found = [
            rows.start + np.flatnonzero(np.isin(self.codes(rows), codes))
            for rows in blocks_of(self.values)
        ]
        return np.concatenate(found)


def row_blocks(n_rows: int, size: int = BLOCK_ROWS) -> Iterator[slice]:
    """Consecutive slices that cover ``n_rows`` rows."""
    return (slice(start, min(start + size, n_rows)) for start in range(0, n_rows, size))


def blocks_of(values: Array) -> Iterator[slice]:
    """Consecutive slices that cover a column."""
    return row_blocks(len(values))


def encode(column: Column) -> Coded:
    """Distinct values in ascending order (names in their declared or found order) and codes."""
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
    """Whether every number is a whole one."""
    if values.dtype.kind in "iu":
        return True
    return all(bool((values[rows] == np.rint(values[rows])).all()) for rows in blocks_of(values))


def _encode_span(column: Column, low: int, high: int) -> Coded:
    present = np.zeros(high - low + 1, dtype=bool)
    for rows in blocks_of(column.values):
        present[column.values[rows].astype(np.intp) - low] = True
    levels = (np.flatnonzero(present) + low).astype(column.values.dtype)
    lookup = np.where(present, np.cumsum(present) - 1, -1)
    return Coded(column.name, column.values, low, lookup, levels, column.counts)


def check_same_length(*columns: Column | Coded) -> None:
    """Refuse columns of different lengths."""
    first, *others = columns
    for other in others:
        if len(other.values) != len(first.values):
            raise ValueError(
                f"{other.name} has {len(other.values)} rows but {first.name} has "
                f"{len(first.values)}; row i of each must describe the same sample."
            )
