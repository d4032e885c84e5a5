"""Cells of an experiment: the unit of work that is computed once and stored.

Most cells are a method on one split of a data set. The settings of a cell are all that its rows
depend on, and they name the file of a finished cell. Class names and fields of cells and methods
are part of these settings: a change makes stored results unusable.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any, NamedTuple, Protocol

import numpy as np
from sklearn.preprocessing import StandardScaler

from fairordinal import datasets
from fairordinal._validation import Array

Row = dict[str, Any]

# Splits

DRUGS = "drug-consumption"
CRIME = "communities-crime"
CRIME_THREE = "communities-crime-3"


class SplitPart(NamedTuple):
    """Features, labels and groups of some rows."""

    X: Array
    y: Array
    groups: Array


@dataclass(frozen=True)
class DataSplit:
    """Training and test rows; features are standardised with the moments of the training rows."""

    train: SplitPart
    test: SplitPart
    labels: list[int]  # of the whole data set


@lru_cache(maxsize=2)
def fetch(data: str) -> Any:
    """Return a data set by its name in experiments."""
    if data == DRUGS:
        return datasets.fetch_drug_consumption()
    if data in (CRIME, CRIME_THREE):
        return datasets.fetch_communities_crime(groups=3 if data == CRIME_THREE else 2)
    return datasets.fetch_orca(data)


def n_splits(data: str) -> int:
    """Return the number of splits of a data set."""
    return len(fetch(data).splits)


def read_split(data: str, number: int) -> DataSplit:
    """Return a split of a data set; splits are numbered from 0."""
    source = fetch(data)
    parts, groups = source.splits[number], source.split_sensitive_features[number]
    scale = StandardScaler().fit(source.data[parts[0]])
    train, test = (
        SplitPart(scale.transform(source.data[rows]), source.target[rows], group)
        for rows, group in zip(parts, groups, strict=True)
    )
    return DataSplit(train, test, np.unique(source.target).tolist())


# Cells


class Method(Protocol):
    """A method that is fitted to the training rows of a split and evaluated on the test rows.

    Implementations are frozen dataclasses. Their results depend on their fields and the split only.
    """

    def points(self, split: DataSplit) -> list[Row]:
        """Return a row for each predictor: kind, criterion, parameter, cost, violation."""


class ExperimentCell(Protocol):
    """Work that is done once. Two cells with the same settings are the same cell."""

    @property
    def title(self) -> str:
        """Short description for messages and file names."""

    @property
    def settings(self) -> dict[str, Any]:
        """All that the rows depend on, as values that JSON can represent."""

    def rows(self) -> list[Row]:
        """Compute the results."""


class DataclassCell:
    """Base class of frozen dataclasses whose fields are all that their rows depend on."""

    @property
    def settings(self) -> dict[str, Any]:
        fields: Any = self
        return {"cell": type(self).__name__, **asdict(fields)}


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
