"""What is minimised: cost with a price on the violation, or cost with a limit to it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fairordinal._validation import Array

ROUNDING = 1e-12  # by so much a violation may exceed its limit


class Goal(NamedTuple):
    """Minimise ``cost + price * max(violation - allowance, 0)``.

    The penalised form has allowance 0. The constrained one is `hard`: beyond the allowance the
    objective is infinite, and `price` is merely steep. Both are the greatest over multipliers
    with ``|τ|_1 <= price`` of ``cost + τ . disparities - allowance |τ|_1``.

    A `surcharge` is added to the cost of every label but the one that is cheapest for everyone.
    More rows then get that label, so that fewer pairs are in order and disparities vary less from
    sample to sample.
    """

    price: float
    allowance: float = 0.0
    hard: bool = False
    surcharge: float = 0.0

    def penalised(self, cost: Array | float, violation: Array | float) -> Array:
        """The objective, finite everywhere: for searches."""
        if self.price == 0:
            return np.asarray(cost)  # whether or not a violation is defined
        return np.asarray(cost + self.price * np.maximum(violation - self.allowance, 0.0))

    def value(self, cost: float, violation: float) -> float:
        """The objective."""
        if not self.hard:
            return float(self.penalised(cost, violation))
        return cost if violation <= self.allowance + ROUNDING else float("inf")

    def toll(self, multipliers: Array) -> float:
        """What the allowance is worth at these multipliers."""
        return self.allowance * float(np.abs(multipliers).sum())
