"""Which rows are held out, and which stand for all: by number, so that blocks agree."""

from __future__ import annotations

import numbers
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.model_selection import check_cv

from fairordinal._rows._rows import Rows
from fairordinal._validation import Array, check_whole

if TYPE_CHECKING:
    from fairordinal._rows._block import Block

Folds = list[tuple[Rows, Rows]]


def folds_of(rows: Rows, cv: Any) -> Folds:
    """Rows to learn from and rows held out; rows of a pair never lie on both sides.

    Folds by number are alike in labels; splits that are listed speak of the rows given.
    """
    if isinstance(cv, numbers.Number) or cv is None:
        n_folds = check_whole(cv, "cv", least=2)
        _check_folds(n_folds, rows)
        return rows.stratified(n_folds)
    block = rows.whole()
    splits = check_cv(cv, block.labels, classifier=True).split(block.labels, block.labels)
    if hasattr(cv, "split"):
        return [(block.take(train), block.take(test)) for train, test in splits]
    placed = [(_places(block, train), _places(block, test)) for train, test in splits]
    return [(block.take(train), block.take(test)) for train, test in placed]


def _check_folds(n_folds: int, rows: Rows) -> None:
    counts = rows.sum(rows_by_label)
    if n_folds > counts.max():
        raise ValueError(
            f"cv={n_folds} folds need a label of at least {n_folds} rows; the most frequent one "
            f"has {int(counts.max())}. Lower cv, or collect more rows."
        )
    least = int(counts[counts > 0].min())
    if least < n_folds:
        warnings.warn(
            f"the least populated class in y has {least} rows, fewer than cv={n_folds}: some folds "
            "hold none of it.",
            UserWarning,
            stacklevel=5,
        )


def rows_by_label(block: Block) -> Array:
    return np.bincount(block.labels, minlength=block.n_labels)


def _places(block: Block, given: Any) -> Array:
    """Where rows are, given their numbers or a mask; those without weight are nowhere."""
    given = np.asarray(given)
    given = np.flatnonzero(given) if given.dtype == bool else given
    if block.numbers is None:
        return given
    return np.searchsorted(block.numbers, given[np.isin(given, block.numbers)])


def fold_sizes(counts: Array, n_folds: int) -> Array:
    """How many rows of each label a fold holds out, (n_folds, n_labels).

    Labels are dealt out in turn, as by scikit-learn's StratifiedKFold.
    """
    ends = np.cumsum(counts)
    starts = ends - counts
    turns = np.arange(n_folds)[:, None]
    # numbers below an end that leave the remainder `turn`
    dealt = [(bounds + n_folds - 1 - turns) // n_folds for bounds in (ends, starts)]
    return np.asarray(dealt[0] - dealt[1])


def fold_of_each(labels: Array, before: Array, sizes: Array) -> Array:
    """The fold that holds out each row, given how many rows of each label came before."""
    fold = np.empty(len(labels), dtype=np.intp)
    for label, ends in enumerate(np.cumsum(sizes, axis=0).T):
        at = np.flatnonzero(labels == label)
        fold[at] = np.searchsorted(ends, before[label] + np.arange(len(at)), side="right")
    return fold


def spaced(start: int, stop: int, n_rows: int, most: int) -> Array:
    """Places, from `start` on, of the rows that stand for all: evenly spread pseudo-randomly."""
    if n_rows <= most:
        return np.arange(stop - start)
    mixed = np.arange(start, stop, dtype=np.uint64)
    for factor in (0xBF58476D1CE4E5B9, 0x94D049BB133111EB):  # splitmix64
        mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(factor)
    mixed ^= mixed >> np.uint64(31)
    return np.flatnonzero(mixed < np.uint64(int(2**64 * (most / n_rows))))
