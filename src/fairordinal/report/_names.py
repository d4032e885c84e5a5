r"""Names of groups and labels, fit to be shown: nothing invisible, nothing that runs away.

Hidden characters are written out (``\u202e``), so that two names that differ look different; names
written from right to left are isolated from the text around them.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import Any, NamedTuple

from fairordinal import _escapes
from fairordinal._render import names_of
from fairordinal.plotting import distinct_names

WIDTH = 28  # of a name in a chart, a header or a list
RIGHT_TO_LEFT = {"R", "AL", "AN"}
EMPTY = "(empty)"
UNBROKEN = "…\u2060"  # where a name is shortened no line ends


class Name(NamedTuple):
    """A name in full, and as there is room for."""

    whole: str
    short: str


def shown(names: Sequence[Any], width: int = WIDTH) -> list[Name]:
    """Names of groups or labels; short ones stay distinct."""
    whole = [visible(name) for name in names_of(names)]
    if len(set(whole)) < len(whole):
        whole = [f"{name} ({i + 1})" for i, name in enumerate(whole)]
    pairs = zip(whole, distinct_names(whole, width), strict=True)
    return [
        Name(isolated(w), isolated(s if s == w else s.replace("…", UNBROKEN))) for w, s in pairs
    ]


def plural(count: int, word: str) -> str:
    """So many of something."""
    return f"{count:,} {word}" if count == 1 else f"{count:,} {word}s"


def text(value: Any) -> str:
    """Any text of the user: visible, and isolated."""
    return isolated(visible(str(value)))


def visible(name: str) -> str:
    """A name with what cannot be seen written out."""
    if not name.strip():
        return EMPTY if not name else repr(name)
    return _escapes.visible(name)


def isolated(name: str) -> str:
    """Text that does not turn the direction of its surroundings."""
    turned = any(unicodedata.bidirectional(letter) in RIGHT_TO_LEFT for letter in name)
    return f"\u2068{name}\u2069" if turned else name
