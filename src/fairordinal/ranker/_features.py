"""Features of about unit size, without a copy of them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.preprocessing import MaxAbsScaler, StandardScaler

from fairordinal._validation import Array, row_blocks

BLOCK = 1 << 14  # rows that stay in cache


class Features(NamedTuple):
    """Stands for ``(X - means) / spreads``; sparse features are not centred."""

    X: Any
    means: Array
    spreads: Array

    @classmethod
    def of(cls, X: Any, weight: Array | None = None) -> Features:
        """Features with the means and spreads of these rows."""
        if sparse.issparse(X):
            return cls(X, np.zeros(X.shape[1]), MaxAbsScaler().fit(X).scale_)
        scaler = StandardScaler()
        with np.errstate(over="ignore", invalid="ignore"):
            for rows in row_blocks(X.shape[0], BLOCK):  # at once, it would copy X
                share = None if weight is None else weight[rows]
                scaler.partial_fit(X[rows], sample_weight=share)
        wild = np.flatnonzero(~np.isfinite(scaler.scale_))
        if wild.size:
            raise ValueError(
                f"X has numbers too large to scale, up to {np.abs(X[:, wild[0]]).max():.0e} in "
                f"column {wild[0]}. Clip them, or take their logarithm."
            )
        return cls(X, scaler.mean_, scaler.scale_)

    @classmethod
    def plain(cls, X: Any) -> Features:
        """Features as they are."""
        return cls(X, np.zeros(X.shape[1]), np.ones(X.shape[1]))

    @property
    def n_features(self) -> int:
        return int(self.X.shape[1])

    def take(self, rows: Array) -> Features:
        return self._replace(X=self.X[rows])

    def times(self, coef: Array) -> Array:
        """A score for each row."""
        raw = coef / self.spreads
        return np.asarray(self.X @ raw).ravel() - float(self.means @ raw)

    def transposed_times(self, vector: Array) -> Array:
        """A sum of rows, weighted."""
        raw = np.asarray(self.X.T @ vector).ravel()
        return (raw - self.means * float(vector.sum())) / self.spreads

    def sums_by(self, cells: Array, weight: Array, n_cells: int) -> Array:
        """Weighted sums of the rows of each cell, (n_cells, n_features)."""
        at = (cells, np.arange(len(cells)))
        member = sparse.csr_array((weight, at), shape=(n_cells, len(cells)))
        summed = member @ self.X
        summed = summed.toarray() if sparse.issparse(summed) else np.asarray(summed)
        return (summed - np.outer(member.sum(axis=1), self.means)) / self.spreads

    def gram(self, weight: Array) -> Array:
        """``Σ_i weight_i x_i x_i'``."""
        total = np.zeros((self.n_features, self.n_features))
        for rows in row_blocks(self.X.shape[0], BLOCK):
            part = self._block(rows)
            total += part.T @ (part * weight[rows, None])
        return total

    def squares(self, weight: Array) -> Array:
        """The diagonal of the same."""
        total = np.zeros(self.n_features)
        for rows in row_blocks(self.X.shape[0], BLOCK):
            total += weight[rows] @ self._block(rows) ** 2
        return total

    def _block(self, rows: slice) -> Array:
        part = self.X[rows]
        part = part.toarray() if sparse.issparse(part) else part
        return (part - self.means) / self.spreads
