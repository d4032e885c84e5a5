"""Probabilities of labels on test rows: `predict_proba` beside the proportional-odds model.

For each boundary between labels, the probability that the label is above it is compared with what
is true. RPS is the ranked probability score: the sum over boundaries of the squared error, averaged
over rows; lower is better. ECE is the expected calibration error: rows are divided into ten bins of
equal size by probability, and in each bin the mean probability is compared with the share of rows;
it is averaged over bins and boundaries. "Noise" is the ECE if labels are drawn from the
probabilities themselves: no model can be shown to be better than that. "Shares" gives all rows the
shares of the labels in the training rows.

    OPENBLAS_NUM_THREADS=1 python benchmarks/bench_calibration.py [--splits 5] [--jobs 1]
"""

from __future__ import annotations

import argparse
import platform
import warnings
from datetime import date
from importlib.metadata import version

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import HistGradientBoostingRegressor
from stored_data import MAIN, main_rows, main_test_rows

from fairordinal import FairOrdinalClassifier, FairThresholdClassifier
from fairordinal.baselines import ProportionalOddsClassifier
from fairordinal.datasets import make_biased_ordinal

DATA = (*MAIN, "synthetic")
N_BINS, N_TRAIN, N_DRAWS = 10, 1000, 20
BOOSTED = HistGradientBoostingRegressor(random_state=0)
MODELS = {
    "FairOrdinalClassifier(max_violation=0.1)": FairOrdinalClassifier(max_violation=0.1),
    "FairOrdinalClassifier(trade_off=0)": FairOrdinalClassifier(trade_off=0.0),
    "FairThresholdClassifier(boosted trees, max_violation=0.1)": FairThresholdClassifier(
        BOOSTED, max_violation=0.1
    ),
    "ProportionalOddsClassifier()": ProportionalOddsClassifier(),
    "ProportionalOddsClassifier(alpha=0.01)": ProportionalOddsClassifier(alpha=0.01),
    "shares": DummyClassifier(),
}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    found = Parallel(n_jobs=options.jobs)(
        delayed(measured)(data, split) for data in DATA for split in range(options.splits)
    )
    print_results(pd.DataFrame([row for rows in found for row in rows]), options.splits)


def rows_of(data, split):
    """Training and test rows."""
    if data in MAIN:
        return main_rows(data, split), main_test_rows(data, split)
    rows = make_biased_ordinal(5 * N_TRAIN, noise=0.8, random_state=split)
    columns = (rows.data, rows.target, rows.sensitive_features)
    return [c[:N_TRAIN] for c in columns], [c[N_TRAIN:] for c in columns]


def measured(data, split):
    """RPS, ECE and its noise for each model."""
    warnings.simplefilter("ignore")
    (X, y, a), (new_X, new_y, _) = rows_of(data, split)
    rows = []
    for name, model in MODELS.items():
        groups = {} if name == "shares" else {"sensitive_features": a}
        model.fit(X, y, **groups)
        probability, label = model.predict_proba(new_X), np.searchsorted(model.classes_, new_y)
        above = 1.0 - np.cumsum(probability, axis=1)[:, :-1]
        true = label[:, None] > np.arange(above.shape[1])
        rps = ((above - true) ** 2).sum(axis=1).mean()
        found = {"RPS": rps, "ECE": ece(above, true), "noise": noise(above)}
        rows.append({"data": data, "model": name} | found)
    return rows


def ece(above, true):
    """Expected calibration error of the probabilities of all boundaries."""
    errors, ties = [], np.random.default_rng(0).permutation(len(above))
    for probability, is_above in zip(above.T, true.T, strict=True):
        order = np.lexsort((ties, probability))  # rows may be sorted by label
        for part in np.array_split(order, N_BINS):
            error = abs(probability[part].mean() - is_above[part].mean())
            errors.append(error * len(part) * N_BINS / len(order))
    return np.mean(errors)


def noise(above):
    """Mean expected calibration error of labels that are drawn from the probabilities."""
    generator = np.random.default_rng(0)
    draws = (generator.random((len(above), 1)) < above for _ in range(N_DRAWS))
    return np.mean([ece(above, true) for true in draws])


def print_results(frame, n_splits):
    print(f"## Calibration ({date.today()})\n")
    packages = ["fairordinal", "numpy", "scipy", "scikit-learn"]
    print(", ".join(f"{name} {version(name)}" for name in packages), end="; ")
    print(f"Python {platform.python_version()}. Means over {n_splits} splits, ± standard errors.\n")
    print("| data | model | RPS | ECE | noise |\n|---|---|---|---|---|")
    for (data, model), part in frame.groupby(["data", "model"], sort=False):
        error = part[["RPS", "ECE"]].std() / np.sqrt(n_splits)
        mean = part[["RPS", "ECE", "noise"]].mean()
        shown = [f"{mean[name]:.3f} ± {error[name]:.3f}" for name in ("RPS", "ECE")]
        print(f"| {data} | {model} | {' | '.join(shown)} | {mean['noise']:.3f} |")


if __name__ == "__main__":
    main()
