"""Other methods side by side: what each costs at the same violation, on test rows.

Blind methods do not see the group at prediction, aware ones do; they are compared apart. A method
is swept over its own parameter (`SWEEPS`), and (violation, cost) on the test rows is averaged over
splits for each value. "Cost at v" is the lower convex hull of these means at violation v: two
models can be mixed by a coin, and every method also has the best constant predictor. The
hypervolume of a split is the share of the box between (0, least cost) and (greatest violation,
cost) of all methods compared, that the method's models dominate. CPU seconds are those of the whole
sweep; probabilities that a sweep needs several times are computed once (`Remembered`).

Methods of packages that may be absent (`installed_peers`) take part if these are installed.

(a) Main data sets, two groups; communities and crime with three. (b) Large benchmark tables, of
which 1000 or 5000 rows are drawn for training, and the rest is the truth. DP and EO.

    OPENBLAS_NUM_THREADS=1 python benchmarks/bench_peers.py [--part main] [--splits 20] [--jobs 1]
        [--cache FOLDER] [--methods "ours;LinearPost, logistic"] [--data NAME] [--figures FOLDER]
"""

from __future__ import annotations

import argparse
import hashlib
import json
import platform
import time
import warnings
from datetime import date
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import installed_peers
import numpy as np
import pandas as pd
from bench_promise import print_rows
from fairlearn.postprocessing import ThresholdOptimizer
from fairlearn.reductions import DemographicParity, EqualizedOdds, ExponentiatedGradient
from joblib import Parallel, delayed
from lightgbm import LGBMClassifier, LGBMRegressor
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.linear_model import LogisticRegression
from stored_data import MAIN, main_rows, main_test_rows, orca_split

from fairordinal import FairOrdinalFrontier, FairThresholdClassifier, metrics
from fairordinal.baselines import (
    CumulativeClassifier,
    LinearPostClassifier,
    WassersteinFairClassifier,
)

AT = (0.02, 0.05, 0.1, 0.2)  # violations at which costs are compared
LIMITS = (0.0, 0.01, 0.02, 0.035, 0.05, 0.075, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 1.0)
DIFFERENCES = (
    0.0, 0.005, 0.01, 0.015, 0.02, 0.025, 0.03, 0.04, 0.05, 0.07, 0.1, 0.15, 0.2, 0.25, 0.3, 0.5,
)  # fmt: skip
FEW = (0.0, 0.05, 0.1, 0.2)  # of methods that take long
MEASURES = {
    "DP": metrics.pairwise_demographic_parity_difference,
    "EO": metrics.pairwise_equal_opportunity_difference,
}
CRITERIA = {"DP": "demographic_parity", "EO": "equal_opportunity"}
THREE = "communities and crime, 3 groups"
FAMILIES = ("abalone", "bank1", "bank2", "calhousing", "census1", "census2", "computer1")
TABLES = [f"{family}-{k}" for family in (*FAMILIES, "computer2") for k in (5, 10)]
SIZES = (1000, 5000)
REMEMBERED: dict[str, object] = {}


class Remembered(ClassifierMixin, BaseEstimator):
    """A classifier that is fitted to the same rows, and asked about the same rows, once."""

    def __init__(self, estimator):
        self.estimator = estimator

    def fit(self, X, y):
        self.key_ = digest(repr(self.estimator).encode(), X, np.asarray(y))
        if self.key_ not in REMEMBERED:
            REMEMBERED[self.key_] = clone(self.estimator).fit(X, y)
        self.classes_, self.n_features_in_ = REMEMBERED[self.key_].classes_, X.shape[1]
        return self

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

    def predict_proba(self, X):
        key = digest(self.key_.encode(), X)
        if key not in REMEMBERED:
            REMEMBERED[key] = REMEMBERED[self.key_].predict_proba(X)
        return REMEMBERED[key]


def digest(*parts):
    found = hashlib.sha256()
    for part in parts:
        found.update(np.ascontiguousarray(part) if isinstance(part, np.ndarray) else part)
    return found.hexdigest()


def logistic():
    return LogisticRegression(C=0.1, max_iter=2000, tol=1e-3)


def boosted(kind, **options):
    return kind(n_estimators=100, num_leaves=15, verbose=-1, n_jobs=1, random_state=0, **options)


# Sweeps: from training rows to a list of functions that predict labels of (X, groups) ----------


class Sweep(list):
    """Models for the values of a sweep, and all models of the frontier."""

    frontier = ()


def ours(short, X, y, a, estimator=None):
    frontier = FairOrdinalFrontier(CRITERIA[short], estimator=estimator)
    frontier.fit(X, y, sensitive_features=a)
    found = Sweep(blind(frontier.select(max_violation=limit)) for limit in LIMITS)
    found.frontier = [blind(frontier.model(number)) for number in range(len(frontier.points_))]
    return found


def boosted_thresholds(short, X, y, a):
    return ours(short, X, y, a, boosted(LGBMRegressor))


def group_thresholds(short, X, y, a):
    scorer = boosted(LGBMRegressor).fit(X, y)
    found = []
    for limit in FEW:
        options = {"criterion": CRITERIA[short], "max_violation": limit, "group_aware": True}
        found.append(FairThresholdClassifier(scorer, **options).fit(X, y, sensitive_features=a))
    return [aware(model) for model in found]


def linear_post(short, X, y, a, estimator=None, group_aware=False):
    REMEMBERED.clear()
    criterion = "demographic_parity" if short == "DP" else "equalized_odds"
    options = {"criterion": criterion, "group_aware": group_aware}
    remembered = Remembered(estimator or logistic())
    found = [
        LinearPostClassifier(remembered, max_difference=limit, **options) for limit in DIFFERENCES
    ]
    models = [model.fit(X, y, sensitive_features=a) for model in found]
    return [(aware if group_aware else blind)(model) for model in models]


def linear_post_boosted(short, X, y, a):
    return linear_post(short, X, y, a, boosted(LGBMClassifier))


def linear_post_aware(short, X, y, a):
    return linear_post(short, X, y, a, group_aware=True)


def reduction(short, X, y, a):
    criterion = DemographicParity if short == "DP" else EqualizedOdds
    found = []
    for limit in FEW:
        constraints = criterion(difference_bound=max(limit, 0.01))
        binary = ExponentiatedGradient(logistic(), constraints, max_iter=20)
        found.append(CumulativeClassifier(binary).fit(X, y, sensitive_features=a))
    return [blind(model) for model in found]


def group_cutoffs(short, X, y, a):
    constraints = "demographic_parity" if short == "DP" else "equalized_odds"
    found = []
    for limit in FEW if short == "DP" else FEW[:1]:
        binary = ThresholdOptimizer(
            estimator=logistic(),
            constraints=constraints,
            predict_method="predict_proba",
            tol=limit or None,
        )
        found.append(CumulativeClassifier(binary).fit(X, y, sensitive_features=a))
    return [aware(model) for model in found]


def wasserstein(short, X, y, a):
    found = [
        WassersteinFairClassifier(boosted(LGBMRegressor), strength=strength)
        for strength in np.linspace(1.0, 0.0, 6)
    ]
    return [aware(model.fit(X, y, sensitive_features=a)) for model in found]


def blind(model):
    return lambda X, a: model.predict(X)


def aware(model):
    return lambda X, a: model.predict(X, sensitive_features=a)


BLIND = {
    "ours": ours,
    "LightGBM, our thresholds": boosted_thresholds,
    "LinearPost, logistic": linear_post,
    "LinearPost, LightGBM": linear_post_boosted,
    "ExponentiatedGradient": reduction,
} | installed_peers.BLIND
AWARE = {
    "our thresholds by group": group_thresholds,
    "LinearPost, aware": linear_post_aware,
    "ThresholdOptimizer": group_cutoffs,
    "Wasserstein": wasserstein,
} | installed_peers.AWARE
SWEEPS = BLIND | AWARE


# Cases ----------------------------------------------------------------------------------------


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--part", choices=("main", "tables"), default="main")
    parser.add_argument("--splits", type=int, default=20)
    parser.add_argument("--methods", default=";".join(SWEEPS))
    parser.add_argument("--data", default="", help="part of a name")
    parser.add_argument("--criteria", default="DP;EO")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--cache", type=Path)
    parser.add_argument("--figures", type=Path, help="folder for pictures")
    options = parser.parse_args()
    names = (
        [*MAIN, THREE] if options.part == "main" else [f"{t}, {n}" for t in TABLES for n in SIZES]
    )
    cases = [
        (name, split, short, method)
        for split in range(options.splits)
        for name in names
        if options.data in name
        for short in options.criteria.split(";")
        for method in options.methods.split(";")
    ]
    found = Parallel(n_jobs=options.jobs)(delayed(cached)(options.cache, *case) for case in cases)
    keys = ("data", "split", "criterion", "method")
    rows = [
        dict(zip(keys, case, strict=True)) | row for case, row in zip(cases, found, strict=True)
    ]
    print_results(pd.DataFrame([row for row in rows if row["points"]]), options)


def cached(folder, *case):
    """The result of a case; from the folder of the cache, if it is there."""
    if folder is None:
        return measured(*case)
    file = folder / (digest(repr(case).encode())[:20] + ".json")
    if not file.exists():
        folder.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(measured(*case)))
    return json.loads(file.read_text())


def rows_of(name, split):
    """Training and test rows, each (X, y, a)."""
    if name == THREE:
        base = "communities and crime"
        return main_rows(base, split, "a3"), main_test_rows(base, split, "a3")
    if name in MAIN:
        return main_rows(name, split), main_test_rows(name, split)
    table, size = name.split(", ")
    X, y, a = (np.concatenate(part) for part in zip(*orca_split(table, 0), strict=True))
    order, n = np.random.default_rng(split).permutation(len(y)), int(size)
    n = min(n, int(0.7 * len(y)))
    X = (X - X[order[:n]].mean(axis=0)) / np.maximum(X[order[:n]].std(axis=0), 1e-12)
    return tuple((X[at], y[at], a[at]) for at in (order[:n], order[n:]))


def measured(name, split, short, method):
    """Violation and cost of each model on test rows, those of a constant, and CPU seconds."""
    warnings.simplefilter("ignore")
    (X, y, a), (new_X, new_y, new_a) = rows_of(name, split)
    constant = metrics.mean_cost(new_y, np.full(len(new_y), int(np.median(y))))
    start = time.process_time()
    try:
        models = SWEEPS[method](short, X, y, a)
    except ValueError:  # a criterion is undefined
        return {"points": [], "front": [], "constant": constant, "seconds": 0.0}
    seconds = time.process_time() - start

    def point(predict):
        predicted = predict(new_X, new_a)
        violation = MEASURES[short](new_y, predicted, sensitive_features=new_a)
        return float(violation), float(metrics.mean_cost(new_y, predicted))

    points = [point(predict) for predict in models]
    front = [point(predict) for predict in getattr(models, "frontier", ())] or points
    return {"points": points, "front": front, "constant": float(constant), "seconds": seconds}


# Results --------------------------------------------------------------------------------------


def print_results(frame, options):
    print(f"## Other methods ({date.today()})\n")
    packages = ["fairordinal", "fairlearn", "lightgbm", "numpy", "scipy", "scikit-learn"]
    packages += [name for name in ("oxonfair", "holisticai") if find_spec(name)]
    print(", ".join(f"{name} {version(name)}" for name in packages), end="; ")
    print(f"Python {platform.python_version()}, {platform.machine()}. {options.part}: "
          f"{frame.split.nunique()} splits.\n")  # fmt: skip
    frame = with_hypervolumes(frame)
    print_rows(table_of(frame))
    for kind, methods in (("blind", BLIND), ("aware", AWARE)):
        part = frame[frame.method.isin(list(methods))]
        if part.method.nunique() > 1 and (part.method == "ours").any():
            print_summary(part, kind)
    if options.figures:
        draw(frame, options.figures)


def with_hypervolumes(frame):
    """Hypervolumes in the box of all methods of the same kind in the same split."""
    frame = frame.copy()
    frame["blind"] = frame.method.isin(list(BLIND))
    frame["hypervolume"] = np.nan
    for _, part in frame.groupby(["data", "split", "criterion", "blind"]):
        constant = part.constant.iloc[0]
        points = [point for points in part.front for point in points]
        corner = np.nanmax([*points, (0.0, constant)], axis=0) * 1.01
        least = np.nanmin([cost for _, cost in [*points, (0.0, constant)]])
        for at, row in part.iterrows():
            hull = lower_hull(np.array([*row.front, (0.0, constant)]))
            frame.loc[at, "hypervolume"] = share_above(hull, corner, least)
    return frame


def table_of(frame):
    rows = []
    for (data, short, method), part in frame.groupby(["data", "criterion", "method"], sort=False):
        row = {"data": data, "criterion": short, "method": method}
        row["sees groups"] = "no" if method in BLIND else "yes"
        row["hypervolume"] = f"{part.hypervolume.mean():.3f}"
        costs, errors = zip(*(cost_at(part, violation) for violation in AT), strict=True)
        for violation, cost, error in zip(AT, costs, errors, strict=True):
            row[f"cost at {violation:g}"] = "–" if np.isnan(cost) else f"{cost:.3f} ± {error:.3f}"
        row["CPU s"] = f"{part.seconds.mean():.1f}"
        rows.append(row)
    return pd.DataFrame(rows)


def mean_curve(part):
    """Mean violations and costs of a sweep: the lower convex hull, with the constant predictor."""
    points = np.nanmean(np.array(part.points.tolist()), axis=0)
    return lower_hull(np.vstack([points, [0.0, part.constant.mean()]]))


def lower_hull(points):
    """Violations and costs of the lower convex hull of points (violation, cost)."""
    points, hull = points[~np.isnan(points).any(axis=1)], []
    for point in points[np.lexsort(points.T[::-1])]:
        while len(hull) > 1 and not turns_left(*hull[-2:], point):
            hull.pop()
        if not hull or point[1] < hull[-1][1]:
            hull.append(point)
    return np.array(hull).T


def share_above(hull, corner, least):
    """Share of the box between (0, least) and the corner that lies above a hull."""
    violations, costs = np.append(hull[0], corner[0]), np.append(hull[1], hull[1][-1])
    return np.trapezoid(corner[1] - costs, violations) / (corner[0] * (corner[1] - least))


def turns_left(a, b, c):
    """Whether b lies below the line from a to c."""
    return (b[0] - a[0]) * (c[1] - a[1]) > (c[0] - a[0]) * (b[1] - a[1])


def cost_at(part, violation):
    """Cost of the hull of means at a violation, and its standard error over splits.

    The error is that of the cost of the value of the sweep whose mean violation is nearest.
    """
    curve, costs = mean_curve(part)
    points = np.array(part.points.tolist())
    nearest = np.abs(np.nanmean(points[:, :, 0], axis=0) - violation).argmin()
    error = np.nanstd(points[:, nearest, 1]) / np.sqrt(max(len(points) - 1, 1))
    return float(np.interp(violation, curve, costs)), float(error)


def print_summary(part, kind):
    """In how many cases ours is ahead of every other method of its kind."""
    cases = part.groupby(["data", "criterion"], sort=False)
    ahead = {"hypervolume": []} | {violation: [] for violation in AT}
    for (data, short), case in cases:
        by = dict(list(case.groupby("method")))
        volumes = {method: rows.hypervolume.mean() for method, rows in by.items()}
        ahead["hypervolume"].append(volumes["ours"] >= max(volumes.values()) - 1e-9)
        for violation in AT:
            costs = {method: cost_at(rows, violation) for method, rows in by.items()}
            best = min(costs, key=lambda method: costs[method][0])
            cost, error = costs["ours"]
            ahead[violation].append(cost <= costs[best][0] + np.hypot(error, costs[best][1]))
            if not ahead[violation][-1]:
                print(f"{data}, {short}, {violation:g}: ours {cost:.3f} ± {error:.3f}, {best} "
                      f"{costs[best][0]:.3f} ± {costs[best][1]:.3f}.")  # fmt: skip
    print(f"\nOf {len(cases)} cases, {kind}: hypervolume is highest in "
          f"{sum(ahead['hypervolume'])}; the cost is lowest, within its error, in "
          + ", ".join(f"{sum(ahead[v])} (at {v:g})" for v in AT) + ".\n")  # fmt: skip


# Pictures -------------------------------------------------------------------------------------


def draw(frame, folder):
    """Two pictures: the curves of blind methods, and what other methods cost beyond ours."""
    folder.mkdir(parents=True, exist_ok=True)
    part = frame[frame.blind]
    draw_curves(part).savefig(folder / "peers-curves.png", dpi=110)
    draw_extra(part).savefig(folder / "peers-extra.png", dpi=110)


def look_of(method):
    """Colour and name of a method in pictures; ours stands out."""
    if method == "ours":
        return {"color": "#c2410c", "label": "fairordinal"}
    others = [name for name in BLIND if name != "ours"]
    palette = ("#94a3b8", "#1d4ed8", "#60a5fa", "#15803d", "#a855f7")
    return {"color": palette[others.index(method) % len(palette)], "label": method}


def draw_curves(frame):
    """Mean cost by mean violation on test rows, a panel for each case."""
    import matplotlib.pyplot as plt

    cases = list(frame.groupby(["data", "criterion"], sort=False))
    rows = -(-len(cases) // 2)
    figure, axes = plt.subplots(rows, 2, figsize=(9, 2.9 * rows), squeeze=False)
    for ax, ((data, short), case) in zip(axes.ravel(), cases, strict=False):
        for method, part in case.groupby("method", sort=False):
            width = 3 if method == "ours" else 1.4
            ax.plot(*mean_curve(part), lw=width, zorder=width, **look_of(method))
        ax.set_title(f"{data}, {short}", loc="left", fontsize=10)
        ax.set(xlim=(0, 0.4), xlabel="violation", ylabel="mean cost")
        ax.spines[["top", "right"]].set_visible(False)
    for ax in axes.ravel()[len(cases) :]:
        ax.set_axis_off()
    named = axes[0, 0].get_legend_handles_labels()
    figure.suptitle("Lower is better: cost of an error at each violation, on test rows")
    figure.tight_layout(rect=(0, 0.05, 1, 1))
    figure.legend(*named, loc="lower center", ncol=3, frameon=False)
    return figure


def draw_extra(frame, violation=0.1):
    """What each method costs beyond ours at one violation, in percent; a line for each case."""
    import matplotlib.pyplot as plt

    cases = list(frame.groupby(["data", "criterion"], sort=False))
    figure, ax = plt.subplots(figsize=(9, 1.6 + 0.45 * len(cases)))
    for place, (_, case) in enumerate(cases):
        costs = {name: cost_at(part, violation)[0] for name, part in case.groupby("method")}
        for method, cost in costs.items():
            extra = 100 * (cost / costs["ours"] - 1)
            look = look_of(method) | ({} if place == 0 else {"label": None})
            ax.plot(extra, -place, "D" if method == "ours" else "o", ms=9, **look)
    ax.axvline(0, color="#c2410c", lw=1, zorder=0)
    names = [f"{data}, {short}" for (data, short), _ in cases]
    ax.set_yticks(-np.arange(len(cases)), names)
    ax.set_xlabel(f"cost beyond that of fairordinal at a violation of {violation:g}, in %")
    ax.set_title("Right of the line: costs more than fairordinal", loc="left")
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(axis="x", alpha=0.3)
    figure.tight_layout(rect=(0, 0.12, 1, 1))
    figure.legend(loc="lower center", ncol=3, frameon=False)
    return figure


if __name__ == "__main__":
    main()
