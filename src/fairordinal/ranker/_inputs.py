"""From the arguments of ``fit`` and ``predict`` to rows: checks, codes, missing numbers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import narwhals as nw
import numpy as np
from scipy import sparse
from sklearn.impute import SimpleImputer
from sklearn.utils.validation import validate_data

from fairordinal._rows import Block, Features, Rows, read_partitions
from fairordinal._validation import (
    Array,
    Weight,
    check_same_length,
    check_sizes,
    is_dask,
    order_labels,
    read_groups,
    read_target,
    read_weight,
    warn_misaligned,
)

MOST_GROUPS = 60  # the number of disparities is quadratic in the number of groups
MOST_CELLS = 150  # groups × labels; a step of a fit needs up to one FFT for each
NOT_NUMBERS = ("could not convert", "not compatible with arrays of bytes/strings")  # said of text


def read_rows(
    estimator: Any, X: Any, y: Any, sensitive_features: Any, sample_weight: Any, labels: Any
) -> tuple[Rows, Array, Array]:
    """Rows with weight, the labels in ascending order, and the names of the groups.

    Sets what scikit-learn expects of an estimator: `n_features_in_`, and `feature_names_in_` if the
    columns have names. Sets `imputer_` if the estimator accepts missing numbers.
    """
    if is_dask(X):
        return _read_dask(estimator, X, y, sensitive_features, sample_weight, labels)
    features = {"sensitive_features": sensitive_features, "sample_weight": sample_weight}
    warn_misaligned({"X": X, "y": y} | features)
    X = read_features(estimator, X, fitting=True)
    column, groups = read_target(y), read_groups(sensitive_features)
    check_same_length(column, groups)
    if X.shape[0] != len(column.values):
        raise ValueError(f"X has {X.shape[0]} rows but y has {len(column.values)}.")
    truth, _, _ = order_labels(column, column, labels)
    weight = read_weight(sample_weight, len(column.values), rows_of="y")
    weight = Weight(np.ones(len(column.values))) if weight is None else weight.relative()
    kept = slice(None) if weight.values.all() else np.flatnonzero(weight.values)
    counted = weight.values[kept]
    _check_sizes(len(groups.levels), len(truth.levels))
    group, label = groups.codes(slice(None))[kept], truth.codes(slice(None))[kept]
    check_two_of_each(group, label)
    X = X[kept]
    if _accepts_missing(estimator):
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
        row_numbers=None if isinstance(kept, slice) else kept,
    )
    return rows, truth.levels, groups.levels


def _read_dask(
    estimator: Any, X: Any, y: Any, sensitive_features: Any, sample_weight: Any, labels: Any
) -> tuple[Rows, Array, Array]:
    """Rows in blocks of Dask, the labels in ascending order, and the names of the groups."""
    estimator.n_features_in_ = int(X.shape[1])
    names = [*getattr(X, "columns", [])]
    if names and all(isinstance(name, str) for name in names):
        estimator.feature_names_in_ = np.array(names, dtype=object)
    elif hasattr(estimator, "feature_names_in_"):
        del estimator.feature_names_in_
    rows, levels, groups = read_partitions(X, y, sensitive_features, sample_weight, labels)
    _check_sizes(rows.n_groups, rows.n_labels)
    totals = rows.totals.reshape(rows.n_groups, rows.n_labels)
    check_two_of_each(*(np.flatnonzero(totals.sum(axis=axis)) for axis in (1, 0)))
    return rows, levels, groups


def _check_sizes(n_groups: int, n_labels: int) -> None:
    check_sizes(n_groups, n_labels, what="a ranker", most_groups=MOST_GROUPS, most_cells=MOST_CELLS)


def check_two_of_each(groups: Array, labels: Array) -> None:
    """Raise an error if all rows with weight are of one group, or have one label."""
    for codes, name in ((groups, "sensitive_features"), (labels, "y")):
        if np.count_nonzero(np.bincount(codes)) < 2:
            raise ValueError(
                f"rows with weight have one value of {name}; pairs of rows need two. Check "
                "sample_weight."
            )


def read_features(estimator: Any, X: Any, *, fitting: bool = False) -> Any:
    """Features as floating-point numbers, dense or in CSR format.

    When not `fitting`, the columns must be those of the fit. Missing numbers are accepted if the
    estimator has a `basis` other than ``"linear"``; its `imputer_` then fills them, except when
    `fitting`. Estimators that were fitted to rows of Dask have no imputer.
    """
    imputer = getattr(estimator, "imputer_", None)
    allowed = _accepts_missing(estimator) if fitting else imputer is not None
    options = {"accept_sparse": "csr", "dtype": np.float64, "reset": fitting}
    options["ensure_all_finite"] = "allow-nan" if allowed else True
    try:
        with numbers_needed(X):
            X = validate_data(estimator, X, ensure_min_samples=1 + fitting, **options)
    except ValueError as error:
        if "contains NaN" in str(error):
            raise ValueError(_missing_message(estimator)) from error
        raise
    return X if fitting or imputer is None else imputer.transform(X)


@contextmanager
def numbers_needed(X: Any) -> Iterator[None]:
    """Say which columns of X are not numeric, and what to do, if work with X fails on text."""
    try:
        yield
    except (np.exceptions.DTypePromotionError, ValueError) as error:
        said, others = str(error), _columns_without_numbers(X)
        about_text = not isinstance(error, ValueError) or any(text in said for text in NOT_NUMBERS)
        if not about_text or others == []:
            raise
        which = f" (columns {others})" if others else ""
        raise ValueError(
            f"X must hold numbers{which}: {said}. Encode other columns, for instance by "
            "sklearn.preprocessing.OneHotEncoder in a ColumnTransformer, or drop them."
        ) from error


def _missing_message(estimator: Any) -> str:
    reason = (
        "which models fitted to rows of Dask do not accept. Fill"
        if _accepts_missing(estimator)
        else "which linear columns do not accept. Use FairOrdinalClassifier(basis='auto'), "
        "'piecewise' or 'trees', or fill"
    )
    return (
        f"Input X contains NaN, {reason} missing values, for instance by "
        "sklearn.impute.SimpleImputer."
    )


def _accepts_missing(estimator: Any) -> bool:
    return getattr(estimator, "basis", "linear") != "linear"


def _columns_without_numbers(X: Any) -> list[str] | None:
    """Names of the columns of a frame that are neither numeric nor boolean.

    None if there are no names, but perhaps such columns.
    """
    frame = nw.from_native(X, pass_through=True, eager_only=True)
    if not isinstance(frame, nw.DataFrame):
        return [] if getattr(X, "dtype", np.dtype(object)).kind in "biuf" else None
    dtypes = frame.schema.items()
    return [name for name, dtype in dtypes if not (dtype.is_numeric() or dtype == nw.Boolean)]


def _imputer(X: Any, weight: Array) -> SimpleImputer:
    """Imputer that fills missing numbers by weighted means, and adds indicators of them."""
    imputer = SimpleImputer(add_indicator=True, keep_empty_features=True)
    imputer = imputer.set_output(transform="default").fit(X)
    imputer.indicator_.set_output(transform="default")  # scikit-learn 1.6 does not pass it on
    if np.ptp(weight):
        missing, known = X.copy(), X.copy()
        for part, of in ((missing, np.isnan), (known, np.nan_to_num)):
            values = part.data if sparse.issparse(part) else part
            values[:] = of(values)
        share = 1.0 - weight @ missing / weight.sum()
        means = np.divide(weight @ known / weight.sum(), share, where=share > 0, out=share * 0.0)
        imputer.statistics_ = np.where(share > 0, means, imputer.statistics_)
    return imputer


def lazy_features(estimator: Any, X: Any) -> Any:
    """Return a Dask collection; raise an error if its number of columns is not that of the fit."""
    if X.ndim != 2 or X.shape[1] != estimator.n_features_in_:
        raise ValueError(
            f"X has shape {X.shape}, but {type(estimator).__name__} expects "
            f"{estimator.n_features_in_} features."
        )
    return X
