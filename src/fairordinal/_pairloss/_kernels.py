"""Losses of a pair's margin: the score of the row that should be above, less the other's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, ndtr

from fairordinal._validation import Array

REACH = 40.0  # beyond, losses are their tails to rounding


@dataclass(frozen=True)
class Kernel:
    """A loss and its second derivative.

    Beyond `REACH` it is ``-tail · x`` for a lost pair (or constant, with tail 0) and 0 for a won
    one. `detail` is the width of its finest feature, in units of the margin. The one `kinked` loss
    is the squared hinge: no bins are fine enough for it, and its tail is quadratic.
    """

    value: Callable[[Array], Array]
    curvature: Callable[[Array], Array]
    tail: float = 1.0
    detail: float = 1.0
    kinked: bool = False

    def sharper(self, factor: float) -> Kernel:
        """The loss of ``factor · x`` with a factor of at least 1, for a loss without a tail."""
        assert self.tail == 0.0
        assert factor >= 1.0
        value, curvature = self.value, self.curvature
        return Kernel(
            lambda x: value(factor * x),
            lambda x: factor**2 * curvature(factor * x),
            tail=0.0,
            detail=self.detail / factor,
        )


def _density(x: Array) -> Array:
    return np.exp(-0.5 * np.minimum(np.abs(x), REACH) ** 2) / np.sqrt(2.0 * np.pi)


def _smooth_hinge(x: Array) -> Array:
    """The mean of max(1 - x + Z, 0) over a standard normal Z: the hinge, rounded."""
    return (1.0 - x) * ndtr(1.0 - x) + _density(1.0 - x)


def _squared_hinge(x: Array) -> Array:
    return np.maximum(1.0 - x, 0.0) ** 2


def _logistic(x: Array) -> Array:
    return np.logaddexp(0.0, -x)


def _logistic_curvature(x: Array) -> Array:
    return np.asarray(expit(x) * expit(-x))


def _smooth_hinge_curvature(x: Array) -> Array:
    return _density(1.0 - x)


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

# a won pair counts 0, a lost one 1: what a criterion counts, made smooth
STEP = Kernel(_step, _step_curvature, tail=0.0)
