"""A fingerprint of the content of columns, whatever library they came from."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

import numpy as np

from fairordinal.models._columns import Cells


def fingerprint(columns: Iterable[Cells]) -> str:
    """SHA-256 of the content of columns: names, cells, order of rows; not the order of columns.

    Numbers count by their value as a 64-bit float, text by its characters; a missing cell is one
    thing in every library.
    """
    total = hashlib.sha256()
    for column in sorted(columns, key=lambda column: column.name):
        total.update(_sized(column.name.encode(errors="surrogatepass")))
        total.update(_content(column))
    return total.hexdigest()


def _content(column: Cells) -> bytes:
    if column.texts is None:
        numbers = column.values + 0.0  # no negative zero
        numbers[np.isnan(numbers)] = np.nan  # of one kind
        return b"numbers" + _sized(numbers.astype("<f8").tobytes())
    texts = [_sized(text.encode(errors="surrogatepass")) for text in column.texts]
    return b"texts" + _sized(b"".join(texts)) + _sized(column.values.astype("<i8").tobytes())


def _sized(content: bytes) -> bytes:
    """Content behind its length, so that two never look like one."""
    return len(content).to_bytes(8, "little") + content
