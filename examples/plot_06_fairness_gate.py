"""
6. A fairness gate in continuous integration
============================================

A model is trained again each month. A check in the pipeline stops it if the new model is less fair
than agreed.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

from fairordinal import assert_pairwise_fair
from fairordinal.datasets import make_biased_ordinal

made = make_biased_ordinal(2000, bias=0.4, n_labels=4, random_state=0)
predicted = np.clip(np.rint(made.scores + 2.5), 1, 4).astype(int)

# %%
# In a test suite
# ---------------
#
# The upper end of the interval has to be within the limit. A model passes only if there is
# evidence that it is fair enough; too few rows are no evidence.

try:
    assert_pairwise_fair(
        made.target, predicted, sensitive_features=made.sensitive_features,
        criterion="equal_opportunity", max_violation=0.1, confidence=0.95,
    )  # fmt: skip
    print("passed")
except AssertionError as error:
    print(error)

# %%
# On the command line
# -------------------
#
# `fairordinal audit` has exit code 2 if the limit is exceeded, and 1 if something is wrong with the
# file. A pipeline stops at either.

folder = Path(tempfile.mkdtemp())
pd.DataFrame(
    {"grade": made.target, "predicted": predicted, "group": made.sensitive_features}
).to_csv(folder / "predictions.csv", index=False)
command = "audit predictions.csv --y grade --pred predicted --group group --max-violation 0.1"
run = subprocess.run(
    [sys.executable, "-c", "from fairordinal.cli import main; main()", *command.split()],
    cwd=folder, capture_output=True, text=True,
)  # fmt: skip
print(run.stdout[-1200:])
print("exit code:", run.returncode)

# %%
# A step of a GitHub workflow::
#
#     - run: pip install "fairordinal[files,report]"
#     - run: fairordinal audit predictions.csv --y grade --pred predicted --group group
#              --max-violation 0.1 --confidence 0.95 --html report.html
#     - uses: actions/upload-artifact@v4
#       if: always()
#       with: {name: fairness, path: report.html}
