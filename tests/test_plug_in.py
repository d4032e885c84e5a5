"""Plug-in rules: scores by expected costs, the search for costs, and models made of them."""

import pickle

import dask.array as da
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairordinal import FairOrdinalClassifier, FairOrdinalFrontier
from fairordinal._basis import Piecewise
from fairordinal._basis._bases import GROUP_TREES, MOST_LABEL_TREES
from fairordinal._basis._ramps import MOST_BOUNDARIES
from fairordinal._costs import cost_matrix
from fairordinal._forest import Boosting
from fairordinal._label_costs import UNKNOWN, LabelCosts
from fairordinal._pairloss import LOSSES
from fairordinal._rows import Block, Features
from fairordinal.criteria import DemographicParity, EqualizedOdds, EqualOpportunity
from fairordinal.estimators import describe_basis
from fairordinal.metrics import mean_cost, pairwise_demographic_parity_difference
from fairordinal.models import TrainingTable, fit_table, load_model, save_model
from fairordinal.models._model import MOST_ANSWERS
from fairordinal.ranker import pair_data
from fairordinal.ranker._inputs import MOST_CELLS, MOST_GROUPS
from fairordinal.ranker._plug_in import LIMITS, CostSearch
from fitted import fitted
from made_up import people
from oracles import plug_in_score

CRITERIA = [DemographicParity(), EqualOpportunity(), EqualizedOdds()]
QUICK = {"basis": "plug-in", "cv": 3, "max_violation": 0.1}


@st.composite
def rules_and_ramps(draw):
    """Rules with few different costs, so that there are ties, and ramps of a few rows."""
    n_groups, n_labels = draw(st.integers(2, 4)), draw(st.integers(2, 5))
    boundaries = sorted(draw(st.sets(st.integers(0, n_labels - 2), min_size=1)))
    size = n_groups * n_labels**2
    costs = draw(st.lists(st.sampled_from([0.0, 0.5, 1.0, 2.0]), min_size=size, max_size=size))
    costs = np.array(costs).reshape(n_groups, n_labels, n_labels)
    n_ramps = len(boundaries) + (n_groups if n_groups > 2 else 1)
    ramp = st.sampled_from([-1.0, -0.3, 0.0, 0.5, 1.0])
    rows = draw(
        st.lists(st.lists(ramp, min_size=n_ramps, max_size=n_ramps), min_size=1, max_size=4)
    )
    return LabelCosts(costs, np.array(boundaries), 0.7), np.array(rows)


@given(rules_and_ramps())
def test_scores_are_those_of_the_definition(given_rule):
    rule, ramps = given_rule
    expected = rule.expected_costs(ramps)
    near = np.sort(expected, axis=1)
    clear = near[:, 1] - near[:, 0] > 1e-9  # with ties, rounding decides
    slow = [plug_in_score(row, rule.costs, rule.boundaries.tolist(), 0.7, UNKNOWN) for row in ramps]
    scores = rule.scores(ramps)
    np.testing.assert_allclose(scores[clear], np.array(slow)[clear], atol=1e-7)
    label = expected.argmin(axis=1)
    assert ((label - 0.5 <= scores) & (scores <= label + 0.5)).all()
    np.testing.assert_array_equal([rule.scores(row[None])[0] for row in ramps], scores)


def block_of(X, y, a, w=None):
    return Block.of(Features.of(X), a, y, int(a.max()) + 1, int(y.max()) + 1, weight=w)


def search_of(block, criterion, cost="absolute"):
    cost = cost_matrix(cost, np.arange(block.n_labels))
    data = pair_data(block, criterion, LOSSES["logistic"])
    return CostSearch(data, *probabilities_of(block), cost)


def probabilities_of(block):
    """Probabilities of labels and of groups, by ramps."""
    basis = Piecewise.unfitted(block).refit(block)
    no_costs = np.zeros((block.n_groups, block.n_labels, block.n_labels))
    rule = LabelCosts(no_costs, np.array(basis.boundaries), 1.0)
    return rule.probabilities(basis.ramps.values(block.features.X))


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("n_groups", [2, 3])
def test_the_derivative_is_that_of_the_disparities(criterion, n_groups):
    X, y, a = people(200, n_groups=n_groups)
    search = search_of(block_of(X, y, a), criterion)
    generator = np.random.default_rng(0)
    p = generator.random(search.accurate.shape)
    multipliers = generator.normal(size=len(search.disparities(p)))
    slopes = search.derivative(p, multipliers)[search.number] / search.total
    direction = generator.normal(size=p.shape)
    direction -= direction.mean(axis=1, keepdims=True)  # rows change their labels, not their cells
    ahead, behind = (search.disparities(p + step * direction) for step in (1e-4, -1e-4))
    by_differences = multipliers @ (ahead - behind) / 2e-4
    assert np.vdot(slopes, direction) == pytest.approx(by_differences, rel=1e-6, abs=1e-12)


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("n_groups", [2, 3])
def test_costs_by_group_make_the_rule_fair(criterion, n_groups):
    X, y, a = people(1000, n_groups=n_groups)
    search = search_of(block_of(X, y, a), criterion)
    assert search.limits[-1] == 0.0
    assert len(search.limits) == len(LIMITS)
    found = []
    for costs in search.path(search.limits):
        extra = (costs - search.cost).reshape(-1, len(search.cost))[search.data.merged.first]
        p = search.predicted(search.expected + search.shares @ extra)
        found.append(float(np.abs(search.disparities(p)).max()))
    assert found[0] == pytest.approx(search.limits[0] / LIMITS[0])
    assert min(found[-2:]) < 0.25 * found[0]


def test_loose_limits_leave_the_costs_as_they_are():
    X, y, a = people(300)
    search = search_of(block_of(X, y, a), DemographicParity(), "squared")
    for costs in search.path((2.0, 1.0)):
        np.testing.assert_array_equal(costs, [search.cost] * 2)


@pytest.mark.parametrize("criterion", CRITERIA)
def test_a_weight_of_two_is_a_row_repeated_twice(criterion):
    X, y, a = people(150)
    twice = np.random.default_rng(0).random(150) < 0.5
    cost, found = cost_matrix("absolute", np.arange(4)), []
    chances = probabilities_of(block_of(X, y, a))
    for at, w in ((np.r_[:150, np.flatnonzero(twice)], None), (np.arange(150), 1.0 + twice)):
        data = pair_data(block_of(X[at], y[at], a[at], w), criterion, LOSSES["logistic"])
        search = CostSearch(data, *(part[at] for part in chances), cost)
        found.append(search.path(search.limits))
    np.testing.assert_allclose(found[1], found[0], atol=1e-9)


@pytest.mark.parametrize("n_labels", [2, 4, 16])
def test_models_predict_by_thresholds_of_the_scores_of_their_rule(n_labels):
    cuts = np.linspace(-1.5, 2.5, n_labels - 1)
    X, y, a = people(500, cuts=cuts)
    model = FairOrdinalClassifier(**QUICK).fit(X, y, sensitive_features=a)
    scores = model.decision_function(X)
    assert model.basis_ == "plug-in" or np.isinf(model.thresholds_).all()
    expected = model.classes_[np.searchsorted(model.thresholds_, scores)]
    np.testing.assert_array_equal(model.predict(X), expected)
    np.testing.assert_array_equal(model.decision_function(X[:7]), scores[:7])
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).decision_function(X), scores)
    assert "plug-in" in describe_basis(model) or model.basis_ == "linear"


def test_auto_takes_a_rule_where_it_is_cheaper_within_the_limit():
    X, y, a = people(1500, n_groups=2, n_features=6)
    auto = fitted(FairOrdinalClassifier(max_violation=0.05, cv=3), X, y, sensitive_features=a)
    assert {"piecewise", "plug-in"} <= set(auto.basis_results_)
    least = min(auto.basis_results_, key=lambda basis: auto.basis_results_[basis][0])
    assert auto.basis_ == least
    one = FairOrdinalClassifier(max_violation=0.05, cv=3, ranker="direct")
    assert "plug-in" not in one.fit(X, y, sensitive_features=a).basis_results_


def test_importances_are_shares_and_leave_out_noise():
    X, y, a = people(1200, n_features=5)
    model = FairOrdinalClassifier("equal_opportunity", **QUICK).fit(X, y, sensitive_features=a)
    assert model.feature_importances_.sum() == pytest.approx(1.0)
    assert model.feature_importances_.argmax() == 0
    assert np.abs(model.feature_importances_[2:]).max() < 0.1


def test_a_frontier_of_rules_gets_cheaper_as_limits_get_looser():
    X, y, a = people(800)
    frontier = FairOrdinalFrontier(basis="plug-in", cv=3).fit(X, y, sensitive_features=a)
    fair, accurate = (frontier.select(max_violation=limit) for limit in (0.05, 1.0))
    violations = [
        pairwise_demographic_parity_difference(y, model.predict(X), sensitive_features=a)
        for model in (fair, accurate)
    ]
    assert violations[0] < 0.15 < violations[1]
    assert accurate.expected_cost_ < fair.expected_cost_


def test_folds_without_a_label_or_with_one_row_of_a_group_give_sound_models():
    X, y, a = people(260)
    y[:2], y[2:] = 3, np.minimum(y[2:], 2)
    a[:3], a[3:] = 2, np.minimum(a[3:], 1)
    with pytest.warns(UserWarning, match="Groups of fewer than|least populated"):
        model = FairOrdinalClassifier(**QUICK | {"cv": 2}).fit(X, y, sensitive_features=a)
    assert np.isfinite(model.decision_function(X)).all()


def bent_table(n_rows=700, seed=0):
    """Labels depend on a product of two columns; so does the group, in part."""
    rng = np.random.default_rng(seed)
    left, right = rng.normal(size=(2, n_rows))
    sex = (rng.random(n_rows) < 0.3 + 0.4 * (left * right > 0)).astype(int)
    hidden = 2.0 * np.sign(left * right) + rng.normal(size=n_rows)
    job = np.where(rng.random(n_rows) < 0.5, "baker", "clerk")
    return {
        "grade": np.digitize(hidden, [-1.5, 0.0, 1.5]).tolist(),
        "sex": sex.tolist(),
        "left": [None if i % 50 == 0 else x for i, x in enumerate(left.tolist())],
        "right": right.tolist(),
        "job": job.tolist(),
    }


@pytest.mark.usefixtures("small_effort")
def test_rules_with_trees_are_the_same_in_memory_in_files_and_in_onnx(tmp_path):
    model = fit_table(bent_table(), y="grade", sensitive_features="sex", max_violation=0.2, cv=3)
    assert model.settings.basis == "plug-in-trees"
    assert model.rule is not None
    assert {len(tree.leaves) for tree in model.forest} == {len(model.ramps)} == {4}
    save_model(model, tmp_path / "model.json")
    again, new = load_model(tmp_path / "model.json"), bent_table(3000, seed=1)
    assert again == model
    np.testing.assert_array_equal(again.scores(new), model.scores(new))
    assert len(np.unique(model.predict(new))) == 4
    assert f"{len(model.forest)} trees" in str(model)
    pytest.importorskip("onnxruntime")
    from onnx_runtime import assert_same_in_onnx

    assert_same_in_onnx(tmp_path / "model.onnx", model, new)


@pytest.mark.usefixtures("small_effort")
def test_rules_with_trees_reach_what_linear_probabilities_cannot():
    table, new = (
        {name: np.array(column) for name, column in bent_table(1000, seed).items()}
        for seed in (0, 1)
    )
    X, new_X = (np.stack([t["left"], t["right"]], axis=1).astype(float) for t in (table, new))
    options = {"max_violation": 0.1, "cv": 3}
    model = FairOrdinalClassifier(**options).fit(X, table["grade"], sensitive_features=table["sex"])
    assert model.basis_ == "plug-in-trees"
    assert model.forest_ is None
    assert f"with {len(model.ramps_.forest.trees)} trees" in describe_basis(model)
    linear = FairOrdinalClassifier(basis="plug-in", **options)
    linear.fit(X, table["grade"], sensitive_features=table["sex"])
    costs = [mean_cost(new["grade"], each.predict(new_X)) for each in (model, linear)]
    assert costs[0] < 0.95 * costs[1]
    assert model.feature_importances_.sum() == pytest.approx(1.0)
    np.testing.assert_array_equal(model.decision_function(X[:9]), model.decision_function(X)[:9])


@pytest.mark.usefixtures("small_effort")
def test_rules_with_trees_are_the_same_however_rows_are_cut():
    X, y, a = people(600, n_features=4)
    y = np.where(X[:, 0] * X[:, 1] > 0, y, y[::-1])
    options = {"basis": "trees", "alpha": 0.03, "max_violation": 0.3, "cv": 2}
    here = FairOrdinalClassifier(**options).fit(X, y, sensitive_features=a)
    X_cut, y_cut, a_cut = (
        da.from_array(v, chunks=((100, 1, 499), *v.shape[1:])) for v in (X, y, a)
    )
    there = FairOrdinalClassifier(**options).fit(X_cut, y_cut, sensitive_features=a_cut)
    assert {"trees", "plug-in-trees"} <= set(here.basis_results_) == set(there.basis_results_)
    np.testing.assert_allclose(there.decision_function(X), here.decision_function(X), atol=1e-6)


@pytest.mark.usefixtures("small_effort")
@pytest.mark.parametrize("basis", ["auto", "trees", "piecewise"])
def test_tables_with_codes_far_from_other_numbers_give_the_same_model(basis):
    """The classifier subtracts an origin from such columns; rows with codes have no weight."""
    table = bent_table()
    table["left"] = [x or 0.0 for x in table["left"]]
    table["weight"] = [1.0] * len(table["left"])
    for row in range(0, 700, 70):
        table["left"][row], table["weight"][row] = 1e6, 0.0
    options = {"y": "grade", "sensitive_features": "sex", "sample_weight": "weight"}
    rows = TrainingTable.read(table, features=["left", "right"], **options)
    classifier = rows.fit(FairOrdinalClassifier(basis=basis, max_violation=0.2, cv=2))
    assert classifier.origin_.any()
    model = rows.model(classifier)
    known = classifier.decision_function(rows.X) - classifier.thresholds_[1]
    np.testing.assert_allclose(model.scores(table) - model.thresholds_[1], known, atol=1e-8)


def test_the_largest_rules_with_trees_fit_into_model_files():
    n_trees = MOST_LABEL_TREES + max(GROUP_TREES, MOST_GROUPS)  # one for each group at least
    for n_groups in range(2, MOST_GROUPS + 1):
        n_labels = max(2, MOST_CELLS // n_groups)
        n_sums = min(n_labels - 1, MOST_BOUNDARIES) + n_groups
        assert n_sums * n_trees * 2 ** (Boosting().n_leaves - 1) <= MOST_ANSWERS


@pytest.mark.usefixtures("small_effort")
def test_trees_are_of_no_use_if_the_accurate_rule_costs_nothing():
    random = np.random.default_rng(0)
    X = np.stack([random.choice([-3.0, 3.0], 600), random.normal(size=600)], axis=1)
    y, a = (X[:, 0] > 0).astype(int), random.integers(0, 2, 600)
    model = FairOrdinalClassifier(max_violation=0.3, cv=2).fit(X, y, sensitive_features=a)
    assert "plug-in" in model.basis_results_
    assert "plug-in-trees" not in model.basis_results_
