"""Benchmark sets as tables with row numbers of their splits, checked before they are used.

A table has the rows of ORCA's files once, its splits which rows make which file. That is enough to
write ORCA's files again byte by byte, so that their checksums tell whether anything was damaged.
"""

from __future__ import annotations

import gzip
import hashlib
import logging
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from fairordinal._files import write_whole
from fairordinal.datasets._bounded import read_lines
from fairordinal.datasets._catalogue import OrcaSet
from fairordinal.datasets._rows import Array, Split

logger = logging.getLogger("fairordinal.datasets")

# what reading damaged files may raise; a folder that may not be read is another matter
DAMAGE = (
    FileNotFoundError,  # of two
    gzip.BadGzipFile,
    EOFError,
    zlib.error,
    ValueError,
    KeyError,
    IndexError,
)


@dataclass(frozen=True)
class StoredSet:
    """Lines of ORCA's files, label last, and the lines of each file."""

    lines: list[bytes]
    splits: list[Split]

    def is_intact(self, entry: OrcaSet) -> bool:
        """Whether each split has each row once and ORCA's files follow byte by byte."""
        whole = all(_is_partition(split, len(self.lines)) for split in self.splits)
        return whole and self.files_sha256(entry) == entry.files_sha256

    def files_sha256(self, entry: OrcaSet) -> str:
        """What `sha256_of_files` gives for ORCA's files."""
        names = [name for pair in entry.file_names() for name in pair]
        files = [rows.tolist() for split in self.splits for rows in split]
        return sha256_of_files(names, (b"".join([self.lines[i] for i in rows]) for rows in files))

    def values(self) -> Array:
        """The lines as numbers."""
        flat = np.array(b"".join(self.lines).split(), dtype=np.bytes_).astype(float)
        return flat.reshape(len(self.lines), -1)

    def in_order_of_first_split(self) -> StoredSet:
        """Rows renumbered: the first training file, then the first test file.

        So row numbers do not depend on who made the table.
        """
        order = np.concatenate(self.splits[0])
        place = np.argsort(order)
        splits = [(place[train], place[test]) for train, test in self.splits]
        return StoredSet([self.lines[row] for row in order.tolist()], splits)


def sha256_of_files(names: Iterable[str], texts: Iterable[bytes]) -> str:
    """SHA-256 of the list of the files' SHA-256, as ``sha256sum`` writes it."""
    listing = hashlib.sha256()
    for name, text in zip(names, texts, strict=True):
        listing.update(f"{hashlib.sha256(text).hexdigest()}  {name}\n".encode())
    return listing.hexdigest()


def stored_set(entry: OrcaSet, home: Path) -> StoredSet | None:
    """The set, if the data home has it undamaged."""
    for table, splits in _places(entry, home):
        if table.is_file() or splits.is_file():
            found = _read(entry, table, splits)
            if found is not None:
                return found.in_order_of_first_split()
            logger.warning("%s in %s is damaged and will not be used.", entry.name, table.parent)
    return None


def keep(stored: StoredSet, entry: OrcaSet, home: Path) -> None:
    """Write a set into its own folder, for the next time; not being able to does no harm."""
    folder = home / "orca" / entry.name
    table = [",".join([*entry.columns, "label"])]
    table += [line.decode("ascii").strip().replace(" ", ",") for line in stored.lines]
    splits = ["split,part,rows"]
    for number, split in enumerate(stored.splits, start=entry.first_split):
        for part, rows in zip(("train", "test"), split, strict=True):
            splits.append(f"{number},{part},{' '.join(map(str, rows.tolist()))}")
    try:
        for name, text in (("table.csv.gz", table), ("splits.csv.gz", splits)):
            write_whole(folder / name, gzip.compress("\n".join([*text, ""]).encode(), mtime=0))
    except OSError as error:
        logger.warning("%s cannot be kept in %s: %s", entry.name, folder, error)


def _places(entry: OrcaSet, home: Path) -> list[tuple[Path, Path]]:
    """Tables and splits where a set may be: its own folder, or one that two sets share."""
    kind = "orca_discretized" if entry.bins else "orca_real"
    shared, own = home / kind / entry.base, home / "orca" / entry.name
    return [
        (shared / "table.csv.gz", shared / f"splits{entry.bins}.csv.gz"),
        (own / "table.csv.gz", own / "splits.csv.gz"),
    ]


def _read(entry: OrcaSet, table: Path, splits: Path) -> StoredSet | None:
    try:
        lines = _read_lines(table, f"label{entry.bins}", len(entry.columns))
        found = StoredSet(lines, _read_splits(splits, len(lines), entry.n_splits))
        return found if found.is_intact(entry) else None
    except DAMAGE as error:
        logger.debug("reading %s: %r", table, error)
        return None


def _read_lines(path: Path, label: str, n_inputs: int) -> list[bytes]:
    """Lines of a table as ORCA writes them: blanks between values, the label last."""
    with gzip.open(path) as file:
        header, *rows = read_lines(file)
    names = header.split(",")
    place = names.index(label) if label in names else names.index("label")
    cells = [row.split(",") for row in rows]
    return [(" ".join([*row[:n_inputs], row[place]]) + "\n").encode() for row in cells]


def _read_splits(path: Path, n_rows: int, n_splits: int) -> list[Split]:
    """Row numbers of each split; test rows that are not listed are all others, in order."""
    listed: dict[int, dict[str, Array]] = {}
    with gzip.open(path) as file:
        _, *lines = read_lines(file)
    if len(lines) > 2 * n_splits:
        raise ValueError(f"it has {len(lines)} lines for {n_splits} splits")
    for line in lines:
        number, part, rows = line.split(",")
        parts = listed.setdefault(int(number), {})
        if part in parts:
            raise ValueError(f"split {number} has two lines {part}")
        parts[part] = np.array(rows.split(), dtype=np.intp)
    splits = [listed[number] for number in sorted(listed)]
    return [
        (parts["train"], parts.get("test", _others(parts["train"], n_rows))) for parts in splits
    ]


def _others(rows: Array, n_rows: int) -> Array:
    return np.delete(np.arange(n_rows), rows)


def _is_partition(split: Split, n_rows: int) -> bool:
    rows = np.sort(np.concatenate(split))
    return np.array_equal(rows, np.arange(n_rows))
