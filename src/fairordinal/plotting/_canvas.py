"""Drawing helpers that all displays share: axes, colours, names, legends and notes.

Matplotlib is imported when something is drawn, not earlier. Names of groups, labels and models are
shown literally: a dollar sign does not start a formula. Text is black or white, depending on the
background.

The width of text is estimated before it is drawn: a letter is about `LETTER` times as wide as
its font size, which is given in points.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from fairordinal._render import clip, names_of
from fairordinal._validation import Array

LETTER = 0.6  # width of a letter, in units of the font size
POINTS = 72.0  # per inch
FULL_SIZE = 4.0  # inches; text is smaller in figures whose shorter side is below this
LEAST_FONT = 4.5  # points; smaller text is not legible
LEGEND_MARK = 5  # letters that a mark takes in a legend
LEGEND_SPACE = 2  # letters between two columns of a legend

NOTE_OFFSETS = [  # candidate positions of a note, in points from its point
    (across * distance, up * distance)
    for distance in (12, 24, 40)
    for across, up in ((1, 1), (1, 0), (0, 1.4), (-1, 1), (-1, 0), (1, -1), (0, -1.4), (-1, -1))
]
HORIZONTAL = {-1: "right", 0: "center", 1: "left"}  # alignment of a note by the sign of its offset
VERTICAL = {-1: "top", 0: "center", 1: "bottom"}


# Axes


def pyplot() -> Any:
    """Return matplotlib's pyplot; the error says how to install it."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError("Pictures need matplotlib: pip install fairordinal[plot].") from error
    return plt


def axes_for(ax: Any) -> Any:
    """Return the given axes, or those of a new figure with a constrained layout."""
    return pyplot().subplots(layout="constrained")[1] if ax is None else ax


def root_figure(ax: Any) -> Any:
    """Return the top-level figure, also for axes of a subfigure."""
    return ax.figure.canvas.figure


def settle_layout(ax: Any) -> None:
    """Run the layout engine, so that sizes and positions are final."""
    root_figure(ax).draw_without_rendering()


def inches(ax: Any) -> tuple[float, float]:
    """Width and height of the axes; final only after `settle_layout`."""
    box = ax.get_window_extent()
    return box.width / ax.figure.dpi, box.height / ax.figure.dpi


# Colours


def luminance(colour: Any) -> float:
    """Lightness of a colour, from 0 to 1."""
    from matplotlib.colors import to_rgb

    return float(np.dot(to_rgb(colour), (0.299, 0.587, 0.114)))


def ink_on(colour: Any) -> str:
    """Black or white, whichever is legible on a colour."""
    return "black" if luminance(colour) > 0.5 else "white"


def ink(ax: Any) -> Any:
    """Black or white, whichever is legible on the background of the axes."""
    for background in (ax.get_facecolor(), ax.figure.get_facecolor()):
        if len(background) < 4 or background[3] > 0:
            return ink_on(background)
    return pyplot().rcParams["text.color"]


# Text


def text_size(ax: Any) -> float:
    """Font size of the settings, reduced in small figures."""
    shorter = min(root_figure(ax).get_size_inches())
    return float(pyplot().rcParams["font.size"]) * float(np.clip(shorter / FULL_SIZE, 0.6, 1.0))


def letters(length: float, size: float) -> int:
    """Number of letters of a font size that fit into a length in inches; at least 4."""
    return max(int(length * POINTS / (LETTER * size)), 4)


def plain(*texts: Any) -> None:
    """Switch off the parsing of formulas in texts."""
    for text in texts:
        text.set_parse_math(False)


def set_names(ax: Any, *, x: str = "", y: str = "", title: str = "") -> None:
    """Name the axes and the figure, in a font size that suits the figure."""
    size = text_size(ax)
    width = letters(0.85 * root_figure(ax).get_size_inches()[0], size)
    plain(
        ax.set_xlabel(x, size=size),
        ax.set_ylabel(y, size=size),
        ax.set_title("\n".join(textwrap.wrap(title, width)), size=size),
    )
    ax.tick_params(labelsize=0.9 * size)


def distinct_names(names: Sequence[Any], width: int) -> list[str]:
    """Shorten names to a width; number them if shortened names would be equal."""
    whole = names_of(names)
    short = [clip(name, width) for name in whole]
    if len(set(short)) == len(set(whole)):
        return short
    return [f"{i + 1}: {clip(name, max(width - 4, 4))}" for i, name in enumerate(whole)]


def fit(texts: Sequence[Any], width: float, height: float) -> bool:
    """Shrink texts to a common size that fits a box in pixels; return whether it is legible."""
    boxes = [text.get_window_extent() for text in texts if text.get_text()]
    if not boxes:
        return True
    scale = min(
        width / max(box.width for box in boxes), height / max(box.height for box in boxes), 1.0
    )
    for text in texts:
        text.set_size(text.get_size() * scale)
    return bool(texts[0].get_size() >= LEAST_FONT)


# Legend


class LegendEntry(NamedTuple):
    """A name with the style of its line or mark; several styles are shown side by side."""

    name: str
    style: dict[str, Any]
    more_styles: tuple[dict[str, Any], ...] = ()


def add_legend(ax: Any, entries: Sequence[LegendEntry]) -> Any:
    """Put a legend above the axes, in as many columns as fit."""
    from matplotlib.legend_handler import HandlerTuple
    from matplotlib.lines import Line2D

    if not entries:
        return None
    size = 0.85 * text_size(ax)
    width = letters(0.85 * inches(ax)[0], size)
    names = distinct_names([entry.name for entry in entries], width - LEGEND_MARK)
    handles = [
        tuple(Line2D([], [], **style) for style in (entry.style, *entry.more_styles))
        for entry in entries
    ]
    legend = ax.legend(
        handles,
        # matplotlib hides entries whose name begins with "_"; a zero-width space prevents this
        [name if not name.startswith("_") else f"\u200b{name}" for name in names],
        handler_map={tuple: HandlerTuple(ndivide=None, pad=0.5)},
        loc="lower left",
        bbox_to_anchor=(0.0, 1.0),
        ncols=_n_columns(names, width),
        fontsize=size,
        frameon=False,
        borderaxespad=0.3,
        columnspacing=1.2,
    )
    plain(*legend.get_texts())
    return legend


def _n_columns(names: Sequence[str], width: int) -> int:
    """Largest number of columns that fit, each as wide as its longest name."""
    widths = [len(name) + LEGEND_MARK + LEGEND_SPACE for name in names]
    for n_columns in range(len(names), 1, -1):
        columns = np.array_split(widths, n_columns)  # matplotlib fills columns the same way
        if sum(int(column.max()) for column in columns) <= width + LEGEND_SPACE:
            return n_columns
    return 1


# Notes


def add_note(ax: Any, at: tuple[float, float], words: str, avoid: Array) -> Any:
    """Write beside a point, at the offset where the text covers the fewest points of `avoid`."""
    settle_layout(ax)
    note = ax.annotate(
        words,
        at,
        xytext=NOTE_OFFSETS[0],
        textcoords="offset points",
        size=0.85 * text_size(ax),
        color=ink(ax),
        zorder=6,
        arrowprops={"arrowstyle": "-", "lw": 0.6, "color": ink(ax)},
        bbox={"boxstyle": "round,pad=0.2", "fc": ax.get_facecolor(), "ec": "none", "alpha": 0.8},
        in_layout=False,
    )
    pixels = ax.transData.transform(avoid)
    _move(note, min(NOTE_OFFSETS, key=lambda offset: _penalty(ax, note, offset, pixels)))
    return note


def _move(note: Any, offset: tuple[float, float]) -> None:
    across, up = (int(np.sign(part)) for part in offset)
    note.set(position=offset, ha=HORIZONTAL[across], va=VERTICAL[up])


def _penalty(ax: Any, note: Any, offset: tuple[float, float], pixels: Array) -> float:
    """Points that the note covers at an offset, plus 10 per pixel outside of the axes."""
    from matplotlib.text import Text

    _move(note, offset)
    note.get_window_extent()  # updates the position
    box = Text.get_window_extent(note).padded(6)  # without the arrow
    frame = ax.get_window_extent()
    outside = sum(
        max(0.0, beyond)
        for beyond in (frame.x0 - box.x0, box.x1 - frame.x1, frame.y0 - box.y0, box.y1 - frame.y1)
    )
    within = (pixels >= box.min) & (pixels <= box.max)
    return 10.0 * outside + float(within.all(axis=1).sum())
