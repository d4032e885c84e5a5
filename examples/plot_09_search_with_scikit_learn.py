"""
9. Search for hyperparameters with scikit-learn
===============================================

All estimators work in `Pipeline`, `cross_validate` and `GridSearchCV`. Groups are passed by
metadata routing.
"""

import pandas as pd
import sklearn
from sklearn.metrics import make_scorer
from sklearn.model_selection import GridSearchCV

from fairordinal import FairOrdinalClassifier
from fairordinal.datasets import make_biased_ordinal
from fairordinal.metrics import mean_cost, pairwise_equal_opportunity_difference

data = make_biased_ordinal(1000, bias=0.5, n_labels=4, random_state=0)
X, y, group = data.data, data.target, data.sensitive_features

# %%
# Two scorers: the cost, and the violation, which needs the groups.

sklearn.set_config(enable_metadata_routing=True)
cost = make_scorer(mean_cost, greater_is_better=False)
unfair = make_scorer(pairwise_equal_opportunity_difference, greater_is_better=False)
unfair.set_score_request(sensitive_features=True)

# %%
# The search refits the model with the least cost. The best trade-off is not a maximum of one
# number, so look at the table.

fair = FairOrdinalClassifier("equal_opportunity", alpha=1e-2, ranker="reduction", cv=2)
search = GridSearchCV(
    fair.set_fit_request(sensitive_features=True),
    {"max_violation": [0.02, 0.1, 0.3], "basis": ["linear", "piecewise"]},
    scoring={"cost": cost, "violation": unfair}, refit="cost", cv=3,
)  # fmt: skip
search.fit(X, y, sensitive_features=group)
sklearn.set_config(enable_metadata_routing=False)

found = pd.DataFrame(search.cv_results_)
found = found[["param_basis", "param_max_violation", "mean_test_cost", "mean_test_violation"]]
found.round(3)

# %%
# :class:`~fairordinal.FairOrdinalFrontier` finds such a table faster, because its models share one
# path of rankers.
