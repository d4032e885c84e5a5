"""Model files that are made to take time or memory, each filled up to a size in bytes."""

import json

from fairordinal.models import model_text
from fairordinal.models._components import Classes
from fairordinal.models._file import MOST_BYTES, _excess
from fairordinal.models._preparation import NumberColumn, TextColumn
from fairordinal.models._serialization import checksum
from made_up_models import model_with

HEAD = '{"format": "fairordinal model", "schema": 1, "library": "0", "checksum": "0", '


def small_model(**changes):
    """What the file of a small model says."""
    options = {
        "columns": [NumberColumn("x", 0.0, 1.0)],
        "coefficients": [1.0],
        "thresholds": [0.5],
        "classes": Classes("int", (1, 2)),
    }
    return json.loads(model_text(model_with(**options | changes)))


def filled(unit, size, *, before=HEAD + '"a": [', after="]}", last=None):
    """A unit over and over, up to a size."""
    room = max(size - len(before.encode()) - len(after.encode()), 0)
    many = unit * (room // len(unit.encode()))
    return before + many[: len(many) - (last is None)] + (last or "") + after


def in_place(path, unit, size, *, sealed=False):
    """A model file with units in a list of it; `path` are the keys that lead there."""
    content = small_model()
    part = content
    for key in path[:-1]:
        part = part[key]
    part[path[-1]] = "PLACE"
    before, after = json.dumps(content).split('"PLACE"')
    text = filled(unit, size, before=before + "[", after="]" + after)
    if not sealed:
        return text
    content = json.loads(text)
    content.pop("checksum")
    return json.dumps(content | {"checksum": checksum(content)}, separators=(",", ":"))


def many_keys(size, *, doubled, before=""):
    """Different keys, and the last one once more."""
    number = size // (14 + len(before.encode()))
    keys = [*range(number), number - 1] if doubled else range(number)
    return HEAD + ",".join(f'"{before}{key:08d}":0' for key in keys) + "}"


def long_name_of_many_categories(size):
    """Names of inputs are those of the column and of the category: sizes multiply."""
    content = small_model()
    n_categories = size // 50
    content["preparation"]["columns"] = [
        {
            "kind": "text",
            "name": "n" * (size // 3),
            "categories": [f"{i:08d}" for i in range(n_categories)],
            "other": False,
            "missing": False,
        }
    ]
    content["coefficients"] = [{"input": "", "value": 0}] * n_categories
    return json.dumps(content, separators=(",", ":"))


def one_long_label(size):
    """NumPy gives each text the room of the longest."""
    content = small_model()
    labels = [f"{i:05d}" for i in range(size // 40)]
    content["classes"] = {"kind": "str", "values": [*labels, "l" * (size // 2)]}
    return json.dumps(content, separators=(",", ":"))


def large_model(size):
    """A true model, columns of numbers and of text, close to a size."""
    names = [f"measurement_{i:06d}" for i in range(2 * size // 800)]
    texts = [f"answer_{i:06d}" for i in range(size // 800 // 10)]
    columns = [NumberColumn(name, 1 / 3, 2 / 3) for name in names]
    kinds = tuple(f"category {i:02d}" for i in range(15))
    columns += [TextColumn(name, kinds, other=True, missing=True) for name in texts]
    n_inputs = len(names) + 17 * len(texts)
    labels = tuple(range(100))
    model = model_with(
        columns=columns,
        coefficients=[1 / (i + 7) for i in range(n_inputs)],
        thresholds=[i / 7 for i in range(99)],
        classes=Classes("int", labels),
    )
    return model_text(model)


HOSTILE_FILES = {
    "a true model": large_model,
    "doubled key": lambda size: many_keys(size, doubled=True),
    "doubled key of wide characters": lambda size: many_keys(size, doubled=True, before="😀"),
    "different keys": lambda size: many_keys(size, doubled=False),
    "doubled keys, all the same": lambda size: filled('"a":0,', size, before=HEAD, after="}"),
    "objects with doubled keys": lambda size: filled('{"a":0,"b":0},', size),
    "empty lists": lambda size: filled("[],", size),
    "empty objects": lambda size: filled("{},", size),
    "small objects": lambda size: filled('{"":0},', size),
    "objects of objects": lambda size: filled('{"":{"":{}}},', size),
    "lists of lists": lambda size: filled("[[[[0]]]],", size),
    "empty texts": lambda size: filled('"",', size),
    "short texts": lambda size: filled('"名",', size),
    "texts of four bytes a character": lambda size: filled('"😀",', size),
    "small numbers": lambda size: filled("0,", size),
    "fractions": lambda size: filled("1.5,", size),
    "long fractions": lambda size: filled("0." + "3" * 390 + ",", size),
    "one long fraction": lambda size: filled("3", size, before=HEAD + '"a": [0.'),
    "whole numbers of 390 digits": lambda size: filled("7" * 390 + ",", size),
    "whole numbers of 4000 digits": lambda size: filled("7" * 4000 + ",", size),
    "one long whole number": lambda size: filled("7", size),
    "large exponents": lambda size: filled("1e307,", size),
    "deep lists": lambda size: filled("[", size),
    "deep lists, closed": lambda size: HEAD + '"a":' + "[" * (size // 2) + "]" * (size // 2) + "}",
    "deep objects": lambda size: filled('{"":', size),
    "blanks": lambda size: " " * size,
    "blanks inside": lambda size: filled(" ", size),
    "line breaks and no end": lambda size: filled("\n", size, after="x"),
    "one text": lambda size: filled("x", size, before=HEAD + '"a": "', after='"}'),
    "one text without an end": lambda size: filled("x", size, before=HEAD + '"a": "', after=""),
    "one text of escapes": lambda size: filled("\\n", size, before=HEAD + '"a": "', last="nn",
                                               after='"}'),
    "half surrogates": lambda size: filled('"\\ud800",', size),
    "many labels": lambda size: in_place(("classes", "values"), "1,", size),
    "many fractions as labels": lambda size: in_place(("classes", "values"), "1.5,", size),
    "one long label": one_long_label,
    "long name of many categories": long_name_of_many_categories,
    "many thresholds": lambda size: in_place(("thresholds",), "1,", size),
    "many coefficients": lambda size: in_place(
        ("coefficients",), '{"input":"x","value":0},', size),
    "many columns": lambda size: in_place(
        ("preparation", "columns"), '{"kind":"number","name":"","mean":0,"spread":1},', size),
    "many ignored columns": lambda size: in_place(
        ("preparation", "ignored"), '{"name":"","reason":""},', size),
    "many rules, sealed": lambda size: in_place(
        ("preparation", "rules"), '"",', size, sealed=True),
    "many names of columns": lambda size: in_place(("data", "columns"), '"",', size),
    "many groups": lambda size: in_place(
        ("groups",), '{"values":[0],"rows":2,"rows_by_label":[1,1]},', size),
    "many groups, empty": lambda size: in_place(
        ("groups",), '{"values":[],"rows":0,"rows_by_label":[0,0]},', size),
    "many values of a group, sealed": lambda size: in_place(
        ("groups", 0, "values"), "0.5,", size, sealed=True),
    "a wide cost matrix": lambda size: in_place(("settings", "cost_matrix", 0), "0.5,", size),
    "a cost matrix of empty rows": lambda size: in_place(("settings", "cost_matrix"), "[],", size),
    "a header of lists": lambda size: in_place(("library",), "[],", size),
}  # fmt: skip


def largest(name):
    """The file of this name as large as files may be that are looked into."""
    size = MOST_BYTES
    while _excess(content := HOSTILE_FILES[name](size).encode()):
        size = int(0.93 * size)
    return content
