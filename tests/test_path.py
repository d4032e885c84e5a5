"""Rankers × thresholds: rough cuts, estimates for new rows, and the choice among candidates."""

from dataclasses import replace

import numpy as np
import pytest

from fairordinal import metrics, optimize_thresholds
from fairordinal._cuts import Goal
from fairordinal._pairloss import LOSSES
from fairordinal._path import Candidate, Plan, Pool, choose, warn_unless_kept
from fairordinal._path._plan import MOST_PLACES
from fairordinal._path._pool import mean_cost
from fairordinal._rows import Block, Features, folds_of
from fairordinal.criteria import as_criterion
from fairordinal.ranker import Training
from fairordinal.thresholds import read_goal
from fairordinal.thresholds._certified import Certified

GOALS = [
    read_goal(None, 0.1, "certified"),
    read_goal(None, 0.02, "certified"),
    read_goal(0.3, None, "certified"),
]


def rows_of(n, *, n_groups=2, seed=0, rounded=False):
    generator = np.random.default_rng(seed)
    a = generator.integers(0, n_groups, n)
    X = generator.normal(size=(n, 3))
    X[:, 0] += a
    X = X.round(1) if rounded else X
    y = np.digitize(X[:, 0] + X[:, 1] + generator.normal(size=n), [-1, 0.5, 2])
    return Block.of(Features.of(X), a, y, n_groups, 4)


def plan_of(rows, criterion="demographic_parity"):
    labels = np.arange(rows.n_labels)
    return Plan(
        as_criterion(criterion),
        LOSSES["logistic"],
        ("reduction",),
        Training(1e-3, 1e-5, 500),
        np.abs(np.subtract.outer(labels, labels)).astype(float),
        np.arange(rows.n_groups),
        labels,
    )


@pytest.mark.parametrize("n", [40, 200, 3000])
@pytest.mark.parametrize("rounded", [False, True])
def test_rough_cuts_reach_what_they_say(n, rounded):
    rows = rows_of(n, rounded=rounded)
    plan, coef = plan_of(rows), np.array([1.0, 1.0, 0.0])
    scores = rows.features.times(coef)
    for cut in plan.rough_cuts(rows, coef, GOALS):
        predicted = np.searchsorted(cut.thresholds, scores)
        groups = {"sensitive_features": rows.groups}
        violation = metrics.pairwise_demographic_parity_difference(rows.labels, predicted, **groups)
        assert metrics.mean_cost(rows.labels, predicted) == pytest.approx(cut.cost)
        assert violation == pytest.approx(cut.violation, abs=1e-12)
        assert not np.isin(cut.thresholds, scores).any()  # they lie between


@pytest.mark.parametrize("criterion", ["demographic_parity", "equal_opportunity"])
def test_rough_cuts_are_nearly_as_good_as_certified_ones(criterion):
    rows = rows_of(MOST_PLACES - 50)
    plan, coef = plan_of(rows, criterion), np.array([1.0, 0.8, 0.1])
    scores = rows.features.times(coef)
    options = {"sensitive_features": rows.groups, "criterion": criterion}
    for cut, asked in zip(
        plan.rough_cuts(rows, coef, GOALS),
        ({"max_violation": 0.1}, {"max_violation": 0.02}, {"trade_off": 0.3}),
        strict=True,
    ):
        best = optimize_thresholds(scores, rows.labels, **options, **asked)
        assert best.objective - 1e-3 <= cut.objective <= best.objective + 0.05


def test_weighted_rows_are_cut_like_repeated_ones():
    rows = rows_of(500)
    times = np.random.default_rng(1).integers(1, 4, 500)
    again = np.repeat(np.arange(500), times)
    coef = np.array([1.0, 1.0, 0.0])
    weighted = replace(rows, weight=times.astype(float))
    for one, other in zip(
        plan_of(rows).rough_cuts(weighted, coef, GOALS),
        plan_of(rows).rough_cuts(rows.take(again), coef, GOALS),
        strict=True,
    ):
        np.testing.assert_allclose(one.thresholds, other.thresholds)


def test_estimates_are_what_is_seen_and_the_mean_of_what_is_promised_too_much():
    rows = rows_of(300)
    plan = plan_of(rows)
    path, folds = plan.path(rows), folds_of(rows, 4, 0)
    pool = Pool(plan, rows, path, folds)
    pool.add(GOALS, most=len(path))
    found = pool.candidates()
    assert len(found) == len(path) * len(GOALS)
    cuts = {r: plan.rough_cuts(rows, fit.coef, GOALS) for r, fit in enumerate(path)}
    seen = {(r, GOALS[g]): cut for r, row in cuts.items() for g, cut in enumerate(row)}
    excess = {
        (c.ranker, c.goal): mean_cost(c.held_out, plan.cost) - seen[c.ranker, c.goal].cost
        for c in found
    }
    for c in found:
        own = np.mean([excess[c.ranker, goal] for goal in GOALS])
        expected = seen[c.ranker, c.goal].cost + 0.5 * own + 0.5 * np.mean([*excess.values()])
        assert c.cost == pytest.approx(max(expected, 0.0))
        assert c.held_out.rows.sum() == 300  # each row is predicted once


def test_a_goal_keeps_its_most_promising_rankers():
    rows = rows_of(300)
    plan = plan_of(rows)
    path = plan.path(rows)
    pool = Pool(plan, rows, path, folds_of(rows, 3, 0))
    pool.add(GOALS, most=2)
    found = pool.candidates()
    for goal in GOALS:
        assert sum(c.goal == goal for c in found) == 2


def test_candidates_may_be_added_one_by_one_and_in_parallel():
    rows = rows_of(200)
    plan = plan_of(rows)
    path, folds = plan.path(rows), folds_of(rows, 3, 0)
    at_once, later = Pool(plan, rows, path, folds), Pool(plan, rows, path, folds, n_jobs=2)
    at_once.add(GOALS, rankers=[0, 2], most=2)
    for goal in (*GOALS, GOALS[0]):  # once more makes no difference
        later.add([goal], rankers=[0, 2], most=2)
    for one, other in zip(at_once.candidates(), later.candidates(), strict=True):
        assert one[:4] == other[:4]
        np.testing.assert_array_equal(one.held_out.cube, other.held_out.cube)


def made_up(cost, violation):
    return Candidate(0, GOALS[0], cost, violation, None)


def test_the_least_cost_within_a_limit_is_chosen():
    plan = plan_of(rows_of(50))
    pool = [made_up(1.0, 0.3), made_up(1.2, 0.09), made_up(1.1, 0.08), made_up(2.0, 0.0)]
    assert choose(plan, pool, GOALS[0], None) is pool[2]
    assert choose(plan, pool, Goal(0.0), None) is pool[0]
    assert choose(plan, pool, Goal(10.0), None) is pool[3]
    assert choose(plan, pool[:3], GOALS[1], None) is pool[2]  # none keeps 0.02: the fairest
    with pytest.warns(UserWarning, match="No model keeps max_violation=0.02"):
        warn_unless_kept(plan, pool[2], GOALS[1], None, stacklevel=1)


@pytest.mark.parametrize("criterion", ["demographic_parity", "equalized_odds"])
def test_a_notion_of_the_rows_serves_all_rankers(criterion):
    rows = rows_of(300, n_groups=4)
    plan, coef = plan_of(rows, criterion), np.array([1.0, 1.0, 0.0])
    alone = plan.rough_cuts(rows, coef, GOALS)
    for one, other in zip(
        alone, plan.rough_cuts(rows, coef, GOALS, plan.notion(rows)), strict=True
    ):
        np.testing.assert_array_equal(one.thresholds, other.thresholds)
        assert one[1:] == other[1:]


def test_an_interrupt_stops_more_than_one_search(monkeypatch):
    def interrupt(self, region):
        raise KeyboardInterrupt

    monkeypatch.setattr(Certified, "_step", interrupt)
    rows = rows_of(100)
    with pytest.raises(KeyboardInterrupt):
        plan_of(rows).rough_cuts(rows, np.array([1.0, 1.0, 0.0]), GOALS)


def test_thresholds_that_time_runs_out_on_are_those_known():
    rows = rows_of(2000, n_groups=6)
    plan = plan_of(rows)
    pool = Pool(plan, rows, plan.path(rows)[:1], folds_of(rows, 3, 0))
    pool.add(GOALS[:1])
    (candidate,) = pool.candidates()
    known = plan.rough_cuts(rows, pool.path[0].coef, GOALS[:1])[0]
    result = pool.thresholds(candidate, 1e-9)
    assert result.stopped_by == "max_time"
    assert result.objective <= known.objective + 1e-12
