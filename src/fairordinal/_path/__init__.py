"""Rankers × thresholds: what each pair of them reaches, and which promises most for new rows."""

from fairordinal._path._choice import (
    choose,
    choose_closely,
    cost_interval,
    violation_interval,
    warn_unless_kept,
)
from fairordinal._path._fill import fill, is_hole, non_dominated
from fairordinal._path._plan import Plan
from fairordinal._path._pool import Candidate, Pool, Trained

__all__ = [
    "Candidate",
    "Plan",
    "Pool",
    "Trained",
    "choose",
    "choose_closely",
    "cost_interval",
    "fill",
    "is_hole",
    "non_dominated",
    "violation_interval",
    "warn_unless_kept",
]
