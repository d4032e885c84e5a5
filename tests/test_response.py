"""Scores of fitted estimators rise with the labels, whatever order the estimator knows them in."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

from fairordinal import (
    FairOrdinalClassifier,
    FairOrdinalFrontier,
    FairThresholdClassifier,
    compare,
)
from fairordinal.baselines import ProportionalOddsClassifier, RandomizedMixtureClassifier
from fairordinal.plotting import DisparityDisplay
from fairordinal.ranker import FairLinearRanker
from fitted import fitted
from made_up import people

pytestmark = pytest.mark.usefixtures("small_effort")

CUTS = {2: [0.4], 3: [-0.3, 1.1]}


def clear_people(n_labels):
    """Rows whose first feature nearly determines the label."""
    return people(240, cuts=CUTS[n_labels], noise=0.2)


WAYS = {
    "prefit": lambda model: {"estimator": model, "cv": "prefit"},
    "frozen and prefit": lambda model: {"estimator": FrozenEstimator(model), "cv": "prefit"},
    "frozen": lambda model: {"estimator": FrozenEstimator(model)},
    "frozen in a pipeline": lambda model: {
        "estimator": make_pipeline(FrozenEstimator(StandardScaler(with_std=False).fit([[0.0] * 3])),
                                   FrozenEstimator(model))
    },
}  # fmt: skip
BINARY = [
    LogisticRegression(),
    LinearSVC(),
    SVC(kernel="linear"),
    CalibratedClassifierCV(LinearSVC(), cv=3),
    make_pipeline(StandardScaler(), LogisticRegression()),
    GridSearchCV(LogisticRegression(), {"C": [0.1, 1.0]}, cv=3),
    RandomForestClassifier(20, random_state=0),
]
TWO = [["low", "high"], ["a", "b"], [1, 0], [0, 1], [5.0, 2.0], [-1, 1]]
ways = pytest.mark.parametrize("way", WAYS)
responses = pytest.mark.parametrize("response", ["decision_function", "predict_proba", "predict"])


def accuracy_of_thresholds(estimator, labels, way, response="auto", n_labels=2):
    """Of thresholds of least cost, on the scores of an estimator fitted to the labels."""
    X, y, a = clear_people(n_labels)
    names = np.array(labels)[y]
    options = WAYS[way](fitted(clone(estimator), X, names))
    model = FairThresholdClassifier(
        trade_off=0.0, labels=labels, response_method=response, **options
    )
    model.fit(X, names, sensitive_features=a)
    scores = model.decision_function(X)
    assert np.corrcoef(scores, y)[0, 1] > 0.6
    assert model.cost_ == pytest.approx(model.result_.state(model.thresholds_).cost)
    return model.score(X, names), options["estimator"].score(X, names)


@ways
@pytest.mark.parametrize("labels", TWO, ids=str)
@pytest.mark.parametrize("estimator", BINARY, ids=lambda estimator: type(estimator).__name__)
def test_a_fitted_binary_classifier_is_never_cut_upside_down(estimator, labels, way):
    """decision_function points to classes_[1], which was the lower label: all were "low"."""
    ours, plain = accuracy_of_thresholds(estimator, labels, way)
    assert ours >= plain > 0.85


@responses
@pytest.mark.parametrize("labels", TWO, ids=str)
def test_every_response_of_a_binary_classifier_rises_with_the_labels(labels, response):
    ours, plain = accuracy_of_thresholds(LogisticRegression(), labels, "prefit", response)
    assert ours >= plain > 0.85


THREE = [["low", "mid", "top"], ["top", "mid", "low"], ["b", "c", "a"], [3, 2, 1], [2, 3, 1]]


@ways
@pytest.mark.parametrize("labels", THREE, ids=str)
@pytest.mark.parametrize("response", ["predict_proba", "predict"])
def test_columns_and_predictions_are_matched_to_labels_by_value(labels, way, response):
    """Labels in descending order were placed on their line in the wrong direction."""
    ours, plain = accuracy_of_thresholds(LogisticRegression(), labels, way, response, n_labels=3)
    assert ours >= plain - 0.1 > 0.6


@pytest.mark.parametrize("labels", [[3, 2, 1], [1, 2, 3], [1.5, 0.5, -7]], ids=str)
def test_a_fitted_regressor_predicts_numbers_that_may_descend(labels):
    X, y, a = clear_people(3)
    numbers = np.array(labels)[y]
    model = FairThresholdClassifier(
        Ridge().fit(X, numbers), cv="prefit", trade_off=0.0, labels=labels
    )
    predicted = model.fit(X, numbers, sensitive_features=a).predict(X)
    assert (predicted == numbers).mean() > 0.7


def test_a_fitted_regressor_of_numbers_out_of_order_is_refused():
    X, y, a = clear_people(3)
    numbers = np.array([2, 3, 1])[y]
    model = FairThresholdClassifier(Ridge().fit(X, numbers), cv="prefit", labels=[2, 3, 1])
    with pytest.raises(ValueError, match=r"rises along \[1, 2, 3\].* order of the labels, \[2, 3,"):
        model.fit(X, numbers, sensitive_features=a)


RANKING = {
    "FairLinearRanker": FairLinearRanker(alpha=0.01, ranker="relaxed", violation_weight=0.0),
    "FairOrdinalClassifier": FairOrdinalClassifier(alpha=0.01, ranker="relaxed", trade_off=0.0),
    "ProportionalOddsClassifier": ProportionalOddsClassifier(alpha=0.01),
}


@pytest.mark.parametrize("name", RANKING)
@pytest.mark.parametrize(("order", "turn"), [("abc", 1), ("cba", -1)])
def test_an_ordinal_score_follows_the_order_that_its_model_was_given(name, order, turn):
    X, y, a = clear_people(3)
    names = np.array(list("abc"))[y]
    inner = clone(RANKING[name]).set_params(labels=[*order])
    inner.fit(X, names, sensitive_features=a)
    model = FairThresholdClassifier(inner, cv="prefit", trade_off=0.0, labels=[*"abc"])
    model.fit(X, names, sensitive_features=a)
    np.testing.assert_array_equal(model.decision_function(X), turn * inner.decision_function(X))
    assert model.score(X, names) > 0.7


@pytest.mark.parametrize("name", RANKING)
def test_an_ordinal_score_along_another_order_is_refused(name):
    X, y, a = clear_people(3)
    names = np.array(list("abc"))[y]
    inner = clone(RANKING[name]).set_params(labels=[*"bac"])
    inner.fit(X, names, sensitive_features=a)
    model = FairThresholdClassifier(inner, cv="prefit", labels=[*"abc"])
    with pytest.raises(ValueError, match=r"rises along \['b', 'a', 'c'\].*predict_proba"):
        model.fit(X, names, sensitive_features=a)


class Alphabetical(ClassifierMixin, BaseEstimator):
    """An ordinal model that codes labels as scikit-learn does, in sorted order."""

    def fit(self, X, y):
        self.classes_, codes = np.unique(y, return_inverse=True)
        self.ridge_ = Ridge().fit(X, codes)
        return self

    def decision_function(self, X):
        return self.ridge_.predict(X)

    def predict(self, X):
        codes = np.clip(np.rint(self.ridge_.predict(X)), 0, len(self.classes_) - 1)
        return self.classes_[codes.astype(int)]


def test_an_ordinal_model_of_names_in_sorted_order_is_refused_unless_that_is_their_order():
    X, y, a = clear_people(3)
    for order, allowed in (([*"abc"], True), ([*"bca"], False), ([*"cba"], True)):
        names = np.array(order)[y]
        model = FairThresholdClassifier(
            Alphabetical().fit(X, names), cv="prefit", trade_off=0.0, labels=order
        )
        if allowed:
            assert model.fit(X, names, sensitive_features=a).score(X, names) > 0.7
            continue
        with pytest.raises(ValueError, match="not the order of the labels"):
            model.fit(X, names, sensitive_features=a)
        refitted = FairThresholdClassifier(Alphabetical(), trade_off=0.0, labels=order)
        assert refitted.fit(X, names, sensitive_features=a).score(X, names) > 0.7


class Nameless(Alphabetical):
    """A classifier that does not say its classes."""

    def fit(self, X, y):
        super().fit(X, y)
        del self.classes_
        return self

    def __sklearn_is_fitted__(self):
        return hasattr(self, "ridge_")


def test_scores_of_a_classifier_without_classes_are_refused():
    X, y, a = clear_people(2)
    model = FairThresholdClassifier(Nameless().fit(X, y), cv="prefit")
    with pytest.raises(ValueError, match="has no classes_"):
        model.fit(X, y, sensitive_features=a)


@responses
@pytest.mark.parametrize("known", [["none", "high"], [0, 1], ["0", "1"]], ids=str)
def test_a_classifier_of_other_labels_is_refused_by_its_classes(known, response):
    """Decision values of a classifier of other labels were taken as they came."""
    X, y, a = clear_people(2)
    model = FairThresholdClassifier(
        LogisticRegression().fit(X, np.array(known)[y]),
        cv="prefit",
        labels=["low", "high"],
        response_method=response,
    )
    with pytest.raises(ValueError, match="is not one of the labels"):
        model.fit(X, np.array(["low", "high"])[y], sensitive_features=a)


@responses
def test_a_classifier_that_never_saw_a_label_is_understood(response):
    X, y, a = clear_people(3)
    names = np.array(["mid", "low", "high"])[[1, 0, 2]][y]
    some = names != "mid"
    inner = LogisticRegression().fit(X[some], names[some])
    model = FairThresholdClassifier(
        inner,
        cv="prefit",
        trade_off=0.0,
        labels=["low", "mid", "high"],
        response_method=response,
    )
    model.fit(X, names, sensitive_features=a)
    assert np.corrcoef(model.decision_function(X), y)[0, 1] > 0.6


def test_a_frontier_of_a_fitted_classifier_is_not_upside_down():
    X, y, a = clear_people(2)
    names = np.array(["low", "high"])[y]
    inner = LogisticRegression().fit(X, names)
    frontier = FairOrdinalFrontier(estimator=inner, cv="prefit", labels=["low", "high"])
    frontier.fit(X, names, sensitive_features=a)
    assert frontier.model(len(frontier.points_) - 1).score(X, names) > 0.85


def test_blocks_of_dask_are_scored_upwards_too():
    array = pytest.importorskip("dask.array")
    X, y, a = clear_people(2)
    names = np.array(["low", "high"])[y]
    model = FairThresholdClassifier(
        LogisticRegression().fit(X, names), cv="prefit", trade_off=0.0, labels=["low", "high"]
    )
    blocks = array.from_array(X, chunks=(80, 3))
    model.fit(blocks, names, sensitive_features=a)
    assert (model.predict(blocks).compute() == names).mean() > 0.85


def test_a_mixture_with_a_frozen_classifier_keeps_its_labels():
    X, y, _ = clear_people(2)
    names = np.array(["low", "high"])[y]
    inner = FrozenEstimator(LogisticRegression().fit(X, names))
    for estimator in (inner, make_pipeline(StandardScaler(with_std=False), inner)):
        model = RandomizedMixtureClassifier(estimator, 0.0, labels=["low", "high"])
        assert model.fit(X, names).score(X, names) > 0.85


def test_the_order_of_a_searched_model_reaches_audits_and_comparisons():
    """The order of a model inside a search was lost: names were refused, numbers turned."""
    X, y, a = clear_people(3)
    names = np.array(["top", "mid", "low"])[y]
    inner = ProportionalOddsClassifier(alpha=0.01, labels=["top", "mid", "low"])
    search = GridSearchCV(inner, {"alpha": [0.1, 0.01]}, cv=2).fit(X, names)
    direct = inner.fit(X, names)
    shown = [
        DisparityDisplay.from_estimator(model, X, names, sensitive_features=a).frame()
        for model in (search.best_estimator_, search)
    ]
    assert shown[0].equals(shown[1])
    found = compare({"search": search, "direct": direct}, X, names, sensitive_features=a)
    assert set(found.frame()["model"]) == {"search", "direct"}
