"""Exported models: the same labels and scores from another runtime."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairordinal.models import export_onnx, fit_table, model_text
from fairordinal.models._components import Classes, Ramp
from fairordinal.models._preparation import NumberColumn, TextColumn
from made_up_models import made_up_table, model_with, models
from onnx_runtime import assert_same_in_onnx, runtime

pytestmark = pytest.mark.usefixtures("small_effort")


def test_ten_thousand_rows_with_missing_and_unknown_cells_get_the_same_labels(tmp_path):
    table = made_up_table(600)
    model = fit_table(table, y="grade", sensitive_features="sex", trade_off=0.3, alpha=0.01, cv=3)
    new, rng = made_up_table(10_000, seed=1), np.random.default_rng(2)
    new["job"] = rng.choice(["", "baker", "clerk", "nurse", "pilot"], 10_000).tolist()
    labels = assert_same_in_onnx(tmp_path / "model.onnx", model, new)
    assert np.unique(labels).tolist() == [0, 1, 2]
    assert labels.dtype == np.int64


@pytest.mark.parametrize("missing", [True, False])
@pytest.mark.parametrize("other", [True, False])
def test_unknown_and_missing_text_goes_by_the_same_rules(tmp_path, other, missing):
    column = TextColumn("job", ("a", "b"), other, missing)
    model = model_with(
        columns=[column, NumberColumn("x", 1.0, 3.0)],
        coefficients=[0.1 * 2**i for i in range(column.n_inputs + 1)],
        thresholds=[-np.inf, 0.15, np.inf],
        classes=Classes("str", ("low", "mid</b>", "größer", "top")),
    )
    table = {"job": ["a", "b", "unknown", "", "A"], "x": [None, 1.0, 2.0, -7.5, 1e9]}
    assert_same_in_onnx(tmp_path / "model.onnx", model, table)


@pytest.mark.parametrize(
    "classes", [Classes("float", (0.5, 1.5)), Classes("int", (-(2**62), 2**62))]
)
def test_labels_may_be_numbers_of_all_kinds(tmp_path, classes):
    model = model_with(
        columns=[NumberColumn("x", 0.0, 1.0)], coefficients=[1.0], thresholds=[0.0], classes=classes
    )
    labels = assert_same_in_onnx(tmp_path / "model.onnx", model, {"x": [-1.0, 0.0, 1.0]})
    assert labels.tolist() == [classes.values[0]] * 2 + [classes.values[1]]


def test_columns_called_as_outputs_or_inner_names_do_no_harm(tmp_path):
    names = ["label", "score", "label_input", "add_4", "constant_5", "", "a b", "x/y:0"]
    model = model_with(
        columns=[NumberColumn(name, 0.0, 1.0) for name in names],
        coefficients=[2.0**i for i in range(len(names))],
        thresholds=[100.0],
        classes=Classes("int", (0, 1)),
    )
    table = {name: [1.0, 0.0, float(i)] for i, name in enumerate(names)}
    assert_same_in_onnx(tmp_path / "model.onnx", model, table)
    session = runtime.InferenceSession(str(tmp_path / "model.onnx"))
    given_names = [entry.name for entry in session.get_inputs()]
    assert given_names[:3] == ["label_input_input", "score_input", "label_input"]


def test_the_metadata_has_the_criterion_and_the_whole_model(tmp_path):
    model = model_with(
        columns=[NumberColumn("x", 0.0, 1.0)],
        coefficients=[1.0],
        thresholds=[0.0],
        classes=Classes("int", (0, 1)),
    )
    export_onnx(model, tmp_path / "model.onnx")
    session = runtime.InferenceSession(str(tmp_path / "model.onnx"))
    found = session.get_modelmeta().custom_metadata_map
    assert found["criterion"] == "demographic_parity"
    assert found["max_violation"] == "0.05"
    assert found["model"] == model_text(model)
    again = tmp_path / "again.onnx"
    export_onnx(model, again)
    assert again.read_bytes() == (tmp_path / "model.onnx").read_bytes()


plain_texts = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=4
)


@settings(max_examples=25)
@given(models(plain_texts, st.floats(-1e6, 1e6)), st.data())
def test_every_model_gives_the_same_labels(tmp_path_factory, model, data):
    table = {}
    for column in model.preparation.columns:
        if column.kind == "text":
            cell = st.sampled_from([None, "?", *column.categories])
        else:
            cell = st.none() | st.floats(-1e3, 1e3).map(lambda x, c=column: c.mean + x * c.spread)
            cell = cell.filter(lambda x: x is None or np.isfinite(x))
        table[column.name] = data.draw(st.lists(cell, min_size=5, max_size=5))
    assert_same_in_onnx(tmp_path_factory.mktemp("onnx") / "model.onnx", model, table)


@pytest.mark.parametrize("mean", [0.0, 1e-60])
@pytest.mark.parametrize("number", [1.0, 1.0 + 1e-10, 1.0 - 1e-12])
def test_constants_that_are_trivial_in_single_precision_count(tmp_path, number, mean):
    model = model_with(
        columns=[NumberColumn("x", mean, number)],
        coefficients=[2.0 - number],
        thresholds=[0.5],
        classes=Classes("int", (0, 1)),
        ramps=[Ramp(number, 1e-60, (number / 2,))],
    )
    assert_same_in_onnx(tmp_path / "model.onnx", model, {"x": [1.0, 3.0, -0.3, 0.0, 1e-61]})


def test_without_onnx_it_is_said_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "onnx", None)
    with pytest.raises(ImportError, match=r"pip install fairordinal\[onnx\]"):
        export_onnx(None, tmp_path / "model.onnx")
