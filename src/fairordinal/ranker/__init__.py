"""Step 1 of the method: linear rankers from all pairs, from accurate to fair."""

from fairordinal.ranker._data import (
    Folds,
    Rows,
    choose_alpha,
    folds_of,
    pair_data,
    require_pairwise,
)
from fairordinal.ranker._features import Features
from fairordinal.ranker._gradient import PairwiseGradient, pairwise_gradient
from fairordinal.ranker._linear import (
    FairLinearRanker,
    fit_path,
    read_features,
    read_rows,
    warn_unconverged,
    ways_of,
)
from fairordinal.ranker._objective import Fit, PairData, Training
from fairordinal.ranker._paths import nothing

__all__ = [
    "FairLinearRanker",
    "Features",
    "Fit",
    "Folds",
    "PairData",
    "PairwiseGradient",
    "Rows",
    "Training",
    "choose_alpha",
    "fit_path",
    "folds_of",
    "nothing",
    "pair_data",
    "pairwise_gradient",
    "read_features",
    "read_rows",
    "require_pairwise",
    "warn_unconverged",
    "ways_of",
]
