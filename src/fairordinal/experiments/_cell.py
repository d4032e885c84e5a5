"""A cell of an experiment: one method on one split, the unit that is computed once and kept."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from typing import Any, Protocol

from fairordinal.experiments._split import Split, read_split

Row = dict[str, Any]


class Method(Protocol):
    """Learns from the training rows of a split, and says how it does on the test rows.

    A frozen dataclass: its fields are all that its results depend on, besides the split.
    """

    def points(self, split: Split) -> list[Row]:
        """One row for each predictor: kind, criterion, parameter, cost, violation."""


class Cell(Protocol):
    """Work that is done once; two cells of the same settings are the same cell."""

    @property
    def title(self) -> str:
        """What it is, for people."""

    @property
    def settings(self) -> dict[str, Any]:
        """All that its rows depend on, as JSON has it."""

    def rows(self) -> list[Row]:
        """What it finds."""


@dataclass(frozen=True)
class SplitCell:
    """A method on one split of a data set."""

    data: str
    split: int
    method: Method

    @property
    def title(self) -> str:
        return f"{self.data} {self.split} {type(self.method).__name__}"

    @property
    def settings(self) -> dict[str, Any]:
        method: Any = self.method
        return {
            "data": self.data,
            "split": self.split,
            "method": type(self.method).__name__,
            **asdict(method),
        }

    def rows(self) -> list[Row]:
        where = {"data": self.data, "split": self.split}
        return [where | point for point in self.method.points(read_split(self.data, self.split))]


def file_name(cell: Cell) -> str:
    """Readable, and different whenever any setting differs."""
    text = json.dumps(cell.settings, sort_keys=True)
    digest = hashlib.sha256(text.encode()).hexdigest()[:12]
    return f"{cell.title.replace(' ', '-')}-{digest}.json"
