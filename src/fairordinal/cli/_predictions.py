"""Read the column of predictions of `fairordinal audit`: predicted labels, or scores.

Whether numbers are labels is decided by the rule of the Python function `audit`. It is applied here
so that messages name options of the command line.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fairordinal._audit import Audit, reading_in_words
from fairordinal._render import paragraphs
from fairordinal._source import ColumnValues, LabelOrder, read_labels, read_values
from fairordinal._validation import READINGS, are_labels
from fairordinal.cli._choices import choice
from fairordinal.cli._output import show


@dataclass(frozen=True)
class Predictions:
    """Predictions, how they were read, and the labels in ascending order."""

    values: list[Any]
    reading: str  # "labels" or "scores"
    labels: list[Any]
    guessed: bool = False  # whole numbers that could also be the other

    def described(self, result: Audit) -> dict[str, str]:
        """Return a description of a guess for a report; empty if nothing was guessed."""
        other = "scores" if self.reading == "labels" else "labels"
        note = f"{reading_in_words(result.table)} If they are {other}, pass --predictions {other}."
        return {"Reading of predictions": note} if self.guessed else {}

    def show_note(self, result: Audit) -> None:
        """Print which reading was guessed, and the option that changes it."""
        for note in self.described(result).values():
            show("\n" + paragraphs([note]))


def wanted_reading(predictions: str, scores: bool) -> str:
    """Return the reading that --predictions or --scores asks for."""
    predictions = choice("--predictions", READINGS)(predictions)
    if scores and predictions == "labels":
        raise ValueError("--scores and --predictions labels contradict each other; pass one.")
    return "scores" if scores else predictions


def read_predictions(
    cells: Sequence[Any],
    labels: LabelOrder,
    wanted: str,
    counts: Sequence[float],
    decimal: str,
    order: str | None,
) -> Predictions:
    """Read clean cells; `counts` has the rows that each stands for, `order` is --labels."""
    numbers, names = read_values(cells, decimal), read_labels(cells, decimal, order)
    _check_cells(numbers, labels, wanted)
    reading, guessed = _decide(numbers, names, labels) if wanted == "auto" else (wanted, False)
    if reading == "scores":
        return Predictions(numbers.values, reading, labels.labels, guessed)
    if order is None and _are_whole([*labels.labels, *names.distinct]):
        labels = LabelOrder(sorted({*labels.labels, *names.distinct}))
    unknown = {*labels.unknown(names)}
    rows = sum(n for value, n in zip(names.values, counts, strict=True) if value in unknown)
    scores = " If they are scores, pass --predictions scores." if numbers.are_numbers else ""
    labels.check(names, "--pred", f" Such values are in {rows:,.0f} rows.{scores}")
    return Predictions(names.values, reading, labels.labels, guessed)


def _check_cells(numbers: ColumnValues, labels: LabelOrder, wanted: str) -> None:
    """Raise ValueError for a cell that keeps a column from being numeric."""
    if numbers.are_numbers or not numbers.distinct:
        return
    name = numbers.first_name or (numbers.distinct[0] if wanted == "scores" else None)
    if name is None or (wanted != "scores" and name in labels.labels):
        return
    what = "finite numbers" if wanted == "scores" else "labels or finite numbers"
    raise ValueError(
        f"--pred: the column must hold {what}, got {name!r}. Correct it, or leave the cell empty."
    )


def _decide(numbers: ColumnValues, names: ColumnValues, labels: LabelOrder) -> tuple[str, bool]:
    """Return how predictions are read, and whether this is a guess."""
    if not numbers.are_numbers:
        return "labels", False
    values, n_new = numbers.distinct, len(labels.unknown(names))
    whole = _are_whole(values)
    if any(
        isinstance(label, str) for label in labels.labels
    ):  # few whole numbers may be codes of the labels, and are refused
        is_score = n_new == len(names.distinct) and not (whole and n_new <= len(labels.labels))
        return ("scores" if is_score else "labels"), False
    known = np.array(labels.labels, float)
    if are_labels(known, np.union1d(known, values)):
        return "labels", n_new > 0
    return "scores", whole


def _are_whole(values: Sequence[Any]) -> bool:
    return all(isinstance(value, int) for value in values)
