"""How labels are spread over two groups: the statistics of the paper's tables 3 and 4."""

from __future__ import annotations

from statistics import fmean
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike


class GroupStatistics(NamedTuple):
    """Shares about rows of groups 0 and 1, and pairs of one row of each."""

    share_of_group_0: float
    group_0_above: float  # P[y1 > y2 | a1 = 0, a2 = 1]
    group_0_below: float  # P[y1 < y2 | a1 = 0, a2 = 1]
    difference: float  # of the two, without its sign


def group_statistics(target: ArrayLike, sensitive_features: ArrayLike) -> GroupStatistics:
    """Statistics of one set of rows.

    Parameters
    ----------
    target : array-like of shape (n_samples,)
        Labels, of which only the order matters.
    sensitive_features : array-like of shape (n_samples,)
        Groups 0 and 1.

    Returns
    -------
    statistics : GroupStatistics

    Examples
    --------
    >>> statistics = group_statistics([1, 2, 2, 3], [0, 0, 1, 1])
    >>> statistics.group_0_above, statistics.group_0_below  # of 4 pairs, (2, 2) is a tie
    (0.0, 0.75)
    """
    levels = np.unique(np.asarray(target), return_inverse=True)[1]
    groups = np.asarray(sensitive_features)
    zero, one = (
        np.bincount(levels[groups == group], minlength=levels.max() + 1) for group in (0, 1)
    )
    n_pairs = zero.sum() * one.sum()
    above = float(zero @ (np.cumsum(one) - one) / n_pairs)
    below = float(one @ (np.cumsum(zero) - zero) / n_pairs)
    return GroupStatistics(float(zero.sum() / len(levels)), above, below, abs(above - below))


def mean_test_statistics(data: Any) -> GroupStatistics:
    """Statistics of each test set of a fetched data set, averaged over the splits."""
    each = [
        group_statistics(data.target[test], groups)
        for (_, test), (_, groups) in zip(data.splits, data.split_sensitive_features, strict=True)
    ]
    return GroupStatistics(*map(fmean, zip(*each, strict=True)))  # exact: some are 0.525
