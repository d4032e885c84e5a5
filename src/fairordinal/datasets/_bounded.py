"""No more bytes than are expected, whoever sent them: on the disk, in memory, out of archives.

Compressed files of a few megabytes can hold gigabytes. So all that is read or downloaded has a
limit, several times as large as the largest file that is known.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from typing import Any, Protocol

MEBIBYTE = 1 << 20
MOST_OF_FILE = 16 * MEBIBYTE  # the largest has 3.2 MB
MOST_OF_SET = 128 * MEBIBYTE  # the largest has 64 MB
MOST_OF_READ = 4 * MEBIBYTE  # the list of an archive's members, or a member as it is packed
MOST_LINES = 100_000  # the longest table has 22 784
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # others cannot be unpacked bit by bit


class Readable(Protocol):
    """A file, a member of an archive, or a file that is unpacked as it is read."""

    def read(self, size: int, /) -> bytes: ...


def read_at_most(file: Readable, most: int) -> bytes:
    """The rest of a file; ValueError if it has more bytes than expected."""
    content = file.read(most + 1)
    if len(content) > most:
        raise ValueError(f"it has more than {most} bytes")
    return content


def read_lines(file: Readable) -> list[str]:
    """Lines of a text; ValueError if there are more than expected."""
    content = read_at_most(file, MOST_OF_FILE)
    if content.count(b"\n") > MOST_LINES:
        raise ValueError(f"it has more than {MOST_LINES} lines")
    return content.decode("ascii").splitlines()


class SmallReads(io.FileIO):
    """A file of which no single read gives much: zipfile reads the list of members at once."""

    def read(self, size: int | None = -1, /) -> Any:
        wanted = MOST_OF_READ + 1 if size is None or size < 0 else min(size, MOST_OF_READ + 1)
        content = super().read(wanted) or b""
        if len(content) > MOST_OF_READ:
            raise ValueError(f"it asks to read more than {MOST_OF_READ} bytes at once")
        return content


class BoundedFile(io.FileIO):
    """A file to be written, of limited size."""

    def __init__(self, path: str, most: int) -> None:
        super().__init__(path, "wb")
        self.most = most

    def write(self, content: Any, /) -> int:
        if self.tell() + len(content) > self.most:
            raise ValueError(f"it has more than {self.most} bytes")
        return super().write(content)


def read_members(archive: zipfile.ZipFile, names: Sequence[str]) -> list[bytes]:
    """Some members of an archive; ValueError if they are larger than expected.

    What the archive says of sizes is checked before anything is unpacked, and the bytes that come
    out are counted, for it may say anything.
    """
    members = [archive.getinfo(name) for name in names]
    declared = [member.file_size for member in members]
    if max(declared) > MOST_OF_FILE or sum(declared) > MOST_OF_SET:
        raise ValueError(f"its files have {sum(declared)} bytes, more than is expected")
    if not all(member.compress_type in METHODS for member in members):
        raise ValueError("it is not packed by deflation")
    found = []
    for member in members:
        with archive.open(member) as file:
            found.append(read_at_most(file, member.file_size))
    return found
