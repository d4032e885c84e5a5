"""
9. Search for hyper-parameters with scikit-learn
================================================

**The question.** Which basis, and which limit? A search answers such questions with scikit-learn's
own tools. But "best" now has two numbers: the cost and the violation.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import sklearn
from sklearn.metrics import make_scorer
from sklearn.model_selection import GridSearchCV

from fairordinal import FairOrdinalClassifier
from fairordinal.metrics import make_cost_scorer, pairwise_equal_opportunity_difference

n, random = 900, np.random.default_rng(0)
skill, sex = random.normal(size=n), random.choice(["girl", "boy"], n)
X = pd.DataFrame({
    "test": skill + 0.7 * random.normal(size=n),
    "homework": skill + 0.9 * random.normal(size=n),
    "letter": skill + 0.5 * random.normal(size=n) + 1.0 * (sex == "boy"),
})  # fmt: skip
y = 1 + np.digitize(skill + 0.4 * random.normal(size=n), [-1, 0, 1])

# %%
# Routing
# -------
#
# Two functions need the group: `fit` of the classifier, and the scorer of the violation. Both
# request it; the search passes it on.

sklearn.set_config(enable_metadata_routing=True)
unfair = make_scorer(pairwise_equal_opportunity_difference, greater_is_better=False)
unfair.set_score_request(sensitive_features=True)
fair = FairOrdinalClassifier("equal_opportunity", alpha=1e-2, ranker="reduction", cv=2)
fair.set_fit_request(sensitive_features=True)

# %%
# The search
# ----------
#
# A negative cost and a negative violation: for scikit-learn, greater is better. `refit` names the
# score that picks the model. The cheapest one is picked among models that keep a limit, so the
# limit is not left to the search.


def cheapest_within(limit):
    """Return a rule for `refit`: the least cost among those whose violation is within the limit."""

    def rule(results):
        table = pd.DataFrame(results)
        kept = table[-table["mean_test_violation"] <= limit]
        return int((kept if len(kept) else table)["mean_test_cost"].idxmax())

    return rule


search = GridSearchCV(
    fair,
    {"max_violation": [0.1, 0.2, 0.3], "basis": ["linear", "piecewise"]},
    scoring={"cost": make_cost_scorer(), "violation": unfair},
    refit=cheapest_within(0.15), cv=3,
)  # fmt: skip
search.fit(X, y, sensitive_features=sex)
sklearn.set_config(enable_metadata_routing=False)

found = pd.DataFrame(search.cv_results_)
found = pd.DataFrame({
    "basis": found["param_basis"],
    "max_violation": found["param_max_violation"],
    "cost": -found["mean_test_cost"],
    "violation": -found["mean_test_violation"],
})  # fmt: skip
found.round(3)

# %%
# Both numbers belong into one picture.

_, ax = plt.subplots(figsize=(6, 3.2), layout="constrained")
for basis, rows in found.groupby("basis"):
    ax.plot(rows["violation"], rows["cost"], "o-", label=basis)
best = found.iloc[search.best_index_]
ax.plot(best["violation"], best["cost"], "o", ms=15, mfc="none", mec="black", label="picked")
ax.axvline(0.15, color="black", linestyle=":")
ax.set(xlabel="violation, mean over folds", ylabel="mean cost")
ax.legend()

# %%
# A decision
# ----------
#
# The picked model is in the ring:

print(search.best_params_)

# %%
# Two warnings. Violations of small test folds are larger than those of all rows, because noise adds
# to them: compare them with each other, not with a limit. And a grid of limits is a slow frontier:
# :class:`~fairordinal.FairOrdinalFrontier` computes it in one fit, because all its models share one
# path of rankers (:doc:`plot_04_choose_from_the_frontier`). Use searches for other parameters, such
# as those of a pipeline.
