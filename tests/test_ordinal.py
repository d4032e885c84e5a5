"""The fair ordinal classifier: what it keeps, what it expects, where it fits in."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
import sklearn
from scipy import sparse
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.kernel_approximation import Nystroem, RBFSampler
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, SplineTransformer
from sklearn.utils.estimator_checks import parametrize_with_checks

from fairordinal import FairOrdinalClassifier
from fairordinal.metrics import (
    mean_cost,
    pairwise_demographic_parity_difference,
    pairwise_equal_opportunity_difference,
)
from fairordinal.ranker import FairLinearRanker
from made_up import people
from sklearn_checks import SCORES_AND_LABELS, MadeUpGroups

pytestmark = pytest.mark.usefixtures("small_effort")

QUICK = {"alpha": 1e-3, "ranker": "reduction", "cv": 2, "basis": "linear"}


@pytest.mark.usefixtures("full_effort")
@pytest.mark.parametrize("n_groups", [2, 3])
@pytest.mark.parametrize("criterion", ["demographic_parity", "equal_opportunity"])
def test_a_limit_is_kept_on_the_rows_given_and_nearly_so_in_new_ones(criterion, n_groups):
    X, y, a = people(1500, n_groups=n_groups)
    new_X, new_y, new_a = people(1500, seed=1, n_groups=n_groups)
    model = FairOrdinalClassifier(criterion, max_violation=0.1, **QUICK)
    model.fit(X, y, sensitive_features=a)
    measure = {
        "demographic_parity": pairwise_demographic_parity_difference,
        "equal_opportunity": pairwise_equal_opportunity_difference,
    }[criterion]
    predicted = model.predict(new_X)
    assert model.violation_ <= 0.1
    assert model.expected_violation_ <= 0.1
    assert measure(new_y, predicted, sensitive_features=new_a) <= 0.1 + 0.06
    low, high = model.expected_cost_interval_
    assert low <= model.expected_cost_ <= high
    assert mean_cost(new_y, predicted) == pytest.approx(model.expected_cost_, abs=0.1)


@pytest.mark.parametrize("ranker", ["direct", "reduction"])
def test_the_squared_hinge_is_a_loss_as_any_other(ranker):
    X, y, a = people(300)
    options = QUICK | {"ranker": ranker, "trade_off": 0.3}
    hinge, logistic = (
        FairOrdinalClassifier(loss=loss, **options).fit(X, y, sensitive_features=a)
        for loss in ("squared_hinge", "logistic")
    )
    assert hinge.violation_ < 0.1
    assert hinge.cost_ == pytest.approx(logistic.cost_, abs=0.05)


@pytest.mark.parametrize("order", ["C", "F"])
def test_equal_rows_are_never_cut_apart_by_rounding(order):
    X, y, a = people(1003)
    X = np.column_stack([X, X**2, X**3])[np.arange(1003) % 12]  # 12 different rows
    y = np.arange(1003) % 12 // 3
    model = FairOrdinalClassifier(trade_off=0.1, **QUICK)
    model.fit(np.asarray(X, order=order), y, sensitive_features=a)
    assert not np.isinf(model.thresholds_).all()
    labels = model.predict(np.asarray(X, order=order))
    assert all(len(set(labels[i::12])) == 1 for i in range(12))


@pytest.mark.usefixtures("full_effort")
def test_confidence_asks_for_more_than_the_estimate():
    X, y, a = people(600)
    careful = FairOrdinalClassifier(max_violation=0.15, confidence=0.9, **QUICK)
    careful.fit(X, y, sensitive_features=a)
    bold = FairOrdinalClassifier(max_violation=0.15, **QUICK).fit(X, y, sensitive_features=a)
    assert careful.expected_violation_interval_[1] <= 0.15
    assert careful.expected_violation_ <= bold.expected_violation_ + 1e-9
    assert careful.expected_cost_ >= bold.expected_cost_ - 1e-9


def test_a_group_that_is_too_small_leaves_a_constant_predictor_and_says_so():
    X, y, a = people(200)
    a[0] = 2  # a group of one row: no bound is below 1
    with pytest.warns(UserWarning, match="All people get label"):
        model = FairOrdinalClassifier(confidence=0.9, **QUICK).fit(X, y, sensitive_features=a)
    assert len(np.unique(model.predict(X))) == 1
    assert model.expected_violation_ == 0.0 == model.violation_


def test_a_limit_of_zero_has_an_answer():
    X, y, a = people(100)
    with pytest.warns(UserWarning, match="people get label"):
        model = FairOrdinalClassifier(max_violation=0.0, **QUICK).fit(X, y, sensitive_features=a)
    assert model.violation_ == 0.0


def test_intervals_follow_the_confidence():
    X, y, a = people(300)
    widths = []
    for confidence in (0.5, 0.99):
        model = FairOrdinalClassifier(trade_off=0.2, confidence=confidence, **QUICK)
        low, high = model.fit(X, y, sensitive_features=a).expected_cost_interval_
        widths.append(high - low)
    assert widths[0] < widths[1]


def test_the_fitted_model_is_what_it_says():
    X, y, a = people(600)
    for basis in ("auto", "linear"):
        model = FairOrdinalClassifier(trade_off=0.3, **QUICK | {"basis": basis})
        predicted = model.fit(X, y, sensitive_features=a).predict(X)
        assert mean_cost(y, predicted) == pytest.approx(model.cost_)
        violation = pairwise_demographic_parity_difference(y, predicted, sensitive_features=a)
        assert violation == pytest.approx(model.violation_)
    np.testing.assert_allclose(model.decision_function(X), X @ model.coef_)
    assert model.gap_ <= 1e-3
    assert model.coef_.shape == (3,)
    assert model.thresholds_.shape == (3,)


@pytest.mark.usefixtures("full_effort")
def test_fairer_than_moving_thresholds_alone():
    X, y, a = people(600)
    model = FairOrdinalClassifier(trade_off=0.4, **QUICK).fit(X, y, sensitive_features=a)
    plain = FairLinearRanker(violation_weight=0.0, alpha=1e-3).fit(X, y, sensitive_features=a)
    assert abs(np.corrcoef(model.decision_function(X), a)[0, 1]) < abs(
        np.corrcoef(plain.decision_function(X), a)[0, 1]
    )


def test_names_frames_and_weights():
    X, y, a = people(600)
    names = np.array(["poor", "fair", "good", "superb"])
    frame = pd.DataFrame(X, columns=["skill", "club", "noise"])
    model = FairOrdinalClassifier(trade_off=0.2, labels=names, **QUICK)
    model.fit(frame, names[y], sensitive_features=pd.Series(a), sample_weight=np.ones(600))
    assert model.classes_.tolist() == names.tolist()
    assert model.feature_names_in_.tolist() == ["skill", "club", "noise"]
    plain = FairOrdinalClassifier(trade_off=0.2, **QUICK).fit(X, y, sensitive_features=a)
    np.testing.assert_array_equal(model.predict(frame), names[plain.predict(X)])


def test_weights_are_repetitions_for_the_final_model():
    X, y, a = people(300)
    weight = np.where(np.arange(300) % 3 == 0, 2.0, 1.0)
    times = weight.astype(int)
    options = {"trade_off": 0.0, "alpha": 1e-3, "ranker": "relaxed", "cv": 2}
    weighted = FairOrdinalClassifier(**options).fit(
        X, y, sensitive_features=a, sample_weight=weight
    )
    repeated = FairOrdinalClassifier(**options).fit(
        np.repeat(X, times, axis=0), np.repeat(y, times), sensitive_features=np.repeat(a, times)
    )
    assert np.corrcoef(weighted.coef_, repeated.coef_)[0, 1] > 0.99


@pytest.mark.parametrize(
    "features",
    [
        Nystroem(n_components=30, random_state=0),
        RBFSampler(n_components=60, random_state=0),
        SplineTransformer(n_knots=4),
        make_column_transformer((OneHotEncoder(), ["club"]), remainder="passthrough"),
    ],
    ids=lambda step: type(step).__name__,
)
def test_after_features_that_are_not_linear(features):
    X, y, a = people(600)
    frame = pd.DataFrame(X, columns=["skill", "club", "noise"])
    frame["club"] = frame["club"].round().clip(-2, 2)
    with sklearn.config_context(enable_metadata_routing=True):
        model = FairOrdinalClassifier(max_violation=0.2, **QUICK)
        pipeline = make_pipeline(features, model.set_fit_request(sensitive_features=True))
        pipeline.fit(frame, y, sensitive_features=a)
    assert pipeline[-1].violation_ <= 0.2
    assert set(pipeline.predict(frame)) <= set(range(4))


def test_sparse_features():
    X, y, a = people(600)
    X[np.abs(X) < 0.3] = 0.0
    model = FairOrdinalClassifier(max_violation=0.2, **QUICK)
    model.fit(sparse.csr_array(X), y, sensitive_features=a)
    np.testing.assert_array_equal(model.predict(sparse.csr_array(X)), model.predict(X))


def test_tuned_over_trade_offs_with_routed_groups():
    X, y, a = people(300)
    with sklearn.config_context(enable_metadata_routing=True):
        model = FairOrdinalClassifier(trade_off=0.1, **QUICK).set_fit_request(
            sensitive_features=True
        )
        search = GridSearchCV(model, {"trade_off": [0.0, 0.5]}, cv=2)
        search.fit(X, y, sensitive_features=a)
    assert search.best_params_["trade_off"] in (0.0, 0.5)


def test_clone_and_pickle():
    X, y, a = people(300)
    model = FairOrdinalClassifier(trade_off=0.2, **QUICK).fit(X, y, sensitive_features=a)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    assert clone(model).get_params() == model.get_params()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"trade_off": 0.1, "max_violation": 0.1}, "Give either"),
        ({"confidence": 1.5}, "confidence must lie"),
        ({"cv": 1}, "cv must be a whole number"),
        ({"criterion": "harm_parity"}, "is about single samples"),
        ({"cost_matrix": [[0, 1], [1, 0]]}, "cost_matrix has shape"),
    ],
)
def test_bad_parameters_are_refused(options, message):
    X, y, a = people(100)
    with pytest.raises(ValueError, match=message):
        FairOrdinalClassifier(**options).fit(X, y, sensitive_features=a)


class WithGroups(MadeUpGroups, FairOrdinalClassifier):
    pass


ON_PURPOSE = SCORES_AND_LABELS | {
    "check_classifiers_one_label_sample_weights": "labels without a second one have no order",
}
CHECKED = {"trade_off": 0.1, "alpha": 1.0, "ranker": "relaxed", "loss": "squared_hinge", "cv": 2}


@parametrize_with_checks(
    [
        WithGroups(tol=1e-11, basis="linear", **CHECKED),
        WithGroups(tol=1e-11, basis="trees", **CHECKED),  # it has ramps, too
    ],
    expected_failed_checks=lambda estimator: ON_PURPOSE,
)
def test_scikit_learn_checks(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(estimator)


@pytest.mark.slow
@parametrize_with_checks(
    [WithGroups(tol=1e-11, basis="piecewise", **CHECKED)],
    expected_failed_checks=lambda estimator: ON_PURPOSE,
)
def test_scikit_learn_checks_of_piecewise_linear_models(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(estimator)
