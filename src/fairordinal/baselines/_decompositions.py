"""Classifiers that reduce an ordinal problem to several simpler problems.

`CumulativeClassifier` makes fair binary classifiers ordinal, for comparisons. The others are those
methods of ORCA that skordinal lacks; they ignore fairness.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from inspect import signature
from typing import Any

import numpy as np
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.dummy import DummyClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from fairordinal._rows import seed_of
from fairordinal._support import SiteLinkMixin, wholly
from fairordinal._validation import Array, warn_misaligned
from fairordinal.baselines._inputs import (
    count_rows,
    group_codes,
    read_labels,
    read_labels_and_groups,
)
from fairordinal.estimators import GroupedScoreMixin, WrapperMixin

N_FOLDS = 5
MIN_DISTANCE = 4.0  # between the two thresholds of a model whose scores become probabilities


class CumulativeClassifier(GroupedScoreMixin, WrapperMixin, SiteLinkMixin, BaseEstimator):
    """Fair binary classifiers for the questions "is the label above c?".

    This makes fair methods for two labels comparable. There is a binary classifier for each label c
    but the highest. The predicted label is the number of positive answers, also where answers
    contradict each other ("above 3, but not above 2").

    Parameters
    ----------
    estimator : classifier
        A binary classifier whose `fit` accepts `sensitive_features`, such as fairlearn's
        ``ExponentiatedGradient`` or ``ThresholdOptimizer``. If its `predict` requires
        `sensitive_features`, so does that of this class. Vary its limit for a frontier.
    labels : sequence, default=None
        All labels in ascending order. Needed for names without an order.
    random_state : int, RandomState instance or None, default=0
        Seed for estimators with random predictions. It is the same for all questions, so that the
        answers for a row depend on the same random number.

    Attributes
    ----------
    estimators_ : list of classifiers
        One for each label but the highest.
    classes_ : ndarray of shape (n_labels,)
        Labels in ascending order.
    groups_ : ndarray of shape (n_groups,)
        Groups seen in `fit`.

    See Also
    --------
    OrderedPartitionsClassifier : Answers the same questions, without fairness.

    Notes
    -----
    Even if every answer is fair, the predicted labels need not satisfy pairwise criteria. The
    estimator is fitted once for each label but the highest.

    Examples
    --------
    >>> from fairlearn.reductions import DemographicParity, ExponentiatedGradient
    >>> from sklearn.linear_model import LogisticRegression
    >>> from fairordinal.baselines import CumulativeClassifier
    >>> from fairordinal.datasets import load_diabetes
    >>> data = load_diabetes()
    >>> binary = ExponentiatedGradient(
    ...     LogisticRegression(), DemographicParity(difference_bound=0.05), max_iter=5)
    >>> model = CumulativeClassifier(binary)
    >>> model = model.fit(data.data, data.target, sensitive_features=data.sensitive_features)
    >>> model.predict(data.data[:3]).shape
    (3,)
    """

    def __init__(self, estimator: Any, *, labels: Any = None, random_state: Any = 0) -> None:
        self.estimator = estimator
        self.labels = labels
        self.random_state = random_state

    @wholly
    def fit(self, X: Any, y: Any, *, sensitive_features: Any) -> CumulativeClassifier:
        """Fit a binary classifier for each label but the highest.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features, as the estimator accepts them.
        y : array-like of shape (n_samples,)
            True ordinal labels.
        sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns)
            Group of each sample; several columns mean their intersections. Rows are matched by
            position; an index is ignored.

        Returns
        -------
        self : CumulativeClassifier
            Fitted.
        """
        rows, groups = read_labels_and_groups(X, y, sensitive_features, None, self.labels)
        self.classes_, self.groups_ = rows.labels, groups.levels
        cuts, group = range(len(rows.labels) - 1), groups.codes(slice(None))
        self.estimators_ = [self._fit_one(X, rows.codes > cut, group) for cut in cuts]
        return self

    def _fit_one(self, X: Any, above: Array, group: Array) -> Any:
        """Fit the classifier of a question; a constant one if all answers are the same."""
        if above.min() == above.max():
            return DummyClassifier(strategy="most_frequent").fit(X, above.astype(np.intp))
        return clone(self.estimator).fit(X, above.astype(np.intp), sensitive_features=group)

    def predict(self, X: Any, *, sensitive_features: Any = None) -> Array:
        """Predict a label for each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features, as the estimator accepts them.
        sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns)
            Group of each sample. Required if the estimator's `predict` accepts it, else ignored.
            Rows are matched by position; an index is ignored.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Labels.
        """
        check_is_fitted(self, "estimators_")
        arguments: dict[str, Any] = {"random_state": seed_of(self.random_state)}
        if "sensitive_features" in signature(self.estimator.predict).parameters:
            warn_misaligned({"X": X, "sensitive_features": sensitive_features})
            group = group_codes(sensitive_features, self.groups_, count_rows(X))
            arguments["sensitive_features"] = group
        answers = [_answers(model, X, arguments) for model in self.estimators_]
        return self.classes_[np.sum(answers, axis=0)]

    @property
    def _fitted(self) -> Any:
        return self.estimators_[0]


def _answers(model: Any, X: Any, arguments: dict[str, Any]) -> Array:
    """Return predictions 0 or 1, made with those of the arguments that `predict` accepts."""
    accepted = signature(model.predict).parameters
    passed = {name: value for name, value in arguments.items() if name in accepted}
    return np.asarray(model.predict(X, **passed)).astype(np.intp)


class _Decomposition(ClassifierMixin, MetaEstimatorMixin, SiteLinkMixin, BaseEstimator, ABC):
    """Base class of ORCA's decompositions: codes of the labels that occur, in and out."""

    labels: Any

    @wholly
    def fit(self, X: Any, y: Any, *, sensitive_features: Any = None) -> Any:
        """Fit the classifiers of the simpler problems.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features.
        y : array-like of shape (n_samples,)
            True ordinal labels.
        sensitive_features : array-like, default=None
            Ignored. It is accepted so that this class can replace fair estimators. Rows are
            matched by position; an index is ignored.

        Returns
        -------
        self : estimator
            Fitted.
        """
        X = validate_data(self, X, dtype=np.float64, ensure_min_samples=2)
        rows = read_labels(X, y, None, self.labels)
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
        """Fit the classifiers to codes 0 … n_labels - 1 of the labels that occur."""

    @abstractmethod
    def _predict_codes(self, X: Array) -> Array:
        """Predict codes of the labels that occur."""


class OrderedPartitionsClassifier(_Decomposition):
    """Binary classifiers for "is the label above c?", with larger weights far from c.

    Parameters
    ----------
    estimator : classifier
        Its `fit` accepts `sample_weight`. If it has no `predict_proba`, probabilities are a sigmoid
        of its `decision_function`, fitted by cross-validation.
    labels : sequence, default=None
        All labels in ascending order. Those that do not occur are never predicted.

    Attributes
    ----------
    estimators_ : list of classifiers
        One for each label but the highest.
    classes_ : ndarray of shape (n_labels,)
        Labels in ascending order.

    Notes
    -----
    The probability of a label is the difference of two neighbouring probabilities (Frank, Hall,
    ECML 2001). A row is weighted by its distance from c, with a mean weight of 1 on either side
    (Waegeman, Boullart, 2009). ORCA's SVMOP.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from fairordinal.baselines import OrderedPartitionsClassifier
    >>> X, y = [[0], [1], [2], [3], [4], [5]], [1, 1, 2, 2, 3, 3]
    >>> OrderedPartitionsClassifier(LogisticRegression()).fit(X, y).predict([[0], [9]])
    array([1, 3])
    """

    def __init__(self, estimator: Any, *, labels: Any = None) -> None:
        self.estimator = estimator
        self.labels = labels

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
    """Fit a binary classifier with `predict_proba`, calibrated on held-out rows if possible."""
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
    """Return the distance of each row from the cut above label `cut`, 1 on average per side."""
    distance = np.where(codes > cut, codes - cut, cut + 1 - codes).astype(np.float64)
    for side in (codes > cut, codes <= cut):
        distance[side] /= distance[side].mean()
    return distance


class ProjectionEnsembleClassifier(_Decomposition):
    """Threshold models for "below, at or above label c?", whose probabilities are multiplied.

    Parameters
    ----------
    estimator : classifier
        A threshold model with `predict_projection` and `thresholds_`, such as skordinal's SVOR.
    labels : sequence, default=None
        All labels in ascending order. Those that do not occur are never predicted.

    Attributes
    ----------
    estimators_ : list of classifiers
        One for each label.
    classes_ : ndarray of shape (n_labels,)
        Labels in ascending order.

    Notes
    -----
    Probabilities of below, at and above are logistic in the distance from the thresholds. Scores
    are stretched so that the two thresholds are at least 4 apart. The probabilities of below and
    above are divided evenly among their labels.
    Pérez-Ortiz, Gutiérrez, Hervás-Martínez: Projection-Based Ensemble Learning for Ordinal
    Regression, IEEE Transactions on Cybernetics 44, 2014. ORCA's OPBE.
    """

    def __init__(self, estimator: Any, *, labels: Any = None) -> None:
        self.estimator = estimator
        self.labels = labels

    def _fit_parts(self, X: Array, codes: Array, n_labels: int) -> None:
        self.estimators_ = [
            clone(self.estimator).fit(X, np.sign(codes - label)) for label in range(n_labels)
        ]

    def _predict_codes(self, X: Array) -> Array:
        n_labels = len(self.estimators_)
        logs, mass = np.zeros((len(X), n_labels)), np.zeros(n_labels)
        for label, part in enumerate(self.estimators_):
            side = np.sign(np.arange(n_labels) - label)
            _, column, sizes = np.unique(side, return_inverse=True, return_counts=True)
            shared = _side_probabilities(part, X)[:, column] / sizes[column]
            logs += np.log(np.maximum(shared, np.finfo(float).tiny))
            mass += 1 / sizes[column]
        return (logs - np.log(mass)).argmax(axis=1)


def _side_probabilities(model: Any, X: Array) -> Array:
    """Return the probabilities of the two or three labels of a threshold model."""
    thresholds, scores = np.asarray(model.thresholds_), np.asarray(model.predict_projection(X))
    if len(thresholds) == 2:
        stretch = max(1.0, MIN_DISTANCE / max(abs(thresholds[1] - thresholds[0]), 1e-12))
        thresholds, scores = thresholds * stretch, scores * stretch
    up_to = expit(thresholds - scores[:, None])
    ends = np.column_stack([np.zeros(len(X)), up_to, np.ones(len(X))])
    return np.maximum(np.diff(ends, axis=1), 0.0)


class HierarchicalClassifier(_Decomposition):
    """A binary classifier for the lowest label, and an ordinal one for the other labels.

    Parameters
    ----------
    binary : classifier
        Tells the lowest label from the others.
    ordinal : classifier
        Tells the other labels apart.
    labels : sequence, default=None
        All labels in ascending order. Those that do not occur are never predicted.

    Attributes
    ----------
    binary_ : classifier
        Fitted.
    ordinal_ : classifier or None
        Fitted; None if only two labels occur.
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

    def __init__(self, binary: Any, ordinal: Any, *, labels: Any = None) -> None:
        self.binary = binary
        self.ordinal = ordinal
        self.labels = labels

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
