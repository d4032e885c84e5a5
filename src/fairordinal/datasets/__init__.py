"""Data sets with ordered labels and sensitive groups.

`fetch_*` are downloaded once and kept in a data home; `load_*` are embedded in other packages;
`make_*` are drawn from a distribution whose violations are known.
"""

from fairordinal.datasets._dataset import mean_test_statistics as mean_test_statistics
from fairordinal.datasets._download import get_data_home
from fairordinal.datasets._embedded import (
    load_balance_scale,
    load_diabetes,
    load_era,
    load_esl,
    load_lev,
    load_swd,
)
from fairordinal.datasets._orca import fetch_orca
from fairordinal.datasets._orca_files import orca_names
from fairordinal.datasets._synthetic import make_biased_ordinal
from fairordinal.datasets._uci import fetch_communities_crime, fetch_drug_consumption

__all__ = [
    "fetch_communities_crime",
    "fetch_drug_consumption",
    "fetch_orca",
    "get_data_home",
    "load_balance_scale",
    "load_diabetes",
    "load_era",
    "load_esl",
    "load_lev",
    "load_swd",
    "make_biased_ordinal",
    "orca_names",
]
