"""Functions of rows, put off until somebody asks for the result."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from fairordinal._rows._dask import compute
from fairordinal._rows._partitions import feature_parts
from fairordinal._validation import Array


def lazily(function: Callable[[Any], Array], X: Any, dtype: Any) -> Any:
    """A number or name for each row of a Dask collection: an array, or a series with its index."""
    if hasattr(X, "map_partitions"):
        return X.map_partitions(_as_series, function, meta=(None, dtype))
    whole = X.rechunk({1: -1})
    return whole.map_blocks(_as_array, function, dtype=dtype, drop_axis=1)


def first_rows(X: Any, n_rows: int = 2) -> Any:
    """A few rows of a Dask collection, in memory: of the first block that has any."""
    for part in feature_parts(X):
        rows = compute(part)
        if len(rows):
            return rows[:n_rows]
    raise ValueError("X has no rows: every block is empty.")


def _as_series(part: Any, function: Callable[[Any], Array]) -> Any:
    import pandas as pd

    return pd.Series(_as_array(part, function), index=part.index)


def _as_array(part: Any, function: Callable[[Any], Array]) -> Array:
    return function(part) if len(part) else np.zeros(0)
