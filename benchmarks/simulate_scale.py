"""How training scales beyond what one machine can measure: a simulation of passes over blocks.

A scheduler hands out one task after another; workers take their time for a block and for adding up
tables. Three constants are measured here on a cluster of processes with one worker: the seconds of
a pass whatever its size, those of the scheduler for each task, and those of a worker for each row.
The simulation is then held against passes with two workers, and asked about more rows and workers.

    python benchmarks/simulate_scale.py
"""

from __future__ import annotations

import heapq
import time
from dataclasses import dataclass
from datetime import date

import numpy as np
from bench_scale import BLOCK, FEATURES, cluster, collections

from fairordinal._pairloss import LOSSES
from fairordinal._rows import read_partitions
from fairordinal._rows._dask import BRANCHES
from fairordinal.criteria import as_criterion
from fairordinal.ranker import pair_data
from fairordinal.ranker._objective import Objective

REPEATS = 5
RUNS = [(10**5, 10**5), (10**5, 2500), (10**6, 250_000), (4 * 10**6, 250_000)]  # rows, of a block
EVALUATIONS, OTHER_PASSES = 15, 9  # of a fit, over all rows; about so many
CHOOSING = 1300  # passes over the sample
SAMPLE_BLOCKS = 8


@dataclass(frozen=True)
class Constants:
    """Seconds."""

    a_pass: float
    a_task: float
    a_row: float


def pass_seconds(constants: Constants, n_rows: int, n_workers: int, block: int = BLOCK) -> float:
    """One pass: tasks are handed out one by one, to whoever is free first; then a tree of sums."""
    free = [0.0] * n_workers
    n_tasks, handed_out, done = -(-n_rows // block), 0.0, 0.0
    for _ in range(n_tasks):
        handed_out += constants.a_task
        done = max(handed_out, heapq.heappop(free)) + block * constants.a_row
        heapq.heappush(free, done)
    seconds = max(free)
    while n_tasks > 1:
        n_tasks = -(-n_tasks // BRANCHES)
        seconds += constants.a_task * max(1.0, n_tasks / n_workers)
    return constants.a_pass + seconds


def fit_seconds(constants: Constants, n_rows: int, n_workers: int) -> float:
    """A whole fit: choosing by the sample, then learning from all rows."""
    block = max(BLOCK, n_rows // (8 * n_workers))
    all_rows = (2 * EVALUATIONS + OTHER_PASSES) * pass_seconds(constants, n_rows, n_workers, block)
    few = min(n_workers, SAMPLE_BLOCKS)
    return all_rows + CHOOSING * pass_seconds(constants, 1 << 20, few, (1 << 20) // SAMPLE_BLOCKS)


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


def main():
    print(f"## Simulation of clusters ({date.today()})\n")
    found = {}
    for workers in (1, 2):
        with cluster(workers):
            found[workers] = [measured(*run) for run in RUNS]
    constants = constants_of(found[1])
    each = (f"{constants.a_pass:.4f} a pass", f"{constants.a_task:.4f} a task")
    print(f"Seconds: {', '.join(each)}, {constants.a_row:.1e} a row.\n")
    print("| rows | blocks | workers | measured, s | simulated, s |\n|---|---|---|---|---|")
    for workers, times in found.items():
        for (n, block), seconds in zip(RUNS, times, strict=True):
            simulated = pass_seconds(constants, n, workers, block)
            print(f"| {n:.0e} | {n // block} | {workers} | {seconds:.3f} | {simulated:.3f} |")
    print("\n| rows | workers | a pass, s | a fit, min | bytes sent a pass, MB |")
    print("|---|---|---|---|---|")
    for n in (10**9, 10**10):
        for workers in (10, 100, 1000):
            block = max(BLOCK, n // (8 * workers))
            tables = 15 * 512 * 8 * (n // block + workers) / 1e6
            seconds = pass_seconds(constants, n, workers, block)
            minutes = fit_seconds(constants, n, workers) / 60
            print(f"| {n:.0e} | {workers} | {seconds:.2f} | {minutes:.1f} | {tables:.0f} |")


if __name__ == "__main__":
    main()
