"""Compute the cells of an experiment, in several processes, and store each in a file of its own.

Stored cells are not computed again, so that an interrupted run can be resumed. Each file has a
checksum, which protects against accidents, not against forgery. A file that was damaged or edited
is named in a warning of the logger ``fairordinal.experiments``, and its cell is computed again.
"""

from __future__ import annotations

import hashlib
import json
import logging
import tempfile
import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from sklearn.utils.parallel import Parallel, delayed

from fairordinal._support import awaited, one_thread, part, progress, show_progress, write_whole
from fairordinal.experiments._cells import ExperimentCell, Row

logger = logging.getLogger("fairordinal.experiments")


# Stored cells


class CellResult(NamedTuple):
    """Rows of a finished cell, and the CPU seconds that they took."""

    rows: list[Row]
    seconds: float


@dataclass(frozen=True)
class Store:
    """A folder of finished cells."""

    folder: Path

    def path(self, cell: ExperimentCell) -> Path:
        return self.folder / "cells" / file_name(cell)

    def save(self, cell: ExperimentCell, rows: Sequence[Row], seconds: float) -> None:
        """Write the file of a cell; it is never seen half-written."""
        found = _as_read({"settings": cell.settings, "seconds": seconds, "rows": rows})
        write_whole(self.path(cell), json.dumps(found | {"checksum": _checksum(found)}, indent=1))

    def load(self, cell: ExperimentCell) -> CellResult | None:
        """Return the result of a cell; None if there is no file or, with a warning, a wrong one."""
        path = self.path(cell)
        try:
            found = _read_checked(path)
            if found["settings"] != _as_read(cell.settings):
                raise ValueError("its settings are those of another cell")
            return CellResult(found["rows"], found["seconds"])
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, RecursionError) as error:
            logger.warning("%s is not used, and its cell is computed again: %s.", path, error)
            return None


def file_name(cell: ExperimentCell) -> str:
    """Return the title of a cell with a hash of its settings."""
    return f"{cell.title.replace(' ', '-')}-{_checksum(cell.settings)[:12]}.json"


def _read_checked(path: Path) -> dict[str, Any]:
    """Return the content of a file without its checksum; ValueError if that is wrong."""
    found = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(found, dict) or "checksum" not in found:
        raise ValueError("it has no checksum")
    if found.pop("checksum") != _checksum(found):
        raise ValueError("it was damaged or edited: its checksum differs")
    return found


def _checksum(found: dict[str, Any]) -> str:
    """Return the SHA-256 of the content, independent of its layout and the order of fields."""
    return hashlib.sha256(json.dumps(found, sort_keys=True).encode()).hexdigest()


def _as_read(content: dict[str, Any]) -> dict[str, Any]:
    """Return content as it is read back from a file: tuples become lists, for example."""
    return json.loads(json.dumps(content))


def check_folder(folder: Path) -> Path:
    """Create a folder if needed, and check that files can be written to it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except OSError as error:
        why = error.strerror or str(error)
        raise OSError(
            f"out must be a folder that can be written to, got {str(folder)!r}: {why}."
        ) from error


# Runs


class Failure(NamedTuple):
    """A cell that raised an error; the next run tries it again."""

    title: str
    why: str


@dataclass(frozen=True)
class Outcome:
    """Rows of all finished cells, and errors of the others."""

    rows: list[Row]
    failures: list[Failure]  # a list, because cells may have the same title
    seconds: float  # of CPU time, including earlier runs


def run(cells: Sequence[ExperimentCell], store: Store, *, n_jobs: int = 1) -> Outcome:
    """Compute the cells that are not in the store, and return the results of all cells."""
    missing = [cell for cell in cells if store.load(cell) is None]
    failures = []
    done = len(cells) - len(missing)
    with progress("cells"):
        with part(done / max(len(cells), 1)):  # by earlier runs
            work = Parallel(n_jobs=n_jobs, return_as="generator_unordered")
        results = work(delayed(finish)(cell, store) for cell in missing)
        for title, why in awaited(results, len(missing), "part"):
            if why:
                failures.append(Failure(title, why))
    results = [result for cell in cells if (result := store.load(cell))]
    rows = [row for result in results for row in result.rows]
    return Outcome(rows, failures, sum(result.seconds for result in results))


@one_thread
def finish(cell: ExperimentCell, store: Store) -> tuple[str, str]:
    """Compute and store a cell; return its title and an error message, or an empty string."""
    start = time.process_time()
    try:
        with warnings.catch_warnings(), show_progress(False):
            warnings.simplefilter("ignore")
            rows = cell.rows()
    except Exception as error:  # one cell must not end the others
        return cell.title, f"{type(error).__name__}: {error}"
    store.save(cell, rows, time.process_time() - start)
    return cell.title, ""
