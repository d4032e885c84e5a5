"""Step 1 of the method: linear rankers from all pairs, from accurate to fair."""

from fairordinal.ranker._data import (
    ALPHAS,
    accuracies_by_alpha,
    accuracies_in_folds,
    is_small,
    pair_data,
    require_pairwise,
    require_sorting,
    sample_of,
)
from fairordinal.ranker._gradient import PairwiseGradient, pairwise_gradient
from fairordinal.ranker._linear import (
    FairLinearRanker,
    fit_path,
    lazy_features,
    read_features,
    read_rows,
    warn_unconverged,
    ways_of,
)
from fairordinal.ranker._objective import Aim, Fit, PairData, Training
from fairordinal.ranker._paths import nothing

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
