"""Scores of any estimator, higher for higher labels."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import numpy as np
from sklearn.base import is_regressor

from fairordinal._costs import label_places
from fairordinal._validation import Array, Coded

RESPONSES = ("auto", "decision_function", "predict_proba", "predict")


def targets_for_fit(truth: Coded) -> Array:
    """What an estimator learns: numbers in ascending order as they are, else places 0 … k-1.

    Names are learned by their places, for their order is not that of the alphabet.
    """
    codes = truth.codes(slice(None))
    return truth.levels[codes] if _are_ascending_numbers(truth.levels) else codes


def _are_ascending_numbers(labels: Array) -> bool:
    return labels.dtype.kind in "iuf" and bool((np.diff(labels) > 0).all())


def scores_of(estimator: Any, X: Any, labels: Array, response_method: str) -> Array:
    """One number for each row: a decision value, the expected label, or the prediction."""
    for method in RESPONSES[1:] if response_method == "auto" else [response_method]:
        if not hasattr(estimator, method):
            continue
        response = np.asarray(getattr(estimator, method)(X))
        if method == "predict_proba":
            return response @ _places(estimator.classes_, labels)
        if method == "predict" and not is_regressor(estimator):
            return _places(response, labels)
        if response.ndim == 1 or response.shape[1] == 1:
            return response.reshape(len(response)).astype(np.float64)
    raise ValueError(
        f"estimator {estimator!r} gives no scores by response_method={response_method!r}: expected "
        "predict_proba, predict, or a decision_function with one number for each row."
    )


def _places(classes: Any, labels: Array) -> Array:
    """Where an estimator's classes lie; they are labels, or places of labels."""
    numbers = label_places(labels) if _are_ascending_numbers(labels) else np.arange(len(labels))
    place = dict(zip(labels.tolist(), numbers.tolist(), strict=True))
    if not _are_ascending_numbers(labels):
        place |= {i: i for i in range(len(labels)) if i not in place}
    found = [place.get(label) for label in np.asarray(classes).tolist()]
    if None in found:
        strange = np.asarray(classes).tolist()[found.index(None)]
        raise ValueError(
            f"estimator predicts {strange!r}, which is not one of the labels {labels.tolist()} of "
            "y. Fit it to the same labels, or pass categories=[...]."
        )
    return np.array(found, dtype=np.float64)


def take(values: Any, rows: Array) -> Any:
    """Some rows of a frame, a column, an array or a list."""
    if values is None:
        return None
    frame = nw.from_native(values, pass_through=True, allow_series=True)
    if isinstance(frame, nw.DataFrame | nw.Series):
        return frame[rows.tolist()].to_native()
    if hasattr(values, "tocsr"):
        return values.tocsr()[rows]
    if hasattr(values, "categories"):  # pandas.Categorical, without its series
        return values.take(rows)
    if hasattr(values, "__array__"):
        return np.asarray(values)[rows]
    return [values[i] for i in rows]
