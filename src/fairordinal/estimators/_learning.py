"""What the classifier and the frontier have in common: from rows to candidates, and to a model."""

from __future__ import annotations

import importlib.util
import numbers
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from fairordinal._basis import Basis, Linear, Trees
from fairordinal._costs import cost_matrix as as_cost_matrix
from fairordinal._pairloss import LOSSES
from fairordinal._path import Plan, RankerPool, Trained, best_by_basis
from fairordinal._rows import Folds, Rows, folds_of, seed_of
from fairordinal._table import ScoreTable
from fairordinal._validation import Array, check_choice, check_number, check_whole
from fairordinal.criteria import as_criterion
from fairordinal.estimators._response import DEFAULT_LIMIT, plain_array
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
from fairordinal.thresholds import Candidate, Evaluation, ThresholdResult

ONE_IN = 4  # rows of a sample, from which rankers learn
BASES = ("auto", "linear", "trees")
LEAST_ROWS = 500  # with which "auto" tries trees
LEAST_GAIN = 0.002  # in the share of held-out pairs in order, for which it goes on with them


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
    """Paths of rankers in the bases asked for.

    ``"auto"`` goes on with trees if their plain ranker puts more held-out pairs in order.
    """
    wanted: list[Basis] = [] if basis == "trees" else [linear.basis]
    if basis == "trees" or (basis == "auto" and _may_grow(rows)):
        wanted.append(Trees.of(rows))
    plans: list[Plan] = []
    reached = 0.0
    for each in wanted:
        plan = replace(linear, basis=each)
        if alpha is None:
            chosen, accuracy = plan.choose_alpha(rows, folds)
            if plans and accuracy < reached + LEAST_GAIN:
                continue
            plan = replace(plan, training=replace(plan.training, alpha=chosen))
            reached = accuracy
        plans.append(plan)
    return [(plan, plan.path(rows)) for plan in plans]


def _may_grow(rows: Rows) -> bool:
    """Whether "auto" tries trees: rows are enough, and LightGBM is installed."""
    return rows.n_rows >= LEAST_ROWS and importlib.util.find_spec("lightgbm") is not None


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
    forest, kinds = model.forest_, {"linear": "linear model", "trees": "forest"}
    own = "a linear model" if forest is None else f"a forest of {len(forest.trees)} trees"
    others = [
        f" (the best {kinds[basis]} costs {cost:.3f})"
        for basis, (cost, _) in model.basis_results_.items()
        if basis != model.basis_
    ]
    return own + "".join(others)


def _limit(model: Any) -> float:
    """The limit asked for; 0 with a trade-off."""
    if model.trade_off is not None:
        return 0.0
    return DEFAULT_LIMIT if model.max_violation is None else float(model.max_violation)


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
    candidates: Sequence[Candidate],
    confidence: float,
    bias: float = 0.0,
) -> None:
    """Make a candidate the model: its scores, thresholds, and what to expect of it.

    `table` has its predictions for the rows given, `importances` those of the ranker's columns.
    It was chosen from `candidates`, with a `bias` of its violation.
    """
    ranker = trained[chosen.ranker]
    score = ranker.score
    if chosen.is_constant:
        score = score._replace(coef=np.zeros_like(score.coef), shift=0.0, forest=None, values=None)
    model.result_ = result
    model.basis_, model.alpha_ = ranker.basis, ranker.alpha
    model.coef_, model.origin_ = score.coef, score.origin
    model.forest_, model.leaf_values_ = score.forest, score.values
    model.thresholds_ = result.thresholds + score.shift
    bases = [each.basis for each in trained]
    model.basis_results_ = best_by_basis(candidates, bases, max(chosen.violation, _limit(model)))
    model.feature_importances_ = _by_feature(model, chosen, importances)
    model.cost_ = chosen.evaluation.mean_cost(table)
    model.violation_ = chosen.evaluation.criterion.violation(table)
    expect(model, chosen, confidence, bias)
