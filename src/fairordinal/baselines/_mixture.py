r"""A random mixture of a model and the best constant label.

A coin is tossed for each row: with probability p the constant label is predicted, otherwise the
label of the model. Expected counts of predictions are therefore a mixture of two tables,
``T = (1 - p) T_model + p T_constant``. The expected cost is linear in T. Coins of two rows are
independent, so that the probability of ranking one row above another is bilinear, and ``wins`` of
the mixed table is its exact expectation: nothing is simulated.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from fairordinal._costs import cost_matrix as as_cost_matrix
from fairordinal._costs import cost_unit
from fairordinal._support import SiteLinkMixin, wholly
from fairordinal._table import ScoreTable, read_table
from fairordinal._validation import Array, check_share, warn_misaligned
from fairordinal.baselines._constant import cheapest_label
from fairordinal.baselines._inputs import fit_clone, read_labels
from fairordinal.criteria import PairwiseCriterion, as_criterion, warn_undefined
from fairordinal.estimators import NamedFeaturesMixin, learned_labels

PAPER_PROBABILITIES = tuple(j / 50 for j in range(1, 50))


class RandomizedMixtureClassifier(
    ClassifierMixin, NamedFeaturesMixin, SiteLinkMixin, BaseEstimator
):
    r"""Predict the best constant label with some probability, and the label of a model otherwise.

    This is the simplest way to trade accuracy for fairness. It is meant for comparisons: deciding
    about people by a coin is hardly acceptable. Expected cost and violation are exact.

    Parameters
    ----------
    estimator : classifier
        Predicts labels. It is fitted to numeric labels as they are, and to the codes 0 … k-1 of
        names.
    probability : float in [0, 1], default=0.5
        Probability of the constant label. `PAPER_PROBABILITIES` is the grid of the paper.
    cost_matrix : {"absolute", "zero_one", "squared", "asymmetric"} or array, default="absolute"
        What errors cost: a name, or an array of shape (n_labels, n_labels) with the cost of
        predicting label j for a row with label i.
    labels : sequence, default=None
        All labels in ascending order. Needed for names without an order.
    random_state : int, RandomState instance or None, default=None
        Seed for the coins of `predict`. With an int, every call tosses the same coins.

    Attributes
    ----------
    estimator_ : classifier
        Fitted.
    constant_ : label
        The label with the least mean cost, the lowest of several.
    classes_ : ndarray of shape (n_labels,)
        Labels in ascending order.

    See Also
    --------
    ConstantClassifier : The constant label alone.

    Notes
    -----
    Predictors (iv) in section 5.1 of [1]_. The paper averages over 100 simulations, and takes the
    absolute value before it averages: its violations are slightly larger where the expected
    disparity is near 0.

    References
    ----------
    .. [1] Kleindessner et al., AISTATS 2022, arXiv:2105.03153.

    Examples
    --------
    >>> from fairordinal.baselines import ProportionalOddsClassifier, RandomizedMixtureClassifier
    >>> from fairordinal.datasets import load_diabetes
    >>> data = load_diabetes()
    >>> rows = {"sensitive_features": data.sensitive_features}
    >>> for probability in (0.0, 0.5, 1.0):
    ...     model = RandomizedMixtureClassifier(ProportionalOddsClassifier(), probability)
    ...     model = model.fit(data.data, data.target)
    ...     cost = model.expected_cost(data.data, data.target)
    ...     violation = model.expected_violation(data.data, data.target, **rows)
    ...     print(f"{cost:.2f} {violation:.2f}")
    0.83 0.24
    1.02 0.15
    1.20 0.00
    """

    def __init__(
        self,
        estimator: Any,
        probability: float = 0.5,
        *,
        cost_matrix: Any = "absolute",
        labels: Any = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.probability = probability
        self.cost_matrix = cost_matrix
        self.labels = labels
        self.random_state = random_state

    @wholly
    def fit(
        self, X: Any, y: Any, *, sample_weight: Any = None, sensitive_features: Any = None
    ) -> RandomizedMixtureClassifier:
        """Fit the estimator, and find the constant label.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features, as the estimator accepts them.
        y : array-like of shape (n_samples,)
            True ordinal labels.
        sample_weight : array-like of shape (n_samples,), default=None
            A weight of 2 is a row repeated twice. Used for the constant label, and passed to the
            estimator if its `fit` accepts it.
        sensitive_features : array-like of shape (n_samples,), default=None
            Passed to the estimator if its `fit` accepts it. Rows are matched by position; an index
            is ignored.

        Returns
        -------
        self : RandomizedMixtureClassifier
            Fitted.
        """
        check_share(self.probability, "probability")
        rows = read_labels(X, y, sample_weight, self.labels)
        self.classes_ = rows.labels
        self._learned = learned_labels(self.estimator, self.classes_)
        columns = {"sample_weight": sample_weight, "sensitive_features": sensitive_features}
        self.estimator_ = fit_clone(self.estimator, X, self._learned[rows.codes], **columns)
        self._constant, _ = cheapest_label(rows, self.cost_matrix)
        self.constant_ = self.classes_.tolist()[self._constant]
        return self

    def predict(self, X: Any) -> Array:
        """Predict a label for each row at random, by a coin for each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features, as the estimator accepts them.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Labels.
        """
        codes, p = self._codes(X), check_share(self.probability, "probability")
        coins = check_random_state(self.random_state).uniform(size=len(codes))
        return self.classes_[np.where(coins < p, self._constant, codes)]

    def predict_proba(self, X: Any) -> Array:
        """Return the distribution of the predicted label of each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features, as the estimator accepts them.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_labels)
            In each row, only the constant label and the label of the estimator have a positive
            probability.
        """
        codes, p = self._codes(X), check_share(self.probability, "probability")
        probabilities = (1 - p) * np.eye(len(self.classes_))[codes]
        probabilities[:, self._constant] += p
        return probabilities

    def expected_cost(self, X: Any, y: Any, *, sample_weight: Any = None) -> float:
        """Return the expectation of the mean cost over the coins.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features, as the estimator accepts them.
        y : array-like of shape (n_samples,)
            True ordinal labels.
        sample_weight : array-like of shape (n_samples,), default=None
            A weight of 2 is a row repeated twice. Rows are matched by position; an index is
            ignored.

        Returns
        -------
        cost : float
            At least 0.
        """
        probabilities = self.predict_proba(X)
        rows = read_labels(X, y, sample_weight, self.classes_.tolist())
        matrix = as_cost_matrix(self.cost_matrix, self.classes_)
        unit = cost_unit(matrix)
        cost = (matrix / unit)[rows.codes]
        return unit * float(rows.weight @ (cost * probabilities).sum(axis=1) / rows.weight.sum())

    def expected_violation(
        self,
        X: Any,
        y: Any,
        *,
        sensitive_features: Any,
        criterion: Any = "demographic_parity",
        sample_weight: Any = None,
    ) -> float:
        """Return the violation of a pairwise criterion, with probabilities over pairs and coins.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features, as the estimator accepts them.
        y : array-like of shape (n_samples,)
            True ordinal labels.
        sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns)
            Group of each sample; several columns mean their intersections. Rows are matched by
            position; an index is ignored.
        criterion : str or PairwiseCriterion, default="demographic_parity"
            Pairwise criterion, such as ``"equal_opportunity"`` or ``"equalized_odds"``.
        sample_weight : array-like of shape (n_samples,), default=None
            A weight of 2 is a row repeated twice.

        Returns
        -------
        violation : float
            The largest absolute value of an expected disparity.
        """
        checked = as_criterion(criterion)
        if not isinstance(checked, PairwiseCriterion):
            raise ValueError(
                f"{type(checked).__name__} is about single samples; the expected violation is "
                "defined for pairwise criteria, such as 'demographic_parity'."
            )
        table = self._expected_table(X, y, sensitive_features, sample_weight)
        warn_undefined(checked, table)
        return checked.violation(table)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.non_deterministic = True
        tags.classifier_tags.poor_score = True
        return tags

    def _codes(self, X: Any) -> Array:
        """Return the codes of the labels that the estimator predicts."""
        check_is_fitted(self, "estimator_")
        code_of = {label: code for code, label in enumerate(self._learned.tolist())}
        predicted = np.asarray(self.estimator_.predict(X)).ravel().tolist()
        unknown = [label for label in predicted if label not in code_of]
        if unknown:
            raise ValueError(
                f"estimator predicts {unknown[0]!r}, which is not one of the labels "
                f"{self._learned.tolist()}. Pass a classifier, not a regressor."
            )
        return np.array([code_of[label] for label in predicted], dtype=np.intp)

    def _expected_table(
        self, X: Any, y: Any, sensitive_features: Any, sample_weight: Any
    ) -> ScoreTable:
        """Return expected counts by group, true label and predicted label."""
        warn_misaligned({"X": X, "y": y, "sensitive_features": sensitive_features})
        codes, labels = self._codes(X), self.classes_.tolist()
        model, constant = (
            read_table(
                y,
                self.classes_[predicted],
                sensitive_features,
                sample_weight=sample_weight,
                labels=labels,
            )
            for predicted in (codes, np.full_like(codes, self._constant))
        )
        return mix_tables(model, constant, check_share(self.probability, "probability"))


def mix_tables(model: ScoreTable, constant: ScoreTable, probability: float) -> ScoreTable:
    """Return expected counts if the constant label is predicted with some probability."""
    counts = (1 - probability) * model.counts + probability * constant.counts
    return replace(model, counts=counts)
