"""Rows are matched by position. An index that says otherwise is worth a warning."""

from __future__ import annotations

import sys
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

PACKAGE = str(Path(__file__).parents[1])


def warn_misaligned(columns: Mapping[str, Any]) -> None:
    """Warn if two of the columns have indexes with the same labels in another order.

    The keys are the names of the arguments. Cost: nothing for columns without an index, or
    with the same; a comparison for equal ones; a sort only for indexes that differ.
    """
    indexed = [found for name, values in columns.items() for found in _indexes(name, values)]
    for name, index in indexed[1:]:
        first_name, first = indexed[0]
        if _same_labels_in_another_order(first, index):
            warnings.warn(
                f"{first_name} and {name} have indexes with the same labels in another order, but "
                "rows are matched by position. Align them first, as in "
                f"{name}.loc[{first_name}.index]; if the rows do belong together as they are, "
                f"pass {name}.to_numpy() or {name}.reset_index(drop=True).",
                UserWarning,
                stacklevel=_level_of_caller(),
            )
            return


def _indexes(name: str, values: Any) -> Iterator[tuple[str, Any]]:
    """The index of a series or frame of pandas, or those of a mapping of series."""
    if isinstance(values, Mapping):
        for key, column in values.items():
            yield from _indexes(f"{name}[{key!r}]", column)
        return
    index = getattr(values, "index", None)  # of a list, a method
    if hasattr(index, "equals") and hasattr(index, "sort_values") and not hasattr(index, "dask"):
        yield name, index


def _same_labels_in_another_order(first: Any, other: Any) -> bool:
    if first is other or len(first) != len(other) or first.equals(other):
        return False
    try:
        if first.min() != other.min() or first.max() != other.max():
            return False
        return bool(first.sort_values().equals(other.sort_values()))
    except TypeError:  # labels of several kinds have no order
        return Counter(first.tolist()) == Counter(other.tolist())


def _level_of_caller() -> int:
    """How far up the stack the code is that called this library."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(PACKAGE):
        level, frame = level + 1, frame.f_back
    return level
