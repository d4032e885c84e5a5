"""Groups and weights that reach the estimator inside of `FairThresholdClassifier`."""

import numpy as np
import pytest
import sklearn
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.metadata_routing import get_routing_for_object

from fairordinal import FairOrdinalFrontier, FairThresholdClassifier
from fairordinal.baselines import fair_ranker_only, fair_thresholds_only
from made_up import people

X, y, a = people(200)
X = np.column_stack([X, a])  # so that a fit can check that groups belong to its rows
NAMED = np.array(["club", "none"])[a]
WEIGHT = 1.0 + np.arange(200) % 2


class RidgeWithGroups(RegressorMixin, BaseEstimator):
    """A Ridge that needs groups."""

    def fit(self, X, y, *, sensitive_features, sample_weight=None):
        groups = np.asarray(sensitive_features)
        np.testing.assert_array_equal(groups == "none", X[:, -1] > X[:, -1].min())
        self.seen_ = {"groups": groups, "weight": sample_weight}
        self.inner_ = Ridge().fit(X, y)
        return self

    def predict(self, X):
        return self.inner_.predict(X)


@pytest.fixture
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def wanting(**requests):
    return RidgeWithGroups().set_fit_request(**requests)


def test_without_routing_an_estimator_gets_what_its_fit_takes():
    model = FairThresholdClassifier(RidgeWithGroups(), trade_off=0.1)
    model.fit(X, y, sensitive_features=NAMED, sample_weight=WEIGHT)
    np.testing.assert_array_equal(model.estimator_.seen_["groups"], NAMED)
    np.testing.assert_array_equal(model.estimator_.seen_["weight"], WEIGHT)
    with pytest.raises(TypeError, match="sensitive_features"):  # a pipeline takes nothing
        clone(model).set_params(estimator=make_pipeline(RidgeWithGroups())).fit(
            X, y, sensitive_features=NAMED
        )


@pytest.mark.usefixtures("routing")
def test_groups_and_weights_reach_an_estimator_that_requests_them():
    estimator = wanting(sensitive_features=True, sample_weight=True)
    model = FairThresholdClassifier(estimator, trade_off=0.1)
    model.fit(X, y, sensitive_features=NAMED, sample_weight=WEIGHT)
    np.testing.assert_array_equal(model.estimator_.seen_["groups"], NAMED)
    np.testing.assert_array_equal(model.estimator_.seen_["weight"], WEIGHT)
    refused = FairThresholdClassifier(
        wanting(sensitive_features=True, sample_weight=False), trade_off=0.1
    )
    refused.fit(X, y, sensitive_features=NAMED, sample_weight=WEIGHT)
    assert refused.estimator_.seen_["weight"] is None


@pytest.mark.usefixtures("routing")
def test_groups_reach_the_last_step_of_a_pipeline_and_folds_have_their_own():
    pipeline = make_pipeline(StandardScaler(), wanting(sensitive_features=True))
    model = FairThresholdClassifier(pipeline, trade_off=0.1, cv=4)
    model.fit(X, y, sensitive_features=NAMED)
    np.testing.assert_array_equal(model.estimator_[-1].seen_["groups"], NAMED)
    assert model.result_.score_table.rows.sum() == len(y)


@pytest.mark.usefixtures("routing")
@pytest.mark.parametrize("outer", [False, True])
def test_groups_reach_a_nested_estimator_through_a_search(outer):
    inner = wanting(sensitive_features=True)
    model = FairThresholdClassifier(inner).set_fit_request(sensitive_features=True)
    model = make_pipeline(StandardScaler(), model) if outer else model
    name = "fairthresholdclassifier__trade_off" if outer else "trade_off"
    search = GridSearchCV(model, {name: [0.1, 0.4]}, cv=2, error_score="raise")
    search.fit(X, y, sensitive_features=NAMED)
    best = search.best_estimator_[-1] if outer else search.best_estimator_
    np.testing.assert_array_equal(best.estimator_.seen_["groups"], NAMED)


@pytest.mark.usefixtures("routing")
def test_what_an_estimator_neither_requests_nor_refuses_is_an_error():
    with pytest.raises(UnsetMetadataPassedError, match=r"RidgeWithGroups.fit, which"):
        FairThresholdClassifier(RidgeWithGroups()).fit(X, y, sensitive_features=NAMED)
    with pytest.raises(UnsetMetadataPassedError, match=r"\[sample_weight\].*Ridge.fit"):
        FairThresholdClassifier(Ridge()).fit(X, y, sensitive_features=a, sample_weight=WEIGHT)
    search = GridSearchCV(FairThresholdClassifier(Ridge()), {"trade_off": [0.1]}, cv=2)
    with pytest.raises(UnsetMetadataPassedError, match=r"FairThresholdClassifier.fit"):
        search.fit(X, y, sensitive_features=NAMED)


@pytest.mark.usefixtures("routing")
def test_estimators_that_take_neither_are_fitted_as_without_routing():
    model = FairThresholdClassifier(Ridge(), trade_off=0.1).fit(X, y, sensitive_features=NAMED)
    with sklearn.config_context(enable_metadata_routing=False):
        plain = clone(model).fit(X, y, sensitive_features=NAMED)
    np.testing.assert_array_equal(model.predict(X), plain.predict(X))


@pytest.mark.usefixtures("routing")
def test_a_prefit_estimator_requests_nothing():
    fitted = Ridge().fit(X, y)
    model = FairThresholdClassifier(fitted, cv="prefit", trade_off=0.1)
    model.fit(X, y, sensitive_features=NAMED, sample_weight=WEIGHT)
    assert model.estimator_ is fitted


@pytest.mark.usefixtures("routing")
@pytest.mark.parametrize(
    "made", [fair_ranker_only(alpha=1e-3), fair_thresholds_only(trade_off=0.1)]
)
def test_steps_of_the_method_need_no_request(made):
    clone(made).fit(X, y, sensitive_features=NAMED)


@pytest.mark.usefixtures("routing")
def test_a_frontier_routes_to_its_estimator():
    frontier = FairOrdinalFrontier(estimator=wanting(sensitive_features=True), cv=2)
    frontier.fit(X, y, sensitive_features=NAMED)
    seen = frontier.model(0).estimator_.seen_["groups"]
    np.testing.assert_array_equal(seen, NAMED)


@pytest.mark.usefixtures("routing")
def test_the_router_names_its_own_requests_and_those_of_its_estimator():
    model = FairThresholdClassifier(wanting(sensitive_features=True))
    model.set_fit_request(sensitive_features=True)
    routing = get_routing_for_object(model)
    assert routing.consumes("fit", ["sensitive_features", "groups"]) == {"sensitive_features"}
    params = {"sensitive_features": NAMED}
    assert routing.route_params(params=params, caller="fit") == {"estimator": {"fit": params}}
    with pytest.raises(TypeError, match="price"):
        routing.validate_metadata(params={"price": 1}, method="fit")
