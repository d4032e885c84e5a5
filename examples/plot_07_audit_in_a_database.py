"""
7. Audit in a database and on a cluster
=======================================

**The question.** The decisions of ten years are in a warehouse. They may not be copied to a laptop,
and they would not fit. Can they be audited?

Yes: an audit needs only counts. How often does each combination of group, true label and prediction
occur? Fifty million rows become forty.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import polars as pl

from fairordinal import audit, audit_counts
from fairordinal.datasets import make_biased_ordinal

made = make_biased_ordinal(50_000, bias=0.5, n_labels=4, random_state=0)
decisions = pd.DataFrame({
    "grade": made.target,
    "predicted": np.clip(np.rint(made.scores + 2.5), 1, 4).astype(int),
    "region": np.where(made.sensitive_features == 0, "north", "south"),
})  # fmt: skip
warehouse = Path(tempfile.mkdtemp()) / "decisions.parquet"
decisions.to_parquet(warehouse)

# %%
# Let the source count
# --------------------
#
# `data=` takes a lazy frame of polars, a dataset of pyarrow, Dask, DuckDB or Spark. Other arguments
# are names of columns. The source counts its own rows, in a stream or on its workers.

result = audit("grade", "predicted", sensitive_features="region", data=pl.scan_parquet(warehouse))
print(result)

# %%
# Why all rows, and not a sample? The intervals say it:

_, ax = plt.subplots(figsize=(6, 2.1), layout="constrained")
for rows in (500, 5_000, 50_000):
    part = decisions[:rows]
    finding = audit(part["grade"], part["predicted"], sensitive_features=part["region"])[
        "equal_opportunity"
    ]
    name = f"{rows:,} rows"
    ax.plot(finding.violation_interval, [name, name], linewidth=5, solid_capstyle="round")
    ax.plot(finding.violation, name, "o", color="black")
ax.set(xlabel="violation, with its 95 % interval", xlim=(0, None), ylim=(-0.5, 2.5))

# %%
# Or run the query yourself
# -------------------------
#
# .. code-block:: sql
#
#     SELECT region, grade, predicted, count(*) AS n FROM decisions
#     GROUP BY region, grade, predicted

counts = decisions.value_counts().rename("n").reset_index()
counts.head()

# %%
# The table of counts gives the same audit.

columns = {"sensitive_features": "region", "y_true": "grade", "y_pred": "predicted", "count": "n"}
same = audit_counts(counts, **columns)
print(len(counts), "rows of counts:", same["equal_opportunity"])
print(same["equal_opportunity"].violation == result["equal_opportunity"].violation)

# %%
# A partner who may not share rows
# --------------------------------
#
# Counts of several places are added up. Each partner sends its table; no row leaves its place.
# (Counts of 1 may still identify a person: agree on what is sent.)

ours, theirs = decisions[:20_000], decisions[20_000:]
tables = [rows.value_counts().rename("n").reset_index() for rows in (ours, theirs)]
print(audit_counts(*tables, **columns)["equal_opportunity"])

# %%
# A decision
# ----------
#
# With fifty thousand rows, intervals are narrow: the difference between regions is real, and its
# size is known to two digits. The monthly audit becomes one query in the warehouse.
#
# :doc:`Databases, folders and clusters </databases>` has queries for DuckDB, Spark, BigQuery and
# PostgreSQL; :doc:`scale </scale>` explains training on Dask.
