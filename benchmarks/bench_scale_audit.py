"""Audit of a folder of Parquet files that is not loaded: time and memory by engine.

Files of 10⁶ rows have two columns of labels, two of groups, a weight, and one that nobody asked
for. Each audit runs in a process of its own, intersections of both groups, all criteria with
intervals; imports are not timed, but are part of the peak. The last line of each size loads the
columns into pandas first, for comparison. Memory must not grow with the rows, but for that line.

    python benchmarks/bench_scale_audit.py [--files 3 30]
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from datetime import date
from importlib.metadata import version
from pathlib import Path

import numpy as np

FILE_ROWS = 10**6
COLUMNS = ["grade", "predicted", "sex", "region"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--files", type=int, nargs="+", default=[3, 30])
    parser.add_argument("--measure", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        print(json.dumps(measure(*options.measure)))
        return
    packages = ["fairordinal", "polars", "pyarrow", "dask", "duckdb", "pandas", "numpy"]
    print(f"## Audit of rows that are not loaded ({date.today()})\n")
    print(", ".join(f"{name} {version(name)}" for name in packages), end="; ")
    print(f"Python {platform.python_version()}, {platform.machine()}, {os.cpu_count()} cores\n")
    print("| rows | data | seconds | CPU seconds | peak GB |\n|---|---|---|---|---|", flush=True)
    for n_files in options.files:
        with tempfile.TemporaryDirectory() as folder:
            write(Path(folder), n_files)
            for kind in HOLDERS:
                print(line(n_files * FILE_ROWS, kind, child(kind, folder)), flush=True)


def line(rows, kind, found):
    seconds, cpu, peak = (found[name] for name in ("seconds", "cpu", "peak"))
    return f"| {rows:.0e} | {kind} | {seconds:.2f} | {cpu:.2f} | {peak:.2f} |"


def write(folder, n_files):
    """The same rows in each file; Parquet of zstd, one row group a file."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    random = np.random.default_rng(0)
    grade, sex, region = (random.integers(0, size, FILE_ROWS) for size in (5, 2, 3))
    predicted = np.clip(grade + random.integers(-1, 2, FILE_ROWS) + (sex & (region == 0)), 0, 4)
    columns = {
        "grade": grade,
        "predicted": predicted,
        "sex": np.array(["female", "male"])[sex],
        "region": np.array(["north", "south", "east"])[region],
        "weight": random.integers(1, 4, FILE_ROWS).astype(float),
        "income": random.normal(size=FILE_ROWS),
    }
    for i in range(n_files):
        pq.write_table(pa.table(columns), folder / f"{i:03}.parquet", compression="zstd")


def child(kind, folder):
    command = [sys.executable, __file__, "--measure", kind, folder]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def measure(kind, folder):
    """Seconds, CPU seconds and peak GB of one audit."""
    from fairordinal import audit

    audit([0, 1, 2] * 4, [1, 0, 2] * 4, sensitive_features=[0, 1] * 6)  # imports done
    hold = HOLDERS[kind](folder)
    start, cpu = time.perf_counter(), time.process_time()
    audit("grade", "predicted", sensitive_features=["sex", "region"], data=hold())
    peak = 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e9
    seconds, used = time.perf_counter() - start, time.process_time() - cpu
    return {"seconds": seconds, "cpu": used, "peak": peak}


def lazy_polars(folder):
    import polars as pl

    return lambda: pl.scan_parquet(f"{folder}/*.parquet")


def arrow_dataset(folder):
    import pyarrow.dataset as ds

    return lambda: ds.dataset(folder)


def dask_frame(folder):
    import dask.dataframe as dd

    return lambda: dd.read_parquet(folder)


def duckdb_relation(folder):
    import duckdb

    return lambda: duckdb.sql(f"FROM '{folder}/*.parquet'")


def loaded(folder):
    import pandas as pd

    return lambda: pd.read_parquet(folder, columns=COLUMNS)


HOLDERS = {
    "polars, lazy": lazy_polars,
    "pyarrow, dataset": arrow_dataset,
    "Dask": dask_frame,
    "DuckDB": duckdb_relation,
    "pandas, loaded": loaded,
}


if __name__ == "__main__":
    main()
