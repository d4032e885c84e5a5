"""The ranker as users fit it."""

from __future__ import annotations

import warnings
from copy import copy
from dataclasses import replace
from typing import Any

import narwhals as nw
import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.impute import SimpleImputer
from sklearn.utils.validation import check_is_fitted, validate_data

from fairordinal._fitting import wholly
from fairordinal._pairloss import LOSSES, Kernel
from fairordinal._rows import (
    Block,
    Features,
    Rows,
    folds_of,
    lazily,
    linear_scores,
    on_site,
    read_partitions,
)
from fairordinal._threads import one_thread
from fairordinal._validation import (
    Array,
    Weight,
    check_choice,
    check_number,
    check_same_length,
    check_share,
    check_sizes,
    check_whole,
    is_dask,
    order_labels,
    read_groups,
    read_target,
    read_weight,
    warn_misaligned,
)
from fairordinal.criteria import PairwiseCriterion, as_criterion
from fairordinal.ranker._data import (
    ALPHAS,
    accuracies_by_alpha,
    accuracies_in_folds,
    check_two_of_each,
    is_small,
    pair_data,
    require_pairwise,
    require_sorting,
    sample_of,
)
from fairordinal.ranker._objective import Fit, PairData, Training
from fairordinal.ranker._paths import WAYS, accuracy_of, plain, violation_of

RANKERS = ("auto", *WAYS)
MOST_GROUPS = 60  # each pair of them is a disparity to be weighed
MOST_CELLS = 150  # groups × labels; a step takes a transform for each


def ways_of(ranker: str) -> tuple[str, ...]:
    """The paths that a ranker pools."""
    check_choice(ranker, "ranker", RANKERS)
    return ("direct", "reduction") if ranker == "auto" else (ranker,)


@one_thread
def fit_path(data: PairData, ways: tuple[str, ...], training: Training) -> list[Fit]:
    """The plain ranker, and those of each way from accurate to fair."""
    first = plain(data, training)
    rough = replace(training, tol=10 * training.tol)
    return [first, *(fit for way in ways for fit in WAYS[way](data, first, rough))]


def _accuracies(
    train: Rows, held_out: Rows, criterion: PairwiseCriterion, loss: Kernel, max_iter: int
) -> list[float]:
    data, tested = (pair_data(part, criterion, loss) for part in (train, held_out))
    return accuracies_by_alpha(data, tested, ALPHAS, max_iter)


def _path_reached(
    rows: Rows,
    criterion: PairwiseCriterion,
    loss: Kernel,
    ways: tuple[str, ...],
    training: Training,
) -> tuple[list[Fit], Array]:
    """The path, and shares of pairs in order and violations along it."""
    data = pair_data(rows, criterion, loss)
    fits = fit_path(data, ways, training)
    reached = [[measure(data, fit.coef) for fit in fits] for measure in (accuracy_of, violation_of)]
    return fits, np.array(reached)


def read_features(estimator: Any, X: Any, *, fitting: bool = False) -> Any:
    """Finite numbers, dense or sparse, in columns as they were when fitting.

    Missing numbers are allowed if the estimator has a `basis` other than ``"linear"``. They are
    filled by its `imputer_`, unless it is `fitting`. Estimators that were fitted to rows of Dask
    have none.
    """
    imputer = getattr(estimator, "imputer_", None)
    allowed = _takes_missing(estimator) if fitting else imputer is not None
    options = {"accept_sparse": "csr", "dtype": np.float64, "reset": fitting}
    options["ensure_all_finite"] = "allow-nan" if allowed else True
    try:
        X = validate_data(estimator, X, ensure_min_samples=1 + fitting, **options)
        return X if fitting or imputer is None else imputer.transform(X)
    except (np.exceptions.DTypePromotionError, ValueError) as error:
        if "contains NaN" in str(error):
            way = (
                "which models fitted to rows of Dask do not take. Fill"
                if _takes_missing(estimator)
                else "which linear columns do not take. Use FairOrdinalClassifier(basis='auto'), "
                "'piecewise' or 'trees', or fill"
            )
            raise ValueError(
                f"Input X contains NaN, {way} missing values, for instance by "
                "sklearn.impute.SimpleImputer."
            ) from error
        if isinstance(error, ValueError) and "could not convert" not in str(error):
            raise
        strange = _columns_without_numbers(X)
        which = f" (columns {strange})" if strange else ""
        raise ValueError(
            f"X must hold numbers{which}: {error}. Encode other columns, for instance by "
            "sklearn.preprocessing.OneHotEncoder in a ColumnTransformer, or drop them."
        ) from error


def _takes_missing(estimator: Any) -> bool:
    return getattr(estimator, "basis", "linear") != "linear"


def _columns_without_numbers(X: Any) -> list[str]:
    """Names of a frame's columns of text, categories or times."""
    frame = nw.from_native(X, pass_through=True, eager_only=True)
    if not isinstance(frame, nw.DataFrame):
        return []
    kinds = frame.schema.items()
    return [name for name, kind in kinds if not (kind.is_numeric() or kind == nw.Boolean)]


def read_rows(
    estimator: Any, X: Any, y: Any, sensitive_features: Any, sample_weight: Any, categories: Any
) -> tuple[Rows, Array, Array]:
    """Rows as codes; the labels and the groups."""
    if is_dask(X):
        return _read_blocks(estimator, X, y, sensitive_features, sample_weight, categories)
    features = {"sensitive_features": sensitive_features, "sample_weight": sample_weight}
    warn_misaligned({"X": X, "y": y} | features)
    X = read_features(estimator, X, fitting=True)
    column, groups = read_target(y), read_groups(sensitive_features)
    check_same_length(column, groups)
    if X.shape[0] != len(column.values):
        raise ValueError(f"X has {X.shape[0]} rows but y has {len(column.values)}.")
    truth, _, _ = order_labels(column, column, categories)
    weight = read_weight(sample_weight, len(column.values), rows_of="y")
    weight = Weight(np.ones(len(column.values))) if weight is None else weight.relative()
    kept = slice(None) if weight.values.all() else np.flatnonzero(weight.values)
    counted = weight.values[kept]
    _check_sizes(len(groups.levels), len(truth.levels))
    group, label = groups.codes(slice(None))[kept], truth.codes(slice(None))[kept]
    check_two_of_each(group, label)
    X = X[kept]
    if _takes_missing(estimator):
        estimator.imputer_ = _imputer(X, counted)
        X = estimator.imputer_.transform(X)
    rows = Block.of(
        Features.of(X, counted),
        group,
        label,
        len(groups.levels),
        len(truth.levels),
        weight=counted,
        one=weight.one,
        numbers=None if isinstance(kept, slice) else kept,
    )
    return rows, truth.levels, groups.levels


def _imputer(X: Any, weight: Array) -> SimpleImputer:
    """Fills missing numbers by weighted means, and adds indicators."""
    imputer = SimpleImputer(add_indicator=True, keep_empty_features=True)
    imputer = imputer.set_output(transform="default").fit(X)
    if np.ptp(weight):
        missing, known = X.copy(), X.copy()
        for part, of in ((missing, np.isnan), (known, np.nan_to_num)):
            values = part.data if sparse.issparse(part) else part
            values[:] = of(values)
        share = 1.0 - weight @ missing / weight.sum()
        means = np.divide(weight @ known / weight.sum(), share, where=share > 0, out=share * 0.0)
        imputer.statistics_ = np.where(share > 0, means, imputer.statistics_)
    return imputer


def _read_blocks(
    estimator: Any, X: Any, y: Any, sensitive_features: Any, sample_weight: Any, categories: Any
) -> tuple[Rows, Array, Array]:
    """Rows in blocks of Dask; the labels and the groups."""
    estimator.n_features_in_ = int(X.shape[1])
    names = [*getattr(X, "columns", [])]
    if names and all(isinstance(name, str) for name in names):
        estimator.feature_names_in_ = np.array(names, dtype=object)
    elif hasattr(estimator, "feature_names_in_"):
        del estimator.feature_names_in_
    rows, labels, groups = read_partitions(X, y, sensitive_features, sample_weight, categories)
    _check_sizes(rows.n_groups, rows.n_labels)
    totals = rows.totals.reshape(rows.n_groups, rows.n_labels)
    check_two_of_each(*(np.flatnonzero(totals.sum(axis=axis)) for axis in (1, 0)))
    return rows, labels, groups


def _check_sizes(n_groups: int, n_labels: int) -> None:
    check_sizes(n_groups, n_labels, what="a ranker", most_groups=MOST_GROUPS, most_cells=MOST_CELLS)


def lazy_features(estimator: Any, X: Any) -> Any:
    """A Dask collection with as many columns as when fitting."""
    if X.ndim != 2 or X.shape[1] != estimator.n_features_in_:
        raise ValueError(
            f"X has shape {X.shape}, but {type(estimator).__name__} expects "
            f"{estimator.n_features_in_} features."
        )
    return X


def warn_unconverged(fits: list[Fit], max_iter: int) -> None:
    """Say so if coefficients do not minimise what they should."""
    bad = [fit for fit in fits if not fit.converged]
    if bad:
        worst = max(fit.gradient_norm for fit in bad)
        warnings.warn(
            f"{len(bad)} of {len(fits)} fits did not converge in max_iter={max_iter} steps "
            f"(greatest gradient {worst:.1e}). Raise max_iter or alpha, or scale the features.",
            ConvergenceWarning,
            stacklevel=4,
        )


def check_trade_off(trade_off: Any) -> float:
    return check_share(trade_off, "trade_off")


class FairLinearRanker(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    r"""A linear scorer that ranks rows by their labels, fairly, learned from all pairs of rows.

    Parameters
    ----------
    criterion : str or PairwiseCriterion, default="demographic_parity"
        Which disparity of the ranking is to be small.
    trade_off : float in [0, 1], default=0.5
        The paper's μ: of the path from accurate to fair, take the ranker with the least
        (1-μ)·error + μ·violation.
    ranker : {"auto", "direct", "reduction", "grid", "relaxed"}, default="auto"
        ``"direct"`` penalises smooth disparities, ``"reduction"`` turns pairs round as the paper
        does, with rising multipliers, ``"auto"`` pools both. For comparison: ``"grid"`` is the
        reduction with the paper's own grid of 100 multipliers, ``"relaxed"`` makes mean scores
        equal.
    loss : {"logistic", "smooth_hinge", "squared_hinge"}, default="logistic"
        The price of a pair's margin x: log(1 + exp(-x)), max(1 - x, 0) rounded off, or
        max(1 - x, 0)².
    alpha : float, default=None
        Strength of the l2 penalty on coefficients of standardised features; None chooses it by
        cross-validation over rows.
    cv : int, splitter or iterable of splits, default=5
        Folds for that. A number means shuffled folds, stratified by group and label.
    categories : sequence, default=None
        All labels in ascending order.
    tol, max_iter : float and int, default=1e-5 and 500
        When a fit stops.
    random_state : int, RandomState instance or None, default=0
        Seed of the folds.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        Coefficients of the chosen ranker: scores are ``(X - origin_) @ coef_``.
    origin_ : ndarray of shape (n_features,)
        From where features are counted: their mean if that is more than 1000 times their spread,
        so that no digits are lost; else 0.
    path_ : ndarray of shape (n_rankers, n_features)
        Coefficients of all, the plain one first.
    accuracies_, violations_ : ndarray of shape (n_rankers,)
        Share of pairs of unequal labels in order, and violation of the scores, on the rows given.
    alpha_, n_iter_ : float and int
        The strength used, and the most steps that a fit took.
    classes_ : ndarray of shape (n_labels,)
        Labels in ascending order.

    Notes
    -----
    Minimises the mean of ℓ(s_i - s_j) over *all* pairs with y_i > y_j, plus the penalties, by
    L-BFGS in coordinates whitened by the Hessian at 0. Cost of a step: O(n·d), no pair is formed.
    At most 60 groups, and 150 cells (groups times labels).
    Section 3.1 of Kleindessner et al., AISTATS 2022, arXiv:2105.03153.

    Examples
    --------
    >>> from fairordinal.datasets import load_diabetes
    >>> from fairordinal.ranker import FairLinearRanker
    >>> data = load_diabetes()
    >>> ranker = FairLinearRanker(trade_off=0.7, alpha=1e-3)
    >>> ranker = ranker.fit(data.data, data.target, sensitive_features=data.sensitive_features)
    >>> plain, fair = ranker.violations_[0], ranker.violations_.min()
    >>> bool(fair < 0.1 * plain)
    True
    """

    def __init__(
        self,
        criterion: Any = "demographic_parity",
        *,
        trade_off: float = 0.5,
        ranker: str = "auto",
        loss: str = "logistic",
        alpha: float | None = None,
        cv: int = 5,
        categories: Any = None,
        tol: float = 1e-5,
        max_iter: int = 500,
        random_state: Any = 0,
    ) -> None:
        self.criterion = criterion
        self.trade_off = trade_off
        self.ranker = ranker
        self.loss = loss
        self.alpha = alpha
        self.cv = cv
        self.categories = categories
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    @wholly
    def fit(
        self, X: Any, y: Any, *, sensitive_features: Any, sample_weight: Any = None
    ) -> FairLinearRanker:
        """Fit the path, and choose a ranker on it.

        Parameters
        ----------
        X : array-like or sparse array of shape (n_samples, n_features)
            Features.
        y : array-like of shape (n_samples,)
            True ordinal labels.
        sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns)
            Group of each sample. Rows are matched by position; an index is ignored.
        sample_weight : array-like of shape (n_samples,), default=None
            A weight of 2 is a row repeated twice.

        Returns
        -------
        self : FairLinearRanker
            Fitted.
        """
        share = check_trade_off(self.trade_off)
        ways, loss = ways_of(self.ranker), LOSSES[check_choice(self.loss, "loss", tuple(LOSSES))]
        max_iter = check_whole(self.max_iter, "max_iter", least=1)
        tol = check_number(self.tol, "tol")
        criterion = require_pairwise(as_criterion(self.criterion))
        rows, self.classes_, _ = read_rows(
            self, X, y, sensitive_features, sample_weight, self.categories
        )
        require_sorting(rows, loss)
        rows = sample_of(rows) if is_small(rows) else rows
        self.alpha_ = (
            self._choose_alpha(sample_of(rows), criterion, loss, max_iter)
            if self.alpha is None
            else check_number(self.alpha, "alpha")
        )
        training = Training(self.alpha_, tol, max_iter)
        fits, reached = on_site(_path_reached, [rows], criterion, loss, ways, training)
        warn_unconverged(fits, max_iter)
        self.n_iter_ = max(fit.n_iter for fit in fits)
        self.path_ = np.stack([fit.coef / rows.scaling.spreads for fit in fits])
        self.origin_ = np.zeros(rows.n_features) + rows.scaling.origin
        self.accuracies_, self.violations_ = reached
        self.coef_ = self._chosen(share)
        return self

    def _choose_alpha(
        self, rows: Rows, criterion: PairwiseCriterion, loss: Kernel, max_iter: int
    ) -> float:
        folds = folds_of(rows, self.cv, self.random_state)
        reached = accuracies_in_folds(rows, folds, _accuracies, criterion, loss, max_iter)
        return ALPHAS[int(reached.mean(axis=0).argmax())]

    def at(self, trade_off: float) -> FairLinearRanker:
        """The ranker that another trade-off chooses from the same path; nothing is fitted.

        Parameters
        ----------
        trade_off : float in [0, 1]
            The paper's μ.

        Returns
        -------
        ranker : FairLinearRanker
            A fitted copy.
        """
        check_is_fitted(self, "coef_")
        other = copy(self).set_params(trade_off=trade_off)
        other.coef_ = self._chosen(check_trade_off(trade_off))
        return other

    def _chosen(self, share: float) -> Array:
        value = (1 - share) * (1 - self.accuracies_) + share * self.violations_
        return self.path_[int(value.argmin())]

    def decision_function(self, X: Any) -> Array:
        """Scores, higher for higher labels.

        Parameters
        ----------
        X : array-like or sparse array of shape (n_samples, n_features)
            Features.

        Returns
        -------
        scores : ndarray of shape (n_samples,)
            Scores.
        """
        check_is_fitted(self, "coef_")
        if is_dask(X):
            return lazily(self.decision_function, lazy_features(self, X), np.float64)
        return linear_scores(read_features(self, X), self.coef_, self.origin_)

    def transform(self, X: Any) -> Array:
        """The scores as a feature, for a step of a pipeline.

        Parameters
        ----------
        X : array-like or sparse array of shape (n_samples, n_features)
            Features.

        Returns
        -------
        scores : ndarray of shape (n_samples, 1)
            Scores; a frame after ``set_output(transform="pandas")``.
        """
        return self.decision_function(X)[:, None]

    @property
    def _n_features_out(self) -> int:
        return 1

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        return tags
