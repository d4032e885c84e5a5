"""Counting equal rows in a stream: memory for what is distinct, not for what is read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from fairordinal._source._open import Source

COUNT = "number of rows"  # a name that no header has
MOST_PENDING = 2_000_000  # partial counts that are kept before they are added up

Say = Callable[[int], None]


@dataclass(frozen=True)
class Counts:
    """Distinct rows of some columns, and how many rows each stands for."""

    columns: list[list[Any]]
    counts: list[float]
    n_rows: int  # of the file


def count_rows(
    source: Source, names: Sequence[str], *, count: str | None = None, say: Say | None = None
) -> Counts:
    """How often each combination of values occurs; a column may hold counts already.

    One pass over the file in blocks.
    """
    names, weight = list(dict.fromkeys(names)), [count] if count else []
    pending, n_rows = [], 0
    for batch in _batches(source, [*names, *weight]):
        n_rows += batch.num_rows
        pending.append(_grouped(batch, names, count))
        if say:
            say(n_rows)
        if sum(part.num_rows for part in pending) > MOST_PENDING:
            pending = [_added(pending, names)]
    if not n_rows:
        raise ValueError(f"{source.path.name} has no rows below its header.")
    total = _added(pending, names)
    columns = [total.column(name).to_pylist() for name in names]
    return Counts(columns, total.column(COUNT).to_pylist(), n_rows)


def _batches(source: Source, names: Sequence[str]) -> Iterator[Any]:
    """The table in blocks, columns of CSV as text; counts as they are."""
    import pyarrow as pa

    data = source.dataset(names, as_text=True)
    try:
        for batch in data.scanner(columns=list(names), batch_size=1 << 18).to_batches():
            yield pa.table(batch)
    except (pa.ArrowException, UnicodeDecodeError, OSError) as error:
        raise ValueError(source.damage(error)) from error


def _grouped(batch: Any, names: Sequence[str], count: str | None) -> Any:
    """Distinct rows of a block."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if count is None:
        found = batch.group_by(list(names)).aggregate([([], "count_all")])
        return found.rename_columns([*names, COUNT])
    try:
        numbers = pc.cast(batch.column(count), pa.float64())
    except pa.ArrowInvalid as error:
        raise ValueError(f"--counts: column {count!r} must hold numbers: {error}.") from error
    if pc.any(pc.less(numbers, 0)).as_py() or numbers.null_count:
        raise ValueError(
            f"--counts: column {count!r} must hold numbers of at least 0, in each row."
        )
    counted = batch.select(list(names)).append_column(COUNT, numbers)
    found = counted.group_by(list(names)).aggregate([(COUNT, "sum")])
    return found.rename_columns([*names, COUNT])


def _added(parts: Sequence[Any], names: Sequence[str]) -> Any:
    """Counts of several blocks together."""
    import pyarrow as pa

    whole = pa.concat_tables(parts, promote_options="permissive").unify_dictionaries()
    found = whole.group_by(list(names)).aggregate([(COUNT, "sum")])
    return found.rename_columns([*names, COUNT])
