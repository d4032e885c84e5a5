"""The command line on tables in files: messy ones, wrong ones, and what it says about them."""

import gzip
import json
import re

import numpy as np
import pandas as pd
import polars as pl
import pytest

from cli_runner import AUDITED, ORDER, failure, run
from fairordinal import audit, audit_counts, optimize_thresholds
from fairordinal.cli._wording import as_shown
from fairordinal.models import load_model

pytestmark = pytest.mark.usefixtures("small_effort")


def write_csv(frame, path):
    frame.to_csv(path, index=False)


def write_crlf_with_mark(frame, path):
    path.write_bytes(frame.to_csv(index=False, lineterminator="\r\n").encode("utf-8-sig"))


def write_gzip(frame, path):
    path.write_bytes(gzip.compress(frame.to_csv(index=False).encode()))


def write_semicolons(frame, path):
    frame.to_csv(path, index=False, sep=";")


def write_spaces(frame, path):
    spaced = frame.assign(sex=" " + frame.sex, grade=frame.grade + "  ")
    spaced.rename(columns=lambda name: f" {name} ").to_csv(path, index=False)


@pytest.mark.parametrize(
    ("name", "write"),
    [
        ("a.csv", write_csv),
        ("a.CSV", write_crlf_with_mark),
        ("a.csv.gz", write_gzip),
        ("a.csv", write_semicolons),
        ("a.txt", write_spaces),
        ("a.tsv", lambda frame, path: frame.to_csv(path, index=False, sep="\t")),
        ("a.parquet", lambda frame, path: frame.to_parquet(path)),
        ("a.arrow", lambda frame, path: frame.to_feather(path)),
        ("polars.parquet", lambda frame, path: pl.from_pandas(frame).write_parquet(path)),
    ],
)
def test_an_audit_of_a_file_is_that_of_its_rows(tmp_path, frame, expected, name, write):
    write(frame, tmp_path / name)
    result = run("audit", tmp_path / name, *AUDITED)
    assert result.exit_code == 0, result.output
    assert expected in result.output


def test_encodings_are_named_or_hinted_at(tmp_path, frame, expected, monkeypatch, capsys):
    path = tmp_path / "a.csv"
    path.write_text(frame.to_csv(index=False), encoding="utf-16")
    code, words = failure(monkeypatch, capsys, "audit", path, *AUDITED)
    assert code == 1
    assert "UTF-16" in words
    assert "--encoding utf-16" in words
    assert expected in run("audit", path, *AUDITED, "--encoding", "utf-16").output
    german = frame.assign(sex=frame.sex.replace("m", "männlich"))
    path.write_bytes(german.to_csv(index=False).encode("latin-1"))
    assert "latin-1" in failure(monkeypatch, capsys, "audit", path, *AUDITED)[1]
    assert "männlich" in run("audit", path, *AUDITED, "--encoding", "latin-1").output


def test_numbers_with_a_decimal_point_are_the_same_labels(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("y,p,g\n1,1.0,a\n2,02,b\n 3 ,3,a\n2,1,b\n")
    assert (
        "3 labels 1 < 2 < 3" in run("audit", path, "--y", "y", "--pred", "p", "--group", "g").output
    )


def test_groups_are_names_even_if_they_look_like_numbers(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("y,p,g\n1,1,01\n2,2,1\n1,2,01\n2,1,1\n")
    assert "2 groups" in run("audit", path, "--y", "y", "--pred", "p", "--group", "g").output


def test_counts_are_those_of_the_rows(tmp_path, frame, expected):
    path = tmp_path / "n.csv"
    counts = frame.groupby(["sex", "grade", "predicted"]).size().rename("n").reset_index()
    counts.to_csv(path, index=False)
    assert expected in run("audit", path, *AUDITED, "--counts", "n").output
    same = audit_counts(
        counts, y_true="grade", y_pred="predicted", sensitive_features="sex", count="n",
        labels=ORDER,
    )  # fmt: skip
    violation = same["demographic_parity"].violation
    assert f"{violation:.3f}" in expected


def test_missing_cells_are_left_out_and_told(tmp_path, frame):
    path = tmp_path / "a.csv"
    frame.loc[:4, "sex"] = ["", "NA", "n/a", "null", " "]
    frame.loc[4:6, "grade"] = None
    frame.to_csv(path, index=False)
    result = run("audit", path, *AUDITED)
    assert "Audit of 293 rows" in result.output
    told = (
        "Left out: 7 rows with a missing value: empty in grade (3), empty in sex (2), 'NA' in sex "
        "(1), 'n/a' in sex (1), 'null' in sex (1)."
    )
    assert told in result.stdout
    assert told in run("audit", path, *AUDITED, "--quiet").stdout


def test_the_direction_of_the_labels_is_an_option(tmp_path, frame, monkeypatch, capsys):
    path, out = tmp_path / "a.csv", tmp_path / "a.json"
    frame.to_csv(path, index=False)
    worse = run("audit", path, *AUDITED, "--higher-is", "worse", "--json", out)
    assert "Harms are costs of being rated too high" in worse.stdout
    content = json.loads(out.read_text(encoding="utf-8"))
    found = audit(
        frame.grade, frame.predicted, sensitive_features=frame.sex, labels=ORDER, higher_is="worse"
    )
    assert content["higher_is"] == "worse"
    violations = {each["criterion"]: each["violation"] for each in content["findings"]}
    assert violations == {each.criterion.name: each.violation for each in found.findings}
    assert not re.search("favour|harm", run("audit", path, *AUDITED).stdout)
    code, words = failure(monkeypatch, capsys, "audit", path, *AUDITED, "--higher-is", "good")
    assert (code, "--higher-is must be one of better, worse" in words) == (1, True)


def test_small_groups_never_lead_and_are_merged_on_request(tmp_path, frame, monkeypatch, capsys):
    path, out = tmp_path / "a.csv", tmp_path / "a.json"
    towns = np.where(frame.index < 6, ["Ys", "Oz"] * 150, "Ulm")
    frame.assign(town=towns).to_csv(path, index=False)
    options = (*AUDITED, "--group", "town")
    usual = run("audit", path, *options)
    assert usual.exit_code == 0
    kept = run("audit", path, *options, "--min-rows", 10, "--json", out)
    assert "5 groups" in kept.stdout or "6 groups" in kept.stdout
    content = json.loads(out.read_text(encoding="utf-8"))
    for finding in content["findings"]:
        assert {finding["main_pair"]["group"], finding["main_pair"]["other"]} == {
            "f, Ulm",
            "m, Ulm",
        }
        assert len(finding["too_small"]) == len(content["groups"]["group"])
    merged = run("audit", path, *options, "--min-rows", 10, "--small-groups", "merge",
                 "--json", out)  # fmt: skip
    assert "3 groups" in merged.stdout
    content = json.loads(out.read_text(encoding="utf-8"))
    assert content["groups"]["group"] == ["f, Ulm", "m, Ulm", "other"]
    assert content["groups"]["rows"][-1] == 6
    assert len(content["merged_groups"]) >= 3
    for wrong, message in (
        (("--small-groups", "merge"), "--small-groups merge needs --min-rows"),
        (("--small-groups", "drop"), "--small-groups must be one of keep, merge"),
        (("--small-groups", "merge", "--min-rows", 999), "all groups have fewer than 999 rows"),
    ):
        code, words = failure(monkeypatch, capsys, "audit", path, *options, *wrong)
        assert (code, message in words) == (1, True), words


def test_the_exit_code_is_a_gate(tmp_path, frame):
    path = tmp_path / "a.csv"
    frame.to_csv(path, index=False)
    found = audit(frame.grade, frame.predicted, sensitive_features=frame.sex, labels=ORDER)
    finding = found["equal_opportunity"]
    criterion = ("--criterion", "equal_opportunity", "--max-violation")
    between = (finding.violation + finding.violation_interval[1]) / 2
    for limit, confidence, code in (
        (finding.violation - 1e-6, None, 2),
        (between, None, 0),
        (between, 0.95, 2),
        (finding.violation_interval[1] + 1e-6, 0.95, 0),
    ):
        bound = () if confidence is None else ("--confidence", confidence)
        assert run("audit", path, *AUDITED, *criterion, limit, *bound).exit_code == code
    small = tmp_path / "b.csv"
    small.write_text("y,p,g\n1,1,a\n1,1,b\n2,2,a\n")
    options = ("--y", "y", "--pred", "p", "--group", "g")
    assert run("audit", small, *options, *criterion, 1).exit_code == 2  # undefined is not fair


def test_an_order_that_is_stored_is_known(tmp_path, frame, expected):
    ordered = pd.CategoricalDtype(ORDER, ordered=True)
    frame = frame.astype({"grade": ordered, "predicted": ordered})
    for name, write in (("a.parquet", frame.to_parquet), ("a.arrow", frame.to_feather)):
        write(tmp_path / name)
        assert expected in run("audit", tmp_path / name, *AUDITED[:-2]).output


def test_an_order_that_a_parquet_file_does_not_keep_is_asked_for(tmp_path, frame, expected):
    ordered = pd.CategoricalDtype(ORDER, ordered=True)
    frame = frame.astype({"grade": ordered, "predicted": ordered})
    frame.to_parquet(tmp_path / "a.parquet", use_dictionary=False)
    assert run("audit", tmp_path / "a.parquet", *AUDITED[:-2]).exit_code == 1
    assert expected in run("audit", tmp_path / "a.parquet", *AUDITED).output


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"--labels": None}, "'bad', 'good', 'great', 'okay'"),
        ({"--labels": "bad,okay,good"}, "'great'"),
        ({"--labels": "bad,bad,okay,good,great"}, "once"),
        ({"--y": "Grade"}, "Did you mean 'grade'?"),
        ({"--pred": "grade"}, "both name column 'grade'"),
        ({"--group": "nothing"}, "no column 'nothing'"),
        ({"--counts": "town"}, "--counts"),
        ({"--criterion": "equality"}, "equality"),
    ],
)
def test_wrong_options_are_one_line_with_the_remedy(
    tmp_path, frame, monkeypatch, capsys, changes, words
):
    frame.to_csv(tmp_path / "a.csv", index=False)
    options = dict(zip(AUDITED[::2], AUDITED[1::2], strict=True)) | changes
    given = [each for pair in options.items() if pair[1] is not None for each in pair]
    code, message = failure(monkeypatch, capsys, "audit", tmp_path / "a.csv", *given)
    assert code == 1
    assert words in message
    assert message.startswith("Error: ")
    assert "\n" not in message.strip()


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.csv", b"", "is empty"),
        ("a.csv", b"grade,predicted,sex\n", "no rows"),
        ("a.csv", b"grade,predicted,sex\nbad,bad\n", "line 2 has 2 cells but the header has 3"),
        ("a.csv", b"grade,grade,predicted,sex\n1,1,1,1\n", "several columns 'grade'"),
        ("a.parquet", b"no parquet", "is not a Parquet file"),
        ("a.xls", b"", "is a spreadsheet"),
        ("a.csv", b"grade,predicted,sex\n,,\nNA,NA,NA\n", "no row has a value"),
    ],
)
def test_wrong_files_are_one_line(tmp_path, monkeypatch, capsys, name, content, words):
    (tmp_path / name).write_bytes(content)
    code, message = failure(monkeypatch, capsys, "audit", tmp_path / name, *AUDITED)
    assert code == 1
    assert words in message


def test_forty_groups_and_intersections(tmp_path, frame):
    frame["region"] = [f"region {i % 20}" for i in range(len(frame))]
    frame.to_csv(tmp_path / "a.csv", index=False)
    result = run("audit", tmp_path / "a.csv", *AUDITED, "--group", "region")
    assert "40 groups" in result.output


def test_json_holds_the_numbers_of_the_audit(tmp_path, frame):
    frame.to_csv(tmp_path / "a.csv", index=False)
    run("audit", tmp_path / "a.csv", *AUDITED, "--json", tmp_path / "o.json")
    kept = json.loads((tmp_path / "o.json").read_text())
    found = audit(frame.grade, frame.predicted, sensitive_features=frame.sex, labels=ORDER)
    for finding, same in zip(kept["findings"], found.findings, strict=True):
        assert finding["violation"] == same.violation
        assert finding["violation_interval"] == list(same.violation_interval)


def test_an_audit_can_be_a_page(tmp_path, frame):
    frame["sex"] = frame.sex.replace("f", "<script>alert(1)</script>")
    frame.to_csv(tmp_path / "a.csv", index=False)
    assert run("audit", tmp_path / "a.csv", *AUDITED, "--html", tmp_path / "a.html").exit_code == 0
    page = (tmp_path / "a.html").read_text()
    assert "<script>alert(1)</script>" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page


def test_the_page_of_an_audit_says_which_columns_and_rows_and_what_limit(tmp_path, frame):
    frame.loc[:4, "predicted"] = None
    frame = frame.rename(columns={"grade": "<b>grade</b>"})
    path = tmp_path / "<i>&.csv"
    frame.to_csv(path, index=False)
    columns = ("--y", "<b>grade</b>", *AUDITED[2:], "--max-violation", "0.3")
    run("audit", path, *columns, "--html", tmp_path / "a.html")
    page = (tmp_path / "a.html").read_text()
    for name, value in (
        ("File", "&lt;i&gt;&amp;.csv"),
        ("True labels", "&lt;b&gt;grade&lt;/b&gt;"),
        ("Predictions", "predicted"),
        ("Groups by", "sex"),
        ("Left out", "5 rows with a missing value: empty in predicted (5)."),
        ("Rows", "295"),
        ("Limit", "a violation of at most 0.3"),
        ("Cost of an error", "the distance between the labels"),
    ):
        assert f"<dt>{name}</dt><dd>{value}</dd>" in page


@pytest.mark.parametrize("confidence", [None, 0.8])
def test_thresholds_are_those_of_the_library(tmp_path, frame, confidence):
    frame.to_csv(tmp_path / "a.csv", index=False)
    options = ("--score", "score", "--y", "grade", "--group", "sex", "--labels", ",".join(ORDER))
    goal = ("--max-violation", "0.2", "--json", tmp_path / "o.json")
    sure = () if confidence is None else ("--confidence", confidence)
    result = run("thresholds", tmp_path / "a.csv", *options, *goal, *sure)
    found = optimize_thresholds(
        frame.score,
        frame.grade,
        sensitive_features=frame[["sex"]],
        max_violation=0.2,
        confidence=confidence,
        labels=ORDER,
    )
    assert as_shown(found.__str__) in result.output
    kept = json.loads((tmp_path / "o.json").read_text())
    shown = [{"inf": np.inf, "-inf": -np.inf}.get(each, each) for each in kept["thresholds"]]
    assert shown == found.thresholds.tolist()


@pytest.mark.parametrize(
    ("command", "options"),
    [
        ("thresholds", ("--score", "score", "--trade-off", "0.2", "--confidence", "0.9")),
        ("frontier", ("--confidence", "0.9")),
        ("frontier", ("--confidence", "9", "--max-violation", "0.1")),
    ],
)
def test_confidence_without_a_limit_is_refused(tmp_path, frame, command, options):
    frame.to_csv(tmp_path / "a.csv", index=False)
    columns = ("--y", "grade", "--group", "sex", "--labels", ",".join(ORDER))
    result = run(command, tmp_path / "a.csv", *columns, *options)
    assert isinstance(result.exception, ValueError)
    assert "--confidence" in str(result.exception)


def test_a_model_is_fitted_kept_and_predicts_what_it_predicts(tmp_path, frame):
    data, model, out = tmp_path / "a.csv", tmp_path / "m.json", tmp_path / "out.csv"
    frame.to_csv(data, index=False)
    columns = ("--y", "grade", "--group", "sex", "--labels", ",".join(ORDER))
    chosen = ("--ignore", "predicted", "--ignore", "id", "--trade-off", "0.2", "-o", model)
    result = run("fit", data, *columns, *chosen)
    assert result.exit_code == 0, result.output
    text = model.read_text()
    assert '"name": "score"' in text
    assert '"name": "sex"' not in text  # the group is no input
    assert run("predict", model, data, "-o", out).exit_code == 1  # the column is there already
    named = ("--as", "fair", "--score", "s")
    assert run("predict", model, data, "-o", out, *named).exit_code == 0
    predicted = pd.read_csv(out, dtype={"id": str})
    assert predicted["id"].tolist() == frame["id"].tolist()  # 00001 stays what it is
    same = load_model(model)
    assert predicted["fair"].tolist() == same.predict(frame).tolist()
    assert predicted["s"].tolist() == pytest.approx(same.scores(frame).tolist(), abs=1e-12)


def test_a_frontier_writes_its_report_and_the_chosen_model(tmp_path, frame):
    data, model, page = tmp_path / "a.csv", tmp_path / "m.json", tmp_path / "r.html"
    frame.head(120).to_csv(data, index=False)
    columns = ("--y", "grade", "--group", "sex", "--labels", ",".join(ORDER), "--feature", "score")
    result = run("frontier", data, *columns, "-o", model, "--html", page, "--max-violation", "0.2",
                 "--higher-is", "worse")  # fmt: skip
    assert result.exit_code == 0, result.output
    assert "Frontier of" in result.output
    assert "← chosen" in result.output
    assert "labels." in result.output or "most accurate model" in result.output
    assert load_model(model).classes_.tolist() == ORDER
    text = page.read_text()
    assert "Download model" in text
    assert "<title>Models for a.csv</title>" in text
    assert "<dt>Labels to predict</dt><dd>grade</dd>" in text
    assert "<dt>Rows used</dt><dd>120 of 120</dd>" in text
    assert "<dt>Higher labels are</dt><dd>worse for people</dd>" in text


@pytest.mark.parametrize("command", ["audit", "thresholds"])
def test_an_error_about_the_rows_that_are_left_names_what_was_left_out(
    tmp_path, monkeypatch, capsys, command
):
    rows = [f"{i % 3},{i % 3},{'NA' if i % 2 else 'EU'}" for i in range(12)]
    file = tmp_path / "t.csv"
    file.write_text("\n".join(["y,p,g", *rows]))
    column = "--pred" if command == "audit" else "--score"
    options = ["--y", "y", column, "p", "--group", "g", "--max-violation", "0.1"]
    code, line = failure(monkeypatch, capsys, command, file, *options)
    assert code == 1
    assert "'NA' in g (6)" in line
    assert "--missing" in line


@pytest.mark.parametrize("command", ["audit", "thresholds"])
def test_numbers_are_names_if_the_order_names_a_text(tmp_path, command):
    """A file may hold none of the labels that are no numbers."""
    rows = [f"{i % 2},{i % 3 % 2},{'ab'[i % 2 ^ (i < 6)]}" for i in range(12)]
    file = tmp_path / "t.csv"
    file.write_text("\n".join(["y,p,g", *rows]))
    column = "--pred" if command == "audit" else "--score"
    options = ["--y", "y", column, "p", "--group", "g", "--max-violation", "1"]
    result = run(command, file, *options, "--labels", "0,1,unknown")
    assert result.exit_code == 0, result.output
    assert "unknown" in result.output
