"""
6. A fairness gate in continuous integration
============================================

**The question.** A model is trained again each month, by a pipeline that nobody watches. Who
notices when it becomes unfair?
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from fairordinal import assert_pairwise_fair, audit
from fairordinal.datasets import make_biased_ordinal

LIMIT = 0.15


def month(bias, seed):
    """Decisions of a month: grades, predicted grades and groups."""
    made = make_biased_ordinal(1500, bias=bias, n_labels=4, random_state=seed)
    predicted = np.clip(np.rint(made.scores + 2.5), 1, 4).astype(int)
    return pd.DataFrame(
        {"grade": made.target, "predicted": predicted, "group": made.sensitive_features}
    )


months = {"January": month(0.05, 0), "February": month(0.15, 1), "March": month(0.6, 2)}

# %%
# In a test suite
# ---------------
#
# The upper end of the interval has to be within the limit. A model passes only if there is evidence
# that it is fair enough; too few rows are no evidence.

for name, rows in months.items():
    try:
        assert_pairwise_fair(
            rows["grade"], rows["predicted"], sensitive_features=rows["group"],
            criterion="demographic_parity", max_violation=LIMIT, confidence=0.95,
        )  # fmt: skip
        print(f"{name}: passed")
    except AssertionError as error:
        print(f"{name}: stopped. {error}")

# %%
# A picture for the dashboard:

_, ax = plt.subplots(figsize=(6, 2.8), layout="constrained")
for place, rows in enumerate(months.values()):
    result = audit(rows["grade"], rows["predicted"], sensitive_features=rows["group"])
    finding = result["demographic_parity"]
    low, high = finding.violation_interval
    colour = "tab:red" if high > LIMIT else "tab:green"
    ax.plot([place, place], [low, high], color=colour, linewidth=4, solid_capstyle="round")
    ax.plot(place, finding.violation, "o", color="black")
ax.axhline(LIMIT, color="black", linestyle="--", label="limit")
ax.set(xticks=range(len(months)), xticklabels=[*months], ylabel="violation", ylim=(0, None))
ax.legend(loc="upper left")

# %%
# On the command line
# -------------------
#
# `fairordinal audit` has exit code 2 if the limit is exceeded, and 1 if something is wrong with the
# file. A pipeline stops at both.

folder = Path(tempfile.mkdtemp())
months["March"].to_csv(folder / "predictions.csv", index=False)
command = (
    "audit predictions.csv --y grade --pred predicted --group group "
    f"--max-violation {LIMIT} --confidence 0.95"
)
run = subprocess.run(
    [sys.executable, "-c", "from fairordinal.cli import main; main()", *command.split()],
    cwd=folder, capture_output=True, text=True,
)  # fmt: skip
print("\n".join(run.stdout.splitlines()[-6:]))
print("exit code:", run.returncode)

# %%
# A step of a GitHub workflow, which keeps the report even if the gate is closed:
#
# .. code-block:: yaml
#
#     - run: pip install "fairordinal[files,report]"
#     - run: >
#         fairordinal audit predictions.csv --y grade --pred predicted --group group
#         --max-violation 0.15 --confidence 0.95 --html report.html
#     - uses: actions/upload-artifact@v4
#       if: always()
#       with: {name: fairness, path: report.html}
#
# A decision
# ----------
#
# January passes. March is stopped. So is February: its violation is below the limit, but the data
# are not enough to be sure. What then? Somebody has to look: at the report, at what has changed in
# the data, and at the labels. Decide beforehand who this is, and which model is in use until then.
# A gate that is raised whenever it closes ("0.15 was too strict") is no gate.
