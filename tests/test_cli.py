"""The command line: what it prints, and how it ends."""

import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

import fairordinal
from cli_runner import ORDER, failure, graded_people
from fairordinal.cli import app, main
from fairordinal.experiments import EXPERIMENTS
from fairordinal.experiments.figures.tshirts import TShirts

ROOMY = {"COLUMNS": "200", "TERM": "dumb", "NO_COLOR": "1"}
LABELS = ("--labels", ",".join(ORDER))
MAIN = "from fairordinal.cli import main; main()"


def invoke(*arguments):
    return CliRunner().invoke(app, [*arguments], env=ROOMY)


def program(*arguments, env=ROOMY):
    """The program in a process of its own."""
    command = [sys.executable, "-c", MAIN, *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=os.environ | env)


def test_the_version_is_that_of_the_package():
    assert invoke("--version").output.strip() == f"fairordinal {fairordinal.__version__}"


def test_help_names_the_commands_and_their_options():
    for flag in ("--help", "-h"):
        assert "reproduce" in invoke(flag).output
    text = invoke("reproduce", "--help").output
    for word in (*EXPERIMENTS, "--splits", "--quick", "--method", "--jobs", "--out", "--quiet"):
        assert word in text


def test_without_arguments_there_is_help():
    assert "Usage" in invoke().output


def test_an_experiment_prints_what_it_found(tmp_path):
    result = invoke("reproduce", "tshirts", "--quiet", "--out", str(tmp_path / "results"))
    assert result.exit_code == 0
    assert "standard equalized odds" in result.output
    assert (tmp_path / "results" / "tshirts.png").exists()


def test_what_is_not_finished_shows_in_the_exit_code(tmp_path, monkeypatch):
    def fail(self):
        raise ValueError("out of stock")

    monkeypatch.setattr(TShirts, "rows", fail)
    result = invoke("reproduce", "tshirts", "--quiet", "--out", str(tmp_path))
    assert result.exit_code == 1
    assert "not finished: T-shirts up to 10000: ValueError: out of stock" in result.output


@pytest.mark.parametrize(
    ("in_terminal", "options", "is_shown"),
    [(True, [], True), (True, ["--quiet"], False), (False, [], False)],
)
def test_progress_is_shown_in_a_terminal_on_standard_error_unless_unwanted(
    in_terminal, options, is_shown, tmp_path
):
    command = [sys.executable, "-c", MAIN, "reproduce", "tshirts", "--out", str(tmp_path), *options]
    ours, theirs = os.openpty() if in_terminal else os.pipe()[:2]
    environment = os.environ | {"TERM": "xterm", "FORCE_COLOR": "1"}
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=theirs, env=environment)
    os.close(theirs)
    shown = b"".join(iter(lambda: read_some(ours), b"")).decode()
    os.close(ours)
    assert done.returncode == 0
    assert ("1 of 1" in shown) == is_shown
    assert is_shown or not shown
    assert b"1 of 1" not in done.stdout


def read_some(stream):
    """Bytes from a pipe or a terminal; none at its end."""
    try:
        return os.read(stream, 1 << 16)
    except OSError:  # the end of a terminal
        return b""


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["figure3"], "NAME must be one of"),
        (["figure2", "--method", "POMM"], "--method must be one of"),
        (["figure1", "--jobs", "0"], "--jobs must be a whole number"),
        (["figure1", "--out", "/dev/null"], "--out must be a folder"),
    ],
)
def test_an_error_is_one_line_without_a_traceback(arguments, words, monkeypatch, capfd):
    code, message = failure(monkeypatch, capfd, "reproduce", *arguments)
    assert code == 1
    assert capfd.readouterr() == ("", "")  # Python prints the message
    (line,) = message.splitlines()
    assert line.startswith(f"Error: {words}")


def test_the_program_prints_the_line_of_an_error():
    result = program("reproduce", "figure3")
    assert result.returncode == 1
    assert result.stdout == ""
    (line,) = result.stderr.splitlines()
    assert line.startswith("Error: NAME must be one of")


def test_debug_shows_where_an_error_happened(monkeypatch, capfd):
    code, _ = failure(monkeypatch, capfd, "--debug", "reproduce", "figure3")
    assert code == 1
    shown = capfd.readouterr().err
    assert "Traceback" in shown
    assert "check_choice" in shown
    assert "ValueError: name must be one of" in shown


@pytest.mark.parametrize("arguments", [["--splits", "0"], ["--splits", "x"], ["--nope"]])
def test_options_that_make_no_sense_are_refused(arguments):
    result = invoke("reproduce", "tshirts", *arguments)
    assert result.exit_code == 2
    assert result.exception is None or isinstance(result.exception, SystemExit)


SLOW = """
    import signal, sys
    signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in the background
    sys.path.insert(0, sys.argv.pop(1))
    from fake_cells import counted_cells
    from fairordinal.cli import main
    from fairordinal.experiments import EXPERIMENTS, Experiment
    notes = sys.argv.pop(1)
    cells = counted_cells(notes, pause=0.3)
    EXPERIMENTS["slow"] = Experiment("slow", "Slow", lambda options: cells, lambda rows: [])
    main()
"""


@pytest.mark.skipif(os.name != "posix", reason="needs signals")
def test_a_run_that_is_stopped_says_that_it_can_go_on(tmp_path):
    out, notes = tmp_path / "out", tmp_path / "notes"
    notes.mkdir()
    command = [sys.executable, "-c", textwrap.dedent(SLOW), str(Path(__file__).parent), str(notes)]
    command += ["reproduce", "slow", "--quiet", "--out", str(out)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 120
    while not list(out.glob("cells/*.json")):
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate()
    assert process.returncode == 1
    assert errors.strip() == (
        "Stopped. What was finished is kept; the same command continues from there."
    )
    assert 1 <= len(list(out.glob("cells/*.json"))) < 8


def test_ctrl_c_stops_a_command_in_one_line(monkeypatch, capsys, tmp_path):
    def interrupted(*arguments, **options):
        raise KeyboardInterrupt

    graded_people(60).to_csv(tmp_path / "a.csv", index=False)
    monkeypatch.setattr("fairordinal.models._training.TrainingTable.read", interrupted)
    given = ("fit", tmp_path / "a.csv", "--y", "grade", "--group", "sex", *LABELS)
    assert failure(monkeypatch, capsys, *given, "-o", tmp_path / "m.json") == (130, "Stopped.\n")
    assert not (tmp_path / "m.json").exists()


def test_ctrl_c_in_the_last_search_of_a_fit_writes_no_model(monkeypatch, capsys, tmp_path):
    def cut_short(search):
        search.stopped_by = "interrupt"
        return search

    graded_people(60).to_csv(tmp_path / "a.csv", index=False)
    given = ("fit", tmp_path / "a.csv", "--y", "grade", "--group", "sex", *LABELS)
    given += ("--feature", "score", "--model", "linear", "--trade-off", 0.3)
    monkeypatch.setattr("fairordinal.thresholds._branch_and_bound.Certified.run", cut_short)
    code, words = failure(monkeypatch, capsys, *given, "-o", tmp_path / "m.json")
    assert (code, words.splitlines()[-1]) == (130, "Stopped.")
    assert not (tmp_path / "m.json").exists()


def test_ctrl_c_while_the_program_is_imported_stops_it_in_one_line(monkeypatch, capsys):
    class Interrupted:
        def find_spec(self, name, path=None, target=None):
            if name == "fairordinal.cli._commands":
                raise KeyboardInterrupt

    monkeypatch.delitem(sys.modules, "fairordinal.cli._commands")
    monkeypatch.setattr(sys, "meta_path", [Interrupted(), *sys.meta_path])
    with pytest.raises(SystemExit) as stopped:
        main()
    assert (stopped.value.code, capsys.readouterr().err) == (130, "Stopped.\n")
