"""Ordinal problems taken apart into simpler ones: what skordinal lacks of ORCA."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.frozen import FrozenEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from fairordinal._fitting import wholly
from fairordinal._validation import Array
from fairordinal.baselines._rows import read_labels

N_FOLDS = 5
FAR_APART = 4.0  # least distance of two thresholds before probabilities are read off


class _Decomposition(ClassifierMixin, MetaEstimatorMixin, BaseEstimator, ABC):
    """What the decompositions have in common: reading rows, and the most probable label."""

    categories: Any

    @wholly
    def fit(self, X: Any, y: Any, *, sensitive_features: Any = None) -> Any:
        """Fit the parts.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features.
        y : array-like of shape (n_samples,)
            True ordinal labels.
        sensitive_features : array-like, default=None
            Ignored; taken so that fair estimators can be replaced by this one. Rows are matched
            by position; an index is ignored.

        Returns
        -------
        self : estimator
            Fitted.
        """
        X = validate_data(self, X, dtype=np.float64, ensure_min_samples=2)
        rows = read_labels(X, y, None, self.categories)
        self.classes_, self._occurring = rows.labels, np.unique(rows.codes)
        if len(self._occurring) < 2:
            raise ValueError(
                f"y has one label that occurs ({self.classes_.tolist()[self._occurring[0]]!r}); a "
                "decomposition needs two. Take ConstantClassifier."
            )
        codes = np.searchsorted(self._occurring, rows.codes)
        self._fit_parts(X, codes, len(self._occurring))
        return self

    def predict(self, X: Any) -> Array:
        """Predict a label for each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Labels.
        """
        check_is_fitted(self, "classes_")
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return self.classes_[self._occurring[self._predict_codes(X)]]

    @abstractmethod
    def _fit_parts(self, X: Array, codes: Array, n_labels: int) -> None:
        """Fit the parts to codes of the labels that occur."""

    @abstractmethod
    def _predict_codes(self, X: Array) -> Array:
        """Codes of the labels that occur."""


class OrderedPartitionsClassifier(_Decomposition):
    """Is the label above c? A binary classifier for each c, rows far from c weighing more.

    Parameters
    ----------
    estimator : classifier
        With weights in `fit`. Without `predict_proba`, probabilities are a sigmoid of its
        `decision_function`, fitted by cross-validation.
    categories : sequence, default=None
        All labels in ascending order. Those that do not occur are never predicted.

    Attributes
    ----------
    estimators_ : list of classifiers
        One for each label but the highest.
    classes_ : ndarray of shape (n_labels,)
        Labels in ascending order.

    Notes
    -----
    Probabilities of labels are differences of neighbours (Frank, Hall, ECML 2001); rows weigh
    their distance from the cut, on either side as much as there are rows (Waegeman, Boullart,
    2009). ORCA's SVMOP.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from fairordinal.baselines import OrderedPartitionsClassifier
    >>> X, y = [[0], [1], [2], [3], [4], [5]], [1, 1, 2, 2, 3, 3]
    >>> OrderedPartitionsClassifier(LogisticRegression()).fit(X, y).predict([[0], [9]])
    array([1, 3])
    """

    def __init__(self, estimator: Any, *, categories: Any = None) -> None:
        self.estimator = estimator
        self.categories = categories

    def _fit_parts(self, X: Array, codes: Array, n_labels: int) -> None:
        self.estimators_ = [
            _with_probabilities(self.estimator, X, codes > cut, _distances(codes, cut))
            for cut in range(n_labels - 1)
        ]

    def _predict_codes(self, X: Array) -> Array:
        above = [part.predict_proba(X)[:, 1] for part in self.estimators_]
        ends = np.array([np.ones(len(X)), *above, np.zeros(len(X))])
        return (ends[:-1] - ends[1:]).argmax(axis=0)


def _with_probabilities(estimator: Any, X: Array, above: Array, weight: Array) -> Any:
    """Fit a binary classifier; scores become probabilities on held-out rows, if there are any."""
    rare = int(min(above.sum(), (~above).sum()))
    if hasattr(estimator, "predict_proba"):
        model = clone(estimator)
    elif rare > 1:
        model = CalibratedClassifierCV(estimator, ensemble=False, cv=min(N_FOLDS, rare))
    else:
        fitted = clone(estimator).fit(X, above, sample_weight=weight)
        same = [(np.arange(len(X)), np.arange(len(X)))]
        model = CalibratedClassifierCV(FrozenEstimator(fitted), ensemble=False, cv=same)
    return model.fit(X, above, sample_weight=weight)


def _distances(codes: Array, cut: int) -> Array:
    """Distance of each row from a cut between labels, 1 on average on either side."""
    away = np.where(codes > cut, codes - cut, cut + 1 - codes).astype(np.float64)
    for side in (codes > cut, codes <= cut):
        away[side] /= away[side].mean()
    return away


class ProjectionEnsembleClassifier(_Decomposition):
    """Below, at or above label c? A threshold model for each c; their probabilities multiplied.

    Parameters
    ----------
    estimator : classifier
        A threshold model with `predict_projection` and `thresholds_`, as skordinal's SVOR.
    categories : sequence, default=None
        All labels in ascending order. Those that do not occur are never predicted.

    Attributes
    ----------
    estimators_ : list of classifiers
        One for each label.
    classes_ : ndarray of shape (n_labels,)
        Labels in ascending order.

    Notes
    -----
    Probabilities of below, at and above are logistic in the distance from the thresholds (drawn
    apart to 4 if nearer), and those of below and above are shared evenly among their labels.
    Pérez-Ortiz, Gutiérrez, Hervás-Martínez: Projection-Based Ensemble Learning for Ordinal
    Regression, IEEE Transactions on Cybernetics 44, 2014. ORCA's OPBE.
    """

    def __init__(self, estimator: Any, *, categories: Any = None) -> None:
        self.estimator = estimator
        self.categories = categories

    def _fit_parts(self, X: Array, codes: Array, n_labels: int) -> None:
        self.estimators_ = [
            clone(self.estimator).fit(X, np.sign(codes - label)) for label in range(n_labels)
        ]

    def _predict_codes(self, X: Array) -> Array:
        n_labels = len(self.estimators_)
        logs, mass = np.zeros((len(X), n_labels)), np.zeros(n_labels)
        for label, part in enumerate(self.estimators_):
            side = np.sign(np.arange(n_labels) - label)
            _, place, sizes = np.unique(side, return_inverse=True, return_counts=True)
            shared = _side_probabilities(part, X)[:, place] / sizes[place]
            logs += np.log(np.maximum(shared, np.finfo(float).tiny))
            mass += 1 / sizes[place]
        return (logs - np.log(mass)).argmax(axis=1)


def _side_probabilities(model: Any, X: Array) -> Array:
    """Probabilities of a threshold model's two or three labels."""
    cuts, scores = np.asarray(model.thresholds_), np.asarray(model.predict_projection(X))
    if len(cuts) == 2:
        stretch = max(1.0, FAR_APART / max(abs(cuts[1] - cuts[0]), 1e-12))
        cuts, scores = cuts * stretch, scores * stretch
    up_to = expit(cuts - scores[:, None])
    ends = np.column_stack([np.zeros(len(X)), up_to, np.ones(len(X))])
    return np.maximum(np.diff(ends, axis=1), 0.0)


class HierarchicalClassifier(_Decomposition):
    """The lowest label or another one? Then: which other one?

    Parameters
    ----------
    binary, ordinal : classifier
        For the two questions.
    categories : sequence, default=None
        All labels in ascending order. Those that do not occur are never predicted.

    Attributes
    ----------
    binary_, ordinal_ : classifier
        Fitted; `ordinal_` is None where only two labels occur.
    classes_ : ndarray of shape (n_labels,)
        Labels in ascending order.

    Notes
    -----
    Sánchez-Monedero, Pérez-Ortiz, Sáez, Gutiérrez, Hervás-Martínez: Partial Order Label
    Decomposition Approaches for Melanoma Diagnosis, Applied Soft Computing 64, 2018. ORCA's HPOLD.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from fairordinal.baselines import HierarchicalClassifier, ProportionalOddsClassifier
    >>> X, y = [[0], [1], [2], [3], [4], [5]], [1, 1, 2, 2, 3, 3]
    >>> model = HierarchicalClassifier(LogisticRegression(), ProportionalOddsClassifier(alpha=0.1))
    >>> model.fit(X, y).predict([[0], [9]])
    array([1, 3])
    """

    def __init__(self, binary: Any, ordinal: Any, *, categories: Any = None) -> None:
        self.binary = binary
        self.ordinal = ordinal
        self.categories = categories

    def _fit_parts(self, X: Array, codes: Array, n_labels: int) -> None:
        self.binary_ = clone(self.binary).fit(X, codes > 0)
        others = codes > 0
        self.ordinal_ = clone(self.ordinal).fit(X[others], codes[others]) if n_labels > 2 else None

    def _predict_codes(self, X: Array) -> Array:
        codes = np.asarray(self.binary_.predict(X)).astype(np.intp)
        higher = codes > 0
        if self.ordinal_ is not None and higher.any():
            codes[higher] = self.ordinal_.predict(X[higher])
        return codes
