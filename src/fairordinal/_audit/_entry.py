"""From rows, or from counts, to an audit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import narwhals as nw
import numpy as np

from fairordinal._audit._finding import find
from fairordinal._audit._result import Audit
from fairordinal._comparison import compare as compare_metrics
from fairordinal._costs import cost_matrix as as_cost_matrix
from fairordinal._lazy import Rows, gather
from fairordinal._render import frame_library
from fairordinal._table import ScoreTable, read_table
from fairordinal._validation import Column, check_same_length, read_column, read_weight, stack
from fairordinal.criteria import (
    Criterion,
    as_criterion,
    require_labels,
    warn_undefined,
)

AUDITED = (
    "demographic_parity",
    "equal_opportunity",
    "equalized_odds",
    "conditional_demographic_parity",
    "harm_parity",
    "conditional_harm_parity",
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
    data: Any = None,
) -> Audit:
    """Audit a predictor of ordered labels for fairness between groups.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True and predicted ordinal labels; `y_pred` may hold scores. Integers, ordered
        categoricals, or names with `labels`. Numbers are predicted labels if each is a label of
        `y_true`, or if all are whole and make at most ten labels, or twice those of `y_true`;
        else scores. Rows are matched by position; an index is ignored. With `data`, names of its
        columns, as for `sensitive_features`, `sample_weight` and `scores`. Columns of Dask are
        counted partition by partition.
    sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns)
        Group of each sample; several columns mean their intersections.
    sample_weight : array-like of shape (n_samples,), default=None
        A weight of 2 is a row repeated twice, in the intervals too. Multiplying all weights by a
        constant changes only numbers of rows and intervals, which take the sum of the weights
        for the number of rows.
    labels : sequence, default=None
        All labels in ascending order.
    scores : array-like of shape (n_samples,), default=None
        The scores that were cut into `y_pred`; `Audit.attribution` then says how much of a
        disparity they had and how much the cuts added.
    criteria : sequence of str or Criterion, default=None
        The notions; None takes the pairwise ones and, for predicted labels, both harms. By
        name: ``"demographic_parity"``, ``"equal_opportunity"``, ``"equalized_odds"``,
        ``"conditional_demographic_parity"``, ``"harm_parity"``, ``"conditional_harm_parity"``,
        and the first three with ``"standard_"`` before them.
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
    data : frame, lazy frame or dataset, default=None
        Where the columns are: a frame of pandas, polars or pyarrow; a lazy frame of polars, a
        dataset of pyarrow (a folder of Parquet files, say), a Dask DataFrame, a relation of
        DuckDB, a frame of Spark. Those that are not in memory count their rows themselves.

    Returns
    -------
    audit : Audit
        Print it, or read its `findings` and frames.

    Notes
    -----
    Cost: one pass over the rows (and a sort, for scores), then O(cells² · positions) with a
    cell per group and label. Undefined is never 0: such pairs of groups are warned about
    (``UndefinedMetricWarning``) and left out.

    At most 500 groups, 1500 labels and 4096 cells (groups times labels) are audited; standard
    notions and `compare` take up to about 50 labels, and the bootstrap fewer resamples of many
    cells.

    Lazy `data` costs a ``GROUP BY`` of the columns, and memory for what is distinct; more than
    2 000 000 combinations of group, label and score are refused, so round scores first. Counts
    and sums of whole weights equal those of rows in memory; other weights are equal but for the
    order in which they are added.

    Examples
    --------
    >>> from fairordinal import audit
    >>> result = audit([3, 0, 3, 0, 2], [3, 3, 3, 0, 2], sensitive_features=list("aaabb"),
    ...                criteria=["demographic_parity"])
    >>> result["demographic_parity"].violation
    1.0
    >>> result["demographic_parity"].violation_interval     # five rows prove little
    (0.0, 1.0)

    Columns by name, of a frame that is not loaded:

    >>> import polars as pl
    >>> lazy = pl.LazyFrame({"grade": [3, 0, 3, 0, 2], "predicted": [3, 3, 3, 0, 2],
    ...                      "sex": list("aaabb")})
    >>> result = audit("grade", "predicted", sensitive_features="sex", data=lazy)
    >>> result["demographic_parity"].violation
    1.0
    """
    library = frame_library(data, y_true, y_pred, sensitive_features)
    rows = gather(Rows(y_true, y_pred, sensitive_features, sample_weight, scores), data)
    columns = {
        "sensitive_features": rows.sensitive_features,
        "sample_weight": rows.sample_weight,
        "missing_group": missing_group,
    }
    table = read_table(rows.y_true, rows.y_pred, labels=labels, **columns)
    score_table = None
    if scores is not None:
        order = table.labels if table.labels.dtype.kind == "O" else labels
        score_table = read_table(rows.y_true, rows.scores, labels=order, as_scores=True, **columns)
    options = Options(
        criteria, cost_matrix, interval, confidence, n_resamples, random_state, compare
    )
    return _assemble(table, score_table, options, library)


class Options(NamedTuple):
    """What is computed from a table."""

    criteria: Sequence[Any] | None
    cost_matrix: Any
    interval: str
    confidence: float
    n_resamples: int
    random_state: Any
    compare: bool


def _assemble(
    table: ScoreTable, score_table: ScoreTable | None, options: Options, library: str | None
) -> Audit:
    cost = as_cost_matrix(options.cost_matrix, table.labels)
    if options.compare and not table.predicts_labels:
        raise ValueError("compare=True needs predicted labels, but y_pred holds scores.")
    comparison = compare_metrics(table) if options.compare else None
    notions = _notions(options, table)
    for notion in notions:
        require_labels(notion, table)
        if options.criteria is not None or not notion.needs_labels:
            warn_undefined(notion, table, stacklevel=4)
    findings = [
        find(
            notion,
            table,
            interval=options.interval,
            confidence=options.confidence,
            n_resamples=options.n_resamples,
            random_state=options.random_state,
        )
        for notion in notions
    ]
    return Audit(
        table,
        tuple(findings),
        cost=cost,
        confidence=options.confidence,
        interval=options.interval,
        score_table=score_table,
        comparison=comparison,
        library=library,
    )


def _notions(options: Options, table: ScoreTable) -> list[Criterion]:
    criteria = options.criteria
    if criteria is not None:
        if isinstance(criteria, str) or not np.iterable(criteria) or not len(criteria):
            raise ValueError(f"criteria must be a list of criteria, got {criteria!r}.")
        return [as_criterion(criterion, options.cost_matrix) for criterion in criteria]
    notions = [as_criterion(name, options.cost_matrix) for name in AUDITED]
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
        missing_group=missing_group,
    )
    options = Options(
        criteria, cost_matrix, interval, confidence, n_resamples, random_state, compare
    )
    return _assemble(table, None, options, frame_library(*tables))


def _read_counts(table: Any, names: Sequence[str]) -> list[Column]:
    """The wanted columns of one table of counts."""
    arguments = [*["sensitive_features"] * (len(names) - 3), "y_true", "y_pred", "count"]
    found = _columns(nw.from_native(table, pass_through=True, allow_series=True), names)
    columns = [
        read_column(column, argument, exact=argument == "sensitive_features")
        for column, argument in zip(found, arguments, strict=True)
    ]
    check_same_length(columns[-3], *columns)
    return columns


def _columns(table: Any, names: Sequence[str]) -> list[Any]:
    if isinstance(table, nw.DataFrame):
        _check_names(table.columns, names)
        if not len(table):
            raise ValueError("the table of counts is empty; it must hold at least one row.")
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
    """Columns of a list of rows, mappings or tuples."""
    if not rows:
        raise ValueError("the table of counts is empty; it must hold at least one row.")
    for i, row in enumerate(rows):
        if isinstance(row, Mapping):
            _check_names(row, names)
        elif not isinstance(row, Sequence) or isinstance(row, str) or len(row) != len(names):
            raise ValueError(
                f"row {i} of the table of counts must be ({', '.join(names)}), got {row!r:.60}. "
                "Pass several tables as arguments of their own."
            )
    tuples = [[row[n] for n in names] if isinstance(row, Mapping) else row for row in rows]
    return [list(column) for column in zip(*tuples, strict=True)]


def _check_names(found: Any, wanted: Sequence[str]) -> None:
    missing = [name for name in wanted if name not in found]
    if missing:
        raise ValueError(
            f"the table of counts lacks columns {missing}; it has {list(found)}. Name yours by "
            "sensitive_features=, y_true=, y_pred= and count=."
        )
