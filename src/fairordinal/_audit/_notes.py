"""Remarks about the rows of an audit, for printed text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from fairordinal._audit._small_groups import RULE
from fairordinal._render import name_of, quantity
from fairordinal._table import ScoreTable

if TYPE_CHECKING:
    from fairordinal._audit._audit_result import Audit

MOST_NAMED = 3  # groups that a note names
MOST_NEVER_TRUE = 5  # labels that are named


def notes_on(audit: Audit) -> list[str]:
    """Return remarks about groups, labels and weights, and how predictions were read."""
    table = audit.table
    notes = [*_about_groups(audit), *_about_labels(table), *_about_weights(table)]
    return [*notes, reading_in_words(table)] if table.reading_is_guessed else notes


def _about_groups(audit: Audit) -> Iterator[str]:
    """Groups that were merged, that are too small for a conclusion or have no intervals."""
    table, first = audit.table, audit.findings[0]
    if audit.merged_groups:
        names, other = _some(audit.merged_groups), table.groups[-1]
        yield f"Small groups that were merged into {other!r}: {names}."
    if first.least_rows < first.min_group_rows:
        least = quantity(first.min_group_rows)
        yield f"Fewer than two groups have {least} rows: this minimum is not used."
    if first.too_small.any():
        names = _some(table.groups[first.too_small].tolist())
        yield f"Too small for a conclusion by {first.criterion.title}: {names}. {RULE}"
    if single := table.groups[table.rows < 2].tolist():
        yield f"No interval for groups of fewer than two rows: {_some(single)}."


def _some(groups: Sequence[Any]) -> str:
    """Names of groups, the first ones of many."""
    names = ", ".join(repr(name_of(group)) for group in groups[:MOST_NAMED])
    more = len(groups) - MOST_NAMED
    return f"{names} and {more} more" if more > 0 else names


def _about_labels(table: ScoreTable) -> Iterator[str]:
    """Predicted labels that are never true."""
    if not table.predicts_labels:
        return
    true, predicted = table.cube.sum(axis=(0, 2)), table.cube.sum(axis=(0, 1))
    if labels := table.labels[(predicted > 0) & (true == 0)].tolist():
        names = ", ".join(map(name_of, labels[:MOST_NEVER_TRUE]))
        more = ", …" * (len(labels) > MOST_NEVER_TRUE)
        yield f"Predicted, but never true in these rows: {names}{more}."


def _about_weights(table: ScoreTable) -> Iterator[str]:
    """Survey weights, and weights that are not numbers of rows."""
    weights = table.in_rows(table.counts.data)
    if table.survey is not None:
        yield "Survey weights: intervals are those of the rows in the sample."
    elif not np.array_equal(weights, np.rint(weights)):
        yield (
            "Weights are not whole numbers: intervals treat their sum, "
            f"{quantity(table.rows.sum())}, as the number of rows. If these are survey weights, "
            "pass weights='survey'."
        )


def reading_in_words(table: ScoreTable) -> str:
    """Say how integer predictions were read, and how many of their values are no true labels."""
    values = table.axis[table.counts.sum(axis=0) > 0]
    true = table.labels[table.totals.sum(axis=0) > 0]
    n_new = int((~np.isin(values, true)).sum())
    how = "labels, although" if table.predicts_labels else "scores, because"
    which = f"{n_new:,} of their {len(values):,} distinct values never"
    if n_new == len(values):
        which = f"none of their {len(values):,} distinct values"
    occur = "occurs" if n_new in (1, len(values)) else "occur"
    return f"Predictions were read as {how} {which} {occur} as a true label."
