"""Audit a predictor of disease progression: is it fair to both sexes?

A linear model is fitted without the sex of the patients, its scores are rounded to five levels,
and the audit asks whether it ranks the two groups alike. Data: scikit-learn's diabetes, embedded.
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

# Equal opportunity is the criterion here: the truly sicker patient should be rated as sicker.
print("\n" + "─" * 96 + "\n")
print(result.attribution("equal_opportunity"))

rows = result.rows_needed(0.05, criterion="equal_opportunity")
print(f"\nTo tell a violation of 0.05 from 0 (power 80 %) takes about {rows:,} rows.")
