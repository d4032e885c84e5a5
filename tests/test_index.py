"""Rows are matched by position: every docstring says so, and a shuffled index is pointed out."""

import inspect
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression

from fairordinal import (
    FairOrdinalClassifier,
    FairThresholdClassifier,
    audit,
    compare,
    metrics,
    optimize_thresholds,
)
from fairordinal._validation import warn_misaligned
from fairordinal.baselines import (
    ConstantClassifier,
    ProportionalOddsClassifier,
    RandomizedMixtureClassifier,
    WassersteinFairClassifier,
)
from fairordinal.plotting import DisparityDisplay, GroupConfusionDisplay, ScoreDisplay
from fairordinal.ranker import FairLinearRanker, pairwise_gradient
from public_names import PUBLIC, public

pytestmark = pytest.mark.usefixtures("small_effort")

n = 60
random = np.random.default_rng(3)
y = pd.Series(random.integers(0, 3, n), name="y")
f, a = pd.Series(random.integers(0, 3, n)), pd.Series(random.integers(0, 2, n))
w, s = pd.Series(np.ones(n)), pd.Series(random.normal(size=n))
X = pd.DataFrame({"x": random.normal(size=n) + y, "z": random.normal(size=n)})
SCORER = LogisticRegression().fit(X, y)
MIXTURE = RandomizedMixtureClassifier(ProportionalOddsClassifier(alpha=1.0), 0.2).fit(X, y)
WASSERSTEIN = WassersteinFairClassifier(LinearRegression()).fit(X, y, sensitive_features=a)
THRESHOLDS = FairThresholdClassifier(SCORER, cv="prefit", max_violation=0.5, group_aware=True)
THRESHOLDS.fit(X, y, sensitive_features=a)
GROUPS = {"sensitive_features": a}


def shuffled(column):
    return column.iloc[::-1]


CALLS = {
    "audit": lambda c: audit(y, f, sensitive_features=c(a)),
    "audit scores": lambda c: audit(y, f, scores=c(s), **GROUPS),
    "audit weights": lambda c: audit(y, f, sample_weight=c(w), **GROUPS),
    "audit frame": lambda c: audit(y, f, sensitive_features=c(a.to_frame())),
    "audit mapping": lambda c: audit(y, f, sensitive_features={"one": a, "two": c(a)}),
    "metric": lambda c: metrics.pairwise_demographic_parity_difference(c(y), f, **GROUPS),
    "mean_cost": lambda c: metrics.mean_cost(y, c(f)),
    "margin_loss": lambda c: metrics.margin_loss(y, c(s), [-1, 1]),
    "consistency": lambda c: metrics.consistency_score(X, c(f)),
    "thresholds": lambda c: optimize_thresholds(c(s), y, max_violation=0.5, **GROUPS),
    "gradient": lambda c: pairwise_gradient(c(s), y, **GROUPS),
    "ranker": lambda c: FairLinearRanker(alpha=1.0).fit(X, c(y), **GROUPS),
    "classifier": lambda c: FairOrdinalClassifier(alpha=1.0, cv=2).fit(c(X), y, **GROUPS),
    "fair thresholds": lambda c: FairThresholdClassifier(SCORER, cv="prefit", trade_off=0.1).fit(
        X, y, sensitive_features=c(a)),
    "predict": lambda c: THRESHOLDS.predict(X, sensitive_features=c(a)),
    "score": lambda c: THRESHOLDS.score(X, c(y), **GROUPS),
    "cut": lambda c: THRESHOLDS.result_.predict(s, sensitive_features=c(a)),
    "constant": lambda c: ConstantClassifier().fit(X, c(y)),
    "odds": lambda c: ProportionalOddsClassifier(alpha=1.0).fit(X, y, sample_weight=c(w)),
    "expected": lambda c: MIXTURE.expected_violation(X, c(y), **GROUPS),
    "Wasserstein": lambda c: WASSERSTEIN.fit(X, y, sensitive_features=c(a)),
    "fair scores": lambda c: WASSERSTEIN.fair_scores(X, sensitive_features=c(a)),
    "Wasserstein score": lambda c: WASSERSTEIN.score(X, c(y), **GROUPS),
    "compare": lambda c: compare({"one": f}, X, y, sensitive_features=c(a)),
    "disparities": lambda c: DisparityDisplay.from_estimator(SCORER, X, c(y), **GROUPS),
    "confusion": lambda c: GroupConfusionDisplay.from_estimator(SCORER, X, c(y), **GROUPS),
    "scores": lambda c: ScoreDisplay.from_estimator(
        ProportionalOddsClassifier(alpha=1.0).fit(X, y), X, sensitive_features=c(a)),
}  # fmt: skip


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_the_same_index_in_another_order_is_pointed_out(call):
    with pytest.warns(UserWarning, match="same labels in another order") as caught:
        call(shuffled)
    ours = [each for each in caught if "another order" in str(each.message)]
    assert "matched by position" in str(ours[0].message)
    assert "reset_index(drop=True)" in str(ours[0].message)
    assert {each.filename for each in ours} == {__file__}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_equal_indexes_and_columns_without_one_say_nothing(call):
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message=".*another order")
        call(lambda column: column)
        call(lambda column: column.copy())
        call(lambda column: np.array(shuffled(column)))


SAME = {
    "names": (list("abc"), list("bca")),
    "repeated": ([1, 1, 2], [1, 2, 1]),
    "of several kinds": ([1, "a", None], ["a", 1, None]),
    "dates": (pd.date_range("2020", periods=3), pd.date_range("2020", periods=3)[::-1]),
    "pairs": ([(1, "a"), (2, "b")], [(2, "b"), (1, "a")]),
    "categories": (pd.CategoricalIndex(list("abc")), pd.CategoricalIndex(list("cab"))),
    "default": (pd.RangeIndex(3), [2, 0, 1]),
}
OTHER = {
    "equal": (list("abc"), list("abc")),
    "other names": (list("abc"), list("abd")),
    "other numbers": (pd.RangeIndex(3), [3, 4, 5]),
    "same ends": ([0, 1, 1, 3], [0, 3, 3, 1]),
    "another length": (pd.RangeIndex(3), pd.RangeIndex(2)),
    "names and numbers": (list("abc"), pd.RangeIndex(3)),
}


def series(labels):
    return pd.Series(0, index=pd.Index(labels))


@pytest.mark.parametrize("pair", SAME.values(), ids=SAME)
def test_labels_of_any_kind_are_compared(pair):
    with pytest.warns(UserWarning, match=r"y and w have .* w\.loc\[y\.index\]"):
        warn_misaligned({"y": series(pair[0]), "x": [1, 2], "w": series(pair[1])})


@pytest.mark.parametrize("pair", OTHER.values(), ids=OTHER)
def test_indexes_with_other_labels_say_nothing(pair):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_misaligned({"y": series(pair[0]), "w": series(pair[1])})
        warn_misaligned({"y": series(pair[0]), "w": pl.Series([0]), "v": None, "u": [0]})


def test_indexes_are_sorted_only_if_they_may_hold_the_same_labels(monkeypatch):
    def refuse(*_, **__):
        raise AssertionError("an index was sorted")

    monkeypatch.setattr(pd.Index, "sort_values", refuse)
    for labels in ([0, 1, 2], [0, 1, 4]):
        warn_misaligned({"y": series([0, 1, 2]), "w": series(labels)})
    with pytest.raises(AssertionError, match="sorted"):
        warn_misaligned({"y": series([0, 1, 2]), "w": series([1, 0, 2])})


COLUMNS = {"X", "y", "y_true", "y_pred", "scores", "sensitive_features", "sample_weight"}
OTHERWISE = {"audit_counts", "fit_table", "read"}  # columns of one table
INTERNAL = {"learn"}


def takers():
    """Public functions and methods that take several columns."""
    for module, name in PUBLIC:
        found = public(module, name)
        members = [(name, found)] if inspect.isfunction(found) else inspect.getmembers(found)
        for member, function in members:
            function = getattr(function, "__func__", function)
            if member.startswith("_") or not inspect.isfunction(function):
                continue
            ours = function.__module__.startswith("fairordinal")
            several = len(COLUMNS & {*inspect.signature(function).parameters}) > 1
            if ours and several and member not in OTHERWISE | INTERNAL:
                yield function.__qualname__, function


def test_docstrings_say_that_rows_are_matched_by_position():
    texts = {name: " ".join((inspect.getdoc(f) or "").split()) for name, f in takers()}
    assert len(texts) > 35
    sentence = "Rows are matched by position; an index is ignored."
    missing = [name for name, text in texts.items() if sentence not in text]
    assert not missing, missing
