"""Rows to learn from, in memory or in blocks of Dask.

A pass over rows calls a function of each block of rows that returns a small table — a histogram, a
sum of rows, a count of predictions — and adds up the tables. Code that uses `Rows` by passes never
holds more than a block of them in memory.

==================== ================================================================
`_features`          standardised features without a copy of them
`_folds`             folds and samples of rows
`_block`             the interface `Rows`, and rows in memory
`_dask`              rows in blocks of Dask, and passes over them
`_dask_collections`  from Dask collections to rows, and functions of collections
`_scores`            scores counted by cell, and aligned between fits
==================== ================================================================
"""

from fairordinal._rows._block import Block, Rows
from fairordinal._rows._dask import on_site
from fairordinal._rows._dask_collections import (
    first_rows,
    lazily,
    lazy_table,
    read_partitions,
)
from fairordinal._rows._features import Features, linear_scores
from fairordinal._rows._folds import (
    Folds,
    check_folds,
    fold_numbers,
    folds_of,
    held_out_once,
    seed_of,
)
from fairordinal._rows._scores import align, counted_scores, distinct_scores, score_table

__all__ = [
    "Block",
    "Features",
    "Folds",
    "Rows",
    "align",
    "check_folds",
    "counted_scores",
    "distinct_scores",
    "first_rows",
    "fold_numbers",
    "folds_of",
    "held_out_once",
    "lazily",
    "lazy_table",
    "linear_scores",
    "on_site",
    "read_partitions",
    "score_table",
    "seed_of",
]
