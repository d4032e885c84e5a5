"""What models promise for new rows: estimates lie in their intervals, and both in their range."""

import warnings

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression

from fairordinal import FairOrdinalClassifier, FairOrdinalFrontier
from fairordinal.criteria import as_criterion

CRITERIA = ["demographic_parity", "equal_opportunity", "equalized_odds", "harm_parity"]


def few_people(n_rows, n_groups, seed):
    """Hardly more rows than groups, and more features than they can bear."""
    generator = np.random.default_rng(seed)
    X = generator.normal(size=(n_rows, 4))
    a = generator.integers(0, n_groups, n_rows)
    a[:2], y = [0, 1], generator.integers(0, 3, n_rows)
    y[:3] = [0, 1, 2]
    return X, y, a


def assert_sound(estimate, interval, most):
    low, high = interval
    assert 0 <= low <= estimate <= high <= most


def assert_promises_are_sound(model, criterion, cost=2.0):
    """Of a model with three labels 0, 1, 2; the absolute cost is at most 2."""
    scale = as_criterion(criterion, "absolute").scale(model.result_.after.table)
    assert_sound(model.expected_violation_, model.expected_violation_interval_, scale)
    assert_sound(model.expected_cost_, model.expected_cost_interval_, cost)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("criterion", CRITERIA)
def test_points_of_a_frontier_promise_what_is_possible(criterion, seed):
    """A violation of 1.244 was expected, with an interval from 0.244 to 1."""
    n_groups = [2, 5, 8, 12][seed]
    X, y, a = few_people(3 * n_groups + 6, n_groups, seed)
    frontier = FairOrdinalFrontier(
        criterion, estimator=LinearRegression(), cv=3, max_time=0.05, confidence=0.9
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # pairs of groups that cannot be compared
        frontier.fit(X, y, sensitive_features=a)
        selected = [frontier.select(max_violation=0.0), frontier.select(knee=True)]
    scale = as_criterion(criterion, "absolute").scale(frontier.points_[0].result.after.table)
    for point in frontier.points_:
        for measured in (point.expected, point.train):
            assert_sound(measured.violation, measured.violation_interval, scale)
            assert_sound(measured.cost, measured.cost_interval, 2.0)
    for number in range(len(frontier.points_)):
        assert_promises_are_sound(frontier.model(number), criterion)
    for model in selected:
        assert_promises_are_sound(model, criterion)


@pytest.mark.parametrize(
    ("n_rows", "n_groups", "seed", "confidence"),
    [(18, 3, 0, None), (18, 3, 0, 0.5), (30, 8, 1, None), (40, 12, 3, None)],
)
@pytest.mark.parametrize("criterion", CRITERIA[:3])
def test_a_classifier_promises_what_is_possible(criterion, n_rows, n_groups, seed, confidence):
    X, y, a = few_people(n_rows, n_groups, seed)
    model = FairOrdinalClassifier(
        criterion,
        trade_off=None if confidence else 0.01,
        max_violation=0.9 if confidence else None,
        alpha=1e-4,
        ranker="relaxed",
        cv=3,
        confidence=confidence,
        max_time=0.05,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X, y, sensitive_features=a)
    assert_promises_are_sound(model, criterion)
