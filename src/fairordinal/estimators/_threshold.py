"""Fair thresholds for the scores of any estimator, as a classifier."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from sklearn import get_config
from sklearn.base import BaseEstimator
from sklearn.utils import check_consistent_length
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from fairordinal._costs import cost_matrix as as_cost_matrix
from fairordinal._render import frame_library
from fairordinal._rows import (
    Block,
    counted_scores,
    first_rows,
    lazily,
    on_site,
    read_partitions,
    score_table,
    seed_of,
)
from fairordinal._support import SiteLinkMixin, part, progress, wholly
from fairordinal._table import ScoreTable
from fairordinal._validation import (
    Array,
    Weight,
    check_choice,
    check_fraction,
    check_same_length,
    is_dask,
    order_labels,
    read_groups,
    read_target,
    read_weight,
    warn_misaligned,
)
from fairordinal.criteria import as_criterion
from fairordinal.estimators._base import (
    DEFAULT_LIMIT,
    ExpectedValuesMixin,
    GroupedScoreMixin,
    NamedFeaturesMixin,
    plain_array,
    rows_by_group,
    warn_few_rows,
)
from fairordinal.estimators._probabilities import LabelProbabilitiesMixin, label_curves
from fairordinal.estimators._scores import (
    N_FOLDS,
    RESPONSES,
    Response,
    choose_response,
    held_out_scores,
    scores_of,
)
from fairordinal.ranker import sample_of
from fairordinal.thresholds import (
    Evaluation,
    Goal,
    HeldOutRows,
    ScorePool,
    Settings,
    ThresholdResult,
    check_groups,
    choose_from,
    read_goal,
    read_settings,
    solve,
    threshold_folds,
    warn_about,
    warn_unfinished,
)


class FairThresholdClassifier(
    ExpectedValuesMixin,
    LabelProbabilitiesMixin,
    GroupedScoreMixin,
    NamedFeaturesMixin,
    SiteLinkMixin,
    BaseEstimator,
):
    r"""Any estimator with fair cut points for its scores.

    Out-of-fold scores of `estimator` are cut into ordered labels by thresholds of least cost that
    keep a limit to the violation on held-out rows. Then the estimator is fitted to all rows, as it
    would be without thresholds. The thresholds have a certificate, as those of
    :func:`~fairordinal.optimize_thresholds`, and `predict` needs no group.

    Parameters
    ----------
    estimator : estimator
        Scores come from `decision_function` if that gives one number for each row, from the
        expected label of `predict_proba`, or from `predict`. Regressors learn the labels as
        numbers.
    criterion : str or Criterion, default="demographic_parity"
        The criterion of fairness. By name: ``"demographic_parity"``, ``"equal_opportunity"``,
        ``"equalized_odds"``, ``"conditional_demographic_parity"``, ``"harm_parity"``,
        ``"standard_demographic_parity"``, ``"standard_equal_opportunity"`` or
        ``"standard_equalized_odds"``.
    trade_off : float in [0, 1), default=None
        The paper's λ': minimise mean cost + λ·violation with λ = k·λ'/(1-λ') for k labels.
    max_violation : float, default=None
        The largest violation allowed on *new* rows, as cross-validation estimates it; 0.05 if
        `trade_off` is not given either. Thresholds may be cut for a stricter limit.
    cost_matrix : {"absolute", "zero_one", "squared", "asymmetric"} or array, default="absolute"
        The cost of errors: ``|i-j|``, ``1{i≠j}``, ``(i-j)²``, ``|i-j|·(1 + 1{j>i})``, or a V-shaped
        matrix ``C[i, j]`` for the true label i and the predicted label j.
    confidence : float, default=None
        Keep `max_violation` on new rows with this confidence, such as 0.9: an upper bound of the
        violation, ``max_e (|v_e| + z_c σ_e)`` over pairs of groups e, has to be within it. It is
        one-sided, without a correction for several pairs. Thresholds are then also cut with a
        surcharge on all labels but the best constant one: see
        :func:`~fairordinal.optimize_thresholds`.
    group_aware : bool, default=False
        Use thresholds for each group. `predict` then needs the group. To treat people differently
        by their group is disparate treatment, which may be unlawful; it is fairer by the criterion
        and more accurate, without a proof of optimality. `max_violation` then limits the violation
        on held-out scores, and there are no estimates for new rows.
    cv : int, float, splitter, iterable or "prefit", default=None
        How held-out scores are made: by cross-validation (None: 5 folds), on a share of the rows
        (a float), or by a fitted estimator on all rows (``"prefit"``; pass rows that it was not
        fitted to). A fitted classifier is matched to the labels by its `classes_`, and the sign of
        its scores is changed if they rise along the labels in descending order.
    response_method : {"auto", "decision_function", "predict_proba", "predict"}, default="auto"
        The method that gives the scores; ``"auto"`` takes the first of the others that does.
    labels : sequence, default=None
        All labels in ascending order. Needed for names without an order.
    tol : float, default=1e-3
        The gap at which the search for thresholds stops; 0 asks for the best thresholds.
    max_time : float, default=60.0
        Seconds after which the best thresholds found are taken, with a `ConvergenceWarning`; None
        means no limit.
    n_jobs : int, default=None
        Number of folds that are fitted in parallel.
    random_state : int, RandomState instance or None, default=0
        Seed of the folds, and of the share of rows that is held out.

    Attributes
    ----------
    estimator_ : estimator
        Fitted to all rows.
    thresholds_ : ndarray of shape (n_labels - 1,) or (n_groups, n_labels - 1)
        Label l is predicted where ``thresholds_[l-1] < score <= thresholds_[l]``.
    label_curves_ : LabelCurves
        The probabilities of `predict_proba`: `scores`, ascending, and `above` of shape (n_labels -
        1, n_scores), the share of rows with a label above each boundary; linear between them.
    classes_ : ndarray of shape (n_labels,)
        Labels in ascending order.
    result_ : ThresholdResult
        Cost, violation and certificate on the held-out scores; print it.
    cost_ : float
        Mean cost on the held-out scores.
    violation_ : float
        Violation on the held-out scores.
    gap_ : float
        Distance of the objective from its proved lower bound.
    expected_cost_ : float
        Estimated mean cost on new rows, of cross-fitted predictions: by estimators and thresholds
        that were not fitted to the rows they predict. Not with `group_aware`.
    expected_violation_ : float
        Estimated violation on new rows, of the same predictions. Not with `group_aware`.
    expected_cost_interval_ : tuple of float
        95 % interval of the cost, or at `confidence`; weights count as numbers of rows.
    expected_violation_interval_ : tuple of float
        95 % interval of the violation, or at `confidence`.
    confidence_ : float
        The level of these intervals.
    criterion_ : Criterion
        The criterion of fairness.

    See Also
    --------
    optimize_thresholds : Thresholds for scores that are given.
    FairOrdinalClassifier : Trains fair scores together with their thresholds.
    fairordinal.metrics.make_cost_scorer : Makes `GridSearchCV` minimise the mean cost.

    Notes
    -----
    `score` is accuracy, as of any classifier of scikit-learn: it counts all errors alike. Searches
    with ``scoring=make_cost_scorer()`` minimise the mean cost.

    `fit` passes `sensitive_features` and `sample_weight` on to `estimator` if its `fit` takes them.
    With metadata routing (``sklearn.set_config(enable_metadata_routing=True)``), it passes on what
    `estimator` requests, also inside of a pipeline:
    ``estimator.set_fit_request(sensitive_features=True)``.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> from fairordinal import FairThresholdClassifier
    >>> from fairordinal.datasets import load_diabetes
    >>> data = load_diabetes()
    >>> model = FairThresholdClassifier(Ridge(0.1), max_violation=0.2)
    >>> model = model.fit(data.data, data.target, sensitive_features=data.sensitive_features)
    >>> model.predict(data.data[:8])                               # no group is needed
    array([3, 1, 2, 1, 1, 1, 1, 1])
    >>> round(model.expected_violation_, 3)                        # on new rows
    0.195
    """

    def __init__(
        self,
        estimator: Any,
        *,
        criterion: Any = "demographic_parity",
        trade_off: float | None = None,
        max_violation: float | None = None,
        cost_matrix: Any = "absolute",
        confidence: float | None = None,
        group_aware: bool = False,
        cv: Any = None,
        response_method: str = "auto",
        labels: Any = None,
        tol: float = 1e-3,
        max_time: float | None = 60.0,
        n_jobs: int | None = None,
        random_state: Any = 0,
    ) -> None:
        self.estimator = estimator
        self.criterion = criterion
        self.trade_off = trade_off
        self.max_violation = max_violation
        self.cost_matrix = cost_matrix
        self.confidence = confidence
        self.group_aware = group_aware
        self.cv = cv
        self.response_method = response_method
        self.labels = labels
        self.tol = tol
        self.max_time = max_time
        self.n_jobs = n_jobs
        self.random_state = random_state

    @wholly
    def fit(
        self, X: Any, y: Any, *, sensitive_features: Any, sample_weight: Any = None
    ) -> FairThresholdClassifier:
        """Choose thresholds on held-out scores, and fit the estimator to all rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features, as the estimator takes them.
        y : array-like of shape (n_samples,)
            True ordinal labels.
        sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns)
            Group of each sample; several columns mean their intersections. Rows are matched by
            position; an index is ignored.
        sample_weight : array-like of shape (n_samples,), default=None
            For the thresholds, and for the estimator if its `fit` takes it; with metadata routing,
            if it requests it. Multiplying all weights by a constant does not change the thresholds
            of given scores. It may change the scores, because some estimators weigh rows against a
            penalty.

        Returns
        -------
        self : FairThresholdClassifier
            Fitted.
        """
        goal = read_goal(
            self.trade_off, self.max_violation, "certified", default_limit=DEFAULT_LIMIT
        )
        self._check(goal)
        with progress("fit"):
            with part(0.5):
                pool = self._pool(X, y, sensitive_features, sample_weight)
            find = self._cut_by_group if self.group_aware else self._choose
            result = find(pool, goal)
        self._set_result(replace(result, library=frame_library(X, y, sensitive_features)))
        warn_unfinished(self.result_, self.tol)
        return self

    def _choose(self, pool: ScorePool, goal: Goal) -> ThresholdResult:
        """Choose thresholds that do not depend on the group."""
        with part(0.4):
            chosen = choose_from(pool, [0], goal, self.confidence)
        warn_about(pool.candidates, chosen, goal, self.confidence, scores_given=True)
        with part(0.1, "final thresholds"):
            result = pool.thresholds(chosen.candidate, self._settings())
        self._set_expected(chosen.candidate, self.confidence or 0.95, chosen.optimism)
        return result

    def _set_result(self, result: ThresholdResult) -> None:
        self.result_, self.label_curves_ = result, label_curves(result.score_table)

    def _settings(self) -> Settings:
        """When the search for thresholds stops; the time begins to run."""
        return read_settings(self.tol, self.max_time, 0, self.random_state)

    def _check(self, goal: Goal) -> None:
        """Check parameters before the work."""
        self._settings()
        if self.confidence is None:
            return
        check_fraction(self.confidence, "confidence")
        if self.group_aware:
            raise ValueError(
                "confidence needs thresholds that do not depend on the group. Leave it out, or set "
                "group_aware=False."
            )
        if not goal.hard:
            raise ValueError("confidence needs max_violation; leave it out with trade_off.")

    def _cut_by_group(self, pool: ScorePool, goal: Goal) -> ThresholdResult:
        evaluation = pool.rows.evaluation
        return solve(
            pool.table,
            evaluation.criterion,
            evaluation.cost,
            goal,
            "certified",
            self._settings(),
            group_aware=True,
        )

    @wholly
    def _pool(self, X: Any, y: Any, sensitive_features: Any, sample_weight: Any) -> ScorePool:
        """Fit the estimator, without thresholds, and make a pool of candidates of its scores."""
        check_choice(self.response_method, "response_method", RESPONSES)
        self.criterion_ = as_criterion(self.criterion, self.cost_matrix)
        read = self._read_dask if is_dask(X) else self._read
        columns, table = read(X, y, sensitive_features, sample_weight)
        cost = as_cost_matrix(self.cost_matrix, table.labels)
        evaluation = Evaluation(self.criterion_, cost, table.groups, table.labels, table.one)
        scores, cells, weight, fold = columns
        if fold is None:
            seed = seed_of(self.random_state)
            codes = np.divmod(cells, len(table.labels))
            fold = threshold_folds(*codes, scores, weight, N_FOLDS, seed)
        return ScorePool(HeldOutRows(evaluation, cells, weight, fold), scores, table)

    def _read_dask(
        self, X: Any, y: Any, sensitive_features: Any, sample_weight: Any
    ) -> tuple[ScoredRows, ScoreTable]:
        """Scores of a sample of the rows, and counts of those of all rows."""
        if self.cv != "prefit":
            raise ValueError(
                "rows of Dask need cv='prefit'. Fit the estimator first, to a sample or with a "
                "library that learns from Dask, and pass rows that it was not fitted to."
            )
        check_is_fitted(self.estimator)
        self.estimator_ = self.estimator
        method = choose_response(self.estimator, first_rows(X), self.response_method)
        score = partial(_score_block, self.estimator, method)
        rows, labels, names = read_partitions(
            X, y, sensitive_features, sample_weight, self.labels, score=score
        )
        warn_few_rows(names, rows.sum(rows_by_group))
        self.classes_ = plain_array(labels)
        self._response = Response(method, self.classes_)
        return on_site(_scored_rows, [sample_of(rows)]), score_table(
            rows, np.ones(1), names, labels
        )

    def _read(
        self, X: Any, y: Any, sensitive_features: Any, sample_weight: Any
    ) -> tuple[ScoredRows, ScoreTable]:
        """Held-out scores, and counts of them."""
        features = {"sensitive_features": sensitive_features, "sample_weight": sample_weight}
        warn_misaligned({"X": X, "y": y} | features)
        column, groups = read_target(y), read_groups(sensitive_features)
        check_same_length(column, groups)
        check_consistent_length(X, column.values)
        weight = read_weight(sample_weight, len(column.values), rows_of="y")
        truth, _, _ = order_labels(column, column, self.labels)
        check_groups(len(groups.levels), len(truth.levels))
        self.classes_ = plain_array(truth.levels)
        group = groups.codes(slice(None))
        with_weight = group if weight is None else group[weight.values > 0]
        warn_few_rows(groups.levels, np.bincount(with_weight, minlength=len(groups.levels)))
        cells = group * len(truth.levels) + truth.codes(slice(None))
        self.estimator_, self._response, held_out = held_out_scores(
            self.estimator,
            X,
            cells,
            self.classes_,
            self._of_estimator(features),
            sample_weight=sample_weight,
            cv=self.cv,
            response_method=self.response_method,
            n_jobs=self.n_jobs,
            random_state=self.random_state,
        )
        weight = Weight(np.ones(len(cells))) if weight is None else weight.relative()
        counted = weight.values[held_out.rows] > 0
        at, fold = held_out.rows[counted], held_out.fold
        fold = None if fold is None else fold[counted]
        columns = ScoredRows(held_out.scores[counted], cells[at], weight.values[at], fold)
        table = counted_scores(*columns[:3], groups.levels, truth.levels, weight.one)
        return columns, table

    def _of_estimator(self, columns: dict[str, Any]) -> dict[str, Any]:
        """The columns that `fit` of the estimator gets: those it takes, or those it requests."""
        given = {name: column for name, column in columns.items() if column is not None}
        if isinstance(self.cv, str):  # prefit
            return {}
        if get_config()["enable_metadata_routing"]:
            return dict(process_routing(self, "fit", **given)["estimator"]["fit"])
        return {name: given[name] for name in given if has_fit_parameter(self.estimator, name)}

    def get_metadata_routing(self) -> MetadataRouter:
        """Return how `sensitive_features` and `sample_weight` are passed on to `estimator`.

        With ``sklearn.set_config(enable_metadata_routing=True)``, `fit` passes those on that
        `fit` of `estimator` requests; otherwise, those that it takes as arguments.

        Returns
        -------
        routing : MetadataRouter
            The requests of this classifier, and of its estimator.
        """
        mapping = MethodMapping().add(caller="fit", callee="fit")
        router = MetadataRouter(owner=self).add_self_request(self)
        return router.add(estimator=self.estimator, method_mapping=mapping)

    def predict(self, X: Any, *, sensitive_features: Any = None) -> Array:
        """Predict a label for each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features, as the estimator takes them.
        sensitive_features : array-like of shape (n_samples,), default=None
            Needed with `group_aware`, and refused without. Rows are matched by position; an index
            is ignored.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            Labels.
        """
        if sensitive_features is not None and not self.group_aware:
            raise ValueError(
                "predict does not use sensitive_features unless group_aware=True; leave it out."
            )
        if is_dask(X):
            check_is_fitted(self, "result_")
            return lazily(self._predict_block, X, self.classes_.dtype)
        warn_misaligned({"X": X, "sensitive_features": sensitive_features})
        scores = self.decision_function(X)
        return self.result_.predict(scores, sensitive_features=sensitive_features)

    def decision_function(self, X: Any) -> Array:
        """The scores that are cut into labels.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features, as the estimator takes them.

        Returns
        -------
        scores : ndarray of shape (n_samples,)
            Higher for higher labels.
        """
        check_is_fitted(self, "result_")
        if is_dask(X):
            return lazily(self.decision_function, X, np.float64)
        return self._response.scores(self.estimator_, X)

    def _predict_block(self, X: Any) -> Array:
        if self.group_aware:
            raise ValueError(
                "predict with group_aware=True needs rows in memory: call .compute() on Dask rows."
            )
        return self.predict(X)

    @property
    def thresholds_(self) -> Array:
        return self.result_.thresholds

    @property
    def cost_(self) -> float:
        return self.result_.cost

    @property
    def violation_(self) -> float:
        return self.result_.violation

    @property
    def gap_(self) -> float:
        return self.result_.gap


def score_pool(
    classifier: FairThresholdClassifier,
    X: Any,
    y: Any,
    sensitive_features: Any,
    sample_weight: Any,
) -> ScorePool:
    """Fit the estimator of a classifier, and return the pool from which `fit` chooses thresholds.

    Sets all attributes of the classifier that do not depend on thresholds.
    """
    return classifier._pool(X, y, sensitive_features, sample_weight)


class ScoredRows(NamedTuple):
    """Rows with scores by estimators that were not fitted to them."""

    scores: Array
    cells: Array  # group * n_labels + label
    weight: Array
    fold: Array | None = None  # None if one estimator gave all scores


def _scored_rows(block: Block) -> ScoredRows:
    return ScoredRows(block.scores(np.ones(1)), block.cells, block.weight)


def _score_block(estimator: Any, method: str, X: Any, labels: Array) -> Array:
    return scores_of(estimator, X, plain_array(labels), method)
