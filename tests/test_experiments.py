"""How experiments are run: kept, resumed, reported, refused."""

import csv
import json
import math
import os
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import MagicMock

import pytest

from fairordinal._support import _progress, advance, part, progress, show_progress, write_whole
from fairordinal._support._files import PARTIAL
from fairordinal.baselines import orca_methods
from fairordinal.experiments import EXPERIMENTS, ClaimCheck, Experiment, methods, reproduce
from fairordinal.experiments import _reproduce as reproducing
from fairordinal.experiments._cells import DataclassCell, SplitCell
from fairordinal.experiments._experiment import Options, as_csv, as_markdown, as_text
from fairordinal.experiments._run import Store, file_name, run
from fairordinal.experiments.methods import Constant, Orca, Recipe
from fake_cells import Counted, computations, counted_cells

FAKE = Path(__file__).with_name("fake_cells.py")


@dataclass(frozen=True)
class Plain(DataclassCell):
    number: int
    title: str = "plain"

    def rows(self):
        return [{"number": self.number}]


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "out")


@pytest.fixture
def notes(tmp_path):
    folder = tmp_path / "notes"
    folder.mkdir()
    return folder


def files(store):
    return sorted(path.name for path in (store.folder / "cells").iterdir())


# What is kept


def test_a_finished_cell_is_found_again_with_its_rows_and_seconds(store, notes):
    cell = Counted("one", str(notes))
    assert store.load(cell) is None
    store.save(cell, [{"value": 0.1, "nothing": None}], 1.5)
    assert store.load(cell) == ([{"value": 0.1, "nothing": None}], 1.5)


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: text[: len(text) // 2],
        lambda text: "",
        lambda text: text[:-1],
        lambda text: "[]",
        lambda text: "null",
        lambda text: "\x00" * len(text),
        lambda text: json.dumps({"settings": json.loads(text)["settings"]}),
        lambda text: text.replace('"name": "one"', '"name": "two"', 1),
        lambda text: edited(text, rows=[]),
        lambda text: edited(text, rows=None),
        lambda text: edited(text, rows=[{"name": "one", "value": 0.0}]),
        lambda text: edited(text, seconds=0.0),
        lambda text: edited(text, seconds="long"),
        lambda text: edited(text, checksum=None),
        lambda text: edited(text, more=1),
        lambda text: "[" * 100_000,
    ],
)
def test_a_damaged_cell_is_computed_again(store, notes, caplog, damage):
    """A cell with no rows was taken as finished."""
    cell = Counted("one", str(notes))
    expected = run([cell], store).rows
    path = store.path(cell)
    path.write_text(damage(path.read_text()))
    assert store.load(cell) is None
    assert f"{path} is not used, and its cell is computed again: " in caplog.text
    assert run([cell], store).rows == expected
    assert computations(notes, "one") == 2


def edited(text, **changes):
    return json.dumps(json.loads(text) | changes)


def test_the_layout_of_a_cell_does_not_matter(store, notes, caplog):
    cell = Counted("one", str(notes))
    store.save(cell, [{"value": float("nan"), "pair": (1, 2)}], 1.5)
    path = store.path(cell)
    path.write_text(json.dumps(json.loads(path.read_text()), sort_keys=True))
    (row,) = store.load(cell).rows
    assert math.isnan(row["value"])
    assert row["pair"] == [1, 2]
    assert not caplog.records


def test_a_cell_in_the_place_of_another_is_not_taken_for_it(store, notes, caplog):
    one, two = Counted("one", str(notes)), Counted("two", str(notes))
    run([one, two], store)
    store.path(two).write_bytes(store.path(one).read_bytes())
    assert store.load(two) is None
    assert f"{store.path(two)} is not used" in caplog.text
    assert "settings are those of another cell" in caplog.text


def test_a_cell_that_was_never_computed_is_no_warning(store, notes, caplog):
    assert store.load(Counted("one", str(notes))) is None
    assert not caplog.records


def test_bytes_that_are_no_text_are_computed_again(store, notes):
    cell = Counted("one", str(notes))
    run([cell], store)
    store.path(cell).write_bytes(b"\xff\xfe\x80")
    assert store.load(cell) is None


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_crash_while_writing_leaves_no_file_and_keeps_the_old_one(monkeypatch, tmp_path, step):
    path = tmp_path / "kept.txt"
    write_whole(path, "old")

    def crash(*_):
        raise OSError("disk full")

    monkeypatch.setattr(os, step, crash)
    for each in (path, tmp_path / "new.txt"):
        with pytest.raises(OSError, match="disk full"):
            write_whole(each, "new")
    assert [each.name for each in tmp_path.iterdir()] == ["kept.txt"]
    assert path.read_text() == "old"


def test_a_file_that_was_half_written_is_not_a_cell(store, notes):
    cell = Counted("one", str(notes))
    store.save(cell, [], 0.0)
    path = store.path(cell)
    path.rename(path.with_name(path.name + "abc" + PARTIAL))
    assert store.load(cell) is None


def test_names_of_files_differ_whenever_a_setting_differs():
    method = Recipe("demographic_parity", (0.0, 0.1))
    cells = [
        SplitCell("ERA", 0, method),
        SplitCell("ERA", 1, method),
        SplitCell("ESL", 0, method),
        SplitCell("ERA", 0, replace(method, criterion="equal_opportunity")),
        SplitCell("ERA", 0, replace(method, trade_offs=(0.0,))),
        SplitCell("ERA", 0, replace(method, cost="squared")),
        SplitCell("ERA", 0, Constant()),
        SplitCell("ERA", 0, Orca("POM")),
        SplitCell("ERA", 0, Orca("POM", quick=True)),
        Plain(1),
        Plain(2),
    ]
    assert len({file_name(cell) for cell in cells}) == len(cells)


def test_names_of_files_of_earlier_versions_are_found():
    """Long runs are resumed after an update: what cells are keyed by must not move."""
    recipe = SplitCell("ERA", 3, Recipe("equal_opportunity", (0.0, 0.5)))
    assert file_name(recipe) == "ERA-3-Recipe-e654e18a9f6b.json"
    assert file_name(SplitCell("toy", 0, Orca("POM"))) == "toy-0-Orca-ce7a72ce1fc2.json"


# How cells are run


def test_all_rows_come_in_the_order_of_the_cells_whatever_was_finished_before(store, notes):
    cells = counted_cells(notes)
    run([cells[5], cells[2]], store)
    names = [row["name"] for row in run(cells, store).rows]
    assert names == [cell.name for cell in cells for _ in range(2)]
    assert [computations(notes, cell.name) for cell in cells] == [1] * len(cells)


def test_two_processes_find_what_one_finds(tmp_path, notes):
    cells = counted_cells(notes)
    one, two = (run(cells, Store(tmp_path / str(n)), n_jobs=n) for n in (1, 2))
    assert one.rows == two.rows
    assert one.failures == two.failures == []


@dataclass(frozen=True)
class Nested(Counted):
    """A cell whose work shows progress of its own."""

    def rows(self):
        with progress("fit"), part():
            advance(0.5)
        return super().rows()


def test_progress_is_the_share_of_all_cells_also_if_they_show_their_own(store, notes, monkeypatch):
    cells = [Nested(f"n{i}", str(notes)) for i in range(4)]
    run(cells[:1], store)
    shares = []
    monkeypatch.setattr(
        _progress._Display, "show", lambda self, share, note="": shares.append(self.part.done)
    )
    monkeypatch.setattr(_progress, "_console", lambda: "a terminal")
    monkeypatch.setattr(_progress, "_bar", lambda console: nullcontext(MagicMock()))
    with show_progress():
        run(cells, store)
    assert sorted(shares) == shares
    assert {0.25, 0.5, 0.75} <= {*shares}
    assert max(shares) < 1


def test_ctrl_c_while_thresholds_are_searched_stores_no_result(monkeypatch):
    def interrupted(*arguments, **options):
        return SimpleNamespace(stopped_by="interrupt")

    monkeypatch.setattr(methods, "optimize_thresholds", interrupted)
    part_of_data = SimpleNamespace(y=None, groups=None)
    split = SimpleNamespace(train=part_of_data, test=part_of_data, labels=[1, 2])
    options = {"kind": "ours", "criterion": "demographic_parity", "parameter": 0.1}
    with pytest.raises(KeyboardInterrupt):
        methods.evaluate_thresholds(
            SimpleNamespace(cost="absolute", max_time=1), split, ([], []), trade_off=0.1, **options
        )


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_cell_that_fails_is_reported_tried_again_and_ends_no_other(store, notes, n_jobs):
    cells = counted_cells(notes, number=4)
    broken = notes / f"{cells[1].name} is broken"
    broken.touch()
    outcome = run(cells, store, n_jobs=n_jobs)
    assert outcome.failures == [("counted cell", "ValueError: cx is broken")]
    assert {row["name"] for row in outcome.rows} == {cells[i].name for i in (0, 2, 3)}
    broken.unlink()
    again = run(cells, store, n_jobs=n_jobs)
    assert again.failures == []
    assert len(again.rows) == 8
    assert [computations(notes, cell.name) for cell in cells] == [1] * 4


def test_cells_of_one_title_fail_apart(store, notes):
    cells = counted_cells(notes, number=3)
    for cell in cells:
        (notes / f"{cell.name} is broken").touch()
    assert len(run(cells, store).failures) == 3


def finished_files(folder):
    return [] if not folder.is_dir() else [path.stem for path in folder.glob("*.json")]


def killed_in_the_middle(out, notes, n_jobs, how):
    """Run slow cells in a process of its own, and kill it and its workers after some."""
    command = [sys.executable, str(FAKE), str(out), str(notes), "0.3", str(n_jobs)]
    process = subprocess.Popen(command, start_new_session=True, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 120
    while len(finished_files(out / "cells")) < 3:
        assert process.poll() is None, "ended before it could be killed"
        assert time.monotonic() < deadline
        time.sleep(0.02)
    os.killpg(process.pid, how)
    process.wait()


@pytest.mark.skipif(os.name != "posix", reason="needs signals")
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_killed_run_goes_on_where_it_was(tmp_path, notes, n_jobs):
    out = tmp_path / "out"
    killed_in_the_middle(out, notes, n_jobs, signal.SIGKILL)
    store, cells = Store(out), counted_cells(notes)
    done = [cell for cell in cells if store.load(cell) is not None]
    assert 3 <= len(done) < len(cells)
    resumed = run(cells, store)
    assert [computations(notes, cell.name) for cell in done] == [1] * len(done)
    untouched = tmp_path / "elsewhere"
    untouched.mkdir()
    whole = run(counted_cells(untouched), Store(tmp_path / "whole"))
    assert resumed.rows == whole.rows
    assert resumed.failures == []


# What is written and refused


def small(cells, findings=None, **options):
    """An experiment of given cells."""
    told = findings or (lambda rows: [ClaimCheck("rows", "2", str(len(rows)), len(rows) == 2)])
    return Experiment("small", "A small one", lambda options: cells, told, **options)


@pytest.fixture
def register(monkeypatch):
    def add(experiment):
        monkeypatch.setitem(reproducing.EXPERIMENTS, experiment.name, experiment)

    return add


def test_a_report_says_what_was_found_and_written(tmp_path, notes, register):
    register(small([Counted("one", str(notes))]))
    report = reproduce("small", out=tmp_path)
    assert [path.name for path in report.files] == ["small.csv", "small.md"]
    assert report.findings == [ClaimCheck("rows", "2", "2", True)]
    assert "A small one" in str(report)
    assert "small.csv" in str(report)
    with (tmp_path / "small.csv").open() as file:
        assert [*csv.reader(file)] == [
            ["name", "value", "odd"],
            ["one", "1.0", ""],
            ["one", "", ""],
        ]
    lines = (tmp_path / "small.md").read_text().splitlines()
    assert lines[0] == "# A small one"
    assert lines[-1] == "| rows | 2 | 2 | yes |"


def test_a_report_says_what_is_not_finished(tmp_path, notes, register):
    register(small([*counted_cells(notes, number=2)]))
    (notes / "c is broken").touch()
    report = reproduce("small", out=tmp_path)
    assert "not finished: counted cell: ValueError: c is broken" in str(report)
    assert report.findings[0].agrees


def test_no_rows_at_all_are_still_a_report(tmp_path, notes, register):
    register(small([Counted("c", str(notes))]))
    (notes / "c is broken").touch()
    assert len(reproduce("small", out=tmp_path).failures) == 1
    assert (tmp_path / "small.csv").read_text().strip() == ""


def test_without_matplotlib_all_but_the_pictures_is_written(tmp_path, monkeypatch):
    for name in ("matplotlib", "matplotlib.pyplot", "matplotlib.figure"):
        monkeypatch.setitem(sys.modules, name, None)
    report = reproduce("tshirts", out=tmp_path)
    assert "No pictures: Pictures need matplotlib: pip install fairordinal[plot]." in str(report)
    assert [path.suffix for path in report.files] == [".csv", ".md"]
    assert all(finding.agrees for finding in report.findings)


def test_three_splits_are_quick_unless_a_number_is_given(tmp_path, register):
    seen = []
    experiment = small([Plain(1)], takes_methods=True)
    register(replace(experiment, cells=lambda options: seen.append(options) or [Plain(1)]))
    reproduce("small", out=tmp_path)
    reproduce("small", out=tmp_path, quick=True)
    reproduce("small", out=tmp_path, quick=True, splits=1, methods=("POM",))
    assert seen == [Options(), Options(3, quick=True), Options(1, quick=True, methods=("POM",))]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"name": "figure3"}, r"name must be one of \['figure1', .*'tables'\], got 'figure3'"),
        ({"splits": 0}, "splits must be a whole number of at least 1, got 0"),
        ({"splits": 1.5}, "splits must be a whole number of at least 1, got 1.5"),
        ({"methods": ("POM", "POMM")}, r"methods must be one of .*'SVORIM', .*, got 'POMM'"),
        ({"name": "figure1", "methods": ("POM",)}, r"figure1 does not compare .*\['POM'\]"),
        ({"n_jobs": 0}, "n_jobs must be a whole number of at least 1, got 0"),
        ({"n_jobs": -2}, "n_jobs must be a whole number"),
    ],
)
def test_bad_options_are_refused_before_anything_is_done(tmp_path, options, message):
    with pytest.raises(ValueError, match=message):
        reproduce(**({"name": "figure2", "out": tmp_path / "out"} | options))
    assert not list(tmp_path.iterdir())


def test_results_need_a_folder(tmp_path):
    path = tmp_path / "a file"
    path.write_text("mine")
    for out in (path, path / "below"):
        with pytest.raises(OSError, match=r"out must be a folder .*, got '.*a file"):
            reproduce("tshirts", out=out)
    assert path.read_text() == "mine"


def test_a_folder_that_cannot_be_written_to_is_refused(tmp_path, monkeypatch):
    def refuse(**_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(tempfile, "TemporaryFile", refuse)
    with pytest.raises(OSError, match=r"got '.*': Permission denied\."):
        reproduce("tshirts", out=tmp_path)


def test_tables_of_findings_are_aligned_and_bars_do_not_end_a_cell():
    found = [ClaimCheck("P[a | b]", "1", "2", False), ClaimCheck("none", "–", "3")]
    assert as_markdown("T", found).splitlines()[-2:] == [
        r"| P[a \| b] | 1 | 2 | no |",
        "| none | – | 3 | – |",
    ]
    assert as_text(found).splitlines()[0].split() == ["claim", "paper", "here", "agrees"]


def test_columns_are_those_of_all_rows_in_order():
    text = as_csv([{"b": 1, "a": "x,y"}, {"b": 2, "c": 0.5}])
    assert text == 'b,a,c\n1,"x,y",\n2,,0.5\n'


def test_the_experiments_are_those_of_the_paper_in_order():
    assert list(EXPERIMENTS) == [
        "figure1",
        "figure1-finer",
        "three-groups",
        "asymmetric-cost",
        "figure2",
        "simulation",
        "lemmas",
        "tshirts",
        "tables",
    ]
    assert len(orca_methods()) == 17
