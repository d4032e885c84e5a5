"""The order of labels: given, numeric, or stored with the column."""

from __future__ import annotations

import csv
import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from fairordinal._lazy import keeps_dictionaries
from fairordinal._source._open import Source
from fairordinal._source._values import Cells, read_values

MOST_SHOWN = 12


@dataclass(frozen=True)
class LabelOrder:
    """Labels in ascending order."""

    labels: list[Any]

    def check(self, cells: Cells, option: str) -> None:
        """Refuse labels that have no place in the order."""
        strange = [value for value in cells.distinct if value not in set(self.labels)]
        if strange:
            raise ValueError(
                f"{option}: value {strange[0]!r} is not one of the labels "
                f"{_listed(self.labels)}. Add it to --order, correct the column, or pass --missing "
                f"{_example([str(strange[0])])} if it stands for a missing label."
            )


def order_of(
    source: Source, column: str, cells: Cells, order: str | None, option: str
) -> LabelOrder:
    """The order of a column's labels, or a word on how to give one."""
    if order is not None:
        return _given(order, cells)
    if not cells.distinct:
        raise ValueError(f"{option}: column {column!r} is empty.")
    if len(cells.distinct) == 1:
        raise ValueError(
            f"{option}: column {column!r} has one label, {cells.distinct[0]!r}; two are needed. If "
            "others can occur, give all from lowest to highest by --order."
        )
    if cells.are_numbers:
        return LabelOrder(cells.distinct)
    stored = _stored(source, column)
    if stored is not None:
        return LabelOrder(stored)
    found = sorted(map(str, cells.distinct), key=_by_numbers)
    raise ValueError(
        f"{option}: the order of the labels {_listed(found)} is not known. Give it from lowest to "
        f"highest, for example --order {_example(found)} in your order.{_mostly_numbers(cells)}"
    )


def _by_numbers(label: str) -> list[Any]:
    """Sorts "2 stars" before "10 stars"."""
    return [int(part) if part.isdecimal() else part for part in re.split(r"(\d+)", label)]


def _example(labels: Sequence[str]) -> str:
    """What could be typed in a shell; labels with commas are in quotes."""
    quoted = [f'"{label}"' if "," in label else label for label in labels[:MOST_SHOWN]]
    return shlex.quote(",".join(quoted))


def _mostly_numbers(cells: Cells) -> str:
    strange = cells.strange
    return "" if strange is None else f" Or are they numbers? Then correct {strange!r}."


def labels_in(order: str | None) -> list[str]:
    """The labels that --order names, as they are written."""
    if order is None:
        return []
    (given,) = csv.reader([order], skipinitialspace=True) if order.strip() else ([],)
    return [label.strip() for label in given]  # "very, very bad",bad,good


def read_labels(values: Sequence[Any], decimal: str, order: str | None) -> Cells:
    """Labels as numbers if all are, unless --order names a text: then all are names."""
    cells = read_values(values, decimal)
    if cells.are_numbers and not read_values(labels_in(order) or [0]).are_numbers:
        return Cells([value if value is None else str(value) for value in values], False)
    return cells


def _given(order: str, cells: Cells) -> LabelOrder:
    labels: list[Any] = [*labels_in(order)]
    if cells.are_numbers:
        labels = read_values(labels).values
    twice = [label for label in labels if labels.count(label) > 1]
    if twice or "" in labels:
        raise ValueError(f"--order must name each label once, got {order!r}.")
    if len(labels) < 2:
        raise ValueError(f"--order must name at least two labels, got {order!r}.")
    return LabelOrder(labels)


def _stored(source: Source, column: str) -> list[Any] | None:
    """Categories of an ordered dictionary, from the file itself."""
    if source.kind == "csv":
        return None
    import pyarrow as pa

    data = source.dataset()
    kind = data.schema.field(column).type
    if not pa.types.is_dictionary(kind) or not kind.ordered:
        return None
    if not keeps_dictionaries(data, column):
        return None
    head = data.head(1, columns=[column]).column(column).combine_chunks()
    return [str(label) for label in head.dictionary.to_pylist()]


def _listed(labels: Sequence[Any]) -> str:
    shown = ", ".join(repr(label) for label in labels[:MOST_SHOWN])
    return f"{shown}, … ({len(labels)} in all)" if len(labels) > MOST_SHOWN else shown
