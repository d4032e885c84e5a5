"""Standardised features, without a standardised copy of them.

`Features` holds X as it is, with the mean and the spread of each column. Products with the
standardised matrix (X - means) / spreads are rewritten as products with X.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.preprocessing import MaxAbsScaler

from fairordinal._validation import Array, row_blocks

BLOCK = 1 << 14  # rows that stay in cache
FAR = 1e3  # ratio of mean and spread beyond which a feature is centred first, to keep its digits


class Moments(NamedTuple):
    """Moments of the columns of some rows; those of several blocks are added by `add_moments`."""

    n_rows: int
    weight: float  # of all rows
    means: Array
    squares: Array  # weighted sums of squared differences from the means


class Features(NamedTuple):
    """The matrix ``(X - means) / spreads``; sparse features are not centred."""

    X: Any  # the features given, less `origin`; None if only the scaling is known
    means: Array
    spreads: Array
    origin: Array | float = 0.0  # not 0 only for features that are far from 0; see `with_origin`

    @classmethod
    def of(cls, X: Any, weight: Array | None = None) -> Features:
        """Features with means and standard deviations of their rows; sparse ones not centred."""
        if sparse.issparse(X):
            return cls(X, np.zeros(X.shape[1]), MaxAbsScaler().fit(X).scale_)
        return scaled_by(moments_of(X, weight)).with_origin().applied_to(X)

    @classmethod
    def plain(cls, X: Any) -> Features:
        """Features with means 0 and spreads 1."""
        return cls(X, np.zeros(X.shape[1]), np.ones(X.shape[1]))

    def with_origin(self) -> Features:
        """Scaling with an origin at the mean of those features that are far from 0.

        ``X @ coef`` is rounded relative to its largest term. If one feature has an offset of 1e15,
        the other features would lose their digits, unless the offset is subtracted first.
        """
        origin = np.where(np.abs(self.means) > FAR * self.spreads, self.means, 0.0)
        return self._replace(means=self.means - origin, origin=origin)

    def applied_to(self, X: Any) -> Features:
        """Features with this scaling, given X."""
        return self._replace(X=X - self.origin if np.any(self.origin) else X)

    @property
    def n_features(self) -> int:
        return len(self.means)

    @property
    def n_rows(self) -> int:
        return int(self.X.shape[0])

    def times(self, coef: Array) -> Array:
        """Scores: the standardised matrix times coefficients, (n_rows,)."""
        raw = coef / self.spreads
        return np.asarray(self.X @ raw, dtype=np.float64).ravel() - float(self.means @ raw)

    def transposed_times(self, vector: Array) -> Array:
        """The transposed standardised matrix times a vector, (n_features,)."""
        raw = np.asarray(self.X.T @ vector).ravel()
        return (raw - self.means * float(vector.sum())) / self.spreads

    def sums(self, member: sparse.csr_array) -> Array:
        """``member`` times the standardised matrix, (n_sums, n_features)."""
        summed = member @ self.X
        summed = summed.toarray() if sparse.issparse(summed) else np.asarray(summed)
        return (summed - np.outer(member.sum(axis=1), self.means)) / self.spreads

    def gram(self, weight: Array) -> Array:
        """``Σ_i weight_i x_i x_i'``, (n_features, n_features)."""
        total = np.zeros((self.n_features, self.n_features))
        for rows in row_blocks(self.n_rows, BLOCK):
            part = self._block(rows)
            total += part.T @ (part * weight[rows, None])
        return total

    def squares(self, weight: Array) -> Array:
        """The diagonal of ``Σ_i weight_i x_i x_i'``, (n_features,)."""
        total = np.zeros(self.n_features)
        for rows in row_blocks(self.n_rows, BLOCK):
            total += weight[rows] @ self._block(rows) ** 2
        return total

    def standardised(self, rows: slice) -> Any:
        """Rows of ``(X - means) / spreads``; sparse if X is."""
        part = self.X[rows]
        if sparse.issparse(part):
            return part @ sparse.diags_array(1.0 / self.spreads)
        return (part - self.means) / self.spreads

    def _block(self, rows: slice) -> Array:
        part = self.standardised(rows)
        return part.toarray() if sparse.issparse(part) else part


def linear_scores(X: Any, coef: Array, origin: Array) -> Array:
    """``(X - origin) @ coef``, with the difference taken first, so that no digits are lost."""
    if not origin.any():
        return np.asarray(X @ coef).ravel()
    blocks = [X[rows] for rows in row_blocks(X.shape[0], BLOCK)]
    dense = (part.toarray() if sparse.issparse(part) else part for part in blocks)
    return np.concatenate([(part - origin) @ coef for part in dense])


def moments_of(X: Array, weight: Array | None = None) -> Moments:
    """Moments of rows in memory."""
    no_rows = Moments(0, 0.0, np.zeros(X.shape[1]), np.zeros(X.shape[1]))
    share = np.ones(len(X)) if weight is None else weight
    parts = (_moments(X[rows], share[rows]) for rows in row_blocks(len(X), BLOCK))
    return add_moments([no_rows, *parts])


@np.errstate(over="ignore", invalid="ignore", divide="ignore")
def _moments(X: Array, weight: Array) -> Moments:
    total = float(weight.sum())
    means = weight @ X / total if total else np.zeros(X.shape[1])
    apart = X - means
    return Moments(len(X), total, means, weight @ (apart * apart))


@np.errstate(over="ignore", invalid="ignore")
def add_moments(parts: Sequence[Moments]) -> Moments:
    """Moments of several blocks together, by the pairwise update of Chan, Golub and LeVeque."""
    n_rows, weight, means, squares = parts[0]
    for part in parts[1:]:
        total = weight + part.weight
        apart, share = part.means - means, part.weight / total if total else 0.0
        means = means + share * apart
        squares = squares + part.squares + weight * share * apart * apart
        weight, n_rows = total, n_rows + part.n_rows
    return Moments(n_rows, weight, means, squares)


def scaled_by(moments: Moments) -> Features:
    """Scaling by means and standard deviations; features constant up to rounding have spread 1."""
    n_rows, weight, means, squares = moments
    variances = squares / weight
    too_large = np.flatnonzero(~np.isfinite(variances))
    if too_large.size:
        raise ValueError(
            f"X has numbers too large to scale in column {too_large[0]}: their squares exceed "
            "floating-point numbers. Clip them, or take their logarithm."
        )
    rounding = np.finfo(np.float64).eps * n_rows
    constant = variances <= rounding * variances + (rounding * means) ** 2
    return Features(None, means, np.where(constant, 1.0, np.sqrt(variances)))
