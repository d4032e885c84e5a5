"""The whole trade-off between cost and fairness as an object: see it, and pick a model from it."""

from fairordinal.frontier._compare import ModelComparison, compare
from fairordinal.frontier._frontier import FairOrdinalFrontier
from fairordinal.frontier._point import FrontierPoint
from fairordinal.thresholds import Measured

__all__ = ["FairOrdinalFrontier", "FrontierPoint", "Measured", "ModelComparison", "compare"]
