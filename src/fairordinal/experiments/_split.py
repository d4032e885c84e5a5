"""Training and test rows of the paper's data sets, by name and number of the split."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from sklearn.preprocessing import StandardScaler

from fairordinal import datasets
from fairordinal._validation import Array

DRUGS = "drug-consumption"
CRIME = "communities-crime"
CRIME_THREE = "communities-crime-3"
MAIN = (DRUGS, CRIME)


class Rows(NamedTuple):
    """Features, labels and groups."""

    X: Array
    y: Array
    groups: Array


@dataclass(frozen=True)
class Split:
    """Rows to learn from and rows to judge by; features standardised by the former."""

    train: Rows
    test: Rows
    labels: list[int]  # of both


@lru_cache(maxsize=2)
def fetch(data: str) -> Any:
    """A data set by its name in experiments."""
    if data == DRUGS:
        return datasets.fetch_drug_consumption()
    if data in (CRIME, CRIME_THREE):
        return datasets.fetch_communities_crime(groups=3 if data == CRIME_THREE else 2)
    return datasets.fetch_orca(data)


def n_splits(data: str) -> int:
    return len(fetch(data).splits)


def read_split(data: str, number: int) -> Split:
    """The rows of a split, counted from 0."""
    source = fetch(data)
    places, groups = source.splits[number], source.split_sensitive_features[number]
    scale = StandardScaler().fit(source.data[places[0]])
    train, test = (
        Rows(scale.transform(source.data[rows]), source.target[rows], group)
        for rows, group in zip(places, groups, strict=True)
    )
    return Split(train, test, np.unique(source.target).tolist())
