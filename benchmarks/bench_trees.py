"""Fair forests: `basis="auto"` against linear models and LightGBM, on large benchmark tables.

70 % of each table is for training, the rest measures cost and violation. "LightGBM" is
`LGBMRegressor()` with its scores cut at the cheapest thresholds, without fairness; "its thresholds"
moves these thresholds to keep the limit (`FairThresholdClassifier`), for several limits. "Cost
there" is their cost at the violation of `auto`, interpolated. Constants were settled on `SETTLED`;
the other tables judge them.

    OPENBLAS_NUM_THREADS=1 python benchmarks/bench_trees.py [--half judged] [--jobs 1]
        [--cache FOLDER] [--draws 1]

With ``--million``, only the time for 10⁶ rows is measured.
"""

from __future__ import annotations

import argparse
import json
import platform
import time
import warnings
from datetime import date
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pandas as pd
from bench_promise import CRITERIA, Fresh, print_rows
from joblib import Parallel, delayed
from lightgbm import LGBMRegressor
from sklearn.linear_model import LogisticRegression
from stored_data import orca_split

from fairordinal import FairOrdinalClassifier, FairThresholdClassifier

LIMITS = (0.05, 0.1)
SWEPT = (0.01, 0.03, 0.05, 0.1, 0.15, 0.2, 0.3)
SETTLED = ("abalone-5", "calhousing-10", "census1-5", "computer1-10")
FAMILIES = ("abalone", "bank1", "bank2", "calhousing", "census1", "census2", "computer1")
TABLES = [f"{family}-{k}" for family in (*FAMILIES, "computer2") for k in (5, 10)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--half", choices=("settled", "judged"), default="judged")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--draws", type=int, default=1)
    parser.add_argument("--cache", type=Path)
    parser.add_argument("--million", action="store_true")
    options = parser.parse_args()
    if options.million:
        return print_million()
    names = [name for name in TABLES if (name in SETTLED) == (options.half == "settled")]
    found = Parallel(n_jobs=options.jobs)(
        delayed(cached)(name, draw, short, options.cache)
        for draw in range(options.draws)
        for name in names
        for short in CRITERIA
    )
    print_results(pd.DataFrame([row for rows in found for row in rows]), options)


def cached(name, draw, short, folder):
    """The rows of a case; from the folder of the cache, if they are there."""
    if folder is None:
        return measured(name, draw, short)
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{name}.{draw}.{short}.json"
    if not file.exists():
        file.write_text(json.dumps(measured(name, draw, short)))
    return json.loads(file.read_text())


def measured(name, draw, short):
    """Cost, violation and CPU seconds of each model, for each limit."""
    warnings.simplefilter("ignore")
    X, y, a = (np.concatenate(part) for part in zip(*orca_split(name, 0), strict=True))
    order, n = np.random.default_rng(draw).permutation(len(y)), int(0.7 * len(y))
    train, fresh = order[:n], Fresh(X[order[n:]], y[order[n:]], a[order[n:]])

    def of(model):
        start = time.process_time()
        model.fit(X[train], y[train], sensitive_features=a[train])
        seconds = time.process_time() - start
        violation, cost, _ = fresh.measure(model, criterion)
        return cost, violation, seconds

    def error(model, other):
        """Standard error of the difference of two costs, on the same rows."""
        own, rival = (np.abs(m.predict(X[order[n:]]) - y[order[n:]]) for m in (model, other))
        return float(np.std(own - rival) / np.sqrt(len(own)))

    criterion = CRITERIA[short]
    booster = LGBMRegressor(verbose=-1, n_jobs=1, random_state=0)
    start = time.process_time()
    booster.fit(X[train], y[train])
    grown = time.process_time() - start
    cut = {
        limit: of(FairThresholdClassifier(booster, criterion=criterion, max_violation=limit))
        for limit in SWEPT
    }
    plain = FairThresholdClassifier(booster, criterion=criterion, trade_off=0.0)
    unfair = of(plain)
    rows = []
    for limit in LIMITS:
        linear, auto = (
            FairOrdinalClassifier(criterion, max_violation=limit, basis=basis)
            for basis in ("linear", "auto")
        )
        found = {"linear": of(linear), "auto": of(auto), "thresholds": cut[limit], "unfair": unfair}
        row = {"data": name, "draw": draw, "criterion": short, "limit": limit, "n": n}
        row |= {"basis": auto.basis_, "expected_cost": auto.expected_cost_, "grown": grown}
        row["error"] = error(auto, plain)
        row["there"] = cost_at(found["auto"][1], [*cut.values(), unfair])
        for key, values in found.items():
            names = (f"{key}_cost", f"{key}_violation", f"{key}_seconds")
            row |= dict(zip(names, map(float, values), strict=True))
        rows.append(row)
    return rows


def cost_at(violation, results):
    """Cost of the lower envelope of some results at a violation; the nearest at the ends."""
    points = sorted((v, cost) for cost, v, _ in results)
    violations, costs = np.array(points).T
    return float(np.interp(violation, violations, np.minimum.accumulate(costs)))


def print_results(frame, options):
    print(f"## Fair forests ({date.today()})\n")
    packages = ["fairordinal", "lightgbm", "numpy", "scipy", "scikit-learn"]
    print(", ".join(f"{name} {version(name)}" for name in packages), end="; ")
    print(f"Python {platform.python_version()}, {platform.machine()}. The {options.half} tables.\n")
    frame["saved"] = 1.0 - frame.auto_cost / frame.linear_cost
    shown = {
        "data": frame.data, "n": frame.n, "criterion": frame.criterion, "limit": frame.limit,
        "linear": both(frame, "linear"), "auto": both(frame, "auto"), "basis": frame.basis,
        "saved": [f"{share:.1%}" for share in frame.saved],
        "LightGBM": both(frame, "unfair"), "its thresholds": both(frame, "thresholds"),
        "cost there": frame.there,
        "CPU s, linear": frame.linear_seconds.round(1),
        "CPU s, auto": frame.auto_seconds.round(1),
    }  # fmt: skip
    print_rows(pd.DataFrame(shown))
    print_summary(frame)


def both(frame, key):
    """Cost and violation as text."""
    pairs = zip(frame[f"{key}_cost"], frame[f"{key}_violation"], strict=True)
    return [f"{cost:.3f} / {violation:.3f}" for cost, violation in pairs]


def print_summary(frame):
    print(f"`auto` costs {frame.saved.mean():.1%} less than linear on average; the worst case is "
          f"{-frame.saved.min():+.1%}. In {(frame.saved >= -0.02).mean():.0%} of {len(frame)} "
          "cases it costs at most 2 % more.")  # fmt: skip
    for limit, part in frame.groupby("limit"):
        print(f"Limit {limit}: mean violation {part.auto_violation.mean():.3f}, highest "
              f"{part.auto_violation.max():.3f} (linear {part.linear_violation.mean():.3f}, "
              f"{part.linear_violation.max():.3f}).")  # fmt: skip
    fair = frame[frame.unfair_violation <= frame.limit]
    if len(fair):
        print_within(fair)
    ratio = frame.auto_cost / frame.there - 1.0
    print(f"Against thresholds of LightGBM at equal violation: {ratio.mean():+.1%} on average, "
          f"cheaper in {(ratio < 0).mean():.0%}.")  # fmt: skip
    print(
        f"CPU of `auto`: {(frame.auto_seconds / frame.linear_seconds).mean():.1f} times that of "
        f"linear, {(frame.auto_seconds / frame.grown).mean():.0f} times LightGBM's own fit."
    )


def print_within(fair):
    """Cases in which LightGBM is within the limit: means over draws, with standard errors."""
    ratio = fair.auto_cost / fair.unfair_cost - 1.0
    print(f"LightGBM without fairness is within the limit in {len(fair)} results: `auto` costs "
          f"{ratio.mean():+.1%} on average. By case:\n")  # fmt: skip
    frame = fair.assign(ratio=ratio, error=fair.error / fair.unfair_cost)
    found = frame.groupby(["data", "criterion", "limit"], sort=False).agg(
        draws=("ratio", "size"),
        more=("ratio", "mean"),
        error=("error", lambda errors: np.sqrt((errors**2).sum()) / len(errors)),
    )
    for column in ("more", "error"):
        found[column] = [f"{share:+.1%}" for share in found[column]]
    print_rows(found.reset_index())


def print_million(n=10**6, d=20):
    """CPU seconds of fits to very many rows, whose labels depend on an absolute value."""
    warnings.simplefilter("ignore")
    generator = np.random.default_rng(0)
    X, a = generator.normal(size=(n, d)), generator.integers(0, 2, n)
    X[:, 0] += a
    hidden = X[:, :5].sum(axis=1) + 2.0 * np.abs(X[:, 5]) + generator.normal(size=n)
    y = np.digitize(hidden, np.quantile(hidden, [0.2, 0.4, 0.6, 0.8]))
    print("| model | CPU s | times linear | mean cost | violation |\n|---|---|---|---|---|")
    start = time.process_time()
    LogisticRegression().fit(X, y)
    plain = time.process_time() - start
    linear = None
    for basis in ("linear", "auto"):
        start = time.process_time()
        model = FairOrdinalClassifier(basis=basis).fit(X, y, sensitive_features=a)
        seconds = time.process_time() - start
        linear = linear or seconds
        print(f"| {basis} | {seconds:.1f} | {seconds / linear:.1f} | {model.cost_:.3f} "
              f"| {model.violation_:.3f} |", flush=True)  # fmt: skip
    print(f"| LogisticRegression | {plain:.1f} | {plain / linear:.1f} | | |")


if __name__ == "__main__":
    main()
