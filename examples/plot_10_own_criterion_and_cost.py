"""
10. Your own criterion and your own cost
========================================

A criterion is a relation on true labels: it says which pairs of people count. A cost is a matrix.
Metrics, intervals, thresholds and training then work for them.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fairordinal import FairOrdinalClassifier, audit, optimize_thresholds
from fairordinal.criteria import PairwiseCriterion
from fairordinal.datasets import make_biased_ordinal

data = make_biased_ordinal(1500, bias=0.5, n_labels=4, random_state=0)
X, y, group = data.data, data.target, data.sensitive_features

# %%
# Criterion
# ---------
#
# Compare only pairs of people with the same true label: neither should be placed above the other
# more often.


@dataclass(frozen=True)
class ParityAmongEquals(PairwiseCriterion):
    """Pairwise demographic parity among pairs of equal true labels."""

    name: ClassVar[str] = "parity_among_equals"
    title: ClassVar[str] = "pairwise parity among equals"

    def relations(self, n_labels):
        """Pairs with equal labels count."""
        return {"": np.eye(n_labels, dtype=int)}


result = audit(
    y, data.scores, sensitive_features=group, criteria=["demographic_parity", ParityAmongEquals()]
)
print(result)

# %%
# Thresholds and training take it, too.

cuts = optimize_thresholds(
    data.scores, y, sensitive_features=group, criterion=ParityAmongEquals(), max_violation=0.05
)
print(f"thresholds: cost {cuts.cost:.3f}, violation {cuts.violation:.3f}")
model = FairOrdinalClassifier(ParityAmongEquals(), max_violation=0.05, cv=3)
model.fit(X, y, sensitive_features=group)
print(f"model: cost {model.expected_cost_:.3f}, violation {model.expected_violation_:.3f}")

# %%
# Cost
# ----
#
# `C[i, j]` is the cost of predicting j for the true label i. It has to be V-shaped: 0 on the
# diagonal, and not decreasing away from it. Here a person who is rated too low suffers twice as
# much as one who is rated too high.

i, j = np.indices((4, 4))
cost = np.abs(i - j) * np.where(j < i, 2.0, 1.0)
print(cost)
careful = FairOrdinalClassifier(max_violation=0.1, cost_matrix=cost, cv=3)
careful.fit(X, y, sensitive_features=group)
usual = FairOrdinalClassifier(max_violation=0.1, cv=3).fit(X, y, sensitive_features=group)
for name, chosen in (("usual", usual), ("careful", careful)):
    low = (chosen.predict(X) < y).mean()
    print(f"{name}: {low:.0%} are rated too low")
