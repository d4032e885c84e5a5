"""Run exported models in ONNX Runtime; tests that import this are skipped without it."""

import numpy as np
import pytest

from fairordinal.models import export_onnx

pytest.importorskip("onnx")
runtime = pytest.importorskip("onnxruntime")


def run(path, model, table):
    """Labels and scores of the exported model; columns of the table are lists."""
    session = runtime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    given_names = [entry.name for entry in session.get_inputs()]
    inputs = {}
    for name, column in zip(given_names, model.preparation.columns, strict=True):
        cells = table[column.name]
        if column.kind == "number":
            array = np.array([np.nan if cell is None else cell for cell in cells], dtype=np.float64)
        else:
            array = np.array([cell or "" for cell in cells], dtype=object)
        inputs[name] = array[:, None]
    return session.run(["label", "score"], inputs)


def assert_same_in_onnx(path, model, table):
    """Export a model; labels and scores of the file must be those of the model."""
    export_onnx(model, path)
    labels, scores = run(path, model, table)
    assert labels.tolist() == model.predict(table).tolist()
    np.testing.assert_array_equal(scores, model.scores(table))
    return labels
