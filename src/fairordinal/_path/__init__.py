"""A path of rankers, each with thresholds: candidates, and which of them to take."""

from fairordinal._path._choose import best_by_basis, choose_on_path
from fairordinal._path._front import fill, is_wide, non_dominated
from fairordinal._path._plan import Plan, held_out_together
from fairordinal._path._rankers import RankerPool, Trained

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
