"""Fair ordinal regression: audit any predictor of ordered labels for pairwise fairness."""

from fairordinal._audit import (
    Audit,
    Finding,
    assert_pairwise_fair,
    audit,
    audit_counts,
    rows_needed,
)

__version__ = "0.1.0"

__all__ = [
    "Audit",
    "Finding",
    "__version__",
    "assert_pairwise_fair",
    "audit",
    "audit_counts",
    "rows_needed",
]
