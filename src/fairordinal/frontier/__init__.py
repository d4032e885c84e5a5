"""The Pareto frontier of cost and violation, and comparisons of models."""

from fairordinal.frontier._comparison import ModelComparison, compare
from fairordinal.frontier._frontier import FairOrdinalFrontier
from fairordinal.frontier._point import FrontierPoint
from fairordinal.frontier._point import farthest_from_chord as farthest_from_chord
from fairordinal.frontier._point import frontier_text as frontier_text
from fairordinal.frontier._point import price_of_fairness as price_of_fairness
from fairordinal.frontier._point import readable_holes as readable_holes
from fairordinal.thresholds import Measured

__all__ = ["FairOrdinalFrontier", "FrontierPoint", "Measured", "ModelComparison", "compare"]
