"""Rows in blocks of Dask.

A pass is one task for each block, followed by a tree of sums; rows do not leave their worker. Dask
is an optional dependency. The user chooses the scheduler: threads of this process, or a cluster.
Blocks that are not persisted are computed again in each pass, so that rows on disk need no more
memory than the blocks that are processed at the same time. Work that takes very many passes over
rows of a single block is sent to the block as one task (`on_site`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError
from dataclasses import dataclass, replace
from typing import Any, Self, TypeVar, cast

import numpy as np

from fairordinal._rows._block import Block, Part, Rows
from fairordinal._rows._features import Features
from fairordinal._rows._folds import fold_numbers, rows_by_label, sample_positions
from fairordinal._support import advance
from fairordinal._validation import Array

BRANCHES = 8  # tables that one task adds up
WAITING = 8  # threads of the client that wait for passes on a cluster

Result = TypeVar("Result")


@dataclass(frozen=True, eq=False)
class DaskRows(Rows):
    """Rows in blocks that are computed when they are needed."""

    blocks: Sequence[Any]  # delayed, each a `Block`
    label_counts: Array  # (n_blocks, n_labels)
    scaled: Features  # means and spreads
    n_groups: int
    n_labels: int
    one: float = 1.0

    @property
    def scaling(self) -> Features:
        return self.scaled

    @property
    def n_rows(self) -> int:
        return int(self.label_counts.sum())

    @property
    def in_one_block(self) -> bool:
        return len(self.blocks) == 1

    def reduce(
        self, work: Callable[..., Part], add: Callable[[Sequence[Part]], Part], *arguments: Any
    ) -> Part:
        return one_pass(self.blocks, work, add, *arguments)

    def workers(self, n_jobs: int | None) -> dict[str, Any]:
        """Options of joblib's Parallel: threads, which only wait if a cluster does the work."""
        return {"n_jobs": n_jobs or (WAITING if on_a_cluster() else None), "prefer": "threads"}

    def whole(self) -> Block:
        raise ValueError(
            "rows of Dask are not loaded into memory, but this needs all of them: "
            "loss='squared_hinge' sorts them, and cv other than a number lists them. Use another "
            "loss and a number of folds, or .compute() the rows first."
        )

    def stratified(self, n_folds: int, seed: int) -> list[tuple[Rows, Rows]]:
        """Folds of rows in one block, made on its worker; rows in more blocks are sampled first."""
        import dask

        (block,) = self.blocks
        fold = dask.delayed(_fold_numbers)(block, n_folds, seed)
        counts = compute(dask.delayed(_counts_by_fold)(block, fold, n_folds))
        return [
            (
                self._subset(
                    dask.delayed(_outside)(block, fold, f), counts.sum(axis=0) - counts[f]
                ),
                self._subset(dask.delayed(_inside)(block, fold, f), counts[f]),
            )
            for f in range(n_folds)
        ]

    def _subset(self, block: Any, counts: Array) -> DaskRows:
        return replace(self, blocks=[block], label_counts=counts[None])

    def mapped(self, work: Callable[[Features], Features], n_features: int) -> Self:
        import dask

        task = _delayed_task(_mapped, (work, n_features))
        blocks = [dask.delayed(_run_task)(task, block) for block in self.blocks]
        scaled = Features(None, np.zeros(n_features), np.ones(n_features))
        return replace(self, blocks=blocks, scaled=scaled)

    def sample(self, most: int) -> Rows:
        """A sample of the rows, persisted in one block, because many passes will go over it.

        Only sampled rows are sent, from worker to worker.
        """
        import dask

        stops = np.cumsum(self.label_counts.sum(axis=1)).tolist()
        taken = [
            dask.delayed(_sampled)(block, start, stop, self.n_rows, most)
            for block, start, stop in zip(self.blocks, [0, *stops], stops, strict=False)
        ]
        (block,) = dask.persist(dask.delayed(_concatenated)(taken))
        counts = compute(dask.delayed(rows_by_label)(block))[None]
        return replace(self, blocks=[block], label_counts=counts)


def _mapped(block: Block, work: Callable[[Features], Features], n_features: int) -> Rows:
    return block.mapped(work, n_features)


def _fold_numbers(block: Block, n_folds: int, seed: int) -> Array:
    return fold_numbers(block.cells, n_folds, seed)


def _counts_by_fold(block: Block, fold: Array, n_folds: int) -> Array:
    """Number of rows by fold and label."""
    at = fold * block.n_labels + block.labels
    return np.bincount(at, minlength=n_folds * block.n_labels).reshape(n_folds, -1)


def _outside(block: Block, fold: Array, number: int) -> Block:
    return block.take(np.flatnonzero(fold != number))


def _inside(block: Block, fold: Array, number: int) -> Block:
    return block.take(np.flatnonzero(fold == number))


def _sampled(block: Block, start: int, stop: int, n_rows: int, most: int) -> Block:
    return block.take(sample_positions(start, stop, n_rows, most)).alone()


def _concatenated(blocks: Sequence[Block]) -> Block:
    """One block with the rows of several, in their order."""
    first = blocks[0]
    X = np.concatenate([block.features.X for block in blocks])
    cells = np.concatenate([block.cells for block in blocks])
    weight = np.concatenate([block.weight for block in blocks])
    features = first.features._replace(X=X)
    return replace(first, features=features, cells=cells, weight=weight, _last_scores={})


def one_pass(
    parts: Sequence[Any],
    work: Callable[..., Part],
    add: Callable[[Sequence[Part]], Part],
    *arguments: Any,
) -> Part:
    """``work(part, *arguments)`` for every part, added up in a tree."""
    import dask

    task = _delayed_task(work, arguments)
    found = [dask.delayed(_run_task)(task, part) for part in parts]
    while len(found) > 1:
        found = [
            dask.delayed(add)(found[start : start + BRANCHES])
            for start in range(0, len(found), BRANCHES)
        ]
    advance(note=f"{_readable_name(work)} of {len(parts)} blocks")
    return compute(found[0])


def _readable_name(work: Callable[..., Any]) -> str:
    """Name of a function as words, for progress messages."""
    return work.__name__.strip("_").replace("_", " ")


def on_site(work: Callable[..., Result], rows: Sequence[Rows], *arguments: Any) -> Result:
    """Compute ``work(*rows, *arguments)`` where the rows are.

    If each of the `rows` is in one block of a cluster, this is one task there, instead of one for
    each pass. `work` then gets blocks in memory.
    """
    blocks = [each.blocks[0] for each in rows if isinstance(each, DaskRows) and each.in_one_block]
    if len(blocks) < len(rows):
        return work(*rows, *arguments)
    if not on_a_cluster():
        return work(*compute(blocks), *arguments)
    import dask

    advance(note=f"{_readable_name(work)} of {rows[0].n_rows:,} rows")
    return cast(Result, compute(dask.delayed(_run_task)(_delayed_task(work, arguments), *blocks)))


def on_a_cluster() -> bool:
    """Whether the tasks run on the cluster of a client, and not in this process."""
    from dask.base import get_scheduler

    return hasattr(get_scheduler(), "__self__")  # a method of the client


def compute(value: Any) -> Any:
    """Compute a delayed value; the error for a lost cluster says what to do."""
    import dask

    try:
        return dask.compute(value)[0]
    except (OSError, TimeoutError, CancelledError) as error:
        raise RuntimeError(
            f"the Dask cluster was lost, or its data could not be read ({error!r:.200}). Nothing "
            "was learned; check the cluster and fit again."
        ) from error


@dataclass(frozen=True)
class _Task:
    """A function and its arguments, sent once for all blocks."""

    work: Callable[..., Any]
    arguments: tuple[Any, ...]


def _delayed_task(work: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    import dask

    return dask.delayed(_Task(work, arguments), traverse=False, pure=False)


def _run_task(task: _Task, *parts: Any) -> Any:
    return task.work(*parts, *task.arguments)
