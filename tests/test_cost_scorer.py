"""The mean cost as a scorer of scikit-learn."""

import pickle

import numpy as np
import pytest
import sklearn
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import GridSearchCV, cross_val_score

from fairordinal import FairOrdinalClassifier
from fairordinal.metrics import make_cost_scorer, mean_cost
from made_up import people

LEVELS = np.repeat([0, 2, 3], [40, 30, 30])  # 0 is the most frequent one, 2 the median
X = np.zeros((100, 1))
NAMES = np.array(["none", "some", "much", "all"])


def best(y, labels, **options):
    grid = {"constant": list(labels)}
    search = GridSearchCV(DummyClassifier(strategy="constant"), grid, cv=5, **options)
    return search.fit(X, y)


@pytest.mark.parametrize(
    "scorer", [make_cost_scorer(), pickle.loads(pickle.dumps(make_cost_scorer()))]
)
def test_a_search_minimises_the_cost_and_not_the_number_of_errors(scorer):
    assert best(LEVELS, [0, 2, 3]).best_params_ == {"constant": 0}  # by accuracy
    search = best(LEVELS, [0, 2, 3], scoring=scorer)
    assert search.best_params_ == {"constant": 2}
    assert search.best_score_ == pytest.approx(-mean_cost(LEVELS, np.full(100, 2)))


@pytest.mark.parametrize(
    ("cost_matrix", "level"), [("zero_one", 0), ("asymmetric", 0), ("squared", 2)]
)
def test_costs_by_name(cost_matrix, level):
    search = best(LEVELS, [0, 2, 3], scoring=make_cost_scorer(cost_matrix))
    assert search.best_params_ == {"constant": level}


def test_names_and_arrays_with_a_label_that_a_fold_does_not_hold():
    squared = (np.arange(4)[:, None] - np.arange(4)) ** 2
    for cost_matrix in ("squared", squared):
        scorer = make_cost_scorer(cost_matrix, labels=NAMES)
        search = best(NAMES[LEVELS], NAMES[[0, 2, 3]], scoring=scorer, error_score="raise")
        assert search.best_params_ == {"constant": "much"}
        assert search.best_score_ == pytest.approx(-squared[LEVELS, 2].mean())


def test_weights_are_routed():
    weight = np.where(LEVELS == 0, 5.0, 1.0)
    with sklearn.config_context(enable_metadata_routing=True):
        scorer = make_cost_scorer().set_score_request(sample_weight=True)
        model = DummyClassifier(strategy="constant").set_fit_request(sample_weight=False)
        search = GridSearchCV(model, {"constant": [0, 2, 3]}, cv=5, scoring=scorer)
        search.fit(X, LEVELS, sample_weight=weight)
    assert search.best_params_ == {"constant": 0}


def test_the_cost_of_a_fair_model_is_that_of_its_predictions():
    X, y, a = people(200)
    model = FairOrdinalClassifier(
        trade_off=0.1, basis="linear", ranker="reduction", alpha=1e-3, cv=2
    ).fit(X, y, sensitive_features=a)
    assert make_cost_scorer("squared")(model, X, y) == -mean_cost(
        y, model.predict(X), cost_matrix="squared"
    )
    fair = cross_val_score(
        model, X, y, params={"sensitive_features": a}, scoring=make_cost_scorer(), cv=2
    )
    assert (fair < 0).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"cost_matrix": "cubic"}, "cost_matrix must be one of"),
        ({"cost_matrix": [[0, 1], [1, 0]]}, "cost_matrix as an array needs labels="),
        ({"cost_matrix": [[0, 1], [1, 0]], "labels": [1, 2, 3]}, "cost_matrix has shape"),
        ({"labels": [1]}, "labels must list at least two"),
    ],
)
def test_errors_come_before_a_search_which_would_turn_them_to_nan(options, message):
    with pytest.raises(ValueError, match=message):
        make_cost_scorer(**options)
