"""Cells that are treated alike can be counted together."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fairordinal._validation import Array


class Alike(NamedTuple):
    """Things that are alike are of one kind."""

    kinds: Array  # of each thing
    first: Array  # a thing of each kind


def alike(things: Array) -> Alike:
    """Kinds of equal entries along the first axis."""
    known: dict[bytes, int] = {}
    kinds: list[int] = []
    first: list[int] = []
    for i, thing in enumerate(things + 0.0):  # without -0
        kind = known.setdefault(thing.tobytes(), len(known))
        if kind == len(first):
            first.append(i)
        kinds.append(kind)
    return Alike(np.array(kinds, dtype=np.intp), np.array(first, dtype=np.intp))
