"""From scores to thresholds."""

from __future__ import annotations

import time
import warnings
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from fairordinal._costs import cost_matrix as as_cost_matrix
from fairordinal._costs import cost_unit
from fairordinal._cuts import Deadline, Goal, Notion, Problem, cheapest_cuts, read_problem
from fairordinal._render import frame_library
from fairordinal._table import ScoreTable, read_table
from fairordinal._threads import one_thread
from fairordinal._validation import (
    Array,
    check_choice,
    check_number,
    check_whole,
    read_scores,
    warn_misaligned,
)
from fairordinal.criteria import Criterion, as_criterion, warn_undefined
from fairordinal.thresholds._group_aware import group_cuts
from fairordinal.thresholds._result import ThresholdResult
from fairordinal.thresholds._solve import METHODS, Settings, Solution
from fairordinal.thresholds._stretched import Coarseness, coarseness_of

MOST = float(np.finfo(np.float64).max)
MOST_HARM = 1e12  # searches compare violations with numbers of about 1
STEEP = 1e4  # price of a violation beyond its limit, in units of the worst cost


def optimize_thresholds(
    scores: Any,
    y: Any,
    *,
    sensitive_features: Any,
    criterion: Any = "demographic_parity",
    trade_off: float | None = None,
    max_violation: float | None = None,
    cost_matrix: Any = "absolute",
    method: str = "certified",
    n_restarts: int = 10,
    sample_weight: Any = None,
    labels: Any = None,
    tol: float = 1e-3,
    max_time: float | None = 60.0,
    random_state: Any = None,
) -> ThresholdResult:
    r"""Find fair cut points for the scores of any model, with a proof that none are better.

    The thresholds minimise the mean cost with a price on the violation of a fairness criterion
    (`trade_off`) or with a limit to it (`max_violation`). No retraining, no randomness, and
    no group is needed at prediction time.

    Parameters
    ----------
    scores, y : array-like of shape (n_samples,)
        Scores, higher for higher labels (only their order matters), and true ordinal labels:
        integers, an ordered categorical, or names with `labels`.
    sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns)
        Group of each sample; several columns mean their intersections. Rows are matched by
        position; an index is ignored.
    criterion : str or Criterion, default="demographic_parity"
        What is fair: also ``"equal_opportunity"``, ``"equalized_odds"``, ``"harm_parity"``,
        ``"conditional_demographic_parity"``, the standard notions, or any linear criterion.
    trade_off : float in [0, 1), default=None
        The paper's λ': minimise mean cost + λ·violation with λ = k·λ'/(1-λ').
    max_violation : float, default=None
        Minimise the mean cost with a violation of at most this on the data given. Give either
        `trade_off` or `max_violation`.
    cost_matrix : {"absolute", "zero_one", "squared", "asymmetric"} or array, default="absolute"
        The price of errors; a matrix must be V-shaped.
    method : {"certified", "local_search", "exact", "cost_only"}, default="certified"
        ``"certified"`` proves the objective to be within `tol` of the best, ``"exact"`` to be
        the best. ``"local_search"`` is the paper's, ``"cost_only"`` its λ=0.
    n_restarts, random_state : int, default=10 and None
        Random starts of the local search beside the cuts of least cost, and their seed.
    sample_weight : array-like of shape (n_samples,), default=None
        A weight of 2 is a row repeated twice.
    labels : sequence, default=None
        All labels in ascending order.
    tol, max_time : float, default=1e-3 and 60.0
        The gap at which ``"certified"`` stops, and the seconds after which the best found is
        returned with its gap and a `ConvergenceWarning` (None: no limit). So does Ctrl-C.

    Returns
    -------
    result : ThresholdResult
        `thresholds`, `objective`, `cost`, `violation`, `lower_bound`, `gap`; print it.

    Notes
    -----
    Both forms are :math:`\min_\theta \max_\tau \mathrm{cost}(\theta) + \sum_e \tau_e
    v_e(\theta) - \epsilon \|\tau\|_1` over disparities :math:`v_e` of pairs of groups. At fixed
    τ the minimum is a shortest path, hence a lower bound; branching closes the gap. Equal scores
    are never cut apart. Cost: a sort, and O(n·labels) a bound; memory linear in n. At most 100
    groups, of which each pair is a disparity. Section 3.2 and
    appendices A.6, A.10, A.11 of Kleindessner et al., AISTATS 2022, arXiv:2105.03153.

    Examples
    --------
    >>> from fairordinal import optimize_thresholds
    >>> result = optimize_thresholds(
    ...     [1, 2, 3, 4, 5, 6], [1, 1, 2, 1, 2, 2], sensitive_features=list("aaabbb"),
    ...     max_violation=0.4)
    >>> result.thresholds, round(result.cost, 3), round(result.violation, 3)
    (array([1.5]), 0.333, 0.333)
    """
    goal = read_goal(trade_off, max_violation, method)
    settings = read_settings(tol, max_time, n_restarts, random_state)
    table = read_scored(scores, y, sensitive_features, sample_weight, labels)
    cost = as_cost_matrix(cost_matrix, table.labels)
    notion = as_criterion(criterion, cost_matrix)
    library = frame_library(y, scores, sensitive_features)
    result = solve(table, notion, cost, goal, method, settings, library=library)
    warn_unfinished(result, settings.tol)
    return result


def read_scored(
    scores: Any, y: Any, sensitive_features: Any, sample_weight: Any, labels: Any
) -> ScoreTable:
    """Count rows by group, label and score."""
    warn_misaligned({"scores": scores, "y": y})
    values = read_scores(scores).values
    if values.dtype.kind in "iu" and np.abs(values.astype(np.float64)).max() > 2**53:
        raise ValueError(
            "scores must be told apart by floating-point thresholds, got whole numbers beyond "
            "2**53. Pass their ranks, or floats."
        )
    return read_table(
        y,
        values.astype(np.float64),
        sensitive_features,
        sample_weight=sample_weight,
        labels=labels,
        as_scores=True,
        name="y",
    )


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
    notion: Notion | None = None,
) -> ThresholdResult:
    """Cut the scores of a table; `notion` is what is fair, if it was worked out before."""
    unit, asked = search_unit(cost), scale_goal(goal, table, cost)
    matrix, settings = cost / unit, settings._replace(tol=settings.tol / unit)
    problem = read_problem(table, criterion, matrix, notion)
    check_usable(problem, table, criterion, method)
    goal, coarse = scale_goal(goal, table, matrix, unit), coarseness_of(table, criterion, matrix)
    if group_aware:
        found, method = group_cuts(table, criterion, matrix, goal, settings), "group-aware search"
        found = found._replace(lower_bound=found.lower_bound - coarse.cost)
        thresholds = midway_by_group(table, found.cuts)
    else:
        found = METHODS[method](problem, goal, settings)
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
        cheapest=midway(table.axis, cheapest_cuts(problem), table.lowest),
        library=library,
    )


def _bound(
    problem: Problem, goal: Goal, settings: Settings, found: Solution, coarse: Coarseness
) -> float:
    """A bound for cuts anywhere, given one for cuts between stretches of scores."""
    if not any(coarse):
        return found.lower_bound
    if not goal.hard:
        return found.lower_bound - coarse.cost - goal.price * coarse.violation
    looser = goal._replace(allowance=goal.allowance + coarse.violation)
    return METHODS["certified"](problem, looser, settings).lower_bound - coarse.cost


def read_goal(
    trade_off: Any, max_violation: Any, method: str, *, default_limit: float | None = None
) -> Goal:
    """The goal, its price in units of k (trade-off) or of the worst cost (limit)."""
    check_choice(method, "method", tuple(METHODS))
    if trade_off is None and max_violation is None:
        max_violation = default_limit if method != "cost_only" else None
    if method == "cost_only":
        if trade_off is not None or max_violation is not None:
            raise ValueError(
                "method='cost_only' ignores fairness; leave out trade_off and max_violation, or "
                "take another method."
            )
        return Goal(0.0)
    if (trade_off is None) == (max_violation is None):
        raise ValueError(
            "Give either trade_off (a price on the violation, in [0, 1)) or max_violation (a limit "
            f"to it), got trade_off={trade_off!r} and max_violation={max_violation!r}."
        )
    if trade_off is not None:
        share = check_number(trade_off, "trade_off", least=0.0, below=1.0)
        return Goal(share / (1.0 - share))
    return Goal(STEEP, check_number(max_violation, "max_violation"), hard=True)


def search_unit(cost: Array) -> float:
    """The unit of costs in a search: not 1 only where they are very large."""
    return max(cost_unit(cost), 1.0)


def scale_goal(goal: Goal, table: ScoreTable, cost: Array, unit: float = 1.0) -> Goal:
    """The goal for so many labels and such costs, which are in units of `unit`."""
    worst = max(float(cost.max()), 1.0) if goal.hard else len(table.labels) / unit
    return goal._replace(price=min(goal.price * worst, MOST))


def read_settings(tol: Any, max_time: Any, n_restarts: Any, random_state: Any) -> Settings:
    """How hard to try; the clock starts here."""
    seconds = float("inf") if max_time is None else check_number(max_time, "max_time")
    return Settings(
        tol=check_number(tol, "tol"),
        deadline=Deadline(time.monotonic() + seconds),
        n_restarts=check_whole(n_restarts, "n_restarts", least=0),
        random_state=random_state,
    )


def check_usable(problem: Problem, table: ScoreTable, criterion: Criterion, method: str) -> None:
    """Refuse a criterion that says nothing; warn where it says little, or scores do."""
    if method != "cost_only":
        if not problem.n_contrasts:
            raise ValueError(
                f"{criterion.title} is undefined for every pair of groups of sensitive_features: "
                "there is nothing to be fair about. Take another criterion, or more rows."
            )
        cut = table.cut(np.full(len(table.labels) - 1, np.inf))
        warn_undefined(criterion, cut, stacklevel=4)
        if criterion.scale(cut) > MOST_HARM:
            raise ValueError(
                f"{criterion.title} with costs up to {criterion.scale(cut):g} cannot be limited: "
                f"they must be at most {MOST_HARM:g}. Divide cost_matrix by a constant."
            )
    if problem.n_positions == 1:
        warnings.warn(
            f"scores has one distinct value ({table.axis[0]:g}): every threshold gives a constant "
            "prediction.",
            UserWarning,
            stacklevel=4,
        )


def warn_unfinished(result: ThresholdResult, tol: float, *, stacklevel: int = 2) -> None:
    """Say so if the gap is wider than was asked for."""
    if not result.stopped_by or result.method == "cost_only":
        return
    reason = "max_time" if result.stopped_by == "max_time" else "an interrupt"
    warnings.warn(
        f"optimize_thresholds was stopped by {reason} with gap {result.gap:.1e} (tol={tol:g}); the "
        "thresholds are the best found. Raise max_time, or accept the gap.",
        ConvergenceWarning,
        stacklevel=stacklevel + 1,
    )


def midway(axis: Array, cuts: Array, lowest: Array | None = None) -> Array:
    """Thresholds midway between the scores on either side; infinite where there are none.

    Positions that are stretches of scores begin at `lowest` and end at the axis. A score on a
    threshold belongs below it, so where no number lies between two scores the threshold is the
    lower one.
    """
    below = np.concatenate([[-np.inf], axis])[cuts]
    above = np.concatenate([axis if lowest is None else lowest, [np.inf]])[cuts]
    with np.errstate(invalid="ignore"):
        middle = below / 2 + above / 2
    middle = np.where((middle >= below) & (middle < above), middle, below)
    return np.where(np.isinf(below) | np.isinf(above), np.where(cuts > 0, np.inf, -np.inf), middle)


def midway_by_group(table: ScoreTable, cuts: Array) -> Array:
    """The same for each group, (n_groups, n_labels - 1), between scores of its own."""
    entries = table.counts.tocoo()
    group = entries.coords[0] // len(table.labels)
    own = [np.unique(entries.coords[1][group == g]) for g in range(len(table.groups))]
    return np.stack(
        [
            midway(
                table.axis[places],
                np.searchsorted(places, row),
                None if table.lowest is None else table.lowest[places],
            )
            for places, row in zip(own, cuts, strict=True)
        ]
    )
