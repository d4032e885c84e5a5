"""The result of a search for thresholds: cut points, their certificate, and what changes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from fairordinal._costs import mean_costs, surcharged
from fairordinal._near_constant import NearConstant, near_constant
from fairordinal._render import make_frame, name_of
from fairordinal._table import ScoreTable
from fairordinal._validation import Array, read_groups, read_scores, warn_misaligned
from fairordinal.criteria import Criterion
from fairordinal.thresholds._goal import Goal
from fairordinal.thresholds._result_text import as_html, as_text

PROVED = 1e-9  # a gap that rounding explains


@dataclass(frozen=True, eq=False, repr=False)
class ThresholdResult:
    """Cut points for scores; made by :func:`optimize_thresholds`.

    Printing it shows the cut points beside those of least cost, and what changes for each group.

    Attributes
    ----------
    thresholds : ndarray of shape (n_labels - 1,) or (n_groups, n_labels - 1)
        Label l is predicted where ``thresholds[l-1] < score <= thresholds[l]``. Each lies midway
        between neighbouring scores; infinite where no score is cut off. There is a row for each
        group if each group has its own thresholds.
    objective : float
        What was minimised: mean cost + λ·violation, or the mean cost under a limit. With
        `confidence`, labels other than the best constant one may carry a surcharge
        (`goal.surcharge`), which is part of it.
    cost : float
        Mean cost.
    violation : float
        The largest absolute disparity.
    disparities : ndarray of shape (n_parts, n_groups, n_groups)
        The disparity of each pair of groups; nan where undefined.
    lower_bound : float
        Lower bound of the objective of all thresholds.
    gap : float
        Distance of `objective` from `lower_bound`.
    n_iter : int
        Number of bounds computed, or of rounds of local search.
    method : str
        The method of the search.
    criterion : Criterion
        The criterion of fairness.
    labels : ndarray of shape (n_labels,)
        Labels in ascending order.
    groups : ndarray of shape (n_groups,)
        Names of the groups.
    cheapest : ndarray of shape (n_labels - 1,)
        Thresholds of least cost, without regard to fairness.
    near_constant : NearConstant or None
        The label that more than 90 % of the rows get, and their share (`label`, `share`); None if
        there is none.
    stopped_by : str
        ``"max_time"``, ``"max_bounds"`` (for many groups) or ``"interrupt"`` if the search was cut
        short, otherwise empty.

    See Also
    --------
    optimize_thresholds : Finds thresholds for the scores of any model.
    """

    thresholds: Array
    proved_bound: float
    n_iter: int
    method: str
    stopped_by: str
    criterion: Criterion
    goal: Goal
    score_table: ScoreTable
    cost_matrix: Array
    cheapest: Array  # thresholds of least cost
    library: str | None = None
    of_fair_model: bool = False  # whether the scores are those of a model that was trained fair

    @property
    def labels(self) -> Array:
        return self.score_table.labels

    @property
    def groups(self) -> Array:
        return self.score_table.groups

    @cached_property
    def after(self) -> State:
        """Predictions with the thresholds, and their cost and violation."""
        return self.state(self.thresholds)

    @property
    def objective(self) -> float:
        return self.after.objective

    @property
    def cost(self) -> float:
        return self.after.cost

    @property
    def violation(self) -> float:
        return self.after.violation

    @property
    def disparities(self) -> Array:
        return self.criterion.disparities(self.after.table)

    @property
    def lower_bound(self) -> float:
        return min(self.proved_bound, self.objective)  # they may differ by rounding

    @property
    def gap(self) -> float:
        return self.objective - self.lower_bound

    @property
    def is_optimal(self) -> bool:
        """Whether the thresholds are proved to be the best, up to rounding."""
        return self.gap <= PROVED * max(abs(self.objective), float(self.cost_matrix.max()))

    @property
    def near_constant(self) -> NearConstant | None:
        return near_constant(self.after.table)

    @property
    def limit_is_reason(self) -> bool:
        """Whether the cut points of least cost tell people apart, so that a limit matters."""
        return near_constant(self.state_before().table) is None

    @property
    def constant_label(self) -> Any:
        """The only label that is predicted for the data; None if there are several."""
        used = np.flatnonzero(self.after.table.cube.sum(axis=(0, 1)))
        return self.labels.tolist()[used[0]] if len(used) == 1 else None

    def state(self, thresholds: Any) -> State:
        """Evaluate other thresholds on the same rows: predictions, cost and violation.

        Parameters
        ----------
        thresholds : array-like of shape (n_labels - 1,) or (n_groups, n_labels - 1)
            Numbers in ascending order; a row for each group if groups have their own thresholds.

        Returns
        -------
        state : State
            With `cost`, `violation`, `objective`, and `shares` of the labels in each group.
        """
        return self._state(thresholds, "thresholds")

    def state_before(self, before: Any = None) -> State:
        """Evaluate the thresholds that these are compared with on the same rows.

        Parameters
        ----------
        before : array-like, default=None
            Thresholds, as `state` takes them; None takes those of least cost.

        Returns
        -------
        state : State
            As `state` returns it.
        """
        return self._state(self.cheapest if before is None else before, "before")

    def _state(self, thresholds: Any, name: str) -> State:
        """Evaluate thresholds that are an argument of this name."""
        try:
            cuts = np.asarray(thresholds, dtype=np.float64)
        except (TypeError, ValueError):
            cuts = np.empty(0)
        n_cuts, n_groups = len(self.labels) - 1, len(self.groups)
        if cuts.shape not in ((n_cuts,), (n_groups, n_cuts)) or not _ascend(cuts):
            raise ValueError(
                f"{name} must be {n_cuts} numbers in ascending order, one fewer than the "
                f"labels {self.labels.tolist()}, or a row of them for each group, got "
                f"{thresholds!r}."
            )
        return State(cuts, self.score_table.cut(cuts), self.criterion, self.goal, self.cost_matrix)

    def predict(self, scores: Any, *, sensitive_features: Any = None) -> Array:
        """Cut new scores into labels.

        Parameters
        ----------
        scores : array-like of shape (n_samples,)
            Scores.
        sensitive_features : array-like of shape (n_samples,), default=None
            Group of each sample; needed only if each group has its own thresholds. Rows are matched
            by position; an index is ignored.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Labels.
        """
        warn_misaligned({"scores": scores, "sensitive_features": sensitive_features})
        values = read_scores(scores).values.astype(np.float64)
        if self.thresholds.ndim == 1:
            return self.labels[np.searchsorted(self.thresholds, values, side="left")]
        groups = self._groups_of(sensitive_features, len(values))
        crossed = values[:, None] > self.thresholds[groups]
        return self.labels[crossed.sum(axis=1)]

    def _groups_of(self, sensitive_features: Any, n_rows: int) -> Array:
        """The index of each row's group in `groups`."""
        if sensitive_features is None:
            raise ValueError(
                "sensitive_features is needed, because each group has its own thresholds "
                "(group_aware=True)."
            )
        column = read_groups(sensitive_features, least=1)
        index = {name: i for i, name in enumerate(self.groups.tolist())}
        known = [index.get(name, -1) for name in column.levels.tolist()]
        if -1 in known:
            unknown = column.levels.tolist()[known.index(-1)]
            raise ValueError(
                f"sensitive_features holds group {unknown!r}, which has no thresholds; known "
                f"groups are {self.groups.tolist()}."
            )
        if len(column.values) != n_rows:
            raise ValueError(
                f"sensitive_features has {len(column.values)} rows but there are {n_rows} scores."
            )
        return np.array(known)[column.codes(slice(None))]

    def frame(self, before: Any = None) -> Any:
        """What changes, as a frame with a row for each label and group.

        Columns are `label`; `up_to_before` and `up_to_after`, the highest score that gets the
        label; `group`; `share_before` and `share_after`, the share of the group that gets it.

        Parameters
        ----------
        before : array-like of shape (n_labels - 1,), default=None
            The thresholds in use today; None takes those of least cost.

        Returns
        -------
        frame : DataFrame
            Of the library that the input came from, otherwise pandas.

        See Also
        --------
        summary : Cost and violation before and after.
        """
        old, new = self._states(before)
        groups = [_plain(group) for group in self.groups.tolist()]
        columns = {
            "label": np.repeat(self.labels, len(groups)).tolist(),
            "up_to_before": old.up_to.T.ravel().tolist(),
            "up_to_after": new.up_to.T.ravel().tolist(),
            "group": groups * len(self.labels),
            "share_before": old.shares.T.ravel().tolist(),
            "share_after": new.shares.T.ravel().tolist(),
        }
        return make_frame(columns, self.library)

    def summary(self, before: Any = None) -> Any:
        """Cost and violation before and after, as a frame, with the mean cost of each group.

        Parameters
        ----------
        before : array-like of shape (n_labels - 1,), default=None
            The thresholds in use today; None takes those of least cost.

        Returns
        -------
        frame : DataFrame
            With columns `quantity`, `before` and `after`; of the library that the input came from,
            otherwise pandas.
        """
        old, new = self._states(before)
        names = ["objective", "mean_cost", "violation"]
        names += [f"mean_cost of {name_of(group)}" for group in self.groups.tolist()]
        columns = {
            "quantity": names,
            "before": [old.objective, old.cost, old.violation, *old.group_costs.tolist()],
            "after": [new.objective, new.cost, new.violation, *new.group_costs.tolist()],
        }
        return make_frame(columns, self.library)

    def _states(self, before: Any) -> tuple[State, State]:
        return self.state_before(before), self.after

    def __str__(self) -> str:
        return as_text(self)

    def __repr__(self) -> str:
        return (
            f"<ThresholdResult thresholds={np.round(self.thresholds, 4).tolist()} "
            f"cost={self.cost:.4g} violation={self.violation:.4g} gap={self.gap:.1e}>"
        )

    def _repr_html_(self) -> str:
        return as_html(self)


@dataclass(frozen=True, eq=False)
class State:
    """Predictions with some thresholds, and their cost and violation."""

    thresholds: Array
    table: ScoreTable
    criterion: Criterion
    goal: Goal
    cost_matrix: Array

    @property
    def objective(self) -> float:
        if not self.goal.surcharge:
            return self.goal.value(self.cost, self.violation)
        counts = self.table.cube.sum(axis=0)
        charged = surcharged(self.cost_matrix, counts.sum(axis=1), self.goal.surcharge)
        return self.goal.value(float(mean_costs(counts, charged)), self.violation)

    @cached_property
    def cost(self) -> float:
        return float(mean_costs(self.table.cube.sum(axis=0), self.cost_matrix))

    @cached_property
    def group_costs(self) -> Array:
        return mean_costs(self.table.cube, self.cost_matrix)

    @cached_property
    def violation(self) -> float:
        return self.criterion.violation(self.table)

    @property
    def shares(self) -> Array:
        """Share of each group that gets each label."""
        return self.table.cube.sum(axis=1) / self.table.group_totals[:, None]

    @property
    def up_to(self) -> Array:
        """The highest score that gets each label in each group, (n_groups, n_labels)."""
        rows = np.broadcast_to(
            self.thresholds, (len(self.table.groups), len(self.table.labels) - 1)
        )
        return np.pad(rows, ((0, 0), (0, 1)), constant_values=np.inf)


def _ascend(cuts: Array) -> bool:
    return bool((cuts[..., :-1] <= cuts[..., 1:]).all() and not np.isnan(cuts).any())


def _plain(group: Any) -> Any:
    return name_of(group) if isinstance(group, tuple) else group
