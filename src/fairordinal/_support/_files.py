"""Files that are there as a whole or not at all; devices and pipes are written to.

A regular file is written beside its place and renamed, so that it is never seen half-written. A
rename would put a regular file in the place of a device or a pipe, so these are opened and written
to instead. The same holds for files that are open already: ``/dev/stdout``, ``/dev/fd/3``, and the
file that standard output is sent to, where text may stand that must not be lost.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
import sys
from pathlib import Path

PARTIAL = ".part"
READ_ONLY = "the file is read-only; allow writing to it, or name another file"
MOST_LINKS = 40  # as many as Linux follows
BINARY = getattr(os, "O_BINARY", 0)  # Windows translates line ends without it


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file that is never seen half-written, even after a crash; text as UTF-8.

    Folders are made as needed. Where a link stands, the file that it leads to is written. A file
    that is replaced keeps its mode, and its owner where that is allowed; a read-only one is
    refused. Devices, pipes and open descriptors are written to.
    """
    data = content.encode() if isinstance(content, str) else content
    try:
        _write(Path(path), data)
    except OSError as error:  # of the file that was asked for, not of a partial one
        if error.errno is None:
            raise
        raise OSError(error.errno, error.strerror, str(path)) from error


def put_in_place(finished: Path, path: Path) -> None:
    """Rename a finished file to its place; mode and owner are those of the file it replaces."""
    place = Path(os.path.realpath(path))
    old = status_of(place)
    if old is not None:
        if not stat.S_ISREG(old.st_mode):
            raise OSError(errno.EEXIST, "no regular file, and is not replaced", str(path))
        _refuse_read_only(place)
        _take_over(finished, old)
    os.replace(finished, place)


def status_of(path: Path) -> os.stat_result | None:
    """The status of the file that a path leads to; None if there is none."""
    try:
        return os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None


def is_read_only(path: Path) -> bool:
    """Whether a file may not be written: nobody may by its mode, which root could ignore.

    What is open already may be written, whoever owns it.
    """
    status = status_of(path)
    if status is None or _descriptor(path, status) is not None:
        return False
    return not (status.st_mode & 0o222 and os.access(path, os.W_OK))


def is_regular(path: Path) -> bool:
    """Whether a file would be replaced, or made: it is neither a device nor a pipe, nor open."""
    status = status_of(path)
    regular = status is None or stat.S_ISREG(status.st_mode)
    return regular and _descriptor(path, status) is None


def _write(path: Path, data: bytes) -> None:
    status = status_of(path)
    descriptor = _descriptor(path, status)
    if descriptor is not None:
        for stream in (sys.stdout, sys.stderr):  # what was printed before comes first
            if stream is not None:
                stream.flush()
        _write_through(os.dup(descriptor), data)
        return
    _refuse_read_only(path)
    if status is None or stat.S_ISREG(status.st_mode):
        _replace(Path(os.path.realpath(path)), data, status)
    else:
        _write_through(os.open(path, os.O_WRONLY | BINARY), data)


def _refuse_read_only(path: Path) -> None:
    if is_read_only(path):
        raise OSError(errno.EACCES, READ_ONLY, str(path))


def _descriptor(path: Path, status: os.stat_result | None) -> int | None:
    """The open descriptor that a path means, by its name or as the file that output is sent to."""
    named = _named_descriptor(path)
    if named is not None or status is None:
        return named
    for standard in (1, 2):
        with contextlib.suppress(OSError):  # it may be closed
            if os.path.samestat(status, os.fstat(standard)):
                return standard
    return None


def _named_descriptor(path: Path) -> int | None:
    """The number in /dev/fd/3 or /proc/self/fd/3, to which /dev/stdout and other links lead."""
    place = os.path.abspath(path)
    for _ in range(MOST_LINKS):
        folder, name = os.path.realpath(os.path.dirname(place)), os.path.basename(place)
        if folder in ("/dev/fd", f"/proc/{os.getpid()}/fd") and name.isdecimal():
            return int(name)
        if not os.path.islink(place):
            return None
        place = os.path.join(folder, os.readlink(place))
    return None


def _write_through(descriptor: int, data: bytes) -> None:
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)


def _replace(path: Path, data: bytes, old: os.stat_result | None) -> None:
    """Write beside the place and rename; what replaces a file is private until it has its mode."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f"{path.name[:50]}.{secrets.token_hex(8)}{PARTIAL}")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | BINARY
    try:
        with os.fdopen(os.open(partial, flags, 0o666 if old is None else 0o600), "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        put_in_place(partial, path)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise


def _take_over(path: Path, old: os.stat_result) -> None:
    """Give a file the owner, group and mode of another, as far as the system allows.

    A group that cannot be kept must not lend its rights to another: the new group has those that
    everybody has.
    """
    mode = stat.S_IMODE(old.st_mode) & 0o777
    if hasattr(os, "chown"):
        with contextlib.suppress(OSError):
            os.chown(path, old.st_uid, -1)
        try:
            os.chown(path, -1, old.st_gid)
        except OSError:
            mode = mode & 0o707 | (mode & 0o007) << 3
    with contextlib.suppress(OSError):  # a file system without modes
        os.chmod(path, mode)
