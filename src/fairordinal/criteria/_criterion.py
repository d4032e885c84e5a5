"""The interface of fairness criteria, and checks that a criterion is defined for a table.

A criterion compares probabilities ``p[part, g, h]`` and ``p[part, h, g]`` of two groups g and h.
Their difference is the disparity of (g, h). See the docstring of ``fairordinal.criteria`` for the
formulas.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from itertools import combinations
from typing import ClassVar, NamedTuple

import numpy as np

from fairordinal._support import warn
from fairordinal._table import PositionBlock, ScoreTable
from fairordinal._validation import Array

MOST_NAMED = 5  # pairs of groups that a warning names

# Derivatives of disparities, computed in two steps: first what depends on a block of positions,
# then the derivatives for some entries of the block.
Influence = Callable[[PositionBlock], Callable[[Array], Array]]


class Criterion(ABC):
    """A fairness criterion: probabilities that should be equal for two groups.

    Attributes
    ----------
    needs_labels : bool
        Whether predictions must be labels; otherwise they may be scores.
    name : str
        The name by which functions of this library accept the criterion.
    title : str
        The name in printed text.

    See Also
    --------
    PairwiseCriterion : Criteria about pairs of samples.
    SampleCriterion : Criteria about single samples.
    """

    needs_labels: ClassVar[bool] = False

    @property
    @abstractmethod
    def name(self) -> str:
        """The name by which functions of this library accept the criterion."""

    @property
    @abstractmethod
    def title(self) -> str:
        """The name in printed text."""

    @abstractmethod
    def parts(self, table: ScoreTable) -> tuple[str, ...]:
        """Return the names of the parts, of which each has its own probabilities.

        Parameters
        ----------
        table : ScoreTable
            Counts of the rows.

        Returns
        -------
        names : tuple of str
            ``("",)`` if the criterion has one part.
        """

    @abstractmethod
    def probabilities(self, table: ScoreTable) -> Array:
        """Return the probabilities that are compared.

        Parameters
        ----------
        table : ScoreTable
            Counts of the rows.

        Returns
        -------
        p : ndarray of shape (n_parts, n_groups, n_groups)
            Undefined values are nan: where undefined.
        """

    @abstractmethod
    def support(self, table: ScoreTable) -> Array:
        """Return the weight of the pairs (or samples) that each probability is estimated from.

        Parameters
        ----------
        table : ScoreTable
            Counts of the rows.

        Returns
        -------
        weight : ndarray of shape (n_parts, n_groups, n_groups)
            At least 0.
        """

    @abstractmethod
    def unconditional(self, table: ScoreTable) -> Array:
        """Return which parts are about all pairs (or samples), without a condition.

        Parameters
        ----------
        table : ScoreTable
            Counts of the rows.

        Returns
        -------
        mask : ndarray of bool of shape (n_parts,)
            True for parts that are not conditional on labels.
        """

    @abstractmethod
    def influence(self, table: ScoreTable) -> Influence:
        """Return a function that computes derivatives of the disparities by the counts.

        Parameters
        ----------
        table : ScoreTable
            Counts of the rows.

        Returns
        -------
        influence : callable
            ``influence(block)(entries)`` has shape (n_parts, n_entries, n_groups). At
            (part, entry, h) it is the derivative of the disparity of (g, h) by the weight of the
            entry, g being the group of the entry. `block` is one of ``table.blocks()``, and
            `entries` are numbers of its entries: memory limits how many are computed at a time.
        """

    def scale(self, table: ScoreTable) -> float:
        """Return the greatest possible disparity.

        Parameters
        ----------
        table : ScoreTable
            Counts of the rows.

        Returns
        -------
        scale : float
            1 for probabilities; the greatest cost for harms.
        """
        return 1.0

    def disparities(self, table: ScoreTable) -> Array:
        """Return the disparities ``p[part, g, h] - p[part, h, g]``.

        Parameters
        ----------
        table : ScoreTable
            Counts of the rows.

        Returns
        -------
        disparities : ndarray of shape (n_parts, n_groups, n_groups)
            Undefined values are nan: where undefined, 0 on the diagonal.
        """
        values = self.probabilities(table)
        disparities = values - values.transpose(0, 2, 1)
        disparities[:, np.eye(len(table.groups), dtype=bool)] = 0.0
        return disparities

    def violation(self, table: ScoreTable) -> float:
        """Return the largest absolute disparity over parts and pairs of groups.

        Parameters
        ----------
        table : ScoreTable
            Counts of the rows.

        Returns
        -------
        violation : float
            Undefined values are nan: if no disparity is defined.
        """
        absolute = np.abs(self.disparities(table))
        off_diagonal = absolute[:, ~np.eye(absolute.shape[1], dtype=bool)]
        return float(np.nanmax(off_diagonal)) if np.isfinite(off_diagonal).any() else float("nan")

    def worst(
        self, table: ScoreTable, pair: tuple[int, int] | None = None
    ) -> tuple[int, int, int] | None:
        """Return the part and the groups of the largest absolute disparity.

        Parameters
        ----------
        table : ScoreTable
            Counts of the rows.
        pair : tuple of two int, default=None
            Numbers of two groups; None considers all pairs.

        Returns
        -------
        place : tuple of (part, g, h), or None
            Without `pair`, g is the group with the greater probability. None if no disparity is
            defined.
        """
        values = self.disparities(table)
        wanted = ~np.eye(len(table.groups), dtype=bool)
        if pair is not None:
            values, wanted[:] = np.abs(values), False
            wanted[pair] = pair[0] != pair[1]
        values = np.where(wanted, values, np.nan)
        if not np.isfinite(values).any():
            return None
        part, g, h = (int(i) for i in np.unravel_index(int(np.nanargmax(values)), values.shape))
        return part, g, h


class Contrasts(NamedTuple):
    """Factored signed tables of the defined disparities, one per part and pair of groups g < h.

    Contrast e is ``ahead[e] * tables[part[e]]`` at group pair (g, h), minus
    ``behind[e] * tables[part[e]]`` at (h, g), and 0 elsewhere. Stored as dense tables, all
    contrasts would have n_groups⁴ · n_labels² entries.

    Attributes
    ----------
    part : ndarray of shape (n_contrasts,)
        The part of the criterion.
    g : ndarray of shape (n_contrasts,)
        The first group.
    h : ndarray of shape (n_contrasts,)
        The second group.
    ahead : ndarray of shape (n_contrasts,)
        1 / support of (g, h).
    behind : ndarray of shape (n_contrasts,)
        1 / support of (h, g).
    tables : ndarray of shape (n_parts, n_labels, n_labels)
        Weights of pairs of labels, for each part.
    n_groups : int
        The number of groups.
    """

    part: Array
    g: Array
    h: Array
    ahead: Array
    behind: Array
    tables: Array
    n_groups: int

    def __len__(self) -> int:
        return len(self.part)


def defined_pairs(weight: Array) -> tuple[Array, Array, Array]:
    """Return part, g and h of all g < h where the weight is positive at (g, h) and at (h, g)."""
    both = (weight > 0) & (weight.transpose(0, 2, 1) > 0)
    part, g, h = np.nonzero(np.triu(both, 1))
    return part, g, h


def require_labels(criterion: Criterion, table: ScoreTable) -> None:
    """Raise ValueError if the criterion needs predicted labels and the table has scores."""
    if criterion.needs_labels and not table.predicts_labels:
        raise ValueError(
            f"{criterion.title} needs predicted labels in y_pred, got scores such as "
            f"{table.axis[0].item()!r} that are not labels {table.labels.tolist()}. Cut the "
            "scores into labels first; if they are labels, pass predictions='labels'."
        )


def warn_undefined(criterion: Criterion, table: ScoreTable) -> None:
    """Warn about pairs of groups for which the criterion is undefined."""
    undefined = np.isnan(criterion.disparities(table))
    names = table.groups.tolist()
    pairs = [
        f"{names[g]!r} and {names[h]!r}"
        for g, h in combinations(range(len(names)), 2)
        if undefined[:, g, h].any()
    ]
    if not pairs:
        return
    more = f"; and {len(pairs) - MOST_NAMED} more" if len(pairs) > MOST_NAMED else ""
    from sklearn.exceptions import UndefinedMetricWarning  # slow to import, seldom needed

    warn(
        f"{criterion.title} is undefined for groups {'; '.join(pairs[:MOST_NAMED])}{more}: "
        f"{_reason(criterion, table, undefined)}. They are left out; the result is nan if no pair "
        "of groups remains.",
        UndefinedMetricWarning,
    )


def _reason(criterion: Criterion, table: ScoreTable, undefined: Array) -> str:
    """Say why disparities are undefined, naming the first such part."""
    if not criterion.needs_labels:
        return "these groups have no pairs of samples to compare"
    part = criterion.parts(table)[int(np.flatnonzero(undefined.any(axis=(1, 2)))[0])]
    return f"a group has no samples to average{f' ({part})' if part else ''}"
