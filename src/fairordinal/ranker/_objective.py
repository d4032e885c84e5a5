"""What a fair linear ranker minimises, as a function of its coefficients."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy import linalg, optimize, sparse

from fairordinal._pairloss import STEP, Alike, Histogram, Kernel, alike_rows
from fairordinal._rows import Block, Rows
from fairordinal._threads import one_thread
from fairordinal._validation import Array
from fairordinal.ranker._surface import histogram_at, surface_at

MOST_DIFFERENCES = 256  # features whose Hessian is found by differences
DIFFERENCE = 0.02  # where the Hessian at 0 is the identity
FLATTEST = 0.01  # and the least curvature there that counts
MOST_WHITENED = 1500  # features; beyond, they are only scaled
MOST_CURVED = 1 << 12  # rows by which a Hessian of many features is estimated
SHARPNESS = 4.0  # of the smooth step, in units of the scores' spread
# quantiles that lie between rows, however many there are: between two far apart, rounding decides
OUTER = np.array([0.898765432101, 0.101234567899])


@dataclass(frozen=True, eq=False)
class PairData:
    """Rows in cells, and which pairs of them should be in order."""

    rows: Rows
    totals: Array  # (m,) weight of each cell
    accuracy: Array  # (m, m) weights of pairs, adding up to 1 over all pairs
    contrasts: sparse.csr_array  # (E, m·m)  Q
    loss: Kernel

    @property
    def n_cells(self) -> int:
        return len(self.totals)

    @cached_property
    def kinds(self) -> Alike:
        """Cells that no contrast tells apart: for demographic parity, those of a group."""
        entries, m = self.contrasts.tocoo(), self.n_cells
        contrast, (u, v) = entries.row.astype(np.int64), np.divmod(entries.col, m)
        shape = (m, entries.shape[0] * m)
        ahead, behind = (
            sparse.csr_array((entries.data, (cell, contrast * m + other)), shape)
            for cell, other in ((u, v), (v, u))
        )
        return alike_rows(ahead, behind)

    @property
    def pair_weight(self) -> float:
        """Weight of a pair of unequal labels."""
        return float(self.accuracy.max())

    @cached_property
    def _sums(self) -> Array:
        """By one pass: sums of the rows of each cell, and products of features below them."""
        few = self.rows.n_features <= MOST_WHITENED
        return self.rows.sum(_sums_and_products, self._pull @ self.totals, few)

    @property
    def moments(self) -> Array:
        """Weighted sums of the rows of each cell, (m, d)."""
        return self._sums[: self.n_cells]

    @property
    def _pull(self) -> Array:
        return self.accuracy + self.accuracy.T

    @cached_property
    def _contrasts_by_kind(self) -> sparse.csr_array:
        """The contrasts of a cell of each kind."""
        first = self.kinds.first
        return self.contrasts[:, (first[:, None] * self.n_cells + first).ravel()]

    @property
    def greatest_netted(self) -> Array:
        """The greatest weight of a pair in each contrast, less that of the pair turned round."""
        places = np.arange(self.n_cells**2).reshape(self.n_cells, self.n_cells)
        netted = self.contrasts - self.contrasts[:, places.T.ravel()]
        return np.asarray(abs(netted).max(axis=1).toarray()).ravel()

    def disparities(self, wins: Array) -> Array:
        """``<Q_e, wins>`` for each contrast; wins of kinds over kinds will do."""
        by_kind = len(wins) < self.n_cells
        return np.asarray((self._contrasts_by_kind if by_kind else self.contrasts) @ wins.ravel())

    def mixed(self, multipliers: Array) -> Array:
        """``Σ_e τ_e Q_e``, (m, m)."""
        return np.asarray(multipliers @ self.contrasts).reshape(self.accuracy.shape)

    @cached_property
    def mean_differences(self) -> Array:
        """``Σ_uv Q_e Σ_ij (x_i - x_j)``: disparities with scores in place of wins, (E, d)."""
        apart = [np.outer(m, self.totals) - np.outer(self.totals, m) for m in self.moments.T]
        return np.stack([self.contrasts @ table.ravel() for table in apart], axis=1)

    @cached_property
    def _thinned(self) -> PairData:
        """Pairs of some of the rows, which stand for all."""
        rows, order = self.rows.sample(MOST_CURVED), (self.accuracy > 0) * 1.0
        pairs = float(rows.totals @ order @ rows.totals)
        return replace(self, rows=rows, totals=rows.totals, accuracy=order / (pairs or 1.0))

    @cached_property
    def curvature(self) -> Array:
        """The Hessian of the loss at 0, (d, d); its diagonal if there are very many features.

        It only preconditions fits. With many features, some of the rows are enough for that.
        """
        if self.rows.n_features > MOST_DIFFERENCES and self.rows.n_rows > 2 * MOST_CURVED:
            return self._thinned.curvature
        top = float(self.loss.curvature(np.zeros(1))[0])
        pulled, products = self._pull @ self.moments, self._sums[self.n_cells :]
        if len(products) == self.rows.n_features:
            return top * (products - self.moments.T @ pulled)
        return np.asarray(top * (products[0] - (self.moments * pulled).sum(axis=0)))


def _sums_and_products(block: Block, share: Array, few: bool) -> Array:
    """Sums of rows by cell; below, all products of two features, or the squares of many."""
    weight = block.weight * share[block.cells]
    products = block.gram(weight) if few else block.squares(weight)[None]
    return np.vstack([block.sums_by_cell(), products])


@dataclass(frozen=True, eq=False)
class Aim:
    """What a ranker minimises besides the loss of all pairs, said so that it suits any rows.

    The reduction turns pairs round, the direct way has a price on disparities, the relaxation
    a pull on the groups' mean scores.
    """

    turn: Array | None = None  # (m, m) taken off the weights of pairs, in units of such a weight
    price: float = 0.0  # on squared disparities beyond the level, halved
    level: float = 0.0
    sharpness: float = 0.0  # of the smooth step in disparities; 0: see `Training.fit`
    pull: float = 0.0  # on squared differences of mean scores, halved


PLAIN = Aim()


@dataclass(frozen=True, eq=False)
class Fit:
    """Coefficients, what they minimise, and how well."""

    coef: Array
    aim: Aim | None  # None if they were given, and stay as they are
    gradient_norm: float = 0.0
    n_iter: int = 0
    converged: bool = True
    steepness: Array | None = None  # the Hessian as `Objective.steepness` has it, roughly


@dataclass(frozen=True, eq=False)
class Objective:
    """``loss of all pairs + α/2 |w|² + price/2 · Σ_e max(|v_e| - level, 0)²``, or another aim.

    v_e are disparities with a smooth step in place of a win.
    """

    data: PairData
    alpha: float
    aim: Aim = PLAIN

    def __call__(self, coef: Array) -> tuple[float, Array]:
        value, gradient = self._of_pairs(coef)
        value += 0.5 * self.alpha * float(coef @ coef)
        gradient = gradient + self.alpha * coef
        if self.aim.pull:
            leaning = self.data.mean_differences @ coef
            value += 0.5 * self.aim.pull * float(leaning @ leaning)
            gradient = gradient + self.aim.pull * leaning @ self.data.mean_differences
        return value, gradient

    def _of_pairs(self, coef: Array) -> tuple[float, Array]:
        """The loss of all pairs with the price of disparities."""
        data, price, step = self.data, self.aim.price, self._step
        surface = surface_at(data.rows, data.loss, coef, step.detail if price else np.inf)
        if not price:
            return surface.loss(self.weights)
        fine, multipliers = penalty(data, surface.histogram, step, price, self.aim.level)
        less = surface.histogram.potential(step, data.mixed(multipliers))
        value, gradient = surface.loss(self.weights, less=less)
        return value + fine, gradient

    @cached_property
    def weights(self) -> Array:
        """Weights of pairs; one that would rather be the other way round is turned round.

        (u above v) and (v above u) are one decision, so that what is left of both is netted: a
        cost-sensitive classification of pairs.
        """
        if self.aim.turn is None:
            return self.data.accuracy
        tilted = self.data.accuracy - self.data.pair_weight * self.aim.turn
        return np.maximum(tilted - tilted.T, 0.0)

    @cached_property
    def curvature(self) -> Array:
        """The Hessian at 0, but for the price of disparities; its diagonal of many features."""
        curvature = self.data.curvature
        if curvature.ndim == 1:
            return np.maximum(curvature, 0.0) + self.alpha
        mean = self.data.mean_differences if self.aim.pull else np.zeros((0, len(curvature)))
        return curvature + self.alpha * np.eye(len(curvature)) + self.aim.pull * mean.T @ mean

    def steepness(self, coef: Array) -> Array | None:
        """The Hessian elsewhere in coordinates whitened by that at 0, by differences of gradients.

        Where it is flat, it is lifted. For many features it would be dear: None.
        """
        if len(coef) > MOST_DIFFERENCES:
            return None
        white = _Whitened(self.curvature)
        aside = DIFFERENCE * np.eye(len(coef))
        ahead, behind = (
            [white.gradient(self(coef + white.coef(step))[1]) for step in steps]
            for steps in (aside, -aside)
        )
        hessian = (np.array(ahead) - np.array(behind)) / (2 * DIFFERENCE)
        sizes, axes = linalg.eigh(0.5 * (hessian + hessian.T))
        return np.asarray((axes * np.maximum(sizes, FLATTEST)) @ axes.T)

    @cached_property
    def _step(self) -> Kernel:
        return STEP.sharper(self.aim.sharpness or 1.0)


def penalty(
    data: PairData, histogram: Histogram, step: Kernel, price: float, level: float
) -> tuple[float, Array]:
    """The penalty of disparities beyond a level, and its slope by each disparity.

    Wins are counted with a smooth step.
    """
    kinds = data.kinds.kinds
    totals = np.bincount(kinds, data.totals)
    wins = np.outer(totals, totals) - histogram.pair_table(step, kinds)
    disparities = data.disparities(wins)
    over = np.maximum(np.abs(disparities) - level, 0.0)
    return 0.5 * price * float(over @ over), price * over * np.sign(disparities)


class _Whitened:
    """Coordinates z in which a matrix is the identity; scaled ones for its diagonal alone.

    If a `steepness` in these is given, then those in which it is the identity.
    """

    def __init__(self, matrix: Array, steepness: Array | None = None) -> None:
        if matrix.ndim == 1:
            self.root: Array = np.sqrt(matrix)
            return
        size = np.trace(matrix) / len(matrix) or 1.0  # 0 if all features are constant
        jitter = 1e-12 * size * np.eye(len(matrix))
        self.root = linalg.cholesky(matrix + jitter, lower=True)
        if steepness is not None:
            self.root = self.root @ linalg.cholesky(steepness, lower=True)

    def coef(self, z: Array) -> Array:
        if self.root.ndim == 1:
            return z / self.root
        return np.asarray(linalg.solve_triangular(self.root, z, lower=True, trans="T"))

    def gradient(self, by_coef: Array) -> Array:
        if self.root.ndim == 1:
            return by_coef / self.root
        return np.asarray(linalg.solve_triangular(self.root, by_coef, lower=True))

    def place(self, coef: Array) -> Array:
        return self.root * coef if self.root.ndim == 1 else self.root.T @ coef


def minimise(
    objective: Objective,
    start: Array,
    *,
    tol: float,
    max_iter: int,
    steepness: Array | None = None,
) -> Fit:
    """L-BFGS in whitened coordinates; `tol` is the greatest entry of the gradient there."""
    white = _Whitened(objective.curvature, steepness)

    def turned(z: Array) -> tuple[float, Array]:
        value, gradient = objective(white.coef(z))
        return value, white.gradient(gradient)

    found = optimize.minimize(
        turned,
        white.place(start),
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": max_iter, "gtol": tol, "ftol": 0.0, "maxcor": 20},
    )
    norm = float(np.abs(found.jac).max(initial=0.0))
    known = _hessian(found.hess_inv) if steepness is None and found.nit else None
    return Fit(white.coef(found.x), objective.aim, norm, int(found.nit), norm <= 10 * tol, known)


def _hessian(inverse: optimize.LbfgsInvHessProduct) -> Array | None:
    """The Hessian by the last steps of L-BFGS; None for many features or without curvature."""
    if inverse.shape[0] > MOST_DIFFERENCES or not inverse.n_corrs:
        return None
    sizes, axes = linalg.eigh(inverse.todense())
    if not sizes.size or sizes[0] <= 0:
        return None
    return np.asarray((axes / sizes) @ axes.T)


@dataclass(frozen=True)
class Training:
    """How rankers are fitted: strength of the l2 penalty, and when to stop."""

    alpha: float
    tol: float
    max_iter: int

    def fit(self, data: PairData, aim: Aim, start: Array, steepness: Array | None = None) -> Fit:
        """Coefficients that minimise an aim, by descent from `start`.

        The sharpness of the smooth step follows the scores at the start, unless the aim has one.
        The aim of the fit has it, so that fits to other rows minimise the same function.
        """
        return minimise(
            self._objective(data, aim, start),
            start,
            tol=self.tol,
            max_iter=self.max_iter,
            steepness=steepness,
        )

    @one_thread
    def steepness(self, data: PairData, aim: Aim, coef: Array) -> Array | None:
        """How steep an aim is around some coefficients; see `Objective.steepness`."""
        return self._objective(data, aim, coef).steepness(coef)

    def _objective(self, data: PairData, aim: Aim, start: Array) -> Objective:
        if aim.price and not aim.sharpness:
            aim = replace(aim, sharpness=sharpness_for(data, start))
        return Objective(data, self.alpha, aim)

    @one_thread
    def fit_again(self, data: PairData, fits: list[Fit]) -> list[Fit]:
        """Fits to other rows with the same aims; the Hessian of each fit preconditions its own."""
        return [
            fit if fit.aim is None else self.fit(data, fit.aim, fit.coef, fit.steepness)
            for fit in fits
        ]

    @one_thread
    def fit_in_turn(self, data: PairData, fits: list[Fit]) -> list[Fit]:
        """Fits with the same aims to rows with other features; each starts from the one before."""
        coef = self.fit(data, PLAIN, np.zeros(data.rows.n_features)).coef
        found = []
        for fit in fits:
            if fit.aim is None:
                found.append(Fit(np.zeros(data.rows.n_features), None))
            else:
                found.append(self.fit(data, fit.aim, coef))
                coef = found[-1].coef
        return found


def sharpness_for(data: PairData, coef: Array) -> float:
    """How sharp the smooth step should be for scores of this spread."""
    if not coef.any():
        return 1.0
    histogram = histogram_at(data.rows, coef, 1.0)
    spread = float(np.subtract(*histogram.quantiles(OUTER))) / 2.5
    return max(1.0, SHARPNESS / spread) if spread > 0 else 1.0
