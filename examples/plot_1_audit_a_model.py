"""Audit a model of disease progression: is it fair to both sexes?

A linear model is fitted without the sex of the patients, and its scores are rounded to five levels.
The audit compares how the model ranks the two groups. Data: diabetes, from scikit-learn.
"""

from sklearn.linear_model import LinearRegression
from sklearn.model_selection import cross_val_predict

from fairordinal import audit
from fairordinal.datasets import load_diabetes

data = load_diabetes()
scores = cross_val_predict(LinearRegression(), data.data, data.target)
levels = scores.round().clip(0, 4).astype(int)

result = audit(
    data.target, levels, sensitive_features=data.sensitive_features, scores=scores, compare=True
)
print(result)

# The criterion is equal opportunity: of two patients, the one with the higher true level should get
# the higher prediction, equally often in both groups.
print("\n" + "─" * 96 + "\n")
print(result.attribution("equal_opportunity"))

rows = result.rows_needed(0.05, criterion="equal_opportunity")
print(f"\nAbout {rows:,} rows are needed to detect a violation of 0.05 with a power of 80 %.")
