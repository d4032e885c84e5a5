"""Scores of any estimator, higher for higher labels: how they are read, and out of fold.

An estimator gives scores by its decision function, by the expected label of `predict_proba`, or by
`predict` (`Response`). Out-of-fold scores come from clones of the estimator that were fitted to the
other folds (`held_out_scores`).
"""

from __future__ import annotations

import numbers
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import narwhals as nw
import numpy as np
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import StratifiedShuffleSplit, check_cv
from sklearn.pipeline import Pipeline
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import check_is_fitted

from fairordinal._costs import label_places
from fairordinal._rows import align, check_folds, fold_numbers, held_out_once, seed_of
from fairordinal._support import awaited, part
from fairordinal._validation import Array, check_choice, check_whole
from fairordinal.ranker import numbers_needed

RESPONSES = ("auto", "decision_function", "predict_proba", "predict")
N_FOLDS = 5  # by default

Splits = Sequence[tuple[Array, Array]]


def learned_labels(estimator: Any, labels: Array) -> Array:
    """What an estimator learns in place of each label.

    Numbers in ascending order are learned as they are. Other labels are learned as codes 0 … k-1,
    because their order is not alphabetical; so are fractions by classifiers. A frozen estimator has
    learned the labels already.
    """
    if _is_frozen(estimator) or _ascending(labels, is_regressor(estimator)):
        return labels
    return np.arange(len(labels))


def _is_frozen(estimator: Any) -> bool:
    """Whether an estimator, the last step of a pipeline, or a classifier inside it is frozen."""
    if isinstance(estimator, Pipeline):
        return _is_frozen(estimator[-1])
    parts = estimator.get_params().values() if is_classifier(estimator) else ()
    return isinstance(estimator, FrozenEstimator) or any(
        isinstance(part, FrozenEstimator) and is_classifier(part) for part in parts
    )


def _ascending(labels: Array, fractions: bool) -> bool:
    numbers = labels.dtype.kind in "iuf" and bool((np.diff(labels) > 0).all())
    return numbers and (fractions or bool((labels == np.rint(labels)).all()))


def choose_response(estimator: Any, X: Any, response_method: str) -> str:
    """The method that gives the scores of an estimator, and of its clones."""
    for method in RESPONSES[1:] if response_method == "auto" else [response_method]:
        if hasattr(estimator, method) and (
            method != "decision_function" or _is_column(estimator.decision_function(X))
        ):
            return method
    raise ValueError(
        f"estimator {estimator!r} gives no scores by response_method={response_method!r}: it "
        "needs predict_proba, predict, or a decision_function with one number for each row."
    )


def scores_of(estimator: Any, X: Any, learned: Array, response: str) -> Array:
    """One number for each row: a decision value, the expected label, or the prediction.

    Higher numbers stand for higher labels, in the order of `learned`.
    """
    values = np.asarray(getattr(estimator, response)(X))
    if response == "predict_proba":
        return values @ _class_values(_classes_of(estimator), learned)
    if response == "predict" and not is_regressor(estimator):
        return _class_values(values.ravel(), learned)
    if not _is_column(values):
        raise ValueError(
            f"{response} of estimator {estimator!r} must give one number for each row, got an "
            f"array of shape {values.shape}."
        )
    sign = _direction(estimator, learned, response)
    return sign * values.ravel().astype(np.float64)


def _direction(estimator: Any, learned: Array, response: str) -> int:
    """1 if the numbers that an estimator gives rise with the labels, -1 if they fall.

    A regressor predicts labels that are numbers, and a decision function rises along `classes_`:
    in a binary classifier from ``classes_[0]`` to ``classes_[1]``, in an ordinal one through all
    of them. The scores of an estimator without classes are assumed to rise.
    """
    if response == "predict":
        rising = np.sort(learned) if learned.dtype.kind in "iuf" else learned
    elif is_classifier(estimator) or hasattr(estimator, "classes_"):
        rising = np.asarray(_classes_of(estimator))
    else:
        return 1
    steps = np.diff(_class_values(rising, learned))
    if (steps > 0).all():
        return 1
    if (steps < 0).all():
        return -1
    raise ValueError(
        f"{response} of estimator {estimator!r} rises along {rising.tolist()}, which is not the "
        f"order of the labels, {learned.tolist()}. Fit it to the codes 0 … {len(learned) - 1}, "
        "or pass response_method='predict_proba' if it has that."
    )


def _classes_of(estimator: Any) -> Any:
    """The classes of a fitted classifier."""
    if not hasattr(estimator, "classes_"):
        raise ValueError(
            f"estimator {estimator!r} has no classes_, so that its scores cannot be matched to the "
            "labels. Pass response_method='predict', or use optimize_thresholds for its scores."
        )
    return estimator.classes_


def has_units(estimator: Any, response: str) -> bool:
    """Whether scores are in units of the labels: expected or predicted labels of a classifier."""
    return response == "predict_proba" or (response == "predict" and not is_regressor(estimator))


def _is_column(values: Any) -> bool:
    shape = np.shape(values)
    return len(shape) == 1 or (len(shape) == 2 and shape[1] == 1)


def _class_values(classes: Any, learned: Array) -> Array:
    """Numbers for the classes of an estimator, which ascend with the labels."""
    values = label_places(learned)
    values = values if values[0] < values[-1] else -values
    value_of = dict(zip(learned.tolist(), values.tolist(), strict=True))
    found = [value_of.get(label) for label in np.asarray(classes).tolist()]
    if None in found:
        unknown = np.asarray(classes).tolist()[found.index(None)]
        raise ValueError(
            f"estimator predicts {unknown!r}, which is not one of the labels {learned.tolist()}. "
            "Fit it to the same labels, pass labels=[...], or use optimize_thresholds for its "
            "scores."
        )
    return np.array(found, dtype=np.float64)


class Response(NamedTuple):
    """The method that gives the scores of an estimator, and what it learns in place of labels."""

    method: str
    learned: Array

    def scores(self, fitted: Any, X: Any) -> Array:
        with numbers_needed(X):
            return scores_of(fitted, X, self.learned, self.method)


# Out-of-fold scores -------------------------------------------------------------------------


class HeldOutScores(NamedTuple):
    """Scores of rows by estimators that were not fitted to them."""

    rows: Array  # numbers
    scores: Array
    fold: Array | None = None  # None if one estimator gave all scores


def held_out_scores(
    estimator: Any,
    X: Any,
    cells: Array,
    labels: Array,
    columns: Mapping[str, Any],
    *,
    sample_weight: Any,
    cv: Any,
    response_method: str,
    n_jobs: int | None,
    random_state: Any,
) -> tuple[Any, Response, HeldOutScores]:
    """Fit an estimator to all rows, and compute scores by clones not fitted to these rows.

    `columns` are further arguments of its `fit`. With ``cv="prefit"`` nothing is fitted.
    """
    if isinstance(cv, str) and check_choice(cv, "cv", ("prefit",)):
        check_is_fitted(estimator)
        response = Response(choose_response(estimator, X, response_method), labels)
        scores = response.scores(estimator, X)
        return estimator, response, HeldOutScores(np.arange(len(cells)), scores)
    learned = learned_labels(estimator, labels)
    targets = learned[cells % len(labels)]
    with numbers_needed(X), part(0.2, "fitting the estimator"):
        fitted = clone(estimator).fit(X, targets, **columns)
    response = Response(choose_response(fitted, X, response_method), learned)
    own = response.scores(fitted, X)
    common = None if has_units(fitted, response.method) else own
    splits = _read_splits(_splits(cv, cells, len(labels), random_state))
    rest = (estimator, response, X, targets, columns, common, sample_weight)
    parts = Parallel(n_jobs=n_jobs, return_as="generator")(
        delayed(_fold_scores)(*rest, train, held_out) for train, held_out in splits
    )
    found = [*awaited(parts, len(splits), "cross-validation, fold", share=0.8)]
    return fitted, response, _joined(splits, found, own)


def _joined(splits: Splits, parts: Sequence[Array], own: Array) -> HeldOutScores:
    """Scores of all folds together.

    If they equal `own`, the in-sample scores, then clones learn nothing (the estimator is frozen),
    and there are no folds.
    """
    at, scores = np.concatenate([held_out for _, held_out in splits]), np.concatenate(parts)
    fold = np.repeat(np.arange(len(parts)), [len(part) for part in parts])
    frozen = np.array_equal(scores, own[at])
    return HeldOutScores(at, scores, None if frozen or len(parts) == 1 else fold)


def _splits(cv: Any, cells: Array, n_labels: int, random_state: Any) -> Any:
    """Training and held-out rows of each fold, by the parameter `cv`."""
    labels = cells % n_labels
    if isinstance(cv, float):
        share = StratifiedShuffleSplit(1, test_size=cv, random_state=random_state)
        return share.split(labels, labels)
    if cv is None or isinstance(cv, numbers.Integral):
        n_folds = N_FOLDS if cv is None else check_whole(cv, "cv", least=2)
        check_folds(n_folds, np.bincount(labels))
        fold = fold_numbers(cells, n_folds, seed_of(random_state))
        return [(np.flatnonzero(fold != f), np.flatnonzero(fold == f)) for f in range(n_folds)]
    return check_cv(cv, labels, classifier=True).split(labels, labels)


def _read_splits(splits: Any) -> Splits:
    """Splits as row numbers, in which each row is held out at most once."""
    return held_out_once((_row_numbers(train), _row_numbers(test)) for train, test in splits)


def _row_numbers(rows: Any) -> Array:
    """Row numbers, given as such or as a mask."""
    rows = np.asarray(rows)
    return np.flatnonzero(rows) if rows.dtype == bool else rows.astype(np.intp)


def _fold_scores(
    estimator: Any,
    response: Response,
    X: Any,
    targets: Array,
    columns: Mapping[str, Any],
    common: Array | None,
    weight: Any,
    train: Array,
    held_out: Array,
) -> Array:
    """Scores of held-out rows by a clone of the estimator that is fitted to other rows.

    Scores are aligned to `common`, those of the estimator that is fitted to all rows, so that the
    same thresholds cut the scores of all folds.
    """
    some = {name: take(column, train) for name, column in columns.items()}
    fitted = clone(estimator).fit(take(X, train), targets[train], **some)
    scores = response.scores(fitted, take(X, held_out))
    if common is None:
        return scores
    weight = None if weight is None else np.asarray(take(weight, train), dtype=np.float64)
    return align(scores, response.scores(fitted, take(X, train)), common[train], weight)


def take(values: Any, rows: Array) -> Any:
    """Some rows of a frame, a column, an array or a list."""
    if values is None:
        return None
    if hasattr(values, "tocsr"):  # first, because a sparse dictionary of keys is a mapping
        return values.tocsr()[rows]
    if isinstance(values, Mapping):
        return {name: take(column, rows) for name, column in values.items()}
    if hasattr(values, "iloc"):  # pandas, even with two columns of one name
        return values.iloc[rows]
    frame = nw.from_native(values, pass_through=True, allow_series=True)
    if isinstance(frame, nw.DataFrame | nw.Series):
        return frame[rows.tolist()].to_native()
    if hasattr(values, "categories"):  # pandas.Categorical, without its series
        return values.take(rows)
    if hasattr(values, "__array__"):
        return np.asarray(values)[rows]
    return [values[i] for i in rows]
