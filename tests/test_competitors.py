"""Competitors from fair classification: linear programs, and binary methods counted."""

import numpy as np
import pytest
from fairlearn.postprocessing import ThresholdOptimizer
from fairlearn.reductions import DemographicParity, ExponentiatedGradient
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.linear_model import LogisticRegression

import oracles
from fairordinal.baselines import CumulativeClassifier, LinearPostClassifier
from fairordinal.baselines._linear_post import _solve
from fairordinal.datasets import make_biased_ordinal
from fairordinal.metrics import (
    mean_cost,
    pairwise_demographic_parity_difference,
    pairwise_equal_opportunity_difference,
)


@pytest.fixture(scope="module")
def rows():
    made = make_biased_ordinal(
        900, n_labels=4, groups=[0.6, 0.4], bias=1.0, noise=1.0, random_state=0
    )
    return made.data, made.target, made.sensitive_features


def linear_post(**options):
    return LinearPostClassifier(LogisticRegression(max_iter=1000), **options)


# the linear program


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([0.0, 0.1, 0.5]), st.booleans())
def test_the_dual_has_the_value_of_the_primal(seed, limit, by_label):
    generator = np.random.default_rng(seed)
    n, k, n_units = int(generator.integers(2, 9)), int(generator.integers(2, 4)), 4
    costs = generator.random((n, k)).round(2)
    units = generator.random((n, n_units))
    units /= units.mean(axis=0)
    comparable = np.array([0, 0, 1, 1]) if by_label else np.zeros(n_units, dtype=int)
    multipliers, value = _solve(costs, units, comparable, limit)
    assert value == pytest.approx(
        oracles.least_cost_of_shares(costs, units, comparable, limit), abs=1e-7
    )
    bound = (costs + units @ multipliers).min(axis=1).mean() - limit / 2 * np.abs(multipliers).sum()
    assert bound == pytest.approx(value, abs=1e-7)  # weak duality is tight


def test_without_a_limit_the_least_expected_cost_is_predicted(rows):
    X, y, a = rows
    model = linear_post(max_difference=10.0).fit(X, y, sensitive_features=a)
    plain = LogisticRegression(max_iter=1000).fit(X, y)
    labels = np.unique(y)
    expected = plain.predict_proba(X) @ np.abs(np.subtract.outer(labels, labels))
    np.testing.assert_array_equal(model.predict(X), labels[expected.argmin(axis=1)])
    assert not model.multipliers_.any()


@pytest.mark.parametrize("group_aware", [False, True])
@pytest.mark.parametrize("criterion", ["demographic_parity", "equalized_odds"])
def test_a_stricter_limit_costs_more_and_is_fairer(rows, group_aware, criterion):
    X, y, a = rows
    measure = pairwise_demographic_parity_difference
    if criterion == "equalized_odds":
        measure = pairwise_equal_opportunity_difference
    costs, violations = [], []
    for limit in (1.0, 0.02):
        model = linear_post(max_difference=limit, group_aware=group_aware, criterion=criterion)
        model.fit(X, y, sensitive_features=a)
        predicted = model.predict(X, sensitive_features=a)
        costs.append(mean_cost(y, predicted))
        violations.append(measure(y, predicted, sensitive_features=a))
    assert costs[0] < costs[1]
    assert violations[1] < 0.6 * violations[0]


def test_shares_of_labels_are_nearly_equal_if_the_group_is_known(rows):
    X, y, a = rows
    model = linear_post(max_difference=0.0, group_aware=True).fit(X, y, sensitive_features=a)
    predicted = model.predict(X, sensitive_features=a)
    names = np.unique(a)
    shares = [[(predicted[a == g] == label).mean() for label in model.classes_] for g in names]
    assert np.abs(np.subtract(*shares)).max() < 0.08  # probabilities are not exact


def test_a_label_that_one_group_lacks_is_compared_with_nothing():
    generator = np.random.default_rng(0)
    X, a = generator.normal(size=(300, 2)), np.arange(300) % 2
    y = np.where(a == 1, generator.integers(0, 3, 300), generator.integers(0, 2, 300))
    model = linear_post(criterion="equalized_odds").fit(X, y, sensitive_features=a)
    assert model.multipliers_.shape == (5, 3)
    assert set(model.predict(X)) <= {0, 1, 2}


def test_fits_are_deterministic_and_clones_are_equal(rows):
    X, y, a = rows
    one = linear_post().fit(X, y, sensitive_features=a)
    other = clone(one).fit(X, y, sensitive_features=a)
    np.testing.assert_array_equal(one.multipliers_, other.multipliers_)
    assert one.n_features_in_ == X.shape[1]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"criterion": "fair"}, "criterion must be"),
        ({"max_difference": -1}, "max_difference must be"),
        ({"cv": 1}, "cv must be"),
    ],
)
def test_bad_parameters_are_named(rows, options, message):
    X, y, a = rows
    with pytest.raises(ValueError, match=message):
        linear_post(**options).fit(X, y, sensitive_features=a)


def test_accuracy_is_that_of_predictions_with_groups(rows):
    X, y, a = rows
    model = linear_post(group_aware=True).fit(X, y, sensitive_features=a)
    accuracy = np.mean(model.predict(X, sensitive_features=a) == y)
    assert model.score(X, y, sensitive_features=a) == pytest.approx(accuracy)


def test_the_group_is_asked_for_if_the_rule_depends_on_it(rows):
    X, y, a = rows
    model = linear_post(group_aware=True).fit(X, y, sensitive_features=a)
    with pytest.raises(ValueError, match="predict needs sensitive_features"):
        model.predict(X)
    with pytest.raises(ValueError, match="must hold groups from"):
        model.predict(X, sensitive_features=["strange"] * len(y))
    with pytest.raises(ValueError, match="has 3 rows but X has 900"):
        model.predict(X, sensitive_features=a[:3])


# binary methods, counted


class Above(ClassifierMixin, BaseEstimator):
    """Yes where the first feature exceeds the share of no; the group is ignored."""

    def fit(self, X, y, *, sensitive_features):
        self.classes_, self.share_ = np.unique(y), 1 - np.mean(y)
        self.n_features_in_ = np.shape(X)[1]
        return self

    def predict(self, X):
        return (np.asarray(X)[:, 0] > self.share_).astype(int)


def test_the_label_is_the_number_of_questions_answered_with_yes():
    X, y = np.linspace(0, 1, 41)[:, None], np.repeat([1, 2, 5, 9], [10, 11, 10, 10])
    model = CumulativeClassifier(Above()).fit(X, y, sensitive_features=np.arange(41) % 2)
    shares = np.cumsum([10, 11, 10]) / 41
    np.testing.assert_array_equal(
        model.predict(X), np.array([1, 2, 5, 9])[(shares < X).sum(axis=1)]
    )
    assert model.n_features_in_ == 1


def test_labels_that_do_not_occur_are_no_question():
    X, y = np.linspace(0, 1, 30)[:, None], np.repeat([1, 3], 15)
    model = CumulativeClassifier(Above(), labels=[0, 1, 2, 3, 4])
    predicted = model.fit(X, y, sensitive_features=np.arange(30) % 2).predict(X)
    assert set(predicted) == {1, 3}


@pytest.mark.parametrize(
    "binary",
    [
        ExponentiatedGradient(
            LogisticRegression(), DemographicParity(difference_bound=0.02), max_iter=10
        ),
        ThresholdOptimizer(estimator=LogisticRegression(), predict_method="predict_proba"),
    ],
    ids=["reduction", "thresholds"],
)
def test_binary_methods_of_fairlearn_make_labels_fairer(rows, binary):
    X, y, a = rows
    model = CumulativeClassifier(binary).fit(X, y, sensitive_features=a)
    predicted = model.predict(X, sensitive_features=a)
    plain = LogisticRegression(max_iter=1000).fit(X, y).predict(X)
    fair, unfair = (
        pairwise_demographic_parity_difference(y, each, sensitive_features=a)
        for each in (predicted, plain)
    )
    assert fair < 0.5 * unfair
    np.testing.assert_array_equal(model.predict(X, sensitive_features=a), predicted)
