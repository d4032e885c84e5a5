"""Ordinal labels by fair binary classifiers: one for each question "is the label above c?"."""

from __future__ import annotations

from inspect import signature
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.dummy import DummyClassifier
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from fairordinal._fitting import wholly
from fairordinal._rows import seed_of
from fairordinal._validation import (
    Array,
    warn_misaligned,
)
from fairordinal.baselines._rows import count_rows, group_codes, read_grouped
from fairordinal.estimators import GroupedScoreMixin


class CumulativeClassifier(GroupedScoreMixin, MetaEstimatorMixin, BaseEstimator):
    """Fair binary classifiers for the questions "is the label above c?", counted.

    A way to compare with methods for two labels. Each question has a classifier of its own, and the
    label is the number of questions that are answered with yes: answers that contradict each
    other ("above 3, but not above 2") are made monotone that way.

    Parameters
    ----------
    estimator : classifier
        A binary classifier whose `fit` takes `sensitive_features`, such as fairlearn's
        ``ExponentiatedGradient`` or ``ThresholdOptimizer``. Sweep its own limit for a frontier. If
        its `predict` takes `sensitive_features`, so does that of this class.
    categories : sequence, default=None
        All labels in ascending order. Needed for names without an order.
    random_state : int, RandomState instance or None, default=0
        Seed for estimators with random predictions. All questions have the same one, so that the
        answers for a row depend on the same random number.

    Attributes
    ----------
    estimators_ : list of classifiers
        One for each label but the highest.
    classes_, groups_ : ndarray of shape (n_labels,) and (n_groups,)
        Labels in ascending order, and groups seen.

    See Also
    --------
    OrderedPartitionsClassifier : Probabilities of such questions, without fairness.

    Notes
    -----
    Fairness of every answer does not make the counts fair for pairs of rows; the comparison is
    about what users of binary methods can reach. Cost: as many fits as there are labels, less
    one.

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

    def __init__(self, estimator: Any, *, categories: Any = None, random_state: Any = 0) -> None:
        self.estimator = estimator
        self.categories = categories
        self.random_state = random_state

    @wholly
    def fit(self, X: Any, y: Any, *, sensitive_features: Any) -> CumulativeClassifier:
        """Fit a classifier for each question.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Whatever the estimator takes.
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
        rows, groups = read_grouped(X, y, sensitive_features, None, self.categories)
        self.classes_, self.groups_ = rows.labels, groups.levels
        cuts = range(len(rows.labels) - 1)
        self.estimators_ = [
            self._fit_one(X, rows.codes > cut, groups.codes(slice(None))) for cut in cuts
        ]
        return self

    def _fit_one(self, X: Any, above: Array, group: Array) -> Any:
        """The classifier of a question; a constant one, if all answers are the same."""
        if above.min() == above.max():
            return DummyClassifier(strategy="most_frequent").fit(X, above.astype(np.intp))
        return clone(self.estimator).fit(X, above.astype(np.intp), sensitive_features=group)

    def predict(self, X: Any, *, sensitive_features: Any = None) -> Array:
        """Predict a label for each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Whatever the estimator takes.
        sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns)
            Group of each sample; needed if the estimator's `predict` takes it, else ignored. Rows
            are matched by position; an index is ignored.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Labels.
        """
        check_is_fitted(self, "estimators_")
        possible: dict[str, Any] = {"random_state": seed_of(self.random_state)}
        if "sensitive_features" in signature(self.estimator.predict).parameters:
            warn_misaligned({"X": X, "sensitive_features": sensitive_features})
            group = group_codes(sensitive_features, self.groups_, count_rows(X))
            possible["sensitive_features"] = group
        answers = [_answers(model, X, possible) for model in self.estimators_]
        return self.classes_[np.sum(answers, axis=0)]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = get_tags(self.estimator).input_tags
        tags.input_tags.sparse, tags.input_tags.allow_nan = inner.sparse, inner.allow_nan
        return tags

    @property
    def n_features_in_(self) -> int:
        return self.estimators_[0].n_features_in_


def _answers(model: Any, X: Any, possible: dict[str, Any]) -> Array:
    """Predictions, with those of the possible arguments that `predict` takes."""
    taken = signature(model.predict).parameters
    passed = {name: value for name, value in possible.items() if name in taken}
    return np.asarray(model.predict(X, **passed)).astype(np.intp)
