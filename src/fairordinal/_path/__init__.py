"""Rankers × thresholds: what each pair of them reaches, and which promises most for new rows."""

from fairordinal._path._choice import choose, cost_interval, violation_interval
from fairordinal._path._plan import Plan
from fairordinal._path._pool import Candidate, Pool

__all__ = [
    "Candidate",
    "Plan",
    "Pool",
    "choose",
    "cost_interval",
    "violation_interval",
]
