"""The report as text: what it says, what it escapes, how large it is, and what may be missing."""

import base64
import datetime
import json
import pickle
import re
import stat
import subprocess
import sys
import zlib
from dataclasses import replace
from html.parser import HTMLParser

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
    audit_counts,
    compare,
    optimize_thresholds,
)
from fairordinal._render import number, percent, percents
from fairordinal.baselines import WassersteinFairClassifier
from fairordinal.frontier import farthest_from_chord, price_of_fairness
from fairordinal.report import Report, report, report_compare
from fairordinal.report._numbers import (
    Axis,
    axis_around,
    count_text,
    interval_text,
    score_texts,
    signed,
)
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
    expected = ["frontier", "compared"] * with_frontier
    expected += ["disparities", "groups"] * (with_audit or with_frontier)
    expected += ["scores"] * (with_cuts or with_frontier) + ["done", "limits"]
    assert sections(page) == expected + ["technical"] * with_frontier
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


@pytest.mark.parametrize(
    ("cuts", "words"),
    [
        ([-np.inf, 1.5, np.inf, np.inf], ["no score", "1.5", "any score", "no score"]),
        ([0.5, 0.5, 2.0, np.inf], ["0.5", "no score", "2", "any score"]),
        ([np.inf] * 4, ["any score", "no score", "no score", "no score"]),
    ],
)
def test_labels_that_are_never_given_have_no_score(cuts, words):
    assert score_texts(cuts) == words


def test_a_page_says_no_score_for_labels_that_are_never_given(cuts):
    never = replace(cuts, thresholds=np.array([-1.0, 0.5, np.inf]))
    page = Page(report(thresholds=never).html)
    assert "Never predicted: 3." in page.text
    assert re.search(r"2 \S+ any score 3 any score no score", page.text)


def test_small_shares_are_not_zero_percent():
    a = ["rare"] * 2 + ["usual"] * 498
    found = audit([1, 2] * 250, [1, 2] * 250, sensitive_features=a)
    assert "rare too small 2 0.4% 0.000" in Page(report(found).html).text
    assert "usual 498 99.6% 0.000" in Page(report(found).html).text


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@pytest.mark.parametrize(("n_groups", "listed"), [(8, False), (9, True), (12, True)])
def test_criteria_whose_matrix_is_not_printed_list_their_pairs(n_groups, listed):
    html = report(audit_of(n_groups)).html
    (odds,) = re.findall(r"Pairwise equalized odds, pair by pair.*?</details>", html, re.DOTALL)
    assert ("too wide for paper" in odds) is listed
    assert ("Disparities of pairwise equalized odds, the largest first" in odds) is listed
    assert ("the list of pairs holds the largest of its numbers" in odds) is listed
    main = html[: html.index("Other criteria of fairness")]
    assert ("the list of pairs holds its numbers" in main) is listed


def test_intervals_that_are_longer_than_the_chart_are_said_to_be_cut_off():
    frontier = made_up_frontier(["a", "b"], [0, 1, 2])
    frontier.points_ = [with_interval(point, 0.0) for point in frontier.points_]
    words = "95% intervals (cut off at the edges of the chart)"
    assert words not in report(frontier=frontier).html
    frontier.points_[3] = with_interval(frontier.points_[3], 1.0)
    assert words in report(frontier=frontier).html


def with_interval(point, reach):
    """A point whose violation has this interval on each side, and whose cost has none."""
    expected = point.expected
    ends = (expected.violation - reach, expected.violation + reach)
    costs = (expected.cost, expected.cost)
    values = expected._replace(violation_interval=ends, cost_interval=costs)
    return replace(point, expected=values)


def test_survey_weights_are_in_the_table_of_groups():
    y, a = [1, 2, 3, 4] * 30, list("aab") * 40
    weight = [2.5] * 60 + [1.0] * 60
    found = audit(y, y, sensitive_features=a, sample_weight=weight, weights="survey")
    text = Page(report(found).html).text
    assert "group rows weight share" in text
    columns = found.group_columns()
    for name, rows, total in zip("ab", columns["rows"], columns["weight"], strict=True):
        assert f"{name} {rows:g} {total:g}" in text
    assert "Sum of weights 210" in text
    assert "group rows share" in Page(report(audit_of()).html).text


def test_a_range_whose_ends_look_equal_is_not_called_empty():
    frontier = made_up_frontier(["a", "b"], [0, 1, 2])
    frontier.holes_ = [(0.0791, 0.0794), (0.1, 0.2)]
    text = Page(report(frontier=frontier).html).text
    assert "between 0.100 and 0.200" in text
    assert "0.079" not in text
    frontier.max_time = 1.0
    assert "0.079" not in str(frontier)
    assert "between 0.100 and 0.200" in str(frontier)


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
    assert "Audit of the held-out predictions of model 3" in text
    assert "Held-out scores of the training rows, by model 3" in text


def data_of(page):
    (data,) = [
        text for text in Page(page.html).scripts if text.startswith("{") and '"points"' in text
    ]
    return json.loads(data)


def test_the_data_of_the_script_are_the_points(fitted):
    page = report(frontier=fitted, chosen=fitted.select(knee=True))
    data, frame = data_of(page), fitted.frame()
    assert len(data["points"]) == len(fitted.points_)
    for i, (label, measures, facts, *_) in enumerate(data["points"]):
        rows = frame[frame["model"] == i]
        assert [m[0] for m in measures] == [number(cost) for cost in rows["cost"]]
        assert [m[2] for m in measures] == [number(value) for value in rows["violation"]]
        assert label.startswith(f"Model {i}: ")
        assert facts[0] == f"{rows['n_labels'].iloc[0]} of 4"


def parts_of(page):
    """The HTML of each part of a page that follows the picked point."""
    tail = "(?=</section>\n<section|</div>(?:<div data-part|\n<section|<section))"
    return dict(re.findall(rf'data-part="(\w+)">\n?(.*?){tail}', page.html, re.S))


def unpacked(text):
    return json.loads(zlib.decompress(base64.b64decode(text)))


def test_the_parts_of_a_picked_model_are_those_of_its_own_page(fitted):
    details = data_of(report(frontier=fitted, max_violation=0.1))["details"]
    assert len(details) == len(fitted.points_)
    for i, packed in enumerate(details):
        own = parts_of(report(frontier=fitted, chosen=i, max_violation=0.1))
        assert sorted(own) == ["compared", "disparities", "groups", "scores", "verdict"]
        assert {name: html.strip() for name, html in unpacked(packed).items()} == {
            name: html.strip() for name, html in own.items()
        }


def test_the_chosen_model_is_audited_by_its_held_out_predictions(fitted):
    """Counts of the cross-fitted predictions, audited by another door."""
    text = Page(report(frontier=fitted, chosen=1).html).text
    table = fitted.points_[1].candidate.table
    group, label, predicted = np.nonzero(table.cube)
    found = audit_counts(
        {"count": table.cube[group, label, predicted], "group": table.groups[group],
         "true": table.labels[label], "predicted": table.labels[predicted]},
        y_true="true", y_pred="predicted", sensitive_features="group", count="count",
    )  # fmt: skip
    for finding in found.findings:
        lower, upper = finding.violation_interval
        values = f"{number(finding.violation)} {number(lower)} to {number(upper)}"
        assert f"{finding.criterion.title} {values}" in text
    for i, group in enumerate(found.table.groups):
        columns = found.group_columns()
        rest = number(columns["mean_cost"][i]), percent(columns["too_low"][i])
        assert re.search(rf"{group} \d+ \d+% {' '.join(rest)}", text)


def test_the_chosen_model_is_compared_with_the_most_accurate_one(fitted):
    last = len(fitted.points_) - 1
    best, own = (fitted.points_[i] for i in (last, 1))
    page = report(frontier=fitted, chosen=1)
    text = Page(page.html).text
    cost = f"{own.expected.cost - best.expected.cost:+.3f}".replace("-", "−")
    assert f"mean cost {number(best.expected.cost)} {number(own.expected.cost)} {cost}" in text
    violations = f"{number(best.expected.violation)} {number(own.expected.violation)} "
    assert f"violation of pairwise demographic parity {violations}" in text
    before, after = (
        point.candidate.table.cube.sum(axis=1) / point.candidate.table.group_totals[:, None]
        for point in (best, own)
    )
    for group, old, new in zip(own.table.groups, before, after, strict=True):
        pairs = zip(old, new, strict=True)
        shares = " ".join(f"{percent(b)} → {percent(a)}" for b, a in pairs)
        assert f"{group} {shares}" in text
    sentence = price_of_fairness(fitted, 1)
    assert sentence[1:] in text
    assert "least cost" not in text
    alone = Page(report(frontier=fitted, chosen=last).html).text
    assert f"Model {last} is the most accurate one" in alone
    assert price_of_fairness(fitted, last) in alone


def test_a_given_audit_and_given_cut_points_do_not_follow_the_picked_point(fitted, found, cuts):
    page = report(found, thresholds=cuts, frontier=fitted)
    assert {*unpacked(data_of(page)["details"][0])} == {"verdict", "compared"}
    assert "Audit of the given predictions, not of a model" in Page(page.html).text
    assert "least cost" in Page(page.html).text


def test_details_without_room_are_left_out_the_nearest_are_kept(fitted, monkeypatch):
    monkeypatch.setattr("fairordinal.report._report.LARGEST", 90_000)
    details = data_of(report(frontier=fitted, chosen=0))["details"]
    assert details[0] is not None
    kept = [text is not None for text in details]
    assert kept == sorted(kept, reverse=True)
    assert not all(kept)


def test_technical_settings_are_an_appendix_without_names_of_arguments(fitted):
    page = Page(report(frontier=fitted).html)
    assert sections(page)[-1] == "technical"
    appendix = page.text.split("Appendix: technical settings")[-1]
    assert "Cross-validation, folds 2" in appendix
    assert "Limit in training" in appendix
    for name in ("max_iter", "random_state", "n_jobs", "cost_matrix"):
        assert name not in page.text


def test_the_chosen_model_is_shown_first(fitted):
    model = fitted.select(knee=True)
    (place,) = [i for i, p in enumerate(fitted.points_) if p.result is model.result_]
    again = pickle.loads(pickle.dumps(model))
    for chosen in (model, again, place, np.int64(place)):
        assert data_of(report(frontier=fitted, chosen=chosen))["chosen"] == place
    assert data_of(report(frontier=fitted))["chosen"] == place


def test_without_a_choice_the_model_within_the_limit_is_shown():
    frontier = made_up_frontier(["a", "b"], [0, 1, 2])
    violations = [point.expected.violation for point in frontier.points_]
    limit = (violations[4] + violations[5]) / 2
    assert "<h3>Model 4" in page_of_model(frontier, max_violation=limit)
    assert "<h3>Model 0" in page_of_model(frontier, max_violation=0.0)
    knee = farthest_from_chord(
        np.array(violations), np.array([point.expected.cost for point in frontier.points_])
    )
    assert f"<h3>Model {knee}" in page_of_model(frontier)


def page_of_model(frontier, **options):
    html = report(frontier=frontier, **options).html
    return re.sub(r'<h3><span class="model-name capital">m', "<h3>M", html)


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
    predicted = [1, 2, 3, 4] * 4 + [1, 2, 4, 4]
    found = audit(y, predicted, sensitive_features=list("ab") * 10)
    assert "which may be chance" in verdict_of(report(found))


def test_no_difference_is_not_called_chance():
    y = [1, 2, 3, 4] * 5
    found = audit(y, [2] * 20, sensitive_features=list("ab") * 10)
    sentence = verdict_of(report(found))
    assert sentence.startswith("No difference was found between groups: the violation")
    assert "chance" not in sentence


def test_two_shares_that_differ_do_not_look_equal():
    y, a = [0, 1] * 500, ["a"] * 500 + ["b"] * 500
    predicted = [0, 1] * 250 + [0, 1] * 249 + [0, 0]
    found = audit(y, predicted, sensitive_features=a)
    words = "“a” is placed above “b” in 25.1% of pairs and below in 24.9%"
    assert words in verdict_of(report(found))
    assert "'a' is predicted above 'b' in 25.1% and below in 24.9%" in " ".join(str(found).split())
    assert percents(0.25, 0.25) == ("25%", "25%")
    assert percents(0.25, 0.75) == ("25%", "75%")
    assert percents(0.0001, 0.0002) == ("<0.1%", "<0.1%")


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


def audit_with_a_tiny_group(**options):
    y = [1, 2] * 302
    predicted = [1, 1, 1, 2, 1, 2] * 50 + [1, 2] * 150 + [2, 2, 1, 2]
    return audit(y, predicted, sensitive_features=["a"] * 300 + ["b"] * 300 + ["c"] * 4, **options)


def test_the_clearest_pair_leads_if_the_worst_may_be_chance():
    found = audit_with_a_tiny_group()
    finding = found["demographic_parity"]
    assert finding.worst_is_doubtful
    page = report(found)
    low, high = finding.lower[finding.headline], finding.upper[finding.headline]
    assert verdict_of(page) == (
        "“b” is placed above “a” in 33% of pairs and below in 17%: their disparity is 0.167 "
        f"(95% interval {low:.3f} to {high:.3f}), which chance alone does not explain."
    )
    text = Page(page.html).text
    assert "The largest disparity is 0.417 (" in text
    assert "of “c” and “a”. That pair is too small for a conclusion; the sentence above" in text
    assert "pairwise demographic parity 0.417" in text
    assert "yes b > a *" in text
    assert "* The pair with the largest disparity has too few rows, so another one" in text


def test_a_limit_is_compared_with_the_violation_of_all_groups():
    sentence = verdict_of(report(audit_with_a_tiny_group(), max_violation=0.3))
    assert sentence.startswith("“b” is placed above “a” in 33% of pairs and below in 17%. All ")
    assert "the violation of pairwise demographic parity is 0.417 (95%" in sentence
    assert sentence.endswith("above the limit of 0.3, though chance may explain it.")


def test_groups_that_are_too_small_are_marked_and_listed_last():
    found = audit_with_a_tiny_group()
    assert found["demographic_parity"].too_small.tolist() == [False, False, True]
    text = Page(report(found).html).text
    assert "c too small 4 1%" in text
    assert "too small for a conclusion by pairwise demographic parity. Compared with" in text
    caption = "Disparities of pairwise demographic parity, the largest first; pairs with groups"
    assert text.index(caption) < text.index("b a +0.167") < text.index("c a +0.417")
    large = Page(report(audit_of()).html).text
    assert "too small" not in large
    assert "* The pair" not in large


def test_the_criterion_of_the_verdict_can_be_named_and_follows_the_frontier(found):
    assert "pairwise equal opportunity" in verdict_of(report(found, criterion="equal_opportunity"))
    frontier = made_up_frontier(["a", "b"], [0, 1, 2])
    frontier.criterion_ = found["equalized_odds"].criterion
    assert "pairwise equalized odds" in verdict_of(report(found, frontier=frontier))


@pytest.mark.parametrize("higher_is", ["better", "worse"])
def test_harm_is_not_called_favour_and_not_counted_in_pairs(higher_is):
    found = audit_of(higher_is=higher_is)
    text = Page(report(found, criterion="harm_parity").html).text
    assert "the two mean harms, and the number of people behind the first" in text
    assert "is harmed more than" in text
    assert "harmed more than disparity" in text
    side = {"better": "low", "worse": "high"}[higher_is]
    assert f"Does being rated too {side} cost both groups the same" in text
    assert f"Higher labels are {higher_is} for people" in text


@pytest.mark.parametrize(
    ("criterion", "higher_is", "words"),
    [
        ("harm_parity", "better", "“b” is harmed more than “a”, 0.500 against 0.000"),
        ("harm_parity", "worse", "No difference was found between groups"),
        ("harm_parity", None, "Being rated too low costs “b” more than “a”, 0.500 against 0.000"),
        ("equalized_odds", "better", "“a” is favoured over “b”, 1.000 against 0.000"),
        ("equalized_odds", "worse", "“a” is disadvantaged compared with “b”, 1.000 against 0.000"),
        ("equalized_odds", None, "“a” is placed higher than “b”, 1.000 against 0.000"),
        ("demographic_parity", None, "“a” is placed above “b” in 50% of pairs"),
        ("demographic_parity", "worse", "“a” is placed above “b” (higher is worse) in 50% of"),
        ("standard_demographic_parity", "better", "“b” has f=0 (f predicted, y true) more often"),
    ],
)
def test_the_verdict_calls_a_side_good_only_if_it_is_known(criterion, higher_is, words):
    y, predicted = [0, 1] * 60, [0, 1] * 30 + [0, 0] * 30
    found = audit(y, predicted, sensitive_features=["a"] * 60 + ["b"] * 60, criteria=[criterion],
                  higher_is=higher_is)  # fmt: skip
    assert words in verdict_of(report(found))


def test_a_page_without_a_direction_takes_no_side(found):
    text = Page(report(found, criterion="harm_parity").html).text
    assert "Last columns: the two mean costs, and the number of people behind the first" in text
    text = Page(report(found).html).text
    assert not re.search("favour|harmed|harm parity|disadvantage", text)
    assert "placed higher than disparity" in text
    assert "Higher labels are" not in text


@pytest.mark.parametrize(
    ("higher_is", "words"), [("better", "favoured"), ("worse", "disadvantaged")]
)
def test_the_models_of_a_frontier_are_audited_with_a_direction(frontier, higher_is, words):
    text = Page(report(frontier=frontier, higher_is=higher_is).html).text
    assert f"{words} " in text
    assert "harm parity" in text
    assert f"Higher labels are {higher_is} for people" in text
    neutral = Page(report(frontier=frontier).html).text
    assert not re.search("favour|harm parity|disadvantage", neutral)


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
    assert f"{shown[0]} {shown[1]} to {shown[2]} yes" in text
    assert "From “<b>now</b>” to “then”, the violation of pairwise demographic parity " in text
    rises = "rises" if row["cost_difference"] > 0 else "falls"
    assert f"mean cost {rises} by {abs(row['cost_difference']):.3f} (clear evidence)" in text


def compared_groups():
    """Predictors that favour opposite groups, and a group of one row."""
    y = np.arange(240) % 4
    a = np.where(np.arange(240) % 8 < 4, "men", "women")
    a[0] = "one"
    up = np.minimum(y + 1, 3)
    return y, a, np.where(a == "men", up, y), np.where(a == "women", up, y)


def test_pairs_have_one_direction_and_the_evidence_of_the_text():
    y, a, first, second = compared_groups()
    given = {"y": y, "sensitive_features": a}
    page = report_compare(first, second, names=("now", "then"), **given)
    text = Page(page.html).text
    for name, predicted in (("now", first), ("then", second)):
        (finding,) = audit(
            y, predicted, sensitive_features=a, criteria=["demographic_parity"]
        ).findings
        men, women = (finding.table.groups.tolist().index(g) for g in ("men", "women"))
        found = (finding.disparities, finding.lower, finding.upper)
        value, lower, upper = (values[0, men, women] for values in found)
        row = f"{name} {signed(value)} {interval_text(lower, upper)} yes"
        assert row in text
        assert (value > 0) == (name == "now")
    found = compare({"now": first, "then": second}, None, y, sensitive_features=a)
    words = " ".join(str(found).split())
    kinds = {"violation": "violation", "mean cost": "cost"}
    rows = {name: re.search(rf"{name} [^()]*\([^()]*\) [^()]*\([^()]*\) \S+ \S+ to \S+ (\w+)", text)
            for name in ("mean cost", "violation")}  # fmt: skip
    for name, kind in kinds.items():
        change = number(abs(found.frame()[f"{kind}_difference"][1]))
        is_clear = f"(clear evidence: {rows[name][1]})"
        assert f"{change} {is_clear}" in words or f"the {name} stays the same" in words
    assert "No interval for groups of fewer than two rows" in text
    assert "ComparedAudits" not in text


def test_a_mapping_of_two_is_compared_as_compare_takes_it():
    y, a, first, second = compared_groups()
    given = {"y": y, "sensitive_features": a, "date": DAY}
    page = report_compare({"now": first, "then": second}, **given)
    assert page.html == report_compare(first, second, names=("now", "then"), **given).html
    by_place = report_compare(
        {"now": first, "then": second}, None, y, sensitive_features=a, date=DAY
    )
    assert page.html == by_place.html
    with pytest.raises(ValueError, match=r"must have two predictors, .* got 3 predictors"):
        report_compare({"a": first, "b": second, "c": y}, **given)
    with pytest.raises(ValueError, match="b is missing"):
        report_compare(first, **given)


def test_labels_of_one_predictor_are_labels_of_both():
    y, a, first, second = compared_groups()
    y, first, second = (np.array([1, 2, 4, 6])[codes] for codes in (y, first, second))
    second = np.where(np.arange(240) < 3, 5, second)
    page = Page(report_compare(first, second, y=y, sensitive_features=a).html)
    assert page.text.count("true ↓ predicted → 1 2 4 5 6") == 6  # 3 groups, 2 predictors
    cost = compare({"a": first, "b": second}, None, y, sensitive_features=a).frame()["cost"]
    assert f"mean cost {number(cost[0])} (" in page.text


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
    tracks = re.findall('class="track"(.*?)</div>', page.html)
    ticks, drawn = tracks[0], tracks[1:]
    assert 'class="tick"' in ticks
    assert len(drawn) == 6  # 3 pairs, 2 predictors
    for mark in ("zero", "limit"):
        assert len({re.search(f'"{mark}" style="(.+?)"', track)[1] for track in drawn}) == 1
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


def test_comparisons_take_the_direction_of_the_labels(found):
    y, predicted, other = [0, 1] * 60, [0, 1] * 30 + [0, 0] * 30, [0, 1] * 30 + [1, 1] * 30
    given = {"y": y, "sensitive_features": ["a"] * 60 + ["b"] * 60, "criterion": "harm_parity"}
    text = Page(report_compare(predicted, other, higher_is="worse", **given).html).text
    assert "No difference was found between groups" in text
    assert "“b” is harmed more than “a”, 0.500 against 0.000" in text
    assert "violation 0.000 (0.000 to" in text  # of too-high ratings; of too-low ones it is 0.5
    with pytest.raises(ValueError, match="the same higher_is, got None and 'worse'"):
        report_compare(found, audit_of(higher_is="worse"))
    with pytest.raises(ValueError, match="higher_is must be one of"):
        report_compare(predicted, other, higher_is="good", **given)


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
        ({"higher_is": "bad"}, ValueError, "higher_is must be one of"),
        ({"higher_is": "worse"}, ValueError, "higher_is= needs frontier=: pass it to audit"),
        (
            {"date": "2026-01-02"},
            TypeError,
            "date must be a date, not text .* got '2026-01-02'",
        ),
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
    with pytest.raises(ValueError, match="higher_is='worse' contradicts the audit, which has None"):
        report(audit_of(), frontier=frontier, higher_is="worse")
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


def test_an_axis_of_positive_numbers_has_no_negative_ticks():
    axis = axis_around([0.0, 0.004, 0.01], least=0.02)
    assert axis.ticks()[0].text == "0.000"
    assert axis.high - axis.low >= 0.02
    both = axis_around([-0.001, 0.001], least=0.1)
    assert both.low == pytest.approx(-both.high)
