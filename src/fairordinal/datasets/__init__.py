"""Data sets with ordered labels and sensitive groups.

`fetch_*` are downloaded once and kept in a data home; `load_*` are embedded in other packages;
`make_*` are drawn from a distribution whose violations are known.
"""

from fairordinal.datasets._catalogue import orca_names
from fairordinal.datasets._communities import fetch_communities_crime
from fairordinal.datasets._drug import fetch_drug_consumption
from fairordinal.datasets._embedded import load_diabetes
from fairordinal.datasets._home import get_data_home
from fairordinal.datasets._orca import fetch_orca

__all__ = [
    "fetch_communities_crime",
    "fetch_drug_consumption",
    "fetch_orca",
    "get_data_home",
    "load_diabetes",
    "orca_names",
]
