"""What is known of ORCA's 33 benchmark sets: files, checksums, columns, protected attributes.

`orca.json` holds it. `files_sha256` is the SHA-256 of the list that ``sha256sum`` prints for the
train and test files of a set, in the order train, test, split by split.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib import resources


@dataclass(frozen=True)
class OrcaSet:
    """One benchmark set: what it is called, where it is stored, which column makes the groups."""

    name: str
    base: str  # abalone for abalone-5 and abalone-10
    columns: tuple[str, ...]
    folder: str  # in ORCA's archive
    stem: str  # of the file names there: train_<stem>.<split>
    first_split: int
    n_splits: int
    files_sha256: str
    sensitive_column: str
    sensitive_value: float | None  # None: at or above the median
    target_names: list[str] | None
    source: str
    licence: str
    note: str

    @property
    def bins(self) -> str:
        """Number of classes of a discretised set, and nothing for a real one."""
        return "" if self.name == self.base else self.name.rpartition("-")[2]

    def file_names(self) -> list[tuple[str, str]]:
        """Names of the train and test file of each split."""
        numbers = range(self.first_split, self.first_split + self.n_splits)
        return [(f"train_{self.stem}.{n}", f"test_{self.stem}.{n}") for n in numbers]


@cache
def catalogue() -> dict[str, OrcaSet]:
    """All sets by name, in the order of the paper's tables."""
    text = resources.files("fairordinal.datasets").joinpath("orca.json").read_text("utf-8")
    stored = json.loads(text)
    columns = stored["columns"]
    return {
        name: OrcaSet(name=name, columns=tuple(columns[entry["base"]]), **entry)
        for name, entry in stored["sets"].items()
    }


def orca_names() -> list[str]:
    """Names of the 33 benchmark sets, in the order of the paper's tables.

    Returns
    -------
    names : list of str
        11 real sets, 11 regression sets cut into 5 classes, and the same into 10.

    Examples
    --------
    >>> from fairordinal.datasets import orca_names
    >>> orca_names()[:3], len(orca_names())
    (['automobile', 'balance-scale', 'car'], 33)
    """
    return list(catalogue())


def orca_set(name: str) -> OrcaSet:
    """The set of this name."""
    if name not in catalogue():
        raise ValueError(f"name must be one of {', '.join(catalogue())}; got {name!r}.")
    return catalogue()[name]
