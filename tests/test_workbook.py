"""The command line on sheets of Excel files."""

import datetime
import io
import sys

import pytest

from cli_runner import AUDITED, failure, run
from fairordinal._source import open_table
from fairordinal.models import load_model

openpyxl = pytest.importorskip("openpyxl")
pytest.importorskip("python_calamine")


def write_sheets(path, **sheets):
    """Write lists of rows as sheets of a workbook."""
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    book.save(path)
    return path


def rows_of(frame):
    return [frame.columns.tolist(), *frame.to_numpy().tolist()]


def test_the_audit_of_the_first_sheet_is_that_of_its_rows(tmp_path, frame, expected):
    path = write_sheets(tmp_path / "a.xlsx", people=rows_of(frame), other=[["x"], [1]])
    assert run("audit", path, *AUDITED).output.startswith(expected)
    other = write_sheets(tmp_path / "b.xlsx", other=[["x"], [1]], people=rows_of(frame))
    assert run("audit", other, *AUDITED, "--sheet", "people").output.startswith(expected)


def test_a_workbook_may_come_through_a_pipe(tmp_path, frame, expected, monkeypatch):
    path = write_sheets(tmp_path / "a.xlsx", people=rows_of(frame))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(path.read_bytes())))
    assert open_table("-").raw_table(["sex"]).column("sex").to_pylist() == frame.sex.tolist()


def test_cells_are_read_like_those_of_a_csv(tmp_path):
    rows = [
        [None, None, None],
        ["whole", "part", "day", None, "moment", "yes", "code", "text", 2020],
        [1, 0.1, datetime.date(2020, 1, 31), None, datetime.datetime(2020, 1, 31, 8), True, "01",
         'a "b",\nc', 1],
        [None, None, None],
        [2, "NA", None, None, None, False, "2", None, 10**20],
    ]  # fmt: skip
    table = open_table(write_sheets(tmp_path / "a.xlsx", s=rows)).table(find_codes=True)
    assert table.to_pydict() == {
        "whole": [1, 2],
        "part": [0.1, None],
        "day": [datetime.date(2020, 1, 31), None],
        "moment": [datetime.datetime(2020, 1, 31, 8), None],
        "yes": [True, False],
        "code": ["01", "2"],
        "text": ['a "b",\nc', None],
        "2020": [1.0, 1e20],
    }


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ((), "the sheet 'none' is empty. Its sheets are 'none', 'people'; --sheet names another."),
        (("--sheet", "x"), "--sheet: a.xlsx has no sheet 'x'. It has 'none', 'people'."),
        (("--sheet", "people", "--group", "nix"), "no column 'nix' in the sheet 'people'. It has"),
        (("--sheet", "people", "--group", "nix"), "Other sheets are 'none'; --sheet names one."),
    ],
)
def test_wrong_sheets_are_an_error(tmp_path, frame, monkeypatch, capsys, options, words):
    path = write_sheets(tmp_path / "a.xlsx", none=[], people=rows_of(frame))
    code, line = failure(monkeypatch, capsys, "audit", path, *AUDITED, *options)
    assert code == 1
    assert words in line


def test_what_is_not_a_workbook_is_an_error(tmp_path, frame, monkeypatch, capsys):
    path = tmp_path / "a.xlsx"
    frame.to_csv(path, index=False)
    _, line = failure(monkeypatch, capsys, "audit", path, *AUDITED)
    assert "a.xlsx is not an Excel file, or it is damaged or has a password" in line
    frame.to_csv(tmp_path / "a.csv", index=False)
    _, line = failure(monkeypatch, capsys, "audit", tmp_path / "a.csv", *AUDITED, "--sheet", "s")
    assert line == "Error: --sheet: a.csv is not an Excel file; leave --sheet out."


def test_messages_count_rows_as_the_spreadsheet_does(tmp_path, monkeypatch, capsys):
    rows = [[i % 2, "ab"[i // 2 % 2], i + 0.5] for i in range(80)]
    train = write_sheets(tmp_path / "train.xlsx", s=[["y", "g", "x"], *rows])
    model = tmp_path / "m.json"
    options = ("--y", "y", "--group", "g", "--trade-off", 0.1, "--model", "linear", "-o", model)
    assert run("fit", train, *options).exit_code == 0
    assert load_model(model).data.rows_used == 80
    new = write_sheets(tmp_path / "new.xlsx", s=[[], ["x", "t"], [1, "a\nb"], [], ["one", "c"]])
    _, line = failure(monkeypatch, capsys, "predict", model, new, "-o", tmp_path / "out.csv")
    assert "column 'x' must hold numbers" in line
    assert "'one' at row 5 of the sheet" in line
