"""The methods of ORCA: every name fits, predicts, and has a grid that it takes."""

import builtins
import importlib
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, ParameterGrid
from sklearn.svm import SVC

from fairordinal.baselines import (
    ORCA_GRIDS,
    ConstantClassifier,
    HierarchicalClassifier,
    OrderedPartitionsClassifier,
    ProjectionEnsembleClassifier,
    make_orca,
    orca_methods,
)
from fairordinal.baselines._decompositions import _distances
from fairordinal.metrics import mean_cost

ORCA = [
    "SVC1V1",
    "SVC1VA",
    "SVR",
    "CSSVC",
    "SVMOP",
    "NNOP",
    "ELMOP",
    "OPBE",
    "POM",
    "NNPOM",
    "SVOREX",
    "SVORIM",
    "SVORLin",
    "KDLOR",
    "REDSVM",
    "ORBoost",
    "HPOLD",
]
named = pytest.mark.parametrize("name", ORCA)


def some_rows(data):
    """A few rows to fit to and a few to predict, of a data set that comes with skordinal."""
    datasets = pytest.importorskip("skordinal.datasets")
    X, y = getattr(datasets, f"load_{data}")(return_X_y=True)
    rows = np.random.default_rng(0).permutation(len(y))
    return X[rows[:200]], y[rows[:200]], X[rows[200:350]], y[rows[200:350]]


def test_the_names_are_those_of_orca():
    assert orca_methods() == ORCA
    assert list(ORCA_GRIDS) == ORCA
    with pytest.raises(ValueError, match="name must be one of"):
        make_orca("SVM")


@named
@pytest.mark.parametrize("data", ["balance_scale", "esl", "swd"])
def test_every_method_predicts_labels_that_rise_with_the_true_ones(name, data):
    """Not that they cost less than a constant: untuned, KDLOR does not on SWD."""
    X, y, new_X, new_y = some_rows(data)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # networks stop early
        model = make_orca(name).fit(X, y)
    predicted = model.predict(new_X)
    assert set(predicted) <= set(y)
    assert np.corrcoef(predicted, new_y)[0, 1] > 0.4


@named
def test_every_grid_is_taken(name):
    pytest.importorskip("skordinal")
    grid = list(ParameterGrid(ORCA_GRIDS[name]))
    for parameters in (grid[0], grid[-1]):
        model = clone(make_orca(name)).set_params(**parameters)
        assert parameters.items() <= model.get_params().items()


def test_a_hierarchy_has_one_price_and_one_width():
    for parameters in ParameterGrid(ORCA_GRIDS["HPOLD"]):
        assert parameters["method__binary__C"] == parameters["method__ordinal__C"]
        assert parameters["method__binary__gamma"] == parameters["method__ordinal__gamma"]
    assert len(ParameterGrid(ORCA_GRIDS["HPOLD"])) == 49


def test_methods_are_tuned_as_any_estimator():
    X, y, new_X, new_y = some_rows("balance_scale")
    grid = {"method__C": [1.0, 100.0], "method__gamma": [0.01, 0.1]}
    search = GridSearchCV(make_orca("SVORIM"), grid, scoring="neg_mean_absolute_error", cv=3)
    constant = ConstantClassifier().fit(X, y).predict(new_X)
    assert mean_cost(new_y, search.fit(X, y).predict(new_X)) < mean_cost(new_y, constant) / 2


def test_without_skordinal_a_message_says_what_to_install(monkeypatch):
    def missing(name, *rest):
        if name.startswith("skordinal"):
            raise ImportError(name)
        return importlib.__import__(name, *rest)

    monkeypatch.setattr(importlib, "import_module", missing)
    monkeypatch.setattr(builtins, "__import__", missing)
    assert make_orca("POM").steps[-1][0] == "method"
    with pytest.raises(ImportError, match=r"fairordinal\[baselines\]"):
        make_orca("SVOREX")


def test_rows_weigh_their_distance_from_the_cut():
    weight = _distances(np.array([0, 0, 1, 2, 3]), 1)  # distances 2 2 1 | 1 2
    np.testing.assert_allclose(weight, [1.2, 1.2, 0.6, 2 / 3, 4 / 3])


@pytest.mark.parametrize("n_labels", [2, 3, 5])
def test_decompositions_find_labels_that_a_score_tells(n_labels):
    classifiers = pytest.importorskip("skordinal.classifiers")
    X = np.random.default_rng(0).uniform(-1, 1, size=(200, 2))
    y = np.digitize(X[:, 0], np.linspace(-1, 1, n_labels + 1)[1:-1])
    ordinal = classifiers.SVOR(C=100.0)
    for model in (
        OrderedPartitionsClassifier(SVC(C=100.0)),
        OrderedPartitionsClassifier(LogisticRegression(C=100.0)),
        ProjectionEnsembleClassifier(ordinal),
        HierarchicalClassifier(SVC(C=100.0), ordinal),
    ):
        assert np.mean(model.fit(X, 2 * y + 1).predict(X) == 2 * y + 1) > 0.85


def test_a_label_of_one_row_does_no_harm():
    X = np.random.default_rng(0).normal(size=(60, 2))
    y = np.digitize(X[:, 0], [0.0])
    y[0] = 2
    assert set(OrderedPartitionsClassifier(SVC()).fit(X, y).predict(X)) <= {0, 1, 2}


def test_labels_that_do_not_occur_are_never_predicted():
    classifiers = pytest.importorskip("skordinal.classifiers")
    X = np.random.default_rng(0).normal(size=(90, 2))
    y = 2 * np.digitize(X[:, 0], [-0.5, 0.5])
    for model in (
        OrderedPartitionsClassifier(SVC(), labels=range(6)),
        ProjectionEnsembleClassifier(classifiers.SVOR(), labels=range(6)),
        HierarchicalClassifier(SVC(), classifiers.SVOR(), labels=range(6)),
    ):
        assert set(model.fit(X, y).predict(X)) == {0, 2, 4}
        assert model.classes_.tolist() == list(range(6))
