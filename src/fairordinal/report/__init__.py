"""Reports for decision makers: one self-contained HTML file.

They need ``pip install fairordinal[report]``.
"""

from fairordinal.report._compare import report_compare
from fairordinal.report._page import Report
from fairordinal.report._report import report

__all__ = ["Report", "report", "report_compare"]
