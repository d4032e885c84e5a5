"""Losses ℓ of a pair's margin.

The margin x of a pair is the score of the row that should be above, less the score of the other
row. A pair is *won* if its margin is large, and *lost* if its margin is far below 0.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, ndtr

from fairordinal._validation import Array

REACH = 40.0  # beyond this distance, each smooth loss equals its tail up to rounding


@dataclass(frozen=True)
class Kernel:
    """A loss ℓ of the margin x, and its second derivative.

    Attributes
    ----------
    value : callable
        ℓ(x), elementwise.
    curvature : callable
        ℓ''(x), elementwise.
    tail : float
        Slope of the tail: for x < -`REACH`, ℓ(x) = -tail · x, up to a constant. For x > `REACH`,
        ℓ(x) = 0.
    detail : float
        Width of the finest feature of ℓ, in units of the margin. It determines the width of bins.
    kinked : bool
        Whether ℓ' has a kink, which bins of any width would blur. Only the squared hinge has one.
        Its tail is quadratic, and `tail` and `detail` do not apply.
    """

    value: Callable[[Array], Array]
    curvature: Callable[[Array], Array]
    tail: float = 1.0
    detail: float = 1.0
    kinked: bool = False

    def sharper(self, factor: float) -> Kernel:
        """Return the loss x → ℓ(factor · x), for a loss without a tail and a factor ≥ 1."""
        assert self.tail == 0.0
        assert factor >= 1.0
        value, curvature = self.value, self.curvature
        return Kernel(
            lambda x: value(factor * x),
            lambda x: factor**2 * curvature(factor * x),
            tail=0.0,
            detail=self.detail / factor,
        )


def _logistic(x: Array) -> Array:
    return np.logaddexp(0.0, -x)


def _logistic_curvature(x: Array) -> Array:
    return np.asarray(expit(x) * expit(-x))


def _normal_density(x: Array) -> Array:
    return np.exp(-0.5 * np.minimum(np.abs(x), REACH) ** 2) / np.sqrt(2.0 * np.pi)


def _smooth_hinge(x: Array) -> Array:
    """Mean of max(1 - x + Z, 0) over a standard normal Z."""
    return (1.0 - x) * ndtr(1.0 - x) + _normal_density(1.0 - x)


def _smooth_hinge_curvature(x: Array) -> Array:
    return _normal_density(1.0 - x)


def _squared_hinge(x: Array) -> Array:
    return np.maximum(1.0 - x, 0.0) ** 2


def _squared_hinge_curvature(x: Array) -> Array:
    return 2.0 * (x < 1.0)


def _step(x: Array) -> Array:
    return np.asarray(expit(-x))


def _step_curvature(x: Array) -> Array:
    return _logistic_curvature(x) * (1.0 - 2.0 * _step(x))


LOSSES = {
    "logistic": Kernel(_logistic, _logistic_curvature),
    "smooth_hinge": Kernel(_smooth_hinge, _smooth_hinge_curvature),
    "squared_hinge": Kernel(_squared_hinge, _squared_hinge_curvature, kinked=True),
}

# A smooth version of 1{x < 0}: near 0 for a won pair, near 1 for a lost one. With it in place of
# wins, the disparities of a criterion are differentiable.
STEP = Kernel(_step, _step_curvature, tail=0.0)
