"""Rows in blocks of Dask: a pass is one task a block and a tree of sums; rows stay where they are.

Dask is an optional dependency; its scheduler — threads of this process, or a cluster — is the
caller's choice. Blocks that are not persisted are made again by each pass: what is read from disk
needs no more memory than the blocks at work. What takes very many passes over rows in one block
goes there as one task.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError
from dataclasses import dataclass, replace
from typing import Any, Self, TypeVar, cast

import numpy as np

from fairordinal._progress import progress
from fairordinal._rows._block import Block
from fairordinal._rows._features import Features
from fairordinal._rows._folds import fold_numbers, rows_by_label, spaced
from fairordinal._rows._rows import Part, Rows
from fairordinal._validation import Array

BRANCHES = 8  # tables that are added up by one task
WAITING = 8  # threads of the client that wait for passes

Result = TypeVar("Result")


@dataclass(frozen=True, eq=False)
class DaskRows(Rows):
    """Rows in blocks that are made when they are needed."""

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
        """Threads; on a cluster they only wait, one for each part, as the work is done there."""
        return {"n_jobs": n_jobs or (WAITING if on_a_cluster() else None), "prefer": "threads"}

    def whole(self) -> Block:
        raise ValueError(
            "rows of Dask stay where they are, but this needs them in memory: "
            "loss='squared_hinge' sorts them, and cv other than a number lists them. Take another "
            "loss and a number of folds, or .compute() the rows first."
        )

    def stratified(self, n_folds: int, seed: int) -> list[tuple[Rows, Rows]]:
        """Folds of rows in one block, made where it is; of more rows a sample has to be taken."""
        import dask

        (block,) = self.blocks
        fold = dask.delayed(_fold_numbers)(block, n_folds, seed)
        counts = compute(dask.delayed(_counts_by_fold)(block, fold, n_folds))
        return [
            (
                self._part(dask.delayed(_outside)(block, fold, f), counts.sum(axis=0) - counts[f]),
                self._part(dask.delayed(_inside)(block, fold, f), counts[f]),
            )
            for f in range(n_folds)
        ]

    def _part(self, block: Any, counts: Array) -> DaskRows:
        return replace(self, blocks=[block], label_counts=counts[None])

    def mapped(self, work: Callable[[Features], Features], n_features: int) -> Self:
        import dask

        told = _told(_mapped, (work, n_features))
        blocks = [dask.delayed(_work)(told, block) for block in self.blocks]
        scaled = Features(None, np.zeros(n_features), np.ones(n_features))
        return replace(self, blocks=blocks, scaled=scaled)

    def sample(self, most: int) -> Rows:
        """The rows that stand for all, persisted in one block: they are passed over many times.

        They are all that ever moves, and only between workers.
        """
        import dask

        stops = np.cumsum(self.label_counts.sum(axis=1)).tolist()
        taken = [
            dask.delayed(_sampled)(block, start, stop, self.n_rows, most)
            for block, start, stop in zip(self.blocks, [0, *stops], stops, strict=False)
        ]
        (block,) = dask.persist(dask.delayed(_merged)(taken))
        counts = compute(dask.delayed(rows_by_label)(block))[None]
        return replace(self, blocks=[block], label_counts=counts)


def _mapped(block: Block, work: Callable[[Features], Features], n_features: int) -> Rows:
    return block.mapped(work, n_features)


def _fold_numbers(block: Block, n_folds: int, seed: int) -> Array:
    return fold_numbers(block.cells, n_folds, seed)


def _counts_by_fold(block: Block, fold: Array, n_folds: int) -> Array:
    """Rows by fold and label."""
    at = fold * block.n_labels + block.labels
    return np.bincount(at, minlength=n_folds * block.n_labels).reshape(n_folds, -1)


def _outside(block: Block, fold: Array, number: int) -> Block:
    return block.take(np.flatnonzero(fold != number))


def _inside(block: Block, fold: Array, number: int) -> Block:
    return block.take(np.flatnonzero(fold == number))


def _sampled(block: Block, start: int, stop: int, n_rows: int, most: int) -> Block:
    return block.take(spaced(start, stop, n_rows, most)).alone()


def _merged(blocks: Sequence[Block]) -> Block:
    """One block of several, in their order."""
    first = blocks[0]
    X = np.concatenate([block.features.X for block in blocks])
    cells = np.concatenate([block.cells for block in blocks])
    weight = np.concatenate([block.weight for block in blocks])
    features = first.features._replace(X=X)
    return replace(first, features=features, cells=cells, weight=weight, _known={})


def one_pass(
    parts: Sequence[Any],
    work: Callable[..., Part],
    add: Callable[[Sequence[Part]], Part],
    *arguments: Any,
) -> Part:
    """``work(part, *arguments)`` of every part, added up as a tree."""
    import dask

    told = _told(work, arguments)
    found = [dask.delayed(_work)(told, part) for part in parts]
    while len(found) > 1:
        found = [
            dask.delayed(add)(found[start : start + BRANCHES])
            for start in range(0, len(found), BRANCHES)
        ]
    with progress("rows") as say:
        if say is not None:
            say(f"{_spoken(work)} of {len(parts)} blocks")
        return compute(found[0])


def _spoken(work: Callable[..., Any]) -> str:
    return work.__name__.strip("_").replace("_", " ")


def on_site(work: Callable[..., Result], rows: Sequence[Rows], *arguments: Any) -> Result:
    """``work(*rows, *arguments)``, as one task if the rows are in one block somewhere."""
    blocks = [each.blocks[0] for each in rows if isinstance(each, DaskRows) and each.in_one_block]
    if len(blocks) < len(rows):
        return work(*rows, *arguments)
    if not on_a_cluster():
        return work(*compute(blocks), *arguments)
    import dask

    with progress("rows") as say:
        if say is not None:
            say(f"{_spoken(work)} of {rows[0].n_rows:,} rows in one place")
        return cast(Result, compute(dask.delayed(_work)(_told(work, arguments), *blocks)))


def on_a_cluster() -> bool:
    """Whether a client's cluster does the work, and not this process."""
    from dask.base import get_scheduler

    return hasattr(get_scheduler(), "__self__")  # a method of the client


def compute(value: Any) -> Any:
    """What a delayed value is; losing the cluster is said in plain words."""
    import dask

    try:
        return dask.compute(value)[0]
    except (OSError, TimeoutError, CancelledError) as error:
        raise RuntimeError(
            f"the Dask cluster was lost, or its data could not be read ({error!r:.200}). Nothing "
            "was learned; see to the cluster and fit again."
        ) from error


@dataclass(frozen=True)
class _Told:
    """What to do with each block: said once for all of them."""

    work: Callable[..., Any]
    arguments: tuple[Any, ...]


def _told(work: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    import dask

    return dask.delayed(_Told(work, arguments), traverse=False, pure=False)


def _work(told: _Told, *parts: Any) -> Any:
    return told.work(*parts, *told.arguments)
