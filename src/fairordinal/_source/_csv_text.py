"""The text of a CSV as UTF-8, with a check of its quotes.

If a quote is never closed, pyarrow reads the rest of the file as one cell, without a message.
`TextStream` is therefore placed between the file and pyarrow, and quotes are followed by the rules
that pyarrow, pandas and Python's csv module share: a quote opens a quoted cell if it is the first
character of the cell, and is text elsewhere; a doubled quote in a quoted cell is text.

A quote *swallows* lines if the cell that it opens is never closed, or if it is closed on a later
line and text follows the closing quote.
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

BLOCK = 1 << 22  # bytes per read
QUOTE, LINE_END = ord('"'), ord("\n")


class CsvText(NamedTuple):
    """The file of a CSV, its encoding and its separator."""

    path: Path
    encoding: str = "utf8"
    separator: str = ","


class TextStream(io.RawIOBase):
    """A stream of UTF-8 without a byte order mark, for pyarrow to read.

    With `checked`, a byte of value 0 raises ValueError, and so does `check` if a quote swallows
    lines.
    """

    def __init__(self, source: CsvText, *, checked: bool = True) -> None:
        import pyarrow as pa

        self._source, self._checked = source, checked
        self._file = pa.input_stream(str(source.path), compression="detect")
        self._decoder = _decoder(source.encoding, "strict" if checked else "replace")
        self._size, self._n_line_ends = 0, 0
        self._last = b""  # the last line so far, or the last few lines
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
            self._inspect(block)
        self._size += len(block)
        return block

    def readinto(self, buffer: Any, /) -> int:
        """Read into a buffer, as Python's text files do."""
        block = self.read(len(buffer))
        buffer[: len(block)] = block
        return len(block)

    def check(self, n_rows: int) -> None:
        """Raise ValueError if a quote swallows lines of the text, which was read to its end.

        If there are as many lines as the header and the rows, no cell holds a line end, and only
        the last line can have an open quote. Otherwise a second pass follows all quotes.
        """
        n_lines = self._n_line_ends + (self._last[-1:] != b"\n")
        one_row_per_line = n_lines == n_rows + 1 and not self._has_returns
        if self._has_quotes and not (
            one_row_per_line and _find_swallowing([self._last], self._source) is None
        ):
            check_quotes(self._source)

    def _decoded(self, size: int) -> bytes:
        if self._decoder is None:
            return bytes(self._file.read(size))
        while True:
            raw = self._file.read(max(size // 3, 1))  # one byte becomes at most three
            block: bytes = self._decoder.decode(raw, not raw).encode()
            if block or not raw:
                return block

    def _inspect(self, block: bytes) -> None:
        """Update what `check` needs; raise ValueError for a byte of value 0."""
        zero = block.find(b"\0")
        if zero >= 0:
            line = line_of_byte(self._source, self._size + zero)
            raise ValueError(
                f"{self._source.path.name} has a byte of value 0 in line {line}: it is not a text "
                "file, or damaged."
            )
        self._n_line_ends += int(np.count_nonzero(np.frombuffer(block, dtype=np.uint8) == LINE_END))
        start = block.rfind(b"\n", 0, -1) + 1
        self._last = block[start:] if start else self._last + block
        self._has_quotes = self._has_quotes or b'"' in block
        self._has_returns = self._has_returns or b"\r" in block


def blocks(source: CsvText) -> Iterator[bytes]:
    """Yield blocks of the text as UTF-8."""
    with TextStream(source, checked=False) as text:
        while block := text.read():
            yield block


def check_quotes(source: CsvText) -> None:
    """Raise ValueError if a quote of the text swallows lines."""
    found = _find_swallowing(blocks(source), source)
    if found is None:
        return
    opened, closed = (at if at is None else line_of_byte(source, at) for at in found)
    end = "is not closed" if closed is None else f"is closed amid the text of line {closed}"
    raise ValueError(
        f"{source.path.name}: the quote that opens in line {opened} {end}, so that the lines after "
        'it would be read as one cell. Close it, write it twice ("") if it belongs to the text, or '
        "remove it."
    )


def _find_swallowing(text: Iterable[bytes], source: CsvText) -> SwallowingQuote | None:
    """Return the first quote of a text that swallows lines."""
    quotes = Quotes(source.separator)
    found = (quotes.add(block) for block in text)
    return next((quote for quote in found if quote), None) or quotes.end()


def _decoder(encoding: str, errors: str) -> codecs.IncrementalDecoder | None:
    """Return a decoder; None for UTF-8, which pyarrow decodes and checks itself."""
    if codecs.lookup(encoding).name in ("utf-8", "utf-8-sig"):
        return None
    return codecs.getincrementaldecoder(encoding)(errors)


class SwallowingQuote(NamedTuple):
    """Bytes at which a quoted cell opens and is closed amid text; None if it is not closed."""

    opened: int
    closed: int | None


class Quotes:
    """Follow quotes through the blocks of a text, and find one that swallows lines.

    The state between blocks is whether the text is inside a quoted cell. In a well-formed text,
    quotes alternate: quotes 0, 2, 4, … open a cell and follow a separator or a line end, quotes 1,
    3, 5, … close it and precede one. A doubled quote closes the cell and opens it again, so that a
    quote counts as a border, too. Vectorised, this is checked for all quotes of a block at once; if
    it fails, for example because a quote is amid text, they are followed one by one.
    """

    def __init__(self, separator: str) -> None:
        self.size = 0  # bytes before the current block
        self._borders = np.zeros(256, dtype=bool)  # bytes that may be next to a quoted cell
        self._borders[[*separator.encode(), *b'\r\n"']] = True
        self._inside = False  # a quoted cell; a doubled quote leaves it and enters it again
        self._opened = 0  # byte at which the last quoted cell opens
        self._broken = False  # whether a line ended after that, before the current block
        self._before = LINE_END  # last byte of the previous block; QUOTE only if it closes a cell
        self._held = b""  # a quote that ends the previous block: the next byte is not yet known

    def add(self, block: bytes) -> SwallowingQuote | None:
        """Follow the quotes of the next block; return one that swallows lines, if there is one."""
        text, self._held = self._held + block, b""
        if text.endswith(b'"'):
            text, self._held = text[:-1], b'"'
        found = self._follow(text) if b'"' in text else None
        self._broken = self._breaks(text, len(text))
        if text and text[-1] != QUOTE:
            self._before = text[-1]
        self.size += len(text)
        return found

    def end(self) -> SwallowingQuote | None:
        """Return a quote that is open at the end of the text, if there is one."""
        found = self.add(b"\n") if self._held else None
        return SwallowingQuote(self._opened, None) if self._inside else found

    def _follow(self, text: bytes) -> SwallowingQuote | None:
        """Check that the quotes of a block alternate, all at once."""
        codes = np.frombuffer(text, dtype=np.uint8)
        places = np.flatnonzero(codes == QUOTE)
        opening, closing = places[int(self._inside) :: 2], places[int(not self._inside) :: 2]
        before = codes[opening - 1]
        if len(opening) and not opening[0]:
            before[0] = self._before  # the first byte of the block follows the previous block
        # a quote at the end of the block precedes the held quote; clipping returns a quote, too
        after = codes.take(closing + 1, mode="clip")
        if not (self._borders[before].all() and self._borders[after].all()):
            return self._one_by_one(text, places.tolist())
        self._inside ^= bool(len(places) % 2)
        cells = opening[before != QUOTE]  # without the second halves of doubled quotes
        if len(cells):
            self._opened, self._broken = self.size + int(cells[-1]), False
        self._before = QUOTE
        return None

    def _one_by_one(self, text: bytes, places: list[int]) -> SwallowingQuote | None:
        """Follow the quotes at `places` of a block, with quotes amid text."""
        closed = -1 if self._before == QUOTE else -2  # the last quote that closed a cell
        for place in places:
            if self._inside:
                self._inside, closed = False, place
                after = text[place + 1] if place + 1 < len(text) else QUOTE
                if not self._borders[after] and self._breaks(text, place):
                    return SwallowingQuote(self._opened, self.size + place)
            elif closed == place - 1:
                self._inside = True  # a doubled quote
            elif self._begins_cell(text[place - 1] if place else self._before):
                self._inside, self._opened, self._broken = True, self.size + place, False
        self._before = QUOTE if closed == len(text) - 1 else 0
        return None

    def _begins_cell(self, before: int) -> bool:
        return bool(before != QUOTE and self._borders[before])

    def _breaks(self, text: bytes, end: int) -> bool:
        """Return whether a line ends between the opening quote and byte `end` of the block."""
        start = max(self._opened - self.size, 0)
        return self._broken or any(text.find(mark, start, end) >= 0 for mark in (b"\n", b"\r"))


def line_of_byte(source: CsvText, place: int) -> int:
    """Return the line of byte `place` of the text, counted from 1."""
    line, after_return = 1, False
    for block in blocks(source):
        part = block[:place]
        ends = part.replace(b"\r\n", b"\n")
        line += ends.count(b"\n") + ends.count(b"\r") - (after_return and part[:1] == b"\n")
        place, after_return = place - len(part), part[-1:] == b"\r"
        if not place:
            break
    return line


class Record(NamedTuple):
    """The cells of a row of a CSV, the line on which it begins, its number, and its text."""

    line: int
    cells: list[str]
    number: int  # from 1 on, with the header and blank lines
    text: str  # as it is in the file, with its line end


def records(source: CsvText) -> Iterator[Record]:
    """Read a CSV by Python's csv module: slowly, but with the line of each row.

    Reading stops at a cell that is too long for that module.
    """
    stream = io.BufferedReader(TextStream(source, checked=False), BLOCK)
    with io.TextIOWrapper(stream, encoding="utf8", errors="replace", newline="") as text:
        lines: list[str] = []  # of the current row
        reader, line = csv.reader(_kept(text, lines), delimiter=source.separator), 1
        with suppress(csv.Error):
            for number, cells in enumerate(reader, start=1):
                yield Record(line, cells, number, "".join(lines))
                lines.clear()
                line = reader.line_num + 1


def _kept(text: Iterable[str], lines: list[str]) -> Iterator[str]:
    """Yield lines, and append each of them to a list."""
    for line in text:
        lines.append(line)
        yield line
