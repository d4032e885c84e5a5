"""Audits of tables of counts: `audit_counts`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import narwhals as nw
import numpy as np

from fairordinal._audit._audit_result import Audit
from fairordinal._audit._from_rows import AuditOptions, audit_table
from fairordinal._render import frame_library
from fairordinal._table import read_table
from fairordinal._validation import Column, check_same_length, read_column, read_weight, stack


def audit_counts(
    *tables: Any,
    y_true: str = "y_true",
    y_pred: str = "y_pred",
    sensitive_features: str | Sequence[str] = "group",
    count: str = "count",
    labels: Any = None,
    predictions: str = "auto",
    criteria: Sequence[Any] | None = None,
    cost_matrix: Any = "absolute",
    interval: str = "delta",
    confidence: float = 0.95,
    n_resamples: int = 1000,
    random_state: Any = 0,
    compare: bool = False,
    missing_group: str = "error",
    higher_is: str | None = None,
    min_group_rows: float | None = None,
    small_groups: str = "keep",
) -> Audit:
    """Audit counts of rows, such as the result of a ``GROUP BY`` query.

    Parameters
    ----------
    *tables : frames, mappings of columns, or lists of rows
        Counts by group, true label and predicted label. Several tables, for instance of shards or
        of months, are added up, and so are equal rows of one table. Rows are mappings, or tuples
        in the order (group, y_true, y_pred, count).
    y_true : str, default="y_true"
        Name of the column of true labels.
    y_pred : str, default="y_pred"
        Name of the column of predicted labels or scores.
    sensitive_features : str or list of str, default="group"
        Name of the column of groups. Several columns define one group for each combination of
        their values.
    count : str, default="count"
        Name of the column of counts.
    labels : sequence, default=None
        All labels in ascending order. Required if labels are names without an order.
    predictions : {"auto", "labels", "scores"}, default="auto"
        What the column of predictions holds. ``"auto"`` takes numbers for labels if each is a true
        label (or one of `labels`), or if all are integers and these labels are more than half of
        the distinct values of both columns; otherwise numbers are scores. The printed audit says
        so if integers could be both.
    criteria : sequence of str or Criterion, default=None
        The criteria: ``"demographic_parity"``, ``"equal_opportunity"``, ``"equalized_odds"``,
        ``"conditional_demographic_parity"``, ``"harm_parity"``, ``"conditional_harm_parity"``,
        ``"standard_demographic_parity"``, ``"standard_equal_opportunity"``,
        ``"standard_equalized_odds"``, or instances of Criterion. None takes the first six, or
        the first four if predictions are scores.
    cost_matrix : {"absolute", "zero_one", "squared", "asymmetric"} or array, default="absolute"
        Costs of errors, for the mean cost of each group and for harms: ``|i-j|``, ``1{i≠j}``,
        ``(i-j)²``, ``|i-j|·(1 + 1{j>i})`` for true label i and predicted label j, or a V-shaped
        matrix.
    interval : {"delta", "bootstrap", "distribution_free"}, default="delta"
        How intervals are made: by the delta method, by resampling, or by a tail bound that is
        valid for any sample size, and wide.
    confidence : float, default=0.95
        Probability that the intervals of all pairs of groups hold.
    n_resamples : int, default=1000
        Number of resamples of the bootstrap.
    random_state : int, RandomState instance or None, default=0
        Seed of the bootstrap.
    compare : bool, default=False
        Also report binary and standard metrics, and why they disagree with the pairwise ones.
    missing_group : {"error", "own"}, default="error"
        What to do with rows whose group is missing: ``"error"`` raises ValueError, ``"own"``
        makes them a group of their own.
    higher_is : {"better", "worse"}, default=None
        Whether higher labels are better for people, such as grades, or worse, such as levels of
        risk. It says who is called favoured or disadvantaged, and whether harm is being rated too
        low or too high. None calls nobody so: a group is "placed higher", and the harm criteria
        compare the cost of being rated too low.
    min_group_rows : float, default=None
        Groups with fewer rows are not named in the summary, unless there are no others. None
        excludes the groups that are too small for a conclusion: compared with each group of at
        least as many rows, the interval contains 0 and is wider than 30 % of the range of possible
        disparities. Frames and tables have all groups.
    small_groups : {"keep", "merge"}, default="keep"
        ``"merge"`` merges all groups with fewer than `min_group_rows` rows into one, "other".

    Returns
    -------
    audit : Audit
        Equal to the audit of the rows that were counted.

    See Also
    --------
    audit : Audits rows.
    Audit.counts_frame : Returns the counts of an audit as such a table.

    Examples
    --------
    >>> from fairordinal import audit_counts
    >>> rows = [("a", 0, 3, 1), ("a", 3, 3, 2), ("b", 0, 0, 1), ("b", 2, 2, 1)]
    >>> audit_counts(rows)["demographic_parity"].violation
    1.0
    """
    features = [sensitive_features] if isinstance(sensitive_features, str) else sensitive_features
    if not tables or not len(features):
        raise ValueError(
            "audit_counts needs at least one table of counts and a column of sensitive_features."
        )
    names = [*features, y_true, y_pred, count]
    shards = [_read_counts(table, names) for table in tables]
    *groups, true, predicted, counts = (stack(columns) for columns in zip(*shards, strict=True))
    table = read_table(
        true,
        predicted,
        dict(zip(features, groups, strict=True)),
        sample_weight=read_weight(counts, len(counts.values), name="count"),
        labels=labels,
        predictions=predictions,
        missing_group=missing_group,
    )
    options = AuditOptions(
        criteria,
        cost_matrix,
        interval,
        confidence,
        n_resamples,
        random_state,
        compare,
        higher_is,
        min_group_rows,
        small_groups,
    )
    return audit_table(table, None, options, frame_library(*tables))


def _read_counts(table: Any, names: Sequence[str]) -> list[Column]:
    """Read the named columns of one table of counts: groups, true and predicted labels, counts."""
    arguments = [*["sensitive_features"] * (len(names) - 3), "y_true", "y_pred", "count"]
    found = _columns(nw.from_native(table, pass_through=True, allow_series=True), names)
    columns = [
        read_column(column, argument, exact=argument == "sensitive_features")
        for column, argument in zip(found, arguments, strict=True)
    ]
    check_same_length(columns[-3], *columns)
    return columns


def _columns(table: Any, names: Sequence[str]) -> list[Any]:
    """Return the named columns of a frame, a mapping of columns or a list of rows."""
    if isinstance(table, nw.DataFrame):
        _check_names(table.columns, names)
        _check_not_empty(table)
        return [table[name] for name in names]
    if isinstance(table, Mapping):
        _check_names(table, names)
        return [table[name] for name in names]
    if isinstance(table, nw.LazyFrame | nw.Series | str) or not np.iterable(table):
        raise ValueError(
            "a table of counts must be a frame in memory (.collect() or .df() a lazy one, reset "
            f"the index of a series), a mapping of columns or a list of rows, got {table!r:.60}."
        )
    return _transposed(list(table), names)


def _transposed(rows: list[Any], names: Sequence[str]) -> list[Any]:
    """Return the columns of a list of rows, which are mappings or tuples."""
    _check_not_empty(rows)
    for i, row in enumerate(rows):
        if isinstance(row, Mapping):
            _check_names(row, names)
        elif not isinstance(row, Sequence) or isinstance(row, str) or len(row) != len(names):
            raise ValueError(
                f"row {i} of the table of counts must be ({', '.join(names)}), got {row!r:.60}. "
                "Pass several tables as separate arguments."
            )
    tuples = [[row[n] for n in names] if isinstance(row, Mapping) else row for row in rows]
    return [list(column) for column in zip(*tuples, strict=True)]


def _check_not_empty(table: Any) -> None:
    """Raise ValueError if a table has no rows."""
    if not len(table):
        raise ValueError("the table of counts is empty; it must hold at least one row.")


def _check_names(found: Any, wanted: Sequence[str]) -> None:
    """Raise ValueError if a wanted column does not exist."""
    missing = [name for name in wanted if name not in found]
    if missing:
        raise ValueError(
            f"the table of counts lacks columns {missing}; it has {list(found)}. Pass the names of "
            "your columns as sensitive_features=, y_true=, y_pred= and count=."
        )
