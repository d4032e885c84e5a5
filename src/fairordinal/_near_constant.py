"""Predictions that hardly tell people apart, because nearly all of them get one label.

Criteria of pairs are kept by any constant prediction. A strict limit may therefore lead to cut
points or models that are of little use. The rule is the same for all results.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from fairordinal._render import name_of, percent
from fairordinal._support import visible
from fairordinal._table import ScoreTable

NEARLY_ALL = 0.9  # share of the rows with one predicted label, beyond which users are told


class NearConstant(NamedTuple):
    """A label that nearly all rows are predicted, and their share."""

    label: Any
    share: float

    def __str__(self) -> str:
        if self.share == 1.0:
            who = "All people"
        elif self.share >= 0.995:  # would be rounded to 100 %
            who = "More than 99% of all people"
        else:
            who = f"{percent(self.share)} of all people"
        return f"{who} get label {visible(name_of(self.label))}"


def near_constant(table: ScoreTable) -> NearConstant | None:
    """The label that more than 90 % of the rows of a table of predictions have; otherwise None."""
    counts = table.cube.sum(axis=(0, 1))
    most, used = int(counts.argmax()), int((counts > 0).sum())
    share = 1.0 if used == 1 else float(counts[most] / counts.sum())
    return NearConstant(table.labels.tolist()[most], share) if share > NEARLY_ALL else None
