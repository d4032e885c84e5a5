"""Messages about optional packages that are not installed."""

from __future__ import annotations

import importlib
from typing import Any


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
