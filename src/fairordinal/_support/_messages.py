"""Warnings that point to the caller's line, and errors about packages that are not installed."""

from __future__ import annotations

import importlib
import sys
import warnings
from types import FrameType
from typing import Any

PACKAGE = __name__.partition(".")[0]
# Libraries that this package calls and that call it back: decorators, parallel loops, pipelines.
CALL_BACK = ("contextlib", "functools", "joblib", "sklearn")


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
