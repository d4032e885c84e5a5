r"""How an objective is minimised: L-BFGS in whitened coordinates.

With the Hessian at 0, H = R R', the search runs in coordinates z = R' w. There the Hessian at 0 is
the identity, so that features of different spread and correlated features do not slow it down.

Elsewhere the Hessian is R S R'. S is called the *steepness*: the Hessian in the coordinates z. If
it is known, for instance from a sample of the rows, with S = C C', the coordinates are (R C)' w.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace

import numpy as np
from scipy import linalg, optimize
from sklearn.exceptions import ConvergenceWarning

from fairordinal._support import advance, keep_freed_memory, one_thread, steps, warn
from fairordinal._validation import Array
from fairordinal.ranker._objective import PLAIN, Aim, Objective, sharpness_for
from fairordinal.ranker._pairs import MOST_DIFFERENCES, PairData

DIFFERENCE = 0.02  # step of finite differences, in whitened coordinates
FLATTEST = 0.01  # lower bound of the eigenvalues of a steepness


@dataclass(frozen=True, eq=False)
class Fit:
    """Coefficients of a ranker, what they minimise, and how well."""

    coef: Array
    aim: Aim | None  # None if the coefficients are kept as they are, and not fitted
    gradient_norm: float = 0.0  # largest absolute entry of the gradient, in whitened coordinates
    n_iter: int = 0
    converged: bool = True
    steepness: Array | None = None  # at the coefficients, as estimated by L-BFGS


@dataclass(frozen=True)
class Training:
    """How rankers are fitted.

    Attributes
    ----------
    alpha : float
        Strength α of the l2 penalty.
    tol : float
        A fit stops if no entry of the gradient, in whitened coordinates, is larger.
    max_iter : int
        A fit stops after so many steps of L-BFGS.
    """

    alpha: float
    tol: float
    max_iter: int

    def fit(self, data: PairData, aim: Aim, start: Array, steepness: Array | None = None) -> Fit:
        """Minimise the objective of an aim, from the coefficients `start` on.

        If the aim has no sharpness, the sharpness follows the scores at the start. The aim of the
        result has it, so that fits to other rows minimise the same function.
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
        """The steepness of an aim at some coefficients; see `steepness_at`."""
        return steepness_at(self._objective(data, aim, coef), coef)

    def _objective(self, data: PairData, aim: Aim, start: Array) -> Objective:
        if aim.penalty and not aim.sharpness:
            aim = replace(aim, sharpness=sharpness_for(data, start))
        return Objective(data, self.alpha, aim)

    @one_thread
    def fit_again(self, data: PairData, fits: list[Fit]) -> list[Fit]:
        """Fit the aims of some fits to other rows, each from its coefficients and steepness on."""
        return [
            fit if fit.aim is None else self.fit(data, fit.aim, fit.coef, fit.steepness)
            for fit in steps(fits)
        ]

    @one_thread
    def fit_in_turn(self, data: PairData, fits: list[Fit]) -> list[Fit]:
        """Fit the aims of some fits to rows with other features, each from the previous fit on."""
        coef = self.fit(data, PLAIN, np.zeros(data.rows.n_features)).coef
        found = []
        for fit in steps(fits):
            if fit.aim is None:
                found.append(Fit(np.zeros(data.rows.n_features), None))
            else:
                found.append(self.fit(data, fit.aim, coef))
                coef = found[-1].coef
        return found


def warn_unconverged(fits: list[Fit], max_iter: int) -> None:
    """Warn about fits that stopped before the gradient was small."""
    bad = [fit for fit in fits if not fit.converged]
    if bad:
        worst = max(fit.gradient_norm for fit in bad)
        warn(
            f"{len(bad)} of {len(fits)} fits did not converge in max_iter={max_iter} steps "
            f"(largest gradient {worst:.1e}). Raise max_iter or alpha, or scale the features.",
            ConvergenceWarning,
        )


def minimise(
    objective: Objective,
    start: Array,
    *,
    tol: float,
    max_iter: int,
    steepness: Array | None = None,
) -> Fit:
    """Minimise an objective by L-BFGS in whitened coordinates; see `Training`."""
    keep_freed_memory()
    white, evaluations = _Whitening(objective.hessian_at_0, steepness), itertools.count(1)

    def in_whitened(z: Array) -> tuple[float, Array]:
        advance(note=f"step {next(evaluations)}")
        value, gradient = objective(white.coef(z))
        return value, white.gradient(gradient)

    found = optimize.minimize(
        in_whitened,
        white.coordinates(start),
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": max_iter, "gtol": tol, "ftol": 0.0, "maxcor": 20},
    )
    norm = float(np.abs(found.jac).max(initial=0.0))
    known = _inverted(found.hess_inv) if steepness is None and found.nit else None
    return Fit(white.coef(found.x), objective.aim, norm, int(found.nit), norm <= 10 * tol, known)


def _inverted(inverse: optimize.LbfgsInvHessProduct) -> Array | None:
    """The Hessian by the last steps of L-BFGS.

    None for more than `MOST_DIFFERENCES` features, or if the approximation is not positive
    definite.
    """
    if inverse.shape[0] > MOST_DIFFERENCES or not inverse.n_corrs:
        return None
    eigenvalues, axes = linalg.eigh(inverse.todense())
    if not eigenvalues.size or eigenvalues[0] <= 0:
        return None
    return np.asarray((axes / eigenvalues) @ axes.T)


def steepness_at(objective: Objective, coef: Array) -> Array | None:
    """The Hessian in whitened coordinates, by central differences of gradients.

    Eigenvalues are clipped from below. None for more than `MOST_DIFFERENCES` features.
    """
    if len(coef) > MOST_DIFFERENCES:
        return None
    white = _Whitening(objective.hessian_at_0)
    aside = DIFFERENCE * np.eye(len(coef))
    ahead, behind = (
        [white.gradient(objective(coef + white.coef(step))[1]) for step in steps]
        for steps in (aside, -aside)
    )
    hessian = (np.array(ahead) - np.array(behind)) / (2 * DIFFERENCE)
    eigenvalues, axes = linalg.eigh(0.5 * (hessian + hessian.T))
    return np.asarray((axes * np.maximum(eigenvalues, FLATTEST)) @ axes.T)


class _Whitening:
    """Coordinates z = R' w in which a matrix R R' is the identity.

    For a diagonal, given as a vector, the coordinates are only scaled. With a steepness C C' in
    these coordinates, they are z = (R C)' w.
    """

    def __init__(self, matrix: Array, steepness: Array | None = None) -> None:
        if matrix.ndim == 1:
            self.root: Array = np.sqrt(matrix)
            return
        size = np.trace(matrix) / len(matrix) or 1.0  # the trace is 0 if all features are constant
        jitter = 1e-12 * size * np.eye(len(matrix))  # collinear features make the matrix singular
        self.root = linalg.cholesky(matrix + jitter, lower=True)
        if steepness is not None:
            self.root = self.root @ linalg.cholesky(steepness, lower=True)

    def coordinates(self, coef: Array) -> Array:
        """Whitened coordinates z of coefficients w."""
        return self.root * coef if self.root.ndim == 1 else self.root.T @ coef

    def coef(self, z: Array) -> Array:
        """Coefficients w of z."""
        if self.root.ndim == 1:
            return z / self.root
        return np.asarray(linalg.solve_triangular(self.root, z, lower=True, trans="T"))

    def gradient(self, by_coef: Array) -> Array:
        """The gradient by z, given the gradient by w."""
        if self.root.ndim == 1:
            return by_coef / self.root
        return np.asarray(linalg.solve_triangular(self.root, by_coef, lower=True))
