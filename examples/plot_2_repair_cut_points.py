"""Make a model fair by moving its cut points, without retraining it.

The scores of a regression are cut into five levels of disease progression. The first table compares
the cut points of least cost with those that also keep a limit on the violation between the sexes.
The second table shows the cost at several limits. Data: diabetes, from scikit-learn.
"""

from sklearn.linear_model import Ridge
from sklearn.model_selection import cross_val_predict

from fairordinal import FairThresholdClassifier, optimize_thresholds
from fairordinal.datasets import load_diabetes

data = load_diabetes()
sex = data.sensitive_features
scores = cross_val_predict(Ridge(0.1), data.data, data.target)

result = optimize_thresholds(scores, data.target, sensitive_features=sex, max_violation=0.2)
print(result)

print("\nWhat does fairness cost?\n")
print("max_violation   mean cost   gap to the lower bound")
for limit in (0.3, 0.2, 0.15, 0.1, 0.05, 0.0):
    found = optimize_thresholds(scores, data.target, sensitive_features=sex, max_violation=limit)
    print(f"{limit:13}   {found.cost:9.3f}   {found.gap:22.1e}")

# The same as an estimator. Thresholds are chosen on out-of-fold scores, and `predict` does not need
# the group. Here only a constant prediction keeps the limit on new rows, and a warning says so.
model = FairThresholdClassifier(Ridge(0.1), criterion="equal_opportunity", max_violation=0.1)
model.fit(data.data, data.target, sensitive_features=sex)
print(f"\nEqual opportunity: violation {model.violation_:.3f} at mean cost {model.cost_:.3f}")
print("Predictions for the first patients:", model.predict(data.data[:10]))
