"""
5. More than two groups, and intersections
==========================================

**The question.** A school system compares girls and boys, and the north and the south. Letters of
reference praise boys more than girls, and pupils of the north more than those of the south. Is it
enough to audit both?
"""

import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.model_selection import cross_val_predict

from fairordinal import FairOrdinalClassifier, audit
from fairordinal.plotting import DisparityDisplay

n, random = 3000, np.random.default_rng(0)
people = pd.DataFrame({
    "sex": random.choice(["girl", "boy"], n),
    "region": random.choice(["north", "south"], n, p=[0.7, 0.3]),
})  # fmt: skip
skill = random.normal(size=n)
praise = 0.8 * (people["sex"] == "boy") + 0.8 * (people["region"] == "north")
X = np.column_stack([
    skill + 0.7 * random.normal(size=n),
    skill + 0.9 * random.normal(size=n),
    skill + 0.5 * random.normal(size=n) + praise,
])  # fmt: skip
y = 1 + np.digitize(skill + 0.4 * random.normal(size=n), [-1, 0, 1])
scores = cross_val_predict(HistGradientBoostingRegressor(max_iter=40, random_state=0), X, y)
predicted = scores.round().clip(1, 4).astype(int)

# %%
# One feature at a time, and both
# -------------------------------

for columns in (["sex"], ["region"], ["sex", "region"]):
    result = audit(y, predicted, sensitive_features=people[columns])
    finding = result["equal_opportunity"]
    print(f"{' and '.join(columns):15} violation {finding.violation:.2f}")

# %%
# The violation between the four groups is larger than both. It is that of the worst pair of groups.

print(result)

# %%
# Six pairs of groups have six intervals. They hold for all pairs at once: with more groups,
# intervals are wider. The smallest group has the widest ones.

DisparityDisplay.from_audit(result, criterion="equal_opportunity")

# %%
# A model that is fair to all four
# --------------------------------
#
# Pass both columns. The limit then holds for each pair of intersections.

fair = FairOrdinalClassifier("equal_opportunity", max_violation=0.1, basis="linear", cv=3)
fair.fit(X, y, sensitive_features=people)
again = audit(y, fair.predict(X), sensitive_features=people)
print(f"before {result['equal_opportunity'].violation:.2f}, "
      f"after {again['equal_opportunity'].violation:.2f}; "
      f"expected on new rows {fair.expected_violation_:.2f}")  # fmt: skip
DisparityDisplay.from_audit(again, criterion="equal_opportunity")

# %%
# A decision
# ----------
#
# The school system audits intersections from now on. With a third feature there would be eight
# groups, some of them with few pupils. Then either merge groups that may be treated as one
# (``small_groups="merge"``), or say in the report which groups are too small for a conclusion. Do
# not leave them out: :doc:`/howto/small_groups`.
