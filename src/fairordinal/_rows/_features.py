"""Features of about unit size, without a copy of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.preprocessing import MaxAbsScaler

from fairordinal._validation import Array, row_blocks

BLOCK = 1 << 14  # rows that stay in cache
FAR = 1e3  # spreads from 0, beyond which a feature loses digits in sums of products


class Moments(NamedTuple):
    """Rows, weight, means, and sums of squares around the means; those of blocks add up."""

    n_rows: int
    weight: float
    means: Array
    squares: Array


class Features(NamedTuple):
    """Stands for ``(X - means) / spreads``; sparse features are not centred.

    X is what was given less `origin`, which is 0 but for features that lie far from 0 (`moved`).
    """

    X: Any
    means: Array
    spreads: Array
    origin: Array | float = 0.0

    @classmethod
    def of(cls, X: Any, weight: Array | None = None) -> Features:
        """Features with the means and spreads of these rows."""
        if sparse.issparse(X):
            return cls(X, np.zeros(X.shape[1]), MaxAbsScaler().fit(X).scale_)
        return scaled_by(moments_of(X, weight)).moved().holding(X)

    @classmethod
    def plain(cls, X: Any) -> Features:
        """Features as they are."""
        return cls(X, np.zeros(X.shape[1]), np.ones(X.shape[1]))

    def moved(self) -> Features:
        """Scaling with an origin at the mean of features that lie far from 0.

        ``X @ coef`` adds up numbers as large as the features are, and is rounded like them. What
        is left of a feature with an offset of 1e15 must not be lost with what it is added to.
        """
        origin = np.where(np.abs(self.means) > FAR * self.spreads, self.means, 0.0)
        return self._replace(means=self.means - origin, origin=origin)

    def holding(self, X: Any) -> Features:
        """Scaling of given features."""
        return self._replace(X=X - self.origin if np.any(self.origin) else X)

    @property
    def n_features(self) -> int:
        return len(self.means)

    @property
    def n_rows(self) -> int:
        return int(self.X.shape[0])

    def times(self, coef: Array) -> Array:
        """A score for each row."""
        raw = coef / self.spreads
        return np.asarray(self.X @ raw, dtype=np.float64).ravel() - float(self.means @ raw)

    def transposed_times(self, vector: Array) -> Array:
        """A sum of rows, weighted."""
        raw = np.asarray(self.X.T @ vector).ravel()
        return (raw - self.means * float(vector.sum())) / self.spreads

    def sums(self, member: sparse.csr_array) -> Array:
        """Several sums of rows, (sums, n_features); a row of `member` has the weights of one."""
        summed = member @ self.X
        summed = summed.toarray() if sparse.issparse(summed) else np.asarray(summed)
        return (summed - np.outer(member.sum(axis=1), self.means)) / self.spreads

    def gram(self, weight: Array) -> Array:
        """``Σ_i weight_i x_i x_i'``."""
        total = np.zeros((self.n_features, self.n_features))
        for rows in row_blocks(self.n_rows, BLOCK):
            part = self._block(rows)
            total += part.T @ (part * weight[rows, None])
        return total

    def squares(self, weight: Array) -> Array:
        """The diagonal of the Gram matrix, ``Σ_i value_i x_i x_i'``."""
        total = np.zeros(self.n_features)
        for rows in row_blocks(self.n_rows, BLOCK):
            total += weight[rows] @ self._block(rows) ** 2
        return total

    def standardised(self, rows: slice) -> Any:
        """Some rows of ``(X - means) / spreads``; sparse if X is."""
        part = self.X[rows]
        if sparse.issparse(part):
            return part @ sparse.diags_array(1.0 / self.spreads)
        return (part - self.means) / self.spreads

    def _block(self, rows: slice) -> Array:
        part = self.standardised(rows)
        return part.toarray() if sparse.issparse(part) else part


def linear_scores(X: Any, coef: Array, origin: Array) -> Array:
    """``(X - origin) @ coef``, the difference first: as many digits as `Features.times` has."""
    if not origin.any():
        return np.asarray(X @ coef).ravel()
    blocks = [X[rows] for rows in row_blocks(X.shape[0], BLOCK)]
    dense = (part.toarray() if sparse.issparse(part) else part for part in blocks)
    return np.concatenate([(part - origin) @ coef for part in dense])


def moments_of(X: Array, weight: Array | None = None) -> Moments:
    """Moments of rows in memory."""
    nothing = Moments(0, 0.0, np.zeros(X.shape[1]), np.zeros(X.shape[1]))
    share = np.ones(len(X)) if weight is None else weight
    parts = (_moments(X[rows], share[rows]) for rows in row_blocks(len(X), BLOCK))
    return add_moments([nothing, *parts])


@np.errstate(over="ignore", invalid="ignore", divide="ignore")
def _moments(X: Array, weight: Array) -> Moments:
    total = float(weight.sum())
    means = weight @ X / total if total else np.zeros(X.shape[1])
    apart = X - means
    return Moments(len(X), total, means, weight @ (apart * apart))


@np.errstate(over="ignore", invalid="ignore")
def add_moments(parts: Sequence[Moments]) -> Moments:
    """Moments of several blocks together."""
    n_rows, weight, means, squares = parts[0]
    for part in parts[1:]:
        total = weight + part.weight
        apart, share = part.means - means, part.weight / total if total else 0.0
        means = means + share * apart
        squares = squares + part.squares + weight * share * apart * apart
        weight, n_rows = total, n_rows + part.n_rows
    return Moments(n_rows, weight, means, squares)


def scaled_by(moments: Moments) -> Features:
    """Means and spreads; a feature that is constant, but for rounding, has a spread of 1."""
    n_rows, weight, means, squares = moments
    variances = squares / weight
    wild = np.flatnonzero(~np.isfinite(variances))
    if wild.size:
        raise ValueError(
            f"X has numbers too large to scale in column {wild[0]}: the squares of some are beyond "
            "floating-point numbers. Clip them, or take their logarithm."
        )
    rounding = np.finfo(np.float64).eps * n_rows
    constant = variances <= rounding * variances + (rounding * means) ** 2
    return Features(None, means, np.where(constant, 1.0, np.sqrt(variances)))
