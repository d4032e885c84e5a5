"""Out-of-core data: count the rows of an audit where they are stored.

An audit needs no rows, only how often each combination of group, true label and prediction occurs.
Rows of a lazy frame, a dataset on disk, a Dask cluster or a database are therefore counted by the
engine that holds them: every block of rows becomes a small table of counts, and tables are added
up. The result is a table of distinct rows with weights, which is audited like rows in memory.
"""

from fairordinal._lazy._arguments import AuditColumns, gather
from fairordinal._lazy._arrow import StreamTotals, keeps_dictionaries

__all__ = ["AuditColumns", "StreamTotals", "gather", "keeps_dictionaries"]
