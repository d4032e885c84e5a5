"""Hypervolume of the frontier on test rows against the recipe of the paper, and its time.

The recipe: for each μ the ranker that the paper's rule selects from its grid of 100 multipliers on
all pairs, and certified thresholds for λ'=μ. Both get the best constant predictor, too. The
hypervolume is the share of the box between the origin of violation, the least cost, and the
greatest violation and cost of all models compared, that is dominated. (a) Main data sets. (b) The
benchmark sets, means over splits. (c) Time.

    OPENBLAS_NUM_THREADS=1 python benchmarks/bench_frontier.py [--splits 20] [--orca-splits 5]
        [--jobs 1] [--cache FOLDER]
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
from bench_quality import MEASURES, SHORT
from joblib import Parallel, delayed
from stored_data import MAIN, main_rows, main_test_rows, orca_names, orca_split

from fairordinal import FairOrdinalFrontier, metrics, optimize_thresholds
from fairordinal.ranker import FairLinearRanker

MAIN_TRADE_OFFS = (0.0, 0.1, 0.2, 0.3, 0.33, 0.36, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
ORCA_TRADE_OFFS = tuple(0.1 * i for i in range(10))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--splits", type=int, default=20)
    parser.add_argument("--orca-splits", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--cache", type=Path)
    options = parser.parse_args()
    print(f"## Frontier ({date.today()})\n")
    packages = ["fairordinal", "numpy", "scipy", "scikit-learn"]
    print(", ".join(f"{name} {version(name)}" for name in packages), end="; ")
    print(f"Python {platform.python_version()}, {platform.machine()}\n")
    main_sets(options)
    orca_sets(options)
    times()


def main_sets(options):
    print(f"(a) Hypervolume on the test rows, means over {options.splits} splits:\n")
    print("| data | criterion | frontier | recipe | better in | models | CPU s |")
    print("|---" * 7 + "|", flush=True)
    for name in MAIN:
        for criterion in MEASURES:
            found = every_split(options, options.splits, name, criterion)
            ours, theirs, models, seconds = np.array(found).T
            print(
                f"| {name} | {SHORT[criterion]} | {ours.mean():.3f} | {theirs.mean():.3f} "
                f"| {(ours >= theirs).mean():.0%} of splits | {models.mean():.0f} "
                f"| {seconds.mean():.1f} |",
                flush=True,
            )


def orca_sets(options):
    print(f"\n(b) Benchmark sets, means over {options.orca_splits} splits:\n")
    print("| data | DP: frontier | recipe | EO: frontier | recipe |\n|---|---|---|---|---|")
    better = []
    for name in orca_names():
        shown = []
        for criterion in MEASURES:
            found = every_split(options, options.orca_splits, name, criterion)
            found = [row for row in found if row is not None]  # undefined in some test rows
            if not found:
                shown += ["undefined", ""]
                continue
            ours, theirs, _, _ = np.mean(found, axis=0)
            better.append(ours >= theirs)
            shown += [f"{ours:.3f}", f"{theirs:.3f}"]
        print(f"| {name} | " + " | ".join(shown) + " |", flush=True)
    print(f"\nThe frontier is at least as good in {sum(better)} of {len(better)} cases.\n")


def every_split(options, n_splits, name, criterion):
    return Parallel(n_jobs=options.jobs)(
        delayed(cached)(options.cache, name, split, criterion) for split in range(n_splits)
    )


def cached(folder, name, split, criterion):
    """Each case is kept in a file, so that a run that was stopped goes on."""
    if folder is None:
        return hypervolumes(name, split, criterion)
    file = folder / f"{name} {split} {criterion}.json"
    if not file.exists():
        folder.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(hypervolumes(name, split, criterion)))
    return json.loads(file.read_text())


def hypervolumes(name, split, criterion):
    """Of the frontier and of the recipe, number of models, and CPU seconds; None if undefined."""
    warnings.simplefilter("ignore")
    is_main = name in MAIN
    rows = (main_rows(name, split), main_test_rows(name, split)) if is_main else None
    (X, y, a), (new_X, new_y, new_a) = rows or orca_split(name, split)
    constant = metrics.mean_cost(new_y, np.full(len(new_y), int(np.median(y))))
    try:
        start = time.process_time()
        frontier = FairOrdinalFrontier(criterion, labels=sorted({*y, *new_y}))
        frontier.fit(X, y, sensitive_features=a, eval_set=(new_X, new_y, new_a))
        seconds = time.process_time() - start
    except ValueError:
        return None
    ours = [(point.held_out.violation, point.held_out.cost) for point in frontier.points_]
    trade_offs = MAIN_TRADE_OFFS if is_main else ORCA_TRADE_OFFS
    theirs = recipe(X, y, a, new_X, new_y, new_a, criterion, trade_offs)
    if np.isnan([*ours, *theirs]).any():
        return None
    corner = np.max([*ours, *theirs, (0.0, constant)], axis=0) * 1.01
    least = min(cost for _, cost in [*ours, *theirs, (0.0, constant)])
    shares = [dominated([*points, (0.0, constant)], corner, least) for points in (ours, theirs)]
    return [*shares, len(ours), seconds]


def recipe(X, y, a, new_X, new_y, new_a, criterion, trade_offs):
    ranker = FairLinearRanker(criterion, ranker="grid").fit(X, y, sensitive_features=a)
    points = []
    for trade_off in trade_offs:
        coef = ranker.at(trade_off).coef_
        result = optimize_thresholds(
            X @ coef, y, sensitive_features=a, criterion=criterion, trade_off=trade_off, max_time=5
        )
        predicted = result.predict(new_X @ coef)
        violation = MEASURES[criterion](new_y, predicted, sensitive_features=new_a)
        points.append((violation, metrics.mean_cost(new_y, predicted)))
    return points


def dominated(points, corner, least):
    """Share of the box from (0, least) to the corner in which some point is no worse.

    An empty box, where nothing is better than the constant, is dominated as a whole.
    """
    if not corner[0] or corner[1] <= least:
        return 1.0
    area, lowest = 0.0, corner[1]
    for violation, cost in sorted(points):
        if cost < lowest:
            area += (corner[0] - violation) * (lowest - cost)
            lowest = cost
    return float(area / (corner[0] * (corner[1] - least)))


def times():
    print("(c) CPU seconds of a frontier, cross-validated:\n")
    print("| rows | features | models | CPU s | wall s with 2 jobs |\n|---|---|---|---|---|")
    for n, d in ((1500, 17), (10**5, 17)):
        generator = np.random.default_rng(0)
        X, a = generator.normal(size=(n, d)), generator.integers(0, 2, n)
        X[:, 0] += a
        y = np.digitize(X[:, :5].sum(axis=1) + generator.normal(size=n), [-2, -0.7, 0.7, 2])
        start = time.process_time()
        frontier = FairOrdinalFrontier().fit(X, y, sensitive_features=a)
        seconds = time.process_time() - start
        begun = time.perf_counter()
        FairOrdinalFrontier(n_jobs=2).fit(X, y, sensitive_features=a)
        wall = time.perf_counter() - begun
        print(f"| {n} | {d} | {len(frontier.points_)} | {seconds:.1f} | {wall:.1f} |", flush=True)


if __name__ == "__main__":
    main()
