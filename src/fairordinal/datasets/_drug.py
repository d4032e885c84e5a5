"""Drug consumption (UCI 373), as in section 5.1 of the paper."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from fairordinal.datasets._home import Source, source_of
from fairordinal.datasets._main_splits import main_splits
from fairordinal.datasets._rows import Array, Rows, as_bunch
from fairordinal.datasets._upstream import checked_bytes

TRAITS = ["Nscore", "Escore", "Oscore", "Ascore", "Cscore", "Impulsive", "SS"]
AGE, GENDER, EDUCATION, FIRST_TRAIT, CANNABIS = 1, 2, 3, 6, 18  # columns of the file
FEMALE = "0.48246"
LABELS = {"CL0": 1, "CL1": 1, "CL2": 2, "CL3": 3, "CL4": 4, "CL5": 4, "CL6": 5}
LABEL_NAMES = ["never or over a decade ago", "last decade", "last year", "last month", "last day"]
SPLITS_SHA256 = "d6c8e2317be535499d985a68cd70c57680e6e2ed9cb233f7e74073f39e10d606"

DESCRIPTION = """Drug consumption (quantified): when did a person last consume cannabis?

1885 rows, 16 inputs, 5 ordered labels, 2 groups; 20 splits into 1500 and 385 rows.

Inputs: age, seven scores of personality (NEO-FFI-R, BIS-11, ImpSS), and eight indicators of
education; the lowest of its nine levels has none. Unscaled, though the file itself codes
answers by standardised numbers.
Labels: 1 never or over a decade ago, 2 in the last decade, 3 year, 4 month (or week), 5 day.
Protected attribute: gender as the file has it, 1 female, 0 male; it is no input.

Source: UCI Machine Learning Repository 373, file drug_consumption.data.
Citation: E. Fehrman, A. K. Muhammad, E. M. Mirkes, V. Egan, A. N. Gorban (2017). The five factor
model of personality and evaluation of drug consumption risk. In Data Science, Springer.
Licence: CC BY 4.0 as stated by UCI, not re-checked.

Known points: splits are those of Kleindessner et al., AISTATS 2022 (arXiv:2105.03153), whose stored
predictions line up with them. Its Table 1 has averages over the 20 test sets: of all rows a share
of 0.25 has label 5, not 0.24. Answers are self-reported, and the people volunteered.
"""


def fetch_drug_consumption(
    *,
    data_home: str | os.PathLike[str] | None = None,
    download_if_missing: bool = True,
    return_X_y: bool = False,
    as_frame: bool = False,
    n_retries: int = 3,
    delay: float = 1.0,
) -> Any:
    """Load the drug consumption data: when did a person last consume cannabis?

    Downloaded on first use (about 0.3 MB), checked on every use.

    Parameters
    ----------
    data_home : str or path, default=None
        Folder of the data; see :func:`get_data_home`.
    download_if_missing : bool, default=True
        If False, missing or damaged files are an ``OSError``.
    return_X_y : bool, default=False
        Return ``(data, target)``. Groups and splits are only in the Bunch.
    as_frame : bool, default=False
        Give pandas objects; needs ``pip install fairordinal[data]``.
    n_retries : int, default=3
        How often a failed download is tried again.
    delay : float, default=1.0
        Seconds between attempts.

    Returns
    -------
    data : Bunch
        `data` of shape (1885, 16), unscaled and without the protected attribute; `target`, labels
        1 to 5; `sensitive_features`, 1 for female and 0 for male; `feature_names`;
        `target_names`, of the labels in order; `sensitive_names`, of the groups; `splits`, the
        paper's 20 pairs of training and test row numbers; `split_sensitive_features`, groups of
        those rows; `frame`, all columns if `as_frame`, or None; `DESCR`, with source, citation
        and licence.
    """
    rows = _rows(source_of(data_home, download_if_missing, n_retries, delay))
    return as_bunch(rows, return_X_y=return_X_y, as_frame=as_frame)


def _rows(source: Source) -> Rows:
    text = checked_bytes("drug_consumption", source).decode("ascii")
    cells = np.array([line.split(",") for line in text.splitlines()])
    data, names = _inputs(cells)
    return Rows(
        data=data,
        target=np.array([LABELS[answer] for answer in cells[:, CANNABIS]]),
        sensitive_features=(cells[:, GENDER] == FEMALE).astype(int),
        feature_names=names,
        sensitive_names={0: "male", 1: "female"},
        description=DESCRIPTION,
        target_names=LABEL_NAMES,
        splits=main_splits(len(cells), SPLITS_SHA256),
    )


def _inputs(cells: Array) -> tuple[Array, list[str]]:
    """Age, traits, and an indicator of each education but the lowest."""
    numbers = cells[:, [AGE, *range(FIRST_TRAIT, FIRST_TRAIT + len(TRAITS))]].astype(float)
    levels = sorted(np.unique(cells[:, EDUCATION]), key=float)[1:]
    has_level = cells[:, [EDUCATION]] == np.array(levels)
    names = ["Age", *TRAITS, *(f"Education={level}" for level in levels)]
    return np.hstack([numbers, has_level.astype(float)]), names
