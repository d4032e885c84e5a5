"""Baselines: known solutions, other libraries' answers, and exact expectations."""

import pickle
import warnings
import zlib
from itertools import product

import numpy as np
import pandas as pd
import pytest
import sklearn
from scipy import sparse
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.utils.estimator_checks import parametrize_with_checks

from fairordinal._rows import Features
from fairordinal._table import read_table
from fairordinal.baselines import (
    PAPER_PROBABILITIES,
    ConstantClassifier,
    HierarchicalClassifier,
    OrderedPartitionsClassifier,
    ProportionalOddsClassifier,
    RandomizedMixtureClassifier,
    WassersteinFairClassifier,
    fair_ranker_only,
    fair_thresholds_only,
)
from fairordinal.baselines._inputs import count_rows
from fairordinal.baselines._proportional_odds import Likelihood
from fairordinal.criteria import as_criterion
from fairordinal.metrics import (
    mean_cost,
    pairwise_demographic_parity_difference,
    pairwise_equal_opportunity_difference,
)
from made_up import people
from paper_data import ROOT, _numbers, needs_paper_data, stored_splits

# the best constant label


@pytest.mark.parametrize("cost", ["absolute", "zero_one", "squared", "asymmetric"])
def test_no_other_constant_costs_less(cost):
    generator = np.random.default_rng(0)
    for _ in range(20):
        y, weight = generator.integers(0, 5, 12), generator.integers(0, 3, 12) + 0.5
        model = ConstantClassifier(cost, labels=range(5))
        model.fit(np.zeros((12, 1)), y, sample_weight=weight)
        costs = [
            mean_cost(y, [c] * 12, cost_matrix=cost, sample_weight=weight, labels=range(5))
            for c in range(5)
        ]
        assert model.cost_ == pytest.approx(min(costs))
        assert costs[model.constant_] == pytest.approx(min(costs))
        assert min(costs[: model.constant_], default=9) > min(costs) - 1e-12


def test_the_lower_of_two_medians_is_taken():
    model = ConstantClassifier().fit(np.zeros((4, 1)), [1, 2, 3, 4])
    assert model.constant_ == 2
    np.testing.assert_array_equal(model.decision_function(np.zeros((3, 1))), np.zeros(3))


def test_a_constant_of_names_and_frames_of_text():
    frame = pd.DataFrame({"town": ["x", "y", "z"]})
    model = ConstantClassifier(labels=["low", "mid", "high"]).fit(frame, ["mid", "high", "mid"])
    assert model.predict(frame).tolist() == ["mid"] * 3
    assert model.classes_.tolist() == ["low", "mid", "high"]


# proportional odds


def likelihood_of(X, y, alpha=0.0, weight=None):
    weight = np.ones(len(y)) if weight is None else weight
    features = Features.of(np.asarray(X, dtype=float), weight)
    return Likelihood(features, y, weight / weight.sum(), int(y.max()) + 1, alpha)


def some_parameters(likelihood, seed=0):
    at = likelihood.start()
    generator = np.random.default_rng(seed)
    at[: likelihood.n_thresholds] = np.sort(generator.normal(size=likelihood.n_thresholds))
    at[likelihood.n_thresholds :] = generator.normal(size=len(at) - likelihood.n_thresholds)
    return at


@pytest.mark.parametrize("n_labels", [2, 3, 6])
def test_gradient_and_hessian_are_derivatives(n_labels):
    X, y, _ = people(150, cuts=np.linspace(-1, 1.5, n_labels - 1))
    weight = np.random.default_rng(1).uniform(0.2, 2, 150)
    likelihood = likelihood_of(X, y, 0.1, weight)
    at = some_parameters(likelihood)
    columns = np.eye(len(at)) * 1e-5
    moved = [likelihood.value(at + e) - likelihood.value(at - e) for e in columns]
    np.testing.assert_allclose(likelihood.gradient(at), np.array(moved) / 2e-5, atol=1e-8)
    moved = [likelihood.gradient(at + e) - likelihood.gradient(at - e) for e in columns]
    np.testing.assert_allclose(likelihood.hessian(at), np.array(moved) / 2e-5, 1e-5, 1e-7)


def test_the_log_likelihood_is_that_of_the_probabilities():
    X, y, _ = people(400)
    weight = np.random.default_rng(1).integers(0, 3, len(y))
    model = ProportionalOddsClassifier().fit(X, y, sample_weight=weight)
    probabilities = model.predict_proba(X)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    cumulative = 1 / (1 + np.exp(model.decision_function(X)[:, None] - model.thresholds_))
    np.testing.assert_allclose(probabilities.cumsum(axis=1)[:, :-1], cumulative, atol=1e-12)
    by_hand = weight @ np.log(probabilities[np.arange(len(y)), y])
    assert model.log_likelihood_ == pytest.approx(by_hand)
    np.testing.assert_array_equal(model.predict(X), probabilities.argmax(axis=1))


def test_it_finds_the_law_that_made_the_labels():
    generator = np.random.default_rng(0)
    X = generator.normal(size=(60_000, 2))
    y = np.digitize(X @ [1.0, -2.0] + generator.logistic(size=len(X)), [-1.0, 0.5, 2.0])
    model = ProportionalOddsClassifier().fit(X, y)
    np.testing.assert_allclose(model.coef_, [1, -2], atol=0.05)
    np.testing.assert_allclose(model.thresholds_, [-1, 0.5, 2], atol=0.05)


def test_two_labels_are_logistic_regression():
    X, y, _ = people(400, cuts=[0.0])
    model = ProportionalOddsClassifier().fit(X, y)
    other = LogisticRegression(C=np.inf, tol=1e-10).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X), other.predict_proba(X), atol=1e-6)


@pytest.mark.parametrize("alpha", [0.0, 0.1])
def test_weights_are_repetitions_and_zero_is_no_row(alpha):
    X, y, _ = people(400)
    times = np.random.default_rng(1).integers(0, 3, len(y))
    weighted = ProportionalOddsClassifier(alpha).fit(X, y, sample_weight=times)
    repeated = ProportionalOddsClassifier(alpha).fit(np.repeat(X, times, axis=0), y.repeat(times))
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, rtol=1e-8)
    assert weighted.log_likelihood_ == pytest.approx(repeated.log_likelihood_)


def test_units_and_origin_of_features_do_not_matter():
    X, y, _ = people(400)
    plain = ProportionalOddsClassifier(0.1).fit(X, y)
    other = X * [1e6, 1e-6, -1.0] + [1e6, 3.0, 0.0]
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # rounding of the second feature is no lack of convergence
        model = ProportionalOddsClassifier(0.1).fit(other, y)
    assert model.n_iter_ < 20
    np.testing.assert_allclose(model.predict_proba(other), plain.predict_proba(X), atol=1e-6)


def test_the_order_turned_round_turns_the_model_round():
    X, y, _ = people(400)
    up = ProportionalOddsClassifier().fit(X, y)
    down = ProportionalOddsClassifier(labels=[3, 2, 1, 0]).fit(X, y)
    np.testing.assert_allclose(down.coef_, -up.coef_, rtol=1e-6)
    np.testing.assert_allclose(down.predict_proba(X), up.predict_proba(X)[:, ::-1], atol=1e-8)


def test_labels_that_do_not_occur_have_no_probability():
    X, y, _ = people(400)
    plain = ProportionalOddsClassifier().fit(X, y)
    model = ProportionalOddsClassifier(labels=[-1, 0, 2, 3, 4, 6, 7]).fit(X, 2 * y)
    np.testing.assert_allclose(model.thresholds_[[1, 3, 4]], plain.thresholds_)
    assert model.thresholds_[0] == -np.inf
    assert model.thresholds_[-1] == np.inf
    assert model.thresholds_[2] == model.thresholds_[3]
    assert not model.predict_proba(X)[:, [0, 3, 6]].any()
    assert model.log_likelihood_ == pytest.approx(plain.log_likelihood_)


@pytest.mark.parametrize("kind", ["separable", "nearly separable", "more features than rows"])
def test_a_likelihood_without_a_maximum_is_said_to_have_none(kind):
    X, y, _ = people(60)
    if kind == "separable":
        y = np.digitize(X[:, 0], [-0.5, 0.5])
    elif kind == "nearly separable":
        X = np.column_stack([X, y == 3])
    else:
        X = np.random.default_rng(0).normal(size=(60, 100))
    with pytest.warns(ConvergenceWarning, match=r"no maximum.*gradient .*alpha=1e-4"):
        free = ProportionalOddsClassifier().fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = ProportionalOddsClassifier(1e-4).fit(X, y)
    assert np.isfinite(free.predict_proba(X)).all()
    assert model.log_likelihood_ < free.log_likelihood_
    assert model.gradient_norm_ <= 1e-8


def test_repeated_and_constant_features_do_no_harm():
    X, y, _ = people(400)
    wide = np.column_stack([X, X[:, 0], np.ones(len(y)), np.full(len(y), 1 / 3)])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = ProportionalOddsClassifier().fit(wide, y)
    plain = ProportionalOddsClassifier().fit(X, y)
    np.testing.assert_allclose(model.predict_proba(wide), plain.predict_proba(X), atol=1e-6)


def test_too_few_steps_are_warned_about_with_the_gradient():
    X, y, _ = people(400)
    with pytest.warns(ConvergenceWarning, match=r"max_iter=1 steps \(gradient .* > tol"):
        ProportionalOddsClassifier(max_iter=1).fit(X, y)


def test_sparse_features_are_dense_ones():
    X, y, _ = people(400)
    X[np.abs(X) < 0.5] = 0
    model = ProportionalOddsClassifier().fit(sparse.csr_array(X), y)
    dense = ProportionalOddsClassifier().fit(X, y)
    np.testing.assert_allclose(model.predict_proba(sparse.csr_array(X)), dense.predict_proba(X))


def test_rows_of_one_label_are_refused():
    with pytest.raises(ValueError, match="one value of y"):
        ProportionalOddsClassifier().fit([[0], [1], [2]], [0, 0, 1], sample_weight=[1, 1, 0])


def test_statsmodels_finds_the_same_likelihood():
    ordinal = pytest.importorskip("statsmodels.miscmodels.ordinal_model")
    X, y, _ = people(400)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        other = ordinal.OrderedModel(y, X, distr="logit").fit(method="bfgs", disp=False, gtol=1e-8)
    model = ProportionalOddsClassifier().fit(X, y)
    assert model.log_likelihood_ == pytest.approx(other.llf, abs=1e-6)
    assert model.log_likelihood_ >= other.llf - 1e-9
    np.testing.assert_allclose(model.coef_, np.asarray(other.params)[:3], atol=1e-4)


@pytest.mark.parametrize("n_labels", [2, 4, 9])
def test_skordinal_finds_the_same_likelihood(n_labels):
    classifiers = pytest.importorskip("skordinal.classifiers")
    X, y, _ = people(400, cuts=np.linspace(-1, 1.5, n_labels - 1))
    other = classifiers.POM(tol=1e-10, max_iter=10**4).fit(X, y)
    model = ProportionalOddsClassifier().fit(X, y)
    assert model.log_likelihood_ == pytest.approx(-other.loss_ * len(y), abs=1e-5)
    assert model.log_likelihood_ >= -other.loss_ * len(y) - 1e-9


RACE = ["racepctblack", "racePctWhite", "racePctAsian", "racePctHisp", "a2", "a3"]


@needs_paper_data
@pytest.mark.parametrize(
    ("name", "hidden"), [("drug_consumption", ["a"]), ("communities_and_crime", RACE)]
)
def test_predictions_are_those_of_matlab(name, hidden):
    table = pd.read_csv(ROOT / name / "table.csv.gz")
    X, y = table.drop(columns=["label", *hidden]).to_numpy(dtype=float), table["label"].to_numpy()
    rows = pd.read_csv(ROOT / name / "splits.csv.gz").set_index(["split", "part"])["rows"]
    equal = []
    for split, (_, stored, _) in enumerate(stored_splits(name, hidden[-1])):
        train = _numbers(rows[split, "train"])
        test = np.setdiff1d(np.arange(len(y)), train)
        model = ProportionalOddsClassifier().fit(X[train], y[train])
        equal.append(model.predict(X[test]) == stored)
    assert np.concatenate(equal).mean() >= 0.999


# mixtures


def mixture(probability=0.4, n_groups=2, **options):
    X, y, a = people(60, n_groups=n_groups)
    model = RandomizedMixtureClassifier(ProportionalOddsClassifier(), probability, **options)
    return model.fit(X, y), X, y, a


def by_pairs(model, X, y, a, g, h, counts):
    """The definition: pairs of rows, and pairs of labels that their coins may give."""
    spread = model.predict_proba(X)
    won = pairs = 0.0
    for i, j in product(np.flatnonzero(a == g), np.flatnonzero(a == h)):
        if counts(y[i], y[j]):
            pairs += 1
            labels = range(spread.shape[1])
            won += sum(spread[i, b] * spread[j, c] for b in labels for c in labels if b > c)
    return won / pairs


COUNTED = {"demographic_parity": lambda u, v: True, "equal_opportunity": lambda u, v: u > v}


@pytest.mark.parametrize("n_groups", [2, 3])
@pytest.mark.parametrize("criterion", list(COUNTED))
def test_the_expected_violation_is_that_of_all_pairs_and_coins(criterion, n_groups):
    model, X, y, a = mixture(n_groups=n_groups)
    exact = model.expected_violation(X, y, sensitive_features=a, criterion=criterion)
    counts = COUNTED[criterion]
    gaps = [
        by_pairs(model, X, y, a, g, h, counts) - by_pairs(model, X, y, a, h, g, counts)
        for g in range(n_groups)
        for h in range(g)
    ]
    assert exact == pytest.approx(np.abs(gaps).max(), abs=1e-12)


@pytest.mark.parametrize("n_groups", [2, 3])
def test_simulated_disparities_agree_with_the_expected_ones(n_groups):
    model, X, y, a = mixture(n_groups=n_groups, random_state=np.random.RandomState(0))
    criteria = [as_criterion(name) for name in (*COUNTED, "equalized_odds")]
    tables = [read_table(y, model.predict(X), a, labels=range(4)) for _ in range(1000)]
    cost = np.abs(np.subtract.outer(range(4), range(4)))
    costs = [(table.cube * cost).sum() / len(y) for table in tables]
    for criterion in criteria:
        seen = np.array([criterion.disparities(table) for table in tables])
        expected = criterion.disparities(model._expected_table(X, y, a, None))
        error = seen.std(axis=0) / np.sqrt(len(seen))
        assert (np.abs(seen.mean(axis=0) - expected) <= 4.5 * error + 1e-12).all()
        exact = model.expected_violation(X, y, sensitive_features=a, criterion=criterion)
        assert exact == pytest.approx(np.abs(expected).max())
    assert abs(np.mean(costs) - model.expected_cost(X, y)) <= 4.5 * np.std(costs) / 1000**0.5


def test_at_the_ends_a_mixture_is_the_model_or_the_constant():
    for probability in (0.0, 1.0):
        model, X, y, a = mixture(probability)
        plain = ProportionalOddsClassifier().fit(X, y)
        predicted = plain.predict(X) if probability == 0 else np.full(len(y), model.constant_)
        np.testing.assert_array_equal(model.predict(X), predicted)
        assert model.expected_cost(X, y) == pytest.approx(mean_cost(y, predicted))
        for criterion, measure in {
            "demographic_parity": pairwise_demographic_parity_difference,
            "equal_opportunity": pairwise_equal_opportunity_difference,
        }.items():
            exact = model.expected_violation(X, y, sensitive_features=a, criterion=criterion)
            assert exact == pytest.approx(measure(y, predicted, sensitive_features=a))


def test_expectations_take_weights():
    model, X, y, a = mixture()
    times = np.random.default_rng(0).integers(1, 4, len(y))
    repeated = [np.repeat(column, times, axis=0) for column in (X, y, a)]
    assert model.expected_cost(X, y, sample_weight=times) == pytest.approx(
        model.expected_cost(*repeated[:2])
    )
    assert model.expected_violation(
        X, y, sensitive_features=a, sample_weight=times
    ) == pytest.approx(model.expected_violation(*repeated[:2], sensitive_features=repeated[2]))


def test_names_are_mixed_by_their_places():
    X, y, _ = people(400)
    names = np.array(["poor", "fair", "good", "superb"])
    model = RandomizedMixtureClassifier(LogisticRegression(), 0.3, labels=names, random_state=0)
    model.fit(X, names[y])
    plain = RandomizedMixtureClassifier(LogisticRegression(), 0.3, random_state=0).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), names[plain.predict(X)])
    np.testing.assert_array_equal(model.predict(X), model.predict(X))


def test_regressors_and_single_samples_are_refused_by_mixtures():
    X, y, a = people(400)
    with pytest.raises(ValueError, match="not a regressor"):
        RandomizedMixtureClassifier(Ridge()).fit(X, y).predict(X)
    model = RandomizedMixtureClassifier(DummyClassifier()).fit(X, y)
    with pytest.raises(ValueError, match="pairwise criteria"):
        model.expected_violation(X, y, sensitive_features=a, criterion="harm_parity")
    with pytest.raises(ValueError, match="probability must be"):
        RandomizedMixtureClassifier(DummyClassifier(), 1.5).fit(X, y)


@pytest.mark.parametrize("probability", [-0.1, 1.1, np.nan, "half", None, True])
def test_a_probability_beyond_0_and_1_is_refused_whenever_it_is_set(probability):
    X, y, _ = people(60)
    message = "probability must be a number from 0 to 1"
    with pytest.raises(ValueError, match=message):
        RandomizedMixtureClassifier(ProportionalOddsClassifier(), probability).fit(X, y)
    model = RandomizedMixtureClassifier(ProportionalOddsClassifier()).fit(X, y)
    model.set_params(probability=probability)
    for ask in (model.predict, model.predict_proba):
        with pytest.raises(ValueError, match=message):
            ask(X)


def test_a_probability_of_1_in_single_precision_is_1():
    X, y, _ = people(60)
    model = RandomizedMixtureClassifier(ProportionalOddsClassifier(), np.float32(1)).fit(X, y)
    assert set(model.predict(X)) == {model.constant_}


def test_the_papers_grid():
    assert len(PAPER_PROBABILITIES) == 49
    assert PAPER_PROBABILITIES[0] == 0.02
    assert PAPER_PROBABILITIES[-1] == 0.98


# ablations


def test_one_step_without_the_other():
    X, y, a = people(400)
    rows = {"sensitive_features": a}
    fair = fair_thresholds_only(trade_off=0.5, cv=2).fit(X, y, **rows)
    plain = fair_thresholds_only(trade_off=0.0, cv=2).fit(X, y, **rows)
    assert fair.violation_ < plain.violation_
    ranked = fair_ranker_only(violation_weight=0.6, alpha=1e-3, cv=2).fit(X, y, **rows)
    unfair = fair_ranker_only(violation_weight=0.0, alpha=1e-3, cv=2).fit(X, y, **rows)
    assert ranked.violation_ < unfair.violation_
    assert ranked.result_.goal.penalty == 0
    assert unfair.cost_ == pytest.approx(plain.cost_, abs=0.03)


# Wasserstein barycentres


def test_scores_have_one_distribution_in_every_group():
    X, y, a = people(3000, n_groups=3)
    model = WassersteinFairClassifier(LinearRegression()).fit(X, y, sensitive_features=a)
    scores = model.fair_scores(X, sensitive_features=a)
    levels = np.linspace(0.02, 0.98, 25)
    each = np.array([np.quantile(scores[a == g], levels) for g in range(3)])
    assert np.ptp(each, axis=0).max() < 0.02
    predicted = model.predict(X, sensitive_features=a)
    assert pairwise_demographic_parity_difference(y, predicted, sensitive_features=a) < 0.01
    plain = np.clip(np.rint(LinearRegression().fit(X, y).predict(X)), 0, 3).astype(int)
    assert pairwise_demographic_parity_difference(y, plain, sensitive_features=a) > 0.3


def test_scores_are_moved_as_far_as_the_strength_says():
    X, y, a = people(400)
    none, half, whole = (
        WassersteinFairClassifier(LinearRegression(), strength=strength)
        .fit(X, y, sensitive_features=a)
        .fair_scores(X, sensitive_features=a)
        for strength in (0, 0.5, 1)
    )
    np.testing.assert_allclose(none, LinearRegression().fit(X, y).predict(X))
    np.testing.assert_allclose(half, (none + whole) / 2)
    for strength in (-0.1, 1.1, None):
        with pytest.raises(ValueError, match="strength must be a number from 0 to 1"):
            WassersteinFairClassifier(LinearRegression(), strength=strength).fit(
                X, y, sensitive_features=a
            )


def test_the_barycentre_of_two_uniform_groups_by_hand():
    scores = np.array([0.0, 1, 2, 3, 10, 11, 12, 13])[:, None]
    y, a = np.array([0, 1, 2, 3, 10, 11, 12, 13]), np.array([0] * 4 + [1] * 4)
    model = WassersteinFairClassifier(LinearRegression()).fit(scores, y, sensitive_features=a)
    fair = model.fair_scores(scores, sensitive_features=a)
    np.testing.assert_allclose(fair, [5, 6, 7, 8, 5, 6, 7, 8])  # (s + s + 10) / 2


def test_order_within_a_group_is_kept_and_the_group_is_needed():
    X, y, a = people(400)
    model = WassersteinFairClassifier(Ridge()).fit(X, y, sensitive_features=a)
    raw, fair = model.estimator_.predict(X), model.fair_scores(X, sensitive_features=a)
    for g in (0, 1):
        assert (np.diff(fair[a == g][np.argsort(raw[a == g])]) >= 0).all()
    with pytest.raises(ValueError, match="needs sensitive_features"):
        model.predict(X)
    with pytest.raises(ValueError, match=r"got 5\. Predictions are not defined for groups"):
        model.predict(X, sensitive_features=np.full(len(y), 5))
    with pytest.raises(ValueError, match="must be a regressor"):
        WassersteinFairClassifier(LogisticRegression()).fit(X, y, sensitive_features=a)


# the contract

ALL = [
    ConstantClassifier(),
    ProportionalOddsClassifier(alpha=1e-3),
    RandomizedMixtureClassifier(ProportionalOddsClassifier(alpha=1e-3), 0.3, random_state=0),
    OrderedPartitionsClassifier(LogisticRegression()),
    HierarchicalClassifier(LogisticRegression(), ProportionalOddsClassifier(alpha=1e-3)),
    WassersteinFairClassifier(Ridge()),
]
named = pytest.mark.parametrize("model", ALL, ids=lambda model: type(model).__name__)


@named
def test_groups_may_be_passed_and_models_are_copied(model):
    X, y, a = people(400)
    frame = pd.DataFrame(X, columns=["skill", "club", "noise"])
    needs_group = isinstance(model, WassersteinFairClassifier)
    at_predict = {"sensitive_features": a} if needs_group else {}
    fitted = clone(model).fit(frame, y, sensitive_features=a)
    assert fitted.feature_names_in_.tolist() == ["skill", "club", "noise"]
    again = pickle.loads(pickle.dumps(fitted))
    predicted = fitted.predict(frame, **at_predict)
    np.testing.assert_array_equal(again.predict(frame, **at_predict), predicted)
    if not needs_group:
        np.testing.assert_array_equal(clone(model).fit(frame, y).predict(frame), predicted)


def test_tuned_in_a_search_with_routed_weights():
    X, y, _ = people(400)
    with sklearn.config_context(enable_metadata_routing=True):
        model = ProportionalOddsClassifier().set_fit_request(sample_weight=True)
        model.set_score_request(sample_weight=True)
        search = GridSearchCV(model, {"alpha": [0, 1]})  # of a pipeline since scikit-learn 1.7
        search.fit(X, y, sample_weight=np.ones(len(y)))
    assert search.best_score_ > 0.3


def order_of(y):
    """Names in the order of the alphabet, so that scikit-learn's checks may pass them."""
    labels = np.asarray(y).ravel()
    return np.unique(labels).tolist() if labels.dtype.kind not in "iuf" else None


def refuse_nothing(y):
    if y is None:
        raise ValueError("requires y to be passed, but the target y is None")


class Constant(ConstantClassifier):
    def fit(self, X, y=None, sample_weight=None):
        refuse_nothing(y)
        self.set_params(labels=order_of(y))
        return super().fit(X, y, sample_weight=sample_weight)


class Odds(ProportionalOddsClassifier):
    def fit(self, X, y=None, sample_weight=None):
        refuse_nothing(y)
        self.set_params(labels=order_of(y))
        return super().fit(X, y, sample_weight=sample_weight)


class Mixture(RandomizedMixtureClassifier):
    def fit(self, X, y=None, sample_weight=None):
        refuse_nothing(y)
        self.set_params(labels=order_of(y))
        return super().fit(X, y, sample_weight=sample_weight)


class Partitions(OrderedPartitionsClassifier):
    def fit(self, X, y=None):
        refuse_nothing(y)
        self.set_params(labels=order_of(y))
        return super().fit(X, y)


class Hierarchy(HierarchicalClassifier):
    def fit(self, X, y=None):
        refuse_nothing(y)
        self.set_params(labels=order_of(y))
        return super().fit(X, y)


class Barycentre(WassersteinFairClassifier):
    """The sensitive feature made up, of each row by itself."""

    def fit(self, X, y=None, sample_weight=None):
        refuse_nothing(y)
        self.set_params(labels=order_of(y))
        n_rows = len(np.asarray(y).ravel())
        groups = sides_of(X, n_rows)
        one = len(np.unique(groups)) < 2
        groups = np.arange(n_rows) % 2 if one else groups
        return super().fit(X, y, sensitive_features=groups, sample_weight=sample_weight)

    def predict(self, X, *, sensitive_features=None):
        return super().predict(X, sensitive_features=sides_of(X, count_rows(X)))


def sides_of(X, n_rows):
    """Two groups, told by the numbers in a row alone."""
    try:
        rows = np.asarray(X.toarray() if sparse.issparse(X) else X, dtype=np.float64)
        return np.array([zlib.crc32(row.tobytes()) % 2 for row in rows])
    except (TypeError, ValueError):
        return np.arange(n_rows) % 2


SCORES = dict.fromkeys(
    ["check_classifiers_train", "check_classifiers_classes"],
    "scores are one number a row, whatever the number of labels",
)
LABELS = {
    "check_classifiers_one_label": "labels without a second one have no order",
    "check_classifiers_regression_target": "half stars are labels; so is any number",
}
WEIGHTS = {"check_classifiers_one_label_sample_weights": "the message speaks of labels"}
META = {
    "check_complex_data": "y is read first, and says that it is complex",
    "check_fit2d_1sample": "one row is one label, and one group: nothing to compare",
}
ON_PURPOSE = {
    Constant: SCORES,
    Odds: SCORES | LABELS | WEIGHTS,
    Mixture: LABELS
    | WEIGHTS
    | META
    | {"check_classifiers_train": "a coin does not always show the more probable side"},
    Partitions: LABELS,
    Hierarchy: LABELS,
    Barycentre: LABELS
    | META
    | {"check_classifiers_train": "labels of blobs lie on no line, and a regressor misses them"},
}


@parametrize_with_checks(
    [
        Constant(),
        Odds(alpha=1e-2, tol=1e-12),
        Mixture(Odds(alpha=1e-2, tol=1e-12), 0.3, random_state=0),
        Partitions(LogisticRegression()),
        Hierarchy(LogisticRegression(), ProportionalOddsClassifier(alpha=1e-2, tol=1e-12)),
        Barycentre(Ridge()),
    ],
    expected_failed_checks=lambda model: ON_PURPOSE[type(model)],
)
def test_scikit_learn_checks(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(estimator)
