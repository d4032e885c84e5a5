"""`fairordinal audit` of large CSV files against `polars.scan_csv(...).group_by(...).len()`.

Both are commands of their own, start-up included, on the same file and all cores, run by turns;
the least of three runs counts. The file of 10⁷ rows has three columns; the large one has a
number and a text more in each row, and shows memory alone: it must not grow with the file.

    python benchmarks/bench_cli.py [--rows 10000000] [--large-gigabytes 5]
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import tempfile
import time
from datetime import date
from importlib.metadata import version
from pathlib import Path

import numpy as np

COLUMNS = ["grade", "predicted", "sex"]
AUDIT = "from fairordinal.cli import main; main()"
POLARS = (
    "import sys, polars as pl; "
    "print(pl.scan_csv(sys.argv[1]).group_by('grade', 'predicted', 'sex').len().collect())"
)
REPEATS, BLOCK = 3, 10**6


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=10**7)
    parser.add_argument("--large-gigabytes", type=float, default=5.0)
    options = parser.parse_args()
    packages = ["fairordinal", "pyarrow", "polars", "numpy"]
    print(f"## Command line ({date.today()})\n")
    print(", ".join(f"{name} {version(name)}" for name in packages), end="; ")
    print(f"Python {platform.python_version()}, {platform.machine()}, {os.cpu_count()} cores\n")
    print("| file | command | seconds | CPU seconds | peak GB |\n|---|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.csv"
        write(path, options.rows * len(block(wide=False)) // BLOCK, wide=False)
        ours, theirs = compare(path)
        path.unlink()
        write(path, int(options.large_gigabytes * 1e9), wide=True)
        print(line(path, "audit", measure(audit_of(path))), flush=True)
    print(f"\naudit takes {ours / theirs:.2f}× the time of polars.")


def compare(path):
    """Least seconds of both commands, run by turns; prints a line for each."""
    commands = {"audit": audit_of(path), "polars": [sys.executable, "-c", POLARS, str(path)]}
    runs = {name: [] for name in commands}
    for _ in range(REPEATS):
        for name, command in commands.items():
            runs[name].append(measure(command))
    for name, found in runs.items():
        print(line(path, name, min(found)), flush=True)
    return min(runs["audit"])[0], min(runs["polars"])[0]


def line(path, name, found):
    seconds, cpu, memory = found
    size = f"{path.stat().st_size / 1e9:.2f} GB"
    return f"| {size} | {name} | {seconds:.2f} | {cpu:.2f} | {memory:.2f} |"


def audit_of(path):
    columns = ["--y", "grade", "--pred", "predicted", "--group", "sex"]
    return [sys.executable, "-c", AUDIT, "audit", str(path), *columns, "--quiet"]


def measure(command):
    """Seconds, CPU seconds and peak GB of a command."""
    start = time.perf_counter()
    nowhere = os.open(os.devnull, os.O_WRONLY)
    actions = [(os.POSIX_SPAWN_DUP2, nowhere, 1)]
    child = os.posix_spawn(command[0], command, os.environ, file_actions=actions)
    _, status, used = os.wait4(child, 0)
    seconds = time.perf_counter() - start
    os.close(nowhere)
    if os.waitstatus_to_exitcode(status) != 0:
        raise RuntimeError(f"{command} failed")
    return seconds, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024 / 1e9


def write(path, n_bytes, wide):
    """A CSV of about so many bytes, the same rows over and over."""
    lines = block(wide)
    names = [*COLUMNS, "income", "remark"] if wide else COLUMNS
    with path.open("wb") as file:
        file.write((",".join(names) + "\n").encode())
        for _ in range(round(n_bytes / len(lines))):
            file.write(lines)


def block(wide):
    generator = np.random.default_rng(0)
    grades, predicted = generator.integers(0, 5, (2, BLOCK))
    columns = [grades, predicted, np.array(["female", "male", "other"])[grades % 3]]
    if wide:
        columns += [generator.normal(3e4, 1e4, BLOCK).round(2), np.full(BLOCK, '"late, but paid"')]
    return b"".join(",".join(map(str, row)).encode() + b"\n" for row in zip(*columns, strict=True))


if __name__ == "__main__":
    main()
