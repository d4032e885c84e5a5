"""Disparities of one criterion with intervals: the part of an audit about one criterion."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from fairordinal._audit._small_groups import too_small
from fairordinal._inference import Intervals
from fairordinal._render import names_of, number, quantity
from fairordinal._table import ScoreTable
from fairordinal._validation import Array
from fairordinal.criteria import Criterion, PairwiseCriterion

NOTES = np.array(
    ["", "no interval: a group of fewer than two rows", "undefined: nothing to compare"],
    dtype=object,
)
MOST_NAMED = 3  # undefined pairs of groups that are named


@dataclass(frozen=True, eq=False, repr=False)
class Finding:
    """Disparities of one criterion for all pairs of groups, with simultaneous intervals.

    Attributes
    ----------
    criterion : Criterion
        The criterion.
    table : ScoreTable
        Counts of the rows.
    bounds : Intervals
        The intervals of the disparities.
    higher_is : {"better", "worse"} or None
        Whether higher labels are better or worse for people.
    min_group_rows : float
        Groups with fewer rows are not in the pair that the summary leads with.
    marked : ndarray of bool of shape (n_groups,), or None
        Groups that are too small for a conclusion by the first criterion of the audit; they are not
        in that pair either.
    probabilities : ndarray of shape (n_parts, n_groups, n_groups)
        The probabilities (for harms, mean harms) that are compared; nan where undefined.
    disparities : ndarray of shape (n_parts, n_groups, n_groups)
        ``probabilities[:, g, h] - probabilities[:, h, g]``; nan where undefined.
    lower : ndarray of shape (n_parts, n_groups, n_groups)
        Lower bound of each disparity; nan where there is no interval.
    upper : ndarray of shape (n_parts, n_groups, n_groups)
        Upper bound of each disparity; nan where there is no interval.

    See Also
    --------
    Audit : The findings of all criteria.
    """

    criterion: Criterion
    table: ScoreTable
    bounds: Intervals
    higher_is: str | None = None
    min_group_rows: float = 0
    marked: Array | None = None

    @cached_property
    def probabilities(self) -> Array:
        return self.criterion.probabilities(self.table)

    @cached_property
    def disparities(self) -> Array:
        return self.criterion.disparities(self.table)

    @property
    def lower(self) -> Array:
        return self.bounds.lower

    @property
    def upper(self) -> Array:
        return self.bounds.upper

    @property
    def violation(self) -> float:
        """The largest absolute disparity; nan if none is defined."""
        return self.criterion.violation(self.table)

    @cached_property
    def violation_interval(self) -> tuple[float, float]:
        """Interval of the violation, derived from the intervals of the disparities."""
        defined = np.isfinite(self.disparities) & ~np.eye(len(self.table.groups), dtype=bool)
        return self.bounds.of_violation(self.criterion.scale(self.table), defined)

    @cached_property
    def worst(self) -> tuple[int, int, int] | None:
        """Part and groups of the largest disparity; None if undefined.

        The group with the greater probability comes first.
        """
        return self.criterion.worst(self.table)

    @cached_property
    def too_small(self) -> Array:
        """Which groups are too small for a conclusion, (n_groups,).

        Compared with each group of at least as many rows, the interval of such a group contains 0
        and is wider than 30 % of the range of possible disparities, or there is none.
        """
        return too_small(self.bounds, self.table, self.criterion.scale(self.table))

    @cached_property
    def set_aside(self) -> Array:
        """Which groups the summary does not lead with: too small, or of fewer than `least_rows`."""
        small = self.too_small if self.marked is None else self.too_small | self.marked
        return small | (self.table.rows < self.least_rows)

    @property
    def least_rows(self) -> float:
        """`min_group_rows`, or 0 if fewer than two groups have so many rows."""
        enough = np.count_nonzero(self.table.rows >= self.min_group_rows)
        return self.min_group_rows if enough >= 2 else 0

    @cached_property
    def headline(self) -> tuple[int, int, int] | None:
        """Part and groups of the pair that the summary leads with; None if undefined.

        This is the worst pair if its interval excludes 0. Otherwise it is the clearest pair, whose
        interval is farthest from 0 for its width; if no interval excludes 0, the worst pair. Pairs
        with a group that is `set_aside` are not considered, unless there are no others.
        """
        if self.worst is None:
            return None
        part, g, h = self.places
        disparity = self.listed(self.disparities)
        defined, aside = np.isfinite(disparity), self.set_aside
        considered = defined & ~(aside[g] | aside[h])
        if not considered.any():
            considered, aside = defined, np.zeros_like(aside)
        lower, upper = self.listed(self.lower), self.listed(self.upper)
        clear = considered & (lower > 0)
        if not aside[[*self.worst[1:]]].any() and not (self.worst_is_doubtful and clear.any()):
            return self.worst
        if clear.any():  # the ratio of the ends grows with the distance from 0 in widths
            considered, disparity = clear, lower / np.where(clear, upper, 1.0)
        best = int(np.argmax(np.where(considered, disparity, -np.inf)))
        return int(part[best]), int(g[best]), int(h[best])

    @property
    def headline_kind(self) -> str:
        """What the pair of `headline` is among all pairs, in words."""
        if self.headline is None or self.headline == self.worst:
            return "worst pair"
        return "clearest pair" if self.lower[self.headline] > 0 else "worst pair of larger groups"

    @cached_property
    def places(self) -> tuple[Array, Array, Array]:
        """Indices (part, g, h) of one entry per part and pair of groups.

        The group with the greater probability comes first.
        """
        part, g, h = np.nonzero(np.triu(np.ones(self.disparities.shape, dtype=bool), 1))
        turned = self.disparities[part, g, h] < 0
        return part, np.where(turned, h, g), np.where(turned, g, h)

    def listed(self, values: Array) -> Array:
        """Return the entries at `places` of an array of shape (n_parts, n_groups, n_groups).

        Parameters
        ----------
        values : ndarray of shape (n_parts, n_groups, n_groups)
            Such as `disparities` or `lower`.

        Returns
        -------
        entries : ndarray of shape (n_places,)
            In the order of `places`.
        """
        return values[self.places]

    def columns(self, some: Any = slice(None)) -> dict[str, Array]:
        """Return one row per part and pair of groups, as columns.

        Parameters
        ----------
        some : slice or array of int, default=slice(None)
            The numbers of the `places` to return.

        Returns
        -------
        columns : dict of str to ndarray
            The columns of :meth:`Audit.frame`.
        """
        part, g, h = (index[some] for index in self.places)
        names = np.array(names_of(self.table.groups.tolist()), dtype=object)
        parts = np.array(self.criterion.parts(self.table), dtype=object)
        power = 2 if isinstance(self.criterion, PairwiseCriterion) else 1
        sample = self.table.unweighted
        support = sample.in_rows(self.criterion.support(sample), power)
        rows = sample.rows
        disparity, lower = self.disparities[part, g, h], self.lower[part, g, h]
        return {
            "criterion": np.full(len(part), self.criterion.name, dtype=object),
            "part": parts[part],
            "group": names[g],
            "other": names[h],
            "probability": self.probabilities[part, g, h],
            "other_probability": self.probabilities[part, h, g],
            "disparity": disparity,
            "lower": lower,
            "upper": self.upper[part, g, h],
            "rows": rows[g],
            "other_rows": rows[h],
            "support": support[part, g, h],
            "other_support": support[part, h, g],
            "note": NOTES[np.where(np.isnan(disparity), 2, np.isnan(lower))],
        }

    def rows(self, some: Any = slice(None)) -> list[dict[str, Any]]:
        """Return one row per part and pair of groups, as mappings.

        Parameters
        ----------
        some : slice or array of int, default=slice(None)
            The numbers of the `places` to return.

        Returns
        -------
        rows : list of dict
            With the keys of `columns`.
        """
        columns = self.columns(some)
        lists = (column.tolist() for column in columns.values())
        return [dict(zip(columns, row, strict=True)) for row in zip(*lists, strict=True)]

    @property
    def undefined(self) -> Array:
        """Numbers of the `places` whose disparity is undefined."""
        return np.flatnonzero(np.isnan(self.listed(self.disparities)))

    def notes(self) -> list[str]:
        """Return remarks for printed text.

        Returns
        -------
        notes : list of str
            Pairs of groups that are undefined, and the worst pair if the summary does not lead with
            it.
        """
        undefined = self.undefined
        named = self.rows(undefined[:MOST_NAMED])
        part = " (part {!r})" if len(self.criterion.parts(self.table)) > 1 else ""
        pairs = [
            f"{row['group']!r} and {row['other']!r}{part.format(row['part'])}" for row in named
        ]
        hidden = len(undefined) - len(pairs)
        more = f"; and {hidden} more" if hidden else ""
        notes = [f"{self.criterion.title}: undefined for {'; '.join(pairs)}{more}."]
        return notes * bool(pairs) + self._about_worst()

    @property
    def worst_is_doubtful(self) -> bool:
        """Whether the interval of the worst pair does not exclude 0."""
        return self.worst is not None and not self.lower[self.worst] > 0

    def _about_worst(self) -> list[str]:
        """A sentence about the worst pair, if the summary does not lead with it."""
        if self.headline is None or self.worst is None or self.headline == self.worst:
            return []
        _, g, h = self.worst
        names = names_of(self.table.groups.tolist())
        return [
            f"* {self.criterion.title}: the {self.headline_kind} has "
            f"{self._described(self.headline)}; the worst, {names[g]!r} > {names[h]!r} with "
            f"{self._described(self.worst)}, {self.why_not_worst}."
        ]

    @property
    def why_not_worst(self) -> str:
        """Why the summary does not lead with the worst pair, as the end of a sentence."""
        assert self.worst is not None
        if (self.table.rows[[*self.worst[1:]]] < self.least_rows).any():
            return f"has a group of fewer than {quantity(self.least_rows)} rows"
        return "is too small for a conclusion"

    def _described(self, place: tuple[int, int, int]) -> str:
        """The disparity of a pair of groups with its interval."""
        lower, upper = self.lower[place], self.upper[place]
        interval = f"{number(lower)} … {number(upper)}" if lower == lower else "no interval"
        return f"{number(self.disparities[place])} ({interval})"

    def __repr__(self) -> str:
        lower, upper = self.violation_interval
        text = f"{self.criterion.title}: violation {number(self.violation)}"
        return text if self.worst is None else f"{text} ({number(lower)} … {number(upper)})"
