"""
8. Hand it over: report, model file, ONNX
=========================================

**The question.** The model was chosen. Three people wait for it: the board wants to know what it
does, the auditors want to check it without running our code, and the server team does not have
Python.
"""

import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split

from fairordinal import audit
from fairordinal.models import export_onnx, fit_table, load_model, model_text, save_model
from fairordinal.plotting import GroupConfusionDisplay
from fairordinal.report import report

n, random = 1500, np.random.default_rng(0)
skill, region = random.normal(size=n), random.choice(["north", "south"], n)
table = pd.DataFrame({
    "test": skill + 0.7 * random.normal(size=n),
    "homework": skill + 0.9 * random.normal(size=n),
    "letter": skill + 0.5 * random.normal(size=n) + 1.0 * (region == "north"),
    "region": region,
    "grade": 1 + np.digitize(skill + 0.4 * random.normal(size=n), [-1, 0, 1]),
})  # fmt: skip
train, test = train_test_split(table, test_size=0.3, random_state=0)
folder = Path(tempfile.mkdtemp())

# %%
# A model of a table knows the names and types of its columns.

model = fit_table(train, y="grade", sensitive_features="region", max_violation=0.1, basis="linear")
print(model)

# %%
# For the board: a report
# -----------------------
#
# One HTML file, with the audit of rows that the model has not seen. Who decided, and why, can be
# part of it.

result = audit(test["grade"], model.predict(test), sensitive_features=test["region"])
page = report(
    result, title="Grades 2026", max_violation=0.1,
    data={"Source": "registry", "Rows": f"{len(test)}, held out", "Chosen by": "board, 12 May"},
)  # fmt: skip
page.save(folder / "report.html")
GroupConfusionDisplay.from_audit(result)

# %%
# For the auditors: a file that people can read
# ---------------------------------------------
#
# JSON without code: nothing in it is executed when it is loaded. It predicts the same labels on
# every machine, and has the limit, the certificate and the fingerprint of the data.

save_model(model, folder / "model.json")
again = load_model(folder / "model.json")
print((again.predict(test) == model.predict(test)).all())
print(model_text(model)[:700])

# %%
# For the servers: ONNX
# ---------------------
#
# The graph takes the raw columns, and has everything in it: standardisation, categories, missing
# values, score, cut points. Any ONNX runtime predicts the same labels; here is the reference
# implementation of the package `onnx`.

from onnx.reference import ReferenceEvaluator

export_onnx(model, folder / "model.onnx")
graph = ReferenceEvaluator(str(folder / "model.onnx"))
inputs = {name: test[[name]].to_numpy() for name in graph.input_names}
labels, scores = graph.run(["label", "score"], inputs)
print((labels == model.predict(test)).all())

# %%
# A decision
# ----------
#
# Three files, one model:

for path in sorted(folder.iterdir()):
    print(f"{path.name:12} {path.stat().st_size / 1000:6.1f} kB")

# %%
# On the command line, ``fairordinal fit … -o model.json`` and ``fairordinal predict`` do the same.
# The report belongs to the model: when the model is trained again, write it again.
