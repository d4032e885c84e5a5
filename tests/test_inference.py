import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import oracles
from fairordinal._inference import (
    METHODS,
    Intervals,
    intervals,
    measured_contrasts,
    rows_for_power,
)
from fairordinal._inference._delta_method import _covariance, _max_t, _root
from fairordinal._table import read_table
from fairordinal.criteria import NAMED
from strategies import rows

every_method = pytest.mark.parametrize("method", METHODS)


def sample(n, groups=3, seed=0, shift=0.7):
    random = np.random.default_rng(seed)
    y = random.integers(0, 5, n)
    a = random.integers(0, groups, n)
    f = np.clip(np.rint(y + shift * a + random.normal(0, 1.2, n)), 0, 4).astype(int)
    return y, f, a


def contrast_list(contrasts):
    return list(zip(contrasts.part, contrasts.g, contrasts.h, strict=True))


@pytest.mark.parametrize(
    "name", ["demographic_parity", "harm_parity", "standard_demographic_parity"]
)
@pytest.mark.parametrize("seed", range(3))
def test_the_covariance_is_that_of_the_jackknife(name, seed):
    y, f, a = sample(30, seed=seed)
    table = read_table(y, f, a)
    contrasts = measured_contrasts(NAMED[name], table)
    expected = oracles.jackknife_covariance(name, y, f, a, contrast_list(contrasts))
    np.testing.assert_allclose(_covariance(NAMED[name], table, contrasts), expected, atol=1e-12)


@pytest.mark.parametrize("name", ["equal_opportunity", "equalized_odds"])
def test_the_covariance_of_ratios_is_near_that_of_the_jackknife(name):
    y, f, a = sample(150, groups=2)
    table = read_table(y, f, a)
    contrasts = measured_contrasts(NAMED[name], table)
    expected = oracles.jackknife_covariance(name, y, f, a, contrast_list(contrasts))
    found = _covariance(NAMED[name], table, contrasts)
    np.testing.assert_allclose(found, expected, rtol=0.05)


@pytest.mark.parametrize("name", list(NAMED))
def test_blocks_of_positions_do_not_change_the_covariance(name, monkeypatch):
    table = read_table(*sample(200))
    contrasts = measured_contrasts(NAMED[name], table)
    whole = _covariance(NAMED[name], table, contrasts)
    monkeypatch.setattr("fairordinal._inference._delta_method.BLOCK_ENTRIES", 1)
    np.testing.assert_allclose(_covariance(NAMED[name], table, contrasts), whole, atol=1e-14)


def test_many_contrasts_keep_their_variances(monkeypatch):
    table, criterion = read_table(*sample(200)), NAMED["equalized_odds"]
    contrasts = measured_contrasts(criterion, table)
    joint = _covariance(criterion, table, contrasts)
    wide = intervals(criterion, table)
    monkeypatch.setattr("fairordinal._inference._delta_method.MOST_JOINT", 1)
    np.testing.assert_allclose(_covariance(criterion, table, contrasts), joint.diagonal())
    bonferroni = intervals(criterion, table)
    assert np.nanmin((bonferroni.upper - bonferroni.lower) - (wide.upper - wide.lower)) > 0


def test_the_critical_value_of_one_contrast_is_the_normal_quantile():
    assert _max_t(np.eye(1), 0.95) == pytest.approx(stats.norm.ppf(0.975))


def test_the_critical_value_of_independent_contrasts_is_sidaks():
    assert _max_t(np.eye(4), 0.95) == pytest.approx(stats.norm.ppf((1 + 0.95**0.25) / 2), rel=0.01)


def test_the_critical_value_of_equal_contrasts_is_that_of_one():
    assert _max_t(np.ones((4, 4)), 0.95) == pytest.approx(stats.norm.ppf(0.975), rel=0.01)


def test_the_critical_value_of_differences_of_three_means_is_tukeys():
    difference = np.array([[1, -1, 0], [1, 0, -1], [0, 1, -1]]) / np.sqrt(2)
    tukey = stats.studentized_range.ppf(0.95, 3, np.inf) / np.sqrt(2)
    assert _max_t(difference @ difference.T, 0.95) == pytest.approx(tukey, rel=0.01)


@every_method
@pytest.mark.parametrize("name", list(NAMED))
@settings(max_examples=25)
@given(data=rows())
def test_intervals_hold_the_estimate_and_stay_in_range(name, method, data):
    criterion = NAMED[name]
    table = read_table(data.y, data.s, data.a, sample_weight=data.w, predictions="labels")
    found = intervals(criterion, table, method=method, n_resamples=5)
    known = np.isfinite(found.lower)
    contrasts = measured_contrasts(criterion, table)
    assert np.isfinite(contrasts.pick(found.lower)).all()
    assert known.sum() == 2 * len(contrasts)
    disparities, scale = criterion.disparities(table), criterion.scale(table)
    assert (found.lower <= disparities)[known].all()
    assert (disparities <= found.upper)[known].all()
    assert (np.abs(found.lower)[known] <= scale + 1e-9).all()
    assert (np.abs(found.upper)[known] <= scale + 1e-9).all()
    np.testing.assert_array_equal(found.lower, -found.upper.transpose(0, 2, 1))


@every_method
@given(times=st.integers(2, 4))
@settings(max_examples=3)
def test_a_weight_is_so_many_rows_in_the_intervals_too(method, times):
    y, f, a = sample(60)
    weighted = read_table(y, f, a, sample_weight=np.full(60, times))
    repeated = read_table(*(np.repeat(column, times) for column in (y, f, a)))
    first, second = (
        intervals(NAMED["equal_opportunity"], table, method=method, n_resamples=20)
        for table in (weighted, repeated)
    )
    np.testing.assert_allclose(first.lower, second.lower, atol=1e-12)


@every_method
def test_more_rows_narrow_the_interval(method):
    few, many = (
        intervals(NAMED["demographic_parity"], read_table(*sample(n)), method=method)
        for n in (100, 10_000)
    )
    assert np.nanmax((many.upper - many.lower) / (few.upper - few.lower)) < 0.2


def test_the_bootstrap_agrees_with_the_delta_method():
    table = read_table(*sample(600))
    for name in ("demographic_parity", "equal_opportunity", "harm_parity"):
        delta, bootstrap = (
            intervals(NAMED[name], table, method=method) for method in ("delta", "bootstrap")
        )
        ratio = (bootstrap.upper - bootstrap.lower) / (delta.upper - delta.lower)
        assert np.nanmax(np.abs(ratio - 1)) < 0.12


def test_the_bootstrap_depends_on_its_seed_alone():
    table, options = read_table(*sample(100)), {"method": "bootstrap", "n_resamples": 20}
    first, again, other = (
        intervals(NAMED["demographic_parity"], table, random_state=seed, **options).lower
        for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(first, again)
    assert np.nanmax(np.abs(first - other)) > 0


def test_the_distribution_free_bound_has_its_constants():
    # DP, two groups of 50 rows: each of A, B for (g, h), (h, g) is one of 4 means, so that
    # t = sqrt(log(2 * 4 / 0.05) / (2 * 50)) and the disparity moves by 2t
    y, a = [0, 1] * 50, [0] * 50 + [1] * 50
    found = intervals(NAMED["demographic_parity"], read_table(y, y, a), method="distribution_free")
    assert found.upper[0, 0, 1] == pytest.approx(2 * np.sqrt(np.log(160) / 100))


def test_the_distribution_free_bound_takes_no_chance_for_a_certainty():
    # every pair of this sample counts for a over b, but that is an estimate of B, not a fact
    table = read_table([2] * 50 + [1] * 49 + [3], [2] * 50 + [1] * 50, [0] * 50 + [1] * 50)
    criterion = NAMED["conditional_demographic_parity"]
    assert criterion.support(table)[0, 0, 1] == 50 * 50
    found = intervals(criterion, table, method="distribution_free")
    # a over b: A and B are 1, A may be 1 - t; b over a: A is 0, may be t, and B may be 1 - t
    t = np.sqrt(np.log(160) / 100)
    assert found.lower[0, 0, 1] == pytest.approx((1 - t) - t / (1 - t))


@pytest.mark.parametrize("method", ["delta", "bootstrap"])
@pytest.mark.parametrize(
    ("y_pred", "a"),
    [([1] * 20, [0, 1] * 10), ([1, 2] * 10, [0, 1] * 10)],
    ids=["a constant prediction", "perfect separation"],
)
def test_no_variation_in_the_sample_is_no_certainty(method, y_pred, a):
    table = read_table([1, 1, 2, 2] * 5, y_pred, a)
    found = intervals(NAMED["demographic_parity"], table, method=method)
    assert found.upper[0, 1, 0] - found.lower[0, 1, 0] > 0.05


@every_method
def test_a_group_of_one_row_has_no_interval(method):
    table = read_table([1, 2, 1, 2, 1], [1, 2, 2, 2, 1], list("aabbc"))
    found = intervals(NAMED["demographic_parity"], table, method=method, n_resamples=5)
    assert np.isfinite(found.lower[0, 0, 1])
    assert np.isnan(found.lower[0, :, 2]).all()


def test_the_interval_of_a_violation_covers_what_is_unknown():
    lower = np.array([[[np.nan, 0.1], [-0.3, np.nan]]])
    upper = -lower.transpose(0, 2, 1)
    defined = np.array([[[False, True], [True, False]]])
    assert Intervals(lower, upper).of_violation(1.0, defined) == (0.1, 0.3)
    unknown = np.full_like(lower, np.nan)
    assert Intervals(unknown, unknown).of_violation(1.0, defined) == (0.0, 1.0)


def test_the_rows_needed_hardly_depend_on_the_size_of_the_first_sample():
    options = {"violation": 0.05, "power": 0.8, "confidence": 0.95}
    small, large = (
        rows_for_power(NAMED["demographic_parity"], read_table(*sample(n)), **options)
        for n in (300, 30_000)
    )
    assert small == pytest.approx(large, rel=0.15)


def test_the_rows_needed_hardly_depend_on_the_disparity_of_the_first_sample():
    options = {"violation": 0.05, "power": 0.8, "confidence": 0.95}
    fair, unfair = (
        rows_for_power(
            NAMED["demographic_parity"], read_table(*sample(4000, 2, shift=shift)), **options
        )
        for shift in (0.0, 3.0)
    )
    assert 0.5 < fair / unfair < 2


def test_the_rows_needed_are_those_of_the_hardest_pair():
    y, f, a = sample(3000)
    rare = a.copy()
    rare[(a == 2) & (np.arange(3000) % 10 > 0)] = 1  # a tenth of group 2 is left
    options = {"violation": 0.05, "power": 0.8, "confidence": 0.95}
    even, uneven = (
        rows_for_power(NAMED["demographic_parity"], read_table(y, f, groups), **options)
        for groups in (a, rare)
    )
    assert uneven > 4 * even


def test_the_rows_needed_grow_with_the_power():
    table = read_table(*sample(2000, 2))
    options = {"violation": 0.05, "confidence": 0.95}
    half, most = (
        rows_for_power(NAMED["demographic_parity"], table, power=power, **options)
        for power in (0.5, 0.9)
    )
    # critical value 1.96, and 0 or 1.28 deviations beyond it
    assert most / half == pytest.approx(((1.95996 + 1.28155) / 1.95996) ** 2, rel=1e-4)


def test_no_variation_in_the_first_sample_tells_nothing_about_rows_needed():
    table = read_table([0, 1] * 50, [1] * 100, [0, 0, 1, 1] * 25)
    options = {"violation": 0.05, "power": 0.8, "confidence": 0.95}
    assert rows_for_power(NAMED["demographic_parity"], table, **options) is None


def test_a_label_that_resamples_miss_does_not_spoil_the_bootstrap():
    y = [0, 1] * 100 + [2, 2]
    table = read_table(y, y, [0] * 100 + [1] * 100 + [0, 1])
    found = intervals(
        NAMED["standard_equal_opportunity"], table, method="bootstrap", n_resamples=30
    )
    assert np.isfinite(found.lower[:, 0, 1]).all()


def test_the_rows_needed_fall_with_the_square_of_the_violation():
    table = read_table(*sample(2000))
    options = {"power": 0.8, "confidence": 0.95}
    small, large = (
        rows_for_power(NAMED["equal_opportunity"], table, violation=v, **options)
        for v in (0.02, 0.04)
    )
    assert small / large == pytest.approx(4, rel=0.01)


def test_the_root_of_a_singular_matrix_has_few_columns():
    random = np.random.default_rng(0)
    few = random.normal(size=(300, 7))
    for matrix, rank in ((few @ few.T, 7), (np.eye(120), 120)):
        root = _root(matrix)
        assert root.shape == (len(matrix), rank)
        np.testing.assert_allclose(root @ root.T, matrix, atol=1e-4)
