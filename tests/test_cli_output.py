"""What commands print and write: safe for terminals, in any encoding, and never over an input."""

import csv
import io
import json
import logging
import os
import shutil
import stat
import subprocess
import sys
import unicodedata
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

import cli_runner
from fairordinal.cli import main
from fairordinal.cli._app import _show_warning
from fairordinal.cli._output import NoteHandler

pytestmark = pytest.mark.usefixtures("small_effort")

MAIN = "from fairordinal.cli import main; main()"
HOSTILE = (
    "\x1b[31mred\x1b[0m",
    "\x1b]0;title\x07",
    "b\rPASS: fair",
    "n\nPASS: fair",
    "c1\x9b31m",
    "\u202eturned",
    "iso\u2067lated\u2069",
    "zero\u200bwidth\ufeff",
    "[bold red]markup[/] :boom:",
)
GROUPS = (" ".join(HOSTILE[:5]), " ".join(HOSTILE[5:]))
LABELS = ("low\x1b[2J", "mid\rPASS: fair", "high\u202e")
Y, PRED, SCORE, GROUP, INPUT, WORD, DATE = (
    f"{name}{letters}"
    for name, letters in zip(
        ("y", "p", "s", "g", "x", "word", "date"),
        ("\x1b[1m", "\rPASS: fair", "\u202e", "\nPASS: fair", "\x07", "\u200b", "\x85"),
        strict=True,
    )
)
COLUMNS = (Y, PRED, SCORE, GROUP, INPUT, WORD, DATE)


def hostile_rows(n=120, seed=0):
    """Rows with hostile cells, one list for each row."""
    rng = np.random.default_rng(seed)
    for i in range(n):
        label = int(rng.integers(3))
        score = label + rng.normal()
        predicted = int(np.clip(round(score), 0, 2))
        words = GROUPS[int(rng.integers(2))], f"2020-01-{i % 28 + 1:02d}"
        group = GROUPS[i % 2]
        yield [LABELS[label], LABELS[predicted], f"{score:.4f}", group, f"{score:.2f}", *words]


def write_rows(path, header, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header, *rows])
    return path


@pytest.fixture
def table(tmp_path):
    return write_rows(tmp_path / "in\x1b[1m\rPASS: fair\u202e.csv", COLUMNS, hostile_rows())


def exit_code(monkeypatch, arguments):
    """Run a command in this process."""
    monkeypatch.setattr(sys, "argv", ["fairordinal", *map(str, arguments)])
    with pytest.raises(SystemExit) as caught:
        main()
    code = caught.value.code
    if isinstance(code, str):  # as Python does with such a code
        sys.stderr.write(f"{code}\n")
        code = 1
    return code or 0


@pytest.fixture
def run(monkeypatch, capfd):
    """Run a command in this process: exit code, standard output, standard error."""
    return lambda *arguments: (exit_code(monkeypatch, arguments), *capfd.readouterr())


def raw(text):
    """Characters that a terminal must not get, and lines that were not ours to say."""
    hidden = {"Cc", "Cf", "Cs", "Zl", "Zp"}
    found = {x for x in text if unicodedata.category(x) in hidden and x != "\n"}
    return found | {line for line in text.split("\n") if line.startswith("PASS: fair")}


def groups_of(content):
    """Names in the JSON of an audit."""
    (pair,) = content["findings"][0]["pairs"]
    return {pair["group"], pair["other"]}


def process(*arguments, env=None, **options):
    """Run a command in a process of its own; bytes are captured."""
    command = [sys.executable, "-c", MAIN, *map(str, arguments)]
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
    return subprocess.run(command, env=os.environ | (env or {}), check=False, **options)


ORDER = ",".join(f'"{label}"' for label in LABELS)
AUDITED = ("--y", Y, "--pred", PRED, "--group", GROUP, "--labels", ORDER)
SCORED = ("--y", Y, "--score", SCORE, "--group", GROUP, "--labels", ORDER)
LEARNED = (
    *("--y", Y, "--group", GROUP, "--labels", ORDER),
    *("--feature", INPUT, "--feature", WORD),
)


@pytest.mark.parametrize("command", ["audit", "thresholds", "fit", "frontier"])
def test_hostile_names_do_not_reach_the_terminal(command, table, run, tmp_path):
    """Columns, groups, labels and files are hostile; what is written is exact."""
    out, page = tmp_path / "out\x1b[1m\nPASS: fair.json", tmp_path / "page\u202e\x07.html"
    arguments = {
        "audit": (*AUDITED, "--json", out, "--html", page, "--max-violation", "0.9"),
        "thresholds": (*SCORED, "--max-violation", "0.5", "--json", out),
        "fit": (*LEARNED, "--trade-off", "0.2", "-o", out),
        "frontier": (*LEARNED, "--html", page, "--json", out),
    }[command]
    code, printed, noted = run(command, table, *arguments)
    assert code == 0, noted
    assert not raw(printed + noted)
    escapes = {"audit": "\\u001b[31mred", "thresholds": "\\u001b[2J", "fit": "\\u001b[31mred"}
    assert escapes.get(command, "Written: ") in printed
    content = json.loads(out.read_text("utf-8"))
    if command == "audit":
        assert groups_of(content) == set(GROUPS)
        assert content["labels"] == [*LABELS]
    if command in ("audit", "frontier"):
        assert "\u202e" not in page.read_text("utf-8")


def test_hostile_predictions_are_written_as_they_are(table, run, tmp_path):
    model, out = tmp_path / "model\x1b[1m.json", tmp_path / "out\r\u202e.parquet"
    assert run("fit", table, *LEARNED, "--trade-off", "0.2", "-o", model)[0] == 0
    code, printed, noted = run("predict", model, table, "-o", out)
    assert code == 0
    assert "120 rows" in printed
    assert not raw(printed + noted)
    found = pq.read_table(out)
    assert set(found.column("predicted").to_pylist()) <= set(LABELS)
    assert found.column(INPUT).to_pylist() == [row[4] for row in hostile_rows()]


MISTAKES = {
    "no such file": ("audit", "no\x1b[1m\rPASS: fair\u202e.csv", *AUDITED),
    "no such column": ("audit", "FILE", "--y", "q\x1b]0;t\x07", *AUDITED[2:]),
    "no order": ("audit", "FILE", *AUDITED[:-2]),
    "a label that is not in the order": ("audit", "FILE", *AUDITED[:-1], f'"{LABELS[0]}",x'),
    "a column twice": ("audit", "FILE", "--group", Y, *AUDITED),
    "an unknown criterion": ("audit", "FILE", *AUDITED, "--criterion", "x\x1b[1m"),
    "a bad number": ("audit", "FILE", *AUDITED, "--max-violation", "x\x1b[1m"),
    "an unknown option": ("audit", "FILE", *AUDITED, "--x\x1b[1m"),
    "an unknown command": ("x\x1b[1m\rPASS: fair",),
    "an unknown encoding": ("audit", "FILE", *AUDITED, "--encoding", "x\x1b[1m"),
    "a separator of two characters": ("audit", "FILE", *AUDITED, "--separator", "\x1b\x9b"),
    "scores that are no numbers": ("thresholds", "FILE", *SCORED[:3], WORD, *SCORED[4:]),
    "the input as output": ("audit", "FILE", *AUDITED, "--json", "FILE"),
    "no model": ("predict", "FILE", "FILE", "-o", "x\x1b[1m.csv"),
    "no ending": ("predict", "FILE", "FILE", "-o", "x\x1b[1m"),
    "no experiment": ("reproduce", "x\x1b[1m\rPASS: fair"),
    "an error with its traceback": ("--debug", "audit", "no\x1b[1m\rPASS: fair.csv", *AUDITED),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_hostile_names_in_messages_do_not_reach_the_terminal(mistake, table, run, monkeypatch):
    monkeypatch.chdir(table.parent)
    given = [str(table) if each == "FILE" else each for each in MISTAKES[mistake]]
    code, printed, noted = run(*given)
    assert code not in (0, None)
    assert "Error" in noted
    assert not raw(printed + noted)


def test_hostile_names_in_notes_do_not_reach_the_terminal(run, tmp_path):
    """Missing cells, small groups, dates and text without equal cells are all noted."""
    rows = [*hostile_rows()]
    rows[0][3] = rows[1][0] = ""
    rows[2][3] = "alone\x1b[1m"
    for i, row in enumerate(rows):
        row[5] = f"{row[5]} {i}"
    path = write_rows(tmp_path / "noted.csv", COLUMNS, rows)
    found = [run("audit", path, *AUDITED), run("thresholds", path, *SCORED, "--trade-off", "0.1")]
    learned = (*LEARNED[:-4], "--trade-off", "0.2", "-o", tmp_path / "model.json")
    found.append(run("fit", path, *learned))
    for code, printed, noted in found:
        assert code == 0, noted
        assert "Note: " in noted or "Left out: " in printed
        assert not raw(printed + noted)


@pytest.mark.parametrize("command", [("demo",), ("reproduce", "tshirts")])
def test_hostile_folders_do_not_reach_the_terminal(command, run, tmp_path):
    folder = tmp_path / "out\x1b[1m\nPASS: fair\u202e"
    code, printed, noted = run(*command, "--out", folder, "--quiet")
    assert code == 0, noted
    assert "out\\u001b[1m\\u000aPASS: fair\\u202e" in printed
    assert not raw(printed + noted)
    assert folder.is_dir()


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_in_logs_and_warnings_do_not_reach_the_terminal(name, capfd):
    record = logging.LogRecord("x", logging.WARNING, "x.py", 1, "%s is damaged.", (name,), None)
    NoteHandler().emit(record)
    _show_warning(UserWarning(f"{name} is odd."), UserWarning, "x.py", 1)
    shown = capfd.readouterr().err
    assert shown.count("Note: ") == shown.count("\n") == 2
    assert not raw(shown)


def test_progress_shows_names_as_they_are(monkeypatch):
    from rich.console import Console

    from fairordinal._support import _progress, advance, part, progress, show_progress

    stream = io.StringIO()
    monkeypatch.setattr(_progress, "_console", lambda: Console(file=stream, width=300))
    with show_progress():
        for name in HOSTILE:
            with progress("reading"), part(1.0, f"part {name}"):
                advance(0.5, name)
    shown = stream.getvalue()
    assert shown.count("part ") == len(HOSTILE)
    assert "[bold red]markup[/] :boom:" in shown
    assert not raw(shown)


def encoded_process(encoding, *arguments):
    """Exit code and what a process prints to streams of an encoding."""
    found = process(*arguments, env={"PYTHONIOENCODING": encoding})
    return found.returncode, found.stdout.decode(encoding), found.stderr.decode(encoding)


@pytest.fixture
def encoded_here(monkeypatch):
    """The same in this process, which need not import the library again."""

    def command(encoding, *arguments):
        streams = [io.TextIOWrapper(io.BytesIO(), encoding) for _ in range(2)]
        with monkeypatch.context() as patch:
            for name, stream in zip(("stdout", "stderr"), streams, strict=True):
                patch.setattr(sys, name, stream)
            code = exit_code(patch, arguments)
        printed = []
        for stream in streams:
            stream.flush()
            printed.append(stream.buffer.getvalue().decode(encoding))
        return code, *printed

    return command


@pytest.mark.parametrize("encoding", ["cp1252", "ascii", "latin-1", "utf-8"])
@pytest.mark.parametrize("command", ["audit", "thresholds", "help", "error"])
def test_results_are_printed_in_any_encoding(command, encoding, encoded_here, tmp_path):
    processed = (command, encoding) in {("audit", "ascii"), ("error", "ascii")}
    encoded = encoded_process if processed else encoded_here
    rows = [
        [*row[:3], "größer→" if i % 2 else "日本", *row[4:]]
        for i, row in enumerate(hostile_rows(60))
    ]
    table = write_rows(tmp_path / "table.csv", COLUMNS, rows)
    arguments = {
        "audit": ("audit", table, *AUDITED, "--max-violation", "0.9"),
        "thresholds": ("thresholds", table, *SCORED, "--max-violation", "0.5"),
        "help": ("audit", "--help"),
        "error": ("audit", table, "--y", "größer→日本", *AUDITED[2:]),
    }[command]
    code, printed, noted = encoded(encoding, *arguments)
    assert code == (command == "error"), noted
    assert "Traceback" not in noted
    assert "codec" not in noted
    words = {
        "audit": ("Audit of 60 rows", "rated too high"),
        "thresholds": ("Thresholds for least mean cost", "Proved: "),
        "help": ("--max-violation",),
        "error": (),
    }[command]
    assert all(word in printed for word in words)
    if encoding == "ascii":
        assert {"audit": "---", "thresholds": "->"}.get(command, "") in printed
        assert {"audit": "<= 0.9", "error": "gr\\u00f6\\u00dfer->\\u65e5"}.get(command, "") in noted


def test_text_that_is_printed_stays_when_json_goes_to_standard_output(table, tmp_path):
    out = tmp_path / "both.txt"
    with out.open("w") as file:
        found = process("audit", table, *AUDITED, "--json", "/dev/stdout", stdout=file)
    assert found.returncode == 0
    text, brace, content = out.read_text("utf-8").partition("\n{")
    assert text.startswith("Audit of 120 rows")
    assert json.loads(brace + content)["confidence"] == 0.95


def test_json_alone_goes_through_a_descriptor(table, tmp_path):
    read, write = os.pipe()
    options = (*AUDITED, "--json", f"/dev/fd/{write}")
    found = process("audit", table, *options, pass_fds=(write,))
    os.close(write)
    with open(read, "rb") as pipe:
        content = json.loads(pipe.read())
    assert found.returncode == 0
    assert groups_of(content) == set(GROUPS)


def test_outputs_of_all_commands_keep_their_mode_or_are_refused(table, run, tmp_path):
    files = [tmp_path / name for name in ("a.json", "a.html", "m.json", "p.csv")]
    for path in files:
        path.write_text("old")
        path.chmod(0o600)
    commands = [
        ("audit", table, *AUDITED, "--json", files[0], "--html", files[1]),
        ("fit", table, *LEARNED, "--trade-off", "0.2", "-o", files[2]),
        ("predict", files[2], table, "-o", files[3]),
    ]
    for arguments in commands:
        assert run(*arguments)[0] == 0
    assert {stat.S_IMODE(path.stat().st_mode) for path in files} == {0o600}
    for path in files:
        path.chmod(0o444)
    before = [path.read_bytes() for path in files]
    for arguments in commands:
        code, _, line = run(*arguments)
        assert code == 1
        assert "is read-only; allow writing, or name another file" in line
    assert [path.read_bytes() for path in files] == before


@pytest.fixture(scope="module")
def model_file(tmp_path_factory):
    """A model of one column, whose labels look like formulas."""
    folder = tmp_path_factory.mktemp("model")
    rng, path = np.random.default_rng(0), folder / "train.csv"
    labels = ("=1+1", "@mid", "plain")
    rows = [(labels[i % 3], "ab"[i % 2], f"{i % 3 + rng.normal() / 3:.3f}") for i in range(120)]
    write_rows(path, ("y", "g", "x"), rows)
    options = ("--y", "y", "--group", "g", "--labels", ",".join(labels), "--trade-off", "0.1")
    assert cli_runner.run("fit", path, *options, "-o", folder / "model.json").exit_code == 0
    return folder / "model.json"


@pytest.fixture
def model(model_file, tmp_path):
    """A copy of it."""
    return Path(shutil.copy(model_file, tmp_path / "model.json"))


def written_by_all_names(path, folder):
    """The ways to name a file: itself, a link, a hard link, and a path with a detour."""
    link, hard = folder / f"link{path.suffix}", folder / f"hard{path.suffix}"
    link.symlink_to(path)
    os.link(path, hard)
    (folder / "sub").mkdir(exist_ok=True)
    return path, link, hard, folder / "sub" / ".." / path.name, Path(path.name)


def test_predict_does_not_replace_its_input(model, run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = write_rows(tmp_path / "in.csv", ("x",), [("0.1",), ("2.0",)])
    before = path.read_bytes(), model.read_bytes()
    for name in written_by_all_names(path, tmp_path):
        code, _, line = run("predict", model, path, "-o", name)
        assert code == 1
        assert "is the table or model that is read; name another file" in line
    model.rename(tmp_path / "model.csv")
    code, _, line = run("predict", tmp_path / "model.csv", path, "-o", tmp_path / "model.csv")
    assert "is the table or model that is read" in line
    assert (path.read_bytes(), (tmp_path / "model.csv").read_bytes()) == before


def test_predict_does_not_replace_the_file_that_is_standard_input(model, tmp_path):
    path = write_rows(tmp_path / "in.csv", ("x",), [("0.1",), ("2.0",)])
    before = path.read_bytes()
    with path.open("rb") as stdin:
        found = process("predict", model, "-", "-o", path, stdin=stdin)
    assert b"is the table or model that is read" in found.stderr
    assert path.read_bytes() == before


@pytest.mark.parametrize("above", ["", "\n\n"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_blank_line_of_a_single_column_is_a_row(model, run, tmp_path, above, end):
    path, out = tmp_path / "in.csv", tmp_path / "out.parquet"
    path.write_text(f"{above}x\n0.1\n\n2.0\n\n\n1.0\n", newline=end)
    code, printed, noted = run("predict", model, path, "-o", out)
    assert code == 0, noted
    assert "6 rows" in printed
    found = pq.read_table(out)
    assert found.column("x").to_pylist() == ["0.1", "", "2.0", "", "", "1.0"]
    assert found.column("predicted").null_count == 0


def predicted(path):
    """Cells of a column as a CSV holds them."""
    with open(path, newline="", encoding="utf-8") as file:
        delimiter = "\t" if path.suffix == ".tsv" else ","
        return [row["predicted"] for row in csv.DictReader(file, delimiter=delimiter)]


@pytest.mark.parametrize("name", ["out.csv", "out.tsv", "out.txt"])
def test_labels_that_look_like_formulas_are_defused_in_text(model, run, tmp_path, name):
    rows = [(f"{i % 3}", "=2+2") for i in range(30)]
    path, out = write_rows(tmp_path / "in.csv", ("x", "note"), rows), tmp_path / name
    code, printed, _ = run("predict", model, path, "-o", out)
    assert code == 0
    assert set(predicted(out)) == {"'=1+1", "'@mid", "plain"}
    changed = sum(label.startswith("'") for label in predicted(out))
    assert f"{changed} predicted labels got a ' in front" in printed
    assert "=2+2" in out.read_text()  # cells of the input stay
    assert "'=2+2" not in out.read_text()
    code, printed, _ = run("predict", model, path, "-o", out, "--no-safe-csv")
    assert set(predicted(out)) == {"=1+1", "@mid", "plain"}
    assert "in front" not in printed


def test_labels_are_exact_in_typed_formats_and_numbers_in_all(model, run, tmp_path):
    path = write_rows(tmp_path / "in.csv", ("x",), [(f"{i % 3}",) for i in range(30)])
    _, printed, _ = run("predict", model, path, "-o", tmp_path / "out.parquet")
    found = pq.read_table(tmp_path / "out.parquet").column("predicted").to_pylist()
    assert set(found) == {"=1+1", "@mid", "plain"}
    assert "in front" not in printed
    rows = [(f"{i % 3 - 1}", "ab"[i % 2], f"{i % 3 - 1 + i / 500:.3f}") for i in range(120)]
    train = write_rows(tmp_path / "numbers.csv", ("y", "g", "x"), rows)
    options = ("--y", "y", "--group", "g", "--trade-off", "0.1", "-o", tmp_path / "numbers.json")
    assert run("fit", train, *options)[0] == 0
    _, printed, _ = run("predict", tmp_path / "numbers.json", train, "-o", tmp_path / "n.csv")
    assert set(predicted(tmp_path / "n.csv")) == {"-1", "0", "1"}
    assert "in front" not in printed
