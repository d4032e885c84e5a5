"""Communities and crime (UCI 183), as in section 5.1 and appendix B of the paper."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from fairordinal.datasets._communities_columns import COLUMNS, NOT_PREDICTIVE
from fairordinal.datasets._home import Source, source_of
from fairordinal.datasets._main_splits import main_splits
from fairordinal.datasets._rows import Array, Rows, as_bunch
from fairordinal.datasets._upstream import checked_bytes

CRIME = "ViolentCrimesPerPop"
RACE = ["racepctblack", "racePctWhite", "racePctAsian", "racePctHisp"]
CUTS = [0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6]
MOSTLY_WHITE = 0.8
MANY = 0.25
GROUP_NAMES: dict[int, dict[Any, str]] = {
    2: {0: "diverse", 1: "white"},
    3: {0: "white", 1: "African-American", 2: "Hispanic or Asian"},
}
SPLITS_SHA256 = "977d5b4c2913e0ac21c6ed1131dd31aef8c2b876221d1b2a59e0f6813f41210f"

DESCRIPTION = """Communities and crime: how much violent crime has a community?

1994 rows, 95 inputs, 8 ordered labels, 2 or 3 groups; 20 splits into 1500 and 494 rows.

Inputs: numbers about the population, its income, families, housing and police (US census 1990,
LEMAS 1990), without the four shares of races, columns with missing values, and what only names the
place. As the file has them, between 0 and 1.
Labels: violent crimes per 100 000 inhabitants (FBI 1995) as the file has them, between 0 and 1, cut
at 0.05, 0.1, 0.2, 0.3, 0.4, 0.5 and 0.6 into 1 (least) to 8.
Protected attribute, two groups: 1 white if racePctWhite > 0.8, else 0 diverse. Three groups:
1 African-American if racepctblack >= 0.25; else 2 Hispanic or Asian if racePctHisp + racePctAsian
>= 0.25; else 0 white.

Source: UCI Machine Learning Repository 183, file communities.data (normalised).
Citation: M. Redmond, A. Baveja (2002). A data-driven software tool for enabling cooperative
information sharing among police departments. European Journal of Operational Research 141, 660-678.
Licence: CC BY 4.0 as stated by UCI, not re-checked.

Known points: all columns were stretched to 0-1 by their donors, so that "more than 80 % white" in
the paper is a cut of such a value and not a share of people. Splits are those of Kleindessner et
al., AISTATS 2022 (arXiv:2105.03153), whose stored predictions line up with them. Its Table 2 has
averages over the 20 test sets: of all rows a share of 0.17 has label 2, not 0.18.
"""


def fetch_communities_crime(
    *,
    groups: int = 2,
    data_home: str | os.PathLike[str] | None = None,
    download_if_missing: bool = True,
    return_X_y: bool = False,
    as_frame: bool = False,
    n_retries: int = 3,
    delay: float = 1.0,
) -> Any:
    """Load communities and crime: how much violent crime has a community?

    Downloaded on first use (about 1 MB), checked on every use.

    Parameters
    ----------
    groups : {2, 3}, default=2
        Two groups: diverse and predominantly white communities. Three: white, African-American,
        Hispanic or Asian.
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
        `data` of shape (1994, 95), without the shares of races; `target`, labels 1 to 8;
        `sensitive_features`, from 0; `feature_names`; `target_names`, None; `sensitive_names`, of
        the groups; `splits`, the paper's 20 pairs of training and test row numbers;
        `split_sensitive_features`, groups of those rows; `frame`, all columns if `as_frame`, or
        None; `DESCR`, with source, citation and licence.
    """
    if groups not in GROUP_NAMES:
        raise ValueError(f"groups must be 2 or 3, got {groups!r}.")
    rows = _rows(groups, source_of(data_home, download_if_missing, n_retries, delay))
    return as_bunch(rows, return_X_y=return_X_y, as_frame=as_frame)


def _rows(n_groups: int, source: Source) -> Rows:
    text = checked_bytes("communities_and_crime", source).decode("ascii")
    cells = np.array([line.split(",") for line in text.splitlines()])
    columns = dict(zip(COLUMNS, cells.T, strict=True))
    incomplete = [name for name, column in columns.items() if "?" in column]
    names = [name for name in COLUMNS if name not in {*NOT_PREDICTIVE, *incomplete, *RACE, CRIME}]
    shares = {name: columns[name].astype(float) for name in RACE}
    return Rows(
        data=np.column_stack([columns[name] for name in names]).astype(float),
        target=np.searchsorted(CUTS, columns[CRIME].astype(float), side="left") + 1,
        sensitive_features=_two_groups(shares) if n_groups == 2 else _three_groups(shares),
        feature_names=names,
        sensitive_names=GROUP_NAMES[n_groups],
        description=DESCRIPTION,
        splits=main_splits(len(cells), SPLITS_SHA256),
    )


def _two_groups(shares: dict[str, Array]) -> Array:
    return (shares["racePctWhite"] > MOSTLY_WHITE).astype(int)


def _three_groups(shares: dict[str, Array]) -> Array:
    hispanic_or_asian = shares["racePctHisp"] + shares["racePctAsian"] >= MANY
    return np.select([shares["racepctblack"] >= MANY, hispanic_or_asian], [1, 2], default=0)
