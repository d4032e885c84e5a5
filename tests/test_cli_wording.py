"""What the command line says is about options and files, never about Python."""

import ast
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import fairordinal
from cli_runner import failure, run
from fairordinal._render import paragraphs
from fairordinal.cli import app
from fairordinal.cli._choices import COMPARED, COSTS
from fairordinal.cli._wording import OPTIONS, REMEDIES, as_shown, in_options, with_remedies

PACKAGE = Path(fairordinal.__file__).parent
NAMES = {*COMPARED, *COSTS}  # of criteria and costs: values of options
PYTHON = re.compile(
    r"\w=|==|\.\w+\(|\b\w+\(\)|\b[a-z]\w*_\w+\b|\b[A-Z][a-z]+[A-Z]\w+|\b(sklearn|pandas|polars|numpy)"
    r"|\bor a Criterion|\[\.\.\.|\['|\b(None|cv|alpha|X)\b|\bdatetime\b"
)
QUOTED = re.compile(r"""'[^']*'|`[^`]*`|"[^"]*\"""")

# Modules whose messages the commands cannot print: they read data sets, frames and clusters, draw,
# or are other functions of the library.
ELSEWHERE = (
    *(
        "baselines",
        "datasets",
        "plotting",
        "metrics",
        "_lazy",
        "_rows/_dask",
        "experiments/figures",
    ),
    *("_audit/_testing", "_audit/_from_counts", "_audit/_attribution", "_audit/_audit_result"),
    *("_audit/_metric_comparison", "_validation/_columns", "estimators/_scores", "__init__"),
)
# Messages about what no command passes: frames, estimators, arrays, other methods.
NOT_PASSED = (
    *("compare=True needs", "interval='bootstrap' with", "A frame needs pandas", "<Report"),
    *("missing_group must be", "have indexes with the same labels", "holds booleans, which"),
    *("A column-vector y was passed", "is a ratio whose denominator", "group_aware", "f="),
    *("rows of Dask", "y of eval_set", "eval_set must be", "max_cost", "knee=True"),
    *("frame must be a table with", "frame must have columns named by", "frame is a lazy"),
    *("model must be a TableModel", "y and sensitive_features are one column", "classifier must"),
    *("SimpleImputer", "OneHotEncoder", "FairOrdinalClassifier(basis", "X has ", "X is missing"),
    *("is about single samples", "pass y and sensitive_features", "a FairOrdinalFrontier"),
    *("a ThresholdResult", "needs frontier=", "pass thresholds=", "method='cost_only'"),
    *("method='certified'. Leave", "<ThresholdResult", "mean_cost of ", "settings.cost_matrix"),
    *("Missing are None", "Categories beyond", "track", "<iframe", "<div", "class="),
    *("A report needs", "f predicted, y true"),
    *("must predict labels, got scores", "and pass that classifier"),
    *("is not available with survey weights", "change both by map_counts", "without names="),
)


def text_of(node):
    """A constant or an f-string with examples of its values; None for anything else."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        values = (
            "'x'" if getattr(part, "conversion", -1) == ord("r") else "7" for part in node.values
        )
        return "".join(
            part.value if isinstance(part, ast.Constant) else value
            for part, value in zip(node.values, values, strict=True)
        )
    return None


def texts_in(path):
    """Texts of a module that are no docstrings and have several words, with their lines."""
    tree = ast.parse(path.read_text())
    documented = (ast.FunctionDef, ast.ClassDef, ast.Module)
    seen = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, documented) and node.body and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        text = None if id(node) in seen else text_of(node)
        if text is not None:
            seen |= {id(part) for part in ast.walk(node)}
        if text is not None and " " in text.strip():
            yield node.lineno, text


def python_in(text):
    """Wording of Python in a text, except in quotes and in values of options."""
    bare = QUOTED.sub("'x'", text)
    for name in sorted(NAMES, key=len, reverse=True):
        bare = re.sub(rf"\b{name}\b", "name", bare)
    return [found[0] for found in PYTHON.finditer(bare)]


def messages():
    for path in sorted(PACKAGE.rglob("*.py")):
        module = str(path.relative_to(PACKAGE))
        if not module.startswith(ELSEWHERE):
            for line, text in texts_in(path):
                yield f"{module}:{line}", module, text


def test_messages_of_the_library_are_in_words_of_the_command_line():
    wrong = [
        f"{place}: {found} in {in_options(text)!r}"
        for place, module, text in messages()
        if not module.startswith(("cli", "_source"))
        and not any(known in text for known in NOT_PASSED)
        and (found := python_in(in_options(text)))
    ]
    assert not wrong, "\n".join(wrong)


def test_messages_of_the_command_line_are_in_its_own_words():
    own = [each for each in messages() if each[1].startswith(("cli", "_source"))]
    own = [each for each in own if not each[1].endswith("_wording.py")]
    assert len(own) > 100
    wrong = [
        f"{place}: {found} in {text!r}" for place, _, text in own if (found := python_in(text))
    ]
    assert not wrong, "\n".join(wrong)


def test_the_search_for_python_finds_it():
    for text in (
        "Raise max_iter or alpha", "see .frame()", "extend labels=", "or a Criterion",
        "select(knee=True)", "cost_matrix must be", "one of ['a', 'b']", "FairThresholdClassifier",
    ):  # fmt: skip
        assert python_in(text), text
    assert not python_in("--max-violation 0.1 and equal_opportunity for 'y_pred' are fine.")


@pytest.mark.parametrize(
    ("python", "here"),
    [
        ("y_pred must hold labels.", "--pred must hold labels."),
        ("labels must list two.", "--labels must list two."),
        ("No label of these labels.", "No label of these labels."),
        (
            "No candidate keeps max_violation=0.1 here.",
            "No candidate keeps --max-violation 0.1 here.",
        ),
        ("Pass labels=[...] in order.", "Pass --labels in order."),
        ("Pass labels=['a', 'b'] in order.", "Pass --labels 'a', 'b' in order."),
        ("Correct it or extend labels=; stop.", "Correct it or extend --labels; stop."),
        ("pass labels=.", "pass --labels."),
        ("cost_matrix='squared' overflows.", "--cost 'squared' overflows."),
        ("must be one of [1, 2.5], got 3.", "must be one of 1, 2.5, got 3."),
        ("column 'y_pred' is 'max_violation=1'.", "column 'y_pred' is 'max_violation=1'."),
        ('column "y_pred" stays.', 'column "y_pred" stays.'),
        ("/tmp/y_pred/max_violation.json is read.", "/tmp/y_pred/max_violation.json is read."),
        ("the group's y_true differs", "the group's --y differs"),
        ("got datetime.date(2020, 1, 2) at line 2", "got a date at line 2"),
        (
            "sensitive_features has 3 groups and y 4 labels;",
            "--group has 3 groups and --y 4 labels;",
        ),
    ],
)
def test_arguments_become_options_except_in_names(python, here):
    assert in_options(python) == here


def test_options_exist():
    help_texts = "".join(
        CliRunner().invoke(app, [name, "--help"], env={"COLUMNS": "200"}).output
        for name in ("audit", "thresholds", "fit", "frontier", "compare", "reproduce")
    )
    for option in OPTIONS.values():
        assert not option.startswith("--") or f"{option} " in help_texts, option


@pytest.mark.parametrize(
    "command", ["audit", "compare", "thresholds", "frontier", "fit", "predict", "demo", "reproduce"]
)
def test_help_has_no_python(command):
    text = CliRunner().invoke(app, [command, "--help"], env={"COLUMNS": "300"}).output
    text = re.sub(r"\[x>=.*?\]|\S+\.(csv|json|html|parquet)", "", text)
    assert not python_in(text)


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = tmp_path_factory.mktemp("wording") / "a.csv"
    generator = np.random.default_rng(0)
    y = generator.integers(0, 3, 90)
    score = y + generator.normal(size=90)
    table = {
        "y": y, "p": y[::-1], "s": score.round(3), "g": list("abc") * 30, "id": range(90),
        "day": pd.date_range("2020-01-01", periods=90).date, "word": list("xyz") * 30,
        "one": 1, "y_pred": score.round(2),
    }  # fmt: skip
    pd.DataFrame(table).to_csv(path, index=False)
    return path


AUDIT, SCORED = (
    ("--y", "y", "--pred", "p", "--group", "g"),
    ("--y", "y", "--score", "s", "--group", "g"),
)
FIT = ("--y", "y", "--group", "g", "--model", "linear", "-o", "m.json")
LIMIT = ("--max-violation", 0.1)
FAILING = {
    "one group": ("audit", "FILE", *AUDIT[:4], "--group", "one"),
    "one label": ("audit", "FILE", "--y", "one", *AUDIT[2:]),
    "labels without an order": ("audit", "FILE", "--y", "word", *AUDIT[2:]),
    "other labels": ("audit", "FILE", *AUDIT, "--labels", "0,1"),
    "scores without errors": ("audit", "FILE", *AUDIT[:3], "s", *AUDIT[4:], "--criterion", "hp"),
    "no confidence": ("audit", "FILE", *AUDIT, "--confidence", "2"),
    "no criterion": ("audit", "FILE", *AUDIT, "--criterion", "fair"),
    "a limit and a trade-off": ("thresholds", "FILE", *SCORED, *LIMIT, "--trade-off", 0.3),
    "neither of them": ("thresholds", "FILE", *SCORED),
    "a trade-off of 1": ("thresholds", "FILE", *SCORED, "--trade-off", "1"),
    "words for scores": (
        "thresholds",
        "FILE",
        "--y",
        "y",
        "--score",
        "word",
        "--group",
        "g",
        *LIMIT,
    ),
    "no cost": ("thresholds", "FILE", *SCORED, *LIMIT, "--cost", "dear"),
    "a date to learn from": ("fit", "FILE", *FIT, "--feature", "day"),
    "nothing to learn from": ("fit", "FILE", *FIT, "--feature", "one"),
    "groups for a model": ("fit", "FILE", "--y", "y", "--group", "id", *FIT[4:]),
    "labels for a model": ("fit", "FILE", "--y", "s", *FIT[2:]),
    "both for a model": ("fit", "FILE", *FIT, *LIMIT, "--trade-off", 0.1),
    "confidence of 1": ("fit", "FILE", *FIT, *LIMIT, "--confidence", "1"),
    "no model": ("fit", "FILE", *FIT, "--model", "deep"),
    "no processes": ("frontier", "FILE", *FIT[:6], "--jobs", 0),
    "no model file": ("predict", "FILE", "FILE", "-o", "o.csv"),
    "scores to compare": (
        "compare",
        "FILE",
        "--y",
        "y",
        "--group",
        "g",
        "--pred",
        "p",
        "--pred",
        "s",
    ),
    "no experiment": ("reproduce", "figure9"),
    "no method": ("reproduce", "figure2", "--method", "x"),
    "no jobs": ("reproduce", "tshirts", "--jobs", 0),
    "no folder": ("reproduce", "tshirts", "--out", "/dev/null"),
    "no command": ("guess",),
    "no number": ("audit", "FILE", *AUDIT, "--max-violation", "x"),
}


@pytest.mark.parametrize("mistake", FAILING)
def test_errors_have_no_python(mistake, path, monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)
    given = [path if each == "FILE" else each for each in FAILING[mistake]]
    code, line = failure(monkeypatch, capsys, *given)
    assert code == 1
    assert line.startswith("Error: ")
    assert not python_in(line), line


def test_columns_named_as_arguments_keep_their_names(path, monkeypatch, capsys):
    _, line = failure(monkeypatch, capsys, "audit", path, *AUDIT[:2], "--pred", "y_prd", *AUDIT[4:])
    assert "Did you mean 'y_pred'?" in line
    options = ("--y", "y", "--group", "g", "--pred", "p", "--pred", "y_pred")
    _, line = failure(monkeypatch, capsys, "compare", path, *options)
    assert "--pred: column 'y_pred' must hold labels" in line


def test_results_have_no_python(tmp_path, path):
    many = pd.read_csv(path).assign(g=[f"group {i % 14}" for i in range(90)])
    many.to_csv(tmp_path / "many.csv", index=False)
    for arguments in (
        ("audit", tmp_path / "many.csv", *AUDIT),
        ("thresholds", tmp_path / "many.csv", *SCORED, "--max-violation", 0.5),
        ("frontier", path, *FIT[:6], "--feature", "s"),
    ):
        result = run(*arguments)
        assert result.exit_code == 0, result.output
        assert not python_in(result.output), arguments
    assert "… 2 more; --json has all" in run("audit", tmp_path / "many.csv", *AUDIT).output


@pytest.mark.parametrize("python", REMEDIES)
@pytest.mark.parametrize("width", range(40, 80, 3))
def test_remedies_are_replaced_before_lines_are_wrapped(python, width):
    line = f"A sentence of about forty characters{python} and what follows, which is long, too."
    shown = as_shown(lambda: paragraphs([line], width))
    assert shown == paragraphs([line.replace(python, REMEDIES[python])], width)


def test_remedies_of_python_are_found_in_results():
    texts = [text for _, _, text in messages()]
    for python in ("see .group_frame()", "not shown: 7; see .frame()", "method='certified' closes"):
        (text,) = [text for text in texts if python in text and "_wording" not in text][:1]
        assert python not in with_remedies(text)
