r"""The proportional-odds model: its likelihood, Newton's method, and the estimator.

With scores ``s = X w``, ascending thresholds ``θ_1 < … < θ_{k-1}`` (θ_0 = -∞, θ_k = ∞) and the
logistic function σ, label c (from 1) has the probability ``σ(θ_c - s) - σ(θ_{c-1} - s)``. Since
``σ(a) - σ(b) = σ(a) σ(-b) (1 - exp(b - a))``, its logarithm is a sum of three terms::

    log p = log σ(θ_c - s) + log σ(s - θ_{c-1}) + log(1 - exp(θ_{c-1} - θ_c))

Two logistic losses, and a term that keeps the thresholds apart. Each is concave, so that Newton's
method with step halving finds the maximum. The third term is -∞ where thresholds are not in order.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from scipy import linalg
from scipy.special import expit, log_expit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from fairordinal._rows import Features, linear_scores
from fairordinal._support import SiteLinkMixin, warn, wholly
from fairordinal._validation import Array, check_number, check_whole
from fairordinal.baselines._inputs import CodedLabels, read_labels
from fairordinal.ranker import read_features

MAX_HALVINGS = 40
ARMIJO = 1e-4  # least share of the decrease that the slope predicts
NEGLIGIBLE = 1e-12  # a predicted decrease that is not worth a step
RANK_TOL = 1e-13  # eigenvalues of the Hessian below this share of the largest count as 0
UNBOUNDED = 1e-2  # a Newton step this large at a vanishing gradient: there is no maximum


class Estimate(NamedTuple):
    """Where Newton's method stopped."""

    thresholds: Array
    coef: Array
    gradient_norm: float
    step: float  # largest entry of the next Newton step; it is not small if there is no maximum
    n_iter: int


@dataclass(frozen=True)
class Likelihood:
    """Mean negative log-likelihood plus ``alpha/2 |w|²``, as a function of ``(θ, w)``."""

    features: Features
    codes: Array  # 0 … k-1; each label has some weight
    weight: Array  # sums to 1
    n_labels: int
    alpha: float

    @property
    def n_thresholds(self) -> int:
        return self.n_labels - 1

    def start(self) -> Array:
        """Return the maximum at ``w = 0``: the log-odds of the cumulative shares of labels."""
        share = np.cumsum(self._by_label(self.weight))[:-1]
        thresholds = np.log(share) - np.log1p(-np.minimum(share, 1 - 1e-16))
        return np.concatenate([thresholds, np.zeros(self.features.n_features)])

    def value(self, at: Array) -> float:
        """Return the objective; infinite where the thresholds are not in order."""
        gaps = np.diff(at[: self.n_thresholds])
        if not (gaps > 0).all() or not np.isfinite(at).all():
            return np.inf
        below, above = self._margins(at)
        inner = self._by_label(self.weight)[1:-1]
        fit = self.weight @ (log_expit(below) + log_expit(above))
        coef = at[self.n_thresholds :]
        return float(-fit - inner @ np.log(-np.expm1(-gaps)) + self.alpha / 2 * coef @ coef)

    def gradient(self, at: Array) -> Array:
        """Return the derivative by ``(θ, w)``.

        A row with label c contributes ``-σ(s - θ_c)`` to θ_c and ``σ(θ_{c-1} - s)`` to θ_{c-1}.
        The third term contributes to both ends of the gap between two thresholds.
        """
        below, above = self._margins(at)
        push, pull = self.weight * expit(-below), self.weight * expit(-above)
        thresholds = self._by_label(pull)[1:] - self._by_label(push)[:-1]
        inner = self._by_label(self.weight)[1:-1]
        gaps = np.diff(at[: self.n_thresholds])
        apart = inner * np.exp(-gaps) / -np.expm1(-gaps)
        thresholds[1:] -= apart
        thresholds[:-1] += apart
        coef = self.features.transposed_times(push - pull) + self.alpha * at[self.n_thresholds :]
        return np.concatenate([thresholds, coef])

    def hessian(self, at: Array) -> Array:
        """Return the second derivative by ``(θ, w)``, in blocks.

        The derivative of a margin by its threshold is ±1 and by w it is ∓x: rows contribute
        ``σ'`` to the diagonal of the θ-block, ``σ' x xᵀ`` to the w-block, and ``-σ' x`` between.
        """
        below, above = self._margins(at)
        upper = self.weight * expit(below) * expit(-below)  # curvature at the threshold above
        lower = self.weight * expit(above) * expit(-above)  # and at the threshold below
        m = self.n_thresholds
        hessian = np.empty((len(at), len(at)))
        hessian[:m, :m] = np.diag(self._by_label(upper)[:-1] + self._by_label(lower)[1:])
        hessian[:m, :m] += self._gap_hessian(np.diff(at[:m]))
        hessian[m:, m:] = self.features.gram(upper + lower)
        hessian[m:, m:] += self.alpha * np.eye(len(at) - m)
        for cut in range(m):
            below_cut, above_cut = self.codes == cut, self.codes == cut + 1
            beside = np.where(below_cut, upper, 0) + np.where(above_cut, lower, 0)
            hessian[cut, m:] = hessian[m:, cut] = -self.features.transposed_times(beside)
        return hessian

    def _margins(self, at: Array) -> tuple[Array, Array]:
        """Return ``θ_c - s`` and ``s - θ_{c-1}`` for each row, with its label c."""
        scores = self.features.times(at[self.n_thresholds :])
        ends = np.concatenate([[-np.inf], at[: self.n_thresholds], [np.inf]])
        return ends[self.codes + 1] - scores, scores - ends[self.codes]

    def _by_label(self, values: Array) -> Array:
        """Sum values over the rows of each label."""
        return np.bincount(self.codes, values, self.n_labels)

    def _gap_hessian(self, gaps: Array) -> Array:
        """Return the second derivative of the third term by θ."""
        inner = self._by_label(self.weight)[1:-1]
        curvature = inner * np.exp(-gaps) / np.expm1(-gaps) ** 2  # of -log(1 - exp(-gap))
        between = np.diff(np.eye(self.n_thresholds), axis=0)  # gaps = between @ θ
        return between.T @ (curvature[:, None] * between)


def maximise(likelihood: Likelihood, tol: float, max_iter: int) -> Estimate:
    """Run Newton's method until no entry of the gradient exceeds `tol`."""
    at = likelihood.start()
    value, n_iter, before = likelihood.value(at), 0, np.inf
    while True:
        gradient = likelihood.gradient(at)
        step = _newton_step(likelihood.hessian(at), gradient)
        norm, slope = float(np.abs(gradient).max()), float(gradient @ step)
        stalled = norm > before / 2 and slope < NEGLIGIBLE  # only rounding errors are left
        if norm <= tol or n_iter == max_iter or stalled:
            break
        new, new_value = _line_search(likelihood, at, value, step, slope)
        n_iter += 1
        if new is None:
            break
        at, value, before = new, new_value, norm
    m = likelihood.n_thresholds
    return Estimate(at[:m], at[m:], norm, float(np.abs(step).max()), n_iter)


def _newton_step(hessian: Array, gradient: Array) -> Array:
    """Solve ``hessian @ step = gradient``; the shortest solution if the Hessian is singular."""
    try:
        return linalg.cho_solve(linalg.cho_factor(hessian), gradient)
    except linalg.LinAlgError:
        eigenvalues, eigenvectors = linalg.eigh(hessian)
        kept = eigenvalues > RANK_TOL * eigenvalues[-1]
        basis = eigenvectors[:, kept]
        return basis @ ((basis.T @ gradient) / eigenvalues[kept])


def _line_search(
    likelihood: Likelihood, at: Array, value: float, step: Array, slope: float
) -> tuple[Array | None, float]:
    """Halve the step until it satisfies the Armijo condition; None if that never happens."""
    share = 1.0
    for _ in range(MAX_HALVINGS):
        new = at - share * step
        new_value = likelihood.value(new)
        if new_value <= value - ARMIJO * share * slope:
            return new, new_value
        share /= 2
    return None, value


class ProportionalOddsClassifier(ClassifierMixin, SiteLinkMixin, BaseEstimator):
    r"""The proportional-odds (cumulative logit) model, fitted by maximum likelihood.

    Parameters
    ----------
    alpha : float, default=0.0
        Strength of the l2 penalty on coefficients of standardised features, beside the mean
        log-likelihood. Separable labels, or more features than rows, need one, such as 1e-4.
    labels : sequence, default=None
        All labels in ascending order. Needed for names without an order.
    tol : float, default=1e-8
        Newton's method stops if no entry of the mean gradient exceeds `tol`.
    max_iter : int, default=100
        Largest number of Newton steps.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        Coefficients w of the scores.
    thresholds_ : ndarray of shape (n_labels - 1,)
        Thresholds θ of the scores. The thresholds around a label that does not occur are equal,
        or infinite if it is the lowest or the highest label.
    origin_ : ndarray of shape (n_features,)
        Subtracted from the features, to keep precision: their mean if that is more than 1000 times
        their standard deviation, otherwise 0.
    log_likelihood_ : float
        Weighted sum over the training rows, without the penalty.
    classes_ : ndarray of shape (n_labels,)
        Labels in ascending order.
    n_iter_ : int
        Number of Newton steps.
    gradient_norm_ : float
        Largest entry of the mean gradient at the end.

    See Also
    --------
    fair_thresholds_only : Fair thresholds for the scores of this model.

    Notes
    -----
    The model is :math:`P(y \le c \mid x) = \sigma(\theta_c - w^\top x)`, with `origin_` subtracted
    from x [1]_. Each of about ten Newton steps costs O(n·d² + d³). The log-likelihood is concave:
    it has one maximum, or none if a score separates some labels, and then a warning is issued. This
    is MATLAB's ``mnrfit(..., "ordinal")`` and R's ``polr``.

    References
    ----------
    .. [1] McCullagh, Regression Models for Ordinal Data, Journal of the Royal Statistical Society
       B 42, 1980.

    Examples
    --------
    >>> from fairordinal.baselines import ProportionalOddsClassifier
    >>> model = ProportionalOddsClassifier().fit([[0], [1], [2], [3], [4]], [0, 1, 0, 1, 2])
    >>> model.predict([[0], [5]])
    array([0, 2])
    >>> model.predict_proba([[3]]).round(2)
    array([[0.07, 0.66, 0.27]])
    """

    __metadata_request__fit: ClassVar = {"sensitive_features": False}  # they are ignored

    def __init__(
        self, alpha: float = 0.0, *, labels: Any = None, tol: float = 1e-8, max_iter: int = 100
    ) -> None:
        self.alpha = alpha
        self.labels = labels
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
            Ignored. It is accepted so that this class can replace fair estimators. Rows are
            matched by position; an index is ignored.

        Returns
        -------
        self : ProportionalOddsClassifier
            Fitted.
        """
        alpha, tol = check_number(self.alpha, "alpha"), check_number(self.tol, "tol")
        max_iter = check_whole(self.max_iter, "max_iter", least=1)
        X = read_features(self, X, fitting=True)
        rows = read_labels(X, y, sample_weight, self.labels)
        self.classes_ = rows.labels
        kept = slice(None) if rows.weight.all() else np.flatnonzero(rows.weight)  # a slice: no copy
        features = Features.of(X[kept], rows.weight[kept])
        estimate = maximise(_likelihood(features, rows, kept, alpha), tol, max_iter)
        self.n_iter_, self.gradient_norm_ = estimate.n_iter, estimate.gradient_norm
        _warn_if_not_converged(estimate, alpha, tol, max_iter)
        self.coef_ = estimate.coef / features.spreads
        self.origin_ = np.zeros(len(self.coef_)) + features.origin
        thresholds = estimate.thresholds + features.means @ self.coef_
        self.thresholds_ = _with_absent_labels(thresholds, rows.totals > 0)
        self.log_likelihood_ = self._log_likelihood(features.X, rows, kept)
        return self

    def decision_function(self, X: Any) -> Array:
        """Return one score for each row; higher scores mean higher labels.

        Parameters
        ----------
        X : array-like or sparse array of shape (n_samples, n_features)
            Features.

        Returns
        -------
        scores : ndarray of shape (n_samples,)
            ``(X - origin_) @ coef_``, for any number of labels.
        """
        check_is_fitted(self, "coef_")
        return linear_scores(read_features(self, X), self.coef_, self.origin_)

    def predict_proba(self, X: Any) -> Array:
        """Return the probabilities of the labels.

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
        """Return the thresholds below and above each label."""
        inner = self.thresholds_
        return np.concatenate([[-np.inf], inner]), np.concatenate([inner, [np.inf]])

    def _log_likelihood(self, X: Any, rows: CodedLabels, kept: Array | slice) -> float:
        scores, codes = np.asarray(X @ self.coef_).ravel(), rows.codes[kept]
        low, high = self._ends()
        present = rows.totals > 0
        apart = np.log(-np.expm1(-_gaps(low, high)[present]))
        logs = log_expit(high[codes] - scores) + log_expit(scores - low[codes])
        total = float(rows.weight[kept] @ logs + rows.totals[present] @ apart)
        return total / rows.one


def _likelihood(
    features: Features, rows: CodedLabels, kept: Array | slice, alpha: float
) -> Likelihood:
    """Return the likelihood of the labels that occur."""
    present = np.flatnonzero(rows.totals)
    if len(present) < 2:
        raise ValueError(
            "rows with weight have one value of y; a model needs two labels that occur. Check "
            "sample_weight, or take ConstantClassifier."
        )
    weight = rows.weight[kept]
    codes = np.searchsorted(present, rows.codes[kept])
    return Likelihood(features, codes, weight / weight.sum(), len(present), alpha)


def _with_absent_labels(thresholds: Array, occurs: Array) -> Array:
    """Add thresholds for labels that do not occur, so that their probability is 0."""
    return np.concatenate([[-np.inf], thresholds, [np.inf]])[np.cumsum(occurs)[:-1]]


def _gaps(low: Array, high: Array) -> Array:
    """Return the distances of thresholds; 0 for two that are equal and infinite."""
    with np.errstate(invalid="ignore"):
        return np.nan_to_num(high - low, nan=0.0, posinf=np.inf)


def _warn_if_not_converged(estimate: Estimate, alpha: float, tol: float, max_iter: int) -> None:
    """Warn if the likelihood has no maximum, or if it was not reached."""
    norm = estimate.gradient_norm
    if norm > tol and estimate.n_iter == max_iter:
        message = (
            f"The fit did not converge in max_iter={max_iter} steps (gradient {norm:.1e} > "
            f"tol={tol:g}). Raise max_iter, or alpha."
        )
    elif estimate.step > UNBOUNDED and alpha == 0:
        message = (
            "The likelihood has no maximum: a score separates some labels, and coefficients grow "
            f"without bound (gradient {norm:.1e} after {estimate.n_iter} steps). Pass a small "
            "penalty, alpha=1e-4, or drop features; predictions are usable, coefficients are not."
        )
    else:
        return
    warn(message, ConvergenceWarning)
