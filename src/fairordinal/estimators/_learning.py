"""What the classifier and the frontier have in common: from rows to candidates, and to a model."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np

from fairordinal._costs import cost_matrix as as_cost_matrix
from fairordinal._pairloss import LOSSES
from fairordinal._path import Plan, RankerPool, Trained
from fairordinal._rows import Folds, Rows, folds_of, seed_of
from fairordinal._table import ScoreTable
from fairordinal._validation import check_choice, check_number, check_whole
from fairordinal.criteria import as_criterion
from fairordinal.estimators._response import plain_array
from fairordinal.estimators._threshold import expect
from fairordinal.ranker import (
    Training,
    choose_alpha,
    is_small,
    read_rows,
    require_pairwise,
    require_sorting,
    sample_of,
    warn_unconverged,
    ways_of,
)
from fairordinal.thresholds import Candidate, Evaluation, ThresholdResult

ONE_IN = 4  # rows of a sample, from which rankers learn


def learn(
    estimator: Any,
    X: Any,
    y: Any,
    sensitive_features: Any,
    sample_weight: Any,
    *,
    n_jobs: int | None = None,
    extend: bool = True,
) -> RankerPool:
    """Fit a path of rankers by the estimator's parameters; sets what does not depend on a choice.

    That is `criterion_`, `classes_`, `alpha_` and `n_iter_`. Of very many rows, candidates are
    made of a sample; with `extend`, the chosen one is then fitted to all rows.
    """
    loss = LOSSES[check_choice(estimator.loss, "loss", tuple(LOSSES))]
    ways, tol = ways_of(estimator.ranker), check_number(estimator.tol, "tol")
    max_iter = check_whole(estimator.max_iter, "max_iter", least=1)
    criterion = require_pairwise(as_criterion(estimator.criterion))
    rows, labels, groups = read_rows(
        estimator, X, y, sensitive_features, sample_weight, estimator.categories
    )
    require_sorting(rows, loss)
    cost, seed = as_cost_matrix(estimator.cost_matrix, labels), seed_of(estimator.random_state)
    some, folds = _sample(rows, estimator.cv, estimator.random_state)
    alpha = (
        choose_alpha(some, criterion, loss, folds, max_iter)
        if estimator.alpha is None
        else check_number(estimator.alpha, "alpha")
    )
    evaluation = Evaluation(criterion, cost, groups, labels, rows.one)
    plan = Plan(evaluation, loss, ways, Training(alpha, tol, max_iter))
    path = plan.path(some)
    warn_unconverged(path, max_iter)
    estimator.alpha_, estimator.criterion_ = alpha, criterion
    estimator.classes_, estimator.n_iter_ = plain_array(labels), max(fit.n_iter for fit in path)
    all_rows = rows if extend else some
    return RankerPool(plan, all_rows, some, path, folds, n_jobs=n_jobs, seed=seed)


def _sample(rows: Rows, cv: Any, random_state: Any) -> tuple[Rows, Folds]:
    """Rows to learn a path of rankers from, and folds of them.

    Of very many rows, one in four of a sample is enough to learn from, and the others are held out:
    no ranker has to be fitted again.
    """
    some = sample_of(rows)
    folds = folds_of(some, cv, random_state)
    if is_small(rows) or not isinstance(cv, numbers.Integral):
        return some, folds
    held_out, train = some.stratified(ONE_IN, seed_of(random_state))[0]
    return train, [(train, held_out)]


def settle(
    model: Any,
    trained: Trained,
    chosen: Candidate,
    result: ThresholdResult,
    table: ScoreTable,
    confidence: float,
) -> None:
    """Make a candidate the model: its coefficients, thresholds, and what to expect of it.

    `table` has its predictions for the rows given.
    """
    features = trained.features
    coef = trained.path[chosen.ranker].coef
    model.result_ = result
    model.coef_ = (np.zeros_like(coef) if chosen.is_constant else coef) / features.spreads
    model.origin_ = np.zeros(len(model.coef_)) + features.origin
    model.thresholds_ = result.thresholds + features.means @ model.coef_
    model.cost_ = chosen.evaluation.mean_cost(table)
    model.violation_ = chosen.evaluation.criterion.violation(table)
    expect(model, chosen, confidence)
