"""The definitions, row by row and pair by pair. Slow and obvious on purpose."""

import math
from itertools import combinations

import numpy as np


def pair_rate(y, s, a, w, g, h, counts, wins):
    """Weighted share of the pairs (i in g, j in h) that count, in which i wins."""
    won = total = 0.0
    for i in range(len(y)):
        for j in range(len(y)):
            if a[i] == g and a[j] == h and counts(y[i], y[j]):
                total += w[i] * w[j]
                won += w[i] * w[j] * wins(s[i], s[j])
    return won / total if total else math.nan


def above(first, second):
    return first > second


def not_below(first, second):
    return first >= second


def dp_rates(y, s, a, w, g, h):
    return [pair_rate(y, s, a, w, g, h, lambda y1, y2: True, above)]


def conditional_dp_rates(y, s, a, w, g, h):
    return [pair_rate(y, s, a, w, g, h, lambda y1, y2: y1 != y2, above)]


def eo_rates(y, s, a, w, g, h):
    return [pair_rate(y, s, a, w, g, h, above, above)]


def equalized_odds_rates(y, s, a, w, g, h):
    return [
        pair_rate(y, s, a, w, g, h, above, above),
        pair_rate(y, s, a, w, g, h, not_below, not_below),
    ]


def mean(values, weights):
    total = sum(weights)
    return sum(v * w for v, w in zip(values, weights, strict=True)) / total if total else math.nan


def harm_rates(y, f, a, w, g, h):
    rows = [i for i in range(len(y)) if a[i] == g]
    return [mean([max(y[i] - f[i], 0) for i in rows], [w[i] for i in rows])]


def conditional_harm_rates(y, f, a, w, g, h):
    rows = [i for i in range(len(y)) if a[i] == g and f[i] < y[i]]
    return [mean([y[i] - f[i] for i in rows], [w[i] for i in rows])]


def standard_dp_rates(y, f, a, w, g, h):
    rows = [i for i in range(len(y)) if a[i] == g]
    return [mean([f[i] == x for i in rows], [w[i] for i in rows]) for x in all_labels(y, f, w)]


def standard_eo_rates(y, f, a, w, g, h):
    return [
        mean([f[i] == x for i in rows], [w[i] for i in rows])
        for x in all_labels(y, f, w)
        for rows in [[i for i in range(len(y)) if a[i] == g and y[i] == x]]
    ]


def standard_equalized_odds_rates(y, f, a, w, g, h):
    return [
        mean([f[i] == predicted for i in rows], [w[i] for i in rows])
        for true in all_labels(y, f, w)
        for rows in [[i for i in range(len(y)) if a[i] == g and y[i] == true]]
        for predicted in all_labels(y, f, w)
    ]


def all_labels(y, f, w):
    """Labels of the rows that count."""
    return sorted(
        {label for i, j, weight in zip(y, f, w, strict=True) if weight for label in (i, j)}
    )


RATES = {
    "demographic_parity": dp_rates,
    "conditional_demographic_parity": conditional_dp_rates,
    "equal_opportunity": eo_rates,
    "equalized_odds": equalized_odds_rates,
    "harm_parity": harm_rates,
    "conditional_harm_parity": conditional_harm_rates,
    "standard_demographic_parity": standard_dp_rates,
    "standard_equal_opportunity": standard_eo_rates,
    "standard_equalized_odds": standard_equalized_odds_rates,
}


def disparity(notion, y, s, a, w, g, h):
    """Per part, the rate of (g, h) minus that of (h, g)."""
    rates = RATES[notion]
    forward, backward = rates(y, s, a, w, g, h), rates(y, s, a, w, h, g)
    return [p - q for p, q in zip(forward, backward, strict=True)]


def violation(notion, y, s, a, w=None):
    """Greatest absolute disparity over parts and pairs of groups; nan if none is defined."""
    w = [1.0] * len(y) if w is None else w
    groups = sorted({group for group, weight in zip(a, w, strict=True) if weight > 0})
    gaps = [
        abs(gap)
        for g, h in combinations(groups, 2)
        for gap in disparity(notion, y, s, a, w, g, h)
        if not math.isnan(gap)
    ]
    return max(gaps, default=math.nan)


def mean_cost(y, f, w, cost):
    return mean([cost(i, j) for i, j in zip(y, f, strict=True)], w)


def margin_loss(y, s, thresholds, margin, w):
    """Appendix A.7, labels 1..k."""
    losses = []
    for label, score in zip(y, s, strict=True):
        loss = 0
        for j, threshold in enumerate(thresholds, start=1):
            side = 1 if j <= label - 1 else -1
            loss += side * (score - threshold) <= margin
        losses.append(loss)
    return mean(losses, w)


def consistency(X, f, n_neighbors, w, span):
    """All rows no farther than the n-th nearest other row are neighbours."""
    unlike = []
    for i in range(len(X)):
        distances = [math.dist(X[i], X[j]) for j in range(len(X))]
        others = [j for j in range(len(X)) if j != i]
        reach = sorted(distances[j] for j in others)[n_neighbors - 1]
        near = [j for j in others if distances[j] <= reach]
        unlike.append(mean([abs(f[i] - f[j]) / span for j in near], [w[j] for j in near]))
    return 1 - mean(unlike, w)


def jackknife_covariance(notion, y, s, a, contrasts):
    """Covariance of disparities by leaving out each row in turn, group by group."""
    w = [1.0] * len(y)
    total = np.zeros((len(contrasts), len(contrasts)))
    for group in sorted(set(a)):
        rows = [i for i in range(len(y)) if a[i] == group]
        left = []
        for i in rows:
            keep = [j for j in range(len(y)) if j != i]
            part = [[v[j] for j in keep] for v in (y, s, a, w)]
            left.append([disparity(notion, *part, g, h)[p] for p, g, h in contrasts])
        left = np.array(left)
        centred = left - left.mean(axis=0)
        total += (len(rows) - 1) / len(rows) * centred.T @ centred
    return total


def shapley_of_cuts(value, n_cuts):
    """Mean marginal contribution of each cut over all orders, by enumeration of subsets."""
    shares = [0.0] * n_cuts
    for cut in range(n_cuts):
        others = [c for c in range(n_cuts) if c != cut]
        for size in range(n_cuts):
            for subset in combinations(others, size):
                orders = math.factorial(size) * math.factorial(n_cuts - size - 1)
                weight = orders / math.factorial(n_cuts)
                shares[cut] += weight * (value({*subset, cut}) - value(set(subset)))
    return shares
