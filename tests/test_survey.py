"""Survey weights: intervals are those of the rows, estimates are those of the weights."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles
from fairordinal import assert_pairwise_fair, audit, audit_counts, rows_needed
from fairordinal._inference import intervals, measured_contrasts
from fairordinal._inference._delta_method import _covariance
from fairordinal._table import read_table
from fairordinal.criteria import NAMED
from lazy_frames import HOLDERS
from strategies import rows

NAMES = {"y_true": "grade", "y_pred": "predicted", "sensitive_features": "sex"}
FACTORS = [2.0**-900, 1e-12, 3.0, 1e12, 2.0**900]
every_criterion = pytest.mark.parametrize("name", list(NAMED))


def sample(n, groups=3, seed=0):
    """True and predicted labels, groups, and weights from 18 to 90 that depend on the label."""
    random = np.random.default_rng(seed)
    y, a = random.integers(0, 4, n), random.integers(0, groups, n)
    f = np.clip(np.rint(y + 0.7 * a + random.normal(0, 1.2, n)), 0, 3).astype(int)
    return y, f, a, np.clip(18.0 + 20 * y + random.integers(0, 20, n), 18, 90)


def survey_table(y, f, a, w, **options):
    options = {"predictions": "labels", **options}
    return read_table(y, f, a, sample_weight=w, weights="survey", **options)


def contrast_list(contrasts):
    return list(zip(contrasts.part, contrasts.g, contrasts.h, strict=True))


@every_criterion
def test_the_covariance_is_that_of_single_rows(name):
    y, f, a, w = sample(36)
    w[:3] = 0  # these rows do not count
    table = survey_table(y, f, a, w)
    contrasts = measured_contrasts(NAMED[name], table)
    expected = oracles.survey_covariance(name, y, f, a, w, contrast_list(contrasts))
    found = _covariance(NAMED[name], table, contrasts)
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-14)


@pytest.mark.parametrize("name", ["demographic_parity", "equal_opportunity", "harm_parity"])
def test_the_covariance_is_near_that_of_the_jackknife(name):
    y, f, a, w = sample(150, groups=2)
    table = survey_table(y, f, a, w)
    contrasts = measured_contrasts(NAMED[name], table)
    expected = oracles.jackknife_covariance(name, y, f, a, contrast_list(contrasts), w)
    np.testing.assert_allclose(_covariance(NAMED[name], table, contrasts), expected, rtol=0.05)


@every_criterion
@settings(max_examples=25)
@given(data=rows(weights=False), weight=st.sampled_from([0.3, 1.0, 54.0]))
def test_with_equal_weights_intervals_are_those_of_rows(name, data, weight):
    plain = read_table(data.y, data.s, data.a, predictions="labels")
    same = survey_table(data.y, data.s, data.a, np.full(len(data.y), weight))
    expected, found = (intervals(NAMED[name], table) for table in (plain, same))
    np.testing.assert_allclose(found.lower, expected.lower, atol=1e-9)
    np.testing.assert_array_equal(same.rows, plain.rows)


@every_criterion
@pytest.mark.parametrize("factor", FACTORS)
def test_a_constant_factor_of_all_weights_changes_nothing(name, factor):
    y, f, a, w = sample(60)
    one, other = (survey_table(y, f, a, weight) for weight in (w, w * factor))
    expected, found = (intervals(NAMED[name], table) for table in (one, other))
    tolerance = 0 if np.log2(factor).is_integer() else 1e-12
    np.testing.assert_allclose(found.lower, expected.lower, rtol=tolerance, atol=tolerance)
    np.testing.assert_array_equal(one.rows, other.rows)


@given(data=rows())
def test_estimates_are_those_of_frequency_weights(data):
    options = {"sample_weight": data.w, "predictions": "labels"}
    frequency = read_table(data.y, data.s, data.a, **options)
    survey = read_table(data.y, data.s, data.a, weights="survey", **options)
    for criterion in NAMED.values():
        expected = criterion.disparities(frequency)
        np.testing.assert_array_equal(criterion.disparities(survey), expected)


def test_rows_of_weight_0_do_not_count():
    y, f, a, w = sample(80)
    w[::4] = 0
    kept = w > 0
    found, expected = survey_table(y, f, a, w), survey_table(y[kept], f[kept], a[kept], w[kept])
    np.testing.assert_array_equal(found.rows, expected.rows)
    first, second = (intervals(NAMED["equal_opportunity"], t).lower for t in (found, expected))
    np.testing.assert_array_equal(first, second)


def test_a_group_with_one_row_of_weight_has_no_interval():
    y, f, a = [1, 2, 1, 2, 1, 2], [1, 2, 2, 2, 1, 1], list("aabbcc")
    found = intervals(NAMED["demographic_parity"], survey_table(y, f, a, [3, 1, 1, 2, 5, 0]))
    assert np.isfinite(found.lower[0, 0, 1])
    assert np.isnan(found.lower[0, :, 2]).all()


def test_few_large_weights_widen_the_interval():
    y, f, a, _ = sample(400)
    w = np.where(np.arange(400) % 10 == 0, 50.0, 1.0)  # 56 effective rows
    even, uneven = (
        intervals(NAMED["demographic_parity"], survey_table(y, f, a, weight))
        for weight in (np.ones(400), w)
    )
    ratio = (uneven.upper - uneven.lower) / (even.upper - even.lower)
    assert np.nanmin(ratio) > 0.8 * np.sqrt(400 / 56)


def frame_of(n=120):
    y, f, a, w = sample(n, groups=2)
    w[5] = 0
    columns = {"grade": y, "predicted": f, "sex": np.array(["f", "m"])[a], "w": w}
    return pd.DataFrame(columns | {"score": f + w / 100})


def of(data, **options):
    return audit(**NAMES, data=data, sample_weight="w", weights="survey", **options)


@pytest.mark.parametrize("hold", HOLDERS.values(), ids=list(HOLDERS))
def test_weights_out_of_core_are_those_in_memory(hold):
    frame = frame_of()
    found, expected = of(hold([frame[:50], frame[50:50], frame[50:]])), of(frame)
    for first, second in zip(found.findings, expected.findings, strict=True):
        np.testing.assert_allclose(first.disparities, second.disparities, atol=1e-12)
        np.testing.assert_allclose(first.lower, second.lower, atol=1e-12)
    np.testing.assert_array_equal(found.table.rows, expected.table.rows)
    assert str(found) == str(expected)


def test_numbers_of_rows_are_real_beside_the_sum_of_weights():
    frame = frame_of()
    result = of(frame)
    counted = frame[frame.w > 0].groupby("sex")["w"]
    text = str(result)
    assert f"Audit of 119 rows (sum of weights {frame.w.sum():,.0f})" in text
    assert "Survey weights" in text
    assert result.group_frame()["rows"].tolist() == counted.count().tolist()
    assert result.group_frame()["weight"].tolist() == counted.sum().tolist()
    row = result.frame().iloc[0]
    assert row["support"] == counted.count().prod()
    header = next(line for line in text.splitlines() if line.startswith("group"))
    assert header.split()[:4] == ["group", "rows", "weight", "share"]


def test_scores_may_have_survey_weights():
    result = of(frame_of(), scores="score")
    assert result.score_table.survey is not None
    assert np.isfinite(result.attribution().disparity)


def test_the_rows_needed_are_rows_of_the_sample():
    y, f, a, _ = sample(600)
    w = np.where(np.arange(600) % 10 == 0, 50.0, 1.0)
    options = {"sensitive_features": a, "weights": "survey"}
    plain = rows_needed(y, f, sensitive_features=a)
    assert rows_needed(y, f, sample_weight=np.full(600, 7.0), **options) == plain
    assert rows_needed(y, f, sample_weight=w, **options) > 3 * plain


def test_counts_of_survey_weights_are_not_taken_for_counts_of_rows():
    counts = of(frame_of()).counts_frame()
    assert counts["rows"].sum() == 119
    with pytest.raises(ValueError, match=r"lacks columns \['count'\]"):
        audit_counts(counts)


@pytest.mark.parametrize("interval", ["bootstrap", "distribution_free"])
def test_other_intervals_are_refused(interval):
    with pytest.raises(ValueError, match="not available with survey weights"):
        of(frame_of(), interval=interval)


def test_survey_weights_that_make_no_sense_are_refused():
    frame = frame_of()
    with pytest.raises(ValueError, match="needs sample_weight"):
        audit(**NAMES, data=frame, weights="survey")
    with pytest.raises(ValueError, match="weights must be one of"):
        audit(**NAMES, data=frame, sample_weight="w", weights="probability")
    for factor in (1e-300, 1e300):
        with pytest.raises(ValueError, match="squares of sample_weight are too large or too small"):
            of(HOLDERS["dataset"]([frame.assign(w=frame.w * factor)]))


def test_an_assertion_can_use_survey_weights():
    y, f, a, w = sample(300)
    options = {"sensitive_features": a, "sample_weight": w, "confidence": 0.95}
    bound = audit(y, f, **options)["demographic_parity"].violation_interval[1]
    assert_pairwise_fair(y, f, max_violation=bound + 1e-9, **options)
    with pytest.raises(AssertionError):
        assert_pairwise_fair(y, f, max_violation=bound + 1e-9, weights="survey", **options)
