"""A fair ordinal classifier: ranker and thresholds, chosen together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from fairordinal._basis import Score
from fairordinal._path import Trained, best_by_basis, choose_on_path
from fairordinal._render import BASIS_NAMES, frame_library
from fairordinal._rows import lazily
from fairordinal._support import part, progress, wholly
from fairordinal._table import ScoreTable
from fairordinal._validation import Array, check_fraction, is_dask
from fairordinal.estimators._base import DEFAULT_LIMIT, ExpectedValuesMixin, RankerPathEstimator
from fairordinal.estimators._probabilities import LabelProbabilitiesMixin, label_curves
from fairordinal.ranker import lazy_features, read_features
from fairordinal.thresholds import (
    Candidate,
    Optimism,
    ThresholdResult,
    read_goal,
    read_settings,
    rivals,
    warn_about,
)


class ChosenModel(NamedTuple):
    """A candidate with its final thresholds, as a classifier needs it."""

    candidate: Candidate
    result: ThresholdResult
    table: ScoreTable  # of its predictions for the rows it was fitted to
    importances: Array  # of the columns
    rivals: Sequence[Candidate]  # to which the candidate was preferred


class FairOrdinalClassifier(
    ExpectedValuesMixin, LabelProbabilitiesMixin, ClassifierMixin, RankerPathEstimator
):
    r"""Predict ordered labels with a model that is fair between groups.

    A path of rankers from accurate to fair is learned from all pairs of rows. Their out-of-fold
    scores are cut into labels by thresholds for several limits. The model is the candidate (a
    ranker with thresholds) of least cost that keeps the limit on held-out rows. `predict` needs no
    group.

    Parameters
    ----------
    criterion : str or PairwiseCriterion, default="demographic_parity"
        The criterion of fairness. By name: ``"demographic_parity"``, ``"equal_opportunity"``,
        ``"equalized_odds"`` or ``"conditional_demographic_parity"``.
    trade_off : float in [0, 1), default=None
        The paper's λ': minimise mean cost + λ·violation with λ = k·λ'/(1-λ') for k labels.
    max_violation : float, default=None
        The largest violation allowed on *new* rows, as cross-validation estimates it: the violation
        is within the limit on average. 0.05 if `trade_off` is not given either. There is always a
        model, because constant predictors are fair. If nearly all rows get one label, a warning
        says so and what would help.
    basis : {"auto", "linear", "piecewise", "plug-in", "trees"}, default="auto"
        What scores are made of.

        - ``"linear"``: the features.
        - ``"piecewise"``: the features, and ramps: linear functions of the features that are
          clipped at both ends, one for each boundary between labels (at most 12) and one for each
          group (one for both, if there are two). The score is piecewise linear.
        - ``"plug-in"``: these ramps as probabilities of labels and of groups. The score is that of
          the label of least expected cost, where labels have different costs for different groups.
        - ``"trees"``: the columns of ``"piecewise"``, the predictions of boosted trees, and the
          leaves of trees: a forest whose leaf values were learned to be fair. If ``"auto"`` would
          have plug-in rules, also rules whose probabilities come from trees. Needs ``pip install
          fairordinal[trees]``.
        - ``"auto"``: piecewise and, if `ranker` is ``"auto"``, plug-in, if there are at least 250
          rows and at most 1000 features, otherwise linear. Plug-in rules with trees are candidates,
          too, if LightGBM is installed, there are at least 500 rows and at most 1000 features, and
          the accurate rule costs at least 3 % less on held-out rows with trees than without. If
          `ranker` is not ``"auto"``, forests take their place. Held-out rows choose the model.

        Missing values (nan) are allowed unless it is ``"linear"``, but not in rows of Dask.
    ranker : {"auto", "direct", "reduction", "grid", "relaxed"}, default="auto"
        How rankers are made fair. ``"direct"`` penalises smooth disparities, ``"reduction"``
        reverses pairs as the paper does, with rising multipliers, ``"auto"`` pools both. For
        comparison: ``"grid"`` is the reduction with the paper's grid of 100 multipliers,
        ``"relaxed"`` makes mean scores equal.
    loss : {"logistic", "smooth_hinge", "squared_hinge"}, default="logistic"
        The loss of the margin x of a pair: log(1 + exp(-x)), max(1 - x, 0) with a smooth corner, or
        max(1 - x, 0)².
    alpha : float, default=None
        Strength of the L2 penalty on coefficients of standardised columns; None chooses it by
        cross-validation.
    cost_matrix : {"absolute", "zero_one", "squared", "asymmetric"} or array, default="absolute"
        The cost of errors: ``|i-j|``, ``1{i≠j}``, ``(i-j)²``, ``|i-j|·(1 + 1{j>i})``, or a V-shaped
        matrix ``C[i, j]`` for the true label i and the predicted label j.
    confidence : float, default=None
        Keep the limit on new rows with this confidence, such as 0.9: an upper bound of the
        violation, ``max_e (|v_e| + z_c σ_e)`` over pairs of groups e, has to be within it. It is
        one-sided, without a correction for several pairs.
    cv : int, splitter or iterable of splits, default=5
        Folds of rows. A number means shuffled folds, stratified by group and label. Rows of one
        person belong in one fold: list the splits of `GroupKFold`.
    labels : sequence, default=None
        All labels in ascending order.
    tol : float, default=1e-5
        Tolerance at which the fit of a ranker stops.
    max_iter : int, default=500
        Most steps of the fit of a ranker.
    max_time : float, default=60.0
        Seconds for the final thresholds; None means no limit.
    random_state : int, RandomState instance or None, default=0
        Seed of the folds.

    Attributes
    ----------
    coef_ : ndarray of shape (n_columns,)
        Coefficients. The score is ``(X - origin_) @ coef_``, to which ramps, the score of a plug-in
        rule, and the values of leaves are added. Columns are the features, followed by indicators
        of missing values, if there were any (see `imputer_`).
    thresholds_ : ndarray of shape (n_labels - 1,)
        Label l is predicted where ``thresholds_[l-1] < score <= thresholds_[l]``.
    label_curves_ : LabelCurves
        The probabilities of `predict_proba`: `scores`, ascending, and `above` of shape (n_labels -
        1, n_scores), the share of rows with a label above each boundary; linear between them. Model
        files do not hold them.
    basis_ : {"linear", "piecewise", "plug-in", "plug-in-trees", "trees"}
        The basis of the model; that of a constant one is linear.
    basis_results_ : dict of str to tuple of float
        For each basis that was tried, expected cost and violation of its best candidate that keeps
        the limit as the model does; for the basis of the model, those of the model.
    ramps_ : Ramps or None
        Ramps ``clip((X - origin_) @ weights + offsets, -1, 1)``; None in a linear model. Those of
        plug-in models with trees have a `forest`, whose `leaf_values` are added before the clip.
    ramp_coef_ : ndarray of shape (n_ramps,) or None
        Coefficients of the ramps in the score.
    rule_ : LabelCosts or None
        The rule of a plug-in model: `costs` of shape (n_groups, n_labels, n_labels), ``C_a[y, l]``
        for label l if the group is a and the true label is y, `boundaries` and `edge`. None in
        other models.
    forest_ : Forest or None
        The trees whose leaves are added to the score; None if the model is not a forest.
    leaf_values_ : ndarray or None
        The values of the leaves of `forest_`.
    feature_importances_ : ndarray of shape (n_features,)
        Share of each feature in the variance of the score, ``cov(contribution, score) /
        var(score)``: they add up to 1, and a negative one offsets others. nan if the model is
        constant.
    imputer_ : SimpleImputer
        Fills missing values by means and adds indicators; not with ``basis="linear"`` or Dask.
    origin_ : ndarray of shape (n_columns,)
        Subtracted from the columns: their mean if that is more than 1000 times their spread, so
        that no digits are lost; otherwise 0.
    cost_ : float
        Mean cost of the predictions for the rows given; more optimistic than `expected_cost_`.
    violation_ : float
        Violation of the same predictions.
    gap_ : float
        Distance of the objective of the thresholds from its proved lower bound, on out-of-fold
        scores.
    expected_cost_ : float
        Estimated mean cost on new rows, of cross-fitted predictions: by rankers and thresholds that
        were not fitted to the rows they predict.
    expected_violation_ : float
        Estimated violation on new rows, of the same predictions.
    expected_cost_interval_ : tuple of float
        95 % interval of the cost, or at `confidence`; weights count as numbers of rows. The upper
        end includes the optimism of choosing the best of many candidates.
    expected_violation_interval_ : tuple of float
        95 % interval of the violation, or at `confidence`, as that of the cost.
    confidence_ : float
        The level of these intervals.
    classes_ : ndarray of shape (n_labels,)
        Labels in ascending order.
    criterion_ : PairwiseCriterion
        The criterion of fairness.
    alpha_ : float
        The strength of the penalty.
    n_iter_ : int
        The most steps that the fit of a ranker took.
    result_ : ThresholdResult
        The thresholds with their certificate: no thresholds of this ranker are better on its
        out-of-fold scores, within a limit that may be stricter than `max_violation`. With
        `confidence`, its objective may include a surcharge on labels (see Notes). Print it.

    See Also
    --------
    FairThresholdClassifier : Fair thresholds for the scores of any estimator.
    FairOrdinalFrontier : The Pareto frontier of cost and violation.
    fairordinal.metrics.make_cost_scorer : Makes `GridSearchCV` minimise the mean cost.

    Notes
    -----
    Thresholds that were cut on scores of rows look fairer on these rows than on others. So a
    candidate is judged by predictions with thresholds that were cut on the scores of other folds.
    Its estimated violation is smoothed over candidates that reach a similar violation. The best of
    many candidates looks better than it is. With `confidence`, the limit is therefore made
    stricter, by a margin that simulated samples determine.

    With `confidence`, thresholds are also cut with a surcharge on all labels but the best constant
    one. Fewer labels are then in use, so that the violation is known more precisely: with few rows,
    such a model can keep a limit where others cannot.

    `score` is accuracy, as of any classifier of scikit-learn: it counts all errors alike. Searches
    with ``scoring=make_cost_scorer()`` minimise the mean cost.

    Cost: O(n·d) for each step of a ranker and O(n·k) for each bound of thresholds. More than 2¹⁷
    rows are represented by a sample of that size while models are chosen. The chosen ranker is then
    fitted to all rows if it is linear, otherwise to 3·2¹⁴ of them, and its scores of all rows are
    cut. Rows of Dask are processed where they are; see docs/scale.md. Learning from all pairs, the
    proof of optimality and the joint choice of ranker and thresholds go beyond the paper.

    References
    ----------
    Kleindessner, Samadi, Zafar, Kenthapadi, Russell: Pairwise Fairness for Ordinal Regression,
    AISTATS 2022, arXiv:2105.03153. Sections 3.1 and 3.2.

    Examples
    --------
    >>> from fairordinal import FairOrdinalClassifier
    >>> from fairordinal.datasets import load_diabetes
    >>> data = load_diabetes()
    >>> model = FairOrdinalClassifier(trade_off=0.3, alpha=1e-3, ranker="reduction")
    >>> model = model.fit(data.data, data.target, sensitive_features=data.sensitive_features)
    >>> model.predict(data.data[:5]).shape
    (5,)
    >>> model.violation_ < 0.1
    True
    """

    ramps_: Any  # None in a linear model, as `ramp_coef_`
    ramp_coef_: Any
    rule_: Any  # None except in a plug-in model
    forest_: Any  # None without trees, as `leaf_values_`
    leaf_values_: Any

    def __init__(
        self,
        criterion: Any = "demographic_parity",
        *,
        trade_off: float | None = None,
        max_violation: float | None = None,
        basis: str = "auto",
        ranker: str = "auto",
        loss: str = "logistic",
        alpha: float | None = None,
        cost_matrix: Any = "absolute",
        confidence: float | None = None,
        cv: int = 5,
        labels: Any = None,
        tol: float = 1e-5,
        max_iter: int = 500,
        max_time: float | None = 60.0,
        random_state: Any = 0,
    ) -> None:
        self.criterion = criterion
        self.trade_off = trade_off
        self.max_violation = max_violation
        self.basis = basis
        self.ranker = ranker
        self.loss = loss
        self.alpha = alpha
        self.cost_matrix = cost_matrix
        self.confidence = confidence
        self.cv = cv
        self.labels = labels
        self.tol = tol
        self.max_iter = max_iter
        self.max_time = max_time
        self.random_state = random_state

    @wholly
    def fit(
        self, X: Any, y: Any, *, sensitive_features: Any, sample_weight: Any = None
    ) -> FairOrdinalClassifier:
        """Learn rankers and thresholds, and choose among them.

        Parameters
        ----------
        X : array-like, sparse array or Dask collection of shape (n_samples, n_features)
            Features; the group should not be among them.
        y : array-like of shape (n_samples,)
            True ordinal labels.
        sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns)
            Group of each sample; several columns mean their intersections. Rows are matched by
            position; an index is ignored.
        sample_weight : array-like of shape (n_samples,), default=None
            A weight of 2 is a row repeated twice. Multiplying all weights by a constant changes
            only intervals, which take the sum of the weights for the number of rows, with
            `confidence` the choice that depends on them, and slightly the result of
            `predict_proba`. Ramps and trees count rows in units of the
            smallest weight, if all are multiples of it; otherwise each row counts once.

        Returns
        -------
        self : FairOrdinalClassifier
            Fitted.
        """
        goal = read_goal(
            self.trade_off, self.max_violation, "certified", default_limit=DEFAULT_LIMIT
        )
        if self.confidence is not None:
            check_fraction(self.confidence, "confidence")
        with progress("fit"):
            pool = self._learn_paths(X, y, sensitive_features, sample_weight)
            with part(0.95):
                chosen = choose_on_path(pool, goal, self.confidence)
            warn_about(pool.candidates, chosen, goal, self.confidence, scores_given=False)
            with part(text="final thresholds"):
                result = pool.thresholds(chosen.candidate, read_settings(1e-3, self.max_time, 0, 0))
        result = replace(result, library=frame_library(X, y, sensitive_features))
        model = ChosenModel(
            chosen.candidate,
            result,
            pool.predictions(chosen.candidate, result),
            pool.importances(chosen.candidate),
            rivals(chosen, pool.candidates, goal, self.confidence),
        )
        self._set_model(model, pool.trained, self.confidence or 0.95, chosen.optimism)
        return self

    def _set_model(
        self, model: ChosenModel, trained: list[Trained], confidence: float, optimism: Optimism
    ) -> None:
        """Set the attributes of a candidate: scores, thresholds, and expected values."""
        chosen = model.candidate
        ranker = trained[chosen.ranker]
        score = ranker.score
        if chosen.is_constant:
            score = Score(np.zeros_like(score.coef), score.origin, 0.0)
        self.result_ = model.result
        self.basis_, self.alpha_ = score.basis, ranker.alpha
        self.ramps_, self.ramp_coef_ = score.ramps, score.ramp_coef
        self.rule_ = score.rule
        self.coef_, self.origin_ = score.coef, score.origin
        self.forest_, self.leaf_values_ = score.forest, score.values
        self.thresholds_ = model.result.thresholds + score.shift
        self.label_curves_ = label_curves(model.result.score_table, score.shift)
        self.basis_results_ = best_by_basis(model.rivals, [each.basis for each in trained])
        if not chosen.is_constant:
            self.basis_results_[ranker.basis] = (chosen.cost, chosen.violation)
        self.feature_importances_ = self._by_feature(model)
        self.cost_ = chosen.evaluation.mean_cost(model.table)
        self.violation_ = chosen.evaluation.criterion.violation(model.table)
        self._set_expected(chosen, confidence, optimism)

    def _by_feature(self, model: ChosenModel) -> Array:
        """Importances of features; that of a feature includes its indicator of missing values."""
        found = model.importances[: self.n_features_in_].copy()
        if len(model.importances) > len(found):
            found[self.imputer_.indicator_.features_] += model.importances[len(found) :]
        return np.full(len(found), np.nan) if model.candidate.is_constant else found

    def decision_function(self, X: Any) -> Array:
        """Compute the score of each row, higher for higher labels.

        Parameters
        ----------
        X : array-like or sparse array of shape (n_samples, n_features)
            Features.

        Returns
        -------
        scores : ndarray of shape (n_samples,)
            ``(X - origin_) @ coef_``, plus ramps, the score of a plug-in rule, and the values of
            leaves.
        """
        check_is_fitted(self, "coef_")
        if is_dask(X):
            return lazily(self.decision_function, lazy_features(self, X), np.float64)
        return self._score(read_features(self, X))

    @property
    def _score(self) -> Score:
        forest, ramps = (self.forest_, self.leaf_values_), (self.ramps_, self.ramp_coef_)
        return Score(self.coef_, self.origin_, 0.0, *forest, *ramps, self.rule_)

    def predict(self, X: Any) -> Array:
        """Predict a label for each row.

        Parameters
        ----------
        X : array-like or sparse array of shape (n_samples, n_features)
            Features.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Labels.
        """
        if is_dask(X):
            check_is_fitted(self, "coef_")
            return lazily(self.predict, lazy_features(self, X), self.classes_.dtype)
        scores = self.decision_function(X)
        return self.classes_[np.searchsorted(self.thresholds_, scores, side="left")]

    @property
    def gap_(self) -> float:
        return self.result_.gap


def describe_basis(model: Any) -> str:
    """A phrase about the basis of a model, and what the best model of another basis costs."""
    if np.isinf(model.thresholds_).all():
        return "a constant model, the same label for everyone"
    own = BASIS_NAMES[model.basis_]
    if model.forest_ is not None:
        own += f" of {len(model.forest_.trees)} trees"
    elif model.ramps_ is not None and model.ramps_.forest is not None:
        own = own.replace("trees", f"{len(model.ramps_.forest.trees)} trees")
    others = [
        f" (the best {BASIS_NAMES[basis]} costs {cost:.3f})"
        for basis, (cost, _) in model.basis_results_.items()
        if basis != model.basis_
    ]
    return f"a {own}" + "".join(others)
