"""Training from all pairs against logistic regressions on sampled pairs, and time against n.

(a) One fit of the plain ranker on all pairs against scikit-learn's LogisticRegression on 5·10⁵
sampled pairs. (b) The whole path, with certified thresholds for 14 values of λ', against the
recipe of the paper for one value: 100 cost-sensitive fits on 6·10⁵ pairs and 50 for the strength of
the penalty (10 folds, 5 strengths), estimated from one such fit. (c, d) 10³ to 10⁶ rows, d=20, k=5,
against scikit-learn's multinomial LogisticRegression on the same rows. (e) Test cost and violation
of `FairOrdinalClassifier(max_violation=0.05)` on the stored splits. CPU seconds, one thread.

    OPENBLAS_NUM_THREADS=1 python benchmarks/bench_train.py [--splits 3] [--largest 1000000]
"""

from __future__ import annotations

import argparse
import platform
import resource
import time
import warnings
from datetime import date
from importlib.metadata import version

import numpy as np
from sklearn.linear_model import LogisticRegression
from stored_data import MAIN, main_rows, main_test_rows

from fairordinal import FairOrdinalClassifier, metrics, optimize_thresholds
from fairordinal.ranker import FairLinearRanker

CRITERIA = {"DP": "demographic_parity", "EO": "equal_opportunity"}
TRADE_OFFS = (0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--splits", type=int, default=3)
    parser.add_argument("--largest", type=int, default=10**6)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    print(f"## Training ({date.today()})\n")
    packages = ["fairordinal", "numpy", "scipy", "scikit-learn"]
    print(", ".join(f"{name} {version(name)}" for name in packages), end="; ")
    print(f"Python {platform.python_version()}, {platform.machine()}\n")
    one_fit()
    whole_path()
    by_size(options.largest)
    quality(options.splits)


def seconds_of(work, *inputs, **named):
    start = time.process_time()
    found = work(*inputs, **named)
    return time.process_time() - start, found


def sampled_pairs(X, y, n_pairs, seed=0):
    generator = np.random.default_rng(seed)
    i, j = generator.integers(0, len(y), (2, 3 * n_pairs))
    unequal = np.flatnonzero(y[i] != y[j])[:n_pairs]
    i, j = i[unequal], j[unequal]
    return X[i] - X[j], (y[i] > y[j]).astype(int)


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
        D, signs = sampled_pairs(X, y, 500_000)
        model = LogisticRegression(C=1e3 / len(signs), fit_intercept=False)
        theirs, fitted = seconds_of(model.fit, D, signs)
        print(
            f"| {name} | {ours:.4f} | {pairwise_accuracy(X @ coef, y):.4f} | {theirs:.2f} "
            f"| {pairwise_accuracy(X @ fitted.coef_[0], y):.4f} | {theirs / ours:.0f}× |",
            flush=True,
        )


def fit_plain(X, y, a):
    from fairordinal._pairloss import LOSSES
    from fairordinal.criteria import as_criterion
    from fairordinal.ranker import Features, Rows, Training, pair_data
    from fairordinal.ranker._paths import plain

    labels = np.unique(y, return_inverse=True)[1]
    rows = Rows(Features.of(X), a, labels, np.ones(len(y)), a.max() + 1, labels.max() + 1)
    data = pair_data(rows, as_criterion("demographic_parity"), LOSSES["logistic"])
    return plain(data, Training(1e-3, 1e-5, 500))


def whole_path():
    print("\n(b) The whole path with thresholds for 14 values of λ', against one of the recipe:\n")
    print("| data | criterion | rankers | path, s | thresholds, s | recipe, s | ratio for 14 |")
    print("|---" * 7 + "|")
    for name in MAIN:
        X, y, a = main_rows(name, 0)
        D, signs = sampled_pairs(X, y, 600_000)
        model = LogisticRegression(C=1e3 / len(signs), fit_intercept=False)
        recipe = 145 * seconds_of(model.fit, D, signs)[0]
        for short, criterion in CRITERIA.items():
            ranker = FairLinearRanker(criterion)
            path, _ = seconds_of(ranker.fit, X, y, sensitive_features=a)
            cuts, _ = seconds_of(cut_all, ranker, X, y, a, criterion)
            print(
                f"| {name} | {short} | {len(ranker.path_)} | {path:.2f} | {cuts:.2f} "
                f"| {recipe:.0f} | {14 * recipe / (path + cuts):.0f}× |",
                flush=True,
            )


def cut_all(ranker, X, y, a, criterion):
    for coef in ranker.path_:
        for trade_off in TRADE_OFFS:
            optimize_thresholds(
                X @ coef, y, sensitive_features=a, criterion=criterion, trade_off=trade_off
            )


def by_size(largest):
    print("\n(c, d) One fit, d=20, k=5, 3 groups:\n")
    print("| rows | all pairs, s | µs per row | multinomial LogisticRegression, s | ratio | GB |")
    print("|---" * 6 + "|")
    for n in (10**e for e in range(3, 7)):
        if n > largest:
            continue
        generator = np.random.default_rng(0)
        X = generator.normal(size=(n, 20))
        a = generator.integers(0, 3, n)
        y = np.digitize(X[:, :5].sum(axis=1) + generator.normal(size=n), [-2, -0.7, 0.7, 2])
        ours, _ = seconds_of(fit_plain, X, y, a)
        theirs, _ = seconds_of(LogisticRegression().fit, X, y)
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
        print(
            f"| {n} | {ours:.3f} | {1e6 * ours / n:.2f} | {theirs:.3f} | {ours / theirs:.2f} "
            f"| {memory:.2f} |",
            flush=True,
        )


def quality(n_splits):
    measures = {
        "DP": metrics.pairwise_demographic_parity_difference,
        "EO": metrics.pairwise_equal_opportunity_difference,
    }
    print(f"\n(e) `max_violation=0.05`, means over the test sets of {n_splits} splits:\n")
    print(
        "| data | criterion | test cost | test violation | expected cost | expected violation "
        "| within 0.02 of the limit | CPU s |\n" + "|---" * 8 + "|"
    )
    for name in MAIN:
        for short, criterion in CRITERIA.items():
            found = []
            for split in range(n_splits):
                X, y, a = main_rows(name, split)
                new_X, new_y, new_a = main_test_rows(name, split)
                model = FairOrdinalClassifier(criterion)
                seconds, _ = seconds_of(model.fit, X, y, sensitive_features=a)
                predicted = model.predict(new_X)
                violation = measures[short](new_y, predicted, sensitive_features=new_a)
                cost = metrics.mean_cost(new_y, predicted)
                found.append(
                    [
                        cost,
                        violation,
                        model.expected_cost_,
                        model.expected_violation_,
                        violation <= 0.07,
                        seconds,
                    ]
                )
            shown = " | ".join(f"{value:.3f}" for value in np.mean(found, axis=0))
            print(f"| {name} | {short} | {shown} |", flush=True)


if __name__ == "__main__":
    main()
