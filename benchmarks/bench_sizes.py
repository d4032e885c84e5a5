"""Many labels and many groups: CPU time and memory of every operation.

Each operation runs in a process of its own, stopped after a time limit; peaks are those beyond
the imports. Refused means that the library says at once that there is too much, and what to do.

    python benchmarks/bench_sizes.py [--limit 60] [--sizes 3x400 50x50] [--operations audit str]

Sizes are groups x labels x rows.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from datetime import date
from importlib.metadata import version
from pathlib import Path

import numpy as np

SIZES = [
    *[(2, labels, 1000) for labels in (10, 50, 200, 400, 800, 1200, 1500)],
    *[(groups, 3, 10_000) for groups in (10, 50, 100, 400, 500, 1300)],
    (64, 64, 10_000),
]
TRAINED = [
    *[(2, labels, 1000) for labels in (10, 50, 100, 200)],
    *[(groups, 3, 10_000) for groups in (10, 50, 66)],
    (50, 3, 240),
    (40, 3, 4000),
    (10, 20, 4000),
    (100, 3, 10_000),
]
MOST_MEMORY = 4 << 30


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--limit", type=float, default=60.0)
    parser.add_argument("--sizes", nargs="+")
    parser.add_argument("--operations", nargs="+", default=[*AUDITS, *LEARNERS])
    parser.add_argument("--measure", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        print(json.dumps(measure(options.measure[0], read_size(options.measure[1]))))
        return
    packages = ["fairordinal", "numpy", "scipy", "scikit-learn", "pandas"]
    print(f"## Many labels and groups ({date.today()})\n")
    print(", ".join(f"{name} {version(name)}" for name in packages), end="; ")
    print(f"Python {platform.python_version()}, {platform.machine()}\n")
    for operations, sizes in ((AUDITS, SIZES), (LEARNERS, TRAINED)):
        wanted = [name for name in operations if name in options.operations]
        chosen = [read_size(size) for size in options.sizes] if options.sizes else sizes
        if wanted:
            print_table(wanted, chosen, options.limit)


def read_size(text):
    size = [int(part) for part in text.split("x")]
    return (*size, 1000)[:3]


def print_table(operations, sizes, limit):
    """A row for each size: CPU seconds and MB of each operation."""
    print("| groups × labels × rows |", " | ".join(operations), "|")
    print("|---" * (len(operations) + 1) + "|", flush=True)
    for size in sizes:
        print("|", " × ".join(f"{n:,}" for n in size), end=" |", flush=True)
        for operation in operations:
            print("", child(operation, size, limit), end=" |", flush=True)
        print(flush=True)
    print()


def child(operation, size, limit):
    """What an operation takes, as text."""
    command = [sys.executable, __file__, "--measure", operation, "x".join(map(str, size))]
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=limit, env=environment
        )
    except subprocess.TimeoutExpired:
        return f"> {limit:.0f} s"
    if done.returncode:
        return f"failed: {done.stderr.strip().splitlines()[-1][:60]}"
    found = json.loads(done.stdout)
    refused = "refused, " if found["refused"] else ""
    return f"{refused}{found['cpu']:.1f} s, {found['peak']:.0f} MB"


def measure(operation, size):
    """CPU seconds and peak MB of one operation, beyond those of a small audit."""
    warnings.simplefilter("ignore")
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    work = (AUDITS | LEARNERS)[operation]
    work(made_up(2, 3, 60))  # imports done
    people = made_up(*size)
    before, cpu, refused = peak(), time.process_time(), False
    try:
        work(people)
    except ValueError as error:
        refused = "labels" in str(error) or "groups" in str(error)
        if not refused:
            raise
    return {"cpu": time.process_time() - cpu, "peak": peak() - before, "refused": refused}


def peak():
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6


def made_up(n_groups, n_labels, n_rows):
    """Rows whose labels depend on three features and, a little, on the group."""
    random = np.random.default_rng(0)
    group = np.arange(n_rows) % n_groups
    features = random.normal(size=(n_rows, 3)) + 0.3 * (group[:, None] % 2)
    latent = features @ [1.0, 0.5, 0.0] + random.normal(size=n_rows)
    guess = features @ [1.0, 0.4, 0.1]
    true, predicted = (
        np.argsort(np.argsort(column)) * n_labels // n_rows for column in (latent, guess)
    )
    return {
        "X": features,
        "y_true": true,
        "y_pred": predicted,
        "scores": guess,
        "group": group,
        "labels": list(range(n_labels)),
    }


def of_audit(people, **options):
    from fairordinal import audit

    return audit(
        people["y_true"],
        people["y_pred"],
        sensitive_features=people["group"],
        labels=people["labels"],
        **options,
    )


def of_scores(people):
    from fairordinal import audit

    audit(people["y_true"], people["scores"], sensitive_features=people["group"])


def rendered(people):
    found = of_audit(people)
    str(found), found._repr_html_()


def framed(people):
    found = of_audit(people)
    found.frame(), found.group_frame(), found.counts_frame()


def drawn(people):
    import matplotlib as mpl

    mpl.use("Agg")
    from fairordinal.plotting import DisparityDisplay, GroupConfusionDisplay

    found = of_audit(people, criteria=["demographic_parity"])
    DisparityDisplay.from_audit(found)
    GroupConfusionDisplay.from_audit(found)


def attributed(people):
    found = of_audit(people, criteria=["equal_opportunity"]).attribution("equal_opportunity")
    str(found), found.frame("by_labels")


def matrices(people):
    from fairordinal import metrics

    rows = people["y_true"], people["y_pred"]
    options = {"sensitive_features": people["group"], "labels": people["labels"]}
    for name in metrics.__all__:
        if name.startswith("pairwise") or name.endswith("harm_parity_difference"):
            getattr(metrics, name)(*rows, **options)


def standard(people):
    names = ("demographic_parity", "equal_opportunity", "equalized_odds")
    of_audit(people, criteria=[f"standard_{name}" for name in names])


def reported(people):
    from fairordinal.report import report

    return report(of_audit(people)).html


def commanded(people):
    from fairordinal.cli import main as run

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.csv"
        columns = np.column_stack([people["y_true"], people["y_pred"], people["group"]])
        np.savetxt(path, columns, fmt="%d", delimiter=",", header="y,f,g", comments="")
        options = ["--y", "y", "--pred", "f", "--group", "g"]
        sys.argv = ["fairordinal", "audit", str(path), *options, "--json", f"{folder}/out.json"]
        with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere):
            try:
                run()
            except SystemExit as ended:
                if isinstance(ended.code, str):  # a message
                    raise ValueError("labels or groups refused") from None


def cut(people, **options):
    from fairordinal import optimize_thresholds

    result = optimize_thresholds(
        people["scores"],
        people["y_true"],
        sensitive_features=people["group"],
        max_violation=0.1,
        max_time=5.0,
        **options,
    )
    str(result)


def learned(people, model):
    model.fit(people["X"], people["y_true"], sensitive_features=people["group"])
    model.predict(people["X"])


def threshold_classifier(people):
    from sklearn.linear_model import Ridge

    from fairordinal import FairThresholdClassifier

    learned(people, FairThresholdClassifier(Ridge(), max_violation=0.1, max_time=5.0))


def ranker(people):
    from fairordinal.ranker import FairLinearRanker

    model = FairLinearRanker()
    model.fit(people["X"], people["y_true"], sensitive_features=people["group"])


def ordinal(people):
    from fairordinal import FairOrdinalClassifier

    learned(people, FairOrdinalClassifier(max_violation=0.1, max_time=5.0))


def frontier(people):
    from fairordinal import FairOrdinalFrontier

    model = FairOrdinalFrontier()
    model.fit(people["X"], people["y_true"], sensitive_features=people["group"])
    str(model), model.frame()


def baselines(people):
    from sklearn.linear_model import Ridge

    from fairordinal.baselines import ProportionalOddsClassifier, WassersteinFairClassifier

    learned(people, ProportionalOddsClassifier())
    other = WassersteinFairClassifier(Ridge())
    other.fit(people["X"], people["y_true"], sensitive_features=people["group"])
    other.predict(people["X"], sensitive_features=people["group"])


AUDITS = {
    "audit": of_audit,
    "str, HTML": rendered,
    "frames": framed,
    "plots": drawn,
    "attribution": attributed,
    "compare": lambda people: of_audit(people, compare=True),
    "metrics": matrices,
    "standard": standard,
    "scores": of_scores,
    "bootstrap": lambda people: of_audit(people, interval="bootstrap"),
    "distribution-free": lambda people: of_audit(people, interval="distribution_free"),
    "rows needed": lambda people: of_audit(people, criteria=["equal_opportunity"]).rows_needed(
        criterion="equal_opportunity"
    ),
    "report": reported,
    "command": commanded,
}
LEARNERS = {
    "thresholds, DP": cut,
    "thresholds, EO": lambda people: cut(people, criterion="equal_opportunity"),
    "thresholds, harm": lambda people: cut(people, criterion="harm_parity"),
    "classifier": threshold_classifier,
    "ranker": ranker,
    "ordinal": ordinal,
    "frontier": frontier,
    "baselines": baselines,
}


if __name__ == "__main__":
    main()
