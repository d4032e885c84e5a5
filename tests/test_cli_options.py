"""The command line: names of criteria, cut points of today, and cells that stay as they are."""

import json
import re
from collections import Counter

import pandas as pd
import pytest
from typer.testing import CliRunner

from cli_runner import AUDITED, ORDER, failure, graded_people, run
from fairordinal import optimize_thresholds
from fairordinal._render import (
    columns_of,
    paragraphs,
    terminal_width,
    text_table,
)
from fairordinal.cli import app
from fairordinal.cli._choices import AUDITED as CRITERIA
from fairordinal.cli._choices import COMPARED, OPTIMIZED, PAIRWISE, SHORT, criterion_of
from fairordinal.criteria import NAMED, PairwiseCriterion
from fairordinal.thresholds import as_text

SCORED = ("--y", "grade", "--score", "score", "--group", "sex", "--labels", ",".join(ORDER))
FAST = ("--model", "linear", "--trade-off", 0.2, "--feature", "score")


@pytest.fixture
def path(tmp_path, frame):
    frame.to_csv(tmp_path / "a.csv", index=False)
    return tmp_path / "a.csv"


def test_the_names_of_criteria_are_those_of_the_library():
    assert set(COMPARED) == set(NAMED)
    assert set(PAIRWISE) == {
        n for n, found in NAMED.items() if isinstance(found, PairwiseCriterion)
    }
    assert set(OPTIMIZED) == set(NAMED) - {"conditional_harm_parity"}
    assert set(SHORT.values()) == set(CRITERIA) <= set(NAMED)


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("eo", "equal_opportunity"),
        ("DP", "demographic_parity"),
        ("equalised odds", "equalized_odds"),
        ("Equalised-Odds", "equalized_odds"),
        ("pairwise equal opportunity", "equal_opportunity"),
        ("standard_equalised_odds", "standard_equalized_odds"),
        (" harm_parity ", "harm_parity"),
    ],
)
def test_names_may_be_short_or_british(typed, name):
    assert criterion_of(COMPARED)(typed) == name


@pytest.mark.parametrize(
    ("option", "typed", "meant"),
    [
        ("--criterion", "equal_oportunity", "equal_opportunity"),
        ("--criterion", "equalized_oods", "equalized_odds"),
        ("--cost", "absolut", "absolute"),
        ("--model", "tree", "trees"),
    ],
)
def test_near_misses_are_answered_by_a_question(path, monkeypatch, capsys, option, typed, meant):
    arguments = ("fit", path, "--y", "grade", "--group", "sex", "-o", "m.json", option, typed)
    code, line = failure(monkeypatch, capsys, *arguments)
    assert code == 1
    assert line.startswith(f"Error: {option} must be one of ")
    assert line.endswith(f", got {typed!r}. Did you mean {meant!r}?")


def test_a_criterion_of_another_command_is_no_near_miss():
    known = r"got 'conditional_harm_parity'\. .* is a criterion of audit and compare only\.$"
    with pytest.raises(ValueError, match=known):
        criterion_of(OPTIMIZED)("conditional_harm_parity")


@pytest.mark.parametrize("command", ["audit", "thresholds", "fit", "frontier"])
def test_help_lists_the_criteria(command):
    text = CliRunner().invoke(app, [command, "--help"], env={"COLUMNS": "300"}).output
    for word in ("demographic_parity (dp)", "equal_opportunity (eo)", "equalized_odds (eodds)"):
        assert word in text


def test_cut_points_of_today_are_compared_with(path, frame, tmp_path):
    out, page = tmp_path / "t.json", tmp_path / "t.html"
    options = ("--max-violation", 0.1, "--before", "-1,0.5,1", "--json", out, "--html", page)
    result = run("thresholds", path, *SCORED, *options)
    assert result.exit_code == 0, result.output
    same = optimize_thresholds(
        frame.score, frame.grade, sensitive_features=frame[["sex"]], max_violation=0.1, labels=ORDER
    )
    today = same.state([-1, 0.5, 1])
    assert result.output.startswith(as_text(same, [-1, 0.5, 1]))
    assert "before" in result.output
    assert f"Written: {page}, {out}" in result.output
    found = json.loads(out.read_text())
    assert found["before"]["violation"] == pytest.approx(today.violation, abs=1e-12)
    assert found["before"]["thresholds"] == [-1, 0.5, 1]
    assert [group["group"] for group in found["groups"]] == ["f", "m"]
    assert found["groups"][0]["shares_before"] == pytest.approx(today.shares[0], abs=1e-12)
    assert found["groups"][1]["shares"] == pytest.approx(same.after.shares[1], abs=1e-12)
    text = page.read_text()
    assert "Cut points for a.csv" in text
    assert "Moving the cut points changes the violation" in text


@pytest.mark.parametrize(
    ("before", "words"),
    [
        ("0,1", "--before must be 3 numbers, one fewer than the labels 'bad', 'okay'"),
        ("1,0,2", "--before must be numbers in ascending order, such as 0.5,1.5, got '1,0,2'"),
        ("0,nan,1", "--before must be numbers in ascending order"),
        ("", "--before must be numbers in ascending order"),
        ("a,b,c", "--before must be numbers in ascending order"),
    ],
)
def test_wrong_cut_points_are_an_error(path, monkeypatch, capsys, before, words):
    arguments = ("thresholds", path, *SCORED, "--max-violation", 0.1, "--before", before)
    code, line = failure(monkeypatch, capsys, *arguments)
    assert code == 1
    assert words in line


def test_many_groups_have_rows(tmp_path, frame):
    towns = [f"town {i % 7}" for i in range(len(frame))]
    frame.assign(town=towns).to_csv(tmp_path / "a.csv", index=False)
    options = ("--group", "town", "--max-violation", 0.3)
    result = run("thresholds", tmp_path / "a.csv", *SCORED[:4], *SCORED[6:], *options)
    assert result.exit_code == 0, result.output
    for i in range(7):
        assert f"\ntown {i}  " in result.output
    assert "share that gets" in result.output
    assert "not shown" not in result.output


def test_tables_fit_the_terminal(frame):
    towns = [f"a place with a long name, number {i % 4}" for i in range(len(frame))]
    found = optimize_thresholds(
        frame.score, frame.grade, sensitive_features=towns, max_violation=0.3, labels=ORDER
    )
    wide = as_text(found, all_groups=True)
    assert wide == str(found)
    assert max(map(len, wide.splitlines())) > 80
    for width in (80, 60):
        with terminal_width(width):
            narrow = as_text(found, all_groups=True)
        assert max(map(len, narrow.splitlines())) <= width
        assert "share that gets" in narrow


def test_an_audit_says_what_it_wrote(path, tmp_path):
    page = tmp_path / "a.html"
    result = run("audit", path, *AUDITED, "--html", page)
    assert f"Written: {page}" in result.stdout
    assert "Written" not in run("audit", path, *AUDITED).output


TEXT = 'name;score;note\r\n"A ""b"" ;c";0,50; 007\r\n"two\r\nlines";1e0;\r\n\r\n  z  ;NA;"q"'
PREDICTED = [
    "name;score;note;predicted\r\n",
    '"A ""b"" ;c";0,50; 007;{}\r\n',
    '"two\r\nlines";1e0;;{}\r\n',
    '  z  ;NA;"q";{}\r\n',
]


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("model")
    graded_people().to_csv(folder / "a.csv", index=False)
    options = ("--y", "grade", "--group", "sex", "--labels", ",".join(ORDER))
    assert run("fit", folder / "a.csv", *options, *FAST, "-o", folder / "m.json").exit_code == 0
    return folder / "m.json"


def test_cells_of_a_csv_stay_as_they_are(model, tmp_path):
    path, out = tmp_path / "new.csv", tmp_path / "out.csv"
    path.write_text(TEXT, newline="")
    assert run("predict", model, path, "-o", out).exit_code == 0
    labels = pd.read_csv(out, sep=";").predicted
    assert set(labels) <= set(ORDER)
    expected = "".join(PREDICTED).format(*labels)
    assert out.read_bytes().decode() == expected


def test_scores_have_the_decimal_mark_of_the_file(model, tmp_path):
    path, out = tmp_path / "new.csv", tmp_path / "out.csv"
    path.write_text("score;x\n0,5;1\n-1,25;2\n")
    assert run("predict", model, path, "-o", out, "--score", "s", "--as", "a;b").exit_code == 0
    assert out.read_text().startswith('score;x;"a;b";s\n')
    points = tmp_path / "points.csv"
    points.write_text("score,x\n0.5,1\n-1.25,2\n")
    assert run("predict", model, points, "-o", tmp_path / "p.csv", "--score", "s").exit_code == 0
    commas = pd.read_csv(out, sep=";", decimal=",")
    assert commas.s.tolist() == pd.read_csv(tmp_path / "p.csv").s.tolist()


def test_a_separator_changes_only_with_the_ending(model, tmp_path):
    path, out = tmp_path / "new.csv", tmp_path / "out.tsv"
    path.write_text("score,x\n0.5,a b\n")
    assert run("predict", model, path, "-o", out).exit_code == 0
    assert pd.read_csv(out, sep="\t").x.tolist() == ["a b"]


def test_a_cell_of_any_length_is_kept(model, tmp_path):
    path, out = tmp_path / "new.csv", tmp_path / "out.csv"
    path.write_text(f"score,x\n0.5,{'long' * 50_000}\n1,short\n")
    assert run("predict", model, path, "-o", out).exit_code == 0
    assert pd.read_csv(out).x.tolist() == ["long" * 50_000, "short"]
    assert len(pd.read_csv(out).predicted) == 2


@pytest.mark.filterwarnings("ignore:All people get label")
def test_a_stricter_limit_than_the_one_asked_for_is_explained(path):
    asked = ("thresholds", path, *SCORED, "--max-violation", 0.25)
    text = " ".join(run(*asked, "--confidence", 0.8).stdout.split())
    assert re.search(
        r"The limit is 0\.[01]\d* on these rows, so that 0\.25 is kept in new rows with .* 0\.8\.",
        text,
    )
    assert "in new rows" not in run(*asked).stdout


@pytest.mark.parametrize(
    ("option", "value", "words"),
    [
        ("--max-violation", "much", "--max-violation must be a number"),
        ("--max-violation", "-1", "--max-violation must be at least 0"),
        ("--min-rows", "0", "--min-rows must be at least 1"),
        ("--min-rows", "two", "--min-rows must be a whole number"),
        ("--higher-is", "wrose", "one of better, worse, got 'wrose'. Did you mean 'worse'?"),
    ],
)
def test_a_value_that_an_option_does_not_take_is_answered(
    path, monkeypatch, capsys, option, value, words
):
    code, line = failure(monkeypatch, capsys, "audit", path, *AUDITED, option, value)
    assert code == 1
    assert words in line
    assert "nput should" not in line


@pytest.mark.parametrize("command", ["audit", "fit", "frontier", "predict", "demo", "reproduce"])
def test_help_names_values_in_words(command):
    text = CliRunner().invoke(app, [command, "--help"], env={"COLUMNS": "300"}).output
    options = text[text.index("─ Options") :].splitlines()
    typed = [line for line in options if "--" in line and re.search(r"<\w|int range|list\[", line)]
    assert ["--help" in line for line in typed] in ([], [True])  # typer's own option


def test_help_is_whole_in_80_columns():
    for command in ("audit", "thresholds", "compare"):
        text = CliRunner().invoke(app, [command, "--help"], env={"COLUMNS": "80"}).output
        assert "conditional_demographic_parity" in text
        assert "…" not in text


def test_cells_that_are_too_wide_together_are_wrapped():
    rows = [["a claim of " + "many words " * 5, "a result that needs some words, too", "yes"]] * 2
    wide = text_table(["claim", "here", "agrees"], rows, left=(0, 1))
    assert len(wide.splitlines()) == 4
    with terminal_width(60):
        narrow = text_table(["claim", "here", "agrees"], rows, left=(0, 1))
    assert max(map(len, narrow.splitlines())) <= 60
    words = Counter(word for word in narrow.split() if word.isalpha())
    assert words["many"] == 2 * 5 * narrow.count("claim  ")
    assert words["yes"] == words["needs"] == 2


def test_columns_of_wide_letters_are_aligned():
    table = text_table(["group", "rows"], [["東京", "1"], ["Ulm", "22"], ["Zu\u0308rich", "333"]])
    head, line, tokyo, ulm, zurich = table.splitlines()
    assert columns_of(tokyo) == columns_of(ulm) == columns_of(zurich) == columns_of(head) == 12
    assert tokyo == "東京       1"
    assert len(line) == 12
    words = " ".join(["東京"] * 30)
    filled = paragraphs([words], 40).split("\n")
    assert max(map(columns_of, filled)) <= 40
    assert " ".join(filled) == words
