"""
4. Choose a model from the frontier
===================================

How much accuracy is fairness worth? This is not a technical question. The frontier shows all
compromises, so that those who are concerned can choose.
"""

import sys

import numpy as np
from sklearn.linear_model import Ridge
from sklearn.model_selection import cross_val_predict

from fairordinal import FairOrdinalFrontier, optimize_thresholds
from fairordinal.datasets import load_diabetes
from fairordinal.metrics import mean_cost, pairwise_equal_opportunity_difference

data = load_diabetes()
X, y, sex = data.data, data.target, data.sensitive_features

# %%
# Each model of the frontier is cheaper than all fairer ones. Cost and violation are estimates for
# new rows, by cross-validation.

frontier = FairOrdinalFrontier("equal_opportunity", alpha=1e-3, cv=3)
frontier.fit(X, y, sensitive_features=sex)
print(frontier)

# %%
# Other ways to be fair
# ---------------------
#
# For comparison: a regression whose predictions are rounded, fair thresholds for its scores, a
# random mixture of it with the best constant label, and this label. All of them use out-of-fold
# scores.

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
# The knee is where the curve bends most: a start for a discussion, not a rule.

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
if len(sys.argv) > 1 and sys.argv[1].endswith(".png"):
    display.figure_.savefig(sys.argv[1], dpi=90)
print(f"Expected on new rows at the knee: mean cost {model.expected_cost_:.3f}, "
      f"violation {model.expected_violation_:.3f}.")  # fmt: skip

# %%
# Other ways to select: a limit on the violation, on average or with confidence, or a limit on the
# cost.

for options in ({"max_violation": 0.1}, {"max_cost": 0.9}):
    picked = frontier.select(**options)
    print(
        options, f"-> cost {picked.expected_cost_:.3f}, violation {picked.expected_violation_:.3f}"
    )
