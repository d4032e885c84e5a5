"""
8. Hand it over: report, model file, ONNX
=========================================

A model leaves the notebook: a report for those who decide, a file that anyone can read, and ONNX
for servers without Python.
"""

import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

from fairordinal import audit
from fairordinal.datasets import make_biased_ordinal
from fairordinal.models import export_onnx, fit_table, load_model, model_text, save_model
from fairordinal.report import report

made = make_biased_ordinal(1200, bias=0.5, n_labels=4, random_state=0)
table = pd.DataFrame(made.data, columns=["a", "b", "c", "d"])
table["group"] = np.where(made.sensitive_features == 0, "north", "south")
table["grade"] = made.target
folder = Path(tempfile.mkdtemp())

# %%
# A model of a table knows the names and types of its columns.

model = fit_table(table, y="grade", sensitive_features="group", max_violation=0.1, basis="linear")
print(model)

# %%
# Model file
# ----------
#
# JSON, without code: nothing in it is executed when it is loaded. It predicts the same labels on
# every machine.

save_model(model, folder / "model.json")
again = load_model(folder / "model.json")
print((again.predict(table) == model.predict(table)).all())
print(model_text(model)[:600])

# %%
# ONNX
# ----

export_onnx(model, folder / "model.onnx")
print(f"{(folder / 'model.onnx').stat().st_size} bytes")

# %%
# Report
# ------

page = report(
    audit(table["grade"], model.predict(table), sensitive_features=table["group"]),
    title="Grades 2026", max_violation=0.1, data={"Source": "registry", "Rows": str(len(table))},
)  # fmt: skip
page.save(folder / "report.html")
print(sorted(path.name for path in folder.iterdir()))
