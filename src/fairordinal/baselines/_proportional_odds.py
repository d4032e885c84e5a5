"""The proportional-odds model as users fit it."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from scipy.special import expit, log_expit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from fairordinal._fitting import wholly
from fairordinal._rows import Features, linear_scores
from fairordinal._validation import Array, check_number, check_whole
from fairordinal.baselines._likelihood import Estimate, Likelihood, maximise
from fairordinal.baselines._rows import Labelled, read_labels
from fairordinal.ranker import read_features

Kept = Array | slice
UNBOUNDED = 1e-2  # a Newton step of this size where the gradient vanishes goes on for ever


class ProportionalOddsClassifier(ClassifierMixin, BaseEstimator):
    r"""The proportional-odds (cumulative logit) model, by maximum likelihood.

    Parameters
    ----------
    alpha : float, default=0.0
        Strength of the l2 penalty on coefficients of standardised features, beside the mean
        log-likelihood. Separable labels and more features than rows need a little, say 1e-4.
    categories : sequence, default=None
        All labels in ascending order. Needed for names without an order.
    tol, max_iter : float and int, default=1e-8 and 100
        Newton's method stops where no entry of the mean gradient exceeds `tol`.

    Attributes
    ----------
    coef_, thresholds_ : ndarray of shape (n_features,) and (n_labels - 1,)
        Of the probabilities below. The thresholds around a label that does not occur are equal,
        or infinite if it is the lowest or the highest.
    origin_ : ndarray of shape (n_features,)
        From where features are counted: their mean if that is more than 1000 times their spread,
        so that no digits are lost; else 0.
    log_likelihood_ : float
        Of the rows given, summed with their weights; without the penalty.
    classes_ : ndarray of shape (n_labels,)
        Labels in ascending order.
    n_iter_, gradient_norm_ : int and float
        Newton steps, and the greatest entry of the mean gradient at the end.

    Notes
    -----
    :math:`P(y \le c \mid x) = \sigma(\theta_c - w^\top x)`, with x counted from `origin_`; higher
    scores mean higher labels.
    Cost: O(n·d² + d³) for each of about ten Newton steps. The log-likelihood is concave, so
    there is one maximum or none; if there is none (labels that a score can separate), a warning
    says so. This is MATLAB's ``mnrfit(..., "ordinal")`` and R's ``polr``. McCullagh, Regression
    Models for Ordinal Data, Journal of the Royal Statistical Society B 42, 1980.

    Examples
    --------
    >>> from fairordinal.baselines import ProportionalOddsClassifier
    >>> model = ProportionalOddsClassifier().fit([[0], [1], [2], [3], [4]], [0, 1, 0, 1, 2])
    >>> model.predict([[0], [5]])
    array([0, 2])
    >>> model.predict_proba([[3]]).round(2)
    array([[0.07, 0.66, 0.27]])
    """

    def __init__(
        self,
        alpha: float = 0.0,
        *,
        categories: Any = None,
        tol: float = 1e-8,
        max_iter: int = 100,
    ) -> None:
        self.alpha = alpha
        self.categories = categories
        self.tol = tol
        self.max_iter = max_iter

    @wholly
    def fit(
        self, X: Any, y: Any, *, sample_weight: Any = None, sensitive_features: Any = None
    ) -> ProportionalOddsClassifier:
        """Maximise the likelihood.

        Parameters
        ----------
        X : array-like or sparse array of shape (n_samples, n_features)
            Features.
        y : array-like of shape (n_samples,)
            True ordinal labels.
        sample_weight : array-like of shape (n_samples,), default=None
            A weight of 2 is a row repeated twice.
        sensitive_features : array-like, default=None
            Ignored; taken so that fair estimators can be replaced by this one. Rows are matched
            by position; an index is ignored.

        Returns
        -------
        self : ProportionalOddsClassifier
            Fitted.
        """
        alpha, tol = check_number(self.alpha, "alpha"), check_number(self.tol, "tol")
        max_iter = check_whole(self.max_iter, "max_iter", least=1)
        X = read_features(self, X, fitting=True)
        rows = read_labels(X, y, sample_weight, self.categories)
        self.classes_ = rows.labels
        kept = slice(None) if rows.weight.all() else np.flatnonzero(rows.weight)  # a slice: no copy
        features = Features.of(X[kept], rows.weight[kept])
        estimate = maximise(_likelihood(features, rows, kept, alpha), tol, max_iter)
        self.n_iter_, self.gradient_norm_ = estimate.n_iter, estimate.gradient_norm
        _warn(estimate, alpha, tol, max_iter)
        self.coef_ = estimate.coef / features.spreads
        self.origin_ = np.zeros(len(self.coef_)) + features.origin
        cuts = estimate.cuts + features.means @ self.coef_
        self.thresholds_ = _with_absent_labels(cuts, rows.totals > 0)
        self.log_likelihood_ = self._log_likelihood(features.X, rows, kept)
        return self

    def decision_function(self, X: Any) -> Array:
        """Scores, higher for higher labels: one number a row, whatever the number of labels.

        Parameters
        ----------
        X : array-like or sparse array of shape (n_samples, n_features)
            Features.

        Returns
        -------
        scores : ndarray of shape (n_samples,)
            ``(X - origin_) @ coef_``.
        """
        check_is_fitted(self, "coef_")
        return linear_scores(read_features(self, X), self.coef_, self.origin_)

    def predict_proba(self, X: Any) -> Array:
        """Probabilities of the labels.

        Parameters
        ----------
        X : array-like or sparse array of shape (n_samples, n_features)
            Features.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_labels)
            Columns in the order of `classes_`.
        """
        scores = self.decision_function(X)[:, None]
        low, high = self._ends()
        return expit(high - scores) * expit(scores - low) * -np.expm1(-_gaps(low, high))

    def predict(self, X: Any) -> Array:
        """Predict the most probable label of each row, the lowest of several.

        Parameters
        ----------
        X : array-like or sparse array of shape (n_samples, n_features)
            Features.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Labels.
        """
        most_probable = self.predict_proba(X).argmax(axis=1)
        return self.classes_[most_probable]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _ends(self) -> tuple[Array, Array]:
        """The thresholds below and above each label."""
        inner = self.thresholds_
        return np.concatenate([[-np.inf], inner]), np.concatenate([inner, [np.inf]])

    def _log_likelihood(self, X: Any, rows: Labelled, kept: Kept) -> float:
        scores, codes = np.asarray(X @ self.coef_).ravel(), rows.codes[kept]
        low, high = self._ends()
        present = rows.totals > 0
        apart = np.log(-np.expm1(-_gaps(low, high)[present]))
        logs = log_expit(high[codes] - scores) + log_expit(scores - low[codes])
        total = float(rows.weight[kept] @ logs + rows.totals[present] @ apart)
        return total / rows.one


def _likelihood(features: Features, rows: Labelled, kept: Kept, alpha: float) -> Likelihood:
    """The likelihood of the labels that occur."""
    present = np.flatnonzero(rows.totals)
    if len(present) < 2:
        raise ValueError(
            "rows with weight have one value of y; a model needs two labels that occur. Check "
            "sample_weight, or take ConstantClassifier."
        )
    weight = rows.weight[kept]
    codes = np.searchsorted(present, rows.codes[kept])
    return Likelihood(features, codes, weight / weight.sum(), len(present), alpha)


def _with_absent_labels(cuts: Array, occurs: Array) -> Array:
    """Thresholds of all labels: one that does not occur has no room, and probability 0."""
    ends = np.concatenate([[-np.inf], cuts, [np.inf]])
    return ends[np.cumsum(occurs)[:-1]]


def _gaps(low: Array, high: Array) -> Array:
    """Distances of thresholds; 0 of two at infinity."""
    with np.errstate(invalid="ignore"):
        return np.nan_to_num(high - low, nan=0.0, posinf=np.inf)


def _warn(estimate: Estimate, alpha: float, tol: float, max_iter: int) -> None:
    """Say so if the likelihood has no maximum, or was not brought to it."""
    norm = estimate.gradient_norm
    if norm > tol and estimate.n_iter == max_iter:
        message = (
            f"The fit did not converge in max_iter={max_iter} steps (gradient {norm:.1e} > "
            f"tol={tol:g}). Raise max_iter, or alpha."
        )
    elif estimate.step > UNBOUNDED and alpha == 0:
        message = (
            "The likelihood has no maximum: scores separate some labels, and coefficients grow for "
            f"ever (gradient {norm:.1e} after {estimate.n_iter} steps). Pass a small penalty, "
            "alpha=1e-4, or drop features; predictions are usable, coefficients are not."
        )
    else:
        return
    warnings.warn(message, ConvergenceWarning, stacklevel=4)
