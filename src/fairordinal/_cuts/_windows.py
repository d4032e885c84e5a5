"""Where a cut may lie: disjoint windows of places, in ascending order."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fairordinal._validation import Array


class Windows(NamedTuple):
    """Window i holds the places ``first[i] … last[i]``."""

    first: Array
    last: Array

    @classmethod
    def spread(cls, n_places: int, n_windows: int) -> Windows:
        """All places 0 … n_places - 1, in windows of about equal width."""
        edges = np.linspace(0, n_places, min(n_windows, n_places) + 1).round().astype(np.intp)
        return cls(edges[:-1], edges[1:] - 1)

    @property
    def are_points(self) -> bool:
        return bool((self.first == self.last).all())

    @property
    def n_places(self) -> int:
        return int((self.last - self.first + 1).sum())

    def places(self) -> tuple[Array, Array]:
        """All places, and where each window's begin among them."""
        widths = self.last - self.first + 1
        begin = np.cumsum(widths) - widths
        return np.arange(widths.sum()) + np.repeat(self.first - begin, widths), begin

    def windows_between(self, place: int, other: int) -> int:
        """How many windows two places are apart."""
        one, two = np.searchsorted(self.first, [place, other], side="right")
        return abs(int(one) - int(two))

    def keep(self, wanted: Array) -> Windows:
        """Some of the windows."""
        return Windows(self.first[wanted], self.last[wanted])

    def halve(self) -> Windows:
        """Each window wider than a place as two."""
        wide, middle = self.first < self.last, (self.first + self.last) // 2
        first = np.concatenate([self.first, middle[wide] + 1])
        last = np.concatenate([self.last[~wide], middle[wide], self.last[wide]])
        return Windows(np.sort(first), np.sort(last))

    def below(self, place: int) -> Windows:
        """What lies below a place."""
        kept = self.keep(self.first < place)
        return Windows(kept.first, np.minimum(kept.last, place - 1))

    def from_(self, place: int) -> Windows:
        """What lies at a place or above."""
        kept = self.keep(self.last >= place)
        return Windows(np.maximum(kept.first, place), kept.last)

    def boundary(self, place: int) -> int:
        """The place nearest to the given one that ends a window or precedes the first.

        Each window then lies wholly at or below it, or wholly above.
        """
        ends = np.concatenate([[max(self.first[0] - 1, 0)], self.last])
        if self.first[0] == 0:
            ends = self.last
        return int(ends[np.abs(ends - place).argmin()])
