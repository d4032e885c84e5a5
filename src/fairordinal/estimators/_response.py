"""Scores of any estimator, higher for higher labels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import narwhals as nw
import numpy as np
from sklearn.base import ClassifierMixin, is_classifier, is_regressor
from sklearn.frozen import FrozenEstimator
from sklearn.metrics import accuracy_score
from sklearn.pipeline import Pipeline

from fairordinal._costs import label_places
from fairordinal._validation import Array, warn_misaligned

DEFAULT_LIMIT = 0.05  # of the violation, if nothing is asked for
RESPONSES = ("auto", "decision_function", "predict_proba", "predict")


def learned_labels(estimator: Any, labels: Array) -> Array:
    """What an estimator learns in place of each label: numbers in ascending order as they are.

    Other labels are learned by their places 0 … k-1, for their order is not that of the alphabet;
    so are fractions, by classifiers. A frozen estimator has learned the labels already.
    """
    if _is_frozen(estimator) or _ascending(labels, is_regressor(estimator)):
        return labels
    return np.arange(len(labels))


def _is_frozen(estimator: Any) -> bool:
    """Whether what an estimator predicts, or what it is made of, is frozen with its labels."""
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
    """What gives the scores of an estimator, and of its clones fitted to fewer rows."""
    for method in RESPONSES[1:] if response_method == "auto" else [response_method]:
        if hasattr(estimator, method) and (
            method != "decision_function" or _is_column(estimator.decision_function(X))
        ):
            return method
    raise ValueError(
        f"estimator {estimator!r} gives no scores by response_method={response_method!r}: expected "
        "predict_proba, predict, or a decision_function with one number for each row."
    )


def scores_of(estimator: Any, X: Any, learned: Array, response: str) -> Array:
    """One number for each row: a decision value, the expected label, or the prediction.

    Higher numbers stand for higher labels, in the order of `learned`.
    """
    values = np.asarray(getattr(estimator, response)(X))
    if response == "predict_proba":
        return values @ _places(_classes_of(estimator), learned)
    if response == "predict" and not is_regressor(estimator):
        return _places(values.ravel(), learned)
    if not _is_column(values):
        raise ValueError(
            f"{response} of estimator {estimator!r} must give one number for each row, got an "
            f"array of shape {values.shape}."
        )
    turn = _direction(estimator, learned, response)
    return turn * values.ravel().astype(np.float64)


def _direction(estimator: Any, learned: Array, response: str) -> int:
    """1 if the numbers that an estimator gives rise with the labels, -1 if they fall.

    A regressor predicts labels that are numbers, and a decision function rises along `classes_`:
    in a binary classifier from ``classes_[0]`` to ``classes_[1]``, in an ordinal one through all
    of them. A scorer without classes is taken at its word.
    """
    if response == "predict":
        rising = np.sort(learned) if learned.dtype.kind in "iuf" else learned
    elif is_classifier(estimator) or hasattr(estimator, "classes_"):
        rising = np.asarray(_classes_of(estimator))
    else:
        return 1
    steps = np.diff(_places(rising, learned))
    if (steps > 0).all():
        return 1
    if (steps < 0).all():
        return -1
    raise ValueError(
        f"{response} of estimator {estimator!r} rises along {rising.tolist()}, which is not the "
        f"order of the labels, {learned.tolist()}. Fit it to their places 0 … {len(learned) - 1}, "
        "or pass response_method='predict_proba' if it has that."
    )


def _classes_of(estimator: Any) -> Any:
    """The classes of a fitted classifier."""
    if not hasattr(estimator, "classes_"):
        raise ValueError(
            f"estimator {estimator!r} has no classes_, so that its scores cannot be matched to the "
            "labels. Pass response_method='predict', or cut its scores by optimize_thresholds."
        )
    return estimator.classes_


def has_units(estimator: Any, response: str) -> bool:
    """Whether scores are in units of the labels: expected or predicted labels of a classifier."""
    return response == "predict_proba" or (response == "predict" and not is_regressor(estimator))


def _is_column(values: Any) -> bool:
    shape = np.shape(values)
    return len(shape) == 1 or (len(shape) == 2 and shape[1] == 1)


def _places(classes: Any, learned: Array) -> Array:
    """Where an estimator's classes lie on a line, on which the labels ascend."""
    places = label_places(learned)
    places = places if places[0] < places[-1] else -places
    place = dict(zip(learned.tolist(), places.tolist(), strict=True))
    found = [place.get(label) for label in np.asarray(classes).tolist()]
    if None in found:
        strange = np.asarray(classes).tolist()[found.index(None)]
        raise ValueError(
            f"estimator predicts {strange!r}, which is not one of the labels {learned.tolist()}. "
            "Fit it to the same labels, pass categories=[...], or cut its scores by "
            "optimize_thresholds."
        )
    return np.array(found, dtype=np.float64)


def take(values: Any, rows: Array) -> Any:
    """Some rows of a frame, a column, an array or a list."""
    if values is None:
        return None
    if hasattr(values, "tocsr"):  # first, for a sparse dictionary of keys is a mapping
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


def plain_array(labels: Array) -> Array:
    """Names as an array of text, as scikit-learn has them."""
    if labels.dtype.kind == "O" and all(isinstance(label, str) for label in labels):
        return labels.astype(str)
    return labels


class GroupedScoreMixin(ClassifierMixin):
    """Accuracy of classifiers whose `predict` may need groups."""

    # routed only if asked for: scores of a model that does not know the group need none
    __metadata_request__score: ClassVar = {"sensitive_features": False}

    def score(
        self, X: Any, y: Any, sample_weight: Any = None, *, sensitive_features: Any = None
    ) -> float:
        """Accuracy of the predictions.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Whatever the estimator takes.
        y : array-like of shape (n_samples,)
            True labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights.
        sensitive_features : array-like of shape (n_samples,) or (n_samples, n_columns)
            Group of each sample; needed if `predict` needs it. Rows are matched by position; an
            index is ignored.

        Returns
        -------
        score : float
            Share of rows predicted exactly.
        """
        warn_misaligned({"X": X, "y": y, "sample_weight": sample_weight})
        predicted = self.predict(X, sensitive_features=sensitive_features)
        return float(accuracy_score(y, predicted, sample_weight=sample_weight))
