"""Base classes of the estimators.

* `ExpectedValuesMixin`: attributes of a model that say what to expect on new rows;
* `RankerPathEstimator`: learns paths of rankers, for the classifier and the frontier;
* `GroupedScoreMixin`: accuracy of classifiers whose `predict` may need groups;
* `WrapperMixin`, `NamedFeaturesMixin`: tags and features of the estimator that one wraps.
"""

from __future__ import annotations

import numbers
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin
from sklearn.metrics import accuracy_score
from sklearn.utils import get_tags

from fairordinal._basis import Linear
from fairordinal._costs import cost_matrix as as_cost_matrix
from fairordinal._pairloss import LOSSES
from fairordinal._path import Plan, RankerPool
from fairordinal._render import name_of
from fairordinal._rows import Block, Folds, Rows, folds_of, seed_of
from fairordinal._support import SiteLinkMixin, part, warn
from fairordinal._validation import (
    Array,
    check_choice,
    check_number,
    check_whole,
    warn_misaligned,
)
from fairordinal.criteria import Criterion, as_criterion
from fairordinal.estimators._bases import BASES, learn_paths, learning_share
from fairordinal.ranker import (
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
FEW_ROWS = 10  # of a group; the standard deviation of a disparity is then about 1/√(3·10) = 0.18
MOST_NAMED = 5  # groups that a warning names
ONE_IN = 4  # rows of a large sample from which rankers learn; the others are held out


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
        with part(learning_share(evaluation, self._choosing)):
            paths = learn_paths(linear, some, folds, alpha, self.basis)
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
