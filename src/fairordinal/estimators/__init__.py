"""What users fit: scikit-learn estimators of ordered labels."""

from fairordinal.estimators._learning import learn, settle
from fairordinal.estimators._ordinal import FairOrdinalClassifier
from fairordinal.estimators._response import DEFAULT_LIMIT, learned_labels, plain_array
from fairordinal.estimators._threshold import FairThresholdClassifier, expect

__all__ = [
    "DEFAULT_LIMIT",
    "FairOrdinalClassifier",
    "FairThresholdClassifier",
    "expect",
    "learn",
    "learned_labels",
    "plain_array",
    "settle",
]
