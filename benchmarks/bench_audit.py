"""Audit of 10⁵ to 10⁸ rows against fairlearn's MetricFrame, and its memory.

Each size runs in a process of its own. `audit` computes all criteria with intervals for k=5
labels and 3 groups from int64 codes; MetricFrame computes one metric, the mean absolute error by
group, on the same rows; one `bincount` of the rows is the floor. CPU seconds. Memory is the peak
of the process beyond its imports, inputs included, as a multiple of the inputs.

A second table shows other kinds of input at 10⁶ rows.

    python benchmarks/bench_audit.py [--largest 100000000] [--fairlearn-largest 10000000]
"""

from __future__ import annotations

import argparse
import json
import platform
import resource
import subprocess
import sys
import time
from datetime import date
from importlib.metadata import version

import numpy as np
import pandas as pd
import polars as pl

LABELS, GROUPS, REPEATS = 5, 3, 3


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--largest", type=int, default=10**8)
    parser.add_argument("--fairlearn-largest", type=int, default=10**7)
    parser.add_argument("--measure", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        n, what = options.measure
        print(json.dumps(measure(int(n), what)))
        return
    packages = ["fairordinal", "fairlearn", "numpy", "scipy", "scikit-learn", "pandas"]
    print(f"## Audit ({date.today()})\n")
    print(", ".join(f"{name} {version(name)}" for name in packages), end="; ")
    print(f"Python {platform.python_version()}, {platform.machine()}; CPU seconds\n")
    print("| rows | audit | ns per row | bincount | MetricFrame (MAE) | ratio | peak memory |")
    print("|---|---|---|---|---|---|---|", flush=True)
    for n in (10**e for e in range(5, 9)):
        if n <= options.largest:
            print(line(n, with_fairlearn=n <= options.fairlearn_largest), flush=True)
    print("\n| 10^6 rows | audit | peak memory |\n|---|---|---|", flush=True)
    for kind in KINDS:
        found = child(10**6, kind)
        print(f"| {kind} | {found['seconds']:.3g} | {found['memory']:.2f}× inputs |", flush=True)


def line(n, with_fairlearn):
    ours, floor = child(n, "audit"), child(n, "bincount")
    theirs = child(n, "fairlearn")["seconds"] if with_fairlearn else None
    other = f"{theirs:.3g}" if theirs else "–"
    ratio = f"{theirs / ours['seconds']:.0f}×" if theirs else "–"
    return (
        f"| 10^{len(str(n)) - 1} | {ours['seconds']:.3g} | {1e9 * ours['seconds'] / n:.1f} | "
        f"{floor['seconds']:.3g} | {other} | {ratio} | {ours['memory']:.2f}× inputs |"
    )


def child(n, what):
    command = [sys.executable, __file__, "--measure", str(n), what]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def measure(n, what):
    """Median CPU seconds of a few runs, and peak memory in multiples of the inputs."""
    jobs = {"bincount": bincount_job, "fairlearn": fairlearn_job}
    run = jobs.get(what, audit_job)()
    baseline = peak_bytes()
    columns = KINDS.get(what, lambda *columns: columns)(*rows(n))
    times = []
    for _ in range(1 if what == "fairlearn" else REPEATS):
        start = time.process_time()
        run(*columns)
        times.append(time.process_time() - start)
    inputs = sum(size_of(column) for column in columns)
    return {"seconds": float(np.median(times)), "memory": (peak_bytes() - baseline) / inputs}


def rows(n):
    """True labels, predictions near them, groups; in blocks, to need no further memory."""
    random = np.random.default_rng(0)
    y, f, a = (np.empty(n, dtype=np.int64) for _ in range(3))
    for start in range(0, n, 1 << 20):
        block = slice(start, min(n, start + (1 << 20)))
        size = block.stop - block.start
        y[block] = random.integers(0, LABELS, size)
        a[block] = random.integers(0, GROUPS, size)
        f[block] = np.clip(y[block] + random.integers(-1, 2, size), 0, LABELS - 1)
    return y, f, a


KINDS = {
    "distinct scores": lambda y, f, a: (y, f + np.random.default_rng(1).random(len(f)), a),
    "40 groups": lambda y, f, a: (y, f, np.random.default_rng(1).integers(0, 40, len(a))),
    "pandas, groups as strings": lambda y, f, a: (y, f, pd.Series(np.array(["a", "b", "c"])[a])),
    "polars, groups as strings": lambda y, f, a: (y, f, pl.Series(np.array(["a", "b", "c"])[a])),
    "lists": lambda y, f, a: (y.tolist(), f.tolist(), a.tolist()),
}


def size_of(column):
    if isinstance(column, list):
        return 8 * len(column)  # references; small integers are shared
    if isinstance(column, pl.Series):
        return column.estimated_size()
    return column.memory_usage(deep=True) if isinstance(column, pd.Series) else column.nbytes


def peak_bytes():
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def audit_job():
    from fairordinal import audit

    audit([0, 1, 2] * 4, [1, 0, 2] * 4, sensitive_features=[0, 1] * 6)  # imports done
    return lambda y, f, a: audit(y, f, sensitive_features=a)


def bincount_job():
    return lambda y, f, a: np.bincount((a * LABELS + y) * LABELS + f)


def fairlearn_job():
    from fairlearn.metrics import MetricFrame
    from sklearn.metrics import mean_absolute_error

    return lambda y, f, a: (
        MetricFrame(metrics=mean_absolute_error, y_true=y, y_pred=f, sensitive_features=a).by_group
    )


if __name__ == "__main__":
    main()
