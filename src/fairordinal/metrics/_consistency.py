"""Individual fairness: are similar samples treated alike?"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.neighbors import KDTree
from sklearn.utils import check_array

from fairordinal._costs import label_places
from fairordinal._validation import (
    check_complete,
    check_whole,
    encode,
    order_labels,
    read_column,
    read_weight,
    row_blocks,
    warn_misaligned,
)

BLOCK_QUERIES = 1 << 10


def consistency_score(
    X: Any,
    y_pred: Any,
    *,
    n_neighbors: int = 5,
    sample_weight: Any = None,
    labels: Any = None,
) -> float:
    r"""Consistency of predictions among nearest neighbours.

    1 is best: every sample is predicted as its neighbours are. 0 is the worst: all neighbours
    are predicted at the opposite end of the scale.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        What makes samples similar, by Euclidean distance; scale it first, and leave out
        sensitive features.
    y_pred : array-like of shape (n_samples,)
        Predicted labels or scores.
    n_neighbors : int, default=5
        The neighbours of a sample are all others no farther than its n-th nearest one: all that
        tie with it belong, so that the order of the rows does not matter.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of the samples and of the neighbours in the two means. Rows are matched by
        position; an index is ignored.
    labels : sequence, default=None
        All labels in ascending order. Needed for names without an order.

    Returns
    -------
    score : float
        In [0, 1].

    Notes
    -----
    :math:`1 - \frac1n \sum_i \frac{1}{|N(i)|} \sum_{j \in N(i)} |\hat y_i - \hat y_j| / r`, with
    r the range of the labels (of the scores). The ordinal form of the consistency of Zemel et
    al., ICML 2013; see section 6 of Kleindessner et al., AISTATS 2022. Cost: O(n log n) in few
    dimensions, O(n²) in many.

    Examples
    --------
    >>> from fairordinal.metrics import consistency_score
    >>> X = [[0.0], [0.1], [5.0], [5.1]]
    >>> consistency_score(X, [1, 1, 3, 3], n_neighbors=1)
    1.0
    >>> consistency_score(X, [1, 3, 3, 3], n_neighbors=1)
    0.5
    """
    warn_misaligned({"X": X, "y_pred": y_pred, "sample_weight": sample_weight})
    X = check_array(X)
    at = _places(y_pred, labels)
    if len(at) != len(X):
        raise ValueError(f"y_pred has {len(at)} rows but X has {len(X)}.")
    read = read_weight(sample_weight, len(X))
    weight = np.ones(len(X)) if read is None else read.values
    X, at, weight = X[weight > 0], at[weight > 0], weight[weight > 0]
    check_whole(n_neighbors, "n_neighbors", least=1, most=len(X) - 1)
    tree = KDTree(X)
    unlike = np.empty(len(X))
    for rows in row_blocks(len(X), BLOCK_QUERIES):
        reach = tree.query(X[rows], k=n_neighbors + 1)[0][:, -1]
        near = tree.query_radius(X[rows], reach * (1 + 1e-12))
        for i, neighbours in zip(range(rows.start, rows.stop), near, strict=True):
            others = neighbours[neighbours != i]
            unlike[i] = np.average(np.abs(at[others] - at[i]), weights=weight[others])
    return float(1 - np.average(unlike, weights=weight))


def _places(y_pred: Any, labels: Any) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Predictions on a scale from 0 to 1."""
    column = read_column(y_pred, "y_pred")
    check_complete(column)
    if labels is None and column.names is None:
        coded = encode(column)
        at = coded.levels.astype(np.float64)
    else:
        coded, _, _ = order_labels(column, column, labels)
        at = label_places(coded.levels)
    span = abs(at[-1] - at[0]) or 1.0
    return (at / span)[coded.codes(slice(None))]
