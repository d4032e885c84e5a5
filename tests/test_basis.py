"""Bases of rankers: features, ramps, leaves of trees, and the choice between them."""

import importlib
import pickle
import sys

import dask.array as da
import numpy as np
import pandas as pd
import pytest
import sklearn
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

from fairordinal import FairOrdinalClassifier, FairOrdinalFrontier
from fairordinal._basis import LeafRamps, Linear, Piecewise, Trees
from fairordinal._basis._bases import MOST_LABEL_TREES, TREES_WITH_COLUMNS, label_boosting
from fairordinal._basis._leaf_ramps import LEAF_LIMIT, LEAF_STRENGTH
from fairordinal._basis._ramps import MOST_BOUNDARIES
from fairordinal._rows import Block, Features
from fairordinal.estimators import _bases as estimator_bases
from fairordinal.estimators import describe_basis
from fairordinal.metrics import mean_cost, pairwise_demographic_parity_difference
from fairordinal.models import fit_table
from fairordinal.ranker import _paths as ranker_paths
from fairordinal.ranker import costs_of_rules, measured_in_folds, read_rows
from fitted import fitted
from made_up import people

pytestmark = pytest.mark.usefixtures("small_effort")

QUICK = {"ranker": "relaxed", "cv": 2, "alpha": 0.03, "max_violation": 0.3}


def product_people(n=800, seed=0):
    """Labels depend on a product of two features, which no linear score can tell."""
    generator = np.random.default_rng(seed)
    a = generator.integers(0, 2, n)
    X = generator.normal(size=(n, 4))
    X[:, 2] += a
    hidden = 2.0 * np.sign(X[:, 0] * X[:, 1]) + X[:, 2] + 0.5 * generator.normal(size=n)
    return X, np.digitize(hidden, [-1.5, 0.5, 2.0]), a


def block_of(X, y, a):
    return Block.of(Features.of(X), a, y, int(a.max()) + 1, int(y.max()) + 1)


@pytest.mark.parametrize("offset", [0.0, 1e7])
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_scores_of_the_basis_are_those_of_features(kind, offset):
    X, y, a = product_people(300)
    X = X + offset * (kind is np.asarray)
    rows = block_of(kind(X), y, a)
    none = Piecewise.unfitted(rows)
    for basis in (Linear(rows.scaling), none.refit(rows), Trees.unfitted(none).refit(rows)):
        mapped = basis.mapped(rows)
        coef = np.random.default_rng(0).normal(size=mapped.n_features)
        score = basis.score(coef)
        assert score.basis == basis.name
        np.testing.assert_allclose(score(kind(X)) - score.shift, mapped.scores(coef), atol=1e-6)
        np.testing.assert_allclose(
            score.feature(rows.features).X[:, 0], mapped.scores(coef), atol=1e-9
        )


def test_columns_are_features_ramps_predictions_and_leaves():
    X, y, a = product_people(500)
    rows = block_of(X, y, a)
    basis = Trees.unfitted(Piecewise.unfitted(rows)).refit(rows)
    columns = basis.mapped(rows).features.X.toarray()
    standardised = (X - X.mean(axis=0)) / X.std(axis=0)
    np.testing.assert_allclose(columns[:, :4], standardised, atol=1e-9)
    ramps = np.clip(X @ basis.base.ramps.weights + basis.base.ramps.offsets, -1.0, 1.0)
    ramps = (ramps - ramps.mean(axis=0)) / ramps.std(axis=0)
    np.testing.assert_allclose(columns[:, 4:8], ramps, atol=1e-9)  # three for labels, a group
    np.testing.assert_allclose(columns[:, 8:10].std(axis=0), 1.0)  # of groups and of labels
    leaves = columns[:, 10:]
    assert leaves.shape[1] == basis.n_leaves
    assert set(np.unique(leaves)) == {0.0, 1.0}
    np.testing.assert_array_equal(leaves.sum(axis=1), basis.n_trees_with_columns)
    n_trees = [len(booster.forest.trees) for booster in basis.boosters]
    assert basis.n_trees_with_columns == n_trees[0] + TREES_WITH_COLUMNS < sum(n_trees)


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_ramps_with_leaves_are_logistic_regressions_on_columns_of_trees(kind):
    X, y, a = product_people(400)
    y[:] = np.minimum(y, 2)
    rows = block_of(kind(X), y, a)
    found = LeafRamps.unfitted(rows).refit(rows)
    columns = found.trees.mapped(rows).features.X.toarray()
    n_ramps = found.trees.base.ramps.n_ramps
    columns = np.delete(columns, np.arange(4, 4 + n_ramps), axis=1)
    ramps = found.ramps.values(kind(X))
    for target, ramp in zip([y > 0, y > 1, a == 1], ramps.T, strict=True):
        model = LogisticRegression(C=LEAF_STRENGTH, tol=1e-3).fit(columns, target)
        logits = model.decision_function(columns)
        np.testing.assert_allclose(ramp, np.clip(logits / LEAF_LIMIT, -1.0, 1.0), atol=1e-9)
    assert found.boundaries == (0, 1)


def test_ramps_with_leaves_predict_what_linear_ones_cannot():
    X, y, a = product_people(1500)
    fresh = product_people(5000, seed=1)
    cost = np.abs(np.subtract.outer(np.arange(4), np.arange(4))).astype(float)
    train, held_out = block_of(X, y, a), block_of(*fresh)
    bases = [Piecewise.unfitted(train), LeafRamps.unfitted(train)]
    without, with_trees = costs_of_rules(train, held_out, bases, cost)
    assert with_trees < 0.7 * without
    predicted = [np.abs(fresh[1] - label).mean() for label in range(4)]
    assert without < min(predicted)  # constants


def test_more_rows_grow_more_trees():
    sizes = [label_boosting(n).n_trees for n in (10, 1000, 4000, 10**6)]
    assert sizes == sorted(sizes)
    assert sizes[0] == TREES_WITH_COLUMNS
    assert sizes[-1] == MOST_LABEL_TREES


def test_auto_takes_trees_where_they_help_and_ramps_where_not():
    X, y, a = product_people()
    bent = fitted(FairOrdinalClassifier(**QUICK), X, y, sensitive_features=a)
    assert (bent.basis_, bent.forest_ is None) == ("trees", False)
    X, y, a = people(800, n_features=4)
    straight = fitted(FairOrdinalClassifier(**QUICK), X, y, sensitive_features=a)
    assert (straight.basis_, straight.forest_) == ("piecewise", None)
    assert straight.ramps_.n_ramps == len(straight.ramp_coef_) == 4


@pytest.mark.parametrize(("n", "n_more"), [(240, 0), (800, 1000)])
def test_few_rows_and_very_many_features_are_left_to_linear_columns(n, n_more):
    X, y, a = product_people(n)
    X = np.hstack([X, np.zeros((n, n_more))])
    assert FairOrdinalClassifier(**QUICK).fit(X, y, sensitive_features=a).basis_ == "linear"


@pytest.mark.usefixtures("full_effort")
def test_estimates_are_not_those_of_rows_that_trees_were_grown_on():
    X, y, a = product_people(600)
    new_X, new_y, new_a = product_people(20000, seed=1)
    options = QUICK | {"cv": 5, "alpha": 0.003, "max_violation": 0.5}
    model = FairOrdinalClassifier(basis="trees", **options).fit(X, y, sensitive_features=a)
    truth = mean_cost(new_y, model.predict(new_X))
    low, high = model.expected_cost_interval_
    assert low <= truth <= high
    assert model.cost_ < 0.8 * truth  # in-sample predictions are too good
    violation = pairwise_demographic_parity_difference(
        new_y, model.predict(new_X), sensitive_features=new_a
    )
    low, high = model.expected_violation_interval_
    assert low <= violation <= high


def test_the_same_rows_grow_the_same_model():
    X, y, a = product_people()
    model = FairOrdinalClassifier(basis="trees", **QUICK)
    models = [
        fitted(model, X, y, sensitive_features=a),
        clone(model).fit(X, y, sensitive_features=a),
    ]
    np.testing.assert_array_equal(*(model.decision_function(X) for model in models))
    again = pickle.loads(pickle.dumps(models[0]))
    np.testing.assert_array_equal(again.predict(X), models[0].predict(X))
    assert clone(models[0]).basis == "trees"


def test_predictions_need_no_lightgbm(monkeypatch):
    X, y, a = product_people()
    model = fitted(FairOrdinalClassifier(basis="trees", **QUICK), X, y, sensitive_features=a)
    expected = model.predict(X)
    monkeypatch.setitem(sys.modules, "lightgbm", None)
    np.testing.assert_array_equal(model.predict(X), expected)


def test_without_lightgbm_auto_has_ramps_and_trees_name_the_extra(monkeypatch):
    X, y, a = product_people(300)
    monkeypatch.setitem(sys.modules, "lightgbm", None)
    model = FairOrdinalClassifier(**QUICK)
    assert model.fit(X, y, sensitive_features=a).basis_ == "piecewise"
    with pytest.raises(ImportError, match=r"pip install fairordinal\[trees\]"):
        FairOrdinalClassifier(basis="trees", **QUICK).fit(X, y, sensitive_features=a)


@pytest.mark.parametrize("basis", ["auto", "piecewise", "trees"])
def test_missing_numbers_are_filled_and_indicated(basis):
    X, y, a = product_people()
    X[::7, 0] = np.nan
    X[:, 3] = np.nan  # never known
    model = FairOrdinalClassifier(basis=basis, **QUICK).fit(X, y, sensitive_features=a)
    assert np.isfinite(model.decision_function(X)).all()
    assert model.feature_importances_.shape == (4,)
    X[0, 1] = np.nan  # never missing before
    assert model.predict(X).shape == (800,)


def test_linear_models_say_what_to_do_about_missing_numbers():
    X, y, a = product_people()
    X[5, 0] = np.nan
    for estimator in (FairOrdinalClassifier, FairOrdinalFrontier):
        with pytest.raises(ValueError, match=r"contains NaN.*basis='auto'.*SimpleImputer"):
            estimator(basis="linear").fit(X, y, sensitive_features=a)


@pytest.mark.parametrize("basis", ["piecewise", "trees"])
@pytest.mark.parametrize("case", ["one feature", "constant", "all constant", "codes", "30 rows"])
def test_odd_tables_give_sound_models(case, basis):
    X, y, a = product_people(30 if case == "30 rows" else 600)
    if case == "one feature":
        X = X[:, 2:3]
    elif case == "constant":
        X[:, 3] = 7.0
    elif case == "all constant":
        X[:] = 7.0
    elif case == "codes":
        X = np.rint(X)
    options = QUICK | {"basis": basis, "max_violation": 0.1}
    model = FairOrdinalClassifier(**options).fit(X, y, sensitive_features=a)
    assert np.isin(model.predict(X), y).all()
    assert model.expected_violation_ <= 0.1
    assert np.isnan(model.feature_importances_).all() == np.isinf(model.thresholds_).all()


def test_a_basis_must_be_known():
    X, y, a = product_people(100)
    with pytest.raises(ValueError, match="basis must be one of"):
        FairOrdinalClassifier(basis="forest").fit(X, y, sensitive_features=a)


@pytest.mark.parametrize("basis", ["piecewise", "plug-in", "trees"])
@pytest.mark.parametrize(
    ("most", "ranker"),
    [(1000, "direct"), (500, "relaxed")],  # rows to choose by: all, or a sample
)
def test_models_are_the_same_however_rows_are_cut(most, ranker, basis, monkeypatch):
    lengths = (100, 1, 499)
    monkeypatch.setattr(ranker_paths, "MOST_CHOOSING", most)
    X, y, a = product_people(600)
    options = QUICK | {"basis": basis, "ranker": ranker}
    here = FairOrdinalClassifier(**options).fit(X, y, sensitive_features=a)
    cut = [da.from_array(v, chunks=(lengths, *v.shape[1:])) for v in (X, y, a)]
    there = FairOrdinalClassifier(**options)
    there.fit(cut[0], cut[1], sensitive_features=cut[2])
    assert there.basis_ == basis
    np.testing.assert_allclose(there.decision_function(X), here.decision_function(X), atol=1e-6)
    np.testing.assert_array_equal(there.predict(cut[0]).compute(), here.predict(X))
    assert there.expected_cost_ == pytest.approx(here.expected_cost_)


def test_a_frontier_pools_both_bases():
    X, y, a = product_people()
    options = {name: QUICK[name] for name in ("ranker", "cv", "alpha")}
    frontier = FairOrdinalFrontier(**options).fit(X, y, sensitive_features=a)
    models = [frontier.model(number) for number in range(len(frontier.points_))]
    assert "trees" in {model.basis_ for model in models}
    linear = FairOrdinalFrontier(basis="linear", **options).fit(X, y, sensitive_features=a)
    assert {linear.model(i).basis_ for i in range(len(linear.points_))} == {"linear"}
    cheapest = min(point.expected.cost for point in frontier.points_)
    assert cheapest < 0.8 * min(point.expected.cost for point in linear.points_)
    again = pickle.loads(pickle.dumps(frontier)).select(max_violation=0.1)
    chosen = frontier.select(max_violation=0.1)
    np.testing.assert_array_equal(again.predict(X), chosen.predict(X))
    assert chosen.feature_importances_.sum() == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("gain", "n_folds", "names"),
    [
        (-0.03, [2], ["piecewise", "plug-in"]),
        (0.02, [2, 3], ["piecewise", "plug-in"]),
        (0.05, [2, 3], ["piecewise", "plug-in", "plug-in-trees"]),
    ],
)
def test_trees_that_do_not_help_in_the_first_folds_are_not_tried_in_the_others(
    gain, n_folds, names, monkeypatch
):
    tried = []

    def measured(rows, folds, measure, *arguments, text):
        if measure is not costs_of_rules:
            return measured_in_folds(rows, folds, measure, *arguments, text=text)
        tried.append(len(folds))
        return np.tile([1.0, 1.0 - gain], (len(folds), 1))

    monkeypatch.setattr(estimator_bases, "measured_in_folds", measured)
    X, y, a = product_people()
    pool = FairOrdinalClassifier()._learn_paths(X, y, a, None)
    assert tried == n_folds
    assert [pool.trained[rankers[0]].score.basis for rankers in pool.bases] == names


def test_the_unit_of_weights_does_not_change_trees():
    X, y, a = product_people(500)
    weight = np.random.default_rng(0).integers(1, 4, len(y)).astype(float)
    one, *others = (
        FairOrdinalClassifier(basis="trees", **QUICK).fit(
            X, y, sensitive_features=a, sample_weight=factor * weight
        )
        for factor in (1.0, 7.0, 1e6)
    )
    for other in others:
        assert len(one.forest_.trees) == len(other.forest_.trees) > 50
        np.testing.assert_array_equal(one.predict(X), other.predict(X))


def test_models_do_not_depend_on_the_output_that_users_want_of_transformers():
    X, y, a = product_people()
    model = FairOrdinalClassifier(basis="trees", **QUICK)  # it has ramps, too
    expected = fitted(clone(model), X, y, sensitive_features=a).predict(X)
    for library in ("pandas", "polars"):
        with sklearn.config_context(transform_output=library):
            model = clone(model).fit(X, y, sensitive_features=a)
            np.testing.assert_array_equal(model.predict(X), expected)
    assert len(np.unique(expected)) == 4


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_missing_numbers_are_filled_by_weighted_means(kind):
    X, y, a = product_people(300)
    X[::3, 0] = np.nan
    X[:, 3] = np.nan
    weight = 1 + 4 * (X[:, 1] > 0)
    repeated = np.repeat(np.arange(300), weight)
    weighted, longer = (FairOrdinalClassifier() for _ in range(2))
    read_rows(weighted, kind(X), y, a, weight, None)
    read_rows(longer, kind(X[repeated]), y[repeated], a[repeated], None, None)
    expected = longer.imputer_.statistics_
    np.testing.assert_allclose(weighted.imputer_.statistics_, expected, atol=1e-12)


def test_where_no_tree_can_be_grown_the_model_says_so():
    X, y, a = product_people(30)
    frame = pd.DataFrame(X, columns=list("pqrs")).assign(y=y, a=a)
    with pytest.warns(UserWarning, match="No tree could be grown"):
        model = FairOrdinalClassifier(basis="trees", **QUICK).fit(X, y, sensitive_features=a)
    assert model.basis_ != "trees"
    assert model.forest_ is None
    options = {"basis": "trees", "max_violation": 0.9, "y": "y", "sensitive_features": "a"}
    with pytest.warns(UserWarning, match="No tree could be grown"):
        assert fit_table(frame, **options).predict(frame).shape == (30,)


def test_a_forest_without_trees_is_not_its_own_rival():
    X, _, a = product_people(36)
    y = np.digitize(X[:, 0], [-0.5, 0.5])  # clear enough for 36 rows
    options = QUICK | {"basis": "trees", "max_violation": 0.9}
    with pytest.warns(UserWarning, match="No tree could be grown"):
        model = FairOrdinalClassifier(**options).fit(X, y, sensitive_features=a)
    assert [*model.basis_results_] == [model.basis_] == ["piecewise"]
    assert describe_basis(model) == "a piecewise linear model"


def test_folds_count_rows_in_the_unit_of_all_rows():
    """The only row of weight 1 may be held out; the others are no multiples of the next one."""
    X, y, a = people(300, n_features=4)
    weight = np.random.default_rng(0).integers(2, 400, 300).astype(float)
    weight[0] = 1.0
    rows = Block.of(Features.of(X, weight), a, y, 2, int(y.max()) + 1, weight=weight)
    none = Piecewise.unfitted(rows)
    parts = [none.refit(rows), none.refit(rows.take(np.arange(1, 300)))]
    sizes = [np.linalg.norm(part.ramps.weights) for part in parts]
    assert sizes[1] == pytest.approx(sizes[0], rel=0.05)


def test_a_lightgbm_that_cannot_be_loaded_is_said(monkeypatch):
    def load(name):
        raise OSError("libgomp.so.1: cannot open shared object file")

    X, y, a = product_people()
    monkeypatch.setattr(importlib, "import_module", load)
    assert FairOrdinalClassifier(**QUICK).fit(X, y, sensitive_features=a).basis_ == "piecewise"
    with pytest.raises(ImportError, match=r"installed but cannot be loaded: libgomp"):
        FairOrdinalClassifier(basis="trees", **QUICK).fit(X, y, sensitive_features=a)


@pytest.mark.usefixtures("full_effort")
def test_bases_are_compared_by_candidates_that_keep_the_limit_as_the_model_does():
    X, y, a = product_people()
    options = QUICK | {"confidence": 0.95, "max_violation": 0.15, "ranker": "direct", "cv": 3}
    model = FairOrdinalClassifier(**options).fit(X, y, sensitive_features=a)
    cost, violation = model.basis_results_[model.basis_]
    assert (cost, violation) == (model.expected_cost_, model.expected_violation_)
    assert all(cost <= 1.05 * other for other, _ in model.basis_results_.values())
    assert describe_basis(model).startswith("a forest of")


def test_a_constant_model_is_called_so():
    X, y, a = product_people()
    model = FairOrdinalClassifier(**QUICK | {"max_violation": 0.0})
    with pytest.warns(UserWarning, match="hardly tells people apart"):
        model.fit(X, y, sensitive_features=a)
    assert describe_basis(model).startswith("a constant model")
    assert (model.basis_, model.basis_results_) == ("linear", {})


def test_ramps_end_where_a_label_is_likely_or_unlikely():
    X, y, a = people(4000, n_features=4)
    rows = block_of(X, y, a)
    basis = Piecewise.unfitted(rows).refit(rows)
    values = basis.ramps.values(X)
    assert values.shape == (4000, 4)
    assert (values.min(), values.max()) == (-1.0, 1.0)
    for label, ramp in enumerate(values.T[:3]):
        shares = [(y[ramp == end] > label).mean() for end in (-1.0, 1.0)]
        assert shares[0] < 0.18 < 0.82 < shares[1]


def test_very_many_labels_have_few_ramps_the_same_in_every_fold():
    X, _, a = people(800, n_features=4)
    y = np.clip(np.rint(20 + 6 * X[:, 0]), 0, 40).astype(int)
    y = np.unique(y, return_inverse=True)[1]
    rows = block_of(X, y, a)
    none = Piecewise.unfitted(rows)
    assert len(none.boundaries) <= MOST_BOUNDARIES < y.max()
    parts = [none.refit(rows.take(np.arange(start, 800, 5))) for start in range(5)]
    assert {part.n_columns for part in parts} == {4 + len(none.boundaries) + 1}


def test_labels_and_groups_that_rows_lack_have_ramps_of_nothing():
    X, y, a = product_people(300)
    rows = block_of(X, y, a)
    some = rows.take(np.flatnonzero((y > 0) & (a == 1)))
    ramps = Piecewise.unfitted(rows).refit(some).ramps
    assert not ramps.weights[:, [0, -1]].any()  # above label 0, and group 1
    assert ramps.weights[:, 1].any()


@pytest.mark.usefixtures("full_effort")
def test_a_piecewise_model_beats_a_linear_one_where_boundaries_differ():
    """The group shows in a feature that matters to the upper labels only."""
    generator = np.random.default_rng(0)
    n = 4000
    a, X = generator.integers(0, 2, n), generator.normal(size=(n, 3))
    X[:, 1] += 1.5 * a
    hidden = X[:, 0] + np.maximum(X[:, 0], 0.0) * 0.8 * X[:, 1] + 0.3 * generator.normal(size=n)
    y = np.digitize(hidden, [-1.0, 0.0, 1.0, 2.5])
    options = {"max_violation": 0.05, "ranker": "reduction", "cv": 2, "alpha": 1e-3}
    bent, straight = (
        FairOrdinalClassifier(basis=basis, **options).fit(X, y, sensitive_features=a)
        for basis in ("piecewise", "linear")
    )
    assert bent.expected_cost_ < 0.95 * straight.expected_cost_
    assert bent.ramps_.n_ramps == 5
    assert straight.ramps_ is straight.ramp_coef_ is None
    assert bent.feature_importances_.sum() == pytest.approx(1.0)
