r"""Plug-in rules: the label of least expected cost, with a matrix of costs for each group.

A rule is a function of the ramps r of a row, in [-1, 1], which estimate probabilities of its label
and of its group. At boundaries between labels without a ramp, they are interpolated::

    P(y > l) = (1 + r_l) / 2
    P(a) = (1 + r_a) / 2, divided by the sum over groups; of two groups, only the second has a ramp

With the costs ``C_a[y, l]`` of label l for rows of group a and true label y, its expected cost is::

    o_l = Σ_a P(a) Σ_y P(y) C_a[y, l]

With equal matrices for all groups, the label of least expected cost is as accurate as the estimates
allow. Different matrices make it fairer (`fairordinal.ranker._plug_in`). The group of a row is
never used, only its probability.

The score of a row is the label l of least expected cost, plus a fraction that tells which of its
neighbours is nearer::

    score = l + (d - u) / 2(d + u)        d = o_{l-1} - o_l,  u = o_{l+1} - o_l

It lies between l - 1/2, where the label below costs as much, and l + 1/2. There is no label below
the lowest one or above the highest one; d or u is then `edge`. Numbers are added in a fixed order,
so that scores are equal to the last bit however many rows are scored together.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from fairordinal._validation import Array, row_blocks

BLOCK = 1 << 11  # rows whose costs fit into the cache
UNKNOWN = 1e-3  # added to the probability of each group, which may be 0 for all of them


class LabelCosts(NamedTuple):
    """Costs of labels for each group and true label, by which labels are chosen."""

    costs: Array  # (n_groups, n_labels, n_labels): C_a[y, l]
    boundaries: Array  # (n_boundaries,) ascending labels l with a ramp for "above l"
    edge: float

    @property
    def n_labels(self) -> int:
        return self.costs.shape[1]

    def scores(self, ramps: Array) -> Array:
        """Score of each row, given its ramps, (n_rows,)."""
        found = np.empty(len(ramps))
        for rows in row_blocks(len(ramps), BLOCK):
            found[rows] = nearest_label(self.expected_costs(ramps[rows]), self.edge)
        return found

    def expected_costs(self, ramps: Array) -> Array:
        """Expected cost of each label for each row, (n_rows, n_labels)."""
        labels, groups = self.probabilities(ramps)
        found = np.zeros((len(ramps), self.n_labels))
        for group, matrix in zip(groups.T, self.costs, strict=True):
            for label, costs in zip(labels.T, matrix, strict=True):
                found += (group * label)[:, None] * costs
        return found

    def probabilities(self, ramps: Array) -> tuple[Array, Array]:
        """Probabilities of labels, (n_rows, n_labels), and of groups, (n_rows, n_groups)."""
        n_boundaries = len(self.boundaries)
        above = self._above(0.5 + 0.5 * ramps[:, :n_boundaries])
        labels = np.stack([before - after for before, after in pairwise(above)], axis=1)
        groups = 0.5 + 0.5 * ramps[:, n_boundaries:]
        if len(self.costs) == 2:
            return labels, np.concatenate([1.0 - groups, groups], axis=1)
        total = np.zeros(len(ramps))
        for group in groups.T:
            total += group + UNKNOWN
        return labels, (groups + UNKNOWN) / total[:, None]

    def _above(self, known: Array) -> list[Array]:
        """P(y > l) for l from -1 to the highest label, (n_rows,) each."""
        ends = [np.ones(len(known)), *known.T, np.zeros(len(known))]
        places = [-1, *self.boundaries.tolist(), self.n_labels - 1]
        found = ends[:1]
        for i, (low, high) in enumerate(pairwise(places)):
            for share in np.arange(1, high - low) / (high - low):
                found.append((1.0 - share) * ends[i] + share * ends[i + 1])
            found.append(ends[i + 1])
        return found


def nearest_label(expected: Array, edge: float) -> Array:
    """The label of least expected cost, plus a fraction for the nearer of its neighbours."""
    rows, label = np.arange(len(expected)), expected.argmin(axis=1)
    around = expected[:, [0, *range(expected.shape[1]), -1]]  # label l is at l + 1
    least = around[rows, label + 1]
    down = np.where(label == 0, edge, around[rows, label] - least)
    up = np.where(label == expected.shape[1] - 1, edge, around[rows, label + 2] - least)
    total = down + up
    return label + 0.5 * np.divide(down - up, total, out=np.zeros(len(total)), where=total > 0)
