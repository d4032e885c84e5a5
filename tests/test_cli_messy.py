"""The command line on files as people have them: nothing is silently misread, errors are a line."""

import bz2
import gzip
import io
import json
import os
import random
import stat
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from cli_runner import AUDITED, ORDER, failure, graded_people, run
from fairordinal import audit, optimize_thresholds
from fairordinal._source import open_table
from fairordinal.cli._input import read_table
from fairordinal.models import load_model

pytestmark = pytest.mark.usefixtures("small_effort")

NUMBERED = ("--y", "y", "--pred", "p", "--group", "sex")
MAIN = "from fairordinal.cli import main; main()"


def numbered(frame):
    """Labels as numbers."""
    place = {label: i for i, label in enumerate(ORDER)}
    return frame.assign(y=frame.grade.map(place), p=frame.predicted.map(place))


@pytest.mark.parametrize(
    ("name", "pack"),
    [("a.csv.bz2", bz2.compress), ("a.dat", bytes), ("a.data", bytes)],
)
def test_packed_files_and_other_endings_are_read(tmp_path, frame, expected, name, pack):
    (tmp_path / name).write_bytes(pack(frame.to_csv(index=False).encode()))
    assert run("audit", tmp_path / name, *AUDITED).output.startswith(expected)


def test_what_begins_as_parquet_is_parquet_whatever_its_name(tmp_path, frame, expected):
    frame.to_parquet(tmp_path / "a.csv", engine="pyarrow")
    assert run("audit", tmp_path / "a.csv", *AUDITED).output.startswith(expected)


def test_decimal_commas_between_semicolons_are_understood(tmp_path, frame):
    path = tmp_path / "a.csv"
    table = numbered(frame)
    table.to_csv(path, index=False, sep=";", decimal=",")
    result = run("audit", path, "--y", "y", "--pred", "score", "--group", "sex")
    same = audit(table.y, table.score, sensitive_features=table[["sex"]])
    assert result.output.startswith(str(same))
    path = tmp_path / "points.csv"
    table.to_csv(path, index=False, sep=";")
    assert run("audit", path, "--y", "y", "--pred", "score", "--group", "sex").output == str(
        result.output
    )


def test_a_decimal_comma_is_no_separator_of_thousands(tmp_path):
    path = tmp_path / "a.tsv"
    path.write_text("x\n1,234\n5,678\n")
    assert open_table(path).decimal == "."
    assert open_table(path, decimal=",").table().column("x").to_pylist() == [1.234, 5.678]
    with pytest.raises(ValueError, match="--decimal must be"):
        open_table(path, decimal=";")


def test_doubled_columns_do_no_harm_unless_they_are_named(tmp_path, frame, monkeypatch, capsys):
    path = tmp_path / "a.csv"
    text = frame.assign(x=1).to_csv(index=False).replace("id,score", "x,score", 1)
    path.write_text(f"\n\n{text}")
    expected = audit(frame.grade, frame.predicted, sensitive_features=frame[["sex"]], labels=ORDER)
    assert run("audit", path, *AUDITED).output.startswith(str(expected))
    for arguments in (
        ("audit", path, *AUDITED, "--counts", "x"),
        ("fit", path, "--y", "grade", "--group", "sex", "-o", tmp_path / "m.json"),
    ):
        code, line = failure(monkeypatch, capsys, *arguments)
        assert code == 1
        assert "several columns 'x'" in line


def test_a_table_may_come_through_a_pipe(tmp_path, frame, expected):
    command = [sys.executable, "-c", MAIN, "audit", "-", *AUDITED]
    for content in (frame.to_csv(index=False).encode(), _parquet(frame)):
        found = subprocess.run(command, input=content, capture_output=True)
        assert found.stdout.decode().startswith(expected)


def _parquet(frame):
    stream = io.BytesIO()
    frame.to_parquet(stream)
    return stream.getvalue()


CUT = gzip.compress(random.Random(0).randbytes(5000), mtime=0)[:-2000]  # equal in all processes
WRONG = [
    ("a.csv.gz", b"y,p\n1,1\n", (), "not packed as its name says"),
    pytest.param("a.csv.gz", CUT, (), "truncated", id="truncated"),
    ("a.csv.zst", b"x", (), "unpack it first"),
    ("a.csv.zip", b"PK", (), "unpack it first"),
    ("a.ods", b"PK", (), "save it as .xlsx or 'CSV UTF-8'"),
    ("a.csv", b"y,p,sex", (), "no rows below its header"),
    ("a.csv", b"y,p,sex\n1,1,a\0b\n" + b"1,1,a\n" * 9, (), "a byte of value 0 in line 2"),
    ("a.csv", b"# made by x\ny,p,sex\n1,1,a\n", (), "Is the header the first line?"),
    ("a.csv", b"y,p,sex\n1,1,a\n", ("--encoding", "klingon"), "no encoding 'klingon'"),
    ("a.csv", b"y,p,sex\n1,1,a\n", ("--separator", ";;"), "--separator must be one character"),
    ("a.csv", b"y,p,sex\n1,1,a\n", ("--separator", ";"), "Are cells separated by ';'?"),
    ("a.csv", b"y,p,sex\n1,1,a\n1,1,b\n", (), "column 'y' has one label, 1"),
    ("a.csv", b"y,p,sex\n,1,a\n,1,b\n", (), "column 'y' is empty"),
    ("a.csv", b"y,p,sex\n1,0.5,a\n2,inf,b\n", (), "labels or finite numbers, got 'inf'"),
    ("a.csv", b"y,p,sex\n1,1,a\n2,1,b\n", ("--confidence", "0"), "--confidence must lie strictly"),
    ("a.csv", b"y,p,sex\n1,1,a\n2,1,b\n", ("--group", "sex"), "--group names column 'sex' twice"),
    ("a.csv", b"y,p,sex\n1,1,a\n2,1,b\n", ("--json", "."), "is a folder"),
    ("a.csv", b"y,p,sex\n1,1,a\n2,1,b\n", ("--max-violation", "-1"), "--max-violation"),
    ("a.csv", b"y,p,sex\n1,1,a\n2,1,b\n", ("--nope",), "See "),
    ("a.csv", b'y,p,sex,n\n1,1,a,"1,234"\n', ("--counts", "n"), "got '1,234'"),
    ("a.csv", b"y,p,sex,n\n1,1,a,\n2,1,b,1\n", ("--counts", "n"), "no number in some rows"),
    ("a.csv", b"y,p,sex,n\n1,1,a,-4\n", ("--counts", "n"), "at least 0, got -4"),
    ("a.csv", b"y,p,sex,n\n1,1,a,nan\n2,1,b,inf\n", ("--counts", "n"), "no number|at least 0"),
]


@pytest.mark.parametrize(("name", "content", "options", "words"), WRONG)
def test_what_is_wrong_is_one_line_with_exit_code_1(
    tmp_path, monkeypatch, capsys, name, content, options, words
):
    """Code 2 means unfair: a misspelled option must not look like it."""
    (tmp_path / name).write_bytes(content)
    code, line = failure(monkeypatch, capsys, "audit", tmp_path / name, *NUMBERED, *options)
    assert code == 1
    assert line.startswith("Error: ")
    assert "\n" not in line.strip()
    assert any(each in line for each in words.split("|"))


def test_many_columns_are_not_all_listed(tmp_path, monkeypatch, capsys):
    (tmp_path / "a.csv").write_text(",".join(f"c{i}" for i in range(3000)) + "\n" + "1," * 2999)
    _, line = failure(monkeypatch, capsys, "audit", tmp_path / "a.csv", *NUMBERED)
    assert "(3,000 in all)" in line
    assert len(line) < 400


def test_labels_with_numbers_and_commas_are_offered_in_an_order_that_can_be_typed(
    tmp_path, monkeypatch, capsys
):
    labels = ["10 stars", "2 stars", "1, bad", "2 stars"]
    table = pd.DataFrame({"y": labels, "p": labels, "sex": list("abab")})
    table.to_csv(tmp_path / "a.csv", index=False)
    _, line = failure(monkeypatch, capsys, "audit", tmp_path / "a.csv", *NUMBERED)
    assert """--labels '"1, bad",2 stars,10 stars'""" in line
    order = '"1, bad",2 stars,10 stars'
    result = run("audit", tmp_path / "a.csv", *NUMBERED, "--labels", order)
    assert "3 labels 1, bad < 2 stars < 10 stars" in result.output


def test_many_labels_are_not_all_listed(tmp_path, monkeypatch, capsys):
    table = pd.DataFrame({"y": np.arange(60) / 7, "p": ["x", "y"] * 30, "sex": ["a", "b"] * 30})
    table.to_csv(tmp_path / "a.csv", index=False)
    _, line = failure(monkeypatch, capsys, "audit", tmp_path / "a.csv", *NUMBERED)
    assert "(60 in all)" in line


def test_dates_as_groups_are_text(tmp_path):
    days = pd.to_datetime(["2020-01-01", "2021-01-01"] * 6)
    table = pd.DataFrame({"y": [0, 1, 1, 0] * 3, "p": [0, 1, 0, 1] * 3, "sex": days})
    table.to_parquet(tmp_path / "a.parquet")
    assert "2020-01-01 00:00:00" in run("audit", tmp_path / "a.parquet", *NUMBERED).output


def test_folders_of_reports_are_made(tmp_path, frame):
    frame.to_csv(tmp_path / "a.csv", index=False)
    page, numbers = tmp_path / "new" / "a.html", tmp_path / "newer" / "a.json"
    result = run("audit", tmp_path / "a.csv", *AUDITED, "--html", page, "--json", numbers)
    assert result.exit_code == 0
    assert page.exists()
    assert json.loads(numbers.read_text())


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_said_so(tmp_path, frame, monkeypatch, capsys):
    path = tmp_path / "a.csv"
    frame.to_csv(path, index=False)
    path.chmod(0)
    _, line = failure(monkeypatch, capsys, "audit", path, *AUDITED)
    path.chmod(stat.S_IRUSR | stat.S_IWUSR)
    assert "cannot be read: Permission denied" in line


def test_no_output_replaces_an_input(tmp_path, frame, monkeypatch, capsys):
    path = tmp_path / "a.csv"
    frame.to_csv(path, index=False)
    before = path.read_bytes()
    for arguments in (
        ("audit", path, *AUDITED, "--json", path),
        ("fit", path, "--y", "grade", "--group", "sex", "-o", path, "--labels", ",".join(ORDER)),
    ):
        _, line = failure(monkeypatch, capsys, *arguments)
        assert "is the table or model that is read" in line
    assert path.read_bytes() == before


def test_debug_may_stand_anywhere(tmp_path):
    command = [sys.executable, "-c", MAIN, "audit", str(tmp_path / "no.csv"), *NUMBERED, "--debug"]
    found = subprocess.run(command, capture_output=True, text=True)
    assert "Traceback" in found.stderr
    assert "there is no file" in found.stderr


QUIETLY_AND_NOT = """
import contextlib, sys
from fairordinal.cli import main
arguments = sys.argv
for more in ["--quiet"], []:
    sys.argv = arguments + more
    with contextlib.suppress(SystemExit):
        main()
    sys.stderr.write("\\0")
"""


def test_quiet_is_quiet(tmp_path, frame):
    frame.loc[:5, "sex"] = None
    frame.head(60).assign(day="2020-01-01").to_csv(tmp_path / "a.csv", index=False)
    options = ["--y", "grade", "--group", "sex", "--labels", ",".join(ORDER), "--feature", "score"]
    options += ["-o", str(tmp_path / "m.json"), "--trade-off", "0.1", "--model", "linear"]
    command = [sys.executable, "-c", QUIETLY_AND_NOT, "fit", str(tmp_path / "a.csv"), *options]
    found = subprocess.run(command, capture_output=True, text=True, check=True)
    assert found.stdout.count("Written: ") == 2
    quiet, noisy, _ = found.stderr.split("\0")
    assert "6 of 60 rows are left out" in noisy
    assert quiet == ""


def test_a_model_of_little_use_is_noted_by_a_quiet_fit(tmp_path, frame, monkeypatch, capsys):
    frame.head(60).to_csv(tmp_path / "a.csv", index=False)
    options = ["--y", "grade", "--group", "sex", "--labels", ",".join(ORDER), "--feature", "score"]
    options += ["--max-violation", 0, "--model", "linear", "-o", tmp_path / "m.json", "--quiet"]
    code, noted = failure(monkeypatch, capsys, "fit", tmp_path / "a.csv", *options)
    assert not code
    assert noted.startswith("Note: All people get label ")
    assert "No other candidate keeps --max-violation 0" in noted


@pytest.fixture(scope="module")
def coded(tmp_path_factory):
    """A table with codes, dates and identifiers, and a model fitted to it."""
    frame, folder = graded_people(), tmp_path_factory.mktemp("coded")
    generator = np.random.default_rng(5)
    table = frame.drop(columns="predicted").assign(
        zip=generator.choice(["00123", "00124", "10115"], len(frame)),
        day=pd.date_range("2020-01-01", periods=len(frame)).strftime("%Y-%m-%d"),
    )
    path = folder / "coded.csv"
    table.to_csv(path, index=False)
    options = ("--y", "grade", "--group", "sex", "--labels", ",".join(ORDER))
    result = run("fit", path, *options, "-o", folder / "m.json", "--trade-off", 0.1)
    assert result.exit_code == 0, result.exception
    return table, folder / "m.json", result


def test_codes_are_text_identifiers_and_dates_are_left_out(coded, tmp_path):
    table, file, result = coded
    model = load_model(file)
    assert [column.name for column in model.preparation.columns] == ["score", "town", "zip"]
    assert "zip=00123" in model.preparation.input_names
    assert "'day'" in result.stderr
    table.head(20)[["score", "town", "zip"]].to_csv(tmp_path / "new.csv", index=False)
    assert run("predict", file, tmp_path / "new.csv", "-o", tmp_path / "o.csv").exit_code == 0
    out = pd.read_csv(tmp_path / "o.csv", dtype={"zip": str})
    assert out.zip.tolist() == table.head(20).zip.tolist()
    assert out.predicted.tolist() == model.predict(table.head(20)).tolist()


def test_new_rows_without_a_leading_zero_have_the_same_codes(coded, tmp_path):
    table, file, _ = coded
    some = table[table.zip == "10115"]
    some.to_csv(tmp_path / "new.csv", index=False)
    run("predict", file, tmp_path / "new.csv", "-o", tmp_path / "o.csv", "--score", "s")
    out = pd.read_csv(tmp_path / "o.csv", float_precision="round_trip")
    np.testing.assert_array_equal(out.s, load_model(file).scores(some))


def test_a_column_that_is_there_is_not_replaced(coded, tmp_path, monkeypatch, capsys):
    table, file, _ = coded
    table.assign(predicted=1).to_csv(tmp_path / "new.csv", index=False)
    arguments = ("predict", file, tmp_path / "new.csv", "-o", tmp_path / "o.csv")
    _, line = failure(monkeypatch, capsys, *arguments)
    assert "Name another, such as --as predicted_by_model" in line


def test_thresholds_of_a_european_file_are_those_of_the_library(tmp_path, frame):
    table = numbered(frame)
    table.to_csv(tmp_path / "a.csv", index=False, sep=";", decimal=",")
    options = ("--score", "score", "--y", "y", "--group", "sex", "--max-violation", "0.1")
    result = run("thresholds", tmp_path / "a.csv", *options, "--json", tmp_path / "t.json")
    same = optimize_thresholds(
        table.score, table.y, sensitive_features=table[["sex"]], max_violation=0.1
    )
    assert result.output.startswith(str(same))
    assert json.loads((tmp_path / "t.json").read_text())["thresholds"] == list(same.thresholds)


def test_completion_works_in_bash(tmp_path):
    """The words that bash is offered after `fairordinal au`."""
    environment = os.environ | {
        "_FAIRORDINAL_COMPLETE": "complete_bash",
        "COMP_WORDS": "fairordinal au",
        "COMP_CWORD": "1",
    }
    program = f"import sys; sys.argv[0] = 'fairordinal'; {MAIN}"
    found = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True
    )
    assert found.stdout.split() == ["audit"]


READINGS = {  # true labels, predictions, and how the rule of `audit` reads them
    "deciles": ([0, 1] * 10, [*range(1, 11)] * 2, "scores"),
    "clipped": ([1, 2, 3, 1] * 5, [*range(1, 10), 9] * 2, "scores"),
    "one more": ([1, 2, 3, 1] * 5, [1, 2, 3, 4] * 5, "labels"),
    "same": ([1, 2, 3, 1] * 5, [1, 1, 3, 2] * 5, "labels"),
    "fractions": ([1, 2, 3, 1] * 5, [1.5, 2, 3, 4] * 5, "scores"),
}


def read_from_file(folder, y, p, *options):
    """The text, and the numbers, of an audit of a file."""
    groups = ["a", "b", "b", "a"] * 5
    pd.DataFrame({"y": y, "p": p, "sex": groups}).to_csv(folder / "a.csv", index=False)
    result = run("audit", folder / "a.csv", *NUMBERED, "--json", folder / "a.json", *options)
    assert result.exit_code == 0, result.output
    return " ".join(result.output.split()), json.loads((folder / "a.json").read_text())


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@pytest.mark.parametrize("name", READINGS)
def test_predictions_of_a_file_are_read_as_those_in_memory(tmp_path, name):
    y, p, reading = READINGS[name]
    expected = audit(y, p, sensitive_features=["a", "b", "b", "a"] * 5)
    text, numbers = read_from_file(tmp_path, y, p)
    assert numbers["predictions"] == reading
    assert expected.table.predicts_labels is (reading == "labels")
    assert numbers["labels"] == expected.table.labels.tolist()
    for found, finding in zip(numbers["findings"], expected.findings, strict=True):
        assert (found["violation"] or 0) == pytest.approx(np.nan_to_num(finding.violation))
    other = {"labels": "scores", "scores": "labels"}[reading]
    assert (f"pass --predictions {other}" in text) is expected.table.reading_is_guessed
    assert "predictions=" not in text


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
def test_options_say_what_predictions_are(tmp_path):
    y, p, _ = READINGS["deciles"]
    for options in (["--scores"], ["--predictions", "scores"]):
        text, numbers = read_from_file(tmp_path, y, p, *options)
        assert numbers["predictions"] == "scores"
        assert "were read as" not in text
    _, numbers = read_from_file(tmp_path, y, p, "--predictions", "labels")
    assert numbers["labels"] == [*range(11)]
    report = tmp_path / "r.html"
    read_from_file(tmp_path, y, p, "--html", report)
    assert "pass --predictions labels" in report.read_text(encoding="utf-8")


def test_all_rows_without_a_label_are_counted(tmp_path, monkeypatch, capsys):
    rows = pd.DataFrame({"y": [1, 2, 3, 1] * 5, "p": [1, 2, 3, 7] * 5, "sex": ["a", "b"] * 10})
    rows.to_csv(tmp_path / "a.csv", index=False)
    arguments = ("audit", tmp_path / "a.csv", *NUMBERED, "--labels", "1,2,3")
    _, message = failure(monkeypatch, capsys, *arguments)
    assert "--pred: value 7 is not one of the labels 1, 2, 3" in message
    assert "Such values are in 5 rows" in message
    assert "pass --predictions scores" in message


@pytest.mark.parametrize(
    ("options", "shown"),
    [
        (["--predictions", "score"], "got 'score'. Did you mean 'scores'?"),
        (["--scores", "--predictions", "labels"], "contradict each other"),
        (["--scores"], "--pred: the column must hold finite numbers, got 'bad'"),
    ],
)
def test_readings_that_make_no_sense_are_refused(
    tmp_path, frame, monkeypatch, capsys, options, shown
):
    numbered(frame).assign(p="bad").to_csv(tmp_path / "a.csv", index=False)
    _, message = failure(monkeypatch, capsys, "audit", tmp_path / "a.csv", *NUMBERED, *options)
    assert shown in message


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
def test_numbers_beside_labels_that_are_names_are_scores(tmp_path, frame, monkeypatch, capsys):
    path, order = tmp_path / "a.csv", ("--labels", ",".join(ORDER))
    table = numbered(frame).assign(ten=range(len(frame)))
    table.to_csv(path, index=False)
    for column in ("score", "ten"):
        found = run("audit", path, "--y", "grade", "--pred", column, "--group", "sex", *order)
        same = audit(table.grade, table[column], sensitive_features=table[["sex"]], labels=ORDER)
        assert found.output.startswith(str(same))
    codes = ("audit", path, "--y", "grade", "--pred", "p", "--group", "sex", *order)
    assert "pass --predictions scores" in failure(monkeypatch, capsys, *codes)[1]
    assert run(*codes, "--scores").exit_code == 0
    _, line = failure(monkeypatch, capsys, *codes, "--scores", "--criterion", "hp")
    assert "harm_parity needs predicted labels, but --pred was read as scores. Choose one" in line
    assert "--predictions labels" not in line


EUROPEAN = "y;points;code;g\n" + "".join(
    f"{i % 3};{i},5;{i:03d};{'ab'[i % 2]}\n" for i in range(60)
)


def test_the_cell_that_is_no_number_is_named_with_decimal_commas(tmp_path, monkeypatch, capsys):
    path = tmp_path / "a.csv"
    path.write_text(EUROPEAN.replace(";7,5;", ";1.007,5;"))
    given = ("audit", path, "--y", "y", "--pred", "points", "--group", "g")
    assert "got '1.007,5'" in failure(monkeypatch, capsys, *given)[1]


def test_a_column_that_is_text_because_of_few_cells_is_named(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(EUROPEAN.replace(";7,5;", "; 1.007,5;").replace("012;", "x12;"))
    file = open_table(path)
    (note,) = read_table(file, "y", ["g"], None, [], []).notes
    assert note.startswith("Column 'points' is read as text, because '1.007,5' is no number (1 of")
    assert not read_table(file, "y", ["g"], None, ["code"], []).notes
    assert not read_table(file, "y", ["g"], None, [], ["points"]).notes
    path.write_text(EUROPEAN)
    assert not read_table(open_table(path), "y", ["g"], None, [], []).notes
