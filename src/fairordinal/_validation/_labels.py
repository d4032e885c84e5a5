"""Order true and predicted labels.

Both columns get codes of the same levels, in ascending order. Predictions may be scores instead,
which have levels of their own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import Any, NamedTuple

import narwhals as nw
import numpy as np

from fairordinal._validation._checks import check_choice, listed
from fairordinal._validation._codes import Coded, all_whole, encode
from fairordinal._validation._columns import Array, Column, is_number, locate, read_column

MOST_LISTED = 20  # labels in a message
READINGS = ("auto", "labels", "scores")  # of predictions


class Reading(NamedTuple):
    """How predictions were read; `guessed` if integers could also be read the other way."""

    are_labels: bool
    guessed: bool = False


def order_labels(
    truth: Column,
    predicted: Column,
    labels: Any,
    *,
    predictions: str = "auto",
    least: int = 2,
) -> tuple[Coded, Coded, Reading]:
    """Return codes of true labels, codes of predictions, and how predictions were read.

    With ``predictions="auto"``, numbers are labels if `are_labels` holds for the labels of y_true,
    or for the given ones. y_true must hold at least `least` labels.
    """
    check_choice(predictions, "predictions", READINGS)
    for column in (truth, predicted):
        check_complete(column)
    if predictions == "scores":
        return order_labels(truth, truth, labels)[0], encode(predicted), Reading(False)
    if labels is None and truth.names is None and predicted.names is None:
        return _order_numbers(encode(truth), encode(predicted), predictions, least)
    levels = _given_order(labels) if labels is not None else _declared_order(truth, predicted)
    coded, found = _to_levels(encode(truth), levels), encode(predicted)
    remedy = ""
    if predictions == "auto" and predicted.names is None:
        if levels.dtype.kind == "O":
            _check_no_codes(predicted, found.levels, levels)
            return coded, found, Reading(False)
        if not are_labels(levels, _merged_levels(levels, found.levels)):
            return coded, found, Reading(False, guessed=all_whole(found.levels))
        remedy = "; an audit takes scores with predictions='scores'"
    return coded, _to_levels(found, levels, remedy), Reading(True)


def are_labels(known: Array, both: Array) -> bool:
    """Return whether predicted numbers are labels; `both` has all distinct labels and predictions.

    They are if each is a known label, or if all are integers and more than half are known labels.
    """
    n_new = len(both) - len(known)
    return n_new == 0 or (n_new < len(known) and all_whole(both))


def check_complete(column: Column) -> None:
    """Raise ValueError for booleans, missing values and infinite numbers."""
    if column.boolean:
        raise ValueError(
            f"{column.name} holds booleans, which have no more than two levels and no stated "
            "order. If False < True is meant, pass integers: .astype(int)."
        )
    if column.values.dtype.kind != "f" and column.names is None:
        return
    missing = column.missing()
    if missing.any():
        rows = np.flatnonzero(missing)
        raise ValueError(
            f"{column.name} must be complete, got {column.show(rows[0])} "
            f"{locate(rows, column.counts)}. Drop these rows or impute them."
        )
    if column.names is None and not np.isfinite(column.values).all():
        rows = np.flatnonzero(~np.isfinite(column.values))
        raise ValueError(
            f"{column.name} must hold finite numbers, got {column.show(rows[0])} "
            f"{locate(rows, column.counts)}. Replace infinite values by a large finite one if only "
            "their order matters."
        )


def _order_numbers(
    truth: Coded, predicted: Coded, predictions: str, least: int
) -> tuple[Coded, Coded, Reading]:
    if len(truth.levels) < least:
        raise ValueError(
            f"{truth.name} has one label ({truth.levels[0].item()!r}); ordinal labels are at least "
            "two. Pass all labels in ascending order if others can occur: labels=[...]."
        )
    levels = _merged_levels(truth.levels, predicted.levels)
    whole, some_new = all_whole(levels), len(levels) > len(truth.levels)
    if predictions == "auto" and not are_labels(truth.levels, levels):
        return truth, predicted, Reading(False, guessed=all_whole(predicted.levels))
    if some_new and not whole:
        raise _no_labels(truth, predicted)
    if whole and truth.levels.dtype.kind in "iu" and levels[-1] < 2**63:
        levels = levels.astype(np.int64)
    reading = Reading(True, guessed=predictions == "auto" and some_new)
    return _to_levels(truth, levels), _to_levels(predicted, levels), reading


def _no_labels(truth: Coded, predicted: Coded) -> ValueError:
    """Return an error about numbers that are neither integers nor labels of y_true."""
    rows = predicted.rows_with(np.flatnonzero(~np.isin(predicted.levels, truth.levels)))
    value = predicted.levels.tolist()[predicted.codes(slice(rows[0], rows[0] + 1))[0]]
    return ValueError(
        f"{predicted.name} must hold predicted labels, got {value!r} "
        f"{locate(rows, predicted.counts)}, which is no label of {truth.name}. Cut scores into "
        "labels first, or pass all labels in ascending order: labels=[...]."
    )


def _merged_levels(truth: Array, predicted: Array) -> Array:
    """Return the levels of both columns, ascending.

    NumPy would convert a mixture of signed and unsigned integers to floats, so that large ones
    would be rounded.
    """
    if {truth.dtype.kind, predicted.dtype.kind} == {"i", "u"}:
        return np.array(sorted({*truth.tolist(), *predicted.tolist()}))
    return np.union1d(truth, predicted)


def _given_order(labels: Any) -> Array:
    """Return the levels that the argument `labels` lists."""
    source = nw.from_native(labels, pass_through=True, allow_series=True)
    given = source.to_list() if isinstance(source, nw.Series) else labels
    if hasattr(given, "to_pylist"):  # a pyarrow array
        given = given.to_pylist()
    ordered = not isinstance(given, str | bytes | Mapping | Set) and np.iterable(given)
    given = list(given) if ordered else []
    column = read_column(given, "labels") if given else None
    if column is not None:
        check_complete(column)
    names = column.objects() if column is not None else []
    if len(names) < 2 or len(set(names)) != len(names):
        raise ValueError(
            f"labels must list at least two distinct labels in ascending order, got {labels!r}."
        )
    return _levels_array(names)


def _levels_array(names: Sequence[Any]) -> Array:
    if all(is_number(name) for name in names):
        return np.array(names)
    levels = np.empty(len(names), dtype=object)
    levels[:] = names
    return levels


def _declared_order(truth: Column, predicted: Column) -> Array:
    """Return the levels of an ordered categorical; raise ValueError if there is none."""
    orders = {column.names for column in (truth, predicted) if column.ordered}
    if len(orders) == 1:
        (order,) = orders
        assert order is not None
        if len(order) >= 2:
            return _levels_array(order)
        raise ValueError(
            f"{truth.name} has one label {order}; pass labels=[...] in ascending order."
        )
    if orders:
        raise ValueError(
            f"{truth.name} and {predicted.name} are ordered differently: {truth.names} and "
            f"{predicted.names}. Pass labels=[...] in ascending order."
        )
    unordered = truth if truth.names is not None else predicted
    found = [repr(name) for name in sorted(unordered.names or (), key=str)]
    if len(found) == 1:
        raise ValueError(
            f"{unordered.name} has one label ({found[0]}) and no order. Pass labels=[...] with "
            "all labels in ascending order."
        )
    shown = ", ".join(found[:8]) + (", …" if len(found) > 8 else "")
    raise ValueError(
        f"{unordered.name} holds names without an order: {shown}. Pass labels=[{shown}] sorted "
        "from lowest to highest, or an ordered categorical of pandas or polars."
    )


def _check_no_codes(predicted: Column, values: Array, names: Array) -> None:
    """Raise ValueError for integers that may be codes of labels, which are names."""
    if predicted.values.dtype.kind != "f" and len(values) <= len(names):
        raise ValueError(
            f"{predicted.name} holds whole numbers (first {predicted.show(0)}) but the labels are "
            f"names {names.tolist()}. Pass predicted names; an audit takes the numbers as scores "
            "with predictions='scores'."
        )


def _to_levels(coded: Coded, levels: Array, remedy: str = "") -> Coded:
    """Recode a column into the given levels; raise ValueError for rows with another value."""
    place = {level: code for code, level in enumerate(levels.tolist())}
    new_code = np.array([place.get(level, -1) for level in coded.levels.tolist()], dtype=np.intp)
    unknown = np.flatnonzero(new_code < 0)
    rows = coded.rows_with(unknown) if unknown.size else unknown
    if rows.size:
        value = coded.levels.tolist()[coded.codes(slice(rows[0], rows[0] + 1))[0]]
        raise ValueError(
            f"{coded.name} must hold labels from [{listed(levels.tolist(), MOST_LISTED)}], got "
            f"{value!r} {locate(rows, coded.counts)}. Correct these rows or extend "
            f"labels={remedy}."
        )
    return coded.recode(new_code, levels)
