"""Weights on the command line are those of the Python functions."""

import json

import numpy as np
import pandas as pd
import pytest

from cli_runner import failure, run
from fairordinal import FairOrdinalClassifier, audit, compare, optimize_thresholds
from fairordinal.models import TrainingTable, fit_table, load_model
from fairordinal.report._numbers import signed

AUDITED = ("--y", "y", "--pred", "p", "--group", "sex")
SURVEY = ("--weight", "w", "--weights", "survey")
QUICK = {"basis": "linear", "ranker": "reduction", "alpha": 1e-3, "cv": 2}


@pytest.fixture(scope="module")
def table():
    random = np.random.default_rng(3)
    n = 90
    sex, skill = random.choice(["f", "m"], n), random.normal(size=n)
    y = np.digitize(skill + 0.5 * random.normal(size=n), [-0.5, 0.5]) + 1
    p = np.clip(y + random.integers(-1, 2, n), 1, 3)
    w = random.integers(0, 90, n) * (random.random(n) < 0.9)
    return pd.DataFrame(
        {"y": y, "p": p, "sex": sex, "skill": skill.round(2), "n": random.normal(size=n), "w": w}
    )


@pytest.fixture
def path(table, tmp_path):
    table.to_csv(tmp_path / "a.csv", index=False)
    return tmp_path / "a.csv"


def test_frequency_weights_are_counts(table, path):
    weighted = run("audit", path, *AUDITED, "--weight", "w").output
    assert weighted == run("audit", path, *AUDITED, "--counts", "w").output
    expected = audit("y", "p", sensitive_features="sex", sample_weight="w", data=table)
    assert weighted.startswith(str(expected))


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_survey_weights_are_those_of_python(table, tmp_path, ending):
    path, numbers = tmp_path / f"a.{ending}", tmp_path / "a.json"
    table = table.assign(sex=table.sex.where(table.index != 4, None))
    table.to_csv(path, index=False) if ending == "csv" else table.to_parquet(path)
    options = ("--weight", "w", "--weights", "survey", "--json", numbers)
    found = run("audit", path, *AUDITED, *options)
    columns = {"sensitive_features": "sex", "sample_weight": "w", "weights": "survey"}
    expected = audit("y", "p", data=table.dropna(), **columns)
    assert found.output.startswith(str(expected))
    assert "Left out: 1 row with a missing value" in found.output
    groups = json.loads(numbers.read_text())["groups"]
    assert groups["rows"] == expected.table.rows.tolist()
    assert groups["weight"] == table.dropna().groupby("sex")["w"].sum().tolist()


def test_a_report_shows_rows_of_the_sample(table, path, tmp_path):
    page = tmp_path / "a.html"
    run("audit", path, *AUDITED, "--weight", "w", "--weights", "survey", "--html", page)
    text = page.read_text(encoding="utf-8")
    assert "Survey weights: intervals are those of the rows in the sample." in text
    assert "<dd>w (survey)</dd>" in text
    assert f"<dd>{(table.w > 0).sum()}</dd>" in text


@pytest.mark.parametrize(
    ("options", "shown"),
    [
        (["--weights", "survey"], "--weights survey needs --weight"),
        (
            ["--weight", "w", "--weights", "sampling"],
            "one of frequency, survey, got 'sampling'",
        ),
        (["--weight", "w", "--counts", "w"], "pass one of them"),
        (["--weight", "sex"], "--weight and --group both name column 'sex'"),
        (["--weight", "n", "--weights", "survey"], "--weight: column 'n' must hold numbers of at"),
    ],
)
def test_weights_that_make_no_sense_are_refused(path, monkeypatch, capsys, options, shown):
    assert shown in failure(monkeypatch, capsys, "audit", path, *AUDITED, *options)[1]


def test_thresholds_take_weights(table, tmp_path, path):
    numbers = tmp_path / "t.json"
    given = ("--score", "skill", "--y", "y", "--group", "sex", "--max-violation", "0.1")
    assert run("thresholds", path, *given, "--weight", "w", "--json", numbers).exit_code == 0
    expected = optimize_thresholds(
        table.skill, table.y, sensitive_features=table.sex, sample_weight=table.w, max_violation=0.1
    )
    found = json.loads(numbers.read_text())
    assert found["thresholds"] == expected.thresholds.tolist()
    assert found["cost"] == expected.cost


def test_a_model_of_a_table_takes_weights(table):
    options = {"y": "y", "sensitive_features": "sex", "sample_weight": "w", "ignore": ["p"]}
    found = fit_table(table, **options, **QUICK, max_violation=0.1)
    rows = TrainingTable.read(table, **options)
    assert rows.data.columns == ("skill", "n")
    classifier = FairOrdinalClassifier(max_violation=0.1, **QUICK)
    classifier.fit(rows.X, rows.y, sensitive_features=table.sex, sample_weight=table.w)
    assert found.coefficients == rows.model(classifier).coefficients
    counted = table[table.w > 0].groupby("sex")["y"].value_counts().unstack()
    assert [group.rows_by_label for group in found.groups] == [*map(tuple, counted.to_numpy())]
    unweighted = rows.fit(FairOrdinalClassifier(max_violation=0.1, **QUICK))
    assert unweighted.coef_.tolist() == classifier.coef_.tolist()
    unweighted.fit(rows.X, rows.y, sensitive_features=table.sex)
    with pytest.raises(ValueError, match="with their sample_weight"):
        rows.model(unweighted)


def test_weights_of_rows_without_a_label_are_left_out(table):
    # the number of weights was compared with the number of rows that are left
    options = {"y": "y", "sensitive_features": "sex", "sample_weight": "w"}
    lacking = table.assign(y=table.y.where(table.index % 9 > 0, None))
    lacking["sex"] = table.sex.where(table.index != 5, None)
    rows = TrainingTable.read(lacking, **options)
    assert rows.sample_weight.tolist() == lacking.dropna().w.tolist()
    assert rows.data.rows_used == len(rows.X) == len(lacking.dropna())


@pytest.mark.parametrize(
    ("options", "shown"),
    [
        ({"sample_weight": "v"}, "sample_weight must name columns of the frame"),
        ({"sample_weight": "sex"}, "sample_weight is 'sex', which another argument names too"),
        ({"sample_weight": "n"}, "sample_weight must be finite and at least 0"),
    ],
)
def test_weights_of_a_table_that_make_no_sense_are_refused(table, options, shown):
    with pytest.raises(ValueError, match=shown):
        TrainingTable.read(table, y="y", sensitive_features="sex", **options)


@pytest.mark.parametrize("weights", ["frequency", "survey"])
def test_compare_takes_weights(table, path, tmp_path, weights):
    page, given = tmp_path / "c.html", ("--weight", "w", "--weights", weights)
    table = table.assign(q=np.clip(table.p + 1, 1, 3).where(table.index != 3, None))
    table.to_csv(path, index=False)
    both = ("--y", "y", "--group", "sex", "--pred", "p", "--pred", "q", "--html", page)
    result = run("compare", path, *both, *given)
    assert result.exit_code == 0, result.output
    rows = table.dropna()
    same = compare(
        {"p": rows.p, "q": rows.q.astype(int)}, None, rows.y, sensitive_features=rows[["sex"]],
        sample_weight=rows.w, weights=weights,
    )  # fmt: skip
    assert result.output.startswith(str(same))
    text = page.read_text(encoding="utf-8")
    assert f"<dd>w ({weights})</dd>" in text
    assert ("Survey weights" in text) == (weights == "survey")
    interval = [signed(same.frame().loc[1, f"cost_difference_{end}"]) for end in ("lower", "upper")]
    assert " to ".join(interval) in text


@pytest.mark.parametrize("command", ["compare", "thresholds", "fit", "frontier"])
def test_survey_weights_need_a_column(path, monkeypatch, capsys, command):
    options = {
        "compare": ("--pred", "p", "--model-file", "m.json"),
        "thresholds": ("--score", "skill", "--max-violation", 0.1),
        "fit": ("-o", "m.json"),
        "frontier": (),
    }[command]
    given = (path, "--y", "y", "--group", "sex", *options, "--weights")
    message = failure(monkeypatch, capsys, command, *given, "survey")[1]
    assert "--weights survey needs --weight" in message
    message = failure(monkeypatch, capsys, command, *given, "surveys", "--weight", "w")[1]
    assert "Did you mean 'survey'?" in message


def test_survey_weights_sum_to_the_effective_number_of_rows(table, path, tmp_path, monkeypatch):
    seen = []
    monkeypatch.setattr(TrainingTable, "fit", lambda rows, _: seen.append(rows.sample_weight))
    given = ("--y", "y", "--group", "sex", "--ignore", "p")
    run("fit", path, *given, *SURVEY, "-o", tmp_path / "m.json")
    effective = table.w.sum() ** 2 / (table.w**2).sum()
    np.testing.assert_allclose(seen[0], table.w * effective / table.w.sum(), rtol=1e-12)
    numbers, page = tmp_path / "t.json", tmp_path / "t.html"
    given = ("--score", "skill", "--y", "y", "--group", "sex", "--max-violation", 0.3)
    options = (*given, "--confidence", 0.9, "--json", numbers, "--html", page)
    assert run("thresholds", path, *options, *SURVEY).exit_code == 0
    expected = optimize_thresholds(
        table.skill, table.y, sensitive_features=table.sex, sample_weight=seen[0],
        max_violation=0.3, confidence=0.9, random_state=0,
    )  # fmt: skip
    assert json.loads(numbers.read_text())["thresholds"] == expected.thresholds.tolist()
    text = page.read_text(encoding="utf-8")
    assert "<dd>w (survey; numbers of rows are effective numbers)</dd>" in text


def test_fit_and_frontier_take_weights(table, path, tmp_path, monkeypatch):
    """The column is no input, and its values reach the estimator."""
    weights = []
    fit = TrainingTable.fit

    def noted(rows, estimator):
        weights.append(rows.sample_weight.tolist())
        return fit(rows, estimator.set_params(**QUICK))

    monkeypatch.setattr(TrainingTable, "fit", noted)
    given = ("--y", "y", "--group", "sex", "--ignore", "p", "--weight", "w", "--max-violation", 0.2)
    for command in ("fit", "frontier"):
        model = tmp_path / f"{command}.json"
        html = ("--html", tmp_path / "f.html") if command == "frontier" else ()
        result = run(command, path, *given, "-o", model, *html, "--quiet")
        assert result.exit_code == 0, result.output
        assert load_model(model).data.columns == ("skill", "n")
    assert weights == [table.w.tolist()] * 2
    assert "<dd>w (frequency)</dd>" in (tmp_path / "f.html").read_text(encoding="utf-8")


def test_weights_that_are_no_counts_are_noted_unless_they_are_scaled(table, tmp_path):
    given = ("--score", "skill", "--y", "y", "--group", "sex", "--max-violation", 0.5)
    path, weights = tmp_path / "w.csv", np.random.default_rng(0).uniform(18, 90, len(table))
    for sizes, noted in (
        (weights, True),
        (weights / weights.mean(), False),
        (weights.round(), False),
    ):
        table.assign(w=sizes).to_csv(path, index=False)
        result = run("thresholds", path, *given, "--weight", "w")
        assert result.exit_code == 0, result.output
        assert ("If these are survey weights, pass --weights survey." in result.stderr) == noted
        assert not run("thresholds", path, *given, *SURVEY).stderr
        assert not run("thresholds", path, *given, "--weight", "w", "--quiet").stderr


def test_an_audit_with_fractional_weights_names_survey_weights(table, path):
    table.assign(w=table.w + 0.5).to_csv(path, index=False)
    audited = run("audit", path, *AUDITED, "--weight", "w").stdout
    assert "If these are survey weights, pass --weights survey." in " ".join(audited.split())
