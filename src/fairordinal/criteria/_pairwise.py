"""Notions about pairs of samples: demographic parity, equal opportunity, equalized odds."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy import sparse

from fairordinal._table import Block, ScoreTable
from fairordinal._validation import Array, check_choice
from fairordinal.criteria._base import Contrasts, Criterion, Influence, defined_pairs


class PairwiseCriterion(Criterion):
    """A notion about pairs of samples from different groups."""

    @abstractmethod
    def relations(self, n_labels: int) -> dict[str, Array]:
        """For each part, K[y, y'] = 1 where a pair with these true labels counts."""

    def parts(self, table: ScoreTable) -> tuple[str, ...]:
        return tuple(self.relations(len(table.labels)))

    def _stacked(self, table: ScoreTable) -> Array:
        return np.stack([*self.relations(len(table.labels)).values()]).astype(np.float64)

    def support(self, table: ScoreTable) -> Array:
        return np.nan_to_num(_pairs(self._stacked(table), table.totals))

    def unconditional(self, table: ScoreTable) -> Array:
        return np.asarray(self._stacked(table).all(axis=(1, 2)))

    def weights(self, table: ScoreTable, place: tuple[int, int, int]) -> Array:
        """``W[y, y']`` of a part and two groups; nan where they have no pair that counts."""
        part, g, h = place
        relation = self._stacked(table)
        return np.asarray(relation[part] / _pairs(relation, table.totals)[part, g, h])

    def win_rates(self, table: ScoreTable) -> Array:
        """How often g is above h among the pairs that count, (parts, groups, groups)."""
        n_groups, n_labels, _ = table.shape
        wins = table.wins.reshape(n_groups, n_labels, n_groups, n_labels)
        relation = self._stacked(table)
        # whole numbers are summed before the one division: exact whatever the labels
        return np.einsum("pyz,gyhz->pgh", relation, wins) / _pairs(relation, table.totals)

    def probabilities(self, table: ScoreTable) -> Array:
        return self.win_rates(table)

    def influence(self, table: ScoreTable) -> Influence:
        # One more sample of g adds to its wins over h, and lengthens the list of its pairs,
        # which lowers p[g, h] in proportion; likewise for the wins of h over g.
        relation, totals, values = self._stacked(table), table.totals, self.win_rates(table)
        turned, pairs = relation.transpose(0, 2, 1), _pairs(relation, totals)
        chances, turned_chances = relation @ totals.T, turned @ totals.T  # (part, label, h)

        def of_block(block: Block) -> Callable[[Array], Array]:
            won = relation[:, None] @ block.below  # (part, h, label, position)
            lost = turned[:, None] @ block.above

            def of_entries(entry: Array) -> Array:
                g, y, b = block.group[entry], block.label[entry], block.place[entry]
                ahead = won[:, :, y, b].transpose(0, 2, 1) - values[:, g] * chances[:, y]
                behind = lost[:, :, y, b].transpose(0, 2, 1)
                behind = behind - values[:, :, g].transpose(0, 2, 1) * turned_chances[:, y]
                return ahead / pairs[:, g] - behind / pairs[:, :, g].transpose(0, 2, 1)

            return of_entries

        return of_block

    def contrasts(self, table: ScoreTable) -> Contrasts:
        """Weights of pairs such that a disparity is their sum over `ScoreTable.wins`.

        Undefined contrasts are left out.
        """
        relation = self._stacked(table)
        pairs = _pairs(relation, table.totals)
        part, g, h = defined_pairs(pairs)
        ahead, behind = 1 / pairs[part, g, h], 1 / pairs[part, h, g]
        return Contrasts(part, g, h, ahead, behind, relation, len(table.groups))


def pair_tables(contrasts: Contrasts) -> sparse.csr_array:
    """``Q[e, u · n_cells + v]`` with ``disparity_e = <Q[e], wins>``; groups² · labels² entries."""
    (n_labels, _), n_groups = contrasts.tables.shape[1:], contrasts.n_groups
    n_cells, entries = n_groups * n_labels, []
    for part, relation in enumerate(contrasts.tables):
        mine, (y, z) = np.flatnonzero(contrasts.part == part), np.nonzero(relation)
        weight, g, h = relation[y, z], *(n_labels * c[mine, None] for c in contrasts[1:3])
        for first, second, each in ((g, h, contrasts.ahead), (h, g, -contrasts.behind)):
            column = (first + y) * n_cells + second + z
            row = np.broadcast_to(mine[:, None], column.shape)
            entries.append((each[mine, None] * weight, row, column))
    data, rows, columns = (
        np.concatenate([a.ravel() for a in x]) for x in zip(*entries, strict=True)
    )
    return sparse.csr_array((data, (rows, columns)), shape=(len(contrasts), n_cells**2))


def _pairs(relation: Array, totals: Array) -> Array:
    """Weight of the pairs that count; nan where there is none."""
    pairs = totals @ (relation @ totals.T)
    return np.where(pairs > 0, pairs, np.nan)


@dataclass(frozen=True)
class DemographicParity(PairwiseCriterion):
    r"""Pairwise demographic parity: either group is as often placed above the other.

    ``P[f(x1) > f(x2) | a1=g, a2=h] = P[f(x1) < f(x2) | a1=g, a2=h]``; a predicted tie is
    neither. The disparity is Cliff's delta between the groups, 2·AUC − 1.

    Parameters
    ----------
    pairs : {"all", "unequal_labels"}, default="all"
        ``"unequal_labels"`` counts only pairs whose true labels differ: what the reduction of
        Proposition 1 trains.

    Examples
    --------
    >>> from fairordinal.criteria import DemographicParity
    >>> DemographicParity().relations(2)
    {'': array([[1, 1],
           [1, 1]])}
    """

    pairs: str = "all"

    @property
    def name(self) -> str:
        return "demographic_parity" if self.pairs == "all" else "conditional_demographic_parity"

    @property
    def title(self) -> str:
        if self.pairs != "all":
            return "pairwise DP, unequal labels"
        return "pairwise demographic parity"

    def relations(self, n_labels: int) -> dict[str, Array]:
        check_choice(self.pairs, "pairs", ("all", "unequal_labels"))
        counted = np.ones((n_labels, n_labels), dtype=int)
        return {"": counted if self.pairs == "all" else counted - np.eye(n_labels, dtype=int)}


@dataclass(frozen=True)
class EqualOpportunity(PairwiseCriterion):
    r"""Pairwise equal opportunity: being truly better is rewarded equally often.

    ``P[f(x1) > f(x2) | a1=g, a2=h, y1>y2] = P[f(x1) < f(x2) | a1=g, a2=h, y1<y2]``. A predicted
    tie is no reward. Undefined for a pair of groups if no sample of one has a true label above
    one of the other.

    Examples
    --------
    >>> from fairordinal.criteria import EqualOpportunity
    >>> EqualOpportunity().relations(3)[""]
    array([[0, 0, 0],
           [1, 0, 0],
           [1, 1, 0]])
    """

    name: ClassVar[str] = "equal_opportunity"
    title: ClassVar[str] = "pairwise equal opportunity"

    def relations(self, n_labels: int) -> dict[str, Array]:
        return {"": np.tril(np.ones((n_labels, n_labels), dtype=int), -1)}


@dataclass(frozen=True)
class EqualizedOdds(PairwiseCriterion):
    r"""Pairwise equalized odds (appendix A.1): equal opportunity, strict and not strict.

    Part ``"above"`` is pairwise equal opportunity. Part ``"not below"`` asks that
    ``P[f(x1) >= f(x2) | a1=g, a2=h, y1>=y2]`` is the same with g and h exchanged; it is counted
    by its complement, ``1 - P[f(x2) > f(x1) | ..., y2<=y1]``, so that ties win nothing here too.

    Examples
    --------
    >>> from fairordinal.criteria import EqualizedOdds
    >>> EqualizedOdds().relations(2)["not below"]
    array([[1, 1],
           [0, 1]])
    """

    name: ClassVar[str] = "equalized_odds"
    title: ClassVar[str] = "pairwise equalized odds"

    def relations(self, n_labels: int) -> dict[str, Array]:
        square = np.ones((n_labels, n_labels), dtype=int)
        return {"above": np.tril(square, -1), "not below": np.triu(square)}

    def probabilities(self, table: ScoreTable) -> Array:
        above, win = self.win_rates(table)
        return np.stack([above, 1 - win.T])

    def support(self, table: ScoreTable) -> Array:
        above, not_above = super().support(table)
        return np.stack([above, not_above.T])
