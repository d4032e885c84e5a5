"""What commands write: notes for people, JSON for programs."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import typer

from fairordinal._files import write_whole


def wanted(quiet: bool) -> bool:
    """Whether progress is shown: to people, not to files."""
    return not quiet and sys.stderr.isatty()


def say(notes: Sequence[str], quiet: bool) -> None:
    """Notes on standard error, so that standard output can be piped."""
    for note in notes:
        if note and not quiet:
            typer.echo(f"Note: {note}", err=True)


def write_json(path: Path, content: Any) -> None:
    """Numbers as JSON; what is undefined is null."""
    write_whole(path, json.dumps(plain(content), indent=2, ensure_ascii=False) + "\n")


def plain(content: Any) -> Any:
    """Of what JSON knows: no arrays, no tuples, no nan."""
    if isinstance(content, dict):
        return {str(key): plain(value) for key, value in content.items()}
    if isinstance(content, list | tuple | np.ndarray):
        return [plain(value) for value in content]
    if isinstance(content, np.generic):
        return plain(content.item())
    if isinstance(content, float) and not math.isfinite(content):
        return None if math.isnan(content) else ("inf" if content > 0 else "-inf")
    return content
