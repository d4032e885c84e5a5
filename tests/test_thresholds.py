"""Thresholds: against exhaustive search and the paper's dynamic programme; bad input; manners."""

import contextlib
import signal
import sys
import threading
import warnings
from dataclasses import replace
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.errors import UnsatisfiedAssumption
from sklearn.exceptions import ConvergenceWarning, UndefinedMetricWarning

import oracles
from fairordinal import FairOrdinalClassifier, optimize_thresholds, show_progress
from fairordinal._costs import cost_matrix
from fairordinal._table import read_table
from fairordinal.criteria import DemographicParity, as_criterion
from fairordinal.datasets import make_biased_ordinal
from fairordinal.metrics import mean_cost, pairwise_demographic_parity_difference
from fairordinal.thresholds import _branch_and_bound, read_goal, read_settings, solve
from fairordinal.thresholds._choice import _growth_needed, _limiting_group
from fairordinal.thresholds._result_text import _rounded_down
from paper_data import needs_paper_data, training_rows
from strategies import scored_rows

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


def by_exhaustion(data, criterion, cost):
    """Costs and violations of all thresholds."""
    predictions = oracles.every_cutting(data.s, data.n_labels)
    table = cost_matrix(cost, np.arange(data.n_labels))
    rows = (data.y, predictions, data.a, data.w)
    return (
        oracles.costs_of_cuttings(data.y, predictions, data.w, table),
        oracles.violations_of_cuttings(criterion, *rows, table),
    )


def assert_certified(result, optimum, tol):
    assert result.lower_bound <= optimum + 1e-12
    assert result.objective >= optimum - 1e-12
    assert result.objective == pytest.approx(optimum, abs=tol + 1e-12)
    assert result.gap <= tol + 1e-12


@given(scored_rows(max_rows=9), st.sampled_from([0.1, 0.5, 2.0]), LIMITS)
def test_a_surcharge_is_part_of_the_objective_and_not_of_the_cost(data, surcharge, limit):
    """Exhaustive search for the cost plus the surcharge on all labels but the best constant one."""
    costs, violations = by_exhaustion(data, "demographic_parity", "absolute")
    assume(np.isfinite(violations).any())
    predictions = oracles.every_cutting(data.s, data.n_labels)
    labels = np.arange(data.n_labels)
    weight = np.ones(len(data.y)) if data.w is None else np.asarray(data.w, dtype=float)
    constant = [(weight * np.abs(np.asarray(data.y) - label)).sum() for label in labels]
    charged = (np.asarray(predictions) != np.argmin(constant)) @ weight / weight.sum()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        table = read_table(
            data.y, data.s, data.a, sample_weight=data.w, labels=labels, as_scores=True
        )
        result = solve(
            table,
            DemographicParity(),
            cost_matrix("absolute", labels),
            read_goal(None, limit, "certified")._replace(surcharge=surcharge),
            "exact",
            read_settings(0.0, 60.0, 0, 0),
        )
    within = violations <= limit + 1e-12
    assert_certified(result, (costs + surcharge * charged)[within].min(), 1e-9)
    assert result.cost == pytest.approx(
        mean_cost(data.y, result.predict(data.s), sample_weight=data.w, labels=labels.tolist())
    )
    assert ("surcharge" in str(result)) == (surcharge > 0)


def optimize_with_wide_and_narrow_windows(data, **options):
    """Results of searches that begin with few windows and with many; none if undefined."""
    for n_windows in (3, 128):
        with pytest.MonkeyPatch.context() as patch, contextlib.suppress(UnsatisfiedAssumption):
            patch.setattr(_branch_and_bound, "FIRST_WINDOWS", n_windows)
            yield optimize(data, **options)


@settings(max_examples=60)
@given(data=scored_rows(), cost=COSTS, trade_off=TRADE_OFFS, tol=st.sampled_from([0.0, 1e-3]))
def test_a_price_on_the_violation_exhaustively(data, cost, trade_off, tol):
    price = data.n_labels * trade_off / (1 - trade_off)
    options = {"method": "certified", "tol": tol} if tol else {"method": "exact"}
    options |= {"cost_matrix": cost, "trade_off": trade_off}
    for criterion in oracles.CRITERIA_OF_CUTTINGS:
        costs, violations = by_exhaustion(data, criterion, cost)
        for result in optimize_with_wide_and_narrow_windows(data, criterion=criterion, **options):
            assert_certified(result, (costs + price * violations).min(), tol or 1e-9)


@settings(max_examples=60)
@given(data=scored_rows(), cost=COSTS, limit=LIMITS, tol=st.sampled_from([0.0, 1e-3]))
def test_a_limit_to_the_violation_exhaustively(data, cost, limit, tol):
    options = {"method": "certified", "tol": tol} if tol else {"method": "exact"}
    options |= {"cost_matrix": cost, "max_violation": limit}
    for criterion in oracles.CRITERIA_OF_CUTTINGS:
        costs, violations = by_exhaustion(data, criterion, cost)
        for result in optimize_with_wide_and_narrow_windows(data, criterion=criterion, **options):
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


@pytest.mark.parametrize("criterion", oracles.CRITERIA_OF_CUTTINGS)
@settings(max_examples=30)
@given(data=scored_rows(), trade_off=TRADE_OFFS)
def test_no_single_move_improves_what_local_search_found(criterion, data, trade_off):
    result = optimize(
        data, criterion=criterion, trade_off=trade_off, method="local_search", random_state=0
    )
    steps = np.unique(data.s)
    places = np.concatenate([[-np.inf], steps])
    for t in range(data.n_labels - 1):
        for place in places:
            moved = result.thresholds.copy()
            moved[t] = place
            if (moved[:-1] <= moved[1:]).all():
                assert result.state(moved).objective >= result.objective - 1e-9


@settings(max_examples=60)
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
@pytest.mark.parametrize("criterion", ["demographic_parity", "equal_opportunity"])
def test_the_dynamic_programme_of_proposition_2_agrees(criterion, data, trade_off, cost):
    k = data.n_labels
    with np.errstate(divide="ignore", invalid="ignore"):
        result = optimize(
            data, criterion=criterion, trade_off=trade_off, cost_matrix=cost, method="exact"
        )
        optimum = oracles.proposition_2(
            data.y,
            data.s,
            data.a,
            k,
            cost_matrix(cost, np.arange(k)),
            k * trade_off / (1 - trade_off),
            criterion,
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


@settings(max_examples=60)
@given(data=scored_rows())
def test_more_weight_on_fairness_never_means_more_violation(data):
    found = [optimize(data, trade_off=t, method="exact").violation for t in (0, 0.2, 0.5, 0.9)]
    assert all(after <= before + 1e-9 for before, after in pairwise(found))


@settings(max_examples=60)
@given(data=scored_rows())
def test_a_tighter_limit_never_costs_less(data):
    found = [optimize(data, max_violation=v, method="exact").cost for v in (0.3, 0.1, 0.0)]
    assert all(after >= before - 1e-9 for before, after in pairwise(found))


@settings(max_examples=60)
@given(data=scored_rows(), trade_off=TRADE_OFFS)
def test_an_increasing_map_of_the_scores_changes_no_prediction(data, trade_off):
    result = optimize(data, trade_off=trade_off)
    mapped = optimize(data._replace(s=np.exp(np.array(data.s) / 7.0)), trade_off=trade_off)
    np.testing.assert_array_equal(
        result.predict(data.s), mapped.predict(np.exp(np.array(data.s) / 7.0))
    )


@settings(max_examples=60)
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


def biased(n=400, seed=0, n_labels=5):
    """Scores that favour group 1."""
    generator = np.random.default_rng(seed)
    a = generator.integers(0, 2, n)
    s = generator.normal(size=n) + 0.8 * a
    cuts = np.linspace(-1, 2, n_labels - 1)
    return s, np.digitize(s + 0.8 * generator.normal(size=n), cuts), a


def test_local_search_is_stuck_where_the_certified_one_is_not():
    s, y, a = biased()
    proved = optimize_thresholds(s, y, sensitive_features=a, trade_off=0.5)
    searched = optimize_thresholds(
        s, y, sensitive_features=a, trade_off=0.5, method="local_search", random_state=0
    )
    assert proved.objective < searched.objective
    assert proved.gap <= 1e-3


def test_the_seed_makes_local_search_deterministic():
    s, y, a = biased()
    options = {"trade_off": 0.3, "method": "local_search", "n_restarts": 3}
    first, second = (
        optimize_thresholds(s, y, sensitive_features=a, random_state=7, **options) for _ in "ab"
    )
    np.testing.assert_array_equal(first.thresholds, second.thresholds)


def test_thresholds_lie_midway_between_scores():
    result = optimize_thresholds(
        [1.0, 2.0, 4.0, 8.0], [0, 0, 1, 1], sensitive_features=list("abab"), trade_off=0.0
    )
    assert result.thresholds.tolist() == [3.0]


def test_neighbouring_floats_are_cut_apart():
    low = 1.0
    high = np.nextafter(low, 2.0)
    result = optimize_thresholds(
        [low, low, high, high], [0, 0, 1, 1], sensitive_features=list("abab"), trade_off=0.0
    )
    assert result.cost == 0
    assert result.predict([low, high]).tolist() == [0, 1]


def test_huge_scores_do_not_overflow():
    result = optimize_thresholds(
        [-1.7e308, -1e308, 1e308, 1.7e308],
        [0, 0, 1, 1],
        sensitive_features=list("abab"),
        trade_off=0.0,
    )
    assert result.cost == 0


def test_the_constant_predictor_is_said_to_be_one():
    s, y, a = biased()
    result = optimize_thresholds(s, y, sensitive_features=a, max_violation=0.0)
    assert result.violation == 0
    assert result.constant_label is not None
    assert f"All people get label {result.constant_label}: these cut points" in str(result)
    mild = optimize_thresholds(s, y, sensitive_features=a, trade_off=0.1)
    assert mild.constant_label is None


def test_fewer_distinct_scores_than_labels():
    result = optimize_thresholds(
        [0, 0, 1, 1], [0, 1, 2, 3], sensitive_features=list("abab"), trade_off=0.1, method="exact"
    )
    assert result.is_optimal
    assert result.cost == 0.5


def test_one_distinct_score_is_warned_about():
    with pytest.warns(UserWarning, match="one distinct value"):
        result = optimize_thresholds(
            [2.0] * 4, [0, 1, 1, 1], sensitive_features=list("abab"), trade_off=0.1
        )
    assert result.constant_label == 1


def test_labels_that_never_occur_may_be_predicted_or_not():
    result = optimize_thresholds(
        [1, 2, 3, 4],
        ["a", "a", "c", "c"],
        sensitive_features=[0, 1, 0, 1],
        trade_off=0.0,
        labels=["a", "b", "c"],
    )
    assert result.cost == 0
    assert len(result.thresholds) == 2


def test_pairs_of_groups_that_are_undefined_are_named_and_left_out():
    s, y, a = biased()
    y[:3], a[:3] = 0, 2  # group 2 is never truly above another
    with pytest.warns(UndefinedMetricWarning, match="undefined for groups 0 and 2; 1 and 2"):
        result = optimize_thresholds(
            s, y, sensitive_features=a, criterion="equal_opportunity", trade_off=0.3
        )
    assert np.isnan(result.disparities[0, 0, 2])
    assert np.isfinite(result.violation)


GOOD = {"scores": [1, 2, 3, 4], "y": [0, 0, 1, 1], "sensitive_features": [0, 1, 0, 1]}
BAD = [
    ({}, "Give either trade_off"),
    ({"trade_off": 0.1, "max_violation": 0.1}, "Give either trade_off"),
    ({"trade_off": 1.0}, "trade_off must be a number of at least 0 and less than 1, got 1.0"),
    ({"trade_off": -0.1}, "trade_off must be"),
    ({"trade_off": float("nan")}, "trade_off must be"),
    ({"trade_off": True}, "trade_off must be"),
    ({"max_violation": -0.1}, "max_violation must be a number of at least 0, got -0.1"),
    ({"max_violation": "none"}, "max_violation must be"),
    ({"trade_off": 0.1, "method": "guess"}, "method must be one of"),
    ({"trade_off": 0.1, "method": "cost_only"}, "cost_only' ignores fairness"),
    ({"trade_off": 0.1, "tol": -1}, "tol must be"),
    ({"trade_off": 0.1, "max_time": -1}, "max_time must be"),
    ({"trade_off": 0.1, "n_restarts": 1.5}, "n_restarts must be a whole number"),
    ({"trade_off": 0.1, "scores": [1, np.nan, 3, 4]}, "scores must be complete.*row 1"),
    ({"trade_off": 0.1, "scores": [1, np.inf, 3, 4]}, "scores must hold finite numbers.*row 1"),
    ({"trade_off": 0.1, "scores": np.arange(4) + 2**60}, "beyond 2..53"),
    ({"trade_off": 0.1, "cost_matrix": [[0, 1j], [1, 0]]}, "V-shaped matrix of numbers"),
    ({"trade_off": 0.1, "scores": list("abcd")}, "scores must hold numbers"),
    ({"trade_off": 0.1, "scores": [1, 2]}, "scores has 2 rows but y has 4"),
    ({"trade_off": 0.1, "y": [1, 1, 1, 1]}, "y has one label"),
    ({"trade_off": 0.1, "y": list("abab")}, "y holds names without an order"),
    ({"trade_off": 0.1, "sensitive_features": [0, 0, 0, 0]}, "one group"),
    ({"trade_off": 0.1, "cost_matrix": [[0, 1], [-1, 0]]}, "V-shaped"),
    ({"trade_off": 0.1, "cost_matrix": "huge"}, "cost_matrix must be one of"),
    ({"trade_off": 0.1, "criterion": "conditional_harm_parity"}, "is a ratio"),
    ({"trade_off": 0.1, "sample_weight": [1, 2]}, "sample_weight has 2 rows but y has 4"),
    (
        {"trade_off": 0.1, "criterion": "equal_opportunity", "y": [0, 1, 0, 1]},
        "undefined for every pair of groups",
    ),
]


@pytest.mark.parametrize(("options", "message"), BAD)
def test_bad_input_is_refused_with_its_remedy(options, message):
    with pytest.raises(ValueError, match=message):
        optimize_thresholds(**(GOOD | options))


def test_other_thresholds_are_judged_on_the_same_rows():
    s, y, a = biased()
    result = optimize_thresholds(s, y, sensitive_features=a, trade_off=0.3)
    deployed = [-1.0, 0.0, 1.0, 2.0]
    state = result.state(deployed)
    assert state.cost == pytest.approx(mean_cost(y, np.searchsorted(deployed, s)))
    frame = result.frame(before=deployed)
    assert frame["up_to_before"].tolist()[:2] == [-1.0, -1.0]
    assert frame.groupby("group")["share_after"].sum().tolist() == pytest.approx([1.0, 1.0])
    assert result.summary(deployed)["before"][1] == state.cost
    with pytest.raises(ValueError, match="4 numbers in ascending order"):
        result.state([1.0, 0.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="before must be 4 numbers in ascending order"):
        result.frame(before="abcd")


def test_the_result_prints_and_shows():
    s, y, a = biased()
    groups = np.where(a == 1, "<b>tall</b>", "short")
    result = optimize_thresholds(s, y, sensitive_features=groups, trade_off=0.3)
    text = str(result)
    assert "least mean cost + 2.143 × violation of pairwise demographic parity" in text
    assert "Proved: no cut points on these scores are better." in text
    assert max(map(len, text.splitlines())) <= 110
    html = result._repr_html_()
    assert "&lt;b&gt;tall" in html
    assert "<b>tall" not in html
    assert "gap=" in repr(result)
    searched = optimize_thresholds(
        s, y, sensitive_features=groups, trade_off=0.3, method="local_search", random_state=0
    )
    assert "Not proved: the best objective lies between" in str(searched)


@pytest.mark.parametrize(
    ("goal", "words"),
    [
        (
            {"max_violation": 0.05},
            "within the limit cost less than {}; these cost {}",
        ),
        (
            {"trade_off": 0.5},
            "have a mean cost + 5 × violation below {}; these have {}",
        ),
    ],
)
def test_the_certificate_says_what_others_cost_at_least(goal, words):
    s, y, a = biased()
    result = optimize_thresholds(s, y, sensitive_features=a, **goal)
    for bound, shown in ((0.237374, "0.2373"), (0.2373, "0.2373"), (0.001, "0.001"), (0.0, "0")):
        sentence = words.format(shown, f"{result.objective:.4g}")
        assert f"Proved: no cut points {sentence}." in str(replace(result, proved_bound=bound))


@given(st.floats(-1e6, 1e6))
def test_a_printed_lower_bound_is_a_lower_bound(bound):
    assert bound - max(2e-3 * abs(bound), 1e-300) <= float(_rounded_down(bound)) <= bound


def test_criteria_may_be_objects():
    s, y, a = biased()
    by_name, by_object = (
        optimize_thresholds(s, y, sensitive_features=a, criterion=c, trade_off=0.2)
        for c in ("demographic_parity", DemographicParity())
    )
    np.testing.assert_array_equal(by_name.thresholds, by_object.thresholds)


def hard_instance():
    """A limit of 0 on many scores: a matter of number theory, and of hours."""
    generator = np.random.default_rng(3)
    n = 3000
    a, s = generator.integers(0, 3, n), generator.normal(size=n)
    return s, np.digitize(s + generator.normal(size=n), [-1.5, -0.7, 0, 0.7, 1.5]), a


def test_a_search_cut_short_by_time_has_an_honest_gap():
    s, y, a = hard_instance()
    with pytest.warns(ConvergenceWarning, match="stopped by max_time with gap"):
        result = optimize_thresholds(
            s,
            y,
            sensitive_features=a,
            criterion="equal_opportunity",
            max_violation=0.0,
            max_time=1.0,
        )
    assert result.stopped_by == "max_time"
    assert result.lower_bound <= result.objective
    assert result.violation == 0
    assert "cut short by max_time" in str(result)


@pytest.fixture
def interruptible():
    """A process in the background may have been told to ignore Ctrl-C."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
def test_an_interrupt_returns_the_best_so_far():
    s, y, a = hard_instance()
    timer = threading.Timer(0.7, signal.raise_signal, [signal.SIGINT])
    timer.start()
    try:
        with pytest.warns(ConvergenceWarning, match="stopped by an interrupt"):
            result = optimize_thresholds(
                s, y, sensitive_features=a, criterion="equal_opportunity", max_violation=0.0
            )
    finally:
        timer.cancel()
    assert result.stopped_by == "interrupt"
    assert result.lower_bound <= result.objective
    assert result.violation == 0


@pytest.mark.usefixtures("interruptible")
def test_an_interrupt_stops_thresholds_by_group_at_once():
    """It ended the first phase only."""
    s, y, a = hard_instance()
    table = read_table(y, s, a, as_scores=True)
    goal, effort = read_goal(None, 0.0, "certified"), read_settings(1e-3, 60.0, 0, 0)
    timer = threading.Timer(0.5, signal.raise_signal, [signal.SIGINT])
    timer.start()
    criterion = as_criterion("equal_opportunity")
    try:
        cost = cost_matrix("absolute", table.labels)
        result = solve(table, criterion, cost, goal, "certified", effort, group_aware=True)
    finally:
        timer.cancel()
    assert result.stopped_by == "interrupt"


def test_least_cost_needs_no_defined_criterion():
    """A price of 0 times an undefined violation was nan."""
    result = optimize_thresholds(
        [1, 2, 3, 4],
        [0, 0, 1, 1],
        sensitive_features=list("aabb"),
        criterion="equal_opportunity",
        method="cost_only",
    )
    assert result.objective == result.cost == 0
    assert result.gap == 0
    assert np.isnan(result.violation)


@pytest.mark.parametrize("unit", [1e-12, 1e-6, 1e6])
def test_exact_is_exact_whatever_the_unit_of_costs(unit):
    s, y, a = biased(60)
    cost = np.abs(np.subtract.outer(np.arange(5), np.arange(5)))
    options = {"sensitive_features": a, "max_violation": 0.1, "method": "exact"}
    expected = optimize_thresholds(s, y, cost_matrix=cost, **options)
    result = optimize_thresholds(s, y, cost_matrix=cost * unit, **options)
    assert result.cost / unit == pytest.approx(expected.cost, rel=1e-9)


def test_many_groups_are_solved_or_refused_by_name():
    s, y, _ = biased(3000)
    result = optimize_thresholds(
        s, y, sensitive_features=np.arange(3000) % 25, trade_off=0.6, tol=0.1
    )
    assert len(result.groups) == 25
    with pytest.raises(ValueError, match=r"sensitive_features has 300 groups.*Merge small groups"):
        optimize_thresholds(s, y, sensitive_features=np.arange(3000) % 300, trade_off=0.5)


def test_progress_is_shown_when_asked_for(capfd, monkeypatch):
    s, y, a = biased()
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    optimize_thresholds(s, y, sensitive_features=a, trade_off=0.4)
    assert capfd.readouterr() == ("", "")
    with show_progress():
        optimize_thresholds(s, y, sensitive_features=a, trade_off=0.4)
    out, err = capfd.readouterr()
    assert not out
    assert "thresholds" in err


def test_many_distinct_scores_take_little_more_than_few():
    s, y, a = biased(10**5)
    result = optimize_thresholds(s, y, sensitive_features=a, trade_off=0.3)
    assert result.gap <= 1e-3
    assert result.n_iter < 100
    assert result.score_table.shape[2] == 10**5


@pytest.mark.parametrize("criterion", ["demographic_parity", "equal_opportunity", "harm_parity"])
@pytest.mark.parametrize("form", [{"trade_off": 0.5}, {"max_violation": 0.03}])
def test_thresholds_by_group_are_at_least_as_good_as_common_ones(criterion, form):
    s, y, a = biased(300)
    table = read_table(y, s, a, as_scores=True)
    goal = read_goal(form.get("trade_off"), form.get("max_violation"), "certified")
    criterion, cost = as_criterion(criterion), cost_matrix("absolute", table.labels)
    effort = read_settings(1e-3, None, 0, 0)
    common, own = (
        solve(table, criterion, cost, goal, "certified", effort, group_aware=by_group)
        for by_group in (False, True)
    )
    assert own.objective <= common.objective + 1e-12
    assert own.lower_bound <= own.objective
    predicted = own.predict(s, sensitive_features=a)
    assert own.cost == pytest.approx(mean_cost(y, predicted))
    assert "predictions need the group" in str(own)


@needs_paper_data
def test_the_official_search_ends_above_the_best_constant_predictor():
    """Communities and crime, split 0, λ'=0.2: 1.691 there, and 1.661 for the constant."""
    y, a = training_rows("communities_and_crime", "a2", 0)
    scores = np.random.default_rng(0).normal(size=len(y)) - a  # any scores can be cut nowhere
    result = optimize_thresholds(scores, y, sensitive_features=a, trade_off=0.2)
    constants = [np.abs(y - label).mean() for label in range(1, 9)]
    assert min(constants) == pytest.approx(1.661, abs=5e-4)
    assert result.objective <= min(constants) < 1.691


def scored(n=600, seed=0):
    random = np.random.default_rng(seed)
    a = random.integers(0, 2, n)
    latent = random.normal(size=n) + 0.5 * a
    return latent + 0.5 * random.normal(size=n), np.digitize(latent, [-0.5, 0.5, 1.5]), a


def test_confidence_cuts_for_a_stricter_limit():
    scores, y, a = scored(2000)
    limit = {"sensitive_features": a, "max_violation": 0.2}
    bold = optimize_thresholds(scores, y, **limit)
    careful = optimize_thresholds(scores, y, confidence=0.9, **limit)
    assert careful.violation < bold.violation <= 0.2
    assert careful.goal.limit < 0.2
    assert careful.cost > bold.cost
    assert careful.gap <= 1e-3
    again = optimize_thresholds(scores, y, confidence=0.9, **limit)
    np.testing.assert_array_equal(again.thresholds, careful.thresholds)  # folds have a seed


def test_confidence_does_not_depend_on_the_order_of_rows_or_on_rows_without_weight():
    scores, y, a = scored(500)
    options = {"max_violation": 0.2, "confidence": 0.8}
    one = optimize_thresholds(scores, y, sensitive_features=a, **options)
    order = np.random.default_rng(1).permutation(500)
    other = optimize_thresholds(scores[order], y[order], sensitive_features=a[order], **options)
    np.testing.assert_array_equal(one.thresholds, other.thresholds)
    more = [np.append(column, extra) for column, extra in ((scores, 9.0), (y, 0), (a, 7))]
    weighted = optimize_thresholds(
        *more[:2], sensitive_features=more[2], sample_weight=np.append(np.ones(500), 0.0), **options
    )
    np.testing.assert_array_equal(one.thresholds, weighted.thresholds)


@pytest.mark.parametrize(
    "options",
    [
        {"trade_off": 0.2, "confidence": 0.9},
        {"max_violation": 0.2, "confidence": 0.9, "method": "exact"},
    ],
)
def test_confidence_needs_a_limit_and_the_certified_search(options):
    scores, y, a = scored(50)
    with pytest.raises(ValueError, match="confidence needs max_violation and method='certified'"):
        optimize_thresholds(scores, y, sensitive_features=a, **options)
    with pytest.raises(ValueError, match="confidence must lie"):
        optimize_thresholds(scores, y, sensitive_features=a, max_violation=0.1, confidence=1.5)


def test_nearly_constant_predictions_are_said_with_what_helps():
    scores, y, a = scored(300)
    with pytest.warns(UserWarning, match=r"people get label \d: .* \(expected cost"):
        result = optimize_thresholds(
            scores, y, sensitive_features=a, max_violation=0.01, confidence=0.95
        )
    assert result.after.table.cube.sum(axis=(0, 1)).max() > 0.9 * 300


@pytest.mark.filterwarnings("ignore:All people get label")
def test_a_constant_result_is_compared_with_cuts_of_the_scores_it_was_given():
    scores, y, a = scored(200)
    limit = {"sensitive_features": a, "max_violation": 0.001}
    constant = optimize_thresholds(scores, y, confidence=0.99, **limit)
    assert constant.constant_label is not None
    free = optimize_thresholds(scores, y, sensitive_features=a, method="cost_only")
    np.testing.assert_array_equal(constant.cheapest, free.thresholds)
    before = [-0.5, 0.5, 1.5]
    assert constant.state(before).cost == free.state(before).cost
    assert constant.state(before).violation == free.state(before).violation > 0.1
    exact = optimize_thresholds(
        scores, y, sensitive_features=a, max_violation=constant.goal.limit, method="exact"
    )
    assert constant.lower_bound <= constant.state(exact.thresholds).objective < np.inf


@pytest.mark.parametrize(
    ("reached", "judged", "growth"),
    [(0.02, 0.05, 9.0), (0.02, 0.03, 1.0), (0.02, 0.01, 0.0), (0.03, 0.05, np.inf)],
)
def test_the_excess_over_what_thresholds_reach_falls_with_the_root_of_the_rows(
    reached, judged, growth
):
    candidate = SimpleNamespace(reached=SimpleNamespace(violation=reached), violation=judged)
    assert _growth_needed(candidate, 0.03, None, 0.0) == pytest.approx(growth)


def test_a_constant_model_without_confidence_names_the_rows_that_would_allow_more():
    made = make_biased_ordinal(200, n_features=5, n_labels=4, groups=[0.8, 0.2], random_state=0)
    model = FairOrdinalClassifier(max_violation=0.05, basis="linear", ranker="direct", cv=3)
    with pytest.warns(UserWarning, match=r"About [\d,]+ rows instead of 200, above all of group 1"):
        model.fit(made.data, made.target, sensitive_features=made.sensitive_features)


def test_more_rows_are_asked_of_the_smaller_group_of_the_worst_pair():
    """The smallest group of all is 2, but it lies between the other two."""
    a = np.repeat([0, 1, 2], [100, 80, 60])
    predicted = np.concatenate(
        [np.arange(size) < share * size for size, share in [(100, 0.1), (80, 0.9), (60, 0.5)]]
    ).astype(int)
    table = read_table(np.arange(240) % 2, predicted, a)
    candidate = SimpleNamespace(
        evaluation=SimpleNamespace(criterion=DemographicParity()), table=table
    )
    assert _limiting_group(candidate) == 1
