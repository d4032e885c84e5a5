"""Metrics of fairness and cost, with signatures like those of scikit-learn and fairlearn.

* ``pairwise_*``: criteria about pairs of samples, which use the order of the labels;
* ``harm_*`` and ``standard_*``: criteria about single samples;
* `mean_cost`, `margin_loss` and `consistency_score` need no groups;
* `make_cost_scorer` makes a scorer of scikit-learn from the mean cost.
"""

from fairordinal.metrics._pairwise import (
    pairwise_demographic_parity_difference,
    pairwise_demographic_parity_matrix,
    pairwise_equal_opportunity_difference,
    pairwise_equal_opportunity_matrix,
    pairwise_equalized_odds_difference,
    pairwise_equalized_odds_matrix,
)
from fairordinal.metrics._sample import (
    conditional_harm_parity_difference,
    harm_parity_difference,
    standard_demographic_parity_difference,
    standard_equal_opportunity_difference,
    standard_equalized_odds_difference,
)
from fairordinal.metrics._violation import PairMatrix
from fairordinal.metrics._without_groups import (
    consistency_score,
    make_cost_scorer,
    margin_loss,
    mean_cost,
)

__all__ = [
    "PairMatrix",
    "conditional_harm_parity_difference",
    "consistency_score",
    "harm_parity_difference",
    "make_cost_scorer",
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
