"""The paper's data sets, where they are at hand: FAIRORDINAL_DATA or ../shared/data."""

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

BESIDE = Path(__file__).resolve().parents[2] / "shared" / "data"
HOME = Path(os.environ.get("FAIRORDINAL_DATA", BESIDE))
ROOT = HOME / "paper_main"

needs_paper_data = pytest.mark.skipif(
    not ROOT.is_dir(), reason="the paper's data is not here; FAIRORDINAL_DATA can name its folder"
)


def stored_splits(name, group):
    """True labels, stored MATLAB predictions and groups of the 20 test splits."""
    folder = ROOT / name
    table = pd.read_csv(folder / "table.csv.gz")
    rows = pd.read_csv(folder / "splits.csv.gz").set_index(["split", "part"])["rows"]
    stored = pd.read_csv(folder / "pom_matlab.csv.gz").set_index(["split", "part"])["predictions"]
    for split in range(20):
        train = _numbers(rows[split, "train"])
        known = (split, "test") in rows.index
        test = _numbers(rows[split, "test"]) if known else np.delete(np.arange(len(table)), train)
        columns = table["label"].to_numpy(), table[group].to_numpy()
        yield columns[0][test], _numbers(stored[split, "test"]), columns[1][test]


def training_rows(name, group, split):
    """True labels and groups of a training split."""
    table = pd.read_csv(ROOT / name / "table.csv.gz")
    rows = pd.read_csv(ROOT / name / "splits.csv.gz").set_index(["split", "part"])["rows"]
    train = _numbers(rows[split, "train"])
    return table["label"].to_numpy()[train], table[group].to_numpy()[train]


def _numbers(text):
    return np.array(text.split(), dtype=int)
