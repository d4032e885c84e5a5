r"""A coin between a model and the best constant label.

Each row tosses its own coin, so that its prediction is a distribution over labels: the constant
with probability p, the model's label otherwise. Counts of predictions are therefore a mixture of
two tables, ``T = (1 - p) T_model + p T_constant``. The cost is linear in T. Two rows of different
groups are different rows with independent coins, so the probability that one is placed above the
other is bilinear, and ``wins`` of the mixed table counts it exactly; nothing is simulated.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin
from sklearn.utils import check_random_state, get_tags
from sklearn.utils.validation import check_is_fitted

from fairordinal._costs import cost_matrix as as_cost_matrix
from fairordinal._costs import cost_unit
from fairordinal._fitting import wholly
from fairordinal._table import ScoreTable, read_table
from fairordinal._validation import Array, check_share, warn_misaligned
from fairordinal.baselines._constant import cheapest_label
from fairordinal.baselines._rows import fit_clone, read_labels
from fairordinal.criteria import PairwiseCriterion, as_criterion, warn_undefined
from fairordinal.estimators import learned_labels

PAPER_PROBABILITIES = tuple(j / 50 for j in range(1, 50))


class RandomizedMixtureClassifier(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    r"""With some probability predict the best constant label, otherwise ask an estimator.

    The simplest way to trade accuracy for fairness, for comparison: to decide about people by a
    coin is hardly acceptable. Expected cost and violation are exact.

    Parameters
    ----------
    estimator : classifier
        Predicts labels. Fitted to numbers as they are, and to the places 0 … k-1 of names.
    probability : float in [0, 1], default=0.5
        Of the constant label. `PAPER_PROBABILITIES` is the grid of the paper.
    cost_matrix : {"absolute", "zero_one", "squared", "asymmetric"} or array, default="absolute"
        The price of errors.
    categories : sequence, default=None
        All labels in ascending order. Needed for names without an order.
    random_state : int, RandomState instance or None, default=None
        For the coins of `predict`. With an int, the same rows have the same coins at each call.

    Attributes
    ----------
    estimator_ : classifier
        Fitted.
    constant_ : label
        The label with the least mean cost, the lowest of several.
    classes_ : ndarray of shape (n_labels,)
        Labels in ascending order.

    Notes
    -----
    Section 5.1, predictors (iv), of Kleindessner et al., AISTATS 2022, arXiv:2105.03153. The paper
    averages over 100 simulations, and takes the absolute value before it averages: its violations
    are a little greater where the expected disparity is near 0.

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
        categories: Any = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.probability = probability
        self.cost_matrix = cost_matrix
        self.categories = categories
        self.random_state = random_state

    @wholly
    def fit(
        self, X: Any, y: Any, *, sample_weight: Any = None, sensitive_features: Any = None
    ) -> RandomizedMixtureClassifier:
        """Fit the estimator, and find the constant label.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Whatever the estimator takes.
        y : array-like of shape (n_samples,)
            True ordinal labels.
        sample_weight, sensitive_features : array-like of shape (n_samples,), default=None
            Passed to the estimator if its `fit` takes them; weights count for the constant too.
            Rows are matched by position; an index is ignored.

        Returns
        -------
        self : RandomizedMixtureClassifier
            Fitted.
        """
        check_share(self.probability, "probability")
        rows = read_labels(X, y, sample_weight, self.categories)
        self.classes_ = rows.labels
        self._learned = learned_labels(self.estimator, self.classes_)
        columns = {"sample_weight": sample_weight, "sensitive_features": sensitive_features}
        self.estimator_ = fit_clone(self.estimator, X, self._learned[rows.codes], **columns)
        self._constant, _ = cheapest_label(rows, self.cost_matrix)
        self.constant_ = self.classes_.tolist()[self._constant]
        return self

    def predict(self, X: Any) -> Array:
        """Predict at random: toss a coin for each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Whatever the estimator takes.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Labels.
        """
        codes, p = self._codes(X), check_share(self.probability, "probability")
        coins = check_random_state(self.random_state).uniform(size=len(codes))
        return self.classes_[np.where(coins < p, self._constant, codes)]

    def predict_proba(self, X: Any) -> Array:
        """The distribution of the prediction of each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Whatever the estimator takes.

        Returns
        -------
        probabilities : ndarray of shape (n_samples, n_labels)
            At most two labels of a row have any: the constant and that of the estimator.
        """
        codes, p = self._codes(X), check_share(self.probability, "probability")
        spread = (1 - p) * np.eye(len(self.classes_))[codes]
        spread[:, self._constant] += p
        return spread

    def expected_cost(self, X: Any, y: Any, *, sample_weight: Any = None) -> float:
        """Mean cost, expected over the coins.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Whatever the estimator takes.
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
        spread = self.predict_proba(X)
        rows = read_labels(X, y, sample_weight, self.classes_.tolist())
        matrix = as_cost_matrix(self.cost_matrix, self.classes_)
        unit = cost_unit(matrix)
        cost = (matrix / unit)[rows.codes]
        return unit * float(rows.weight @ (cost * spread).sum(axis=1) / rows.weight.sum())

    def expected_violation(
        self,
        X: Any,
        y: Any,
        *,
        sensitive_features: Any,
        criterion: Any = "demographic_parity",
        sample_weight: Any = None,
    ) -> float:
        """Violation of a pairwise criterion, its probabilities taken over pairs and coins.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Whatever the estimator takes.
        y : array-like of shape (n_samples,)
            True ordinal labels.
        sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns)
            Group of each sample; several columns mean their intersections. Rows are matched by
            position; an index is ignored.
        criterion : str or PairwiseCriterion, default="demographic_parity"
            What is fair: also ``"equal_opportunity"``, ``"equalized_odds"``, …
        sample_weight : array-like of shape (n_samples,), default=None
            A weight of 2 is a row repeated twice.

        Returns
        -------
        violation : float
            The greatest absolute value of an expected disparity.
        """
        notion = as_criterion(criterion)
        if not isinstance(notion, PairwiseCriterion):
            raise ValueError(
                f"{type(notion).__name__} speaks of single samples; the expected violation is "
                "known for pairwise criteria, such as 'demographic_parity'."
            )
        table = self._expected_table(X, y, sensitive_features, sample_weight)
        warn_undefined(notion, table, stacklevel=3)
        return notion.violation(table)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = get_tags(self.estimator).input_tags
        tags.input_tags.sparse, tags.input_tags.allow_nan = inner.sparse, inner.allow_nan
        tags.non_deterministic = True
        tags.classifier_tags.poor_score = True
        return tags

    @property
    def n_features_in_(self) -> int:
        return self.estimator_.n_features_in_

    @property
    def feature_names_in_(self) -> Array:
        return self.estimator_.feature_names_in_

    def _codes(self, X: Any) -> Array:
        """Places of the labels that the estimator predicts."""
        check_is_fitted(self, "estimator_")
        place = {label: code for code, label in enumerate(self._learned.tolist())}
        predicted = np.asarray(self.estimator_.predict(X)).ravel().tolist()
        strange = [label for label in predicted if label not in place]
        if strange:
            raise ValueError(
                f"estimator predicts {strange[0]!r}, which is not one of the labels "
                f"{self._learned.tolist()}. Mix a classifier, not a regressor."
            )
        return np.array([place[label] for label in predicted], dtype=np.intp)

    def _expected_table(
        self, X: Any, y: Any, sensitive_features: Any, sample_weight: Any
    ) -> ScoreTable:
        """Expected counts by group, true label and predicted label."""
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
        p = check_share(self.probability, "probability")
        return replace(model, counts=(1 - p) * model.counts + p * constant.counts)
