"""Predictors to compare with, fitted as the fair ones are.

The best constant label and proportional odds, the two ends of the paper's plots; coins between
them; one step of the method without the other; the methods of ORCA by name; and competitors from
fair regression (Wasserstein barycentres) and fair classification (LinearPost, binary methods).
"""

from fairordinal.baselines._ablations import fair_ranker_only, fair_thresholds_only
from fairordinal.baselines._constant import ConstantClassifier
from fairordinal.baselines._cumulative import CumulativeClassifier
from fairordinal.baselines._decompositions import (
    HierarchicalClassifier,
    OrderedPartitionsClassifier,
    ProjectionEnsembleClassifier,
)
from fairordinal.baselines._linear_post import LinearPostClassifier
from fairordinal.baselines._mixture import PAPER_PROBABILITIES, RandomizedMixtureClassifier
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
