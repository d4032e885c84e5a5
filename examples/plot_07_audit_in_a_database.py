"""
7. Audit in a database and on a cluster
=======================================

An audit needs only counts: how often each combination of group, true label and prediction occurs.
The rows can stay where they are.
"""

import tempfile
from pathlib import Path

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
file = Path(tempfile.mkdtemp()) / "decisions.parquet"
decisions.to_parquet(file)

# %%
# The data source is passed to `audit`
# ------------------------------------
#
# A lazy frame of polars, a dataset of pyarrow, Dask, DuckDB or Spark: each counts its own rows.

result = audit("grade", "predicted", sensitive_features="region", data=pl.scan_parquet(file))
print(result)

# %%
# Or you run the query
# --------------------
#
# .. code-block:: sql
#
#     SELECT region, grade, predicted, count(*) AS n FROM decisions
#     GROUP BY region, grade, predicted

counts = decisions.value_counts().rename("n").reset_index()
print(counts.head())
columns = {"sensitive_features": "region", "y_true": "grade", "y_pred": "predicted", "count": "n"}
same = audit_counts(counts, **columns)
print(same["equal_opportunity"])

# %%
# A partner who may not share rows can share counts. Tables of counts are added up.

january, february = counts.iloc[::2], counts.iloc[1::2]
both = audit_counts(january, february, **columns)
print(both["equal_opportunity"].violation == result["equal_opportunity"].violation)

# %%
# :doc:`Audits of databases </databases>` has recipes for DuckDB, Spark and pandas, and
# :doc:`scale </scale>` explains training on Dask.
