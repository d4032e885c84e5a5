"""Limits on new rows: is `max_violation` kept, with and without `confidence`?

Models are fitted to a few rows; their true violation and cost are measured on very many fresh ones.
(a) `make_biased_ordinal` in several settings, (b) benchmark sets with large tables, of which 1000
rows are drawn for training. Constants of the library were settled on the first half of either
(`SETTLED`); the other half judges them.

A fit is taken apart here, so that the limits of a draw share one path of rankers; each choice is
that of `FairOrdinalClassifier`. Columns of the tables:

* floor: share of results within the limit if the groups of the fresh rows are permuted, which is
  what noise in the measurement allows;
* hindsight: how much more the model costs than the cheapest candidate among which it was chosen
  whose true violation is within the limit (means over results with such a candidate);
* covered, cost_covered: share of 95 % intervals that hold the true violation, or cost;
* reachable: the share that a perfect interval would have. The truth of a table comes from the N
  rows that were not drawn, so that its difference from an estimate by n rows has the variance
  ``σ²/n + σ²/N``, and an interval that knows of ``σ²/n`` covers less than 95 %.

    OPENBLAS_NUM_THREADS=1 python benchmarks/bench_promise.py [--draws 50] [--half judged]

With ``--costs FILE`` only public names are used, and cost and violation of several limits are
written there. ``--compare OLD NEW`` compares two such files, of two versions of the library, by
cost at equal violation, over the draws that both have. ``--rows FILE`` writes the rows of all
results, which serve as NEW, too.
"""

from __future__ import annotations

import argparse
import json
import platform
import warnings
from copy import copy
from datetime import date
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from scipy import sparse
from scipy.stats import norm
from stored_data import orca_split

from fairordinal import FairOrdinalClassifier
from fairordinal._table import ScoreTable
from fairordinal.criteria import as_criterion
from fairordinal.datasets import make_biased_ordinal

LIMITS = (0.05, 0.1)
SWEPT = (0.02, 0.05, 0.1, 0.2)  # of ``--costs``
N_SWEPT = 4  # draws in which models are fitted for these limits, too
FEW, MANY = 1000, 10**6  # training rows of a table, and fresh rows
MOST_JUDGED = 10**5  # fresh rows by which all candidates are judged in hindsight
CONFIDENCES = (None, 0.9)
CRITERIA = {"DP": "demographic_parity", "EO": "equal_opportunity"}


def setting(n, d, k, groups, bias, label_bias, noise):
    return {
        "n": n, "n_features": d, "n_labels": k, "groups": groups, "bias": bias,
        "label_bias": label_bias, "noise": noise,
    }  # fmt: skip


SETTLED = {
    "1: 2 groups, n=500": setting(500, 5, 3, [0.5, 0.5], 1.0, 0.0, 0.5),
    "2: 2 groups, 20 %": setting(1000, 20, 5, [0.8, 0.2], 0.5, 0.5, 1.0),
    "3: 10 labels, 60 features": setting(2000, 60, 10, [0.9, 0.1], 1.0, 0.5, 1.0),
    "4: 3 groups": setting(1000, 10, 5, [0.5, 0.3, 0.2], 0.8, 0.3, 0.7),
    "5: 5 groups, n=3000": setting(3000, 10, 3, 5, 1.0, 0.3, 0.7),
    "6: 5 groups, 5 %": setting(2000, 20, 4, [0.4, 0.3, 0.15, 0.1, 0.05], 0.5, 0.5, 0.7),
}
JUDGED = {
    "7: 2 groups, n=500, fair": setting(500, 8, 4, [0.6, 0.4], 0.0, 0.0, 0.7),
    "8: 2 groups, 5 %": setting(5000, 25, 7, [0.95, 0.05], 0.8, 0.3, 0.8),
    "9: 40 features": setting(1500, 40, 6, [0.65, 0.35], 0.8, 0.6, 0.8),
    "10: 3 groups, 10 %": setting(1500, 15, 4, [0.6, 0.3, 0.1], 0.6, 0.2, 0.6),
    "11: 10 labels": setting(2500, 12, 10, [0.5, 0.5], 0.7, 0.0, 0.6),
    "12: 5 groups, 10 %": setting(4000, 8, 3, [0.3, 0.25, 0.2, 0.15, 0.1], 0.7, 0.3, 0.8),
}
TABLES = {
    "settled": ("abalone-5", "abalone-10", "calhousing-10"),
    "judged": ("bank1-5", "bank2-10", "calhousing-5", "census1-10", "computer2-5"),
}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--draws", type=int, default=50)
    parser.add_argument("--table-draws", type=int, default=20)
    parser.add_argument("--fresh", type=int, default=MANY)
    parser.add_argument("--half", choices=("settled", "judged"), default="judged")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--cache", type=Path)
    parser.add_argument("--costs", type=Path)
    parser.add_argument("--rows", type=Path)
    parser.add_argument("--compare", type=Path, nargs=2)
    options = parser.parse_args()
    if options.compare:
        return print_comparison(*options.compare)
    settings = SETTLED if options.half == "settled" else JUDGED
    names = [(name, draw) for name in settings for draw in range(options.draws)]
    names += [(name, draw) for name in TABLES[options.half] for draw in range(options.table_draws)]
    names.sort(key=lambda each: each[1])
    work = swept if options.costs else kept
    found = Parallel(n_jobs=options.jobs)(
        delayed(cached)(work, name, draw, options) for name, draw in names
    )
    rows = [row for rows in found for row in rows]
    if options.costs:
        return options.costs.write_text(json.dumps(rows))
    if options.rows:
        options.rows.write_text(json.dumps(rows))
    print_table(pd.DataFrame(rows), options)


def cached(work, name, draw, options):
    """The rows of a draw; from the folder of the cache, if they are there."""
    if not options.cache:
        return work(name, draw, options.fresh)
    options.cache.mkdir(parents=True, exist_ok=True)
    file = options.cache / f"{work.__name__}.{name.split(':')[0]}.{draw}.json"
    if not file.exists():
        file.write_text(json.dumps(work(name, draw, options.fresh)))
    return json.loads(file.read_text())


def draw_rows(name, draw, n_fresh):
    """Training rows and fresh rows, each (X, y, a)."""
    spec = (SETTLED | JUDGED).get(name)
    if spec is None:
        parts = zip(*orca_split(name, 0), strict=True)
        X, y, a = (np.concatenate(part) for part in parts)
        order, n = np.random.default_rng(draw).permutation(len(y)), FEW
    else:
        options = {key: value for key, value in spec.items() if key != "n"}
        n = spec["n"]
        made = make_biased_ordinal(n + n_fresh, random_state=1000 + draw, **options)
        X, y, a = made.data, made.target, made.sensitive_features
        order = np.arange(len(y))
    return tuple((X[at], y[at], a[at]) for at in (order[:n], order[n:]))


class Fresh:
    """Fresh rows, counted quickly."""

    def __init__(self, X, y, a):
        self.X, self.labels, self.groups = X, np.unique(y), np.unique(a)
        self.y, group = np.searchsorted(self.labels, y), np.searchsorted(self.groups, a)
        mixed = np.random.default_rng(0).permutation(group)
        self.cells = [each * len(self.labels) + self.y for each in (group, mixed)]

    def measure(self, model, criterion):
        """True violation and cost, and the violation if groups are permuted."""
        predicted = np.searchsorted(self.labels, model.predict(self.X))
        violation, cost = self.truth(predicted, criterion)
        return violation, cost, self.truth(predicted, criterion, permuted=True)[0]

    def truth(self, predicted, criterion, permuted=False):
        """Violation and cost of predictions for the first rows."""
        k, n = len(self.labels), len(predicted)
        cells = self.cells[int(permuted)][:n]
        counts = np.bincount(cells * k + predicted, minlength=k * k * len(self.groups))
        table = counts.reshape(-1, k, k)
        cost = (table.sum(axis=0) * np.abs(np.subtract.outer(range(k), range(k)))).sum()
        return as_criterion(criterion).violation(table_of(table)), cost / n


def table_of(cube):
    """Counts by group, label and predicted label, as a table."""
    n_groups, k, _ = cube.shape
    counts = sparse.csc_array(cube.reshape(-1, k).astype(float))
    return ScoreTable(counts, np.arange(n_groups), np.arange(k), np.arange(k), True)


def kept(name, draw, n_fresh, confidences=CONFIDENCES):
    """What became of each limit, with and without confidence."""
    train, fresh = draw_rows(name, draw, n_fresh)
    rows, fresh = [], Fresh(*fresh)
    reachable = 1.0 if ":" in name else 1.0 / np.sqrt(1.0 + len(train[1]) / len(fresh.y))
    for short, criterion in CRITERIA.items():
        for limit, confidence, model, pool in fitted(criterion, draw, confidences, *train):
            violation, cost, floor = fresh.measure(model, criterion)
            low, high = model.expected_violation_interval_
            cheap, dear = model.expected_cost_interval_
            rows.append(
                {
                    "setting": name, "draw": draw, "criterion": short, "limit": limit,
                    "confidence": confidence or 0.0, "violation": violation, "cost": cost,
                    "expected": model.expected_violation_,
                    "expected_cost": model.expected_cost_,
                    "hindsight": cost / cheapest(pool, fresh, criterion, limit) - 1.0,
                    "floor": floor, "covered": bool(low <= violation <= high),
                    "cost_covered": bool(cheap <= cost <= dear),
                    "reachable": 2.0 * norm.cdf(norm.ppf(0.975) * reachable) - 1.0,
                    "constant": bool(np.isinf(model.thresholds_).all()),
                }
            )  # fmt: skip
    return rows


def fitted(criterion, draw, confidences, X, y, a):
    """Models for all limits, of one path of rankers: as `FairOrdinalClassifier.fit` makes them."""
    from fairordinal._path import choose_on_path
    from fairordinal.estimators import ChosenModel
    from fairordinal.thresholds import limited, read_settings

    base = FairOrdinalClassifier(criterion)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        path = base._learn_paths(X, y, a, None)
        first = path.rows.evaluation.effort.shares
        for limit in SWEPT if draw < N_SWEPT else LIMITS:
            known = {}
            for confidence in confidences if limit in LIMITS else confidences[:1]:
                pool, model = copy(path), copy(base)
                pool._candidates, pool._multipliers = known, {}
                choice = choose_on_path(pool, limited(limit), confidence)
                chosen = choice.candidate
                result = pool.thresholds(chosen, read_settings(1e-3, 60.0, 0, 0))
                table = pool.predictions(chosen, result)
                importances = pool.importances(chosen)
                found = ChosenModel(chosen, result, table, importances, pool.candidates)
                model._set_model(found, pool.trained, 0.95, choice.optimism)
                yield limit, confidence, model, pool
                begun = {limited(share * limit) for share in first} | {limited(limit)}
                known = {key: c for key, c in pool._candidates.items() if c.goal in begun}


def cheapest(pool, fresh, criterion, limit):
    """Cost of the best candidate in hindsight; nan if none keeps the limit."""
    trained, scores, costs = pool.trained, {}, [np.nan]
    for candidate in pool.candidates:
        if candidate.ranker not in scores:
            score = trained[candidate.ranker].score
            scores[candidate.ranker] = score(fresh.X[:MOST_JUDGED]) - score.shift
        predicted = np.searchsorted(candidate.thresholds, scores[candidate.ranker])
        violation, cost = fresh.truth(predicted, criterion)
        if violation <= limit:
            costs.append(cost)
    return np.nanmin(costs) if len(costs) > 1 else np.nan


def swept(name, draw, n_fresh):
    """True violation and cost for several limits, by public names alone."""
    train, fresh = draw_rows(name, draw, n_fresh)
    X, y, a = train
    rows, fresh = [], Fresh(*fresh)
    for short, criterion in CRITERIA.items():
        for limit in SWEPT:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                model = FairOrdinalClassifier(criterion, max_violation=limit)
                model.fit(X, y, sensitive_features=a)
            violation, cost, _ = fresh.measure(model, criterion)
            rows.append(
                {
                    "setting": name, "draw": draw, "criterion": short, "limit": limit,
                    "violation": violation, "cost": cost,
                }
            )  # fmt: skip
    return rows


def print_table(frame, options):
    print(f"## Limits on new rows ({date.today()})\n")
    packages = ["fairordinal", "numpy", "scipy", "scikit-learn"]
    print(", ".join(f"{name} {version(name)}" for name in packages), end="; ")
    print(f"Python {platform.python_version()}. The {options.half} half: {len(frame)} results.\n")
    frame = frame[frame.limit.isin(LIMITS)].copy()
    frame["kept"] = frame.violation <= frame.limit + 1e-9
    frame["within"] = frame.floor <= frame.limit
    frame["kind"] = np.where(frame.setting.str.contains(":"), "synthetic", "tables")
    show(frame, ["limit", "confidence", "kind"])
    show(frame, ["limit", "confidence"])
    show(frame, ["limit", "confidence", "setting", "criterion"])


def show(frame, keys):
    """A table of means by some keys."""
    found = frame.groupby(keys).agg(
        n=("kept", "size"),
        violation=("violation", "mean"),
        kept=("kept", "mean"),
        floor=("within", "mean"),
        cost=("cost", "mean"),
        constant=("constant", "mean"),
        hindsight=("hindsight", "mean"),
        covered=("covered", "mean"),
        cost_covered=("cost_covered", "mean"),
        reachable=("reachable", "mean"),
    )
    print_rows(found.reset_index())


def print_rows(frame):
    """A frame in Markdown."""
    print("| " + " | ".join(frame.columns) + " |")
    print("|" + "---|" * len(frame.columns))
    for row in frame.itertuples(index=False):
        cells = [f"{cell:.3f}" if isinstance(cell, float) else str(cell) for cell in row]
        print("| " + " | ".join(cells) + " |")
    print()


def print_comparison(old, new):
    """Cost at equal violation: of the new version, relative to the curve of the old one."""
    frames = [pd.DataFrame(json.loads(file.read_text())) for file in (old, new)]
    frames = [f[f.confidence == 0.0] if "confidence" in f else f for f in frames]
    draws = [set(zip(f.setting, f.draw, f.limit, strict=True)) for f in frames]
    shared = draws[0] & draws[1]
    frames = [
        f[[key in shared for key in zip(f.setting, f.draw, f.limit, strict=True)]] for f in frames
    ]
    keys = ["setting", "criterion", "limit"]
    before, after = (frame.groupby(keys)[["violation", "cost"]].mean() for frame in frames)
    rows = []
    for key, curve in before.groupby(level=[0, 1]):
        curve = curve.sort_values("violation")
        for limit, point in after.loc[key].iterrows():
            inside = curve.violation.iloc[0] <= point.violation <= curve.violation.iloc[-1]
            at = np.interp(point.violation, curve.violation, curve.cost)
            rows.append((*key, limit, point.violation, point.cost, at, inside))
    columns = [*keys, "violation", "cost", "old cost there", "inside"]
    found = pd.DataFrame(rows, columns=columns)
    print_rows(found)
    ratio = (found["cost"] / found["old cost there"])[found.inside]
    print(f"\nWithin the range of the old curve ({len(ratio)} points): mean cost {ratio.mean():.3f}"
          f" of the old one, no higher in {(ratio <= 1.001).mean():.0%}.")  # fmt: skip


if __name__ == "__main__":
    main()
