"""`fairordinal compare`: predictions and models on the rows of one table."""

import json

import numpy as np
import pandas as pd
import pytest

from cli_runner import ORDER, failure, graded_people, run
from fairordinal import compare
from fairordinal.frontier._comparison_text import in_words
from fairordinal.models import load_model

GROUPED = ("--y", "grade", "--group", "sex")
LABELS = ("--labels", ",".join(ORDER))


def with_other(frame):
    """The table with predictions that do not depend on the sex."""
    noise = np.random.default_rng(1).normal(size=len(frame))
    return frame.assign(other=np.array(ORDER)[np.digitize(noise, [-1, 0, 1])])


@pytest.fixture
def path(tmp_path, frame):
    with_other(frame).to_csv(tmp_path / "a.csv", index=False)
    return tmp_path / "a.csv"


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    graded_people(seed=3).to_csv(folder / "a.csv", index=False)
    for name, limit in (("plain", 1), ("fair", 0.05)):
        options = ("--max-violation", limit, "--model", "linear", "-o", folder / f"{name}.json")
        found = run("fit", folder / "a.csv", *GROUPED, *LABELS, "--feature", "score", *options)
        assert found.exit_code == 0, found.output
    return folder


def test_two_columns_are_compared_as_the_library_does(path, frame, tmp_path):
    table, out, page = with_other(frame), tmp_path / "c.json", tmp_path / "c.html"
    both = ("--pred", "predicted", "--pred", "other", "--json", out, "--html", page)
    result = run(
        "compare", path, *GROUPED, *LABELS, *both, "--criterion", "eo", "--confidence", 0.9
    )
    assert result.exit_code == 0, result.output
    same = compare(
        {"predicted": table.predicted, "other": table.other}, None, table.grade,
        sensitive_features=table[["sex"]], criterion="equal_opportunity", confidence=0.9,
        labels=ORDER,
    )  # fmt: skip
    assert result.output.startswith(f"{same}\n")
    assert result.output.count("From 'predicted' to 'other', the violation falls by") == 1
    assert f"Written: {page}, {out}" in result.output
    found = json.loads(out.read_text())
    assert found["labels"] == ORDER
    rows = same.frame().to_dict("records")
    for one, other in zip(found["compared"], rows, strict=True):
        assert one.pop("model") == other.pop("model")
        assert one == pytest.approx(other, abs=1e-12)
    assert "Comparison on a.csv" in page.read_text()


def test_comparisons_take_the_direction_of_the_labels(path, tmp_path):
    page = tmp_path / "c.html"
    both = ("--pred", "predicted", "--pred", "other", "--criterion", "hp", "--html", page)
    result = run("compare", path, *GROUPED, *LABELS, *both, "--higher-is", "worse")
    assert result.exit_code == 0, result.output
    assert ": harm parity (" in result.output
    assert "Does being rated too high cost both groups the same" in page.read_text()


def test_models_are_compared_with_each_other_and_with_a_column(path, frame, models):
    files = ("--model-file", models / "plain.json", "--model-file", models / "fair.json")
    result = run("compare", path, *GROUPED, *files, "--pred", "predicted")
    assert result.exit_code == 0, result.output
    predicted = {
        name: load_model(models / f"{name}.json").predict(frame) for name in ("plain", "fair")
    }
    same = compare(
        {"predicted": frame.predicted, **predicted}, None, frame.grade,
        sensitive_features=frame[["sex"]], labels=ORDER,
    )  # fmt: skip
    assert result.output.startswith(str(same))


def test_incomplete_rows_are_left_out_of_all(path, frame, models):
    table = with_other(frame)
    table.loc[[0, 1], "predicted"] = None
    table.loc[[2], "sex"] = None
    table.to_csv(path, index=False)
    options = ("--pred", "predicted", "--model-file", models / "fair.json")
    result = run("compare", path, *GROUPED, *options)
    assert "2 models on 297 rows" in result.output
    assert "Left out: 3 rows with a missing value: empty in predicted (2), empty in sex (1)." in (
        result.output
    )


def test_numbers_that_no_row_has_as_its_label_are_labels(tmp_path):
    table = pd.DataFrame({"y": [1, 2, 3, 1, 2, 3] * 5, "p": [1, 2, 3, 2, 2, 3] * 5})
    table["q"], table["g"] = [1, 2, 4, 1, 1, 3] * 5, list("aabbba") * 5
    table.to_csv(tmp_path / "a.csv", index=False)
    options = ("--y", "y", "--group", "g", "--pred", "p", "--pred", "q")
    result = run("compare", tmp_path / "a.csv", *options)
    same = compare(
        {"p": table.p, "q": table.q}, None, table.y, sensitive_features=table[["g"]],
        labels=[1, 2, 3, 4],
    )  # fmt: skip
    assert result.output.startswith(str(same))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--pred", "predicted", *LABELS), "compare needs two columns of predictions"),
        (("--pred", "predicted", "--pred", "other"), "order of the labels 'bad', 'good', 'great'"),
        (("--pred", "predicted", "--pred", "nope", *LABELS), "--pred: a.csv has no column 'nope'"),
        (("--pred", "other", "--pred", "other", *LABELS), "--pred names column 'other' twice"),
        (
            ("--pred", "other", "--pred", "score", *LABELS),
            "column 'score' must hold labels, but ",
        ),
        (("--pred", "other", "--pred", "score", *LABELS), "Cut scores into labels first"),
        (("--pred", "other", "--pred", "town", *LABELS), "--pred town: value 'Ulm' is not one of"),
        (("--pred", "other", "--model-file", "nope.json"), "There is no file nope.json."),
        (("--model-file", "m.json", "--model-file", "m.json"), "names file 'm.json' twice"),
    ],
)
def test_what_cannot_be_compared_is_an_error(path, monkeypatch, capsys, options, words):
    code, line = failure(monkeypatch, capsys, "compare", path, *GROUPED, *options)
    assert code == 1
    assert words in line


def test_scores_and_other_labels_are_an_error(tmp_path, models, monkeypatch, capsys):
    table = pd.DataFrame({"y": [1, 2] * 5, "p": [1, 2] * 5, "s": [0.5, 2] * 5, "g": list("ab") * 5})
    table["score"] = 0
    path = tmp_path / "a.csv"
    table.to_csv(path, index=False)
    both = ("--y", "y", "--group", "g", "--pred", "p", "--pred", "s")
    _, line = failure(monkeypatch, capsys, "compare", path, *both)
    assert "--pred: column 's' must hold labels, but 0.5 is not one of 1, 2." in line
    table.assign(s=table.y * 10).to_csv(path, index=False)  # as many other values as labels
    _, line = failure(monkeypatch, capsys, "compare", path, *both)
    assert "--pred: column 's' must hold labels, but 10 is not one of 1, 2." in line
    files = ("--model-file", models / "plain.json", "--model-file", models / "fair.json")
    words = ("--y", "g", "--group", "y", *files)
    _, line = failure(monkeypatch, capsys, "compare", path, *words)
    assert "--y: 'a' is not one of the labels of the models, 'bad', 'okay', 'good', 'great'" in line


def test_three_have_no_report(path, models, monkeypatch, capsys):
    files = ("--model-file", models / "plain.json", "--model-file", models / "fair.json")
    options = ("--pred", "other", *files, "--html", "c.html")
    _, line = failure(monkeypatch, capsys, "compare", path, *GROUPED, *options)
    assert line == "Error: --html compares two, got 3. Leave --html out, or name two."


@pytest.mark.parametrize(
    ("ends", "words"),
    [
        ((0.2, 0.1, 0.3), "rises by 0.200 (clear evidence: yes)"),
        ((-0.2, -0.3, 0.1), "falls by 0.200 (clear evidence: no)"),
        ((0.0001, -0.1, 0.1), "stays the same"),
        ((float("nan"), -0.1, 0.1), "cannot be compared"),
    ],
)
def test_differences_in_words(ends, words):
    keys = ("", "_lower", "_upper")
    row = {f"{kind}_difference{key}": 0.0 for kind in ("violation", "cost") for key in keys}
    row |= {f"violation_difference{key}": end for key, end in zip(keys, ends, strict=True)}
    text = in_words(row | {"model": "b"}, {"model": "a"})
    assert text == f"From 'a' to 'b', the violation {words} and the mean cost stays the same."
