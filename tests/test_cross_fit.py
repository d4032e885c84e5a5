"""Cross-fitted candidates: estimates against slow twins, bounds, optimism, and the choice."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtri

import oracles
from fairordinal import metrics, optimize_thresholds
from fairordinal._inference import fisher_estimates, measured_contrasts, row_effects
from fairordinal._rows import counted_scores
from fairordinal._validation import Weight
from fairordinal.criteria import as_criterion
from fairordinal.thresholds import (
    Evaluation,
    Goal,
    HeldOutRows,
    Optimism,
    ScorePool,
    SimulatedSamples,
    choose,
    choose_from,
    expected,
    limited,
    threshold_folds,
)
from fairordinal.thresholds._branch_and_bound import multipliers_for
from fairordinal.thresholds._cross_fit import bin_scores
from fairordinal.thresholds._evaluation import FULL
from fairordinal.thresholds._local_search import shortest_paths, sweep
from fairordinal.thresholds._optimism import BANDWIDTH, OWN_SHARE, smoothing_of
from fairordinal.thresholds._problem import read_problem

CRITERIA = ["demographic_parity", "equal_opportunity", "equalized_odds"]


def made_up(n=300, n_groups=2, n_labels=4, seed=0, *, digits=None, weighted=False):
    """Scores, groups, labels and weights."""
    generator = np.random.default_rng(seed)
    a = generator.integers(0, n_groups, n)
    latent = generator.normal(size=n) + 0.6 * a
    scores = latent + 0.7 * generator.normal(size=n)
    y = np.searchsorted(np.quantile(latent, np.arange(1, n_labels) / n_labels), latent)
    y[: 2 * n_labels] = [*range(n_labels)] * 2
    a[: 2 * n_groups] = [*range(n_groups)] * 2
    weight = generator.integers(1, 4, n).astype(float) if weighted else np.ones(n)
    return scores if digits is None else scores.round(digits), a, y, weight


def pool_of(scores, a, y, weight, criterion="demographic_parity", seed=0, fold=None):
    n_labels = y.max() + 1
    labels, groups = np.arange(n_labels), np.arange(a.max() + 1)
    cost = np.abs(np.subtract.outer(labels, labels)).astype(float)
    evaluation = Evaluation(as_criterion(criterion), cost, groups, labels)
    cells = a * n_labels + y
    fold = threshold_folds(a, y, scores, weight, 5, seed) if fold is None else fold
    table = counted_scores(scores, cells, weight, groups, labels)
    return ScorePool(HeldOutRows(evaluation, cells, weight, fold), scores, table)


@given(st.integers(0, 10**6), st.integers(1, 400), st.integers(0, 2), st.booleans())
def test_bins_have_about_equal_weight_and_never_part_equal_scores(seed, n, digits, weighted):
    generator = np.random.default_rng(seed)
    scores = generator.normal(size=n).round(digits)
    weight = generator.integers(1, 5, n).astype(float) if weighted else np.ones(n)
    bins, thresholds = bin_scores(scores, weight, 16)
    assert len(thresholds) == bins.max() + 2 <= 17
    for score, b in zip(scores, bins, strict=True):
        assert thresholds[b] < score <= thresholds[b + 1]
    if len(np.unique(scores)) <= 16 and not weighted:
        heaviest = np.unique(scores, return_counts=True)[1].max()
    else:
        heaviest = max(np.bincount(np.unique(scores, return_inverse=True)[1], weight))
    assert np.bincount(bins, weight).max() <= weight.sum() / 16 + heaviest + 1e-9


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("n_groups", [2, 3])
def test_shortest_paths_have_the_least_lagrangian(criterion, n_groups):
    scores, a, y, weight = made_up(40, n_groups, 3, digits=0)
    cells, names = a * 3 + y, (np.arange(n_groups), np.arange(3))
    table = counted_scores(scores, cells, weight, *names)
    cost = np.abs(np.subtract.outer(names[1], names[1])).astype(float)
    problem = read_problem(table, as_criterion(criterion), cost)
    generator = np.random.default_rng(1)
    multipliers = generator.normal(size=(6, problem.n_contrasts))
    for cuts, each in zip(shortest_paths(problem, multipliers), multipliers, strict=True):
        value = problem.cost(cuts) + float(each @ problem.disparities(cuts))
        assert value == pytest.approx(oracles.cheapest_path(problem, each))


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("n_groups", [2, 4])
def test_quick_thresholds_are_nearly_as_good_as_certified_ones(criterion, n_groups):
    scores, a, y, weight = made_up(FULL.n_bins - 8, n_groups)
    pool = pool_of(scores, a, y, weight, criterion)
    limits = [0.02, 0.1, 0.3]
    pool.add({0: [limited(limit) for limit in limits]})
    options = {"sensitive_features": a, "criterion": criterion}
    for candidate, limit in zip(pool.candidates, limits, strict=True):
        best = optimize_thresholds(scores, y, max_violation=limit, **options)
        assert best.objective - 1e-3 <= candidate.reached.objective <= 1.05 * best.objective


@settings(max_examples=30)
@given(
    st.integers(0, 10**6),
    st.integers(30, 90),
    st.integers(2, 3),
    st.sampled_from([None, 0, 1]),
    st.booleans(),
    st.sampled_from(CRITERIA),
)
def test_the_table_is_that_of_thresholds_cut_on_the_other_folds(
    seed, n, n_groups, digits, weighted, criterion
):
    scores, a, y, weight = made_up(n, n_groups, 3, seed, digits=digits, weighted=weighted)
    pool = pool_of(scores, a, y, weight, criterion)
    goals, rows = [limited(0.1), limited(0.3)], pool.rows
    pool.add({0: goals})
    binned = rows.bin(scores)
    multipliers = rows.multipliers(binned, goals)
    for candidate in pool.candidates:
        if candidate.is_constant:
            continue
        number = goals.index(candidate.goal)

        def cut(others, g=number):
            counts = np.zeros((n_groups * 3, binned.n_bins))
            np.add.at(counts, (rows.cells[others], binned.bins[others]), weight[others])
            table = rows.evaluation.scores(counts)
            problem = read_problem(table, rows.evaluation.criterion, rows.evaluation.cost)
            scaled = [goal._replace(penalty=goal.penalty * 2) for goal in goals]
            known = multipliers
            if problem.n_contrasts != known.shape[1]:
                known = multipliers_for(problem, scaled, FULL.most_bounds)
            return binned.thresholds[sweep(problem, scaled, known)[g]]

        predicted = oracles.cross_fitted_labels(scores, rows.fold, cut)
        cube = np.zeros((n_groups, 3, 3))
        np.add.at(cube, (a, y, predicted), weight)
        np.testing.assert_allclose(candidate.table.cube, cube, atol=1e-9)
        given_weight = {"sample_weight": weight}
        assert candidate.cost == pytest.approx(metrics.mean_cost(y, predicted, **given_weight))


@pytest.mark.parametrize("criterion", CRITERIA)
def test_the_bound_is_the_estimate_and_so_many_deviations(criterion):
    pool = pool_of(*made_up(200, 3), criterion)
    pool.add({0: [limited(0.2)]})
    (candidate,) = pool.candidates
    table, instability = candidate.table, candidate.instability.disparities
    contrasts = measured_contrasts(as_criterion(criterion), table)
    estimates = fisher_estimates(as_criterion(criterion), table, contrasts)
    for confidence in (0.5, 0.9, 0.99):
        highest = 0.0
        for e in range(len(contrasts)):
            part, g, h = contrasts.part[e], contrasts.g[e], contrasts.h[e]
            centre = np.tanh(estimates.centre[e])
            unstable = instability[part, g, h] / (1 - centre**2)
            deviation = np.sqrt(estimates.deviation[e] ** 2 + unstable**2)
            reach = abs(estimates.centre[e]) + ndtri(confidence) * deviation
            observed = abs(as_criterion(criterion).disparities(table)[part, g, h])
            highest = max(highest, observed, np.tanh(reach))
        assert candidate.bound(confidence) == pytest.approx(highest)


def test_instability_is_how_far_the_thresholds_of_folds_move_the_estimates():
    scores, a, y, weight = made_up(150, digits=1)
    pool = pool_of(scores, a, y, weight)
    pool.add({0: [limited(0.1)]})
    (candidate,) = pool.candidates
    binned = pool.rows.bin(scores)
    final = np.searchsorted(candidate.thresholds, scores)
    moved = []
    for cuts in candidate.cuts:
        predicted = np.searchsorted(binned.thresholds[cuts], scores)
        moved.append(metrics.mean_cost(y, predicted) - metrics.mean_cost(y, final))
    assert candidate.instability.cost == pytest.approx(np.sqrt(np.mean(np.square(moved))))


@pytest.mark.parametrize("criterion", CRITERIA)
def test_row_effects_are_derivatives(criterion):
    scores, a, y, weight = made_up(80, 3, 3)
    pool = pool_of(scores, a, y, weight, criterion)
    pool.add({0: [limited(0.3)]})
    criterion, table = as_criterion(criterion), pool.candidates[0].table
    contrasts = measured_contrasts(criterion, table)
    effects = row_effects(criterion, table, contrasts)
    padded, step = table.padded, 1e-5
    before = contrasts.pick(criterion.disparities(padded))
    for cell in range(9):
        for label in range(3):
            counts = padded.counts.toarray()
            counts[cell, label] += step
            after = contrasts.pick(
                criterion.disparities(replace(padded, counts=type(padded.counts)(counts)))
            )
            np.testing.assert_allclose(effects[:, cell, label], (after - before) / step, atol=1e-4)


def test_simulated_estimates_spread_like_the_estimates():
    pool = pool_of(*made_up(400))
    pool.add({0: [limited(0.1), limited(0.2)]})
    samples = pool.simulate()
    spread = samples._moved[:, 0].std(axis=1)
    np.testing.assert_allclose(spread, samples.deviations[:, 0], rtol=0.25)


def test_the_best_of_many_lucky_candidates_is_optimistic():
    """Candidates of equal quality whose noise is independent: the chosen one is so by luck."""
    generator = np.random.default_rng(0)
    n, optimism = 500, {}
    a, y = np.arange(n) % 2, (np.arange(n) // 2) % 3
    for n_rankers in (1, 30):
        candidates, binned = [], {}
        for ranker in range(n_rankers):
            pool = pool_of(generator.normal(size=n) + 0.5 * a + y, a, y, np.ones(n))
            pool.add({0: [limited(1.0)]})
            candidates.append(replace(pool.candidates[0], ranker=ranker))
            binned[ranker] = pool.rows.bin(pool.scores[0])
        limit = limited(float(np.mean([c.violation for c in candidates])))
        samples = SimulatedSamples(pool.rows, candidates, binned)
        optimism[n_rankers] = samples.optimism(limit, None)
    assert optimism[1].violation < 0.5 * optimism[30].violation
    assert optimism[30].violation > 0.005  # half of what it is without smoothing
    assert optimism[30].margin == 0.0  # smoothed estimates need none
    assert optimism[30].cost > optimism[1].cost


def test_a_choice_by_price_has_no_limit_to_correct():
    pool = pool_of(*made_up())
    pool.add({0: [limited(0.1)]})
    assert pool.simulate().optimism(Goal(0.3), None) == Optimism()


def test_the_least_cost_within_a_limit_is_chosen():
    pool = pool_of(*made_up(500))
    pool.add({0: [limited(limit) for limit in (0.01, 0.05, 0.1, 0.2, 0.4)], 1: [limited(0.0)]})
    candidates = pool.candidates
    for limit in (0.0, 0.07, 0.15, 0.5):
        for margin in (0.0, 0.02):
            within = [c for c in candidates if c.is_surely_fair or c.violation <= limit - margin]
            chosen = choose(candidates, limited(limit), None, Optimism(margin))
            assert chosen.keeps
            assert chosen.candidate.cost == min(c.cost for c in within)
    cheap = choose(candidates, Goal(0.0), None, Optimism()).candidate
    assert cheap.cost == min(c.cost for c in candidates)


def test_estimates_average_the_excess_of_similar_candidates():
    pool = pool_of(*made_up(500))
    pool.add({0: [limited(limit) for limit in (0.1, 0.12, 0.15, 0.3)], 1: [limited(0.0)]})
    candidates = pool.candidates
    vary = [c for c in candidates if not c.is_constant]
    assert len(vary) == 4
    for candidate in candidates:
        if candidate.is_constant:
            assert candidate.correction == 0.0
            continue
        total = weight = 0.0
        for other in vary:
            apart = (candidate.reached.violation - other.reached.violation) / BANDWIDTH
            similar = np.exp(-0.5 * apart**2)
            total += similar * (other.cross_fitted_violation - other.reached.violation)
            weight += similar
        own = candidate.cross_fitted_violation - candidate.reached.violation
        excess = (1 - OWN_SHARE) * total / weight + OWN_SHARE * own
        estimate = max(candidate.reached.violation + excess, 0.0)
        assert candidate.violation == pytest.approx(estimate, abs=1e-12)


def test_a_candidate_alone_is_not_smoothed():
    pool = pool_of(*made_up(500))
    pool.add({0: [limited(0.2)]})
    (candidate,) = pool.candidates
    assert not candidate.is_constant
    assert candidate.correction == pytest.approx(0.0, abs=1e-12)
    assert candidate.violation == pytest.approx(candidate.cross_fitted_violation, abs=1e-12)


def test_bounds_and_intervals_hold_the_estimate():
    pool = pool_of(*made_up(500))
    pool.add({0: [limited(0.2)]})
    (own,) = pool.candidates
    before = expected(own, 0.95, Optimism())
    for correction in (-0.2, -0.01, 0.0, 0.01, 0.2):
        moved = replace(own, correction=correction)
        assert moved.violation == pytest.approx(max(own.violation + correction, 0.0))
        assert moved.bound(0.9) == max(own.bound(0.9), moved.violation)
        after = expected(moved, 0.95, Optimism())
        assert after.violation == moved.violation
        ends = sorted([*before.violation_interval, moved.violation])
        assert after.violation_interval == (ends[0], ends[-1])


def test_smoothing_maps_simulated_samples_one_by_one():
    pool = pool_of(*made_up(400))
    pool.add({0: [limited(limit) for limit in (0.02, 0.1, 0.3)], 1: [limited(0.0)]})
    smoothing = smoothing_of(pool.candidates)
    samples = np.random.default_rng(0).uniform(size=(len(pool.candidates), 5))
    together = smoothing(samples)
    for number in range(5):
        np.testing.assert_allclose(together[:, number], smoothing(samples[:, number]))


def test_more_rows_get_the_best_constant_label_with_a_surcharge():
    scores, a, y, weight = made_up(500)
    pool = pool_of(scores, a, y, weight)
    goals = [limited(0.2)._replace(surcharge=surcharge) for surcharge in (0.0, 0.3, 1.0)]
    pool.add({0: goals})
    best = np.argmin([np.abs(y - label).sum() for label in range(y.max() + 1)])
    shares, deviations = [], []
    for candidate in pool.candidates:
        counts = candidate.table.cube.sum(axis=(0, 1))
        shares.append(counts[best] / counts.sum())
        deviations.append(candidate.bound(0.9) - candidate.violation)
    assert shares == sorted(shares)
    assert shares[-1] > shares[0] + 0.1
    assert deviations[-1] < deviations[0]


def test_the_margin_with_confidence_is_kept_in_simulated_samples():
    pool = pool_of(*made_up(400, seed=1))
    pool.add({0: [limited(limit) for limit in (0.01, 0.05, 0.1, 0.2)], 1: [limited(0.0)]})
    samples = pool.simulate()
    certain = samples.optimism(limited(0.15), 0.9)
    simulated = np.abs(samples.values[:, :, None] + samples._moved)
    bounds = (simulated + 1.2815515 * samples.deviations[:, :, None]).max(axis=1)
    judged = np.maximum(bounds, samples.smoothing(simulated.max(axis=1)))
    assert 0.0 < certain.margin <= 0.5 * 0.15
    chosen = samples._chosen(judged, 0.15 - certain.margin)
    true = np.abs(samples.values).max(axis=1)
    broken = true[chosen] > 0.15
    assert broken.mean() <= 0.02


def test_a_constant_predictor_is_fair_for_sure():
    pool = pool_of(*made_up())
    pool.add({pool.constant: [limited(0.0)]})
    (candidate,) = pool.candidates
    assert candidate.is_constant
    assert candidate.violation == 0.0 == candidate.bound(0.999)
    assert expected(candidate, 0.95, Optimism()).violation_interval == (0.0, 0.0)


def test_a_constant_predictor_may_harm_groups_unequally():
    pool = pool_of(*made_up(400, seed=2), "harm_parity")
    pool.add({pool.constant: [limited(1.0)]})
    (candidate,) = pool.candidates
    assert candidate.is_constant
    assert not candidate.is_surely_fair
    assert candidate.violation > 0.0


@settings(max_examples=20)
@given(st.integers(0, 10**6))
def test_folds_of_scores_depend_neither_on_the_order_of_rows_nor_on_names(seed):
    scores, a, y, weight = made_up(60, 3, 3, seed, digits=1, weighted=True)
    random = np.random.default_rng(seed)
    order, names = random.permutation(60), random.permutation(3)
    one = threshold_folds(a, y, scores, weight, 5, 0)
    other = threshold_folds(names[a[order]], y[order], scores[order], weight[order], 5, 0)

    def rows(fold, at):
        return sorted(zip(a[at], y[at], scores[at], weight[at], fold, strict=True))

    assert rows(one, np.arange(60)) == rows(other, order)


@pytest.mark.parametrize("factor", [7.0, 0.1, 1e10])
@pytest.mark.parametrize("seed", range(5))
def test_the_unit_of_weights_does_not_matter(factor, seed):
    scores, a, y, weight = made_up(200, seed=seed, weighted=True)
    found = []
    for each in (Weight(weight), Weight(factor * weight)):
        pool = pool_of(scores, a, y, each.relative().values)
        found.append(choose_from(pool, [0], limited(0.1), None).candidate)
    np.testing.assert_array_equal(found[0].thresholds, found[1].thresholds)
    assert found[0].cost == found[1].cost


def test_optimism_raises_the_upper_ends_of_intervals():
    pool = pool_of(*made_up(500))
    pool.add({0: [limited(0.1)]})
    plain = expected(pool.candidates[0], 0.95, Optimism())
    raised = expected(pool.candidates[0], 0.95, Optimism(0.0, 0.02, 0.1))
    assert raised.violation_interval == pytest.approx(np.add(plain.violation_interval, (0, 0.02)))
    assert raised.cost_interval == pytest.approx(np.add(plain.cost_interval, (0, 0.1)))
    assert raised.cost == plain.cost
