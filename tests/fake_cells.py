"""Cells and data that cost nothing: for tests of how experiments are run, kept and told."""

import os
import sys
import time
import uuid
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from sklearn.utils import Bunch

from fairordinal.baselines import PAPER_PROBABILITIES
from fairordinal.datasets import make_biased_ordinal
from fairordinal.experiments._run import Store, run
from fairordinal.experiments.methods import (
    CRITERIA,
    ORCA_PROBABILITIES,
    Constant,
    Limits,
    Odds,
    Orca,
    Recipe,
)


@dataclass(frozen=True)
class Counted:
    """Notes each computation as a file, and may be slow or fail; its rows depend on its name."""

    name: str
    notes: str
    pause: float = 0.0
    title: str = "counted cell"

    @property
    def settings(self):
        return {"name": self.name}

    def rows(self):
        time.sleep(self.pause)
        if (Path(self.notes) / f"{self.name} is broken").exists():
            raise ValueError(f"{self.name} is broken")
        (Path(self.notes) / f"{self.name} {uuid.uuid4()}").touch()
        return [{"name": self.name, "value": len(self.name) / 3}, {"name": self.name, "odd": None}]


def computations(notes, name):
    """How often a cell was computed to its end."""
    return len(list(Path(notes).glob(f"{name} *-*")))


def counted_cells(notes, pause=0.0, number=8):
    return [Counted(f"c{'x' * i}", str(notes), pause) for i in range(number)]


def made_up_data(name, n_rows=120, n_train=80, n_splits=2):
    """Rows with a known bias, and splits, as the fetchers give them."""
    source = make_biased_ordinal(n_rows, n_labels=3, random_state=len(name))
    generator = np.random.default_rng(len(name))
    orders = [generator.permutation(n_rows) for _ in range(n_splits)]
    splits = [(order[:n_train], order[n_train:]) for order in orders]
    groups = source.sensitive_features
    return Bunch(
        data=source.data,
        target=source.target,
        sensitive_features=groups,
        sensitive_names={0: "one", 1: "other"},
        splits=splits,
        split_sensitive_features=[(groups[train], groups[test]) for train, test in splits],
    )


def pretended(cell):
    """Rows such as a cell would find, without learning anything."""
    noise = np.random.default_rng([cell.split, len(cell.data)])
    found = []
    for kind, criterion, parameter in kinds_of(cell.method):
        cost = 0.6 + 0.5 * parameter + 0.05 * noise.random()
        violation = max(0.5 * (1 - parameter) + 0.05 * noise.random(), 0.0)
        found.append(
            {
                "data": cell.data,
                "split": cell.split,
                "kind": kind,
                "criterion": criterion,
                "parameter": parameter,
                "cost": cost,
                "violation": violation if kind != "constant" else 0.0,
            }
        )
    return found


def kinds_of(method):
    """Kind, criterion and parameter of each row of a method."""
    match method:
        case Recipe():
            for value in method.trade_offs:
                yield "ours", method.criterion, value
                yield "ranker only", method.criterion, value
        case Limits():
            yield from (("frontier", method.criterion, limit) for limit in method.limits)
        case Constant():
            yield from (("constant", criterion, 0.0) for criterion in CRITERIA)
        case Odds():
            for criterion in CRITERIA:
                yield "POM", criterion, 0.0
                yield from (("mixture", criterion, p) for p in PAPER_PROBABILITIES)
                yield from (("POM thresholds", criterion, value) for value in method.trade_offs)
        case Orca():
            for criterion in CRITERIA:
                yield method.name, criterion, 0.0
                yield from ((f"{method.name} mixture", criterion, p) for p in ORCA_PROBABILITIES)


if __name__ == "__main__":  # to be killed
    out, notes, pause, n_jobs = sys.argv[1:]
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    run(counted_cells(notes, float(pause)), Store(Path(out)), n_jobs=int(n_jobs))
