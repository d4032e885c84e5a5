"""Downloads from a server on this machine, which fails in all ways that servers fail."""

import gzip
import hashlib
import importlib
import io
import logging
import os
import subprocess
import sys
import textwrap
import tracemalloc
import zipfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from fairordinal.datasets import _download, _orca_files, fetch_drug_consumption, fetch_orca
from fairordinal.datasets._download import (
    MEBIBYTE,
    REMOTE_FILES,
    FetchOptions,
    RemoteFile,
    checked_bytes,
)
from fairordinal.datasets._orca_files import (
    CatalogueEntry,
    _unpack,
    catalogue_entry,
    read_from_archive,
    read_from_home,
)
from paper_data import HOME, needs_paper_data
from web_server import serving

pytest.importorskip("pooch")

CONTENT = b"rows and rows of data\n" * 5000
PLACE = "folder/file.data"


@pytest.fixture(autouse=True)
def patience(monkeypatch, request):
    monkeypatch.setenv("NO_PROXY", "*")
    monkeypatch.setattr(_download, "TIMEOUT", 1.0 if "hanging" in request.node.name else 30.0)


@pytest.fixture
def server(monkeypatch):
    """A server of CONTENT, which is known as the file "made up"."""
    with serving(CONTENT) as running:
        known = RemoteFile(running.url, PLACE, hashlib.sha256(CONTENT).hexdigest())
        monkeypatch.setitem(REMOTE_FILES, "made up", known)
        yield running


def source(home, n_retries=0, allowed=True):
    return FetchOptions(home, allowed, n_retries, 0.01)


def files(home):
    return sorted(path.relative_to(home).as_posix() for path in home.rglob("*") if path.is_file())


def test_a_file_is_downloaded_once(server, tmp_path):
    assert checked_bytes("made up", source(tmp_path)) == CONTENT
    assert checked_bytes("made up", source(tmp_path, allowed=False)) == CONTENT
    assert server.requests == 1
    assert files(tmp_path) == [PLACE]


@pytest.mark.parametrize(
    ("way", "reason"),
    [
        ("truncated", "IncompleteRead|SHA-256"),
        ("truncated_without_length", "SHA-256"),
        ("wrong", "SHA-256 is .*, expected"),
        ("missing", "404"),
        ("broken", "503"),
        ("hanging", "timed out"),
    ],
)
def test_a_failed_download_says_why_and_leaves_nothing(server, tmp_path, caplog, way, reason):
    server.ways = [way] * 3
    with pytest.raises(OSError, match=rf"(?s)could not be downloaded.*({reason}).*put the file at"):
        checked_bytes("made up", source(tmp_path, n_retries=2))
    assert server.requests == 3
    assert caplog.text.count("more attempts") == 3
    assert files(tmp_path) == []
    assert checked_bytes("made up", source(tmp_path)) == CONTENT


@pytest.mark.parametrize("way", ["truncated", "wrong", "missing", "broken", "hanging"])
def test_a_download_that_fails_twice_and_then_works_is_good(server, tmp_path, way):
    server.ways = [way, way]
    assert checked_bytes("made up", source(tmp_path, n_retries=2)) == CONTENT
    assert server.requests == 3
    assert files(tmp_path) == [PLACE]


def test_a_slow_download_is_waited_for(server, tmp_path):
    server.ways = ["slow"]
    assert checked_bytes("made up", source(tmp_path)) == CONTENT


def test_no_server_at_all_is_said(monkeypatch, tmp_path):
    monkeypatch.setitem(REMOTE_FILES, "made up", RemoteFile("http://127.0.0.1:1/x", PLACE, "0"))
    with pytest.raises(OSError, match="could not be downloaded"):
        checked_bytes("made up", source(tmp_path))


@pytest.mark.parametrize("damage", [CONTENT[:-1], b"", CONTENT[::-1]])
def test_a_damaged_file_is_fetched_again(server, tmp_path, caplog, damage):
    path = tmp_path / PLACE
    path.parent.mkdir()
    path.write_bytes(damage)
    with pytest.raises(OSError, match="missing or damaged, and download_if_missing is False"):
        checked_bytes("made up", source(tmp_path, allowed=False))
    assert "is damaged" in caplog.text
    assert checked_bytes("made up", source(tmp_path)) == CONTENT
    assert path.read_bytes() == CONTENT


def test_a_damaged_file_that_cannot_be_fetched_again_is_not_used(server, tmp_path):
    path = tmp_path / PLACE
    path.parent.mkdir()
    path.write_bytes(CONTENT[:-1])
    server.ways = ["missing"]
    with pytest.raises(OSError, match="404"):
        checked_bytes("made up", source(tmp_path))


def test_a_folder_that_cannot_be_written_to_is_named(server, tmp_path):
    (tmp_path / "folder").write_text("not a folder")
    with pytest.raises(OSError, match=r"cannot be written to .*Name a folder of yours"):
        checked_bytes("made up", source(tmp_path, n_retries=5))
    assert server.requests == 0


def test_two_at_once_do_not_disturb_each_other(server, tmp_path):
    server.ways = ["slow"] * 4
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: checked_bytes("made up", source(tmp_path)), range(4)))
    assert found == [CONTENT] * 4
    assert files(tmp_path) == [PLACE]


def test_a_killed_download_leaves_nothing_that_is_taken_as_good(server, tmp_path):
    script = f"""
        from pathlib import Path
        from fairordinal.datasets import _download
        known = _download.RemoteFile({server.url!r}, {PLACE!r}, "0")
        _download.REMOTE_FILES["made up"] = known
        options = _download.FetchOptions(Path({str(tmp_path)!r}), True, 0, 0.0)
        _download.checked_bytes("made up", options)
    """
    server.ways = ["hanging"]
    child = subprocess.Popen([sys.executable, "-c", textwrap.dedent(script)], env={**os.environ})
    assert server.half_sent.wait(60)
    child.kill()
    child.wait(60)
    assert not (tmp_path / PLACE).exists()
    with pytest.raises(OSError, match="missing or damaged"):
        checked_bytes("made up", source(tmp_path, allowed=False))
    assert checked_bytes("made up", source(tmp_path)) == CONTENT


def test_an_interrupt_cleans_up(server, tmp_path, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        checked_bytes("made up", source(tmp_path))
    assert files(tmp_path) == []


def test_without_pooch_a_message_says_what_to_install(server, tmp_path, monkeypatch):
    def missing(name):
        raise ImportError(name)

    monkeypatch.setattr(importlib, "import_module", missing)
    with pytest.raises(ImportError, match=r"a download needs pooch; .*fairordinal\[data\]"):
        checked_bytes("made up", source(tmp_path))


# -- the archive ---------------------------------------------------------------------------------


def made_up_set(n_rows=12, n_splits=3):
    """A set with rows that are equal, and the texts of its files."""
    generator = np.random.default_rng(0)
    lines = [f"{value / 4:.2f} {-value} {1 + value % 3}\n" for value in range(n_rows - 3)]
    lines += lines[:3]
    texts = {}
    for split in range(1, n_splits + 1):
        shuffled = [lines[row] for row in generator.permutation(n_rows)]
        texts[f"train_few.{split}"] = "".join(shuffled[:7]).encode()
        texts[f"test_few.{split}"] = "".join(shuffled[7:]).encode()
    sums = [f"{hashlib.sha256(text).hexdigest()}  {name}\n" for name, text in texts.items()]
    entry = CatalogueEntry(
        name="few-5",
        base="few",
        columns=("first", "second"),
        folder="discretized-regression/5bins/few/matlab",
        stem="few",
        first_split=1,
        n_splits=n_splits,
        files_sha256=hashlib.sha256("".join(sums).encode()).hexdigest(),
        sensitive_column="first",
        sensitive_value=None,
        target_names=None,
        source="made up",
        licence="none",
        note="",
    )
    return entry, texts


def packed(*sets):
    """An archive of sets; folders beside have files of the same names."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for entry, texts in sets:
            for name, text in texts.items():
                archive.writestr(f"datasets-orreview/{entry.folder}/{name}", text)
                archive.writestr(f"datasets-orreview/other{entry.folder}/{name}", b"1 2 3\n")
    return content.getvalue()


@pytest.fixture
def orca_server(monkeypatch):
    """A server of the archive of ORCA, whose content a test has to set."""
    with serving(b"") as running:
        monkeypatch.setitem(REMOTE_FILES, "orca", replace(REMOTE_FILES["orca"], url=running.url))
        yield running


def texts_of(entry, stored):
    return {
        name: b"".join([stored.lines[row] for row in rows])
        for names, split in zip(entry.file_names(), stored.splits, strict=True)
        for name, rows in zip(names, split, strict=True)
    }


def test_a_set_comes_out_of_the_archive_and_is_kept(orca_server, tmp_path):
    entry, texts = made_up_set()
    orca_server.content = packed((entry, texts))
    found = read_from_archive(entry, source(tmp_path))
    assert texts_of(entry, found) == texts
    kept = read_from_home(entry, tmp_path)
    assert kept.lines == found.lines
    for ours, theirs in zip(found.splits, kept.splits, strict=True):
        np.testing.assert_array_equal(np.concatenate(ours), np.concatenate(theirs))
    folder = f"orca/{entry.name}"
    kept_files = ["orca/datasets-orreview.zip", f"{folder}/splits.csv.gz", f"{folder}/table.csv.gz"]
    assert files(tmp_path) == kept_files


def test_an_archive_that_is_there_is_not_fetched_again(orca_server, tmp_path):
    entry, texts = made_up_set()
    orca_server.content = packed((entry, texts))
    read_from_archive(entry, source(tmp_path))
    for file in ("table", "splits"):
        (tmp_path / "orca" / entry.name / f"{file}.csv.gz").unlink()
        assert read_from_home(entry, tmp_path) is None
        read_from_archive(entry, source(tmp_path, allowed=False))
        assert read_from_home(entry, tmp_path) is not None
    assert orca_server.requests == 1


@pytest.mark.parametrize(
    "how", ["truncated", "empty", "a byte changed", "a file less", "one wrong"]
)
def test_a_damaged_archive_is_fetched_again(orca_server, tmp_path, caplog, how):
    entry, texts = made_up_set()
    good = packed((entry, texts))
    place = tmp_path / REMOTE_FILES["orca"].path
    place.parent.mkdir(parents=True)
    less = {name: text for name, text in texts.items() if name != "test_few.2"}
    middle = good.index(b"train_few.2") + 12
    place.write_bytes(
        {
            "truncated": good[: len(good) // 2],
            "empty": b"",
            "a byte changed": good[:middle] + bytes([good[middle] ^ 255]) + good[middle + 1 :],
            "a file less": packed((entry, less)),
            "one wrong": packed((entry, texts | {"test_few.2": b"1 2 3\n"})),
        }[how]
    )
    with pytest.raises(OSError, match="missing or damaged"):
        read_from_archive(entry, source(tmp_path, allowed=False))
    orca_server.content = good
    assert texts_of(entry, read_from_archive(entry, source(tmp_path))) == texts
    assert "is damaged, or lacks files of few-5" in caplog.text
    assert place.read_bytes() == good


def test_an_archive_with_another_content_is_refused(orca_server, tmp_path):
    entry, texts = made_up_set()
    orca_server.content = packed((entry, texts | {"train_few.1": b"1 2 3\n"}))
    with pytest.raises(OSError, match=r"does not hold few-5 with its known checksums\. Try again"):
        read_from_archive(entry, source(tmp_path))
    assert read_from_home(entry, tmp_path) is None


def test_half_an_archive_is_tried_again(orca_server, tmp_path):
    entry, texts = made_up_set()
    orca_server.content = packed((entry, texts))
    orca_server.ways = ["truncated_without_length", "truncated"]
    assert texts_of(entry, read_from_archive(entry, source(tmp_path, n_retries=2))) == texts
    orca_server.ways = ["truncated_without_length"]
    with pytest.raises(OSError, match="it is not a complete zip archive"):
        read_from_archive(entry, source(tmp_path / "elsewhere"))
    assert files(tmp_path / "elsewhere") == []


def test_a_set_that_cannot_be_kept_is_used_all_the_same(orca_server, tmp_path, caplog):
    entry, texts = made_up_set()
    orca_server.content = packed((entry, texts))
    (tmp_path / "orca").mkdir()
    (tmp_path / "orca" / entry.name).write_text("not a folder")
    assert texts_of(entry, read_from_archive(entry, source(tmp_path))) == texts
    assert "cannot be saved" in caplog.text


def test_two_at_once_make_one_set(orca_server, tmp_path):
    entry, texts = made_up_set()
    orca_server.content = packed((entry, texts))
    orca_server.ways = ["slow"] * 4
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: read_from_archive(entry, source(tmp_path)), range(4)))
    assert [texts_of(entry, one) for one in found] == [texts] * 4
    assert len(files(tmp_path)) == 3


# -- what strangers may send ---------------------------------------------------------------------

BOMB = 20 * MEBIBYTE  # packed to 20 kB


def peak_of(function):
    """The most memory that Python held while a function ran, in bytes."""
    tracemalloc.start()
    try:
        function()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def archive_of(entry, texts, home, *, method=zipfile.ZIP_DEFLATED, prefix="", others=()):
    """An archive at its place in a data home."""
    place = home / REMOTE_FILES["orca"].path
    place.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(place, "w", method) as archive:
        for name, text in texts.items():
            archive.writestr(f"{prefix}{entry.folder}/{name}", text)
        for name in others:
            archive.writestr(name, b"")
    return place


def refused(entry, home):
    with pytest.raises(OSError, match="missing or damaged"):
        read_from_archive(entry, source(home, allowed=False))


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
@pytest.mark.parametrize("line", [b"0", b"\n"])
def test_a_bomb_in_the_archive_is_refused_before_it_is_unpack(tmp_path, method, line):
    """3.3 GB came out of 1.5 MB."""
    entry, texts = made_up_set()
    archive_of(entry, texts | {"test_few.2": line * (BOMB // len(line))}, tmp_path, method=method)
    assert peak_of(lambda: refused(entry, tmp_path)) < 2 * _orca_files.MAX_READ_BYTES


@pytest.mark.parametrize("line", [b"0", b"\n"])
def test_a_bomb_that_lies_about_its_size_is_refused(tmp_path, line):
    entry, texts = made_up_set()
    place = archive_of(entry, texts | {"test_few.2": line * BOMB}, tmp_path)
    content = place.read_bytes()
    assert content.count(BOMB.to_bytes(4, "little")) == 2
    place.write_bytes(content.replace(BOMB.to_bytes(4, "little"), (1000).to_bytes(4, "little")))
    assert peak_of(lambda: refused(entry, tmp_path)) < 2 * _orca_files.MAX_READ_BYTES


def test_many_files_below_the_limit_are_refused_for_their_sum(tmp_path, monkeypatch):
    entry, texts = made_up_set()
    archive_of(entry, texts, tmp_path)
    read_from_archive(entry, source(tmp_path, allowed=False))
    size = sum(map(len, texts.values()))
    monkeypatch.setattr(_orca_files, "MAX_SET_BYTES", size - 1)
    refused(entry, tmp_path)
    monkeypatch.setattr(_orca_files, "MAX_SET_BYTES", size)
    read_from_archive(entry, source(tmp_path, allowed=False))


def test_files_are_parsed_only_if_they_have_their_checksums(tmp_path):
    """Lines take more memory than the text that they come from."""
    entry, texts = made_up_set()
    archive_of(entry, texts | {"test_few.2": b"\n" * (4 * MEBIBYTE)}, tmp_path)
    assert peak_of(lambda: refused(entry, tmp_path)) < 16 * MEBIBYTE


def test_a_long_list_of_members_is_refused_before_it_is_read(tmp_path, monkeypatch):
    entry, texts = made_up_set()
    archive_of(entry, texts, tmp_path, others=[f"{i:0100d}" for i in range(5000)])
    read_from_archive(entry, source(tmp_path, allowed=False))
    monkeypatch.setattr(_orca_files, "MAX_READ_BYTES", 200_000)
    assert peak_of(lambda: refused(entry, tmp_path)) < MEBIBYTE


@pytest.mark.parametrize("prefix", ["../", "/", "a/../../", "C:/", "a/b/c/"])
def test_names_of_members_are_no_paths(tmp_path, prefix):
    entry, texts = made_up_set()
    archive_of(entry, texts, tmp_path / "home", prefix=prefix)
    found = read_from_archive(entry, source(tmp_path / "home", allowed=False))
    assert texts_of(entry, found) == texts
    kept = [f"orca/{name}" for name in ("few-5/splits.csv.gz", "few-5/table.csv.gz")]
    assert files(tmp_path / "home") == ["orca/datasets-orreview.zip", *kept]
    assert [path.name for path in tmp_path.iterdir()] == ["home"]


def test_an_archive_damaged_anywhere_is_refused_or_right(tmp_path):
    entry, texts = made_up_set(n_splits=1)
    place = archive_of(entry, texts, tmp_path)
    good = place.read_bytes()
    generator = np.random.default_rng(0)
    outcomes = set()
    for _ in range(600):
        damaged = bytearray(good)
        for _ in range(generator.integers(1, 4)):
            damaged[generator.integers(len(good))] = generator.choice([0, 1, 8, 127, 255])
        place.write_bytes(damaged)
        found = _unpack(entry, place)
        assert found is None or texts_of(entry, found) == texts
        outcomes.add(found is None)
    assert outcomes == {True, False}


@pytest.mark.parametrize("name", ["table", "splits"])
@pytest.mark.parametrize("line", [b"0", b"\n", b"1,train,0\n", b","])
def test_a_bomb_in_the_data_home_is_refused(tmp_path, caplog, name, line):
    entry, texts = made_up_set()
    archive_of(entry, texts, tmp_path)
    read_from_archive(entry, source(tmp_path, allowed=False))
    kept = tmp_path / "orca" / entry.name / f"{name}.csv.gz"
    kept.write_bytes(gzip.compress(line * (BOMB // len(line)), 1))
    assert peak_of(lambda: read_from_home(entry, tmp_path)) < 3 * _download.MAX_FILE_BYTES
    assert "is damaged and will not be used" in caplog.text


def test_many_short_lines_are_refused():
    most = _download.MAX_LINES
    assert len(_download.read_lines(io.BytesIO(b"\n" * most))) == most
    with pytest.raises(ValueError, match=f"more than {most} lines"):
        _download.read_lines(io.BytesIO(b"\n" * (most + 1)))


def test_more_splits_than_a_set_has_are_not_made(tmp_path, monkeypatch):
    """A split without test rows has all others: 100 000 lines would have 100 000 rows each."""
    entry, texts = made_up_set()
    archive_of(entry, texts, tmp_path)
    read_from_archive(entry, source(tmp_path, allowed=False))
    kept = tmp_path / "orca" / entry.name / "splits.csv.gz"
    lines = b"".join(b"%d,train,0\n" % split for split in range(7))
    kept.write_bytes(gzip.compress(b"split,part,rows\n" + lines))
    monkeypatch.setattr(_orca_files, "_other_rows", lambda *_: pytest.fail("rows were listed"))
    assert read_from_home(entry, tmp_path) is None


@pytest.mark.parametrize("way", ["well", "without_length"])
def test_a_download_without_an_end_is_ended(server, tmp_path, monkeypatch, way):
    known = replace(REMOTE_FILES["made up"], max_bytes=len(CONTENT) - 1)
    monkeypatch.setitem(REMOTE_FILES, "made up", known)
    server.ways = [way]
    with pytest.raises(OSError, match=f"could not be downloaded: .* than {len(CONTENT) - 1} bytes"):
        checked_bytes("made up", source(tmp_path))
    assert files(tmp_path) == []
    monkeypatch.setitem(REMOTE_FILES, "made up", replace(known, max_bytes=len(CONTENT)))
    assert checked_bytes("made up", source(tmp_path)) == CONTENT


def test_a_huge_file_in_the_data_home_is_not_read(server, tmp_path):
    path = tmp_path / PLACE
    path.parent.mkdir()
    with path.open("wb") as file:
        file.truncate(10 * _download.MAX_FILE_BYTES)

    def attempt():
        with pytest.raises(OSError, match="missing or damaged"):
            checked_bytes("made up", source(tmp_path, allowed=False))

    assert peak_of(attempt) < 2 * _download.MAX_FILE_BYTES


# -- the real sets -------------------------------------------------------------------------------


@needs_paper_data
def test_drug_consumption_is_fetched_and_mended(monkeypatch, tmp_path):
    known = REMOTE_FILES["drug_consumption"]
    with serving((HOME / known.path).read_bytes()) as running:
        monkeypatch.setitem(REMOTE_FILES, "drug_consumption", replace(known, url=running.url))
        running.ways = ["truncated", "broken"]
        data = fetch_drug_consumption(data_home=tmp_path, delay=0.01)
        assert files(tmp_path) == [known.path]
        with (tmp_path / known.path).open("ab") as file:
            file.write(b"one row more")
        again = fetch_drug_consumption(data_home=tmp_path, delay=0.01)
    assert running.requests == 4
    np.testing.assert_array_equal(data.data, again.data)
    np.testing.assert_array_equal(
        data.data, fetch_drug_consumption(data_home=HOME, download_if_missing=False).data
    )


@needs_paper_data
def test_a_downloaded_set_is_that_of_the_stored_table(orca_server, tmp_path, caplog):
    names = ["ESL", "machine-5", "machine-10"]
    entries = [catalogue_entry(name) for name in names]
    orca_server.content = packed(*((e, texts_of(e, read_from_home(e, HOME))) for e in entries))
    with caplog.at_level(logging.WARNING, "fairordinal.datasets"):
        for name in names:
            for _ in range(2):  # from the archive, and from what was kept of it
                found = fetch_orca(name, data_home=tmp_path)
                stored = fetch_orca(name, data_home=HOME, download_if_missing=False)
                np.testing.assert_array_equal(found.data, stored.data)
                np.testing.assert_array_equal(found.target, stored.target)
                for ours, theirs in zip(found.splits, stored.splits, strict=True):
                    for rows, others in zip(ours, theirs, strict=True):
                        np.testing.assert_array_equal(found.data[rows], stored.data[others])
                for ours, theirs in zip(
                    found.split_sensitive_features, stored.split_sensitive_features, strict=True
                ):
                    np.testing.assert_array_equal(np.concatenate(ours), np.concatenate(theirs))
    assert orca_server.requests == 1
    assert not caplog.records
