"""Distinct rows and what they stand for: the small table that every engine hands back.

Columns of the table are called by number, ``key(0)``, ``key(1)``, …; then follow `ROWS` and, if
rows have weights, their sum, how many are present, and the least of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import narwhals as nw
import numpy as np

from fairordinal._validation import Array, Column, read_column

MOST_DISTINCT = 2_000_000  # up to two GB while they are counted, whoever counts
ROWS, WEIGHT, PRESENT, LEAST = "rows", "weight", "weights present", "least weight"

Order = tuple[Any, ...] | None


class Query(NamedTuple):
    """What is counted: combinations of some columns, and perhaps the sum of another."""

    names: list[str]  # of the columns
    arguments: list[str]  # that they were given for
    weight: str | None

    @property
    def keys(self) -> list[str]:
        return [key(i) for i in range(len(self.names))]


class Counted(NamedTuple):
    """Distinct rows as columns, and their weight."""

    columns: list[Column]
    weight: Array


def key(i: int) -> str:
    """The name of a counted column: one that cannot meet another."""
    return f"key {i}"


def read_counted(frame: Any, query: Query, orders: Sequence[Order] | None = None) -> Counted:
    """Columns of a small table of counts; orders are those declared outside of it."""
    table = nw.from_native(frame, eager_only=True)
    refuse_many(table, query)
    rows = table[ROWS].to_numpy().astype(np.float64)
    columns = [
        read_column(table[name], argument, exact=argument == "sensitive_features")
        for name, argument in zip(query.keys, query.arguments, strict=True)
    ]
    columns = [replace(column, counts=rows) for column in columns]
    if orders is not None:
        columns = [_ordered(*pair) for pair in zip(columns, orders, strict=True)]
    if query.weight is None:
        return Counted(columns, rows)
    _check_weight(table, rows)
    return Counted(columns, table[WEIGHT].to_numpy().astype(np.float64))


def _ordered(column: Column, order: Order) -> Column:
    """A column of names in a declared order."""
    if order is None or column.names is None:
        return column
    place = {name: code for code, name in enumerate(order)}
    codes = np.array([place.get(name, -1) for name in column.objects()], dtype=np.int64)
    return replace(column, values=codes, names=order, ordered=True)


def _check_weight(table: nw.DataFrame[Any], rows: Array) -> None:
    lacking = int((rows - table[PRESENT].to_numpy()).sum())
    if lacking:
        found = f"a missing value in {lacking:,} rows"
    else:
        sums, least = (table[name].to_numpy().astype(np.float64) for name in (WEIGHT, LEAST))
        light, heavy = least[~(least >= 0)], sums[~np.isfinite(sums)]
        if not light.size and not heavy.size:
            return
        found = f"{light[0]}" if light.size else f"{heavy[0]} as a weight or as a sum of weights"
    raise ValueError(
        f"sample_weight must be finite and at least 0, got {found}. Correct them, drop the "
        "rows, or divide all of them by a constant."
    )


def refuse_many(table: nw.DataFrame[Any], query: Query) -> None:
    """Refuse more distinct rows than should be in one place."""
    if len(table) > MOST_DISTINCT:
        refuse([table[name].n_unique() for name in query.keys], query)


def refuse(distinct: Sequence[int], query: Query) -> None:
    """Say which column has so many values, and what to do about it."""
    most = int(np.argmax(distinct))
    raise ValueError(
        f"the columns {query.names} have more than {MOST_DISTINCT:,} distinct combinations, too "
        f"many to count in one place; {query.arguments[most]} ({query.names[most]!r}) has the most "
        "values. Round or bin scores (a thousand levels lose little: their ties win nothing), "
        "leave identifiers out, or load the columns, if memory allows, and audit them as rows."
    )
