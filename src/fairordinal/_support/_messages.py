r"""Messages to users: escapes of hidden characters, warnings, and missing packages.

Names of groups, labels, columns and files are untrusted input. Control characters can clear a
terminal, overwrite a line or set a title. Bidirectional characters change the order in which text
is read. Zero-width characters make different names look the same. All of them are written as
escapes (``\u001b``, ``\u202e``, ``\u200b``) in terminals, notebooks and reports.

Warnings point to the line that called this package.
"""

from __future__ import annotations

import importlib
import sys
import unicodedata
import warnings
from types import FrameType
from typing import Any

# Unicode categories: control, format (bidirectional, zero-width), surrogate, line and paragraph
# separators.
HIDDEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}
BLANK = {*"\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0"}  # letters and marks without a glyph
PACKAGE = __name__.partition(".")[0]
# Libraries that this package calls and that call it back: decorators, parallel loops, pipelines.
CALL_BACK = ("contextlib", "functools", "joblib", "sklearn")


# Hidden characters


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


# Warnings and missing packages


class ResultWarning(UserWarning):
    """A result is of little use, or does not keep the limit that was asked for."""


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn about the line that called this package, however deep inside the warning arises."""
    warnings.warn(message, category, stacklevel=_levels_inside() + 1)


def _levels_inside() -> int:
    """Number of frames from `warn` to the outermost one of this package, both included.

    Frames of `CALL_BACK` count if they stand between two frames of the package. Those further
    outside do not: if scikit-learn's `cross_validate` calls `fit`, that is the call to point to.
    """
    frame: FrameType | None = sys._getframe(1)
    level = inside = 0
    while frame is not None and (package := _package_of(frame)) in (PACKAGE, *CALL_BACK):
        level += 1
        if package == PACKAGE:
            inside = level
        frame = frame.f_back
    return inside


def _package_of(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__", "")).partition(".")[0]


def optional(module: str, purpose: str, extra: str) -> Any:
    """Import a module, or say what needs it and how to install it."""
    try:
        return importlib.import_module(module)
    except (ImportError, OSError) as error:
        package = module.partition(".")[0]
        message = f"{purpose} needs {package}; install it with `pip install fairordinal[{extra}]`."
        if isinstance(error, OSError):  # a shared library that the package needs
            message = f"{purpose} needs {package}, which is installed but cannot be loaded: {error}"
        raise ImportError(message) from error
