"""The 20 random splits of the paper's two main data sets, made again rather than stored."""

from __future__ import annotations

import hashlib

import numpy as np

from fairordinal.datasets._rows import Split

N_SPLITS = 20
N_TRAIN = 1500


def main_splits(n_rows: int, sha256: str) -> list[Split]:
    """Training rows in the order they were drawn, and all others in the order of the file.

    Parameters
    ----------
    n_rows : int
        Number of rows of the data set.
    sha256 : str
        Checksum of the training rows. NumPy does not promise that its generators never change.
    """
    generator = np.random.default_rng(0)
    draws = [generator.choice(n_rows, N_TRAIN, replace=False) for _ in range(N_SPLITS)]
    if hashlib.sha256(np.asarray(draws, dtype="<i8").tobytes()).hexdigest() != sha256:
        raise RuntimeError(
            f"NumPy {np.__version__} draws other random numbers than the paper's splits were made "
            "with. Install NumPy 2.4 to get them, and please report this."
        )
    return [(train, np.delete(np.arange(n_rows), train)) for train in draws]
