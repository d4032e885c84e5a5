"""Columns that should perhaps not be inputs: identifiers, and the label in another form.

A column of whole numbers is an *identifier* if nearly all of them differ, and one of these holds:

* they increase from row to row;
* there are far fewer repeats than ``n² / (2 · range)``, the number that n draws from their range
  would give; draws from a distribution that is not uniform would give more;
* all differ, all have the same number of digits, which is at least `LONG`, few end with 0, and
  they do not rise or fall with the label;
* the name of the column says so.

A column of text is one if nearly all texts differ. Measurements with decimals never are.

A column is *the label in another form* if the label of nearly every row is that of the other rows
with the same value; where a number occurs once, that of the row with the next smaller number. This
finds copies, other codings, and increasing or decreasing functions of the label, also with noise.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from fairordinal._support import warn
from fairordinal._validation import Array
from fairordinal.models._columns import TableColumn

LEAST_ROWS = 50  # with fewer rows, chance explains too much
NEARLY_ALL = 0.95
LEAST_EXPECTED = 10  # repeats by chance
LONG = 6  # digits
MOST_WRONG = 0.03  # share of rows whose label is not predicted
LEAST_GAIN = 0.1  # of these, compared with always predicting the most frequent label
MOST_ROUND = 0.3  # share of numbers that end with 0
CLEAR = 3.0  # standard deviations of a correlation
WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
WORDS = {
    *("id", "ids", "uid", "uuid", "guid", "index", "idx", "row", "nr", "no", "num", "number"),
    *("key", "code", "case", "patient", "person", "serial", "record", "ref"),
}


class Suspects(NamedTuple):
    """Names of columns that should perhaps not be inputs."""

    identifiers: dict[str, str]  # from names to reasons
    labels: list[str]

    @classmethod
    def among(cls, columns: Iterable[TableColumn], labels: Array) -> Suspects:
        """Return the suspects among columns; `labels` are codes of the label of each row."""
        columns = list(columns) if len(labels) >= LEAST_ROWS else []
        reasons = {column.name: _as_identifier(column, labels) for column in columns}
        return cls(
            {name: reason for name, reason in reasons.items() if reason},
            [column.name for column in columns if _tells_the_label(column, labels)],
        )

    @classmethod
    def among_scores(cls, name: str, scores: Sequence[float], labels: Array) -> Suspects:
        """Return whether a column of scores is suspect."""
        return cls.among([TableColumn(name, np.asarray(scores, dtype=np.float64))], labels)

    def warn_about_columns(self, label: str, *, remedy: str) -> None:
        """Warn about the suspects; ``remedy.format(names)`` says how to leave them out."""
        for name, reason in self.identifiers.items():
            warn(
                f"Column {name!r} looks like an identifier: {reason}. It would say nothing about "
                f"new rows. Leave it out{remedy.format([name])}, unless it is a measurement."
            )
        for name in self.labels:
            warn(
                f"Column {name!r} alone predicts {label!r} almost perfectly. Is it the label in "
                "another form, or known only after it? Then leave it out"
                f"{remedy.format([name])}."
            )


def _as_identifier(column: TableColumn, labels: Array) -> str:
    """Return why a column looks like an identifier; an empty text if it does not."""
    present = column.values >= 0 if column.texts else ~np.isnan(column.values)
    values, labels = column.values[present], labels[present]
    n_distinct = len(np.unique(values))
    if len(values) < LEAST_ROWS or n_distinct < NEARLY_ALL * len(values):
        return ""
    how_many = "all" if n_distinct == len(values) else "nearly all"
    if column.texts:
        return f"{how_many} of its texts differ"
    if (values % 1).any():
        return ""
    if (np.diff(values) > 0).all():
        return "whole numbers that increase from row to row"
    named = bool(WORDS & {word.lower() for word in WORD.findall(column.name)})
    long = n_distinct == len(values) and _are_long(values, labels)
    found = named or long or _are_few_repeats(values, n_distinct)
    return f"whole numbers, {how_many} different" if found else ""


def _are_few_repeats(values: Array, n_distinct: int) -> bool:
    """Return whether there are far fewer repeats than chance would give."""
    by_chance = len(values) ** 2 / (2 * (np.ptp(values) + 1))
    return bool(by_chance >= LEAST_EXPECTED and len(values) - n_distinct <= by_chance / 4)


def _are_long(values: Array, labels: Array) -> bool:
    """Return whether distinct numbers have many digits, and do not rise or fall with the label."""
    low, high = (len(f"{value:.0f}") for value in (values.min(), values.max()))
    if values.min() <= 0 or not low == high >= LONG or (values % 10 == 0).mean() > MOST_ROUND:
        return False
    ranks = values.argsort().argsort()
    related = np.ptp(labels) > 0 and abs(np.corrcoef(ranks, labels)[0, 1])
    return bool(related * np.sqrt(len(values)) < CLEAR)


def _tells_the_label(column: TableColumn, labels: Array) -> bool:
    """Return whether a column alone predicts the labels almost perfectly."""
    most_frequent = np.bincount(labels).max() / len(labels)
    wrong = share_wrong(column.values, labels, numbers=column.texts is None)
    return bool(wrong <= MOST_WRONG and wrong <= LEAST_GAIN * (1 - most_frequent))


def share_wrong(values: Array, labels: Array, *, numbers: bool) -> float:
    """Return the share of rows whose label is not that of other rows with the same value.

    A row is right if its label is more frequent than any other one among the *other* rows with its
    value. If its value occurs once, it is wrong; with `numbers`, it is right if its label is the
    most frequent one of the next smaller number.
    """
    levels, level = np.unique(values, return_inverse=True)
    cells, counts = np.unique(level * (labels.max() + 1) + labels, return_counts=True)
    cell_level, cell_label = np.divmod(cells, labels.max() + 1)
    order = np.lexsort((counts, cell_level))
    last = np.searchsorted(cell_level, np.arange(len(levels)), side="right") - 1
    most, top = counts[order][last], cell_label[order][last]
    has_second = np.diff(last, prepend=-1) > 1
    second = np.where(has_second, counts[order][last - 1], 0)
    right = np.where(most - 1 > second, most, 0)
    if numbers:
        single = np.bincount(level) == 1
        neighbour = np.r_[top[1:2], top[:-1]] if len(top) > 1 else top
        right = np.where(single, top == neighbour, right)
    return 1 - float(right.sum()) / len(labels)
