"""Training from all pairs against logistic regressions on sampled pairs, and time against n.

(a) One fit of the plain ranker on all pairs against scikit-learn's LogisticRegression on 5·10⁵
sampled pairs. (b) All of the trade-off for 14 values of μ=λ', thresholds certified: once by the
paper's grid and rule of selection, once with every ranker of "auto"; against the recipe of the
paper for one value: fairlearn's GridSearch with 100 multipliers on 6·10⁵ pairs, after 10-fold
cross-validation of 5 strengths of the penalty. Of the recipe, some multipliers and one fold are
run, and the rest is multiplied out. (c, d) 10³ to 10⁶ rows, d=20, k=5, against scikit-learn's
multinomial LogisticRegression on the same rows; memory is the peak of the fit beyond X, by
tracemalloc in a run of its own. CPU seconds, one thread.

    OPENBLAS_NUM_THREADS=1 python benchmarks/bench_train.py [--largest 1000000] [--multipliers 4]
"""

from __future__ import annotations

import argparse
import platform
import time
import tracemalloc
import warnings
from datetime import date
from importlib.metadata import version

import numpy as np
from fairlearn.reductions import DemographicParity, GridSearch, TruePositiveRateParity
from sklearn.linear_model import LogisticRegression
from stored_data import MAIN, main_rows

from fairordinal import optimize_thresholds
from fairordinal.ranker import FairLinearRanker

CRITERIA = {"DP": "demographic_parity", "EO": "equal_opportunity"}
TRADE_OFFS = (0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--largest", type=int, default=10**6)
    parser.add_argument("--multipliers", type=int, default=4)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    print(f"## Training ({date.today()})\n")
    packages = ["fairordinal", "numpy", "scipy", "scikit-learn", "fairlearn"]
    print(", ".join(f"{name} {version(name)}" for name in packages), end="; ")
    print(f"Python {platform.python_version()}, {platform.machine()}\n")
    one_fit()
    whole_path(options.multipliers)
    by_size(options.largest)


def seconds_of(work, *inputs, **named):
    start = time.process_time()
    found = work(*inputs, **named)
    return time.process_time() - start, found


def sampled_pairs(X, y, n_pairs, seed=0):
    generator = np.random.default_rng(seed)
    i, j = generator.integers(0, len(y), (2, 3 * n_pairs))
    unequal = np.flatnonzero(y[i] != y[j])[:n_pairs]
    i, j = i[unequal], j[unequal]
    return X[i] - X[j], (y[i] > y[j]).astype(int), i, j


def pairwise_accuracy(scores, y):
    above, below = np.nonzero(y[:, None] > y[None, :])
    return float((scores[above] > scores[below]).mean())


def one_fit():
    print("(a) One fit, 1500 rows:\n")
    print("| data | all pairs, s | accuracy | LogisticRegression, s | accuracy | ratio |")
    print("|---" * 6 + "|")
    for name in MAIN:
        X, y, a = main_rows(name, 0)
        plain = FairLinearRanker(alpha=1e-3, ranker="relaxed")
        ours = min(seconds_of(fit_plain, X, y, a)[0] for _ in range(5))
        coef = plain.fit(X, y, sensitive_features=a).path_[0]
        D, signs, _, _ = sampled_pairs(X, y, 500_000)
        model = LogisticRegression(C=1e3 / len(signs), fit_intercept=False)
        theirs, fitted = seconds_of(model.fit, D, signs)
        print(
            f"| {name} | {ours:.4f} | {pairwise_accuracy(X @ coef, y):.4f} | {theirs:.2f} "
            f"| {pairwise_accuracy(X @ fitted.coef_[0], y):.4f} | {theirs / ours:.0f}× |",
            flush=True,
        )


def fit_plain(X, y, a):
    from fairordinal._pairloss import LOSSES
    from fairordinal._rows import Block, Features
    from fairordinal.criteria import as_criterion
    from fairordinal.ranker import Training, pair_data
    from fairordinal.ranker._paths import plain

    labels = np.unique(y, return_inverse=True)[1]
    rows = Block.of(Features.of(X), a, labels, a.max() + 1, labels.max() + 1)
    data = pair_data(rows, as_criterion("demographic_parity"), LOSSES["logistic"])
    return plain(data, Training(1e-3, 1e-5, 500))


def whole_path(n_multipliers):
    print(
        f"\n(b) 14 values of μ=λ', against the recipe for one (from {n_multipliers} of 100 "
        "multipliers and 1 of 10 folds):\n"
    )
    print(
        "| data | criterion | grid and rule, s | every ranker of auto, s | recipe, s "
        "| ratio for 14 | of auto |\n" + "|---" * 7 + "|"
    )
    for name in MAIN:
        X, y, a = main_rows(name, 0)
        for short, criterion in CRITERIA.items():
            rule, _ = seconds_of(by_rule, X, y, a, criterion)
            joint, _ = seconds_of(by_every_ranker, X, y, a, criterion)
            official = recipe_seconds(X, y, a, short, n_multipliers)
            print(
                f"| {name} | {short} | {rule:.2f} | {joint:.2f} | {official:.0f} "
                f"| {14 * official / rule:.0f}× | {14 * official / joint:.0f}× |",
                flush=True,
            )


def by_rule(X, y, a, criterion):
    """The paper's grid, its rule for each μ, and thresholds for λ'=μ."""
    ranker = FairLinearRanker(criterion, ranker="grid").fit(X, y, sensitive_features=a)
    for trade_off in TRADE_OFFS:
        cut(X @ ranker.at(trade_off).coef_, y, a, criterion, trade_off)


def by_every_ranker(X, y, a, criterion):
    """Thresholds for every λ' of every ranker."""
    ranker = FairLinearRanker(criterion).fit(X, y, sensitive_features=a)
    for coef in ranker.path_:
        for trade_off in TRADE_OFFS:
            cut(X @ coef, y, a, criterion, trade_off)


def cut(scores, y, a, criterion, trade_off):
    optimize_thresholds(
        scores, y, sensitive_features=a, criterion=criterion, trade_off=trade_off, max_time=10
    )


def recipe_seconds(X, y, a, short, n_multipliers):
    """What the paper's recipe takes for one value of μ, from parts of it."""
    pairs = 600_000
    D, signs, i, j = sampled_pairs(X, y, pairs)
    held_in = slice(0, 9 * pairs // 10)
    folds = 0.0
    for strength in 10.0 ** -np.arange(1, 6):
        folds += 10 * seconds_of(recipe_model(strength, pairs).fit, D[held_in], signs[held_in])[0]
    moment = DemographicParity() if short == "DP" else TruePositiveRateParity()
    search = GridSearch(recipe_model(1e-3, pairs), moment, grid_size=n_multipliers, grid_limit=3.0)
    searched, _ = seconds_of(search.fit, D, signs, sensitive_features=(a[i] > a[j]).astype(int))
    return folds + searched * 100 / n_multipliers


def recipe_model(strength, n_pairs):
    return LogisticRegression(C=1 / (2 * n_pairs * strength), max_iter=2500, fit_intercept=False)


def by_size(largest):
    print("\n(c, d) One fit, d=20, k=5, 3 groups:\n")
    print(
        "| rows | all pairs, s | µs per row | multinomial LogisticRegression, s | ratio "
        "| memory beyond X |\n" + "|---" * 6 + "|"
    )
    for n in (10**e for e in range(3, 7)):
        if n > largest:
            continue
        generator = np.random.default_rng(0)
        X = generator.normal(size=(n, 20))
        a = generator.integers(0, 3, n)
        y = np.digitize(X[:, :5].sum(axis=1) + generator.normal(size=n), [-2, -0.7, 0.7, 2])
        ours, _ = seconds_of(fit_plain, X, y, a)
        theirs, _ = seconds_of(LogisticRegression().fit, X, y)
        tracemalloc.start()
        fit_plain(X, y, a)
        memory = tracemalloc.get_traced_memory()[1] / X.nbytes
        tracemalloc.stop()
        print(
            f"| {n} | {ours:.3f} | {1e6 * ours / n:.2f} | {theirs:.3f} | {ours / theirs:.2f} "
            f"| {memory:.2f}× |",
            flush=True,
        )


if __name__ == "__main__":
    main()
