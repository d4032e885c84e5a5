"""Axes, ink and text: what all displays share.

Matplotlib is imported when something is drawn, not before. Names are shown as they are, never
read as formulas; colours of text follow the background.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Any

import numpy as np

from fairordinal._render import clip, names_of

LETTER = 0.6  # width of a letter, in units of its size
POINTS = 72.0  # per inch
ROOMY = 4.0  # inches of a picture at which text has its full size


def pyplot() -> Any:
    """Matplotlib's pyplot, or a word on how to get it."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError("Pictures need matplotlib: pip install fairordinal[plot].") from error
    return plt


def axes_for(ax: Any) -> Any:
    """The axes given, or those of a new figure that keeps all text inside."""
    return pyplot().subplots(layout="constrained")[1] if ax is None else ax


def root_figure(ax: Any) -> Any:
    """The whole figure that the axes are part of."""
    return ax.figure.canvas.figure


def settle_layout(ax: Any) -> None:
    """Find the places that the axes will have when drawn."""
    root_figure(ax).draw_without_rendering()


def inches(ax: Any) -> tuple[float, float]:
    """Width and height of the axes, as far as they are settled."""
    box = ax.get_window_extent()
    return box.width / ax.figure.dpi, box.height / ax.figure.dpi


def text_size(ax: Any) -> float:
    """Size of the letters: that of the settings, less in a small picture."""
    least = min(root_figure(ax).get_size_inches())
    return float(pyplot().rcParams["font.size"]) * float(np.clip(least / ROOMY, 0.6, 1.0))


def letters(length: float, size: float) -> int:
    """How many letters fit into so many inches."""
    return max(int(length * POINTS / (LETTER * size)), 4)


def luminance(colour: Any) -> float:
    """How light a colour is, from 0 to 1."""
    from matplotlib.colors import to_rgb

    return float(np.dot(to_rgb(colour), (0.299, 0.587, 0.114)))


def ink_on(colour: Any) -> str:
    """Black or white, whichever can be read on a colour."""
    return "black" if luminance(colour) > 0.5 else "white"


def ink(ax: Any) -> Any:
    """Black or white, whichever can be read on the axes."""
    for paper in (ax.get_facecolor(), ax.figure.get_facecolor()):
        if len(paper) < 4 or paper[3] > 0:
            return ink_on(paper)
    return pyplot().rcParams["text.color"]


def plain(*texts: Any) -> None:
    """Show texts as they are: a dollar sign is no formula."""
    for text in texts:
        text.set_parse_math(False)


def set_names(ax: Any, *, x: str = "", y: str = "", title: str = "") -> None:
    """Names of the axes and of the picture, in letters that fit its size."""
    size = text_size(ax)
    width = letters(0.85 * root_figure(ax).get_size_inches()[0], size)
    plain(
        ax.set_xlabel(x, size=size),
        ax.set_ylabel(y, size=size),
        ax.set_title("\n".join(textwrap.wrap(title, width)), size=size),
    )
    ax.tick_params(labelsize=0.9 * size)


def distinct_names(names: Sequence[Any], width: int) -> list[str]:
    """Names of limited width; numbered, where they would look alike."""
    whole = names_of(names)
    short = [clip(name, width) for name in whole]
    if len(set(short)) == len(set(whole)):
        return short
    return [f"{i + 1}: {clip(name, max(width - 4, 4))}" for i, name in enumerate(whole)]


def fit(texts: Sequence[Any], width: float, height: float, *, least: float = 4.5) -> bool:
    """Make texts small enough for a box of so many pixels; False if they would be illegible."""
    boxes = [text.get_window_extent() for text in texts if text.get_text()]
    if not boxes:
        return True
    scale = min(
        width / max(box.width for box in boxes), height / max(box.height for box in boxes), 1.0
    )
    for text in texts:
        text.set_size(text.get_size() * scale)
    return bool(texts[0].get_size() >= least)
