"""Predictions of which nearly all have one label are said to be of little use."""

import json

import numpy as np
import pandas as pd
import pytest

from cli_runner import run
from fairordinal import FairOrdinalClassifier, audit, compare, optimize_thresholds
from fairordinal._near_constant import near_constant
from fairordinal._table import read_table
from fairordinal.report import report


def predicted(*counts):
    """The table of predictions in which label i has counts[i] rows."""
    labels = np.repeat(np.arange(len(counts)), counts)
    groups = np.arange(len(labels)) % 2
    return read_table(labels[::-1], labels, groups, labels=range(len(counts)))


@pytest.mark.parametrize(
    ("counts", "text"),
    [
        ([5, 90, 5], None),  # exactly 90 %
        ([5, 91, 4], "91% of all people get label 1"),
        ([3, 0, 97], "97% of all people get label 2"),
        ([1, 999], "More than 99% of all people get label 1"),
        ([0, 20, 0], "All people get label 1"),
        ([50, 50], None),
    ],
)
def test_one_label_of_more_than_90_percent_is_named(counts, text):
    found = near_constant(predicted(*counts))
    assert (None if found is None else str(found)) == text
    if found is not None:
        assert found.share == max(counts) / sum(counts)


def test_weights_count():
    table = read_table([0, 1], [0, 1], ["a", "b"], labels=[0, 1], sample_weight=[1.0, 19.0])
    assert near_constant(table) == (1, 0.95)


def scored(n=200):
    random = np.random.default_rng(1)
    group = np.arange(n) % 2
    y = random.integers(0, 3, n)
    return y + 1.5 * group + random.normal(size=n), y, group


def test_a_larger_violation_is_not_advised_if_it_would_not_help():
    _, y, group = scored()
    noise = np.random.default_rng(2).normal(size=len(y))
    result = optimize_thresholds(
        noise, np.where(y, 1, 0), sensitive_features=group, max_violation=0.01
    )
    assert not result.limit_is_reason
    text = " ".join(str(result).split())
    assert "hardly tell people apart. Nor do those of least cost: a larger violation would" in text
    assert "allow a larger" not in text
    page = " ".join(report(thresholds=result).html.split())
    assert "Nor do those of least cost: a larger violation would not help." in page
    assert "allow a larger" not in page


def cut(**options):
    scores, y, group = scored()
    return optimize_thresholds(scores, y, sensitive_features=group, **options)


def test_cut_points_say_so_first_and_what_helps():
    strict, mild, free = cut(max_violation=0.01), cut(max_violation=0.9), cut(method="cost_only")
    found = strict.near_constant
    assert found.share > 0.9
    said = f"{found}: these cut points hardly tell people apart; train a fair model"
    assert said in " ".join(str(strict).split())
    assert said in " ".join(strict._repr_html_().split())
    assert mild.near_constant is None
    assert free.near_constant is None
    for result in (mild, free):
        assert "hardly" not in str(result)


def test_cut_points_of_a_fair_model_do_not_ask_for_one():
    X, y, group = (np.asarray(column) for column in scored())
    model = FairOrdinalClassifier(max_violation=0.0, basis="linear", alpha=1e-3, cv=2,
                                  ranker="reduction")  # fmt: skip
    with pytest.warns(UserWarning, match="All people get label") as caught:
        model.fit(X[:, None], y, sensitive_features=group)
    text = " ".join(str(model.result_).split())
    assert "hardly tell people apart; allow a larger violation." in text
    assert not any("train a fair model" in str(each.message) for each in caught)


def test_rare_labels_are_no_reason_to_ask_for_fairness_again():
    rows = [0.0, 0.0, 0.0, 1.0] * 10, [0, 0, 0, 0] * 9 + [0, 0, 0, 1]
    result = optimize_thresholds(*rows, sensitive_features=[0, 1] * 20, method="cost_only")
    assert str(result.near_constant) == "All people get label 0"
    assert "hardly tell people apart." in str(result)
    assert "allow a larger" not in str(result)


def test_reports_say_so():
    y, group = np.array([0, 1, 2, 1] * 25), [0, 1] * 50
    nearly = np.where(np.arange(100) < 96, 1, y)
    for pred, is_said in ((nearly, True), (y, False)):
        html = report(audit(y, pred, sensitive_features=group), max_violation=0.9).html
        assert ("these predictions hardly tell people apart" in html) == is_said
        assert ('class="card good' in html) != is_said
    remedy = "hardly tell people apart; train a fair model, or allow a larger violation."
    assert remedy in report(thresholds=cut(max_violation=0.01)).html


def test_the_command_line_says_so_in_text_and_json(tmp_path):
    table, out = tmp_path / "t.csv", tmp_path / "r.json"
    pd.DataFrame(dict(zip("syg", scored(), strict=True))).to_csv(table, index=False)
    options = ["--score", "s", "--y", "y", "--group", "g", "--json", out]
    for limit, is_said in (("0.01", True), ("0.9", False)):
        shown = run("thresholds", table, *options, "--max-violation", limit)
        assert ("hardly tell people apart" in " ".join(shown.output.split())) == is_said
        found = json.loads(out.read_text())["near_constant"]
        assert (found is not None) == is_said
        assert not is_said or found["share"] > 0.9


def test_comparisons_name_the_model():
    y, group = [0, 1, 2, 1] * 25, [0, 1] * 50
    found = compare({"today": y, "all": [1] * 100}, None, y, sensitive_features=group)
    said = "By 'all', all people get label 1: these predictions hardly tell people apart."
    assert str(found).count("hardly") == 1
    assert said in " ".join(str(found).split())
    assert said.replace("'", "&#x27;") in " ".join(found._repr_html_().split())


def test_audits_say_so_and_lead_with_no_pair_if_all_are_equal():
    groups, true = ["a", "b"] * 30, [1, 2, 3] * 20
    text = str(audit(true, [2] * 60, sensitive_features=groups))
    assert "All people get label 2: these predictions hardly tell people apart." in text
    assert "is predicted above" not in text
    mixed = str(audit(true, [2, 2, 3] * 20, sensitive_features=groups))
    assert "tell people apart" not in mixed
