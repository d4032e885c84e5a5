"""Model files: mutated bytes, mutated content, and another runtime."""

import copy
import json
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from fairordinal.models import load_model, model_text, save_model
from fairordinal.models._components import Classes
from fairordinal.models._preparation import NumberColumn, TextColumn
from fairordinal.models._serialization import checksum
from fuzz import chance, choose
from fuzz.rows import draw_names
from made_up_models import model_with

ALPHABET = b'0123456789.-eE+"{}[],: \n\\unulltruefasinNIx\x00\x80\xff'
MOST_STEPS = 100_000  # calls of functions; a model of this size takes a tenth


def draw_number(generator):
    number = float(generator.normal()) * 10.0 ** float(generator.integers(-12, 13))
    return choose(generator, 0.0, -0.0, 1.0, 1 / 3, number, number, 1e300, 5e-324)


def draw_columns(generator):
    names = draw_names(generator, int(generator.integers(1, 5)))
    return [draw_column(generator, name) for name in names]


def draw_column(generator, name):
    if chance(generator, 0.5):
        spread = float(choose(generator, 1.0, 1e-3, 7.5, 1e10))
        return NumberColumn(name, float(generator.normal() * 10), spread)
    kinds = tuple(sorted(draw_names(generator, int(generator.integers(1, 5)))))
    return TextColumn(name, kinds, chance(generator, 0.5), chance(generator, 0.5))


def draw_model(generator, *, wild=True):
    """A model of random columns, labels and thresholds; `wild` coefficients may be huge."""
    columns = draw_columns(generator)
    size = sum(column.n_inputs for column in columns)
    numbers = [draw_number(generator) if wild else float(generator.normal()) for _ in range(size)]
    n_labels = int(generator.integers(2, 6))
    cuts = sorted(choose(generator, float(generator.normal()), -np.inf, np.inf, 0.0)
                  for _ in range(n_labels - 1))  # fmt: skip
    kind, values = choose(
        generator,
        ("int", [int(v) for v in generator.choice(100, n_labels, replace=False)]),
        ("int", [2**62 + i for i in range(n_labels)]),
        ("float", [i + 0.5 for i in range(n_labels)]),
        ("str", draw_names(generator, n_labels)),
    )
    return model_with(columns=columns, coefficients=numbers, thresholds=cuts,
                      classes=Classes(kind, tuple(values)))  # fmt: skip


def draw_table(generator, model, n=12):
    """Rows for a model: known, unknown and missing cells."""
    table = {}
    for column in model.preparation.columns:
        if column.kind == "number":
            cells = [choose(generator, None, column.mean, float(generator.normal()), 0.0)
                     for _ in range(n)]  # fmt: skip
        else:
            cells = [choose(generator, None, "", "unknown", *column.categories) for _ in range(n)]
        table[column.name] = cells
    return table


def predictions(model, table):
    """Scores and labels, or the message."""
    try:
        return model.scores(table).tobytes(), model.predict(table).tolist()
    except ValueError as error:
        return str(error)


@contextmanager
def at_most(steps):
    """End work that calls too many functions; those that measure coverage are not counted."""
    count = 0

    def step(frame, *_):
        nonlocal count
        count += "slipcover" not in frame.f_code.co_filename
        if count > steps:
            sys.setprofile(None)
            raise AssertionError(f"more than {steps} steps")

    sys.setprofile(step)
    try:
        yield
    finally:
        sys.setprofile(None)


def outcome(content, folder):
    """The model in a file of this content; None if it was refused as it should be."""
    path = Path(folder) / "stranger's model.json"
    path.write_bytes(content)
    try:
        with at_most(MOST_STEPS):
            return load_model(path)
    except ValueError as error:
        message = str(error)
        assert message.startswith(str(path)), message
        assert len(message) < 1000, message
        return None


def mutated_bytes_are_refused_or_the_same(generator):
    model = draw_model(generator)
    content = bytearray(model_text(model).encode())
    for _ in range(int(generator.integers(1, 4))):
        mutate(generator, content)
    with tempfile.TemporaryDirectory() as folder:
        found = outcome(bytes(content), folder)
    if found is not None:
        table = draw_table(generator, model)
        assert predictions(found, table) == predictions(model, table), bytes(content)
    return True


def mutate(generator, content):
    """Change, cut out, put in, repeat or exchange some bytes."""
    start = int(generator.integers(len(content) + 1))
    stop = min(start + int(generator.integers(1, 1 + choose(generator, 1, 8, 200))), len(content))
    put = bytes(generator.choice(list(ALPHABET), int(generator.integers(0, 9))).tolist())
    way = choose(generator, "replace", "cut", "insert", "repeat", "end", "case")
    piece = bytes(content[start:stop])
    content[start:stop] = {
        "replace": put, "cut": b"", "insert": put + piece, "repeat": piece * 2,
        "end": b"", "case": piece.swapcase(),
    }[way]  # fmt: skip
    if way == "end":
        del content[start:]
    content += b"{" if not content else b""


JUNK = [
    None, True, 0, 1, -1, 2**63, 10**400, -(10**400), 0.5, 1e308, "", "inf", "nan", "-inf", "x",
    "1", "\ud800", [], [[]], {}, {"kind": "number"}, {"kind": []}, [None], ["a", "a"], [1, 2, 3],
    "x" * 5000, [0] * 300, {"a": 1, "b": {}}, {"": ""},
]  # fmt: skip


def mutated_content_is_refused_or_a_model(generator):
    """The checksum fits half of the time, as a forger would have it."""
    content = json.loads(model_text(draw_model(generator)))
    for _ in range(int(generator.integers(1, 3))):
        change_somewhere(generator, content)
    if chance(generator, 0.5):
        content.pop("checksum", None)
        content["checksum"] = checksum(content)
    with tempfile.TemporaryDirectory() as folder:
        found = outcome(json.dumps(content).encode(), folder)
        if found is not None:
            save_model(found, Path(folder) / "again.json")
            again = load_model(Path(folder) / "again.json")
            assert model_text(again) == model_text(found)
            table = draw_table(generator, found)
            assert predictions(again, table) == predictions(found, table)
            assert not isinstance(str(found), bytes)
    return True


def change_somewhere(generator, content):
    """Replace, drop, add, rename, repeat or exchange one entry."""
    part = content
    while True:
        keys = list(part) if isinstance(part, dict) else list(range(len(part)))
        if not keys:
            return
        key = keys[int(generator.integers(len(keys)))]
        if not isinstance(part[key], dict | list) or not part[key] or chance(generator, 0.2):
            break
        part = part[key]
    way = choose(generator, "junk", "drop", "add", "copy")
    if way == "drop":
        del part[key]
    elif way == "junk":
        part[key] = copy.deepcopy(JUNK[int(generator.integers(len(JUNK)))])
    elif isinstance(part, dict):
        part["more" if way == "add" else f"{key} "] = part[key]
    else:
        part.insert(int(generator.integers(len(part) + 1)), copy.deepcopy(part[key]))


def unchanged_files_are_the_same_model(generator):
    model = draw_model(generator)
    with tempfile.TemporaryDirectory() as folder:
        save_model(model, Path(folder) / "model.json")
        found = load_model(Path(folder) / "model.json")
    table = draw_table(generator, model)
    assert found == model
    assert predictions(found, table) == predictions(model, table)


def onnx_gives_the_same_labels(generator):
    from onnx_runtime import assert_same_in_onnx

    model = draw_model(generator, wild=False)
    table = draw_table(generator, model)
    with tempfile.TemporaryDirectory() as folder:
        assert_same_in_onnx(Path(folder) / "model.onnx", model, table)


LAWS = {
    mutated_bytes_are_refused_or_the_same: 1500,
    mutated_content_is_refused_or_a_model: 1500,
    unchanged_files_are_the_same_model: 300,
    onnx_gives_the_same_labels: 200,
}
