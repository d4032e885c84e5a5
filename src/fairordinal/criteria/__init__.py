r"""What is fair: notions of fairness as signed tables over cells.

With cells ``u = (group, true label)``, counts ``T[u, b]`` and ``wins[u, v]`` (see ``_table``),
a notion asks for each pair of groups (g, h) whether two probabilities are equal:

* a **pairwise** notion compares samples of different groups. It is a relation K on pairs of
  true labels, saying which pairs count::

      p[g, h] = sum_{y, y'} W[g, h, y, y'] * wins[(g, y), (h, y')]
      W[g, h, y, y'] = K[y, y'] / N_gh,      N_gh = sum_{y, y'} K[y, y'] n[g, y] n[h, y']

* a notion about **single samples** compares a mean of the groups. It is two tables over (true
  label, predicted label), what is counted and among which samples::

      p[g, h] = <value, T[g]> / <among, T[g]>,     the same for every h

The disparity of (g, h) is ``p[g, h] - p[h, g]`` and the violation its greatest absolute value.
A notion may have several *parts*, each with its own probabilities. A disparity without pairs or
samples to speak of is undefined: nan, never 0.

For learners the same disparity is linear: ``<Q[e], wins>`` with the signed tables Q of
`PairwiseCriterion.contrasts`, or ``<R[e], T>`` with those of `SampleCriterion.contrasts`
(`Contrasts` holds them in factored form).

References
----------
Kleindessner, Samadi, Zafar, Kenthapadi, Russell: Pairwise Fairness for Ordinal Regression,
AISTATS 2022, arXiv:2105.03153. Sections 2 and 6, appendix A.1, Proposition 1.
"""

from __future__ import annotations

from typing import Any

from fairordinal.criteria._base import Contrasts, Criterion
from fairordinal.criteria._checks import require_labels, warn_undefined
from fairordinal.criteria._pairwise import (
    DemographicParity,
    EqualizedOdds,
    EqualOpportunity,
    PairwiseCriterion,
    pair_tables,
)
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
    "pair_tables",
    "require_labels",
    "warn_undefined",
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


def as_criterion(criterion: Any, cost_matrix: Any = "absolute") -> Criterion:
    """A criterion, given itself or its name; harms by name take the cost matrix."""
    if isinstance(criterion, Criterion):
        return criterion
    if isinstance(criterion, str) and criterion in NAMED:
        named = NAMED[criterion]
        return type(named)(cost_matrix) if isinstance(named, HarmParity) else named
    raise ValueError(f"criterion must be one of {list(NAMED)} or a Criterion, got {criterion!r}.")
