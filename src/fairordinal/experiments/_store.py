"""Finished cells, each in a file of its own; whatever kills a run, they are kept."""

from __future__ import annotations

import csv
import io
import json
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from fairordinal._files import write_whole
from fairordinal.experiments._cell import Cell, Row, file_name


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
        found = {"settings": cell.settings, "seconds": seconds, "rows": rows}
        write_whole(self.path(cell), json.dumps(found, indent=1))

    def load(self, cell: Cell) -> Kept | None:
        """What a cell found; None if it is not finished or its file is damaged."""
        try:
            found = json.loads(self.path(cell).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        whole = isinstance(found, dict) and {"settings", "seconds", "rows"} <= found.keys()
        if not whole or found["settings"] != plain(cell.settings):
            return None
        return Kept(found["rows"], found["seconds"])


def plain(settings: dict[str, Any]) -> dict[str, Any]:
    """Settings as they come back from a file."""
    return json.loads(json.dumps(settings))


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
