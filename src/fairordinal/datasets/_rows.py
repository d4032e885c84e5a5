"""Rows of a data set, and the Bunch that users get."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any

from numpy.typing import NDArray
from sklearn.utils import Bunch

from fairordinal._optional import optional

Array = NDArray[Any]
Split = tuple[Array, Array]


@dataclass(frozen=True)
class Rows:
    """A data set: inputs without the protected attribute, ordered labels, groups, splits."""

    data: Array
    target: Array
    sensitive_features: Array
    feature_names: list[str]
    sensitive_names: dict[Hashable, str]
    description: str
    target_names: list[str] | None = None
    splits: list[Split] = field(default_factory=list)
    split_sensitive_features: list[Split] | None = None  # None: the groups of the rows

    def groups_of_splits(self) -> list[Split]:
        """Groups of the training and test rows of each split."""
        if self.split_sensitive_features is not None:
            return self.split_sensitive_features
        groups = self.sensitive_features
        return [(groups[train], groups[test]) for train, test in self.splits]


def as_bunch(rows: Rows, *, return_X_y: bool, as_frame: bool) -> Any:
    """What a fetcher returns, by scikit-learn's conventions."""
    columns = _columns(rows, as_frame)
    if return_X_y:
        return columns["data"], columns["target"]
    return Bunch(
        data=columns["data"],
        target=columns["target"],
        frame=columns["frame"],
        sensitive_features=columns["sensitive_features"],
        feature_names=list(rows.feature_names),
        target_names=rows.target_names,
        sensitive_names=dict(rows.sensitive_names),
        splits=rows.splits,
        split_sensitive_features=rows.groups_of_splits(),
        DESCR=rows.description,
    )


def _columns(rows: Rows, as_frame: bool) -> dict[str, Any]:
    """Inputs, labels and groups: arrays, or pandas objects and the frame of them all."""
    groups = rows.sensitive_features
    plain = {"data": rows.data, "target": rows.target, "sensitive_features": groups}
    if not as_frame:
        return {**plain, "frame": None}
    pandas = optional("pandas", "as_frame=True", "data")
    data = pandas.DataFrame(rows.data, columns=rows.feature_names)
    frame = data.assign(target=rows.target, sensitive_features=groups)
    named = {name: frame[name] for name in ("target", "sensitive_features")}
    return {"data": data, **named, "frame": frame}
