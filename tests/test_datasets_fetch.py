"""The paper's data sets from a data home, where that is at hand."""

import csv
import gzip
import hashlib
import logging
import shutil

import numpy as np
import pandas as pd
import pytest

from fairordinal.datasets import (
    fetch_communities_crime,
    fetch_drug_consumption,
    fetch_orca,
    get_data_home,
    orca_names,
)
from fairordinal.datasets._dataset import group_statistics, mean_test_statistics
from fairordinal.datasets._orca_files import catalogue, catalogue_entry
from fairordinal.datasets._uci import CRIME_COLUMNS, random_splits
from fairordinal.experiments.figures.tables import (
    DEVIATIONS,
    MAIN,
    ORCA,
    SIZES,
    STATISTICS,
)
from paper_data import HOME, needs_paper_data

FIELDS = [
    "DESCR",
    "data",
    "feature_names",
    "frame",
    "sensitive_features",
    "sensitive_names",
    "split_sensitive_features",
    "splits",
    "target",
    "target_names",
]
OFFLINE = {"data_home": HOME, "download_if_missing": False}


def stored_table(name):
    return pd.read_csv(HOME / "paper_main" / name / "table.csv.gz")


def all_arrays(data):
    flat = [part for pair in [*data.splits, *data.split_sensitive_features] for part in pair]
    return [data.data, data.target, data.sensitive_features, *flat]


def test_the_names_are_those_of_the_tables_in_order():
    assert orca_names() == list(ORCA)


def test_the_columns_of_communities_and_crime_have_128_names():
    assert len(CRIME_COLUMNS) == len(set(CRIME_COLUMNS)) == 128


@needs_paper_data
@pytest.mark.parametrize("name", ORCA)
def test_every_number_of_tables_3_and_4_follows_from_the_data(name):
    data, printed = fetch_orca(name, **OFFLINE), ORCA[name]
    n_train, n_test, n_features, n_labels = (int(printed[size]) for size in SIZES)
    assert {(len(train), len(test)) for train, test in data.splits} == {(n_train, n_test)}
    assert data.data.shape == (n_train + n_test, n_features)
    assert np.unique(data.target).tolist() == list(range(1, n_labels + 1))
    found = mean_test_statistics(data)._asdict()
    assert tuple(found) == STATISTICS
    for field, value in found.items():
        expected, _ = DEVIATIONS.get((name, field), (printed[field], ""))
        assert f"{value:.2f}" == expected, field


@needs_paper_data
def test_every_number_of_tables_1_and_2_follows_from_the_data():
    def shares(data, group):
        tests = [test for _, test in data.splits]
        labels = np.unique(data.target)
        share = [
            np.mean([np.mean(data.target[test] == label) for test in tests]) for label in labels
        ]
        groups = [groups == group for _, groups in data.split_sensitive_features]
        difference = mean_test_statistics(data).difference
        return [f"{value:.2f}" for value in [np.mean(groups), *share, difference]]

    drug, crime = fetch_drug_consumption(**OFFLINE), fetch_communities_crime(**OFFLINE)
    assert shares(drug, 1) == list(MAIN["drug-consumption"].values())
    assert shares(crime, 1) == list(MAIN["communities-crime"].values())
    three = fetch_communities_crime(groups=3, **OFFLINE)
    counts = np.bincount(three.sensitive_features) / len(three.target)
    assert [f"{share:.2f}" for share in counts] == list(MAIN["communities-crime-3"].values())


@needs_paper_data
def test_drug_consumption_is_made_of_the_raw_file_as_the_authors_made_it():
    data, table = fetch_drug_consumption(**OFFLINE), stored_table("drug_consumption")
    assert [*data.feature_names, "a", "label"] == list(table)
    np.testing.assert_array_equal(data.data, table[data.feature_names])
    np.testing.assert_array_equal(data.sensitive_features, table["a"])
    np.testing.assert_array_equal(data.target, table["label"])


@needs_paper_data
@pytest.mark.parametrize("groups", [2, 3])
def test_communities_and_crime_is_made_of_the_raw_file_as_the_authors_made_it(groups):
    data = fetch_communities_crime(groups=groups, **OFFLINE)
    table = stored_table("communities_and_crime")
    assert data.feature_names == list(table)[:95]
    np.testing.assert_array_equal(data.data, table[data.feature_names])
    np.testing.assert_array_equal(data.sensitive_features, table[f"a{groups}"])
    np.testing.assert_array_equal(data.target, table["label"])
    assert set(data.sensitive_names) == set(data.sensitive_features)
    assert not [name for name in data.feature_names if name.lower().startswith("race")]


@needs_paper_data
@pytest.mark.parametrize(
    ("name", "fetch"),
    [
        ("drug_consumption", fetch_drug_consumption),
        ("communities_and_crime", fetch_communities_crime),
    ],
)
def test_the_20_splits_are_drawn_again(name, fetch):
    stored = pd.read_csv(HOME / "paper_main" / name / "splits.csv.gz")
    assert stored["part"].tolist() == ["train"] * 20
    data = fetch(**OFFLINE)
    for (train, test), rows in zip(data.splits, stored["rows"], strict=True):
        assert train.tolist() == [int(row) for row in rows.split()]
        assert test.tolist() == sorted(set(range(len(data.target))) - set(train))


def test_other_random_numbers_are_noticed():
    with pytest.raises(RuntimeError, match="draws other random numbers"):
        random_splits(1885, "0")


@needs_paper_data
@pytest.mark.parametrize("name", ["ESL", "SWD", "machine-5", "bank1-10", "abalone-5"])
def test_rows_of_a_split_are_those_of_the_stored_table(name):
    entry, data = catalogue_entry(name), fetch_orca(name, **OFFLINE)
    folder = HOME / ("orca_discretized" if entry.bins else "orca_real") / entry.base
    table = pd.read_csv(folder / "table.csv.gz")
    stored = pd.read_csv(folder / f"splits{entry.bins}.csv.gz")
    rows = stored[stored["part"] == "train"].sort_values("split")["rows"]
    for (train, _), listed in zip(data.splits, rows, strict=True):
        expected = table.iloc[[int(row) for row in listed.split()]]
        np.testing.assert_array_equal(data.data[train], expected[data.feature_names])
        np.testing.assert_array_equal(data.target[train], expected[f"label{entry.bins}"])


@needs_paper_data
def test_the_catalogue_says_what_the_stored_lists_say():
    with (HOME / "protected_attributes.csv").open() as file:
        attributes = {row["dataset"]: row for row in csv.DictReader(file)}
    assert list(attributes) == orca_names()
    for name, entry in catalogue().items():
        folder = HOME / ("orca_discretized" if entry.bins else "orca_real") / entry.base
        pairs = [line.split() for line in (folder / "ORCA_FILES.sha256").read_text().splitlines()]
        sums = {file: digest for digest, file in pairs}
        files = [file for both in entry.file_names() for file in both]
        listing = "".join(f"{sums[file]}  {file}\n" for file in files).encode()
        assert hashlib.sha256(listing).hexdigest() == entry.files_sha256
        assert len([file for file in sums if f"_{entry.stem}." in file]) == len(files)
        assert entry.sensitive_column == attributes[name]["feature_name"]
        assert entry.columns.index(entry.sensitive_column) == int(
            attributes[name]["feature_index_0based"]
        )
        assert ("median" in attributes[name]["rule"]) == (entry.sensitive_value is None)


@needs_paper_data
def test_groups_by_a_median_are_made_within_each_file():
    data = fetch_orca("ERA", **OFFLINE)
    table = pd.read_csv(HOME / "orca_real" / "ERA" / "table.csv.gz")["in1"].to_numpy()
    differ = 0
    for (train, test), groups in zip(data.splits, data.split_sensitive_features, strict=True):
        for rows, group in zip((train, test), groups, strict=True):
            np.testing.assert_array_equal(group, table[rows] >= np.median(table[rows]))
            differ += (group != data.sensitive_features[rows]).any()
    np.testing.assert_array_equal(data.sensitive_features, table >= np.median(table))
    assert differ


@needs_paper_data
@pytest.mark.parametrize(
    "fetch",
    [
        fetch_drug_consumption,
        fetch_communities_crime,
        lambda **options: fetch_orca("LEV", **options),
    ],
)
def test_fetchers_follow_the_conventions_of_scikit_learn(fetch):
    data = fetch(**OFFLINE)
    assert sorted(data) == FIELDS
    assert data.frame is None
    X, y = fetch(return_X_y=True, **OFFLINE)
    np.testing.assert_array_equal(X, data.data)
    np.testing.assert_array_equal(y, data.target)
    framed = fetch(as_frame=True, **OFFLINE)
    assert list(framed.data) == data.feature_names
    assert list(framed.frame) == [*data.feature_names, "target", "sensitive_features"]
    for ours, theirs in zip(all_arrays(data), all_arrays(framed), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    frame, series = fetch(as_frame=True, return_X_y=True, **OFFLINE)
    assert isinstance(frame, pd.DataFrame)
    assert isinstance(series, pd.Series)
    for word in ("Source:", "Citation:", "Licence:", "Protected attribute", "Known points:"):
        assert word in data.DESCR
    for train, test in data.splits:
        assert sorted([*train, *test]) == list(range(len(data.target)))


@needs_paper_data
def test_all_sets_say_what_they_are():
    for name in orca_names():
        text = fetch_orca(name, **OFFLINE).DESCR
        assert text.startswith(name)
        assert "{" not in text


def test_the_data_home_is_the_argument_or_the_variable_or_in_the_users_home(monkeypatch, tmp_path):
    monkeypatch.setenv("FAIRORDINAL_DATA", str(tmp_path / "variable"))
    assert get_data_home() == tmp_path / "variable"
    assert get_data_home(tmp_path) == get_data_home(str(tmp_path)) == tmp_path
    monkeypatch.delenv("FAIRORDINAL_DATA")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    assert get_data_home() == tmp_path / "fairordinal_data"
    assert get_data_home("~/here") == tmp_path / "here"
    assert not list(tmp_path.iterdir())


def test_arguments_are_checked_by_name(tmp_path):
    with pytest.raises(ValueError, match=r"name must be one of automobile, .*; got 'cars'"):
        fetch_orca("cars")
    with pytest.raises(ValueError, match="groups must be 2 or 3, got 4"):
        fetch_communities_crime(groups=4)
    with pytest.raises(ValueError, match="n_retries must be 0 or more, got -1"):
        fetch_drug_consumption(data_home=tmp_path, n_retries=-1)
    with pytest.raises(ValueError, match="delay must be 0 or more seconds, got -1"):
        fetch_drug_consumption(data_home=tmp_path, delay=-1)


@pytest.mark.parametrize(
    "fetch",
    [
        fetch_drug_consumption,
        fetch_communities_crime,
        lambda **options: fetch_orca("LEV", **options),
    ],
)
def test_what_is_missing_is_refused_where_downloads_are_forbidden(fetch, tmp_path):
    with pytest.raises(OSError, match=r"download_if_missing is False\. Allow .*FAIRORDINAL_DATA"):
        fetch(data_home=tmp_path, download_if_missing=False)
    assert not list(tmp_path.iterdir())


def damaged(content, how):
    """The content of a packed table after an accident."""
    text = gzip.decompress(content).decode()
    first, second, *rest = text.splitlines(keepends=True)
    return {
        "truncated": lambda: content[: len(content) // 2],
        "empty": lambda: b"",
        "gone": lambda: None,
        "not packed": lambda: text.encode(),
        "a byte changed": lambda: content[:-20] + bytes([content[-20] ^ 1]) + content[-19:],
        "a row less": lambda: gzip.compress((first + "".join(rest)).encode()),
        "a row more": lambda: gzip.compress((text + second).encode()),
        "a digit changed": lambda: gzip.compress(text.replace("7", "8", 1).encode()),
        "a negative number": lambda: gzip.compress(text.replace(",0 ", ",-209 ", 1).encode()),
    }[how]()


ACCIDENTS = [
    (file, how)
    for file in ("table.csv.gz", "splits5.csv.gz")
    for how in (
        "truncated",
        "empty",
        "gone",
        "not packed",
        "a byte changed",
        "a row less",
        "a row more",
        "a digit changed",
    )
]


@needs_paper_data
@pytest.mark.parametrize(("file", "how"), [*ACCIDENTS, ("splits5.csv.gz", "a negative number")])
def test_a_damaged_set_is_not_used(tmp_path, caplog, file, how):
    folder = tmp_path / "orca_discretized" / "machine"
    shutil.copytree(HOME / "orca_discretized" / "machine", folder)
    path, options = folder / file, {"data_home": tmp_path, "download_if_missing": False}
    fetch_orca("machine-5", **options)
    content = damaged(path.read_bytes(), how)
    assert content != path.read_bytes()
    path.unlink()
    if content is not None:
        path.write_bytes(content)
    with (
        caplog.at_level(logging.WARNING, "fairordinal.datasets"),
        pytest.raises(OSError, match="missing or damaged"),
    ):
        fetch_orca("machine-5", **options)
    assert "machine is damaged and will not be used" in caplog.text


@needs_paper_data
@pytest.mark.parametrize("change", [lambda raw: raw[:-100], lambda raw: raw.replace(b"5", b"6", 1)])
def test_a_damaged_raw_file_is_not_used(tmp_path, caplog, change):
    place = "paper_main/drug_consumption/drug_consumption.data"
    (tmp_path / place).parent.mkdir(parents=True)
    (tmp_path / place).write_bytes(change((HOME / place).read_bytes()))
    with pytest.raises(OSError, match="missing or damaged"):
        fetch_drug_consumption(data_home=tmp_path, download_if_missing=False)
    assert "is damaged: its SHA-256" in caplog.text


def test_statistics_count_pairs():
    # pairs of (1, 1, 3) with (2, 3): above (3, 2); below (1, 2), (1, 3) twice each; tie (3, 3)
    found = group_statistics([1, 1, 3, 2, 3], [0, 0, 0, 1, 1])
    assert found == pytest.approx((3 / 5, 1 / 6, 4 / 6, 3 / 6))
