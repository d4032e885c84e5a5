"""Files of ORCA's benchmark sets: the catalogue, the data home, and the archive.

ORCA publishes each set as a training file and a test file for each split, in one zip archive. The
data home keeps a set as a table, which holds each row once, and a list of the rows of each file.
ORCA's files can be written again from these two, byte by byte, so that their known checksums prove
that nothing is damaged.

The checksum of the archive is not known and it is downloaded by plain http, so that its content
cannot be trusted: sizes are limited, checksums are compared before anything is parsed, and names of
members are compared but never used as paths.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import logging
import struct
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from fairordinal._support import write_whole
from fairordinal.datasets._dataset import Array, TrainTest
from fairordinal.datasets._download import (
    MAX_FILE_BYTES,
    MEBIBYTE,
    REMOTE_FILES,
    FetchOptions,
    download,
    read_at_most,
    read_lines,
)

logger = logging.getLogger("fairordinal.datasets")

MAX_SET_BYTES = 128 * MEBIBYTE  # the largest set has 64 MB
MAX_READ_BYTES = 4 * MEBIBYTE  # the archive's list of members, or one member as it is packed
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # others cannot be unpacked step by step

# Exceptions raised by damaged files. Other OSErrors (no permission to read) are not caught.
TABLE_DAMAGE = (
    FileNotFoundError,  # one of the two files
    gzip.BadGzipFile,
    EOFError,
    zlib.error,
    ValueError,
    KeyError,
    IndexError,
)
# zipfile also raises RuntimeError for encrypted members, and OSError for offsets outside the file
ARCHIVE_DAMAGE = (*TABLE_DAMAGE, zipfile.BadZipFile, struct.error, RuntimeError, OSError)


# Catalogue


@dataclass(frozen=True)
class CatalogueEntry:
    """Facts about one benchmark set, as in ``orca.json``."""

    name: str
    base: str  # abalone for abalone-5 and abalone-10
    columns: tuple[str, ...]
    folder: str  # in ORCA's archive
    stem: str  # of the file names there: train_<stem>.<split>
    first_split: int
    n_splits: int
    files_sha256: str  # of what `sha256sum` prints for the files; see `sha256_of_files`
    sensitive_column: str
    sensitive_value: float | None  # of group 1; None: group 1 is at or above the median
    target_names: list[str] | None
    source: str
    licence: str
    note: str

    @property
    def bins(self) -> str:
        """Number of classes of a discretised regression set; empty for a real ordinal set."""
        return "" if self.name == self.base else self.name.rpartition("-")[2]

    def file_names(self) -> list[tuple[str, str]]:
        """Return the names of the training and test file of each split."""
        numbers = range(self.first_split, self.first_split + self.n_splits)
        return [(f"train_{self.stem}.{n}", f"test_{self.stem}.{n}") for n in numbers]


@cache
def catalogue() -> dict[str, CatalogueEntry]:
    """Return all entries by name, in the order of the paper's tables."""
    text = resources.files("fairordinal.datasets").joinpath("orca.json").read_text("utf-8")
    stored = json.loads(text)
    columns = stored["columns"]
    return {
        name: CatalogueEntry(name=name, columns=tuple(columns[entry["base"]]), **entry)
        for name, entry in stored["sets"].items()
    }


def orca_names() -> list[str]:
    """Return the names of ORCA's 33 benchmark sets, in the order of the paper's tables.

    Returns
    -------
    names : list of str
        11 real ordinal sets, 11 regression sets cut into 5 classes, and the same 11 regression
        sets cut into 10 classes.

    See Also
    --------
    fetch_orca : Load a set by its name.

    Examples
    --------
    >>> from fairordinal.datasets import orca_names
    >>> orca_names()[:3], len(orca_names())
    (['automobile', 'balance-scale', 'car'], 33)
    """
    return list(catalogue())


def catalogue_entry(name: str) -> CatalogueEntry:
    """Return the entry of a name; ValueError if there is none."""
    if name not in catalogue():
        raise ValueError(f"name must be one of {', '.join(catalogue())}; got {name!r}.")
    return catalogue()[name]


# Content of a set


@dataclass(frozen=True)
class OrcaTable:
    """Lines of ORCA's files, each row once with its label last, and the rows of each file."""

    lines: list[bytes]
    splits: list[TrainTest]

    def is_intact(self, entry: CatalogueEntry) -> bool:
        """Check that each split has each row once, and that ORCA's files have their checksums."""
        complete = all(_is_partition(split, len(self.lines)) for split in self.splits)
        return complete and self.files_sha256(entry) == entry.files_sha256

    def files_sha256(self, entry: CatalogueEntry) -> str:
        """Write ORCA's files in memory, and return their `sha256_of_files`."""
        names = [name for pair in entry.file_names() for name in pair]
        files = [rows.tolist() for split in self.splits for rows in split]
        return sha256_of_files(names, (b"".join([self.lines[i] for i in rows]) for rows in files))

    def values(self) -> Array:
        """Return the lines as numbers, one row for each line."""
        flat = np.array(b"".join(self.lines).split(), dtype=np.bytes_).astype(float)
        return flat.reshape(len(self.lines), -1)

    def in_order_of_first_split(self) -> OrcaTable:
        """Renumber the rows: the first training file, then the first test file.

        Row numbers then do not depend on who made the table.
        """
        order = np.concatenate(self.splits[0])
        position = np.argsort(order)
        splits = [(position[train], position[test]) for train, test in self.splits]
        return OrcaTable([self.lines[row] for row in order.tolist()], splits)


def _is_partition(split: TrainTest, n_rows: int) -> bool:
    rows = np.sort(np.concatenate(split))
    return np.array_equal(rows, np.arange(n_rows))


def sha256_of_files(names: Iterable[str], texts: Iterable[bytes]) -> str:
    """Return the SHA-256 of the list of checksums that ``sha256sum`` prints for some files."""
    listing = hashlib.sha256()
    for name, text in zip(names, texts, strict=True):
        listing.update(f"{hashlib.sha256(text).hexdigest()}  {name}\n".encode())
    return listing.hexdigest()


# Data home


def read_from_home(entry: CatalogueEntry, home: Path) -> OrcaTable | None:
    """Return the set from the data home; None if it is missing or damaged."""
    for table, splits in _possible_paths(entry, home):
        if table.is_file() or splits.is_file():
            found = _read_intact(entry, table, splits)
            if found is not None:
                return found.in_order_of_first_split()
            logger.warning("%s in %s is damaged and will not be used.", entry.name, table.parent)
    return None


def save_to_home(table: OrcaTable, entry: CatalogueEntry, home: Path) -> None:
    """Write a set into its own folder for later use; a failure is only logged."""
    folder = home / "orca" / entry.name
    rows = [",".join([*entry.columns, "label"])]
    rows += [line.decode("ascii").strip().replace(" ", ",") for line in table.lines]
    splits = ["split,part,rows"]
    for number, split in enumerate(table.splits, start=entry.first_split):
        for part, numbers in zip(("train", "test"), split, strict=True):
            splits.append(f"{number},{part},{' '.join(map(str, numbers.tolist()))}")
    try:
        for name, text in (("table.csv.gz", rows), ("splits.csv.gz", splits)):
            write_whole(folder / name, gzip.compress("\n".join([*text, ""]).encode(), mtime=0))
    except OSError as error:
        logger.warning("%s cannot be saved in %s: %s", entry.name, folder, error)


def _possible_paths(entry: CatalogueEntry, home: Path) -> list[tuple[Path, Path]]:
    """Return where table and splits may be: in a folder shared by two sets, or in the set's own."""
    collection = "orca_discretized" if entry.bins else "orca_real"
    shared, own = home / collection / entry.base, home / "orca" / entry.name
    return [
        (shared / "table.csv.gz", shared / f"splits{entry.bins}.csv.gz"),
        (own / "table.csv.gz", own / "splits.csv.gz"),
    ]


def _read_intact(entry: CatalogueEntry, table: Path, splits: Path) -> OrcaTable | None:
    try:
        lines = _read_table(table, f"label{entry.bins}", len(entry.columns))
        found = OrcaTable(lines, _read_splits(splits, len(lines), entry.n_splits))
        return found if found.is_intact(entry) else None
    except TABLE_DAMAGE as error:
        logger.debug("reading %s: %r", table, error)
        return None


def _read_table(path: Path, label: str, n_inputs: int) -> list[bytes]:
    """Return the lines of a table as ORCA writes them: values separated by blanks, label last."""
    with gzip.open(path) as file:
        header, *rows = read_lines(file)
    names = header.split(",")
    label_column = names.index(label) if label in names else names.index("label")
    cells = [row.split(",") for row in rows]
    return [(" ".join([*row[:n_inputs], row[label_column]]) + "\n").encode() for row in cells]


def _read_splits(path: Path, n_rows: int, n_splits: int) -> list[TrainTest]:
    """Return the row numbers of each split; without a test line, the test set is the rest."""
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
        (parts["train"], parts.get("test", _other_rows(parts["train"], n_rows))) for parts in splits
    ]


def _other_rows(rows: Array, n_rows: int) -> Array:
    return np.delete(np.arange(n_rows), rows)


# Archive


def read_from_archive(entry: CatalogueEntry, options: FetchOptions) -> OrcaTable:
    """Return the set from the archive, which is downloaded if missing or damaged, and save it."""
    path = options.home / REMOTE_FILES["orca"].path
    found = _unpack(entry, path) if path.is_file() else None
    if found is None:
        found = _unpack(entry, download("orca", options))
    if found is None:
        raise OSError(
            f"{REMOTE_FILES['orca'].url} was downloaded, but does not hold {entry.name} with its "
            "known checksums. Try again later; if the error persists, please report it."
        )
    save_to_home(found, entry, options.home)
    return found


def _unpack(entry: CatalogueEntry, archive: Path) -> OrcaTable | None:
    """Return the set if all of its files are in the archive, undamaged; else None."""
    with LimitedReader(archive) as file:  # outside of try: no permission to read is no damage
        try:
            with zipfile.ZipFile(file) as opened:
                found = _number_rows(_split_files(entry, opened))
            if found.is_intact(entry):
                return found
        except ARCHIVE_DAMAGE as error:
            logger.debug("reading %s: %r", archive, error)
    logger.warning("%s is damaged, or lacks files of %s.", archive, entry.name)
    return None


class LimitedReader(io.FileIO):
    """A file that refuses large reads: zipfile reads an archive's list of members at once."""

    def read(self, size: int | None = -1, /) -> Any:
        wanted = MAX_READ_BYTES + 1 if size is None or size < 0 else min(size, MAX_READ_BYTES + 1)
        content = super().read(wanted) or b""
        if len(content) > MAX_READ_BYTES:
            raise ValueError(f"it asks to read more than {MAX_READ_BYTES} bytes at once")
        return content


def _split_files(
    entry: CatalogueEntry, archive: zipfile.ZipFile
) -> list[tuple[list[bytes], list[bytes]]]:
    """Return the lines of the training and the test file of each split."""
    members = {
        name.rpartition("/")[2]: name for name in archive.namelist() if _is_in_folder(entry, name)
    }
    names = [file for pair in entry.file_names() for file in pair]
    texts = _read_members(archive, [members[name] for name in names])
    if sha256_of_files(names, texts) != entry.files_sha256:
        raise ValueError("its files have other checksums")
    lines = [text.splitlines(keepends=True) for text in texts]
    return list(zip(lines[::2], lines[1::2], strict=True))


def _is_in_folder(entry: CatalogueEntry, member: str) -> bool:
    """Check that a member is in the folder of the set, at any depth of the archive."""
    return f"/{member}".rpartition("/")[0].endswith(f"/{entry.folder}")


def _read_members(archive: zipfile.ZipFile, names: Sequence[str]) -> list[bytes]:
    """Return some members of an archive; ValueError if they are larger than expected.

    The sizes that the archive declares are checked before anything is unpacked. They may be wrong,
    so that unpacking also stops at the declared size.
    """
    members = [archive.getinfo(name) for name in names]
    declared = [member.file_size for member in members]
    if max(declared) > MAX_FILE_BYTES or sum(declared) > MAX_SET_BYTES:
        raise ValueError(f"its files have {sum(declared)} bytes, more than expected")
    if not all(member.compress_type in METHODS for member in members):
        raise ValueError("it is packed by another method than deflate")
    found = []
    for member in members:
        with archive.open(member) as file:
            found.append(read_at_most(file, member.file_size))
    return found


def _number_rows(files: list[tuple[list[bytes], list[bytes]]]) -> OrcaTable:
    """Number the lines of the first two files, and list the numbers of the lines of each file.

    All splits have the same lines in another order. Equal lines are told apart by how often they
    occurred before in the same split.
    """
    first_train, first_test = files[0]
    lines = first_train + first_test
    number = {line: row for row, line in enumerate(_with_occurrence(lines))}

    def split(train: list[bytes], test: list[bytes]) -> TrainTest:
        rows = np.array([number[line] for line in _with_occurrence(train + test)], dtype=np.intp)
        return rows[: len(train)], rows[len(train) :]

    return OrcaTable(lines, [split(train, test) for train, test in files])


def _with_occurrence(lines: list[bytes]) -> Iterator[tuple[bytes, int]]:
    """Yield each line with the number of earlier lines that equal it."""
    seen: Counter[bytes] = Counter()
    for line in lines:
        yield line, seen[line]
        seen[line] += 1
