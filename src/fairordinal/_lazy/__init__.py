"""Rows that stay where they are: counted by whoever holds them.

An audit needs no rows, only how often each combination of group, true label and prediction
occurs. So frames that are lazy, on disk, in a cluster or in a database count for themselves —
every block of rows becomes a small table, and small tables are added up — and what comes back
are distinct rows with their weight, which take the same way as rows in memory.
"""

from fairordinal._lazy._arrow import keeps_dictionaries
from fairordinal._lazy._gather import Rows, gather

__all__ = ["Rows", "gather", "keeps_dictionaries"]
