"""Tables in files: no row is lost, missing cells are counted, messages name lines of the file."""

import bz2
import csv
import gzip
import io
import json
import os
import subprocess
import sys
import textwrap

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.dataset as ds
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cli_runner import failure, graded_people, run
from fairordinal import audit
from fairordinal._lazy import _arrow
from fairordinal._source import count_rows, open_table
from fairordinal._source._csv_text import Quotes
from fairordinal.models import load_model
from oracles import swallowed_by_reading

pytestmark = pytest.mark.usefixtures("small_effort")

MAIN = "from fairordinal.cli import main; main()"
ORDER = ("--labels", "bad,okay,good,great")
NUMBERED = ("--y", "y", "--pred", "p", "--group", "g")
PACKED = [("a.csv", bytes), ("a.csv.gz", gzip.compress), ("a.csv.bz2", bz2.compress)]


# ---------------------------------------------------------------- quotes


@settings(max_examples=400)
@given(st.data())
def test_quotes_in_blocks_are_those_of_the_whole_text(data):
    text = bytes(data.draw(st.lists(st.sampled_from(b'"",\na\r'), max_size=14)))
    sizes = data.draw(st.lists(st.integers(1, 5), min_size=len(text), max_size=len(text)))
    quotes, start, found = Quotes(","), 0, None
    for size in sizes:
        found = found or quotes.add(text[start : start + size])
        start += size
    assert (found or quotes.end()) == swallowed_by_reading(text)


def in_cells(parts):
    return st.lists(st.sampled_from(parts), max_size=4).map("".join)


LINES = st.lists(
    st.lists(in_cells(["a", "é", '"', '""', '"b"', '"c\n"', " "]), min_size=1, max_size=3),
    min_size=1,
    max_size=5,
)


@settings(max_examples=300)
@given(LINES, st.sampled_from(["\n", "\r\n", "\r"]), st.booleans(), st.integers(1, 3))
def test_rows_and_cells_are_those_of_the_csv_module_or_the_file_is_refused(
    tmp_path_factory, lines, end, ended, width
):
    header = ",".join(f"c{i}" for i in range(width))
    text = end.join([header, *map(",".join, lines)]) + end * ended
    path = tmp_path_factory.mktemp("any") / "a.csv"
    path.write_bytes(text.encode())
    found = [*csv.reader(io.StringIO(text, newline=""))][1:]
    expected = [row or [""] for row in found if row or width == 1]
    try:
        source = open_table(path)
        written, table = source.raw_table([*source.columns.values()]), source.table()
    except ValueError:
        return
    cells = [column.to_pylist() for column in written.columns]
    assert [list(row) for row in zip(*cells, strict=True)] == expected
    assert table.num_rows == len(expected)


def cut_short(row=40, n=100):
    """Rows of which one has a quote that is not closed, in the last column."""
    frame = graded_people(n)[["score", "sex", "predicted", "grade"]]
    lines = frame.to_csv(index=False).splitlines()
    lines[row] = lines[row][::-1].replace(",", '",', 1)[::-1]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize(("name", "pack"), PACKED)
@pytest.mark.parametrize("command", ["audit", "thresholds", "frontier", "fit", "predict"])
def test_a_quote_that_is_not_closed_is_refused_with_its_line(
    tmp_path, monkeypatch, capsys, command, name, pack
):
    path, model = tmp_path / name, tmp_path / "m.json"
    columns = ("--y", "grade", "--group", "sex", *ORDER)
    options = {
        "audit": (path, *columns, "--pred", "predicted"),
        "thresholds": (path, *columns, "--score", "score", "--max-violation", 0.1),
        "frontier": (path, *columns),
        "fit": (path, *columns, "-o", model),
        "predict": (model, path, "-o", tmp_path / "out.csv"),
    }
    if command == "predict":
        graded_people().drop(columns="predicted").to_csv(tmp_path / "whole.csv", index=False)
        chosen = ("--feature", "score", "--trade-off", 0.1, "-o", model)
        assert run("fit", tmp_path / "whole.csv", *columns, *chosen).exit_code == 0
    path.write_bytes(pack(cut_short().encode()))
    code, line = failure(monkeypatch, capsys, command, *options[command])
    assert code == 1
    assert f"{name}: the quote that opens in line 41 is not closed" in line
    assert not (tmp_path / "out.csv").exists()


SWALLOWING = [
    ('y,p,g\n1,1,a\n2,2,"b', "line 3 is not closed"),
    ('y,p,g\n1,1,a\n2,2,"', "line 3 is not closed"),
    ('y,p,g\n1,1,a\n2,2,"b\n', "line 3 is not closed"),
    ('y,p,g\n\n\n1,1,a\n2,2,"b\n1,2,c\n', "line 5 is not closed"),
    ('y,p,g\r\n1,1,"a\r\nb"\r\n2,2,"b\r\n1,1,a\r\n', "line 4 is not closed"),
    ('y,p,g\n1,1,"a\n1,2,b\n2,1,"b\n2,2,a\n', "line 2 is closed amid the text of line 4"),
    ('"y,p,g\n1,1,a\n2,2,b\n', "line 1 is not closed"),
    ('y,p,g\n1,"1,a\n2,2,b\n', "line 2 is not closed"),
    ('y,p,g,t\n1,1,a,5" pipe\n2,2,b,"c\n2,2,b,d\n', "line 3 is not closed"),
]


@pytest.mark.parametrize(("text", "words"), SWALLOWING)
def test_a_quote_that_swallows_rows_is_refused(tmp_path, monkeypatch, capsys, text, words):
    (tmp_path / "a.csv").write_bytes(text.encode())
    _, line = failure(monkeypatch, capsys, "audit", tmp_path / "a.csv", *NUMBERED)
    assert f"the quote that opens in {words}" in line


def test_quotes_that_belong_to_the_text_do_no_harm(tmp_path):
    path = tmp_path / "a.csv"
    rows = ['1,1,a,5" pipe', '2,2,b,"two\nlines, ""quoted"""', '1,2,"a",""', '2,1,"b","x"']
    path.write_text("y,p,g,t\n" + "\n".join(rows))
    assert open_table(path).raw_table(["t"]).column("t").to_pylist() == [
        '5" pipe',
        'two\nlines, "quoted"',
        "",
        "x",
    ]
    assert "Audit of 4 rows" in run("audit", path, *NUMBERED).output


def test_quotes_are_followed_again_only_if_rows_are_not_lines(tmp_path, monkeypatch):
    passes = []
    monkeypatch.setattr(
        "fairordinal._source._csv_text.check_quotes", lambda layout: passes.append(layout)
    )
    path = tmp_path / "a.csv"
    for text, n_passes in (
        ("a,b\n1,2\n3,4\n", 0),
        ('a,b\n"1",2\n3,"4"\n', 0),
        ('a,b\n"1",2\n3,"4"', 0),
        ('a,b\n"1\n",2\n3,"4"\n', 1),
        ('a,b\n1,2\n3,"4\n', 1),
    ):
        passes.clear()
        path.write_text(text)
        open_table(path).raw_table(["a"])
        assert len(passes) == n_passes


def test_a_byte_of_value_0_far_inside_is_refused_with_its_line(tmp_path, monkeypatch, capsys):
    path = tmp_path / "a.csv"
    path.write_bytes(b"y,p,g\n" + b"1,1,a\n2,2,b\n" * 20_000 + b"1,1,a\0\n")
    _, line = failure(monkeypatch, capsys, "audit", path, *NUMBERED)
    assert "a.csv has a byte of value 0 in line 40002" in line


def test_blank_lines_of_a_single_column_are_rows(tmp_path):
    path = tmp_path / "a.csv"
    for before in ("", "\n\n"):
        path.write_text(f"{before}x\n1\n\n3\n")
        source = open_table(path)
        assert source.raw_table([*source.columns.values()]).columns[0].to_pylist() == ["1", "", "3"]
        assert source.table().column("x").to_pylist() == [1, None, 3]
    path.write_text("x,y\n1,2\n\n3,4\n")
    assert open_table(path).table().num_rows == 2


def test_a_text_that_ends_early_is_refused(tmp_path, monkeypatch, capsys):
    rows = "".join(f"{i % 2},{i % 2},{'ab'[i % 2]},{os.urandom(9).hex()}\n" for i in range(9000))
    for name, pack in PACKED[1:]:
        (tmp_path / name).write_bytes(pack(f"y,p,g,x\n{rows}".encode())[:-9000])
        _, line = failure(monkeypatch, capsys, "audit", tmp_path / name, *NUMBERED)
        assert name in line
        assert "cannot be read" in line


# ---------------------------------------------------------------- memory

READ = """
    import sys
    import pyarrow as pa
    from fairordinal._source import _table_file, count_rows, open_table
    _table_file.BLOCK = 1 << 16
    count_rows(open_table(sys.argv[1]), ["y", "p", "g", "x"])
    print(pa.default_memory_pool().max_memory())
"""


def test_memory_is_that_of_a_few_blocks_on_one_core(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(b"y,p,g,x\n" + (b"1,2,a," + b"x" * 40 + b"\n") * 200_000)
    found = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(READ), str(path)],
        env=os.environ | {"OMP_NUM_THREADS": "1"}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert int(found.stdout) < path.stat().st_size / 3


def test_a_dataset_is_not_scanned_by_one_thread(tmp_path, monkeypatch):
    """With one, pyarrow holds most of a CSV in memory."""
    counts, grouped = [], _arrow._grouped
    monkeypatch.setattr(
        _arrow, "_grouped", lambda *rows: counts.append(pa.cpu_count()) or grouped(*rows)
    )
    table = pa.table({"y": [1, 2, 1, 2], "p": [1, 2, 2, 1], "g": ["a", "b", "b", "a"]})
    before = pa.cpu_count()
    pa.set_cpu_count(1)
    try:
        audit("y", "p", sensitive_features="g", data=ds.dataset(table))
        assert counts == [2]
        assert pa.cpu_count() == 1
    finally:
        pa.set_cpu_count(before)


# ---------------------------------------------------------------- what is missing

LEVELS = ["none", "mild", "severe"]
NAMED = ("--y", "y", "--pred", "p", "--group", "g", "--labels", ",".join(LEVELS))


def patients(n=300, seed=3):
    """Labels and groups some of which read like missing values, and are not."""
    generator = np.random.default_rng(seed)
    y = generator.choice(LEVELS, n)
    p = np.where(generator.random(n) < 0.6, y, generator.choice(LEVELS, n))
    g = generator.choice(["NA", "EU"], n)
    return pd.DataFrame({"y": y, "p": p, "g": g, "x": generator.normal(size=n).round(3)})


def audit_of(frame):
    return str(audit(frame.y, frame.p, sensitive_features=frame[["g"]], labels=LEVELS))


def test_what_the_order_names_is_a_label(tmp_path):
    frame = patients().assign(g=lambda rows: rows.g.replace("NA", "US"))
    for labels in (["none", "mild", "severe"], ["NA", "null", "nan"]):
        renamed = frame.replace(dict(zip(LEVELS, labels, strict=True)))
        renamed.to_csv(tmp_path / "a.csv", index=False)
        order = ("--labels", ",".join(labels))
        result = run("audit", tmp_path / "a.csv", *NAMED[:-2], *order)
        assert "Audit of 300 rows" in result.output
        assert "Left out" not in result.output
        columns = ("--y", "y", "--group", "g", "--feature", "x", *order)
        model = tmp_path / "m.json"
        run("fit", tmp_path / "a.csv", *columns, "-o", model, "--trade-off", 0.1)
        assert load_model(model).data.rows_used == 300
        assert load_model(model).classes_.tolist() == labels
        result = run(
            "thresholds", tmp_path / "a.csv", *columns[:4], *order, "--score", "x",
            "--trade-off", 0.1, "--json", tmp_path / "t.json",
        )  # fmt: skip
        assert result.exit_code == 0
        kept = json.loads((tmp_path / "t.json").read_text())
        assert kept["missing"] == {"rows_left_out": 0, "cells": []}


def test_only_null_is_missing_in_a_format_with_types(tmp_path):
    frame = patients()
    frame.loc[frame.index[:20], "g"] = ""
    frame.loc[frame.index[20:30], "g"] = " EU"
    frame.to_parquet(tmp_path / "a.parquet")
    frame.to_feather(tmp_path / "a.arrow")
    lazily = audit(
        "y", "p", sensitive_features=["g"], labels=LEVELS, data=ds.dataset(tmp_path / "a.parquet")
    )
    for name in ("a.parquet", "a.arrow"):
        result = run("audit", tmp_path / name, *NAMED)
        assert result.output == f"{audit_of(frame)}\n" == f"{lazily}\n"
    columns = ("--y", "y", "--group", "g", "--feature", "x", *NAMED[-2:])
    run("fit", tmp_path / "a.parquet", *columns, "-o", tmp_path / "m.json", "--trade-off", 0.1)
    groups = {group.values[0]: group.rows for group in load_model(tmp_path / "m.json").groups}
    assert groups == frame.g.value_counts().to_dict()


def with_holes():
    frame = patients().astype({"g": object, "y": object, "x": object})
    frame.loc[:9, "g"] = "NA"
    frame.loc[10:, "g"] = frame.g[10:].replace("NA", "US")
    frame.loc[5:14, "y"] = None
    frame.loc[20:22, "x"] = "NA"
    frame.loc[23:24, "x"] = "-99"
    return frame


TOLD = "Left out: 15 rows with a missing value: empty in y (10), 'NA' in g (10)."


@pytest.mark.parametrize("quiet", [(), ("--quiet",)])
def test_what_was_taken_as_missing_is_part_of_the_result(tmp_path, quiet):
    path, numbers, page = (tmp_path / name for name in ("a.csv", "n.json", "a.html"))
    with_holes().to_csv(path, index=False)
    expected = {
        "rows_left_out": 15,
        "cells": [
            {"column": "y", "value": "", "rows": 10},
            {"column": "g", "value": "NA", "rows": 10},
        ],
    }
    written = ("--json", numbers, *quiet)
    result = run("audit", path, *NAMED, *written, "--html", page)
    assert TOLD in result.stdout
    assert json.loads(numbers.read_text())["missing"] == expected
    assert (
        "<dt>Left out</dt><dd>15 rows with a missing value: empty in y (10), " in page.read_text()
    )
    columns = ("--y", "y", "--group", "g", *NAMED[-2:])
    goal = ("--trade-off", 0.1)
    for command, more in (("fit", (*goal, "-o", tmp_path / "m.json")), ("frontier", written[:2])):
        result = run(
            command, path, *columns, "--feature", "x", "--missing", "NA,-99", *more, *quiet
        )
        assert TOLD in result.stdout
        assert "Inputs taken as missing: 'NA' in x (3), '-99' in x (2)." in result.stdout
    kept = json.loads(numbers.read_text())["missing"]
    inputs = [{"column": "x", "value": "NA", "rows": 3}, {"column": "x", "value": "-99", "rows": 2}]
    assert kept == {**expected, "inputs": inputs}
    scored = tmp_path / "scored.csv"
    with_holes()[30:].assign(g="NA").to_csv(scored, index=False)
    options = ("--score", "x", *goal, "--missing", "", *written)
    result = run("thresholds", scored, *columns, *options)
    assert result.exit_code == 1  # one group, which is kept
    assert "one group" in str(result.exception)


@pytest.mark.parametrize(
    ("missing", "n_rows"), [(None, 290), ("", 300), ("EU,US", 300 - 290), ("none", 300)]
)
def test_values_that_are_missing_can_be_chosen(tmp_path, missing, n_rows):
    frame = with_holes().assign(y=patients().y)
    frame.to_csv(tmp_path / "a.csv", index=False)
    frame[["y", "p", "g"]].to_parquet(tmp_path / "a.parquet")
    option = () if missing is None else ("--missing", missing)
    found = run("audit", tmp_path / "a.csv", *NAMED, *option)
    if missing == "EU,US":
        assert "one group" in str(found.exception)
        return
    assert f"Audit of {n_rows} rows" in found.output
    n_typed = 300 if missing is None else n_rows
    assert (
        f"Audit of {n_typed} rows" in run("audit", tmp_path / "a.parquet", *NAMED, *option).output
    )


def test_numbers_can_stand_for_missing_values_in_all_formats(tmp_path):
    frame = patients().assign(
        g=["a", "b", "c"] * 100, x=lambda rows: rows.x.where(rows.index > 5, -99)
    )
    frame.to_csv(tmp_path / "a.csv", index=False)
    frame.to_parquet(tmp_path / "a.parquet")
    options = ("--score", "x", "--y", "y", "--group", "g", *NAMED[-2:], "--trade-off", 0.1)
    for name, shown in (("a.csv", "'-99.0'"), ("a.parquet", "-99.0")):
        result = run("thresholds", tmp_path / name, *options, "--missing", "-99,-99.0")
        assert f"Left out: 6 rows with a missing value: {shown} in x (6)." in result.output


def test_a_category_of_the_model_is_not_missing_and_others_are_told(tmp_path):
    frame = patients().assign(g="a", town=["NA", "Ulm", "Bonn"] * 100)
    frame.loc[::2, "g"] = "b"
    frame.to_csv(tmp_path / "a.csv", index=False)
    columns = ("--y", "y", "--group", "g", *NAMED[-2:], "--feature", "x", "--feature", "town")
    model, out = tmp_path / "m.json", tmp_path / "o.csv"
    run("fit", tmp_path / "a.csv", *columns, "--missing", "", "-o", model, "--trade-off", 0.1)
    assert load_model(model).preparation.categories == {"town": ("Bonn", "NA", "Ulm")}
    frame.loc[:3, "town"] = ["NA", "null", None, "Ulm"]
    frame.to_csv(tmp_path / "b.csv", index=False)
    result = run("predict", model, tmp_path / "b.csv", "-o", out, "--score", "s")
    assert "Inputs taken as missing: 'null' in town (1), empty in town (1)." in result.stdout
    expected = load_model(model).scores(frame.replace({"town": {"null": None}}))
    np.testing.assert_array_equal(pd.read_csv(out, float_precision="round_trip").s, expected)


def test_every_command_that_reads_a_table_has_the_option_and_its_default(tmp_path):
    for command in ("audit", "thresholds", "frontier", "fit", "predict"):
        words = " ".join(run(command, "--help").output.replace("│", " ").split())
        assert "--missing" in words
        assert "NA, N/A, n/a, #N/A, NaN, nan, NULL, null" in words


# ---------------------------------------------------------------- names, encodings, lines


@pytest.mark.skipif(sys.platform != "linux", reason="file names are bytes on Linux")
@pytest.mark.parametrize("ending", [".csv", ".csv.gz", ".parquet"])
def test_a_file_name_need_not_be_utf8(tmp_path, ending):
    frame = patients()
    path = os.fsencode(tmp_path) + b"/\xff" + ending.encode()
    if ending == ".parquet":
        frame.to_parquet(tmp_path / "a.parquet")
        os.rename(tmp_path / "a.parquet", path)
    else:
        text = frame.to_csv(index=False).encode()
        with open(path, "wb") as file:
            file.write(gzip.compress(text) if ending == ".csv.gz" else text)
    options = [*NAMED, "--missing", "", "--html", str(tmp_path / "a.html")]
    if ending == ".csv":  # bytes are arguments of a process only
        command = [sys.executable, "-c", MAIN, "audit", path, *options]
        printed = subprocess.run(command, capture_output=True).stdout.decode()
    else:
        printed = run("audit", os.fsdecode(path), *options).stdout
    assert printed.startswith(audit_of(frame))
    assert f"<dt>File</dt><dd>\ufffd{ending}</dd>" in (tmp_path / "a.html").read_text()


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
def test_wide_characters_need_no_byte_order_mark(tmp_path, encoding):
    frame = patients()
    (tmp_path / "a.csv").write_bytes(frame.to_csv(index=False).encode(encoding))
    options = ("--encoding", encoding[:-3], "--missing", "")
    assert run("audit", tmp_path / "a.csv", *NAMED, *options).output.startswith(audit_of(frame))


def test_bytes_whose_order_is_not_sure_are_asked_for(tmp_path, monkeypatch, capsys):
    (tmp_path / "a.csv").write_bytes(b"y,p,g\n1,1,a\n")
    options = ("--encoding", "utf-16")
    _, line = failure(monkeypatch, capsys, "audit", tmp_path / "a.csv", *NUMBERED, *options)
    assert "does not begin with a byte order mark" in line
    assert "--encoding utf-16-le (as Windows writes it) or --encoding utf-16-be" in line


RAGGED = [
    ("y,p,g\n\n\n1,1,a\n\n2,2\n", "line 6 has 2 cells but the header has 3"),
    ('y,p,g\n1,1,"a\nb"\n2,2,b,4\n', "line 4 has 4 cells but the header has 3"),
    ("y,p,g\r\n\r\n1,1,a\r\n2,2\r\n", "line 4 has 2 cells but the header has 3"),
]


@pytest.mark.parametrize(("text", "words"), RAGGED)
def test_a_row_of_too_few_cells_is_named_by_its_line(tmp_path, monkeypatch, capsys, text, words):
    path = tmp_path / "a.csv"
    path.write_bytes(text.encode())
    fit = ("fit", path, "--y", "y", "--group", "g", "-o", tmp_path / "m.json")
    for arguments in (("audit", path, *NUMBERED), fit):
        assert words in failure(monkeypatch, capsys, *arguments)[1]


def test_messages_about_rows_name_the_line_of_the_file(tmp_path, monkeypatch, capsys):
    frame = patients().assign(g=["a", "b"] * 150)
    columns = ("--y", "y", "--group", "g", *NAMED[-2:], "--feature", "x")
    model, path = tmp_path / "m.json", tmp_path / "b.csv"
    frame.to_csv(tmp_path / "a.csv", index=False)
    run("fit", tmp_path / "a.csv", *columns, "-o", model, "--trade-off", 0.1)
    path.write_text('x,t\n1,"two\nlines"\n\n2,\n?,a\n')
    arguments = ("predict", model, path, "-o", tmp_path / "o.csv")
    assert "got '?' at line 6." in failure(monkeypatch, capsys, *arguments)[1]
    typed = tmp_path / "b.parquet"
    pd.DataFrame({"x": ["1", "2", "?"]}).to_parquet(typed)
    arguments = ("predict", model, typed, "-o", tmp_path / "o.csv")
    assert "got '?' at row 3." in failure(monkeypatch, capsys, *arguments)[1]
    frame = frame.astype({"x": object, "y": object})
    frame.loc[:9, "y"] = None
    frame.loc[20, "x"] = "inf"
    path.write_text("\n\n" + frame.to_csv(index=False))
    arguments = ("fit", path, *columns, "-o", model)
    assert "got inf at line 24 (1 such rows)" in failure(monkeypatch, capsys, *arguments)[1]


@pytest.mark.parametrize("name", ["number of rows", "count", "0", "1"])
def test_no_column_name_clashes_with_the_counts_of_rows(name, tmp_path):
    file = tmp_path / "a.csv"
    file.write_text(f"y,p,{name}\n1,1,a\n2,1,b\n2,2,a\n1,2,b\n1,2,b\n")
    counted = count_rows(open_table(file), ["y", name])
    assert counted.columns[name].to_pylist() == ["a", "b", "a", "b"]
    assert counted.counts == [1, 1, 1, 2]
