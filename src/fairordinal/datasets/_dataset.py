"""A data set with ordered labels and groups: its fields, its Bunch, and statistics of its labels.

Fetchers and loaders fill a `Dataset`; `as_bunch` turns it into what scikit-learn's fetchers return.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import Bunch

from fairordinal._support import optional

Array = NDArray[Any]
TrainTest = tuple[Array, Array]  # one entry for the training rows, one for the test rows


@dataclass(frozen=True)
class Dataset:
    """Features without the protected attribute, ordered labels, groups, and splits."""

    data: Array
    target: Array
    sensitive_features: Array
    feature_names: list[str]
    sensitive_names: dict[Hashable, str]
    description: str
    target_names: list[str] | None = None
    splits: list[TrainTest] = field(default_factory=list)  # row numbers
    split_sensitive_features: list[TrainTest] | None = None  # None: groups of these rows

    def groups_of_splits(self) -> list[TrainTest]:
        """Return the groups of the training and test rows of each split."""
        if self.split_sensitive_features is not None:
            return self.split_sensitive_features
        groups = self.sensitive_features
        return [(groups[train], groups[test]) for train, test in self.splits]


def as_bunch(dataset: Dataset, *, return_X_y: bool, as_frame: bool) -> Any:
    """Return a Bunch, or ``(data, target)``, by the conventions of scikit-learn's fetchers."""
    columns = _columns(dataset, as_frame)
    if return_X_y:
        return columns["data"], columns["target"]
    return Bunch(
        data=columns["data"],
        target=columns["target"],
        frame=columns["frame"],
        sensitive_features=columns["sensitive_features"],
        feature_names=list(dataset.feature_names),
        target_names=dataset.target_names,
        sensitive_names=dict(dataset.sensitive_names),
        splits=dataset.splits,
        split_sensitive_features=dataset.groups_of_splits(),
        DESCR=dataset.description,
    )


def _columns(dataset: Dataset, as_frame: bool) -> dict[str, Any]:
    """Return features, labels and groups, as arrays or as pandas objects with their frame."""
    groups = dataset.sensitive_features
    arrays = {"data": dataset.data, "target": dataset.target, "sensitive_features": groups}
    if not as_frame:
        return {**arrays, "frame": None}
    pandas = optional("pandas", "as_frame=True", "data")
    data = pandas.DataFrame(dataset.data, columns=dataset.feature_names)
    frame = data.assign(target=dataset.target, sensitive_features=groups)
    series = {name: frame[name] for name in ("target", "sensitive_features")}
    return {"data": data, **series, "frame": frame}


# Statistics of labels in two groups


class GroupStatistics(NamedTuple):
    """Statistics of Tables 3 and 4 of the paper, about rows of group 0 and group 1."""

    share_of_group_0: float
    group_0_above: float  # P[y1 > y2 | a1 = 0, a2 = 1]
    group_0_below: float  # P[y1 < y2 | a1 = 0, a2 = 1]
    difference: float  # |group_0_above - group_0_below|


def group_statistics(target: ArrayLike, sensitive_features: ArrayLike) -> GroupStatistics:
    """Compare the labels of groups 0 and 1.

    Parameters
    ----------
    target : array-like of shape (n_samples,)
        Labels. Only their order matters.
    sensitive_features : array-like of shape (n_samples,)
        Groups, 0 or 1.

    Returns
    -------
    statistics : GroupStatistics
        Share of group 0, and how often its labels are above and below those of group 1.

    Examples
    --------
    >>> statistics = group_statistics([1, 2, 2, 3], [0, 0, 1, 1])
    >>> statistics.group_0_above, statistics.group_0_below  # 4 pairs; (2, 2) is a tie
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
    """Return the group statistics of a fetched data set, averaged over its test sets."""
    each = [
        group_statistics(data.target[test], groups)
        for (_, test), (_, groups) in zip(data.splits, data.split_sensitive_features, strict=True)
    ]
    # fmean is exact: some means are 0.525, which an error in the last digit would round down
    return GroupStatistics(*map(fmean, zip(*each, strict=True)))
