"""A matrix as coloured cells with text in them, and names along its sides."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Any

import numpy as np

from fairordinal._validation import Array
from fairordinal.plotting._canvas import (
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


def draw_cells(ax: Any, values: Array, *, cmap: Any, limits: tuple[float, float]) -> Any:
    """Colour the cells; those without a number are grey and hatched."""
    from matplotlib.patches import Rectangle

    image = ax.imshow(
        np.ma.masked_invalid(values), cmap=cmap, vmin=limits[0], vmax=limits[1], aspect="auto"
    )
    for row, column in np.argwhere(np.isnan(values)):
        corner = (column - 0.5, row - 0.5)
        ax.add_patch(Rectangle(corner, 1, 1, facecolor=NOTHING, edgecolor="black", hatch="///"))
    ax.set(xticks=range(values.shape[1]), yticks=range(values.shape[0]))
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    return image


def name_sides(ax: Any, columns: Sequence[Any], rows: Sequence[Any]) -> None:
    """Names along the sides: in lines, or upright, where they are long."""
    width, height = (SIDE * length for length in root_figure(ax).get_size_inches())
    size = 0.9 * text_size(ax)
    room = letters(0.8 * inches(ax)[0] / len(columns), size)
    names, turn = distinct_names(columns, 3 * room), 0
    if room < 8 and max(map(len, names)) > room:
        names, turn, room = distinct_names(columns, letters(height, size)), 90, 99
    ax.set_xticklabels([_lines(name, room) for name in names], rotation=turn, size=size)
    most = letters(width, size)
    lines = [_lines(name, max(most // 2, 8)) for name in distinct_names(rows, most)]
    ax.set_yticklabels(lines, size=size)
    plain(*ax.get_xticklabels(), *ax.get_yticklabels())


def _lines(name: str, width: int) -> str:
    return "\n".join(textwrap.wrap(name, width)) or " "


def write_in_cells(
    ax: Any, image: Any, choices: Sequence[Sequence[Sequence[str]]], bold: Array
) -> list[Any]:
    """Write into the cells: the first choice that fits (long, then short), or nothing."""
    settle_layout(ax)
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
