"""The linear ranker as a scikit-learn estimator."""

from __future__ import annotations

from copy import copy
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from fairordinal._pairloss import LOSSES, Kernel
from fairordinal._rows import Rows, folds_of, lazily, linear_scores, on_site
from fairordinal._support import SiteLinkMixin, wholly
from fairordinal._validation import (
    Array,
    check_choice,
    check_number,
    check_share,
    check_whole,
    is_dask,
)
from fairordinal.criteria import PairwiseCriterion, as_criterion
from fairordinal.ranker._inputs import lazy_features, read_features, read_rows
from fairordinal.ranker._pairs import pair_data, require_pairwise, require_sorting
from fairordinal.ranker._paths import (
    ALPHAS,
    accuracies_by_alpha,
    accuracy_of,
    fit_path,
    is_small,
    measured_in_folds,
    methods_of,
    sample_of,
    violation_of,
)
from fairordinal.ranker._solver import Fit, Training, warn_unconverged


class FairLinearRanker(
    ClassNamePrefixFeaturesOutMixin, TransformerMixin, SiteLinkMixin, BaseEstimator
):
    r"""Linear ranker that orders rows by their labels, with small disparities between groups.

    It learns from all pairs of rows with unequal labels. `fit` computes a path of rankers from
    accurate to fair; `violation_weight` chooses one of them.

    Parameters
    ----------
    criterion : str or PairwiseCriterion, default="demographic_parity"
        The criterion of fairness whose disparities should be small.
    violation_weight : float in [0, 1], default=0.5
        The paper's μ: the ranker with the least (1-μ)·error + μ·violation is chosen. The error is
        the share of pairs of unequal labels that are not in order, and the violation that of the
        scores. It differs from `trade_off` of the classifiers, the paper's λ', which weighs the
        mean cost of predicted labels against the violation of these labels.
    ranker : {"auto", "direct", "reduction", "grid", "relaxed"}, default="auto"
        How fair rankers are found:

        - ``"direct"`` penalises smooth disparities;
        - ``"reduction"`` reweights pairs as the paper does, with rising multipliers;
        - ``"auto"`` pools the paths of both;
        - ``"grid"``, for comparison, is the reduction with the paper's grid of 100 multipliers;
        - ``"relaxed"``, for comparison, penalises differences of mean scores.
    loss : {"logistic", "smooth_hinge", "squared_hinge"}, default="logistic"
        Loss of a pair's margin x, the score of the row with the higher label less that of the
        other:

        - ``"logistic"``: log(1 + exp(-x));
        - ``"smooth_hinge"``: the mean of max(1 - x + Z, 0) over a standard normal Z;
        - ``"squared_hinge"``: max(1 - x, 0)². The rows are sorted, so they must be in memory.
    alpha : float, default=None
        Strength of the l2 penalty on the coefficients of standardised features. None chooses it
        from 0.1, 0.01, …, 1e-5 by cross-validation over rows.
    cv : int, splitter or iterable of splits, default=5
        Folds by which `alpha` is chosen. A number means shuffled folds, stratified by group and
        label.
    labels : sequence, default=None
        All labels in ascending order. None sorts the labels of `y`.
    tol : float, default=1e-5
        A fit stops if no entry of the gradient, in whitened coordinates, is larger.
    max_iter : int, default=500
        Largest number of steps of a fit.
    random_state : int, RandomState instance or None, default=0
        Seed of the folds.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        Coefficients of the chosen ranker: scores are ``(X - origin_) @ coef_``.
    origin_ : ndarray of shape (n_features,)
        Subtracted from the features. It is the mean of a feature if that is more than 1000 times
        its standard deviation, so that no digits are lost; otherwise 0.
    path_ : ndarray of shape (n_rankers, n_features)
        Coefficients of all rankers. The first one is fitted without regard to fairness.
    accuracies_ : ndarray of shape (n_rankers,)
        Share of the pairs of unequal labels that each ranker puts in order, on the training rows.
    violations_ : ndarray of shape (n_rankers,)
        Violation of the scores of each ranker, on the training rows.
    alpha_ : float
        Strength of the l2 penalty that was used.
    n_iter_ : int
        Largest number of steps that a fit took.
    classes_ : ndarray of shape (n_labels,)
        Labels in ascending order.
    n_features_in_ : int
        Number of features seen during `fit`.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features, if all of them are strings.

    See Also
    --------
    fairordinal.FairOrdinalClassifier : Rankers with thresholds: predicts labels.
    pairwise_gradient : The same loss for other learners, such as boosted trees.

    Notes
    -----
    Minimises the mean of ℓ(s_i - s_j) over *all* pairs with y_i > y_j, plus penalties, by L-BFGS in
    coordinates whitened by the Hessian at 0. A step costs O(n·d); no pair is formed. At most 60
    groups and 150 cells (groups times labels) are accepted.

    References
    ----------
    Section 3.1 of Kleindessner et al., AISTATS 2022, arXiv:2105.03153.

    Examples
    --------
    >>> from fairordinal.datasets import load_diabetes
    >>> from fairordinal.ranker import FairLinearRanker
    >>> data = load_diabetes()
    >>> ranker = FairLinearRanker(violation_weight=0.7, alpha=1e-3)
    >>> ranker = ranker.fit(data.data, data.target, sensitive_features=data.sensitive_features)
    >>> plain, fair = ranker.violations_[0], ranker.violations_.min()
    >>> bool(fair < 0.1 * plain)
    True
    """

    # requested by default: a wrapper, such as FairThresholdClassifier, has to pass them on
    __metadata_request__fit: ClassVar = {"sensitive_features": True}

    def __init__(
        self,
        criterion: Any = "demographic_parity",
        *,
        violation_weight: float = 0.5,
        ranker: str = "auto",
        loss: str = "logistic",
        alpha: float | None = None,
        cv: int = 5,
        labels: Any = None,
        tol: float = 1e-5,
        max_iter: int = 500,
        random_state: Any = 0,
    ) -> None:
        self.criterion = criterion
        self.violation_weight = violation_weight
        self.ranker = ranker
        self.loss = loss
        self.alpha = alpha
        self.cv = cv
        self.labels = labels
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    @wholly
    def fit(
        self, X: Any, y: Any, *, sensitive_features: Any, sample_weight: Any = None
    ) -> FairLinearRanker:
        """Fit the path of rankers, and choose one of them.

        Parameters
        ----------
        X : array-like or sparse array of shape (n_samples, n_features)
            Features.
        y : array-like of shape (n_samples,)
            True ordinal labels.
        sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns)
            Group of each sample. Rows are matched by position; an index is ignored.
        sample_weight : array-like of shape (n_samples,), default=None
            A weight of 2 is a row repeated twice.

        Returns
        -------
        self : FairLinearRanker
            The fitted ranker.
        """
        weight = check_share(self.violation_weight, "violation_weight")
        methods, loss = (
            methods_of(self.ranker),
            LOSSES[check_choice(self.loss, "loss", tuple(LOSSES))],
        )
        max_iter = check_whole(self.max_iter, "max_iter", least=1)
        tol = check_number(self.tol, "tol")
        criterion = require_pairwise(as_criterion(self.criterion))
        rows, self.classes_, _ = read_rows(
            self, X, y, sensitive_features, sample_weight, self.labels
        )
        require_sorting(rows, loss)
        rows = sample_of(rows) if is_small(rows) else rows
        self.alpha_ = (
            self._choose_alpha(sample_of(rows), criterion, loss, max_iter)
            if self.alpha is None
            else check_number(self.alpha, "alpha")
        )
        training = Training(self.alpha_, tol, max_iter)
        fits, reached = on_site(_measured_path, [rows], criterion, loss, methods, training)
        warn_unconverged(fits, max_iter)
        self.n_iter_ = max(fit.n_iter for fit in fits)
        self.path_ = np.stack([fit.coef / rows.scaling.spreads for fit in fits])
        self.origin_ = np.zeros(rows.n_features) + rows.scaling.origin
        self.accuracies_, self.violations_ = reached
        self.coef_ = self._chosen(weight)
        return self

    def _choose_alpha(
        self, rows: Rows, criterion: PairwiseCriterion, loss: Kernel, max_iter: int
    ) -> float:
        folds = folds_of(rows, self.cv, self.random_state)
        text = "strength of the penalty, fold"
        reached = measured_in_folds(rows, folds, _accuracies, criterion, loss, max_iter, text=text)
        return ALPHAS[int(reached.mean(axis=0).argmax())]

    def at(self, violation_weight: float) -> FairLinearRanker:
        """Return the ranker that another weight chooses from the same path, without fitting.

        Parameters
        ----------
        violation_weight : float in [0, 1]
            The paper's μ, as in the parameter of the class.

        Returns
        -------
        ranker : FairLinearRanker
            A fitted copy with other `coef_`.
        """
        check_is_fitted(self, "coef_")
        other = copy(self).set_params(violation_weight=violation_weight)
        other.coef_ = self._chosen(check_share(violation_weight, "violation_weight"))
        return other

    def _chosen(self, weight: float) -> Array:
        value = (1 - weight) * (1 - self.accuracies_) + weight * self.violations_
        return self.path_[int(value.argmin())]

    def decision_function(self, X: Any) -> Array:
        """Compute scores: higher ones for higher labels.

        Parameters
        ----------
        X : array-like or sparse array of shape (n_samples, n_features)
            Features.

        Returns
        -------
        scores : ndarray of shape (n_samples,)
            Scores. For a Dask collection, a lazy array or series.
        """
        check_is_fitted(self, "coef_")
        if is_dask(X):
            return lazily(self.decision_function, lazy_features(self, X), np.float64)
        return linear_scores(read_features(self, X), self.coef_, self.origin_)

    def transform(self, X: Any) -> Array:
        """Compute scores as the only column of a table, for use in a pipeline.

        Parameters
        ----------
        X : array-like or sparse array of shape (n_samples, n_features)
            Features.

        Returns
        -------
        scores : ndarray of shape (n_samples, 1)
            Scores; a data frame after ``set_output(transform="pandas")``.
        """
        return self.decision_function(X)[:, None]

    @property
    def _n_features_out(self) -> int:
        return 1

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        return tags


def _accuracies(
    train: Rows, held_out: Rows, criterion: PairwiseCriterion, loss: Kernel, max_iter: int
) -> list[float]:
    """Shares of held-out pairs in order by the plain ranker, for each α."""
    learned, tested = (pair_data(part, criterion, loss) for part in (train, held_out))
    return accuracies_by_alpha(learned, tested, ALPHAS, max_iter)


def _measured_path(
    rows: Rows,
    criterion: PairwiseCriterion,
    loss: Kernel,
    methods: tuple[str, ...],
    training: Training,
) -> tuple[list[Fit], Array]:
    """The path, and its accuracies and violations, (2, n_rankers)."""
    data = pair_data(rows, criterion, loss)
    fits = fit_path(data, methods, training)
    reached = [[measure(data, fit.coef) for fit in fits] for measure in (accuracy_of, violation_of)]
    return fits, np.array(reached)
