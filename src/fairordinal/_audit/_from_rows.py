"""Audits of rows: `audit`, and the computation from a table of counts to an `Audit`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from fairordinal._audit._audit_result import Audit
from fairordinal._audit._disparities import Finding
from fairordinal._audit._metric_comparison import compare_metrics
from fairordinal._audit._small_groups import (
    check_small_groups,
    merge_groups,
    small_groups_of,
)
from fairordinal._costs import cost_matrix as as_cost_matrix
from fairordinal._inference import intervals
from fairordinal._lazy import AuditColumns, gather
from fairordinal._render import frame_library
from fairordinal._table import ScoreTable, read_table
from fairordinal._validation import WEIGHTS, check_choice
from fairordinal.criteria import (
    DIRECTIONS,
    Criterion,
    as_criterion,
    require_labels,
    warn_undefined,
)

DEFAULT_CRITERIA = (
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
    weights: str = "frequency",
    labels: Any = None,
    predictions: str = "auto",
    scores: Any = None,
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
    data: Any = None,
) -> Audit:
    """Audit predictions of ordered labels for fairness between groups.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), or str
        True ordinal labels: numbers, ordered categoricals, or names with `labels`. With `data`,
        the name of a column. Rows are matched by position; an index is ignored.
    y_pred : array-like of shape (n_samples,), or str
        Predicted ordinal labels, or scores; see `predictions`. With `data`, the name of a column.
    sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns), str or list
        Group of each sample. Several columns define one group for each combination of their
        values. With `data`, a name or a list of names of columns.
    sample_weight : array-like of shape (n_samples,), or str, default=None
        Weights of the rows; see `weights`. With `data`, the name of a column.
    weights : {"frequency", "survey"}, default="frequency"
        What weights mean. ``"frequency"``: a weight of 2 is equivalent to a row repeated twice.
        Multiplying all weights by a constant changes only numbers of rows and intervals, which
        take the sum of the weights for the number of rows. ``"survey"``: a row of weight 2 is one
        row that represents two people, such as the inverse of the probability to be sampled.
        Estimates are the same, but intervals are those of the rows in the sample, and a constant
        factor of all weights changes nothing but their sum. Needs ``interval="delta"``. Strata
        and clusters of a survey are not considered.
    labels : sequence, default=None
        All labels in ascending order. Required if labels are names without an order.
    predictions : {"auto", "labels", "scores"}, default="auto"
        What `y_pred` holds. ``"auto"`` takes numbers for labels if each is a label of `y_true` (or
        one of `labels`), or if all are integers and these labels are more than half of the
        distinct values of both columns; otherwise numbers are scores. The printed audit says so if
        integers could be both.
    scores : array-like of shape (n_samples,), or str, default=None
        The scores that were cut into `y_pred`. :meth:`Audit.attribution` then tells how much of a
        disparity is due to the scores and how much to the thresholds. With `data`, the name of a
        column.
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
    data : frame, lazy frame or dataset, default=None
        Where the columns are: a frame of pandas, polars or pyarrow; a lazy frame of polars; a
        dataset of pyarrow, such as a folder of Parquet files; a Dask DataFrame; a relation of
        DuckDB; a frame of Spark. Data that is not in memory is counted where it is.

    Returns
    -------
    audit : Audit
        Print it, or use its `findings` and frames.

    See Also
    --------
    audit_counts : Audits counts instead of rows.
    assert_pairwise_fair : Raises AssertionError if predictions are unfair.
    rows_needed : Number of rows needed to detect a violation.

    Notes
    -----
    Cost: one pass over the rows (and a sort, for scores), then O(cells² · positions) with one
    cell per group and label. Pairs of groups for which a criterion is undefined are left out, with
    an ``UndefinedMetricWarning``; they never count as 0.

    Limits: 500 groups, 1500 labels and 4096 cells (1024 with scores). Standard criteria and
    `compare` accept up to about 50 labels, and the bootstrap fewer resamples if there are many
    cells.

    Lazy `data` needs one ``GROUP BY`` of the columns, and memory for the distinct rows. More than
    2 000 000 combinations of group, label and score are refused; round the scores first. Sums of
    integer weights equal those of rows in memory; other sums may differ by rounding. Columns of
    Dask without `data` are counted partition by partition.

    Examples
    --------
    >>> from fairordinal import audit
    >>> result = audit([3, 0, 3, 0, 2], [3, 3, 3, 0, 2], sensitive_features=list("aaabb"),
    ...                criteria=["demographic_parity"])
    >>> result["demographic_parity"].violation
    1.0
    >>> result["demographic_parity"].violation_interval     # wide, for five rows
    (0.0, 1.0)

    Columns by name, of a frame that is not in memory:

    >>> import polars as pl
    >>> lazy = pl.LazyFrame({"grade": [3, 0, 3, 0, 2], "predicted": [3, 3, 3, 0, 2],
    ...                      "sex": list("aaabb")})
    >>> result = audit("grade", "predicted", sensitive_features="sex", data=lazy)
    >>> result["demographic_parity"].violation
    1.0
    """
    library = frame_library(data, y_true, y_pred, sensitive_features)
    survey = check_choice(weights, "weights", WEIGHTS) == "survey"
    rows = gather(
        AuditColumns(y_true, y_pred, sensitive_features, sample_weight, scores), data, survey=survey
    )
    columns = {
        "sensitive_features": rows.sensitive_features,
        "sample_weight": rows.sample_weight,
        "weights": weights,
        "missing_group": missing_group,
    }
    table = read_table(rows.y_true, rows.y_pred, labels=labels, predictions=predictions, **columns)
    score_table = None
    if scores is not None:
        order = table.labels if table.labels.dtype.kind == "O" else labels
        score_table = read_table(rows.y_true, rows.scores, labels=order, as_scores=True, **columns)
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
    return audit_table(table, score_table, options, library)


class AuditOptions(NamedTuple):
    """The arguments of `audit` and `audit_counts` that say what to compute."""

    criteria: Sequence[Any] | None
    cost_matrix: Any
    interval: str
    confidence: float
    n_resamples: int
    random_state: Any
    compare: bool
    higher_is: str | None = None
    min_group_rows: float | None = None
    small_groups: str = "keep"

    @property
    def merged_below(self) -> float:
        """Groups with fewer rows are merged."""
        return (self.min_group_rows or 0.0) if self.small_groups == "merge" else 0.0

    def find_all(self, criteria: Sequence[Criterion], table: ScoreTable) -> tuple[Finding, ...]:
        """Return the disparities of all criteria; the first one marks groups as too small."""
        first = self.find(criteria[0], table)
        others = (self.find(criterion, table) for criterion in criteria[1:])
        return (first, *(replace(finding, marked=first.too_small) for finding in others))

    def find(self, criterion: Criterion, table: ScoreTable) -> Finding:
        """Return the disparities of one criterion with intervals."""
        bounds = intervals(
            criterion,
            table,
            method=self.interval,
            confidence=self.confidence,
            n_resamples=self.n_resamples,
            random_state=self.random_state,
        )
        return Finding(criterion, table, bounds, self.higher_is, self.min_group_rows or 0)


def audit_table(
    table: ScoreTable, score_table: ScoreTable | None, options: AuditOptions, library: str | None
) -> Audit:
    """Audit a table of counts."""
    check_choice(options.higher_is, "higher_is", DIRECTIONS)
    check_small_groups(options.small_groups, options.min_group_rows)
    merged = small_groups_of(table, options.merged_below)
    merged_names = tuple(table.groups[merged].tolist())
    if len(merged):
        table = merge_groups(table, merged)
        score_table = None if score_table is None else merge_groups(score_table, merged)
    cost = as_cost_matrix(options.cost_matrix, table.labels)
    if options.compare and not table.predicts_labels:
        raise ValueError(
            "compare=True needs predicted labels, but y_pred holds scores. If they are labels, "
            "pass predictions='labels'."
        )
    comparison = compare_metrics(table) if options.compare else None
    criteria = _criteria(options, table)
    for criterion in criteria:
        require_labels(criterion, table)
        if options.criteria is not None or not criterion.needs_labels:
            warn_undefined(criterion, table)
    return Audit(
        table,
        options.find_all(criteria, table),
        cost=cost,
        confidence=options.confidence,
        interval=options.interval,
        score_table=score_table,
        comparison=comparison,
        library=library,
        higher_is=options.higher_is,
        merged_groups=merged_names,
    )


def _criteria(options: AuditOptions, table: ScoreTable) -> list[Criterion]:
    """Return the wanted criteria; without a choice, all default ones that the table allows."""
    wanted, settings = options.criteria, (options.cost_matrix, options.higher_is)
    if wanted is not None:
        if isinstance(wanted, str) or not np.iterable(wanted) or not len(wanted):
            raise ValueError(f"criteria must be a list of criteria, got {wanted!r}.")
        return [as_criterion(criterion, *settings) for criterion in wanted]
    default = [as_criterion(name, *settings) for name in DEFAULT_CRITERIA]
    return [
        criterion for criterion in default if table.predicts_labels or not criterion.needs_labels
    ]
