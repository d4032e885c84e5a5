"""Baselines with the interface of the fair estimators.

The paper's baselines: the best constant label, proportional odds, random mixtures of the two, and
one step of the method without the other. The methods of ORCA by name. Competitors from fair
regression (Wasserstein barycentres) and fair classification (LinearPost, binary methods).
"""

from fairordinal.baselines._ablations import fair_ranker_only, fair_thresholds_only
from fairordinal.baselines._constant import ConstantClassifier
from fairordinal.baselines._decompositions import (
    CumulativeClassifier,
    HierarchicalClassifier,
    OrderedPartitionsClassifier,
    ProjectionEnsembleClassifier,
)
from fairordinal.baselines._linear_post import LinearPostClassifier
from fairordinal.baselines._mixture import PAPER_PROBABILITIES, RandomizedMixtureClassifier
from fairordinal.baselines._mixture import mix_tables as mix_tables
from fairordinal.baselines._orca import ORCA_GRIDS, make_orca, orca_methods
from fairordinal.baselines._proportional_odds import ProportionalOddsClassifier
from fairordinal.baselines._wasserstein import WassersteinFairClassifier

__all__ = [
    "ORCA_GRIDS",
    "PAPER_PROBABILITIES",
    "ConstantClassifier",
    "CumulativeClassifier",
    "HierarchicalClassifier",
    "LinearPostClassifier",
    "OrderedPartitionsClassifier",
    "ProjectionEnsembleClassifier",
    "ProportionalOddsClassifier",
    "RandomizedMixtureClassifier",
    "WassersteinFairClassifier",
    "fair_ranker_only",
    "fair_thresholds_only",
    "make_orca",
    "orca_methods",
]
