"""The definitions, row by row and pair by pair. Slow and obvious on purpose."""

import math
from itertools import combinations, combinations_with_replacement, pairwise, permutations

import numpy as np
from scipy.optimize import linprog


def pair_rate(y, s, a, w, g, h, counts, wins):
    """Weighted share of the pairs (i in g, j in h) that count, in which i wins."""
    won = total = 0  # whole weights stay exact
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


def harm_rates_if_worse(y, f, a, w, g, h):
    rows = [i for i in range(len(y)) if a[i] == g]
    return [mean([max(f[i] - y[i], 0) for i in rows], [w[i] for i in rows])]


def conditional_harm_rates_if_worse(y, f, a, w, g, h):
    rows = [i for i in range(len(y)) if a[i] == g and f[i] > y[i]]
    return [mean([f[i] - y[i] for i in rows], [w[i] for i in rows])]


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
    "harm_parity, higher is worse": harm_rates_if_worse,
    "conditional_harm_parity, higher is worse": conditional_harm_rates_if_worse,
    "standard_demographic_parity": standard_dp_rates,
    "standard_equal_opportunity": standard_eo_rates,
    "standard_equalized_odds": standard_equalized_odds_rates,
}


def disparity(criterion, y, s, a, w, g, h):
    """Per part, the rate of (g, h) minus that of (h, g)."""
    rates = RATES[criterion]
    forward, backward = rates(y, s, a, w, g, h), rates(y, s, a, w, h, g)
    return [p - q for p, q in zip(forward, backward, strict=True)]


def violation(criterion, y, s, a, w=None):
    """Greatest absolute disparity over parts and pairs of groups; nan if none is defined."""
    w = [1.0] * len(y) if w is None else w
    groups = sorted({group for group, weight in zip(a, w, strict=True) if weight > 0})
    gaps = [
        abs(gap)
        for g, h in combinations(groups, 2)
        for gap in disparity(criterion, y, s, a, w, g, h)
        if not math.isnan(gap)
    ]
    return max(gaps, default=math.nan)


def too_small(lower, upper, rows, scale):
    """Groups whose intervals with all groups of at least as many rows say next to nothing."""
    n_parts, n_groups, _ = np.shape(lower)
    found = []
    for g in range(n_groups):
        others = [h for h in range(n_groups) if h != g and rows[h] >= rows[g]]
        intervals = [(lower[p][g][h], upper[p][g][h]) for p in range(n_parts) for h in others]
        says_nothing = [
            math.isnan(low) or (low <= 0 <= high and high - low > 0.3 * (2 * scale))
            for low, high in intervals
        ]
        found.append(bool(others) and all(says_nothing))
    return found


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


def survey_covariance(criterion, y, s, a, w, contrasts):
    """Covariance with survey weights, row by row: weight times derivative, squared.

    The derivative by a weight is that of a complex step, which is exact.
    """
    step, total = 1e-100, np.zeros((len(contrasts), len(contrasts)))
    for group in sorted(set(a)):
        rows = [i for i in range(len(y)) if a[i] == group and w[i] > 0]
        effects = []
        for i in rows:
            moved = [complex(weight, step * (j == i)) for j, weight in enumerate(w)]
            by_pair = [disparity(criterion, y, s, a, moved, g, h)[p] for p, g, h in contrasts]
            effects.append([w[i] * value.imag / step for value in by_pair])
        effective = sum(w[i] for i in rows) ** 2 / sum(w[i] ** 2 for i in rows)
        total += effective / (effective - 1) * np.array(effects).T @ np.array(effects)
    return total


def jackknife_covariance(criterion, y, s, a, contrasts, w=None):
    """Covariance of disparities by leaving out each row in turn, group by group."""
    w = [1.0] * len(y) if w is None else w
    total = np.zeros((len(contrasts), len(contrasts)))
    for group in sorted(set(a)):
        rows = [i for i in range(len(y)) if a[i] == group]
        left = []
        for i in rows:
            keep = [j for j in range(len(y)) if j != i]
            part = [[v[j] for j in keep] for v in (y, s, a, w)]
            pairs = {(g, h) for _, g, h in contrasts}
            found = {(g, h): disparity(criterion, *part, g, h) for g, h in pairs}
            left.append([found[g, h][p] for p, g, h in contrasts])
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


def every_cutting(s, n_labels):
    """Predictions (cutting, row) of all thresholds there are; labels 0 .. n_labels - 1."""
    values = sorted(set(s))
    between = [-math.inf, *values]  # a threshold at a score has it below
    cuttings = combinations_with_replacement(between, n_labels - 1)
    return np.array([[sum(x > theta for theta in cuts) for x in s] for cuts in cuttings])


CRITERIA_OF_CUTTINGS = [
    "demographic_parity",
    "conditional_demographic_parity",
    "equal_opportunity",
    "equalized_odds",
    "harm_parity",
]


def violations_of_cuttings(criterion, y, f, a, w, cost):
    """The violation of each row of predictions f, from its definition over all pairs of rows.

    For `CRITERIA_OF_CUTTINGS`.
    """
    y, a, w = np.array(y), np.array(a), np.array(w)
    gaps = [np.zeros(len(f))]
    for g, h in combinations(sorted(set(a[w > 0])), 2):
        for forward, backward in zip(
            _rates_of_cuttings(criterion, y, f, a, w, cost, g, h),
            _rates_of_cuttings(criterion, y, f, a, w, cost, h, g),
            strict=True,
        ):
            gaps.append(np.nan_to_num(np.abs(forward - backward), nan=0.0))
    return np.max(gaps, axis=0)


def _rates_of_cuttings(criterion, y, f, a, w, cost, g, h):
    if criterion == "harm_parity":
        harm = np.asarray(cost)[y, f] * (f < y) * (a == g)
        return [harm @ w / (w @ (a == g))]
    ahead, behind = y[:, None], y[None, :]
    above, level = f[:, :, None] > f[:, None, :], f[:, :, None] == f[:, None, :]
    both = np.outer(w * (a == g), w * (a == h))
    parts = {
        "demographic_parity": [(ahead == ahead, above)],
        "conditional_demographic_parity": [(ahead != behind, above)],
        "equal_opportunity": [(ahead > behind, above)],
        "equalized_odds": [(ahead > behind, above), (ahead >= behind, above | level)],
    }[criterion]
    pairs = [(both * counts, won) for counts, won in parts]
    with np.errstate(invalid="ignore"):
        return [(won * pair).sum(axis=(1, 2)) / pair.sum() for pair, won in pairs]


def costs_of_cuttings(y, f, w, cost):
    """The mean cost of each row of predictions f."""
    return np.asarray(cost)[np.array(y), f] @ np.array(w) / sum(w)


def proposition_2(y, s, a, n_labels, cost, price, criterion):
    """Least mean cost + price * violation by the paper's dynamic programme (appendix A.6).

    Two groups, no weights. A table of the least cost of the first i rows by what their pairs
    have won so far; f, the number of labels used, is superfluous as labels rise strictly.
    """
    order = np.argsort(s, kind="stable")
    y, s, a = (np.array(v)[order] for v in (y, s, a))
    n, one, two = len(y), a == 0, a == 1
    count = _pairs_of_segments(criterion, y, one, two)
    size = int(one.sum() * two.sum())
    empty = np.full((2 * size + 1, 2 * size + 1 if criterion == "equal_opportunity" else 1), np.inf)
    start = empty.copy()
    start[size, start.shape[1] // 2] = 0.0
    best = {(0, -1): start}
    ends = [i for i in range(1, n + 1) if i == n or s[i - 1] < s[i]]
    for i in ends:
        for label in range(n_labels):
            table = empty.copy()
            for (begin, before), known in best.items():
                if begin < i and before < label:
                    paid = cost[y[begin:i], label].sum()
                    table = np.minimum(table, np.roll(known + paid, count(begin, i), axis=(0, 1)))
            best[i, label] = table
    last = np.min([best[n, label] for label in range(n_labels)], axis=0)
    return (last / n + price * _violation_grid(criterion, y, one, two, size)).min()


def _pairs_of_segments(criterion, y, one, two):
    """What rows begin .. end - 1 add to the counts of pairs, getting a label above all before."""
    below, above = y[:, None] < y[None, :], y[:, None] > y[None, :]

    def parity(begin, end):
        new, old = slice(begin, end), slice(0, begin)
        return int(one[new].sum() * two[old].sum() - two[new].sum() * one[old].sum()), 0

    def opportunity(begin, end):  # pairs in the wrong order or tied
        new, through = slice(begin, end), slice(0, end)
        first = below[new, through] & one[new, None] & two[None, through]
        second = above[through, new] & one[through, None] & two[None, new]
        return int(first.sum()), int(second.sum())

    return parity if criterion == "demographic_parity" else opportunity


def _violation_grid(criterion, y, one, two, size):
    counts = np.arange(-size, size + 1)
    if criterion == "demographic_parity":
        return np.abs(counts[:, None]) / size
    below = ((y[:, None] < y[None, :]) & one[:, None] & two[None, :]).sum()
    above = ((y[:, None] > y[None, :]) & one[:, None] & two[None, :]).sum()
    return np.abs(counts[:, None] / below - counts[None, :] / above)


def pair_loss(s, cells, w, weights, value):
    """Signed pair weights, pair by pair: a negative one turns its pair round."""
    total = 0.0
    for i in range(len(s)):
        for j in range(len(s)):
            weight = weights[cells[i]][cells[j]]
            margin = math.copysign(1.0, weight) * (s[i] - s[j])
            total += w[i] * w[j] * abs(weight) * float(value(np.array([margin]))[0])
    return total


def pair_derivatives(s, cells, w, weights, slope, curvature):
    """Gradient and Hessian of the same by scores, from all pairs at once."""
    table = np.asarray(weights)[np.ix_(cells, cells)]
    margin = np.sign(table) * np.subtract.outer(s, s)
    size = np.outer(w, w) * np.abs(table)
    pull = size * slope(margin) * np.sign(table)
    bend = size * curvature(margin)
    hessian = -(bend + bend.T)
    np.fill_diagonal(hessian, 0.0)
    np.fill_diagonal(hessian, -hessian.sum(axis=1))
    return pull.sum(axis=1) - pull.sum(axis=0), hessian


def fair_thresholds_by_permutation(criterion, y, a, n_labels):
    """Appendix A.12: how often scorings have a violation and a share of fair thresholds.

    All permutations as scores, all places of the cuts, each judged by its definition.
    """
    found = {}
    for s in permutations(range(len(y))):
        cuttings = every_cutting(s, n_labels).tolist()
        fair = [violation(criterion, y, f, a) < 1e-12 for f in cuttings]
        outcome = (round(violation(criterion, y, s, a), 9), round(sum(fair) / len(fair), 9))
        found[outcome] = found.get(outcome, 0) + 1
    return found


def swallowed_by_reading(text, separator=b","):
    """Where a quote opens that swallows lines, and where it closes; character by character."""
    inside = False
    begins = True  # whether the present character is the first of its cell
    opened, i = None, 0
    while i < len(text):
        character, following = text[i : i + 1], text[i + 1 : i + 2]
        if not inside:
            if character == b'"' and begins:
                inside, opened = True, i
            begins = character in (separator, b"\n", b"\r")
        elif character == b'"' and following == b'"':
            i += 1
        elif character == b'"':
            inside = False
            breaks = b"\n" in text[opened:i] or b"\r" in text[opened:i]
            if breaks and following not in (b"", separator, b"\n", b"\r"):
                return opened, i
        i += 1
    return (opened, None) if inside else None


def cross_fitted_labels(scores, fold, cuts_without):
    """Labels of rows by thresholds that were cut without their fold.

    ``cuts_without(rows)`` gives thresholds for the scores of some rows.
    """
    predicted = np.empty(len(scores), dtype=int)
    for f in np.unique(fold):
        thresholds = cuts_without(np.flatnonzero(fold != f))
        for row in np.flatnonzero(fold == f):
            predicted[row] = sum(threshold < scores[row] for threshold in thresholds)
    return predicted


def cheapest_path(problem, multipliers):
    """The least Lagrangian over all cuts, by trying them all."""
    least = np.inf
    for cuts in combinations_with_replacement(range(problem.n_positions + 1), problem.n_cuts):
        cuts = np.array(cuts)
        value = problem.cost(cuts) + float(multipliers @ problem.disparities(cuts))
        least = min(least, value)
    return least


def leaf_by_walking(tree, row):
    """The leaf of a row, split by split."""
    at = 0
    while at >= 0:
        goes_left = row[tree.feature[at]] <= tree.threshold[at]
        at = tree.left[at] if goes_left else tree.right[at]
    return -1 - at


def contributions_by_walking(tree, values, rows, row):
    """What each column adds to the value of a row's leaf: changes of means along its path."""

    def mean(at):
        leaves = below(at)
        weight = sum(rows[leaf] for leaf in leaves)
        return sum(rows[leaf] * values[leaf] for leaf in leaves) / weight

    def below(at):
        return [-1 - at] if at < 0 else below(tree.left[at]) + below(tree.right[at])

    at, found = 0, np.zeros(len(row))
    while at >= 0:
        goes_left = row[tree.feature[at]] <= tree.threshold[at]
        child = tree.left[at] if goes_left else tree.right[at]
        found[tree.feature[at]] += mean(child) - mean(at)
        at = child
    return found


def least_cost_of_shares(costs, units, comparable, limit):
    """The primal linear program of LinearPost, constraint by constraint.

    Probabilities of labels for each row, and a common share of each label for each set of
    comparable units, such that the shares of all units are within limit/2 of the common one.
    """
    (n, k), n_units = costs.shape, units.shape[1]
    n_sets = int(comparable.max()) + 1
    size = n * k + n_sets * k
    one, within, most = [], [], []
    for i in range(n):
        row = np.zeros(size)
        row[i * k : (i + 1) * k] = 1.0
        one.append(row)
    for u in range(n_units):
        for label in range(k):
            row = np.zeros(size)
            row[label : n * k : k] = units[:, u] / n
            row[n * k + comparable[u] * k + label] = -1.0
            within += [row, -row]
            most += [limit / 2, limit / 2]
    objective = np.concatenate([costs.ravel() / n, np.zeros(n_sets * k)])
    found = linprog(
        objective, A_ub=within, b_ub=most, A_eq=one, b_eq=np.ones(n), bounds=[(0, None)] * size
    )
    return found.fun


def align_by_loops(score, own, common, weight, n_quantiles, share):
    """A score mapped from the quantiles of `own` to those of `common`, in plain Python."""

    def quantiles(scores):
        pairs = sorted(zip(scores, weight, strict=True), key=lambda pair: pair[0])
        found = []
        for number in range(n_quantiles):
            wanted, through = (number + 0.5) / n_quantiles * sum(weight), 0.0
            for value, its_weight in pairs:
                through += its_weight
                if through >= wanted:
                    found.append(value)
                    break
        return found

    def moments(scores):
        mean = sum(w * s for s, w in zip(scores, weight, strict=True)) / sum(weight)
        square = sum(w * (s - mean) ** 2 for s, w in zip(scores, weight, strict=True))
        return mean, (square / sum(weight)) ** 0.5

    (own_mean, own_spread), (mean, spread) = moments(own), moments(common)
    slope = spread / own_spread if own_spread > 0 and spread > 0 else 1.0
    targets = {}
    for knot, target in zip(quantiles(own), quantiles(common), strict=True):
        targets.setdefault(knot, []).append(target)
    knots = [(knot, sum(each) / len(each)) for knot, each in sorted(targets.items())]
    if score <= knots[0][0]:
        mapped = knots[0][1] + slope * (score - knots[0][0])
    elif score >= knots[-1][0]:
        mapped = knots[-1][1] + slope * (score - knots[-1][0])
    else:
        for (low, below), (high, above) in pairwise(knots):
            if low <= score <= high:
                mapped = below + (above - below) * (score - low) / (high - low)
                break
    return (1 - share) * mapped + share * (slope * (score - own_mean) + mean)


def share_of_wrong_labels(values, labels, *, numbers):
    """Share of rows whose label is not that of the other rows with the same value; see models."""
    wrong = 0
    for i, (value, label) in enumerate(zip(values, labels, strict=True)):
        others = [y for j, y in enumerate(labels) if j != i and values[j] == value]
        if others:
            same = others.count(label)
            wrong += any(others.count(other) >= same for other in {*labels} - {label})
        elif numbers:
            wrong += label != label_beside(value, values, labels)
        else:
            wrong += 1
    return wrong / len(labels)


def label_beside(value, values, labels):
    """The most frequent label, or the highest of several, of the next smaller value.

    The smallest value has the next greater one beside it.
    """
    smaller = [v for v in values if v < value]
    greater = [v for v in values if v > value]
    if not smaller and not greater:
        return labels[0]
    beside = max(smaller) if smaller else min(greater)
    there = [y for v, y in zip(values, labels, strict=True) if v == beside]
    return max(sorted({*there}, reverse=True), key=there.count)


def monotone_fit(shares, weights):
    """The rising sequence nearest to the shares, by the max-min formula of isotonic regression."""
    size = range(len(shares))
    return [
        max(
            min(mean(shares[i : j + 1], weights[i : j + 1]) for j in size if j >= at)
            for i in size[: at + 1]
        )
        for at in size
    ]


def label_probabilities(y, s, w, n_labels, at):
    """Probabilities of the labels 0 … n_labels - 1 at a score, exact for fractions."""
    shares = [mean([own == label for own in y], w) for label in range(n_labels)]
    rows = [(score, {label: weight}) for label, score, weight in zip(y, s, w, strict=True)]
    rows += [(end, dict(enumerate(shares))) for end in (min(s), max(s))]  # the pseudo-rows
    scores = sorted(set(s))
    above = [1]
    for boundary in range(n_labels - 1):
        counted = [[part for own, part in rows if own == score] for score in scores]
        weights = [sum(sum(part.values()) for part in parts) for parts in counted]
        higher = [
            sum(v for part in parts for label, v in part.items() if label > boundary)
            for parts in counted
        ]
        fit = monotone_fit([v / of for v, of in zip(higher, weights, strict=True)], weights)
        above.append(on_line([*zip(scores, fit, strict=True)], at))
    return [high - low for high, low in pairwise([*above, 0])]


def on_line(points, at):
    """Linear between points, constant beyond them."""
    if at <= points[0][0]:
        return points[0][1]
    for (left, low), (right, high) in pairwise(points):
        if at <= right:
            return low + (high - low) * (at - left) / (right - left)
    return points[-1][1]


def plug_in_score(ramps, costs, boundaries, edge, unknown):
    """The score of a plug-in rule for one row, by its definition."""
    n_groups, n_labels = len(costs), len(costs[0])
    known = {-1: 1.0, n_labels - 1: 0.0}
    known |= {label: 0.5 + 0.5 * ramp for label, ramp in zip(boundaries, ramps, strict=False)}
    above = [np.interp(label, sorted(known), [known[at] for at in sorted(known)])
             for label in range(-1, n_labels)]  # fmt: skip
    label_chances = [above[label] - above[label + 1] for label in range(n_labels)]
    chances = [0.5 + 0.5 * ramp for ramp in ramps[len(boundaries) :]]
    if n_groups == 2:
        chances = [1.0 - chances[0], chances[0]]
    else:
        total = sum(chance + unknown for chance in chances)
        chances = [(chance + unknown) / total for chance in chances]
    expected = [
        sum(
            chances[a] * label_chances[y] * costs[a][y][label]
            for a in range(n_groups)
            for y in range(n_labels)
        )
        for label in range(n_labels)
    ]
    label = min(range(n_labels), key=lambda each: expected[each])
    down = edge if label == 0 else expected[label - 1] - expected[label]
    up = edge if label == n_labels - 1 else expected[label + 1] - expected[label]
    return label + (0.5 * (down - up) / (down + up) if down + up > 0 else 0.0)
