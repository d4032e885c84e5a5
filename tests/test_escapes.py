"""Text that is shown has no hidden characters, in a terminal and in a notebook."""

import ast
import sys
import unicodedata

import numpy as np
import pytest

from fairordinal import audit, compare, optimize_thresholds
from fairordinal._support import visible, visible_lines
from fairordinal.models import fit_table

pytestmark = pytest.mark.usefixtures("small_effort")

HIDDEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}
GROUPS = ("\x1b[31ma\x1b]0;title\x07", "b\rPASS: fair\n\u202e\u2067\u200b[bold]")
LABELS = ("low\x1b[2J", "mid\rPASS", "high\u202e\n")


def hidden_in(text):
    return {x for x in text if unicodedata.category(x) in HIDDEN and x != "\n"}


def test_no_hidden_character_is_shown_raw():
    for code in range(sys.maxunicode + 1):
        letter = chr(code)
        shown = visible(letter)
        if unicodedata.category(letter) in HIDDEN:
            assert shown.isascii()
            assert shown.isprintable()
            assert ast.literal_eval(f'"{shown}"') == letter  # the escape is that of Python
        elif letter not in "\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0":
            assert shown == letter


@pytest.mark.parametrize(
    "text", ["", "größer", "日本", "👍🏽", "שלום", "a b", "naïve – ok", "\\u202e"]
)
def test_text_that_can_be_seen_stays(text):
    assert visible(text) == text


def test_lines_stay_lines():
    assert visible_lines("a\r\nb\n") == "a\\u000d\nb\n"


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=120)
    score = y + rng.normal(size=120)
    labels = np.array(LABELS, dtype=object)
    predicted = labels[np.clip(score.round(), 0, 2).astype(int)]
    return labels[y], predicted, score, np.array(GROUPS, dtype=object)[np.arange(120) % 2]


def results(rows):
    """Everything that prints names."""
    y, predicted, score, groups = rows
    labels = [*LABELS]
    found = audit(y, predicted, sensitive_features=groups, labels=labels, compare=True)
    yield found
    yield found.attribution()
    yield from found.findings
    yield optimize_thresholds(score, y, sensitive_features=groups, trade_off=0.2, labels=labels)
    models = {"\x1b[1mmodel\r": predicted, "other\u202e\n": y}
    yield compare(models, None, y, sensitive_features=groups, labels=labels)
    table = {"y\x1b": y, "x\r": score, "g\u202e": groups}
    yield fit_table(
        table, y="y\x1b", sensitive_features="g\u202e", trade_off=0.2, labels=labels, cv=3
    )


def test_names_are_visible_in_the_text_of_all_results(rows):
    for result in results(rows):
        texts = [str(result), repr(result)]
        texts += [result._repr_html_()] if hasattr(result, "_repr_html_") else []
        for text in texts:
            assert not hidden_in(text), type(result)
        assert not [line for line in str(result).split("\n") if line.startswith("PASS")]


def test_frames_hold_the_names_as_they_are(rows):
    y, predicted, _, groups = rows
    found = audit(y, predicted, sensitive_features=groups, labels=[*LABELS])
    assert set(found.group_frame()["group"]) == set(GROUPS)
    assert {*found.frame()["group"], *found.frame()["other"]} == set(GROUPS)
