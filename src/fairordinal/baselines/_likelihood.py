r"""The likelihood of proportional odds, and its maximum by Newton's method.

With scores ``s = X w``, ascending cuts ``θ_1 < … < θ_{k-1}`` (θ_0 = -∞, θ_k = ∞) and the logistic
function σ, label c (from 1) has the probability ``σ(θ_c - s) - σ(θ_{c-1} - s)``. Since
``σ(a) - σ(b) = σ(a) σ(-b) (1 - exp(b - a))``, its logarithm falls apart::

    log p = log σ(θ_c - s) + log σ(s - θ_{c-1}) + log(1 - exp(θ_{c-1} - θ_c))

two logistic losses and a term that keeps the cuts apart, each concave: Newton's method with
halved steps finds the maximum, and the cuts stay in order by themselves.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import linalg
from scipy.special import expit, log_expit

from fairordinal._rows import Features
from fairordinal._validation import Array

HALVINGS = 40
ENOUGH = 1e-4  # of the decrease that the gradient promises
NOTHING = 1e-12  # a decrease not worth a step
FLAT = 1e-13  # curvature below this share of the greatest is none


class Estimate(NamedTuple):
    """Where Newton's method stopped."""

    cuts: Array
    coef: Array
    gradient_norm: float
    step: float  # greatest entry of the step that was still to be made; not small: no maximum
    n_iter: int


@dataclass(frozen=True)
class Likelihood:
    """Mean negative log-likelihood plus ``alpha/2 |w|²``, of parameters ``(θ, w)``."""

    features: Features
    codes: Array  # 0 … k-1, each label with some weight
    weight: Array  # sums to 1
    n_labels: int
    alpha: float

    @property
    def n_cuts(self) -> int:
        return self.n_labels - 1

    def start(self) -> Array:
        """The maximum at ``w = 0``: log-odds of the labels' cumulative shares."""
        share = np.cumsum(np.bincount(self.codes, self.weight, self.n_labels))[:-1]
        cuts = np.log(share) - np.log1p(-np.minimum(share, 1 - 1e-16))
        return np.concatenate([cuts, np.zeros(self.features.n_features)])

    def value(self, at: Array) -> float:
        """The objective; infinite where the cuts are not in order."""
        gaps = np.diff(at[: self.n_cuts])
        if not (gaps > 0).all() or not np.isfinite(at).all():
            return np.inf
        below, above = self._margins(at)
        inner = np.bincount(self.codes, self.weight, self.n_labels)[1:-1]
        fit = self.weight @ (log_expit(below) + log_expit(above))
        coef = at[self.n_cuts :]
        return float(-fit - inner @ np.log(-np.expm1(-gaps)) + self.alpha / 2 * coef @ coef)

    def gradient(self, at: Array) -> Array:
        below, above = self._margins(at)
        push, pull = self.weight * expit(-below), self.weight * expit(-above)
        cuts = self._by_label(pull)[1:] - self._by_label(push)[:-1]
        inner = np.bincount(self.codes, self.weight, self.n_labels)[1:-1]
        gaps = np.diff(at[: self.n_cuts])
        apart = inner * np.exp(-gaps) / -np.expm1(-gaps)
        cuts[1:] -= apart
        cuts[:-1] += apart
        coef = self.features.transposed_times(push - pull) + self.alpha * at[self.n_cuts :]
        return np.concatenate([cuts, coef])

    def hessian(self, at: Array) -> Array:
        below, above = self._margins(at)
        upper = self.weight * expit(below) * expit(-below)  # curvature at the cut above a row
        lower = self.weight * expit(above) * expit(-above)
        m = self.n_cuts
        curved = np.empty((len(at), len(at)))
        curved[:m, :m] = np.diag(self._by_label(upper)[:-1] + self._by_label(lower)[1:])
        curved[:m, :m] += self._gap_curvature(np.diff(at[:m]))
        curved[m:, m:] = self.features.gram(upper + lower)
        curved[m:, m:] += self.alpha * np.eye(len(at) - m)
        for cut in range(m):
            beside = np.where(self.codes == cut, upper, 0) + np.where(
                self.codes == cut + 1, lower, 0
            )
            curved[cut, m:] = curved[m:, cut] = -self.features.transposed_times(beside)
        return curved

    def _margins(self, at: Array) -> tuple[Array, Array]:
        """How far each score is below the cut above it, and above the cut below it."""
        scores = self.features.times(at[self.n_cuts :])
        cuts = np.concatenate([[-np.inf], at[: self.n_cuts], [np.inf]])
        return cuts[self.codes + 1] - scores, scores - cuts[self.codes]

    def _by_label(self, values: Array) -> Array:
        return np.bincount(self.codes, values, self.n_labels)

    def _gap_curvature(self, gaps: Array) -> Array:
        inner = self._by_label(self.weight)[1:-1]
        bent = inner * np.exp(-gaps) / np.expm1(-gaps) ** 2  # of -log(1 - exp(-gap))
        between = np.diff(np.eye(self.n_cuts), axis=0)
        return between.T @ (bent[:, None] * between)


def maximise(likelihood: Likelihood, tol: float, max_iter: int) -> Estimate:
    """Newton's method until no entry of the gradient exceeds `tol`."""
    at = likelihood.start()
    value, n_iter, before = likelihood.value(at), 0, np.inf
    while True:
        gradient = likelihood.gradient(at)
        step = _solve(likelihood.hessian(at), gradient)
        norm, slope = float(np.abs(gradient).max()), float(gradient @ step)
        stalled = norm > before / 2 and slope < NOTHING  # rounding is all that is left
        if norm <= tol or n_iter == max_iter or stalled:
            break
        new, new_value = _descend(likelihood, at, value, step, slope)
        n_iter += 1
        if new is None:
            break
        at, value, before = new, new_value, norm
    m = likelihood.n_cuts
    return Estimate(at[:m], at[m:], norm, float(np.abs(step).max()), n_iter)


def _solve(curved: Array, gradient: Array) -> Array:
    """The Newton step; of those that do equally well, the shortest."""
    try:
        return linalg.cho_solve(linalg.cho_factor(curved), gradient)
    except linalg.LinAlgError:
        sizes, axes = linalg.eigh(curved)
        kept = sizes > FLAT * sizes[-1]
        along = axes[:, kept]
        return along @ ((along.T @ gradient) / sizes[kept])


def _descend(
    likelihood: Likelihood, at: Array, value: float, step: Array, slope: float
) -> tuple[Array | None, float]:
    """The longest of halved steps that lowers the objective as it should."""
    share = 1.0
    for _ in range(HALVINGS):
        new = at - share * step
        new_value = likelihood.value(new)
        if new_value <= value - ENOUGH * share * slope:
            return new, new_value
        share /= 2
    return None, value
