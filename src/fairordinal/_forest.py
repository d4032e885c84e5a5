r"""Forests as plain arrays: boosted by LightGBM, evaluated without it.

A tree has splits and leaves. Split s compares one column: rows with ``x[feature] <= threshold`` go
left, others right. A child is the number of a split, or ``-1 - l`` for leaf l. The leaves of all
trees of a forest are numbered consecutively. A forest maps a row to one leaf of each tree, and a
score is a sum of leaf values.

The leaf of a row is found without following its path:

1. Each column is coded once: the code is the number of thresholds of the forest below its value.
2. Each split is then one comparison of small integers, for all rows at once.
3. The results of all splits of a tree are the bits of a number, and a table has the leaf for each
   number.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from fairordinal._support import advance, one_thread, optional
from fairordinal._validation import Array, row_blocks

MOST_SPLITS = 15  # of a tree; its table of leaves has 2**n_splits entries
BINNING = {  # parameters of LightGBM that all trees of a data set share
    "min_data_in_bin": 1,
    "feature_pre_filter": False,
    "force_col_wise": True,
    "num_threads": 1,
    "verbosity": -1,
}
MOST_TRIED = 1000  # columns for each tree; if there are more, a random subset of them
BLOCK = 1 << 14  # rows that fit into the cache
EXACT_BITS = 50  # of a sum of leaf values, relative to its largest possible value
BUCKETS = 8  # of a `ThresholdLookup`, for each threshold
MOST_ROUNDS = 12  # thresholds in one bucket beyond which binary search is faster
LEAST_WIDTH = 1e-290  # range of thresholds below which its reciprocal may overflow


class Tree(NamedTuple):
    """A binary tree: splits and their children. There is one leaf more than splits."""

    feature: Array  # (n_splits,) column
    threshold: Array  # (n_splits,)
    left: Array  # (n_splits,) a split, or -1 - leaf
    right: Array  # (n_splits,) likewise

    @property
    def n_splits(self) -> int:
        return len(self.feature)

    @property
    def n_leaves(self) -> int:
        return self.n_splits + 1

    def leaf_table(self) -> Array:
        """The leaf for each number whose bit s says whether split s sends a row left.

        All numbers walk down the tree together. A path has at most `n_splits` steps.
        """
        bits = np.arange(1 << self.n_splits)
        at = np.zeros(len(bits), dtype=np.int64)
        for _ in range(self.n_splits):
            split = np.maximum(at, 0)
            step = np.where(bits >> split & 1, self.left[split], self.right[split])
            at = np.where(at >= 0, step, at)
        return -1 - at

    def paths(self) -> Iterator[tuple[int, list[tuple[int, bool]]]]:
        """Each leaf with the splits above it, and whether it is to the left of each."""
        stack: list[tuple[int, list[tuple[int, bool]]]] = [(0, [])]
        while stack:
            at, above = stack.pop()
            if at < 0:
                yield -1 - at, above
            else:
                stack.append((int(self.left[at]), [*above, (at, True)]))
                stack.append((int(self.right[at]), [*above, (at, False)]))


class ThresholdLookup(NamedTuple):
    """Counts the thresholds of a column below each value, as `np.searchsorted` does, but faster.

    The range of the thresholds is divided into buckets of equal width. The bucket of a value is a
    monotone function of the value, also after rounding. So all thresholds in lower buckets are
    below the value, all in higher buckets are not, and only those in its own bucket are compared
    with it.
    """

    edges: Array  # thresholds, ascending, followed by inf
    lowest: Array  # (n_buckets,) number of thresholds in lower buckets
    scale: float  # buckets per unit
    n_rounds: int  # largest number of thresholds in a bucket

    @classmethod
    @np.errstate(over="ignore")
    def among(cls, edges: Array) -> ThresholdLookup:
        """Make a lookup for thresholds in ascending order."""
        n_buckets, width = BUCKETS * len(edges), float(edges[-1] - edges[0])
        scale = (n_buckets - 1) / width if width > LEAST_WIDTH else 0.0
        buckets = np.minimum((edges - edges[0]) * scale if scale else 0.0 * edges, n_buckets - 1)
        buckets = buckets.astype(np.int32)
        lowest = np.searchsorted(buckets, np.arange(n_buckets))
        lowest = lowest.astype(np.min_scalar_type(len(edges)))
        n_rounds = int(np.bincount(buckets).max())
        return cls(np.append(edges, np.inf), lowest, scale, n_rounds)

    @np.errstate(over="ignore", invalid="ignore")
    def count_below(self, column: Array) -> Array:
        """Number of thresholds below each value of a column."""
        apart = column - self.edges[0]
        if self.n_rounds > MOST_ROUNDS or not np.isfinite(apart).all():
            found = np.searchsorted(self.edges[:-1], column)
            return np.asarray(found.astype(self.lowest.dtype))
        buckets = np.clip(apart * self.scale, 0.0, len(self.lowest) - 1)
        below = self.lowest[buckets.astype(np.int32)]
        for _ in range(self.n_rounds):
            below += self.edges[below] < column
        return below


@dataclass(frozen=True, eq=False)
class Forest:
    """Several trees: a map from a row to one leaf of each."""

    trees: tuple[Tree, ...]

    @cached_property
    def first_leaves(self) -> Array:
        """Number of the first leaf of each tree, followed by the number of all leaves."""
        return np.cumsum([0, *(tree.n_leaves for tree in self.trees)])

    @property
    def n_leaves(self) -> int:
        return int(self.first_leaves[-1])

    @cached_property
    def _edges(self) -> dict[int, Array]:
        """Distinct thresholds of each column that is used, ascending."""
        features = np.concatenate([tree.feature for tree in self.trees] or [np.zeros(0, int)])
        thresholds = np.concatenate([tree.threshold for tree in self.trees] or [np.zeros(0)])
        return {int(f): np.unique(thresholds[features == f]) for f in np.unique(features)}

    @cached_property
    def _lookups(self) -> dict[int, ThresholdLookup]:
        return {feature: ThresholdLookup.among(edges) for feature, edges in self._edges.items()}

    @cached_property
    def _compiled(self) -> list[tuple[list[tuple[int, int]], Array]]:
        """Each tree as its splits, (column, code of the threshold), and its table of leaves."""
        return [
            (
                [
                    (int(f), int(np.searchsorted(self._edges[int(f)], threshold)))
                    for f, threshold in zip(tree.feature, tree.threshold, strict=True)
                ],
                (first + tree.leaf_table()).astype(np.int32),
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
        """For each block of rows and each tree: the rows, the number of the tree, their leaves.

        The array of leaves is reused: copy it before the next iteration.
        """
        tables = [table for _, table in self._compiled]
        for rows in row_blocks(X.shape[0], BLOCK):
            leaves = np.empty(rows.stop - rows.start, dtype=np.int32)
            for number, (table, bits) in enumerate(zip(tables, self._bits(X[rows]), strict=True)):
                np.take(table, bits, out=leaves, mode="clip")  # "raise" would make a copy first
                yield rows, number, leaves

    def sums(self, X: Any, values: Array) -> Array:
        """Sum of the values of the leaves of each row; values have the shape (n_leaves, ...)."""
        total = np.zeros((X.shape[0], *values.shape[1:]))
        tables = [values[table] for _, table in self._compiled]
        for rows in row_blocks(X.shape[0], BLOCK):
            some, of_tree = total[rows], np.empty_like(total[rows])
            for table, bits in zip(tables, self._bits(X[rows]), strict=True):
                np.take(table, bits, axis=0, out=of_tree, mode="clip")
                np.add(some, of_tree, out=some)
        return total

    def _bits(self, X: Any) -> Iterator[Array]:
        """For each tree, the results of its splits as bits of a number for each row.

        The arrays are reused: copy them before the next iteration.
        """
        codes, n_rows = self._codes(X), X.shape[0]
        goes_left = np.empty(n_rows, dtype=bool)
        bit = goes_left.view(np.uint8)
        small, large = (np.empty(n_rows, dtype=dtype) for dtype in (np.uint8, np.uint16))
        for splits, _ in self._compiled:
            bits = small if len(splits) <= 8 else large
            bits[:] = 0
            for feature, code in reversed(splits):
                np.less_equal(codes[feature], code, out=goes_left)
                np.add(bits, bits, out=bits)  # a shift by one bit
                np.bitwise_or(bits, bit, out=bits)
            yield bits

    def _codes(self, X: Any) -> dict[int, Array]:
        """For each column used, the number of its thresholds below the value of each row."""
        is_sparse = hasattr(
            X, "tocsc"
        )  # no import of SciPy, which predictions of model files do without
        X = X.tocsc() if is_sparse else X
        codes = {}
        for feature, lookup in self._lookups.items():
            column = X[:, [feature]].toarray().ravel() if is_sparse else X[:, feature]
            codes[feature] = lookup.count_below(column)
        return codes


def exact_values(values: Array, n_trees: int) -> Array:
    """Leaf values, rounded so that sums over trees are exact in any order.

    They become multiples of a unit 2^q such that each sum is below 2^`EXACT_BITS` units: a double
    represents all such sums exactly. Each column of values has its own unit.
    """
    if values.ndim > 1:
        return np.stack([exact_values(column, n_trees) for column in values.T], axis=1)
    largest = float(np.abs(values).max(initial=0.0)) * max(n_trees, 1)
    unit = 2.0 ** (np.ceil(np.log2(largest)) - EXACT_BITS) if largest else 0.0
    if not unit:  # 2^q underflows: sums of numbers this small are exact
        return values
    return np.asarray(np.rint(values / unit) * unit)


class BoostedTrees(NamedTuple):
    """A forest, and the values of its leaves: their sums predict the target."""

    forest: Forest
    values: Array


class Boosting(NamedTuple):
    """Settings of gradient boosting."""

    n_trees: int = 60
    n_leaves: int = 8
    learning_rate: float = 0.1
    least_rows: float = 20.0  # in a leaf


@one_thread
def binned(X: Any, weight: Array) -> Any:
    """Rows as LightGBM's data set, in which columns are binned, for trees of several targets."""
    lightgbm = optional("lightgbm", "basis='trees'", "trees")
    label = np.zeros(X.shape[0])  # `grow` sets it
    return lightgbm.Dataset(X, label=label, weight=weight, params=BINNING).construct()


def grow(
    data: Any,
    target: Array,
    boosting: Boosting,
    *,
    one: float = 1.0,
    binary: bool = False,
) -> BoostedTrees:
    """Fit boosted trees by LightGBM.

    LightGBM runs deterministically, in one thread, so that results do not depend on the machine.

    Parameters
    ----------
    data : lightgbm.Dataset
        Rows of `binned`; their label is changed.
    target : ndarray of shape (n_rows,)
        What is predicted; 0 or 1 if `binary`.
    boosting : Boosting
        Number and size of the trees.
    one : float, default=1.0
        Weight of one row, the unit of ``boosting.least_rows``.
    binary : bool, default=False
        Whether to fit a logistic model instead of least squares.

    Returns
    -------
    trees : BoostedTrees
        Trees without splits are left out.
    """
    lightgbm = optional("lightgbm", "basis='trees'", "trees")
    params = BINNING | {
        "objective": "binary" if binary else "regression",
        "num_leaves": boosting.n_leaves,
        "learning_rate": boosting.learning_rate,
        "min_data_in_leaf": 1,
        # the Hessian of a row is its weight, at most a quarter of it for the logistic loss
        "min_sum_hessian_in_leaf": boosting.least_rows * one * (0.25 if binary else 1.0),
        "feature_fraction": min(1.0, MOST_TRIED / data.num_feature()),
        "deterministic": True,
        "seed": 0,
    }
    data.set_label(target)
    booster = lightgbm.train(
        params, data, num_boost_round=boosting.n_trees, callbacks=[lambda _: advance(note="trees")]
    )
    read = [_read(info["tree_structure"]) for info in booster.dump_model()["tree_info"]]
    read = [(tree, values) for tree, values in read if tree.n_splits]
    values = np.concatenate([np.zeros(0), *(values for _, values in read)])
    return BoostedTrees(Forest(tuple(tree for tree, _ in read)), values)


def _read(structure: dict[str, Any]) -> tuple[Tree, Array]:
    """Read a tree of LightGBM's dump; return it with the values of its leaves."""
    splits: list[dict[str, Any]] = []
    leaves: list[float] = []

    def number(node: dict[str, Any]) -> int:
        """Number a node and all nodes below it; return its number."""
        if "split_feature" not in node:
            leaves.append(float(node["leaf_value"]))
            return -len(leaves)
        split = len(splits)
        splits.append({"feature": node["split_feature"], "threshold": node["threshold"]})
        splits[split] |= {"left": number(node["left_child"]), "right": number(node["right_child"])}
        return split

    number(structure)
    columns = {name: [split[name] for split in splits] for name in Tree._fields}
    whole = {name: np.array(columns[name], dtype=np.int64) for name in ("feature", "left", "right")}
    threshold = np.array(columns["threshold"], dtype=np.float64)
    return Tree(whole["feature"], threshold, whole["left"], whole["right"]), np.array(leaves)
