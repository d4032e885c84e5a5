"""Rows to learn from: features, labels and groups."""

import numpy as np


def people(n, seed=0, *, n_groups=2, n_features=3, cuts=(-0.8, 0.3, 1.2), noise=0.7):
    """Features, labels and groups of biased rows.

    Labels depend on the first feature. It and the second depend on the group; others are noise.
    """
    generator = np.random.default_rng(seed)
    groups = generator.integers(0, n_groups, n)
    X = generator.normal(size=(n_features, n)).T.copy()
    X[:, 0] += 0.8 * groups
    X[:, 1] += groups
    labels = np.digitize(X[:, 0] + noise * generator.normal(size=n), cuts)
    return X, labels, groups
