"""Thresholds: against exhaustive search and the paper's dynamic programme; bad input; manners."""

import warnings
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import oracles
from fairordinal import optimize_thresholds
from fairordinal._costs import cost_matrix
from fairordinal.metrics import mean_cost, pairwise_demographic_parity_difference
from fairordinal.thresholds import _certified
from strategies import scored_rows

NOTIONS = [
    "demographic_parity",
    "conditional_demographic_parity",
    "equal_opportunity",
    "equalized_odds",
    "harm_parity",
]
COSTS = st.sampled_from(["absolute", "zero_one", "squared", "asymmetric"])
TRADE_OFFS = st.sampled_from([0.0, 0.1, 0.3, 0.5, 0.9, 0.99])
LIMITS = st.sampled_from([0.0, 0.05, 0.1, 0.3])


def optimize(data, **options):
    """Warnings about undefined pairs of groups are expected; where all are, there is no test."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return optimize_thresholds(
                data.s,
                data.y,
                sensitive_features=data.a,
                sample_weight=data.w,
                labels=range(data.n_labels),
                **options,
            )
        except ValueError as error:
            assume("undefined for every pair" not in str(error))
            raise


def by_exhaustion(data, notion, cost):
    """Costs and violations of all thresholds."""
    predictions = oracles.every_cutting(data.s, data.n_labels)
    table = cost_matrix(cost, np.arange(data.n_labels))
    rows = (data.y, predictions, data.a, data.w)
    return (
        oracles.costs_of_cuttings(data.y, predictions, data.w, table),
        oracles.violations_of_cuttings(notion, *rows, table),
    )


def assert_certified(result, optimum, tol):
    assert result.lower_bound <= optimum + 1e-12
    assert result.objective >= optimum - 1e-12
    assert result.objective == pytest.approx(optimum, abs=tol + 1e-12)
    assert result.gap <= tol + 1e-12


@pytest.fixture(params=[3, 128], ids=["wide windows", "narrow windows"])
def first_windows(request, monkeypatch):
    monkeypatch.setattr(_certified, "FIRST_WINDOWS", request.param)


@pytest.mark.usefixtures("first_windows")
@pytest.mark.parametrize("notion", NOTIONS)
class TestExhaustively:
    @settings(max_examples=60)
    @given(data=scored_rows(), cost=COSTS, trade_off=TRADE_OFFS, tol=st.sampled_from([0.0, 1e-3]))
    def test_a_price_on_the_violation(self, notion, data, cost, trade_off, tol):
        costs, violations = by_exhaustion(data, notion, cost)
        price = data.n_labels * trade_off / (1 - trade_off)
        options = {"method": "certified", "tol": tol} if tol else {"method": "exact"}
        result = optimize(data, criterion=notion, cost_matrix=cost, trade_off=trade_off, **options)
        assert_certified(result, (costs + price * violations).min(), tol or 1e-9)

    @settings(max_examples=60)
    @given(data=scored_rows(), cost=COSTS, limit=LIMITS, tol=st.sampled_from([0.0, 1e-3]))
    def test_a_limit_to_the_violation(self, notion, data, cost, limit, tol):
        costs, violations = by_exhaustion(data, notion, cost)
        options = {"method": "certified", "tol": tol} if tol else {"method": "exact"}
        result = optimize(data, criterion=notion, cost_matrix=cost, max_violation=limit, **options)
        assert result.violation <= limit + 1e-12
        assert_certified(result, costs[violations <= limit + 1e-12].min(), tol or 1e-9)


@given(data=scored_rows())
def test_a_matrix_of_costs_that_is_not_symmetric(data):
    k = data.n_labels
    matrix = np.abs(np.subtract.outer(np.arange(k), np.arange(k))) * np.arange(1, k + 1)[:, None]
    costs, violations = by_exhaustion(data, "demographic_parity", matrix)
    result = optimize(data, cost_matrix=matrix, trade_off=0.3, method="exact")
    assert_certified(result, (costs + k * 3 / 7 * violations).min(), 1e-9)


@given(data=scored_rows(), cost=COSTS)
def test_cost_only_is_the_least_cost_of_all_thresholds(data, cost):
    costs, _ = by_exhaustion(data, "demographic_parity", cost)
    result = optimize(data, cost_matrix=cost, method="cost_only")
    assert result.cost == pytest.approx(costs.min(), abs=1e-12)
    assert result.gap == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("notion", NOTIONS)
@settings(max_examples=30)
@given(data=scored_rows(), trade_off=TRADE_OFFS)
def test_no_single_move_improves_what_local_search_found(notion, data, trade_off):
    result = optimize(
        data, criterion=notion, trade_off=trade_off, method="local_search", random_state=0
    )
    steps = np.unique(data.s)
    places = np.concatenate([[-np.inf], steps])
    for t in range(data.n_labels - 1):
        for place in places:
            moved = result.thresholds.copy()
            moved[t] = place
            if (moved[:-1] <= moved[1:]).all():
                assert result.state(moved).objective >= result.objective - 1e-9


@given(data=scored_rows(), trade_off=TRADE_OFFS)
def test_local_search_is_never_better_than_the_proved_optimum(data, trade_off):
    best = optimize(data, trade_off=trade_off, method="exact")
    found = optimize(data, trade_off=trade_off, method="local_search", random_state=0)
    assert found.objective >= best.objective - 1e-9
    assert found.lower_bound <= best.objective + 1e-12


@settings(max_examples=10)
@given(
    data=scored_rows(max_rows=30, max_labels=4, max_groups=2, weights=False),
    trade_off=TRADE_OFFS,
    cost=COSTS,
)
@pytest.mark.parametrize("notion", ["demographic_parity", "equal_opportunity"])
def test_the_dynamic_programme_of_proposition_2_agrees(notion, data, trade_off, cost):
    k = data.n_labels
    with np.errstate(divide="ignore", invalid="ignore"):
        result = optimize(
            data, criterion=notion, trade_off=trade_off, cost_matrix=cost, method="exact"
        )
        optimum = oracles.proposition_2(
            data.y,
            data.s,
            data.a,
            k,
            cost_matrix(cost, np.arange(k)),
            k * trade_off / (1 - trade_off),
            notion,
        )
    assert_certified(result, optimum, 1e-9)


@given(data=scored_rows(), trade_off=TRADE_OFFS)
def test_the_result_is_what_the_metrics_say_of_its_predictions(data, trade_off):
    result = optimize(data, trade_off=trade_off)
    predicted = result.predict(data.s)
    assert result.cost == pytest.approx(
        mean_cost(data.y, predicted, sample_weight=data.w, labels=range(data.n_labels)), abs=1e-12
    )
    violation = pairwise_demographic_parity_difference(
        data.y,
        predicted,
        sensitive_features=data.a,
        sample_weight=data.w,
        labels=range(data.n_labels),
    )
    assert result.violation == pytest.approx(violation, abs=1e-12)
    price = data.n_labels * trade_off / (1 - trade_off)
    assert result.objective == pytest.approx(result.cost + price * violation, abs=1e-9)


@given(data=scored_rows())
def test_more_weight_on_fairness_never_means_more_violation(data):
    found = [optimize(data, trade_off=t, method="exact").violation for t in (0, 0.2, 0.5, 0.9)]
    assert all(after <= before + 1e-9 for before, after in pairwise(found))


@given(data=scored_rows())
def test_a_tighter_limit_never_costs_less(data):
    found = [optimize(data, max_violation=v, method="exact").cost for v in (0.3, 0.1, 0.0)]
    assert all(after >= before - 1e-9 for before, after in pairwise(found))


@given(data=scored_rows(), trade_off=TRADE_OFFS)
def test_an_increasing_map_of_the_scores_changes_no_prediction(data, trade_off):
    result = optimize(data, trade_off=trade_off)
    mapped = optimize(data._replace(s=np.exp(np.array(data.s) / 7.0)), trade_off=trade_off)
    np.testing.assert_array_equal(
        result.predict(data.s), mapped.predict(np.exp(np.array(data.s) / 7.0))
    )


@given(data=scored_rows(), trade_off=TRADE_OFFS)
def test_weights_are_repetitions(data, trade_off):
    times = [round(2 * w) for w in data.w]
    repeated = data._replace(
        y=np.repeat(data.y, times), s=np.repeat(data.s, times), a=np.repeat(data.a, times), w=None
    )
    weighted = optimize(data, trade_off=trade_off, method="exact")
    assert optimize(repeated, trade_off=trade_off, method="exact").objective == pytest.approx(
        weighted.objective, abs=1e-9
    )
