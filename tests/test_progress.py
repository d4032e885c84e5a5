"""Progress: shares of the work, the time left, and where it is shown."""

import io
import re
import sys
import time

import numpy as np
import pytest
from rich.console import Console

from fairordinal import FairOrdinalClassifier, FairOrdinalFrontier, show_progress
from fairordinal._support import _progress, advance, awaited, part, progress, steps
from fairordinal._support._progress import TimeLeft

MODEL = {"basis": "linear", "ranker": "reduction", "alpha": 1e-3, "cv": 2}


class Shown:
    """Stands for the bar of rich: keeps what would be shown."""

    def __init__(self):
        self.shares, self.texts = [], []

    def __enter__(self):
        return self

    def __exit__(self, *error):
        pass

    def add_task(self, text, **fields):
        self.texts.append(text)

    def update(self, task, *, completed, description, **fields):
        self.shares.append(completed)
        self.texts.append(description)


@pytest.fixture
def shown(monkeypatch):
    """What is shown, with all updates."""
    bar = Shown()
    monkeypatch.setattr(_progress, "_console", lambda: "a terminal")
    monkeypatch.setattr(_progress, "_bar", lambda console: bar)
    monkeypatch.setattr(_progress, "LEAST_SECONDS", 0.0)
    with show_progress():
        yield bar


def rows(n=60):
    random = np.random.default_rng(0)
    X, group = random.normal(size=(n, 2)), np.array(["f", "m"])[np.arange(n) % 2]
    y = np.digitize(X[:, 0] + 0.5 * random.normal(size=n), [-0.5, 0.5])
    return X, y, group


def test_a_part_of_a_part_is_a_share_of_its_share(shown):
    with progress("work"):
        with part(0.5, "first"):
            advance(0.25)
            with part(0.5):
                advance(1.0)
        for _ in steps("abcd", "letter"):  # share the rest
            advance(0.5)
    first = [0.0, 0.5 * 0.25, 0.5 * 0.25, 0.5 * 0.5]
    letters = [0.5, *(0.5 + 0.5 * share for share in np.arange(8) / 8)]
    assert shown.shares == pytest.approx([*first, *letters])
    assert {"first", "letter 1 of 4", "letter 4 of 4"} < set(shown.texts)


def test_the_share_never_falls_and_never_exceeds_the_whole(shown):
    with progress("work"):
        with part(0.7):
            advance(0.9)
            advance(0.2)  # an estimate that was too high
        with part(0.7):  # more than is left
            advance(1.0)
        with part(0.7):
            advance(1.0)
    assert shown.shares == sorted(shown.shares)
    assert shown.shares[-1] == 1.0


def test_a_note_stays_until_another_one_or_another_part(shown):
    with progress("work"):
        with part(0.5, "search"):
            advance(note="gap 0.1")
            advance()
        with part(0.5, "end"):
            advance()
    assert shown.texts == ["work", "search", *["search, gap 0.1"] * 2, "end", "end"]


def test_steps_may_end_early_and_parts_may_fail(shown):
    with progress("work"):
        with part(0.5):
            for number in steps(range(10), "step"):
                if number == 2:
                    break
        with pytest.raises(ValueError, match="inside"), part(0.25, "failing"):
            raise ValueError("inside")
        advance(1.0, "the end")
    assert shown.shares[-1] == 1.0
    assert shown.texts[-1] == "work, the end"


def test_results_of_generators_are_parts(shown):
    with progress("work"):
        found = [*awaited((advance(0.5) or i for i in range(3)), 3, "fold")]
    assert found == [0, 1, 2]
    assert sorted(set(shown.shares)) == pytest.approx([0, 1 / 6, 1 / 3, 1 / 2, 2 / 3, 5 / 6])


def test_progress_inside_of_progress_is_a_part_of_it(shown):
    with progress("outer"), part(0.5, "estimator"):
        with progress("inner"):
            advance(1.0)
        advance(1.0)
    assert shown.shares[-1] == 0.5
    assert "inner" not in shown.texts


def test_what_follows_reading_is_not_called_reading(shown):
    with progress("reading a.csv"):
        advance()
        with progress("fit"):
            with part(0.5, "training"):
                advance(1.0)
            advance(0.9)
    assert [*dict.fromkeys(shown.texts)] == ["reading a.csv", "training", "fit"]


@pytest.mark.parametrize("estimator", [FairOrdinalClassifier, FairOrdinalFrontier])
def test_a_fit_says_what_it_does_and_finds_the_same(estimator, shown):
    X, y, group = rows()
    seen = estimator(**MODEL).fit(X, y, sensitive_features=group)
    with show_progress(False):
        unseen = estimator(**MODEL).fit(X, y, sensitive_features=group)
    assert shown.shares == sorted(shown.shares)
    for text in ("training, reduction", "cross-validation, fold 2 of 2", "thresholds, ranker 1 of"):
        assert any(text in each for each in shown.texts), text
    results = [
        [point.result for point in model.points_] if hasattr(model, "points_") else [model.result_]
        for model in (seen, unseen)
    ]
    for one, other in zip(*results, strict=True):
        assert np.array_equal(one.thresholds, other.thresholds)


def test_nothing_is_shown_unless_standard_error_is_a_terminal(capfd, monkeypatch):
    def work():
        with show_progress(), progress("work"):
            advance(0.5, "half")

    work()
    assert capfd.readouterr() == ("", "")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    work()
    out, err = capfd.readouterr()
    assert out == ""
    assert "work, half" in err
    assert "50 %" in err


@pytest.mark.parametrize("width", [40, 80, 120])
def test_a_line_fits_into_the_terminal(width):
    stream = io.StringIO()
    console = Console(file=stream, width=width, force_terminal=True, color_system=None)
    text = "cross-validation, fold 2 of 5, step 17, " + "and much more " * 10
    with _progress._bar(console) as bar:
        task = bar.add_task(text, total=1.0, share="42 %", left="about 10 min left")
        bar.update(task, completed=0.42)
    lines = re.sub(r"\x1b\[[?0-9;]*[a-zA-Z]", "", stream.getvalue()).replace("\r", "\n").split("\n")
    assert max(map(len, lines)) <= width
    assert any("42 %" in line and "10 min left" in line for line in lines)


# The time left


def watched(share_at, seconds, every=0.5):
    """Moments and the seconds left that are shown, for work with the share `share_at(t)` done."""
    left = TimeLeft()
    found = []
    for moment in np.arange(0.0, seconds, every):
        left.add(1000.0 + moment, share_at(moment))
        found.append((moment, left.seconds(1000.0 + moment)))
    return [(moment, each) for moment, each in found if each is not None]


def test_the_time_left_of_even_work_is_right_and_hidden_at_first():
    found = watched(lambda t: t / 100, 100)
    assert 10 <= found[0][0] <= 20
    for moment, left in found:
        assert left == pytest.approx(100 - moment, abs=3)


def test_the_time_left_counts_from_the_start_of_work_that_is_continued():
    found = watched(lambda t: 0.6 + 0.4 * t / 100, 100)
    assert found
    for moment, left in found:
        assert left == pytest.approx(100 - moment, rel=0.1, abs=5)


def test_the_time_left_is_hidden_while_its_estimates_disagree():
    slowing = watched(lambda t: 1.0 - 0.5 ** (t / 5), 60)  # ever slower: the end is not in sight
    assert not [moment for moment, _ in slowing if moment > 16]
    halting = watched(lambda t: min(0.02 * t, 0.4) if t < 60 else 1.0, 60)
    assert [moment for moment, _ in halting if moment <= 20]
    assert not [moment for moment, _ in halting if moment > 32]


def test_short_work_has_no_time_left():
    assert not watched(lambda t: t / 4, 4, every=0.01)
    assert str(TimeLeft()) == ""


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(1, "about 5 s"), (52, "about 50 s"), (58, "about 1 min"), (150, "about 2 min"),
     (3400, "about 1 h"), (9000, "about 2 h")],
)  # fmt: skip
def test_durations_are_no_more_precise_than_they_are_known(seconds, text):
    assert _progress._in_words(seconds) == text


def test_a_call_without_a_display_takes_no_time():
    start = time.perf_counter()
    for _ in range(1000):
        advance(0.5, "x")
    assert time.perf_counter() - start < 0.1
