"""Files of data sets: where they are kept, how they are downloaded, and how much is read of them.

A downloaded file gets its name only when it is complete and has its known checksum: it is written
into a scratch folder beside its place and then renamed. An interrupted download therefore leaves
no file that looks complete, and two processes can download the same file at once.

Everything that is read or downloaded has a size limit, several times the largest known file,
because a compressed file of a few megabytes can unpack to gigabytes.
"""

from __future__ import annotations

import hashlib
import io
import logging
import os
import tempfile
import time
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from fairordinal._support import optional, put_in_place

logger = logging.getLogger("fairordinal.datasets")

VARIABLE = "FAIRORDINAL_DATA"
DEFAULT_FOLDER = "fairordinal_data"
TIMEOUT = 30.0  # seconds without a byte

MEBIBYTE = 1 << 20
MAX_FILE_BYTES = 16 * MEBIBYTE  # the largest file has 3.2 MB
MAX_LINES = 100_000  # the longest table has 22 784 lines


# Data home


def get_data_home(data_home: str | os.PathLike[str] | None = None) -> Path:
    """Return the folder in which data sets are kept.

    The folder is not created; the first download creates it.

    Parameters
    ----------
    data_home : str or path, default=None
        The folder. If None, it is the value of the environment variable ``FAIRORDINAL_DATA``, or
        ``~/fairordinal_data`` if that is not set.

    Returns
    -------
    data_home : pathlib.Path
        Absolute path.

    See Also
    --------
    fetch_communities_crime : Communities and crime data.
    fetch_drug_consumption : Drug consumption data.
    fetch_orca : ORCA's benchmark sets.

    Examples
    --------
    >>> from fairordinal.datasets import get_data_home
    >>> get_data_home("/srv/data").as_posix()
    '/srv/data'
    """
    chosen = data_home or os.environ.get(VARIABLE) or Path.home() / DEFAULT_FOLDER
    return Path(chosen).expanduser().absolute()


@dataclass(frozen=True)
class FetchOptions:
    """Arguments that all fetchers share: the data home, and how to download missing files."""

    home: Path
    download_if_missing: bool
    n_retries: int
    delay: float  # seconds between attempts


def read_fetch_options(
    data_home: str | os.PathLike[str] | None,
    download_if_missing: bool,
    n_retries: int,
    delay: float,
) -> FetchOptions:
    """Check the arguments that all fetchers share."""
    if n_retries < 0:
        raise ValueError(f"n_retries must be 0 or more, got {n_retries}. 0 tries once.")
    if delay < 0:
        raise ValueError(f"delay must be 0 or more seconds, got {delay}.")
    return FetchOptions(get_data_home(data_home), download_if_missing, n_retries, delay)


# Reading and writing with a size limit


class Readable(Protocol):
    """A file, a member of an archive, or a file that is unpacked as it is read."""

    def read(self, size: int, /) -> bytes: ...


def read_at_most(file: Readable, max_bytes: int) -> bytes:
    """Return the rest of a file; ValueError if it has more than `max_bytes` bytes."""
    content = file.read(max_bytes + 1)
    if len(content) > max_bytes:
        raise ValueError(f"it has more than {max_bytes} bytes")
    return content


def read_lines(file: Readable) -> list[str]:
    """Return the lines of an ASCII text; ValueError if it exceeds the limits of a table."""
    content = read_at_most(file, MAX_FILE_BYTES)
    if content.count(b"\n") > MAX_LINES:
        raise ValueError(f"it has more than {MAX_LINES} lines")
    return content.decode("ascii").splitlines()


class LimitedWriter(io.FileIO):
    """A file opened for writing that refuses to grow beyond a size."""

    def __init__(self, path: str, max_bytes: int) -> None:
        super().__init__(path, "wb")
        self.max_bytes = max_bytes

    def write(self, content: Any, /) -> int:
        if self.tell() + len(content) > self.max_bytes:
            raise ValueError(f"it has more than {self.max_bytes} bytes")
        return super().write(content)


# Downloads


@dataclass(frozen=True)
class RemoteFile:
    """A file on the network, and its path in the data home."""

    url: str
    path: str
    sha256: str | None  # None for an archive whose members have known checksums instead
    max_bytes: int = MAX_FILE_BYTES


UCI = "https://archive.ics.uci.edu/ml/machine-learning-databases"
REMOTE_FILES = {
    "drug_consumption": RemoteFile(
        f"{UCI}/00373/drug_consumption.data",
        "paper_main/drug_consumption/drug_consumption.data",
        "90b8cf500b07ad455baf9fe1dc519998c75a1df6d87f6bd7069176f0826ea8c1",
    ),
    "communities_and_crime": RemoteFile(
        f"{UCI}/communities/communities.data",
        "paper_main/communities_and_crime/communities.data",
        "d90d85bd66bad9a00fa0ed6c15ac017b5966d528e55ba2940ad028d071353f95",
    ),
    "orca": RemoteFile(
        "http://www.uco.es/grupos/ayrna/ucobigfiles/datasets-orreview.zip",
        "orca/datasets-orreview.zip",
        None,
        max_bytes=1024 * MEBIBYTE,
    ),
}


def checked_bytes(name: str, options: FetchOptions) -> bytes:
    """Return the content of a file with a known checksum; download it if missing or damaged."""
    remote = REMOTE_FILES[name]
    path = options.home / remote.path
    if path.is_file():
        with path.open("rb") as file:
            content = file.read(remote.max_bytes + 1)
        if hashlib.sha256(content).hexdigest() == remote.sha256:
            return content
        logger.warning("%s is damaged: its SHA-256 is not the known one.", path)
    return download(name, options).read_bytes()


def download(name: str, options: FetchOptions) -> Path:
    """Download a file into the data home, replacing any old one, and return its path."""
    remote = REMOTE_FILES[name]
    path = options.home / remote.path
    if not options.download_if_missing:
        raise OSError(
            f"{path} is missing or damaged, and download_if_missing is False. Allow the download, "
            "or name a folder that has the data with data_home or FAIRORDINAL_DATA."
        )
    with _scratch_folder_beside(path) as scratch:
        put_in_place(_download_with_retries(remote, Path(scratch), options), path)
    return path


def _scratch_folder_beside(path: Path) -> tempfile.TemporaryDirectory[str]:
    """Make a temporary folder on the file system of `path`, so that renaming is atomic."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return tempfile.TemporaryDirectory(dir=path.parent, prefix=".unfinished-")
    except OSError as error:
        raise OSError(
            f"{path} is missing or damaged, and its folder cannot be written to ({error}). "
            "Name a folder of yours with data_home or FAIRORDINAL_DATA."
        ) from error


def _download_with_retries(remote: RemoteFile, folder: Path, options: FetchOptions) -> Path:
    """Download into a folder, in at most ``n_retries + 1`` attempts."""
    for left in reversed(range(options.n_retries + 1)):
        try:
            return _download_once(remote, folder)
        except (OSError, ValueError) as error:  # the network or the server; a wrong checksum
            logger.warning("%s: %s (%d more attempts)", remote.url, error, left)
            failure = error
        time.sleep(options.delay if left else 0)
    raise OSError(
        f"{remote.url} could not be downloaded: {failure}. Try again later, or put the file at "
        f"{options.home / remote.path} yourself."
    ) from failure


def _download_once(remote: RemoteFile, folder: Path) -> Path:
    pooch = optional("pooch", "a download", "data")
    path = folder / Path(remote.path).name
    logger.info("Downloading %s", remote.url)
    with LimitedWriter(str(path), remote.max_bytes) as file:
        pooch.HTTPDownloader(timeout=TIMEOUT)(remote.url, file, None)
    found = pooch.file_hash(str(path))
    if remote.sha256 not in (None, found):
        raise ValueError(f"its SHA-256 is {found}, expected {remote.sha256}")
    # a zip archive ends with its list of members, so a truncated one is not a zip file
    if remote.sha256 is None and not zipfile.is_zipfile(path):
        raise ValueError("it is not a complete zip archive")
    return path
