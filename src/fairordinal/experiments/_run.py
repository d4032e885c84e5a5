"""Compute the cells that are not finished yet, several at once."""

from __future__ import annotations

import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass

from sklearn.utils.parallel import Parallel, delayed

from fairordinal._progress import progress_bar, show_progress
from fairordinal._threads import one_thread
from fairordinal.experiments._cell import Cell, Row
from fairordinal.experiments._store import Store


@dataclass(frozen=True)
class Outcome:
    """All rows of the finished cells, and why the others are not finished."""

    rows: list[Row]
    failures: dict[str, str]
    seconds: float  # of CPU time, whenever it was spent


def run(cells: Sequence[Cell], store: Store, *, n_jobs: int = 1) -> Outcome:
    """Finish the cells; those found in the store are not computed again."""
    missing = [cell for cell in cells if store.load(cell) is None]
    failures = {}
    with progress_bar("cells", len(cells), done=len(cells) - len(missing)) as advance:
        work = Parallel(n_jobs=n_jobs, return_as="generator_unordered")
        for title, failure in work(delayed(finish)(cell, store) for cell in missing):
            advance(title)
            if failure:
                failures[title] = failure
    found = [store.load(cell) for cell in cells]
    seconds = [
        store.seconds(cell) for cell, rows in zip(cells, found, strict=True) if rows is not None
    ]
    return Outcome([row for rows in found for row in rows or []], failures, sum(seconds))


@one_thread
def finish(cell: Cell, store: Store) -> tuple[str, str]:
    """Compute a cell and keep it; its title, and what went wrong or nothing."""
    start = time.process_time()
    try:
        with warnings.catch_warnings(), show_progress(False):
            warnings.simplefilter("ignore")
            rows = cell.rows()
    except Exception as error:  # one cell must not end the others
        return cell.title, f"{type(error).__name__}: {error}"
    store.save(cell, rows, time.process_time() - start)
    return cell.title, ""
