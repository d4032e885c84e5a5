"""The best constant label: the simplest fair predictor."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from fairordinal._costs import cost_matrix as as_cost_matrix
from fairordinal._costs import cost_unit
from fairordinal._support import SiteLinkMixin, wholly
from fairordinal._validation import Array
from fairordinal.baselines._inputs import CodedLabels, count_rows, read_labels


def cheapest_label(rows: CodedLabels, cost_matrix: Any) -> tuple[int, float]:
    """Return the code of the label with the least mean cost, and that cost.

    Of several labels with the same cost, it is the lowest.
    """
    totals = rows.totals
    matrix = as_cost_matrix(cost_matrix, rows.labels)
    unit = cost_unit(matrix)
    cost = totals @ (matrix / unit) / totals.sum()
    minimal = cost <= cost.min() * (1 + 1e-12)  # equal up to rounding
    code = int(np.flatnonzero(minimal)[0])
    return code, unit * float(cost[code])


class ConstantClassifier(ClassifierMixin, SiteLinkMixin, BaseEstimator):
    r"""Constant predictor: one label for all rows, the one with the least mean cost.

    With absolute cost it is the (weighted, lower) median of the labels, with zero-one cost the
    most frequent label. All groups get the same label, so that every pairwise violation is 0.

    Parameters
    ----------
    cost_matrix : {"absolute", "zero_one", "squared", "asymmetric"} or array, default="absolute"
        What errors cost: a name, or an array of shape (n_labels, n_labels) with the cost of
        predicting label j for a row with label i.
    labels : sequence, default=None
        All labels in ascending order. Needed for names without an order.

    Attributes
    ----------
    constant_ : label
        The predicted label. Of several labels with the same cost, it is the lowest.
    cost_ : float
        Its mean cost on the training rows.
    classes_ : ndarray of shape (n_labels,)
        Labels in ascending order.

    See Also
    --------
    RandomizedMixtureClassifier : A coin between a model and this predictor.

    Notes
    -----
    The label is :math:`\arg\min_j \sum_i w_i C_{y_i, j}`; rows are counted once. It is the "best
    constant predictor" in section 5.1 of [1]_.

    References
    ----------
    .. [1] Kleindessner et al., AISTATS 2022, arXiv:2105.03153.

    Examples
    --------
    >>> from fairordinal.baselines import ConstantClassifier
    >>> model = ConstantClassifier().fit([[0]] * 5, [1, 1, 2, 4, 4])
    >>> model.constant_, model.cost_                             # (1 + 1 + 0 + 2 + 2) / 5
    (2, 1.2)
    """

    def __init__(self, cost_matrix: Any = "absolute", *, labels: Any = None) -> None:
        self.cost_matrix = cost_matrix
        self.labels = labels

    @wholly
    def fit(
        self, X: Any, y: Any, *, sample_weight: Any = None, sensitive_features: Any = None
    ) -> ConstantClassifier:
        """Find the label with the least mean cost.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Ignored, except for the number of rows.
        y : array-like of shape (n_samples,)
            True ordinal labels.
        sample_weight : array-like of shape (n_samples,), default=None
            A weight of 2 is a row repeated twice.
        sensitive_features : array-like, default=None
            Ignored. It is accepted so that this class can replace fair estimators. Rows are
            matched by position; an index is ignored.

        Returns
        -------
        self : ConstantClassifier
            Fitted.
        """
        validate_data(self, X, skip_check_array=True)
        rows = read_labels(X, y, sample_weight, self.labels, least=1)
        self.classes_ = rows.labels
        code, self.cost_ = cheapest_label(rows, self.cost_matrix)
        self.constant_ = self.classes_.tolist()[code]
        self._code = code
        return self

    def predict(self, X: Any) -> Array:
        """Predict the constant label for each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Ignored, except for the number of rows.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Labels.
        """
        return np.full(len(self.decision_function(X)), self.classes_[self._code])

    def decision_function(self, X: Any) -> Array:
        """Return a score of 0 for each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Ignored, except for the number of rows.

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
