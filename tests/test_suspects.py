"""Columns that look like identifiers, or like the label in another form."""

import logging
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles
from cli_runner import run
from fairordinal.cli._wording import in_options
from fairordinal.models import TrainingTable, fit_table
from fairordinal.models._columns import read_table_column
from fairordinal.models._suspects import Suspects, share_wrong

N = 400
RANDOM = np.random.default_rng(0)
LABELS = RANDOM.integers(0, 4, N)
LATENT = LABELS + 0.7 * RANDOM.normal(size=N)


def suspects(labels=LABELS, **columns):
    return Suspects.among(
        [read_table_column(values, name) for name, values in columns.items()], np.asarray(labels)
    )


cells = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 2)), min_size=2, max_size=14)


@given(cells, st.booleans())
def test_wrong_labels_are_those_of_the_definition(rows, numbers):
    values, labels = (np.array(column) for column in zip(*rows, strict=True))
    found = share_wrong(values, labels, numbers=numbers)
    expected = oracles.share_of_wrong_labels(values.tolist(), labels.tolist(), numbers=numbers)
    assert found == pytest.approx(expected, abs=1e-12)


IDENTIFIERS = {
    "a running number": (np.arange(N), "increase from row to row"),
    "with gaps": (np.cumsum(RANDOM.integers(1, 90, N)), "increase from row to row"),
    "shuffled": (RANDOM.permutation(N) + 1, "all different"),
    "shuffled with gaps": (
        RANDOM.permutation(np.cumsum(RANDOM.integers(1, 9, N))),
        "all different",
    ),
    "some persons twice": (RANDOM.permutation([*range(390), *range(10)]), "nearly all different"),
    "numbers of 8 digits": (RANDOM.integers(10**7, 10**8, N), "all different"),
    "with missing ones": (np.where(np.arange(N) % 9, np.arange(N), np.nan), "increase"),
    "PatientID": (RANDOM.integers(0, 10**7, N), "different"),
    "names": ([f"p{i}" for i in range(N - 1)] + ["p0"], "nearly all of its texts differ"),
}


@pytest.mark.parametrize("name", IDENTIFIERS)
def test_identifiers_are_found(name):
    values, reason = IDENTIFIERS[name]
    found = suspects(**{name: values})
    assert list(found.identifiers) == [name]
    assert reason in found.identifiers[name]


COPIES = {
    "a copy": LABELS,
    "another coding": 100 - 10 * LABELS,
    "no order": np.array([7, 1, 9, 3])[LABELS],
    "a text": np.array(["bad", "okay", "good", "great"])[LABELS],
    "an increasing function with noise": np.exp(LABELS + 0.2 * RANDOM.random(N)),
    "a finer scale": -(10 * LABELS + RANDOM.integers(0, 10, N)),
    "with a few errors": np.where(np.arange(N) % 50, LABELS, 0),
}


@pytest.mark.parametrize("name", COPIES)
def test_the_label_in_another_form_is_found(name):
    assert suspects(**{name: COPIES[name]}).labels == [name]


@pytest.mark.parametrize("seed", range(8))
def test_ordinary_columns_raise_no_alarm(seed):
    random = np.random.default_rng(seed)
    labels = random.integers(0, 4, N)
    latent = labels + 0.7 * random.normal(size=N)
    found = suspects(
        labels,
        continuous=random.normal(size=N),
        good=latent,
        rounded=latent.round(1),
        thousandths=(1000 * latent).round(),
        age=random.integers(18, 90, N),
        income=random.lognormal(10, 1, N).round(),
        salary=random.normal(50_000, 12_000, N).round(),
        people=random.lognormal(11, 1.5, N).round(),
        price=(random.uniform(100_000, 900_000, N) + 150_000 * labels).round(),
        rounded_price=1000 * random.integers(100, 900, N),
        year=random.integers(1950, 2020, N),
        yes=random.random(N) > 0.5,
        town=random.choice(["Ulm", "Bonn", "Kiel"], N),
        street=[f"street {i}" for i in random.integers(0, 100, N)],
    )
    assert found == ({}, [])


def test_a_frequent_label_is_predicted_by_no_column():
    labels = (np.arange(N) >= N - 6).astype(int)
    assert suspects(labels, a=RANDOM.integers(0, 3, N), b=RANDOM.normal(size=N)).labels == []
    assert suspects(labels, a=labels).labels == ["a"]


def test_few_rows_say_nothing():
    assert suspects(LABELS[:49], id=np.arange(49), copy=LABELS[:49]) == ({}, [])


TABLE = {
    "y": LABELS, "g": RANDOM.choice(["a", "b"], N), "x": LATENT.round(3), "row": np.arange(N),
    "copy": 5 - LABELS,
}  # fmt: skip
QUICK = {"y": "y", "sensitive_features": "g", "basis": "linear", "alpha": 1e-3, "cv": 2}


def test_a_fit_warns_with_the_name_the_reason_and_the_remedy():
    with pytest.warns(UserWarning, match="looks like an identifier") as said:
        fit_table(TABLE, trade_off=0.1, ranker="reduction", **QUICK)
    words = [str(each.message) for each in said if "Column" in str(each.message)]
    assert words == [
        "Column 'row' looks like an identifier: whole numbers that increase from row to row. It "
        "would say nothing about new rows. Leave it out by ignore=['row'], unless it is a "
        "measurement.",
        "Column 'copy' alone predicts 'y' almost perfectly. Is it the label in another form, or "
        "known only after it? Then leave it out by ignore=['copy'].",
    ]
    with pytest.warns(UserWarning, match="Then leave it out of features."):
        TrainingTable.read(TABLE, y="y", sensitive_features="g", features=["copy", "x"])


@pytest.mark.filterwarnings("error")
def test_columns_that_are_ignored_are_not_warned_about(caplog):
    with caplog.at_level(logging.WARNING):
        TrainingTable.read(TABLE, y="y", sensitive_features="g", ignore=["row", "copy"])
    assert not caplog.records


@pytest.fixture
def path(tmp_path):
    import pandas as pd

    pd.DataFrame(TABLE).to_csv(tmp_path / "a.csv", index=False)
    return tmp_path / "a.csv"


def notes(monkeypatch, capsys, *arguments):
    """Notes of a command that works."""
    from fairordinal.cli import main

    monkeypatch.setattr("sys.argv", ["fairordinal", *map(str, arguments)])
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        with pytest.raises(SystemExit) as stopped:
            main()
    assert not stopped.value.code
    return [line for line in capsys.readouterr().err.splitlines() if line.startswith("Note: ")]


GROUPED = ("--y", "y", "--group", "g", "--max-violation", 0.9)


def test_fit_names_the_option(path, tmp_path, monkeypatch, capsys):
    fast = ("--model", "linear", "-o", tmp_path / "m.json")
    words = notes(monkeypatch, capsys, "fit", path, *GROUPED, *fast)
    assert words[0].endswith("Leave it out by --ignore 'row', unless it is a measurement.")
    assert words[1].endswith("Then leave it out by --ignore 'copy'.")
    text = "Then leave it out of features."
    assert in_options(text) == "Then leave it out of --feature."


def test_scores_are_looked_at(path, monkeypatch, capsys):
    command = ("thresholds", path, *GROUPED, "--score")
    (line,) = notes(monkeypatch, capsys, *command, "copy")
    assert line.startswith("Note: --score: column 'copy' alone predicts 'y' almost perfectly.")
    assert "looks like an identifier" in notes(monkeypatch, capsys, *command, "row")[0]
    assert not notes(monkeypatch, capsys, *command, "x")
    assert not notes(monkeypatch, capsys, *command, "copy", "--quiet")
    assert run(*command, "x").exit_code == 0
