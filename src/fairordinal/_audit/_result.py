"""The result of an audit, as data, as text and as HTML."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from fairordinal._attribution import Attribution, attribute
from fairordinal._audit import _text
from fairordinal._audit._finding import Finding
from fairordinal._comparison import Comparison
from fairordinal._costs import mean_costs
from fairordinal._inference import rows_for_power
from fairordinal._render import make_frame, name_of, names_of, quantity, whole_numbers
from fairordinal._table import ScoreTable
from fairordinal._validation import Array, check_fraction, is_number
from fairordinal.criteria import PairwiseCriterion, as_criterion


@dataclass(frozen=True, eq=False, repr=False)
class Audit:
    """What an audit found; made by :func:`audit` and :func:`audit_counts`.

    Printing it shows all of it; ``audit["equal_opportunity"]`` is one `Finding` with its
    `violation`, `violation_interval`, `disparities`, `lower` and `upper`.

    Attributes
    ----------
    findings : tuple of Finding
        One per notion of fairness.
    table : ScoreTable
        The counts that everything is computed from.
    confidence, interval : float, str
        How sure the intervals are, and their method.
    comparison : tuple of Comparison, or None
        Binary and standard metrics beside the pairwise ones, if asked for.
    """

    table: ScoreTable
    findings: tuple[Finding, ...]
    cost: Array  # the cost matrix
    confidence: float
    interval: str
    score_table: ScoreTable | None = None
    comparison: tuple[Comparison, ...] | None = None
    library: str | None = None

    def __getitem__(self, notion: str) -> Finding:
        for finding in self.findings:
            if finding.criterion.name == notion:
                return finding
        known = [finding.criterion.name for finding in self.findings]
        raise KeyError(f"{notion!r} was not audited; the notions here are {known}.")

    def __str__(self) -> str:
        return _text.as_text(self)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return _text.as_html(self)

    def frame(self) -> Any:
        """Every notion, part and pair of groups as a row.

        Columns: `notion`, `part`; `group` and `other`, the one with the greater value first;
        `probability` and `other_probability` (for harms, mean harms), their difference
        `disparity` with its interval `lower`, `upper`; `rows` and `other_rows` of the groups;
        `support` and `other_support`, the pairs (or samples) behind the probabilities; `note`.
        A frame of the library the input came from, else pandas.
        """
        found = [finding.columns() for finding in self.findings]
        columns = {key: np.concatenate([part[key] for part in found]) for key in found[0]}
        for key in ("rows", "other_rows", "support", "other_support"):
            columns[key] = whole_numbers(columns[key])
        return make_frame(columns, self.library)

    def group_columns(self) -> dict[str, Array]:
        """Rows of each group and, with predicted labels, its errors."""
        columns = {"rows": self.table.rows}
        if self.table.predicts_labels:
            cube, rows = self.table.cube, self.table.group_totals
            columns["mean_cost"] = mean_costs(cube, self.cost)
            columns["too_low"] = np.tril(cube, -1).sum(axis=(1, 2)) / rows
            columns["too_high"] = np.triu(cube, 1).sum(axis=(1, 2)) / rows
        return columns

    def group_frame(self) -> Any:
        """Each group as a row: `rows` and, with predicted labels, its errors.

        `mean_cost` of the predictions; `too_low` and `too_high`, the shares of rows predicted
        below and above their true label.
        """
        names = names_of(self.table.groups.tolist())
        columns = {name: column.tolist() for name, column in self.group_columns().items()}
        columns["rows"] = whole_numbers(columns["rows"])
        return make_frame({"group": names, **columns}, self.library)

    def counts_frame(self) -> Any:
        """The counts as rows (`group`, `y_true`, `y_pred`, `count`): fit for `audit_counts`.

        Intersections have a column for each of their features, `group_1`, `group_2`, ….
        """
        entries = self.table.counts.tocoo()
        cells, positions = entries.coords
        groups, labels = np.divmod(cells, len(self.table.labels))
        columns: dict[str, list[Any]] = _group_columns(self.table.groups[groups].tolist())
        columns["y_true"] = self.table.labels[labels].tolist()
        columns["y_pred"] = self.table.axis[positions].tolist()
        columns["count"] = whole_numbers(self.table.in_rows(entries.data).tolist())
        return make_frame(columns, self.library)

    def confusion(self, group: Any) -> Array:
        """Counts of true labels (rows) by predicted labels (columns) of one group."""
        if not self.table.predicts_labels:
            raise ValueError("A confusion matrix needs predicted labels; y_pred holds scores.")
        return self.table.in_rows(self.table.cube[self._place(group)]).copy()

    def _place(self, group: Any) -> int:
        groups = self.table.groups.tolist()
        if group not in groups:
            raise ValueError(f"group must be one of {groups}, got {group!r}.")
        return groups.index(group)

    def attribution(
        self, criterion: Any = "demographic_parity", *, groups: tuple[Any, Any] | None = None
    ) -> Attribution:
        """Where a pairwise disparity comes from: by cut, by true labels, by stage.

        Parameters
        ----------
        criterion : str or PairwiseCriterion, default="demographic_parity"
            The notion; of several parts, the worst.
        groups : pair of groups, default=None
            The pair; None takes the worst.

        Returns
        -------
        attribution : Attribution
            With `by_cut`, `by_labels` and, if the audit was given scores, `by_stage`.
        """
        notion = as_criterion(criterion)
        if not isinstance(notion, PairwiseCriterion):
            raise ValueError(f"attribution needs a pairwise criterion, got {notion.name!r}.")
        pair = None if groups is None else (self._place(groups[0]), self._place(groups[1]))
        worst = notion.worst(self.table, pair)
        if worst is None:
            raise ValueError(f"{notion.title} is undefined for these groups.")
        return attribute(
            notion,
            self.table,
            worst,
            score_table=self.score_table,
            library=self.library,
        )

    def rows_needed(
        self,
        violation: float = 0.05,
        *,
        criterion: Any = "demographic_parity",
        power: float = 0.8,
    ) -> int | None:
        """How many rows tell a violation from 0, if the groups keep their proportions.

        Parameters
        ----------
        violation : float, default=0.05
            The violation that should not go unnoticed.
        criterion : str or Criterion, default="demographic_parity"
            The notion.
        power : float, default=0.8
            With what probability it should be noticed, in the pair of groups for which that is
            hardest. Noticed means that the interval, at the confidence of this audit, excludes 0.

        Returns
        -------
        rows : int or None
            In all groups together; None if the criterion is undefined here.
        """
        notion = as_criterion(criterion, self.cost)
        check_fraction(power, "power")
        greatest = notion.scale(self.table)
        if not is_number(violation) or not 0 < violation < greatest:
            raise ValueError(
                f"violation must lie strictly between 0 and {greatest:g}, got {violation!r}."
            )
        rows = rows_for_power(
            notion, self.table, violation=violation, power=power, confidence=self.confidence
        )
        return None if rows is None else math.ceil(rows)

    def notes(self) -> list[str]:
        """What a reader must know about the rows."""
        return [*self._small_groups(), *self._strange_labels(), *self._weights()]

    def _small_groups(self) -> list[str]:
        groups = self.table.groups[self.table.rows < 2].tolist()
        names = ", ".join(repr(name_of(group)) for group in groups[:3])
        more = f" and {len(groups) - 3} more" if len(groups) > 3 else ""
        return [f"No interval for groups of fewer than two rows: {names}{more}."] * bool(groups)

    def _strange_labels(self) -> list[str]:
        if not self.table.predicts_labels:
            return []
        true, predicted = self.table.cube.sum(axis=(0, 2)), self.table.cube.sum(axis=(0, 1))
        strange = self.table.labels[(predicted > 0) & (true == 0)].tolist()
        names = ", ".join(map(name_of, strange[:5])) + (", …" if len(strange) > 5 else "")
        return [f"Predicted, but never true in these rows: {names}."] * bool(strange)

    def _weights(self) -> list[str]:
        weights = self.table.in_rows(self.table.counts.data)
        if np.array_equal(weights, np.rint(weights)):
            return []
        return [
            "Weights are not whole numbers: the intervals take their sum, "
            f"{quantity(self.table.rows.sum())}, for the number of rows. Scale them accordingly."
        ]


def _group_columns(groups: list[Any]) -> dict[str, list[Any]]:
    if not isinstance(groups[0], tuple):
        return {"group": groups}
    return {f"group_{i}": [*part] for i, part in enumerate(zip(*groups, strict=True), start=1)}
