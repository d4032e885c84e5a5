"""Many labels and groups: the same numbers, with work and memory that are bounded."""

import tracemalloc

import numpy as np
import pytest
from sklearn.linear_model import Ridge

import oracles
from fairordinal import (
    FairOrdinalClassifier,
    FairOrdinalFrontier,
    FairThresholdClassifier,
    audit,
    optimize_thresholds,
)
from fairordinal._audit import Finding
from fairordinal._costs import cost_matrix
from fairordinal._table import BLOCK_ENTRIES, ScoreTable, read_table
from fairordinal.cli import _audit
from fairordinal.cli._audit import as_json
from fairordinal.cli._input import LeftOut
from fairordinal.criteria import NAMED, PairwiseCriterion, pair_tables
from fairordinal.plotting import DisparityDisplay, GroupConfusionDisplay
from fairordinal.ranker import FairLinearRanker
from fairordinal.thresholds import Evaluation, Goal, _multipliers
from fairordinal.thresholds._branch_and_bound import Certified
from fairordinal.thresholds._evaluation import FULL, MANY_GROUPS, SEVERAL_GROUPS, SMALL
from fairordinal.thresholds._goal import Deadline
from fairordinal.thresholds._local_search import _best_move, _moves
from fairordinal.thresholds._problem import Problem, read_problem

PAIRWISE = [name for name, criterion in NAMED.items() if isinstance(criterion, PairwiseCriterion)]


def rows_of_size(n_groups, n_labels, n_rows):
    """Labels, predictions, scores and groups; every group has rows."""
    random = np.random.default_rng(0)
    group = np.arange(n_rows) % n_groups
    true = random.integers(0, n_labels, n_rows)
    score = true + random.normal(size=n_rows) * n_labels / 4 + 0.2 * (group % 3)
    predicted = np.clip(np.rint(score), 0, n_labels - 1).astype(int)
    return true, predicted, score, group


def audit_of(n_groups, n_labels, n_rows, **options):
    true, predicted, _, group = rows_of_size(n_groups, n_labels, n_rows)
    labels = range(n_labels)
    return audit(true, predicted, sensitive_features=group, labels=labels, **options)


def problem_of(n_groups, n_labels, n_rows, criterion):
    true, _, score, group = rows_of_size(n_groups, n_labels, n_rows)
    table = read_table(true, score.round(1), group, labels=range(n_labels), as_scores=True)
    return read_problem(table, NAMED[criterion], cost_matrix("absolute", table.labels))


def peak_of(work):
    """Bytes that some work takes at once."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


# Audits -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMED)
@pytest.mark.parametrize("shape", [(12, 3, 150), (2, 20, 120)])
def test_disparities_of_many_cells_are_those_by_enumeration(name, shape):
    true, predicted, _, group = rows_of_size(*shape)
    finding = audit_of(*shape, criteria=[name])[name]
    part, g, h = (index[::29] for index in finding.places)
    weight = np.ones(len(true))
    for p, one, other in zip(part, g, h, strict=True):
        expected = oracles.disparity(name, true, predicted, group, weight, one, other)
        if len(expected) == len(finding.disparities):  # the oracle leaves out labels of nobody
            assert finding.disparities[p, one, other] == pytest.approx(
                expected[p], abs=1e-12, nan_ok=True
            )


def test_variances_of_many_groups_are_those_of_few():
    # a pair's deviation does not depend on the other groups, but for their share of labels in
    # the pseudo-rows: give all groups the same rows
    true, predicted, _, _ = rows_of_size(1, 3, 40)
    many, few = (
        audit(np.tile(true, n), np.tile(predicted, n), sensitive_features=np.repeat(range(n), 40))
        for n in (60, 2)
    )
    for name in ("demographic_parity", "equal_opportunity", "harm_parity"):
        width = np.arctanh(many[name].upper[0, 0, 1:]), np.arctanh(few[name].upper[0, 0, 1])
        np.testing.assert_allclose(width[0], width[0][0], rtol=1e-9)
        assert width[0][0] > width[1] > 0  # more pairs are held at once


def test_intervals_of_many_groups_take_memory_for_results_and_not_for_influences():
    whole = 3 * 300 * 3 * 300 * 8  # all influences of 300 groups with 3 labels: 6.5 MB
    result = 300 * 300 * 8
    work = lambda: audit_of(300, 3, 3000, criteria=["equal_opportunity"])  # noqa: E731
    work()
    assert peak_of(work) < 3 * whole + 30 * result


def test_intervals_of_many_labels_take_few_blocks_of_positions(monkeypatch):
    taken, plain = [], ScoreTable.blocks

    def counted(self, *size):
        for block in plain(self, *size):
            taken.append(block.below.size)
            yield block

    monkeypatch.setattr(ScoreTable, "blocks", counted)
    audit_of(2, 300, 1000, criteria=["equal_opportunity"])
    assert len(taken) == 3  # of the table, the padded table and its influences
    assert max(taken) <= BLOCK_ENTRIES


def test_text_lists_only_the_pairs_it_shows(monkeypatch):
    found = audit_of(60, 3, 600)
    listed, plain = [], Finding.columns

    def counted(self, some=slice(None)):
        columns = plain(self, some)
        listed.append(len(columns["part"]))
        return columns

    monkeypatch.setattr(Finding, "columns", counted)
    str(found), found._repr_html_()
    assert sum(listed) <= 2 * 4 * len(found.findings)


def test_the_frame_of_many_groups_has_every_row():
    found = audit_of(40, 3, 800)
    frame = found.frame()
    rows = [row for finding in found.findings for row in finding.rows()]
    assert len(frame) == len(rows) == 7 * 40 * 39 // 2
    assert (frame["disparity"].dropna() >= 0).all()
    for i in (0, 500, len(rows) - 1):
        assert frame.iloc[i]["group"] == rows[i]["group"]
        assert frame.iloc[i]["support"] == rows[i]["support"]


def test_counts_beyond_64_bits_stay_numbers():
    found = audit(
        [0, 1, 0, 1], [0, 1, 1, 1], sensitive_features=list("aabb"), sample_weight=[2.0**33] * 4
    )
    assert found.frame()["support"].max() == 2.0**68


def test_a_json_file_has_the_worst_of_very_many_pairs(monkeypatch):
    found = audit_of(20, 3, 400, criteria=["demographic_parity"])
    whole = as_json(found, LeftOut(0, []))["findings"][0]
    assert (len(whole["pairs"]), whole["pairs_left_out"]) == (190, 0)
    monkeypatch.setattr(_audit, "MOST_PAIRS", 30)
    some = as_json(found, LeftOut(0, []))["findings"][0]
    assert (len(some["pairs"]), some["pairs_left_out"]) == (30, 160)
    worst = sorted((pair["disparity"] for pair in whole["pairs"]), reverse=True)[:30]
    assert [pair["disparity"] for pair in some["pairs"]] == worst


@pytest.mark.parametrize("name", PAIRWISE)
def test_an_attribution_makes_no_table_for_each_cut(name, monkeypatch):
    found = audit_of(2, 12, 300)
    expected = [
        NAMED[name].disparities(
            found.table.merge(
                np.minimum(np.arange(12), np.arange(12) - (np.arange(12) > cut)), np.arange(11)
            )
        )
        for cut in range(11)
    ]
    worst = NAMED[name].worst(found.table)
    calls, plain = [], PairwiseCriterion.disparities
    monkeypatch.setattr(
        PairwiseCriterion, "disparities", lambda *args: calls.append(1) or plain(*args)
    )
    without = found.attribution(name).by_cut["without_cut"]
    assert len(calls) <= 5
    np.testing.assert_allclose(without, [values[worst] for values in expected], atol=1e-12)


# Contrasts ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PAIRWISE)
def test_tables_of_pairs_have_an_entry_for_each_pair_of_cells(name):
    true, predicted, _, group = rows_of_size(20, 4, 400)
    table = read_table(true, predicted, group)
    criterion = NAMED[name]
    tables = pair_tables(criterion.contrasts(table))
    assert tables.nnz <= len(criterion.parts(table)) * (20 * 4) ** 2
    disparities = criterion.disparities(table)
    expected = disparities[:, *np.triu_indices(20, 1)].ravel()
    np.testing.assert_allclose(tables @ table.wins.ravel(), expected, atol=1e-12)


@pytest.mark.parametrize("name", ["demographic_parity", "equal_opportunity", "harm_parity"])
def test_a_threshold_problem_knows_two_groups_a_contrast(name):
    problem = problem_of(30, 4, 600, name)
    n_contrasts = 30 * 29 // 2
    assert problem.n_contrasts == n_contrasts
    assert problem.pairs.size <= n_contrasts * (2 * 4) ** 2
    assert problem.steps.size <= n_contrasts * 3 * 2 * 4


# Searches -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["demographic_parity", "equal_opportunity"])
@pytest.mark.parametrize("goal", [Goal(3.0), Goal(1e4, 0.1, hard=True), Goal(0.0)])
def test_the_best_move_is_that_of_a_whole_scan_but_looks_at_few(name, goal, monkeypatch):
    problem = problem_of(30, 4, 900, name)
    numbers, plain = [], Problem.scan

    def counted(self, cuts, moved, places, some=None):
        numbers.append(len(moved) * (self.n_contrasts if some is None else len(some)))
        return plain(self, cuts, moved, places, some)

    for start in ([20, 40, 60], [5, 5, 70], [0, 0, 0]):
        cuts = np.array(start)
        moved, places = _moves(problem, cuts, None)
        values = goal.penalised(*plain(problem, cuts, moved, places))
        numbers.clear()
        with monkeypatch.context() as patch:
            patch.setattr(Problem, "scan", counted)
            best, reached = _best_move(problem, goal, cuts, moved, places)
        assert reached == pytest.approx(values.min(), abs=1e-12)
        assert values[best] == pytest.approx(values.min(), abs=1e-12)
        assert sum(numbers) < 0.7 * len(moved) * problem.n_contrasts


@pytest.mark.parametrize("goal", [Goal(3.0), Goal(1e4, 0.1, hard=True)])
def test_multipliers_of_many_contrasts_are_the_best_by_small_programmes(goal, monkeypatch):
    random = np.random.default_rng(0)
    costs = random.random(8)
    disparities = random.normal(size=(8, 1200)) * random.random(1200)
    best = _multipliers._solve(costs, disparities, goal)
    sizes, plain = [], _multipliers._solve
    monkeypatch.setattr(
        _multipliers, "_solve", lambda c, d, g: sizes.append(d.shape[1]) or plain(c, d, g)
    )
    multipliers, height = _multipliers._by_linear_programme(costs, disparities, goal)
    assert height == pytest.approx(-best.fun, abs=1e-7)
    lowest = (costs + disparities @ multipliers).min()
    toll = (goal.limit + _multipliers.PREFER_SMALL) * np.abs(multipliers).sum()
    assert lowest - toll == pytest.approx(height, abs=1e-6)
    assert max(sizes) <= 600


def test_a_search_may_be_bounded_by_steps_and_its_bound_holds():
    problem = problem_of(12, 4, 400, "equal_opportunity")
    goal = Goal(1e4, 0.05, hard=True)
    some, more = (
        Certified(problem, goal, 1e-3, Deadline(), most_bounds=most).run() for most in (3, 30)
    )
    assert (some.n_iter, some.stopped_by) == (3, "max_bounds")
    assert some.lower_bound <= more.lower_bound <= more.objective <= some.objective


@pytest.mark.parametrize(
    ("n_groups", "n_labels", "effort"),
    [(3, 10, FULL), (5, 6, SEVERAL_GROUPS), (5, 8, MANY_GROUPS), (50, 3, SMALL), (2, 20, SMALL)],
)
def test_less_is_tried_with_more_groups_or_labels(n_groups, n_labels, effort):
    evaluation = Evaluation(None, None, np.arange(n_groups), np.arange(n_labels))
    assert evaluation.effort == effort


# Limits -------------------------------------------------------------------------------------


def learn(model, n_groups, n_labels):
    true, _, score, group = rows_of_size(n_groups, n_labels, 2000)
    model.fit(score[:, None], true, sensitive_features=group)


def scores_of(n_groups, n_labels):
    true, _, score, group = rows_of_size(n_groups, n_labels, 2000)
    return audit(true, score, sensitive_features=group)


class Unfitted(Ridge):
    """An estimator that must not be asked for work."""

    def fit(self, X, y):
        raise AssertionError("fitted before the limits were checked")


LIMITS = {
    "groups": (lambda: audit_of(501, 2, 2000), "has 501 groups.*at most 500 groups"),
    "labels": (lambda: audit_of(2, 1501, 5000), "1501 labels.*at most .* 1500 labels"),
    "cells": (lambda: audit_of(60, 70, 5000), "60 groups .* 70 labels.*at most .* 4096 cells"),
    "cells of scores": (
        lambda: scores_of(40, 30),
        "40 groups .* 30 labels; an audit of scores takes at most .* 1024 cells",
    ),
    "groups of a ranker": (
        lambda: learn(FairLinearRanker(), 61, 2),
        "61 groups.*a ranker takes at most 60 groups, .* and 150 cells",
    ),
    "cells of a model": (
        lambda: learn(FairOrdinalClassifier(max_violation=0.1), 2, 151),
        "151 labels; a ranker takes .* 150 cells",
    ),
    "groups of a classifier": (
        lambda: learn(FairThresholdClassifier(Unfitted()), 101, 2),
        "101 groups.*a search for thresholds takes at most 100 groups",
    ),
    "groups of thresholds": (
        lambda: optimize_thresholds(
            *rows_of_size(101, 2, 2000)[2::-2],
            sensitive_features=rows_of_size(101, 2, 2000)[3],
            max_violation=0.1,
        ),
        "101 groups.*a search for thresholds takes at most 100 groups",
    ),
    "resamples": (
        lambda: audit_of(2, 100, 1000, interval="bootstrap"),
        "2 groups and 100 labels takes at most 625 resamples, got n_resamples=1000",
    ),
    "standard criteria": (
        lambda: audit_of(2, 60, 1000, criteria=["standard_equalized_odds"]),
        "3,600 parts with 60 labels, too many",
    ),
    "comparison": (lambda: audit_of(2, 60, 1000, compare=True), "compare=True"),
    "groups in a picture": (
        lambda: DisparityDisplay.from_audit(audit_of(61, 2, 500)),
        "at most 60 groups, got 61",
    ),
    "labels in a picture": (
        lambda: GroupConfusionDisplay.from_audit(audit_of(2, 61, 500)),
        "at most 60 labels, got 61",
    ),
}


@pytest.mark.parametrize(("work", "message"), LIMITS.values(), ids=LIMITS)
def test_limits_are_stated_with_what_came(work, message):
    with pytest.raises(ValueError, match=message):
        work()


def test_many_groups_take_a_bounded_number_of_searches(monkeypatch):
    """A frontier of 50 groups took 953 searches."""
    searches = []
    run = Certified.run
    monkeypatch.setattr(Certified, "run", lambda self: (searches.append(1), run(self))[1])
    generator = np.random.default_rng(0)
    group = np.repeat(np.arange(14), 8)
    X = generator.normal(size=(112, 2)) + group[:, None] / 14
    y = np.digitize(X[:, 0] + generator.normal(size=112), [0, 1])
    FairOrdinalFrontier(cv=3).fit(X, y, sensitive_features=group)
    assert 0 < len(searches) < 250
