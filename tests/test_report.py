"""The report as text: what it says, what it escapes, how large it is, and what may be missing."""

import datetime
import json
import pickle
import re
import stat
import subprocess
import sys
import zipfile
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import Ridge

from fairordinal import (
    FairOrdinalFrontier,
    FairThresholdClassifier,
    audit,
    compare,
    optimize_thresholds,
)
from fairordinal._render import number, percent
from fairordinal.baselines import WassersteinFairClassifier
from fairordinal.report import Report, report, report_compare
from fairordinal.report._numbers import Axis, axis_around, count_text, interval_text, signed
from fairordinal.report._page import as_json, display_names, visible_name
from made_up import people
from made_up_frontier import made_up_frontier, scored_rows
from made_up_report import HOSTILE, audit_of, hostile_report, report_rows

pytestmark = pytest.mark.usefixtures("small_effort")

VOID = {"meta", "link", "br", "img"}
DAY = datetime.date(2026, 1, 2)
MARKUP = st.sampled_from(["<b>", "</p>", "<p", "&lt;", '"><i', "-->", "{{1}", "{%", "{#", "'"])
NAME = MARKUP | st.text(max_size=4)  # long ones are also listed in full


class Page(HTMLParser):
    """Tags, attributes and visible text; complains about tags that do not match."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.tags, self.headings, self.texts, self.scripts = [], [], [], [], []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        names = [name for name, _ in attrs]
        assert len(set(names)) == len(names)
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)
        if re.fullmatch("h[1-6]", tag):
            self.headings.append(int(tag[1]))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, f"</{tag}>"

    def handle_data(self, data):
        if self.open and self.open[-1] in ("script", "style"):
            self.scripts.append(data)
        else:
            self.texts.append(data)

    @property
    def text(self):
        return " ".join(" ".join(self.texts).split())

    def all(self, tag):
        return [attrs for name, attrs in self.tags if name == tag]


def thresholds_of(n_groups=3):
    scores, y, a, _, labels = report_rows(n_groups)
    codes = [labels.index(label) for label in y]
    return optimize_thresholds(scores, codes, sensitive_features=a.tolist(), max_violation=0.05)


@pytest.fixture(scope="module")
def found():
    return audit_of()


@pytest.fixture(scope="module")
def cuts():
    return thresholds_of()


@pytest.fixture(scope="module")
def frontier():
    return made_up_frontier(["group 0", "group 1", "group 2"], ["poor", "fair", "good", "great"])


@pytest.fixture(scope="module")
def fitted():
    X, y, a = people(200)
    frontier = FairOrdinalFrontier(alpha=1e-3, ranker="reduction", cv=2)
    return frontier.fit(X, y, sensitive_features=a)


def sections(page):
    return [attrs["id"] for attrs in page.all("section") if "id" in attrs]


# What is in it


@pytest.mark.parametrize("with_audit", [True, False])
@pytest.mark.parametrize("with_cuts", [True, False])
@pytest.mark.parametrize("with_frontier", [True, False])
def test_any_part_may_be_missing(found, cuts, frontier, with_audit, with_cuts, with_frontier):
    given = {
        "audit": found if with_audit else None,
        "thresholds": cuts if with_cuts else None,
        "frontier": frontier if with_frontier else None,
    }
    if not any(given.values()):
        with pytest.raises(ValueError, match="give one of audit, thresholds and frontier"):
            report()
        return
    page = Page(report(**given).html)
    expected = ["disparities", "groups"] * with_audit + ["frontier"] * with_frontier
    expected += ["scores"] * (with_cuts or with_frontier) + ["done", "limits"]
    assert sections(page) == expected
    targets = {attrs["id"] for _, attrs in page.tags if "id" in attrs}
    assert {a["href"][1:] for a in page.all("a")} <= targets


def test_the_numbers_are_those_of_the_audit(found):
    text = Page(report(found).html).text
    for finding in found.findings:
        lower, upper = finding.violation_interval
        row = f"{finding.criterion.title} {number(finding.violation)} {number(lower)} to "
        assert row + number(upper) in text
    for row in found["demographic_parity"].rows():
        names = f"{row['group']} {row['other']} +{row['disparity']:.3f}"
        assert names in text
    columns = found.group_columns()
    for i, group in enumerate(found.table.groups):
        rest = number(columns["mean_cost"][i]), percent(columns["too_low"][i])
        assert f"{group} 120 33% {' '.join(rest)}" in text


def test_confusion_matrices_are_those_of_the_audit(found):
    text = Page(report(found).html).text
    for group in found.table.groups:
        lines = [
            f"{label} " + " ".join(f"{count:.0f}" for count in counts)
            for label, counts in zip(found.table.labels, found.confusion(group), strict=True)
        ]
        assert f"{group} true ↓ predicted → poor fair good great {' '.join(lines)}" in text


def test_the_numbers_are_those_of_the_thresholds(cuts):
    text = Page(report(thresholds=cuts).html).text
    frame = cuts.frame()
    for label in cuts.labels.tolist():
        rows = frame[frame["label"] == label]
        before, after = rows["up_to_before"].iloc[0], rows["up_to_after"].iloc[0]
        if np.isfinite(before) and np.isfinite(after):
            assert f"{label} {before:.4g} {after:.4g}".replace("-", "−") in text
    assert f"mean cost {number(cuts.state(cuts.cheapest).cost)} {number(cuts.cost)}" in text
    assert f"from {number(cuts.state(cuts.cheapest).violation)} to" in text


def test_cut_points_in_force_today_are_shown(cuts):
    page = Page(report(thresholds=cuts, before=[0.25, 1.25, 2.25]).html)
    assert "0.25" in page.text
    assert "cut points: before" in page.text
    assert "Moving the cut points changes" in page.text
    with pytest.raises(ValueError, match="before belongs to thresholds"):
        report(audit_of(), before=[1])


def test_cut_points_that_need_not_move_are_said_to_stay():
    scores, y, a, _, labels = report_rows()
    codes = [labels.index(label) for label in y]
    cheap = optimize_thresholds(scores, codes, sensitive_features=a.tolist(), max_violation=0.9)
    assert "The cut points of least cost are chosen" in verdict_of(report(thresholds=cheap))


def test_scores_of_many_groups_have_a_line_each():
    page = Page(report(thresholds=thresholds_of(5)).html)
    titles = [attrs for attrs in page.all("title") if attrs.get("id", "").startswith("density")]
    assert len(titles) == 5


def test_group_aware_thresholds_are_shown_for_each_group():
    scores, y, a, _, labels = report_rows(2)
    codes = [labels.index(label) for label in y]
    shared = optimize_thresholds(scores, codes, sensitive_features=a.tolist(), trade_off=0.0)
    result = replace(shared, thresholds=np.stack([shared.thresholds, shared.thresholds + 0.1]))
    text = Page(report(thresholds=result).html).text
    for cut in result.thresholds[np.isfinite(result.thresholds)]:
        assert f"{cut:.4g}".replace("-", "−") in text


def test_a_page_without_scripts_holds_all_models(frontier):
    text = Page(report(frontier=frontier, chosen=3).html).text
    for i, point in enumerate(frontier.points_):
        values = []
        for m in point.measured().values():
            values += [number(m.cost), "{:.3f} to {:.3f}".format(*m.cost_interval)]
            values += [number(m.violation), "{:.3f} to {:.3f}".format(*m.violation_interval)]
        assert f"{i} {' '.join(values)}" in text
    assert "Cut points and labels of model 3" in text


def data_of(page):
    (data,) = [
        text for text in Page(page.html).scripts if text.startswith("{") and '"points"' in text
    ]
    return json.loads(data)


def test_the_data_of_the_script_are_the_points(fitted):
    page = report(frontier=fitted, chosen=fitted.select(knee=True))
    data, frame = data_of(page), fitted.frame()
    assert len(data["points"]) == len(fitted.points_)
    for i, (label, measures, cuts, shares, *_) in enumerate(data["points"]):
        rows = frame[frame["model"] == i]
        assert [m[0] for m in measures] == [number(cost) for cost in rows["cost"]]
        assert [m[2] for m in measures] == [number(value) for value in rows["violation"]]
        assert label.startswith(f"Model {i}: ")
        model = fitted.model(i)
        finite = [f"{cut:.4g}".replace("-", "−") for cut in model.thresholds_ if np.isfinite(cut)]
        assert [text for text in cuts if "score" not in text] == finite
        share = model.result_.after.shares
        assert shares == [[percent(value) for value in row] for row in share]


def test_the_chosen_model_is_shown_first(fitted):
    model = fitted.select(knee=True)
    (place,) = [i for i, p in enumerate(fitted.points_) if p.result is model.result_]
    again = pickle.loads(pickle.dumps(model))
    for chosen in (model, again, place, np.int64(place)):
        assert data_of(report(frontier=fitted, chosen=chosen))["chosen"] == place
    assert data_of(report(frontier=fitted))["chosen"] == place


def test_models_by_number_are_those_of_select(fitted):
    model = fitted.select(knee=True)
    (place,) = [i for i, p in enumerate(fitted.points_) if p.result is model.result_]
    np.testing.assert_array_equal(fitted.model(place).coef_, model.coef_)
    with pytest.raises(ValueError, match=f"in 0..{len(fitted.points_) - 1}"):
        fitted.model(len(fitted.points_))


def test_one_model_is_not_called_models():
    frontier = made_up_frontier(["a", "b"], [0, 1, 2], 1)
    text = Page(report(frontier=frontier).html).text
    assert "One model: no other is cheaper or fairer. It is placed by" in text
    assert "1 models" not in text


def test_names_are_given_in_full_without_an_audit_too():
    names = ["a" * 100, "b" * 100]
    page = Page(report(frontier=made_up_frontier(names, ["low" * 20, "high"])).html)
    assert "; ".join(names) in page.text
    assert "low" * 20 + " < high" in page.text


# The verdict


def verdict_of(page):
    return re.search(r'class="sentence">(.*?)</p>', page.html)[1]


@pytest.mark.parametrize(
    ("limit", "words"),
    [
        (None, "chance alone does not explain"),
        (0.05, "clearly above the limit of 0.05"),
        (0.25, "above the limit of 0.25, though chance may explain it"),
        (0.4, "within the limit of 0.4, but more rows are needed"),
        (0.9, "clearly within the limit of 0.9"),
    ],
)
def test_the_verdict_says_how_large_how_sure_and_against_what(limit, words):
    y = [1, 2, 3, 4] * 60
    predicted = [1, 2, 3, 4] * 30 + [1, 1, 2, 3] * 30
    found = audit(y, predicted, sensitive_features=["a"] * 120 + ["b"] * 120)
    sentence = verdict_of(report(found, max_violation=limit))
    finding = found["demographic_parity"]
    assert words in sentence
    assert number(finding.violation) in sentence
    assert "{:.3f} to {:.3f}".format(*finding.violation_interval) in sentence
    assert "“a” is placed above “b”" in sentence


def test_no_violation_may_be_chance_and_nothing_is_undefined():
    y = [1, 2, 3, 4] * 5
    found = audit(y, y, sensitive_features=list("ab") * 10)
    assert "which may be chance" in verdict_of(report(found))


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
def test_what_is_undefined_is_said():
    found = audit(
        [1, 1, 1, 1], [1, 2, 1, 2], sensitive_features=list("aabb"), labels=[1, 2],
        criteria=["equal_opportunity"],
    )  # fmt: skip
    page = report(found)
    assert "is undefined on these rows" in verdict_of(page)
    assert 'undefined<span class="note">nothing to compare' in page.html
    assert '<div class="track"' not in page.html
    assert "undefined here." in Page(page.html).text


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
def test_undefined_pairs_are_counted_and_hatched():
    found = audit(
        [1, 2, 1, 2, 1, 1], [1, 2, 2, 1, 1, 2], sensitive_features=list("aabbcc"),
        criteria=["equal_opportunity"],
    )  # fmt: skip
    page = Page(report(found).html)
    undefined = int(np.isnan(found["equal_opportunity"].disparities[0]).sum()) // 2
    assert undefined > 0
    assert f"{undefined} comparisons of groups are undefined" in page.text
    assert "is undefined on these rows" not in page.text
    assert len([td for td in page.all("td") if td.get("class") == "undefined"]) == 2 * undefined


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
def test_groups_that_cannot_be_compared_are_not_within_the_limit():
    y, groups = [1, 2] * 100 + [1, 1], ["a", "a", "b", "b"] * 50 + ["c", "c"]
    found = audit(y, y, sensitive_features=groups, criteria=["equal_opportunity"])
    page = report(found, max_violation=0.5)
    assert 'class="card good' not in page.html
    assert "clearly within the limit of 0.5 where groups can be compared." in verdict_of(page)
    assert 'class="card good' in report(audit(y[:200], y[:200], sensitive_features=groups[:200]),
                                        max_violation=0.5).html  # fmt: skip


def test_the_clearest_pair_is_named_if_the_worst_may_be_chance():
    y = [1, 2] * 302
    predicted = [1, 1, 1, 2, 1, 2] * 50 + [1, 2] * 150 + [2, 2, 1, 2]
    found = audit(y, predicted, sensitive_features=["a"] * 300 + ["b"] * 300 + ["c"] * 4)
    assert found["demographic_parity"].worst_is_doubtful
    text = Page(report(found).html).text
    assert "This pair has too few rows for a conclusion; the clearest pair is “b” and “a”" in text


def test_the_criterion_of_the_verdict_can_be_named_and_follows_the_frontier(found):
    assert "pairwise equal opportunity" in verdict_of(report(found, criterion="equal_opportunity"))
    frontier = made_up_frontier(["a", "b"], [0, 1, 2])
    frontier.criterion_ = found["equalized_odds"].criterion
    assert "pairwise equalized odds" in verdict_of(report(found, frontier=frontier))


def test_harm_is_not_called_favour_and_not_counted_in_pairs(found):
    text = Page(report(found, criterion="harm_parity").html).text
    assert "“people” is the number that the first value is based on" in text
    assert "is harmed more than" in text
    assert "harmed more than disparity" in text


@pytest.mark.parametrize(
    ("criterion", "words"),
    [
        ("harm_parity", "“b” is harmed more than “a”, 0.500 against 0.000"),
        ("conditional_demographic_parity", "“a” is favoured over “b”, 0.500 against 0.000"),
        ("equalized_odds", "“a” is favoured over “b”, 1.000 against 0.000"),
        ("standard_demographic_parity", "“b” has f=0 (f predicted, y true) more often than “a”"),
    ],
)
def test_the_verdict_of_two_labels_does_not_call_harm_or_a_low_label_better(criterion, words):
    y, predicted = [0, 1] * 60, [0, 1] * 30 + [0, 0] * 30
    groups = ["a"] * 60 + ["b"] * 60
    found = audit(y, predicted, sensitive_features=groups, criteria=[criterion])
    assert words in verdict_of(report(found))


def test_nothing_is_neither_more_nor_less():
    assert [signed(x) for x in (0.0, -0.0004, 0.0004, -0.0006)] == ["0.000"] * 3 + ["−0.001"]
    assert signed(-0.004, 2) == "0.00"
    assert interval_text(-0.0004, 0.1) == "0.000 to 0.100"


def test_counts_beyond_counting_are_powers_of_ten():
    assert count_text(123_456_789) == "123,456,789"
    assert count_text(89_658_537_948_801) == "8.97 × 10¹³"


def test_scores_can_be_audited():
    scores, y, a, _, labels = report_rows()
    found = audit(y.tolist(), scores, sensitive_features=a.tolist(), labels=labels)
    page = Page(report(found).html)
    assert "Predictions are scores" in page.text
    assert "Confusion" not in page.text


# What users bring is text


def test_hostile_names_are_text():
    page = hostile_report()
    parsed = Page(page.html)
    assert len(parsed.all("script")) == 2
    assert not parsed.all("img")
    assert not [attrs for _, attrs in parsed.tags if any(name.startswith("on") for name in attrs)]
    for name in HOSTILE[:6]:
        assert " ".join(visible_name(name).split()) in parsed.text
    for letter in "\u2028\u2029\u202e\x00\x1b\ud800":
        assert letter not in page.html
    assert "{{7*7}}" in parsed.text


def test_models_come_back_as_they_were_given():
    models = [f"</script>\u2028 & <!-- {i}\r\n\x00é😀" for i in range(12)]
    frontier = made_up_frontier(["a", "b"], [0, 1, 2])
    assert data_of(report(frontier=frontier, models=models))["models"] == models


def test_a_model_too_large_for_the_page_does_not_keep_out_small_ones():
    models = ["{}", "x" * 2_000_000, "{}", "{}"]
    frontier = made_up_frontier(["a", "b"], [0, 1, 2], 4)
    kept = data_of(report(frontier=frontier, chosen=0, models=models))["models"]
    assert kept == ["{}", None, "{}", "{}"]


@settings(max_examples=30)
@given(st.lists(NAME, min_size=2, max_size=3, unique=True), st.text(max_size=20))
def test_any_names_make_a_valid_page(names, title):
    y = [1, 2, 3] * len(names)
    groups = np.repeat(np.array(names, dtype=object), 3)
    try:
        found = audit(y, y, sensitive_features=groups.tolist())
    except ValueError:  # a name that means "missing"
        return
    page = Page(report(found, title=title, date=DAY).html)
    plain = Page(report(audit(y, y, sensitive_features=np.repeat(range(len(names)), 3))).html)
    assert [tag for tag, _ in page.tags] == [tag for tag, _ in plain.tags]


@given(st.recursive(st.text() | st.none() | st.integers(), lambda x: st.lists(x, max_size=3)))
def test_json_in_a_script_cannot_end_it(data):
    text = as_json(data)
    assert json.loads(text) == data
    assert not re.search("[<>&\u2028\u2029]", text)


@given(st.lists(st.text(max_size=60), min_size=1, max_size=6, unique=True))
def test_names_stay_distinct(names):
    views = display_names(names, 12)
    assert len({view.whole for view in views}) == len(names)
    assert len({view.short for view in views}) == len(names)


# One file


def test_nothing_is_loaded_and_the_policy_knows_the_script(found, frontier):
    text = report(found, frontier=frontier).html
    page = Page(text)
    assert "http:" not in text
    assert "https:" not in text
    assert {attrs["href"] for attrs in page.all("link")} == {"data:,"}
    assert not [attrs for _, attrs in page.tags if "src" in attrs]
    (policy,) = [m["content"] for m in page.all("meta") if "http-equiv" in m]
    assert policy.startswith("default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-")
    assert "img-src data:" in policy


def test_headings_tables_and_landmarks(found, cuts, frontier):
    page = Page(report(found, thresholds=cuts, frontier=frontier).html)
    assert page.headings[0] == 1
    assert page.headings.count(1) == 1
    steps = np.diff(page.headings)
    assert steps.max() <= 1
    assert len(page.all("caption")) == len(page.all("table"))
    assert all(attrs.get("scope") in ("row", "col") for attrs in page.all("th"))
    for landmark in ("header", "main", "nav", "footer"):
        assert len(page.all(landmark)) == 1
    assert page.all("html")[0]["lang"] == "en"
    ids = [attrs["id"] for _, attrs in page.tags if "id" in attrs]
    assert len(set(ids)) == len(ids)
    for attrs in page.all("svg"):
        named = attrs.get("aria-labelledby", "").split()
        assert attrs.get("aria-hidden") == "true" or (named and {*named} <= {*ids}) or not named


@pytest.mark.parametrize("long", [False, True])
def test_a_page_of_40_groups_9_labels_and_60_models_is_below_a_megabyte(long):
    tail = " of a long name" * 20 if long else ""
    groups = [f"group {i}{tail}" for i in range(40)]
    labels = [f"label {i}{tail[:200]}" for i in range(9)]
    scores, y, a = scored_rows(groups, labels)
    frontier = made_up_frontier(groups, labels, 60)
    predicted = np.array(labels, dtype=object)[scores.round().clip(0, 8).astype(int)]
    found = audit(y.tolist(), predicted.tolist(), sensitive_features=a.tolist(), labels=labels)
    models = [json.dumps({"coef": [i + j / 7 for j in range(500)]}) for i in range(60)]
    page = report(found, frontier=frontier, chosen=30, models=models)
    assert len(page.html.encode()) < 1_000_000
    kept = data_of(page)["models"]
    assert kept[30] == models[30]
    assert None in kept
    assert "760 more pairs" in page.html


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
def test_a_page_of_150_groups_is_below_a_megabyte():
    groups = [f"group {i}" for i in range(150)]
    scores, y, a = scored_rows(groups, [0, 1, 2])
    found = audit(
        y.tolist(), scores.round().clip(0, 2).astype(int), sensitive_features=a.tolist(),
        labels=[0, 1, 2], criteria=["demographic_parity", "harm_parity"],
    )  # fmt: skip
    frontier = made_up_frontier(groups, [0, 1, 2], 60)
    page = report(found, frontier=frontier)
    assert len(page.html.encode()) < 1_000_000
    assert "90 more groups are left out here" in page.html


def test_pages_are_the_same_every_time(found, frontier):
    given = {"frontier": frontier, "date": DAY, "data": {"Source": "made up"}}
    page = report(found, **given)
    assert page.html == report(found, **given).html
    assert "2026-01-02" in page.html


def test_saving_is_whole_or_not_at_all(found, tmp_path, monkeypatch):
    page = report(found, title="Grüße")
    path = page.save(tmp_path / "report.html")
    assert path.read_bytes().decode("utf-8") == page.html
    mask = stat.S_IMODE(path.stat().st_mode)
    (tmp_path / "plain").touch()
    assert mask == stat.S_IMODE((tmp_path / "plain").stat().st_mode)
    monkeypatch.setattr("os.replace", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        Report("other", "other").save(path)
    assert path.read_text(encoding="utf-8") == page.html
    assert sorted(p.name for p in tmp_path.iterdir()) == ["plain", "report.html"]
    with pytest.raises(FileNotFoundError, match="is no folder; make it"):
        page.save(tmp_path / "nowhere" / "report.html")


def test_a_notebook_shows_the_page_in_a_sandbox(found):
    page = report(found, title='"x"')
    frame = Page(page._repr_html_())
    ((_, attrs),) = frame.tags
    assert attrs["srcdoc"] == page.html
    assert "allow-same-origin" not in attrs["sandbox"]
    assert repr(page).startswith("<Report '\"x\"', ")


# Two models


def test_two_predictors_are_compared_with_paired_intervals():
    _, y, a, predicted, labels = report_rows()
    other = np.roll(predicted, 1)
    page = report_compare(
        predicted.tolist(), other.tolist(), y=y.tolist(), sensitive_features=a.tolist(),
        labels=labels, names=("<b>now</b>", "then"), max_violation=0.1, date=DAY,
    )  # fmt: skip
    frame = compare(
        {"a": predicted.tolist(), "b": other.tolist()}, None, y.tolist(),
        sensitive_features=a.tolist(), labels=labels,
    ).frame()  # fmt: skip
    text = Page(page.html).text
    row = frame.iloc[1]
    ends = [row[f"cost_difference{end}"] for end in ("", "_lower", "_upper")]
    shown = [f"{value:+.3f}".replace("-", "−") for value in ends]
    assert f"{shown[0]}* {shown[1]} to {shown[2]}" in text
    assert "From “<b>now</b>” to “then”, the violation of pairwise demographic parity " in text
    rises = "rises" if row["cost_difference"] > 0 else "falls"
    assert f"mean cost {rises} by {abs(row['cost_difference']):.3f} (chance does not" in text


def test_fitted_models_are_compared(fitted):
    X, y, a = people(200, seed=3)
    first, last = fitted.model(0), fitted.model(len(fitted.points_) - 1)
    text = Page(report_compare(first, last, X, y, sensitive_features=a).html).text
    assert f"mean cost {number(np.abs(first.predict(X) - y).mean())} (" in text
    with pytest.raises(ValueError, match="X is missing"):
        report_compare(first, last, y=y, sensitive_features=a)


def test_both_halves_of_a_comparison_have_the_same_scale():
    _, y, a, predicted, labels = report_rows()
    codes = np.array([labels.index(label) for label in predicted])
    lowered = np.array(labels)[np.where(a == "group 0", np.maximum(codes - 1, 0), codes)]
    page = report_compare(
        lowered.tolist(), predicted.tolist(), y=y.tolist(), sensitive_features=a.tolist(),
        labels=labels, names=("harsh", "now"), max_violation=0.3,
    )  # fmt: skip
    for mark in (
        '"tick" style="left:(.+?)">(.+?)<',
        '"zero" style="(.+?)"',
        '"limit" style="(.+?)"',
    ):
        found = re.findall(f"class={mark}", page.html)
        half = len(found) // 2
        assert half > 0
        assert found[:half] == found[half:]
    cells = re.findall(r'<td(?: class="(?:more|less)(\d)")?>([+−]0\.\d+)', page.html)
    values = np.array([float(text[1:]) for _, text in cells])
    strengths = [int(shade or 0) for shade, _ in cells]
    assert len(values) == 12
    assert values.max() > 0.25
    assert strengths == np.ceil(5 * values / values.max() - 0.5).tolist()


@pytest.mark.parametrize("named", [False, True])
def test_all_models_that_can_be_compared_can_be_reported(named):
    X, y, a = people(200)
    labels = np.array(["low", "fair", "good", "best"] if named else [0, 1, 2, 3])
    order = {"labels": labels.tolist()} if named else {}
    told = WassersteinFairClassifier(Ridge(), **order)  # its predict takes the groups
    blind = FairThresholdClassifier(Ridge(), max_violation=0.2, **order)
    models = {"a": told, "b": blind}
    for model in models.values():
        model.fit(X, labels[y], sensitive_features=a)
    text = Page(report_compare(told, blind, X, labels[y], sensitive_features=a).html).text
    frame = compare(models, X, labels[y], sensitive_features=a).frame()
    for key in ("cost", "violation"):
        value, lower, upper = frame.loc[0, [key, f"{key}_lower", f"{key}_upper"]]
        assert f"{number(value)} ({number(lower)} to {number(upper)})" in text
    with pytest.warns(UserWarning, match="X and sensitive_features have indexes"):
        report_compare(
            told, blind, pd.DataFrame(X), labels[y], sensitive_features=pd.Series(a)[::-1]
        )


def test_two_audits_are_set_side_by_side_without_intervals(found):
    _, y, a, predicted, labels = report_rows()
    other = audit(
        y.tolist(), np.roll(predicted, 1).tolist(), sensitive_features=a.tolist(), labels=labels
    )
    text = Page(report_compare(found, other).html).text
    assert "intervals of the differences need models or predictions" in text
    assert number(other["demographic_parity"].violation) in text
    with pytest.raises(ValueError, match="audits of the same rows"):
        report_compare(found, audit_of(2))
    with pytest.raises(TypeError, match="two audits, or two models"):
        report_compare(found, predicted.tolist(), y=y, sensitive_features=a)
    with pytest.raises(ValueError, match="pass y and sensitive_features"):
        report_compare([1], [2])
    with pytest.raises(ValueError, match="names must be two names"):
        report_compare(found, other, names="ab")
    with pytest.raises(ValueError, match="criterion must be audited in a"):
        report_compare(found, other, criterion="standard_equal_opportunity")


def test_audits_of_scores_are_compared_without_costs_and_confusion():
    scores, y, a, _, labels = report_rows()
    first, second = (
        audit(y.tolist(), values, sensitive_features=a.tolist(), labels=labels)
        for values in (scores, scores - 0.5)
    )
    text = Page(report_compare(first, second).html).text
    assert "the violation of pairwise demographic parity stays the same." in text
    assert "Predictions are scores" in text
    assert "mean cost" not in text
    assert "Labels and confusion" not in text


# Errors say what to do


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ({"audit": [1, 2]}, TypeError, "audit must be an Audit, got list"),
        ({"thresholds": 1}, TypeError, "thresholds must be a ThresholdResult, got int"),
        ({"frontier": "x"}, TypeError, "frontier must be a FairOrdinalFrontier, got str"),
        ({"frontier": FairOrdinalFrontier()}, Exception, "not fitted yet"),
        ({"chosen": 1}, ValueError, "chosen= needs frontier="),
        ({"models": ["{}"]}, ValueError, "models= needs frontier="),
        ({"data": "text"}, TypeError, "data must be a mapping"),
        ({"settings": [1]}, TypeError, "settings must be a mapping"),
        ({"criterion": "kindness"}, ValueError, "criterion must be one of .*, as audited"),
        ({"max_violation": -1}, ValueError, "max_violation must be a number of at least 0"),
    ],
)
def test_errors_say_what_to_do(found, given, error, words):
    with pytest.raises(error, match=words):
        report(**({"audit": found} | given))


def test_errors_about_the_frontier(frontier, fitted):
    with pytest.raises(ValueError, match=r"a sequence of 12 texts, .* got 1"):
        report(frontier=frontier, models=["{}"])
    with pytest.raises(ValueError, match="a sequence of 12 texts"):
        report(frontier=frontier, models="{}")
    with pytest.raises(TypeError, match=r"models\[0\] must be text, got dict"):
        report(frontier=frontier, models=[{}] * 12)
    for chosen in (99, -1, "best", fitted.model(0)):
        with pytest.raises(ValueError, match="from 0 to 11, or a model of this frontier's select"):
            report(frontier=frontier, chosen=chosen)
    with pytest.raises(ValueError, match="criterion names a criterion of an audit"):
        report(frontier=frontier, criterion="demographic_parity")


def test_without_jinja2_it_says_what_to_install():
    code = (
        "import sys; sys.modules['jinja2'] = None\n"
        "from fairordinal import audit\nfrom fairordinal.report import report\n"
        "try: report(audit([1, 2, 1, 2], [1, 2, 1, 2], sensitive_features=list('aabb')))\n"
        "except ImportError as error: assert 'pip install fairordinal[report]' in str(error)\n"
        "else: raise AssertionError\n"
        "assert 'matplotlib' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


# Axes


@given(st.floats(-1e6, 1e6), st.floats(1e-6, 1e6))
def test_ticks_are_few_and_in_place(low, length):
    axis = Axis(low, low + length)
    ticks = axis.ticks()
    assert len(ticks) <= 7
    assert all(0 <= tick.at <= 100 for tick in ticks)
    assert axis.at(low) == 0
    assert axis.at(low + length) == 100


def test_an_axis_holds_its_values_and_has_a_length():
    axis = axis_around([1.0, 3.0, float("nan"), float("inf")])
    assert axis.low < 1 < 3 < axis.high
    assert axis_around([2.0]).high > 2 > axis_around([2.0]).low
    assert [tick.text for tick in Axis(-0.3, 0.3).ticks()][:3] == ["−0.3", "−0.2", "−0.1"]


def test_the_wheel_holds_the_templates(tmp_path):
    pytest.importorskip("hatchling")
    root = Path(__file__).resolve().parents[1]
    build = f"import hatchling.build as b; b.build_wheel({str(tmp_path)!r})"
    subprocess.run([sys.executable, "-c", build], check=True, cwd=root, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    templates = {path.name for path in (root / "src/fairordinal/report/templates").iterdir()}
    assert {f"fairordinal/report/templates/{name}" for name in templates} <= {*names}
