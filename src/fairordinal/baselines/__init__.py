"""Predictors to compare with."""

from fairordinal.baselines._constant import ConstantClassifier
from fairordinal.baselines._proportional_odds import ProportionalOddsClassifier

__all__ = ["ConstantClassifier", "ProportionalOddsClassifier"]
