"""Fair thresholds for any estimator."""

from __future__ import annotations

import numbers
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.model_selection import StratifiedShuffleSplit, check_cv
from sklearn.utils import check_consistent_length, get_tags
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from fairordinal._costs import cost_matrix as as_cost_matrix
from fairordinal._fitting import wholly
from fairordinal._rows import (
    Block,
    align,
    check_folds,
    counted_scores,
    first_rows,
    fold_numbers,
    held_out_once,
    lazily,
    on_site,
    read_partitions,
    score_table,
    seed_of,
)
from fairordinal._table import ScoreTable
from fairordinal._validation import (
    Array,
    Weight,
    check_choice,
    check_fraction,
    check_same_length,
    check_whole,
    is_dask,
    order_labels,
    read_groups,
    read_target,
    read_weight,
    warn_misaligned,
)
from fairordinal.criteria import as_criterion
from fairordinal.estimators._response import (
    DEFAULT_LIMIT,
    RESPONSES,
    GroupedScoreMixin,
    choose_response,
    has_units,
    learned_labels,
    plain_array,
    scores_of,
    take,
)
from fairordinal.ranker import sample_of
from fairordinal.thresholds import (
    Candidate,
    Evaluation,
    Goal,
    HeldOutRows,
    Optimism,
    ScorePool,
    Settings,
    check_groups,
    choose_from,
    expected,
    read_goal,
    read_settings,
    solve,
    threshold_folds,
    warn_about,
    warn_unfinished,
)

N_FOLDS = 5  # by default


class FairThresholdClassifier(GroupedScoreMixin, MetaEstimatorMixin, BaseEstimator):
    r"""Any scorer with fair cut points: no retraining of its kind, no group at prediction time.

    Out-of-fold scores of `estimator` are cut into ordered labels by thresholds of least cost that
    keep a limit to the violation on held-out rows; then the estimator is fitted to all rows. The
    thresholds have a certificate, as those of :func:`~fairordinal.optimize_thresholds`.

    Parameters
    ----------
    estimator : estimator
        Scores by `decision_function` if that gives one number a row, by the expected label of
        `predict_proba`, or by `predict`. Regressors learn the labels as numbers.
    criterion : str or Criterion, default="demographic_parity"
        What is fair; see :func:`~fairordinal.optimize_thresholds`.
    trade_off : float in [0, 1), default=None
        The paper's λ': a price on the violation.
    max_violation : float, default=None
        A limit to the violation on *new* rows, as cross-validation estimates it; 0.05 if
        `trade_off` is not given either. Thresholds are cut for a limit that may be stricter.
    cost_matrix : {"absolute", "zero_one", "squared", "asymmetric"} or array, default="absolute"
        The price of errors.
    confidence : float, default=None
        Keep `max_violation` on new rows with this confidence, such as 0.9: an upper bound of the
        violation, ``max_e (|v_e| + z_c σ_e)`` over pairs of groups e, has to be within it. It is
        one-sided, without a correction for several pairs. Thresholds are then also cut with a
        surcharge on all labels but the best constant one: see
        :func:`~fairordinal.optimize_thresholds`.
    group_aware : bool, default=False
        A set of thresholds for each group. `predict` then needs the group. Treating people
        differently by their group is disparate treatment, which may be unlawful; it is fairer by
        the criterion and more accurate, without a proof of optimality. `max_violation` then limits
        the violation on held-out scores, and nothing is said of new rows.
    cv : int, float, splitter, iterable or "prefit", default=None
        How held-out scores are made: by cross-validation (None: 5 folds), on a share of the rows
        (a float), or of a fitted estimator on all rows (``"prefit"``; pass rows that it was not
        fitted to). A fitted classifier is matched to the labels by its `classes_`, and its scores
        are turned round if they rise along the labels in descending order.
    response_method : {"auto", "decision_function", "predict_proba", "predict"}, default="auto"
        What gives the scores.
    categories : sequence, default=None
        All labels in ascending order. Needed for names without an order.
    tol, max_time : float, default=1e-3 and 60.0
        As in :func:`~fairordinal.optimize_thresholds`; a tol of 0 asks for the very best.
    n_jobs : int, default=None
        Folds fitted at the same time.
    random_state : int, RandomState instance or None, default=0
        Seed of the folds, and of the share of rows that is held out.

    Attributes
    ----------
    estimator_ : estimator
        Fitted to all rows.
    thresholds_ : ndarray of shape (n_labels - 1,) or (n_groups, n_labels - 1)
        Label l is predicted where ``thresholds_[l-1] < score <= thresholds_[l]``.
    classes_ : ndarray of shape (n_labels,)
        Labels in ascending order.
    result_ : ThresholdResult
        Cost, violation and certificate on the held-out scores; print it.
    cost_, violation_, gap_ : float
        Of `result_`.
    expected_cost_, expected_violation_ : float
        On new rows: of cross-fitted predictions, by estimators and thresholds that were not fitted
        to the rows they predict. Without `group_aware` only.
    expected_cost_interval_, expected_violation_interval_ : tuple of float
        95 % intervals, or at `confidence`; weights count as numbers of rows.
    confidence_ : float
        The level of these intervals.
    criterion_ : Criterion
        The criterion of fairness.

    See Also
    --------
    optimize_thresholds : Thresholds for scores that are given.
    FairOrdinalClassifier : Rankers that are trained to be fair, and their thresholds.

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
    0.167
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
        categories: Any = None,
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
        self.categories = categories
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
            Whatever the estimator takes.
        y : array-like of shape (n_samples,)
            True ordinal labels.
        sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns)
            Group of each sample; several columns mean their intersections. Rows are matched by
            position; an index is ignored.
        sample_weight : array-like of shape (n_samples,), default=None
            For the thresholds, and for the estimator if its `fit` takes it. Multiplying all
            weights by a constant does not change the thresholds of given scores; scores may
            change, for some estimators weigh rows against a penalty.

        Returns
        -------
        self : FairThresholdClassifier
            Fitted.
        """
        goal = read_goal(
            self.trade_off, self.max_violation, "certified", default_limit=DEFAULT_LIMIT
        )
        self._check(goal)
        pool = self.pool(X, y, sensitive_features, sample_weight)
        if self.group_aware:
            self._cut_by_group(pool, goal)
        else:
            chosen = choose_from(pool, [0], goal, self.confidence)
            warn_about(pool.candidates, chosen, goal, self.confidence, stacklevel=3)
            self.result_ = pool.thresholds(chosen.candidate, self._settings())
            expect(self, chosen.candidate, self.confidence or 0.95, chosen.optimism)
        warn_unfinished(self.result_, self.tol, stacklevel=3)
        return self

    def _settings(self) -> Settings:
        """How hard to search for thresholds; the clock starts here."""
        return read_settings(self.tol, self.max_time, 0, self.random_state)

    def _check(self, goal: Goal) -> None:
        """Check parameters before the work."""
        self._settings()
        if self.confidence is None:
            return
        check_fraction(self.confidence, "confidence")
        if self.group_aware:
            raise ValueError(
                "confidence needs thresholds that do not depend on the group: leave it out, or set "
                "group_aware=False."
            )
        if not goal.hard:
            raise ValueError("confidence belongs to max_violation; leave it out with trade_off.")

    def _cut_by_group(self, pool: ScorePool, goal: Goal) -> None:
        evaluation = pool.rows.evaluation
        self.result_ = solve(
            pool.table,
            evaluation.criterion,
            evaluation.cost,
            goal,
            "certified",
            self._settings(),
            group_aware=True,
        )

    @wholly
    def pool(self, X: Any, y: Any, sensitive_features: Any, sample_weight: Any) -> ScorePool:
        """Fit the estimator only; held-out scores, for which candidates can be made.

        Parameters
        ----------
        X, y, sensitive_features, sample_weight :
            As in `fit`. Rows are matched by position; an index is ignored.

        Returns
        -------
        pool : ScorePool
            From which `fit` chooses thresholds.
        """
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
    ) -> tuple[Columns, ScoreTable]:
        """Scores of a sample of the rows, and counts of those of all rows."""
        if self.cv != "prefit":
            raise ValueError(
                "rows of Dask need cv='prefit': fit the estimator first, to a sample or by a "
                "library that learns from Dask, and pass rows that it was not fitted to."
            )
        check_is_fitted(self.estimator)
        self.estimator_ = self.estimator
        self._response = choose_response(self.estimator, first_rows(X), self.response_method)
        score = partial(_score_block, self.estimator, self._response)
        rows, labels, names = read_partitions(
            X, y, sensitive_features, sample_weight, self.categories, score=score
        )
        self.classes_ = self._learned = plain_array(labels)
        return on_site(_columns, [sample_of(rows)]), score_table(rows, np.ones(1), names, labels)

    def _read(
        self, X: Any, y: Any, sensitive_features: Any, sample_weight: Any
    ) -> tuple[Columns, ScoreTable]:
        """Held-out scores, and counts of them."""
        features = {"sensitive_features": sensitive_features, "sample_weight": sample_weight}
        warn_misaligned({"X": X, "y": y} | features)
        column, groups = read_target(y), read_groups(sensitive_features)
        check_same_length(column, groups)
        check_consistent_length(X, column.values)
        weight = read_weight(sample_weight, len(column.values), rows_of="y")
        truth, _, _ = order_labels(column, column, self.categories)
        check_groups(len(groups.levels), len(truth.levels))
        self.classes_ = plain_array(truth.levels)
        cells = groups.codes(slice(None)) * len(truth.levels) + truth.codes(slice(None))
        at, scores, fold = self._held_out(X, cells, features)
        weight = Weight(np.ones(len(cells))) if weight is None else weight.relative()
        counted = weight.values[at] > 0
        at, scores = at[counted], scores[counted]
        columns = Columns(
            scores, cells[at], weight.values[at], None if fold is None else fold[counted]
        )
        table = counted_scores(*columns[:3], groups.levels, truth.levels, weight.one)
        return columns, table

    def predict(self, X: Any, *, sensitive_features: Any = None) -> Array:
        """Predict a label for each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Whatever the estimator takes.
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
                "predict does not look at sensitive_features unless group_aware=True; leave it out."
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
            Whatever the estimator takes.

        Returns
        -------
        scores : ndarray of shape (n_samples,)
            Higher for higher labels.
        """
        check_is_fitted(self, "result_")
        if is_dask(X):
            return lazily(self.decision_function, X, np.float64)
        return self._scores(self.estimator_, X)

    def _predict_block(self, X: Any) -> Array:
        if self.group_aware:
            raise ValueError("predict by group takes rows in memory; .compute() those of Dask.")
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

    @property
    def n_features_in_(self) -> int:
        return self.estimator_.n_features_in_

    @property
    def feature_names_in_(self) -> Array:
        return self.estimator_.feature_names_in_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = get_tags(self.estimator).input_tags
        tags.input_tags.sparse, tags.input_tags.allow_nan = inner.sparse, inner.allow_nan
        return tags

    def _held_out(
        self, X: Any, cells: Array, columns: dict[str, Any]
    ) -> tuple[Array, Array, Array | None]:
        """Row numbers, their scores by estimators that were not fitted to them, and their folds.

        Fits `estimator_`. There are no folds if one estimator gave all scores.
        """
        prefit = isinstance(self.cv, str) and check_choice(self.cv, "cv", ("prefit",))
        self._learned = self.classes_ if prefit else learned_labels(self.estimator, self.classes_)
        if prefit:
            check_is_fitted(self.estimator)
            self.estimator_ = self.estimator
            self._response = choose_response(self.estimator_, X, self.response_method)
            return np.arange(len(cells)), self._scores(self.estimator, X), None
        passed = {
            name: column
            for name, column in columns.items()
            if column is not None and has_fit_parameter(self.estimator, name)
        }
        targets = self._learned[cells % len(self.classes_)]
        self.estimator_ = clone(self.estimator).fit(X, targets, **passed)
        self._response = choose_response(self.estimator_, X, self.response_method)
        own = self._scores(self.estimator_, X)
        common = None if has_units(self.estimator_, self._response) else own
        splits = held_out_once((_rows(train), _rows(test)) for train, test in self._splits(cells))
        weight = columns.get("sample_weight")
        parts = Parallel(n_jobs=self.n_jobs)(
            delayed(self._fold)(X, targets, passed, train, test, common, weight)
            for train, test in splits
        )
        at, scores = np.concatenate([test for _, test in splits]), np.concatenate(parts)
        fold = np.repeat(np.arange(len(parts)), [len(part) for part in parts])
        frozen = np.array_equal(scores, own[at])
        return at, scores, None if frozen or len(parts) == 1 else fold

    def _splits(self, cells: Array) -> Any:
        labels = cells % len(self.classes_)
        if isinstance(self.cv, float):
            share = StratifiedShuffleSplit(1, test_size=self.cv, random_state=self.random_state)
            return share.split(labels, labels)
        if self.cv is None or isinstance(self.cv, numbers.Integral):
            n_folds = N_FOLDS if self.cv is None else check_whole(self.cv, "cv", least=2)
            check_folds(n_folds, np.bincount(labels), stacklevel=8)
            fold = fold_numbers(cells, n_folds, seed_of(self.random_state))
            return [(np.flatnonzero(fold != f), np.flatnonzero(fold == f)) for f in range(n_folds)]
        return check_cv(self.cv, labels, classifier=True).split(labels, labels)

    def _fold(
        self,
        X: Any,
        targets: Array,
        passed: dict[str, Any],
        train: Array,
        test: Array,
        common: Array | None,
        weight: Any,
    ) -> Array:
        """Scores of the rows of a fold by an estimator fitted to the others.

        They are aligned to `common`, the scores of `estimator_`, so that the same thresholds cut
        the scores of all folds.
        """
        some = {name: take(column, train) for name, column in passed.items()}
        fitted = clone(self.estimator).fit(take(X, train), targets[train], **some)
        scores = self._scores(fitted, take(X, test))
        if common is None:
            return scores
        weight = None if weight is None else np.asarray(take(weight, train), dtype=np.float64)
        return align(scores, self._scores(fitted, take(X, train)), common[train], weight)

    def _scores(self, fitted: Any, X: Any) -> Array:
        return scores_of(fitted, X, self._learned, self._response)


class Columns(NamedTuple):
    """Rows with scores that were not fitted to them."""

    scores: Array
    cells: Array  # group * n_labels + label
    weight: Array
    fold: Array | None = None  # None: one estimator gave all scores


def _columns(block: Block) -> Columns:
    return Columns(block.scores(np.ones(1)), block.cells, block.weight)


def expect(model: Any, candidate: Candidate, confidence: float, optimism: Optimism) -> None:
    """Set what to expect of a model on new rows, given the optimism of choosing it."""
    found = expected(candidate, confidence, optimism)
    model.expected_cost_, model.expected_violation_ = found.cost, found.violation
    model.expected_cost_interval_ = found.cost_interval
    model.expected_violation_interval_ = found.violation_interval
    model.confidence_ = confidence


def _score_block(estimator: Any, response: str, X: Any, labels: Array) -> Array:
    return scores_of(estimator, X, plain_array(labels), response)


def _rows(rows: Any) -> Array:
    """Row numbers, given them or a mask."""
    rows = np.asarray(rows)
    return np.flatnonzero(rows) if rows.dtype == bool else rows.astype(np.intp)
