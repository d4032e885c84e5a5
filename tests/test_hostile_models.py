"""Model files of strangers: little time, little memory, and a message."""

import json
import subprocess
import sys

import pytest

from fairordinal.models import _file as model_file
from fairordinal.models import load_model
from fairordinal.models._file import MOST_BYTES, MOST_SIGNS
from fairordinal.models._serialization import parse
from hostile_models import HOSTILE_FILES, in_place, largest, small_model

MOST_MEGABYTES = 200
QUICK = [
    "a true model",
    "doubled key of wide characters",
    "lists of lists",
    "one long label",
    "long name of many categories",
    "many labels",
    "many groups",
]
CHOSEN = [
    pytest.param(name, marks=[] if name in QUICK else pytest.mark.slow) for name in HOSTILE_FILES
]

# A forked process starts with the memory of this small one, not with that of pytest. Its CPU time
# is bounded, so that a file that hangs ends the process and fails the test.
LOAD = """
import os, resource, sys
from fairordinal.models import load_model

child = os.fork()
if not child:
    resource.setrlimit(resource.RLIMIT_CPU, (20, 20))
    try:
        load_model(sys.argv[1])
        message = "a model"
    except ValueError as error:
        message = str(error)
    with open(sys.argv[1] + ".message", "w") as file:
        file.write(message)
    os._exit(0)
_, status, used = os.wait4(child, 0)
print(status, used.ru_maxrss // 1024)
"""


def loaded(path):
    """What became of a file, and how many megabytes that took at most."""
    ran = subprocess.run(
        [sys.executable, "-c", LOAD, str(path)], capture_output=True, text=True, check=True
    )
    status, megabytes = map(int, ran.stdout.split())
    assert status == 0, f"{path} ended the process: {status}, {ran.stderr}"
    return path.with_name(path.name + ".message").read_text(), megabytes


@pytest.mark.parametrize("name", CHOSEN)
def test_the_largest_file_takes_little_time_and_memory(name, tmp_path):
    path = tmp_path / "model.json"
    path.write_bytes(largest(name))
    message, megabytes = loaded(path)
    assert megabytes <= MOST_MEGABYTES
    assert len(message) < 600
    sealed = name.endswith(", sealed") or name == "a true model"
    assert message == "a model" if sealed else message.startswith(str(path))


@pytest.mark.parametrize("unit", ["[],", "{},", "0,", '"",'])
def test_more_values_than_models_have_are_refused_before_they_are_parsed(unit, tmp_path):
    path = tmp_path / "model.json"
    path.write_text(in_place(("data", "columns"), unit, MOST_BYTES))
    message, megabytes = loaded(path)
    assert f"more than {MOST_SIGNS} commas and opening brackets" in message
    assert megabytes <= MOST_MEGABYTES


class Key(str):
    """A key that counts how often keys are compared."""

    __slots__ = ()
    compared = 0

    def __eq__(self, other):
        Key.compared += 1
        return str.__eq__(self, other)

    __hash__ = str.__hash__


def test_doubled_keys_are_found_in_linear_time(monkeypatch):
    """`keys.count` for each key took 54 seconds for 0.6 MB."""
    number = 2000

    def read(text, object_pairs_hook, **_):
        return object_pairs_hook([(Key(i), 0) for i in [*range(number), number - 1]])

    monkeypatch.setattr(json, "loads", read)
    with pytest.raises(ValueError, match=f"the field '{number - 1}' occurs twice"):
        parse("")
    assert 0 < Key.compared < 20 * number


def test_a_file_with_too_many_values_is_not_saved(monkeypatch, tmp_path):
    (tmp_path / "model.json").write_text(json.dumps(small_model()))
    model = load_model(tmp_path / "model.json")
    monkeypatch.setattr(model_file, "MOST_SIGNS", 10)
    with pytest.raises(ValueError, match=r"too large to be loaded again: .* more than 10 commas"):
        model_file.save_model(model, tmp_path / "again.json")


@pytest.mark.parametrize(
    ("kind", "labels", "match"),
    [
        ("float", [1, 10**400], "64 bits"),
        ("int", [1, 10**400], "64 bits"),
        ("float", [1.5, "inf"], "one kind"),
        ("str", ["a", "b" * 1001], "at most 1000 characters"),
        ("str", ["a", "a\0"], "two distinct"),
        ("x" * 1000, [1, 2], "one kind"),
    ],
)
def test_hostile_labels_are_refused(tmp_path, kind, labels, match):
    """A whole number beyond all floats among fractions was an OverflowError."""
    content = small_model()
    content["classes"] = {"kind": kind, "values": labels}
    path = tmp_path / "model.json"
    path.write_text(json.dumps(content))
    with pytest.raises(ValueError, match=match) as caught:
        load_model(path)
    assert len(str(caught.value)) < 500 + len(str(path))


@pytest.mark.parametrize("name", ["library", "checksum"])
def test_what_is_said_of_the_file_is_text(tmp_path, name):
    content = small_model()
    content[name] = [[]]
    path = tmp_path / "model.json"
    path.write_text(json.dumps(content))
    with pytest.raises(ValueError, match=rf"{name} must be text, got \[\[\]\]"):
        load_model(path)


def test_endless_digits_are_refused_whatever_python_allows(tmp_path):
    path = tmp_path / "model.json"
    limit = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        for number in ("7" * 5000, "0." + "3" * 5000):
            path.write_text(in_place(("thresholds",), number + ",", 10_000))
            with pytest.raises(ValueError, match="more than 4300 digits"):
                load_model(path)
    finally:
        sys.set_int_max_str_digits(limit)
