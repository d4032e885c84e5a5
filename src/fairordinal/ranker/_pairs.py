r"""Pairs of rows to learn from, as weights of pairs of cells.

There are m cells u = (group, true label), with total weights t; row i has weight w_i. A ranker
learns from

* W, the weights of pairs that should be in order: 1{y_u > y_v}, divided by the weight of all such
  pairs;
* Q_e, the contrasts of a criterion: disparity e is ``<Q_e, wins>``, one for each pair of groups.

The rows themselves may be in memory or in Dask. They are used by passes over blocks only.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy import sparse

from fairordinal._pairloss import Kernel, MergedCells, merge_equal_rows
from fairordinal._rows import Block, Rows
from fairordinal._table import ScoreTable
from fairordinal._validation import Array
from fairordinal.criteria import Criterion, PairwiseCriterion, pair_tables

MOST_DIFFERENCES = 256  # features up to which full Hessians are computed from all rows
MOST_WHITENED = 1500  # features up to which the Hessian at 0 is a matrix; beyond, its diagonal
MOST_CURVED = 1 << 12  # rows from which the Hessian of more than 256 features is estimated


def require_pairwise(criterion: Criterion) -> PairwiseCriterion:
    """Return the criterion; raise an error if it is not about pairs of rows."""
    if not isinstance(criterion, PairwiseCriterion):
        raise ValueError(
            f"{type(criterion).__name__} is about single samples, but a ranker learns from pairs. "
            "Use FairThresholdClassifier for this criterion, or pass a pairwise criterion."
        )
    return criterion


def require_sorting(rows: Rows, loss: Kernel) -> None:
    """Raise an error if the loss needs sorted rows and the rows are not in memory."""
    if loss.kinked:
        rows.whole()


def pair_data(rows: Rows, criterion: PairwiseCriterion, loss: Kernel) -> PairData:
    """Pairs of the rows, with the weights W and the contrasts Q of a criterion."""
    names, levels = np.arange(rows.n_groups), np.arange(rows.n_labels)
    counts = sparse.csc_array(rows.totals[:, None])
    table = ScoreTable(counts, names, levels, np.zeros(1), predicts_labels=False)
    label = np.tile(levels, rows.n_groups)
    order = (label[:, None] > label[None, :]).astype(np.float64)
    pairs = float(rows.totals @ order @ rows.totals)
    contrasts = pair_tables(criterion.contrasts(table))
    order = order / pairs if pairs else order
    return PairData(rows, rows.totals, order, contrasts, loss)


@dataclass(frozen=True, eq=False)
class PairData:
    """Rows in cells, the weights of their pairs, and the loss of a pair's margin."""

    rows: Rows
    totals: Array  # t, (m,) weight of each cell
    pair_weights: Array  # W, (m, m); sums to 1 over all pairs of rows
    contrasts: sparse.csr_array  # Q, (E, m·m)
    loss: Kernel

    @property
    def n_cells(self) -> int:
        return len(self.totals)

    @property
    def unit_weight(self) -> float:
        """Weight of one pair of rows with unequal labels."""
        return float(self.pair_weights.max())

    @cached_property
    def merged(self) -> MergedCells:
        """Cells with equal entries in all contrasts: for demographic parity, those of a group."""
        entries, m = self.contrasts.tocoo(), self.n_cells
        contrast, (u, v) = entries.row.astype(np.int64), np.divmod(entries.col, m)
        shape = (m, entries.shape[0] * m)
        ahead, behind = (
            sparse.csr_array((entries.data, (cell, contrast * m + other)), shape)
            for cell, other in ((u, v), (v, u))
        )
        return merge_equal_rows(ahead, behind)

    @cached_property
    def _merged_contrasts(self) -> sparse.csr_array:
        """The contrasts of merged cells."""
        first = self.merged.first
        return self.contrasts[:, (first[:, None] * self.n_cells + first).ravel()]

    def disparities(self, wins: Array) -> Array:
        """``<Q_e, wins>`` for each e; `wins` may be of cells or of merged cells."""
        are_merged = len(wins) < self.n_cells
        contrasts = self._merged_contrasts if are_merged else self.contrasts
        return np.asarray(contrasts @ wins.ravel())

    def mix_contrasts(self, multipliers: Array) -> Array:
        """``Σ_e τ_e Q_e``, (m, m)."""
        return np.asarray(multipliers @ self.contrasts).reshape(self.pair_weights.shape)

    @property
    def largest_net_weights(self) -> Array:
        """``max_uv |Q_e[u, v] - Q_e[v, u]|`` for each e."""
        indices = np.arange(self.n_cells**2).reshape(self.n_cells, self.n_cells)
        net = self.contrasts - self.contrasts[:, indices.T.ravel()]
        return np.asarray(abs(net).max(axis=1).toarray()).ravel()

    @property
    def cell_sums(self) -> Array:
        """``S[u] = Σ_{i in u} w_i x_i``: weighted sums of the rows of each cell, (m, d)."""
        return self._sums[: self.n_cells]

    @cached_property
    def _sums(self) -> Array:
        """`cell_sums`, with the matrix Σ_i r_i x_i x_i' of `hessian_at_0` below, by one pass."""
        few = self.rows.n_features <= MOST_WHITENED
        return self.rows.sum(_sums_and_products, self._symmetric_weights @ self.totals, few)

    @property
    def _symmetric_weights(self) -> Array:
        return self.pair_weights + self.pair_weights.T

    @cached_property
    def mean_differences(self) -> Array:
        """Disparities with score differences in place of wins, by coefficient, (E, d).

        Entry (e, j) is ``Σ_uv Q_e[u, v] Σ_{i in u, i' in v} w_i w_i' (x_ij - x_i'j)``.
        """
        apart = [np.outer(m, self.totals) - np.outer(self.totals, m) for m in self.cell_sums.T]
        return np.stack([self.contrasts @ table.ravel() for table in apart], axis=1)

    @cached_property
    def hessian_at_0(self) -> Array:
        """The Hessian of the loss at w = 0, (d, d); its diagonal, (d,), for very many features.

        At 0 all margins are 0, so that the sums over pairs factor into sums over rows::

            H = ℓ''(0) Σ_uv W[u, v] Σ_{i in u, j in v} w_i w_j (x_i - x_j)(x_i - x_j)'
              = ℓ''(0) (Σ_i r_i x_i x_i' - S' (W + W') S),   r_i = w_i ((W + W') t)[cell of i]

        It only preconditions fits. For many features, a sample of the rows is accurate enough.
        """
        if self.rows.n_features > MOST_DIFFERENCES and self.rows.n_rows > 2 * MOST_CURVED:
            return self._subsample.hessian_at_0
        top = float(self.loss.curvature(np.zeros(1))[0])
        mixed, products = self._symmetric_weights @ self.cell_sums, self._sums[self.n_cells :]
        if len(products) == self.rows.n_features:
            return top * (products - self.cell_sums.T @ mixed)
        return np.asarray(top * (products[0] - (self.cell_sums * mixed).sum(axis=0)))

    @cached_property
    def _subsample(self) -> PairData:
        """Pairs of a sample of the rows."""
        rows, order = self.rows.sample(MOST_CURVED), (self.pair_weights > 0) * 1.0
        pairs = float(rows.totals @ order @ rows.totals)
        return replace(self, rows=rows, totals=rows.totals, pair_weights=order / (pairs or 1.0))


def _sums_and_products(block: Block, factors: Array, few: bool) -> Array:
    """Sums of rows by cell, and below them Σ_i r_i x_i x_i'; only its diagonal unless `few`."""
    weight = block.weight * factors[block.cells]
    products = block.gram(weight) if few else block.squares(weight)[None]
    return np.vstack([block.sums_by_cell(), products])
