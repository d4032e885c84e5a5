"""Every public class that is fitted is fitted wholly: a failed fit changes nothing."""

import importlib
import inspect
import pickle
import pkgutil
import warnings

import numpy as np
import pytest
from fairlearn.postprocessing import ThresholdOptimizer
from sklearn.base import BaseEstimator, clone
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.utils import get_tags

import fairordinal
from fairordinal import FairOrdinalClassifier, FairOrdinalFrontier, FairThresholdClassifier
from fairordinal.baselines import (
    ConstantClassifier,
    CumulativeClassifier,
    HierarchicalClassifier,
    LinearPostClassifier,
    OrderedPartitionsClassifier,
    ProjectionEnsembleClassifier,
    ProportionalOddsClassifier,
    RandomizedMixtureClassifier,
    WassersteinFairClassifier,
)
from fairordinal.ranker import FairLinearRanker
from made_up import people

pytestmark = pytest.mark.usefixtures("small_effort")

QUICK = {"alpha": 1e-2, "ranker": "relaxed", "cv": 2}


class Projecting(LogisticRegression):
    """A threshold model of one feature, as ProjectionEnsembleClassifier asks for."""

    def fit(self, X, y):
        super().fit(X, y)
        self.thresholds_ = np.arange(len(self.classes_) - 1.0)
        return self

    def predict_projection(self, X):
        return X[:, 0]


MODELS = [
    FairLinearRanker(**QUICK),
    FairOrdinalClassifier(trade_off=0.1, max_time=1.0, **QUICK),
    FairThresholdClassifier(LogisticRegression(), trade_off=0.1, cv=2),
    FairThresholdClassifier(LinearRegression(), group_aware=True, cv=2),
    FairOrdinalFrontier(max_time=0.05, **QUICK),
    FairOrdinalFrontier(estimator=LinearRegression(), cv=2, max_time=0.05),
    ConstantClassifier(),
    ProportionalOddsClassifier(alpha=0.01),
    RandomizedMixtureClassifier(LogisticRegression(), random_state=0),
    WassersteinFairClassifier(LinearRegression()),
    OrderedPartitionsClassifier(LogisticRegression()),
    HierarchicalClassifier(LogisticRegression(), ProportionalOddsClassifier(alpha=0.01)),
    ProjectionEnsembleClassifier(Projecting()),
    LinearPostClassifier(LogisticRegression(), cv=2),
    CumulativeClassifier(ThresholdOptimizer(estimator=LogisticRegression())),
]
each = pytest.mark.parametrize("model", MODELS, ids=lambda model: repr(model)[:45])


def fit(model, X, y, a):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(X, y, sensitive_features=a)


def answers(model, X, a):
    """All that a fitted model says of rows."""
    if isinstance(model, FairOrdinalFrontier):
        return [model.model(i).predict(X) for i in range(len(model.points_))]
    if "sensitive_features" in inspect.signature(getattr(model, "predict", len)).parameters:
        groups = a if getattr(model, "group_aware", True) else None
        return [model.predict(X, sensitive_features=groups)]
    asked = ("predict", "decision_function", "predict_proba")
    return [getattr(model, name)(X) for name in asked if hasattr(model, name)]


class State:
    """What a model holds: the same objects, none of them changed, and the same answers."""

    def __init__(self, model, X, a):
        self.model, self.X, self.a = model, X, a
        self.answers = answers(model, X, a)
        self.held, self.written = dict(vars(model)), pickle.dumps(vars(model))

    def assert_kept(self):
        assert vars(self.model).keys() == self.held.keys()
        assert all(vars(self.model)[name] is value for name, value in self.held.items())
        assert pickle.dumps(vars(self.model)) == self.written
        for before, now in zip(self.answers, answers(self.model, self.X, self.a), strict=True):
            np.testing.assert_array_equal(before, now)


def public_classes_with_fit():
    """Of the package and of its public modules."""
    modules = [fairordinal] + [
        importlib.import_module(f"fairordinal.{found.name}")
        for found in pkgutil.iter_modules(fairordinal.__path__)
        if not found.name.startswith("_")
    ]
    named = [getattr(m, name) for m in modules for name in getattr(m, "__all__", ())]
    kinds = [each for each in named if inspect.isclass(each) and issubclass(each, BaseEstimator)]
    return {kind for kind in kinds if hasattr(kind, "fit")}


def test_every_public_class_with_fit_is_tested_here():
    assert public_classes_with_fit() == {type(model) for model in MODELS}


def bad_rows():
    X, y, a = people(60, 1, n_features=4)
    spoilt = X.copy()
    spoilt[5, 1] = np.nan
    wild = X.copy()
    wild[5, 1] = np.inf
    return {
        "labels too short": (X, y[:-1], a),
        "one label": (X, np.zeros(len(y), int), a),
        "names without order": (X, np.array(list("abcd"))[y], a),
        "text": (np.char.add(X.astype(str), "x"), y, a),
        "a missing number": (spoilt, y, a),
        "an infinite number": (wild, y, a),
        "no groups": (X, y, None),
    }


@each
@pytest.mark.parametrize("fault", bad_rows())
def test_a_fit_to_bad_rows_changes_nothing(model, fault):
    X, y, a = people(60)
    state = State(fit(clone(model), X, y, a), X, a)
    try:
        fit(state.model, *bad_rows()[fault])
    except (ValueError, TypeError):
        state.assert_kept()
    else:  # what a baseline does not look at, or missing numbers that a model takes
        takes_missing = fault == "a missing number" and get_tags(model).input_tags.allow_nan
        assert takes_missing or type(model).__module__.startswith("fairordinal.baselines")


class _Stop:
    """Raises an error when one of the assignments to an estimator's attributes is made."""

    def __init__(self, monkeypatch, kind, at, error):
        self.left, self.error = at, error
        monkeypatch.setattr(kind, "__setattr__", self.assign(), raising=False)

    def assign(self):
        def __setattr__(model, name, value):  # noqa: N807
            if name != "__dict__" and not self.left:
                raise self.error
            self.left -= name != "__dict__"
            object.__setattr__(model, name, value)

        return __setattr__


@each
def test_a_fit_that_stops_anywhere_changes_nothing(model, monkeypatch):
    """Some attributes were those of the failed fit: accuracy fell from 0.563 to 0.313."""
    errors = [RuntimeError("stop"), KeyboardInterrupt()]
    X, y, a = people(60)
    state = State(fit(clone(model), X, y, a), X, a)
    others = people(50, 1, n_features=4)
    for at in range(100):
        error = errors[at % 2]
        with monkeypatch.context() as patched:
            stop = _Stop(patched, type(model), at, error)
            try:
                fit(state.model, *others)
            except type(error):
                stop.left = -1
                state.assert_kept()
                continue
        break
    assert 2 < at < 30  # assignments, at each of which the fit was stopped
    assert any(vars(state.model)[name] is not value for name, value in state.held.items())


@each
def test_a_fit_leaves_nothing_of_the_one_before(model):
    """A classifier of a frontier, fitted to other rows, kept what the frontier had promised."""
    X, y, a = people(60)
    other = people(50, 1, n_features=4)
    again, new = fit(fit(clone(model), X, y, a), *other), fit(clone(model), *other)
    assert vars(again).keys() == vars(new).keys()
    for ours, theirs in zip(answers(again, *other[::2]), answers(new, *other[::2]), strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_a_refitted_model_of_a_frontier_promises_nothing_old():
    X, y, a = people(60)
    frontier = FairOrdinalFrontier(estimator=LinearRegression(), cv=2, max_time=0.05)
    chosen = fit(frontier, X, y, a).select(knee=True)
    chosen.set_params(max_violation=0.2, trade_off=None)
    again = FairThresholdClassifier(LinearRegression(), cv=2, max_violation=0.2)
    fresh = fit(again, *people(60, 1))
    assert fit(chosen, *people(60, 1)).expected_violation_ == fresh.expected_violation_


def test_settings_of_scikit_learn_outlive_a_fit():
    X, y, a = people(60)
    ranker = FairLinearRanker(**QUICK).set_output(transform="pandas")
    for _ in range(2):
        scores = ranker.fit(X, y, sensitive_features=a).transform(X)
        assert list(scores.columns) == ["fairlinearranker0"]
