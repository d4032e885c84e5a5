"""What the classifier and the frontier have in common: from rows to candidates, and to a model."""

from __future__ import annotations

import numbers
import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from fairordinal._basis import Basis, Linear, Piecewise, Score, Trees
from fairordinal._costs import cost_matrix as as_cost_matrix
from fairordinal._optional import optional
from fairordinal._pairloss import LOSSES
from fairordinal._path import Plan, RankerPool, Trained, best_by_basis, held_out_together
from fairordinal._render import BASIS_NAMES
from fairordinal._rows import Folds, Rows, folds_of, seed_of
from fairordinal._table import ScoreTable
from fairordinal._validation import Array, check_choice, check_number, check_whole
from fairordinal.criteria import as_criterion
from fairordinal.estimators._response import plain_array
from fairordinal.estimators._threshold import expect
from fairordinal.ranker import (
    Fit,
    Training,
    is_small,
    read_rows,
    require_pairwise,
    require_sorting,
    sample_of,
    warn_unconverged,
    ways_of,
)
from fairordinal.thresholds import Candidate, Evaluation, Optimism, ThresholdResult

ONE_IN = 4  # rows of a sample, from which rankers learn
BASES = ("auto", "linear", "piecewise", "trees")
LEAST_RAMPED, LEAST_GROWN = 250, 500  # rows with which "auto" has ramps, and tries trees
MOST_FEATURES = 1000  # of both
LEAST_GAIN = 0.03  # share of the held-out pairs out of order that trees have to put in order
MOST_GROWING = 1 << 14  # rows from which trees learn, if the others are held out together
TRIED, LEAST_TRIED = 2, 0.01  # folds that are tried first, and the gain there


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
    """Fit paths of rankers by the estimator's parameters; sets what does not depend on a choice.

    That is `criterion_`, `classes_` and `n_iter_`. Of very many rows, candidates are made of a
    sample; with `extend`, the chosen one is then fitted to more rows.
    """
    loss = LOSSES[check_choice(estimator.loss, "loss", tuple(LOSSES))]
    ways, tol = ways_of(estimator.ranker), check_number(estimator.tol, "tol")
    max_iter = check_whole(estimator.max_iter, "max_iter", least=1)
    check_choice(estimator.basis, "basis", BASES)
    criterion = require_pairwise(as_criterion(estimator.criterion))
    rows, labels, groups = read_rows(
        estimator, X, y, sensitive_features, sample_weight, estimator.categories
    )
    require_sorting(rows, loss)
    cost, seed = as_cost_matrix(estimator.cost_matrix, labels), seed_of(estimator.random_state)
    some, folds = _sample(rows, estimator.cv, estimator.random_state)
    evaluation = Evaluation(criterion, cost, groups, labels, rows.one)
    alpha = None if estimator.alpha is None else check_number(estimator.alpha, "alpha")
    training = Training(alpha or 0.0, tol, max_iter)
    linear = Plan(evaluation, loss, ways, training, Linear(some.scaling))
    paths = _paths(linear, some, folds, alpha, estimator.basis)
    fits = [fit for _, path in paths for fit in path]
    warn_unconverged(fits, max_iter)
    estimator.criterion_, estimator.classes_ = criterion, plain_array(labels)
    estimator.n_iter_ = max(fit.n_iter for fit in fits)
    all_rows = rows if extend else some
    return RankerPool(paths, all_rows, some, folds, n_jobs=n_jobs, seed=seed)


def _paths(
    linear: Plan, rows: Rows, folds: Folds, alpha: float | None, basis: str
) -> list[tuple[Plan, list[Fit]]]:
    """Paths of rankers in the bases asked for."""
    found, reached = [], None
    if basis != "trees":
        plan = replace(linear, basis=Piecewise.none(rows)) if _is_ramped(rows, basis) else linear
        together = alpha is None and held_out_together(rows, folds)
        plan = plan.grown(rows) if together else plan
        if alpha is None:
            reached = plan.accuracies(rows, folds)
            plan = plan.with_alpha(reached)
        plan = plan if together else plan.grown(rows)
        found.append((plan, plan.path(rows)))
    if basis == "trees" or (basis == "auto" and _may_grow(rows)):
        if held_out_together(rows, folds):
            rows = rows.sample(MOST_GROWING)
            folds = [(rows, folds[0][1])]
        trees = _with_trees(linear, rows, folds, alpha, reached)
        found += [] if trees is None else [(trees, trees.path(rows))]
    if basis == "trees":
        _warn_without_trees(found[0][0].basis)
    return found


def _is_ramped(rows: Rows, basis: str) -> bool:
    """Whether rankers that are no forests weigh ramps; "auto": enough rows, not many features."""
    few = rows.n_rows < LEAST_RAMPED or rows.n_features > MOST_FEATURES
    return basis == "piecewise" or (basis == "auto" and not few)


def _warn_without_trees(basis: Basis) -> None:
    if isinstance(basis, Trees) and not basis.forest.trees:
        warnings.warn(
            "No tree could be grown: a leaf takes at least 20 rows, and features must not be "
            "constant. The model is piecewise linear.",
            UserWarning,
            stacklevel=5,
        )


def _with_trees(
    plan: Plan, rows: Rows, folds: Folds, alpha: float | None, accuracies: Array | None
) -> Plan | None:
    """A plan with trees; None if they are not worth it.

    Their plain ranker has to put more held-out pairs in order than the one without trees, whose
    `accuracies` are given: a share of those that it has out of order, so that the rule suits easy
    and hard data. If it gains too little in the first folds, the others are not tried.
    """
    plan = replace(plan, basis=Trees.none(Piecewise.none(rows)))
    if alpha is not None:
        return plan.grown(rows)
    together = held_out_together(rows, folds)
    plan = plan.grown(rows) if together else plan
    reached = np.zeros((0, len(plan.alphas)))
    for some, least in ((folds[:TRIED], LEAST_TRIED), (folds[TRIED:], LEAST_GAIN)):
        reached = np.concatenate([reached, plan.accuracies(rows, some)]) if some else reached
        rival = None if accuracies is None else accuracies[: len(reached)]
        if rival is not None and 1.0 - _best(reached) > (1.0 - least) * (1.0 - _best(rival)):
            return None
    return (plan if together else plan.grown(rows)).with_alpha(reached)


def _best(accuracies: Array) -> float:
    """The highest mean over folds."""
    return float(accuracies.mean(axis=0).max())


def _may_grow(rows: Rows) -> bool:
    """Whether "auto" tries trees: enough rows, not very many features, LightGBM installed."""
    return rows.n_rows >= LEAST_GROWN and rows.n_features <= MOST_FEATURES and _has_lightgbm()


def _has_lightgbm() -> bool:
    try:
        optional("lightgbm", "basis='trees'", "trees")
    except ImportError:
        return False
    return True


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


def describe_basis(model: Any) -> str:
    """What a model is made of, and how the best of another basis compares."""
    if np.isinf(model.thresholds_).all():
        return "a constant model, the same label for everyone"
    own = BASIS_NAMES[model.basis_]
    if model.forest_ is not None:
        own += f" of {len(model.forest_.trees)} trees"
    others = [
        f" (the best {BASIS_NAMES[basis]} costs {cost:.3f})"
        for basis, (cost, _) in model.basis_results_.items()
        if basis != model.basis_
    ]
    return f"a {own}" + "".join(others)


def _by_feature(model: Any, chosen: Candidate, importances: Array) -> Array:
    """Importances of features; that of a feature includes its indicator of missing values."""
    found = importances[: model.n_features_in_].copy()
    if len(importances) > len(found):
        found[model.imputer_.indicator_.features_] += importances[len(found) :]
    return np.full(len(found), np.nan) if chosen.is_constant else found


def settle(
    model: Any,
    trained: list[Trained],
    chosen: Candidate,
    result: ThresholdResult,
    table: ScoreTable,
    importances: Array,
    rivals: Sequence[Candidate],
    confidence: float,
    optimism: Optimism,
) -> None:
    """Make a candidate the model: its scores, thresholds, and what to expect of it.

    `table` has its predictions for the rows given, `importances` those of the ranker's columns.
    It was chosen before its `rivals`, with some `optimism`.
    """
    ranker = trained[chosen.ranker]
    score = ranker.score
    if chosen.is_constant:
        score = Score(np.zeros_like(score.coef), score.origin, 0.0)
    model.result_ = result
    model.basis_, model.alpha_ = score.basis, ranker.alpha
    model.ramps_, model.ramp_coef_ = score.ramps, score.ramp_coef
    model.coef_, model.origin_ = score.coef, score.origin
    model.forest_, model.leaf_values_ = score.forest, score.values
    model.thresholds_ = result.thresholds + score.shift
    model.basis_results_ = best_by_basis(rivals, [each.basis for each in trained])
    if not chosen.is_constant:
        model.basis_results_[ranker.basis] = (chosen.cost, chosen.violation)
    model.feature_importances_ = _by_feature(model, chosen, importances)
    model.cost_ = chosen.evaluation.mean_cost(table)
    model.violation_ = chosen.evaluation.criterion.violation(table)
    expect(model, chosen, confidence, optimism)
