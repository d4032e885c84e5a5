"""Model files: the same model again, or a message that says why not."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairordinal.models import _file as model_file
from fairordinal.models import fit_table, load_model, model_text, save_model
from fairordinal.models._components import Classes, DecisionTree, PlugInRule, Ramp, TreeSplit
from fairordinal.models._file import MOST_BYTES, _read_model
from fairordinal.models._preparation import NumberColumn, TextColumn
from fairordinal.models._serialization import checksum, write
from made_up_models import HOSTILE, made_up_table, model_with, models

pytestmark = pytest.mark.usefixtures("small_effort")


def fitted():
    names = {"y": "grade", "sensitive_features": "sex"}
    return fit_table(made_up_table(), **names, trade_off=0.3, alpha=0.01, ranker="reduction", cv=3)


@pytest.fixture(scope="module")
def model():
    return fitted()


@pytest.fixture
def path(model, tmp_path):
    save_model(model, tmp_path / "model.json")
    return tmp_path / "model.json"


def refused(path, text, match):
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=match) as caught:
        load_model(path)
    message = str(caught.value)
    assert message.startswith(str(path))
    assert message.endswith(".")


def changed(path, change, *, sealed=False):
    """The text of a file after a change to what it says; `sealed` with a checksum that fits."""
    content = json.loads(path.read_text())
    change(content)
    if sealed:
        content.pop("checksum")
        content["checksum"] = checksum(content)
    return write(content)


def test_a_model_comes_back_as_it_was(model, path):
    again = load_model(path)
    assert again == model
    assert model_text(again) == model_text(model)
    np.testing.assert_array_equal(again.coef_, model.coef_)


def test_labels_in_another_process_are_identical(model, path):
    table = made_up_table(seed=1)
    code = (
        "import sys; from made_up_models import made_up_table;"
        "from fairordinal.models import load_model;"
        "model, table = load_model(sys.argv[1]), made_up_table(seed=1);"
        "print(model.predict(table).tolist()); print(model.scores(table).tobytes().hex())"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code, str(path)],
        capture_output=True, text=True, check=True, cwd=Path(__file__).parent,
    )  # fmt: skip
    labels, scores = ran.stdout.splitlines()
    assert json.loads(labels) == model.predict(table).tolist()
    assert scores == model.scores(table).tobytes().hex()


def test_who_predicts_does_not_wait_for_training():
    code = "import sys, fairordinal.models; print({'sklearn', 'scipy', 'onnx'} & {*sys.modules})"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "set()"


def test_the_text_is_the_same_every_time_and_has_a_line_for_each_coefficient(model):
    text = model_text(model)
    again = fitted()
    assert model_text(again) == text
    lines = [line for line in text.splitlines() if '"input"' in line]
    assert len(lines) == len(model.coefficients)
    assert max(map(len, text.splitlines())) <= 100


def test_infinite_thresholds_are_valid_json(tmp_path):
    model = model_with(
        columns=[NumberColumn("x", 0.0, 1.0)],
        coefficients=[1.0],
        thresholds=[-np.inf, 0.5, np.inf],
        classes=Classes("int", (1, 2, 3, 4)),
    )
    text = model_text(model)
    assert '"thresholds": ["-inf", 0.5, "inf"]' in text
    json.loads(text, parse_constant=lambda name: pytest.fail(name))
    assert _read_model(text) == model
    assert _read_model(text).predict({"x": [-1e300, 1e300]}).tolist() == [2, 3]


def test_text_of_all_kinds_comes_back_and_is_safe_in_a_page():
    texts = tuple(sorted({text for text in HOSTILE if text}))
    columns = [TextColumn("</script><b>", texts, other=True, missing=True)]
    model = model_with(
        columns=columns,
        coefficients=np.arange(len(texts) + 2.0).tolist(),
        thresholds=[1.5],
        classes=Classes("str", ("<!--", "\u2028")),
    )
    text = model_text(model)
    assert not set(text) & set("<>&\u2028\ud800")
    assert _read_model(text) == model
    assert _read_model(text).scores({"</script><b>": [*texts]}).tolist() == [*range(len(texts))]


@given(models())
def test_every_model_comes_back_as_it_was(model):
    text = model_text(model)
    text.encode()
    again = _read_model(text)
    assert again == model
    assert repr(again) == repr(model)
    assert model_text(again) == text


@given(models(), st.data())
def test_whatever_is_done_to_a_file_it_is_refused_or_says_the_same(model, data):
    text = model_text(model)
    start = data.draw(st.integers(0, len(text)))
    stop = data.draw(st.integers(start, min(len(text), start + data.draw(st.integers(0, 200)))))
    put = data.draw(st.text(alphabet='0123456789.-eE+"{}[],: \nnulltruefasinNI\\', max_size=8))
    edited = text[:start] + put + text[stop:]
    try:
        again = _read_model(edited)
    except ValueError:
        return
    assert again == model


@given(models(), st.data())
def test_a_file_that_is_cut_short_is_refused(model, data):
    text = model_text(model).rstrip()
    with pytest.raises(ValueError, match=r"truncated|not a fairordinal model"):
        _read_model(text[: data.draw(st.integers(0, len(text) - 1))])


def test_other_layouts_of_the_same_are_read(model, path):
    """Some programs sort fields, and write 1.0 as 1."""
    content = json.loads(
        path.read_text(), parse_float=lambda s: int(s[:-2]) if s.endswith(".0") else float(s)
    )
    path.write_text("\ufeff" + json.dumps(content, sort_keys=True))
    assert load_model(path) == model


def test_damaged_json_is_refused(path):
    refused(path, path.read_text().replace(":", ";", 1), "damaged.*line 2")


def test_half_a_file_is_refused(path):
    refused(path, path.read_text()[:500], "truncated.*Fit the model again")


@pytest.mark.parametrize("text", ["", "a,b\n1,2\n", "[]", "null", "3", "{}", '{"format": 1}'])
def test_what_is_no_model_is_said_so(path, text):
    refused(path, text, "is not a fairordinal model")


def test_bytes_are_refused(path):
    path.write_bytes(b"\x80\x04\x95\xff")
    with pytest.raises(ValueError, match="not text in UTF-8"):
        load_model(path)


def test_a_folder_is_refused(model, tmp_path):
    with pytest.raises(ValueError, match="is a folder"):
        load_model(tmp_path)
    with pytest.raises(ValueError, match="folder"):
        save_model(model, tmp_path)


def test_no_file_is_said_so(tmp_path):
    with pytest.raises(FileNotFoundError, match="no file"):
        load_model(tmp_path / "none.json")


def test_a_newer_schema_is_said_so(path):
    def change(content):
        content.update(schema=3, library="9.0.0", novelty=True)

    refused(path, changed(path, change), r"newer fairordinal \('9.0.0', schema 3.*pip install -U")


@pytest.mark.parametrize("schema", [None, "1", 0, 1.5, True])
def test_a_strange_schema_is_refused(path, schema):
    refused(path, changed(path, lambda content: content.update(schema=schema)), "its schema is")


def test_a_coefficient_changed_by_hand_is_refused(path):
    def change(content):
        content["coefficients"][0]["value"] *= 2

    refused(path, changed(path, change), "was changed after it was written.*Fit the model again")


@pytest.mark.parametrize("name", ["library", "checksum", "thresholds", "preparation", "data"])
def test_a_field_that_lacks_is_named(path, name):
    refused(path, changed(path, lambda content: content.pop(name)), f"lacks the field '{name}'")


def test_an_unknown_field_is_named(path):
    refused(path, changed(path, lambda c: c["data"].update(extra=1)), "unknown field 'extra'")


def test_a_field_that_occurs_twice_is_named(path):
    text = path.read_text().replace('"schema": 2', '"schema": 2, "schema": 2')
    refused(path, text, "'schema' occurs twice")


WRONG = {
    "thresholds must be a list": lambda c: c.update(thresholds=3.5),
    r"thresholds\[0\] must be a number": lambda c: c.update(thresholds=["x", 1.0]),
    "thresholds must be 2 numbers": lambda c: c.update(thresholds=[1.0]),
    "thresholds must be 2 numbers in ascending": lambda c: c.update(thresholds=[1.0, 0.0]),
    "thresholds must be 2 numbers.*nan": lambda c: c.update(thresholds=["nan", 0.0]),
    r"coefficients\[0\]\.value must be a number": lambda c: c["coefficients"][0].update(value=True),
    "coefficients must have a finite number for input 'age'":
        lambda c: c["coefficients"][0].update(value="inf"),
    "coefficients must be one for each": lambda c: c["coefficients"].pop(),
    "coefficients must have a finite number for input": lambda c: c["coefficients"].reverse(),
    r"coefficients\[1\] must be an object": lambda c: c["coefficients"].__setitem__(1, []),
    "kind": lambda c: c["preparation"]["columns"][0].update(kind="code"),
    "spread above 0": lambda c: c["preparation"]["columns"][0].update(spread=0.0),
    "distinct categories": lambda c: c["preparation"]["columns"][1].update(categories=["b", "a"]),
    "classes must be of one kind": lambda c: c["classes"].update(values=["a", "b", "c"]),
    "at least two distinct": lambda c: c["classes"].update(values=[1, 1, 2]),
    "64 bits": lambda c: c["classes"].update(values=[1, 2, 2**70]),
    "data.rows must be a whole number": lambda c: c["data"].update(rows="many"),
    "data.sha256 must be text": lambda c: c["data"].update(sha256=None),
    "cost_matrix must have": lambda c: c["settings"]["cost_matrix"].pop(),
    r"cost_interval must be a list of 2": lambda c: c["expected"].update(cost_interval=[1.0]),
    "add up": lambda c: c["groups"][0].update(rows=0),
}  # fmt: skip


@pytest.mark.parametrize("match", WRONG)
@pytest.mark.parametrize("sealed", [False, True])
def test_what_is_wrong_is_named_whether_or_not_the_checksum_fits(path, match, sealed):
    refused(path, changed(path, WRONG[match], sealed=sealed), match)


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999", "1" * 5000])
def test_numbers_that_are_none_are_refused(path, number):
    text = path.read_text()
    start = text.index('"thresholds": [') + len('"thresholds": [')
    refused(path, text[:start] + number + text[text.index(",", start) :], "damaged")


def test_hostile_nesting_is_refused(path):
    deep = "[" * 100_000 + "]" * 100_000
    refused(
        path, '{"format": "fairordinal model", "schema": 1, "a": ' + deep + "}", "nested|damaged"
    )


def test_a_huge_file_is_refused_before_it_is_read(path, monkeypatch):
    monkeypatch.setattr(model_file, "MOST_BYTES", 1000)
    with pytest.raises(ValueError, match="more than 1000 bytes"):
        load_model(path)
    assert MOST_BYTES == 2**23


def test_what_is_too_large_to_be_loaded_is_not_saved(model, path, monkeypatch):
    monkeypatch.setattr(model_file, "MOST_BYTES", 1000)
    with pytest.raises(ValueError, match="lower most_categories"):
        save_model(model, path)


def test_only_models_of_tables_are_kept():
    with pytest.raises(ValueError, match="must be a TableModel, got dict"):
        model_text({})


def one_column(**more):
    return model_with(
        columns=[NumberColumn("x", 0.0, 1.0)],
        coefficients=[1.0],
        thresholds=[0.5],
        classes=Classes("int", (1, 2)),
        **more,
    )


def test_files_of_the_first_schema_are_read(tmp_path):
    model = one_column()
    content = json.loads(model_text(model))
    for name in ("ramps", "rule", "forest", "bases", "checksum"):
        content.pop(name)
    content["settings"].pop("basis")
    content["preparation"]["columns"][0].pop("missing")
    certificate = content["certificate"]
    certificate["price"] = certificate.pop("penalty")
    certificate.pop("surcharge")
    content["schema"] = 1
    path = tmp_path / "model.json"
    path.write_text(json.dumps(content | {"checksum": checksum(content)}))
    older = load_model(path)
    assert (older.coefficients, older.preparation) == (model.coefficients, model.preparation)
    assert (older.ramps, older.forest, older.settings.basis) == ((), (), "linear")
    assert older.rule is None
    assert older.certificate.penalty == model.certificate.penalty


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda rule: rule.update(edge="inf"), "finite costs"),
        (lambda rule: rule["costs"][0][1].pop(), "square cost matrices of one size"),
        (lambda rule: rule["costs"].pop(), "at least two groups"),
        (lambda rule: rule.update(boundaries=[1]), "ascending boundaries between 0 and 0"),
        (lambda rule: rule.update(boundaries=[]), "ascending boundaries"),
        (lambda rule: rule["costs"].append([[0.0, 1.0], [1.0, 0.0]]), "2 labels and 2 ramps"),
    ],
)
def test_a_damaged_rule_is_refused(tmp_path, change, message):
    costs = (((0.0, 1.0), (1.0, 0.0)), ((0.0, 2.0), (1.0, -0.5)))
    one = Ramp(0.0, 0.5, (1.0,))
    model = one_column(ramps=(one, one), rule=PlugInRule((0,), 0.5, costs))
    path = tmp_path / "model.json"
    save_model(model, path)
    assert load_model(path) == model
    refused(path, changed(path, lambda content: change(content["rule"])), message)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda tree: tree["splits"][0].update(left=0), "once as a child"),
        (lambda tree: tree["splits"][0].update(left=7), "once as a child"),
        (lambda tree: tree["splits"][0].update(threshold="inf"), "finite thresholds"),
        (lambda tree: tree["splits"][0].update(input=99), "split on one of"),
        (lambda tree: tree["leaves"].pop(), "one leaf more"),
        (lambda tree: tree["leaves"][0].pop(), "one leaf more"),
        (lambda tree: tree["leaves"].append([0.5, 0.5]), "1 values of each leaf"),
    ],
)
def test_trees_that_are_none_are_refused(tmp_path, change, message):
    model = one_column(forest=[DecisionTree((TreeSplit(0, 0.5, -1, -2),), ((0.25, 0.5),))])
    path = tmp_path / "model.json"
    save_model(model, path)
    assert load_model(path) == model
    content = json.loads(path.read_text())
    change(content["forest"][0])
    refused(path, json.dumps(content), message)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda ramps: ramps[0]["weights"].pop(), "a weight for each of 1 inputs, got 0"),
        (lambda ramps: ramps[0].update(offset="nan"), "a ramp must have finite numbers"),
        (lambda ramps: ramps[0].pop("offset"), "offset"),
        (lambda ramps: ramps.extend(ramps * 100), "at most 100 ramps"),
    ],
)
def test_ramps_that_are_none_are_refused(tmp_path, change, message):
    model = one_column(ramps=[Ramp(0.5, 0.25, (2.0,))])
    path = tmp_path / "model.json"
    save_model(model, path)
    assert load_model(path) == model
    np.testing.assert_array_equal(model.scores({"x": [-9.0, 0.0, 9.0]}), [-9.5, 0.125, 9.5])
    content = json.loads(path.read_text())
    change(content["ramps"])
    refused(path, json.dumps(content), message)
