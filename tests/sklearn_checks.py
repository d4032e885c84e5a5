"""Estimators that scikit-learn's checks can call as `fit(X, y)`: groups are made up."""

import zlib

import numpy as np
from scipy import sparse


def groups_of(X, n_rows):
    """Two groups that depend on the values in a row, so that repeated rows have the same group.

    Groups alternate if too few rows are distinct or X is not numeric.
    """
    try:
        rows = np.asarray(X.toarray() if sparse.issparse(X) else X, dtype=np.float64)
        groups = np.array([zlib.crc32(row.tobytes()) % 2 for row in rows])
        distinct = len({row.tobytes() for row in rows})
    except (TypeError, ValueError):
        groups, distinct = np.zeros(n_rows), 1
    mixed = distinct > 8 and len(groups) == n_rows and len(np.unique(groups)) == 2
    return groups if mixed else np.arange(n_rows) % 2


class MadeUpGroups:
    """A mixin of estimators: groups are made up, and names of labels are in alphabetical order."""

    def fit(self, X, y=None, sample_weight=None):
        if y is None:
            raise ValueError("requires y to be passed, but the target y is None")
        labels = np.asarray(y).ravel()
        names = labels.dtype.kind not in "iuf"
        self.set_params(labels=np.unique(labels).tolist() if names else None)
        groups = groups_of(X, len(labels))
        return super().fit(X, y, sensitive_features=groups, sample_weight=sample_weight)


SCORES_AND_LABELS = {
    "check_classifiers_train": "scores are one number a row, whatever the number of labels, and "
    "thresholds that are fair do not predict the most probable label",
    "check_classifiers_classes": "scores are one number a row, whatever the number of labels",
    "check_classifiers_one_label": "labels without a second one have no order",
    "check_classifiers_regression_target": "half stars are labels; so is any number",
}  # checks that fail on purpose
