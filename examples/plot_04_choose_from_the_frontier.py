"""
4. Choose from the frontier, with the people concerned
======================================================

**The question.** A fairer model makes more errors. How much accuracy is fairness worth? This is not
a technical question. The frontier shows all compromises; doctors, patients and management choose.
"""

import numpy as np
import pandas as pd
from sklearn.linear_model import Ridge
from sklearn.model_selection import cross_val_predict

from fairordinal import FairOrdinalFrontier, audit, optimize_thresholds
from fairordinal.datasets import load_diabetes
from fairordinal.metrics import mean_cost, pairwise_equal_opportunity_difference

data = load_diabetes()
X, y, sex = data.data, data.target, data.sensitive_features

# %%
# All compromises
# ---------------
#
# Each model of the frontier is cheaper than all fairer ones. Cost and violation are estimates for
# new patients, by cross-validation.

frontier = FairOrdinalFrontier("equal_opportunity", alpha=1e-3, cv=3)
frontier.fit(X, y, sensitive_features=sex)
print(frontier)

# %%
# Are there better ways?
# ----------------------
#
# A fair question at the meeting. For comparison: a regression whose predictions are rounded, fair
# cut points for its scores, a random mixture of it with the best constant level, and this level.
# All of them use out-of-fold scores.

scores = cross_val_predict(Ridge(0.1), X, y)
rounded = scores.round().clip(0, 4).astype(int)
constant = min(range(5), key=lambda label: mean_cost(y, np.full_like(y, label)))


def mixed(share):
    """Cost and violation of a mixture: each patient gets the constant with probability `share`."""
    answers = np.concatenate([rounded, np.full_like(y, constant)])
    weight = np.repeat([1 - share, share], len(y))
    truth, group = np.tile(y, 2), np.tile(sex, 2)
    return mean_cost(truth, answers, sample_weight=weight), pairwise_equal_opportunity_difference(
        truth, answers, sensitive_features=group, sample_weight=weight
    )


cuts = [
    optimize_thresholds(
        scores, y, sensitive_features=sex, criterion="equal_opportunity", max_violation=limit
    )
    for limit in (0.2, 0.15, 0.1, 0.05)
]

# %%
# The knee is where the curve bends most: a start for the discussion, not a rule.

model = frontier.select(knee=True)
display = frontier.plot(
    chosen=model,
    baselines={
        "ridge, rounded": mixed(0.0),
        "ridge, fair thresholds": ([cut.cost for cut in cuts], [cut.violation for cut in cuts]),
        "mixed with a constant": np.transpose([mixed(share) for share in (0.2, 0.4, 0.6, 0.8)]),
        "best constant": mixed(1.0),
    },
)
print(f"Expected on new rows at the knee: mean cost {model.expected_cost_:.3f}, "
      f"violation {model.expected_violation_:.3f}.")  # fmt: skip

# %%
# From points to people
# ---------------------
#
# "A violation of 0.1" does not mean much to a patient. Translate a few points into people of each
# sex. Here are three candidates for the meeting: a limit of 0.2, a limit of 0.1, and the knee. (The
# last two columns are counted on the patients of the fit, and are a little too good.)


def per_hundred(candidate):
    """How many of a hundred patients of each sex are rated too low."""
    groups = audit(y, candidate.predict(X), sensitive_features=sex).group_frame()
    return {f"{row.group} rated too low": round(100 * row.too_low) for row in groups.itertuples()}


options = {"limit 0.2": {"max_violation": 0.2}, "limit 0.1": {"max_violation": 0.1}}
options["knee"] = {"knee": True}
rows = []
for name, option in options.items():
    picked = frontier.select(**option)
    rows.append({
        "candidate": name,
        "wrong by, levels": round(picked.expected_cost_, 2),
        "violation": round(picked.expected_violation_, 2),
        **per_hundred(picked),
    })  # fmt: skip
pd.DataFrame(rows)

# %%
# A decision
# ----------
#
# What may be said at such a meeting: "A patient who is rated too low is not seen in time; one
# who is rated too high loses an afternoon." (Then choose another cost:
# :doc:`plot_10_own_criterion_and_cost`.) "We cannot explain a difference of 20 pairs in 100." (Then
# the limit of 0.2 is out.) Write down who chose, what, and why; the report has a place for it:
# :doc:`plot_08_hand_it_over`.
#
# A cost may be the limit, too: "not more than 0.9 levels wrong".

picked = frontier.select(max_cost=0.9)
print(f"cost {picked.expected_cost_:.3f}, violation {picked.expected_violation_:.3f}")
