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
`_optimism`            how optimistic estimates of candidates and of the best one are
`_choice`              which candidate to take
`_candidates`          pools of candidates, and the search among them
`_optimize`            `optimize_thresholds`
=====================  =========================================================================

Names that are not in `__all__` are for other packages of this library.
"""

from fairordinal.thresholds._candidates import Pool as Pool
from fairordinal.thresholds._candidates import ScorePool as ScorePool
from fairordinal.thresholds._candidates import choose_from as choose_from
from fairordinal.thresholds._choice import Chosen as Chosen
from fairordinal.thresholds._choice import choose as choose
from fairordinal.thresholds._choice import no_less_fair as no_less_fair
from fairordinal.thresholds._choice import rivals as rivals
from fairordinal.thresholds._choice import warn_about as warn_about
from fairordinal.thresholds._cross_fit import Candidate as Candidate
from fairordinal.thresholds._cross_fit import Cut as Cut
from fairordinal.thresholds._cross_fit import HeldOutRows as HeldOutRows
from fairordinal.thresholds._cross_fit import solve_near as solve_near
from fairordinal.thresholds._cross_fit import threshold_folds as threshold_folds
from fairordinal.thresholds._evaluation import Evaluation as Evaluation
from fairordinal.thresholds._evaluation import Measured as Measured
from fairordinal.thresholds._evaluation import measured as measured
from fairordinal.thresholds._goal import Goal as Goal
from fairordinal.thresholds._goal import Settings as Settings
from fairordinal.thresholds._goal import limited as limited
from fairordinal.thresholds._goal import read_goal as read_goal
from fairordinal.thresholds._goal import read_settings as read_settings
from fairordinal.thresholds._optimism import Optimism as Optimism
from fairordinal.thresholds._optimism import SimulatedSamples as SimulatedSamples
from fairordinal.thresholds._optimism import expected as expected
from fairordinal.thresholds._optimize import optimize_thresholds
from fairordinal.thresholds._problem import check_groups as check_groups
from fairordinal.thresholds._result import ThresholdResult
from fairordinal.thresholds._result_text import as_text as as_text
from fairordinal.thresholds._solve import solve as solve
from fairordinal.thresholds._solve import warn_unfinished as warn_unfinished

__all__ = ["ThresholdResult", "optimize_thresholds"]
