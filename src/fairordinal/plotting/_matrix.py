"""A matrix as coloured cells with text in them, a colour bar, and names along its sides."""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Sequence
from typing import Any

import numpy as np

from fairordinal._render import names_of
from fairordinal._validation import Array
from fairordinal.plotting._canvas import (
    POINTS,
    distinct_names,
    fit,
    inches,
    ink_on,
    letters,
    plain,
    root_figure,
    settle_layout,
    text_size,
)

LEAST_LETTERS = 8  # in a line of a wrapped name
UNDEFINED_COLOUR = "#9a9a9a"  # of undefined cells, which are also hatched
NAMES_SHARE = 0.3  # share of the figure that names along a side may take
TEXT_SHARE = 0.86  # share of a cell that its text may take
MOST_DRAWN = 60  # rows and columns of a matrix


def check_drawn(number: int, most: int, what: str) -> None:
    """Refuse figures that are too large to read and that take minutes to draw."""
    if number > most:
        raise ValueError(
            f"A picture shows at most {most} {what}, got {number}. Merge some of them, or read "
            "the numbers with frame()."
        )


def draw_cells(
    ax: Any, values: Array, undefined: Array, *, cmap: Any, limits: tuple[float, float]
) -> Any:
    """Colour the cells that hold a number; draw undefined cells grey and hatched."""
    from matplotlib.patches import Rectangle

    image = ax.imshow(
        np.ma.masked_invalid(values), cmap=cmap, vmin=limits[0], vmax=limits[1], aspect="auto"
    )
    style: dict[str, Any] = {"facecolor": UNDEFINED_COLOUR, "edgecolor": "black", "hatch": "///"}
    for row, column in np.argwhere(undefined):
        ax.add_patch(Rectangle((column - 0.5, row - 0.5), 1, 1, **style))
    ax.set(xticks=range(values.shape[1]), yticks=range(values.shape[0]))
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    return image


def add_colour_bar(image: Any, ax: Any, label: str, tick_format: Any = None) -> None:
    """Add a colour bar beside one axes or a list of them, with text in the size of the figure."""
    first = np.ravel(np.asarray(ax, dtype=object))[0]
    bar = first.figure.colorbar(image, ax=ax, format=tick_format)
    bar.set_label(label, size=text_size(first))
    bar.ax.tick_params(labelsize=0.9 * text_size(first))
    bar.outline.set_visible(False)


def name_sides(
    lowest: Sequence[Any], columns: Sequence[Any], first: Sequence[Any], rows: Sequence[Any]
) -> None:
    """Write names below the lowest axes and to the left of the first; wrap or rotate long ones.

    Names below take height from the axes and names to the left take width, so each depends on
    the other. The second pass uses the sizes that the first pass left.
    """
    for _ in range(2):
        for ax in first:
            _name_rows(ax, rows)
        settle_layout(first[0])
        for ax in lowest:
            _name_columns(ax, columns)
        settle_layout(first[0])


def _name_rows(ax: Any, names: Sequence[Any]) -> None:
    """Write names to the left, in as many lines as a row is high."""
    width = NAMES_SHARE * root_figure(ax).get_size_inches()[0]
    height = 0.7 * inches(ax)[1] / len(names)
    size = 0.9 * text_size(ax)
    most, n_lines = letters(width, size), int(np.clip(height * POINTS / (1.3 * size), 1, 3))
    lines = _wrapped(names, most if n_lines == 1 else max(most // 2, 8), n_lines)
    ax.set_yticklabels(_thinned(lines, inches(ax)[1], size), size=size)
    plain(*ax.get_yticklabels())


def _name_columns(ax: Any, names: Sequence[Any]) -> None:
    """Write names below in up to three lines, or rotated if a column is narrower than a word."""
    size = 0.9 * text_size(ax)
    width = letters(0.92 * inches(ax)[0] / len(names), size)
    words = [word for name in names_of(names) for word in re.split(r"(?<=-)|\s", name)]
    least = LEAST_LETTERS if max(map(len, names_of(names))) > width else 0
    rotated = width < max(least, *map(len, words))
    most = letters(NAMES_SHARE * root_figure(ax).get_size_inches()[1], size)
    lines = _wrapped(names, most, 1) if rotated else _wrapped(names, width, 3)
    if rotated:
        lines = _thinned(lines, inches(ax)[0], size)
    ax.set_xticklabels(lines, rotation=90 if rotated else 0, size=size)
    plain(*ax.get_xticklabels())


def _thinned(names: list[str], length: float, size: float) -> list[str]:
    """Blank out names so that the rest fit into a length: keep every second, third, …"""
    step = max(math.ceil(1.25 * size * len(names) / (length * POINTS)), 1)
    return ["" if i % step else name for i, name in enumerate(names)]


def _wrapped(names: Sequence[Any], width: int, n_lines: int) -> list[str]:
    """Names wrapped to a width and to at most `n_lines` lines, shortened if needed."""
    # Wrapping leaves lines partly empty, so a name of width * n_lines letters may need more lines.
    for length in range(width * n_lines, 3, -1):
        wrapped = [textwrap.wrap(name, width) or [" "] for name in distinct_names(names, length)]
        if max(map(len, wrapped)) <= n_lines:
            break
    return ["\n".join(lines) for lines in wrapped]


def write_in_cells(
    ax: Any, image: Any, choices: Sequence[Sequence[Sequence[str]]], bold: Array
) -> list[Any]:
    """Write text into the cells: the first of the choices that fits, or nothing.

    Choices are matrices of text, from long to short. The layout must be settled.
    """
    box = ax.get_window_extent()
    n_rows, n_columns = bold.shape
    width, height = TEXT_SHARE * box.width / n_columns, TEXT_SHARE * box.height / n_rows
    for words in choices:
        texts = [_write(ax, image, words, bold, cell) for cell in np.ndindex(bold.shape)]
        if fit(texts, width, height):
            return texts
        for text in texts:
            text.remove()
    return []


def _write(ax: Any, image: Any, words: Any, bold: Array, cell: tuple[int, ...]) -> Any:
    row, column = cell
    value = image.get_array()[row, column]
    colour = UNDEFINED_COLOUR if np.ma.is_masked(value) else image.to_rgba(value)[:3]
    return ax.text(
        *(column, row, words[row][column]),
        ha="center",
        va="center",
        color=ink_on(colour),
        size=text_size(ax),
        weight="bold" if bold[row, column] else "normal",
        in_layout=False,
        parse_math=False,
    )
