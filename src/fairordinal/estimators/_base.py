"""Base classes of the estimators.

* `ExpectedValuesMixin`: attributes of a model that say what to expect on new rows;
* `RankerPathEstimator`: learns paths of rankers, for the classifier and the frontier;
* `GroupedScoreMixin`: accuracy of classifiers whose `predict` may need groups;
* `WrapperMixin`, `NamedFeaturesMixin`: tags and features of the estimator that one wraps.
"""

from __future__ import annotations

import numbers
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin
from sklearn.metrics import accuracy_score
from sklearn.utils import get_tags

from fairordinal._basis import Basis, Linear, Piecewise, Trees
from fairordinal._costs import cost_matrix as as_cost_matrix
from fairordinal._pairloss import LOSSES
from fairordinal._path import Plan, RankerPool, held_out_together
from fairordinal._render import name_of
from fairordinal._rows import Block, Folds, Rows, folds_of, seed_of
from fairordinal._support import SiteLinkMixin, optional, part, warn
from fairordinal._validation import (
    Array,
    check_choice,
    check_number,
    check_whole,
    warn_misaligned,
)
from fairordinal.criteria import Criterion, as_criterion
from fairordinal.ranker import (
    Fit,
    PlugIn,
    Training,
    is_small,
    methods_of,
    read_rows,
    require_pairwise,
    require_sorting,
    sample_of,
    warn_unconverged,
)
from fairordinal.thresholds import Candidate, Evaluation, Optimism, expected

DEFAULT_LIMIT = 0.05  # of the violation, if neither trade_off nor max_violation is given
BASES = ("auto", "linear", "piecewise", "plug-in", "trees")
LEAST_RAMP_ROWS, LEAST_TREE_ROWS = 250, 500  # with which "auto" has ramps, and tries trees
MOST_FEATURES = 1000  # with which "auto" has either
FIRST_FOLDS, FIRST_GAIN = 2, 0.01  # folds in which trees are tried first, and their gain there
LEAST_GAIN = 0.03  # share of the held-out pairs out of order that trees have to put in order
FEW_ROWS = 10  # of a group; the standard deviation of a disparity is then about 1/√(3·10) = 0.18
MOST_NAMED = 5  # groups that a warning names
ONE_IN = 4  # rows of a large sample from which rankers learn; the others are held out
MOST_TREE_ROWS = 1 << 14  # from which trees learn, if one set of rows is held out


def plain_array(labels: Array) -> Array:
    """Labels as an array of text if all are text, as scikit-learn expects it."""
    if labels.dtype.kind == "O" and all(isinstance(label, str) for label in labels):
        return labels.astype(str)
    return labels


class ExpectedValuesMixin:
    """Attributes of a model that say what to expect on new rows."""

    def _set_expected(self, candidate: Candidate, confidence: float, optimism: Optimism) -> None:
        """Set `expected_cost_` and the like, given the optimism of choosing the candidate."""
        found = expected(candidate, confidence, optimism)
        self.expected_cost_, self.expected_violation_ = found.cost, found.violation
        self.expected_cost_interval_ = found.cost_interval
        self.expected_violation_interval_ = found.violation_interval
        self.confidence_ = confidence


class GroupedScoreMixin(ClassifierMixin):
    """Accuracy of classifiers whose `predict` may need groups."""

    # routed only on request: models that do not depend on the group need none
    __metadata_request__score: ClassVar = {"sensitive_features": False}

    def score(
        self, X: Any, y: Any, sample_weight: Any = None, *, sensitive_features: Any = None
    ) -> float:
        """Accuracy of the predictions.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features, as the estimator takes them.
        y : array-like of shape (n_samples,)
            True labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights.
        sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns)
            Group of each sample; needed if `predict` needs it. Rows are matched by position; an
            index is ignored.

        Returns
        -------
        score : float
            Share of rows predicted exactly.
        """
        warn_misaligned({"X": X, "y": y, "sample_weight": sample_weight})
        predicted = self.predict(X, sensitive_features=sensitive_features)
        return float(accuracy_score(y, predicted, sample_weight=sample_weight))


class WrapperMixin(MetaEstimatorMixin):
    """Tags and number of features of an estimator that passes its features on to `estimator`."""

    estimator: Any

    @property
    def _fitted(self) -> Any:
        """The fitted estimator that features are passed on to."""
        return self.estimator_

    @property
    def n_features_in_(self) -> int:
        return self._fitted.n_features_in_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = get_tags(self.estimator).input_tags
        tags.input_tags.sparse, tags.input_tags.allow_nan = inner.sparse, inner.allow_nan
        return tags


class NamedFeaturesMixin(WrapperMixin):
    """Names of the features besides, if the fitted estimator has them."""

    @property
    def feature_names_in_(self) -> Array:
        return self._fitted.feature_names_in_


class RankerPathEstimator(SiteLinkMixin, BaseEstimator):
    """Learns paths of rankers, one for each basis.

    Subclasses have the parameters `criterion`, `basis`, `ranker`, `loss`, `alpha`, `cost_matrix`,
    `cv`, `labels`, `tol`, `max_iter` and `random_state`.
    """

    criterion_: Criterion
    _choosing: ClassVar = 1.0  # time to choose models, in that of the classifier: for progress

    def _learn_paths(
        self,
        X: Any,
        y: Any,
        sensitive_features: Any,
        sample_weight: Any,
        *,
        n_jobs: int | None = None,
        extend: bool = True,
    ) -> RankerPool:
        """Check parameters and rows, learn paths, and return the pool of their candidates.

        Sets what does not depend on the choice of a candidate: `criterion_`, `classes_`, `n_iter_`,
        `n_features_in_` and the imputer. With very many rows, candidates are made of a sample; with
        `extend`, the chosen one is then fitted to more rows.
        """
        loss = LOSSES[check_choice(self.loss, "loss", tuple(LOSSES))]
        methods, tol = methods_of(self.ranker), check_number(self.tol, "tol")
        max_iter = check_whole(self.max_iter, "max_iter", least=1)
        check_choice(self.basis, "basis", BASES)
        criterion = require_pairwise(as_criterion(self.criterion))
        with part(0.01, "reading rows"):
            rows, labels, groups = read_rows(
                self, X, y, sensitive_features, sample_weight, self.labels
            )
        warn_few_rows(groups, rows.sum(rows_by_group))
        require_sorting(rows, loss)
        cost, seed = as_cost_matrix(self.cost_matrix, labels), seed_of(self.random_state)
        some, folds = _sample(rows, self.cv, self.random_state)
        evaluation = Evaluation(criterion, cost, groups, labels, rows.one)
        alpha = None if self.alpha is None else check_number(self.alpha, "alpha")
        training = Training(alpha or 0.0, tol, max_iter)
        linear = Plan(evaluation, loss, methods, training, Linear(some.scaling))
        with part(_learning_share(evaluation, self._choosing)):
            paths = _paths(linear, some, folds, alpha, self.basis)
        fits = [fit for _, path in paths for fit in path]
        warn_unconverged(fits, max_iter)
        self.criterion_, self.classes_ = criterion, plain_array(labels)
        self.n_iter_ = max(fit.n_iter for fit in fits)
        all_rows = rows if extend else some
        return RankerPool(paths, all_rows, some, folds, n_jobs=n_jobs, seed=seed)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse, tags.input_tags.allow_nan = True, self.basis != "linear"
        return tags


def _sample(rows: Rows, cv: Any, random_state: Any) -> tuple[Rows, Folds]:
    """Rows from which a path of rankers is learned, and folds of them.

    With very many rows, one in four of a sample is enough to learn from. The others are held out,
    so that no ranker has to be fitted again.
    """
    some = sample_of(rows)
    folds = folds_of(some, cv, random_state)
    if is_small(rows) or not isinstance(cv, numbers.Integral):
        return some, folds
    held_out, train = some.stratified(ONE_IN, seed_of(random_state))[0]
    return train, [(train, held_out)]


def _learning_share(evaluation: Evaluation, choosing: float) -> float:
    """Share of the time of a fit that paths of rankers take, about."""
    learning = evaluation.effort.training
    return learning / (learning + choosing * (1.0 - learning))


# Groups of few rows -------------------------------------------------------------------------


def rows_by_group(block: Block) -> Array:
    """Number of rows of each group."""
    return np.bincount(block.groups, minlength=block.n_groups)


def warn_few_rows(groups: Array, n_rows: Array) -> None:
    """Warn before a fit if it has groups of few rows."""
    few = np.flatnonzero((n_rows > 0) & (n_rows < FEW_ROWS))  # 0: rows without weight
    if not len(few):
        return
    named = [f"{name_of(groups[g])!r} ({_rows(n_rows[g])})" for g in few[:MOST_NAMED].tolist()]
    more = f" and {len(few) - MOST_NAMED} more" if len(few) > MOST_NAMED else ""
    warn(
        f"Groups of fewer than {FEW_ROWS} rows: {', '.join(named)}{more}. Their disparities are "
        "mostly chance, but limit the model like those of large groups. Merge such groups with "
        "others, or leave their rows out.",
    )


def _rows(count: int) -> str:
    return "1 row" if count == 1 else f"{count} rows"


# The bases of the paths ---------------------------------------------------------------------


def _paths(
    linear: Plan, rows: Rows, folds: Folds, alpha: float | None, basis: str
) -> list[tuple[Plan, list[Fit]]]:
    """Paths of rankers, one for each basis that is asked for or worth trying."""
    found, accuracies = [], None
    tries_trees = basis == "trees" or (basis == "auto" and _may_have_trees(rows))
    choosing, training = _shares(linear.evaluation, tries_trees=tries_trees)
    if basis not in ("trees", "plug-in"):
        plan = (
            replace(linear, basis=Piecewise.unfitted(rows)) if _has_ramps(rows, basis) else linear
        )
        together = alpha is None and held_out_together(rows, folds)
        plan = plan.grown(rows) if together else plan
        if alpha is None:
            with part(choosing):
                accuracies = plan.accuracies(rows, folds)
            plan = plan.with_alpha(accuracies)
        with part(training):
            plan = plan if together else plan.grown(rows)
            found.append((plan, plan.path(rows)))
    if basis == "plug-in" or (basis == "auto" and _may_have_rules(linear, rows)):
        with part(0.2 * (1.0 - choosing - training) if tries_trees else 0.0, "plug-in rules"):
            found.append(_with_rules(linear, rows))
    if tries_trees:
        if held_out_together(rows, folds):
            rows = rows.sample(MOST_TREE_ROWS)
            folds = [(rows, folds[0][1])]
        with part(0.5 * (1.0 - choosing - training), "trying trees"):
            trees = _with_trees(linear, rows, folds, alpha, accuracies)
        found += [] if trees is None else [(trees, trees.path(rows))]
    if basis == "trees":
        _warn_without_trees(found[0][0].basis)
    return found


def _shares(evaluation: Evaluation, *, tries_trees: bool) -> tuple[float, float]:
    """Shares of the time for the strength of the penalty and for rankers without trees, about.

    The rest is for trees.
    """
    training = evaluation.effort.training
    others = 0.3 * (1.0 - training)
    total = 1.0 if tries_trees else others + training
    return others / total, training / total


def _has_ramps(rows: Rows, basis: str) -> bool:
    """Whether rankers without trees have ramps; "auto" needs enough rows, and few features."""
    few = rows.n_rows < LEAST_RAMP_ROWS or rows.n_features > MOST_FEATURES
    return basis == "piecewise" or (basis == "auto" and not few)


def _may_have_rules(plan: Plan, rows: Rows) -> bool:
    """Whether "auto" tries plug-in rules: if rankers have ramps, and are fair in any way."""
    return _has_ramps(rows, "auto") and plan.methods == methods_of("auto")


def _with_rules(plan: Plan, rows: Rows) -> tuple[Plan, list[Fit]]:
    """A plan whose rankers are plug-in rules, and these rankers."""
    criterion, cost = require_pairwise(plan.evaluation.criterion), plan.evaluation.cost
    basis = PlugIn(Piecewise.unfitted(rows), criterion, cost).refit(rows)
    return replace(plan, basis=basis), basis.fits


def _may_have_trees(rows: Rows) -> bool:
    """Whether "auto" tries trees: enough rows, not too many features, LightGBM installed."""
    return rows.n_rows >= LEAST_TREE_ROWS and rows.n_features <= MOST_FEATURES and _has_lightgbm()


def _has_lightgbm() -> bool:
    try:
        optional("lightgbm", "basis='trees'", "trees")
    except ImportError:
        return False
    return True


def _with_trees(
    plan: Plan, rows: Rows, folds: Folds, alpha: float | None, accuracies: Array | None
) -> Plan | None:
    """A plan with trees; None if they are not worth their time.

    `accuracies` are those of the plain ranker without trees. The plain ranker with trees has to put
    in order a share of the held-out pairs that the other has out of order, so that the rule suits
    easy and hard data. If it gains too little in the first folds, the others are not tried.
    """
    plan = replace(plan, basis=Trees.unfitted(Piecewise.unfitted(rows)))
    if alpha is not None:
        return plan.grown(rows)
    together = held_out_together(rows, folds)
    plan = plan.grown(rows) if together else plan
    reached = np.zeros((0, len(plan.alphas)))
    for some, least in ((folds[:FIRST_FOLDS], FIRST_GAIN), (folds[FIRST_FOLDS:], LEAST_GAIN)):
        reached = np.concatenate([reached, plan.accuracies(rows, some)]) if some else reached
        rival = None if accuracies is None else accuracies[: len(reached)]
        if rival is not None and 1.0 - _best(reached) > (1.0 - least) * (1.0 - _best(rival)):
            return None
    return (plan if together else plan.grown(rows)).with_alpha(reached)


def _best(accuracies: Array) -> float:
    """The highest mean over folds, of all strengths of the penalty."""
    return float(accuracies.mean(axis=0).max())


def _warn_without_trees(basis: Basis) -> None:
    if isinstance(basis, Trees) and not basis.forest.trees:
        warn(
            "No tree could be grown: a leaf needs at least 20 rows, and features must not be "
            "constant. The model is piecewise linear.",
        )
