"""Where files come from, and how they get here: whole, checked, and in one step.

A file appears under its name only when it is complete and has its checksum: pooch writes it into a
scratch folder, from which it is renamed. So an interrupted download leaves nothing that looks good,
and two processes do not disturb each other. A download ends when it is larger than expected.
"""

from __future__ import annotations

import hashlib
import logging
import tempfile
import time
import zipfile
from dataclasses import dataclass
from pathlib import Path

from fairordinal._files import put_in_place
from fairordinal._optional import optional
from fairordinal.datasets._bounded import MEBIBYTE, MOST_OF_FILE, BoundedFile
from fairordinal.datasets._home import Source

logger = logging.getLogger("fairordinal.datasets")

TIMEOUT = 30.0  # seconds without a byte


@dataclass(frozen=True)
class Upstream:
    """A file on the network and its place in the data home."""

    url: str
    place: str
    sha256: str | None  # None: not known; an archive, whose files have checksums of their own
    most_bytes: int = MOST_OF_FILE


UCI = "https://archive.ics.uci.edu/ml/machine-learning-databases"
UPSTREAM = {
    "drug_consumption": Upstream(
        f"{UCI}/00373/drug_consumption.data",
        "paper_main/drug_consumption/drug_consumption.data",
        "90b8cf500b07ad455baf9fe1dc519998c75a1df6d87f6bd7069176f0826ea8c1",
    ),
    "communities_and_crime": Upstream(
        f"{UCI}/communities/communities.data",
        "paper_main/communities_and_crime/communities.data",
        "d90d85bd66bad9a00fa0ed6c15ac017b5966d528e55ba2940ad028d071353f95",
    ),
    "orca": Upstream(
        "http://www.uco.es/grupos/ayrna/ucobigfiles/datasets-orreview.zip",
        "orca/datasets-orreview.zip",
        None,
        most_bytes=1024 * MEBIBYTE,
    ),
}


def checked_bytes(name: str, source: Source) -> bytes:
    """Content of a file whose checksum is known; downloaded if missing or damaged."""
    upstream = UPSTREAM[name]
    path = source.home / upstream.place
    if path.is_file():
        with path.open("rb") as file:
            content = file.read(upstream.most_bytes + 1)
        if hashlib.sha256(content).hexdigest() == upstream.sha256:
            return content
        logger.warning("%s is damaged: its SHA-256 is not the known one.", path)
    return download(name, source).read_bytes()


def download(name: str, source: Source) -> Path:
    """Fetch a file anew, trying again where that may help, and give its path."""
    upstream = UPSTREAM[name]
    path = source.home / upstream.place
    if not source.download_if_missing:
        raise OSError(
            f"{path} is missing or damaged, and download_if_missing is False. Allow the download, "
            "or name a folder that has the data with data_home or FAIRORDINAL_DATA."
        )
    with _scratch_beside(path) as scratch:
        put_in_place(_retrieve(upstream, Path(scratch), source), path)
    return path


def _scratch_beside(path: Path) -> tempfile.TemporaryDirectory[str]:
    """A folder for unfinished work, on the file system of the finished."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return tempfile.TemporaryDirectory(dir=path.parent, prefix=".unfinished-")
    except OSError as error:
        raise OSError(
            f"{path} is missing or damaged, and its folder cannot be written to ({error}). "
            "Name a folder of yours with data_home or FAIRORDINAL_DATA."
        ) from error


def _retrieve(upstream: Upstream, folder: Path, source: Source) -> Path:
    """Download into a folder, at most `n_retries` times more than once."""
    for left in reversed(range(source.n_retries + 1)):
        try:
            return _retrieve_once(upstream, folder)
        except (OSError, ValueError) as error:  # the network or the server; a wrong checksum
            logger.warning("%s: %s (%d more attempts)", upstream.url, error, left)
            failure = error
        time.sleep(source.delay if left else 0)
    raise OSError(
        f"{upstream.url} could not be downloaded: {failure}. Try again later, or put the file at "
        f"{source.home / upstream.place} yourself."
    ) from failure


def _retrieve_once(upstream: Upstream, folder: Path) -> Path:
    pooch = optional("pooch", "a download", "data")
    path = folder / Path(upstream.place).name
    logger.info("Downloading %s", upstream.url)
    with BoundedFile(str(path), upstream.most_bytes) as file:
        pooch.HTTPDownloader(timeout=TIMEOUT)(upstream.url, file, None)
    found = pooch.file_hash(str(path))
    if upstream.sha256 not in (None, found):
        raise ValueError(f"its SHA-256 is {found}, expected {upstream.sha256}")
    if upstream.sha256 is None and not zipfile.is_zipfile(path):  # which ends with its contents
        raise ValueError("it is not a whole zip archive")
    return path
