r"""Fair plug-in rules: costs of labels for each group, such that disparities keep a limit.

A plug-in rule chooses the label of least expected cost (`fairordinal._label_costs`). With the cost
matrix C of the user, it is accurate. This module finds matrices ``C_a`` for groups a that make it
fair. Only the ramps and these matrices are learned.

Let p[u, l] be the weight of the rows of cell u that get label l. A disparity is ``Σ_uv Q[u, v]
wins[u, v]`` with ``wins[u, v] = Σ_l p[u, l] Σ_{l' < l} p[v, l']``. It is quadratic in p. Its
derivative tells what a row of cell u adds to the disparity if it gets label l::

    ∂D/∂p[u, l] = Σ_v Q[u, v] below_v(l) + Q[v, u] above_v(l)

where below_v(l) and above_v(l) are the weights of the rows of v below and above l. With multipliers
μ of the disparities, the costs of group a and true label y are therefore::

    C_a[y, l] = C[y, l] + N Σ_e μ_e ∂D_e/∂p[(a, y), l]

The labels depend on the costs, and the costs on the labels. Both are adjusted in turn: p moves by a
part of the way towards the labels of the present costs, and a multiplier grows as long as its
disparity exceeds the limit. The costs are the mean over the second half of the steps. Such a rule
need not keep the limit exactly; thresholds of its score will.

Thresholds of one score give neighbouring labels to rows with neighbouring scores. A plug-in rule
need not: as the probability of a group changes, the label of least cost may jump past others. So a
plug-in rule can be cheaper than thresholds of any score that is linear in the ramps.

References
----------
Xian and Zhao, "A unified post-processing framework for group fairness in classification", arXiv
2405.04025 (expected costs of labels with a term for each group, by a linear program; disparities
there are linear in p). Narasimhan et al., "Consistent multiclass algorithms for complex metrics and
constraints", JMLR 2024 (the derivative of a metric as costs).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from fairordinal._basis import Basis, LeafRamps, Piecewise, Score, remembered
from fairordinal._label_costs import LabelCosts
from fairordinal._pairloss import LOSSES
from fairordinal._rows import Block, Features, Rows, on_site
from fairordinal._support import one_thread, steps
from fairordinal._validation import Array
from fairordinal.criteria import PairwiseCriterion
from fairordinal.ranker._pairs import PairData, pair_data
from fairordinal.ranker._solver import Fit

LIMITS = (0.8, 0.65, 0.5, 0.4, 0.3, 0.2, 0.12, 0.05, 0.0)  # relative to the accurate rule
N_STEPS = 60  # for each limit
STEP = 0.3  # by which p moves in the first half of the steps; in the second half 2/7, 2/8, …
GAIN = 0.6  # of multipliers, relative to the cost of the best constant predictor
MOST_TESTED = 1 << 15  # held-out rows by which bases are compared
MOST_ENTRIES = 1 << 18  # rows × cells from which costs are computed


@dataclass(frozen=True, eq=False)
class PlugIn(Basis):
    """Scores of plug-in rules: the accurate one, and one for each limit of the disparities."""

    base: Piecewise | LeafRamps  # its ramps estimate probabilities
    criterion: PairwiseCriterion
    cost: Array  # (n_labels, n_labels)
    limits: tuple[float, ...] | None = None  # None before the first fit
    rules: tuple[LabelCosts, ...] = ()

    name: ClassVar[str] = "plug-in"
    is_fixed: ClassVar[bool] = False

    def refit(self, rows: Rows) -> PlugIn:
        """Ramps and costs for other rows, with the same limits."""
        return on_site(_with_rules, [rows], self)

    @property
    def n_columns(self) -> int:
        return len(self.rules)

    def columns(self, given: Features) -> Features:
        ramps = self.base.ramps.values(given.X)
        return Features.plain(np.stack([rule.scores(ramps) for rule in self.rules], axis=1))

    def score(self, coef: Array) -> Score:
        n_features, n_ramps = self.base.scaling.n_features, self.base.ramps.n_ramps
        origin = np.zeros(n_features) + self.base.scaling.origin
        return Score(
            np.zeros(n_features),
            origin,
            0.0,
            ramps=self.base.ramps,
            ramp_coef=np.zeros(n_ramps),
            rule=self.rules[int(coef.argmax())],
        )

    @property
    def fits(self) -> list[Fit]:
        """The columns as rankers, from accurate to fair. They are kept when rows change."""
        return [Fit(coef, None) for coef in np.eye(self.n_columns)]


class PlugInTrees(PlugIn):
    """Plug-in rules whose ramps have leaves of trees."""

    name: ClassVar[str] = "plug-in-trees"


def _with_rules(block: Block, basis: PlugIn) -> PlugIn:
    """Fit ramps, and find the costs of the rules."""
    criterion, cost = id(basis.criterion), basis.cost.tobytes()
    key = (type(basis.base), criterion, cost, basis.limits, basis.base.boundaries)
    return remembered(block, key, lambda: _find_rules(block, basis))


def _find_rules(block: Block, basis: PlugIn) -> PlugIn:
    base = basis.base.refit(block)
    some = block.sample(max(MOST_ENTRIES // block.n_cells, 1)).whole().alone()
    accurate = _accurate_rule(base, basis.cost, block.n_groups)
    probabilities = accurate.probabilities(base.ramps.values(some.features.X))
    data = pair_data(some, basis.criterion, LOSSES["logistic"])
    search = CostSearch(data, *probabilities, basis.cost)
    limits = search.limits if basis.limits is None else basis.limits
    rules = [accurate._replace(costs=costs) for costs in search.path(limits)]
    return replace(basis, base=base, limits=limits, rules=tuple(rules))


def _accurate_rule(base: Piecewise | LeafRamps, cost: Array, n_groups: int) -> LabelCosts:
    """The rule with the cost matrix of the user for all groups."""
    costs, edge = np.tile(cost, (n_groups, 1, 1)), float(cost.mean())
    return LabelCosts(costs, np.array(base.boundaries), edge)


@one_thread
def costs_of_rules(
    train: Block, held_out: Block, bases: Sequence[Piecewise | LeafRamps], cost: Array
) -> list[float]:
    """Mean cost in held-out rows of the accurate rule, for each base of its probabilities."""
    some, found = held_out.sample(MOST_TESTED).whole().alone(), []
    for base in bases:
        fitted = base.refit(train)
        rule = _accurate_rule(fitted, cost, train.n_groups)
        predicted = rule.expected_costs(fitted.ramps.values(some.features.X)).argmin(axis=1)
        found.append(float(np.average(cost[some.labels, predicted], weights=some.weight)))
    return found


class CostSearch:
    """Searches for the costs of plug-in rules on some rows."""

    def __init__(self, data: PairData, labels: Array, groups: Array, cost: Array) -> None:
        block = data.rows.whole()
        self.data, self.block, self.cost = data, block, cost
        self.number = data.merged.number  # cells with equal derivatives are one cell
        cells = (groups[:, :, None] * labels[:, None, :]).reshape(len(labels), -1)  # P(a) P(y)
        self.shares = cells @ np.eye(len(data.merged.first))[self.number]
        self.expected = labels @ cost
        self.total = float(block.weight.sum())
        constant = np.bincount(block.labels, block.weight, len(cost)) @ cost / self.total
        self.gain = GAIN * float(constant.min())
        self.accurate = self.predicted(self.expected)

    @property
    def limits(self) -> tuple[float, ...]:
        """Limits between the violation of the accurate rule and 0."""
        largest = float(np.abs(self.disparities(self.accurate)).max(initial=0.0))
        return tuple(share * largest for share in LIMITS)

    def path(self, limits: tuple[float, ...]) -> list[Array]:
        """Costs of the accurate rule, and for each limit, (n_groups, n_labels, n_labels) each."""
        p, multipliers = self.accurate, np.zeros(len(self.disparities(self.accurate)))
        found = [np.zeros((self.shares.shape[1], len(self.cost)))]
        for limit in steps(limits, "plug-in rules"):
            p, multipliers, extra = self._balance(p, multipliers, limit)
            found.append(extra)
        shape = (self.block.n_groups, *self.cost.shape)
        return [self.cost + extra[self.number].reshape(shape) for extra in found]

    def _balance(self, p: Array, multipliers: Array, limit: float) -> tuple[Array, Array, Array]:
        """Adjust labels p and multipliers in turn; returns them with the mean extra costs."""
        half, total = N_STEPS // 2, np.zeros((self.shares.shape[1], len(self.cost)))
        for step in range(N_STEPS):
            disparities = self.disparities(p)
            multipliers = multipliers + self.gain * (
                disparities - np.clip(disparities, -limit, limit)
            )
            extra = self.derivative(p, multipliers)
            share = STEP if step < half else 2.0 / (7 + step - half)
            p = p + share * (self.predicted(self.expected + self.shares @ extra) - p)
            total += extra if step >= half else 0.0
        return p, multipliers, total / (N_STEPS - half)

    def predicted(self, expected: Array) -> Array:
        """Weights p of the rows of each cell that get each label, the one of least cost."""
        k, block = len(self.cost), self.block
        at = block.cells * k + expected.argmin(axis=1)
        return np.bincount(at, block.weight, block.n_cells * k).reshape(-1, k)

    def disparities(self, p: Array) -> Array:
        """Disparities of predictions, by the weights p."""
        return self.data.disparities(p @ (np.cumsum(p, axis=1) - p).T)

    def derivative(self, p: Array, multipliers: Array) -> Array:
        """``N Σ_e μ_e ∂D_e/∂p``, for merged cells, (n_merged, n_labels)."""
        mixed = self.data.mix_contrasts(multipliers)
        first, through = self.data.merged.first, np.cumsum(p, axis=1)
        below, above = through - p, through[:, -1:] - through
        return self.total * (mixed[first] @ below + mixed[:, first].T @ above)
