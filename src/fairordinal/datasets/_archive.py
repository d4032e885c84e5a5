"""Benchmark sets out of ORCA's archive.

The archive's own checksum is not known, those of the files in it are: a set is used if all of its
files are right, and kept as a table with the row numbers of its splits. The archive comes by plain
http, so that anybody may have sent it: no more of it is read than a set can have, its checksums are
compared before it is looked into, and names of members are only compared, never used as paths.
"""

from __future__ import annotations

import logging
import struct
import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from fairordinal.datasets._bounded import SmallReads, read_members
from fairordinal.datasets._catalogue import OrcaSet
from fairordinal.datasets._home import Source
from fairordinal.datasets._rows import Split
from fairordinal.datasets._stored import DAMAGE, StoredSet, keep, sha256_of_files
from fairordinal.datasets._upstream import UPSTREAM, download

logger = logging.getLogger("fairordinal.datasets")

# what zipfile raises besides: encrypted members, places outside of the file
ARCHIVE_DAMAGE = (*DAMAGE, zipfile.BadZipFile, struct.error, RuntimeError, OSError)


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
    with SmallReads(archive) as file:  # a file that may not be opened is not damaged
        try:
            with zipfile.ZipFile(file) as opened:
                found = _numbered(_files(entry, opened))
            if found.is_intact(entry):
                return found
        except ARCHIVE_DAMAGE as error:
            logger.debug("reading %s: %r", archive, error)
    logger.warning("%s is damaged, or has not all of %s.", archive, entry.name)
    return None


def _files(entry: OrcaSet, archive: zipfile.ZipFile) -> list[tuple[list[bytes], list[bytes]]]:
    """Lines of the training and test file of each split."""
    members = {name.rpartition("/")[2]: name for name in archive.namelist() if _is_of(entry, name)}
    names = [file for pair in entry.file_names() for file in pair]
    texts = read_members(archive, [members[name] for name in names])
    if sha256_of_files(names, texts) != entry.files_sha256:
        raise ValueError("its files have other checksums")
    lines = [text.splitlines(keepends=True) for text in texts]
    return list(zip(lines[::2], lines[1::2], strict=True))


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
