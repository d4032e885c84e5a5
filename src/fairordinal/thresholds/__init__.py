"""Step 2 of the method: thresholds that make the scores of any model fair, with a certificate."""

from fairordinal.thresholds._advice import warn_about
from fairordinal.thresholds._choice import (
    Chosen,
    Pool,
    ScorePool,
    choose,
    choose_from,
    judged_violation,
    no_less_fair,
    rivals,
)
from fairordinal.thresholds._cross_fit import (
    Candidate,
    Cut,
    Evaluation,
    HeldOutRows,
    solve_near,
    threshold_folds,
)
from fairordinal.thresholds._entry import (
    limited,
    midway,
    read_goal,
    read_settings,
    solve,
    warn_unfinished,
)
from fairordinal.thresholds._measured import Measured, cost_interval, expected, measured
from fairordinal.thresholds._optimism import Optimism, SimulatedSamples
from fairordinal.thresholds._optimize import optimize_thresholds
from fairordinal.thresholds._result import ThresholdResult
from fairordinal.thresholds._solve import Settings

__all__ = [
    "Candidate",
    "Chosen",
    "Cut",
    "Evaluation",
    "HeldOutRows",
    "Measured",
    "Optimism",
    "Pool",
    "ScorePool",
    "Settings",
    "SimulatedSamples",
    "ThresholdResult",
    "choose",
    "choose_from",
    "cost_interval",
    "expected",
    "judged_violation",
    "limited",
    "measured",
    "midway",
    "no_less_fair",
    "optimize_thresholds",
    "read_goal",
    "read_settings",
    "rivals",
    "solve",
    "solve_near",
    "threshold_folds",
    "warn_about",
    "warn_unfinished",
]
