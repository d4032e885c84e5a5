"""
2. Repair the cut points of a gradient booster
==============================================

**The question.** A gradient booster grades applications from 1 to 5. It works well, it was
expensive, and nobody wants to train it again. But letters of reference praise men more than equally
good women, and the booster reads them. How far do we get if only the cut points between grades are
moved? And how do we know that we cannot get further?
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.model_selection import cross_val_predict

from fairordinal import FairThresholdClassifier, optimize_thresholds
from fairordinal.plotting import ScoreDisplay

random = np.random.default_rng(0)
sex = random.choice(["woman", "man"], 1000)
skill = random.normal(size=1000)  # as likely in both groups
test, work = (skill + noise * random.normal(size=1000) for noise in (0.7, 0.9))
letter = skill + 0.5 * random.normal(size=1000) + 1.0 * (sex == "man")
X = np.column_stack([test, work, letter])
y = 1 + np.digitize(skill + 0.4 * random.normal(size=1000), [-1.2, -0.4, 0.4, 1.2])

booster = HistGradientBoostingRegressor(max_iter=60, random_state=0)
scores = cross_val_predict(booster, X, y)

# %%
# One limit
# ---------
#
# The criterion is equal opportunity: the better applicant of a pair should be recognised equally
# often, whether woman or man. The scores come from cross-validation: a booster would look better on
# rows it was fitted to. "cheapest" are the cut points of least cost; "these" keep the limit.

result = optimize_thresholds(
    scores, y, sensitive_features=sex, criterion="equal_opportunity", max_violation=0.2
)
print(result)

# %%
# The scores of both groups, with the cheapest cut points and the new ones:

ScoreDisplay.from_result(result)

# %%
# How to read the proof
# ---------------------
#
# There are billions of ways to place four cut points among a thousand scores. For every one that
# keeps the limit, the cost is at least `lower_bound`. The `gap` is the distance: so much could be
# gained at best by a longer search. If it is 0, the cut points are proved to be optimal.

print(f"cost {result.cost:.4f}, proved lower bound {result.lower_bound:.4f}, "
      f"gap {result.gap:.1e}")  # fmt: skip

# %%
# What does fairness cost?
# ------------------------
#
# Each limit has its own proof, so that the line below is not only what we found: nothing below it
# exists, for these scores.

limits = [0.3, 0.25, 0.2, 0.15, 0.1, 0.05]
found = [
    optimize_thresholds(
        scores, y, sensitive_features=sex, criterion="equal_opportunity", max_violation=limit
    )
    for limit in limits
]
_, ax = plt.subplots(figsize=(6, 3.2), layout="constrained")
ax.plot(limits, [each.cost for each in found], "o-", label="cut points")
ax.fill_between(limits, 0, [each.lower_bound for each in found], alpha=0.2, label="impossible")
ax.set(xlabel="limit of the violation", ylabel="mean cost", ylim=(0.4, None))
ax.legend()

# %%
# A decision
# ----------
#
# Down to 0.2, fairness costs little. Below, the cost rises quickly, and the grades in the middle
# disappear: the score itself places women too low, and no cut points can mend that. We take 0.2 for
# now, and plan a fair score (:doc:`plot_03_train_in_a_pipeline`).
#
# For use, the cut points have to hold for new applicants as well.
# :class:`~fairordinal.FairThresholdClassifier` wraps the booster (or any regressor, classifier or
# pipeline). It chooses cut points on out-of-fold scores, so that the limit holds on new rows on
# average.

model = FairThresholdClassifier(booster, criterion="equal_opportunity", max_violation=0.2, cv=3)
model.fit(X, y, sensitive_features=sex)
print(f"expected on new rows: mean cost {model.expected_cost_:.3f}, "
      f"violation {model.expected_violation_:.3f}")  # fmt: skip
print(model.predict(X[:10]))  # the sex is not needed

# %%
# More about the certificate: :doc:`/guide/thresholds`.
