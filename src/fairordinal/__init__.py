"""Fair ordinal regression: audit any predictor of ordered labels for pairwise fairness."""

__version__ = "0.1.0"
