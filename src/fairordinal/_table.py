"""Counts of samples by cell and by position on an ordered axis.

A *cell* ``u = (g, y)`` is a sensitive group and a true label; cell ``g * n_labels + y`` in
arrays. The axis holds scores, or predicted labels once the scores are cut: predicting is
coarsening the axis::

    T[u, b]    = weight of the samples of cell u at position b
    wins[u, v] = sum_b T[u, b] * sum_{b' < b} T[v, b']      # ties win nothing

Everything that the library reports is a function of T. With predicted labels T is tiny; with
n distinct scores it has n entries, one a column, and is stored as such: memory stays linear
in the rows, and passes over it take a block of positions at a time.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from fairordinal._validation import Array, Coded, Samples, Weight, read_samples, row_blocks

DENSE_ENTRIES = 1 << 20  # up to this many (cell, position) entries are counted by `bincount`
BLOCK_ENTRIES = 1 << 20  # entries of a block of positions
PSEUDO_POSITIONS = 32


class Block(NamedTuple):
    """Some consecutive positions of a table, and its entries there: cells that are not empty."""

    counts: sparse.csc_array  # (n_cells, positions of the block)
    below: Array  # (group, label, position): weight of the cell at lower positions
    above: Array  # (group, label, position): weight of the cell at higher positions
    group: Array  # of each entry
    label: Array  # of each entry
    place: Array  # position of each entry, within the block
    position: Array  # position of each entry, on the axis
    weight: Array  # of each entry


@dataclass(frozen=True, eq=False)
class ScoreTable:
    """Counts by (group, true label, position); see the module docstring."""

    counts: sparse.csc_array  # (n_cells, n_positions)
    groups: Array  # (n_groups,)    names, sorted
    labels: Array  # (n_labels,)    true labels, ascending
    axis: Array  # (n_positions,) scores or predicted labels, ascending
    predicts_labels: bool  # the axis is `labels`
    lowest: Array | None = None  # a position is then all scores from here up to the axis
    one: float = 1.0  # weight of one row; 1 unless weights are very large or very small

    @property
    def shape(self) -> tuple[int, int, int]:
        """Numbers of groups, labels and positions."""
        return len(self.groups), len(self.labels), len(self.axis)

    @cached_property
    def totals(self) -> Array:
        """Weight of each cell, (n_groups, n_labels)."""
        totals: Array = self.counts.sum(axis=1)
        return totals.reshape(self.shape[:2])

    @property
    def group_totals(self) -> Array:
        """Weight of each group, (n_groups,)."""
        return self.totals.sum(axis=1)

    @property
    def rows(self) -> Array:
        """Number of rows of each group, (n_groups,): the sum of the weights that were given."""
        return self.in_rows(self.group_totals)

    def in_rows(self, weight: Array, power: int = 1) -> Array:
        """Weights as numbers of rows; of pairs (`power` 2), as numbers of pairs."""
        if self.one == 1:
            return weight
        with np.errstate(over="ignore"):
            for _ in range(power):
                weight = weight / self.one
        return weight

    @cached_property
    def cube(self) -> Array:
        """Dense counts (group, label, position); meant for predicted labels."""
        return self.counts.toarray().reshape(self.shape)

    def blocks(self, most_entries: int = BLOCK_ENTRIES) -> Iterator[Block]:
        """Consecutive positions of the table, so many that dense arrays of them stay small."""
        n_groups, n_labels, n_positions = self.shape
        before = np.zeros((n_groups, n_labels, 1))
        for at in row_blocks(n_positions, max(1, most_entries // (n_groups * n_labels))):
            counts = self.counts[:, at]
            dense = counts.toarray().reshape(n_groups, n_labels, -1)
            through = before + np.cumsum(dense, axis=2)
            entries = counts.tocoo()
            cell, place = entries.coords
            group, label = np.divmod(cell, n_labels)
            above = self.totals[:, :, None] - through
            position = place + at.start
            yield Block(counts, through - dense, above, group, label, place, position, entries.data)
            before = through[:, :, -1:]

    @cached_property
    def wins(self) -> Array:
        """Weight of pairs (i in u, j in v) with i strictly above j, (n_cells, n_cells)."""
        n_cells = self.counts.shape[0]
        wins = np.zeros((n_cells, n_cells))
        for block in self.blocks():
            wins += block.counts @ block.below.reshape(n_cells, -1).T
        return wins

    @cached_property
    def padded(self) -> ScoreTable:
        """The table with one more row in each group, a pseudo-row without information.

        Its true label is spread as in all groups together, its position evenly over the axis
        (over `PSEUDO_POSITIONS` places of it, if it is longer).
        """
        return self.pad(self.totals.sum(axis=0) / self.totals.sum())

    def pad(self, label_shares: Array) -> ScoreTable:
        """Add one row to each group, its true label and its position spread."""
        n_groups, _, n_positions = self.shape
        spread = np.linspace(0, n_positions - 1, min(n_positions, PSEUDO_POSITIONS))
        places = spread.round().astype(np.intp)
        share = np.tile(label_shares, n_groups)
        each = np.repeat(self.one * share / len(places), len(places))
        at = (np.repeat(np.arange(len(share)), len(places)), np.tile(places, len(share)))
        pseudo = sparse.csc_array((each, at), shape=self.counts.shape)
        return replace(self, counts=self.counts + pseudo)

    def merge(self, positions: Array, axis: Array) -> ScoreTable:
        """Coarsen the axis: position b becomes ``positions[b]`` of the new axis.

        With a row of positions for each group, ``positions[g, b]``.
        """
        entries = self.counts.tocoo()
        shape = (self.counts.shape[0], len(axis))
        cells, places = entries.coords
        group = cells // len(self.labels) if positions.ndim == 2 else 0
        new_places = np.atleast_2d(positions)[group, places]
        counts = sparse.csc_array((entries.data, (cells, new_places)), shape=shape)
        merged = replace(self, counts=counts, axis=axis, lowest=None)
        return replace(merged, predicts_labels=axis is self.labels)

    def cut(self, thresholds: Array) -> ScoreTable:
        """Predict label l where ``thresholds[l-1] < score <= thresholds[l]``.

        Thresholds may have a row for each group.
        """
        rows = [np.searchsorted(row, self.axis, side="left") for row in np.atleast_2d(thresholds)]
        positions = np.stack(rows) if thresholds.ndim == 2 else rows[0]
        return self.merge(positions, self.labels)


def read_table(
    y_true: Any,
    y_pred: Any,
    sensitive_features: Any,
    *,
    sample_weight: Any = None,
    labels: Any = None,
    missing_group: str = "error",
    as_scores: bool = False,
    name: str = "y_true",
) -> ScoreTable:
    """Read and check rows, and count them."""
    samples = read_samples(
        y_true,
        y_pred,
        sensitive_features,
        sample_weight=sample_weight,
        labels=labels,
        missing_group=missing_group,
        as_scores=as_scores,
        name=name,
    )
    return tabulate(samples)


def tabulate(samples: Samples) -> ScoreTable:
    """Count rows by group, label and position; what has no weight is left out."""
    groups, labels = samples.groups.levels, samples.truth.levels
    axis = labels if samples.predicts_labels else samples.positions.levels
    counts = _count(samples, len(groups) * len(labels), len(axis))
    weight = Weight(np.ones(1)) if samples.weight is None else samples.weight
    table = ScoreTable(counts, groups, labels, axis, samples.predicts_labels, one=weight.one)
    if weight.values.all():
        return table
    return _without_weightless(table, keep_labels=samples.labels_are_given)


def _count(samples: Samples, n_cells: int, n_positions: int) -> sparse.csc_array:
    columns = (samples.groups, samples.truth, samples.positions)
    weight = None if samples.weight is None else samples.weight.values
    if n_cells * n_positions <= DENSE_ENTRIES:
        return sparse.csc_array(count_codes(columns, weight).reshape(n_cells, -1))
    group, label, position = (column.codes(slice(None)) for column in columns)
    weight = np.ones(samples.n_rows) if weight is None else weight
    at = (group * len(samples.truth.levels) + label, position)
    return sparse.csc_array((weight, at), shape=(n_cells, n_positions))


def count_codes(columns: Sequence[Coded], weight: Array | None) -> Array:
    """Weight of the rows at each combination of levels, flat; no copy of the rows is made."""
    counts = np.zeros(math.prod(len(column.levels) for column in columns))
    for rows in row_blocks(len(columns[0].values)):
        entry = columns[0].codes(rows)
        for column in columns[1:]:
            entry = entry * len(column.levels) + column.codes(rows)
        share = None if weight is None else weight[rows]
        counts += np.bincount(entry, share, minlength=counts.size)
    return counts


def _without_weightless(table: ScoreTable, *, keep_labels: bool) -> ScoreTable:
    """A row of weight 0 is no row: drop groups, labels and positions that it alone holds."""
    groups = table.group_totals > 0
    if groups.sum() < 2:
        raise ValueError(
            f"only group {table.groups[groups].tolist()[0]!r} of sensitive_features has rows with "
            "weight; pairwise disparities need two groups. Check sample_weight."
        )
    labels, positions = table.totals.sum(axis=0) > 0, table.counts.sum(axis=0) > 0
    if table.predicts_labels:
        labels = positions = labels | positions | keep_labels
    labels = labels | keep_labels
    counts = table.counts[(groups[:, None] & labels).ravel()][:, positions]
    kept = table.labels[labels]
    axis = kept if table.predicts_labels else table.axis[positions]
    return replace(table, counts=counts, groups=table.groups[groups], labels=kept, axis=axis)
