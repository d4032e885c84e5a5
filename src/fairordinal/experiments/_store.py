"""Finished cells, each in a file of its own; whatever kills a run, they are kept."""

from __future__ import annotations

import csv
import io
import json
import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fairordinal.experiments._cell import Cell, Row, file_name

PARTIAL = ".part"


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

    def load(self, cell: Cell) -> list[Row] | None:
        """What a cell found; None if it is not finished or its file is damaged."""
        kept = self._kept(cell)
        return None if kept is None else kept["rows"]

    def seconds(self, cell: Cell) -> float:
        """CPU seconds that a finished cell took."""
        kept = self._kept(cell)
        return float("nan") if kept is None else kept["seconds"]

    def _kept(self, cell: Cell) -> dict[str, Any] | None:
        try:
            kept = json.loads(self.path(cell).read_text())
        except (OSError, ValueError):
            return None
        same = isinstance(kept, dict) and kept.get("settings") == plain(cell.settings)
        return kept if same else None


def plain(settings: dict[str, Any]) -> dict[str, Any]:
    """Settings as they come back from a file."""
    return json.loads(json.dumps(settings))


def write_whole(path: Path, text: str) -> None:
    """Write a file that is never seen half-written, even after a crash."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, partial = tempfile.mkstemp(dir=path.parent, prefix=path.name, suffix=PARTIAL)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(partial, path)
    except BaseException:
        Path(partial).unlink(missing_ok=True)
        raise


def as_csv(rows: Sequence[Row]) -> str:
    """Tidy rows as text, with the columns of all of them."""
    columns = [*dict.fromkeys(key for row in rows for key in row)]
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()
