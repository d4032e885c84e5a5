"""Reports for people who decide: one HTML file that needs nothing else.

They need ``pip install fairordinal[report]``.
"""

from fairordinal.report._compare import report_compare
from fairordinal.report._entry import report
from fairordinal.report._page import Report

__all__ = ["Report", "report", "report_compare"]
