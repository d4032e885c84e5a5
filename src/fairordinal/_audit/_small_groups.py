"""Groups that are too small for a conclusion: which ones they are, and merging them.

A group is too small if nothing is known about its disparities: compared with each group of at
least as many rows, the interval contains 0 and is wider than 30 % of the range of possible
disparities, or there is no interval. The width depends on the number of rows and hardly on the
estimate, so that groups of equal size are mostly treated alike. Official statistics use the same
share of the range of a proportion (Parker et al., National Center for Health Statistics Data
Presentation Standards for Proportions, Vital and Health Statistics 2(175), 2017).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse

from fairordinal._inference import Intervals
from fairordinal._table import ScoreTable
from fairordinal._validation import Array, check_choice, check_number

CHOICES = ("keep", "merge")
OTHER = "other"  # name of the group that small groups are merged into
WIDEST = 0.3  # share of the range of possible disparities
RULE = (
    "Compared with each group of at least as many rows, their interval contains 0 and is wider "
    "than 30% of the range of possible disparities, or they have none."
)


def too_small(bounds: Intervals, table: ScoreTable, scale: float) -> Array:
    """Return which groups are too small for a conclusion, (n_groups,).

    Parameters
    ----------
    bounds : Intervals
        Intervals of the disparities of one criterion.
    table : ScoreTable
        Counts of the rows.
    scale : float
        The greatest possible disparity; the least is ``-scale``.

    Returns
    -------
    mask : ndarray of bool of shape (n_groups,)
        False for the largest group, if there is only one.
    """
    is_narrow = bounds.upper - bounds.lower <= WIDEST * 2 * scale
    informative = (bounds.lower > 0) | (bounds.upper < 0) | is_narrow
    rows = table.rows
    larger = (rows >= rows[:, None]) & ~np.eye(len(rows), dtype=bool)
    return np.asarray(larger.any(axis=1) & ~(informative.any(axis=0) & larger).any(axis=1))


def check_small_groups(small_groups: Any, min_group_rows: Any) -> None:
    """Check the arguments of `audit` about small groups."""
    check_choice(small_groups, "small_groups", CHOICES)
    if min_group_rows is not None:
        check_number(min_group_rows, "min_group_rows")
    elif small_groups == "merge":
        raise ValueError(
            "small_groups='merge' needs min_group_rows: groups with fewer rows are merged."
        )


def small_groups_of(table: ScoreTable, min_rows: float) -> Array:
    """Return the numbers of the groups to merge: those with fewer rows, if there are several."""
    small = np.flatnonzero(table.rows < min_rows)
    if len(small) == len(table.groups):
        raise ValueError(
            f"all groups have fewer than {min_rows:g} rows, so that merging small groups leaves "
            f"one group; disparities need two. The largest group has {table.rows.max():g} rows: "
            "merge groups of fewer rows only."
        )
    return small if len(small) > 1 else small[:0]


def merge_groups(table: ScoreTable, merged: Array) -> ScoreTable:
    """Merge some groups into one, which becomes the last.

    Parameters
    ----------
    table : ScoreTable
        Counts of the rows.
    merged : ndarray of int
        Numbers of the groups to merge.

    Returns
    -------
    table : ScoreTable
        The last group is called "other", or "other groups" if there is such a group.
    """
    n_groups, n_labels, _ = table.shape
    kept = np.setdiff1d(np.arange(n_groups), merged)
    place = np.full(n_groups, len(kept))
    place[kept] = np.arange(len(kept))
    fold = sparse.csr_array((np.ones(n_groups), (place, np.arange(n_groups))))
    of_cells = sparse.kron(fold, sparse.eye_array(n_labels))
    merged_table = table.map_counts(lambda counts: sparse.csc_array(of_cells @ counts))
    names = np.empty(len(kept) + 1, dtype=object)
    names[:-1] = table.groups[kept]
    taken = OTHER in {str(name).casefold() for name in names[:-1]}
    names[-1] = f"{OTHER} groups" if taken else OTHER
    return replace(merged_table, groups=names)
