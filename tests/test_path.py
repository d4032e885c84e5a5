"""A path of rankers with thresholds: out-of-fold scores, screening, the choice, the frontier."""

import warnings

import numpy as np
import pytest

from fairordinal._basis import Linear
from fairordinal._pairloss import LOSSES
from fairordinal._path import Plan, RankerPool, choose_on_path, non_dominated
from fairordinal._path._selection import promising
from fairordinal._rows import Block, Features, align, folds_of
from fairordinal.criteria import as_criterion
from fairordinal.ranker import Training
from fairordinal.thresholds import Evaluation, limited, read_goal, read_settings
from fairordinal.thresholds._branch_and_bound import Certified
from fitted import effort, full_effort
from made_up import people

GOALS = [limited(0.1), limited(0.02), read_goal(0.3, None, "certified")]


def block_of_people(n, **options):
    X, y, a = people(n, **options)
    return Block.of(Features.of(X), a, y, options.get("n_groups", 2), 4)


def pool_of(rows, criterion="demographic_parity", n_folds=3, n_jobs=None):
    labels = np.arange(rows.n_labels)
    cost = np.abs(np.subtract.outer(labels, labels)).astype(float)
    evaluation = Evaluation(as_criterion(criterion), cost, np.arange(rows.n_groups), labels)
    training = Training(1e-3, 1e-5, 500)
    plan = Plan(evaluation, LOSSES["logistic"], ("reduction",), training, Linear(rows.scaling))
    folds = folds_of(rows, n_folds, 0)
    return RankerPool([(plan, plan.path(rows))], rows, rows, folds, n_jobs=n_jobs)


def pool_with_folds(pool, rows, folds):
    """A pool of the same rankers with other folds."""
    path = [ranker.fit for ranker in pool.rankers[:-1]]
    return RankerPool([(pool.rankers[0].plan, path)], rows, rows, folds_of(rows, folds, 0))


def test_out_of_fold_scores_are_those_of_rankers_fitted_to_the_other_rows():
    rows = block_of_people(150)
    pool = pool_of(rows)
    (plan, fit), at = pool.rankers[1], 0
    (scores,) = pool.out_of_fold([1])
    for train, held_out in folds_of(rows, 3, 0):
        again = plan.training.fit(plan.pairs(train), fit.aim, fit.coef)
        own, common = train.scores(again.coef).copy(), train.scores(fit.coef)
        expected = align(held_out.scores(again.coef), own, common)
        part = scores[at : at + held_out.n_rows]
        np.testing.assert_allclose(part, expected, atol=0.02 * np.ptp(scores))
        np.testing.assert_array_equal(pool.rows.cells[at : at + held_out.n_rows], held_out.cells)
        at += held_out.n_rows
    assert at == len(scores) == 150


def test_rankers_are_screened_by_what_their_own_scores_reach():
    pool = pool_of(block_of_people(300))
    screened = pool.screen(GOALS)
    best = promising(pool, GOALS, 2)
    for g, goal in enumerate(GOALS):
        reached = {r: cuts[g].objective for r, cuts in screened.items()}
        assert {round(reached[r], 9) for r in best[goal]} <= {
            round(value, 9) for value in sorted(reached.values())[:2]
        }


def test_candidates_may_be_added_one_by_one_and_in_parallel():
    rows = block_of_people(200)
    at_once, later = pool_of(rows), pool_of(rows, n_jobs=2)
    at_once.add({0: GOALS, 2: GOALS})
    for ranker in (0, 2, 0):  # once more makes no difference
        later.add({ranker: GOALS})
    assert len(at_once.candidates) == 6
    for one, other in zip(at_once.candidates, later.candidates, strict=True):
        assert (one.ranker, one.goal) == (other.ranker, other.goal)
        np.testing.assert_allclose(one.thresholds, other.thresholds)
        np.testing.assert_array_equal(one.table.cube, other.table.cube)


def test_each_row_is_predicted_once():
    pool = pool_of(block_of_people(300))
    pool.add({0: GOALS})
    for candidate in pool.candidates:
        np.testing.assert_array_equal(candidate.table.totals.ravel(), pool.sample.totals)


def test_estimates_of_constant_folds_are_not_those_of_other_models():
    """At a limit of 0, thresholds of folds were constant and those of the model were not."""
    left_out = 0
    for seed in range(4):
        pool = pool_of(block_of_people(60, seed=seed))
        pool.add({ranker: [limited(0.0)] for ranker in range(pool.constant + 1)})
        stayed = {(candidate.ranker, candidate.goal) for candidate in pool.candidates}
        for key, candidate in pool._candidates.items():
            n_bins = pool._binned[candidate.ranker].n_bins
            constant = ((candidate.cuts == 0) | (candidate.cuts == n_bins)).all(axis=1)
            mixed = constant.any() and not candidate.is_constant
            assert (key in stayed) == (not mixed)
            left_out += mixed
    assert left_out


@pytest.mark.parametrize("limit", [0.0, 0.05, 0.3])
@pytest.mark.parametrize("confidence", [None, 0.9])
def test_there_is_always_a_candidate_within_the_limit(limit, confidence):
    with full_effort() if limit == 0.05 else effort():
        pool = pool_of(block_of_people(120, n_groups=3))
        chosen = choose_on_path(pool, limited(limit), confidence)
    assert chosen.keeps
    judged = chosen.candidate.bound(confidence) if confidence else chosen.candidate.violation
    assert judged <= limit
    constants = [c for c in pool.candidates if c.ranker == pool.constant]
    assert constants
    assert all(c.is_surely_fair for c in constants)
    assert chosen.candidate.cost <= constants[0].cost


def test_the_certificate_is_about_out_of_fold_scores():
    pool = pool_of(block_of_people(400))
    chosen = choose_on_path(pool, limited(0.1), None).candidate
    result = pool.thresholds(chosen, read_settings(1e-3, None, 0, 0))
    scores = pool.scores[chosen.ranker]
    np.testing.assert_array_equal(result.score_table.axis, np.unique(scores))
    assert result.gap <= 1e-3
    limit = max(chosen.goal.limit, chosen.reached.violation)
    assert result.violation <= limit + 1e-12
    assert result.objective <= chosen.reached.objective + 1e-9  # what the quick search found


def test_no_candidate_of_the_frontier_is_dominated():
    pool = pool_of(block_of_people(200))
    pool.add(dict.fromkeys(range(pool.constant), GOALS))
    front = non_dominated(pool.candidates)
    for one in front:
        assert not any(c.cost < 0.99 * one.cost and c.violation <= one.violation for c in front)
    assert min(c.cost for c in pool.candidates) >= 0.997 * front[-1].cost


def test_an_interrupt_stops_more_than_one_search(monkeypatch):
    def interrupt(self, region):
        raise KeyboardInterrupt

    monkeypatch.setattr(Certified, "_step", interrupt)
    with pytest.raises(KeyboardInterrupt):
        pool_of(block_of_people(100, n_groups=3)).add({0: GOALS})


def test_thresholds_that_time_runs_out_on_are_those_known():
    pool = pool_of(block_of_people(2000, n_groups=6))
    pool.add({0: GOALS[:1]})
    (candidate,) = pool.candidates
    result = pool.thresholds(candidate, read_settings(1e-3, 1e-9, 0, 0))
    assert result.stopped_by == "max_time"
    assert result.objective <= candidate.reached.objective + 1e-9


def test_a_single_split_gets_folds_for_its_thresholds():
    rows = block_of_people(300)
    split = [(np.arange(200), np.arange(200, 300))]
    pool = pool_of(rows)
    alone = pool_with_folds(pool, rows, split)
    assert alone.rows.n_folds == 5
    assert len(alone.rows.cells) == 100
    alone.add({0: GOALS})


def test_rows_that_are_held_out_twice_count_once():
    rows = block_of_people(300)
    overlapping = [(np.arange(100, 300), np.arange(100)), (np.arange(150), np.arange(50, 300))]
    pool = pool_of(rows)
    twice = pool_with_folds(pool, rows, overlapping)
    assert len(twice.rows.cells) == 300
    assert np.bincount(twice.rows.fold).tolist() == [100, 200]


def test_weights_and_repeated_rows_give_the_same_candidates():
    rows = block_of_people(100)
    generator = np.random.default_rng(1)
    times = generator.integers(1, 4, 100)
    fold = generator.integers(0, 3, 100)
    again = np.repeat(np.arange(100), times)
    weighted = Block(rows.features, rows.cells, times.astype(float), 2, 4)
    found = []
    for block, of in ((weighted, fold), (rows.take(again), fold[again])):
        splits = [(np.flatnonzero(of != f), np.flatnonzero(of == f)) for f in range(3)]
        pool = pool_of(rows)
        pool = pool_with_folds(pool, block, splits)
        pool.add({0: GOALS[:2], 1: GOALS[:2]})
        found.append(pool.candidates)
    for one, other in zip(*found, strict=True):
        np.testing.assert_allclose(one.thresholds, other.thresholds, rtol=1e-6)
        np.testing.assert_allclose(one.table.cube, other.table.cube, atol=1e-6)


def test_nothing_warns_on_the_way():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        choose_on_path(pool_of(block_of_people(150)), limited(0.1), 0.9)
