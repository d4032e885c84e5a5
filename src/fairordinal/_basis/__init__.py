"""Bases of rankers: columns made from features, and scores as functions of features.

=========  ==========================================================================
`_ramps`   linear functions of the features, clipped to [-1, 1]
`_score`   a score as a function of features, and the importances of columns for it
`_bases`   linear, piecewise, trees: which columns a ranker gets
=========  ==========================================================================
"""

from fairordinal._basis._bases import Basis, Linear, Piecewise, Trees, remembered
from fairordinal._basis._score import Score, importances

__all__ = ["Basis", "Linear", "Piecewise", "Score", "Trees", "importances", "remembered"]
