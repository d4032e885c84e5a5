"""Ramps with trees: logistic regressions on the leaves of trees.

The logits of these ramps are linear in the features, in the predictions of boosted trees, and in
the indicators of leaves, which are columns of `Trees`. They estimate the probabilities of labels
and groups on which plug-in rules depend. On tables where trees help, their squared errors are
smaller than those of LightGBM's own probabilities, and all ramps share the same trees.

Their logits are clipped at `LEAF_LIMIT`: probabilities that are linear between -2.5 and 2.5 are as
accurate as logistic ones.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from fairordinal._basis._bases import Piecewise, Trees, ramp_targets, remembered
from fairordinal._basis._ramps import Ramps, fit_ramps
from fairordinal._forest import exact_values
from fairordinal._rows import Block, Features, Rows, on_site
from fairordinal._validation import Array

LEAF_STRENGTH = 0.03  # `C` of the logistic regressions
LEAF_LIMIT = 2.5  # absolute logit at which ramps are clipped


@dataclass(frozen=True, eq=False)
class LeafRamps:
    """Ramps whose logits are sums of a linear function and of leaves of trees."""

    trees: Trees
    ramps: Ramps

    @classmethod
    def unfitted(cls, rows: Rows) -> LeafRamps:
        """Ramps before the first fit."""
        base = Piecewise.unfitted(rows)
        return cls(Trees.unfitted(base), base.ramps)

    @property
    def boundaries(self) -> tuple[int, ...]:
        return self.trees.base.boundaries

    @property
    def scaling(self) -> Features:
        return self.trees.base.scaling

    def refit(self, rows: Rows) -> LeafRamps:
        """Trees and ramps for other rows."""
        return on_site(_with_leaf_ramps, [rows], self)


def _with_leaf_ramps(block: Block, basis: LeafRamps) -> LeafRamps:
    key = ("leaf ramps", basis.trees.base.one, basis.boundaries)
    return remembered(block, key, lambda: _fit_leaf_ramps(block, basis))


def _fit_leaf_ramps(whole: Block, basis: LeafRamps) -> LeafRamps:
    """Grow trees, and fit ramps to their columns."""
    fitted = basis.trees.refit(whole)
    base, d = fitted.base, fitted.base.scaling.n_features
    used = [*range(d), *range(base.n_columns, fitted.n_columns)]  # all but the ramps of `base`
    block = whole.alone()
    columns = fitted.columns(block.features).X[:, used]
    targets, weight = ramp_targets(block, base.boundaries), block.weight / base.one
    found = fit_ramps(columns, targets, weight, strength=LEAF_STRENGTH, limit=LEAF_LIMIT)
    return replace(basis, trees=fitted, ramps=_of_features(found, fitted, d))


def _of_features(found: Ramps, trees: Trees, d: int) -> Ramps:
    """Ramps as functions of features, given those of columns, of which the first d are features."""
    p, scaling = len(trees.boosters), trees.base.scaling
    weights = found.weights[:d] / scaling.spreads[:, None]
    of_boosters = found.weights[d : d + p] / trees.spreads[:, None]
    offsets = found.offsets - scaling.means @ weights - trees.means @ of_boosters
    pairs = zip(trees.boosters, of_boosters, strict=True)
    values: Array = np.concatenate([np.outer(booster.values, w) for booster, w in pairs])
    values[: trees.n_leaves] += found.weights[d + p :]
    ramps = Ramps(weights, offsets)
    if not trees.forest.trees:
        return ramps
    values = exact_values(values, len(trees.forest.trees))
    return ramps._replace(forest=trees.forest, leaf_values=values)
