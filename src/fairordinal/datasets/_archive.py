"""Benchmark sets out of ORCA's archive.

The archive's own checksum is not known, those of the files in it are: a set is used if all of its
files are right, and kept as a table with the row numbers of its splits.
"""

from __future__ import annotations

import logging
import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from fairordinal.datasets._catalogue import OrcaSet
from fairordinal.datasets._home import Source
from fairordinal.datasets._rows import Split
from fairordinal.datasets._stored import DAMAGE, StoredSet, keep
from fairordinal.datasets._upstream import UPSTREAM, download

logger = logging.getLogger("fairordinal.datasets")


def set_from_archive(entry: OrcaSet, source: Source) -> StoredSet:
    """The set from the archive, which is downloaded if it is missing or damaged."""
    path = source.home / UPSTREAM["orca"].place
    found = _unpacked(entry, path) if path.is_file() else None
    if found is None:
        found = _unpacked(entry, download("orca", source))
    if found is None:
        raise OSError(
            f"{UPSTREAM['orca'].url} was downloaded, but does not hold {entry.name} with its known "
            "checksums. Try again later; if it stays so, please report it."
        )
    keep(found, entry, source.home)
    return found


def _unpacked(entry: OrcaSet, archive: Path) -> StoredSet | None:
    """The set, if all of its files are in the archive, undamaged."""
    try:
        with zipfile.ZipFile(archive) as opened:
            found = _numbered(_files(entry, opened))
        if found.is_intact(entry):
            return found
    except (*DAMAGE, zipfile.BadZipFile, NotImplementedError) as error:
        logger.debug("reading %s: %r", archive, error)
    logger.warning("%s is damaged, or has not all of %s.", archive, entry.name)
    return None


def _files(entry: OrcaSet, archive: zipfile.ZipFile) -> list[tuple[list[bytes], list[bytes]]]:
    """Lines of the training and test file of each split."""
    members = {name.rpartition("/")[2]: name for name in archive.namelist() if _is_of(entry, name)}

    def lines(file: str) -> list[bytes]:
        return archive.read(members[file]).splitlines(keepends=True)

    return [(lines(train), lines(test)) for train, test in entry.file_names()]


def _is_of(entry: OrcaSet, member: str) -> bool:
    """Whether a member lies in the folder of the set, whatever that lies in."""
    return f"/{member}".rpartition("/")[0].endswith(f"/{entry.folder}")


def _numbered(files: list[tuple[list[bytes], list[bytes]]]) -> StoredSet:
    """Each line once, in the order of the first two files, and its number in all files."""
    first_train, first_test = files[0]
    lines = first_train + first_test
    number = {line: row for row, line in enumerate(_told_apart(lines))}

    def split(train: list[bytes], test: list[bytes]) -> Split:
        rows = np.array([number[line] for line in _told_apart(train + test)], dtype=np.intp)
        return rows[: len(train)], rows[len(train) :]

    return StoredSet(lines, [split(train, test) for train, test in files])


def _told_apart(lines: list[bytes]) -> Iterator[tuple[bytes, int]]:
    """Lines with how often they came before."""
    seen: Counter[bytes] = Counter()
    for line in lines:
        yield line, seen[line]
        seen[line] += 1
