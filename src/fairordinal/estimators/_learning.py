"""What the classifier and the frontier have in common: from rows to candidates, and to a model."""

from __future__ import annotations

from typing import Any

import numpy as np

from fairordinal._costs import cost_matrix as as_cost_matrix
from fairordinal._pairloss import LOSSES
from fairordinal._path import Candidate, Plan, Pool, Trained, cost_interval, violation_interval
from fairordinal._rows import Block, Features, Rows, folds_of
from fairordinal._validation import (
    Array,
    check_choice,
    check_number,
    check_whole,
    is_dask,
    order_labels,
    read_groups,
    read_target,
    read_weight,
)
from fairordinal.criteria import as_criterion
from fairordinal.estimators._response import plain_array
from fairordinal.estimators._threshold import FairThresholdClassifier
from fairordinal.ranker import (
    Fit,
    Training,
    choose_alpha,
    read_rows,
    require_pairwise,
    require_sorting,
    sample_of,
    warn_unconverged,
    ways_of,
)
from fairordinal.thresholds import ThresholdResult

THRESHOLD_FOLDS = 5  # for what thresholds promise too much


def learn(
    estimator: Any,
    X: Any,
    y: Any,
    sensitive_features: Any,
    sample_weight: Any,
    n_jobs: int | None = None,
) -> tuple[Pool, Rows]:
    """Fit a path of rankers by the estimator's parameters; sets what does not depend on a choice.

    That is `criterion_`, `classes_`, `alpha_` and `n_iter_`. Of very many rows, the pool has a
    sample; all are returned beside it.
    """
    loss = LOSSES[check_choice(estimator.loss, "loss", tuple(LOSSES))]
    ways, tol = ways_of(estimator.ranker), check_number(estimator.tol, "tol")
    max_iter = check_whole(estimator.max_iter, "max_iter", least=1)
    criterion = require_pairwise(as_criterion(estimator.criterion))
    rows, labels, groups = read_rows(
        estimator, X, y, sensitive_features, sample_weight, estimator.categories
    )
    require_sorting(rows, loss)
    cost, some = as_cost_matrix(estimator.cost_matrix, labels), sample_of(rows)
    folds = folds_of(some, estimator.cv, estimator.random_state)
    alpha = (
        choose_alpha(some, criterion, loss, folds, max_iter)
        if estimator.alpha is None
        else check_number(estimator.alpha, "alpha")
    )
    plan = Plan(criterion, loss, ways, Training(alpha, tol, max_iter), cost, groups, labels)
    path = plan.path(some)
    warn_unconverged(path, max_iter)
    estimator.alpha_, estimator.criterion_ = alpha, criterion
    estimator.classes_, estimator.n_iter_ = plain_array(labels), max(fit.n_iter for fit in path)
    return Pool(plan, some, path, folds, n_jobs), rows


def learn_thresholds(
    classifier: FairThresholdClassifier,
    X: Any,
    y: Any,
    sensitive_features: Any,
    sample_weight: Any,
    n_jobs: int | None = None,
) -> Pool:
    """Fit a scorer; the one ranker of the pool is its held-out scores."""
    if is_dask(X):
        blocks, names = classifier.read_blocks(X, y, sensitive_features, sample_weight)
        return _pool_of_scores(classifier, blocks, names, classifier.classes_, n_jobs)
    kept, scores = classifier.hold_out(X, y, sensitive_features, sample_weight)
    groups, truth = read_groups(sensitive_features), read_target(y)
    labels, _, _ = order_labels(truth, truth, classifier.classes_.tolist())
    weight = read_weight(sample_weight, len(truth.values), rows_of="y")
    rows = Block.of(
        Features.plain(scores[:, None]),
        groups.codes(slice(None))[kept],
        labels.codes(slice(None))[kept],
        len(groups.levels),
        len(labels.levels),
        weight=None if weight is None else weight.values[kept],
        one=1.0 if weight is None else weight.one,
    )
    return _pool_of_scores(classifier, rows, groups.levels, labels.levels, n_jobs)


def _pool_of_scores(
    classifier: FairThresholdClassifier,
    rows: Rows,
    groups: Array,
    labels: Array,
    n_jobs: int | None,
) -> Pool:
    plan = Plan(
        classifier.criterion_,
        LOSSES["logistic"],
        (),
        Training(0.0, 1.0, 1),  # nothing is trained
        as_cost_matrix(classifier.cost_matrix, labels),
        groups,
        labels,
    )
    some = sample_of(rows)
    folds = folds_of(some, THRESHOLD_FOLDS, classifier.random_state)
    return Pool(plan, some, [Fit(np.ones(1), None)], folds, n_jobs)


def settle(
    model: Any, trained: Trained, chosen: Candidate, result: ThresholdResult, confidence: float
) -> None:
    """Make a candidate the model: its coefficients, thresholds, and what to expect of it."""
    plan, path, features = trained
    model.result_ = result
    model.coef_ = path[chosen.ranker].coef / features.spreads
    model.origin_ = np.zeros(len(model.coef_)) + features.origin
    model.thresholds_ = result.thresholds + features.means @ model.coef_
    expect(model, plan, chosen, confidence)


def expect(model: Any, plan: Plan, chosen: Candidate, confidence: float) -> None:
    """Say what to expect of a model in new rows."""
    model.expected_cost_, model.expected_violation_ = chosen.cost, chosen.violation
    model.expected_cost_interval_ = cost_interval(plan, chosen, confidence)
    model.expected_violation_interval_ = violation_interval(plan, chosen, confidence)
    model.confidence_ = confidence
