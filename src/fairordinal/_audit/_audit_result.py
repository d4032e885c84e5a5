"""The result of an audit: findings, frames, attribution and sample size."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from fairordinal._audit import _text_and_html
from fairordinal._audit._attribution import Attribution, attribute
from fairordinal._audit._disparities import Finding
from fairordinal._audit._metric_comparison import MetricComparison
from fairordinal._audit._notes import notes_on
from fairordinal._costs import mean_costs
from fairordinal._inference import least_known_pair, rows_for_power
from fairordinal._render import make_frame, names_of, whole_numbers
from fairordinal._table import ScoreTable
from fairordinal._validation import Array, check_fraction, is_number
from fairordinal.criteria import Criterion, PairwiseCriterion, as_criterion


@dataclass(frozen=True, eq=False, repr=False)
class Audit:
    """The result of :func:`audit` and :func:`audit_counts`.

    Printing it shows a summary. ``result["equal_opportunity"]`` is the `Finding` of one criterion,
    with its `violation`, `violation_interval`, `disparities`, `lower` and `upper`.

    Attributes
    ----------
    table : ScoreTable
        The counts from which everything is computed.
    findings : tuple of Finding
        One for each criterion.
    cost : ndarray of shape (n_labels, n_labels)
        The cost matrix.
    confidence : float
        Confidence of the intervals.
    interval : str
        Method of the intervals.
    score_table : ScoreTable or None
        Counts of the scores, if the audit was given scores.
    comparison : tuple of MetricComparison, or None
        Binary and standard metrics compared with the pairwise ones, for ``compare=True``.
    library : str or None
        The library of frames; None takes the first of pandas, polars and pyarrow that is installed.
    higher_is : {"better", "worse"} or None
        Whether higher labels are better or worse for people.
    merged_groups : tuple
        Names of the small groups that were merged into the last group.

    See Also
    --------
    audit : Audits rows.
    audit_counts : Audits counts.
    """

    table: ScoreTable
    findings: tuple[Finding, ...]
    cost: Array
    confidence: float
    interval: str
    score_table: ScoreTable | None = None
    comparison: tuple[MetricComparison, ...] | None = None
    library: str | None = None
    higher_is: str | None = None
    merged_groups: tuple[Any, ...] = ()

    def __getitem__(self, criterion: str) -> Finding:
        for finding in self.findings:
            if finding.criterion.name == criterion:
                return finding
        known = [finding.criterion.name for finding in self.findings]
        raise KeyError(f"{criterion!r} was not audited; the criteria of this audit are {known}.")

    def __str__(self) -> str:
        return _text_and_html.as_text(self)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return _text_and_html.as_html(self)

    def frame(self) -> Any:
        """Return one row per criterion, part and pair of groups.

        Returns
        -------
        frame : frame of pandas, polars or pyarrow
            Of the library of the input, if it was a frame. Columns:

            * `criterion` and `part`: name of the criterion and of its part;
            * `group` and `other`: the groups, the one with the greater probability first;
            * `probability` and `other_probability`: what is compared (for harms, mean harms);
            * `disparity`, `lower` and `upper`: their difference with its interval;
            * `rows` and `other_rows`: numbers of rows of the groups;
            * `support` and `other_support`: numbers of pairs (or samples) that the probabilities
              are estimated from;
            * `note`: why a disparity or its interval is missing.
        """
        found = [finding.columns() for finding in self.findings]
        columns = {key: np.concatenate([part[key] for part in found]) for key in found[0]}
        for key in ("rows", "other_rows", "support", "other_support"):
            columns[key] = whole_numbers(columns[key])
        return make_frame(columns, self.library)

    def group_columns(self) -> dict[str, Array]:
        """Return the number of rows of each group and, with predicted labels, its errors.

        Returns
        -------
        columns : dict of str to ndarray of shape (n_groups,)
            The columns of :meth:`group_frame`, without `group`.
        """
        columns = {"rows": self.table.rows}
        if self.table.survey is not None:
            columns["weight"] = self.table.in_rows(self.table.group_totals)
        if self.table.predicts_labels:
            cube, rows = self.table.cube, self.table.group_totals
            columns["mean_cost"] = mean_costs(cube, self.cost)
            columns["too_low"] = np.tril(cube, -1).sum(axis=(1, 2)) / rows
            columns["too_high"] = np.triu(cube, 1).sum(axis=(1, 2)) / rows
        return columns

    def group_frame(self) -> Any:
        """Return one row per group, with its errors.

        Returns
        -------
        frame : frame of pandas, polars or pyarrow
            Columns: `group` and `rows`; with survey weights also `weight`, their sum; with
            predicted labels also `mean_cost`, and the (weighted) shares of rows predicted below and
            above their true label, `too_low` and `too_high`.
        """
        names = names_of(self.table.groups.tolist())
        columns = {name: column.tolist() for name, column in self.group_columns().items()}
        columns["rows"] = whole_numbers(columns["rows"])
        return make_frame({"group": names, **columns}, self.library)

    def counts_frame(self) -> Any:
        """Return the counts, as a table that `audit_counts` accepts.

        Returns
        -------
        frame : frame of pandas, polars or pyarrow
            Columns: `group`, `y_true`, `y_pred` and `count`. If groups are combinations of several
            sensitive features, each feature has a column, `group_1`, `group_2`, …. With survey
            weights, `rows` and `weight` replace `count`: intervals need more than counts, so that
            `audit_counts` does not accept the table.

        See Also
        --------
        audit_counts : Audits such a table.
        """
        entries = self.table.counts.tocoo()
        cells, positions = entries.coords
        groups, labels = np.divmod(cells, len(self.table.labels))
        columns: dict[str, list[Any]] = _feature_columns(self.table.groups[groups].tolist())
        columns["y_true"] = self.table.labels[labels].tolist()
        columns["y_pred"] = self.table.axis[positions].tolist()
        weight = self.table.in_rows(entries.data)
        if self.table.survey is None:
            columns["count"] = whole_numbers(weight.tolist())
        else:
            rows = self.table.survey.rows.toarray()[cells, positions]
            columns |= {"rows": whole_numbers(rows.tolist()), "weight": weight.tolist()}
        return make_frame(columns, self.library)

    def confusion(self, group: Any) -> Array:
        """Return the confusion matrix of one group.

        Parameters
        ----------
        group : hashable
            Name of the group.

        Returns
        -------
        counts : ndarray of shape (n_labels, n_labels)
            Number of rows by true label (row) and predicted label (column); with survey weights,
            their sum.
        """
        if not self.table.predicts_labels:
            raise ValueError("A confusion matrix needs predicted labels; y_pred holds scores.")
        return self.table.in_rows(self.table.cube[self._group_number(group)]).copy()

    def _group_number(self, group: Any) -> int:
        """Return the number of a group; raise ValueError if there is no such group."""
        groups = self.table.groups.tolist()
        if group not in groups:
            raise ValueError(f"group must be one of {groups}, got {group!r}.")
        return groups.index(group)

    def attribution(
        self, criterion: Any = "demographic_parity", *, groups: tuple[Any, Any] | None = None
    ) -> Attribution:
        """Decompose a pairwise disparity by cut point, by true labels and by stage.

        Parameters
        ----------
        criterion : {"demographic_parity", "equal_opportunity", "equalized_odds", \
"conditional_demographic_parity"} or PairwiseCriterion, default="demographic_parity"
            The criterion; if it has several parts, the one with the largest disparity is taken.
        groups : tuple of two groups, default=None
            Names of the groups; None takes the pair that the summary leads with if the criterion
            was audited, else the one with the largest disparity.

        Returns
        -------
        attribution : Attribution
            With `by_cut`, `by_labels` and, if the audit was given scores, `by_stage`.
        """
        found = as_criterion(criterion)
        if not isinstance(found, PairwiseCriterion):
            raise ValueError(f"attribution needs a pairwise criterion, got {found.name!r}.")
        worst = found.worst(self.table, self._pair(found, groups))
        if worst is None:
            raise ValueError(f"{found.title} is undefined for these groups.")
        return attribute(
            found,
            self.table,
            worst,
            score_table=self.score_table,
            library=self.library,
        )

    def _pair(self, criterion: Criterion, groups: Any) -> tuple[int, int] | None:
        """Numbers of two groups: those named, or those that the summary leads with."""
        if groups is not None:
            return self._group_number(groups[0]), self._group_number(groups[1])
        audited = [each for each in self.findings if each.criterion.name == criterion.name]
        headline = audited[0].headline if audited else None
        return None if headline is None else headline[1:]

    def rows_needed(
        self,
        violation: float = 0.05,
        *,
        criterion: Any = "demographic_parity",
        power: float = 0.8,
    ) -> RowsNeeded | None:
        """Return the number of rows needed to detect a violation.

        A violation is detected if its interval, at the confidence of this audit, excludes 0.

        Parameters
        ----------
        violation : float, default=0.05
            The violation to detect.
        criterion : str or Criterion, default="demographic_parity"
            The criterion, by a name that `audit` accepts.
        power : float, default=0.8
            Probability of detection, for the pair of groups for which it is lowest.

        Returns
        -------
        rows : RowsNeeded or None
            Rows of all groups together, in the proportions of this audit: an int with the attribute
            `groups`, the pair of groups that needs so many. None if the criterion is undefined or
            all predictions are equal.

        See Also
        --------
        fairordinal.rows_needed : Computes the number from a first sample.
        """
        found = as_criterion(criterion, self.cost, self.higher_is)
        check_fraction(power, "power")
        greatest = found.scale(self.table)
        if not is_number(violation) or not 0 < violation < greatest:
            raise ValueError(
                f"violation must lie strictly between 0 and {greatest:g}, got {violation!r}."
            )
        rows = rows_for_power(
            found, self.table, violation=violation, power=power, confidence=self.confidence
        )
        if rows is None:
            return None
        first, second = self.table.groups[[*least_known_pair(found, self.table)]].tolist()
        return RowsNeeded(math.ceil(rows), (first, second))

    def notes(self) -> list[str]:
        """Return remarks about the rows for printed text.

        Returns
        -------
        notes : list of str
            Groups that were merged, that are too small for a conclusion or have no intervals,
            predicted labels that are never true, weights that are not integers, and whether
            predictions were taken for labels or scores if both are possible.
        """
        return notes_on(self)


class RowsNeeded(int):
    """A number of rows, and the pair of groups that needs so many.

    Attributes
    ----------
    groups : tuple of two groups
        Names of the groups.
    """

    groups: tuple[Any, Any]

    def __new__(cls, rows: int, groups: tuple[Any, Any]) -> RowsNeeded:
        found = super().__new__(cls, rows)
        found.groups = groups
        return found

    def __getnewargs__(self) -> tuple[int, tuple[Any, Any]]:  # type: ignore[override]
        return int(self), self.groups

    def __repr__(self) -> str:
        return f"RowsNeeded({int(self)}, groups={self.groups!r})"

    __str__ = int.__repr__


def _feature_columns(groups: list[Any]) -> dict[str, list[Any]]:
    """Return a column of groups, or one column for each of several sensitive features.

    Merged groups, which have one name, have it in all columns.
    """
    width = max(len(group) if isinstance(group, tuple) else 0 for group in groups)
    if not width:
        return {"group": groups}
    parts = [group if isinstance(group, tuple) else (group,) * width for group in groups]
    return {f"group_{i}": [*part] for i, part in enumerate(zip(*parts, strict=True), start=1)}
