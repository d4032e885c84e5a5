"""
1. Audit a model that you did not write
=======================================

You have true labels, predictions and groups, but not the model. This is enough to decide whether
the model is fair enough, and whether the data can tell.
"""

from sklearn.linear_model import LinearRegression
from sklearn.model_selection import cross_val_predict

from fairordinal import assert_pairwise_fair, audit
from fairordinal.datasets import load_diabetes
from fairordinal.plotting import DisparityDisplay

data = load_diabetes()
sex = data.sensitive_features
scores = cross_val_predict(LinearRegression(), data.data, data.target)
levels = scores.round().clip(0, 4).astype(int)

# %%
# The audit
# ---------
#
# `scores=` is optional: with it, violations are split into those of the scores and those of the cut
# points. `compare=True` adds metrics of other libraries.

result = audit(data.target, levels, sensitive_features=sex, scores=scores, compare=True)
print(result)

# %%
# Choose a criterion before you look at its number. Here it is equal opportunity: of two patients
# with different true levels, the higher one should be predicted higher, equally often in both
# groups.

finding = result["equal_opportunity"]
low, high = finding.violation_interval
print(f"violation {finding.violation:.3f}, 95% interval from {low:.3f} to {high:.3f}")
DisparityDisplay.from_audit(result, criterion="equal_opportunity").plot()

# %%
# Where does it come from?
# ------------------------
#
# The violation is a sum over pairs of labels and over cut points. The scores contribute most: cut
# points alone cannot repair this model.

print(result.attribution("equal_opportunity"))

# %%
# A decision
# ----------
#
# Suppose that the limit is 0.3. The upper end of the interval decides, not the estimate. A test
# suite can check it; an exception says what is wrong.

try:
    assert_pairwise_fair(
        data.target, levels, sensitive_features=sex, criterion="equal_opportunity",
        max_violation=0.3, confidence=0.95,
    )  # fmt: skip
    print("The limit is kept.")
except AssertionError as error:
    print(error)

# %%
# How many patients would be needed to find a violation of 0.05?

print(f"{result.rows_needed(0.05, criterion='equal_opportunity'):,} rows")

# %%
# All numbers are in data frames.

result.frame()
