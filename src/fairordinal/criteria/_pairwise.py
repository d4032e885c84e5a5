"""Pairwise criteria: demographic parity, equal opportunity and equalized odds.

A pairwise criterion is a relation K on true labels: a pair of samples with labels (y, y') counts
if ``K[y, y'] = 1``. With ``wins[u, v]`` of the table and n[g, y] the weight of a cell::

    N[g, h] = sum_{y, y'} K[y, y'] n[g, y] n[h, y']                  weight of the pairs that count
    p[g, h] = sum_{y, y'} K[y, y'] wins[(g, y), (h, y')] / N[g, h]   how often g is above h
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy import sparse

from fairordinal._table import PositionBlock, ScoreTable
from fairordinal._validation import Array, check_choice
from fairordinal.criteria._criterion import Contrasts, Criterion, Influence, defined_pairs


class PairwiseCriterion(Criterion):
    """A criterion about pairs of samples from two groups.

    A subclass defines `relations`, `name` and `title`.

    See Also
    --------
    SampleCriterion : Criteria about single samples.
    """

    @abstractmethod
    def relations(self, n_labels: int) -> dict[str, Array]:
        """Return the relation K of each part.

        Parameters
        ----------
        n_labels : int
            Number of labels.

        Returns
        -------
        relations : dict of str to ndarray of shape (n_labels, n_labels)
            By name of the part; ``K[y, y']`` is 1 if pairs with true labels y and y' count,
            otherwise 0.
        """

    def parts(self, table: ScoreTable) -> tuple[str, ...]:
        return tuple(self.relations(len(table.labels)))

    def _stacked(self, table: ScoreTable) -> Array:
        """The relations of all parts, (n_parts, n_labels, n_labels)."""
        return np.stack([*self.relations(len(table.labels)).values()]).astype(np.float64)

    def support(self, table: ScoreTable) -> Array:
        return np.nan_to_num(_pairs(self._stacked(table), table.totals))

    def unconditional(self, table: ScoreTable) -> Array:
        return np.asarray(self._stacked(table).all(axis=(1, 2)))

    def weights(self, table: ScoreTable, place: tuple[int, int, int]) -> Array:
        """Return the weights ``W = K / N[g, h]``, with which ``p[g, h] = sum W * wins``.

        Parameters
        ----------
        table : ScoreTable
            Counts of the rows.
        place : tuple of (part, g, h)
            Numbers of the part and of two groups.

        Returns
        -------
        weights : ndarray of shape (n_labels, n_labels)
            Undefined values are nan: if no pair of the two groups counts.
        """
        part, g, h = place
        relation = self._stacked(table)
        return np.asarray(relation[part] / _pairs(relation, table.totals)[part, g, h])

    def win_rates(self, table: ScoreTable) -> Array:
        """Return how often g is predicted above h among the pairs that count.

        Parameters
        ----------
        table : ScoreTable
            Counts of the rows.

        Returns
        -------
        rates : ndarray of shape (n_parts, n_groups, n_groups)
            Undefined values are nan: where no pair counts.
        """
        n_groups, n_labels, _ = table.shape
        wins = table.wins.reshape(n_groups, n_labels, n_groups, n_labels)
        relation = self._stacked(table)
        # Integer weights are summed exactly, and divided once at the end: pairs of groups with
        # equal counts get exactly equal rates.
        return np.einsum("pyz,gyhz->pgh", relation, wins) / _pairs(relation, table.totals)

    def probabilities(self, table: ScoreTable) -> Array:
        return self.win_rates(table)

    def influence(self, table: ScoreTable) -> Influence:
        # p[g, h] = A / N, with A the weight of the pairs that g wins. A sample of g with label y at
        # position b is in `chances[y, h]` pairs with h that count, and wins `won[h, y, b]` of them:
        #     d p[g, h] = (won - p[g, h] * chances) / N[g, h]
        # It also is in pairs (h, g), with the relation transposed, and loses `lost[h, y, b]`:
        #     d p[h, g] = (lost - p[h, g] * reverse_chances) / N[h, g]
        # The disparity changes by the difference of the two.
        relation, totals, values = self._stacked(table), table.totals, self.win_rates(table)
        transposed, pairs = relation.transpose(0, 2, 1), _pairs(relation, totals)
        chances, reverse_chances = relation @ totals.T, transposed @ totals.T  # (part, label, h)

        def of_block(block: PositionBlock) -> Callable[[Array], Array]:
            won = relation[:, None] @ block.below  # (part, h, label, position)
            lost = transposed[:, None] @ block.above

            def of_entries(entry: Array) -> Array:
                g, y, b = block.group[entry], block.label[entry], block.column[entry]
                ahead = won[:, :, y, b].transpose(0, 2, 1) - values[:, g] * chances[:, y]
                behind = lost[:, :, y, b].transpose(0, 2, 1)
                behind = behind - values[:, :, g].transpose(0, 2, 1) * reverse_chances[:, y]
                return ahead / pairs[:, g] - behind / pairs[:, :, g].transpose(0, 2, 1)

            return of_entries

        return of_block

    def contrasts(self, table: ScoreTable) -> Contrasts:
        """Return signed tables Q such that each disparity is ``<Q[e], table.wins>``.

        Parameters
        ----------
        table : ScoreTable
            Counts of the rows.

        Returns
        -------
        contrasts : Contrasts
            One for each defined disparity with g < h; `pair_tables` expands them.
        """
        relation = self._stacked(table)
        pairs = _pairs(relation, table.totals)
        part, g, h = defined_pairs(pairs)
        ahead, behind = 1 / pairs[part, g, h], 1 / pairs[part, h, g]
        return Contrasts(part, g, h, ahead, behind, relation, len(table.groups))


def pair_tables(contrasts: Contrasts) -> sparse.csr_array:
    """Expand contrasts of a pairwise criterion to tables over pairs of cells.

    Parameters
    ----------
    contrasts : Contrasts
        Factored tables, from :meth:`PairwiseCriterion.contrasts`.

    Returns
    -------
    Q : sparse array of shape (n_contrasts, n_cells²)
        ``Q[e, u * n_cells + v]`` is the weight of a win of cell u over cell v, so that
        ``disparity_e = Q[e] @ wins.ravel()``.
    """
    (n_labels, _), n_groups = contrasts.tables.shape[1:], contrasts.n_groups
    n_cells, entries = n_groups * n_labels, []
    for part, relation in enumerate(contrasts.tables):
        mine, (y, z) = np.flatnonzero(contrasts.part == part), np.nonzero(relation)
        # g and h are the first cells of the groups, (n_mine, 1); y and z are offsets within them
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
    """Weight ``N[part, g, h]`` of the pairs that count; nan where no pair counts."""
    pairs = totals @ (relation @ totals.T)
    return np.where(pairs > 0, pairs, np.nan)


@dataclass(frozen=True)
class DemographicParity(PairwiseCriterion):
    r"""Pairwise demographic parity: each group is predicted above the other equally often.

    ``P[f(x1) > f(x2) | a1=g, a2=h] = P[f(x1) < f(x2) | a1=g, a2=h]``. A predicted tie counts for
    neither side. The disparity is Cliff's delta between the groups, 2·AUC − 1.

    Parameters
    ----------
    pairs : {"all", "unequal_labels"}, default="all"
        Which pairs count:

        * ``"all"``: all pairs of samples of the two groups;
        * ``"unequal_labels"``: pairs whose true labels differ. The reduction of Proposition 1
          trains on these pairs.

    See Also
    --------
    EqualOpportunity : Compares pairs whose true labels differ, given which one is higher.
    StandardDemographicParity : Compares how often each label is predicted.

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
    r"""Pairwise equal opportunity: a higher true label is recognised equally often in both groups.

    ``P[f(x1) > f(x2) | a1=g, a2=h, y1>y2] = P[f(x1) < f(x2) | a1=g, a2=h, y1<y2]``. A predicted
    tie does not count as recognised. Undefined for two groups if no sample of one has a true
    label above that of a sample of the other.

    See Also
    --------
    EqualizedOdds : Also compares pairs with "not below" in place of "above".
    StandardEqualOpportunity : Compares how often each true label is predicted.

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
    r"""Pairwise equalized odds: equal opportunity with strict and with non-strict inequalities.

    Part ``"above"`` is pairwise equal opportunity. Part ``"not below"`` requires that
    ``P[f(x1) >= f(x2) | a1=g, a2=h, y1>=y2]`` does not change if g and h are exchanged. It is
    computed from its complement, ``1 - P[f(x2) > f(x1) | ..., y2<=y1]``, so that ties are not
    wins here either. Appendix A.1 of the paper.

    See Also
    --------
    EqualOpportunity : The strict part alone.
    StandardEqualizedOdds : Compares predicted labels given the true label.

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
        # (1 - win.T) - (1 - win) = win - win.T: the disparities of "not below" are those of the
        # win rates, so that the influence and the contrasts of the base class hold.
        above, win = self.win_rates(table)
        return np.stack([above, 1 - win.T])

    def support(self, table: ScoreTable) -> Array:
        above, not_above = super().support(table)
        return np.stack([above, not_above.T])
