"""Tables 1 to 4 and some statistics of the paper's text, as printed: facts to compare with."""

from __future__ import annotations

from fairordinal.experiments._split import CRIME, CRIME_THREE, DRUGS

SIZES = ("n_train", "n_test", "n_features", "n_labels")
STATISTICS = ("share_of_group_0", "group_0_above", "group_0_below", "difference")

_TABLES_3_AND_4 = """
automobile 153 52 70 6 0.53 0.62 0.20 0.42
balance-scale 468 157 3 3 0.41 0.51 0.13 0.38
car 1296 432 20 4 0.67 0.45 0.00 0.45
ERA 750 250 3 9 0.46 0.25 0.63 0.38
ESL 366 122 3 9 0.40 0.06 0.81 0.75
eucalyptus 552 184 90 5 0.59 0.38 0.41 0.06
LEV 750 250 3 5 0.44 0.17 0.57 0.41
newthyroid 161 54 4 3 0.49 0.42 0.07 0.35
SWD 750 250 9 4 0.55 0.23 0.46 0.23
toy 225 75 1 5 0.49 0.29 0.49 0.20
winequality-red 1199 400 10 6 0.48 0.27 0.38 0.11
abalone-5 1000 3177 9 5 0.63 0.28 0.53 0.25
bank1-5 50 8142 7 5 0.50 0.38 0.42 0.05
bank2-5 75 8117 31 5 0.50 0.41 0.39 0.02
calhousing-5 150 20490 7 5 0.50 0.35 0.46 0.11
census1-5 175 22609 7 5 0.50 0.14 0.72 0.58
census2-5 200 22584 15 5 0.50 0.14 0.72 0.58
computer1-5 100 8092 11 5 0.50 0.70 0.15 0.55
computer2-5 125 8067 20 5 0.50 0.70 0.15 0.55
housing-5 300 206 12 5 0.50 0.65 0.19 0.46
machine-5 150 59 5 5 0.49 0.75 0.12 0.63
stock-5 600 350 8 5 0.50 0.18 0.69 0.51
abalone-10 1000 3177 9 10 0.63 0.32 0.58 0.26
bank1-10 50 8142 7 10 0.50 0.43 0.47 0.05
bank2-10 75 8117 31 10 0.50 0.46 0.44 0.01
calhousing-10 150 20490 7 10 0.50 0.40 0.51 0.11
census1-10 175 22609 7 10 0.50 0.17 0.76 0.59
census2-10 200 22584 15 10 0.50 0.16 0.76 0.60
computer1-10 100 8092 11 10 0.49 0.75 0.18 0.57
computer2-10 125 8067 20 10 0.50 0.75 0.18 0.57
housing-10 300 206 12 10 0.50 0.71 0.22 0.48
machine-10 150 59 5 10 0.48 0.80 0.14 0.67
stock-10 600 350 8 10 0.50 0.20 0.75 0.54
"""

ORCA: dict[str, dict[str, str]] = {
    name: dict(zip(SIZES + STATISTICS, numbers, strict=True))
    for name, *numbers in map(str.split, _TABLES_3_AND_4.strip().splitlines())
}

# where the data does not say what is printed: what it says, and why
DEVIATIONS: dict[tuple[str, str], tuple[str, str]] = {
    ("census2-5", "group_0_above"): (
        "0.13",
        "the data has 0.1348; the paper prints the row of census1-5, whose value is 0.1372",
    ),
    ("computer2-5", "share_of_group_0"): (
        "0.49",
        "the data has 0.49498, close to where it would round to 0.50",
    ),
}

# tables 1 and 2; the difference is of section 5.1, the shares of three groups of appendix B.3
_LABELS = {
    DRUGS: ("0.33", "0.14", "0.11", "0.17", "0.24"),
    CRIME: ("0.20", "0.18", "0.22", "0.13", "0.08", "0.05", "0.05", "0.09"),
}


def _main(data: str, group: str, share: str, difference: str) -> dict[str, str]:
    """Share of a group and of each label, and how much higher the labels of one group are."""
    labels = {f"P[y={label}]": p for label, p in enumerate(_LABELS[data], start=1)}
    return {group: share, **labels, "difference": difference}


MAIN: dict[str, dict[str, str]] = {
    DRUGS: _main(DRUGS, "P[a=f]", "0.50", "0.35"),
    CRIME: _main(CRIME, "P[a=white]", "0.57", "0.72"),
    CRIME_THREE: {
        "P[a=white]": "0.46",
        "P[a=African-American]": "0.24",
        "P[a=Hispanic or Asian]": "0.30",
    },
}
