"""
1. Audit a model that you did not write
=======================================

**The question.** A vendor predicts the progression of diabetes for a clinic. You are asked whether
the predictions are fair to both sexes. You have a table with three columns: the true level, the
predicted level, and the sex. You do not have the model. This is enough.
"""

import matplotlib.pyplot as plt
import pandas as pd
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import cross_val_predict

from fairordinal import assert_pairwise_fair, audit
from fairordinal.datasets import load_diabetes
from fairordinal.plotting import GroupConfusionDisplay

data = load_diabetes()
scores = cross_val_predict(LinearRegression(), data.data, data.target)  # the vendor's secret
table = pd.DataFrame({
    "level": data.target,
    "predicted": scores.round().clip(0, 4).astype(int),
    "sex": data.sensitive_features,
})  # fmt: skip
table.head()

# %%
# Decide before you look
# ----------------------
#
# Numbers tempt. Write down three things first, with the people concerned:
#
# * **the criterion**: the true levels come from a later diagnosis, so they can be trusted. Patients
#   who are worse off should be recognised equally often: *equal opportunity*
#   (:doc:`which criterion? </guide/criteria>`);
# * **the limit**: a violation of at most 0.1, that is, 10 of 100 pairs;
# * **the evidence**: the limit has to be kept with 95 % confidence.
#
# The audit
# ---------

result = audit(table["level"], table["predicted"], sensitive_features=table["sex"])
print(result)

# %%
# The criterion was chosen, so one row counts:

finding = result["equal_opportunity"]
low, high = finding.violation_interval
print(f"violation {finding.violation:.2f}, 95 % interval from {low:.2f} to {high:.2f}; limit 0.1")

names = ["harm_parity", "equalized_odds", "equal_opportunity", "demographic_parity"]
_, ax = plt.subplots(figsize=(6, 2.4), layout="constrained")
for name in names:
    interval, violation = result[name].violation_interval, result[name].violation
    ax.plot(interval, [name, name], color="tab:blue", linewidth=5, solid_capstyle="round")
    ax.plot(violation, name, "o", color="black")
ax.set(xlabel="violation, with its 95 % interval", xlim=(0, 0.5), ylim=(-0.5, 3.5))
ax.axvline(0.1, color="black", linestyle="--")

# %%
# The whole interval of equal opportunity is beyond the dashed limit. This is evidence that the
# limit is exceeded. (If the limit were inside the interval, the data could not tell.)
#
# Where does it come from?
# ------------------------
#
# Rows of these matrices are true levels, columns predicted ones. Patients of sex 1 are often left
# of the diagonal: their level is predicted too low.

GroupConfusionDisplay.from_audit(result)

# %%
# The violation is a sum over cut points and over pairs of true levels. If the vendor also gives
# the scores, it is divided into what the scores do and what rounding does.

with_scores = audit(
    table["level"], table["predicted"], sensitive_features=table["sex"], scores=scores
)
print(with_scores.attribution("equal_opportunity"))

# %%
# Nearly everything comes from the scores. Moving cut points can help a little; the vendor has to
# change the score.
#
# Was the sample large enough?
# ----------------------------
#
# For the violation that was found, yes. To show a violation as small as 0.05, more patients would
# be needed:

print(f"{result.rows_needed(0.05, criterion='equal_opportunity'):,} rows")

# %%
# A decision
# ----------
#
# A check that a script can run; the message says what to write to the vendor.

try:
    assert_pairwise_fair(
        table["level"], table["predicted"], sensitive_features=table["sex"],
        criterion="equal_opportunity", max_violation=0.1, confidence=0.95,
    )  # fmt: skip
except AssertionError as error:
    print(error)

# %%
# **The decision**: not accepted. The letter to the vendor has the violation with its interval, the
# limit, and the tables of both groups. All numbers are in data frames for it:

result.frame()[["criterion", "group", "other", "disparity", "lower", "upper"]].round(2)

# %%
# The same audit of a file, without Python:
#
# .. code-block:: bash
#
#     fairordinal audit table.csv --y level --pred predicted --group sex \
#       --criterion equal_opportunity --max-violation 0.1 --confidence 0.95 --html report.html
#
# Next: :doc:`plot_02_repair_cut_points`, or :doc:`plot_06_fairness_gate`.
