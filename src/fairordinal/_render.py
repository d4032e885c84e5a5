"""Numbers, names and tables as text, as HTML for notebooks, and as data frames.

Nothing here depends on fairness: headers and rows go in; text, HTML or a frame comes out.
"""

from __future__ import annotations

import html
import importlib.util
import textwrap
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import date, time, timedelta
from decimal import Decimal
from itertools import zip_longest
from typing import Any

import narwhals as nw
import numpy as np

from fairordinal._support import visible

FRAME_LIBRARIES = ("pandas", "polars", "pyarrow")
SCALARS = (str, bytes, bool, int, float, Decimal, date, time, timedelta, type(None))
BASIS_NAMES = {  # names of bases in messages
    "linear": "linear model",
    "piecewise": "piecewise linear model",
    "plug-in": "plug-in model",
    "plug-in-trees": "plug-in model with trees",
    "trees": "forest",
}
LEAST_SHARE = 0.0005  # smaller ones are "<0.1%"
PARAGRAPH_WIDTH = 96
WIDE, FILLER = ("W", "F"), "\0"  # East Asian letters of two columns, and their second column
LEAST_DECIMAL, MOST_DECIMAL = 0.05, 1e15  # other sums of weights are shown with an exponent

STYLE = (
    "<style>.fairordinal table{border-collapse:collapse;margin:.4em 0 1em;font-size:.92em}"
    ".fairordinal th,.fairordinal td{padding:.25em .8em;text-align:left!important;"
    "border-bottom:1px solid color-mix(in srgb,currentColor 18%,transparent);vertical-align:middle}"
    ".fairordinal th{font-weight:600;opacity:.75}"
    ".fairordinal .n{text-align:right!important;font-variant-numeric:tabular-nums;"
    "white-space:nowrap}.fairordinal p:first-child{font-weight:600}"
    ".fairordinal .track{position:relative;width:12em;height:.9em;border-radius:.2em;"
    "background:color-mix(in srgb,currentColor 9%,transparent)}"
    ".fairordinal .track i{position:absolute;top:0;bottom:0;background:#0072b2;opacity:.4;"
    "border-radius:.2em}.fairordinal .track b{position:absolute;top:-.12em;bottom:-.12em;"
    "width:.22em;margin-left:-.11em;background:#d55e00;border-radius:.1em}"
    ".fairordinal p{margin:.3em 0}</style>"
)


class Markup(str):
    """HTML that must not be escaped."""


def number(value: float, digits: int = 3) -> str:
    """Return a number with a fixed number of decimals; nan is "undefined"."""
    return "undefined" if value != value else f"{value:.{digits}f}"


def percent(value: float) -> str:
    """Return a share as whole percent; nan is a dash.

    Shares that would be rounded to 0% or to 100% have a decimal, or a sign such as in "<0.1%".
    """
    if value != value:
        return "–"
    whole = f"{100 * value:.0f}%"
    if not 0 < value < 1 or whole not in ("0%", "100%"):
        return whole
    if LEAST_SHARE <= value <= 1 - LEAST_SHARE:
        return f"{100 * value:.1f}%"
    return "<0.1%" if value < 0.5 else ">99.9%"


def percents(first: float, second: float) -> tuple[str, str]:
    """Return two shares as percent, with a decimal if they differ but would look equal."""
    texts, finer = (percent(first), percent(second)), (f"{first:.1%}", f"{second:.1%}")
    return finer if texts[0] == texts[1] and finer[0] != finer[1] else texts


def confidence_level(confidence: float) -> str:
    """Return a confidence such as 0.975 in percent, with its decimals."""
    return f"{100 * confidence:g}%"


def quantity(value: float) -> str:
    """Return a count or a sum of weights with thousands separators and at most one decimal."""
    if not LEAST_DECIMAL <= abs(value) < MOST_DECIMAL and value:
        return f"{value:.3g}"
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.1f}"


def name_of(name: Any) -> str:
    """Return a group or label as text; the entries of a tuple are joined by commas."""
    if isinstance(name, tuple):
        return ", ".join(name_of(entry) for entry in name)
    return f"{name:.6g}" if isinstance(name, float) else str(name)


def names_of(names: Sequence[Any]) -> list[str]:
    """Return names as text; if two would be equal, such as 1 and "1", all are quoted by `repr`."""
    shown = [name_of(name) for name in names]
    return shown if len(set(shown)) == len(shown) else [repr(name) for name in names]


def clip(text: str, width: int) -> str:
    """Shorten a name by an ellipsis in the middle, because names differ most at their ends."""
    tail = width // 3
    return text if len(text) <= width else f"{text[: width - tail - 1]}…{text[-tail:]}"


def short_names(names: Sequence[Any], width: int) -> list[str]:
    """Return escaped names, shortened to a width unless two of them would become equal."""
    whole = [visible(name) for name in names_of(names)]
    short = [clip(name, width) for name in whole]
    return short if len(set(short)) == len(set(whole)) else whole


def whole_numbers(values: Any) -> Any:
    """Return counts as int64 if all are whole and fit, else as float64."""
    counts = np.asarray(values, dtype=np.float64)
    whole = np.array_equal(counts, np.rint(counts)) and np.abs(counts).max(initial=0.0) < 2.0**63
    return counts.astype(np.int64) if whole else counts


_TERMINAL_WIDTH: ContextVar[int | None] = ContextVar("fairordinal_width", default=None)


@contextmanager
def terminal_width(width: int | None) -> Iterator[None]:
    """Wrap paragraphs and divide tables at this width inside of the ``with`` block."""
    token = _TERMINAL_WIDTH.set(width)
    try:
        yield
    finally:
        _TERMINAL_WIDTH.reset(token)


_WORDING: ContextVar[Callable[[str], str] | None] = ContextVar("fairordinal_words", default=None)


@contextmanager
def wording(change: Callable[[str], str]) -> Iterator[None]:
    """Change the words of paragraphs, before they are wrapped, inside of the ``with`` block."""
    token = _WORDING.set(change)
    try:
        yield
    finally:
        _WORDING.reset(token)


def paragraphs(lines: Sequence[str], width: int = PARAGRAPH_WIDTH) -> str:
    """Return lines for a terminal, each wrapped to a width, with hidden characters escaped."""
    terminal = _TERMINAL_WIDTH.get()
    width, hyphens = min(width, terminal or width), terminal is None  # options have hyphens
    change = _WORDING.get() or str
    filled = (_filled(visible(change(line))) for line in lines)
    return "\n".join(
        textwrap.fill(line, width, break_on_hyphens=hyphens).replace(FILLER, "") for line in filled
    )


def _filled(text: str) -> str:
    """Return text with a filler after each wide letter, so that its length is its width."""
    if text.isascii():
        return text
    wide = (unicodedata.east_asian_width(letter) in WIDE for letter in text)
    return "".join(letter + FILLER * is_wide for letter, is_wide in zip(text, wide, strict=True))


def columns_of(text: str) -> int:
    """Return the number of columns of a terminal that visible text takes."""
    if text.isascii():
        return len(text)
    return len(_filled(text)) - sum(map(bool, map(unicodedata.combining, text)))


def text_table(
    header: Sequence[str], rows: Sequence[Sequence[str]], left: Sequence[int] = (0,)
) -> str:
    """Return a table as text; columns in `left` are aligned to the left, others to the right.

    Hidden characters are escaped. A table that is wider than the terminal becomes several ones,
    each with the first column and some of the others. If the first column and another one are too
    wide together, their cells are wrapped.
    """
    cells = [[visible(cell) for cell in row] for row in (header, *rows)]
    widths = _limited([max(columns_of(row[j]) for row in cells) for j in range(len(header))])
    return "\n\n".join(_text_block(cells, widths, part, left) for part in _parts(widths))


def fits_terminal(header: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Return whether a table is as text not wider than the terminal."""
    cells = [[visible(cell) for cell in row] for row in (header, *rows)]
    widths = [max(columns_of(row[j]) for row in cells) for j in range(len(header))]
    return len(_parts(widths)) == 1


def _limited(widths: list[int]) -> list[int]:
    """Return widths of columns with which the first and any other column fit the terminal."""
    most, widest = _TERMINAL_WIDTH.get(), max(widths[1:], default=0)
    if most is None or widths[0] + 2 + widest <= most:
        return widths
    first = min(widths[0], max(most // 2, most - 2 - widest))
    return [first, *(min(width, most - 2 - first) for width in widths[1:])]


def _wrapped(cell: str, width: int, indent: str) -> list[str]:
    """Return the lines of a cell; all but the first are indented."""
    if columns_of(cell) <= width:
        return [cell]
    lines = textwrap.wrap(_filled(cell), width, subsequent_indent=indent)
    return [line.replace(FILLER, "") for line in lines]


def _parts(widths: Sequence[int]) -> list[list[int]]:
    """Divide the columns of a table into parts that fit the terminal; the first is in each."""
    most, parts = _TERMINAL_WIDTH.get(), [[0]]
    for j in range(1, len(widths)):
        part = [*parts[-1], j]
        if most is None or parts[-1] == [0] or _line_width(widths, part) <= most:
            parts[-1] = part
        else:
            parts.append([0, j])
    return parts


def _line_width(widths: Sequence[int], part: Sequence[int]) -> int:
    return sum(widths[j] for j in part) + 2 * len(part) - 2


def _text_block(
    cells: Sequence[Sequence[str]], widths: Sequence[int], part: Sequence[int], left: Sequence[int]
) -> str:
    """Return some columns of a table as text, with a line below the header."""
    lines = []
    for row in cells:
        wrapped = [_wrapped(row[j], widths[j], "  " if j in left else "") for j in part]
        for line in zip_longest(*wrapped, fillvalue=""):
            places = zip(part, line, strict=True)
            padded = [_padded(text, widths[j], to_left=j in left) for j, text in places]
            lines.append("  ".join(padded).rstrip())
        if row is cells[0]:
            lines.append("─" * _line_width(widths, part))
    return "\n".join(lines)


def _padded(text: str, width: int, *, to_left: bool) -> str:
    blank = " " * (width - columns_of(text))
    return text + blank if to_left else blank + text


def html_table(
    header: Sequence[str], rows: Sequence[Sequence[str]], left: Sequence[int] = (0,)
) -> Markup:
    """Return a table as HTML; columns in `left` are aligned to the left. All text is escaped."""
    head = _html_row("th", header, left)
    body = "".join(_html_row("td", row, left) for row in rows)
    return Markup(f"<table><thead>{head}</thead><tbody>{body}</tbody></table>")


def _html_row(tag: str, cells: Sequence[str], left: Sequence[int]) -> str:
    classes = ["" if j in left else ' class="n"' for j in range(len(cells))]
    inner = [f"<{tag}{name}>{escape(c)}</{tag}>" for name, c in zip(classes, cells, strict=True)]
    return f"<tr>{''.join(inner)}</tr>"


def html_page(*parts: str) -> str:
    """Join paragraphs and tables into HTML for a notebook cell, with its style."""
    body = "".join(part if isinstance(part, Markup) else f"<p>{escape(part)}</p>" for part in parts)
    return f'{STYLE}<div class="fairordinal">{body}</div>'


def interval_bar(value: float, lower: float, upper: float) -> Markup:
    """Return HTML of an interval in [0, 1] as a bar, with the estimate as a tick."""
    if value != value or upper != upper:
        return Markup("")
    left, right, tick = (100 * min(max(x, 0), 1) for x in (lower, upper, value))
    return Markup(
        f'<div class="track"><i style="left:{left:.1f}%;width:{right - left:.1f}%"></i>'
        f'<b style="left:{tick:.1f}%"></b></div>'
    )


def escape(cell: str) -> str:
    """Escape text for HTML, including hidden characters; return `Markup` unchanged."""
    return cell if isinstance(cell, Markup) else html.escape(visible(cell))


def frame_library(*sources: Any) -> str | None:
    """Return the library of the first source that is a series or a frame (eager or lazy)."""
    for source in sources:
        found = nw.from_native(source, pass_through=True, allow_series=True)
        if isinstance(found, nw.Series | nw.DataFrame | nw.LazyFrame):
            return str(found.implementation.value)
        if type(source).__module__.startswith("pyarrow."):
            return "pyarrow"  # a dataset or a stream, which narwhals does not know
    return None


def make_frame(columns: Mapping[str, Any], library: str | None) -> Any:
    """Return a frame of a library; if it is not installed, of the first one that is."""
    installed = [name for name in FRAME_LIBRARIES if importlib.util.find_spec(name)]
    if library not in installed:
        library = installed[0] if installed else None
    if library is None:
        raise ImportError("A frame needs pandas, polars or pyarrow: pip install pandas.")
    backend: Any = library
    columns = {name: _with_one_type(column, library) for name, column in columns.items()}
    return nw.from_dict(dict(columns), backend=backend).to_native()


def _with_one_type(column: Any, library: str) -> Any:
    """Return a column unchanged if one dtype can hold it, else as text.

    A column with some text becomes text in all libraries.
    """
    if isinstance(column, np.ndarray) and column.dtype.kind != "O":
        return column
    distinct = [*dict.fromkeys(column)]
    types = {type(value) for value in distinct}
    if str not in types and (library == "pandas" or _fit_one_dtype(distinct, types)):
        return [*column]
    shown = dict(zip(distinct, names_of(distinct), strict=True))
    return [shown[value] for value in column]


def _fit_one_dtype(values: Sequence[Any], types: Set[type]) -> bool:
    """Whether a column of polars or pyarrow can hold the values; one of pandas holds any."""
    large = any(isinstance(value, int) and not -(2**63) <= value < 2**63 for value in values)
    known = all(issubclass(kind, SCALARS) for kind in types)
    return known and not large and not {int, float} <= types
