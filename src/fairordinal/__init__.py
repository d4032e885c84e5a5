"""Fair ordinal regression: audit predictors of ordered labels, and repair their thresholds."""

from fairordinal._audit import (
    Audit,
    Finding,
    assert_pairwise_fair,
    audit,
    audit_counts,
    rows_needed,
)
from fairordinal._progress import show_progress
from fairordinal.estimators import FairOrdinalClassifier, FairThresholdClassifier
from fairordinal.frontier import FairOrdinalFrontier, compare
from fairordinal.thresholds import ThresholdResult, optimize_thresholds

__version__ = "0.1.0"

__all__ = [
    "Audit",
    "FairOrdinalClassifier",
    "FairOrdinalFrontier",
    "FairThresholdClassifier",
    "Finding",
    "ThresholdResult",
    "__version__",
    "assert_pairwise_fair",
    "audit",
    "audit_counts",
    "compare",
    "optimize_thresholds",
    "rows_needed",
    "show_progress",
]
