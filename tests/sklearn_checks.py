"""Estimators that scikit-learn's checks can call as `fit(X, y)`: groups are made up."""

import zlib

import numpy as np
from scipy import sparse


def groups_of(X, n_rows):
    """Two groups told by the numbers in a row, for repeated rows are of one group.

    By the place of a row where too few are distinct, or X is not what it should be.
    """
    try:
        rows = np.asarray(X.toarray() if sparse.issparse(X) else X, dtype=np.float64)
        groups = np.array([zlib.crc32(row.tobytes()) % 2 for row in rows])
        distinct = len({row.tobytes() for row in rows})
    except (TypeError, ValueError):
        groups, distinct = np.zeros(n_rows), 1
    mixed = distinct > 8 and len(groups) == n_rows and len(np.unique(groups)) == 2
    return groups if mixed else np.arange(n_rows) % 2
