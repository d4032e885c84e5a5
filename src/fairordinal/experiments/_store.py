"""Finished cells, each in a file of its own; whatever kills a run, they are kept.

A file has a checksum of what it says. One that was damaged or edited is named in a warning of the
logger ``fairordinal.experiments``, and its cell is computed again. The checksum is no secret: it
guards against accidents, not against forgers.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import logging
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from fairordinal._files import write_whole
from fairordinal.experiments._cell import Cell, Row, file_name

logger = logging.getLogger("fairordinal.experiments")


class Kept(NamedTuple):
    """What a cell found, and the CPU seconds that it took."""

    rows: list[Row]
    seconds: float


@dataclass(frozen=True)
class Store:
    """A folder of finished cells."""

    folder: Path

    def path(self, cell: Cell) -> Path:
        return self.folder / "cells" / file_name(cell)

    def save(self, cell: Cell, rows: Sequence[Row], seconds: float) -> None:
        """Keep what a cell found; the file is there as a whole or not at all."""
        found = plain({"settings": cell.settings, "seconds": seconds, "rows": rows})
        write_whole(self.path(cell), json.dumps(found | {"checksum": checksum(found)}, indent=1))

    def load(self, cell: Cell) -> Kept | None:
        """What a cell found; None if it is not finished, or, with a warning, its file damaged."""
        path = self.path(cell)
        try:
            found = read_checked(path)
            if found["settings"] != plain(cell.settings):
                raise ValueError("its settings are those of another cell")
            return Kept(found["rows"], found["seconds"])
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, RecursionError) as error:
            logger.warning("%s is not used, and its cell is computed again: %s.", path, error)
            return None


def read_checked(path: Path) -> dict[str, Any]:
    """What the file of a cell says, if that has its checksum."""
    found = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(found, dict) or "checksum" not in found:
        raise ValueError("it has no checksum")
    if found.pop("checksum") != checksum(found):
        raise ValueError("it was damaged or edited, for its checksum differs")
    return found


def checksum(found: dict[str, Any]) -> str:
    """SHA-256 of what a file says, whatever its layout and the order of its fields."""
    return hashlib.sha256(json.dumps(found, sort_keys=True).encode()).hexdigest()


def plain(content: dict[str, Any]) -> dict[str, Any]:
    """Content as it comes back from a file."""
    return json.loads(json.dumps(content))


def check_folder(folder: Path) -> Path:
    """A folder that files can be written to; made if it is not there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except OSError as error:
        why = error.strerror or str(error)
        raise OSError(
            f"out must be a folder that can be written to, got {str(folder)!r}: {why}."
        ) from error


def as_csv(rows: Sequence[Row]) -> str:
    """Tidy rows as text, with the columns of all of them."""
    columns = [*dict.fromkeys(key for row in rows for key in row)]
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()
