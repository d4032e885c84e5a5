"""The command line on files as strangers make them, against pandas and the Python API."""

import contextlib
import io
import json
import logging
import sys
import tempfile
import warnings
from pathlib import Path

import pandas as pd

from fairordinal import audit
from fairordinal.cli import main
from fairordinal.models import load_model
from fuzz import chance, choose
from fuzz.audits import assert_close
from fuzz.rows import CONTROLS, draw_names, draw_rows

NOISE = ["x", "1", "", "2.5", "a,b", 'say "x"', "two\nlines", "=1+1", "é", "   ", "\x1b[31m", "#"]
NUMBERS = {"01": "1st", "1.0": "1 st", "inf": "infinite"}  # two of them may be one number
ENCODINGS = {"utf-8": (), "utf-8-sig": (), "utf-16": ("--encoding", "utf-16"),
             "utf-8 ": ("--encoding", "utf-8")}  # fmt: skip


def program(*arguments):
    """Exit code, standard output and standard error of the program, run here."""
    out, err = io.StringIO(), io.StringIO()
    before, level = sys.argv, logging.root.level
    handler = logging.StreamHandler(err)
    handlers, logging.root.handlers = logging.root.handlers, [handler]
    sys.argv = ["fairordinal", *map(str, arguments)]
    try:
        with (
            warnings.catch_warnings(),
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
        ):
            warnings.simplefilter("default")
            main()
    except SystemExit as stopped:
        code = stopped.code
    finally:
        sys.argv, logging.root.handlers = before, handlers
        logging.root.setLevel(level)
    if isinstance(code, str):
        err.write(code)
        code = 1
    return code or 0, out.getvalue(), err.getvalue()


def check_manners(code, out, err):
    """An exit code that is documented, no traceback, nothing that a terminal would obey."""
    shown = f"code {code}\n{out!r}\n{err!r}"
    assert code in (0, 1, 2), shown
    assert "Traceback" not in out + err, shown
    assert not CONTROLS & set(out + err), shown
    if code == 1:
        assert err.strip().splitlines()[-1].startswith("Error: "), shown


def draw_column_names(generator):
    """Names of the columns: labels, predictions, groups and another."""
    if chance(generator, 0.5):
        return ["y", "p", "g", "other"]
    names = [name for name in draw_names(generator, 12) if "\n" not in name and "\r" not in name]
    return [name for name in names if not name.startswith(("-", "#"))][:4]


def draw_table(generator):
    """A frame of text as in a file, its codes, and the labels in order; empty cells are missing."""
    drawn = draw_rows(generator, most_rows=40)
    labels, groups = draw_names(generator, drawn.n_labels), draw_names(generator, drawn.n_groups)
    if chance(generator, 0.5):
        labels = [str(i + 1) for i in range(drawn.n_labels)]
    labels = [NUMBERS.get(label, label).replace("\n", " ").replace("\r", " ") for label in labels]
    groups = [f"g{i} {group}" for i, group in enumerate(groups)]
    columns = [[labels[i] for i in drawn.y], [labels[i] for i in drawn.s],
               [groups[i] for i in drawn.a]]  # fmt: skip
    for place, column in enumerate(columns):
        for row in range(len(column)):
            if chance(generator, 0.04 * (place != 1)):
                column[row] = ""
    columns.append([choose(generator, *NOISE) for _ in drawn.y])
    names = draw_column_names(generator)
    return pd.DataFrame(dict(zip(names, columns, strict=True)), dtype=object), labels


def as_csv(generator, frame, separator):
    """Text of a file: quotes where they are needed, and sometimes where they are not."""
    ending = choose(generator, "\n", "\r\n")
    always = chance(generator, 0.2)

    def cell(text):
        needed = set(text) & {separator, '"', "\n", "\r"} or text != text.strip()
        if needed or always or chance(generator, 0.05):
            return '"' + text.replace('"', '""') + '"'
        return text

    lines = [separator.join(map(cell, row)) for row in [list(frame), *frame.values.tolist()]]
    if chance(generator, 0.2):
        lines.insert(int(generator.integers(1, len(lines) + 1)), "")
    return ending.join(lines) + ending * chance(generator, 0.8)


def expected_audit(frame, labels):
    """By pandas and Python: rows without a label or a group are left out."""
    y, p, g = (frame[name].str.strip() for name in list(frame)[:3])
    kept = (y != "") & (p != "") & (g != "")
    place = {label.strip(): i for i, label in enumerate(labels)}
    return audit(y[kept].map(place).tolist(), p[kept].map(place).tolist(),
                 sensitive_features=g[kept].tolist(), labels=range(len(labels)))  # fmt: skip


def written(generator, frame, folder):
    """A file of the frame, and the options to read it."""
    if chance(generator, 0.15):
        path = folder / "table.parquet"
        frame.replace({"": None}).to_parquet(path)
        return path, ()
    separator = choose(generator, ",", ",", ";", "\t", "|")
    encoding, options = choose(generator, *ENCODINGS.items())
    path = folder / choose(generator, "table.csv", "tâble 1.csv", "x.dat")
    path.write_bytes(as_csv(generator, frame, separator).encode(encoding.strip()))
    return path, (*options, "--separator", separator)


def typable(labels):
    """Labels for --labels, which are separated by commas."""
    return not any("," in label or label != label.strip() or not label for label in labels)


def audits_are_those_of_pandas(generator):
    frame, labels = draw_table(generator)
    if not typable(labels) or len({*labels}) < len(labels):
        return False
    try:
        expected = expected_audit(frame, labels)
    except ValueError:
        expected = None
    limit = float(choose(generator, 0.0, 0.1, 0.5, 1.0))
    y, p, g, _ = frame
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path, options = written(generator, frame, folder)
        code, out, err = program(
            "audit", path, f"--y={y}", f"--pred={p}", f"--group={g}", *options, "--json",
            folder / "out.json", f"--labels={','.join(labels)}", f"--max-violation={limit}",
            *["--quiet"] * chance(generator, 0.3),
        )  # fmt: skip
        check_manners(code, out, err)
        if expected is None:
            assert code == 1, (out, err)
            return False
        what = f"{options}\n{frame.to_dict('list')}\n{labels}\n{out}\n{err}"
        assert code in (0, 2), what
        found = json.loads((folder / "out.json").read_text(encoding="utf-8"))
    compare(found, expected, what)
    violation = expected["demographic_parity"].violation
    assert code == (0 if violation <= limit else 2), what
    assert f"{int(expected.table.rows.sum()):,} rows" in out.replace("\u202f", ","), what
    return True


def compare(found, expected, what):
    numbers = {entry["criterion"]: entry["violation"] for entry in found["findings"]}
    for finding in expected.findings:
        value = numbers[finding.criterion.name]
        assert_close(float("nan") if value is None else value, finding.violation, what)


def broken_files_are_refused(generator):
    """An unclosed quote swallowed the rest of the rows."""
    frame, labels = draw_table(generator)
    y, p, g, _ = frame
    text = as_csv(generator, frame, ",")
    lines = text.splitlines(keepends=True)
    row = int(generator.integers(1, len(lines)))
    way = choose(generator, "quote", "cut", "cells", "nul", "bytes")
    if way == "quote":
        quoted = lines[row].rstrip("\r\n")
        lines[row] = quoted.rpartition(",")[0] + ',"best\n'
    elif way == "cut":
        lines[row] = lines[row].partition(",")[0] + "\n"
    elif way == "cells":
        lines[row] = "1,2,3,4,5,6,7\n"
    content = "".join(lines).encode()
    if way == "nul":
        content += b"a\0b,1,c,d\n"
    if way == "bytes":
        content += b"\xff\xfe\xfd,1,c,d\n"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        path.write_bytes(content)
        order = [f"--labels={','.join(labels)}"] * typable(labels)
        code, out, err = program(
            "audit", path, f"--y={y}", f"--pred={p}", f"--group={g}", "--separator", ",", *order
        )
    check_manners(code, out, err)
    try:
        rows = pd.read_csv(io.BytesIO(content), dtype=str, keep_default_na=False)
    except (pd.errors.ParserError, UnicodeDecodeError):
        rows = None
    if rows is None or way in ("nul", "bytes"):
        assert code == 1, f"{way} at line {row + 1}: {out}{content!r}"
        return True
    return way == "cut"


def hostile_arguments_end_in_a_line(generator):
    """Options of any kind, files that are none: an error is a line with exit code 1."""
    words = [
        "--y", "--pred", "--group", "--labels", "--json", "--counts", "--max-violation", "-1",
        "nan", "1e400", "", "audit", "thresholds", "--help", "--nope", "y", "p", "g", "/", ".",
        "-o", "/nonexistent/x.csv", "\x1b[31m", "a\rb", "=1", "--criterion", "--confidence", "2",
    ]  # fmt: skip
    command = choose(generator, "audit", "fit", "predict", "thresholds", "frontier")
    chosen = [choose(generator, *words) for _ in range(int(generator.integers(0, 8)))]
    check_manners(*program(command, *chosen))


def models_of_files_predict_what_they_say(generator):
    """Fit and predict by files: no row is lost, and labels are those of the model."""
    n = int(generator.integers(40, 80))
    score = generator.normal(size=n)
    labels = choose(generator, ["low", "mid", "high"], ["none", "mild", "severe"], ["1", "2", "3"])
    place = (score + 0.5 * generator.normal(size=n) > -0.5).astype(int) + (score > 0.5)
    job = generator.choice(["nurse", "", "=1+1", 'the "old", one', "é"], n)
    sex = generator.choice(["NA x", "f"], n)
    frame = pd.DataFrame({"score": [f"{value:.4f}" for value in score], "job": job, "sex": sex,
                          "grade": [labels[i] for i in place]}, dtype=object)  # fmt: skip
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = folder / "table.csv"
        path.write_text(as_csv(generator, frame, ","), encoding="utf-8")
        model, out = folder / "model.json", folder / "out.csv"
        found = program("fit", path, "--y", "grade", "--group", "sex", "--trade-off", "0.2",
                        "--labels", ",".join(labels), "-o", model)  # fmt: skip
        check_manners(*found)
        assert found[0] == 0, found
        fitted = load_model(model)
        assert fitted.data.rows_used == n, "rows were left out"
        assert [str(label) for label in fitted.classes.values] == labels
        found = program("predict", model, path, "-o", out)
        check_manners(*found)
        assert found[0] == 0, found
        again = pd.read_csv(out, dtype=str, keep_default_na=False)
        assert program("predict", model, path, "-o", path)[0] == 1, "the input was overwritten"
    columns = {"score": [float(value) for value in frame.score], "job": job.tolist(),
               "sex": sex.tolist()}  # fmt: skip
    assert again["predicted"].tolist() == [str(label) for label in fitted.predict(columns)]


LAWS = {
    audits_are_those_of_pandas: 500,
    broken_files_are_refused: 250,
    hostile_arguments_end_in_a_line: 250,
    models_of_files_predict_what_they_say: 15,
}
