"""Rows to learn from, in memory or in blocks elsewhere: every pass adds up small tables.

A pass is a function of a block of rows that returns a small table — a histogram, a sum of rows, a
count of predictions — and the tables of all blocks are added up. `Block` is rows in memory.
Whoever learns from `Rows` cannot tell where they are, and never holds more of them than a block.
"""

from fairordinal._rows._block import Block
from fairordinal._rows._dask import on_site
from fairordinal._rows._features import Features, linear_scores
from fairordinal._rows._folds import (
    Folds,
    check_folds,
    fold_numbers,
    folds_of,
    held_out_once,
    seed_of,
)
from fairordinal._rows._lazily import first_rows, lazily
from fairordinal._rows._partitions import read_partitions
from fairordinal._rows._rows import Rows
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
    "linear_scores",
    "on_site",
    "read_partitions",
    "score_table",
    "seed_of",
]
