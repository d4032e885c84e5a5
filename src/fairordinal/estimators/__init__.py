"""Estimators of ordered labels that are fair between groups, for scikit-learn.

Names that are not in `__all__` are for other packages of this library.
"""

from fairordinal.estimators._base import DEFAULT_LIMIT as DEFAULT_LIMIT
from fairordinal.estimators._base import GroupedScoreMixin as GroupedScoreMixin
from fairordinal.estimators._base import NamedFeaturesMixin as NamedFeaturesMixin
from fairordinal.estimators._base import RankerPathEstimator as RankerPathEstimator
from fairordinal.estimators._base import WrapperMixin as WrapperMixin
from fairordinal.estimators._base import plain_array as plain_array
from fairordinal.estimators._ordinal import ChosenModel as ChosenModel
from fairordinal.estimators._ordinal import FairOrdinalClassifier
from fairordinal.estimators._ordinal import describe_basis as describe_basis
from fairordinal.estimators._scores import learned_labels as learned_labels
from fairordinal.estimators._threshold import FairThresholdClassifier
from fairordinal.estimators._threshold import score_pool as score_pool

__all__ = ["FairOrdinalClassifier", "FairThresholdClassifier"]
