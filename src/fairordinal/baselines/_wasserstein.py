r"""Fair regression by Wasserstein barycentres, rounded to labels.

A score at level q of its own group is moved to the mean of the groups' quantiles at level q::

    t = sum_h share_h * F_h^{-1}(F_g(s))

so that scores have one distribution in every group, the one nearest to all of them. A `strength`
below 1 goes only part of the way, which leads from the regressor as it is to the fair one.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin, is_regressor
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from fairordinal._costs import label_places
from fairordinal._fitting import wholly
from fairordinal._validation import Array, is_number, warn_misaligned
from fairordinal.baselines._rows import fit_clone, group_codes, read_grouped
from fairordinal.estimators import GroupedScoreMixin


class Quantiles(NamedTuple):
    """A distribution of scores, linear between those seen."""

    values: Array  # distinct, ascending
    levels: Array  # share of the weight below each, half of its own included

    @classmethod
    def of(cls, scores: Array, weight: Array) -> Quantiles:
        values, places = np.unique(scores, return_inverse=True)
        each = np.bincount(places, weight, len(values))
        return cls(values, (np.cumsum(each) - each / 2) / each.sum())

    def level(self, scores: Array) -> Array:
        return np.interp(scores, self.values, self.levels)

    def at(self, levels: Array) -> Array:
        return np.interp(levels, self.levels, self.values)


class WassersteinFairClassifier(GroupedScoreMixin, MetaEstimatorMixin, BaseEstimator):
    r"""Any regressor with scores alike in all groups, rounded to labels.

    A competitor from fair regression: it makes the distribution of scores independent of the
    group, which is demographic parity of any kind, and needs the group at prediction time.
    Treating people differently by their group is disparate treatment, which may be unlawful.

    Parameters
    ----------
    estimator : regressor
        Fitted to the labels as numbers; names are the numbers 0 … k-1.
    strength : float in [0, 1], default=1.0
        How far scores are moved towards the barycentre; 0 leaves them as they are. Sweep it for a
        frontier.
    categories : sequence, default=None
        All labels in ascending order. Needed for names without an order.

    Attributes
    ----------
    estimator_ : regressor
        Fitted.
    classes_, groups_ : ndarray of shape (n_labels,) and (n_groups,)
        Labels in ascending order, and groups seen.
    shares_ : ndarray of shape (n_groups,)
        Weight of the groups in the barycentre: their shares of the rows given.

    Notes
    -----
    Chzhen, Denis, Hebiri, Oneto, Pontil: Fair Regression with Wasserstein Barycenters, NeurIPS
    2020, arXiv:2006.07286; for `strength`, Chzhen, Schreuder: A Minimax Framework for Quantifying
    Risk-Fairness Trade-off in Regression, Annals of Statistics 2022. Equal scores are at the
    middle of their levels, where the paper adds noise to tell them apart; quantiles are those of
    the rows fitted to. Cost: a sort.

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

    def __init__(self, estimator: Any, *, strength: float = 1.0, categories: Any = None) -> None:
        self.estimator = estimator
        self.strength = strength
        self.categories = categories

    @wholly
    def fit(
        self, X: Any, y: Any, *, sensitive_features: Any, sample_weight: Any = None
    ) -> WassersteinFairClassifier:
        """Fit the regressor, and learn the distribution of its scores in each group.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Whatever the estimator takes.
        y : array-like of shape (n_samples,)
            True ordinal labels.
        sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns)
            Group of each sample; several columns mean their intersections. Rows are matched by
            position; an index is ignored.
        sample_weight : array-like of shape (n_samples,), default=None
            For the distributions, and for the estimator if its `fit` takes it.

        Returns
        -------
        self : WassersteinFairClassifier
            Fitted.
        """
        if not is_regressor(self.estimator):
            raise ValueError(f"estimator must be a regressor, got {self.estimator!r}.")
        _check_strength(self.strength)
        rows, groups = read_grouped(X, y, sensitive_features, sample_weight, self.categories)
        places = label_places(rows.labels)
        self.estimator_ = fit_clone(
            self.estimator, X, places[rows.codes], sample_weight=sample_weight
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
        """Predict the label nearest to the fair score of each row, the lower of two.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Whatever the estimator takes.
        sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns)
            Group of each sample; needed. Rows are matched by position; an index is ignored.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Labels.
        """
        scores = self.fair_scores(X, sensitive_features=sensitive_features)
        places = label_places(self.classes_)
        nearest = np.argsort(places)  # labels in descending order lie the other way round
        middles = (places[nearest][:-1] + places[nearest][1:]) / 2
        return self.classes_[nearest[np.searchsorted(middles, scores, side="left")]]

    def fair_scores(self, X: Any, *, sensitive_features: Any = None) -> Array:
        """Scores, moved from the own group's distribution to the barycentre.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Whatever the estimator takes.
        sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns)
            Group of each sample; needed. Rows are matched by position; an index is ignored.

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

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = get_tags(self.estimator).input_tags
        tags.input_tags.sparse, tags.input_tags.allow_nan = inner.sparse, inner.allow_nan
        return tags

    @property
    def n_features_in_(self) -> int:
        return self.estimator_.n_features_in_

    @property
    def feature_names_in_(self) -> Array:
        return self.estimator_.feature_names_in_

    def _raw_scores(self, X: Any) -> Array:
        return np.asarray(self.estimator_.predict(X), dtype=np.float64).ravel()


def _check_strength(strength: Any) -> None:
    if not is_number(strength) or not 0 <= strength <= 1:
        raise ValueError(f"strength must be a number from 0 to 1, got {strength!r}.")
