"""Step 2 of the method: thresholds that make the scores of any model fair, with a certificate."""

from fairordinal.thresholds._entry import (
    optimize_thresholds,
    read_goal,
    read_scored,
    read_settings,
    solve,
    warn_unfinished,
)
from fairordinal.thresholds._result import ThresholdResult

__all__ = [
    "ThresholdResult",
    "optimize_thresholds",
    "read_goal",
    "read_scored",
    "read_settings",
    "solve",
    "warn_unfinished",
]
