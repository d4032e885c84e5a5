"""Audits: from rows or counts to findings, with intervals, text and frames."""

from fairordinal._audit._entry import audit, audit_counts
from fairordinal._audit._finding import Finding, find
from fairordinal._audit._guards import assert_pairwise_fair, rows_needed
from fairordinal._audit._result import Audit

__all__ = [
    "Audit",
    "Finding",
    "assert_pairwise_fair",
    "audit",
    "audit_counts",
    "find",
    "rows_needed",
]
