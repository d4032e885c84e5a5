"""Probabilities of labels, given the score."""

import pickle
import warnings
from fractions import Fraction
from functools import partial

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.neighbors import KNeighborsRegressor

import oracles
from fairordinal import FairOrdinalClassifier, FairOrdinalFrontier, FairThresholdClassifier
from fairordinal._rows import counted_scores
from fairordinal.estimators._probabilities import label_curves
from made_up import people

QUICK = {"basis": "linear", "ranker": "reduction", "alpha": 1e-3, "cv": 2}
X, y, a = people(300)
NAMES = np.array(["poor", "fair", "good", "superb"])
MODELS = [
    FairOrdinalClassifier(trade_off=0.1, **QUICK),
    FairThresholdClassifier(Ridge(), trade_off=0.1),
    FairThresholdClassifier(LogisticRegression(), group_aware=True, trade_off=0.1),
]
each_model = pytest.mark.parametrize("model", MODELS, ids=["ordinal", "thresholds", "group-aware"])


def fitted(model, **columns):
    return clone(model).fit(**{"X": X, "y": y, "sensitive_features": a} | columns)


def table_of(y, s, w, n_labels=3):
    """Counts of rows of two groups, which alternate."""
    cells = np.arange(len(y)) % 2 * n_labels + np.array(y)
    names = (np.array([0, 1]), np.arange(n_labels))
    return counted_scores(np.array(s, float), cells, np.array(w, float), *names)


ROWS = st.lists(
    st.tuples(st.integers(0, 2), st.integers(0, 5), st.integers(1, 3)), min_size=1, max_size=9
)


@given(rows=ROWS, at=st.integers(-2, 14))
def test_curves_are_pooled_rows_by_definition(rows, at):
    y, s, w = zip(*rows, strict=True)
    exact = [[Fraction(value) for value in column] for column in (s, w)]
    expected = oracles.label_probabilities(y, *exact, 3, Fraction(at, 2))
    found = label_curves(table_of(y, s, w)).probabilities(np.array([at / 2]))
    np.testing.assert_allclose(found[0], [float(value) for value in expected], atol=1e-12)


@given(rows=ROWS)
def test_curves_rise_with_the_score_and_never_cross(rows):
    y, s, w = zip(*rows, strict=True)
    scores, above = label_curves(table_of(y, s, w), shift=2.0)
    assert (np.diff(scores) > 0).all()
    assert (np.diff(above, axis=1) >= -1e-12).all()
    assert (np.diff(above, axis=0) <= 0).all()
    assert scores[0] >= min(s) + 2.0 - 1e-12


def test_scores_of_any_size_are_pooled():
    y = [0, 1, 0, 2, 1, 2]
    for scale in (1e-300, 1e300):
        curves = label_curves(table_of(y, scale * np.arange(6), np.ones(6)))
        plain = label_curves(table_of(y, np.arange(6), np.ones(6)))
        np.testing.assert_allclose(curves.scores / scale, plain.scores)
        np.testing.assert_allclose(curves.above, plain.above)


@each_model
def test_rows_sum_to_one_and_are_calibrated_on_the_scores_they_were_fitted_to(model):
    model = fitted(model)
    found = model.predict_proba(X)
    assert found.shape == (300, 4)
    np.testing.assert_allclose(found.sum(axis=1), 1.0)
    assert (found[:, [0, -1]] > 0).all()  # few rows at an end prove nothing
    expected_label = (found @ np.arange(4))[model.decision_function(X).argsort()]
    assert (np.diff(expected_label) >= -1e-12).all()
    assert found.mean(axis=0) == pytest.approx(np.bincount(y) / 300, abs=0.03)


def test_they_are_estimated_from_rows_that_were_held_out():
    """The nearest neighbour of a row is itself, if it was fitted to it: certain, and wrong."""
    neighbour = KNeighborsRegressor(1)
    seen = FairThresholdClassifier(neighbour.fit(X, y), cv="prefit", trade_off=0.0)
    seen.fit(X, y, sensitive_features=a)
    assert seen.predict_proba(X).max(axis=1).mean() > 0.9
    model = fitted(FairThresholdClassifier(neighbour, trade_off=0.0))
    assert model.predict_proba(X).max(axis=1).mean() < 0.7


@each_model
def test_predict_is_not_their_argmax(model):
    model = fitted(model)
    options = {"sensitive_features": a} if getattr(model, "group_aware", False) else {}
    most_probable = model.classes_[model.predict_proba(X).argmax(axis=1)]
    assert (model.predict(X, **options) != most_probable).any()


@each_model
def test_pickles_and_clones(model):
    model = fitted(model)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    with pytest.raises(NotFittedError):
        clone(model).predict_proba(X)


def test_weights_are_repetitions():
    """With one estimator for all rows, repeated rows and weights give the same scores."""
    weight = 1.0 + np.arange(300) % 3
    times = weight.astype(int)
    prefit = partial(FairThresholdClassifier, Ridge().fit(X, y), cv="prefit", trade_off=0.1)
    weighted = prefit().fit(X, y, sensitive_features=a, sample_weight=weight)
    rows = {"X": X, "y": y, "sensitive_features": a}
    repeated = prefit().fit(**{name: np.repeat(rows[name], times, axis=0) for name in rows})
    plain = prefit().fit(**rows)
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), atol=1e-9)
    assert np.abs(weighted.predict_proba(X) - plain.predict_proba(X)).max() > 0.01


@pytest.mark.parametrize(
    "model",
    [
        FairOrdinalClassifier(max_violation=0.0, **QUICK),
        FairThresholdClassifier(Ridge(), max_violation=0.0),
    ],
)
def test_constant_models_give_the_shares_of_the_labels(model):
    weight = 1.0 + (y == 2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        model = fitted(model, sample_weight=weight)
    shares = np.bincount(y, weight) / weight.sum()
    np.testing.assert_allclose(model.predict_proba(X), np.tile(shares, (300, 1)))


def test_labels_that_do_not_occur_are_impossible_and_names_have_columns():
    names = ["none", *NAMES[:2], "between", *NAMES[2:]]
    model = FairThresholdClassifier(Ridge(), trade_off=0.1, labels=names)
    model.fit(X, NAMES[y], sensitive_features=a)
    found = model.predict_proba(X)
    assert found.shape == (300, 6)
    assert not found[:, [0, 3]].any()
    assert (found.sum(axis=0)[[1, 2, 4, 5]] > 1).all()


def test_models_of_a_frontier_have_them():
    rows = slice(100)
    for options in (QUICK, {"estimator": Ridge(), "cv": 2}):
        frontier = FairOrdinalFrontier(**options).fit(X[rows], y[rows], sensitive_features=a[rows])
        model = frontier.model(len(frontier.points_) - 1)
        np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)
        constant = frontier.model(0)
        assert len(np.unique(constant.predict_proba(X), axis=0)) == 1


@pytest.mark.parametrize("model", MODELS[:2], ids=["ordinal", "thresholds"])
def test_rows_of_dask_get_the_same(model):
    model = fitted(model, X=pd.DataFrame(X))
    expected = model.predict_proba(pd.DataFrame(X))
    array = model.predict_proba(da.from_array(X, chunks=(90, 2)))
    assert array.shape == (300, 4)
    np.testing.assert_allclose(array.compute(), expected, atol=1e-12)
    frame = model.predict_proba(
        dd.from_pandas(pd.DataFrame(X, index=np.arange(300) + 5), npartitions=3)
    )
    assert list(frame.columns) == [0, 1, 2, 3]
    found = frame.compute()
    np.testing.assert_allclose(found, expected, atol=1e-12)
    assert found.index[0] == 5


def test_models_learned_from_rows_of_dask_have_them():
    lazy = da.from_array(X, chunks=(100, 3))
    model = FairOrdinalClassifier(trade_off=0.1, **QUICK).fit(lazy, y, sensitive_features=a)
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)


def test_they_are_calibrated_on_new_rows():
    train, new = people(3000), people(3000, seed=1)
    model = FairOrdinalClassifier(max_violation=0.1, **QUICK)
    model.fit(train[0], train[1], sensitive_features=train[2])
    probability = model.predict_proba(new[0])
    above = 1.0 - np.cumsum(probability, axis=1)[:, :-1]
    for boundary in range(3):
        order = above[:, boundary].argsort()
        for part in np.array_split(order, 5):
            share = (new[1][part] > boundary).mean()
            assert share == pytest.approx(above[part, boundary].mean(), abs=0.07)
