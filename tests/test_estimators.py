"""Estimators: scikit-learn's manners, any scorer, any container."""

import pickle
import time
import warnings

import mord
import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from scipy import sparse
from sklearn.base import clone
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
)
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks
from skordinal.classifiers import POM, SVOR

from fairordinal import FairThresholdClassifier
from fairordinal.datasets import load_diabetes
from fairordinal.metrics import mean_cost, pairwise_demographic_parity_difference
from sklearn_checks import SCORES_AND_LABELS

pytestmark = pytest.mark.usefixtures("small_effort")

DIABETES = load_diabetes()
X, y, sex = DIABETES.data, DIABETES.target, DIABETES.sensitive_features
NAMES = np.array(["terrible", "bad", "okay", "good", "excellent"])


def fair(estimator, **options):
    options = {"max_violation": 0.1} | options
    return FairThresholdClassifier(estimator, **options).fit(X, y, sensitive_features=sex)


SCORERS = [
    HistGradientBoostingRegressor(max_iter=20, random_state=0),
    HistGradientBoostingClassifier(max_iter=5, random_state=0),
    RandomForestClassifier(20, random_state=0),
    make_pipeline(StandardScaler(), Ridge()),
    make_pipeline(StandardScaler(), LogisticRegression()),
    LinearSVC(),
    SVC(random_state=0),
    POM(),
    SVOR(),
    mord.LogisticAT(),
    mord.OrdinalRidge(),
    mord.LAD(),
]


@pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore::FutureWarning")
@pytest.mark.parametrize("estimator", SCORERS, ids=lambda estimator: type(estimator).__name__)
def test_any_scorer_keeps_the_limit_on_its_held_out_scores(estimator):
    model = fair(estimator)
    assert model.violation_ <= 0.1
    assert model.gap_ <= 1e-3
    assert set(model.predict(X)) <= set(model.classes_)
    held_out = model.result_.state(model.thresholds_)
    assert held_out.cost == model.cost_


def test_frames_of_results_are_of_the_library_of_the_rows():
    model = FairThresholdClassifier(Ridge(), trade_off=0.1)
    model.fit(pl.DataFrame(X), y, sensitive_features=sex)
    assert isinstance(model.result_.frame(), pl.DataFrame)


def test_thresholds_are_chosen_on_scores_of_rows_the_estimator_was_not_fitted_to():
    forest = RandomForestClassifier(20, random_state=0)
    model = fair(forest, cv=4)
    seen = fair(clone(forest).fit(X, y), cv="prefit")
    assert seen.cost_ < 0.6 * model.cost_  # a forest knows the rows it was fitted to by heart


@pytest.mark.parametrize("cv", [None, 3, 0.3, KFold(4), [(np.arange(200), np.arange(200, 442))]])
def test_ways_to_hold_rows_out(cv):
    model = fair(Ridge(), cv=cv, random_state=0)
    n_rows = model.result_.score_table.rows.sum()
    share = cv if isinstance(cv, float) else 242 / 442 if isinstance(cv, list) else 1.0
    assert n_rows == pytest.approx(share * len(y), abs=1)
    np.testing.assert_allclose(model.estimator_.coef_, Ridge().fit(X, y).coef_)


def test_a_fitted_estimator_is_left_alone():
    fitted = Ridge().fit(X[:200], y[:200])
    coefficients = fitted.coef_.copy()
    for model in (
        FairThresholdClassifier(fitted, cv="prefit", trade_off=0.3),
        FairThresholdClassifier(FrozenEstimator(fitted), trade_off=0.3),
    ):
        model.fit(X[200:], y[200:], sensitive_features=sex[200:])
        np.testing.assert_array_equal(model.decision_function(X), fitted.predict(X))
    np.testing.assert_array_equal(fitted.coef_, coefficients)


def test_an_estimator_that_is_not_fitted_is_refused_as_prefit():
    with pytest.raises(NotFittedError, match="Ridge"):
        fair(Ridge(), cv="prefit")


def test_names_keep_their_order_and_come_back_as_names():
    model = FairThresholdClassifier(LogisticRegression(), trade_off=0.1, labels=NAMES)
    model.fit(X, NAMES[y], sensitive_features=sex)
    assert model.classes_.tolist() == NAMES.tolist()
    by_number = fair(LogisticRegression(), trade_off=0.1, max_violation=None)
    np.testing.assert_array_equal(model.predict(X), NAMES[by_number.predict(X)])


def test_a_fitted_classifier_of_names_is_understood():
    fitted = LogisticRegression().fit(X, NAMES[y])
    model = FairThresholdClassifier(fitted, cv="prefit", trade_off=0.0, labels=NAMES)
    model.fit(X, NAMES[y], sensitive_features=sex)
    assert np.corrcoef(model.decision_function(X), y)[0, 1] > 0.5


def test_a_fitted_classifier_of_other_labels_is_refused():
    fitted = LogisticRegression().fit(X, y + 10)
    with pytest.raises(ValueError, match="predicts 10, which is not one of the labels"):
        fair(fitted, cv="prefit")


def test_labels_in_descending_order_are_scored_from_low_to_high():
    folds = [*StratifiedKFold(5).split(X, y)]
    model = FairThresholdClassifier(Ridge(), trade_off=0.0, labels=[4, 3, 2, 1, 0], cv=folds)
    model.fit(X, y, sensitive_features=sex)
    assert np.corrcoef(model.decision_function(X), y)[0, 1] < -0.5
    same = fair(Ridge(), trade_off=0.0, max_violation=None, cv=folds)
    assert model.cost_ == pytest.approx(same.cost_)


@pytest.mark.parametrize("order", [[4, 3, 2, 1, 0], [1, 2, 3, 4, 0]])
def test_labels_out_of_order_are_not_mistaken_for_the_places_that_classifiers_learn(order):
    """Labels 0 … 4 in another order were read as places 0 … 4: scores were shuffled."""
    forest = RandomForestClassifier(20, random_state=0)
    model = FairThresholdClassifier(forest, trade_off=0.0, labels=order)
    model.fit(X, np.array(order)[y], sensitive_features=sex)
    plain = FairThresholdClassifier(forest, trade_off=0.0, labels=["a", "b", "c", "d", "e"])
    plain.fit(X, np.array(list("abcde"))[y], sensitive_features=sex)
    np.testing.assert_array_equal(model.decision_function(X), plain.decision_function(X))
    assert model.result_.after.table.cube.sum() == len(y)


def test_folds_without_a_label_are_scored_like_the_rest():
    """With two labels left, LogisticRegression turned from expected labels to log-odds."""
    rare = np.minimum(y, 1)
    rare[7] = 2
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = FairThresholdClassifier(LogisticRegression(), trade_off=0.1)
        model.fit(X, rare, sensitive_features=sex)
    axis = model.result_.score_table.axis
    assert axis.min() >= 0
    assert axis.max() <= 2


def test_fractions_are_labels_too():
    for estimator in (LogisticRegression(), Ridge()):
        model = FairThresholdClassifier(estimator, trade_off=0.1)
        model.fit(X, y / 2, sensitive_features=sex)
        assert set(model.predict(X)) <= {0.0, 0.5, 1.0, 1.5, 2.0}


def test_the_clock_starts_when_the_estimator_is_fitted():
    """A slow estimator left no time for thresholds."""

    class Slow(Ridge):
        def fit(self, X, y):
            time.sleep(0.06)
            return super().fit(X, y)

    model = FairThresholdClassifier(Slow(), max_violation=0.1, max_time=0.3)
    model.fit(X, y, sensitive_features=sex)
    assert not model.result_.stopped_by


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, sparse.csr_array, np.ndarray.tolist])
def test_containers_of_features_make_no_difference(frame):
    data = frame(X)
    model = FairThresholdClassifier(Ridge(solver="lsqr", tol=1e-12), trade_off=0.2)
    model.fit(data, y, sensitive_features=sex)
    plain = FairThresholdClassifier(Ridge(solver="lsqr", tol=1e-12), trade_off=0.2)
    plain.fit(X, y, sensitive_features=sex)
    np.testing.assert_array_equal(model.predict(data), plain.predict(X))


def test_columns_of_frames_and_intersections():
    frame = pd.DataFrame(X, columns=DIABETES.feature_names)
    groups = pd.DataFrame({"sex": sex, "old": X[:, 0] > 0})
    grades = pd.Series(pd.Categorical.from_codes(y, NAMES, ordered=True))
    model = FairThresholdClassifier(Ridge(), max_violation=0.2)
    model.fit(frame, grades, sensitive_features=groups)
    assert len(model.result_.groups) == 4
    assert model.feature_names_in_.tolist() == DIABETES.feature_names
    assert model.n_features_in_ == 9
    assert set(model.predict(frame)) <= set(NAMES)


def test_weights_reach_thresholds_and_estimator():
    weight = np.where(sex == "sex 1", 1.0, 3.0)
    model = FairThresholdClassifier(Ridge(), trade_off=0.2)
    model.fit(X, y, sensitive_features=sex, sample_weight=weight)
    np.testing.assert_allclose(model.estimator_.coef_, Ridge().fit(X, y, weight).coef_)
    assert model.result_.score_table.rows.sum() == pytest.approx(weight.sum())


def test_group_aware_thresholds_need_the_group_and_do_better():
    model = fair(Ridge(), max_violation=0.02, group_aware=True)
    blind = fair(Ridge(), max_violation=0.02)
    assert model.cost_ < blind.cost_
    assert model.violation_ <= 0.02
    assert model.thresholds_.shape == (2, 4)
    scores = model.decision_function(X)
    predicted = model.predict(X, sensitive_features=sex)
    for row, group in enumerate(["sex 1", "sex 2"]):
        np.testing.assert_array_equal(
            predicted[sex == group],
            np.searchsorted(model.thresholds_[row], scores[sex == group], side="left"),
        )
    assert model.predict(X[:1], sensitive_features=sex[:1]).shape == (1,)
    with pytest.raises(ValueError, match="sensitive_features is needed"):
        model.predict(X)
    with pytest.raises(ValueError, match="holds group 'sex 3', which has no thresholds"):
        model.predict(X[:1], sensitive_features=["sex 3"])


def test_group_aware_thresholds_are_tuned_and_scored_with_the_group():
    with sklearn.config_context(enable_metadata_routing=True):
        model = FairThresholdClassifier(Ridge(), group_aware=True)
        model.set_fit_request(sensitive_features=True).set_score_request(sensitive_features=True)
        found = cross_validate(model, X, y, cv=3, params={"sensitive_features": sex})
    assert np.isfinite(found["test_score"]).all()


def test_the_group_is_refused_where_it_must_not_matter():
    with pytest.raises(ValueError, match="unless group_aware=True"):
        fair(Ridge()).predict(X, sensitive_features=sex)


def test_the_default_is_a_limit_of_five_percent():
    default = FairThresholdClassifier(Ridge()).fit(X, y, sensitive_features=sex)
    model = fair(Ridge(), max_violation=0.05)
    np.testing.assert_array_equal(default.thresholds_, model.thresholds_)
    assert default.violation_ <= 0.05
    assert default.expected_violation_ <= 0.05


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"trade_off": 0.2, "max_violation": 0.1}, "either trade_off"),
        ({"cv": "refit"}, "cv must be one of"),
        ({"response_method": "transform"}, "response_method must be one of"),
        ({"response_method": "predict_proba"}, "gives no scores by response_method"),
        ({"tol": -1}, "tol must be a number of at least 0"),
        ({"max_time": "soon"}, "max_time must be a number"),
        ({"criterion": "justice"}, "criterion must be one of"),
    ],
)
def test_bad_parameters_are_refused_in_fit(options, message):
    with pytest.raises(ValueError, match=message):
        fair(Ridge(), **options)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"sensitive_features": sex[:10]}, "sensitive_features has 10 rows but y has 442"),
        ({"X": X[:10]}, "inconsistent numbers of samples"),
        ({"sample_weight": np.ones(3)}, "sample_weight has 3 rows but y has 442"),
        ({"sample_weight": -np.ones(442)}, "sample_weight must be finite and at least 0"),
        ({"sample_weight": 1.0}, "sample_weight must be a column"),
        ({"y": np.zeros(442, dtype=int)}, "y has one label.*labels="),
    ],
)
def test_bad_rows_are_refused_before_anything_is_fitted(columns, message):
    rows = {"X": X, "y": y, "sensitive_features": sex} | columns
    with pytest.raises(ValueError, match=message):
        FairThresholdClassifier(Ridge()).fit(**rows)


def test_groups_may_be_a_mapping_and_splits_lists_or_masks():
    first = np.arange(442) < 200
    groups = {"sex": sex, "old": X[:, 0] > 0}
    for cv in ([(first, ~first)], [(range(200), [*range(200, 442)])]):
        model = FairThresholdClassifier(Ridge(), max_violation=0.3, cv=cv)
        model.fit(pd.DataFrame(X), y, sensitive_features=groups)
        assert model.result_.score_table.rows.sum() == 242


def test_it_can_be_cloned_and_pickled():
    model = fair(Ridge())
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    assert clone(model).get_params()["max_violation"] == 0.1


def test_it_is_tuned_with_metadata_routing():
    with sklearn.config_context(enable_metadata_routing=True):
        model = FairThresholdClassifier(Ridge()).set_fit_request(sensitive_features=True)
        grid = {"estimator__alpha": [0.01, 1.0], "trade_off": [0.1, 0.3]}
        search = GridSearchCV(model, grid, cv=3)
        search.fit(X, y, sensitive_features=sex)
        assert search.best_estimator_.trade_off in (0.1, 0.3)
        found = cross_validate(model, X, y, cv=3, params={"sensitive_features": sex})
    assert np.isfinite(found["test_score"]).all()


@pytest.mark.usefixtures("full_effort")
def test_fair_in_new_rows_too():
    generator = np.random.default_rng(0)
    group = generator.integers(0, 2, 6000)
    skill = generator.normal(size=6000)
    features = np.column_stack([skill + group, generator.normal(size=6000)])
    level = np.digitize(skill + group + generator.normal(size=6000), [-1, 0, 1, 2])
    train, test = slice(0, 3000), slice(3000, 6000)
    model = FairThresholdClassifier(Ridge(), max_violation=0.05)
    model.fit(features[train], level[train], sensitive_features=group[train])
    predicted = model.predict(features[test])
    violation = pairwise_demographic_parity_difference(
        level[test], predicted, sensitive_features=group[test]
    )
    assert violation < 0.1
    assert mean_cost(level[test], predicted) == pytest.approx(model.cost_, abs=0.05)


class WithGroups(FairThresholdClassifier):
    """The sensitive feature made up, so that scikit-learn's checks can call `fit(X, y)`."""

    def fit(self, X, y=None, sample_weight=None):
        if y is None:
            raise ValueError("requires y to be passed, but the target y is None")
        labels = np.asarray(y).ravel()
        Ridge().fit(X, np.zeros(len(labels)))  # X is checked as the estimator would
        names = labels.dtype.kind not in "iuf"
        self.set_params(labels=np.unique(labels).tolist() if names else None)
        groups = np.arange(len(labels)) % 2
        return super().fit(X, y, sensitive_features=groups, sample_weight=sample_weight)


ON_PURPOSE = SCORES_AND_LABELS | {
    "check_classifiers_one_label_sample_weights": "weights leave one group only",
    "check_fit2d_1sample": "one row is one group: nothing to compare",
}


@parametrize_with_checks(
    [WithGroups(LogisticRegression(), cv=2, max_violation=1.0)],
    expected_failed_checks=lambda estimator: ON_PURPOSE,
)
def test_scikit_learn_checks(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(estimator)


def test_what_to_expect_is_said_with_intervals():
    model = fair(Ridge(), max_violation=0.2)
    low, high = model.expected_violation_interval_
    assert 0 <= low <= model.expected_violation_ <= high <= 1
    low, high = model.expected_cost_interval_
    assert low <= model.expected_cost_ <= high
    assert model.confidence_ == 0.95
    assert model.expected_violation_ <= 0.2


def test_confidence_keeps_the_limit_with_an_upper_bound():
    bold = fair(Ridge(), max_violation=0.3)
    careful = fair(Ridge(), max_violation=0.3, confidence=0.9)
    assert careful.confidence_ == 0.9
    assert careful.expected_violation_ < bold.expected_violation_
    assert careful.expected_cost_ >= bold.expected_cost_


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"confidence": 0.9, "trade_off": 0.1}, "confidence needs max_violation"),
        ({"confidence": 0.9, "group_aware": True}, "Leave it out, or set group_aware=False"),
        ({"confidence": 2.0}, "confidence must lie"),
    ],
)
def test_confidence_that_makes_no_sense_is_refused_before_the_work(options, message):
    class Unfitted(Ridge):
        def fit(self, X, y):
            raise AssertionError

    with pytest.raises(ValueError, match=message):
        FairThresholdClassifier(Unfitted(), **options).fit(X, y, sensitive_features=sex)
