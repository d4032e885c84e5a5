"""Notions about single samples: harm, and the standard notions label by label."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from fairordinal._costs import cost_matrix, cost_unit
from fairordinal._table import Block, ScoreTable
from fairordinal._validation import Array
from fairordinal.criteria._base import Contrasts, Criterion, Influence, defined_pairs

MOST_NUMBERS = 1 << 23  # of a criterion's tables, and of its disparities


class SampleCriterion(Criterion):
    """A notion about single samples: a mean that should be the same in every group."""

    needs_labels: ClassVar[bool] = True
    linear: ClassVar[bool] = True  # whether `among` leaves predictions aside

    @abstractmethod
    def events(self, labels: Array) -> dict[str, tuple[Array, Array]]:
        """For each part `value` and `among`, tables over (true label, predicted label)."""

    def n_parts(self, n_labels: int) -> int:
        """How many parts there are."""
        return 1

    def parts(self, table: ScoreTable) -> tuple[str, ...]:
        self._check_size(table)
        return tuple(self.events(table.labels))

    def _check_size(self, table: ScoreTable) -> None:
        n_groups, n_labels, _ = table.shape
        n_parts = self.n_parts(n_labels)
        if n_parts * max(n_groups, n_labels) ** 2 > MOST_NUMBERS:
            raise ValueError(
                f"{self.title} has {n_parts:,} parts with {n_labels} labels, too many to compare "
                f"{n_groups} groups by: parts × groups² and parts × labels² may be at most "
                f"{MOST_NUMBERS:,}. Merge neighbouring labels or small groups, or leave out the "
                "standard notions (and compare=True)."
            )

    def _stacked(self, table: ScoreTable) -> tuple[Array, Array]:
        self._check_size(table)
        value, among = zip(*self.events(table.labels).values(), strict=True)
        return np.stack(value).astype(np.float64), np.stack(among).astype(np.float64)

    def group_means(self, table: ScoreTable) -> Array:
        """The mean of each part in each group, (parts, groups); nan where it has no samples."""
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
        (value, among), values = self._stacked(table), self.probabilities(table)
        samples = self.support(table)
        samples[samples == 0] = np.nan

        def of_block(block: Block) -> Callable[[Array], Array]:
            def of_entries(entry: Array) -> Array:
                g, y, f = block.group[entry], block.label[entry], block.position[entry]
                own = value[:, y, f, None] - values[:, g] * among[:, y, f, None]
                return np.asarray(own / samples[:, g])

            return of_entries

        return of_block

    def contrasts(self, table: ScoreTable) -> Contrasts:
        """Weights of samples by true and predicted label such that a disparity is their sum.

        Undefined contrasts are left out.
        """
        if not self.linear:
            raise ValueError(
                f"{type(self).__name__} is a ratio whose denominator depends on the predictions: "
                "it can be audited but has no linear table. Use HarmParity for learning."
            )
        value, among = self._stacked(table)
        # linear: `among` is the same for every prediction, so scores may be uncut
        samples = np.einsum("py,gy->pg", among[:, :, 0], table.totals)
        part, g, h = defined_pairs(np.repeat(samples[:, :, None], len(table.groups), axis=2))
        ahead, behind = 1 / samples[part, g], 1 / samples[part, h]
        return Contrasts(part, g, h, ahead, behind, value, len(table.groups))


@dataclass(frozen=True)
class HarmParity(SampleCriterion):
    r"""Equal harm (section 6): ``E[C(y, f) 1{f < y} | a]`` is the same in every group.

    A sample is harmed if its predicted label is below the true one, by the cost of the error;
    others count with harm 0.

    Parameters
    ----------
    cost_matrix : {"absolute", "zero_one", "squared", "asymmetric"} or array, default="absolute"
        The price of an error; a matrix must be V-shaped.

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
    name: ClassVar[str] = "harm_parity"
    title: ClassVar[str] = "harm parity"

    def events(self, labels: Array) -> dict[str, tuple[Array, Array]]:
        harm = np.tril(cost_matrix(self.cost_matrix, labels), -1)
        return {"": (harm, np.ones_like(harm))}


@dataclass(frozen=True)
class ConditionalHarmParity(HarmParity):
    r"""Equal harm of the harmed (section 6): ``E[C(y, f) | f < y, a]`` is the same in every group.

    A ratio in which the denominator depends on the predictions: for audits only. Undefined for a
    group in which nobody is rated too low.

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
    title: ClassVar[str] = "harm parity among the harmed"
    linear: ClassVar[bool] = False

    def events(self, labels: Array) -> dict[str, tuple[Array, Array]]:
        harm = np.tril(cost_matrix(self.cost_matrix, labels), -1)
        return {"": (harm, np.tril(np.ones_like(harm), -1))}


@dataclass(frozen=True)
class StandardDemographicParity(SampleCriterion):
    """Standard demographic parity: each label is predicted equally often in every group.

    One part per label l, ``P[f = l | a]``. It does not know that labels are ordered.

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
    """Standard equal opportunity: each label is recognised equally often in every group.

    One part per label l, ``P[f = l | y = l, a]``.

    Parameters
    ----------
    preferred : label, default=None
        Look at this label alone, as the notion is defined for one preferred outcome.

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
        if self.preferred not in labels.tolist():
            raise ValueError(
                f"preferred must be one of the labels {labels.tolist()}, got {self.preferred!r}."
            )
        return self.preferred


@dataclass(frozen=True)
class StandardEqualizedOdds(SampleCriterion):
    """Standard equalized odds: given the true label, predictions are spread alike.

    One part per true label y and predicted label l, ``P[f = l | y, a]``.

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
    table = np.zeros((size, size))
    table[row, column] = 1
    return table


def _row(row: int, size: int) -> Array:
    table = np.zeros((size, size))
    table[row] = 1
    return table
