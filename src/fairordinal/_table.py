"""Counts of rows by cell and by position on an ordered axis.

A *cell* ``u = (g, y)`` is a sensitive group and a true label. Arrays index it as
``g * n_labels + y``. The positions of the axis are scores or predicted labels. Cutting scores at
thresholds merges positions, so that both cases share one table::

    T[u, b]    = weight of the rows of cell u at position b
    wins[u, v] = sum_b T[u, b] * sum_{b' < b} T[v, b']      # a tie is not a win

All fairness criteria and all costs are functions of T. With predicted labels T is small. With n
distinct scores it has about n nonzero entries, so it is stored as a sparse matrix, and memory is
linear in the number of rows. Functions that need dense arrays process one block of positions at a
time.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from fairordinal._validation import Array, Coded, Samples, Weight, read_samples, row_blocks

DENSE_ENTRIES = 1 << 20  # tables of up to this many (cell, position) entries use `bincount`
BLOCK_ENTRIES = 1 << 20  # dense entries of a block of positions
PSEUDO_POSITIONS = 32  # positions that share the weight of a pseudo-row


class PositionBlock(NamedTuple):
    """Consecutive positions of a table, and the nonzero entries of the table there."""

    counts: sparse.csc_array  # (n_cells, n_positions of the block)
    below: Array  # (n_groups, n_labels, n_positions): weight of the cell at lower positions
    above: Array  # (n_groups, n_labels, n_positions): weight of the cell at higher positions
    group: Array  # (n_entries,)
    label: Array  # (n_entries,)
    column: Array  # (n_entries,) position, counted from the first one of the block
    position: Array  # (n_entries,) position on the axis
    weight: Array  # (n_entries,)
    spread: Array  # (n_entries,) factor of squared influences: weight, or sum of squared weights


class SurveyCounts(NamedTuple):
    """What a table of survey weights has besides their sums, in arrays like `ScoreTable.counts`."""

    squares: sparse.csc_array  # sums of squared weights
    rows: sparse.csc_array  # numbers of rows with a weight above 0


@dataclass(frozen=True, eq=False)
class ScoreTable:
    """Weight of the rows by group, true label and position.

    Attributes
    ----------
    counts : sparse array of shape (n_cells, n_positions)
        T of the module docstring; a cell is ``g * n_labels + y``.
    groups : ndarray of shape (n_groups,)
        Names of the groups, sorted.
    labels : ndarray of shape (n_labels,)
        True labels, ascending.
    axis : ndarray of shape (n_positions,)
        Scores or predicted labels, ascending.
    predicts_labels : bool
        Whether the positions are predicted labels; `axis` then is `labels`.
    lowest : ndarray of shape (n_positions,), or None
        If scores are binned, position b holds the scores in ``[lowest[b], axis[b]]``. None if each
        position is one score.
    one : float
        Weight of one row; 1 unless the given weights are very large or very small.
    reading_is_guessed : bool
        Whether predictions are integers that could be labels or scores, so that `predicts_labels`
        is a guess.
    survey : SurveyCounts or None
        Sums of squared weights, and numbers of rows, if weights are survey weights.
    """

    counts: sparse.csc_array
    groups: Array
    labels: Array
    axis: Array
    predicts_labels: bool
    lowest: Array | None = None
    one: float = 1.0
    reading_is_guessed: bool = False
    survey: SurveyCounts | None = None

    def __post_init__(self) -> None:
        if self.survey is not None and self.survey.squares.shape != self.counts.shape:
            raise ValueError("survey must have the shape of counts; change both by map_counts.")

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
        """Number of rows of each group, (n_groups,): the sum of the given frequency weights."""
        unweighted = self.unweighted
        return unweighted.in_rows(unweighted.group_totals)

    @property
    def unweighted(self) -> ScoreTable:
        """The table with numbers of rows instead of survey weights."""
        if self.survey is None:
            return self
        return replace(self, counts=self.survey.rows, one=1.0, survey=None)

    @property
    def row_weight(self) -> Array:
        """Weight of one row of each group, (n_groups,).

        The mean of survey weights, each weighted by itself: a group then has the effective number
        of rows of Kish, (Σw)²/Σw².
        """
        if self.survey is None:
            return np.full(len(self.groups), self.one)
        squares: Array = self.survey.squares.sum(axis=1)
        return squares.reshape(self.shape[:2]).sum(axis=1) / self.group_totals

    def map_counts(self, change: Callable[[sparse.csc_array], sparse.csc_array]) -> ScoreTable:
        """Apply a linear map to all arrays of counts."""
        survey = None if self.survey is None else SurveyCounts(*map(change, self.survey))
        return replace(self, counts=change(self.counts), survey=survey)

    def in_rows(self, weight: Array, power: int = 1) -> Array:
        """Convert weights to numbers of rows, or, with ``power=2``, of pairs of rows."""
        if self.one == 1:
            return weight
        with np.errstate(over="ignore"):
            for _ in range(power):
                weight = weight / self.one
        return weight

    @property
    def spread(self) -> sparse.csc_array:
        """Factors of squared influences, like `counts`: sums of squared weights of rows."""
        return self.counts * self.one if self.survey is None else self.survey.squares

    @cached_property
    def cube(self) -> Array:
        """Dense counts (n_groups, n_labels, n_positions), for tables of predicted labels."""
        return self.counts.toarray().reshape(self.shape)

    def blocks(self, most_entries: int = BLOCK_ENTRIES) -> Iterator[PositionBlock]:
        """Iterate over blocks of positions with at most `most_entries` dense entries each."""
        n_groups, n_labels, n_positions = self.shape
        before = np.zeros((n_groups, n_labels, 1))
        for at in row_blocks(n_positions, max(1, most_entries // (n_groups * n_labels))):
            counts = self.counts[:, at]
            dense = counts.toarray().reshape(n_groups, n_labels, -1)
            through = before + np.cumsum(dense, axis=2)
            entries = counts.tocoo()
            cell, column = entries.coords
            yield PositionBlock(
                counts,
                below=through - dense,
                above=self.totals[:, :, None] - through,
                group=cell // n_labels,
                label=cell % n_labels,
                column=column,
                position=column + at.start,
                weight=entries.data,
                spread=self._spread(at, cell, column, entries.data),
            )
            before = through[:, :, -1:]

    def _spread(self, at: slice, cell: Array, column: Array, weight: Array) -> Array:
        """Return `PositionBlock.spread` of the entries of a block."""
        if self.survey is None:
            return weight
        squares: Array = self.survey.squares[:, at].toarray()
        return squares[cell, column]

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
        """The table with a pseudo-row in each group, labelled like all groups together."""
        return self.pad(self.totals.sum(axis=0) / self.totals.sum())

    def pad(self, label_shares: Array) -> ScoreTable:
        """Add an uninformative pseudo-row to each group.

        Its weight, that of one row, is divided among the true labels in proportion to
        `label_shares`, and evenly among the positions (among `PSEUDO_POSITIONS` evenly spaced ones
        of a longer axis).
        """
        n_groups, _, n_positions = self.shape
        spaced = np.linspace(0, n_positions - 1, min(n_positions, PSEUDO_POSITIONS))
        positions = spaced.round().astype(np.intp)
        share, one = np.tile(label_shares, n_groups), np.repeat(self.row_weight, len(label_shares))
        at = (np.repeat(np.arange(len(share)), len(positions)), np.tile(positions, len(share)))

        def pseudo(weight: Array) -> sparse.csc_array:
            each = np.repeat(weight * share / len(positions), len(positions))
            return sparse.csc_array((each, at), shape=self.counts.shape)

        survey = self.survey
        if survey is not None:
            survey = survey._replace(squares=survey.squares + pseudo(one**2))
        return replace(self, counts=self.counts + pseudo(one), survey=survey)

    def merge(self, positions: Array, axis: Array) -> ScoreTable:
        """Merge positions: b becomes ``positions[b]``, or ``positions[g, b]``, of the new axis."""

        def merged(counts: sparse.csc_array) -> sparse.csc_array:
            entries = counts.tocoo()
            cells, old = entries.coords
            group = cells // len(self.labels) if positions.ndim == 2 else 0
            new = np.atleast_2d(positions)[group, old]
            shape = (counts.shape[0], len(axis))
            return sparse.csc_array((entries.data, (cells, new)), shape=shape)

        table = replace(self.map_counts(merged), axis=axis, lowest=None)
        return replace(table, predicts_labels=axis is self.labels)

    def cut(self, thresholds: Array) -> ScoreTable:
        """Predict label l where ``thresholds[l-1] < score <= thresholds[l]``.

        `thresholds` has shape (n_labels - 1,), or (n_groups, n_labels - 1) for one row per group.
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
    predictions: str = "auto",
    weights: str = "frequency",
    name: str = "y_true",
) -> ScoreTable:
    """Read, check and count rows; `name` is what messages call `y_true`."""
    samples = read_samples(
        y_true,
        y_pred,
        sensitive_features,
        sample_weight=sample_weight,
        labels=labels,
        missing_group=missing_group,
        as_scores=as_scores,
        predictions=predictions,
        weights=weights,
        name=name,
    )
    return tabulate(samples)


def tabulate(samples: Samples) -> ScoreTable:
    """Count rows by group, true label and position; levels without weight are dropped."""
    groups, labels = samples.groups.levels, samples.truth.levels
    axis = labels if samples.predicts_labels else samples.positions.levels
    shape = (len(groups) * len(labels), len(axis))
    weight = Weight(np.ones(1)) if samples.weight is None else samples.weight
    counts = _count(samples, None if samples.weight is None else weight.values, shape)
    survey = None
    if weight.survey is not None:
        survey = SurveyCounts(*(_count(samples, part, shape) for part in weight.survey))
    table = ScoreTable(
        *(counts, groups, labels, axis, samples.predicts_labels),
        one=weight.one,
        reading_is_guessed=samples.reading.guessed,
        survey=survey,
    )
    if weight.values.all():
        return table
    return _drop_weightless(table, keep_labels=samples.labels_are_given)


def _count(samples: Samples, weight: Array | None, shape: tuple[int, int]) -> sparse.csc_array:
    """Weight of the rows at each (cell, position)."""
    columns = (samples.groups, samples.truth, samples.positions)
    if math.prod(shape) <= DENSE_ENTRIES:
        return sparse.csc_array(count_codes(columns, weight).reshape(shape))
    group, label, position = (column.codes(slice(None)) for column in columns)
    weight = np.ones(samples.n_rows) if weight is None else weight
    at = (group * len(samples.truth.levels) + label, position)
    return sparse.csc_array((weight, at), shape=shape)


def count_codes(columns: Sequence[Coded], weight: Array | None) -> Array:
    """Weight of the rows at each combination of levels, raveled; columns are not copied."""
    counts = np.zeros(math.prod(len(column.levels) for column in columns))
    for rows in row_blocks(len(columns[0].values)):
        entry = columns[0].codes(rows)
        for column in columns[1:]:
            entry = entry * len(column.levels) + column.codes(rows)
        share = None if weight is None else weight[rows]
        counts += np.bincount(entry, share, minlength=counts.size)
    return counts


def _drop_weightless(table: ScoreTable, *, keep_labels: bool) -> ScoreTable:
    """Drop groups, labels and positions whose rows all have weight 0."""
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
    cells, kept = (groups[:, None] & labels).ravel(), table.labels[labels]
    table = table.map_counts(lambda counts: counts[cells][:, positions])
    axis = kept if table.predicts_labels else table.axis[positions]
    return replace(table, groups=table.groups[groups], labels=kept, axis=axis)
