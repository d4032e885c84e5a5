import json
import math
import pickle
import re
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from sklearn.exceptions import UndefinedMetricWarning

import oracles
from fairordinal import assert_pairwise_fair, audit, audit_counts, metrics, rows_needed
from fairordinal._render import percent
from fairordinal.criteria import HarmParity
from strategies import rows

Y = [1, 2, 3, 1, 2, 3, 1, 2, 3, 3]
F = [1, 2, 3, 1, 1, 2, 2, 2, 3, 1]
A = list("aaabbbcccc")


@settings(max_examples=50)
@given(data=rows())
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
def test_an_audit_of_counts_is_the_audit_of_the_rows(data):
    counts = pd.DataFrame({"group": data.a, "y_true": data.y, "y_pred": data.s, "count": data.w})
    by_rows = audit(data.y, data.s, sensitive_features=data.a, sample_weight=data.w)
    by_counts = audit_counts(counts.groupby(["group", "y_true", "y_pred"], as_index=False).sum())
    pd.testing.assert_frame_equal(by_rows.frame(), by_counts.frame())


def test_every_finding_is_its_metric():
    result = audit(Y, F, sensitive_features=A)
    public = {
        "demographic_parity": metrics.pairwise_demographic_parity_difference,
        "equal_opportunity": metrics.pairwise_equal_opportunity_difference,
        "equalized_odds": metrics.pairwise_equalized_odds_difference,
        "harm_parity": metrics.harm_parity_difference,
        "conditional_harm_parity": metrics.conditional_harm_parity_difference,
    }
    assert {finding.criterion.name for finding in result.findings} == {
        *public,
        "conditional_demographic_parity",
    }
    for name, metric in public.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UndefinedMetricWarning)
            expected = metric(Y, F, sensitive_features=A)
        assert result[name].violation == pytest.approx(expected)


@pytest.mark.parametrize(
    "groups",
    [[1, 1, 10, 10, 2, 2], [1, 1, "1", "1", 2, 2], [("a, b", "c"), ("a", "b, c")] * 3],
    ids=["numbers", "alike", "intersections"],
)
def test_counts_go_out_and_come_back(groups):
    column = np.empty(6, dtype=object)
    column[:] = groups
    y, f = [1, 2, 1, 2, 1, 2], [1, 2, 2, 2, 1, 1]
    result = audit(y, f, sensitive_features=column.tolist(), criteria=["demographic_parity"])
    counts = result.counts_frame()
    names = [name for name in counts if name.startswith("group")]
    again = audit_counts(counts, sensitive_features=names, criteria=["demographic_parity"])
    assert len(again.table.groups) == len(result.table.groups) == len(set(groups))
    np.testing.assert_array_equal(again.table.counts.sum(), 6)
    assert again["demographic_parity"].violation == result["demographic_parity"].violation


def test_groups_that_look_alike_are_told_apart_in_print():
    result = audit([1, 2, 1, 2], [1, 2, 2, 2], sensitive_features=[1, 1, "1", "1"])
    assert "'1' > 1" in str(result)
    assert set(result.group_frame()["group"]) == {"1", "'1'"}


def test_shards_add_up():
    counts = audit(Y, F, sensitive_features=A).counts_frame()
    shards = counts.iloc[:3], counts.iloc[3:]
    whole, split = audit_counts(counts), audit_counts(*shards)
    pd.testing.assert_frame_equal(whole.frame(), split.frame())


@pytest.mark.parametrize(
    "reshape",
    [
        pl.from_pandas,
        lambda frame: frame.to_dict("list"),
        lambda frame: frame.to_dict("records"),
        lambda frame: list(frame.itertuples(index=False, name=None)),
    ],
    ids=["polars", "columns", "mappings", "tuples"],
)
def test_counts_may_come_in_any_shape(reshape):
    counts = audit(Y, F, sensitive_features=A).counts_frame()
    found = audit_counts(reshape(counts))
    assert found["equal_opportunity"].violation == (
        audit(Y, F, sensitive_features=A)["equal_opportunity"].violation
    )


def test_counts_may_have_names_of_their_own_and_several_groups():
    table = pl.DataFrame(
        {"sex": ["f", "f", "m", "m"], "old": [1, 0, 1, 0], "grade": ["lo", "hi", "hi", "lo"],
         "given": ["hi", "hi", "lo", "lo"], "n": [3, 2, 4, 1]}
    )  # fmt: skip
    result = audit_counts(
        table, sensitive_features=["sex", "old"], y_true="grade", y_pred="given", count="n",
        labels=["lo", "hi"], criteria=["demographic_parity"],
    )  # fmt: skip
    assert result.table.groups.tolist() == [("f", 0), ("f", 1), ("m", 0), ("m", 1)]
    assert result.table.rows.tolist() == [2, 3, 1, 4]
    assert isinstance(result.frame(), pl.DataFrame)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"group": [1], "y_true": [1], "y_pred": [1]}, r"lacks columns \['count'\]"),
        ([("a", 1, 2)], r"row 0 .* must be \(group, y_true, y_pred, count\)"),
        ([("a", 1, 2, 3), ("b", 2, 1, -1)], r"count must be finite .* got -1.0 at row 1"),
        ([("a", 1, 2, 3), ("b", 2, 1, math.nan)], r"count must be finite .* got nan at row 1"),
    ],
)
def test_a_bad_table_of_counts_is_refused(table, message):
    with pytest.raises(ValueError, match=message):
        audit_counts(table)


def test_no_table_of_counts_is_refused():
    with pytest.raises(ValueError, match="at least one table"):
        audit_counts()


def test_the_frame_has_both_probabilities_interval_and_counts():
    frame = audit(Y, F, sensitive_features=A).frame()
    assert (frame["disparity"].dropna() >= 0).all()
    np.testing.assert_allclose(
        frame["disparity"], frame["probability"] - frame["other_probability"], atol=1e-12
    )
    row = frame[
        (frame.criterion == "equal_opportunity") & (frame.group == "a") & (frame.other == "b")
    ]
    # a over b: 3 pairs, all won; b over a: 3 pairs, won by the 3 (predicted 2) against the 1 alone
    assert row[["probability", "other_probability"]].iloc[0].tolist() == [1.0, 1 / 3]
    assert row[["rows", "other_rows", "support", "other_support"]].iloc[0].tolist() == [3, 3, 3, 3]
    inside = frame.dropna(subset="lower")
    assert ((inside.lower <= inside.disparity) & (inside.disparity <= inside.upper)).all()


def test_groups_have_cost_errors_and_confusion():
    result = audit(Y, F, sensitive_features=A)
    frame = result.group_frame().set_index("group")
    assert frame.loc["c"].tolist() == [4, 3 / 4, 1 / 4, 1 / 4]  # costs 1, 0, 0, 2
    assert frame["mean_cost"] @ frame["rows"] / 10 == pytest.approx(metrics.mean_cost(Y, F))
    assert result.confusion("c").tolist() == [[0, 1, 0], [0, 1, 0], [1, 0, 1]]
    with pytest.raises(ValueError, match="group must be one of"):
        result.confusion("x")


def test_the_cost_matrix_enters_costs_and_harms():
    squared = audit(Y, F, sensitive_features=A, cost_matrix="squared")
    assert squared.group_frame()["mean_cost"].tolist() == [0, 2 / 3, 5 / 4]
    expected = HarmParity("squared").violation(squared.table)
    assert squared["harm_parity"].violation == expected == 1.0
    options = {"cost_matrix": "squared", "criteria": ["harm_parity"]}
    named = audit(Y, F, sensitive_features=A, **options)
    assert named["harm_parity"].violation == 1.0
    absolute = audit(Y, F, sensitive_features=A)
    assert squared.rows_needed(0.5, criterion="harm_parity") != absolute.rows_needed(
        0.5, criterion="harm_parity"
    )


def test_the_worst_pair_is_named_the_favoured_group_first():
    finding = audit(Y, F, sensitive_features=A)["equal_opportunity"]
    _, group, other = finding.worst
    assert finding.disparities[0, group, other] == finding.violation > 0


def test_scores_are_audited_by_pairwise_criteria_alone():
    result = audit(Y, np.array(F) + 0.25, sensitive_features=A)
    assert {f.criterion.name for f in result.findings} == {
        "demographic_parity",
        "equal_opportunity",
        "equalized_odds",
        "conditional_demographic_parity",
    }
    assert "distinct scores" in str(result)
    assert list(result.group_frame()) == ["group", "rows"]
    with pytest.raises(ValueError, match="needs predicted labels"):
        result.confusion("a")
    with pytest.raises(ValueError, match="compare=True needs predicted labels"):
        audit(Y, np.array(F) + 0.25, sensitive_features=A, compare=True)


@pytest.mark.filterwarnings("ignore:pairwise equalized odds is undefined")
def test_an_undefined_criterion_warns_and_says_so():
    with pytest.warns(UndefinedMetricWarning, match="pairwise equal opportunity is undefined"):
        result = audit([1, 1, 2, 2], [1, 2, 1, 2], sensitive_features=list("aabb"))
    finding = result["equal_opportunity"]
    assert math.isnan(finding.violation)
    assert finding.worst is None
    assert all(math.isnan(bound) for bound in finding.violation_interval)
    assert "pairwise equal opportunity: undefined" in str(result)


def test_a_group_of_one_row_has_no_interval_and_the_audit_says_so():
    result = audit([*Y, 2], [*F, 3], sensitive_features=[*A, "d"])
    frame = result.frame()
    single = frame[(frame.criterion == "demographic_parity") & (frame.eval("group == 'd'"))]
    assert single["lower"].isna().all()
    assert (single["note"] == "no interval: a group of fewer than two rows").all()
    assert "No interval for groups of fewer than two rows: 'd'." in str(result)
    assert result["demographic_parity"].violation_interval[1] == 1.0


def test_a_worst_pair_that_shows_nothing_is_marked_and_the_clearest_leads():
    random = np.random.default_rng(0)
    y, a = random.integers(0, 4, 2000), random.choice(["a", "b"], 2000)
    f = np.clip(y + random.integers(-1, 2, 2000) + (a == "a"), 0, 3)
    options = {"criteria": ["demographic_parity"]}
    result = audit([*y, 0], [*f, 3], sensitive_features=[*a, "lonely"], **options)
    (row,) = [line for line in str(result).splitlines() if line.startswith("pairwise")][:1]
    assert row.endswith(f"yes  a > b: {result['demographic_parity'].disparities[0, 0, 1]:.3f} *")
    finding = result["demographic_parity"]
    assert (finding.worst, finding.headline) == ((0, 2, 1), (0, 0, 1))
    lower, upper = finding.lower[0, 0, 1], finding.upper[0, 0, 1]
    assert finding.violation_interval == (lower, 1.0)
    text = " ".join(str(result).split())
    assert "main pair (* not the worst, see below)" in text
    assert "'a' is predicted above 'b' in" in text
    assert (
        f"the clearest pair has {finding.disparities[0, 0, 1]:.3f} ({lower:.3f} … {upper:.3f}); "
        f"the worst, 'lonely' > 'b' with {finding.violation:.3f} (no interval), is too small for a "
        "conclusion." in text
    )
    assert "lonely (too small) 1 <0.1%" in text
    assert "Too small for a conclusion by pairwise demographic parity: 'lonely'. Compared" in text
    alone = audit(y, f, sensitive_features=a, **options)
    assert "*" not in str(alone)
    assert "too small" not in str(alone).lower()


# Small groups


def groups_of_rows(sizes, rates, seed=0):
    """Two labels; group i has `sizes[i]` rows, a share of `rates[i]` predicted 2 at random."""
    random = np.random.default_rng(seed)
    a = np.repeat([*"abcdefgh"][: len(sizes)], sizes)
    f = 1 + (random.random(len(a)) < np.repeat(rates, sizes))
    return random.integers(1, 3, len(a)), f, a


def audit_groups(sizes, rates, **options):
    y, f, a = groups_of_rows(sizes, rates)
    criteria = {"criteria": ["demographic_parity"], "labels": [1, 2]}
    return audit(y, f, sensitive_features=a, **(criteria | options))


@given(data=rows(max_rows=40))
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
def test_groups_are_too_small_if_their_intervals_say_next_to_nothing(data):
    result = audit(data.y, data.s, sensitive_features=data.a, sample_weight=data.w)
    for finding in result.findings:
        scale = finding.criterion.scale(result.table)
        expected = oracles.too_small(finding.lower, finding.upper, result.table.rows, scale)
        assert finding.too_small.tolist() == expected


@pytest.mark.parametrize("size", [2, 4, 9, 12])
@pytest.mark.parametrize("placed_high", [0.3, 0.5, 0.6])
def test_the_mark_of_a_small_group_does_not_depend_on_its_estimate(size, placed_high):
    # intervals such as -0.24 … 0.49 were called informative, others of equal width were not
    y, f, a = groups_of_rows([400, 400], [0.5, 0.5])
    few = 1 + (np.arange(size) < round(placed_high * size))
    y, f, a = np.append(y, few), np.append(f, few), np.append(a, ["c"] * size)
    finding = audit(y, f, sensitive_features=a, criteria=["demographic_parity"]).findings[0]
    assert finding.too_small.tolist() == [False, False, True]


def test_a_group_of_sixty_is_not_too_small():
    finding = audit_groups([400, 400, 60], [0.5, 0.5, 0.5])["demographic_parity"]
    assert not finding.too_small.any()


def test_a_worst_pair_that_is_clear_leads():
    finding = audit_groups([500, 500, 500], [0.2, 0.5, 0.9])["demographic_parity"]
    assert finding.headline == finding.worst == (0, 2, 0)
    assert finding.headline_kind == "worst pair"


def test_the_clearest_pair_is_not_the_one_of_the_greatest_lower_bound():
    # d has few rows and a large disparity, whose interval barely excludes 0
    result = audit_groups([900, 900, 2, 12], [0.4, 0.6, 1.0, 0.9])
    finding = result["demographic_parity"]
    assert not finding.lower[finding.worst] > 0
    assert finding.lower[0, 3, 0] > finding.lower[0, 1, 0] > 0
    assert finding.headline == (0, 1, 0)
    assert finding.headline_kind == "clearest pair"


def test_without_a_clear_pair_the_worst_of_larger_groups_leads():
    result = audit_groups([60, 60, 2], [0.45, 0.55, 1.0])
    finding = result["demographic_parity"]
    assert finding.too_small.tolist() == [False, False, True]
    assert 2 in finding.worst
    assert finding.headline in ((0, 0, 1), (0, 1, 0))
    assert "the worst pair of larger groups has" in " ".join(str(result).split())


def test_if_all_groups_are_set_aside_the_headline_is_that_of_all():
    usual = audit_groups([300, 300, 2], [0.2, 0.8, 1.0])["demographic_parity"]
    for least in (300.5, 1000):
        aside = audit_groups([300, 300, 2], [0.2, 0.8, 1.0], min_group_rows=least)
        assert aside["demographic_parity"].headline == usual.headline == (0, 1, 0)
    assert "Fewer than two groups have 1,000 rows: this minimum is not used." in str(aside)
    assert aside["demographic_parity"].why_not_worst == "is too small for a conclusion"


def test_groups_that_are_marked_lead_in_no_criterion():
    y, f, a = [1, 2, 3] * 200 + [1, 3], [1, 2, 2] * 200 + [1, 3], ["a", "b"] * 300 + ["c", "c"]
    criteria = ["demographic_parity", "harm_parity"]
    result = audit(y, f, sensitive_features=a, criteria=criteria, labels=[1, 2, 3, 4, 5])
    parity, harm = result.findings
    assert parity.too_small.tolist() == [False, False, True]
    assert not harm.too_small.any()
    assert harm.worst == (0, 0, 2)
    assert harm.headline == (0, 0, 1)


def test_groups_below_the_minimum_are_in_the_tables_but_never_lead():
    usual = audit_groups([900, 900, 90], [0.4, 0.6, 0.95])
    least = audit_groups([900, 900, 90], [0.4, 0.6, 0.95], min_group_rows=91)
    assert usual["demographic_parity"].headline == (0, 2, 0)
    assert least["demographic_parity"].headline == (0, 1, 0)
    pd.testing.assert_frame_equal(usual.frame(), least.frame())
    assert "has a group of fewer than 91 rows." in " ".join(str(least).split())
    assert least["demographic_parity"].violation_interval == (
        usual["demographic_parity"].violation_interval
    )


@pytest.mark.parametrize("scores", [False, True])
def test_merged_groups_are_one_group(scores):
    y, f, a = groups_of_rows([50, 9, 40, 5, 7], [0.4, 0.2, 0.6, 0.9, 0.5])
    given = {"scores": f + 0.25 * (y == 2)} if scores else {}
    options = {"labels": [1, 2], **given}
    merged = audit(y, f, sensitive_features=a, min_group_rows=10, small_groups="merge", **options)
    assert merged.table.groups.tolist() == ["a", "c", "other"]
    assert merged.merged_groups == ("b", "d", "e")
    named = audit(y, f, sensitive_features=np.where(np.isin(a, [*"bde"]), "other", a), **options)
    pd.testing.assert_frame_equal(merged.frame(), named.frame())
    assert "merged into 'other': 'b', 'd', 'e'." in str(merged)
    if scores:
        stages = (each.attribution().by_stage for each in (merged, named))
        assert next(stages) == next(stages)


def test_merged_groups_keep_their_survey_weights():
    y, f, a = groups_of_rows([50, 9, 40, 5, 7], [0.4, 0.2, 0.6, 0.9, 0.5])
    weight = np.random.default_rng(0).uniform(18.0, 90.0, len(y))
    options = {"sample_weight": weight, "weights": "survey", "labels": [1, 2]}
    merged = audit(y, f, sensitive_features=a, min_group_rows=10, small_groups="merge", **options)
    named = audit(y, f, sensitive_features=np.where(np.isin(a, [*"bde"]), "other", a), **options)
    pd.testing.assert_frame_equal(merged.frame(), named.frame())


def test_merged_intersections_go_out_and_come_back():
    y, f, a = groups_of_rows([50, 9, 40, 5], [0.4, 0.2, 0.6, 0.9])
    features = {"name": a, "old": np.isin(a, [*"ab"])}
    options = {"min_group_rows": 10, "small_groups": "merge"}
    merged = audit(y, f, sensitive_features=features, labels=[1, 2], **options)
    assert merged.table.groups.tolist() == [("a", True), ("c", False), "other"]
    again = audit_counts(merged.counts_frame(), sensitive_features=["group_1", "group_2"])
    assert again["demographic_parity"].violation == merged["demographic_parity"].violation
    assert again.table.rows.tolist() == [50, 40, 14]


@pytest.mark.parametrize(
    ("names", "expected"),
    [(["x", "y", "Other"], ["Other", "other groups"]), ([3, 1, 2], [2, "other"])],
)
def test_other_is_a_new_group(names, expected):
    a = [names[0]] * 2 + [names[1]] * 3 + [names[2]] * 9
    options = {"min_group_rows": 4, "small_groups": "merge"}
    merged = audit([1, 2] * 7, [1, 1, 2, 2, 2, 1, 1] * 2, sensitive_features=a, **options)
    assert merged.table.groups.tolist() == expected
    assert merged.table.rows.tolist() == [9, 5]


def test_one_small_group_stays_as_it_is():
    merged = audit_groups([50, 40, 5], [0.4, 0.6, 0.5], min_group_rows=10, small_groups="merge")
    assert merged.table.groups.tolist() == [*"abc"]
    assert merged.merged_groups == ()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"small_groups": "drop"}, r"small_groups must be one of \['keep', 'merge'\]"),
        ({"small_groups": "merge"}, "needs min_group_rows"),
        ({"min_group_rows": -1}, "min_group_rows must be a number of at least 0"),
        ({"min_group_rows": 99, "small_groups": "merge"}, "leaves one group; .* has 50 rows"),
    ],
)
def test_bad_arguments_about_small_groups_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        audit_groups([50, 40], [0.5, 0.5], **options)


def test_the_rows_needed_name_the_pair_that_needs_them():
    result = audit_groups([500, 20, 400, 30], [0.5] * 4)
    needed = result.rows_needed(0.1)
    assert needed.groups == ("b", "d")
    assert repr(needed) == f"RowsNeeded({int(needed)}, groups=('b', 'd'))"
    assert (f"{needed}", f"{needed:,}", str(needed)) == (
        str(int(needed)), f"{int(needed):,}", str(int(needed)))  # fmt: skip
    again = pickle.loads(pickle.dumps(needed))
    assert (again, again.groups, json.dumps(again)) == (needed, needed.groups, str(int(needed)))


def test_predicted_labels_that_are_never_true_are_pointed_out():
    result = audit([1, 2, 1, 2], [1, 2, 3, 2], sensitive_features=list("aabb"))
    assert "Predicted, but never true in these rows: 3." in str(result)


def test_long_names_are_shortened_only_where_they_stay_apart():
    a = ["the region to the north of the river"] * 5 + ["the region to the south of the river"] * 5
    text = str(audit(Y, F, sensitive_features=a))
    assert "the region to…river" not in text
    other = [name.replace("river", "river A" if "north" in name else "river B") for name in a]
    assert "the region …iver B > the region …iver A" in str(audit(Y, F, sensitive_features=other))


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0.0, "0%"),
        (32 / 7214, "0.4%"),
        (0.0004, "<0.1%"),
        (0.005, "0.5%"),
        (0.006, "1%"),
        (0.994, "99%"),
        (0.996, "99.6%"),
        (0.9996, ">99.9%"),
        (1.0, "100%"),
        (math.nan, "–"),
    ],
)
def test_shares_are_rounded_but_never_to_none_or_all(share, text):
    assert percent(share) == text


def test_a_finding_is_printed_in_a_line():
    finding = audit(Y, F, sensitive_features=A)["demographic_parity"]
    assert str(finding).startswith("pairwise demographic parity: violation 0.")


def test_weights_that_are_no_counts_are_pointed_out():
    whole = audit(Y, F, sensitive_features=A, sample_weight=[2] * 10)
    assert "Weights are not whole" not in str(whole)
    assert "Weights are not whole" in str(
        audit(Y, F, sensitive_features=A, sample_weight=[0.5] * 10)
    )


def test_text_and_html_show_every_criterion_and_escape_names():
    groups = ["<script>alert(1)</script>" if a == "a" else a for a in A]
    result = audit(Y, F, sensitive_features=groups, compare=True)
    for finding in result.findings:
        assert finding.criterion.title in str(result)
        assert finding.criterion.title in result._repr_html_()
    assert "<script>" not in result._repr_html_()
    assert "&lt;script&gt;" in result._repr_html_()
    assert repr(result) == str(result)


@pytest.mark.parametrize(
    ("criterion", "harmed"),
    [
        ("demographic_parity", False),
        ("standard_demographic_parity", False),
        ("standard_equal_opportunity", False),
        ("standard_equalized_odds", False),
        ("harm_parity", True),
        ("conditional_harm_parity", True),
    ],
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
def test_harms_are_explained_only_where_there_are_harms(criterion, harmed):
    result = audit(Y, F, sensitive_features=A, criteria=[criterion])
    words = "that being rated too low costs a more"
    assert (words in " ".join(str(result).split())) is harmed
    assert (words in result._repr_html_()) is harmed
    for higher_is, side in (("better", "low"), ("worse", "high")):
        text = str(audit(Y, F, sensitive_features=A, criteria=[criterion], higher_is=higher_is))
        assert (f"Harms are costs of being rated too {side};" in text) is harmed


# Whether higher labels are better or worse


def test_worse_turns_harm_and_the_groups_that_are_called_favoured():
    y, f = np.array(Y * 4), np.array(F * 4)
    worse = audit(y, f, sensitive_features=A * 4, higher_is="worse", labels=[1, 2, 3])
    turned = audit(4 - y, 4 - f, sensitive_features=A * 4, higher_is="better", labels=[1, 2, 3])
    for one, other in zip(worse.findings, turned.findings, strict=True):
        sign = 1 if isinstance(one.criterion, HarmParity) else -1  # -1: above becomes below
        np.testing.assert_allclose(one.disparities, sign * other.disparities, atol=1e-12)
        np.testing.assert_allclose(one.violation_interval, other.violation_interval, atol=1e-12)
    assert "Higher labels are worse: 'a > b' means that a is disadvantaged." in str(worse)
    assert "Higher labels are better: 'a > b' means that a is favoured." in str(turned)


def test_without_a_direction_nobody_is_favoured_or_harmed():
    result = audit(Y, F, sensitive_features=A)
    assert result.higher_is is None
    assert not re.search("favour|harm|advantage", str(result))
    better = audit(Y, F, sensitive_features=A, higher_is="better")
    pd.testing.assert_frame_equal(result.frame(), better.frame())
    assert "harm parity among the harmed" in str(better)


def test_the_direction_is_that_of_counts_tests_and_sample_sizes():
    counts = audit(Y, F, sensitive_features=A).counts_frame()
    options = {"criteria": ["harm_parity"], "higher_is": "worse"}
    by_counts = audit_counts(counts, **options)["harm_parity"].violation
    assert by_counts == audit(Y, F, sensitive_features=A, **options)["harm_parity"].violation
    # too high: nobody in a, nobody in b (1, 1, 2 for 1, 2, 3), 1 label for 1 of 4 in c
    assert by_counts == 1 / 4
    guard = {"sensitive_features": A, "criterion": "harm_parity"}
    assert_pairwise_fair(Y, F, max_violation=0.3, higher_is="worse", **guard)
    with pytest.raises(AssertionError, match=r"violation 0\.667"):
        assert_pairwise_fair(Y, F, max_violation=0.3, **guard)
    assert rows_needed(Y, F, higher_is="worse", **guard) != rows_needed(Y, F, **guard)
    assert audit(Y, F, sensitive_features=A, higher_is="worse").rows_needed(
        criterion="harm_parity"
    ) == rows_needed(Y, F, higher_is="worse", **guard)


def test_a_direction_must_be_known_and_not_contradict_a_criterion():
    with pytest.raises(ValueError, match=r"higher_is must be one of .* got 'good'"):
        audit(Y, F, sensitive_features=A, higher_is="good")
    with pytest.raises(ValueError, match="higher_is must be one of"):
        HarmParity(higher_is="good")
    options = {"sensitive_features": A, "higher_is": "worse"}
    with pytest.raises(ValueError, match="higher_is='worse' contradicts HarmParity"):
        audit(Y, F, criteria=[HarmParity(higher_is="better")], **options)
    (finding,) = audit(Y, F, criteria=[HarmParity("squared")], **options).findings
    assert finding.criterion == HarmParity("squared", "worse")


def test_text_fits_a_terminal_with_many_groups_of_long_names():
    random = np.random.default_rng(0)
    names = [f"a very long name of a group that goes on and on, number {i}" for i in range(40)]
    a = random.choice(names, 4000)
    y, f = random.integers(0, 12, (2, 4000))
    text = str(audit(y, f, sensitive_features=a, criteria=["demographic_parity"]))
    assert max(map(len, text.splitlines())) <= 120
    assert "28 more, see .group_frame()" in text


def test_an_unknown_criterion_lists_the_known_ones():
    with pytest.raises(KeyError, match="demographic_parity"):
        audit(Y, F, sensitive_features=A)["fairness"]


# Comparison


def test_a_comparison_says_where_binary_metrics_are_blind():
    y, f, a = [0, 1, 2, 3] * 3, [3] * 6 + [0, 2] * 3, [0] * 6 + [1] * 6
    text = " ".join(str(audit(y, f, sensitive_features=a, compare=True)).split())
    assert (
        "demographic parity of label 1 is 0.000 where pairwise demographic parity is 1.000" in text
    )
    assert "no row is predicted 1" in text


def test_a_comparison_says_where_standard_parity_sees_what_balances():
    y, f, a = [1, 2, 3] * 4, [1, 2, 3] * 4, ["a", "b", "a"] * 4
    (row,) = [
        row
        for row in audit(y, f, sensitive_features=a, compare=True).comparison
        if row.metric == "standard demographic parity"
    ]
    assert (row.value, row.pairwise_value) == (1.0, 0.0)
    assert "the differences balance" in row.why


def test_a_comparison_is_silent_where_metrics_agree_or_are_undefined():
    y = [1, 2, 3] * 4
    agreeing = audit(y, y, sensitive_features=["a", "b"] * 6, compare=True)
    assert {row.agree for row in agreeing.comparison} == {True}
    assert " where pairwise" not in str(agreeing)
    y, f, a = [1, 1, 2, 2], [1, 2, 1, 2], list("aabb")
    with pytest.warns(UndefinedMetricWarning):
        undefined = audit(y, f, sensitive_features=a, compare=True)
    assert undefined.comparison[-1].agree is None
    assert undefined.comparison[-1].why == ""


# Guards


def test_a_fair_predictor_passes():
    assert_pairwise_fair([1, 2] * 50, [1, 2] * 50, sensitive_features=["a"] * 50 + ["b"] * 50)


def test_an_unfair_predictor_fails_with_the_worst_pair():
    with pytest.raises(AssertionError, match=r"violation 1\.000 > max_violation=0\.1\. 'a' > 'b'"):
        assert_pairwise_fair(
            [1, 2, 1, 2], [2, 2, 1, 1], sensitive_features=list("aabb"), max_violation=0.1
        )


def test_with_confidence_few_rows_show_nothing():
    y, a = [1, 2] * 10, ["a"] * 10 + ["b"] * 10
    options = {"sensitive_features": a, "max_violation": 0.1}
    assert_pairwise_fair(y, y, **options)
    with pytest.raises(AssertionError, match=r"upper bound of the violation at confidence 0\.9"):
        assert_pairwise_fair(y, y, confidence=0.9, **options)
    many = {"sensitive_features": a * 200, "max_violation": 0.1}
    assert_pairwise_fair(y * 200, y * 200, confidence=0.9, **many)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
def test_an_undefined_criterion_does_not_pass():
    with pytest.raises(AssertionError, match="undefined for 'a' and 'b'"):
        assert_pairwise_fair(
            [1, 1, 2, 2], [1, 2, 1, 2], sensitive_features=list("aabb"),
            criterion="equal_opportunity",
        )  # fmt: skip


def test_a_group_of_one_label_passes_where_the_pair_is_defined():
    # 'b' holds label 2 alone: undefined against itself, but not against 'a'
    assert_pairwise_fair(
        [1, 2, 3, 2, 2], [1, 2, 3, 2, 2], sensitive_features=list("aaabb"),
        criterion="equal_opportunity",
    )  # fmt: skip


def test_a_group_of_one_row_does_not_pass_with_confidence():
    y, a = [1, 2] * 5000, ["a", "a", "b", "b"] * 2500
    with pytest.raises(AssertionError, match=r"upper bound .* 1\.000"):
        assert_pairwise_fair(
            [*y, 1], [*y, 1], sensitive_features=[*a, "c"], max_violation=0.6, confidence=0.95
        )


@pytest.mark.parametrize("limit", [-0.1, math.nan, "small", None])
def test_a_limit_must_be_a_number(limit):
    with pytest.raises(ValueError, match="max_violation must be a number"):
        assert_pairwise_fair([1, 2], [1, 2], sensitive_features=[0, 1], max_violation=limit)


def test_rows_needed_by_function_and_by_audit_agree():
    result = audit(Y, F, sensitive_features=A)
    options = {"criterion": "harm_parity", "power": 0.9}
    assert result.rows_needed(0.1, **options) == rows_needed(
        Y, F, sensitive_features=A, violation=0.1, **options
    )
    assert result.rows_needed(0.05) > result.rows_needed(0.1)


@pytest.mark.parametrize("arguments", [{"violation": 0}, {"violation": 1}, {"power": 1}])
def test_rows_needed_refuses_the_impossible(arguments):
    with pytest.raises(ValueError, match="strictly between 0 and 1"):
        audit(Y, F, sensitive_features=A).rows_needed(**arguments)


def test_a_criterion_with_two_parts_names_the_part_that_is_undefined():
    y, f, a = [2, 2, 1, 1] * 5, [1, 2, 1, 2] * 5, ["a", "b"] * 10
    found = audit([2] * 10 + [2] * 10, f, sensitive_features=a, labels=[1, 2])
    text = " ".join(str(found).split())
    assert "pairwise equalized odds: undefined for 'a' and 'b' (part 'above')." in text
    assert "pairwise equal opportunity: undefined for 'a' and 'b'." in text
    assert "undefined for" not in str(
        audit(y, f, sensitive_features=a, criteria=["equalized_odds"])
    )


def test_confidence_is_shown_with_its_decimals():
    found = audit(
        [1, 2] * 20, [1, 2] * 20, sensitive_features=["a", "b", "b", "a"] * 10, confidence=0.975
    )
    assert "97.5% intervals" in str(found)
