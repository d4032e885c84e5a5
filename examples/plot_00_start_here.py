"""
Start here: from an unfair model to a fair one in ten minutes
=============================================================

A clinic predicts how far the diabetes of a patient will have progressed after a year, in five
levels from 0 to 4. Patients with a high level are seen more often. The model does not use the sex
of the patients. Is it fair to both sexes? And if not, what can be done?

Install the library first:

.. code-block:: bash

    pip install "fairordinal[plot,report,trees]"

(:doc:`Other parts </howto/install>` are optional.) Four steps follow: **audit**, **repair**,
**train**, **report**. The data comes with scikit-learn: 442 patients, nine features, two groups.
``fairordinal demo`` (or ``make demo`` in a clone) tells the same story on the command line.
"""

# sphinx_gallery_thumbnail_number = 4
import matplotlib.pyplot as plt
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import cross_val_predict

from fairordinal import FairOrdinalFrontier, audit, optimize_thresholds
from fairordinal.datasets import load_diabetes
from fairordinal.plotting import GroupConfusionDisplay, ScoreDisplay

data = load_diabetes()
X, y, sex = data.data, data.target, data.sensitive_features

# %%
# 1. Audit
# --------
#
# Any predictions will do. Here a linear regression gives each patient a score, from a fit to other
# patients, and scores are rounded to the five levels.

scores = cross_val_predict(LinearRegression(), X, y)
levels = scores.round().clip(0, 4).astype(int)
result = audit(y, levels, sensitive_features=sex)
print(result)

# %%
# **How to read it.** Look at the row *pairwise equal opportunity*. Take one patient of each sex
# whose true levels differ. How often does the one with the higher level get the higher prediction?
# This depends on the sex of that patient: 77 % or 50 %. The difference, 0.27, is the *violation*.
# Its interval does not contain 0, so chance alone does not explain it.

names = ["harm_parity", "equalized_odds", "equal_opportunity", "demographic_parity"]
_, ax = plt.subplots(figsize=(6, 2.4), layout="constrained")
for name in names:
    interval, violation = result[name].violation_interval, result[name].violation
    ax.plot(interval, [name, name], color="tab:blue", linewidth=5, solid_capstyle="round")
    ax.plot(violation, name, "o", color="black")
ax.set(xlabel="violation, with its 95 % interval", xlim=(0, 0.5), ylim=(-0.5, 3.5))

# %%
# Where does it come from? Each row of these matrices is a true level. Patients of sex 1 are often
# left of the diagonal: their level is predicted too low, and they are seen less often than they
# should be.

GroupConfusionDisplay.from_audit(result)

# %%
# 2. Repair
# ---------
#
# The cheapest repair keeps the model, and moves the *cut points* between levels. It needs no
# training, and the group is not needed for predictions.

repaired = optimize_thresholds(
    scores, y, sensitive_features=sex, criterion="equal_opportunity", max_violation=0.2
)
print(repaired)

# %%
# The last line is a proof: within the limit, no cut points of these scores are better by more than
# the difference of the two numbers. Below are the scores of both groups and the cut points, before
# and after.

ScoreDisplay.from_result(repaired)

# %%
# 3. Train
# --------
#
# Cut points cannot mend scores that place one group too low. A fair score can. The *frontier* holds
# the models between the most accurate and the fairest one, with estimates for new patients.

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
# The violation is a third of what it was, and predictions are wrong by a little more on average.
# Whether this is a good bargain is not for a computer to say.
#
# 4. Report
# ---------
#
# Those who decide get one HTML file: a verdict, intervals, cut points, an interactive frontier, and
# what the numbers do not say. It makes no requests to the network.

from fairordinal.report import report

page = report(result, frontier=frontier, chosen=fair, max_violation=0.1, title="Diabetes")
print(f"{len(page.html) // 1000} kB of HTML; page.save('report.html') writes it")

# %%
# This is the report that ``fairordinal demo`` writes. Select a point of the frontier to see its
# cut points and its effect on the groups.
#
# .. raw:: html
#
#     <iframe class="report" src="../_static/demo/report.html" title="Report of the demo"
#     loading="lazy"></iframe>
#
# What next?
# ----------
#
# ============================================  ==================================================
# you have                                      read
# ============================================  ==================================================
# predictions of somebody else's model          :doc:`plot_01_audit_a_model`
# a file, and no wish to write code             :doc:`/howto/command_line`
# a model that you want to keep                 :doc:`plot_02_repair_cut_points`
# a table, and no model yet                     :doc:`plot_03_train_in_a_pipeline`
# a meeting about which model to take           :doc:`plot_04_choose_from_the_frontier`
# doubts about the definition of fairness       :doc:`/guide/criteria`
# ============================================  ==================================================
