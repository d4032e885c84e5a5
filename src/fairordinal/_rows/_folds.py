"""Folds and samples of rows, determined by row numbers, so that all blocks agree on them."""

from __future__ import annotations

import numbers
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from sklearn.model_selection import check_cv
from sklearn.utils import check_random_state

from fairordinal._support import warn
from fairordinal._validation import Array, check_whole

if TYPE_CHECKING:
    from fairordinal._rows._block import Block, Rows

Folds: TypeAlias = "list[tuple[Rows, Rows]]"  # training rows and held-out rows of each fold


def folds_of(rows: Rows, cv: Any, random_state: Any) -> Folds:
    """Training rows and held-out rows of each fold.

    Parameters
    ----------
    rows : Rows
        Rows to split. If `cv` is not a number, they must be in memory.
    cv : int, splitter or iterable of splits
        A number means shuffled folds, stratified by group and label. Listed splits hold numbers of
        rows, or masks, of the user's data.
    random_state : int, RandomState instance or None
        Seed of shuffled folds.

    Returns
    -------
    folds : list of tuple of Rows
        No row is held out twice.
    """
    if isinstance(cv, numbers.Number) or cv is None:
        n_folds = check_whole(cv, "cv", least=2)
        check_folds(n_folds, rows.sum(rows_by_label))
        return rows.stratified(n_folds, seed_of(random_state))
    block = rows.whole()
    splits = check_cv(cv, block.labels, classifier=True).split(block.labels, block.labels)
    if not hasattr(cv, "split"):
        splits = [(_positions(block, train), _positions(block, test)) for train, test in splits]
    return [(block.take(train), block.take(test)) for train, test in held_out_once(splits)]


def held_out_once(splits: Iterable[tuple[Array, Array]]) -> list[tuple[Array, Array]]:
    """Splits in which each row is held out at most once; later repetitions are dropped."""
    kept, seen = [], np.zeros(0, dtype=np.intp)
    for train, test in splits:
        new = np.setdiff1d(test, seen)
        if len(new):
            kept.append((train, new))
            seen = np.concatenate([seen, new])
    return kept


def check_folds(n_folds: int, counts: Array) -> None:
    """Raise an error if every label has fewer rows than folds; warn if some label has."""
    if n_folds > counts.max():
        raise ValueError(
            f"cv={n_folds} needs at least one label with {n_folds} rows; the most frequent one "
            f"has {int(counts.max())}. Lower cv, or collect more rows."
        )
    least = int(counts[counts > 0].min())
    if least < n_folds:
        warn(
            f"the least populated class in y has {least} rows, fewer than cv={n_folds}: some folds "
            "have no rows with this label.",
        )


def seed_of(random_state: Any) -> int:
    """Seed as an integer that other processes can use; an int always gives the same seed."""
    return int(check_random_state(random_state).randint(2**31 - 1))


def rows_by_label(block: Block) -> Array:
    """Number of rows of each label."""
    return np.bincount(block.labels, minlength=block.n_labels)


def _positions(block: Block, given: Any) -> Array:
    """Positions in a block of rows of the user's data, given by numbers or by a mask.

    Rows without weight are not in the block, and are left out.
    """
    given = np.asarray(given)
    given = np.flatnonzero(given) if given.dtype == bool else given
    if block.row_numbers is None:
        return given
    return np.searchsorted(block.row_numbers, given[np.isin(given, block.row_numbers)])


def fold_numbers(cells: Array, n_folds: int, seed: int) -> Array:
    """Number of the fold that holds out each row: shuffled, and stratified by cell.

    Rows are sorted by group, then by label, and are in random order within a cell; folds take turns
    along this order. So the folds get equal shares of each cell and of each group, to within one
    row. A cell with fewer rows than folds continues where the previous label of its group stopped.
    """
    shuffled = np.random.default_rng(seed).permutation(len(cells))
    order = shuffled[np.argsort(cells[shuffled], kind="stable")]
    fold = np.empty(len(cells), dtype=np.intp)
    fold[order] = np.arange(len(cells)) % n_folds
    return fold


def sample_positions(start: int, stop: int, n_rows: int, most: int) -> Array:
    """Positions, relative to `start`, of sampled rows among the rows `start` to `stop`.

    Row number i is in the sample if a hash of i is below ``most / n_rows``. Blocks can thus be
    sampled independently, and the sample does not depend on how rows are divided into blocks.
    """
    if n_rows <= most:
        return np.arange(stop - start)
    mixed = np.arange(start, stop, dtype=np.uint64)
    for factor in (0xBF58476D1CE4E5B9, 0x94D049BB133111EB):  # splitmix64
        mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(factor)
    mixed ^= mixed >> np.uint64(31)
    return np.flatnonzero(mixed < np.uint64(int(2**64 * (most / n_rows))))
