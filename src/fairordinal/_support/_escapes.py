r"""Escape control, bidirectional and zero-width characters before text is shown.

Names of groups, labels, columns and files are untrusted input. Control characters can clear a
terminal, overwrite a line or set a title. Bidirectional characters change the order in which text
is read. Zero-width characters make different names look the same. All of them are written as
escapes (``\u001b``, ``\u202e``, ``\u200b``) in terminals, notebooks and reports.
"""

from __future__ import annotations

import unicodedata

# Unicode categories: control, format (bidirectional, zero-width), surrogate, line and paragraph
# separators.
HIDDEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}
BLANK = {*"\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0"}  # letters and marks without a glyph


class _VisibleForms(dict[int, str]):
    """Table for `str.translate` from code points to text, filled when characters occur."""

    def __missing__(self, code: int) -> str:
        letter = chr(code)
        hidden = letter in BLANK or unicodedata.category(letter) in HIDDEN
        self[code] = escaped(letter) if hidden else letter
        return self[code]


_VISIBLE_FORMS = _VisibleForms()


def escaped(letter: str) -> str:
    r"""The escape of a character in Python: ``\uXXXX`` or ``\UXXXXXXXX``."""
    code = ord(letter)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def visible(text: str) -> str:
    r"""Return text with hidden characters as escapes, line breaks included.

    Examples
    --------
    >>> from fairordinal._support import visible
    >>> print(visible("b\rPASS: fair"))
    b\u000dPASS: fair
    """
    return text.translate(_VISIBLE_FORMS)


def visible_lines(text: str) -> str:
    """Return text with hidden characters as escapes, except line feeds."""
    return "\n".join(visible(line) for line in text.split("\n"))
