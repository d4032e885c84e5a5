r"""Text from files and models, safe to show: characters that cannot be seen are written out.

Names of groups, labels, columns and files come from strangers. Control characters can clear a
terminal, overwrite a line or set a title; bidirectional ones change the order in which text is
read; zero-width ones make different names look the same. All of them are written as escapes
(``\u001b``, ``\u202e``, ``\u200b``) wherever text is shown: terminal, notebook and report.
"""

from __future__ import annotations

import unicodedata

# categories of Unicode: controls, formats (bidirectional, zero-width), half characters, separators
HIDDEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}
BLANK = {*"\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0"}  # letters and marks without a shape


class _Shown(dict[int, str]):
    """What is shown for each character, filled as characters occur."""

    def __missing__(self, code: int) -> str:
        letter = chr(code)
        hidden = letter in BLANK or unicodedata.category(letter) in HIDDEN
        self[code] = escaped(letter) if hidden else letter
        return self[code]


_SHOWN = _Shown()


def escaped(letter: str) -> str:
    """A character by its number."""
    code = ord(letter)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def visible(text: str) -> str:
    r"""Text in one line, with hidden characters written as escapes.

    Examples
    --------
    >>> from fairordinal._escapes import visible
    >>> print(visible("b\rPASS: fair"))
    b\u000dPASS: fair
    """
    return text.translate(_SHOWN)


def visible_lines(text: str) -> str:
    """Lines with hidden characters written as escapes; a line feed ends a line."""
    return "\n".join(visible(line) for line in text.split("\n"))
