"""Fair thresholds for given scores: the public function."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from fairordinal._costs import cost_matrix as as_cost_matrix
from fairordinal._render import frame_library
from fairordinal._rows import seed_of
from fairordinal._support import part, progress
from fairordinal._table import ScoreTable, tabulate
from fairordinal._validation import (
    Array,
    Coded,
    Samples,
    check_fraction,
    read_samples,
    read_scores,
    warn_misaligned,
)
from fairordinal.criteria import as_criterion
from fairordinal.thresholds._candidates import ScorePool, choose_from
from fairordinal.thresholds._choice import warn_about
from fairordinal.thresholds._cross_fit import Candidate, HeldOutRows, solve_near, threshold_folds
from fairordinal.thresholds._evaluation import Evaluation
from fairordinal.thresholds._goal import Goal, Settings, read_goal, read_settings
from fairordinal.thresholds._result import ThresholdResult
from fairordinal.thresholds._solve import solve, warn_unfinished

N_FOLDS = 5


def optimize_thresholds(
    scores: Any,
    y: Any,
    *,
    sensitive_features: Any,
    criterion: Any = "demographic_parity",
    trade_off: float | None = None,
    max_violation: float | None = None,
    cost_matrix: Any = "absolute",
    confidence: float | None = None,
    method: str = "certified",
    n_restarts: int = 10,
    sample_weight: Any = None,
    labels: Any = None,
    tol: float = 1e-3,
    max_time: float | None = 60.0,
    random_state: Any = None,
) -> ThresholdResult:
    r"""Find fair cut points for the scores of any model, with a proof of optimality.

    The thresholds minimise the mean cost plus a multiple of the violation of a fairness criterion
    (`trade_off`), or the mean cost under a limit to the violation (`max_violation`). The model is
    not trained again, predictions are not randomised, and `predict` needs no group.

    Parameters
    ----------
    scores : array-like of shape (n_samples,)
        Scores, higher for higher labels. Only their order matters.
    y : array-like of shape (n_samples,)
        True ordinal labels: integers, an ordered categorical, or names with `labels`.
    sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns)
        Group of each sample; several columns mean their intersections. Rows are matched by
        position; an index is ignored.
    criterion : str or Criterion, default="demographic_parity"
        The criterion of fairness. By name: ``"demographic_parity"``, ``"equal_opportunity"``,
        ``"equalized_odds"``, ``"conditional_demographic_parity"``, ``"harm_parity"``,
        ``"standard_demographic_parity"``, ``"standard_equal_opportunity"`` or
        ``"standard_equalized_odds"``.
    trade_off : float in [0, 1), default=None
        The paper's λ': minimise mean cost + λ·violation with λ = k·λ'/(1-λ') for k labels.
    max_violation : float, default=None
        Minimise the mean cost with a violation of at most this: on the data given, or with
        `confidence` on new rows. Give either `trade_off` or `max_violation`.
    cost_matrix : {"absolute", "zero_one", "squared", "asymmetric"} or array, default="absolute"
        The cost of errors: ``|i-j|``, ``1{i≠j}``, ``(i-j)²``, ``|i-j|·(1 + 1{j>i})``, or a matrix
        ``C[i, j]`` for the true label i and the predicted label j. A matrix must be V-shaped.
    confidence : float, default=None
        Keep `max_violation` on *new* rows with this confidence, if the scores were not fitted to
        these rows. The limit for the thresholds is lowered until an upper bound of the violation
        is within `max_violation`: ``max_e (|v_e| + z_c σ_e)`` over pairs of groups, one-sided, of
        predictions with thresholds that were cut on other rows (5 folds, seeded by `random_state`,
        or 0). Thresholds are also cut with a surcharge on all labels but the best constant one, so
        that fewer labels are in use and the violation is known more precisely. The certificate is
        then about the lower limit and the cost with the surcharge. Needs ``method="certified"``.
    method : {"certified", "local_search", "exact", "cost_only"}, default="certified"
        ``"certified"`` proves that the objective is within `tol` of the best, ``"exact"`` that it
        is the best. ``"local_search"`` is the method of the paper, without a proof;
        ``"cost_only"`` minimises the cost and ignores fairness.
    n_restarts : int, default=10
        Random starts of ``"local_search"`` in addition to the cuts of least cost.
    sample_weight : array-like of shape (n_samples,), default=None
        A weight of 2 is a row repeated twice.
    labels : sequence, default=None
        All labels in ascending order.
    tol : float, default=1e-3
        The gap at which ``"certified"`` stops.
    max_time : float, default=60.0
        Seconds after which the best thresholds found are returned with their gap and a
        `ConvergenceWarning`, as after Ctrl-C. None means no limit.
    random_state : int, RandomState instance or None, default=None
        Seed of the random starts, and of the folds with `confidence`.

    Returns
    -------
    result : ThresholdResult
        `thresholds`, `objective`, `cost`, `violation`, `lower_bound`, `gap`; print it.

    See Also
    --------
    FairThresholdClassifier : Fits an estimator, and fair thresholds for its held-out scores.
    FairOrdinalClassifier : Trains fair scores together with their thresholds.

    Notes
    -----
    Both forms are :math:`\min_\theta \max_\tau \mathrm{cost}(\theta) + \sum_e \tau_e
    v_e(\theta) - \epsilon \|\tau\|_1` over disparities :math:`v_e` of pairs of groups. At fixed
    τ the minimum is a shortest path, hence a lower bound; branching closes the gap. Equal scores
    are never separated. Cost: a sort, and O(n·labels) for each bound; memory linear in n. At most
    100 groups, because each pair of groups has a multiplier.

    References
    ----------
    Kleindessner, Samadi, Zafar, Kenthapadi, Russell: Pairwise Fairness for Ordinal Regression,
    AISTATS 2022, arXiv:2105.03153. Section 3.2 and appendices A.6, A.10, A.11.

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
    _check_confidence(confidence, goal, method)
    samples = _read_scored(scores, y, sensitive_features, sample_weight, labels)
    table = tabulate(samples)
    cost = as_cost_matrix(cost_matrix, table.labels)
    fairness = as_criterion(criterion, cost_matrix)
    library = frame_library(y, scores, sensitive_features)
    if confidence is None:
        result = solve(table, fairness, cost, goal, method, settings, library=library)
    else:
        evaluation = Evaluation(fairness, cost, table.groups, table.labels, table.one)
        seed = seed_of(0 if random_state is None else random_state)
        with progress("thresholds"):
            pool = _pool(samples, table, evaluation, seed)
            with part(0.8):
                chosen = choose_from(pool, [0], goal, confidence)
            warn_about(pool.candidates, chosen, goal, confidence, scores_given=True)
            with part(0.2, "final thresholds"):
                result = replace(_certified(pool, chosen.candidate, settings), library=library)
    warn_unfinished(result, settings.tol)
    return result


def _certified(pool: ScorePool, candidate: Candidate, settings: Settings) -> ThresholdResult:
    """Thresholds of a candidate, and a bound of all cuts of the scores that were given."""
    result = solve_near(candidate, pool.table, settings)
    return replace(result, thresholds=candidate.thresholds) if candidate.is_constant else result


def _check_confidence(confidence: Any, goal: Goal, method: str) -> None:
    if confidence is None:
        return
    check_fraction(confidence, "confidence")
    if not goal.hard or method != "certified":
        raise ValueError(
            "confidence needs max_violation and method='certified'. Leave it out with trade_off "
            "and with other methods."
        )


def _pool(samples: Samples, table: ScoreTable, evaluation: Evaluation, seed: int) -> ScorePool:
    """Candidates of the scores, with rows of weight 0 left out and the others in folds."""
    weight = np.ones(samples.n_rows) if samples.weight is None else samples.weight.values
    kept = np.flatnonzero(weight)
    groups, labels = (
        _codes(coded, names)[kept]
        for coded, names in ((samples.groups, table.groups), (samples.truth, table.labels))
    )
    cells, weight = groups * len(table.labels) + labels, weight[kept]
    positions = samples.positions
    values = positions.levels[positions.codes(slice(None))][kept]
    fold = threshold_folds(groups, labels, values, weight, N_FOLDS, seed)
    return ScorePool(HeldOutRows(evaluation, cells, weight, fold), values, table)


def _codes(coded: Coded, names: Array) -> Array:
    """Codes of a column by the names of a table; -1 for names without weight, which it lacks."""
    number = {name: code for code, name in enumerate(names.tolist())}
    codes = np.array([number.get(name, -1) for name in coded.levels.tolist()])
    return codes[coded.codes(slice(None))]


def _read_scored(
    scores: Any, y: Any, sensitive_features: Any, sample_weight: Any, labels: Any
) -> Samples:
    """Read and check rows with scores."""
    warn_misaligned({"scores": scores, "y": y})
    values = read_scores(scores).values
    if values.dtype.kind in "iu" and np.abs(values.astype(np.float64)).max() > 2**53:
        raise ValueError(
            "scores must not be integers beyond 2**53: thresholds are floating-point numbers, and "
            "cannot separate such scores. Pass their ranks, or floats."
        )
    return read_samples(
        y,
        values.astype(np.float64),
        sensitive_features,
        sample_weight=sample_weight,
        labels=labels,
        as_scores=True,
        name="y",
    )
