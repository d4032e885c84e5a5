"""Rankers × thresholds: what each pair of them reaches, and which promises most for new rows."""

from fairordinal._path._choice import (
    around_mean,
    choose,
    choose_closely,
    cost_interval,
    found_in,
    violation_interval,
    warn_unless_kept,
)
from fairordinal._path._fill import fill, is_hole, non_dominated
from fairordinal._path._plan import Plan
from fairordinal._path._pool import Candidate, Pool, Trained, mean_cost

__all__ = [
    "Candidate",
    "Plan",
    "Pool",
    "Trained",
    "around_mean",
    "choose",
    "choose_closely",
    "cost_interval",
    "fill",
    "found_in",
    "is_hole",
    "mean_cost",
    "non_dominated",
    "violation_interval",
    "warn_unless_kept",
]
