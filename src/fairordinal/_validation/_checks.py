"""Checks of arguments: numbers in a range, choices, sizes, and the alignment of rows.

Each check returns the value that it checked, or raises ValueError with the name of the argument,
what was expected, and the value that was passed.
"""

from __future__ import annotations

import numbers
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from fairordinal._support import warn
from fairordinal._validation._columns import is_number

MOST_GROUPS = 500  # results are quadratic in the number of groups
MOST_LABELS = 1500  # influence functions are cubic in the number of labels
MOST_CELLS = 4096  # groups × labels; tables are quadratic in it
MOST_LISTED = 12  # names in a message


def check_fraction(value: Any, name: str) -> float:
    """Check that a value is a number strictly between 0 and 1."""
    if not is_number(value) or not 0 < value < 1:
        raise ValueError(f"{name} must lie strictly between 0 and 1, got {value!r}.")
    return float(value)


def check_share(value: Any, name: str) -> float:
    """Check that a value is a number from 0 to 1, both included."""
    if not is_number(value) or not 0 <= value <= 1:
        raise ValueError(f"{name} must be a number from 0 to 1, got {value!r}.")
    return float(value)


def check_number(
    value: Any, name: str, *, least: float = 0.0, below: float = float("inf")
) -> float:
    """Check that a value is a number of at least `least`, and less than `below`."""
    if not is_number(value) or not least <= value < below:
        limit = "" if below == float("inf") else f" and less than {below:g}"
        raise ValueError(f"{name} must be a number of at least {least:g}{limit}, got {value!r}.")
    return float(value)


def check_whole(value: Any, name: str, *, least: int, most: int | None = None) -> int:
    """Check that a value is an integer from `least` to `most`, both included."""
    whole = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    if not whole or value < least or (most is not None and value > most):
        limits = f"of at least {least}" if most is None else f"in {least}..{most}"
        raise ValueError(f"{name} must be a whole number {limits}, got {value!r}.")
    return int(value)


def check_choice(value: Any, name: str, choices: Sequence[Any]) -> Any:
    """Check that a value is one of the choices."""
    if value not in choices:
        raise ValueError(f"{name} must be one of {list(choices)}, got {value!r}.")
    return value


def check_sizes(
    n_groups: int,
    n_labels: int,
    *,
    name: str = "y",
    what: str = "fairordinal",
    most_groups: int = MOST_GROUPS,
    most_cells: int = MOST_CELLS,
) -> None:
    """Check that groups and labels are few enough to be compared within seconds and 1 GB."""
    within = n_groups <= most_groups and n_labels <= MOST_LABELS
    if within and n_groups * n_labels <= most_cells:
        return
    raise ValueError(
        f"sensitive_features has {n_groups} groups and {name} {n_labels} labels; {what} takes at "
        f"most {most_groups} groups, {MOST_LABELS} labels and {most_cells} cells (groups times "
        "labels). Merge small groups, or neighbouring labels. Is one of them an identifier or a "
        "measurement? Bin it into a few ordered levels first."
    )


def listed(values: Sequence[Any], most: int = MOST_LISTED) -> str:
    """List values for a message: all of a few, the first ones of many with their number."""
    shown = ", ".join(f"{value!r:.80}" for value in values[:most])
    return f"{shown}, … ({len(values):,} in all)" if len(values) > most else shown


def warn_misaligned(columns: Mapping[str, Any]) -> None:
    """Warn if two columns have pandas indexes with the same labels in a different order.

    Rows are matched by position, so that such columns are probably misaligned. The keys are the
    names of the arguments. Indexes are compared only if they are different objects, and sorted
    only if they differ.
    """
    indexed = [found for name, values in columns.items() for found in _indexes(name, values)]
    for name, index in indexed[1:]:
        first_name, first = indexed[0]
        if _same_labels_in_another_order(first, index):
            warn(
                f"{first_name} and {name} have indexes with the same labels in another order, but "
                "rows are matched by position. Align them first, as in "
                f"{name}.loc[{first_name}.index]; if the rows do belong together as they are, "
                f"pass {name}.to_numpy() or {name}.reset_index(drop=True).",
            )
            return


def _indexes(name: str, values: Any) -> Iterator[tuple[str, Any]]:
    """Yield the index of a pandas series or frame, or those of a mapping of series."""
    if isinstance(values, Mapping):
        for key, column in values.items():
            yield from _indexes(f"{name}[{key!r}]", column)
        return
    index = getattr(values, "index", None)  # a method if the values are a list
    if hasattr(index, "equals") and hasattr(index, "sort_values") and not hasattr(index, "dask"):
        yield name, index


def _same_labels_in_another_order(first: Any, other: Any) -> bool:
    if first is other or len(first) != len(other) or first.equals(other):
        return False
    try:
        if first.min() != other.min() or first.max() != other.max():
            return False
        return bool(first.sort_values().equals(other.sort_values()))
    except TypeError:  # labels of mixed types cannot be sorted
        return Counter(first.tolist()) == Counter(other.tolist())
