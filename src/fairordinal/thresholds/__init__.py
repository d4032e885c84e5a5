"""Step 2 of the method: thresholds that make the scores of any model fair, with a certificate."""

from fairordinal.thresholds._entry import (
    midway,
    optimize_thresholds,
    read_goal,
    read_scored,
    read_settings,
    solve,
    warn_unfinished,
)
from fairordinal.thresholds._result import ThresholdResult
from fairordinal.thresholds._rough import RoughCut, most_proving_bounds, rough_cuts

__all__ = [
    "RoughCut",
    "ThresholdResult",
    "midway",
    "most_proving_bounds",
    "optimize_thresholds",
    "read_goal",
    "read_scored",
    "read_settings",
    "rough_cuts",
    "solve",
    "warn_unfinished",
]
