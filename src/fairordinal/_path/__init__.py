"""Paths of rankers with thresholds: how they are learned, and which candidate to take.

A *path* is a list of rankers, ordered from accurate to fair. `_rankers` learns paths and makes
candidates of them, `_selection` finds the best candidate for a goal, or a whole frontier.
"""

from fairordinal._path._rankers import Plan, RankerPool, Trained, held_out_together
from fairordinal._path._selection import (
    best_by_basis,
    choose_on_path,
    fill,
    is_wide,
    non_dominated,
)

__all__ = [
    "Plan",
    "RankerPool",
    "Trained",
    "best_by_basis",
    "choose_on_path",
    "fill",
    "held_out_together",
    "is_wide",
    "non_dominated",
]
