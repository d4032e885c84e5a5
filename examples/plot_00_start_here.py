"""
Start here: from an unfair model to a fair one in ten minutes
=============================================================

A clinic predicts how far diabetes will have progressed after a year, in five levels from 0 to 4.
The model does not use the sex of the patients. Is it fair to both sexes? And if not, what can be
done?

Install the library first::

    pip install "fairordinal[plot,report,trees]"

The data comes with scikit-learn: 442 patients, nine features, two groups.
"""

from sklearn.linear_model import LinearRegression
from sklearn.model_selection import cross_val_predict

from fairordinal import FairOrdinalFrontier, audit, optimize_thresholds
from fairordinal.datasets import load_diabetes
from fairordinal.plotting import DisparityDisplay, GroupConfusionDisplay

data = load_diabetes()
X, y, sex = data.data, data.target, data.sensitive_features

# %%
# 1. Audit
# --------
#
# Any predictions will do. Here a linear regression predicts each patient by a model that was fitted
# to other patients, and its scores are rounded to the five levels.

scores = cross_val_predict(LinearRegression(), X, y)
levels = scores.round().clip(0, 4).astype(int)
result = audit(y, levels, sensitive_features=sex)
print(result)

# %%
# How to read the second row: take one patient of each sex whose true levels differ. How often does
# the patient with the higher level get the higher prediction? The answer depends on the sex of this
# patient, and the two rates differ by 0.27. The interval does not contain 0, so this is not chance.

DisparityDisplay.from_audit(result, criterion="equal_opportunity").plot()

# %%
# The confusion matrices show where the difference comes from: sex 1 is rated too low more often.

GroupConfusionDisplay.from_audit(result).plot()

# %%
# 2. Repair
# ---------
#
# The scores stay as they are; only the cut points between levels are moved. The result is proved:
# no cut points within the limit cost less than the bound.

cut_points = optimize_thresholds(
    scores, y, sensitive_features=sex, criterion="equal_opportunity", max_violation=0.1
)
print(cut_points)

# %%
# 3. Train
# --------
#
# Cut points cannot mend a score that ranks one group too low. A fair score can. The frontier holds
# the models between the most accurate one and the fairest one, with estimates for new patients.

frontier = FairOrdinalFrontier("equal_opportunity", cv=3)
frontier.fit(X, y, sensitive_features=sex)
fair = frontier.select(max_violation=0.1)
frontier.plot(chosen=fair)

# %%
# The selected model is a classifier of scikit-learn. `predict` does not need the sex.

print(fair.predict(X[:10]))
print(f"expected on new patients: mean cost {fair.expected_cost_:.2f}, "
      f"violation {fair.expected_violation_:.2f}")  # fmt: skip

# %%
# 4. Report
# ---------
#
# One HTML file for those who decide: verdict, intervals, cut points, an interactive frontier, and
# what the numbers do not say. It makes no requests to the network.

from fairordinal.report import report

page = report(result, frontier=frontier, chosen=fair, max_violation=0.1, title="Diabetes")
print(f"{len(page.html) // 1000} kB of HTML; page.save('report.html') writes it")

# %%
# Where to read on: :doc:`which criterion fits </guide/criteria>`, :doc:`limits on new rows
# </guide/limits>`, and the other tutorials.
