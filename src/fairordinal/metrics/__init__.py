"""Metrics of fairness and cost, in the signature of scikit-learn and fairlearn."""

from fairordinal.metrics._consistency import consistency_score
from fairordinal.metrics._cost import margin_loss, mean_cost
from fairordinal.metrics._harm import conditional_harm_parity_difference, harm_parity_difference
from fairordinal.metrics._measure import PairMatrix
from fairordinal.metrics._pairwise import (
    pairwise_demographic_parity_difference,
    pairwise_demographic_parity_matrix,
    pairwise_equal_opportunity_difference,
    pairwise_equal_opportunity_matrix,
    pairwise_equalized_odds_difference,
    pairwise_equalized_odds_matrix,
)
from fairordinal.metrics._standard import (
    standard_demographic_parity_difference,
    standard_equal_opportunity_difference,
    standard_equalized_odds_difference,
)

__all__ = [
    "PairMatrix",
    "conditional_harm_parity_difference",
    "consistency_score",
    "harm_parity_difference",
    "margin_loss",
    "mean_cost",
    "pairwise_demographic_parity_difference",
    "pairwise_demographic_parity_matrix",
    "pairwise_equal_opportunity_difference",
    "pairwise_equal_opportunity_matrix",
    "pairwise_equalized_odds_difference",
    "pairwise_equalized_odds_matrix",
    "standard_demographic_parity_difference",
    "standard_equal_opportunity_difference",
    "standard_equalized_odds_difference",
]
