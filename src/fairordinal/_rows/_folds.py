"""Which rows are held out, and which stand for all: by number, so that blocks agree."""

from __future__ import annotations

import numbers
import warnings
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.model_selection import check_cv
from sklearn.utils import check_random_state

from fairordinal._rows._rows import Rows
from fairordinal._validation import Array, check_whole

if TYPE_CHECKING:
    from fairordinal._rows._block import Block

Folds = list[tuple[Rows, Rows]]


def folds_of(rows: Rows, cv: Any, random_state: Any) -> Folds:
    """Rows to learn from and rows held out; rows of a pair never lie on both sides.

    A number of folds means `fold_numbers`; splits that are listed refer to the rows given.
    """
    if isinstance(cv, numbers.Number) or cv is None:
        n_folds = check_whole(cv, "cv", least=2)
        check_folds(n_folds, rows.sum(rows_by_label), stacklevel=5)
        return rows.stratified(n_folds, seed_of(random_state))
    block = rows.whole()
    splits = check_cv(cv, block.labels, classifier=True).split(block.labels, block.labels)
    if not hasattr(cv, "split"):
        splits = [(_places(block, train), _places(block, test)) for train, test in splits]
    return [(block.take(train), block.take(test)) for train, test in held_out_once(splits)]


def held_out_once(splits: Iterable[tuple[Array, Array]]) -> list[tuple[Array, Array]]:
    """Splits such that no row is held out twice: only the first time counts."""
    kept, seen = [], np.zeros(0, dtype=np.intp)
    for train, test in splits:
        new = np.setdiff1d(test, seen)
        if len(new):
            kept.append((train, new))
            seen = np.concatenate([seen, new])
    return kept


def check_folds(n_folds: int, counts: Array, stacklevel: int) -> None:
    """Refuse more folds than rows of any label; warn if some label has fewer rows than folds."""
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
            stacklevel=stacklevel + 1,
        )


def seed_of(random_state: Any) -> int:
    """A seed that any process can use; the same for the same integer."""
    return int(check_random_state(random_state).randint(2**31 - 1))


def rows_by_label(block: Block) -> Array:
    return np.bincount(block.labels, minlength=block.n_labels)


def _places(block: Block, given: Any) -> Array:
    """Where rows are, given their numbers or a mask; those without weight are nowhere."""
    given = np.asarray(given)
    given = np.flatnonzero(given) if given.dtype == bool else given
    if block.numbers is None:
        return given
    return np.searchsorted(block.numbers, given[np.isin(given, block.numbers)])


def fold_numbers(cells: Array, n_folds: int, seed: int) -> Array:
    """The fold that holds out each row: shuffled, and stratified by cell.

    Rows are dealt out in turn: by group, by label within a group, in random order within a cell. So
    the folds get equal shares of each cell and of each group, to within one row. A cell with
    fewer rows than folds goes on where the label before it in its group has stopped.
    """
    shuffled = np.random.default_rng(seed).permutation(len(cells))
    order = shuffled[np.argsort(cells[shuffled], kind="stable")]
    fold = np.empty(len(cells), dtype=np.intp)
    fold[order] = np.arange(len(cells)) % n_folds
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
