"""Criteria about single samples: harm parity, and the standard criteria label by label.

Such a criterion compares a mean between groups. Each part has two tables over (true label y,
predicted label l): `value`, which is averaged, and `among`, which selects samples. With the counts
T[g, y, l]::

    p[g, h] = sum_{y, l} value[y, l] T[g, y, l] / sum_{y, l} among[y, l] T[g, y, l]     for all h
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from fairordinal._costs import cost_matrix, cost_unit
from fairordinal._table import PositionBlock, ScoreTable
from fairordinal._validation import Array, check_choice
from fairordinal.criteria._criterion import Contrasts, Criterion, Influence, defined_pairs

DIRECTIONS = (None, "better", "worse")  # what higher labels may be for people
MOST_ENTRIES = 1 << 23  # entries of a criterion's tables, and of its disparities


class SampleCriterion(Criterion):
    """A criterion about single samples: a mean that should be equal in all groups.

    A subclass defines `events`, `name` and `title`, and `n_parts` if it has several parts.

    Attributes
    ----------
    linear : bool
        Whether the disparities are linear in the counts of given groups and true labels: `among`
        then does not depend on the predicted label.

    See Also
    --------
    PairwiseCriterion : Criteria about pairs of samples.
    """

    needs_labels: ClassVar[bool] = True
    linear: ClassVar[bool] = True

    @abstractmethod
    def events(self, labels: Array) -> dict[str, tuple[Array, Array]]:
        """Return the tables `value` and `among` of each part.

        Parameters
        ----------
        labels : ndarray of shape (n_labels,)
            Labels in ascending order.

        Returns
        -------
        tables : dict of str to tuple of two ndarray of shape (n_labels, n_labels)
            By name of the part, `value` and `among` over (true label, predicted label).
        """

    def n_parts(self, n_labels: int) -> int:
        """Return the number of parts.

        Parameters
        ----------
        n_labels : int
            Number of labels.

        Returns
        -------
        n_parts : int
            1 unless a subclass says otherwise.
        """
        return 1

    def parts(self, table: ScoreTable) -> tuple[str, ...]:
        self._check_size(table)
        return tuple(self.events(table.labels))

    def _check_size(self, table: ScoreTable) -> None:
        """Raise ValueError if the tables or the disparities would not fit into memory."""
        n_groups, n_labels, _ = table.shape
        n_parts = self.n_parts(n_labels)
        if n_parts * max(n_groups, n_labels) ** 2 > MOST_ENTRIES:
            raise ValueError(
                f"{self.title} has {n_parts:,} parts with {n_labels} labels, too many for "
                f"{n_groups} groups: parts × groups² and parts × labels² may be at most "
                f"{MOST_ENTRIES:,}. Merge neighbouring labels or small groups, or omit the "
                "standard criteria (and compare=True)."
            )

    def _stacked(self, table: ScoreTable) -> tuple[Array, Array]:
        """`value` and `among` of all parts, each (n_parts, n_labels, n_labels)."""
        self._check_size(table)
        value, among = zip(*self.events(table.labels).values(), strict=True)
        return np.stack(value).astype(np.float64), np.stack(among).astype(np.float64)

    def group_means(self, table: ScoreTable) -> Array:
        """Return the mean of each part in each group.

        Parameters
        ----------
        table : ScoreTable
            Counts of the rows.

        Returns
        -------
        means : ndarray of shape (n_parts, n_groups)
            Undefined values are nan: where a group has no samples to average.
        """
        value, among = self._stacked(table)
        samples = np.einsum("pyl,gyl->pg", among, table.cube)
        samples[samples == 0] = np.nan
        unit = cost_unit(value)
        return np.asarray(np.einsum("pyl,gyl->pg", value / unit, table.cube) / samples * unit)

    def probabilities(self, table: ScoreTable) -> Array:
        means = self.group_means(table)
        both = np.isfinite(means[:, :, None]) & np.isfinite(means[:, None, :])
        return np.where(both, means[:, :, None], np.nan)

    def support(self, table: ScoreTable) -> Array:
        samples = np.einsum("pyl,gyl->pg", self._stacked(table)[1], table.cube)
        return np.repeat(samples[:, :, None], len(table.groups), axis=2)

    def unconditional(self, table: ScoreTable) -> Array:
        return np.asarray(self._stacked(table)[1].all(axis=(1, 2)))

    def scale(self, table: ScoreTable) -> float:
        return max(float(self._stacked(table)[0].max()), np.finfo(float).tiny)

    def influence(self, table: ScoreTable) -> Influence:
        # p = <value, T[g]> / N with N = <among, T[g]>. A sample of g with labels (y, f) changes it
        # by (value[y, f] - p * among[y, f]) / N, and does not change the mean of h.
        (value, among), values = self._stacked(table), self.probabilities(table)
        samples = self.support(table)
        samples[samples == 0] = np.nan

        def of_block(block: PositionBlock) -> Callable[[Array], Array]:
            def of_entries(entry: Array) -> Array:
                g, y, f = block.group[entry], block.label[entry], block.position[entry]
                own = value[:, y, f, None] - values[:, g] * among[:, y, f, None]
                return np.asarray(own / samples[:, g])

            return of_entries

        return of_block

    def contrasts(self, table: ScoreTable) -> Contrasts:
        """Return signed tables R such that each disparity is ``<R[e], T>``.

        Parameters
        ----------
        table : ScoreTable
            Counts of the rows; predictions may be scores.

        Returns
        -------
        contrasts : Contrasts
            One for each defined disparity with g < h.

        Raises
        ------
        ValueError
            If the criterion is not linear.
        """
        if not self.linear:
            raise ValueError(
                f"{type(self).__name__} is a ratio whose denominator depends on the predictions: "
                "it can be audited but not optimised. Use HarmParity for learning."
            )
        value, among = self._stacked(table)
        # A linear criterion has the same `among` for all predicted labels, so that the first
        # column and the totals of the cells suffice.
        samples = np.einsum("py,gy->pg", among[:, :, 0], table.totals)
        part, g, h = defined_pairs(np.repeat(samples[:, :, None], len(table.groups), axis=2))
        ahead, behind = 1 / samples[part, g], 1 / samples[part, h]
        return Contrasts(part, g, h, ahead, behind, value, len(table.groups))


@dataclass(frozen=True)
class HarmParity(SampleCriterion):
    r"""Harm parity: ``E[C(y, f) 1{f < y} | a]`` is equal in all groups.

    The harm of a sample is the cost of the error if its predicted label is below the true one,
    and 0 otherwise. Section 6 of the paper. If higher labels are worse, such as levels of risk,
    the harm is the cost of being predicted above the true label, ``1{f > y}``.

    Parameters
    ----------
    cost_matrix : {"absolute", "zero_one", "squared", "asymmetric"} or array, default="absolute"
        Costs of errors ``C[i, j]`` for true label i and predicted label j: ``|i-j|``, ``1{i≠j}``,
        ``(i-j)²``, ``|i-j|·(1 + 1{j>i})``, or a V-shaped matrix.
    higher_is : {"better", "worse"}, default=None
        Whether higher labels are better or worse for people. ``"worse"`` counts errors that are
        too high. None counts errors that are too low, as ``"better"``, but printed text does not
        call them harm.

    See Also
    --------
    ConditionalHarmParity : Compares the mean harm of the harmed samples.

    Examples
    --------
    >>> import numpy as np
    >>> from fairordinal.criteria import HarmParity
    >>> value, among = HarmParity().events(np.array([1, 2, 3]))[""]
    >>> value
    array([[0., 0., 0.],
           [1., 0., 0.],
           [2., 1., 0.]])
    """

    cost_matrix: Any = "absolute"
    higher_is: str | None = None
    name: ClassVar[str] = "harm_parity"

    def __post_init__(self) -> None:
        check_choice(self.higher_is, "higher_is", DIRECTIONS)

    @property
    def title(self) -> str:
        return "harm parity" if self.higher_is else "cost parity of too-low ratings"

    def events(self, labels: Array) -> dict[str, tuple[Array, Array]]:
        harm = cost_matrix(self.cost_matrix, labels) * self._harms(len(labels))
        return {"": (harm, np.ones_like(harm))}

    def _harms(self, n_labels: int) -> Array:
        """1 for errors that harm, by true label and predicted label, else 0."""
        too_low = np.tril(np.ones((n_labels, n_labels)), -1)
        return too_low.T if self.higher_is == "worse" else too_low


@dataclass(frozen=True)
class ConditionalHarmParity(HarmParity):
    r"""Harm parity among the harmed: ``E[C(y, f) | f < y, a]`` is equal in all groups.

    The denominator of this mean depends on the predictions, so the criterion is not linear and can
    only be audited. It is undefined for a group in which no sample is predicted below its true
    label. Section 6 of the paper. If higher labels are worse, the harmed are those predicted above
    their true label.

    Parameters
    ----------
    cost_matrix : {"absolute", "zero_one", "squared", "asymmetric"} or array, default="absolute"
        Costs of errors ``C[i, j]`` for true label i and predicted label j: ``|i-j|``, ``1{i≠j}``,
        ``(i-j)²``, ``|i-j|·(1 + 1{j>i})``, or a V-shaped matrix.
    higher_is : {"better", "worse"}, default=None
        As in `HarmParity`.

    See Also
    --------
    HarmParity : Compares the mean harm of all samples.

    Examples
    --------
    >>> import numpy as np
    >>> from fairordinal.criteria import ConditionalHarmParity
    >>> value, among = ConditionalHarmParity().events(np.array([1, 2, 3]))[""]
    >>> among
    array([[0., 0., 0.],
           [1., 0., 0.],
           [1., 1., 0.]])
    """

    name: ClassVar[str] = "conditional_harm_parity"
    linear: ClassVar[bool] = False

    @property
    def title(self) -> str:
        harmed = self.higher_is is not None
        return "harm parity among the harmed" if harmed else "cost parity per too-low rating"

    def events(self, labels: Array) -> dict[str, tuple[Array, Array]]:
        harms = self._harms(len(labels))
        return {"": (cost_matrix(self.cost_matrix, labels) * harms, harms)}


@dataclass(frozen=True)
class StandardDemographicParity(SampleCriterion):
    """Standard demographic parity: each label is predicted equally often in all groups.

    One part per label l, ``P[f = l | a]``. The order of the labels has no effect.

    See Also
    --------
    DemographicParity : The pairwise criterion, which uses the order of the labels.

    Examples
    --------
    >>> import numpy as np
    >>> from fairordinal.criteria import StandardDemographicParity
    >>> list(StandardDemographicParity().events(np.array(["low", "high"], dtype=object)))
    ["f='low'", "f='high'"]
    """

    name: ClassVar[str] = "standard_demographic_parity"
    title: ClassVar[str] = "standard demographic parity"

    def n_parts(self, n_labels: int) -> int:
        return n_labels

    def events(self, labels: Array) -> dict[str, tuple[Array, Array]]:
        n = len(labels)
        every = np.ones((n, n))
        return {
            f"f={name!r}": (every * (np.arange(n) == code), every)
            for code, name in enumerate(labels.tolist())
        }


@dataclass(frozen=True)
class StandardEqualOpportunity(SampleCriterion):
    """Standard equal opportunity: each true label is predicted correctly equally often.

    One part per label l, ``P[f = l | y = l, a]``. The order of the labels has no effect.

    Parameters
    ----------
    preferred : label, default=None
        Compare this label only, as in the definition for one preferred outcome; None compares
        all labels.

    See Also
    --------
    EqualOpportunity : The pairwise criterion, which uses the order of the labels.

    Examples
    --------
    >>> import numpy as np
    >>> from fairordinal.criteria import StandardEqualOpportunity
    >>> list(StandardEqualOpportunity(preferred=2).events(np.array([1, 2, 3])))
    ['f=2 | y=2']
    """

    preferred: Any = None
    name: ClassVar[str] = "standard_equal_opportunity"
    title: ClassVar[str] = "standard equal opportunity"

    def n_parts(self, n_labels: int) -> int:
        return n_labels if self.preferred is None else 1

    def events(self, labels: Array) -> dict[str, tuple[Array, Array]]:
        return {
            f"f={name!r} | y={name!r}": (_at(code, code, len(labels)), _row(code, len(labels)))
            for code, name in enumerate(labels.tolist())
            if self.preferred is None or name == self._checked(labels)
        }

    def _checked(self, labels: Array) -> Any:
        """Return `preferred`; raise ValueError unless it is a label."""
        if self.preferred not in labels.tolist():
            raise ValueError(
                f"preferred must be one of the labels {labels.tolist()}, got {self.preferred!r}."
            )
        return self.preferred


@dataclass(frozen=True)
class StandardEqualizedOdds(SampleCriterion):
    """Standard equalized odds: given the true label, each label is predicted equally often.

    One part per true label y and predicted label l, ``P[f = l | y, a]``. The order of the labels
    has no effect.

    See Also
    --------
    EqualizedOdds : The pairwise criterion, which uses the order of the labels.

    Examples
    --------
    >>> import numpy as np
    >>> from fairordinal.criteria import StandardEqualizedOdds
    >>> len(StandardEqualizedOdds().events(np.array([1, 2, 3])))
    9
    """

    name: ClassVar[str] = "standard_equalized_odds"
    title: ClassVar[str] = "standard equalized odds"

    def n_parts(self, n_labels: int) -> int:
        return n_labels**2

    def events(self, labels: Array) -> dict[str, tuple[Array, Array]]:
        n, names = len(labels), labels.tolist()
        return {
            f"f={names[f]!r} | y={names[y]!r}": (_at(y, f, n), _row(y, n))
            for y in range(n)
            for f in range(n)
        }


def _at(row: int, column: int, size: int) -> Array:
    """Square table of zeros with a 1 at (row, column)."""
    table = np.zeros((size, size))
    table[row, column] = 1
    return table


def _row(row: int, size: int) -> Array:
    """Square table of zeros with a row of ones."""
    table = np.zeros((size, size))
    table[row] = 1
    return table
