"""Whether a criterion can speak of a table at all."""

from __future__ import annotations

import warnings
from itertools import combinations

import numpy as np

from fairordinal._table import ScoreTable
from fairordinal.criteria._base import Criterion


def require_labels(criterion: Criterion, table: ScoreTable) -> None:
    """Refuse scores where the criterion speaks of predicted labels."""
    if criterion.needs_labels and not table.predicts_labels:
        raise ValueError(
            f"{criterion.title} needs predicted labels in y_pred, got scores such as "
            f"{table.axis[0].item()!r} that are not labels {table.labels.tolist()}. Cut the "
            "scores into labels first, or pass labels=."
        )


def warn_undefined(criterion: Criterion, table: ScoreTable, *, stacklevel: int) -> None:
    """Name the pairs of groups that are left out of the maximum."""
    undefined = np.isnan(criterion.disparities(table))
    parts = criterion.parts(table)
    pairs = [
        f"{table.groups.tolist()[g]!r} and {table.groups.tolist()[h]!r}"
        for g, h in combinations(range(len(table.groups)), 2)
        if undefined[:, g, h].any()
    ]
    if not pairs:
        return
    shown = "; ".join(pairs[:5]) + (f"; and {len(pairs) - 5} more" if len(pairs) > 5 else "")
    what = parts[int(np.flatnonzero(undefined.any(axis=(1, 2)))[0])]
    reason = (
        "no sample of one has a true label that must rank above one of the other"
        if not criterion.needs_labels
        else f"a group has no samples to average{f' ({what})' if what else ''}"
    )
    from sklearn.exceptions import UndefinedMetricWarning  # slow to import, seldom needed

    warnings.warn(
        f"{criterion.title} is undefined for groups {shown}: {reason}. Leaving them out; the "
        "result is nan if nothing is left.",
        UndefinedMetricWarning,
        stacklevel=stacklevel,
    )
