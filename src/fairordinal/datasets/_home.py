"""Where data sets live on this machine, and how missing ones may be fetched."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

VARIABLE = "FAIRORDINAL_DATA"
BESIDE_HOME = "fairordinal_data"


def get_data_home(data_home: str | os.PathLike[str] | None = None) -> Path:
    """Folder in which data sets are kept.

    Nothing is created: the folder appears with the first download.

    Parameters
    ----------
    data_home : str or path, default=None
        The folder. If None, what the environment variable ``FAIRORDINAL_DATA`` says, or else
        ``~/fairordinal_data``.

    Returns
    -------
    data_home : pathlib.Path
        Absolute.

    Examples
    --------
    >>> from fairordinal.datasets import get_data_home
    >>> get_data_home("/srv/data").as_posix()
    '/srv/data'
    """
    chosen = data_home or os.environ.get(VARIABLE) or Path.home() / BESIDE_HOME
    return Path(chosen).expanduser().absolute()


@dataclass(frozen=True)
class Source:
    """A data home, and whether and how often to try the network for what it lacks."""

    home: Path
    download_if_missing: bool
    n_retries: int
    delay: float


def source_of(
    data_home: str | os.PathLike[str] | None,
    download_if_missing: bool,
    n_retries: int,
    delay: float,
) -> Source:
    """Check the arguments that all fetchers share."""
    if n_retries < 0:
        raise ValueError(f"n_retries must be 0 or more, got {n_retries}. 0 tries once.")
    if delay < 0:
        raise ValueError(f"delay must be 0 or more seconds, got {delay}.")
    return Source(get_data_home(data_home), download_if_missing, n_retries, delay)
