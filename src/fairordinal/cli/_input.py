"""Read the table of a command: labels in order, groups, and the rows that lack a value.

Commands that audit need a few columns, and drop rows in which one of them is missing. Commands that
fit a model need the whole table; missing inputs are allowed there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from fairordinal._render import quantity
from fairordinal._source import (
    LEADING_ZERO,
    MissingCells,
    TableFile,
    count_missing,
    describe_missing,
    order_of,
    read_counts,
    read_labels,
    split_labels,
)
from fairordinal._support import progress
from fairordinal._validation import Array, RowError
from fairordinal.cli._output import show, wrapped
from fairordinal.cli._wording import in_options, worded

MOST_TEXT = 0.2  # share of cells without a number in a column that looks like one of numbers
MOST_SCALE = 1.25  # ratio of the sum of weights and the number of rows


class LeftOut(NamedTuple):
    """Number of rows that were left out, and the missing cells that are the reason."""

    rows: float
    cells: Sequence[MissingCells]

    def __str__(self) -> str:
        if not self.cells:
            return ""
        rows = "1 row" if self.rows == 1 else f"{self.rows:,.0f} rows"
        return f"{rows} with a missing value: {describe_missing(self.cells)}."

    def as_json(self) -> dict[str, Any]:
        """Return counts by column and value; the value null is a cell without a value."""
        return {"rows_left_out": self.rows, "cells": [each._asdict() for each in self.cells]}

    def show(self) -> None:
        """Print how many rows were left out, and why."""
        if self.cells:
            show("\n" + wrapped(f"Left out: {self}"))

    @contextmanager
    def explained(self) -> Iterator[None]:
        """Add what was left out to an error about the other rows, since it may be the cause."""
        try:
            yield
        except ValueError as error:
            if not self.cells:
                raise
            raise ValueError(
                f"{worded(error)} Left out: {self} --missing changes what counts as missing."
            ) from error


@dataclass(frozen=True)
class CompleteRows:
    """Rows without missing values, the number of rows that each stands for, and the others."""

    columns: dict[str, list[Any]]
    counts: list[float]
    left_out: LeftOut
    places: list[int]  # their numbers among all rows
    weights: list[Array] = field(default_factory=list)  # and, of survey weights, their squares and
    # the numbers of rows with a weight above 0


def clean_columns(
    file: TableFile, raw: Mapping[str, Any], labelled: Sequence[str], order: str | None
) -> dict[str, Any]:
    """Return pyarrow columns with null for missing cells.

    In the columns `labelled`, labels that --labels names are not missing.
    """
    labels = split_labels(order)
    return {
        name: file.missing.clean(column, labels if name in labelled else ())
        for name, column in raw.items()
    }


def drop_incomplete(
    columns: Mapping[str, Sequence[Any]],
    missing: Sequence[MissingCells],
    counts: Sequence[float] | None = None,
) -> CompleteRows:
    """Keep rows with a value in every column; `counts` says how many rows each stands for."""
    size = len(next(iter(columns.values())))
    weight: Sequence[float] = [1] * size if counts is None else counts
    complete = [i for i in range(size) if all(values[i] is not None for values in columns.values())]
    if not complete:
        found = f" Taken as missing: {describe_missing(missing)}." if missing else ""
        raise ValueError(f"no row has a value in each of {', '.join(columns)}.{found}")
    kept = [weight[i] for i in complete]
    return CompleteRows(
        {name: [values[i] for i in complete] for name, values in columns.items()},
        kept,
        LeftOut(sum(weight) - sum(kept), missing),
        complete,
    )


@contextmanager
def reading(file: TableFile) -> Iterator[None]:
    """Show progress from the start, also while a table is read."""
    with progress(f"reading {file.path.name}"):
        yield


@contextmanager
def rows_located(file: TableFile) -> Iterator[None]:
    """Let messages about a row name its line in the file."""
    try:
        yield
    except RowError as error:
        raise ValueError(in_options(error.located(file.locate(error.row)))) from error


class Table(NamedTuple):
    """A table in memory, its labels in ascending order, and its missing cells."""

    frame: Any  # a pyarrow table
    labels: list[Any]
    notes: list[str]  # about columns that are no inputs, text among numbers, and weights
    missing: list[MissingCells]

    def left_out(self, record: Any) -> LeftOut:
        """Return the rows that no model was fitted to; `record` is a `DataRecord` of a model."""
        named = (record.label_column, *record.group_columns)
        cells = [each for each in self.missing if each.column in named]
        return LeftOut(record.rows - record.rows_used, cells)

    def missing_inputs(self, record: Any) -> list[MissingCells]:
        """Return the missing cells of inputs."""
        return [each for each in self.missing if each.column in record.columns]

    def show_missing(self, record: Any) -> None:
        """Print the rows that were left out, and the missing cells of inputs."""
        self.left_out(record).show()
        show_missing_inputs(self.missing_inputs(record))


def read_table(
    file: TableFile,
    y: str,
    groups: list[str],
    order: str | None,
    features: list[str],
    ignored: list[str],
    weight: str | None = None,
    weights: str = "frequency",
) -> Table:
    """Read a whole table to fit a model; columns that an option names must exist."""
    options = {"--y": [y], "--group": groups, "--feature": features, "--ignore": ignored}
    options |= {"--weight": [weight]} if weight else {}
    for option, names in options.items():
        for name in names:
            file.column(name, option)
    frame = file.table([y, *groups], find_codes=True, labels={y: split_labels(order)})
    missing = _missing_in(file, frame)
    unusable = _unusable_columns(frame, [y, *groups, *features, *ignored])
    frame = frame.drop_columns(unusable)
    for name in groups:
        frame = _replaced(frame, name, _as_numbers(file.missing.trimmed(frame.column(name))))
    notes = _about_unusable(unusable)
    inputs = [name for name in features or frame.column_names if name in frame.column_names]
    others = {y, *groups, *ignored, weight}
    notes += about_text(frame.select([name for name in inputs if name not in others]), file.decimal)
    if weight:
        numbers = read_weights(frame.column(weight), weight, file.decimal, weights)
        notes += about_weights(weight, numbers)
        frame = _replaced(frame, weight, [numbers])
    cells = file.missing.trimmed(frame.column(y)).to_pylist()
    column = read_labels(cells, file.decimal, order)
    labels = order_of(file, file.columns[y], column, order, "--y")
    labels.check(column, "--y")
    return Table(_replaced(frame, y, [column.values]), labels.labels, notes, missing)


def _missing_in(file: TableFile, frame: Any) -> list[MissingCells]:
    """Count the missing cells of a table; only columns that have some are read again."""
    names = [name for name in frame.column_names if frame.column(name).null_count]
    if not names:
        return []
    raw = file.raw_table([file.columns[name] for name in names])
    raw_columns = dict(zip(names, raw.columns, strict=True))
    return count_missing(raw_columns, {name: frame.column(name) for name in names})


def show_missing_inputs(cells: Sequence[MissingCells]) -> None:
    """Print which cells of inputs were taken as missing."""
    if cells:
        show("\n" + wrapped(f"Inputs taken as missing: {describe_missing(cells)}."))


def _replaced(frame: Any, name: str, column: Any) -> Any:
    return frame.set_column(frame.column_names.index(name), name, column)


def _as_numbers(column: Any) -> Any:
    """Return integers, if all cells of a text column are written as such; 01 is a name."""
    import pyarrow as pa

    if not pa.types.is_string(column.type):
        return column
    try:
        numbers = column.cast(pa.int64())
    except pa.ArrowInvalid:
        return column
    return numbers if numbers.cast(pa.string()).equals(column) else column


def _unusable_columns(frame: Any, named: list[str]) -> list[str]:
    """Return columns of dates, lists and binary data that no option names."""
    from pyarrow import types

    tests = (types.is_temporal, types.is_nested, types.is_binary, types.is_large_binary)
    return [
        field.name
        for field in frame.schema
        if field.name not in named and any(test(field.type) for test in tests)
    ]


def _about_unusable(unusable: list[str]) -> list[str]:
    names = ", ".join(map(repr, unusable))
    return [f"Not predicted from, being neither numbers nor text: {names}."] * bool(unusable)


def about_text(inputs: Any, decimal: str) -> list[str]:
    """Return notes about columns that are text because of a few cells among numbers.

    Columns of codes, in which some cell has a leading zero, are text on purpose.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    digits = rf"^[-+]?(\d+\{decimal}?\d*|\{decimal}\d+)([eE][-+]?\d+)?$"
    notes = []
    for name, column in zip(inputs.column_names, inputs.columns, strict=True):
        if not pa.types.is_string(column.type):
            continue
        cells = pc.utf8_trim_whitespace(column.drop_null())
        others = cells.filter(pc.invert(pc.match_substring_regex(cells, digits)))
        is_code = pc.any(pc.match_substring_regex(cells, LEADING_ZERO)).as_py()
        if 0 < len(others) <= MOST_TEXT * len(cells) and not is_code:
            notes.append(
                f"Column {name!r} is read as text, because {others[0].as_py()!r} is no number "
                f"({len(others):,} of {len(cells):,} cells). If it should be a column of numbers, "
                "correct such cells, or leave them empty."
            )
    return notes


def read_weights(column: Any, name: str, decimal: str, weights: str) -> Array:
    """Read a column of weights.

    Survey weights are divided by their mean, each weighted by itself. They then sum to the
    effective number of rows of Kish, (Σw)²/Σw².
    """
    numbers = read_counts(column, name, decimal, "--weight").to_numpy()
    if weights != "survey" or not numbers.any():
        return numbers
    relative = numbers / numbers.max()
    return np.asarray(relative * (relative.sum() / (relative**2).sum()))


def described_weights(name: str | None, weights: str, *, effective: bool = False) -> dict[str, str]:
    """Return a description of weights for a report; empty without weights.

    `effective` says that survey weights were read by `read_weights`.
    """
    note = "; numbers of rows are effective numbers" * (effective and weights == "survey")
    return {"Weights": f"{name} ({weights}{note})"} if name else {}


def about_weights(name: str, weights: Array) -> list[str]:
    """Return a note about weights that are no counts, and whose sum is not the number of rows."""
    total, n_rows = float(weights.sum()), int((weights > 0).sum())
    are_counts = bool((weights % 1 == 0).all())
    if are_counts or n_rows / MOST_SCALE <= total <= n_rows * MOST_SCALE:
        return []
    return [
        f"--weight: the weights of column {name!r} sum to {quantity(total)} in {n_rows:,} rows. "
        "Intervals take this sum as the number of rows. If these are survey weights, pass "
        "--weights survey."
    ]
