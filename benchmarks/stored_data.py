"""Training rows of the paper's data sets, and scores for them.

The data is found in FAIRORDINAL_DATA, or beside the project in ../shared/data.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import numpy as np
import pandas as pd
from skordinal.classifiers import POM

BESIDE = Path(__file__).resolve().parents[2] / "shared" / "data"
ROOT = Path(os.environ.get("FAIRORDINAL_DATA", BESIDE))
RACE = ["racepctblack", "racePctWhite", "racePctAsian", "racePctHisp", "a2", "a3"]
MAIN = {"drug consumption": ["a"], "communities and crime": RACE}
GROUP = {"drug consumption": "a", "communities and crime": "a2"}


def main_rows(name, split, group=""):
    """Features (standardised), labels and groups of a training split of a main data set."""
    return _main_split(name, split, group)[0]


def main_test_rows(name, split, group=""):
    """The same of the test split, standardised like the training split."""
    return _main_split(name, split, group)[1]


def _main_split(name, split, group):
    folder = ROOT / "paper_main" / name.replace(" ", "_")
    table, train = _read(folder, "splits.csv.gz", split)
    test = np.setdiff1d(np.arange(len(table)), train)
    X = table.drop(columns=["label", *MAIN[name]]).to_numpy(dtype=float)
    mean, spread = X[train].mean(axis=0), X[train].std(axis=0)
    X = (X - mean) / np.where(spread > 0, spread, 1.0)
    y, a = table["label"].to_numpy(), table[group or GROUP[name]].to_numpy()
    return (X[train], y[train], a[train]), (X[test], y[test], a[test])


def orca_names():
    """All 33 benchmark sets."""
    return pd.read_csv(ROOT / "protected_attributes.csv")["dataset"].tolist()


def orca_rows(name):
    """The same of the first training split of a benchmark set."""
    return orca_split(name, 0)[0]


def orca_split(name, number):
    """Training and test rows of a split of a benchmark set, counted from 0."""
    kinds = pd.read_csv(ROOT / "protected_attributes.csv").set_index("dataset")
    base, _, levels = name.rpartition("-") if name[-1].isdigit() else (name, "", "")
    folder = ROOT / ("orca_discretized" if levels else "orca_real") / base
    table, splits = (
        pd.read_csv(folder / f"{file}.csv.gz") for file in ("table", f"splits{levels}")
    )
    stored = {
        part: splits[splits["part"] == part].sort_values("split")["rows"].tolist()
        for part in ("train", "test")
    }
    train = np.array(stored["train"][number].split(), dtype=int)
    test = np.setdiff1d(np.arange(len(table)), train)
    if stored["test"]:
        test = np.array(stored["test"][number].split(), dtype=int)
    labels = [column for column in table if column.startswith("label")]
    inputs = table.drop(columns=[*labels, kinds.loc[name, "feature_name"]]).to_numpy(dtype=float)
    mean, spread = inputs[train].mean(axis=0), inputs[train].std(axis=0)
    inputs = (inputs - mean) / np.where(spread > 0, spread, 1.0)
    feature = table[kinds.loc[name, "feature_name"]].to_numpy(dtype=float)
    y = table[f"label{levels}"].to_numpy()
    rule = kinds.loc[name, "rule"]
    return [(inputs[rows], y[rows], _groups(feature[rows], rule)) for rows in (train, test)]


def _groups(feature, rule):
    """Whether the feature has the rule's value, or is not below its median among these rows."""
    equal = re.search(r"x == (-?[\d.]+)", rule)
    group = feature == float(equal[1]) if equal else feature >= np.median(feature)
    return group.astype(int)


def _read(folder, splits, split):
    table = pd.read_csv(folder / "table.csv.gz")
    stored = pd.read_csv(folder / splits)
    train = stored[stored["part"] == "train"].set_index("split")["rows"]
    text = train.iloc[0] if split is None else train[split]
    return table, np.array(text.split(), dtype=int)


def pom_scores(X, y):
    """Scores of the proportional-odds model, converged."""
    scores = X @ np.ravel(POM(tol=1e-10, max_iter=10**4).fit(X, y).coef_)
    return scores if np.corrcoef(scores, y)[0, 1] > 0 else -scores


def fair_scores(X, y, a, criterion):
    """Ridge regression whose scores are uncorrelated with the group; for EO, given the label."""
    group = np.eye(a.max() + 1)[a]
    level = np.eye(y.max() + 1)[y]
    if criterion == "equal_opportunity":
        group = group - level @ np.linalg.lstsq(level, group, rcond=None)[0]
    else:
        group = group - group.mean(axis=0)
    basis, sizes, _ = np.linalg.svd(X.T @ group, full_matrices=False)
    basis = basis[:, sizes > 1e-9 * sizes.max()]
    kept = X - X @ basis @ basis.T
    weights = np.linalg.solve(kept.T @ kept + 10 * np.eye(X.shape[1]), kept.T @ (y - y.mean()))
    return kept @ weights
