r"""Fair classification by post-processing probabilities (LinearPost), with ordinal costs.

Given the probabilities of labels, ``r(x, l) = sum_y P(y | x) cost[y, l]`` is the expected cost of
label l. A *unit* u is a set of rows whose predictions are compared with those of other units: a
group a, or a group with a true label (a, y). Let ``π(x, l)`` be the probability of predicting l.
With ``w_u(x) = P(u | x) / P(u)``, the share of unit u that gets label l is ``E[w_u(x) π(x, l)]``.
Units with the same number ``c(u)`` are comparable: their shares may differ by at most `limit`. The
least expected cost is a linear program::

    min E[sum_l r(x, l) π(x, l)]   subject to   |E[w_u π_l] - q_{c(u), l}| <= limit / 2

Its dual has a multiplier ψ for each unit and label, and the best labels are
``argmin_l r(x, l) + sum_u ψ[u, l] w_u(x)``. This module solves the dual.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from scipy.optimize import linprog
from sklearn.base import BaseEstimator
from sklearn.model_selection import PredefinedSplit, cross_val_predict
from sklearn.utils.validation import check_is_fitted

from fairordinal._costs import cost_matrix as as_cost_matrix
from fairordinal._rows import fold_numbers, seed_of
from fairordinal._support import SiteLinkMixin, wholly
from fairordinal._validation import (
    Array,
    check_choice,
    check_number,
    check_whole,
    warn_misaligned,
)
from fairordinal.baselines._inputs import (
    fit_clone,
    group_codes,
    read_labels_and_groups,
)
from fairordinal.estimators import GroupedScoreMixin, NamedFeaturesMixin

CRITERIA = ("demographic_parity", "equalized_odds")


class LinearPostClassifier(GroupedScoreMixin, NamedFeaturesMixin, SiteLinkMixin, BaseEstimator):
    r"""A probabilistic classifier whose labels are chosen by a linear program for fairness.

    A competitor from fair classification. It limits differences in the shares of each label, not
    the violation of a pairwise criterion, and its rule is not a threshold on one score.

    Parameters
    ----------
    estimator : classifier
        Has `predict_proba`. For demographic parity, one clone predicts the label and another one
        the group; for equalized odds, one clone predicts group and label together.
    criterion : {"demographic_parity", "equalized_odds"}, default="demographic_parity"
        Whether the shares of labels are compared between groups, or between groups for each true
        label.
    max_difference : float, default=0.05
        The largest difference allowed between the shares of a label in two groups. Vary it for a
        frontier.
    group_aware : bool, default=False
        Whether `predict` uses the group. Treating people differently by their group may be
        unlawful.
    cost_matrix : {"absolute", "zero_one", "squared", "asymmetric"} or array, default="absolute"
        What errors cost: a name, or an array of shape (n_labels, n_labels) with the cost of
        predicting label j for a row with label i.
    cv : int, default=5
        Number of folds for the out-of-fold probabilities in the linear program.
    labels : sequence, default=None
        All labels in ascending order. Needed for names without an order.
    random_state : int, RandomState instance or None, default=0
        Seed of the folds.

    Attributes
    ----------
    multipliers_ : ndarray of shape (n_units, n_labels)
        ψ of the dual.
    expected_cost_ : float
        Value of the linear program: the mean cost if the probabilities are right.
    classes_ : ndarray of shape (n_labels,)
        Labels in ascending order.
    groups_ : ndarray of shape (n_groups,)
        Groups seen in `fit`.

    See Also
    --------
    fairordinal.FairOrdinalClassifier : Models that are trained for pairwise fairness.
    WassersteinFairClassifier : A competitor from fair regression.

    Notes
    -----
    The method is that of [1]_, which solves the program for the probabilities of a separate set of
    rows; here they are out-of-fold probabilities. Of several best labels the lowest is predicted.
    The estimator is fitted `cv` + 1 times, and the linear program has n·labels constraints.

    References
    ----------
    .. [1] Xian, Zhao: A Unified Post-Processing Framework for Group Fairness in Classification,
       2024, arXiv:2405.04025.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from fairordinal.baselines import LinearPostClassifier
    >>> from fairordinal.datasets import load_diabetes
    >>> data = load_diabetes()
    >>> model = LinearPostClassifier(LogisticRegression(max_iter=1000), max_difference=0.1)
    >>> model = model.fit(data.data, data.target, sensitive_features=data.sensitive_features)
    >>> model.predict(data.data[:3]).shape
    (3,)
    """

    def __init__(
        self,
        estimator: Any,
        *,
        criterion: str = "demographic_parity",
        max_difference: float = 0.05,
        group_aware: bool = False,
        cost_matrix: Any = "absolute",
        cv: int = 5,
        labels: Any = None,
        random_state: Any = 0,
    ) -> None:
        self.estimator = estimator
        self.criterion = criterion
        self.max_difference = max_difference
        self.group_aware = group_aware
        self.cost_matrix = cost_matrix
        self.cv = cv
        self.labels = labels
        self.random_state = random_state

    @wholly
    def fit(self, X: Any, y: Any, *, sensitive_features: Any) -> LinearPostClassifier:
        """Fit the estimator, and solve the linear program.

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
        self : LinearPostClassifier
            Fitted.
        """
        check_choice(self.criterion, "criterion", CRITERIA)
        limit = check_number(self.max_difference, "max_difference")
        n_folds = check_whole(self.cv, "cv", least=2)
        rows, groups = read_labels_and_groups(X, y, sensitive_features, None, self.labels)
        self.classes_, self.groups_ = rows.labels, groups.levels
        self._cost = as_cost_matrix(self.cost_matrix, rows.labels)
        group = groups.codes(slice(None))
        cells = group * len(rows.labels) + rows.codes
        folds = PredefinedSplit(fold_numbers(cells, n_folds, seed_of(self.random_state)))
        targets = [cells] if self.criterion == "equalized_odds" else [rows.codes, group]
        self._models = [fit_clone(self.estimator, X, target) for target in targets]
        parts = [
            cross_val_predict(self.estimator, X, target, cv=folds, method="predict_proba")
            for target in targets
        ]
        joint = self._joint(parts, group if self.group_aware else None)
        units = self._units(joint)
        self._shares = units.mean(axis=0)
        self.multipliers_, self.expected_cost_ = _solve(
            self._expected_costs(joint), units / self._shares, self._comparable, limit
        )
        return self

    def predict(self, X: Any, *, sensitive_features: Any = None) -> Array:
        """Predict a label for each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features, as the estimator accepts them.
        sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns)
            Group of each sample. Required if `group_aware`, else ignored. Rows are matched by
            position; an index is ignored.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Labels.
        """
        check_is_fitted(self, "multipliers_")
        parts = [model.predict_proba(X) for model in self._models]
        group = None
        if self.group_aware:
            warn_misaligned({"X": X, "sensitive_features": sensitive_features})
            group = group_codes(sensitive_features, self.groups_, len(parts[0]))
        joint = self._joint(parts, group)
        values = self._expected_costs(joint)
        values = values + self._units(joint) / self._shares @ self.multipliers_
        return self.classes_[values.argmin(axis=1)]

    def _joint(self, parts: list[Array], group: Array | None) -> Array:
        """Return the joint probabilities of group and label, (n_rows, n_groups, n_labels).

        For demographic parity they are the products P(group | x) P(label | x). With the group of
        each row, other groups get probability 0 and the rest is normalised.
        """
        n_groups, n_labels = len(self.groups_), len(self.classes_)
        together = len(parts) == 1
        found = np.zeros((len(parts[0]), (n_groups if together else 1) * n_labels))
        found[:, self._models[0].classes_] = parts[0]
        joint = found.reshape(len(found), -1, n_labels)
        if not together:
            joint = joint * parts[1][:, :, None]
        if group is None:
            return joint
        own = joint[np.arange(len(joint)), group]
        known = np.zeros_like(joint)
        known[np.arange(len(joint)), group] = own / own.sum(axis=1, keepdims=True)
        return known

    def _expected_costs(self, joint: Array) -> Array:
        """Return r, the expected cost of each label, (n_rows, n_labels)."""
        return joint.sum(axis=1) @ self._cost

    def _units(self, joint: Array) -> Array:
        """Return the probabilities P(u | x) of the units, (n_rows, n_units)."""
        if self.criterion == "demographic_parity":
            return joint.sum(axis=2)
        return joint.reshape(len(joint), -1)[:, self._models[0].classes_]

    @property
    def _comparable(self) -> Array:
        """c(u): the number of the set of units that each unit is compared with."""
        if self.criterion == "demographic_parity":
            return np.zeros(len(self.groups_), dtype=np.intp)
        return np.asarray(self._models[0].classes_) % len(self.classes_)

    @property
    def _fitted(self) -> Any:
        return self._models[0]


def _solve(costs: Array, units: Array, comparable: Array, limit: float) -> tuple[Array, float]:
    """Return the multipliers ψ of the dual, and its value.

    The dual has a variable t_i for the cost of each row, and is

        max mean(t) - limit/2 Σ|ψ|   subject to   t_i <= r_il + Σ_u ψ_ul w_iu,   Σ_{u in c} ψ_ul = 0

    The variables of the program below are t, and the positive and the negative part of ψ.
    """
    (n, k), n_units = costs.shape, units.shape[1]
    cost_of_row = sparse.kron(sparse.eye_array(n), np.ones((k, 1)))  # (n·k, n): t_i for each l
    shift = sparse.kron(sparse.csr_array(units), sparse.eye_array(k))  # (n·k, n_units·k): ψ ↦ Σ ψ w
    same = sparse.csr_array((np.arange(comparable.max() + 1)[:, None] == comparable) * 1.0)
    sums = sparse.kron(same, sparse.eye_array(k))  # ψ ↦ its sums over comparable units
    found = linprog(
        np.concatenate([np.full(n, -1.0 / n), np.full(2 * n_units * k, limit / 2)]),
        A_ub=sparse.hstack([cost_of_row, -shift, shift], format="csr"),
        b_ub=costs.ravel(),
        A_eq=sparse.hstack([sparse.csr_array((sums.shape[0], n)), sums, -sums], format="csr"),
        b_eq=np.zeros(sums.shape[0]),
        bounds=[(None, None)] * n + [(0, None)] * (2 * n_units * k),
        method="highs-ipm",  # interior points, here ten times faster than the simplex method
    )
    if found.x is None:
        raise RuntimeError(f"The linear program was not solved: {found.message}")
    above, below = found.x[n:].reshape(2, n_units, k)
    return above - below, -float(found.fun)
