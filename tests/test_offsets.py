"""What is reported of training rows is what `predict` gives, wherever features lie.

Scores of features with a large offset were rounded in `predict` as they were not in `fit`: a cost
of 0.350 was reported, and predictions cost 0.442.
"""

import warnings

import numpy as np
import pytest
from scipy import sparse

from fairordinal import FairOrdinalClassifier, FairOrdinalFrontier
from fairordinal.baselines import ProportionalOddsClassifier
from fairordinal.metrics import mean_cost, pairwise_demographic_parity_difference
from fairordinal.models import TrainingTable, export_onnx, fit_table, load_model, save_model
from fairordinal.ranker import FairLinearRanker

pytestmark = pytest.mark.usefixtures("small_effort")

QUICK = {"alpha": 1e-3, "ranker": "relaxed", "cv": 2}
PLACES = [
    (0.0, 1.0), (1e3, 1.0), (1e5, 1e-10), (-1e6, 1.0), (1e8, 1.0), (1e10, 1e10), (-1e12, 1.0),
    (1e13, 1e-2), (1e15, 1.0), (-1e15, 1e-10), (1e16, 1.0), (1e16, 1e10), (0.0, 1e-10),
]  # fmt: skip
places = pytest.mark.parametrize(("offset", "scale"), PLACES)
kinds = pytest.mark.parametrize("discrete", [False, True], ids=["continuous", "discrete"])


def offset_people(offset, scale, *, discrete=False):
    """Labels depend on a feature with an offset and on one without; discrete ones make ties."""
    generator = np.random.default_rng(0)
    a = generator.integers(0, 2, 300)
    X = generator.normal(size=(300, 3)) + 0.5 * a[:, None]
    X = np.rint(2 * X) if discrete else X
    y = np.digitize(X[:, 0] + X[:, 1] + generator.normal(size=300), [-1, 1])
    X *= scale
    X[:, 0] += offset
    return X, y, a


def assert_as_reported(cost, violation, y, predicted, a):
    assert mean_cost(y, predicted) == pytest.approx(cost, abs=1e-12)
    found = pairwise_demographic_parity_difference(y, predicted, sensitive_features=a)
    assert found == pytest.approx(violation, abs=1e-12)


@places
@kinds
def test_cost_and_violation_are_those_of_predict(offset, scale, discrete):
    X, y, a = offset_people(offset, scale, discrete=discrete)
    model = FairOrdinalClassifier(trade_off=0.1, **QUICK).fit(X, y, sensitive_features=a)
    predicted = model.predict(X)
    assert_as_reported(model.cost_, model.violation_, y, predicted, a)
    alone = np.concatenate([model.predict(row[None]) for row in X[:40]])
    np.testing.assert_array_equal(alone, predicted[:40])  # whatever other rows there are
    scores = model.decision_function(X)
    near = X - model.origin_
    ramps = np.clip(near @ model.ramps_.weights + model.ramps_.offsets, -1.0, 1.0)
    expected = near @ model.coef_ + ramps @ model.ramp_coef_
    np.testing.assert_allclose(scores, expected, rtol=1e-12, atol=1e-12)
    assert model.decision_function(sparse.csr_array(X)) == pytest.approx(scores, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("offset", [1e6, 1e9, 1e12])
def test_an_offset_changes_predictions_no_more_than_the_digits_it_takes(offset):
    """The sums that rankers learn from lost the digits of all features."""
    X, y, a = offset_people(0.0, 1.0, discrete=True)
    far = X + np.array([offset, 0.0, -offset])
    near, moved = (
        FairOrdinalClassifier(trade_off=0.1, **QUICK).fit(rows, y, sensitive_features=a)
        for rows in (X, far)
    )
    assert (near.predict(X) == moved.predict(far)).mean() > 0.99
    np.testing.assert_allclose(near.coef_, moved.coef_, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize(("offset", "scale"), PLACES[::3])
def test_sparse_rows_cost_what_is_reported(offset, scale):
    X, y, a = offset_people(offset, scale, discrete=True)
    rows = sparse.csr_array(X)
    model = FairOrdinalClassifier(trade_off=0.1, **QUICK).fit(rows, y, sensitive_features=a)
    assert_as_reported(model.cost_, model.violation_, y, model.predict(rows), a)


@pytest.mark.parametrize(("offset", "scale"), PLACES[1::3])
def test_rows_of_dask_cost_what_is_reported(offset, scale):
    array = pytest.importorskip("dask.array")
    X, y, a = offset_people(offset, scale)
    blocks = array.from_array(X, chunks=(110, 3))
    model = FairOrdinalClassifier(trade_off=0.1, **QUICK).fit(blocks, y, sensitive_features=a)
    predicted = model.predict(blocks).compute()
    assert_as_reported(model.cost_, model.violation_, y, predicted, a)
    np.testing.assert_array_equal(predicted, model.predict(X))


@pytest.mark.parametrize(("offset", "scale"), [(1e3, 1.0), (1e15, 1.0)])
def test_models_of_a_frontier_cost_what_is_reported(offset, scale):
    X, y, a = offset_people(offset, scale)
    frontier = FairOrdinalFrontier(max_time=0.1, **QUICK).fit(X, y, sensitive_features=a)
    for number, point in enumerate(frontier.points_):
        predicted = frontier.model(number).predict(X)
        assert_as_reported(point.train.cost, point.train.violation, y, predicted, a)


@places
def test_a_ranker_ranks_as_is_reported(offset, scale):
    X, y, a = offset_people(offset, scale)
    ranker = FairLinearRanker(violation_weight=0.3, **QUICK).fit(X, y, sensitive_features=a)
    scores = ranker.decision_function(X)
    above = y[:, None] > y[None, :]
    accuracy = (scores[:, None] > scores[None, :])[above].mean()
    place = [np.array_equal(coef, ranker.coef_) for coef in ranker.path_].index(True)
    assert ranker.accuracies_[place] == pytest.approx(accuracy, abs=1e-3)


@places
def test_the_likelihood_of_proportional_odds_is_that_of_its_probabilities(offset, scale):
    X, y, _ = offset_people(offset, scale)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = ProportionalOddsClassifier(alpha=1e-3).fit(X, y)
    logs = np.log(model.predict_proba(X)[np.arange(len(y)), y])
    assert model.log_likelihood_ == pytest.approx(logs.sum(), rel=1e-9)
    near = ProportionalOddsClassifier(alpha=1e-3).fit(*offset_people(0.0, scale)[:2])
    few_digits = abs(offset) > 1e12 * scale
    assert few_digits or model.log_likelihood_ == pytest.approx(near.log_likelihood_, rel=1e-3)


def as_table(X, y, a):
    return {"age": X[:, 0], "points": X[:, 1], "noise": X[:, 2], "grade": y, "group": a}


def fitted_to(table):
    """A classifier, and the same as a model of the table."""
    rows = TrainingTable.read(table, y="grade", sensitive_features="group")
    classifier = FairOrdinalClassifier(trade_off=0.1, **QUICK)
    classifier.fit(rows.X, rows.y, sensitive_features=rows.sensitive_features)
    return classifier, rows.model(classifier)


@pytest.mark.parametrize(("offset", "scale"), PLACES[::2])
def test_model_files_cost_what_is_reported(offset, scale, tmp_path):
    X, y, a = offset_people(offset, scale)
    table = as_table(X, y, a)
    classifier, model = fitted_to(table)
    save_model(model, tmp_path / "model.json")
    for each in (model, load_model(tmp_path / "model.json")):
        assert_as_reported(classifier.cost_, classifier.violation_, y, each.predict(table), a)


@pytest.mark.parametrize("offset", [0.0, 1e6, 1e12, 1e14])
def test_onnx_graphs_cost_what_is_reported(offset, tmp_path):
    pytest.importorskip("onnx")
    runtime = pytest.importorskip("onnxruntime")
    X, y, a = offset_people(offset, 1.0)
    table = as_table(X, y, a)
    classifier, model = fitted_to(table)
    export_onnx(model, tmp_path / "model.onnx")
    session = runtime.InferenceSession(tmp_path / "model.onnx")
    given = {each.name: table[each.name][:, None] for each in session.get_inputs()}
    (predicted,) = session.run(["label"], given)
    assert_as_reported(classifier.cost_, classifier.violation_, y, predicted, a)


def test_a_column_of_a_table_without_digits_is_left_out_and_said_so(caplog):
    X, y, a = offset_people(1e16, 1.0)
    table = as_table(X, y, a)
    model = fit_table(table, y="grade", sensitive_features="group", trade_off=0.1, **QUICK)
    assert [column.name for column in model.preparation.ignored] == ["age"]
    assert "'age' is left out: it is 1e+16 wherever it is given, but for rounding" in caplog.text
