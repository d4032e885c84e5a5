"""How training scales beyond what one machine can measure: a simulation of passes over blocks.

A scheduler hands out one task after another; workers take their time for a block and for adding up
tables. Three constants are measured on a cluster of processes with one worker, rows in memory: the
seconds of a pass whatever its size, those of the scheduler for each task, and those of a worker for
each row. How many passes a fit has, and how long it chooses among models by a sample, is counted.
The simulation is then held against passes and a fit with two workers, and asked about more.

    python benchmarks/simulate_scale.py
"""

from __future__ import annotations

import heapq
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date

import numpy as np
from bench_scale import FEATURES, SETTINGS, cluster, collections

from fairordinal import FairOrdinalClassifier
from fairordinal._pairloss import LOSSES
from fairordinal._rows import _dask as dask_rows
from fairordinal._rows import read_partitions
from fairordinal.criteria import as_criterion
from fairordinal.ranker import pair_data
from fairordinal.ranker._objective import Objective

REPEATS = 5
RUNS = [(10**5, 10**5), (10**5, 2500), (10**6, 250_000), (4 * 10**6, 250_000)]  # rows, of a block
FIT = (4 * 10**6, 500_000)
BLOCKS_PER_WORKER = 2


@dataclass(frozen=True)
class Constants:
    """Seconds."""

    a_pass: float
    a_task: float
    a_row: float


def pass_seconds(constants: Constants, n_rows: int, n_workers: int, block: int) -> float:
    """One pass: tasks are handed out one by one, to whoever is free first; then a tree of sums."""
    free = [0.0] * n_workers
    n_tasks, handed_out = -(-n_rows // block), 0.0
    for _ in range(n_tasks):
        handed_out += constants.a_task
        start = max(handed_out, heapq.heappop(free))
        heapq.heappush(free, start + block * constants.a_row)
    seconds = max(free)
    while n_tasks > 1:
        n_tasks = -(-n_tasks // dask_rows.BRANCHES)
        seconds += constants.a_task * max(1.0, n_tasks / n_workers)
    return constants.a_pass + seconds


@dataclass(frozen=True)
class Fit:
    """What a fit has to do."""

    passes: int  # over all rows
    other: float  # seconds of the rest: choosing by a sample, whatever the number of rows


def measured(n_rows: int, block: int) -> float:
    """Seconds of a pass, the mean of the two of an evaluation; rows are kept in memory."""
    lazy = [values.persist() for values in collections(n_rows, block)]
    rows, _, _ = read_partitions(*lazy, None, None)
    data = pair_data(rows, as_criterion("demographic_parity"), LOSSES["logistic"])
    objective, times = Objective(data, 1e-4), []
    for repeat in range(REPEATS):
        start = time.perf_counter()
        objective(np.full(FEATURES, 0.3 + 0.01 * repeat))
        times.append(time.perf_counter() - start)
    return min(times) / 2


def constants_of(seconds: list[float]) -> Constants:
    """Constants by which one worker takes these seconds for `RUNS`."""
    design = np.array([[1.0, -(-n // block), n] for n, block in RUNS])
    return Constants(*np.linalg.lstsq(design / np.c_[seconds], np.ones(len(RUNS)))[0].tolist())


@contextmanager
def told_passes() -> Iterator[list[float]]:
    """Seconds of each pass made within."""
    seconds, compute = [], dask_rows.compute

    def timed(value):
        start = time.perf_counter()
        found = compute(value)
        if "_run_task" not in getattr(value, "key", "_run_task"):  # a sum over blocks
            seconds.append(time.perf_counter() - start)
        return found

    dask_rows.compute = timed
    try:
        yield seconds
    finally:
        dask_rows.compute = compute


def measured_fit() -> tuple[Fit, float]:
    """A fit with two workers, rows kept in memory: what it did, and its seconds."""
    X, y, a = (values.persist() for values in collections(*FIT))
    start = time.perf_counter()
    with told_passes() as passes:
        FairOrdinalClassifier(**SETTINGS).fit(X, y, sensitive_features=a)
    seconds = time.perf_counter() - start
    return Fit(len(passes), seconds - sum(passes)), seconds


def main():
    print(f"## Simulation of clusters ({date.today()})\n")
    found = {}
    for workers in (1, 2):
        with cluster(workers):
            found[workers] = [measured(*run) for run in RUNS]
    with cluster(2):
        fit, seconds = measured_fit()
    constants = constants_of(found[1])
    each = (f"{constants.a_pass:.4f} a pass", f"{constants.a_task:.4f} a task")
    print(f"Seconds: {', '.join(each)}, {constants.a_row:.1e} a row.\n")
    compare(constants, found)
    simulated = fit.other + fit.passes * pass_seconds(constants, FIT[0], 2, FIT[1])
    print(f"\nA fit of {FIT[0]:.0e} rows with 2 workers has {fit.passes} passes over all rows, and")
    print(f"chooses for {fit.other:.0f} s: {seconds:.0f} s measured, {simulated:.0f} simulated.\n")
    predict(constants, fit)


def compare(constants: Constants, found: dict[int, list[float]]) -> None:
    print("| rows | blocks | workers | a pass, s | simulated, s |\n|---|---|---|---|---|")
    for workers, times in found.items():
        for (n, block), seconds in zip(RUNS, times, strict=True):
            simulated = pass_seconds(constants, n, workers, block)
            print(f"| {n:.0e} | {n // block} | {workers} | {seconds:.3f} | {simulated:.3f} |")


def predict(constants: Constants, fit: Fit) -> None:
    """Rows in the workers' memory, in a few blocks a worker."""
    print("| rows | workers | a pass, s | of it rows, s | a fit, min | sent a pass, MB |")
    print("|---|---|---|---|---|---|")
    for n in (10**8, 10**9, 10**10):
        for workers in (1, 10, 100, 1000):
            block = -(-n // (BLOCKS_PER_WORKER * workers))
            seconds = pass_seconds(constants, n, workers, block)
            rows = n * constants.a_row / workers
            minutes = (fit.other + fit.passes * seconds) / 60
            tables = 15 * 512 * 8 * (n // block + workers) / 1e6
            times = f"{seconds:.2f} | {rows:.2f} | {minutes:.1f}"
            print(f"| {n:.0e} | {workers} | {times} | {tables:.1f} |")


if __name__ == "__main__":
    main()
