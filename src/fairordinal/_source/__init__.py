"""Read tables from files: CSV, TSV, Excel, Parquet and Arrow, as columns or counts of equal rows.

Needs pyarrow, and python-calamine for Excel files (``pip install fairordinal[files]``); both are
imported when a file is opened.
Messages name options of the command line, which is the only user of this package.
"""

from fairordinal._source._cells import (
    MISSING,
    ColumnValues,
    LabelOrder,
    MissingCells,
    count_missing,
    describe_missing,
    order_of,
    read_labels,
    read_names,
    read_values,
    split_labels,
)
from fairordinal._source._format import STANDARD_INPUT, open_table
from fairordinal._source._table_file import (
    LEADING_ZERO,
    CountColumn,
    TableFile,
    count_rows,
    read_counts,
)

__all__ = [
    "LEADING_ZERO",
    "MISSING",
    "STANDARD_INPUT",
    "ColumnValues",
    "CountColumn",
    "LabelOrder",
    "MissingCells",
    "TableFile",
    "count_missing",
    "count_rows",
    "describe_missing",
    "open_table",
    "order_of",
    "read_counts",
    "read_labels",
    "read_names",
    "read_values",
    "split_labels",
]
