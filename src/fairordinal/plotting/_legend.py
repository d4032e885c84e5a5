"""A legend above the data, never upon it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from fairordinal.plotting._canvas import distinct_names, inches, letters, plain, text_size

HANDLE = 5  # letters that a mark takes
BETWEEN = 2  # and the space between two columns


class Entry(NamedTuple):
    """A name and how its line or mark looks; several looks are shown side by side."""

    name: str
    look: dict[str, Any]
    others: tuple[dict[str, Any], ...] = ()


def add_legend(ax: Any, entries: Sequence[Entry]) -> Any:
    """Marks and names above the axes, in as many columns as fit."""
    from matplotlib.legend_handler import HandlerTuple
    from matplotlib.lines import Line2D

    if not entries:
        return None
    size = 0.85 * text_size(ax)
    room = letters(0.85 * inches(ax)[0], size)
    names = distinct_names([entry.name for entry in entries], room - HANDLE)
    handles = [
        tuple(Line2D([], [], **look) for look in (entry.look, *entry.others)) for entry in entries
    ]
    legend = ax.legend(
        handles,
        [name if not name.startswith("_") else f"\u200b{name}" for name in names],
        handler_map={tuple: HandlerTuple(ndivide=None, pad=0.5)},
        loc="lower left",
        bbox_to_anchor=(0.0, 1.0),
        ncols=_columns(names, room),
        fontsize=size,
        frameon=False,
        borderaxespad=0.3,
        columnspacing=1.2,
    )
    plain(*legend.get_texts())
    return legend


def _columns(names: Sequence[str], room: int) -> int:
    """The most columns that fit side by side, each as wide as its longest name."""
    widths = [len(name) + HANDLE + BETWEEN for name in names]
    for n_columns in range(len(names), 1, -1):
        columns = np.array_split(widths, n_columns)  # as matplotlib fills them
        if sum(int(column.max()) for column in columns) <= room + BETWEEN:
            return n_columns
    return 1
