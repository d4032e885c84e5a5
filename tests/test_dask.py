"""Rows in blocks of Dask: the same models as in memory, however the rows are cut."""

import pickle
import re
from pathlib import Path

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import StratifiedKFold

from fairordinal import (
    FairOrdinalClassifier,
    FairOrdinalFrontier,
    FairThresholdClassifier,
    metrics,
    optimize_thresholds,
)
from fairordinal._costs import cost_matrix
from fairordinal._pairloss import LOSSES, Histogram
from fairordinal._pairloss._bins import add_grid_counts, count_on_grid, find_spans
from fairordinal._rows import Block, Features, folds_of, read_partitions, score_table
from fairordinal._rows import _scores as scores_module
from fairordinal._rows._features import add_moments, moments_of, scaled_by
from fairordinal._rows._folds import sample_positions
from fairordinal.criteria import as_criterion
from fairordinal.ranker import FairLinearRanker, pair_data
from fairordinal.ranker import _paths as ranker_paths
from fairordinal.ranker._objective import Aim, Objective
from fairordinal.ranker._solver import Training
from fairordinal.thresholds import read_goal, read_settings, solve
from fairordinal.thresholds._solve import coarseness_of
from made_up import people

pytestmark = pytest.mark.usefixtures("small_effort")

QUICK = {"ranker": "relaxed", "alpha": 1e-3, "cv": 2}
DIRECT = QUICK | {"ranker": "direct"}


@pytest.fixture(autouse=True)
def one_thread():
    """The scheduler with the least overhead."""
    with dask.config.set(scheduler="synchronous"):
        yield


def cut(values, lengths):
    """An array of Dask in blocks of these lengths."""
    chunks = (tuple(lengths), *((n,) for n in values.shape[1:]))
    return da.from_array(values, chunks=chunks)


def blocks(X, y, a, lengths, weight=None):
    weight = None if weight is None else cut(weight, lengths)
    columns = (cut(values, lengths) for values in (X, y, a))
    return read_partitions(*columns, weight, None)[0]


@st.composite
def cuttings(draw, n):
    """Lengths of blocks, some of them empty."""
    ends = sorted(draw(st.lists(st.integers(0, n), max_size=5)))
    return np.diff([0, *ends, n]).tolist()


@settings(max_examples=40)
@given(data=st.data(), seed=st.integers(0, 10**6))
def test_tallies_of_blocks_add_up_to_that_of_all_rows(data, seed):
    generator = np.random.default_rng(seed)
    n, n_cells, detail = 60, 4, data.draw(st.sampled_from([1.0, 0.3]))
    scale = data.draw(st.sampled_from([0.0, 1.0, 30.0, 1e4, 1e12]))
    scores = scale * generator.standard_cauchy(n) + data.draw(st.sampled_from([0.0, 1e3, -1e9]))
    cells, weight = generator.integers(0, n_cells, n), generator.choice([0.5, 2.0], n)
    ends = np.cumsum(data.draw(cuttings(n)))[:-1]
    parts = zip(*(np.split(values, ends) for values in (scores, cells, weight)), strict=True)
    found = add_grid_counts([count_on_grid(s, c, n_cells, w, detail) for s, c, w in parts])
    whole = count_on_grid(scores, cells, n_cells, weight, detail)
    if whole.counts is None:
        assert found.counts is None
        assert found.spans[0, 0] == scores.min()
        assert found.spans[-1, 1] == scores.max()
        inside = (scores[:, None] >= found.spans[:, 0]) & (scores[:, None] <= found.spans[:, 1])
        assert (inside.sum(axis=1) == 1).all()
        return
    np.testing.assert_array_equal(found.spans, whole.spans)
    mine, theirs = (Histogram.from_grid(each, detail) for each in (found, whole))
    assert mine.bins.positions == theirs.bins.positions
    np.testing.assert_allclose(mine.counts, theirs.counts, atol=1e-9)


def test_spans_are_apart_and_hold_every_score():
    scores = np.concatenate([np.linspace(0, 30, 7), [71.0, 90.0], [1e9], [1e9 + 39]])
    np.testing.assert_array_equal(find_spans(scores), [[0, 30], [71, 90], [1e9, 1e9 + 39]])
    assert find_spans(np.zeros(0)).shape == (0, 2)


def test_blocks_on_both_sides_of_a_gap_in_a_narrow_range_have_one_span():
    scores, cells, weight = np.array([0.0, 100.0, 120.0]), np.zeros(3, dtype=int), np.ones(3)
    whole = count_on_grid(scores, cells, 1, weight, 1.0)
    for cut in (1, 2):
        parts = [
            count_on_grid(scores[rows], cells[rows], 1, weight[rows], 1.0)
            for rows in (slice(0, cut), slice(cut, 3))
        ]
        np.testing.assert_array_equal(add_grid_counts(parts).spans, whole.spans)


def test_samples_are_spread_evenly_and_know_nothing_of_blocks():
    whole = sample_positions(0, 10**5, 10**5, 10**4)
    assert abs(len(whole) - 10**4) < 400
    assert np.histogram(whole, bins=10, range=(0, 10**5))[0].std() < 60
    parts = [
        sample_positions(s, s + 2 * 10**4, 10**5, 10**4) + s for s in range(0, 10**5, 2 * 10**4)
    ]
    np.testing.assert_array_equal(np.concatenate(parts), whole)
    np.testing.assert_array_equal(sample_positions(3, 8, 100, 100), np.arange(5))


@settings(max_examples=40)
@given(data=st.data(), seed=st.integers(0, 10**6))
def test_moments_of_blocks_add_up(data, seed):
    generator = np.random.default_rng(seed)
    X = generator.normal(data.draw(st.sampled_from([0.0, 1e6])), 1.0, size=(50, 2))
    weight = generator.choice([0.5, 1.0, 4.0], 50)
    ends = np.cumsum(data.draw(cuttings(50)))[:-1]
    parts = zip(np.split(X, ends), np.split(weight, ends), strict=True)
    found = scaled_by(add_moments([moments_of(*part) for part in parts]))
    mean = np.average(X, axis=0, weights=weight)
    np.testing.assert_allclose(found.means, mean)
    spread = np.sqrt(np.average((X - mean) ** 2, axis=0, weights=weight))
    np.testing.assert_allclose(found.spreads, spread, rtol=1e-6)


def test_constant_features_are_not_scaled():
    assert scaled_by(moments_of(np.full((10**5, 1), 0.1))).spreads.tolist() == [1.0]


def test_parts_of_rows_share_their_features():
    X, y, a = people(40)
    rows = Block.of(Features.of(X), a, y, 2, 4)
    at = np.array([3, 3, 17, 5])
    part = rows.take(at).take(np.array([0, 1, 3]))
    again = Block.of(Features(X[at][[0, 1, 3]], *rows.scaling[1:]), part.groups, part.labels, 2, 4)
    assert part.features.X is X
    coef, values = np.array([1.0, -2.0, 0.5]), np.array([1.0, 2.0, 4.0])
    np.testing.assert_allclose(part.scores(coef), again.scores(coef))
    np.testing.assert_allclose(part.weighted_sum(values), again.weighted_sum(values))
    np.testing.assert_allclose(part.gram(values), again.gram(values))
    np.testing.assert_allclose(part.squares(values), np.diag(again.gram(values)))
    np.testing.assert_allclose(part.sums_by_cell(), again.sums_by_cell())


@settings(max_examples=15, deadline=None)
@given(data=st.data(), seed=st.integers(0, 10**6))
def test_objectives_of_blocks_are_those_of_all_rows(data, seed):
    X, y, a = people(80, seed)
    weight = data.draw(st.sampled_from([None, np.random.default_rng(seed).choice([0, 1.0, 3], 80)]))
    rows = blocks(X, y, a, data.draw(cuttings(80)), weight)
    kept = np.arange(80) if weight is None else np.flatnonzero(weight)
    share = None if weight is None else weight[kept]
    whole = Block.of(Features.of(X[kept], share), a[kept], y[kept], 2, 4, weight=share)
    np.testing.assert_allclose(rows.scaling.means, whole.scaling.means, atol=1e-12)
    coef = data.draw(st.sampled_from([1.0, 300.0])) * np.array([1.0, 0.5, -0.3])
    for part, same in zip(
        [rows, *folds_of(rows.sample(80), 2, 0)[0]], [whole, *folds_of(whole, 2, 0)[0]], strict=True
    ):
        values = [
            Objective(
                pair_data(each, as_criterion("demographic_parity"), LOSSES["logistic"]),
                0.1,
                Aim(penalty=10.0, limit=0.02, mean_penalty=0.3),
            )(coef)
            for each in (part, same)
        ]
        assert values[0][0] == pytest.approx(values[1][0], rel=1e-9)
        np.testing.assert_allclose(values[0][1], values[1][1], rtol=1e-6, atol=1e-9)


def two_feature_people():
    """Labels depend on two features.

    The sums of blocks differ by rounding, which the direct ranker amplifies. For these rows scores
    agree to 1e-6; for those of `people(300)`, to 7e-6 only.
    """
    generator = np.random.default_rng(0)
    a = generator.integers(0, 2, 300)
    X = generator.normal(size=(300, 3))
    X[:, 0] += 0.7 * a
    return X, np.digitize(X[:, 0] + X[:, 1] + generator.normal(size=300), [-1, 0.5, 2]), a


@pytest.mark.parametrize("lengths", [[300], [100, 200], [0, 1, 120, 0, 179]])
@pytest.mark.parametrize("most", [1000, 200])  # rows to choose by: all, or a sample
def test_the_classifier_is_the_same_however_rows_are_cut(lengths, most, monkeypatch):
    monkeypatch.setattr(ranker_paths, "MOST_CHOOSING", most)
    X, y, a = two_feature_people()
    here = FairOrdinalClassifier(max_violation=0.1, **DIRECT).fit(X, y, sensitive_features=a)
    columns = [cut(values, lengths) for values in (X, y)]
    there = FairOrdinalClassifier(max_violation=0.1, **DIRECT)
    there.fit(*columns, sensitive_features=cut(a, lengths))
    np.testing.assert_allclose(there.decision_function(X), here.decision_function(X), atol=1e-6)
    np.testing.assert_array_equal(there.predict(X), here.predict(X))
    np.testing.assert_allclose(there.thresholds_, here.thresholds_, atol=1e-6)
    for name in ("cost_", "violation_", "gap_", "expected_cost_", "expected_violation_"):
        assert getattr(there, name) == pytest.approx(getattr(here, name), abs=1e-6)
    lazy = there.predict(columns[0])
    assert dask.is_dask_collection(lazy)
    np.testing.assert_array_equal(lazy.compute(), here.predict(X))
    np.testing.assert_allclose(
        there.decision_function(columns[0]).compute(), here.decision_function(X), atol=1e-6
    )


@settings(max_examples=6, deadline=None)
@given(data=st.data())
def test_random_cuttings_give_the_same_ranker_and_thresholds(data):
    X, y, a = people(150, seed=data.draw(st.integers(0, 3)), n_groups=3)
    options = {"trade_off": 0.3, "ranker": "relaxed", "alpha": 1e-3, "cv": 2}
    lengths = data.draw(cuttings(150))
    here, there = FairOrdinalClassifier(**options), FairOrdinalClassifier(**options)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ranker_paths, "MOST_CHOOSING", data.draw(st.sampled_from([100, 150])))
        here.fit(X, y, sensitive_features=a)
        there.fit(cut(X, lengths), cut(y, lengths), sensitive_features=cut(a, lengths))
    np.testing.assert_allclose(there.coef_, here.coef_, atol=1e-8)
    np.testing.assert_array_equal(there.predict(X), here.predict(X))


def frames(X, y, a, n_parts):
    names = np.array(["poor", "fair", "good", "best"])[y]
    frame = pd.DataFrame(X, columns=["one", "two", "three"])
    frame["grade"] = pd.Categorical(names, ["poor", "fair", "good", "best"], ordered=True)
    frame["sex"], frame["age"] = np.array(["f", "m"])[a], np.where(X[:, 2] > 0, "old", "young")
    frame["weight"] = np.where(X[:, 1] > 1, 0.0, 1.5)
    return frame, dd.from_pandas(frame, npartitions=n_parts)


def test_frames_with_names_intersections_and_weights():
    frame, lazy = frames(*people(300), 4)
    features, groups = ["one", "two", "three"], ["sex", "age"]
    here, there = (
        FairOrdinalClassifier(trade_off=0.3, **QUICK).fit(
            each[features],
            each["grade"],
            sensitive_features=each[groups],
            sample_weight=each["weight"],
        )
        for each in (frame, lazy)
    )
    assert there.feature_names_in_.tolist() == features
    assert there.classes_.tolist() == ["poor", "fair", "good", "best"]
    np.testing.assert_allclose(there.coef_, here.coef_, atol=1e-8)
    predicted = there.predict(lazy[features])
    assert predicted.compute().index.equals(frame.index)
    np.testing.assert_array_equal(predicted.compute(), here.predict(frame[features]))
    tables = [model.result_.score_table for model in (here, there)]
    assert tables[0].groups.tolist() == tables[1].groups.tolist()


def test_columns_in_memory_are_cut_like_the_features():
    X, y, a = people(300)
    here = FairLinearRanker(alpha=1e-3, ranker="relaxed").fit(X, y, sensitive_features=a)
    frame = dd.from_pandas(pd.DataFrame(X, columns=list("abc")), npartitions=3)
    groups = {"sex": a, "half": np.arange(300) % 2}
    for features in (cut(X, [100, 200]), frame):
        there = FairLinearRanker(alpha=1e-3, ranker="relaxed").fit(
            features, y, sensitive_features=a.astype(float)
        )
        np.testing.assert_allclose(there.coef_, here.coef_, atol=1e-8)
        np.testing.assert_allclose(there.violations_, here.violations_, atol=1e-12)
        FairLinearRanker(alpha=1e-3, ranker="relaxed").fit(features, y, sensitive_features=groups)


def test_blocks_may_differ_in_their_types():
    X, y, a = people(300)
    frame = pd.DataFrame({"y": y, "a": a})
    parts = [frame[:90], frame[90:200].astype(float), frame[200:].astype("int8")]
    lazy = dd.from_map(lambda i: parts[i], [0, 1, 2], meta=frame)
    here = FairLinearRanker(alpha=1e-3, ranker="relaxed").fit(X, y, sensitive_features=a)
    there = FairLinearRanker(alpha=1e-3, ranker="relaxed").fit(
        cut(X, [90, 110, 100]), lazy["y"], sensitive_features=lazy["a"]
    )
    np.testing.assert_allclose(there.coef_, here.coef_, atol=1e-8)
    halves = [frame[:90], frame[90:].astype(str)]
    mixed = dd.from_map(lambda i: halves[i], [0, 1], meta=frame)
    with pytest.raises(ValueError, match="y holds numbers in one table and names in another"):
        FairLinearRanker().fit(cut(X, [90, 210]), mixed["y"], sensitive_features=mixed["a"])


def test_unknown_lengths_are_counted():
    X, y, a = people(300)
    frame = dd.from_pandas(pd.DataFrame(X, columns=list("abc")), npartitions=3)
    unknown = frame.to_dask_array()
    assert np.isnan(unknown.chunks[0]).any()
    here = FairLinearRanker(alpha=1e-3, ranker="relaxed").fit(X, y, sensitive_features=a)
    there = FairLinearRanker(alpha=1e-3, ranker="relaxed").fit(unknown, y, sensitive_features=a)
    np.testing.assert_allclose(there.coef_, here.coef_, atol=1e-8)


def test_the_frontier_of_blocks_is_that_of_all_rows():
    X, y, a = people(200)
    options = {"ranker": "relaxed", "alpha": 1e-3, "cv": 2}
    here = FairOrdinalFrontier(**options).fit(X, y, sensitive_features=a)
    lengths = [60, 140]
    there = FairOrdinalFrontier(**options).fit(
        cut(X, lengths), cut(y, lengths), sensitive_features=cut(a, lengths)
    )
    mine, theirs = there.frame(), here.frame()
    assert len(mine) == len(theirs)
    np.testing.assert_allclose(mine["cost"], theirs["cost"], atol=1e-9)
    np.testing.assert_allclose(mine["violation"], theirs["violation"], atol=1e-9)


@pytest.mark.parametrize("scorer", [Ridge(), LogisticRegression()])
def test_thresholds_of_a_fitted_scorer(scorer):
    X, y, a = people(300)
    scorer.fit(X[:100], y[:100])
    here, there = (
        FairThresholdClassifier(scorer, cv="prefit", max_violation=0.1) for _ in range(2)
    )
    here.fit(X, y, sensitive_features=a)
    lengths = [0, 250, 50]
    there.fit(cut(X, lengths), cut(y, lengths), sensitive_features=cut(a, lengths))
    np.testing.assert_allclose(there.thresholds_, here.thresholds_, atol=1e-12)
    assert there.gap_ == pytest.approx(here.gap_, abs=1e-9)
    np.testing.assert_array_equal(there.predict(cut(X, lengths)).compute(), here.predict(X))
    frontier = FairOrdinalFrontier(estimator=scorer, cv="prefit")
    frontier.fit(cut(X, lengths), cut(y, lengths), sensitive_features=cut(a, lengths))
    assert len(frontier.points_) > 1


BAD = {
    "other blocks": ({"y": [100, 200]}, r"y has 2 blocks but X has 3.*[Rr]echunk"),
    "other lengths": (
        {"y": [90, 110, 100], "a": [90, 110, 100]},
        r"a block of X has 100 rows but that of y has (90|110)",
    ),
    "groups of other lengths": (
        {"a": [90, 110, 100]},
        r"block [01]: sensitive_features has (90|110) rows but y has 100",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_blocks_that_do_not_belong_together_are_refused(case):
    lengths, message = BAD[case]
    X, y, a = people(300)
    even = [100, 100, 100]
    with pytest.raises(ValueError, match=message):
        FairOrdinalClassifier(**QUICK).fit(
            cut(X, even),
            cut(y, lengths.get("y", even)),
            sensitive_features=cut(a, lengths.get("a", even)),
        )


def spoilt(place, value):
    X, y, a = people(300)
    columns = {"X": X, "y": y.astype(float), "a": a.astype(float), "w": np.ones(300)}
    columns[place][150, ...] = value
    return columns


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        ("X", np.nan, "X contains NaN"),
        ("X", 1e200, "too large to scale"),
        ("y", np.nan, "block 1: y must be complete, got nan at row 50"),
        ("a", np.nan, "block 1: sensitive_features must be complete"),
        ("w", -1.0, "block 1: sample_weight must be finite and at least 0"),
    ],
)
def test_bad_values_are_refused_with_their_block(place, value, message):
    columns = {name: cut(values, [100, 200]) for name, values in spoilt(place, value).items()}
    with pytest.raises(ValueError, match=message):
        FairOrdinalClassifier(**QUICK).fit(
            columns["X"],
            columns["y"],
            sensitive_features=columns["a"],
            sample_weight=columns["w"],
        )


def test_what_needs_rows_in_memory_is_refused():
    X, y, a = (cut(values, [150, 150]) for values in people(300))
    for options in ({"loss": "squared_hinge"}, {"cv": StratifiedKFold(2)}):
        model = FairOrdinalClassifier(**(QUICK | options))
        with pytest.raises(
            ValueError, match=r"rows of Dask are not loaded into memory.*\.compute\(\)"
        ):
            model.fit(X, y, sensitive_features=a)
    with pytest.raises(ValueError, match="rows of Dask need cv='prefit'"):
        FairThresholdClassifier(Ridge()).fit(X, y, sensitive_features=a)
    model = FairOrdinalClassifier(trade_off=0.3, **QUICK).fit(X, y, sensitive_features=a)
    with pytest.raises(ValueError, match="expects 3 features"):
        model.predict(X[:, :2])
    with pytest.raises(ValueError, match="every block is empty"):
        FairOrdinalClassifier(**QUICK).fit(X[:0], y[:0], sensitive_features=a[:0])
    with pytest.raises(ValueError, match="one value of sensitive_features"):
        FairOrdinalClassifier(**QUICK).fit(
            X, y, sensitive_features=a, sample_weight=(a == 0).astype(float)
        )


def stretched(rows, monkeypatch, most=100, stretches=64):
    monkeypatch.setattr(scores_module, "MOST_DISTINCT", most)
    monkeypatch.setattr(scores_module, "N_INTERVALS", stretches)
    coef = np.array([1.0, 1.0, 0.0])
    return score_table(rows, coef, np.arange(2), np.arange(4)), coef


@pytest.mark.parametrize("kind", ["normal", "outliers", "ties"])
def test_stretches_hold_every_row_between_their_ends(kind, monkeypatch):
    X, y, a = people(2000)
    X[0] = 1e9 if kind == "outliers" else X[0]
    X = np.rint(2 * X) if kind == "ties" else X
    rows = Block.of(Features.plain(X), a, y, 2, 4)
    table, coef = stretched(rows, monkeypatch)
    scores = X @ coef
    assert (table.lowest <= table.axis).all()
    assert (table.axis[:-1] < table.lowest[1:]).all()
    for at, (low, high) in enumerate(zip(table.lowest, table.axis, strict=True)):
        inside = (scores >= low) & (scores <= high)
        expected = np.bincount(rows.cells[inside], minlength=8)
        np.testing.assert_array_equal(table.counts[:, [at]].toarray().ravel(), expected)
    weight = table.counts.sum(axis=0)
    several = table.lowest < table.axis
    assert weight.sum() == 2000
    assert weight[several].max(initial=0) <= 2 * 2000 / 64
    lengths = [700, 0, 1300]
    cut_up = read_partitions(*(cut(v, lengths) for v in (X, y, a)), None, None, score=sum_of_two)[0]
    again = score_table(cut_up, np.ones(1), np.arange(2), np.arange(4))
    np.testing.assert_array_equal(again.axis, table.axis)
    np.testing.assert_array_equal(again.counts.toarray(), table.counts.toarray())


def sum_of_two(X, labels):
    return X @ np.array([1.0, 1.0, 0.0])


@pytest.mark.parametrize("criterion", ["demographic_parity", "equal_opportunity", "harm_parity"])
@pytest.mark.parametrize("asked", [{"trade_off": 0.3}, {"max_violation": 0.1}])
def test_bounds_of_stretches_are_honest(criterion, asked, monkeypatch):
    """No thresholds at all, not only those between stretches, are better than the bound says."""
    X, y, a = people(400)
    rows = Block.of(Features.plain(X), a, y, 2, 4)
    table, coef = stretched(rows, monkeypatch, stretches=16)
    goal = read_goal(asked.get("trade_off"), asked.get("max_violation"), "certified")
    cost, criterion = cost_matrix("absolute", np.arange(4)), as_criterion(criterion, "absolute")
    found = solve(table, criterion, cost, goal, "certified", read_settings(1e-6, None, 0, 0))
    best = optimize_thresholds(
        X @ coef, y, sensitive_features=a, criterion=criterion, tol=1e-6, **asked
    )
    assert found.lower_bound <= best.objective + 1e-9
    assert found.objective >= best.lower_bound - 1e-9
    assert found.objective <= best.objective + sum(coarseness_of(table, criterion, cost)) * 10
    predicted = np.searchsorted(found.thresholds, X @ coef)
    assert found.cost == pytest.approx(metrics.mean_cost(y, predicted))


@pytest.mark.parametrize("where", ["memory", "blocks"])
def test_many_rows_are_chosen_by_a_sample_and_learned_from_all(where, monkeypatch):
    X, y, a = people(3000)
    whole = FairOrdinalClassifier(trade_off=0.3, **QUICK).fit(X, y, sensitive_features=a)
    monkeypatch.setattr(ranker_paths, "MOST_CHOOSING", 1600)
    lengths = [1000, 800, 1200]
    columns = (X, y, a) if where == "memory" else [cut(v, lengths) for v in (X, y, a)]
    model = FairOrdinalClassifier(trade_off=0.3, **QUICK)
    model.fit(*columns[:2], sensitive_features=columns[2])
    assert model.result_.score_table.totals.sum() == 3000
    assert abs(model.cost_ - whole.cost_) < 0.05
    here = FairOrdinalClassifier(trade_off=0.3, **QUICK).fit(X, y, sensitive_features=a)
    np.testing.assert_allclose(model.coef_, here.coef_, atol=1e-8)
    np.testing.assert_array_equal(model.predict(X), here.predict(X))


def test_columns_that_the_sample_has_not_seen_take_no_more_steps(monkeypatch):
    X, y, a = people(6000)
    seen = np.zeros(6000, bool)
    seen[sample_positions(0, 6000, 6000, 1500)] = True
    rare = np.flatnonzero(~seen)[:24].reshape(4, 6)
    dummies = np.zeros((6000, 4))
    for column, at in enumerate(rare):
        dummies[at, column] = 1.0
    X = np.column_stack([X, dummies])
    monkeypatch.setattr(ranker_paths, "MOST_CHOOSING", 1500)
    steps, fit = [], Training.fit

    def counted(self, data, aim, start, steepness=None):
        found = fit(self, data, aim, start, steepness)
        if steepness is not None and data.rows.n_rows == 6000:
            steps.append((found.n_iter, fit(self, data, aim, start).n_iter))
        return found

    monkeypatch.setattr(Training, "fit", counted)
    for alpha in (1e-4, 1e-6):
        options = {"basis": "linear", "ranker": "direct", "alpha": alpha, "cv": 2}
        model = FairOrdinalClassifier(trade_off=0.1, **options)
        model.fit(X, y, sensitive_features=a)
    assert len(steps) == 2
    assert all(known <= unknown + 3 for known, unknown in steps)


def test_jobs_are_threads_for_rows_of_dask():
    X, y, a = people(300)
    weight = np.where(X[:, 1] > 0, 2.0, 1.0)
    lazy = [cut(values, [120, 0, 180]) for values in (X, y, a, weight)]
    options = {"ranker": "relaxed", "alpha": 1e-3, "cv": 2, "n_jobs": 2}
    here, there = (
        FairOrdinalFrontier(**options).fit(X, y, sensitive_features=a, sample_weight=w)
        for X, y, a, w in ((X, y, a, weight), lazy)
    )
    mine, theirs = there.frame(), here.frame()
    np.testing.assert_allclose(mine["cost"], theirs["cost"], atol=1e-9)
    np.testing.assert_allclose(mine["violation"], theirs["violation"], atol=1e-9)


def test_a_sample_does_not_hold_on_to_the_other_rows():
    X, y, a = people(500)
    rows = Block.of(Features.of(X), a, y, 2, 4)
    some = rows.sample(100)
    assert some.features.n_rows == some.n_rows < 200
    assert rows.sample(500) is rows
    at, coef = sample_positions(0, 500, 500, 100), np.ones(3)
    np.testing.assert_array_equal(some.scores(coef), rows.scores(coef)[at])
    assert some.alone() is some


def test_rows_that_come_by_network_are_as_quick_as_others():
    X, y, a = people(60)
    rows, buffers = Block.of(Features.of(X), a, y, 2, 4), []
    sent = pickle.dumps(rows, protocol=5, buffer_callback=buffers.append)
    frames = [memoryview(b"-" + buffer.raw().tobytes())[1:] for buffer in buffers]
    come = pickle.loads(sent, buffers=frames)
    coef = pickle.loads(pickle.dumps(np.ones(3)))
    for values in (come.features.X, come.cells, come.weight, come.scores(coef)):
        assert values.flags.aligned
        assert values.dtype is np.dtype(values.dtype.type)
    np.testing.assert_array_equal(come.scores(np.ones(3)), rows.scores(np.ones(3)))


def test_files_of_numpy_are_read_by_the_recipe_of_the_page(tmp_path, monkeypatch):
    page = (Path(__file__).resolve().parents[1] / "docs" / "scale.md").read_text()
    (recipe,) = [part for part in re.findall(r"```python\n(.*?)```", page, re.S) if "npy" in part]
    monkeypatch.chdir(tmp_path)
    columns = people(300)
    for name, values in zip("Xya", columns, strict=True):
        np.save(f"{name}.npy", values)
    found = {"np": np, "da": da, "columns": columns}
    exec(recipe.replace("100_000", "70"), found)
    assert found["X"].numblocks == (5, 1)
    for name, values in zip("Xya", columns, strict=True):
        np.testing.assert_array_equal(found[name].compute(), values)
    here, there = (
        FairOrdinalClassifier(trade_off=0.3, **QUICK).fit(X, y, sensitive_features=a)
        for X, y, a in (columns, [found[name] for name in "Xya"])
    )
    np.testing.assert_allclose(there.coef_, here.coef_, atol=1e-8)


def test_sparse_parts_are_not_copied_either():
    X, y, a = people(60)
    rows = Block.of(Features.of(sparse.csr_array(X)), a, y, 2, 4)
    (train, test), _ = folds_of(rows, 2, 0)
    assert train.n_rows + test.n_rows == 60
    np.testing.assert_allclose(
        train.sums_by_cell() + test.sums_by_cell(), rows.sums_by_cell(), atol=1e-12
    )
