"""Estimators of ordered labels that are fair between groups, for scikit-learn."""

from fairordinal.estimators._base import (
    DEFAULT_LIMIT,
    GroupedScoreMixin,
    RankerPathEstimator,
    plain_array,
)
from fairordinal.estimators._ordinal import ChosenModel, FairOrdinalClassifier, describe_basis
from fairordinal.estimators._scores import learned_labels
from fairordinal.estimators._threshold import FairThresholdClassifier

__all__ = [
    "DEFAULT_LIMIT",
    "ChosenModel",
    "FairOrdinalClassifier",
    "FairThresholdClassifier",
    "GroupedScoreMixin",
    "RankerPathEstimator",
    "describe_basis",
    "learned_labels",
    "plain_array",
]
