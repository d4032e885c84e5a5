"""Fair thresholds for scores, with a certificate: step 2 of the method.

From the problem to the public function, each module uses those above it:

=====================  =========================================================================
`_goal`                what is minimised, and when a search stops
`_problem`             cost and disparities as functions of cuts
`_lower_bound`         lower bounds by shortest paths through windows
`_multipliers`         the multipliers of the highest bound
`_local_search`        good cuts without a proof, for one goal or several
`_branch_and_bound`    the best cuts, with a proof
`_group_aware`         cuts for each group
`_solve`               from a table of scores to a `ThresholdResult`
`_evaluation`          cost and violation of predictions, with intervals
`_cross_fit`           candidates: thresholds with estimates for new rows
`_smoothing`           similar candidates share estimates
`_optimism`            how much the best of many candidates is overestimated
`_choice`              which candidate to take
`_candidates`          pools of candidates, and the search among them
`_optimize`            `optimize_thresholds`
=====================  =========================================================================
"""

from fairordinal.thresholds._candidates import Pool, ScorePool, choose_from
from fairordinal.thresholds._choice import (
    Chosen,
    choose,
    no_less_fair,
    rivals,
    warn_about,
)
from fairordinal.thresholds._cross_fit import (
    Candidate,
    Cut,
    HeldOutRows,
    solve_near,
    threshold_folds,
)
from fairordinal.thresholds._evaluation import Evaluation, Measured, measured
from fairordinal.thresholds._goal import Goal, Settings, limited, read_goal, read_settings
from fairordinal.thresholds._optimism import Optimism, SimulatedSamples, expected
from fairordinal.thresholds._optimize import optimize_thresholds
from fairordinal.thresholds._problem import check_groups
from fairordinal.thresholds._result import ThresholdResult
from fairordinal.thresholds._solve import solve, warn_unfinished

__all__ = [
    "Candidate",
    "Chosen",
    "Cut",
    "Evaluation",
    "Goal",
    "HeldOutRows",
    "Measured",
    "Optimism",
    "Pool",
    "ScorePool",
    "Settings",
    "SimulatedSamples",
    "ThresholdResult",
    "check_groups",
    "choose",
    "choose_from",
    "expected",
    "limited",
    "measured",
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
