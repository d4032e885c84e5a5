"""Forests as arrays: leaves, sums of leaf values, what LightGBM grows."""

import lightgbm
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from fairordinal._basis import Score, importances
from fairordinal._basis._ramps import Ramps
from fairordinal._forest import (
    BLOCK,
    MOST_SPLITS,
    Boosting,
    Forest,
    ThresholdLookup,
    binned,
    exact_values,
    grow,
)
from fairordinal._rows import Features
from oracles import contributions_by_walking, leaf_by_walking
from strategies import trees

N_COLUMNS = 3


forests = st.lists(trees(N_COLUMNS), min_size=1, max_size=4).map(lambda found: Forest(tuple(found)))


def rows(n, seed=0):
    return np.random.default_rng(seed).integers(0, 5, (n, N_COLUMNS)) * 1.0


@given(forests, st.integers(0, 100))
def test_leaves_are_those_of_walking_down(forest, seed):
    X = rows(20, seed)
    found = forest.leaves(X)
    for number, tree in enumerate(forest.trees):
        walked = [forest.first_leaves[number] + leaf_by_walking(tree, row) for row in X]
        np.testing.assert_array_equal(found[:, number], walked)
    np.testing.assert_array_equal(forest.leaves(sparse.csr_array(X)), found)


@given(trees(N_COLUMNS, MOST_SPLITS))
def test_each_leaf_has_one_path(tree):
    paths = dict(tree.paths())
    assert sorted(paths) == [*range(tree.n_leaves)]
    assert sum(2.0 ** -len(above) for above in paths.values()) == 1.0


def test_blocks_of_rows_make_no_difference():
    X = np.random.default_rng(0).normal(size=(BLOCK + 100, 4))
    grown = grow(binned(X, np.ones(len(X))), X[:, 0] * X[:, 1], Boosting(n_trees=5))
    some = np.r_[0:50, BLOCK - 50 : BLOCK + 100]
    np.testing.assert_array_equal(grown.forest.leaves(X)[some], grown.forest.leaves(X[some]))


@pytest.mark.parametrize("binary", [False, True])
def test_trees_predict_what_lightgbm_predicts(binary):
    generator = np.random.default_rng(0)
    X = generator.normal(size=(2000, 5))
    X[:, 1] = generator.integers(0, 3, 2000)
    target = X[:, 0] + X[:, 1] * X[:, 2] + generator.normal(size=2000)
    target = (target > 0) * 1.0 if binary else target
    weight = generator.integers(1, 4, 2000) * 1.0
    growth = Boosting(n_trees=30, n_leaves=16)
    grown = grow(binned(X, weight), target, growth, binary=binary)
    again = grow(binned(X, weight), target, growth, binary=binary)
    np.testing.assert_array_equal(grown.values, again.values)
    params = {
        "objective": "binary" if binary else "regression", "num_leaves": 16, "learning_rate": 0.1,
        "min_data_in_leaf": 1, "min_data_in_bin": 1,
        "min_sum_hessian_in_leaf": 5.0 if binary else 20.0,
        "deterministic": True, "force_col_wise": True, "num_threads": 1, "seed": 0, "verbosity": -1,
    }  # fmt: skip
    data = lightgbm.Dataset(X, label=target, weight=weight)
    booster = lightgbm.train(params, data, num_boost_round=30)
    new = generator.normal(size=(500, 5))
    expected = booster.predict(new, raw_score=True)
    np.testing.assert_allclose(grown.forest.sums(new, grown.values), expected, atol=1e-12)


def test_too_few_rows_grow_no_trees():
    X = np.arange(12.0)[:, None]
    grown = grow(binned(X, np.ones(12)), X[:, 0], Boosting())
    assert grown.forest.n_leaves == 0
    np.testing.assert_array_equal(grown.forest.sums(X, grown.values), np.zeros(12))


def test_the_unit_of_weights_makes_no_difference():
    X = np.random.default_rng(0).normal(size=(300, 3))
    one = grow(binned(X, np.ones(300)), X[:, 0] ** 2, Boosting(n_trees=5))
    other = grow(binned(X, np.full(300, 2.0**-10)), X[:, 0] ** 2, Boosting(n_trees=5), one=2.0**-10)
    np.testing.assert_array_equal(one.forest.leaves(X), other.forest.leaves(X))


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=40), st.randoms())
def test_exact_values_add_up_in_any_order(values, random):
    exact = exact_values(np.array(values), len(values)).tolist()
    shuffled = random.sample(exact, len(exact))
    assert sum(exact) == sum(shuffled) == float(np.sum(exact))
    np.testing.assert_allclose(exact, values, atol=1e-9 * np.abs(values).max())


@given(forests, st.integers(0, 100))
def test_several_sums_of_leaves_are_those_of_each(forest, seed):
    X, values = rows(9, seed), np.random.default_rng(seed).normal(size=(forest.n_leaves, 3))
    each = [forest.sums(X, column) for column in values.T]
    np.testing.assert_array_equal(forest.sums(X, values), np.stack(each, axis=1))
    rounded = exact_values(values, len(forest.trees))
    for column, its_own in zip(rounded.T, values.T, strict=True):
        np.testing.assert_array_equal(column, exact_values(its_own, len(forest.trees)))


@given(forests, st.integers(0, 100))
def test_importances_of_ramps_with_leaves_divide_changes_of_their_logits(forest, seed):
    generator = np.random.default_rng(seed)
    X, weight = rows(15, seed), generator.integers(1, 4, 15) * 1.0
    leaf_values, ramp_coef = generator.normal(size=(forest.n_leaves, 3)), generator.normal(size=3)
    ramps = Ramps(*_ramp_numbers(generator), forest, leaf_values)
    score = Score(np.zeros(N_COLUMNS), np.zeros(N_COLUMNS), 0.0, ramps=ramps, ramp_coef=ramp_coef)
    leaves, contributions = forest.leaves(X), np.zeros(X.shape)
    for r in range(3):
        terms = X * ramps.weights[:, r]  # of the logit, by row and column
        terms -= np.average(terms, axis=0, weights=weight)
        for number, tree in enumerate(forest.trees):
            first = forest.first_leaves[number]
            counts = np.bincount(leaves[:, number] - first, weight, tree.n_leaves)
            own = leaf_values[first:, r]
            terms += [contributions_by_walking(tree, own, counts, row) for row in X]
        logits = np.concatenate([part for _, part in ramps.logits(X)])[:, r]
        mean = np.average(logits, weights=weight)
        np.testing.assert_allclose(terms.sum(axis=1), logits - mean, atol=1e-9)
        rise = np.clip(logits, -1.0, 1.0) - np.clip(mean, -1.0, 1.0)
        slope = np.divide(rise, logits - mean, out=np.zeros(15), where=logits != mean)
        contributions += ramp_coef[r] * slope[:, None] * terms
    total = score(X)
    apart = weight * (total - np.average(total, weights=weight))
    found = importances(score, Features.plain(X), weight)
    if np.ptp(total) > 1e-9:
        np.testing.assert_allclose(found, apart @ contributions / (apart @ total), atol=1e-6)
        assert found.sum() == pytest.approx(1.0)


@given(forests, st.integers(0, 100))
def test_importances_are_covariances_of_contributions(forest, seed):
    generator = np.random.default_rng(seed)
    X, weight = rows(30, seed), generator.integers(1, 4, 30) * 1.0
    coef, values = generator.normal(size=N_COLUMNS), generator.normal(size=forest.n_leaves)
    score = Score(coef, np.zeros(N_COLUMNS), 0.0, forest, values)
    contributions = X * coef
    for number, tree in enumerate(forest.trees):
        own = forest.leaves(X)[:, number] - forest.first_leaves[number]
        counts = np.bincount(own, weight, tree.n_leaves)
        its_values = values[forest.first_leaves[number] :]
        contributions += [contributions_by_walking(tree, its_values, counts, row) for row in X]
    total = score(X)
    apart = total - np.average(total, weights=weight)
    expected = (weight * apart) @ contributions / ((weight * apart) @ total)
    found = importances(score, Features.plain(X), weight)
    np.testing.assert_allclose(found, expected, atol=1e-9)
    assert found.sum() == pytest.approx(1.0)


@given(st.integers(0, 100))
def test_importances_of_ramps_are_integrated_gradients(seed):
    """The gradient is averaged in many steps from the mean row to each row."""
    generator = np.random.default_rng(seed)
    X, weight = rows(20, seed), generator.integers(1, 4, 20) * 1.0
    coef, ramps = generator.normal(size=N_COLUMNS), Ramps(*_ramp_numbers(generator))
    ramp_coef = generator.normal(size=3)
    score = Score(coef, np.zeros(N_COLUMNS), 0.0, ramps=ramps, ramp_coef=ramp_coef)
    mean, n_steps = np.average(X, axis=0, weights=weight), 20_000
    contributions = X * coef
    for number, row in enumerate(X):
        steps = mean + (np.arange(n_steps)[:, None] + 0.5) / n_steps * (row - mean)
        inside = np.abs(steps @ ramps.weights + ramps.offsets) < 1.0
        gradient = (inside.mean(axis=0) * ramp_coef) @ ramps.weights.T
        contributions[number] += gradient * (row - mean)
    total = score(X)
    apart = weight * (total - np.average(total, weights=weight))
    found = importances(score, Features.plain(X), weight)
    np.testing.assert_allclose(found, apart @ contributions / (apart @ total), atol=1e-3)
    assert found.sum() == pytest.approx(1.0)


def _ramp_numbers(generator):
    return generator.normal(size=(N_COLUMNS, 3)), generator.normal(size=3)


@given(
    st.lists(st.floats(-1e6, 1e6) | st.integers(-3, 3).map(float), min_size=1, max_size=40),
    st.lists(st.floats(allow_nan=True, allow_infinity=True), max_size=20),
    st.sampled_from([1.0, 1e-300, 1e290]),
)
def test_lookups_count_as_a_binary_search_does(edges, values, unit):
    edges = unit * np.unique(edges)
    near = [np.nextafter(edge, to) for edge in edges for to in (-np.inf, np.inf)]
    column = np.array([*edges, *near, *values])
    for part in (column, column[np.isfinite(column)]):
        found = ThresholdLookup.among(np.unique(edges)).count_below(part)
        np.testing.assert_array_equal(found, np.searchsorted(np.unique(edges), part))


def test_thresholds_that_crowd_in_one_bucket_are_searched():
    edges = np.append(np.arange(30) * 1e-9, 1.0)
    column = np.random.default_rng(0).uniform(0, 4e-8, 500)
    lookup = ThresholdLookup.among(edges)
    assert lookup.n_rounds > 12
    np.testing.assert_array_equal(lookup.count_below(column), np.searchsorted(edges, column))
