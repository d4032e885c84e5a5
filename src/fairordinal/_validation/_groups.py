"""Sensitive groups: one column, or the intersections of several."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import narwhals as nw
import numpy as np

from fairordinal._validation._codes import Coded, blocks_of, check_same_length, encode
from fairordinal._validation._columns import Array, Column, is_number, read_column

MISSING = "(missing)"


def read_groups(sensitive_features: Any, missing_group: str = "error") -> Coded:
    """Codes of the sensitive groups; several columns mean their intersections."""
    if missing_group not in ("error", "own"):
        raise ValueError(f"missing_group must be 'error' or 'own', got {missing_group!r}.")
    columns = _group_columns(sensitive_features)
    coded = [_encode_groups(column, missing_group) for column in columns]
    check_same_length(*columns)
    groups = coded[0] if len(coded) == 1 else _intersect(coded)
    if len(groups.levels) < 2:
        raise ValueError(
            f"sensitive_features has one group ({groups.levels[0]!r}); pairwise disparities need "
            "two. Pass the full audit sample, not one stratum."
        )
    return groups


def _group_columns(sensitive_features: Any) -> list[Column]:
    name = "sensitive_features"
    frame = nw.from_native(sensitive_features, pass_through=True, allow_series=True)
    if isinstance(frame, nw.DataFrame):
        return [read_column(frame[column].to_native(), name) for column in frame.columns]
    if isinstance(sensitive_features, Mapping):
        return [read_column(column, name) for column in sensitive_features.values()]
    if isinstance(frame, nw.Series) or hasattr(sensitive_features, "categories"):
        return [read_column(sensitive_features, name)]
    if np.ndim(sensitive_features) == 2:
        rows = np.array([*map(tuple, sensitive_features)], dtype=object)
        return [read_column(rows[:, j].tolist(), name) for j in range(rows.shape[1])]
    return [read_column(sensitive_features, name)]


def _encode_groups(column: Column, missing_group: str) -> Coded:
    missing = _missing_rows(column)
    if missing is not None and missing_group == "error":
        row = int(np.flatnonzero(missing)[0])
        raise ValueError(
            f"{column.name} must be complete, got {column.show(row)} at row {row} "
            f"({int(missing.sum())} such rows). Fill them in, drop them, or pass "
            "missing_group='own' to audit them as a group of their own."
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
        present = column.values[~missing].astype(bool if column.boolean else None)
        levels, codes = np.unique(present, return_inverse=True)
        values = np.full(len(missing), len(levels))
        values[~missing] = codes
        return replace(column, values=values, names=(*levels.tolist(), MISSING), boolean=False)
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
    """One group for each combination of levels that occurs."""
    rows = slice(None)
    mixed = np.zeros(len(columns[0].values), dtype=np.int64)
    for column in columns:
        mixed = mixed * len(column.levels) + column.codes(rows)
    found, codes = np.unique(mixed, return_inverse=True)
    places = np.unravel_index(found, [len(column.levels) for column in columns])
    levels = np.empty(len(found), dtype=object)
    for i, place in enumerate(zip(*places, strict=True)):
        levels[i] = tuple(c.levels.tolist()[p] for c, p in zip(columns, place, strict=True))
    return Coded(columns[0].name, codes, 0, np.arange(len(found)), levels)
