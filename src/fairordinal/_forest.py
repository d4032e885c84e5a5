r"""Forests as plain arrays: grown by LightGBM, evaluated without it.

A tree has splits and leaves. Split s looks at one column: rows with ``x[feature] <= threshold`` go
left, others right. A child is the number of a split, or ``-1 - l`` for leaf l. The leaves of all
trees of a forest are numbered one after the other, so that a forest is a map from a row to one
leaf of each tree, and a score is a sum of leaf values.

The leaf of a row is found without following its path. Each column is coded once by its place among
the thresholds of the forest. Each split is then one comparison of small integers for all rows. The
answers of all splits of a tree are the bits of a number, and a table has the leaf for each number.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from fairordinal._optional import optional
from fairordinal._threads import one_thread
from fairordinal._validation import Array, row_blocks

MOST_SPLITS = 15  # of a tree: the table of leaves has 2**n_splits entries
MOST_TRIED = 1000  # columns that a tree looks at; of more, each tree gets some at random
BLOCK = 1 << 14  # rows that stay in cache
EXACT = 50  # bits of a leaf value that count
CELLS, MOST_ROUNDS = 8, 12  # of `Places`: cells for each threshold, and comparisons in one
LEAST_WIDTH = 1e-290  # of thresholds, that can be divided by


class Tree(NamedTuple):
    """Splits and their children; with one leaf more than splits."""

    feature: Array  # (n_splits,) column
    threshold: Array  # (n_splits,)
    left: Array  # (n_splits,) a split, or -1 - leaf
    right: Array

    @property
    def n_splits(self) -> int:
        return len(self.feature)

    @property
    def n_leaves(self) -> int:
        return self.n_splits + 1

    def leaf_of_answers(self) -> Array:
        """The leaf for each combination of answers; bit s is set if split s sends a row left."""
        answers = np.arange(1 << self.n_splits)
        at = np.zeros(len(answers), dtype=np.int64)
        for _ in range(self.n_splits):
            split = np.maximum(at, 0)
            step = np.where(answers >> split & 1, self.left[split], self.right[split])
            at = np.where(at >= 0, step, at)
        return -1 - at

    def paths(self) -> Iterator[tuple[int, list[tuple[int, bool]]]]:
        """Each leaf with the splits above it, and whether it lies to their left."""
        open_: list[tuple[int, list[tuple[int, bool]]]] = [(0, [])]
        while open_:
            at, above = open_.pop()
            if at < 0:
                yield -1 - at, above
            else:
                open_.append((int(self.left[at]), [*above, (at, True)]))
                open_.append((int(self.right[at]), [*above, (at, False)]))


class Places(NamedTuple):
    """Finds how many thresholds of a column lie below each value, as `np.searchsorted` does.

    Values are put into cells of equal width, by a function that rounding leaves monotone. So the
    thresholds in lower cells lie below a value, and those in its own cell are compared with it.
    """

    edges: Array  # ascending, and infinity
    lowest: Array  # (n_cells,) how many thresholds are in lower cells
    scale: float  # cells for a unit
    n_rounds: int  # most thresholds in a cell

    @classmethod
    @np.errstate(over="ignore")
    def among(cls, edges: Array) -> Places:
        n_cells, width = CELLS * len(edges), float(edges[-1] - edges[0])
        scale = (n_cells - 1) / width if width > LEAST_WIDTH else 0.0
        cells = np.minimum((edges - edges[0]) * scale if scale else 0.0 * edges, n_cells - 1)
        cells = cells.astype(np.int32)
        lowest = np.searchsorted(cells, np.arange(n_cells)).astype(np.min_scalar_type(len(edges)))
        n_rounds = int(np.bincount(cells).max())
        return cls(np.append(edges, np.inf), lowest, scale, n_rounds)

    @np.errstate(over="ignore", invalid="ignore")
    def of(self, column: Array) -> Array:
        apart = column - self.edges[0]
        if self.n_rounds > MOST_ROUNDS or not np.isfinite(apart).all():
            found = np.searchsorted(self.edges[:-1], column)
            return np.asarray(found.astype(self.lowest.dtype))
        cells = np.clip(apart * self.scale, 0.0, len(self.lowest) - 1)
        places = self.lowest[cells.astype(np.int32)]
        for _ in range(self.n_rounds):
            places += self.edges[places] < column
        return places


@dataclass(frozen=True, eq=False)
class Forest:
    """Trees, from a row to one leaf of each."""

    trees: tuple[Tree, ...]

    @cached_property
    def first_leaves(self) -> Array:
        """The number of the first leaf of each tree, and how many leaves there are in all."""
        return np.cumsum([0, *(tree.n_leaves for tree in self.trees)])

    @property
    def n_leaves(self) -> int:
        return int(self.first_leaves[-1])

    @cached_property
    def _edges(self) -> dict[int, Array]:
        """The thresholds of each column that is used, ascending."""
        features = np.concatenate([tree.feature for tree in self.trees] or [np.zeros(0, int)])
        thresholds = np.concatenate([tree.threshold for tree in self.trees] or [np.zeros(0)])
        return {int(f): np.unique(thresholds[features == f]) for f in np.unique(features)}

    @cached_property
    def _places(self) -> dict[int, Places]:
        return {feature: Places.among(edges) for feature, edges in self._edges.items()}

    @cached_property
    def _compiled(self) -> list[tuple[list[tuple[int, int]], Array]]:
        """Each tree as its splits, (column, place of the threshold), and the table of leaves."""
        return [
            (
                [
                    (int(f), int(np.searchsorted(self._edges[int(f)], threshold)))
                    for f, threshold in zip(tree.feature, tree.threshold, strict=True)
                ],
                (first + tree.leaf_of_answers()).astype(np.int32),
            )
            for tree, first in zip(self.trees, self.first_leaves, strict=False)
        ]

    def leaves(self, X: Any) -> Array:
        """Numbers of the leaves of each row, (n_rows, n_trees)."""
        found = np.empty((X.shape[0], len(self.trees)), dtype=np.int32, order="F")
        for rows, number, leaves in self.walk(X):
            found[rows, number] = leaves
        return found

    def walk(self, X: Any) -> Iterator[tuple[slice, int, Array]]:
        """For each block of rows and each tree: the rows, the tree's number, their leaves.

        The arrays are used again: take what is needed before the next one.
        """
        tables = [table for _, table in self._compiled]
        for rows in row_blocks(X.shape[0], BLOCK):
            leaves = np.empty(rows.stop - rows.start, dtype=np.int32)
            answers = self._answers(X[rows])
            for number, (table, answer) in enumerate(zip(tables, answers, strict=True)):
                np.take(table, answer, out=leaves, mode="clip")  # "raise" would make a copy first
                yield rows, number, leaves

    def sums(self, X: Any, values: Array) -> Array:
        """The sum of the values of the leaves of each row; values of shape (n_leaves,)."""
        total = np.zeros(X.shape[0])
        by_answer = [values[table] for _, table in self._compiled]
        for rows in row_blocks(X.shape[0], BLOCK):
            some, own = total[rows], np.empty(rows.stop - rows.start)
            for of_tree, answer in zip(by_answer, self._answers(X[rows]), strict=True):
                np.take(of_tree, answer, out=own, mode="clip")
                np.add(some, own, out=some)
        return total

    def _answers(self, X: Any) -> Iterator[Array]:
        """For each tree, the answers of its splits as bits of a number for each row.

        The arrays are used again: take what is needed before the next one.
        """
        codes, n_rows = self._codes(X), X.shape[0]
        goes_left = np.empty(n_rows, dtype=bool)
        bit = goes_left.view(np.uint8)
        small, large = (np.empty(n_rows, dtype=kind) for kind in (np.uint8, np.uint16))
        for splits, _ in self._compiled:
            answers = small if len(splits) <= 8 else large
            answers[:] = 0
            for feature, place in reversed(splits):  # bits already there move up by one
                np.less_equal(codes[feature], place, out=goes_left)
                np.add(answers, answers, out=answers)
                np.bitwise_or(answers, bit, out=answers)
            yield answers

    def _codes(self, X: Any) -> dict[int, Array]:
        """For each column used, how many of its thresholds lie below the value of a row."""
        is_sparse = hasattr(X, "tocsc")  # predictions from tables do not import SciPy
        X = X.tocsc() if is_sparse else X
        codes = {}
        for feature, place in self._places.items():
            column = X[:, [feature]].toarray().ravel() if is_sparse else X[:, feature]
            codes[feature] = place.of(column)
        return codes


def exact_values(values: Array, n_trees: int) -> Array:
    """Leaf values, rounded so that sums over trees are exact in any order."""
    largest = float(np.abs(values).max(initial=0.0)) * max(n_trees, 1)
    unit = 2.0 ** (np.ceil(np.log2(largest)) - EXACT) if largest else 0.0
    if not unit:  # sums of numbers this small are exact
        return values
    return np.asarray(np.rint(values / unit) * unit)


class Grown(NamedTuple):
    """A forest, and the values that its leaves were grown with."""

    forest: Forest
    values: Array


class Growth(NamedTuple):
    """How trees are grown."""

    n_trees: int = 60
    n_leaves: int = 8
    learning_rate: float = 0.1
    least_rows: float = 20.0  # of a leaf


@one_thread
def grow(
    X: Any, target: Array, weight: Array, growth: Growth, *, one: float = 1.0, binary: bool = False
) -> Grown:
    """Boosted trees by LightGBM that predict a target; `one` is the weight of one row.

    The same for the same rows, whatever the machine: LightGBM runs deterministically in one thread.
    """
    lightgbm = optional("lightgbm", "basis='trees'", "trees")
    params = {
        "objective": "binary" if binary else "regression",
        "num_leaves": growth.n_leaves,
        "learning_rate": growth.learning_rate,
        "min_data_in_leaf": 1,
        "min_sum_hessian_in_leaf": growth.least_rows * one * (0.25 if binary else 1.0),
        "min_data_in_bin": 1,
        "feature_pre_filter": False,
        "feature_fraction": min(1.0, MOST_TRIED / X.shape[1]),
        "deterministic": True,
        "force_col_wise": True,
        "num_threads": 1,
        "seed": 0,
        "verbosity": -1,
    }
    data = lightgbm.Dataset(X, label=target, weight=weight, params=params, free_raw_data=True)
    booster = lightgbm.train(params, data, num_boost_round=growth.n_trees)
    read = [_read(info["tree_structure"]) for info in booster.dump_model()["tree_info"]]
    read = [(tree, values) for tree, values in read if tree.n_splits]
    values = np.concatenate([np.zeros(0), *(values for _, values in read)])
    return Grown(Forest(tuple(tree for tree, _ in read)), values)


def _read(structure: dict[str, Any]) -> tuple[Tree, Array]:
    """A tree of LightGBM's dump, and the values of its leaves."""
    splits: list[dict[str, Any]] = []
    leaves: list[float] = []

    def number(node: dict[str, Any]) -> int:
        """The number of a node; its splits and leaves get theirs."""
        if "split_feature" not in node:
            leaves.append(float(node["leaf_value"]))
            return -len(leaves)
        place = len(splits)
        splits.append({"feature": node["split_feature"], "threshold": node["threshold"]})
        splits[place] |= {"left": number(node["left_child"]), "right": number(node["right_child"])}
        return place

    number(structure)
    columns = {name: [split[name] for split in splits] for name in Tree._fields}
    whole = {name: np.array(columns[name], dtype=np.int64) for name in ("feature", "left", "right")}
    threshold = np.array(columns["threshold"], dtype=np.float64)
    return Tree(whole["feature"], threshold, whole["left"], whole["right"]), np.array(leaves)
