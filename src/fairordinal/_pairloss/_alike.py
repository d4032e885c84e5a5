"""Cells that are treated alike can be counted together."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import NamedTuple

import numpy as np
from scipy import sparse

from fairordinal._validation import Array


class Alike(NamedTuple):
    """Things that are alike are of one kind."""

    kinds: Array  # of each thing
    first: Array  # a thing of each kind


def alike(things: Array) -> Alike:
    """Kinds of equal entries along the first axis."""
    return _kinds_of(thing.tobytes() for thing in things + 0.0)  # without -0


def alike_rows(*tables: sparse.csr_array) -> Alike:
    """Kinds of rows that are equal in each of some tables without stored zeros."""
    for table in tables:
        table.sort_indices()
    return _kinds_of(
        tuple(_bytes_of(table, row) for table in tables) for row in range(tables[0].shape[0])
    )


def _bytes_of(table: sparse.csr_array, row: int) -> tuple[bytes, bytes]:
    at = slice(table.indptr[row], table.indptr[row + 1])
    return table.indices[at].tobytes(), table.data[at].tobytes()


def _kinds_of(things: Iterable[Hashable]) -> Alike:
    known: dict[Hashable, int] = {}
    kinds: list[int] = []
    first: list[int] = []
    for i, thing in enumerate(things):
        kind = known.setdefault(thing, len(known))
        if kind == len(first):
            first.append(i)
        kinds.append(kind)
    return Alike(np.array(kinds, dtype=np.intp), np.array(first, dtype=np.intp))
