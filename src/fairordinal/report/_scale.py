"""Axes: from values to percentages of a length, and round numbers along it."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

ROUND = (1.0, 2.0, 2.5, 5.0, 10.0)
MARGIN = 0.06


class Tick(NamedTuple):
    """A number beside an axis."""

    at: float  # percent
    text: str


class Axis(NamedTuple):
    """A stretch of numbers."""

    low: float
    high: float

    def at(self, value: float) -> float:
        """Where a value lies, in percent; at an end if it lies beyond."""
        share = (value - self.low) / (self.high - self.low)
        return round(100 * min(max(share, 0.0), 1.0), 2)

    def ticks(self, most: int = 6) -> list[Tick]:
        """Round numbers, not too many."""
        step = _step((self.high - self.low) / most)
        digits = max(-math.floor(math.log10(step) + 1e-9), 0) + (f"{step:e}"[2] == "5")
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        numbers = [i * step for i in range(first, last + 1)]
        return [Tick(self.at(value), f"{value:.{digits}f}".replace("-", "−")) for value in numbers]


def axis_around(values: Iterable[float], *, least: float = 0.0) -> Axis:
    """An axis that holds the finite values, with a margin; at least so long."""
    finite = [value for value in values if math.isfinite(value)] or [0.0]
    low, high = min(finite), max(finite)
    margin = MARGIN * (high - low)
    short = max(least - (high - low), 0.0) / 2 or (high == low) * max(abs(low), 1.0) / 2
    return Axis(low - margin - short, high + margin + short)


def _step(least: float) -> float:
    """The smallest round step that is not less."""
    power: float = 10.0 ** math.floor(math.log10(least))
    return next(power * factor for factor in ROUND if power * factor >= least * (1 - 1e-9))
