"""The command line: parse options, call the library, print results.

The commands are imported when they are needed, so that Ctrl-C is answered in the meantime.
"""

import sys
from typing import Any

__all__ = ["app", "main"]


def main() -> None:
    """Run the program."""
    try:
        from fairordinal.cli._commands import main as run
    except KeyboardInterrupt:
        sys.stderr.write("Stopped.\n")
        sys.exit(130)
    run()


def __getattr__(name: str) -> Any:
    if name != "app":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from fairordinal.cli._commands import app

    return app
