"""The best constant label: the simplest predictor that is fair."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from fairordinal._costs import cost_matrix as as_cost_matrix
from fairordinal._costs import cost_unit
from fairordinal._fitting import wholly
from fairordinal._validation import Array
from fairordinal.baselines._rows import Labelled, count_rows, read_labels


def cheapest_label(rows: Labelled, cost_matrix: Any) -> tuple[int, float]:
    """Code of the label with the least mean cost, the lowest of several, and that cost."""
    totals = rows.totals
    matrix = as_cost_matrix(cost_matrix, rows.labels)
    unit = cost_unit(matrix)
    cost = totals @ (matrix / unit) / totals.sum()
    near = cost <= cost.min() * (1 + 1e-12)  # equal but for rounding
    code = int(np.flatnonzero(near)[0])
    return code, unit * float(cost[code])


class ConstantClassifier(ClassifierMixin, BaseEstimator):
    r"""Predict one label for everybody: the one with the least mean cost.

    With absolute cost it is the (weighted, lower) median of the labels, with zero-one cost the
    most frequent label. It treats groups alike: every pairwise violation is 0.

    Parameters
    ----------
    cost_matrix : {"absolute", "zero_one", "squared", "asymmetric"} or array, default="absolute"
        The price of errors.
    categories : sequence, default=None
        All labels in ascending order. Needed for names without an order.

    Attributes
    ----------
    constant_ : label
        What is predicted; of several that cost the same, the lowest.
    cost_ : float
        Its mean cost on the rows given.
    classes_ : ndarray of shape (n_labels,)
        Labels in ascending order.

    Notes
    -----
    :math:`\arg\min_j \sum_i w_i C_{y_i, j}`. Cost: one count of the rows. The "best constant
    predictor" in section 5.1 of Kleindessner et al., AISTATS 2022, arXiv:2105.03153.

    Examples
    --------
    >>> from fairordinal.baselines import ConstantClassifier
    >>> model = ConstantClassifier().fit([[0]] * 5, [1, 1, 2, 4, 4])
    >>> model.constant_, model.cost_                             # (1 + 1 + 0 + 2 + 2) / 5
    (2, 1.2)
    """

    def __init__(self, cost_matrix: Any = "absolute", *, categories: Any = None) -> None:
        self.cost_matrix = cost_matrix
        self.categories = categories

    @wholly
    def fit(
        self, X: Any, y: Any, *, sample_weight: Any = None, sensitive_features: Any = None
    ) -> ConstantClassifier:
        """Find the label.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Not looked at.
        y : array-like of shape (n_samples,)
            True ordinal labels.
        sample_weight : array-like of shape (n_samples,), default=None
            A weight of 2 is a row repeated twice.
        sensitive_features : array-like, default=None
            Ignored; taken so that fair estimators can be replaced by this one. Rows are matched
            by position; an index is ignored.

        Returns
        -------
        self : ConstantClassifier
            Fitted.
        """
        validate_data(self, X, skip_check_array=True)
        rows = read_labels(X, y, sample_weight, self.categories, least=1)
        self.classes_ = rows.labels
        code, self.cost_ = cheapest_label(rows, self.cost_matrix)
        self.constant_ = self.classes_.tolist()[code]
        self._code = code
        return self

    def predict(self, X: Any) -> Array:
        """The constant label for each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Not looked at, but for its number of rows.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Labels.
        """
        return np.full(len(self.decision_function(X)), self.classes_[self._code])

    def decision_function(self, X: Any) -> Array:
        """Scores that tell nobody apart.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Not looked at, but for its number of rows.

        Returns
        -------
        scores : ndarray of shape (n_samples,)
            Zeros.
        """
        check_is_fitted(self, "constant_")
        validate_data(self, X, reset=False, skip_check_array=True)
        return np.zeros(count_rows(X))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.no_validation = True
        tags.input_tags.sparse = True
        tags.classifier_tags.poor_score = True
        return tags
