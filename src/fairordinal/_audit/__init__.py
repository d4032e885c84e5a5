"""Audits: fairness criteria of given predictions, with intervals, text, HTML and frames."""

from fairordinal._audit._audit_result import Audit
from fairordinal._audit._disparities import Finding
from fairordinal._audit._from_counts import audit_counts
from fairordinal._audit._from_rows import DEFAULT_CRITERIA as DEFAULT_CRITERIA
from fairordinal._audit._from_rows import AuditOptions as AuditOptions
from fairordinal._audit._from_rows import audit
from fairordinal._audit._from_rows import audit_table as audit_table
from fairordinal._audit._notes import reading_in_words
from fairordinal._audit._small_groups import RULE as SMALL_GROUPS_RULE
from fairordinal._audit._testing import assert_pairwise_fair, rows_needed

__all__ = [
    "SMALL_GROUPS_RULE",
    "Audit",
    "Finding",
    "assert_pairwise_fair",
    "audit",
    "audit_counts",
    "reading_in_words",
    "rows_needed",
]
