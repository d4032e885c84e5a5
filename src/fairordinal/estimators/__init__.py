"""What users fit: scikit-learn estimators of ordered labels."""

from fairordinal.estimators._learning import describe_basis, learn, settle
from fairordinal.estimators._ordinal import FairOrdinalClassifier
from fairordinal.estimators._response import (
    DEFAULT_LIMIT,
    GroupedScoreMixin,
    learned_labels,
    plain_array,
)
from fairordinal.estimators._threshold import FairThresholdClassifier, expect

__all__ = [
    "DEFAULT_LIMIT",
    "FairOrdinalClassifier",
    "FairThresholdClassifier",
    "GroupedScoreMixin",
    "describe_basis",
    "expect",
    "learn",
    "learned_labels",
    "plain_array",
    "settle",
]
