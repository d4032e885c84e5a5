"""Order true and predicted labels.

Both columns get codes of the same levels, in ascending order. Predictions may be scores instead,
which have levels of their own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import Any

import narwhals as nw
import numpy as np

from fairordinal._validation._checks import listed
from fairordinal._validation._codes import Coded, all_whole, encode
from fairordinal._validation._columns import Array, Column, is_number, locate, read_column

MOST_LISTED = 20  # labels in a message
FEW_LABELS = 10  # so few distinct integers are labels, even if y_true does not hold them all


def order_labels(
    truth: Column, predicted: Column, labels: Any, *, as_scores: bool = False, least: int = 2
) -> tuple[Coded, Coded, bool]:
    """Return codes of true labels, codes of predictions, and whether predictions are labels.

    Numeric predictions are labels if each is a label of y_true or of `labels`, or if all are
    integers and y_true and the predictions together have at most `FEW_LABELS` levels, or at most
    twice as many as y_true. Otherwise, and always with `as_scores`, they are scores. y_true must
    hold at least `least` labels.
    """
    for column in (truth, predicted):
        check_complete(column)
    if as_scores:
        return order_labels(truth, truth, labels)[0], encode(predicted), False
    if labels is None and truth.names is None and predicted.names is None:
        return _order_numbers(encode(truth), encode(predicted), least)
    levels = _given_order(labels) if labels is not None else _declared_order(truth, predicted)
    coded = _to_levels(encode(truth), levels)
    if predicted.names is None and not _must_be_labels(predicted, levels):
        return coded, encode(predicted), False
    return coded, _to_levels(encode(predicted), levels), True


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


def _order_numbers(truth: Coded, predicted: Coded, least: int) -> tuple[Coded, Coded, bool]:
    if len(truth.levels) < least:
        raise ValueError(
            f"{truth.name} has one label ({truth.levels[0].item()!r}); ordinal labels are at least "
            "two. Pass all labels in ascending order if others can occur: labels=[...]."
        )
    levels = _merged_levels(truth.levels, predicted.levels)
    whole = all_whole(levels)
    most = max(FEW_LABELS, 2 * len(truth.levels)) if whole else len(truth.levels)
    if len(levels) > most:
        return truth, predicted, False
    if whole and truth.levels.dtype.kind in "iu" and levels[-1] < 2**63:
        levels = levels.astype(np.int64)
    return _to_levels(truth, levels), _to_levels(predicted, levels), True


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


def _must_be_labels(predicted: Column, levels: Array) -> bool:
    """Return whether numeric predictions are labels: integers, or numbers that are levels."""
    if levels.dtype.kind == "O":
        if predicted.values.dtype.kind == "f":
            return False
        raise ValueError(
            f"{predicted.name} holds whole numbers (first {predicted.show(0)}) but the labels are "
            f"names {levels.tolist()}. Pass predicted names, or scores as floating-point numbers."
        )
    if all_whole(predicted.values):
        return True
    return bool(np.isin(predicted.values, levels).all())


def _to_levels(coded: Coded, levels: Array) -> Coded:
    """Recode a column into the given levels; raise ValueError for rows with another value."""
    place = {level: code for code, level in enumerate(levels.tolist())}
    new_code = np.array([place.get(level, -1) for level in coded.levels.tolist()], dtype=np.intp)
    unknown = np.flatnonzero(new_code < 0)
    rows = coded.rows_with(unknown) if unknown.size else unknown
    if rows.size:
        value = coded.levels.tolist()[coded.codes(slice(rows[0], rows[0] + 1))[0]]
        raise ValueError(
            f"{coded.name} must hold labels from [{listed(levels.tolist(), MOST_LISTED)}], got "
            f"{value!r} {locate(rows, coded.counts)}. Correct these rows or extend labels=; "
            "scores may be any fractional numbers."
        )
    return coded.recode(new_code, levels)
