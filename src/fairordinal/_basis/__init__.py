"""Bases of rankers: columns made from features, and scores as functions of features.

=============  ======================================================================
`_ramps`       logits of logistic regressions, clipped to [-1, 1]
`_score`       a score as a function of features, and the importances of columns for it
`_bases`       linear, piecewise, trees: which columns a ranker gets
`_leaf_ramps`  ramps of leaves of trees
=============  ======================================================================
"""

from fairordinal._basis._bases import Basis, Linear, Piecewise, Trees, remembered
from fairordinal._basis._leaf_ramps import LeafRamps
from fairordinal._basis._score import Score, importances

__all__ = [
    "Basis",
    "LeafRamps",
    "Linear",
    "Piecewise",
    "Score",
    "Trees",
    "importances",
    "remembered",
]
