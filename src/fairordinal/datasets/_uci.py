"""UCI's drug consumption and communities and crime, as in section 5.1 of the paper.

Features, labels, groups and splits are computed from UCI's own files on every use.
"""

from __future__ import annotations

import hashlib
import os
from typing import Any

import numpy as np

from fairordinal.datasets._dataset import Array, Dataset, TrainTest, as_bunch
from fairordinal.datasets._download import FetchOptions, checked_bytes, read_fetch_options

N_SPLITS = 20
N_TRAIN = 1500


def random_splits(n_rows: int, sha256: str) -> list[TrainTest]:
    """Draw the paper's 20 random splits of a data set.

    Parameters
    ----------
    n_rows : int
        Number of rows of the data set.
    sha256 : str
        Checksum of the training rows. NumPy does not promise that its generators never change.

    Returns
    -------
    splits : list of (ndarray, ndarray)
        Training rows in the order in which they were drawn, and test rows in ascending order.
    """
    generator = np.random.default_rng(0)
    draws = [generator.choice(n_rows, N_TRAIN, replace=False) for _ in range(N_SPLITS)]
    if hashlib.sha256(np.asarray(draws, dtype="<i8").tobytes()).hexdigest() != sha256:
        raise RuntimeError(
            f"NumPy {np.__version__} draws other random numbers than those of the paper's splits. "
            "Install NumPy 2.4 to get the paper's splits, and please report this."
        )
    return [(train, np.delete(np.arange(n_rows), train)) for train in draws]


def _read_cells(name: str, options: FetchOptions) -> Array:
    """Return the entries of a comma-separated file as text, (n_rows, n_columns)."""
    text = checked_bytes(name, options).decode("ascii")
    return np.array([line.split(",") for line in text.splitlines()])


# Drug consumption

TRAITS = ["Nscore", "Escore", "Oscore", "Ascore", "Cscore", "Impulsive", "SS"]
AGE, GENDER, EDUCATION, FIRST_TRAIT, CANNABIS = 1, 2, 3, 6, 18  # columns of the file
FEMALE = "0.48246"
DRUG_LABELS = {"CL0": 1, "CL1": 1, "CL2": 2, "CL3": 3, "CL4": 4, "CL5": 4, "CL6": 5}
DRUG_LABEL_NAMES = [
    "never or over a decade ago",
    "last decade",
    "last year",
    "last month",
    "last day",
]
DRUG_SPLITS_SHA256 = "d6c8e2317be535499d985a68cd70c57680e6e2ed9cb233f7e74073f39e10d606"

DRUG_DESCRIPTION = """Drug consumption (quantified): when did a person last consume cannabis?

1885 rows, 16 inputs, 5 ordered labels, 2 groups; 20 splits into 1500 and 385 rows.

Inputs: age, seven scores of personality (NEO-FFI-R, BIS-11, ImpSS), and eight indicators of
education; the lowest of its nine levels has no indicator. Inputs are not scaled, but the file
itself codes answers by standardised numbers.
Labels: 1 never or over a decade ago, 2 in the last decade, 3 year, 4 month (or week), 5 day.
Protected attribute: gender as in the file, 1 female, 0 male; it is not an input.

Source: UCI Machine Learning Repository 373, file drug_consumption.data.
Citation: E. Fehrman, A. K. Muhammad, E. M. Mirkes, V. Egan, A. N. Gorban (2017). The five factor
model of personality and evaluation of drug consumption risk. In Data Science, Springer.
Licence: CC BY 4.0 as stated by UCI, not re-checked.

Known points: the splits are those of Kleindessner et al., AISTATS 2022 (arXiv:2105.03153), and
match the stored predictions of the authors. Their Table 1 shows averages over the 20 test sets:
among all rows, the share of label 5 is 0.25, not 0.24. Answers are self-reported by volunteers.
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
    """Load drug consumption: when people last used a drug.

    The file (about 0.3 MB) is downloaded on first use and checked on every use.

    Parameters
    ----------
    data_home : str or path, default=None
        Folder of the data; see :func:`get_data_home`.
    download_if_missing : bool, default=True
        If False, raise an ``OSError`` if the file is missing or damaged.
    return_X_y : bool, default=False
        Return ``(data, target)``. Groups and splits are only in the Bunch.
    as_frame : bool, default=False
        Return pandas objects; this needs ``pip install fairordinal[data]``.
    n_retries : int, default=3
        How often a failed download is tried again.
    delay : float, default=1.0
        Seconds between attempts.

    Returns
    -------
    data : Bunch
        Dictionary-like object, with these attributes:

        data : ndarray or DataFrame of shape (1885, 16)
            Features, not scaled and without the protected attribute.
        target : ndarray or Series of shape (1885,)
            Labels 1 to 5.
        sensitive_features : ndarray or Series of shape (1885,)
            1 for female and 0 for male.
        feature_names : list of str
            Names of the columns of `data`.
        target_names : list of str
            Names of the labels, in ascending order.
        sensitive_names : dict
            Names of the groups.
        splits : list of (ndarray, ndarray)
            Row numbers of the training and the test set of the paper's 20 splits.
        split_sensitive_features : list of (ndarray, ndarray)
            Groups of these rows.
        frame : DataFrame or None
            All columns, if `as_frame`.
        DESCR : str
            Description, with source, citation and licence.

        If `return_X_y`, the tuple ``(data, target)`` instead.

    See Also
    --------
    fetch_communities_crime : The other data set of the paper's section 5.1.
    fetch_orca : The benchmark sets of the paper's section 5.2.
    """
    options = read_fetch_options(data_home, download_if_missing, n_retries, delay)
    return as_bunch(_drug_consumption(options), return_X_y=return_X_y, as_frame=as_frame)


def _drug_consumption(options: FetchOptions) -> Dataset:
    cells = _read_cells("drug_consumption", options)
    data, names = _drug_features(cells)
    return Dataset(
        data=data,
        target=np.array([DRUG_LABELS[answer] for answer in cells[:, CANNABIS]]),
        sensitive_features=(cells[:, GENDER] == FEMALE).astype(int),
        feature_names=names,
        sensitive_names={0: "male", 1: "female"},
        description=DRUG_DESCRIPTION,
        target_names=DRUG_LABEL_NAMES,
        splits=random_splits(len(cells), DRUG_SPLITS_SHA256),
    )


def _drug_features(cells: Array) -> tuple[Array, list[str]]:
    """Return age, traits, and an indicator of each level of education but the lowest."""
    numbers = cells[:, [AGE, *range(FIRST_TRAIT, FIRST_TRAIT + len(TRAITS))]].astype(float)
    levels = sorted(np.unique(cells[:, EDUCATION]), key=float)[1:]
    has_level = cells[:, [EDUCATION]] == np.array(levels)
    names = ["Age", *TRAITS, *(f"Education={level}" for level in levels)]
    return np.hstack([numbers, has_level.astype(float)]), names


# Communities and crime

CRIME_HEADER = """
    state county community communityname fold population householdsize racepctblack racePctWhite
    racePctAsian racePctHisp agePct12t21 agePct12t29 agePct16t24 agePct65up numbUrban pctUrban
    medIncome pctWWage pctWFarmSelf pctWInvInc pctWSocSec pctWPubAsst pctWRetire medFamInc
    perCapInc whitePerCap blackPerCap indianPerCap AsianPerCap OtherPerCap HispPerCap NumUnderPov
    PctPopUnderPov PctLess9thGrade PctNotHSGrad PctBSorMore PctUnemployed PctEmploy PctEmplManu
    PctEmplProfServ PctOccupManu PctOccupMgmtProf MalePctDivorce MalePctNevMarr FemalePctDiv
    TotalPctDiv PersPerFam PctFam2Par PctKids2Par PctYoungKids2Par PctTeen2Par PctWorkMomYoungKids
    PctWorkMom NumIlleg PctIlleg NumImmig PctImmigRecent PctImmigRec5 PctImmigRec8 PctImmigRec10
    PctRecentImmig PctRecImmig5 PctRecImmig8 PctRecImmig10 PctSpeakEnglOnly PctNotSpeakEnglWell
    PctLargHouseFam PctLargHouseOccup PersPerOccupHous PersPerOwnOccHous PersPerRentOccHous
    PctPersOwnOccup PctPersDenseHous PctHousLess3BR MedNumBR HousVacant PctHousOccup PctHousOwnOcc
    PctVacantBoarded PctVacMore6Mos MedYrHousBuilt PctHousNoPhone PctWOFullPlumb OwnOccLowQuart
    OwnOccMedVal OwnOccHiQuart RentLowQ RentMedian RentHighQ MedRent MedRentPctHousInc
    MedOwnCostPctInc MedOwnCostPctIncNoMtg NumInShelters NumStreet PctForeignBorn PctBornSameState
    PctSameHouse85 PctSameCity85 PctSameState85 LemasSwornFT LemasSwFTPerPop LemasSwFTFieldOps
    LemasSwFTFieldPerPop LemasTotalReq LemasTotReqPerPop PolicReqPerOffic PolicPerPop
    RacialMatchCommPol PctPolicWhite PctPolicBlack PctPolicHisp PctPolicAsian PctPolicMinor
    OfficAssgnDrugUnits NumKindsDrugsSeiz PolicAveOTWorked LandArea PopDens PctUsePubTrans
    PolicCars PolicOperBudg LemasPctPolicOnPatr LemasGangUnitDeploy LemasPctOfficDrugUn
    PolicBudgPerPop ViolentCrimesPerPop
"""
CRIME_COLUMNS = CRIME_HEADER.split()  # the file itself has no header

NOT_PREDICTIVE = ["state", "county", "community", "communityname", "fold"]
CRIME = "ViolentCrimesPerPop"
RACE = ["racepctblack", "racePctWhite", "racePctAsian", "racePctHisp"]
CRIME_THRESHOLDS = [0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6]
MOSTLY_WHITE = 0.8
LARGE_MINORITY = 0.25
CRIME_GROUP_NAMES: dict[int, dict[Any, str]] = {
    2: {0: "diverse", 1: "white"},
    3: {0: "white", 1: "African-American", 2: "Hispanic or Asian"},
}
CRIME_SPLITS_SHA256 = "977d5b4c2913e0ac21c6ed1131dd31aef8c2b876221d1b2a59e0f6813f41210f"

CRIME_DESCRIPTION = """Communities and crime: how frequent is violent crime in a community?

1994 rows, 95 inputs, 8 ordered labels, 2 or 3 groups; 20 splits into 1500 and 494 rows.

Inputs: numbers about the population, its income, families, housing and police (US census 1990,
LEMAS 1990), scaled to [0, 1] in the file. Left out: the four shares of races, columns with missing
values, and columns that only identify the community.
Labels: violent crimes per 100 000 inhabitants (FBI 1995), scaled to [0, 1] in the file, cut at
0.05, 0.1, 0.2, 0.3, 0.4, 0.5 and 0.6 into 1 (least) to 8.
Protected attribute, two groups: 1 white if racePctWhite > 0.8, else 0 diverse. Three groups:
1 African-American if racepctblack >= 0.25; else 2 Hispanic or Asian if racePctHisp + racePctAsian
>= 0.25; else 0 white.

Source: UCI Machine Learning Repository 183, file communities.data (normalised).
Citation: M. Redmond, A. Baveja (2002). A data-driven software tool for enabling cooperative
information sharing among police departments. European Journal of Operational Research 141, 660-678.
Licence: CC BY 4.0 as stated by UCI, not re-checked.

Known points: the donors scaled all columns to [0, 1], so that "more than 80 % white" in the paper
is a threshold on a scaled value, not on a share of people. The splits are those of Kleindessner et
al., AISTATS 2022 (arXiv:2105.03153), and match the stored predictions of the authors. Their Table 2
shows averages over the 20 test sets: among all rows, the share of label 2 is 0.17, not 0.18.
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
    """Load communities and crime: the frequency of violent crime in communities.

    The file (about 1 MB) is downloaded on first use and checked on every use.

    Parameters
    ----------
    groups : {2, 3}, default=2
        2 for diverse and predominantly white communities; 3 for white, African-American, and
        Hispanic or Asian communities.
    data_home : str or path, default=None
        Folder of the data; see :func:`get_data_home`.
    download_if_missing : bool, default=True
        If False, raise an ``OSError`` if the file is missing or damaged.
    return_X_y : bool, default=False
        Return ``(data, target)``. Groups and splits are only in the Bunch.
    as_frame : bool, default=False
        Return pandas objects; this needs ``pip install fairordinal[data]``.
    n_retries : int, default=3
        How often a failed download is tried again.
    delay : float, default=1.0
        Seconds between attempts.

    Returns
    -------
    data : Bunch
        Dictionary-like object, with these attributes:

        data : ndarray or DataFrame of shape (1994, 95)
            Features, without the shares of races.
        target : ndarray or Series of shape (1994,)
            Labels 1 to 8.
        sensitive_features : ndarray or Series of shape (1994,)
            Groups, numbered from 0.
        feature_names : list of str
            Names of the columns of `data`.
        target_names : None
            The labels have no names.
        sensitive_names : dict
            Names of the groups.
        splits : list of (ndarray, ndarray)
            Row numbers of the training and the test set of the paper's 20 splits.
        split_sensitive_features : list of (ndarray, ndarray)
            Groups of these rows.
        frame : DataFrame or None
            All columns, if `as_frame`.
        DESCR : str
            Description, with source, citation and licence.

        If `return_X_y`, the tuple ``(data, target)`` instead.

    See Also
    --------
    fetch_drug_consumption : The other data set of the paper's section 5.1.
    fetch_orca : The benchmark sets of the paper's section 5.2.
    """
    if groups not in CRIME_GROUP_NAMES:
        raise ValueError(f"groups must be 2 or 3, got {groups!r}.")
    options = read_fetch_options(data_home, download_if_missing, n_retries, delay)
    dataset = _communities_crime(groups, options)
    return as_bunch(dataset, return_X_y=return_X_y, as_frame=as_frame)


def _communities_crime(n_groups: int, options: FetchOptions) -> Dataset:
    cells = _read_cells("communities_and_crime", options)
    columns = dict(zip(CRIME_COLUMNS, cells.T, strict=True))
    incomplete = [name for name, column in columns.items() if "?" in column]
    excluded = {*NOT_PREDICTIVE, *incomplete, *RACE, CRIME}
    names = [name for name in CRIME_COLUMNS if name not in excluded]
    shares = {name: columns[name].astype(float) for name in RACE}
    crime = columns[CRIME].astype(float)
    return Dataset(
        data=np.column_stack([columns[name] for name in names]).astype(float),
        target=np.searchsorted(CRIME_THRESHOLDS, crime, side="left") + 1,
        sensitive_features=_two_groups(shares) if n_groups == 2 else _three_groups(shares),
        feature_names=names,
        sensitive_names=CRIME_GROUP_NAMES[n_groups],
        description=CRIME_DESCRIPTION,
        splits=random_splits(len(cells), CRIME_SPLITS_SHA256),
    )


def _two_groups(shares: dict[str, Array]) -> Array:
    return (shares["racePctWhite"] > MOSTLY_WHITE).astype(int)


def _three_groups(shares: dict[str, Array]) -> Array:
    black = shares["racepctblack"] >= LARGE_MINORITY
    hispanic_or_asian = shares["racePctHisp"] + shares["racePctAsian"] >= LARGE_MINORITY
    return np.select([black, hispanic_or_asian], [1, 2], default=0)
