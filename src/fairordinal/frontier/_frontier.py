"""The Pareto frontier of cost and violation, as an estimator."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_consistent_length
from sklearn.utils.validation import check_is_fitted

from fairordinal._path import RankerPool, Trained, fill, is_wide
from fairordinal._render import frame_library, make_frame
from fairordinal._support import part, progress, steps, wholly
from fairordinal._table import ScoreTable, read_table
from fairordinal._validation import (
    Array,
    check_fraction,
    check_number,
    check_same_length,
    check_whole,
    read_column,
    read_groups,
)
from fairordinal.estimators import (
    ChosenModel,
    FairOrdinalClassifier,
    FairThresholdClassifier,
    RankerPathEstimator,
    score_pool,
)
from fairordinal.frontier._point import FrontierPoint, farthest_from_chord, frontier_text
from fairordinal.plotting import FrontierDisplay
from fairordinal.thresholds import (
    Candidate,
    Goal,
    Optimism,
    Pool,
    choose,
    expected,
    measured,
    no_less_fair,
    read_goal,
    read_settings,
    warn_about,
)

Model = FairOrdinalClassifier | FairThresholdClassifier

NO_OPTIMISM = Optimism()

SHARED = (
    *("criterion", "basis", "ranker", "loss", "alpha", "cost_matrix"),
    *("cv", "labels", "tol", "max_iter", "max_time", "random_state"),
)  # parameters that the frontier has in common with FairOrdinalClassifier


class FairOrdinalFrontier(RankerPathEstimator):
    r"""The Pareto frontier of cost and violation: models from accurate to fair.

    A path of rankers is learned from all pairs of rows. Their out-of-fold scores are cut by
    thresholds for limits to the violation from none to 0, and limits are halved where neighbouring
    models lie far apart. Cross-fitted predictions estimate cost and violation on new rows. Models
    are left out if another is cheaper and not less fair. Print the frontier, `plot` it, take its
    `frame`, or `select` a model from it.

    Parameters
    ----------
    criterion : str or PairwiseCriterion, default="demographic_parity"
        The criterion of fairness. By name: ``"demographic_parity"``, ``"equal_opportunity"``,
        ``"equalized_odds"`` or ``"conditional_demographic_parity"``; with `estimator`, also those
        of :class:`~fairordinal.FairThresholdClassifier`.
    estimator : estimator, default=None
        Any estimator that :class:`~fairordinal.FairThresholdClassifier` takes. The frontier is then
        that of thresholds for its held-out scores, and `select` returns such a classifier.
    basis : {"auto", "linear", "piecewise", "plug-in", "trees"}, default="auto"
        What scores are made of: the features, also ramps (``"piecewise"``), also trees
        (``"trees"``), or costs of labels by group (``"plug-in"``). ``"auto"`` takes what the number
        of rows allows and held-out rows prefer; see :class:`~fairordinal.FairOrdinalClassifier`.
    ranker : {"auto", "direct", "reduction", "grid", "relaxed"}, default="auto"
        How rankers are made fair: by a penalty on smooth disparities (``"direct"``), by reversed
        pairs (``"reduction"``, and ``"grid"`` with the paper's multipliers), by equal mean scores
        (``"relaxed"``), or by the first two (``"auto"``).
    loss : {"logistic", "smooth_hinge", "squared_hinge"}, default="logistic"
        The loss of the margin x of a pair: log(1 + exp(-x)), max(1 - x, 0) with a smooth corner, or
        max(1 - x, 0)².
    alpha : float, default=None
        Strength of the L2 penalty on coefficients of standardised columns; None chooses it by
        cross-validation.
    cost_matrix : {"absolute", "zero_one", "squared", "asymmetric"} or array, default="absolute"
        The cost of errors: ``|i-j|``, ``1{i≠j}``, ``(i-j)²``, ``|i-j|·(1 + 1{j>i})``, or a V-shaped
        matrix ``C[i, j]`` for the true label i and the predicted label j.
    confidence : float, default=0.95
        The level of the intervals.
    cv : int, splitter or iterable of splits, default=5
        Folds of rows. A number means shuffled folds, stratified by group and label. With
        `estimator`, also a share of the rows or ``"prefit"``.
    labels : sequence, default=None
        All labels in ascending order.
    tol : float, default=1e-5
        Tolerance at which the fit of a ranker stops.
    max_iter : int, default=500
        Most steps of the fit of a ranker.
    max_time : float, default=2.0
        Seconds for the thresholds of each model, whose gap is in the frame; None means no limit.
    n_jobs : int, default=None
        Number of folds that are fitted in parallel.
    random_state : int, RandomState instance or None, default=0
        Seed of the folds.

    Attributes
    ----------
    points_ : list of FrontierPoint
        The models, from fair to accurate.
    holes_ : list of tuple of float
        Holes of the frontier: the violations of neighbouring models that differ by more than 0.05
        in violation, or by more than 5 % in cost. No candidate that was tried lies between them.
    classes_ : ndarray of shape (n_labels,)
        Labels in ascending order.
    criterion_ : Criterion
        The criterion of fairness.
    n_iter_ : int
        The most steps that the fit of a ranker took; not with `estimator`.

    See Also
    --------
    FairOrdinalClassifier : One model, for a given limit or trade-off.
    compare : Intervals of the differences between models.

    Notes
    -----
    The paper trains a model for each trade-off; here ranker and thresholds are chosen together, and
    limits are added where the frontier has holes. Cost: a path of rankers for all rows and for each
    fold, O(n·d) for each step, then at most `max_time` for each model, and for many groups a fixed
    number of steps. At most 60 groups, and 150 cells (groups times labels). More than 2¹⁷ rows are
    represented by a sample of that size.

    References
    ----------
    Kleindessner, Samadi, Zafar, Kenthapadi, Russell: Pairwise Fairness for Ordinal Regression,
    AISTATS 2022, arXiv:2105.03153. Section 5.

    Examples
    --------
    >>> from fairordinal import FairOrdinalFrontier
    >>> from fairordinal.datasets import load_diabetes
    >>> data = load_diabetes()
    >>> frontier = FairOrdinalFrontier(alpha=1e-3, ranker="reduction", cv=3)
    >>> frontier = frontier.fit(data.data, data.target, sensitive_features=data.sensitive_features)
    >>> model = frontier.select(max_violation=0.1)
    >>> model.expected_violation_ <= 0.1
    True
    """

    _choosing: ClassVar = 3.0

    def __init__(
        self,
        criterion: Any = "demographic_parity",
        *,
        estimator: Any = None,
        basis: str = "auto",
        ranker: str = "auto",
        loss: str = "logistic",
        alpha: float | None = None,
        cost_matrix: Any = "absolute",
        confidence: float = 0.95,
        cv: Any = 5,
        labels: Any = None,
        tol: float = 1e-5,
        max_iter: int = 500,
        max_time: float | None = 2.0,
        n_jobs: int | None = None,
        random_state: Any = 0,
    ) -> None:
        self.criterion = criterion
        self.estimator = estimator
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
        self.n_jobs = n_jobs
        self.random_state = random_state

    @wholly
    def fit(
        self,
        X: Any,
        y: Any,
        *,
        sensitive_features: Any,
        sample_weight: Any = None,
        eval_set: tuple[Any, Any, Any] | None = None,
    ) -> FairOrdinalFrontier:
        """Learn rankers, find thresholds for many limits, and keep models that are not dominated.

        Parameters
        ----------
        X : array-like or sparse array of shape (n_samples, n_features)
            Features; the group should not be among them.
        y : array-like of shape (n_samples,)
            True ordinal labels.
        sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns)
            Group of each sample; several columns mean their intersections. Rows are matched by
            position; an index is ignored.
        sample_weight : array-like of shape (n_samples,), default=None
            A weight of 2 is a row repeated twice. Multiplying all weights by a constant changes
            only intervals, which take the sum of the weights for the number of rows. Ramps
            and trees count rows in units of the smallest weight, if all are multiples of it.
        eval_set : tuple (X, y, sensitive_features), default=None
            Further rows, on which each model is measured, too.

        Returns
        -------
        self : FairOrdinalFrontier
            Fitted.
        """
        check_fraction(self.confidence, "confidence")
        _check_eval_set(eval_set)
        self._library = frame_library(X, y, sensitive_features)
        with progress("frontier"):
            pool = self._learn(X, y, sensitive_features, sample_weight)
            with part():
                self._set_points(pool, eval_set)
        return self

    def _learn(self, X: Any, y: Any, sensitive_features: Any, sample_weight: Any) -> Pool:
        """Candidates of paths of rankers, or of the scores of the estimator."""
        if self.estimator is None:
            learned = self._learn_paths(
                X, y, sensitive_features, sample_weight, n_jobs=self.n_jobs, extend=False
            )
            self._trained: list[Trained] = learned.trained
            return learned
        self._scorer = FairThresholdClassifier(
            self.estimator,
            criterion=self.criterion,
            cost_matrix=self.cost_matrix,
            cv=self.cv,
            labels=self.labels,
            n_jobs=self.n_jobs,
            random_state=self.random_state,
        )
        with part(0.3):
            pool = score_pool(self._scorer, X, y, sensitive_features, sample_weight)
        self.criterion_, self.classes_ = self._scorer.criterion_, self._scorer.classes_
        return pool

    def _set_points(self, pool: Pool, eval_set: Any) -> None:
        """Find the models of the frontier, and measure them."""
        with part(0.6):
            front = fill(pool)
        self._candidates = pool.candidates
        numbered = steps(front, "final thresholds, model", share=0.35)
        self.points_ = [self._point(pool, candidate, eval_set) for candidate in numbered]
        self.holes_ = [
            (fair.violation, cheap.violation)
            for fair, cheap in pairwise(front)
            if is_wide(fair, cheap)
        ]
        with part(text="estimating the optimism"):
            self._samples = pool.simulate()

    def _point(self, pool: Pool, candidate: Candidate, eval_set: Any) -> FrontierPoint:
        """A candidate with its final thresholds, measured on all sets of rows."""
        evaluation = candidate.evaluation
        result = pool.thresholds(candidate, read_settings(1e-3, self.max_time, 0, 0))
        if result.stopped_by == "interrupt":  # the user wants to stop the fit
            raise KeyboardInterrupt
        result = replace(result, library=self._library)
        train = pool.predictions(candidate, result)
        point = FrontierPoint(
            candidate,
            result,
            train,
            expected(candidate, self.confidence, NO_OPTIMISM),
            measured(evaluation, train, self.confidence),
            pool.importances(candidate) if isinstance(pool, RankerPool) else None,
        )
        if eval_set is None:
            return point
        table = self._table(self._model_of(point), *eval_set)
        return replace(point, held_out=measured(evaluation, table, self.confidence))

    def _table(self, model: Model, X: Any, y: Any, sensitive_features: Any) -> ScoreTable:
        labels = self.classes_.tolist()
        return read_table(y, model.predict(X), sensitive_features, labels=labels)

    def _model_of(self, point: FrontierPoint, optimism: Optimism = NO_OPTIMISM) -> Model:
        """The model of a point as a fitted classifier, with the optimism of choosing it."""
        goal, candidate = point.candidate.goal, point.candidate
        asked = {
            "trade_off": None if goal.hard else 0.0,
            "max_violation": goal.limit if goal.hard else None,
        }
        if self.estimator is not None:
            cut = copy(self._scorer).set_params(**asked)
            cut._set_result(point.result)
            cut._set_expected(candidate, self.confidence, optimism)
            return cut
        model = FairOrdinalClassifier().set_params(**asked)
        model.set_params(**{name: getattr(self, name) for name in SHARED})
        for name in ("criterion_", "classes_", "n_iter_", "n_features_in_"):
            setattr(model, name, getattr(self, name))
        for name in ("feature_names_in_", "imputer_"):
            if hasattr(self, name):
                setattr(model, name, getattr(self, name))
        assert point.importances is not None
        others = no_less_fair(candidate, self._candidates)
        found = ChosenModel(candidate, point.result, point.table, point.importances, others)
        model._set_model(found, self._trained, self.confidence, optimism)
        return model

    def frame(self) -> Any:
        """Cost and violation of each model, on each set of rows, from fair to accurate.

        Returns
        -------
        frame : DataFrame
            With the columns `model` (its number), `measured_on` (train, cross-validated or
            held-out), `cost` and `violation` with intervals (`cost_lower`, …), `limit` for which
            its thresholds were cut (inf without one), `ranker` (its number on the path),
            `n_labels` (how many it predicts) and `gap` of its thresholds. Of the library that the
            input came from, otherwise pandas.
        """
        check_is_fitted(self, "points_")
        rows = [row for number, point in enumerate(self.points_) for row in point.rows(number)]
        return make_frame({key: [row[key] for row in rows] for key in rows[0]}, self._library)

    def select(
        self,
        *,
        max_violation: float | None = None,
        max_cost: float | None = None,
        knee: bool = False,
        confidence: float | None = None,
    ) -> Model:
        """Select a model of the frontier, as a fitted classifier.

        Parameters
        ----------
        max_violation : float, default=None
            Take the model of least cost whose expected violation is within this limit. There is a
            warning if nearly all rows get one label.
        max_cost : float, default=None
            Take the model of least violation whose expected cost is at most this.
        knee : bool, default=False
            Take the model where the curve bends most: farthest below the line between its ends. If
            no model is below that line, take the most accurate one.
        confidence : float, default=None
            Keep `max_violation` on new rows with this confidence: an upper bound of the violation,
            ``max_e (|v_e| + z_c σ_e)`` over pairs of groups e, has to be within it.

        Returns
        -------
        model : FairOrdinalClassifier or FairThresholdClassifier
            Fitted; the latter if the frontier has an `estimator`. `expected_cost_`,
            `expected_violation_` and their intervals are estimates for new rows.

        See Also
        --------
        model : A model by its number.
        """
        return self._model_of(*self._chosen(max_violation, max_cost, knee, confidence))

    def model(self, number: int) -> Model:
        """A model of the frontier by its number, as a fitted classifier.

        Parameters
        ----------
        number : int
            Its index in `points_`, which is the column `model` of `frame`.

        Returns
        -------
        model : FairOrdinalClassifier or FairThresholdClassifier
            Fitted; the latter if the frontier has an `estimator`.

        See Also
        --------
        select : A model for a limit, for a cost, or at the knee.
        """
        check_is_fitted(self, "points_")
        check_whole(number, "number", least=0, most=len(self.points_) - 1)
        return self._model_of(self.points_[number])

    def plot(
        self,
        *,
        measured_on: str = "cross-validated",
        chosen: Any = None,
        baselines: Any = None,
        ax: Any = None,
    ) -> FrontierDisplay:
        """Draw cost against violation; needs matplotlib.

        Parameters
        ----------
        measured_on : {"cross-validated", "train", "held-out"}, default="cross-validated"
            The rows on which cost and violation are measured; held-out rows are those of
            `eval_set`.
        chosen : FairOrdinalClassifier or int, default=None
            A model of `select`, or the number of one, around which a ring is drawn.
        baselines : ModelComparison or mapping of str to tuple, default=None
            Other predictors, measured on the same rows: the result of
            :func:`~fairordinal.compare`, or a mapping of names to (cost, violation), or to (cost,
            its interval, violation, its interval).
        ax : matplotlib Axes, default=None
            Where to draw; None makes a figure.

        Returns
        -------
        display : FrontierDisplay
            With `ax_`, `figure_` and `frame`.
        """
        check_is_fitted(self, "points_")
        return FrontierDisplay.from_frontier(
            self, measured_on=measured_on, chosen=chosen, baselines=baselines, ax=ax
        )

    def _chosen(
        self, max_violation: Any, max_cost: Any, knee: bool, confidence: Any
    ) -> tuple[FrontierPoint, Optimism]:
        """The point that the arguments of `select` ask for, and the optimism of choosing it."""
        check_is_fitted(self, "points_")
        if (max_violation is not None) + (max_cost is not None) + bool(knee) != 1:
            raise ValueError("Give one of max_violation, max_cost and knee=True.")
        if confidence is not None:
            check_fraction(confidence, "confidence")
        if max_violation is not None:
            return self._within(read_goal(None, max_violation, "certified"), confidence)
        if confidence is not None:
            raise ValueError("confidence needs max_violation; leave it out with max_cost and knee.")
        violations, costs = self._expected()
        if knee:
            return self.points_[farthest_from_chord(violations, costs)], NO_OPTIMISM
        within = costs <= check_number(max_cost, "max_cost")
        if not within.any():
            raise ValueError(
                f"max_cost={max_cost:g} is out of reach: the least expected cost is "
                f"{costs.min():.3f}."
            )
        return self.points_[int(np.where(within, violations, np.inf).argmin())], NO_OPTIMISM

    def _within(self, goal: Goal, confidence: float | None) -> tuple[FrontierPoint, Optimism]:
        """The point of least cost within a limit, and the optimism of choosing it."""
        candidates = [point.candidate for point in self.points_]
        optimism = self._samples.optimism(goal, confidence)
        chosen = choose(candidates, goal, confidence, optimism)
        scores_given = self.estimator is not None
        warn_about(self._candidates, chosen, goal, confidence, scores_given=scores_given)
        return self.points_[candidates.index(chosen.candidate)], optimism

    def _expected(self) -> tuple[Array, Array]:
        """Expected violations and costs of all points."""
        values = [(point.expected.violation, point.expected.cost) for point in self.points_]
        violations, costs = np.array(values).T
        return violations, costs

    def __str__(self) -> str:
        return frontier_text(self) if hasattr(self, "points_") else repr(self)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags


def _check_eval_set(eval_set: Any) -> None:
    """Raise an error before the work if `eval_set` cannot be used."""
    if eval_set is None:
        return
    if not isinstance(eval_set, tuple | list) or len(eval_set) != 3:
        size = len(eval_set) if isinstance(eval_set, tuple | list) else type(eval_set).__name__
        raise ValueError(f"eval_set must be a tuple (X, y, sensitive_features), got {size}.")
    X, y, sensitive_features = eval_set
    truth = read_column(y, "y of eval_set")
    check_same_length(truth, read_groups(sensitive_features))
    check_consistent_length(X, truth.values)
