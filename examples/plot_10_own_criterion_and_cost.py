"""
10. Your own criterion and your own cost
========================================

**The question.** "Of two pupils with the *same* true grade, neither school should be ahead." None
of the built-in criteria says this. And: "A grade that is too low hurts more than one that is too
high." How do you tell the library?
"""

from dataclasses import dataclass
from typing import ClassVar

import matplotlib.pyplot as plt
import numpy as np

from fairordinal import FairOrdinalClassifier, audit, optimize_thresholds
from fairordinal.criteria import PairwiseCriterion

n, random = 1500, np.random.default_rng(0)
skill, school = random.normal(size=n), random.choice(["A", "B"], n)
test = skill + 0.7 * random.normal(size=n)
homework = skill + 0.9 * random.normal(size=n)
letter = skill + 0.5 * random.normal(size=n) + 1.0 * (school == "A")  # A praises its pupils more
X = np.column_stack([test, homework, letter])
y = 1 + np.digitize(skill + 0.4 * random.normal(size=n), [-1, 0, 1])
scores = X.mean(axis=1)

# %%
# A criterion is a relation
# -------------------------
#
# It says which pairs of true grades count: a matrix with 1 where a pair counts. Here it is the
# diagonal: pairs of equals.


@dataclass(frozen=True)
class ParityAmongEquals(PairwiseCriterion):
    """Pairwise demographic parity among pairs of equal true labels."""

    name: ClassVar[str] = "parity_among_equals"
    title: ClassVar[str] = "pairwise parity among equals"

    def relations(self, n_labels):
        """Pairs with equal labels count."""
        return {"": np.eye(n_labels, dtype=int)}


# %%
# Audits with intervals take it:

criteria = ["demographic_parity", ParityAmongEquals()]
print(audit(y, scores, sensitive_features=school, criteria=criteria))

# %%
# So do thresholds with a proof, and training:

cuts = optimize_thresholds(
    scores, y, sensitive_features=school, criterion=ParityAmongEquals(), max_violation=0.05
)
print(f"thresholds: cost {cuts.cost:.2f}, violation {cuts.violation:.2f}")
model = FairOrdinalClassifier(ParityAmongEquals(), max_violation=0.05, basis="linear", cv=3)
model.fit(X, y, sensitive_features=school)
print(f"model: cost {model.expected_cost_:.2f}, violation {model.expected_violation_:.2f}")

# %%
# A cost is a matrix
# ------------------
#
# `C[i, j]` is the cost of predicting j for the true label i. It has to be V-shaped: 0 on the
# diagonal, and not decreasing away from it. Here, a grade that is too low counts three times.

i, j = np.indices((4, 4))
cost = np.abs(i - j) * np.where(j < i, 3.0, 1.0)
print(cost)

# %%
# Both costs with the same limit of demographic parity:

shares = {}
for name, matrix in {"usual cost": "absolute", "too low counts three times": cost}.items():
    fair = FairOrdinalClassifier(max_violation=0.1, cost_matrix=matrix, basis="linear", cv=3)
    predicted = fair.fit(X, y, sensitive_features=school).predict(X)
    shares[name] = ((predicted < y).mean(), (predicted == y).mean(), (predicted > y).mean())

_, ax = plt.subplots(figsize=(6, 2.4), layout="constrained")
left = np.zeros(len(shares))
for part, colour, width in zip(
    ("too low", "right", "too high"), ("tab:red", "tab:gray", "tab:blue"),
    np.transpose([*shares.values()]), strict=True,
):  # fmt: skip
    ax.barh([*shares], width, left=left, color=colour, label=part)
    left += width
ax.set(xlabel="share of pupils", xlim=(0, 1))
ax.legend(ncols=3, loc="lower center", bbox_to_anchor=(0.5, 1))

# %%
# A decision
# ----------
#
# The criterion says *between whom* differences matter, the cost says *which errors* matter. Both
# are decisions about values. Take them to those who bear the consequences, with this picture.
#
# :doc:`Contributing </contributing>` shows how a criterion becomes part of the library.
