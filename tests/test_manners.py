"""How estimators behave among those of scikit-learn: files, frames, searches, and bad input."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from scipy import sparse
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import make_scorer
from sklearn.model_selection import GridSearchCV, GroupKFold, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from fairordinal import FairOrdinalClassifier, FairOrdinalFrontier, FairThresholdClassifier
from fairordinal._rows import fold_numbers, seed_of
from fairordinal.metrics import pairwise_demographic_parity_difference
from fairordinal.ranker import FairLinearRanker
from made_up import people
from sklearn_checks import MadeUpGroups

pytestmark = pytest.mark.usefixtures("small_effort")

QUICK = {"alpha": 1e-3, "ranker": "relaxed", "cv": 2}
NAMES = ["skill", "club", "noise"]


TRAINED = [FairLinearRanker(**QUICK), FairOrdinalClassifier(trade_off=0.1, **QUICK)]
trained = pytest.mark.parametrize("model", TRAINED, ids=lambda model: type(model).__name__)


@pytest.mark.parametrize(
    "model",
    [
        *TRAINED,
        FairOrdinalClassifier("equalized_odds", trade_off=0.1, **QUICK),
        FairThresholdClassifier(Ridge(), max_violation=0.2),
        FairThresholdClassifier(LogisticRegression(), criterion="harm_parity", trade_off=0.2),
        FairThresholdClassifier(FairLinearRanker(**QUICK), max_violation=0.2),
    ],
)
def test_models_are_kept_in_files_of_skops(model):
    skops = pytest.importorskip("skops.io")
    X, y, a = people(200)
    model = sklearn.clone(model).fit(X, y, sensitive_features=a)
    data = skops.dumps(model)
    again = skops.loads(data, trusted=skops.get_untrusted_types(data=data))
    np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))
    if hasattr(model, "predict"):
        np.testing.assert_array_equal(again.predict(X), model.predict(X))
        assert str(again.result_) == str(model.result_)
        assert again.gap_ == model.gap_


def test_thresholds_for_each_group_are_kept_in_files_of_skops():
    skops = pytest.importorskip("skops.io")
    X, y, a = people(200)
    model = FairThresholdClassifier(Ridge(), group_aware=True).fit(X, y, sensitive_features=a)
    data = skops.dumps(model)
    again = skops.loads(data, trusted=skops.get_untrusted_types(data=data))
    np.testing.assert_array_equal(
        again.predict(X, sensitive_features=a), model.predict(X, sensitive_features=a)
    )


@trained
@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_names_of_columns_come_through_a_pipeline(model, library):
    X, y, a = people(200)
    frames = {"pandas": pd.DataFrame(X, columns=NAMES), "polars": pl.DataFrame(X, schema=NAMES)}
    frame = frames[library]
    with sklearn.config_context(enable_metadata_routing=True):
        last = sklearn.clone(model).set_fit_request(sensitive_features=True)
        pipeline = make_pipeline(StandardScaler().set_output(transform=library), last)
        pipeline.fit(frame, y, sensitive_features=a)
    assert pipeline[-1].feature_names_in_.tolist() == NAMES
    assert pipeline.decision_function(frame).shape == (200,)
    for other in (["club", "skill", "noise"], ["skill", "age", "noise"]):
        with pytest.raises(ValueError, match="feature names should match"):
            pipeline[-1].decision_function(pd.DataFrame(X, columns=other))


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_scores_of_a_ranker_are_a_feature(library):
    X, y, a = people(200)
    ranker = FairLinearRanker(**QUICK).set_output(transform=library)
    scores = ranker.fit_transform(X, y, sensitive_features=a)
    assert list(scores.columns) == ["fairlinearranker0"] == ranker.get_feature_names_out().tolist()
    np.testing.assert_array_equal(scores.to_numpy()[:, 0], ranker.decision_function(X))
    with sklearn.config_context(enable_metadata_routing=True):
        step = FairLinearRanker(**QUICK).set_fit_request(sensitive_features=True)
        pipeline = make_pipeline(step, LogisticRegression())
        pipeline.fit(X, y, sensitive_features=a)
    assert pipeline.score(X, y) > 0.4


@pytest.mark.parametrize("name", ["trade_off", "max_violation"])
def test_searches_are_scored_by_fairness(name):
    X, y, a = people(300)
    with sklearn.config_context(enable_metadata_routing=True):
        measure = make_scorer(pairwise_demographic_parity_difference, greater_is_better=False)
        measure = measure.set_score_request(sensitive_features=True)
        model = FairOrdinalClassifier(**QUICK).set_fit_request(sensitive_features=True)
        values = {"trade_off": [0.0, 0.9], "max_violation": [1.0, 0.05]}[name]
        search = GridSearchCV(model, {name: values}, scoring=measure, cv=2)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # small folds may miss the limit
            search.fit(X, y, sensitive_features=a)
    assert search.best_params_ == {name: values[1]}
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()


def spoilt(value):
    X = people(200)[0]
    X[3, 1] = value
    return X


def frame_with(column):
    return pd.DataFrame(people(200)[0], columns=NAMES).assign(region=column)


REGIONS = np.where(np.arange(200) % 2, "north", "south")


@trained
@pytest.mark.parametrize(
    ("X", "message"),
    [
        (spoilt(np.nan), "contains NaN.*SimpleImputer"),
        (sparse.csr_array(spoilt(np.nan)), "contains NaN.*SimpleImputer"),
        (pd.DataFrame(spoilt(np.nan)).convert_dtypes(), "contains NaN.*SimpleImputer"),
        (spoilt(np.inf), "contains infinity"),
        (spoilt(1e200), r"too large to scale in column 1"),
        (spoilt(0)[:, 0], "Expected 2D array, got 1D array"),
        (spoilt(0)[:150], "X has 150 rows but y has 200"),
        (np.empty((0, 3)), "0 sample"),
        (np.empty((200, 0)), "0 feature"),
        (frame_with(REGIONS), r"columns \['region'\].*'(north|south)'.*OneHotEncoder"),
        (frame_with(pd.Categorical(REGIONS)), r"columns \['region'\].*OneHotEncoder"),
        (frame_with(pd.date_range("2020", periods=200)), r"columns \['region'\].*OneHotEncoder"),
        (pl.from_pandas(frame_with(REGIONS)), r"columns \['region'\].*OneHotEncoder"),
        (REGIONS[:, None], "X must hold numbers: could not convert.*OneHotEncoder"),
    ],
)
def test_bad_features_are_refused(model, X, message):
    _, y, a = people(200)
    model = sklearn.clone(model)
    if "basis" in model.get_params():
        model.set_params(basis="linear")  # others take missing numbers
    with pytest.raises(ValueError, match=message):
        model.fit(X, y, sensitive_features=a)


TEXT = "X must hold numbers: .*OneHotEncoder"


@pytest.mark.parametrize("estimator", [Ridge(), make_pipeline(StandardScaler(), Ridge())])
@pytest.mark.parametrize(
    ("X", "message"),
    [
        (frame_with(REGIONS), r"columns \['region'\].*'(north|south)'.*OneHotEncoder"),
        (pl.from_pandas(frame_with(REGIONS)), r"columns \['region'\].*OneHotEncoder"),
        (frame_with(pd.date_range("2020", periods=200)), r"columns \['region'\].*OneHotEncoder"),
        (REGIONS[:, None], TEXT),
    ],
)
def test_text_that_an_estimator_does_not_take_is_explained(estimator, X, message):
    _, y, a = people(200)
    with pytest.raises(ValueError, match=message):
        FairThresholdClassifier(estimator).fit(X, y, sensitive_features=a)


def test_text_is_explained_when_predicting_and_other_errors_are_left_alone():
    X, y, a = people(200)
    model = FairThresholdClassifier(Ridge(), trade_off=0.1).fit(X, y, sensitive_features=a)
    with pytest.raises(ValueError, match=TEXT):
        model.predict(np.array([["a", "b", "c"]]))

    class Failing(Ridge):
        def fit(self, X, y):
            raise ValueError("could not convert string to float: 'a group'")

    for numbers in (X, frame_with(np.arange(200))):
        with pytest.raises(ValueError, match=r"^could not convert string to float: 'a group'"):
            FairThresholdClassifier(Failing()).fit(numbers, y, sensitive_features=a)


@trained
def test_columns_of_text_are_refused_when_predicting(model):
    X, y, a = people(200)
    model = sklearn.clone(model).fit(X, y, sensitive_features=a)
    with pytest.raises(ValueError, match="X must hold numbers"):
        model.decision_function(np.array([["a", "b", "c"]]))


@trained
@pytest.mark.parametrize(
    ("y", "a", "message"),
    [
        (people(200)[1][:150], people(200)[2], "sensitive_features has 200 rows but y has 150"),
        (people(200)[1][:150], people(200)[2][:150], "X has 200 rows but y has 150"),
        (None, people(200)[2], "y must be a column"),
        (people(200)[1], None, "sensitive_features must be a column"),
        (np.zeros(200, int), people(200)[2], "y has one label"),
        (people(200)[1], np.zeros(200, int), "sensitive_features has one group"),
    ],
)
def test_bad_labels_and_groups_are_refused(model, y, a, message):
    with pytest.raises(ValueError, match=message):
        sklearn.clone(model).fit(people(200)[0], y, sensitive_features=a)


def awkward(kind):
    X, y, a = people(200)
    if kind == "a group of one row":
        a[0] = 2
    if kind == "a label of one row":
        y[0] = 4
    if kind == "a label absent from a group":
        y[(a == 0) & (y == 3)] = 2
    if kind == "more features than rows":
        X = np.random.default_rng(0).normal(size=(200, 400))
    return X, y, a


@trained
@pytest.mark.filterwarnings("ignore:The least populated class", "ignore:No model keeps")
@pytest.mark.parametrize(
    "kind",
    [
        "a group of one row",
        "a label of one row",
        "a label absent from a group",
        "more features than rows",
    ],
)
def test_awkward_rows_are_learned_from(model, kind):
    X, y, a = awkward(kind)
    model = sklearn.clone(model).fit(X, y, sensitive_features=a)
    assert np.isfinite(model.decision_function(X)).all()
    assert model.classes_.tolist() == sorted(set(y))


FOLDS = {
    "FairLinearRanker": FairLinearRanker(ranker="relaxed"),
    "FairOrdinalClassifier": FairOrdinalClassifier(trade_off=0.1, ranker="relaxed"),
}
folded = pytest.mark.parametrize("model", FOLDS.values(), ids=FOLDS)


@folded
def test_folds_are_a_number_a_splitter_or_listed(model):
    X, y, a = people(200)
    listed = [*StratifiedKFold(3).split(X, y)]
    masks = [(np.isin(np.arange(200), train), test.tolist()) for train, test in listed]
    fold = fold_numbers(4 * a + y, 3, seed_of(0))
    dealt = [(np.flatnonzero(fold != f), np.flatnonzero(fold == f)) for f in range(3)]
    one, other = (
        sklearn.clone(model).set_params(cv=cv).fit(X, y, sensitive_features=a) for cv in (3, dealt)
    )
    np.testing.assert_array_equal(one.coef_, other.coef_)
    found = sklearn.clone(model).set_params(cv=StratifiedKFold(3)).fit(X, y, sensitive_features=a)
    for cv in (listed, masks, iter(listed)):
        again = sklearn.clone(model).set_params(cv=cv).fit(X, y, sensitive_features=a)
        np.testing.assert_array_equal(again.coef_, found.coef_)
        assert again.alpha_ == found.alpha_


@folded
def test_listed_folds_speak_of_rows_with_and_without_weight(model):
    X, y, a = people(200)
    persons = np.arange(200) // 2
    weight = (np.random.default_rng(0).random(200) > 0.3).astype(float)
    given = [*GroupKFold(3).split(X, y, persons)]
    place = np.cumsum(weight > 0) - 1
    kept = [tuple(place[part[weight[part] > 0]] for part in fold) for fold in given]
    weighted = sklearn.clone(model).set_params(cv=given)
    weighted.fit(X, y, sensitive_features=a, sample_weight=weight)
    some = weight > 0
    fewer = (
        sklearn.clone(model).set_params(cv=kept).fit(X[some], y[some], sensitive_features=a[some])
    )
    assert weighted.alpha_ == fewer.alpha_
    np.testing.assert_allclose(weighted.coef_, fewer.coef_, rtol=1e-3, atol=1e-5)


@folded
@pytest.mark.parametrize(
    ("cv", "message"),
    [
        (1, "cv must be a whole number of at least 2, got 1"),
        (2.5, "cv must be a whole number"),
        (None, "cv must be a whole number"),
        (150, "cv=150 needs at least one label with 150 rows; the most frequent one has"),
        ("five", "Expected `?cv`? as an integer"),
    ],
)
def test_bad_folds_are_refused(model, cv, message):
    X, y, a = people(200)
    with pytest.raises(ValueError, match=message):
        sklearn.clone(model).set_params(cv=cv).fit(X, y, sensitive_features=a)


@folded
def test_a_rare_label_is_warned_about_once(model):
    X, y, a = awkward("a label of one row")
    with pytest.warns(UserWarning, match="least populated class") as said:
        sklearn.clone(model).fit(X, y, sensitive_features=a)
    assert len(said) == 1


class RankerWithGroups(MadeUpGroups, FairLinearRanker):
    pass


class FrontierWithGroups(MadeUpGroups, FairOrdinalFrontier):
    pass


EXACT = {"alpha": 1.0, "ranker": "relaxed", "loss": "squared_hinge", "cv": 2, "tol": 1e-11}


@parametrize_with_checks([RankerWithGroups(**EXACT), FrontierWithGroups(**EXACT)])
def test_scikit_learn_checks(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(estimator)
