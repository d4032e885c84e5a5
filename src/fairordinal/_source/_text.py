"""The text of a CSV as pyarrow reads it: blocks of UTF-8 in which no quote swallows rows.

pyarrow reads a quote that is never closed as one cell up to the end of the file, without a
message. `TextStream` stands between the file and pyarrow and follows the quotes by the rules that
pyarrow, pandas and Python's csv module share: a quote opens a cell if it is the cell's first
character, and is text elsewhere; a doubled quote in a quoted cell is text.
"""

from __future__ import annotations

import codecs
import csv
import io
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

BLOCK = 1 << 22  # bytes that are read at once
QUOTE, LINE_END = ord('"'), ord("\n")
NO_TEXT = "it is no text, or damaged"


class Layout(NamedTuple):
    """A CSV and how its text is written."""

    path: Path
    encoding: str = "utf8"
    separator: str = ","


class TextStream(io.RawIOBase):
    """UTF-8 without a byte order mark, for pyarrow to read; bytes of value 0 are refused.

    `check` refuses a text in which a quote swallowed rows.
    """

    def __init__(self, layout: Layout, *, checked: bool = True) -> None:
        import pyarrow as pa

        self._layout, self._checked = layout, checked
        self._file = pa.input_stream(str(layout.path), compression="detect")
        self._decoder = _decoder(layout.encoding, "strict" if checked else "replace")
        self._size, self._lines = 0, 0
        self._last = b""  # the last line so far, or the last few
        self._has_quotes = self._has_returns = False

    def readable(self) -> bool:
        """Return True."""
        return True

    def close(self) -> None:
        """Close the file."""
        self._file.close()
        super().close()

    def read(self, size: int = BLOCK, /) -> bytes:
        """Return at most `size` bytes; none at the end of the file."""
        block = self._decoded(size)
        if not self._size:
            block = block.removeprefix(codecs.BOM_UTF8)
        if self._checked:
            self._note(block)
        self._size += len(block)
        return block

    def readinto(self, buffer: Any, /) -> int:
        """Read into a buffer, as Python's text files do."""
        block = self.read(len(buffer))
        buffer[: len(block)] = block
        return len(block)

    def check(self, n_rows: int) -> None:
        """Refuse a text, read to its end, if a quote swallowed some of its lines.

        Where rows are as many as lines, no cell holds a line end, and only the last line can have
        an open quote. Otherwise all quotes are followed, in a second pass.
        """
        alike = self._lines + (self._last[-1:] != b"\n") == n_rows + 1 and not self._has_returns
        if self._has_quotes and not (alike and _swallowed([self._last], self._layout) is None):
            check_quotes(self._layout)

    def _decoded(self, size: int) -> bytes:
        if self._decoder is None:
            return bytes(self._file.read(size))
        while True:
            raw = self._file.read(max(size // 3, 1))  # a byte becomes at most three
            block: bytes = self._decoder.decode(raw, not raw).encode()
            if block or not raw:
                return block

    def _note(self, block: bytes) -> None:
        zero = block.find(b"\0")
        if zero >= 0:
            line = line_of_byte(self._layout, self._size + zero)
            name = self._layout.path.name
            raise ValueError(f"{name} has a byte of value 0 in line {line}: {NO_TEXT}.")
        self._lines += int(np.count_nonzero(np.frombuffer(block, dtype=np.uint8) == LINE_END))
        start = block.rfind(b"\n", 0, -1) + 1
        self._last = block[start:] if start else self._last + block
        self._has_quotes = self._has_quotes or b'"' in block
        self._has_returns = self._has_returns or b"\r" in block


def blocks(layout: Layout) -> Iterator[bytes]:
    """Yield the text as UTF-8."""
    with TextStream(layout, checked=False) as text:
        while block := text.read():
            yield block


def check_quotes(layout: Layout) -> None:
    """Refuse a text with a quote that swallows lines."""
    swallowed = _swallowed(blocks(layout), layout)
    if swallowed is None:
        return
    opened, closed = (at if at is None else line_of_byte(layout, at) for at in swallowed)
    end = "is not closed" if closed is None else f"is closed amid the text of line {closed}"
    raise ValueError(
        f"{layout.path.name}: the quote that opens in line {opened} {end}, so that the lines after "
        'it would be read as one cell. Close it, write it twice ("") if it belongs to the text, or '
        "remove it."
    )


def _swallowed(text: Iterable[bytes], layout: Layout) -> Swallowed | None:
    quotes = Quotes(layout.separator)
    found = (quotes.add(block) for block in text)
    return next((swallowed for swallowed in found if swallowed), None) or quotes.end()


def _decoder(encoding: str, errors: str) -> codecs.IncrementalDecoder | None:
    """None for UTF-8, which pyarrow checks by itself."""
    if codecs.lookup(encoding).name in ("utf-8", "utf-8-sig"):
        return None
    return codecs.getincrementaldecoder(encoding)(errors)


class Swallowed(NamedTuple):
    """Where a quote opens, and where it is closed amid text; None: nowhere."""

    opened: int
    closed: int | None


class Quotes:
    """Follow quotes through the blocks of a text, and find one that swallows rows.

    A text in order alternates: quotes 0, 2, 4, … open and stand after a separator or a line end,
    quotes 1, 3, 5, … close and stand before one. A doubled quote closes and opens again. This is
    checked for all quotes of a block at once; where it does not hold, they are followed one by
    one.
    """

    def __init__(self, separator: str) -> None:
        self.size = 0  # bytes before the present block
        self._borders = np.zeros(256, dtype=bool)
        self._borders[[*separator.encode(), *b'\r\n"']] = True
        self._inside = False  # a quoted cell; a doubled quote leaves it and enters it again
        self._opened = 0  # where the last quoted cell begins
        self._broken = False  # whether a line ended after that, before the present block
        self._before = LINE_END  # the last byte; QUOTE only if it closes a cell
        self._held = b""  # a quote at the end of the last block: what follows it is not known

    def add(self, block: bytes) -> Swallowed | None:
        """Follow one more block."""
        text, self._held = self._held + block, b""
        if text.endswith(b'"'):
            text, self._held = text[:-1], b'"'
        swallowed = self._follow(text) if b'"' in text else None
        self._broken = self._breaks(text, len(text))
        if text and text[-1] != QUOTE:
            self._before = text[-1]
        self.size += len(text)
        return swallowed

    def end(self) -> Swallowed | None:
        """Find a quote that is open at the end of the text."""
        swallowed = self.add(b"\n") if self._held else None
        return Swallowed(self._opened, None) if self._inside else swallowed

    def _follow(self, text: bytes) -> Swallowed | None:
        codes = np.frombuffer(text, dtype=np.uint8)
        places = np.flatnonzero(codes == QUOTE)
        opening, closing = places[int(self._inside) :: 2], places[int(not self._inside) :: 2]
        before = codes[opening - 1]
        if len(opening) and not opening[0]:
            before[0] = self._before
        after = codes.take(closing + 1, mode="clip")  # at the end: a quote, as the held one is
        if not (self._borders[before].all() and self._borders[after].all()):
            return self._one_by_one(text, places.tolist())
        self._inside ^= bool(len(places) % 2)
        cells = opening[before != QUOTE]
        if len(cells):
            self._opened, self._broken = self.size + int(cells[-1]), False
        self._before = QUOTE
        return None

    def _one_by_one(self, text: bytes, places: list[int]) -> Swallowed | None:
        closed = -1 if self._before == QUOTE else -2  # the last quote that closed a cell
        for place in places:
            if self._inside:
                self._inside, closed = False, place
                after = text[place + 1] if place + 1 < len(text) else QUOTE
                if not self._borders[after] and self._breaks(text, place):
                    return Swallowed(self._opened, self.size + place)
            elif closed == place - 1:
                self._inside = True  # a doubled quote
            elif self._begins_cell(text[place - 1] if place else self._before):
                self._inside, self._opened, self._broken = True, self.size + place, False
        self._before = QUOTE if closed == len(text) - 1 else 0
        return None

    def _begins_cell(self, before: int) -> bool:
        return bool(before != QUOTE and self._borders[before])

    def _breaks(self, text: bytes, end: int) -> bool:
        """Whether a line ends between the opening quote and a place in the present block."""
        start = max(self._opened - self.size, 0)
        return self._broken or any(text.find(mark, start, end) >= 0 for mark in (b"\n", b"\r"))


def line_of_byte(layout: Layout, place: int) -> int:
    """Return the line that a byte of the text is in, counted from 1."""
    line, after_return = 1, False
    for block in blocks(layout):
        part = block[:place]
        ends = part.replace(b"\r\n", b"\n")
        line += ends.count(b"\n") + ends.count(b"\r") - (after_return and part[:1] == b"\n")
        place, after_return = place - len(part), part[-1:] == b"\r"
        if not place:
            break
    return line


class Record(NamedTuple):
    """Cells of a CSV, and the line that they begin in."""

    line: int
    cells: list[str]


def records(layout: Layout) -> Iterator[Record]:
    """Read a CSV by Python's csv module: slowly, but with the lines that rows are in.

    It stops at a cell that is too long for that module.
    """
    stream = io.BufferedReader(TextStream(layout, checked=False), BLOCK)
    with io.TextIOWrapper(stream, encoding="utf8", errors="replace", newline="") as text:
        reader, line = csv.reader(text, delimiter=layout.separator), 1
        with suppress(csv.Error):
            for cells in reader:
                yield Record(line, cells)
                line = reader.line_num + 1
