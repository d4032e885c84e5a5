"""The metrics where they are used: in scikit-learn, beside fairlearn, on data frames."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from fairlearn.metrics import MetricFrame, demographic_parity_difference
from sklearn import config_context
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import (
    make_scorer,
    mean_absolute_error,
    mean_squared_error,
    roc_auc_score,
    zero_one_loss,
)
from sklearn.model_selection import GridSearchCV, KFold, cross_validate

from fairordinal import audit
from fairordinal.metrics import (
    harm_parity_difference,
    mean_cost,
    pairwise_demographic_parity_difference,
    pairwise_equal_opportunity_difference,
    pairwise_equalized_odds_difference,
    standard_demographic_parity_difference,
)

FAIRNESS = [
    pairwise_demographic_parity_difference,
    pairwise_equal_opportunity_difference,
    pairwise_equalized_odds_difference,
    standard_demographic_parity_difference,
    harm_parity_difference,
]
every_fairness_metric = pytest.mark.parametrize("metric", FAIRNESS, ids=lambda m: m.__name__)
every_seed = pytest.mark.parametrize("seed", range(10))


@pytest.fixture
def rows():
    """Features, labels 0..3 that follow them, and two sensitive columns that do too."""
    random = np.random.default_rng(11)
    X = random.normal(size=(400, 3))
    y = np.digitize(X[:, 0] + random.normal(size=400), [-1, 0, 1])
    sex = np.where(X[:, 1] + random.normal(size=400) > 0, "f", "m")
    region = np.where(X[:, 0] + random.normal(size=400) > 0, "north", "south")
    return X, y, sex, region


def scorer(metric):
    made = make_scorer(metric, greater_is_better=False)
    return made.set_score_request(sensitive_features=True)


def scores_by_hand(metric, model, X, y, groups, folds):
    scores = []
    for train, test in folds.split(X):
        predicted = model.fit(X[train], y[train]).predict(X[test])
        scores.append(-metric(y[test], predicted, sensitive_features=groups[test]))
    return scores


@pytest.mark.parametrize("make", [list, np.array, pd.Series], ids=["list", "numpy", "pandas"])
def test_cross_validation_routes_the_groups_of_each_fold(make, rows):
    X, y, sex, _ = rows
    model, folds = LogisticRegression(), KFold(4)
    with config_context(enable_metadata_routing=True):
        scoring = {metric.__name__: scorer(metric) for metric in FAIRNESS}
        params = {"sensitive_features": make(sex)}
        found = cross_validate(model, X, make(y), scoring=scoring, cv=folds, params=params)
    for metric in FAIRNESS:
        by_hand = scores_by_hand(metric, model, X, y, sex, folds)
        assert found[f"test_{metric.__name__}"].tolist() == by_hand


def test_a_grid_search_selects_the_fairest_model(rows):
    X, y, sex, _ = rows
    folds, metric, grid = KFold(3), pairwise_demographic_parity_difference, [1e-4, 1e-2, 1.0]
    with config_context(enable_metadata_routing=True):
        search = GridSearchCV(
            LogisticRegression(), {"C": grid}, scoring=scorer(metric), cv=folds
        ).fit(X, y, sensitive_features=sex)
    means = [
        np.mean(scores_by_hand(metric, LogisticRegression(C=C), X, y, sex, folds)) for C in grid
    ]
    np.testing.assert_allclose(search.cv_results_["mean_test_score"], means, rtol=1e-12)
    assert search.best_params_["C"] == grid[int(np.argmax(means))]


@every_fairness_metric
@pytest.mark.parametrize("make", [np.asarray, pd.Series], ids=["numpy", "pandas"])
def test_a_metric_frame_measures_one_sensitive_feature_within_another(metric, make, rows):
    X, y, sex, region = rows
    predicted = LogisticRegression().fit(X, y).predict(X)
    frame = MetricFrame(
        metrics=metric,
        y_true=make(y),
        y_pred=make(predicted),
        sensitive_features=make(region),
        sample_params={"sensitive_features": make(sex)},
    )
    assert frame.overall == metric(y, predicted, sensitive_features=sex)
    for place in ("north", "south"):
        here = region == place
        direct = metric(y[here], predicted[here], sensitive_features=sex[here])
        assert frame.by_group[place] == direct


def test_a_metric_frame_takes_several_metrics_with_weights(rows):
    X, y, sex, region = rows
    predicted = LogisticRegression().fit(X, y).predict(X)
    weight = np.arange(400) % 3
    frame = MetricFrame(
        metrics={"cost": mean_cost, "gap": pairwise_equal_opportunity_difference},
        y_true=y,
        y_pred=predicted,
        sensitive_features=region,
        sample_params={
            "cost": {"sample_weight": weight},
            "gap": {"sample_weight": weight, "sensitive_features": sex},
        },
    )
    north = region == "north"
    rows_there = y[north], predicted[north]
    gap = pairwise_equal_opportunity_difference(
        *rows_there, sensitive_features=sex[north], sample_weight=weight[north]
    )
    assert frame.by_group["gap"]["north"] == gap
    assert frame.by_group["cost"]["north"] == mean_cost(*rows_there, sample_weight=weight[north])


def test_the_greatest_disparity_is_0_for_fairlearn_and_1_for_us():
    y_true, y_pred, group = [0, 3, 1, 2, 0], [3, 3, 3, 0, 2], [0, 0, 0, 1, 1]
    assert demographic_parity_difference(y_true, y_pred, sensitive_features=group) == 0.0
    assert pairwise_demographic_parity_difference(y_true, y_pred, sensitive_features=group) == 1.0
    first = audit(y_true, y_pred, sensitive_features=group, compare=True).comparison[0]
    assert (first.value, first.pairwise_value) == (0.0, 1.0)
    assert "fairlearn" in first.why


def sample(seed, *, labels=4, groups=3, rows=60):
    random = np.random.default_rng(seed)
    y_true, y_pred = random.integers(0, labels, (2, rows))
    group = np.r_[np.arange(groups), random.integers(0, groups, rows - groups)]
    return y_true, y_pred, group, random.integers(1, 5, rows).astype(float)


@every_seed
def test_the_first_row_of_the_comparison_is_what_fairlearn_computes(seed):
    y_true, y_pred, group, weight = sample(seed)
    columns = {"sensitive_features": group, "sample_weight": weight}
    theirs = demographic_parity_difference(y_true, y_pred, **columns)
    ours = audit(y_true, y_pred, **columns, compare=True).comparison[0]
    assert ours.metric == "demographic parity of label 1"
    assert ours.value == pytest.approx(theirs, abs=1e-12)


@every_seed
@pytest.mark.parametrize(("cost", "theirs"), [
    ("absolute", mean_absolute_error), ("zero_one", zero_one_loss),
    ("squared", mean_squared_error)])  # fmt: skip
def test_the_mean_cost_by_name_is_that_of_scikit_learn(seed, cost, theirs):
    y_true, y_pred, _, weight = sample(seed)
    y_true, y_pred = np.array([-2, 1, 2, 7])[[y_true, y_pred]]  # not one step apart
    for w in (None, weight):
        ours = mean_cost(y_true, y_pred, cost_matrix=cost, sample_weight=w)
        assert ours == pytest.approx(theirs(y_true, y_pred, sample_weight=w), abs=1e-12)


@every_seed
@pytest.mark.parametrize("step", [0.5, 1e-9], ids=["tied", "distinct"])
def test_two_groups_differ_in_parity_by_how_well_scores_tell_them_apart(seed, step):
    y_true, _, group, weight = sample(seed, groups=2)
    scores = np.random.default_rng(seed).normal(group)
    scores = np.round(scores / step) * step + 0.25 * step
    for w in (None, weight):
        ours = pairwise_demographic_parity_difference(
            y_true, scores, sensitive_features=group, sample_weight=w
        )
        area = roc_auc_score(group, scores, sample_weight=w)
        assert ours == pytest.approx(abs(2 * area - 1), abs=1e-12)


FRAMES = {
    "lists": (lambda table: {k: list(v) for k, v in table.items()}, pd.DataFrame),
    "pandas": (pd.DataFrame, pd.DataFrame),
    "polars": (pl.DataFrame, pl.DataFrame),
    "pyarrow": (pa.table, pa.Table),
}


@pytest.mark.parametrize(("make", "kind"), FRAMES.values(), ids=FRAMES)
def test_frames_come_back_in_the_library_that_the_rows_came_in(make, kind):
    y_true, y_pred, group, _ = sample(0)
    table = make({"y": y_true, "f": y_pred, "g": group})
    result = audit(table["y"], table["f"], sensitive_features=table["g"])
    for frame in (result.frame(), result.group_frame(), result.counts_frame()):
        assert isinstance(frame, kind)
    by_rows = audit(y_true, y_pred, sensitive_features=group).frame()
    assert [*map(float, result.frame()["disparity"].to_numpy())] == [*by_rows["disparity"]]
