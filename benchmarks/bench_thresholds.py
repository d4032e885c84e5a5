"""Certified thresholds against the paper's local search, and time against the number of rows.

On training scores of the paper's two main data sets (20 splits; scores of the proportional-odds
model and of a fair ridge regression) and of its 33 benchmark sets (first split), for DP and EO and
λ' = 0.1 … 0.9: objective, proved bound, gap and CPU time of `method="certified"`, and by how much
`method="local_search"` with ten random starts is worse. Then synthetic rows, k=5 and two
groups, 10³ to 10⁶ distinct scores, each size in a process of its own; and how well `max_time` is
kept.

    python benchmarks/bench_thresholds.py [--splits 20] [--largest 1000000]
"""

from __future__ import annotations

import argparse
import json
import platform
import resource
import subprocess
import sys
import time
import warnings
from datetime import date
from importlib.metadata import version

import numpy as np

from fairordinal import optimize_thresholds

CRITERIA = {"DP": "demographic_parity", "EO": "equal_opportunity"}
TRADE_OFFS = [round(0.1 * i, 1) for i in range(1, 10)]
HEADER = (
    "| data | criterion | scores | λ' | objective | bound | greatest gap | CPU s, median "
    "| CPU s, worst | local search is worse by | at most | its CPU s |\n" + "|---" * 12 + "|"
)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--splits", type=int, default=20)
    parser.add_argument("--largest", type=int, default=10**6)
    parser.add_argument("--measure", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    if options.measure:
        n, criterion, form = options.measure
        print(json.dumps(measure(int(n), criterion, json.loads(form))))
        return
    packages = ["fairordinal", "numpy", "scipy", "scikit-learn", "skordinal"]
    print(f"## Thresholds ({date.today()})\n")
    print(", ".join(f"{name} {version(name)}" for name in packages), end="; ")
    print(f"Python {platform.python_version()}, {platform.machine()}\n")
    cases = on_main_sets(options.splits) + on_orca_sets()
    summarise(cases)
    search_against_official()
    by_size(options.largest)
    keeping_time()


def on_main_sets(n_splits):
    from stored_data import MAIN, fair_scores, main_rows, pom_scores

    print(f"Main data sets, {n_splits} training splits of 1500 rows (means over splits):\n")
    print(HEADER, flush=True)
    cases = []
    for name in MAIN:
        rows = [main_rows(name, split) for split in range(n_splits)]
        plain = [pom_scores(X, y) for X, y, _ in rows]
        for short, criterion in CRITERIA.items():
            fair = [fair_scores(X, y, a, criterion) for X, y, a in rows]
            for kind, scores in (("POM", plain), ("fair", fair)):
                for trade_off in TRADE_OFFS:
                    solved = [
                        solve(s, y, a, criterion, trade_off)
                        for s, (_, y, a) in zip(scores, rows, strict=True)
                    ]
                    print(line(name, short, kind, trade_off, solved), flush=True)
                    cases += solved
    return cases


def on_orca_sets():
    from stored_data import orca_names, orca_rows, pom_scores

    print("\nBenchmark sets, first split, scores of the proportional-odds model (means over λ'):\n")
    print(HEADER, flush=True)
    cases = []
    for name in orca_names():
        X, y, a = orca_rows(name)
        scores = pom_scores(X, y)
        for short, criterion in CRITERIA.items():
            try:
                solved = [solve(scores, y, a, criterion, trade_off) for trade_off in TRADE_OFFS]
            except ValueError as error:
                print(f"| {name} | {short} | POM | undefined: {str(error)[:60]}… |" + " |" * 8)
                continue
            print(line(name, short, "POM", "0.1 … 0.9", solved), flush=True)
            cases += solved
    return cases


def solve(scores, y, a, criterion, trade_off):
    """One case by both methods."""
    options = {"sensitive_features": a, "criterion": criterion, "trade_off": trade_off}
    start = time.process_time()
    proved = optimize_thresholds(scores, y, **options)
    between = time.process_time()
    searched = optimize_thresholds(scores, y, **options, method="local_search", random_state=0)
    return {
        "objective": proved.objective,
        "bound": proved.lower_bound,
        "gap": proved.gap,
        "seconds": between - start,
        "excess": searched.objective - proved.objective,
        "search seconds": time.process_time() - between,
    }


def line(name, criterion, kind, trade_off, solved):
    column = {key: np.array([case[key] for case in solved]) for key in solved[0]}
    return (
        f"| {name} | {criterion} | {kind} | {trade_off} | {column['objective'].mean():.4f} "
        f"| {column['bound'].mean():.4f} | {column['gap'].max():.1e} "
        f"| {np.median(column['seconds']):.3f} | {column['seconds'].max():.3f} "
        f"| {column['excess'].mean():.3f} | {column['excess'].max():.3f} "
        f"| {column['search seconds'].mean():.3f} |"
    )


def summarise(cases):
    column = {key: np.array([case[key] for case in cases]) for key in cases[0]}
    seconds, excess = column["seconds"], column["excess"]
    print(
        f"\nAll {len(cases)} cases: greatest gap {column['gap'].max():.2e}; CPU seconds median "
        f"{np.median(seconds):.3f}, 99 % {np.quantile(seconds, 0.99):.2f}, worst "
        f"{seconds.max():.2f}. Local search is worse by more than 1e-3 in "
        f"{(excess > 1e-3).mean():.0%} of them, by {excess.max():.2f} at most, and takes "
        f"{np.median(column['search seconds'] / seconds):.1f} times as long (median).",
        flush=True,
    )


def search_against_official():
    """Least cost alone (λ'=0), where the fairness of the official scores plays no part."""
    from stored_data import main_rows, pom_scores

    print("\nLocal search at λ'=0, split 0, train MAE; the official one has scores of its own:\n")
    print("| data | official | ours, POM scores | optimum | µs per point and round |")
    print("|---" * 5 + "|")
    for name, official in (("drug consumption", 0.830), ("communities and crime", 0.787)):
        X, y, a = main_rows(name, 0)
        options = {"sensitive_features": a, "trade_off": 0.0}
        scores = pom_scores(X, y)
        start = time.process_time()
        found = optimize_thresholds(scores, y, **options, method="local_search", random_state=0)
        seconds = time.process_time() - start
        best = optimize_thresholds(scores, y, **options, method="exact")
        pace = 1e6 * seconds / found.n_iter / len(y)
        print(f"| {name} | {official} | {found.cost:.3f} | {best.cost:.3f} | {pace:.2f} |")


FORMS = [{"trade_off": 0.1}, {"trade_off": 0.5}, {"max_violation": 0.05}]


def by_size(largest):
    print("\nDistinct scores, k=5, two groups, tol=1e-2 and 1e-3; peak memory of the process:\n")
    print(
        "| rows | criterion | goal | gap | CPU s | at 1e-3: gap | CPU s | GB |\n" + "|---" * 8 + "|"
    )
    for n in (10**e for e in range(3, 7)):
        for short in CRITERIA:
            for form in FORMS if n <= largest else []:
                command = [sys.executable, __file__, "--measure", str(n), short, json.dumps(form)]
                found = json.loads(subprocess.check_output(command))
                (goal, value), *_ = form.items()
                print(
                    f"| {n} | {short} | {goal}={value} "
                    f"| {found['gap']:.1e} | {found['seconds']:.2f} "
                    f"| {found['finer gap']:.1e} | {found['finer seconds']:.2f} "
                    f"| {found['memory']:.2f} |",
                    flush=True,
                )


def synthetic(n, seed=0):
    generator = np.random.default_rng(seed)
    a = (generator.random(n) < 0.3).astype(int)
    s = generator.normal(size=n) + 0.6 * a
    return s, np.digitize(s + 0.7 * generator.normal(size=n), [-1.0, 0.0, 0.7, 1.6]), a


def measure(n, criterion, form):
    s, y, a = synthetic(n)
    found = {}
    for prefix, tol in (("", 1e-2), ("finer ", 1e-3)):
        start = time.process_time()
        result = optimize_thresholds(
            s, y, sensitive_features=a, criterion=CRITERIA[criterion], tol=tol, **form
        )
        found[f"{prefix}gap"] = result.gap
        found[f"{prefix}seconds"] = time.process_time() - start
    found["memory"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    return found


def keeping_time():
    """A limit of 0 with three groups is a matter of number theory: only time ends the search."""
    print("\n`max_time` on searches that do not end (EO, three groups, max_violation=0):\n")
    print("| rows | asked for, s | taken, s | gap |\n|---|---|---|---|")
    for n, seconds in ((3000, 1.0), (3000, 5.0), (10**5, 5.0), (10**6, 20.0)):
        s, y, _ = synthetic(n, seed=1)
        a = np.random.default_rng(2).integers(0, 3, n)
        start = time.monotonic()
        result = optimize_thresholds(
            s,
            y,
            sensitive_features=a,
            criterion="equal_opportunity",
            max_violation=0.0,
            max_time=seconds,
        )
        taken = time.monotonic() - start
        print(f"| {n} | {seconds} | {taken:.2f} | {result.gap:.1e} |", flush=True)


if __name__ == "__main__":
    main()
