"""A matrix as coloured cells with text in them, and names along its sides."""

from __future__ import annotations

import math
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

NOTHING = "#9a9a9a"  # behind the hatching of what is undefined
SIDE = 0.3  # share of the picture that names along a side may take
FILLED = 0.86  # share of a cell that its text may take
MOST_DRAWN = 60  # rows and columns of cells


def check_drawn(number: int, most: int, what: str) -> None:
    """Refuse pictures that nobody can read and that take minutes."""
    if number > most:
        raise ValueError(
            f"a picture shows at most {most} {what}, got {number}. Merge some of them, or read "
            "the numbers as a frame."
        )


def draw_cells(
    ax: Any, values: Array, undefined: Array, *, cmap: Any, limits: tuple[float, float]
) -> Any:
    """Colour the cells that hold a number; those undefined are grey and hatched."""
    from matplotlib.patches import Rectangle

    image = ax.imshow(
        np.ma.masked_invalid(values), cmap=cmap, vmin=limits[0], vmax=limits[1], aspect="auto"
    )
    for row, column in np.argwhere(undefined):
        corner = (column - 0.5, row - 0.5)
        ax.add_patch(Rectangle(corner, 1, 1, facecolor=NOTHING, edgecolor="black", hatch="///"))
    ax.set(xticks=range(values.shape[1]), yticks=range(values.shape[0]))
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    return image


def name_sides(
    lowest: Sequence[Any], columns: Sequence[Any], first: Sequence[Any], rows: Sequence[Any]
) -> None:
    """Names below the lowest axes and to the left of the first: in lines, or upright, if long."""
    for _ in range(2):  # what names below take, those to the left do not have, and the other way
        for ax in first:
            name_rows(ax, rows)
        settle_layout(first[0])
        for ax in lowest:
            name_columns(ax, columns)
        settle_layout(first[0])


def name_rows(ax: Any, names: Sequence[Any]) -> None:
    """To the left, in as many lines as a row is high."""
    width, height = SIDE * root_figure(ax).get_size_inches()[0], 0.7 * inches(ax)[1] / len(names)
    size = 0.9 * text_size(ax)
    most, n_lines = letters(width, size), int(np.clip(height * POINTS / (1.3 * size), 1, 3))
    room = most if n_lines == 1 else max(most // 2, 8)
    lines = _lines(names, room, n_lines)
    ax.set_yticklabels(_thinned(lines, inches(ax)[1], size), size=size)
    plain(*ax.get_yticklabels())


def name_columns(ax: Any, names: Sequence[Any]) -> None:
    """Below, in up to three lines, or upright."""
    size = 0.9 * text_size(ax)
    room = letters(0.92 * inches(ax)[0] / len(names), size)
    upright = room < 8 and max(map(len, names_of(names))) > room
    most = letters(SIDE * root_figure(ax).get_size_inches()[1], size)
    lines = _lines(names, most, 1) if upright else _lines(names, room, 3)
    if upright:
        lines = _thinned(lines, inches(ax)[0], size)
    ax.set_xticklabels(lines, rotation=90 if upright else 0, size=size)
    plain(*ax.get_xticklabels())


def _thinned(lines: list[str], length: float, size: float) -> list[str]:
    """Every second name, or third …, where there is no place for all."""
    step = max(math.ceil(1.25 * size * len(lines) / (length * POINTS)), 1)
    return ["" if place % step else line for place, line in enumerate(lines)]


def _lines(names: Sequence[Any], width: int, n_lines: int) -> list[str]:
    """Names in so many lines at most."""
    for room in range(width * n_lines, 3, -1):  # words leave gaps at the ends of lines
        wrapped = [textwrap.wrap(name, width) or [" "] for name in distinct_names(names, room)]
        if max(map(len, wrapped)) <= n_lines:
            break
    return ["\n".join(lines) for lines in wrapped]


def write_in_cells(
    ax: Any, image: Any, choices: Sequence[Sequence[Sequence[str]]], bold: Array
) -> list[Any]:
    """Write into the cells: the first choice that fits (long, then short), or nothing.

    The layout must be settled.
    """
    box = ax.get_window_extent()
    n_rows, n_columns = bold.shape
    width, height = FILLED * box.width / n_columns, FILLED * box.height / n_rows
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
    colour = NOTHING if np.ma.is_masked(value) else image.to_rgba(value)[:3]
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
