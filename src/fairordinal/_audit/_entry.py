"""From rows, or from counts, to an audit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import narwhals as nw

from fairordinal._audit._finding import find
from fairordinal._audit._result import Audit
from fairordinal._comparison import compare as compare_metrics
from fairordinal._costs import cost_matrix as as_cost_matrix
from fairordinal._render import frame_library
from fairordinal._table import ScoreTable, read_table
from fairordinal._validation import read_weight
from fairordinal.criteria import (
    ConditionalHarmParity,
    Criterion,
    DemographicParity,
    EqualizedOdds,
    EqualOpportunity,
    HarmParity,
    as_criterion,
    require_labels,
    warn_undefined,
)


def audit(
    y_true: Any,
    y_pred: Any,
    *,
    sensitive_features: Any,
    sample_weight: Any = None,
    labels: Any = None,
    scores: Any = None,
    criteria: Sequence[Any] | None = None,
    cost_matrix: Any = "absolute",
    interval: str = "delta",
    confidence: float = 0.95,
    n_resamples: int = 1000,
    random_state: Any = 0,
    compare: bool = False,
    missing_group: str = "error",
) -> Audit:
    """Audit a predictor of ordered labels for fairness between groups.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True and predicted ordinal labels; `y_pred` may hold scores. Integers, ordered
        categoricals, or names with `labels`. Numbers are predicted labels if each is a label of
        `y_true`, or if all are whole and there are at most 50 different ones; else scores.
    sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns)
        Group of each sample; several columns mean their intersections.
    sample_weight : array-like of shape (n_samples,), default=None
        A weight of 2 is a row repeated twice, in the intervals too.
    labels : sequence, default=None
        All labels in ascending order.
    scores : array-like of shape (n_samples,), default=None
        The scores that were cut into `y_pred`; `Audit.attribution` then says how much of a
        disparity they had and how much the cuts added.
    criteria : sequence of str or Criterion, default=None
        The notions; None takes the pairwise ones and, for predicted labels, both harms.
    cost_matrix : {"absolute", "zero_one", "squared", "asymmetric"} or array, default="absolute"
        The price of errors, for the groups' mean cost and for the harms.
    interval : {"delta", "bootstrap", "distribution_free"}, default="delta"
        How intervals are made. ``"distribution_free"`` holds for any sample size, and is wide.
    confidence : float, default=0.95
        For all pairs of groups at once.
    n_resamples, random_state : int, default=1000 and 0
        For the bootstrap.
    compare : bool, default=False
        Also show what binary and standard metrics say, and why they disagree.
    missing_group : {"error", "own"}, default="error"
        Refuse rows without a group, or make them a group of their own.

    Returns
    -------
    audit : Audit
        Print it, or read its `findings` and frames.

    Notes
    -----
    Cost: one pass over the rows (and a sort, for scores), then O(cells² · positions) with a
    cell per group and label. Undefined is never 0: such pairs of groups are warned about
    (``UndefinedMetricWarning``) and left out.

    Examples
    --------
    >>> from fairordinal import audit
    >>> result = audit([3, 0, 3, 0, 2], [3, 3, 3, 0, 2], sensitive_features=list("aaabb"),
    ...                criteria=["demographic_parity"])
    >>> result["demographic_parity"].violation
    1.0
    >>> result["demographic_parity"].violation_interval     # five rows prove little
    (0.0, 1.0)
    """
    columns = {
        "sensitive_features": sensitive_features,
        "sample_weight": sample_weight,
        "missing_group": missing_group,
    }
    table = read_table(y_true, y_pred, labels=labels, **columns)
    score_table = None
    if scores is not None:
        score_table = read_table(y_true, scores, labels=table.labels, as_scores=True, **columns)
    if compare and not table.predicts_labels:
        raise ValueError("compare=True needs predicted labels, but y_pred holds scores.")
    notions = _notions(criteria, cost_matrix, table)
    for notion in notions:
        require_labels(notion, table)
        if criteria is not None or not notion.needs_labels:
            warn_undefined(notion, table, stacklevel=3)
    findings = [
        find(
            notion,
            table,
            interval=interval,
            confidence=confidence,
            n_resamples=n_resamples,
            random_state=random_state,
        )
        for notion in notions
    ]
    return Audit(
        table,
        tuple(findings),
        cost=as_cost_matrix(cost_matrix, table.labels) if table.predicts_labels else None,
        confidence=confidence,
        interval=interval,
        score_table=score_table,
        comparison=compare_metrics(table) if compare else None,
        library=frame_library(y_true, y_pred, sensitive_features),
    )


def _notions(
    criteria: Sequence[Any] | None, cost_matrix: Any, table: ScoreTable
) -> list[Criterion]:
    if criteria is not None:
        if isinstance(criteria, str) or not len(criteria):
            raise ValueError(f"criteria must be a list of criteria, got {criteria!r}.")
        return [as_criterion(criterion) for criterion in criteria]
    notions: list[Criterion] = [
        DemographicParity(),
        EqualOpportunity(),
        EqualizedOdds(),
        DemographicParity(pairs="unequal_labels"),
        HarmParity(cost_matrix),
        ConditionalHarmParity(cost_matrix),
    ]
    return [notion for notion in notions if table.predicts_labels or not notion.needs_labels]


def audit_counts(
    *tables: Any,
    y_true: str = "y_true",
    y_pred: str = "y_pred",
    sensitive_features: str | Sequence[str] = "group",
    count: str = "count",
    labels: Any = None,
    criteria: Sequence[Any] | None = None,
    cost_matrix: Any = "absolute",
    interval: str = "delta",
    confidence: float = 0.95,
    n_resamples: int = 1000,
    random_state: Any = 0,
    compare: bool = False,
    missing_group: str = "error",
) -> Audit:
    """Audit from counts: what a ``GROUP BY`` of a database returns, or a partner may share.

    Parameters
    ----------
    *tables : frames, mappings of columns, or lists of rows
        Counts by group, true and predicted label. Several tables (of shards, of months) add up,
        and so do rows of one table that agree. Rows are mappings, or tuples in the order
        (group, y_true, y_pred, count).
    y_true, y_pred, count : str
        Names of the columns.
    sensitive_features : str or list of str, default="group"
        Name of the column of groups; several mean their intersections.
    labels, criteria, cost_matrix, interval, confidence, n_resamples, random_state, compare, \
missing_group
        As for :func:`audit`.

    Returns
    -------
    audit : Audit
        The same as that of the rows counted.

    Examples
    --------
    >>> from fairordinal import audit_counts
    >>> rows = [("a", 0, 3, 1), ("a", 3, 3, 2), ("b", 0, 0, 1), ("b", 2, 2, 1)]
    >>> audit_counts(rows)["demographic_parity"].violation
    1.0
    """
    if not tables:
        raise ValueError("audit_counts needs at least one table of counts.")
    features = [sensitive_features] if isinstance(sensitive_features, str) else sensitive_features
    names = [*features, y_true, y_pred, count]
    columns = _columns(tables, names)
    weight = read_weight(columns[count], len(columns[count]), name=f"count column {count!r}")
    groups = {name: columns[name] for name in features}
    return audit(
        columns[y_true],
        columns[y_pred],
        sensitive_features=groups,
        sample_weight=weight,
        labels=labels,
        criteria=criteria,
        cost_matrix=cost_matrix,
        interval=interval,
        confidence=confidence,
        n_resamples=n_resamples,
        random_state=random_state,
        compare=compare,
        missing_group=missing_group,
    )


def _columns(tables: Sequence[Any], names: Sequence[str]) -> dict[str, Any]:
    """The wanted columns of all tables, one below the other."""
    frames = [nw.from_native(table, pass_through=True) for table in tables]
    if all(isinstance(frame, nw.DataFrame) for frame in frames):
        for frame in frames:
            _check_names(frame.columns, names)
        whole = nw.concat([frame.select(*names) for frame in frames])
        return {name: whole[name].to_native() for name in names}
    parts = [_read_one(table, names) for table in tables]
    return {name: [value for part in parts for value in part[name]] for name in names}


def _read_one(table: Any, names: Sequence[str]) -> Mapping[str, Sequence[Any]]:
    frame = nw.from_native(table, pass_through=True)
    if isinstance(frame, nw.DataFrame):
        table = frame.to_dict(as_series=False)
    if isinstance(table, Mapping):
        _check_names(table, names)
        return table
    rows = list(table)
    if rows and all(isinstance(row, Mapping) for row in rows):
        for row in rows:
            _check_names(row, names)
        return {name: [row[name] for row in rows] for name in names}
    for i, row in enumerate(rows):
        if len(row) != len(names):
            raise ValueError(
                f"row {i} of the table of counts must be ({', '.join(names)}), got {row!r}."
            )
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def _check_names(found: Any, wanted: Sequence[str]) -> None:
    missing = [name for name in wanted if name not in found]
    if missing:
        raise ValueError(
            f"the table of counts lacks columns {missing}; it has {list(found)}. Name yours by "
            "sensitive_features=, y_true=, y_pred= and count=."
        )
