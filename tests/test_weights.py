"""Weights: multiplying all of them by a constant changes nothing but the number of rows."""

from functools import cache

import dask.array as da
import numpy as np
import polars as pl
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression

from fairordinal import (
    FairOrdinalClassifier,
    FairOrdinalFrontier,
    FairThresholdClassifier,
    audit,
    audit_counts,
    optimize_thresholds,
)
from fairordinal import metrics as every_metric
from fairordinal._rows._features import add_moments, moments_of, scaled_by
from fairordinal._validation import read_weight
from fairordinal.baselines import (
    ConstantClassifier,
    ProportionalOddsClassifier,
    RandomizedMixtureClassifier,
    WassersteinFairClassifier,
)
from fairordinal.ranker import FairLinearRanker, pairwise_gradient

pytestmark = pytest.mark.usefixtures("small_effort")

POWERS = [2.0**-1000, 2.0**-45, 2.0, 2.0**70, 2.0**1000]
OTHERS = [1e-300, 1e-162, 1e-12, 1e12, 1e154, 1e300]
every_power = pytest.mark.parametrize("factor", POWERS)
every_other = pytest.mark.parametrize("factor", OTHERS)

random = np.random.default_rng(5)
n = 90
y, a = random.integers(0, 3, n), random.integers(0, 2, n)
X = random.normal(size=(n, 3)) + np.outer(y + 0.5 * a, [1.0, 40.0, 0.0])
f = np.clip(y + random.integers(-1, 2, n), 0, 2)
w = random.choice([0.0, 1.0, 2.0, 3.0], n)
s = X[:, 0]
GROUPS = {"sensitive_features": a}


def fairness(metric):
    return lambda w: metric(y, f, sensitive_features=a, sample_weight=w)


def thresholds(**options):
    def found(w):
        result = optimize_thresholds(s, y, sensitive_features=a, sample_weight=w, **options)
        return [result.cost, result.violation, result.objective, *result.summary()["after"]]

    return found


METRICS = {
    name: fairness(getattr(every_metric, name))
    for name in every_metric.__all__
    if name.endswith(("_difference", "_matrix"))
} | {
    "mean_cost": lambda w: every_metric.mean_cost(y, f, sample_weight=w),
    "margin_loss": lambda w: every_metric.margin_loss(y, s, [0.5, 1.5], sample_weight=w),
    "consistency": lambda w: every_metric.consistency_score(X, f, sample_weight=w),
    "audit": lambda w: audit(y, f, **GROUPS, sample_weight=w).group_columns()["mean_cost"],
    "certified": thresholds(max_violation=0.1),
    "trade-off": thresholds(trade_off=0.3, criterion="equal_opportunity"),
    "exact": thresholds(max_violation=0.1, method="exact"),
    "local search": thresholds(max_violation=0.1, method="local_search", random_state=0),
    "gradient": lambda w: pairwise_gradient(s, y, sensitive_features=a, sample_weight=w).gradient,
}  # fmt: skip


def assert_equal(found, expected, tolerance):
    np.testing.assert_allclose(np.asarray(found), np.asarray(expected), rtol=tolerance, atol=0)


@every_power
@pytest.mark.parametrize("measure", METRICS.values(), ids=METRICS)
def test_a_metric_is_the_same_to_the_last_bit_for_weights_times_a_power_of_two(measure, factor):
    assert_equal(measure(w * factor), measure(w), 0)


@every_other
@pytest.mark.parametrize("measure", METRICS.values(), ids=METRICS)
def test_a_metric_is_the_same_for_weights_times_any_constant(measure, factor):
    assert_equal(measure(w * factor), measure(w), 1e-9)


MODELS = {
    "ranker": lambda w: fitted(FairLinearRanker(violation_weight=0.3, alpha=1e-3), w).coef_,
    "classifier": lambda w: judged(CLASSIFIER, w),
    "thresholds": lambda w: judged(FairThresholdClassifier(SCORER, cv="prefit", trade_off=0.2), w),
    "frontier": lambda w: ends(FRONTIER, w),
    "frontier of thresholds": lambda w: ends(FairOrdinalFrontier(estimator=SCORER, cv="prefit"), w),
    "constant": lambda w: fitted(ConstantClassifier(), w).cost_,
    "proportional odds": lambda w: fitted(ProportionalOddsClassifier(alpha=1e-3), w).coef_,
    "mixture": lambda w: fitted(MIXTURE, w).expected_cost(X, y, sample_weight=w),
    "Wasserstein": lambda w: fitted(WASSERSTEIN, w).fair_scores(X, sensitive_features=a),
}  # fmt: skip
# the same to the last bit for powers of two: every threshold, and every point of a frontier
EXACT = MODELS | {
    "classifier": lambda w: fitted(CLASSIFIER, w).thresholds_,
    "frontier": lambda w: [point.result.cost for point in fitted(FRONTIER, w).points_],
}
CLASSIFIER = FairOrdinalClassifier(max_violation=0.2, alpha=1e-3, cv=3)
FRONTIER = FairOrdinalFrontier(alpha=1e-3, cv=3, ranker="reduction")
SCORER = LogisticRegression(max_iter=1000).fit(X, y)
MIXTURE = RandomizedMixtureClassifier(ProportionalOddsClassifier(alpha=1e-3), probability=0.3)
WASSERSTEIN = WassersteinFairClassifier(LinearRegression())
every_model = pytest.mark.parametrize("name", MODELS)


def fitted(model, weight, X=X, y=y, a=a):
    return model.fit(X, y, sensitive_features=a, sample_weight=weight)


def judged(model, weight):
    """Cost and violation, which equally good thresholds share."""
    result = fitted(model, weight).result_
    return result.cost, result.violation


def ends(frontier, weight):
    """The least cost and the least violation; which points lie between is a matter of rounding."""
    points = fitted(frontier, weight).points_
    return min(p.result.cost for p in points), min(p.result.violation for p in points)


@cache
def usual(name, exact):
    return (EXACT if exact else MODELS)[name](w)


@every_model
@pytest.mark.parametrize("factor", [2.0**-1000, 2.0**33, 2.0**1000])
def test_a_model_is_the_same_to_the_last_bit_for_weights_times_a_power_of_two(name, factor):
    rounding = 1e-12 if name == "Wasserstein" else 0  # least squares take roots of weights
    assert_equal(EXACT[name](w * factor), usual(name, exact=True), rounding)


@every_model
@pytest.mark.parametrize("factor", [1e-300, 1e10, 1e300])
def test_a_model_is_the_same_for_weights_times_any_constant(name, factor):
    assert_equal(MODELS[name](w * factor), usual(name, exact=False), 1e-6)


@pytest.mark.parametrize("factor", [1e-300, 1e10, 1e300])
def test_rows_of_dask_have_one_scale_of_weights_in_all_blocks(factor):
    spread = w * np.where(np.arange(n) < 30, 1.0, 1e-3)  # the blocks differ
    chunked = [da.from_array(column, chunks=(30, *column.shape[1:])) for column in (X, y, a)]
    blocks = dict(zip(("X", "y", "a"), chunked, strict=True))
    ranker = FairLinearRanker(violation_weight=0.3, alpha=1e-3)
    there = fitted(ranker, da.from_array(spread * factor, chunks=30), **blocks).coef_
    assert_equal(there, fitted(ranker, spread).coef_, 1e-6)


# ---------------------------------------------------------------- features are scaled alike


@pytest.mark.parametrize("factor", [1e-12, 1.0, 1e10, 1e16, 1e18])
def test_weights_do_not_decide_which_features_are_constant(factor):
    spreads = scaled_by(moments_of(X, np.full(n, factor))).spreads
    np.testing.assert_allclose(spreads, X.std(axis=0), rtol=1e-12)
    parts = [moments_of(X[part], np.full(30, factor)) for part in np.split(np.arange(n), 3)]
    np.testing.assert_allclose(scaled_by(add_moments(parts)).spreads, spreads, rtol=1e-12)


# ---------------------------------------------------------------- numbers of rows


def finding(weight, **options):
    result = audit(y, f, sensitive_features=a, sample_weight=weight, **options)
    return result["demographic_parity"]


@pytest.mark.parametrize("interval", ["delta", "bootstrap", "distribution_free"])
def test_intervals_take_the_sum_of_weights_for_a_number_of_rows(interval):
    options = {"interval": interval, "n_resamples": 50}
    widths = []
    for factor in (1.0, 1e6, 1e19, 1e300):
        low, high = finding(w * factor, **options).violation_interval
        assert low <= finding(w).violation * (1 + 1e-9)
        assert low <= high
        widths.append(high - low)
    assert widths == sorted(widths, reverse=True)
    assert widths[0] > 0.1
    assert widths[-1] < 1e-6
    none = finding(w * 1e-300, **options)
    assert np.isnan(none.lower[0, 0, 1])
    assert none.violation_interval == (0, 1)


@pytest.mark.parametrize("interval", ["delta", "bootstrap", "distribution_free"])
@pytest.mark.parametrize("weight", [1e17, 1e300])
def test_perfect_separation_of_very_many_rows_is_certain(weight, interval):
    columns = {"sensitive_features": list("aabb"), "sample_weight": [weight] * 4}
    result = audit([0, 1, 0, 1], [1, 1, 0, 0], **columns, interval=interval, n_resamples=20)
    low, high = result["demographic_parity"].violation_interval
    assert low == pytest.approx(1, abs=1e-6)
    assert high == 1


@pytest.mark.parametrize("factor", [1e-300, 1e-12, 1e19, 1e300])
def test_counts_are_shown_as_they_were_given(factor):
    result = audit(y, f, sensitive_features=a, sample_weight=w * factor)
    given = np.bincount(a, w) * factor
    np.testing.assert_allclose(result.table.rows, given, rtol=1e-12)
    assert_equal(result.group_frame()["rows"], given, 1e-12)
    assert_equal(result.counts_frame()["count"].sum(), given.sum(), 1e-12)
    assert_equal(result.confusion(0).sum(), given[0], 1e-12)
    assert f"Audit of {given.sum():.3g} rows" in str(result)
    again = audit_counts(result.counts_frame())
    assert_equal(again["demographic_parity"].violation, finding(w).violation, 1e-9)


def test_all_rows_that_a_float_can_not_count_are_infinitely_many():
    result = audit(y, f, sensitive_features=a, sample_weight=w * 5e307)
    assert "Audit of inf rows" in str(result)
    assert_equal(result["demographic_parity"].violation, finding(w).violation, 1e-9)
    assert result.frame()["rows"].tolist()[0] == np.inf


@pytest.mark.parametrize("factor", [1e-300, 1e300])
def test_lazy_rows_count_with_weights_of_any_size(factor):
    frame = pl.LazyFrame({"y": y, "f": f, "a": a, "w": w * factor})
    result = audit("y", "f", sensitive_features="a", sample_weight="w", data=frame)
    assert_equal(result["demographic_parity"].violation, finding(w).violation, 1e-9)
    assert_equal(result.table.rows, np.bincount(a, w) * factor, 1e-12)


def test_rows_needed_for_the_smallest_violation_are_a_whole_number():
    result = audit(y, f, sensitive_features=a)
    few, many = result.rows_needed(1e-3), result.rows_needed(1e-300)
    assert isinstance(many, int)
    assert many // 10**594 == pytest.approx(few, rel=1e-5)
    assert result.rows_needed(5e-324) > many


# ---------------------------------------------------------------- what is refused


@pytest.mark.parametrize("weight", [[1e-200, 1.0], [1.0, 1e200], [5e-324, 1e-100]])
def test_weights_whose_pairs_no_float_can_hold_are_refused(weight):
    with pytest.raises(ValueError, match="must not differ by more than a factor") as caught:
        read_weight(weight, 2)
    assert f"{min(weight):g} beside {max(weight):g}" in str(caught.value)


def test_light_groups_beside_heavy_ones_are_measured():
    light = np.where(a == 0, 1e-115, 1.0)
    low, high = (finding(weight).violation for weight in (light, np.ones(n)))
    assert low == pytest.approx(high, rel=1e-9)


def test_a_sum_beyond_floats_is_said_of_lazy_rows():
    frame = pl.LazyFrame(
        {"y": [0, 1, 0, 1], "f": [0, 1, 0, 1], "a": [0, 0, 0, 1], "w": [1.7e308] * 4}
    )
    with pytest.raises(ValueError, match="got inf as a weight or as a sum of weights"):
        audit("y", "f", sensitive_features="a", sample_weight="w", data=frame)


@pytest.mark.parametrize("weight", [[10**30, 2 * 10**30], [10**400, 1]])
def test_whole_numbers_beyond_64_bits_are_weights(weight):
    if weight[0] > 1e308:
        with pytest.raises(ValueError, match="must be finite"):
            read_weight(weight, 2)
    else:
        read = read_weight(weight, 2)
        assert (read.values / read.one).tolist() == [1e30, 2e30]


@pytest.mark.parametrize("taker", [audit, FairOrdinalClassifier.fit, FairOrdinalFrontier.fit])
def test_docstrings_say_that_intervals_depend_on_the_sum_of_weights(taker):
    text = " ".join(taker.__doc__.split())
    assert "Multiplying all weights by a constant changes only" in text
    assert "take the sum of the weights for the number of rows" in text
