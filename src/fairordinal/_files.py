"""Files that are there as a whole or not at all."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

PARTIAL = ".part"


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file that is never seen half-written, even after a crash; text as UTF-8.

    Folders are made as needed. Where a link stands, the file that it leads to is written.
    """
    path = Path(os.path.realpath(path))
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f"{path.name[:200]}.{secrets.token_hex(8)}{PARTIAL}")
    try:
        with partial.open("xb") as file:  # readable by whom the user's umask says
            file.write(content.encode() if isinstance(content, str) else content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(partial, path)
    except OSError as error:  # of the file that was asked for, not of a partial one
        partial.unlink(missing_ok=True)
        if error.errno is None:
            raise
        raise OSError(error.errno, error.strerror, str(path)) from error
    except BaseException:
        partial.unlink(missing_ok=True)
        raise
