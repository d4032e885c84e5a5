"""Appendix A.12: the fairer the scores, the more thresholds yield a fair predictor.

Of ten rows and three labels, all injective scorings are tried. For the notions only the order of
the cells (group, label) counts, and rows of a cell may change places: an *arrangement* of cells
stands for ∏ (rows of the cell)! of the 10! scorings. The paper's settings are in the titles of its
pictures, which its text does not give; those below are our choice: for demographic parity, which
ignores labels, groups of 5 + 5 and of 3 + 7 rows; for equal opportunity the same sizes of groups,
with all labels in both.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import factorial, prod
from typing import Any

import numpy as np

from fairordinal._table import read_table
from fairordinal._validation import Array
from fairordinal.experiments._cell import Cell, Row, WholeCell
from fairordinal.experiments._every_cut import (
    below,
    contrast_of,
    disparities,
    every_cut,
    score_disparity,
)
from fairordinal.experiments._experiment import Experiment, Finding, Options
from fairordinal.experiments.figures.panel import SHORT, panels

FAIR = 1e-12  # a violation that rounding explains
DECIMALS = 9  # to which outcomes are told apart
BATCH = 1 << 14  # arrangements at once
STRONG = 0.5  # a correlation that counts as such, by custom
INK = 5000.0  # size of all marks of a panel together
DP, EO = "demographic_parity", "equal_opportunity"


@dataclass(frozen=True)
class Scorings(WholeCell):
    """All injective scorings of rows with given groups and true labels."""

    criterion: str
    groups: tuple[int, ...]
    labels: tuple[int, ...]
    n_labels: int = 3

    @property
    def title(self) -> str:
        """Such as ``EO 12233+12233``."""
        parts = [
            "".join(str(y) for a, y in zip(self.groups, self.labels, strict=True) if a == group)
            for group in sorted(set(self.groups))
        ]
        sizes = "+".join(str(len(part)) for part in parts)
        return f"{SHORT[self.criterion]} {sizes if self.criterion == DP else '+'.join(parts)}"

    def rows(self) -> list[Row]:
        """How many scorings have each violation and share of fair thresholds."""
        found = np.concatenate([*self._outcomes()]).round(DECIMALS)
        outcomes, times = np.unique(found, axis=0, return_counts=True)
        each = prod(map(factorial, self._cell_sizes()))
        return [
            {
                "setting": self.title,
                "criterion": self.criterion,
                "violation": violation,
                "fair_share": share,
                "n_scorings": number * each,
            }
            for (violation, share), number in zip(outcomes.tolist(), times.tolist(), strict=True)
        ]

    def _outcomes(self) -> Iterator[Array]:
        """Violation of the scores and share of fair thresholds of each arrangement, (…, 2)."""
        contrast, sizes = self._contrast(), self._cell_sizes()
        cuts = every_cut(len(self.groups), self.n_labels)
        orders = arrangements(sizes)
        cells = np.arange(len(sizes))[:, None]
        for start in range(0, len(orders), BATCH):
            counts_below = below(orders[start : start + BATCH, None] == cells)
            fair = np.abs(disparities(counts_below, contrast, cuts)) <= FAIR
            violation = np.abs(score_disparity(counts_below, contrast))
            yield np.stack([violation, fair.mean(axis=1)], axis=1)

    def _cell_sizes(self) -> tuple[int, ...]:
        """Rows of each cell that is not empty, by group and label."""
        _, sizes = np.unique(self._pairs(), axis=0, return_counts=True)
        return tuple(sizes.tolist())

    def _contrast(self) -> Array:
        """Signed weights of pairs of these cells."""
        table = read_table(
            self.labels, np.arange(len(self.labels)), self.groups, as_scores=True,
            labels=range(1, self.n_labels + 1),
        )  # fmt: skip
        occupied = np.flatnonzero(table.totals)
        return contrast_of(self.criterion, table)[np.ix_(occupied, occupied)]

    def _pairs(self) -> Array:
        return np.column_stack([self.groups, self.labels])


def arrangements(sizes: Sequence[int]) -> Array:
    """Every order of cells of given sizes: the cell at each place, (n_arrangements, n)."""
    first, *others = sizes
    if not others:
        return np.zeros((1, first), dtype=np.int8)
    rest, n = arrangements(others) + 1, sum(sizes)
    found = []
    for places in combinations(range(n), first):
        order = np.zeros((len(rest), n), dtype=np.int8)
        order[:, np.delete(np.arange(n), places)] = rest
        found.append(order)
    return np.concatenate(found)


SETTINGS = (
    Scorings(DP, (0,) * 5 + (1,) * 5, (1,) * 10),
    Scorings(DP, (0,) * 3 + (1,) * 7, (1,) * 10),
    Scorings(EO, (0,) * 5 + (1,) * 5, (1, 2, 2, 3, 3) * 2),
    Scorings(EO, (0,) * 3 + (1,) * 7, (1, 2, 3, 1, 1, 2, 2, 2, 3, 3)),
)


def cells(options: Options) -> list[Cell]:
    """The four settings; there are no splits."""
    return [*SETTINGS]


def columns(rows: Sequence[Row], setting: str) -> tuple[Array, Array, Array]:
    """Violations, fair shares and numbers of scorings of a setting."""
    names = ("violation", "fair_share", "n_scorings")
    chosen = [[row[name] for name in names] for row in rows if row["setting"] == setting]
    violation, share, number = np.array(chosen, dtype=float).reshape(-1, 3).T
    return violation, share, number


def correlation(x: Array, y: Array, weight: Array) -> float:
    """Pearson's, each pair counted by its weight."""
    covariance = np.cov(x, y, aweights=weight)
    return float(covariance[0, 1] / np.sqrt(covariance[0, 0] * covariance[1, 1]))


def mean_shares(violation: Array, share: Array, number: Array) -> tuple[Array, Array]:
    """Each violation, ascending, and the mean share of fair thresholds there."""
    levels, place = np.unique(violation, return_inverse=True)
    return levels, np.bincount(place, share * number) / np.bincount(place, number)


def settings_of(rows: Sequence[Row]) -> dict[str, str]:
    """Criterion by setting."""
    return {row["setting"]: row["criterion"] for row in rows}


def findings(rows: Sequence[Row]) -> list[Finding]:
    """How strong the correlation is, and how many thresholds are fair at both ends."""
    return [finding for setting in settings_of(rows) for finding in about(rows, setting)]


def about(rows: Sequence[Row], setting: str) -> list[Finding]:
    """Findings of a setting."""
    violation, share, number = columns(rows, setting)
    strength = correlation(violation, share, number)
    curve = [*zip(*mean_shares(violation, share, number), strict=True)]
    ends = [f"{mean:.0%} at violation {level:.2f}" for level, mean in (curve[0], curve[-1])]
    where = f"{setting} (our choice): "
    return [
        Finding(
            where + "correlation of violation and share of fair thresholds",
            "strong",
            f"{strength:.2f} over {number.sum():.0f} scorings",
            strength < -STRONG,
        ),
        Finding(where + "fair thresholds, fairest and unfairest scores", "–", ", ".join(ends)),
    ]


def picture(rows: Sequence[Row]) -> Any:
    """Share of fair thresholds against violation; marks by number of scorings."""
    figure, axes = panels(2, 2)
    for (setting, criterion), ax in zip(settings_of(rows).items(), axes.flat, strict=False):
        violation, share, number = columns(rows, setting)
        ax.scatter(violation, share, s=INK * number / number.sum(), alpha=0.5, linewidths=0)
        ax.plot(*mean_shares(violation, share, number), color="black", lw=0.8, label="mean")
        ax.set_xlabel(f"{SHORT[criterion]} violation of the scores", fontsize=8)
        ax.set_ylabel("share of fair thresholds", fontsize=8)
        ax.set_title(setting, fontsize=9)
        ax.set_ylim(0, None)
        ax.tick_params(labelsize=7)
        ax.legend(fontsize=7)
    return figure


EXPERIMENTS = (
    Experiment(
        "simulation",
        "Appendix A.12: fair scores leave more fair thresholds",
        cells,
        findings,
        {"simulation": picture},
    ),
)
