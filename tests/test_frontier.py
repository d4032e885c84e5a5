"""The frontier: nothing dominated, holes filled or named, models to pick."""

import pickle
from copy import copy
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.linear_model import Ridge

from fairordinal import FairOrdinalClassifier, FairOrdinalFrontier, FairThresholdClassifier
from fairordinal._path import non_dominated
from fairordinal.frontier import Measured, frontier_text, price_of_fairness
from fairordinal.frontier._point import farthest_from_chord
from fairordinal.metrics import mean_cost, pairwise_demographic_parity_difference
from fairordinal.thresholds import limited
from fitted import full_effort
from made_up import people

pytestmark = pytest.mark.usefixtures("small_effort")

QUICK = {"alpha": 1e-3, "ranker": "reduction", "cv": 3}


@pytest.fixture(scope="module")
def frontier():
    X, y, a = people(500)
    new = people(400, seed=1)
    with full_effort():
        return FairOrdinalFrontier(**QUICK).fit(X, y, sensitive_features=a, eval_set=new)


def test_no_model_is_dominated(frontier):
    values = [(p.expected.violation, p.expected.cost) for p in frontier.points_]
    for (fair, dear), (unfair, cheap) in pairwise(values):
        assert fair < unfair
        assert dear > cheap


def test_holes_are_filled_or_named(frontier):
    for fair, cheap in pairwise(p.expected for p in frontier.points_):
        wide = cheap.violation - fair.violation > 0.05 or fair.cost - cheap.cost > 0.05 * fair.cost
        assert wide == ((fair.violation, cheap.violation) in frontier.holes_)


def test_it_reaches_from_constant_to_accurate(frontier):
    X, y, a = people(500)
    fairest, plainest = frontier.points_[0], frontier.points_[-1]
    constant = np.bincount(y).cumsum().searchsorted(250)
    assert fairest.expected.violation == fairest.train.violation == 0.0
    assert fairest.expected.cost == pytest.approx(mean_cost(y, np.full(500, constant)))
    free = FairOrdinalClassifier(trade_off=0.0, **QUICK).fit(X, y, sensitive_features=a)
    assert plainest.train.cost <= free.cost_ + 0.02


def test_the_frame_holds_what_the_models_do(frontier):
    X, y, a = people(500)
    frame = frontier.frame()
    assert set(frame["measured_on"]) == {"train", "cross-validated", "held-out"}
    assert len(frame) == 3 * len(frontier.points_)
    for i in (0, len(frontier.points_) // 2, len(frontier.points_) - 1):
        model = frontier._model_of(frontier.points_[i])
        for rows, (data, labels, groups) in (
            ("train", (X, y, a)),
            ("held-out", people(400, seed=1)),
        ):
            row = frame[(frame["model"] == i) & (frame["measured_on"] == rows)].iloc[0]
            predicted = model.predict(data)
            violation = pairwise_demographic_parity_difference(
                labels, predicted, sensitive_features=groups
            )
            assert row["cost"] == pytest.approx(mean_cost(labels, predicted))
            assert row["violation"] == pytest.approx(violation)
            assert row["cost_lower"] <= row["cost"] <= row["cost_upper"]
            assert row["violation_lower"] <= row["violation"] + 1e-9
            assert row["violation"] <= row["violation_upper"] + 1e-9


def test_selecting_by_violation_cost_and_knee(frontier):
    violations, costs = frontier._expected()
    limit = float(np.median(violations))
    model = frontier.select(max_violation=limit)
    assert isinstance(model, FairOrdinalClassifier)
    assert model.expected_violation_ <= limit
    margin = frontier._samples.optimism(limited(limit), None).margin
    assert 0 <= margin < limit
    within = violations <= limit - margin
    best = int(np.where(within, costs, np.inf).argmin())
    assert model.expected_cost_ == costs[best]
    assert model.expected_violation_ <= limit - margin
    careful = frontier.select(max_violation=float(violations.max()), confidence=0.9)
    assert careful.expected_violation_interval_[1] <= 1.0
    assert careful.expected_violation_ <= violations.max()
    cheap = frontier.select(max_cost=float(np.median(costs)))
    assert cheap.expected_cost_ <= np.median(costs)
    assert cheap.expected_violation_ == violations[costs <= np.median(costs)].min()
    assert violations.min() <= frontier.select(knee=True).expected_violation_ <= violations.max()


def test_a_selected_model_is_like_any_other(frontier):
    X, _, _ = people(500)
    model = frontier.select(knee=True)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    assert model.n_features_in_ == 3
    assert model.gap_ <= 1e-2
    assert clone(model).get_params() == model.get_params()


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({}, "Give one of"),
        ({"max_violation": 0.1, "knee": True}, "Give one of"),
        ({"max_cost": 0.001}, "max_cost=0.001 is out of reach"),
        ({"max_cost": 1.0, "confidence": 0.9}, "confidence needs max_violation"),
        ({"max_violation": -0.1}, "max_violation must be"),
    ],
)
def test_bad_wishes_are_refused(frontier, asked, message):
    with pytest.raises(ValueError, match=message):
        frontier.select(**asked)


def test_a_limit_of_0_has_an_answer_that_says_what_it_is(frontier):
    with pytest.warns(UserWarning, match="All people get label"):
        model = frontier.select(max_violation=0.0)
    assert model.expected_violation_ == 0.0
    assert len(np.unique(model.predict(people(50)[0]))) == 1


def test_it_prints(frontier):
    text = str(frontier)
    assert text.startswith(f"Frontier of {len(frontier.points_)} models")
    assert "select(max_violation=…)" in text
    assert max(map(len, text.splitlines())) <= 100
    assert "FairOrdinalFrontier" in repr(FairOrdinalFrontier())


@pytest.mark.parametrize(
    ("eval_set", "message"),
    [
        (people(50)[:2], r"eval_set must be a tuple \(X, y, sensitive_features\), got 2"),
        (people(50)[0], r"a tuple \(X, y, sensitive_features\), got ndarray"),
        ((people(50)[0], people(40)[1], people(50)[2]), "50 rows but y of eval_set has 40"),
        ((people(50)[0], *people(40)[1:]), "inconsistent numbers of samples"),
    ],
)
def test_a_wrong_eval_set_is_refused_before_the_work(eval_set, message):
    X, y, a = people(60)
    frontier = FairOrdinalFrontier(cv="no splitter, and never asked")
    with pytest.raises(ValueError, match=message):
        frontier.fit(X, y, sensitive_features=a, eval_set=eval_set)


@pytest.mark.parametrize("library", [pd, pl])
def test_frames_in_and_out_and_names_of_columns(library):
    X, y, a = people(200)
    frame = library.DataFrame({f"x{j}": X[:, j] for j in range(3)})
    model = FairOrdinalFrontier("equal_opportunity", **QUICK)
    model.fit(frame, y, sensitive_features=library.Series(a))
    assert isinstance(model.frame(), library.DataFrame)
    assert model.select(knee=True).feature_names_in_.tolist() == ["x0", "x1", "x2"]
    assert set(model.select(knee=True).predict(frame)) <= set(range(4))


@pytest.mark.parametrize("criterion", ["demographic_parity", "harm_parity"])
def test_the_frontier_of_any_scorer_by_thresholds_alone(criterion):
    X, y, a = people(400)
    new = people(300, seed=1)
    frontier = FairOrdinalFrontier(criterion, estimator=Ridge(), cv=3)
    frontier.fit(X, y, sensitive_features=a, eval_set=new)
    model = frontier.select(knee=True)
    assert isinstance(model, FairThresholdClassifier)
    point, _ = frontier._chosen(None, None, True, None)
    assert mean_cost(new[1], model.predict(new[0])) == pytest.approx(point.held_out.cost)
    np.testing.assert_allclose(model.decision_function(X), Ridge().fit(X, y).predict(X))
    assert model.expected_cost_ == point.expected.cost
    assert model.expected_violation_interval_ == point.expected.violation_interval
    assert frontier.points_[0].train.violation < 0.2 * frontier.points_[-1].train.violation


def test_in_parallel_it_is_the_same():
    X, y, a = people(200)
    one = FairOrdinalFrontier(**QUICK).fit(X, y, sensitive_features=a)
    two = FairOrdinalFrontier(**QUICK, n_jobs=2).fit(X, y, sensitive_features=a)
    np.testing.assert_array_equal(one._expected(), two._expected())


def test_a_frontier_is_kept_without_its_rows(frontier):
    again = pickle.loads(pickle.dumps(frontier))
    X, _, _ = people(500)
    expected = frontier.select(knee=True).predict(X)
    np.testing.assert_array_equal(again.select(knee=True).predict(X), expected)
    assert not hasattr(again._samples, "rows")


def made_up(cost, violation):
    return SimpleNamespace(cost=cost, violation=violation)


def test_dominated_candidates_go():
    pool = [made_up(1.0, 0.5), made_up(1.2, 0.5), made_up(1.1, 0.2), made_up(1.1, 0.3)]
    assert non_dominated(pool) == [pool[2], pool[0]]


def test_the_knee_is_the_corner():
    assert farthest_from_chord(np.array([0.0, 0.1, 1.0]), np.array([2.0, 1.1, 1.0])) == 1
    assert farthest_from_chord(np.array([0.3]), np.array([1.0])) == 0


def test_a_curve_without_a_knee_does_not_end_at_the_constant_model():
    across, down = np.linspace(0.0, 0.3, 7), np.linspace(1.1, 0.7, 7)
    assert farthest_from_chord(across, down) == 6
    assert farthest_from_chord(across, down + 0.1 * across * (0.3 - across)) == 6
    assert farthest_from_chord(across, down - 0.1 * across * (0.3 - across)) == 3


def lines_of_table(text):
    """The rows of the table in the text of a frontier."""
    return text.split("\n\n")[1].splitlines()[2:]


def test_a_frontier_says_how_many_models_it_shows(frontier):
    text, n_points = str(frontier), len(frontier.points_)
    assert f"12 of {n_points} models shown; frame() has all." in text
    assert len(lines_of_table(text)) == 12 < n_points


def test_the_chosen_model_is_shown_and_marked(frontier):
    for chosen in range(len(frontier.points_)):
        text = frontier_text(frontier, chosen, has_all="--json", closing=())
        lines = lines_of_table(text)
        assert len(lines) == 12
        (marked,) = [line for line in lines if line.endswith("← chosen")]
        assert marked.split()[0] == str(chosen)
        numbers = [int(line.split()[0]) for line in lines]
        assert numbers == sorted(set(numbers))
        assert {0, chosen, len(frontier.points_) - 1} <= set(numbers)
        assert f"12 of {len(frontier.points_)} models shown; --json has all." in text
        assert "select" not in text


def test_the_price_of_fairness_is_in_labels_if_the_cost_is(frontier):
    old, new = frontier.points_[-1].expected, frontier.points_[1].expected
    falls = f"Violation falls from {old.violation:.3f} to {new.violation:.3f}"
    ends = f"grows from {old.cost:.2f} to {new.cost:.2f}"
    assert price_of_fairness(frontier, 1) == f"{falls}; the mean error {ends} labels."
    chosen = frontier.model(1)
    assert price_of_fairness(frontier, chosen) == price_of_fairness(frontier, 1)
    other = copy(frontier)
    for cost in ("squared", np.ones((4, 4))):
        other.cost_matrix = cost
        assert price_of_fairness(other, 1) == f"{falls}; the mean cost {ends}."


def test_the_most_accurate_model_has_no_price(frontier):
    text = price_of_fairness(frontier, len(frontier.points_) - 1)
    assert text.startswith("This is the most accurate model: violation ")


@pytest.mark.parametrize(
    ("classes", "unit"),
    [([0, 1, 2, 3], " labels."), (["a", "b", "c", "d"], " labels."), ([0, 10, 20, 30], ".")],
)
def test_a_distance_of_numbers_is_no_number_of_labels(frontier, classes, unit):
    other = copy(frontier)
    other.classes_ = np.array(classes)
    words = price_of_fairness(other, 0)
    assert words.endswith(f"{frontier.points_[0].expected.cost:.2f}{unit}")


@pytest.mark.parametrize(
    ("own", "cost_matrix", "sentence"),
    [
        ((0.0151, 1.808), "absolute",
         "Violation falls from 0.156 to 0.015; the mean error grows from 1.56 to 1.81 labels."),
        ((0.1561, 1.5602), "absolute",
         "Violation stays at 0.156; the mean error stays at 1.560 labels."),
        ((0.2, 1.563), "squared",
         "Violation grows from 0.156 to 0.200; the mean cost grows from 1.560 to 1.563."),
        ((0.1, 1.8), np.ones((2, 2)),
         "Violation falls from 0.156 to 0.100; the mean cost grows from 1.56 to 1.80."),
    ],
)  # fmt: skip
def test_the_price_of_fairness_is_a_sentence(own, cost_matrix, sentence):
    ends = (0.0, 1.0)
    points = [
        SimpleNamespace(expected=Measured(cost, ends, violation, ends))
        for violation, cost in (own, (0.156, 1.56))
    ]
    frontier = SimpleNamespace(
        points_=points, cost_matrix=cost_matrix, classes_=np.array([1, 2, 3])
    )
    assert price_of_fairness(frontier, 0) == sentence
    assert price_of_fairness(frontier, 1).startswith(
        "This is the most accurate model: violation 0.156, mean "
    )
