"""What a search for thresholds minimises, how long it may take, and what it returns.

Thresholds minimise the mean cost with a weight λ on the violation (the penalised form), or the mean
cost with a limit ε to the violation (the constrained form). Both are one problem (`Goal`)::

    min over cuts of  cost + λ · max(violation - ε, 0)

with ε = 0 in the penalised form, and λ so large that it is never worth exceeding ε in the other.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from fairordinal._costs import cost_unit
from fairordinal._validation import Array, check_choice, check_number, check_whole

METHODS = ("certified", "local_search", "exact", "cost_only")
ROUNDING = 1e-12  # by so much a violation may exceed its limit
STEEP = 1e4  # penalty of a violation beyond a limit, relative to the largest cost
MOST = float(np.finfo(np.float64).max)


class Goal(NamedTuple):
    """Minimise ``cost + λ · max(violation - limit, 0)``.

    A goal is stated before the data are read (`read_goal`, `limited`), with a relative `penalty`:
    λ'/(1-λ') for a trade-off λ', or `STEEP` for a limit. Searches need λ itself, which is this
    penalty times the number of labels k, or times the largest cost if the goal is `hard`.
    `at_costs` returns the goal with ``penalty = λ``, and is the only place where k enters. A
    candidate has the goal as stated, a `ThresholdResult` the one with λ.

    A `hard` goal is the constrained form: the objective is infinite beyond the limit. Its λ is only
    large, so that searches may pass through cuts that exceed the limit a little. By duality, either
    form is the maximum of ``cost + τ . disparities - limit · |τ|_1`` over the multipliers τ with
    ``|τ|_1 <= λ``.

    A `surcharge` is added to the cost of every label but the best constant one. More rows then get
    that label, so that fewer pairs are in order and disparities vary less from sample to sample.
    """

    penalty: float
    limit: float = 0.0
    hard: bool = False
    surcharge: float = 0.0

    def at_costs(self, cost: Array, unit: float = 1.0) -> Goal:
        """The goal with λ as its penalty, for a cost matrix in units of `unit`."""
        factor = max(float(cost.max()), 1.0) if self.hard else len(cost) / unit
        return self._replace(penalty=min(self.penalty * factor, MOST))

    def penalised(self, cost: Array | float, violation: Array | float) -> Array:
        """The objective with a finite λ, also beyond a hard limit: for searches."""
        if self.penalty == 0:
            return np.asarray(cost)  # also where the violation is undefined (nan)
        return np.asarray(cost + self.penalty * np.maximum(violation - self.limit, 0.0))

    def value(self, cost: float, violation: float) -> float:
        """The objective: infinite beyond a hard limit."""
        if not self.hard:
            return float(self.penalised(cost, violation))
        return cost if violation <= self.limit + ROUNDING else float("inf")

    def limit_term(self, multipliers: Array) -> float:
        """``limit · |τ|_1``, which is subtracted from the Lagrangian at multipliers τ."""
        return self.limit * float(np.abs(multipliers).sum())


def limited(limit: float) -> Goal:
    """The goal of least cost within a limit to the violation."""
    return Goal(STEEP, limit, hard=True)


def read_goal(
    trade_off: Any, max_violation: Any, method: str, *, default_limit: float | None = None
) -> Goal:
    """Check the parameters of users, and make a goal of them."""
    check_choice(method, "method", METHODS)
    if trade_off is None and max_violation is None:
        max_violation = default_limit if method != "cost_only" else None
    if method == "cost_only":
        if trade_off is not None or max_violation is not None:
            raise ValueError(
                "method='cost_only' ignores fairness. Leave out trade_off and max_violation, or "
                "choose another method."
            )
        return Goal(0.0)
    if (trade_off is None) == (max_violation is None):
        raise ValueError(
            "Give either trade_off (the weight of the violation, in [0, 1)) or max_violation (the "
            f"largest violation allowed), got trade_off={trade_off!r} and "
            f"max_violation={max_violation!r}."
        )
    if trade_off is not None:
        share = check_number(trade_off, "trade_off", least=0.0, below=1.0)
        return Goal(share / (1.0 - share))
    return limited(check_number(max_violation, "max_violation"))


def search_unit(cost: Array) -> float:
    """The unit of costs in a search: a power of two for very large costs, otherwise 1."""
    return max(cost_unit(cost), 1.0)


class OutOfTimeError(Exception):
    """The deadline has passed."""


@dataclass(frozen=True)
class Deadline:
    """A moment of the monotonic clock after which a search stops."""

    moment: float = float("inf")

    def check(self) -> None:
        if time.monotonic() > self.moment:
            raise OutOfTimeError


class Settings(NamedTuple):
    """When a search stops, and from where it starts."""

    tol: float
    deadline: Deadline
    n_restarts: int
    random_state: Any
    known: Array | None = None  # cuts that are known to be good
    most_bounds: float = float("inf")  # unlike a deadline, this gives equal results everywhere


def read_settings(tol: Any, max_time: Any, n_restarts: Any, random_state: Any) -> Settings:
    """Check the parameters of users; the time begins to run."""
    seconds = float("inf") if max_time is None else check_number(max_time, "max_time")
    return Settings(
        tol=check_number(tol, "tol"),
        deadline=Deadline(time.monotonic() + seconds),
        n_restarts=check_whole(n_restarts, "n_restarts", least=0),
        random_state=random_state,
    )


class Solution(NamedTuple):
    """Cuts, a lower bound of the objective of any cuts, and how they were found."""

    cuts: Array
    lower_bound: float
    n_iter: int
    stopped_by: str = ""  # "max_time", "max_bounds" or "interrupt" if the search was cut short
