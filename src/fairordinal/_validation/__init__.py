"""Read and check the arguments that users pass.

Every public function reads its rows here, once. A column may be a list, a NumPy array, or a series
of pandas, polars or pyarrow; it becomes integer codes of ordered levels. All messages about rows
are written in this package. Each says which argument is wrong, what was expected, what was passed
(value and row), and what to do.
"""

from fairordinal._validation._checks import (
    check_choice,
    check_fraction,
    check_number,
    check_share,
    check_sizes,
    check_whole,
    listed,
    warn_misaligned,
)
from fairordinal._validation._codes import (
    Coded,
    check_same_length,
    encode,
    read_groups,
    row_blocks,
)
from fairordinal._validation._columns import (
    Array,
    Column,
    RowError,
    is_dask,
    is_number,
    read_column,
    stack,
)
from fairordinal._validation._labels import READINGS, are_labels, check_complete, order_labels
from fairordinal._validation._models import labels_of, predictions_of, shared_labels
from fairordinal._validation._samples import (
    WEIGHTS,
    Samples,
    Weight,
    check_weight,
    read_samples,
    read_scores,
    read_target,
    read_weight,
    relative_weight,
    survey_weight,
    weight_of_one_row,
    weight_range,
)

__all__ = [
    "READINGS",
    "WEIGHTS",
    "Array",
    "Coded",
    "Column",
    "RowError",
    "Samples",
    "Weight",
    "are_labels",
    "check_choice",
    "check_complete",
    "check_fraction",
    "check_number",
    "check_same_length",
    "check_share",
    "check_sizes",
    "check_weight",
    "check_whole",
    "encode",
    "is_dask",
    "is_number",
    "labels_of",
    "listed",
    "order_labels",
    "predictions_of",
    "read_column",
    "read_groups",
    "read_samples",
    "read_scores",
    "read_target",
    "read_weight",
    "relative_weight",
    "row_blocks",
    "shared_labels",
    "stack",
    "survey_weight",
    "warn_misaligned",
    "weight_of_one_row",
    "weight_range",
]
