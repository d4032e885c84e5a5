"""Sensitive groups: one column, or the intersections of several."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import narwhals as nw
import numpy as np

from fairordinal._validation._codes import Coded, all_whole, blocks_of, encode
from fairordinal._validation._columns import (
    Array,
    Column,
    is_number,
    read_column,
    refuse_lazy,
    where,
)

MISSING = "(missing)"


def read_groups(sensitive_features: Any, missing_group: str = "error", least: int = 2) -> Coded:
    """Codes of at least so many sensitive groups; several columns mean their intersections."""
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
    columns = _several(nw.from_native(sensitive_features, pass_through=True, allow_series=True))
    if columns is None:
        return [read_column(sensitive_features, name, exact=True)]
    if not len(columns):
        raise ValueError(f"{name} is empty; it must hold at least one column of groups.")
    return [read_column(column, name, exact=True) for column in columns]


def _several(features: Any) -> list[Any] | None:
    """The columns of a frame, a mapping or a table of rows; None if it is one column."""
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
            f"{where(rows, column.counts)}. Fill them in or drop them; an audit takes them as "
            "a group of their own with missing_group='own'."
        )
    if missing is not None:
        column = _with_missing_level(column, missing)
    return _sorted_by_name(encode(column), boolean=column.boolean)


def _missing_rows(column: Column) -> Array | None:
    if column.names is None and column.values.dtype.kind != "f":
        return None
    missing = column.missing()
    return missing if missing.any() else None


def _with_missing_level(column: Column, missing: Array) -> Column:
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
            f"{column.name} has rows without a group and a group called {MISSING!r}: rename it."
        )
    values = np.where(missing, len(column.names), column.values)
    return replace(column, values=values, names=(*column.names, MISSING))


def _sorted_by_name(coded: Coded, *, boolean: bool = False) -> Coded:
    """Groups that occur, numbers before names, each in ascending order."""
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
    """Sorts numbers before strings before the rest, and tuples entry by entry."""
    if isinstance(name, tuple):
        return tuple(_name_key(entry) for entry in name)
    if name == MISSING:
        return (3, "", 0)
    return (0, "", name) if is_number(name) else (1, str(name), 0)


def _intersect(columns: list[Coded]) -> Coded:
    """One group for each combination of levels that occurs, folded column by column."""
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
