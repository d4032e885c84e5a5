"""Step 1 of the method: linear rankers, learned from all pairs of rows, from accurate to fair.

============== ======================================================================
`_inputs`      from the arguments of ``fit`` to rows
`_pairs`       rows and a criterion as weights of pairs of cells
`_objective`   what a ranker minimises, as a function of its coefficients
`_solver`      how it is minimised: L-BFGS in whitened coordinates
`_paths`       paths from accurate to fair; the strength of the l2 penalty
`_linear`      the ranker as an estimator
`_gradient`    the objective by scores, for other learners
============== ======================================================================
"""

from fairordinal.ranker._gradient import PairwiseGradient, pairwise_gradient
from fairordinal.ranker._inputs import lazy_features, read_features, read_rows
from fairordinal.ranker._linear import FairLinearRanker
from fairordinal.ranker._objective import Aim
from fairordinal.ranker._pairs import PairData, pair_data, require_pairwise, require_sorting
from fairordinal.ranker._paths import (
    ALPHAS,
    accuracies_by_alpha,
    accuracies_in_folds,
    fit_path,
    is_small,
    nothing,
    sample_of,
    ways_of,
)
from fairordinal.ranker._solver import Fit, Training, warn_unconverged

__all__ = [
    "ALPHAS",
    "Aim",
    "FairLinearRanker",
    "Fit",
    "PairData",
    "PairwiseGradient",
    "Training",
    "accuracies_by_alpha",
    "accuracies_in_folds",
    "fit_path",
    "is_small",
    "lazy_features",
    "nothing",
    "pair_data",
    "pairwise_gradient",
    "read_features",
    "read_rows",
    "require_pairwise",
    "require_sorting",
    "sample_of",
    "warn_unconverged",
    "ways_of",
]
