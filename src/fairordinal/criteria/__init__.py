r"""Fairness criteria, defined by tables over groups, true labels and predictions.

With cells ``u = (group, true label)``, counts ``T[u, b]`` and ``wins[u, v]`` (see
``fairordinal._table``), a criterion compares two probabilities for each pair of groups (g, h):

* A **pairwise** criterion compares samples of different groups. It is a relation K on pairs of
  true labels, which says which pairs count::

      p[g, h] = sum_{y, y'} W[g, h, y, y'] * wins[(g, y), (h, y')]
      W[g, h, y, y'] = K[y, y'] / N_gh,      N_gh = sum_{y, y'} K[y, y'] n[g, y] n[h, y']

* A criterion about **single samples** compares the groups' means. It is two tables over (true
  label, predicted label): what is averaged, and over which samples::

      p[g, h] = <value, T[g]> / <among, T[g]>,     equal for all h

The disparity of (g, h) is ``p[g, h] - p[h, g]``, and the violation is the largest absolute
disparity. A criterion may have several *parts*, each with its own probabilities. If there are no
pairs or samples to compare, a disparity is undefined: nan, never 0.

Learners use that disparities are linear: a disparity is ``<Q[e], wins>`` with the signed tables Q
of `PairwiseCriterion.contrasts`, or ``<R[e], T>`` with the tables R of
`SampleCriterion.contrasts` (`Contrasts` holds them in factored form).

References
----------
Kleindessner, Samadi, Zafar, Kenthapadi, Russell: Pairwise Fairness for Ordinal Regression,
AISTATS 2022, arXiv:2105.03153. Sections 2 and 6, appendix A.1, Proposition 1.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from fairordinal.criteria._criterion import Contrasts, Criterion
from fairordinal.criteria._criterion import require_labels as require_labels
from fairordinal.criteria._criterion import warn_undefined as warn_undefined
from fairordinal.criteria._pairwise import (
    DemographicParity,
    EqualizedOdds,
    EqualOpportunity,
    PairwiseCriterion,
)
from fairordinal.criteria._pairwise import pair_tables as pair_tables
from fairordinal.criteria._sample import DIRECTIONS as DIRECTIONS
from fairordinal.criteria._sample import (
    ConditionalHarmParity,
    HarmParity,
    SampleCriterion,
    StandardDemographicParity,
    StandardEqualizedOdds,
    StandardEqualOpportunity,
)

__all__ = [
    "ConditionalHarmParity",
    "Contrasts",
    "Criterion",
    "DemographicParity",
    "EqualOpportunity",
    "EqualizedOdds",
    "HarmParity",
    "PairwiseCriterion",
    "SampleCriterion",
    "StandardDemographicParity",
    "StandardEqualOpportunity",
    "StandardEqualizedOdds",
    "as_criterion",
]

NAMED: dict[str, Criterion] = {
    criterion.name: criterion
    for criterion in (
        DemographicParity(),
        EqualOpportunity(),
        EqualizedOdds(),
        DemographicParity(pairs="unequal_labels"),
        HarmParity(),
        ConditionalHarmParity(),
        StandardDemographicParity(),
        StandardEqualOpportunity(),
        StandardEqualizedOdds(),
    )
}


def as_criterion(
    criterion: Any, cost_matrix: Any = "absolute", higher_is: str | None = None
) -> Criterion:
    """Return a criterion, given a criterion or its name.

    Parameters
    ----------
    criterion : str or Criterion
        ``"demographic_parity"``, ``"equal_opportunity"``, ``"equalized_odds"``,
        ``"conditional_demographic_parity"``, ``"harm_parity"``, ``"conditional_harm_parity"``,
        ``"standard_demographic_parity"``, ``"standard_equal_opportunity"``,
        ``"standard_equalized_odds"``, or a criterion, which is returned as it is.
    cost_matrix : {"absolute", "zero_one", "squared", "asymmetric"} or array, default="absolute"
        Costs of errors, for the two harm criteria if they are given by name.
    higher_is : {"better", "worse"}, default=None
        Whether higher labels are better or worse for people, for the two harm criteria; given as
        instances, they must not contradict it.

    Returns
    -------
    criterion : Criterion
        The criterion.

    Examples
    --------
    >>> from fairordinal.criteria import as_criterion
    >>> as_criterion("harm_parity", "squared")
    HarmParity(cost_matrix='squared', higher_is=None)
    """
    if isinstance(criterion, HarmParity):
        return _directed(criterion, higher_is)
    if isinstance(criterion, Criterion):
        return criterion
    if isinstance(criterion, str) and criterion in NAMED:
        named = NAMED[criterion]
        return type(named)(cost_matrix, higher_is) if isinstance(named, HarmParity) else named
    raise ValueError(f"criterion must be one of {list(NAMED)} or a Criterion, got {criterion!r}.")


def _directed(criterion: HarmParity, higher_is: str | None) -> HarmParity:
    """Return a harm criterion with a direction; raise ValueError if it has the other one."""
    if higher_is is None or higher_is == criterion.higher_is:
        return criterion
    if criterion.higher_is is not None:
        raise ValueError(
            f"higher_is={higher_is!r} contradicts {criterion!r}. Leave one of them out."
        )
    return replace(criterion, higher_is=higher_is)
