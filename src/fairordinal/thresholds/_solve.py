"""From a table of scores to thresholds with a certificate.

`solve` states the problem in cuts, searches by one of the methods, and translates cuts into
thresholds, midway between scores. Tables of very many rows may have *intervals* of scores as
positions. A bound for cuts between intervals then becomes one for cuts anywhere (`coarseness_of`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from fairordinal._costs import surcharged
from fairordinal._support import one_thread, warn
from fairordinal._table import ScoreTable
from fairordinal._validation import Array
from fairordinal.criteria import Criterion, PairwiseCriterion, SampleCriterion, warn_undefined
from fairordinal.thresholds._branch_and_bound import certified
from fairordinal.thresholds._goal import Goal, Settings, Solution, search_unit
from fairordinal.thresholds._group_aware import group_cuts
from fairordinal.thresholds._local_search import local_search
from fairordinal.thresholds._problem import (
    MergedContrasts,
    Problem,
    cheapest_cuts,
    cost_gains,
    read_problem,
)
from fairordinal.thresholds._result import ThresholdResult

MOST_HARM = 1e12  # violations of larger harms would be lost to rounding beside costs
STOPPED_BY = {  # why a search was cut short, and what to do
    "max_time": ("max_time", "Raise max_time, or accept the gap."),
    "max_bounds": ("the number of steps for so many groups", "Merge small groups, or accept it."),
    "interrupt": ("an interrupt", "Run it again, or accept the gap."),
}


def _exact(problem: Problem, goal: Goal, settings: Settings) -> Solution:
    """Cuts that are proved to be the best, to rounding."""
    return certified(problem, goal, settings._replace(tol=0.0))


def _cost_only(problem: Problem, goal: Goal, settings: Settings) -> Solution:
    """Cuts of least cost (appendix A.11 of the paper)."""
    cuts = cheapest_cuts(problem.gains)
    return Solution(cuts, problem.cost(cuts), 1)


SEARCHES: dict[str, Callable[[Problem, Goal, Settings], Solution]] = {
    "certified": certified,
    "local_search": local_search,
    "exact": _exact,
    "cost_only": _cost_only,
}


@one_thread
def solve(
    table: ScoreTable,
    criterion: Criterion,
    cost: Array,
    goal: Goal,
    method: str,
    settings: Settings,
    *,
    group_aware: bool = False,
    library: str | None = None,
    contrasts: MergedContrasts | None = None,
) -> ThresholdResult:
    """Find thresholds for the scores of a table.

    `contrasts` are those of the criterion, if they were computed before. Costs are in units of
    `search_unit` during the search.
    """
    unit, asked = search_unit(cost), goal.at_costs(cost)
    settings = settings._replace(tol=settings.tol / unit)
    matrix = surcharged(cost, table.totals.sum(axis=0), goal.surcharge) / unit
    problem = read_problem(table, criterion, matrix, contrasts)
    gains = cost_gains(table, cost / unit) if goal.surcharge else problem.gains
    _check_usable(problem, table, criterion, method)
    goal, coarse = goal.at_costs(matrix, unit), coarseness_of(table, criterion, matrix)
    if group_aware:
        found, method = group_cuts(table, criterion, matrix, goal, settings), "group-aware search"
        found = found._replace(lower_bound=found.lower_bound - coarse.cost)
        thresholds = _midway_by_group(table, found.cuts)
    else:
        found = SEARCHES[method](problem, goal, settings)
        found = found._replace(lower_bound=_bound(problem, goal, settings, found, coarse))
        thresholds = midway(table.axis, found.cuts, table.lowest)
    return ThresholdResult(
        thresholds=thresholds,
        proved_bound=unit * found.lower_bound,
        n_iter=found.n_iter,
        method=method,
        stopped_by=found.stopped_by,
        criterion=criterion,
        goal=asked,
        score_table=table,
        cost_matrix=cost,
        cheapest=midway(table.axis, cheapest_cuts(gains), table.lowest),
        library=library,
    )


def _check_usable(problem: Problem, table: ScoreTable, criterion: Criterion, method: str) -> None:
    """Refuse an undefined criterion; warn if some groups are left out, or if scores are equal."""
    if method != "cost_only":
        check_defined(problem.n_contrasts, criterion)
        cut = table.cut(np.full(len(table.labels) - 1, np.inf))
        warn_undefined(criterion, cut)
        if criterion.scale(cut) > MOST_HARM:
            raise ValueError(
                f"{criterion.title} cannot be limited with costs up to {criterion.scale(cut):g}: "
                f"they must be at most {MOST_HARM:g}. Divide cost_matrix by a constant."
            )
    if problem.n_positions == 1:
        warn(
            f"scores has one distinct value ({table.axis[0]:g}): every threshold gives a constant "
            "prediction.",
        )


def check_defined(n_contrasts: int, criterion: Criterion) -> None:
    """Raise an error if a criterion compares no pair of groups."""
    if not n_contrasts:
        raise ValueError(
            f"{criterion.title} is undefined for every pair of groups of sensitive_features: no "
            "pair of groups can be compared. Choose another criterion, or pass more rows."
        )


def warn_unfinished(result: ThresholdResult, tol: float) -> None:
    """Warn if a search was cut short."""
    if not result.stopped_by or result.method == "cost_only":
        return
    reason, remedy = STOPPED_BY[result.stopped_by]
    warn(
        f"The search for thresholds was stopped by {reason} with gap {result.gap:.1e} "
        f"(tol={tol:g}); the thresholds are the best found. {remedy}",
        ConvergenceWarning,
    )


def midway(axis: Array, cuts: Array, lowest: Array | None = None) -> Array:
    """Thresholds midway between the scores on either side; infinite where there are none.

    Positions that are intervals of scores begin at `lowest` and end at the axis. A score equal to a
    threshold belongs below it, so that where no number lies between two scores the threshold is the
    lower one.
    """
    below = np.concatenate([[-np.inf], axis])[cuts]
    above = np.concatenate([axis if lowest is None else lowest, [np.inf]])[cuts]
    with np.errstate(invalid="ignore"):
        middle = below / 2 + above / 2
    middle = np.where((middle >= below) & (middle < above), middle, below)
    return np.where(np.isinf(below) | np.isinf(above), np.where(cuts > 0, np.inf, -np.inf), middle)


def _midway_by_group(table: ScoreTable, cuts: Array) -> Array:
    """Thresholds of each group, (n_groups, n_labels - 1), midway between scores of the group."""
    entries = table.counts.tocoo()
    group = entries.coords[0] // len(table.labels)
    own = [np.unique(entries.coords[1][group == g]) for g in range(len(table.groups))]
    return np.stack(
        [
            midway(
                table.axis[positions],
                np.searchsorted(positions, row),
                None if table.lowest is None else table.lowest[positions],
            )
            for positions, row in zip(own, cuts, strict=True)
        ]
    )


# Positions that are intervals of scores -----------------------------------------------------


class Coarseness(NamedTuple):
    """By how much cost and violation change at most if cuts move to ends of intervals."""

    cost: float
    violation: float


def coarseness_of(table: ScoreTable, criterion: Criterion, cost: Array) -> Coarseness:
    """The coarseness of a table; 0 if every position is one score.

    A search knows only cuts between intervals. Any cuts can be moved down to the nearest such cuts.
    Each of the k - 1 cuts then passes rows of at most one interval, and their labels change by one
    step. With `rows`, the weight of each cell in each interval:

    * the cost changes, for cut t, by at most the cost of a step times the rows of the interval in
      which that is largest; these are added over cuts;
    * a disparity changes by at most the effect of the rows of one interval (`_largest_effects`) for
      each cut.
    """
    if table.lowest is None:
        return Coarseness(0.0, 0.0)
    rows = table.counts[:, np.flatnonzero(table.lowest < table.axis)]
    if not rows.shape[1]:
        return Coarseness(0.0, 0.0)
    steps = np.abs(np.diff(cost, axis=1)).T / table.totals.sum()  # (cut, true label)
    more_cost = (np.tile(steps, len(table.groups)) @ rows).max(axis=1).sum()
    n_cuts = len(table.labels) - 1
    shifts = n_cuts * (_largest_effects(table, criterion) @ rows).max(axis=1, initial=0.0)
    return Coarseness(float(more_cost), float(shifts.max(initial=0.0)))


def _largest_effects(table: ScoreTable, criterion: Criterion) -> Array:
    """How much a row of each cell can change each disparity if its label changes by one step.

    A pairwise disparity ``<Q, wins>`` changes at most as if the row won against, or lost to, all
    rows of the other group: ``ahead · Σ_y' K[y, y'] n_h[y'] + behind · Σ_y' K[y', y] n_h[y']`` for
    a row of g with label y, and with ahead and behind exchanged for a row of h. A disparity of
    single samples changes by the largest step of its value along the predicted labels.
    """
    assert isinstance(criterion, PairwiseCriterion | SampleCriterion)
    contrasts, (n_groups, n_labels, _) = criterion.contrasts(table), table.shape
    effects, e = np.zeros((len(contrasts), n_groups, n_labels)), np.arange(len(contrasts))
    tables, ahead, behind = contrasts.tables, contrasts.ahead[:, None], contrasts.behind[:, None]
    if isinstance(criterion, PairwiseCriterion):
        above, below = tables @ table.totals.T, tables.transpose(0, 2, 1) @ table.totals.T
        for g, h in ((contrasts.g, contrasts.h), (contrasts.h, contrasts.g)):
            effects[e, g] = (
                ahead * above[contrasts.part, :, h] + behind * below[contrasts.part, :, h]
            )
            ahead, behind = behind, ahead
    else:
        steepest = np.abs(np.diff(tables, axis=2)).max(axis=2)[contrasts.part]
        effects[e, contrasts.g], effects[e, contrasts.h] = ahead * steepest, behind * steepest
    return effects.reshape(len(contrasts), n_groups * n_labels)


def _bound(
    problem: Problem, goal: Goal, settings: Settings, found: Solution, coarse: Coarseness
) -> float:
    """A lower bound for cuts anywhere, given one for cuts between intervals.

    In the penalised form, the objective changes by at most ``cost + λ · violation``. A limit may be
    kept only by cuts within intervals; so the bound is that of a looser limit.
    """
    if not any(coarse):
        return found.lower_bound
    if not goal.hard:
        return found.lower_bound - coarse.cost - goal.penalty * coarse.violation
    looser = goal._replace(limit=goal.limit + coarse.violation)
    return certified(problem, looser, settings).lower_bound - coarse.cost
