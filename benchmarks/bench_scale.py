"""Training on rows in blocks of Dask: time, memory and speed-up with the number of rows.

Rows are made when they are needed, from a seed for each block, and made again by each pass: 10
features, 5 labels, 3 groups. Every size runs in a cluster of processes of its own (one thread
each). Time is that of the clock, of the client's whole `fit`; memory is the peak of each worker
beyond nothing, its imports included. An evaluation of the loss is two passes over all rows.

    python benchmarks/bench_scale.py [--largest 100000000] [--only scale|processes|overhead]
"""

from __future__ import annotations

import argparse
import platform
import resource
import time
from contextlib import contextmanager
from datetime import date
from importlib.metadata import version

import dask
import dask.array as da
import numpy as np
from distributed import Client, LocalCluster

from fairordinal import FairOrdinalClassifier
from fairordinal._pairloss import LOSSES
from fairordinal._rows import read_partitions
from fairordinal.criteria import as_criterion
from fairordinal.ranker import pair_data
from fairordinal.ranker._objective import Objective

FEATURES, BLOCK = 10, 500_000
SETTINGS = {"trade_off": 0.3, "alpha": 1e-4, "ranker": "direct", "cv": 2}
REPEATS = 3


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--largest", type=int, default=10**8)
    parser.add_argument("--only", choices=["scale", "processes", "overhead"])
    options = parser.parse_args()
    packages = ["fairordinal", "dask", "distributed", "numpy"]
    print(f"## Scale ({date.today()})\n")
    print(", ".join(f"{name} {version(name)}" for name in packages), end="; ")
    print(f"Python {platform.python_version()}, {platform.machine()}; {SETTINGS}\n", flush=True)
    parts = {"scale": scale, "processes": processes, "overhead": overhead}
    for name, part in parts.items():
        if options.only in (None, name):
            part(options.largest)


def scale(largest):
    print("| rows | blocks | fit, s | µs per row | loss, s | ns per row | peak GB of a worker |")
    print("|---|---|---|---|---|---|---|", flush=True)
    for n in (10**e for e in range(5, 9)):
        if n <= largest:
            with cluster(2):
                lossy = loss_seconds(n)
            with cluster(2) as client:
                fitted = fit_seconds(n)
                memory = max(client.run(peak_gigabytes).values())
            size = f"10^{len(str(n)) - 1} | {-(-n // BLOCK)}"
            times = f"{fitted:.1f} | {1e6 * fitted / n:.2f} | {lossy:.3f} | {1e9 * lossy / n:.0f}"
            print(f"| {size} | {times} | {memory:.2f} |", flush=True)


def processes(largest):
    n = min(largest, 10**7)
    print(f"\n| processes | fit of {n:.0e} rows, s | loss, s |\n|---|---|---|", flush=True)
    found = {}
    for workers in (1, 2):
        with cluster(workers):
            found[workers] = loss_seconds(n), fit_seconds(n)
        print(f"| {workers} | {found[workers][1]:.1f} | {found[workers][0]:.3f} |", flush=True)
    ratios = [one / two for one, two in zip(found[1], found[2], strict=True)]
    print(f"\nTwo processes: {ratios[1]:.2f} times as fast (fit), {ratios[0]:.2f} (loss).\n")


def overhead(largest):
    n = 10**6
    made = [make(seed, BLOCK) for seed in range(n // BLOCK)]
    X, y, a = (np.concatenate([block[i] for block in made]) for i in range(3))
    X = X.astype(np.float64)
    lazy = [da.from_array(v, chunks=(BLOCK, *v.shape[1:])).persist() for v in (X, y, a)]
    print(f"| {n:.0e} rows in memory | CPU s |\n|---|---|", flush=True)
    found = {}
    for name, (features, labels, groups) in {"plain": (X, y, a), "Dask, threads": lazy}.items():
        start = time.process_time()
        FairOrdinalClassifier(**SETTINGS).fit(features, labels, sensitive_features=groups)
        found[name] = time.process_time() - start
        print(f"| {name} | {found[name]:.1f} |", flush=True)
    print(f"\nDask takes {found['Dask, threads'] / found['plain']:.2f} times the CPU time.\n")


def make(seed, n, n_features=FEATURES):
    """Features, labels and groups of a block."""
    generator = np.random.default_rng(seed)
    X = generator.standard_normal((n, n_features), dtype=np.float32)
    a = generator.integers(0, 3, n, dtype=np.int8)
    X[:, 0] += 0.5 * a
    latent = X[:, :4].sum(axis=1) + 2 * generator.standard_normal(n, dtype=np.float32)
    return X, np.digitize(latent, [-3, -1, 1, 3]).astype(np.int8), a


def collections(n, block_rows=BLOCK):
    """Lazy features, labels and groups."""
    sizes = [min(block_rows, n - start) for start in range(0, n, block_rows)]
    blocks = [dask.delayed(make)(seed, size) for seed, size in enumerate(sizes)]
    shapes, kinds = ((FEATURES,), (), ()), (np.float32, np.int8, np.int8)
    return [
        da.concatenate(
            [
                da.from_delayed(block[i], (size, *shapes[i]), kinds[i])
                for block, size in zip(blocks, sizes, strict=True)
            ]
        )
        for i in range(3)
    ]


def fit_seconds(n):
    X, y, a = collections(n)
    start = time.perf_counter()
    FairOrdinalClassifier(**SETTINGS).fit(X, y, sensitive_features=a)
    return time.perf_counter() - start


def loss_seconds(n):
    """Least seconds of an evaluation of the loss and its gradient."""
    rows, _, _ = read_partitions(*collections(n), None, None)
    data = pair_data(rows, as_criterion("demographic_parity"), LOSSES["logistic"])
    objective, times = Objective(data, 1e-4), []
    for repeat in range(REPEATS if n < 10**8 else 1):
        start = time.perf_counter()
        objective(np.full(FEATURES, 0.3 + 0.01 * repeat))
        times.append(time.perf_counter() - start)
    return min(times)


@contextmanager
def cluster(n_workers):
    options = {"n_workers": n_workers, "threads_per_worker": 1, "dashboard_address": None}
    with LocalCluster(**options) as running, Client(running) as client:
        yield client


def peak_gigabytes():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9


if __name__ == "__main__":
    main()
