"""A note beside a point, where it covers no other."""

from __future__ import annotations

from typing import Any

import numpy as np

from fairordinal._validation import Array
from fairordinal.plotting._canvas import ink, settle_layout, text_size

OFFSETS = [
    (across * reach, up * reach)
    for reach in (12, 24, 40)
    for across, up in ((1, 1), (1, 0), (0, 1.4), (-1, 1), (-1, 0), (1, -1), (0, -1.4), (-1, -1))
]
SIDES = {-1: "right", 0: "center", 1: "left"}
LEVELS = {-1: "top", 0: "center", 1: "bottom"}


def add_note(ax: Any, at: tuple[float, float], words: str, points: Array) -> Any:
    """Write beside a point, in the first of many places that covers least."""
    settle_layout(ax)
    note = ax.annotate(
        words,
        at,
        xytext=OFFSETS[0],
        textcoords="offset points",
        size=0.85 * text_size(ax),
        color=ink(ax),
        zorder=6,
        arrowprops={"arrowstyle": "-", "lw": 0.6, "color": ink(ax)},
        bbox={"boxstyle": "round,pad=0.2", "fc": ax.get_facecolor(), "ec": "none", "alpha": 0.8},
        in_layout=False,
    )
    marks = ax.transData.transform(points)
    _move(note, min(OFFSETS, key=lambda offset: _covered(ax, note, offset, marks)))
    return note


def _move(note: Any, offset: tuple[float, float]) -> None:
    note.set(position=offset, ha=SIDES[int(np.sign(offset[0]))], va=LEVELS[int(np.sign(offset[1]))])


def _covered(ax: Any, note: Any, offset: tuple[float, float], marks: Array) -> float:
    """How much a note would hide there: points, and itself outside of the axes."""
    from matplotlib.text import Text

    _move(note, offset)
    note.get_window_extent()  # moves it
    box = Text.get_window_extent(note).padded(6)  # without its arrow
    frame = ax.get_window_extent()
    outside = sum(
        max(0.0, beyond)
        for beyond in (frame.x0 - box.x0, box.x1 - frame.x1, frame.y0 - box.y0, box.y1 - frame.y1)
    )
    within = (marks >= box.min) & (marks <= box.max)
    return 10.0 * outside + float(within.all(axis=1).sum())
