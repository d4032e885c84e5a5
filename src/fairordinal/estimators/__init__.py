"""What users fit: scikit-learn estimators of ordered labels."""

from fairordinal.estimators._learning import expect, learn, learn_thresholds, settle
from fairordinal.estimators._ordinal import FairOrdinalClassifier
from fairordinal.estimators._response import DEFAULT_LIMIT, learned_labels, plain_array
from fairordinal.estimators._threshold import FairThresholdClassifier

__all__ = [
    "DEFAULT_LIMIT",
    "FairOrdinalClassifier",
    "FairThresholdClassifier",
    "expect",
    "learn",
    "learn_thresholds",
    "learned_labels",
    "plain_array",
    "settle",
]
