"""
5. More than two groups, and intersections
==========================================

Fairness between sexes and fairness between regions do not imply fairness between the sexes of each
region. Several sensitive features mean their intersections.
"""

import numpy as np
import pandas as pd

from fairordinal import FairOrdinalClassifier, audit
from fairordinal.datasets import make_biased_ordinal
from fairordinal.plotting import DisparityDisplay

made = make_biased_ordinal(4000, groups=[0.4, 0.3, 0.2, 0.1], bias=0.7, n_labels=4, random_state=0)
X, y, number = made.data, made.target, made.sensitive_features
people = pd.DataFrame({
    "sex": np.where(number % 2 == 0, "female", "male"),
    "region": np.where(number < 2, "north", "south"),
})  # fmt: skip
predicted = np.clip(np.rint(made.scores + 2.5), 1, 4).astype(int)

# %%
# One feature at a time, and both:

for columns in (["sex"], ["region"], ["sex", "region"]):
    result = audit(y, predicted, sensitive_features=people[columns])
    finding = result["demographic_parity"]
    print(f"{' and '.join(columns):15} {finding.violation:.3f}")

# %%
# The violation is that of the worst pair of groups. Intervals hold for all pairs at once, so that
# more groups mean wider intervals.

print(result)
DisparityDisplay.from_audit(result, criterion="demographic_parity").plot()

# %%
# A model that is fair between all four groups:

fair = FairOrdinalClassifier(max_violation=0.1, cv=3)
fair.fit(X, y, sensitive_features=people)
again = audit(y, fair.predict(X), sensitive_features=people)
print(f"before {result['demographic_parity'].violation:.3f}, "
      f"after {again['demographic_parity'].violation:.3f}; "
      f"expected on new rows {fair.expected_violation_:.3f}")  # fmt: skip
