"""Rows drawn from a distribution: what is said of the population is true."""

from math import exp, pi

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate
from scipy.special import ndtr

from fairordinal.datasets import make_biased_ordinal
from fairordinal.datasets._synthetic import Population
from fairordinal.metrics import (
    pairwise_demographic_parity_difference,
    pairwise_equal_opportunity_difference,
)

METRICS = {
    "demographic_parity": pairwise_demographic_parity_difference,
    "equal_opportunity": pairwise_equal_opportunity_difference,
}
KINDS = [
    {"bias": 1.0},
    {"bias": 0.6, "label_bias": -1.5, "n_labels": 3, "noise": 1.0},
    {"bias": -2.0, "groups": [5, 1, 3], "label_bias": 0.7, "n_labels": 8, "noise": 0.1},
]


def sample_violations(kind, seed):
    data = make_biased_ordinal(4000, random_state=seed, **kind)
    predictions = {"labels": data.target, "scores": data.scores}
    return [
        metric(data.target, predicted, sensitive_features=data.sensitive_features)
        for predicted in predictions.values()
        for metric in METRICS.values()
    ]


@pytest.mark.parametrize("kind", KINDS)
def test_violations_of_samples_tend_to_those_of_the_population(kind):
    known = make_biased_ordinal(1, random_state=0, **kind).population_violations
    expected = [known[of][criterion] for of in ("labels", "scores") for criterion in METRICS]
    found = np.array([sample_violations(kind, seed) for seed in range(30)])
    error = found.std(axis=0, ddof=1) / np.sqrt(len(found))
    assert (np.abs(found.mean(axis=0) - expected) <= 4 * error).all()
    assert (error < 0.01).all()
    assert expected[1] == 0


def rate_by_integrals(population, g, h):
    """P[s_g > s_h | y_g > y_h] of two labels, as integrals of scipy, one inside the other."""
    (cut,) = population.thresholds

    def density(merit, group, side):
        outcome = merit + population.label_shifts[group]
        away = merit - population.shifts[group]
        return exp(-away * away / 2) * ndtr(side * (outcome - cut) / population.noise)

    both, _ = integrate.dblquad(
        lambda low, high: density(high, g, 1) * density(low, h, -1), -8, 8, -8, lambda x: x
    )
    return both / (2 * pi) / (population.label_shares()[g, 1] * population.label_shares()[h, 0])


def test_equal_opportunity_of_the_population_is_that_of_an_integral():
    population = Population(
        np.array([0.3, 0.7]), np.array([-0.4, 0.4]), np.array([0.3, -0.3]), 0.6, 2
    )
    expected = rate_by_integrals(population, 0, 1) - rate_by_integrals(population, 1, 0)
    found = population.violations()["scores"]["equal_opportunity"]
    assert found == pytest.approx(abs(expected), abs=1e-7)


def test_without_bias_nothing_is_violated():
    data = make_biased_ordinal(10, bias=0.0, groups=3, random_state=0)
    for violations in data.population_violations.values():
        assert violations == pytest.approx(
            {"demographic_parity": 0, "equal_opportunity": 0}, abs=1e-8
        )


def test_labels_are_equally_frequent_and_groups_have_their_shares():
    data = make_biased_ordinal(60000, groups=[1, 2, 3], n_labels=4, bias=2.0, random_state=0)
    share = np.bincount(data.target)[1:] / 60000
    np.testing.assert_allclose(share, 1 / 4, atol=5 * np.sqrt(3 / 16 / 60000))
    share = np.bincount(data.sensitive_features) / 60000
    np.testing.assert_allclose(share, np.array([1, 2, 3]) / 6, atol=5 * np.sqrt(1 / 4 / 60000))


@given(
    n_samples=st.integers(1, 40),
    n_labels=st.integers(2, 9),
    groups=st.one_of(
        st.integers(2, 5), st.lists(st.floats(0.1, 10), min_size=2, max_size=4), st.just((1, 2))
    ),
    bias=st.floats(-3, 3),
    label_bias=st.floats(-3, 3),
    noise=st.floats(0.2, 3),
    n_features=st.integers(1, 6),
    seed=st.integers(0, 2**32 - 1),
)
@settings(max_examples=40)
def test_shapes_and_seeds(n_samples, n_labels, groups, bias, label_bias, noise, n_features, seed):
    def made():
        return make_biased_ordinal(
            n_samples,
            n_labels=n_labels,
            groups=groups,
            bias=bias,
            label_bias=label_bias,
            noise=noise,
            n_features=n_features,
            random_state=seed,
        )

    data, again = made(), made()
    n_groups = groups if isinstance(groups, int) else len(groups)
    assert data.data.shape == (n_samples, n_features)
    assert data.target.shape == data.sensitive_features.shape == data.scores.shape == (n_samples,)
    assert set(data.target) <= set(range(1, n_labels + 1))
    assert set(data.sensitive_features) <= set(data.sensitive_names) == set(range(n_groups))
    assert (np.diff(data.thresholds) > 0).all()
    np.testing.assert_array_equal(data.scores, data.data @ data.coefficients)
    for violations in data.population_violations.values():
        assert all(0 <= value <= 1 + 1e-9 for value in violations.values())
    for field in ("data", "target", "sensitive_features", "scores"):
        np.testing.assert_array_equal(data[field], again[field])
    assert data.population_violations == again.population_violations


def test_frames_and_pairs():
    options = {"n_samples": 7, "random_state": 1}
    data = make_biased_ordinal(**options)
    X, y = make_biased_ordinal(return_X_y=True, **options)
    np.testing.assert_array_equal(X, data.data)
    np.testing.assert_array_equal(y, data.target)
    frame = make_biased_ordinal(as_frame=True, **options).frame
    assert list(frame) == ["x0", "x1", "x2", "x3", "target", "sensitive_features"]
    assert "{" not in data.DESCR


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_samples": 0}, "n_samples must be 1 or more, got 0"),
        ({"n_labels": 1}, "n_labels must be 2 or more, got 1"),
        ({"n_features": 0}, "n_features must be 1 or more, got 0"),
        ({"noise": 0.0}, r"noise must be 0\.01 or more, and finite; got 0\.0"),
        ({"groups": 1}, "groups must be 2 or more.* got 1"),
        ({"groups": [1.0, 0.0]}, r"groups must be 2 or more.* got \[1\.0, 0\.0\]"),
        ({"groups": [1.0, float("nan")]}, "groups must be 2 or more"),
    ],
)
def test_arguments_are_checked_by_name(options, message):
    with pytest.raises(ValueError, match=message):
        make_biased_ordinal(**options)
