"""How candidates are evaluated: cost and violation of predicted labels, with intervals.

The number of candidates that are tried (`Effort`) depends on the numbers of groups and labels, so
that the time for a model stays bounded. It does not depend on the speed of the machine.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.special import ndtri

from fairordinal._costs import cost_unit, mean_costs
from fairordinal._inference import intervals
from fairordinal._table import ScoreTable
from fairordinal._validation import Array
from fairordinal.criteria import Criterion

MOST_GROUPS, MOST_LABELS, MOST_CELLS = 11, 15, 50  # beyond these, effort is small
FEW_GROUPS, FEW_CELLS = 3, 30  # up to these groups it is full; up to these cells, moderate


class Effort(NamedTuple):
    """How many candidates are tried, and how hard."""

    n_bins: int = 128  # of scores, between which thresholds are chosen
    most_bounds: int = 12  # of a search for multipliers
    shares: tuple[float, ...] = (1.0, 0.5, 0.2, 0.05)  # of the limit, for which thresholds are cut
    surcharged: tuple[float, ...] = (0.5, 0.05)  # shares of the limit, with a surcharge
    surcharges: tuple[float, ...] = (0.1, 0.4, 0.8)  # relative to the cost of a constant predictor
    halvings: int = 3  # of the distance between two limits, around the chosen one
    step: int = 1  # every step-th ranker of a path is screened
    screened: tuple[float, ...] = (1.0, 0.2)  # shares of the limit for which rankers are screened
    rankers: int = 5  # that are cross-validated, for each of these shares
    max_iter: int = 50  # of a fit to a fold, which starts from the fit to all rows
    front_limits: int = 9  # with which a frontier begins
    front_rankers: int = 5  # that are cross-validated, for each of these limits
    front_rounds: int = 5  # in which limits of a frontier are halved
    most_proving: int = 1000  # bounds of a certificate × disparities
    training: float = 0.5  # share of the time for a model that training takes, about: for progress


FULL = Effort()
SEVERAL_GROUPS = FULL._replace(front_limits=5, front_rankers=3, front_rounds=2, most_proving=600)
MANY_GROUPS = FULL._replace(
    step=2, front_limits=4, front_rankers=2, front_rounds=1, most_proving=200
)
SMALL = Effort(
    n_bins=64,
    most_bounds=3,
    shares=(1.0, 0.3),
    surcharged=(0.3,),
    surcharges=(0.4,),
    halvings=0,
    step=4,
    screened=(1.0,),
    rankers=2,
    max_iter=15,
    front_limits=3,
    front_rankers=2,
    front_rounds=1,
    most_proving=1,
    training=0.85,
)


@dataclass(frozen=True, eq=False)
class Evaluation:
    """The criterion and the costs by which candidates are evaluated, for some groups and labels."""

    criterion: Criterion
    cost: Array  # (n_labels, n_labels)
    groups: Array  # names
    labels: Array  # in ascending order
    one: float = 1.0  # weight of one row

    @property
    def n_cells(self) -> int:
        return len(self.groups) * len(self.labels)

    @property
    def effort(self) -> Effort:
        """The effort for so many groups and labels."""
        n_groups, n_labels = len(self.groups), len(self.labels)
        if n_groups > MOST_GROUPS or n_labels > MOST_LABELS or self.n_cells > MOST_CELLS:
            return SMALL
        if n_groups <= FEW_GROUPS:
            return FULL
        return SEVERAL_GROUPS if self.n_cells <= FEW_CELLS else MANY_GROUPS

    def predictions(self, counts: Array) -> ScoreTable:
        """A table of counts by cell and predicted label."""
        return self._table(counts, self.labels, predicts_labels=True)

    def scores(self, counts: Array) -> ScoreTable:
        """A table of counts by cell and bin of scores."""
        return self._table(counts, np.arange(counts.shape[1]) * 1.0, predicts_labels=False)

    def _table(self, counts: Array, axis: Array, *, predicts_labels: bool) -> ScoreTable:
        return ScoreTable(
            sparse.csc_array(counts),
            self.groups,
            self.labels,
            axis,
            predicts_labels=predicts_labels,
            one=self.one,
        )

    def mean_cost(self, table: ScoreTable) -> float:
        """Mean cost of the predictions of a table."""
        unit = cost_unit(self.cost)
        return unit * float(mean_costs(table.cube.sum(axis=0), self.cost / unit))


class Instability(NamedTuple):
    """Standard deviations of cost and disparities that are due to the choice of thresholds."""

    cost: float
    disparities: Array  # (n_parts, n_groups, n_groups)


class Measured(NamedTuple):
    """Cost and violation on some rows, with intervals.

    Attributes
    ----------
    cost : float
        Mean cost.
    cost_interval : tuple of float
        Its lower and upper end.
    violation : float
        The largest absolute disparity.
    violation_interval : tuple of float
        Its lower and upper end.
    """

    cost: float
    cost_interval: tuple[float, float]
    violation: float
    violation_interval: tuple[float, float]


def measured(
    evaluation: Evaluation,
    table: ScoreTable,
    confidence: float,
    instability: Instability | None = None,
) -> Measured:
    """Cost and violation of a table of predictions, with intervals."""
    more_cost, more = (0.0, None) if instability is None else instability
    return Measured(
        evaluation.mean_cost(table),
        cost_interval(table, evaluation.cost, confidence, more_cost),
        evaluation.criterion.violation(table),
        _violation_interval(evaluation, table, confidence, more),
    )


def _violation_interval(
    evaluation: Evaluation, table: ScoreTable, confidence: float, instability: Array | None
) -> tuple[float, float]:
    criterion = evaluation.criterion
    found = intervals(criterion, table, confidence=confidence, instability=instability)
    defined = np.isfinite(criterion.disparities(table))
    defined[:, np.eye(defined.shape[1], dtype=bool)] = False
    return found.of_violation(criterion.scale(table), defined)


def cost_interval(
    table: ScoreTable, cost: Array, confidence: float, instability: float = 0.0
) -> tuple[float, float]:
    """Interval of the mean cost, between 0 and the highest cost.

    `instability` is a further standard deviation.
    """
    unit, counts = cost_unit(cost), table.cube.sum(axis=0)
    mean = float(mean_costs(counts, cost / unit))
    spread = table.spread.toarray().reshape(table.shape).sum(axis=0)
    variance = float((spread * (cost / unit - mean) ** 2).sum()) / float(counts.sum()) ** 2
    deviation = np.hypot(np.sqrt(variance), instability / unit)
    width = float(ndtri(0.5 + 0.5 * confidence) * deviation)
    most = max(float(cost.max() / unit), mean)
    return unit * max(mean - width, 0.0), unit * min(mean + width, most)
