"""Counting equal rows in a stream: memory for what is distinct, not for what is read."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from fairordinal._source._open import Source

COUNT = "number of rows"  # a name that no header has
MOST_PENDING = 2_000_000  # partial counts that are kept before they are added up

Say = Callable[[int], None]


@dataclass(frozen=True)
class Counts:
    """Distinct rows of some columns, and how many rows each stands for."""

    columns: dict[str, Any]  # of pyarrow, cells as they are written
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
    for batch in source.batches([*names, *weight]):
        n_rows += batch.num_rows
        pending.append(_grouped(batch, names, count, source))
        if say:
            say(n_rows)
        if sum(part.num_rows for part in pending) > MOST_PENDING:
            pending = [_added(pending, names)]
    if not n_rows:
        raise ValueError(f"{source.path.name} has no rows below its header.")
    total = _added(pending, names)
    columns = {name: total.column(name) for name in names}
    return Counts(columns, total.column(COUNT).to_pylist(), n_rows)


def _grouped(batch: Any, names: Sequence[str], count: str | None, source: Source) -> Any:
    """Distinct rows of a block."""
    import pyarrow as pa

    block = pa.table(batch)
    if count is None:
        found = block.group_by(list(names)).aggregate([([], "count_all")])
        return found.rename_columns([*names, COUNT])
    numbers = _numbers(source.missing.meant(block.column(count)), count, source.decimal)
    counted = block.select(list(names)).append_column(COUNT, numbers)
    found = counted.group_by(list(names)).aggregate([(COUNT, "sum")])
    return found.rename_columns([*names, COUNT])


def _numbers(column: Any, name: str, decimal: str) -> Any:
    """Counts as numbers of at least 0, one in each row."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_string(column.type):
        column = pc.replace_substring(column, decimal, ".")
    try:
        numbers = pc.cast(column, pa.float64())
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        found = re.search("'(.*)'", str(error), re.DOTALL)
        value = f", got {found[1]!r}" if found else f", got {column.type}"
        raise ValueError(
            f"--counts: column {name!r} must hold numbers{value}. Write them without separators "
            "between thousands."
        ) from error
    if numbers.null_count:
        raise ValueError(
            f"--counts: column {name!r} has no number in some rows. Leave these rows out, or write "
            "0."
        )
    wrong = numbers.filter(pc.invert(pc.and_(pc.greater_equal(numbers, 0), pc.is_finite(numbers))))
    if len(wrong):
        raise ValueError(
            f"--counts: column {name!r} must hold numbers of at least 0, got {wrong[0].as_py():g}."
        )
    return numbers


def _added(parts: Sequence[Any], names: Sequence[str]) -> Any:
    """Counts of several blocks together."""
    import pyarrow as pa

    whole = pa.concat_tables(parts, promote_options="permissive").unify_dictionaries()
    found = whole.group_by(list(names)).aggregate([(COUNT, "sum")])
    return found.rename_columns([*names, COUNT])
