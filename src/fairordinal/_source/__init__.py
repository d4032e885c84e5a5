"""Tables in files — CSV, TSV, Parquet, Arrow — read by column, or counted in a stream.

Needs pyarrow (``pip install fairordinal[files]``), which is imported when a file is opened.
"""

from fairordinal._source._counts import Counts, count_rows
from fairordinal._source._kind import STANDARD_INPUT
from fairordinal._source._labels import LabelOrder, labels_in, order_of, read_labels
from fairordinal._source._missing import MISSING, MissingCells, listed, missing_cells
from fairordinal._source._open import Source, open_source
from fairordinal._source._values import Cells, read_names, read_values

__all__ = [
    "MISSING",
    "STANDARD_INPUT",
    "Cells",
    "Counts",
    "LabelOrder",
    "MissingCells",
    "Source",
    "count_rows",
    "labels_in",
    "listed",
    "missing_cells",
    "open_source",
    "order_of",
    "read_labels",
    "read_names",
    "read_values",
]
