r"""Fair regression by Wasserstein barycentres, rounded to labels.

A score s of group g has the level ``F_g(s)`` in the distribution of its group. It is moved to the
mean of the quantiles of all groups at this level::

    t = sum_h share_h * F_h^{-1}(F_g(s))

The moved scores have the same distribution in every group: the Wasserstein barycentre of the
groups' distributions. With a `strength` below 1, scores are moved only part of the way.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, is_regressor
from sklearn.utils.validation import check_is_fitted

from fairordinal._costs import label_places
from fairordinal._support import SiteLinkMixin, wholly
from fairordinal._validation import Array, is_number, warn_misaligned
from fairordinal.baselines._inputs import (
    fit_clone,
    group_codes,
    read_labels_and_groups,
)
from fairordinal.estimators import GroupedScoreMixin, NamedFeaturesMixin


class Quantiles(NamedTuple):
    """A distribution of scores, linear between the scores that were seen."""

    values: Array  # distinct scores, ascending
    levels: Array  # share of the weight below each score, plus half of its own

    @classmethod
    def of(cls, scores: Array, weight: Array) -> Quantiles:
        """Return the empirical distribution of weighted scores."""
        values, index = np.unique(scores, return_inverse=True)
        each = np.bincount(index, weight, len(values))
        return cls(values, (np.cumsum(each) - each / 2) / each.sum())

    def level(self, scores: Array) -> Array:
        """Return the levels F(s) of scores."""
        return np.interp(scores, self.values, self.levels)

    def at(self, levels: Array) -> Array:
        """Return the quantiles at levels."""
        return np.interp(levels, self.levels, self.values)


class WassersteinFairClassifier(
    GroupedScoreMixin, NamedFeaturesMixin, SiteLinkMixin, BaseEstimator
):
    r"""A regressor whose scores get the same distribution in all groups, rounded to labels.

    A competitor from fair regression. The distribution of scores becomes independent of the group,
    which implies demographic parity in every sense. `predict` needs the group: treating people
    differently by their group is disparate treatment, which may be unlawful.

    Parameters
    ----------
    estimator : regressor
        Fitted to the labels as numbers; names become the numbers 0 … k-1.
    strength : float in [0, 1], default=1.0
        How far scores are moved towards the barycentre; 0 does not move them. Vary it for a
        frontier.
    labels : sequence, default=None
        All labels in ascending order. Needed for names without an order.

    Attributes
    ----------
    estimator_ : regressor
        Fitted.
    classes_ : ndarray of shape (n_labels,)
        Labels in ascending order.
    groups_ : ndarray of shape (n_groups,)
        Groups seen in `fit`.
    shares_ : ndarray of shape (n_groups,)
        Weights of the groups in the barycentre: their shares of the training rows.

    See Also
    --------
    LinearPostClassifier : A competitor from fair classification.

    Notes
    -----
    The method is that of [1]_, and `strength` that of [2]_. Equal scores get the middle of their
    levels, where [1]_ breaks ties by noise. Quantiles are those of the training rows. The cost
    beyond that of the regressor is a sort.

    References
    ----------
    .. [1] Chzhen, Denis, Hebiri, Oneto, Pontil: Fair Regression with Wasserstein Barycenters,
       NeurIPS 2020, arXiv:2006.07286.
    .. [2] Chzhen, Schreuder: A Minimax Framework for Quantifying Risk-Fairness Trade-off in
       Regression, Annals of Statistics 2022.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> from fairordinal.baselines import WassersteinFairClassifier
    >>> from fairordinal.datasets import load_diabetes
    >>> from fairordinal.metrics import pairwise_demographic_parity_difference
    >>> data = load_diabetes()
    >>> groups = {"sensitive_features": data.sensitive_features}
    >>> model = WassersteinFairClassifier(Ridge(0.1)).fit(data.data, data.target, **groups)
    >>> predicted = model.predict(data.data, **groups)
    >>> pairwise_demographic_parity_difference(data.target, predicted, **groups) < 0.01
    True
    """

    def __init__(self, estimator: Any, *, strength: float = 1.0, labels: Any = None) -> None:
        self.estimator = estimator
        self.strength = strength
        self.labels = labels

    @wholly
    def fit(
        self, X: Any, y: Any, *, sensitive_features: Any, sample_weight: Any = None
    ) -> WassersteinFairClassifier:
        """Fit the regressor, and compute the distribution of its scores in each group.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features, as the estimator accepts them.
        y : array-like of shape (n_samples,)
            True ordinal labels.
        sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns)
            Group of each sample; several columns mean their intersections. Rows are matched by
            position; an index is ignored.
        sample_weight : array-like of shape (n_samples,), default=None
            A weight of 2 is a row repeated twice. Used for the distributions, and passed to the
            estimator if its `fit` accepts it.

        Returns
        -------
        self : WassersteinFairClassifier
            Fitted.
        """
        if not is_regressor(self.estimator):
            raise ValueError(f"estimator must be a regressor, got {self.estimator!r}.")
        _check_strength(self.strength)
        rows, groups = read_labels_and_groups(X, y, sensitive_features, sample_weight, self.labels)
        numbers = label_places(rows.labels)
        self.estimator_ = fit_clone(
            self.estimator, X, numbers[rows.codes], sample_weight=sample_weight
        )
        group = groups.codes(slice(None))
        total = np.bincount(group, rows.weight, len(groups.levels))
        self.classes_, self.groups_ = rows.labels, groups.levels[total > 0]
        self.shares_ = total[total > 0] / total.sum()
        scores = self._raw_scores(X)
        self._quantiles = [
            Quantiles.of(scores[group == g], rows.weight[group == g]) for g in np.flatnonzero(total)
        ]
        return self

    def predict(self, X: Any, *, sensitive_features: Any = None) -> Array:
        """Predict the label nearest to the moved score of each row, the lower of two.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features, as the estimator accepts them.
        sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns)
            Group of each sample; required. Rows are matched by position; an index is ignored.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Labels.
        """
        scores = self.fair_scores(X, sensitive_features=sensitive_features)
        numbers = label_places(self.classes_)
        ascending = np.argsort(numbers)  # the order of labels may be that of descending numbers
        middles = (numbers[ascending][:-1] + numbers[ascending][1:]) / 2
        return self.classes_[ascending[np.searchsorted(middles, scores, side="left")]]

    def fair_scores(self, X: Any, *, sensitive_features: Any = None) -> Array:
        """Return scores that are moved from the distribution of their group to the barycentre.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features, as the estimator accepts them.
        sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns)
            Group of each sample; required. Rows are matched by position; an index is ignored.

        Returns
        -------
        scores : ndarray of shape (n_samples,)
            On the scale of the labels.
        """
        check_is_fitted(self, "estimator_")
        warn_misaligned({"X": X, "sensitive_features": sensitive_features})
        scores = self._raw_scores(X)
        group = group_codes(sensitive_features, self.groups_, len(scores))
        levels = np.empty(len(scores))
        for g, own in enumerate(self._quantiles):
            levels[group == g] = own.level(scores[group == g])
        moved = [quantiles.at(levels) for quantiles in self._quantiles]
        return (1.0 - self.strength) * scores + self.strength * (self.shares_ @ np.array(moved))

    def _raw_scores(self, X: Any) -> Array:
        return np.asarray(self.estimator_.predict(X), dtype=np.float64).ravel()


def _check_strength(strength: Any) -> None:
    if not is_number(strength) or not 0 <= strength <= 1:
        raise ValueError(f"strength must be a number from 0 to 1, got {strength!r}.")
