r"""The threshold problem, on cumulative counts.

Scores take P distinct values, *positions*. A *cut* ``b`` in 0 … P has the b lowest of them below
it; thresholds are cuts ``b[1] <= … <= b[k-1]``, with ``b[0] = 0`` and ``b[k] = P``, and label l
is predicted between cuts l and l+1. With ``c(b)``, the weight of each cell below b, everything
is additive over single cuts and neighbouring cuts::

    cost        = base + sum_t gains[t, b_t]
    disparity_e = offsets[e] + sum_t (steps[e, t] . c(b_t) - c(b_t)' Q_e c(b_t))
                             + sum_t c(b_{t+1})' Q_e c(b_t)

(`Problem`). So at fixed multipliers τ the Lagrangian ``cost + sum_e τ_e disparity_e`` is a chain,
and its minimum a shortest path through cuts (`chain_bound`): a lower bound of the penalised
cost for each ``|τ|_1 <= λ`` (`Goal`).
"""

from fairordinal._cuts._chain import (
    ChainBound,
    Deadline,
    OutOfTimeError,
    chain_bound,
    cheapest_cuts,
)
from fairordinal._cuts._goal import Goal
from fairordinal._cuts._problem import (
    Notion,
    Problem,
    check_groups,
    cost_gains,
    quadratic,
    read_notion,
    read_problem,
    symmetric,
)
from fairordinal._cuts._windows import Windows

__all__ = [
    "ChainBound",
    "Deadline",
    "Goal",
    "Notion",
    "OutOfTimeError",
    "Problem",
    "Windows",
    "chain_bound",
    "cheapest_cuts",
    "check_groups",
    "cost_gains",
    "quadratic",
    "read_notion",
    "read_problem",
    "symmetric",
]
