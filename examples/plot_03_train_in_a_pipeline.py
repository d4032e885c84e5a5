"""
3. Train a fair model with categories and missing values
========================================================

Real tables have names, numbers and holes. There are two ways: a pipeline of scikit-learn, or a
model of the table itself.
"""

import numpy as np
import pandas as pd
import sklearn
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from fairordinal import FairOrdinalClassifier
from fairordinal.datasets import make_biased_ordinal
from fairordinal.models import fit_table
from fairordinal.plotting import ImportanceDisplay

made = make_biased_ordinal(1500, bias=0.6, n_labels=4, random_state=0)
generator = np.random.default_rng(0)
table = pd.DataFrame(made.data, columns=["experience", "test", "interview", "reference"])
table["school"] = generator.choice(["north", "south", "west"], len(table))
table.loc[generator.random(len(table)) < 0.1, "test"] = np.nan
table["sex"] = np.where(made.sensitive_features == 1, "female", "male")
table["grade"] = made.target
table.head()

# %%
# A pipeline
# ----------
#
# The group is passed to `fit` by metadata routing. It is not a feature.

sklearn.set_config(enable_metadata_routing=True)
numbers = ["experience", "test", "interview", "reference"]
columns = make_column_transformer(
    (make_pipeline(SimpleImputer(), StandardScaler()), numbers),
    (OneHotEncoder(), ["school"]),
)
fair = FairOrdinalClassifier("equal_opportunity", max_violation=0.05, cv=3)
model = make_pipeline(columns, fair.set_fit_request(sensitive_features=True))
model.fit(table, table["grade"], sensitive_features=table["sex"])
chosen = model[-1]
print(f"{chosen.basis_}: expected cost {chosen.expected_cost_:.3f}, "
      f"violation {chosen.expected_violation_:.3f}")  # fmt: skip
sklearn.set_config(enable_metadata_routing=False)

# %%
# A model of the table
# --------------------
#
# :func:`~fairordinal.models.fit_table` prepares columns itself: numbers are standardised, names
# become indicators, missing values get an indicator of their own. The result predicts tables and
# can be written to a file.

whole = fit_table(
    table, y="grade", sensitive_features="sex", criterion="equal_opportunity",
    max_violation=0.05, cv=3,
)  # fmt: skip
print(whole.predict(table.head()))

# %%
# Which features matter? Shares of the variance of the score add up to 1.

ImportanceDisplay.from_estimator(chosen, feature_names=columns.get_feature_names_out()).plot()
