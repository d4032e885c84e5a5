"""Training on an array on disk that is many times the memory, by threads of one process.

Features are written once (40 of them, 5 labels, 3 groups; from a seed for each block) and are
then read block by block by each pass. To see that little memory is enough, give it no more:

    systemd-run --scope -p MemoryMax=2G python benchmarks/bench_disk.py FOLDER [--gigabytes 40]

Progress is shown pass by pass. The files stay in FOLDER, for another run.
"""

from __future__ import annotations

import argparse
import os
import threading
import time
from contextlib import ExitStack
from datetime import date
from pathlib import Path

import dask
import dask.array as da
import numpy as np
from bench_scale import SETTINGS, make
from simulate_scale import told_passes

from fairordinal import FairOrdinalClassifier, show_progress

FEATURES, BLOCK = 40, 100_000
COLUMNS = {"X": (np.float64, (FEATURES,)), "y": (np.int8, ()), "a": (np.int8, ())}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--gigabytes", type=float, default=40.0)
    options = parser.parse_args()
    n = int(options.gigabytes * 1e9 / (8 * FEATURES))
    written = write(options.folder, n)
    X, y, a = (lazy(options.folder, n, name) for name in COLUMNS)
    watched = Watched()
    start, cpu = time.perf_counter(), time.process_time()
    with show_progress(), told_passes() as passes:
        model = FairOrdinalClassifier(**SETTINGS).fit(X, y, sensitive_features=a)
    seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
    print(f"## Rows on disk ({date.today()})\n")
    print("| rows | GB | written, s | fit, s | CPU s | passes | peak GB of memory | gap |")
    print("|---|---|---|---|---|---|---|---|")
    sizes = f"{n:.1e} | {X.nbytes / 1e9:.1f} | {written:.0f}"
    found = f"{seconds:.0f} | {cpu:.0f} | {len(passes)} | {watched.peak / 1e9:.2f}"
    print(f"| {sizes} | {found} | {model.gap_:.1e} |")


def write(folder: Path, n: int) -> float:
    """Write what is not there yet; seconds."""
    start = time.perf_counter()
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / f"{n}.done").exists():
        with ExitStack() as stack:
            files = [stack.enter_context((folder / f"{name}-{n}").open("wb")) for name in COLUMNS]
            for seed, first in enumerate(range(0, n, BLOCK)):
                made = make(seed, min(BLOCK, n - first), FEATURES)
                for file, values, (kind, _) in zip(files, made, COLUMNS.values(), strict=True):
                    values.astype(kind).tofile(file)
        (folder / f"{n}.done").touch()
    return time.perf_counter() - start


def lazy(folder: Path, n: int, name: str):
    """A column in blocks that are read when they are needed; `from_array` would load a memmap."""
    kind, shape = COLUMNS[name]
    blocks = []
    for first in range(0, n, BLOCK):
        size = min(BLOCK, n - first)
        part = dask.delayed(read)(folder / f"{name}-{n}", kind, first, (size, *shape))
        blocks.append(da.from_delayed(part, (size, *shape), kind))
    return da.concatenate(blocks)


def read(path: Path, kind: type, first: int, shape: tuple[int, ...]):
    row = np.dtype(kind).itemsize * int(np.prod(shape[1:]))
    return np.fromfile(path, kind, int(np.prod(shape)), offset=first * row).reshape(shape)


class Watched:
    """The most memory in use that cannot be dropped: pages of files are not counted."""

    def __init__(self):
        self.peak = 0
        threading.Thread(target=self._watch, daemon=True).start()

    def _watch(self):
        page = os.sysconf("SC_PAGE_SIZE")
        while True:
            _, resident, shared, *_ = map(int, Path("/proc/self/statm").read_text().split())
            self.peak = max(self.peak, (resident - shared) * page)
            time.sleep(0.2)


if __name__ == "__main__":
    main()
