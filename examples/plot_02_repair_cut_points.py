"""
2. Repair the cut points of a gradient booster
==============================================

The model stays as it is. Only the cut points between labels are moved, and a proof says how good
they are.
"""

from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.model_selection import cross_val_predict

from fairordinal import FairThresholdClassifier, optimize_thresholds
from fairordinal.datasets import make_biased_ordinal
from fairordinal.plotting import ScoreDisplay

data = make_biased_ordinal(1000, bias=0.5, n_labels=5, random_state=0)
X, y, group = data.data, data.target, data.sensitive_features
booster = HistGradientBoostingRegressor(max_iter=60, random_state=0)
scores = cross_val_predict(booster, X, y)

# %%
# One limit
# ---------
#
# `cheapest` are the cut points of least cost, `these` keep the limit.

result = optimize_thresholds(scores, y, sensitive_features=group, max_violation=0.15)
print(result)

# %%
# Scores by group, with the old cut points and the new ones:

ScoreDisplay.from_result(result).plot()

# %%
# The proof
# ---------
#
# Of all cut points within the limit, none costs less than `lower_bound`. The gap to these is often
# 0.

print(f"objective {result.objective:.5f}, proved lower bound {result.lower_bound:.5f}, "
      f"gap {result.gap:.1e}")  # fmt: skip

# %%
# What does fairness cost?

print("limit   mean cost      gap")
for limit in (0.25, 0.2, 0.15, 0.1):
    found = optimize_thresholds(scores, y, sensitive_features=group, max_violation=limit)
    print(f"{limit:5}   {found.cost:9.3f}   {found.gap:.0e}")

# %%
# As an estimator
# ---------------
#
# :class:`~fairordinal.FairThresholdClassifier` wraps a regressor, a classifier or a pipeline. Its
# cut points are chosen on out-of-fold scores, so that the limit holds on new rows on average.
# `predict` does not need the group.

model = FairThresholdClassifier(booster, max_violation=0.15, cv=3)
model.fit(X, y, sensitive_features=group)
print(f"expected on new rows: mean cost {model.expected_cost_:.3f}, "
      f"violation {model.expected_violation_:.3f}")  # fmt: skip
print(model.predict(X[:10]))
