"""Appendix A.12: the fairer the scores, the more thresholds yield a fair predictor.

All 10! orders of ten rows with three labels are tried as scores without ties. Criteria depend only
on the order of the cells (group, label), and rows of a cell are interchangeable: an *arrangement*
of cells represents ∏ (rows of the cell)! orders of rows.

The text of the paper does not give its settings, which are only in the titles of its pictures.
Those below are our choice: for demographic parity, which ignores labels, groups of 5 + 5 and of
3 + 7 rows; for equal opportunity groups of the same sizes, with all labels in both groups.
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
from fairordinal.experiments._cells import DataclassCell, ExperimentCell, Row
from fairordinal.experiments._experiment import NOT_STATED, ClaimCheck, Experiment, Options
from fairordinal.experiments.figures.lemma_examples import (
    all_cuts,
    contrast_of,
    counts_below,
    disparities,
    score_disparity,
)
from fairordinal.experiments.figures.panels import SHORT, label_axes, panels
from fairordinal.experiments.methods import DP, EO

FAIR = 1e-12  # violations up to this are rounding errors
DECIMALS = 9  # outcomes that agree to so many decimals are equal
BATCH = 1 << 14  # arrangements at once
STRONG = 0.5  # absolute correlations above it count as strong, by convention
MARKS_AREA = 5000.0  # of all marks of a panel together


@dataclass(frozen=True)
class Scorings(DataclassCell):
    """All scores without ties, for rows with given groups and true labels."""

    criterion: str
    groups: tuple[int, ...]
    labels: tuple[int, ...]
    n_labels: int = 3

    @property
    def title(self) -> str:
        """Criterion, and the sizes or labels of the groups, such as ``EO 12233+12233``."""
        parts = [
            "".join(str(y) for a, y in zip(self.groups, self.labels, strict=True) if a == group)
            for group in sorted(set(self.groups))
        ]
        sizes = "+".join(str(len(part)) for part in parts)
        return f"{SHORT[self.criterion]} {sizes if self.criterion == DP else '+'.join(parts)}"

    def rows(self) -> list[Row]:
        """Count the scorings with each violation and share of fair thresholds."""
        found = np.concatenate([*self._outcomes()]).round(DECIMALS)
        outcomes, times = np.unique(found, axis=0, return_counts=True)
        per_arrangement = prod(map(factorial, self._cell_sizes()))
        return [
            {
                "setting": self.title,
                "criterion": self.criterion,
                "violation": violation,
                "fair_share": share,
                "n_scorings": number * per_arrangement,
            }
            for (violation, share), number in zip(outcomes.tolist(), times.tolist(), strict=True)
        ]

    def _outcomes(self) -> Iterator[Array]:
        """Yield violations of the scores and shares of fair thresholds, (n_arrangements, 2)."""
        contrast, sizes = self._contrast(), self._cell_sizes()
        cuts = all_cuts(len(self.groups), self.n_labels)
        orders = arrangements(sizes)
        cells = np.arange(len(sizes))[:, None]
        for start in range(0, len(orders), BATCH):
            below = counts_below(orders[start : start + BATCH, None] == cells)
            fair = np.abs(disparities(below, contrast, cuts)) <= FAIR
            violation = np.abs(score_disparity(below, contrast))
            yield np.stack([violation, fair.mean(axis=1)], axis=1)

    def _cell_sizes(self) -> tuple[int, ...]:
        """Return the number of rows of each cell that is not empty, by group and label."""
        cells = np.column_stack([self.groups, self.labels])
        _, sizes = np.unique(cells, axis=0, return_counts=True)
        return tuple(sizes.tolist())

    def _contrast(self) -> Array:
        """Return Q, the signed pair weights, of the cells that are not empty."""
        table = read_table(
            self.labels, np.arange(len(self.labels)), self.groups, as_scores=True,
            labels=range(1, self.n_labels + 1),
        )  # fmt: skip
        occupied = np.flatnonzero(table.totals)
        return contrast_of(self.criterion, table)[np.ix_(occupied, occupied)]


def arrangements(sizes: Sequence[int]) -> Array:
    """Return all orders of cells of given sizes: the cell at each position, (n_arrangements, n).

    By recursion: the positions of the first cell are chosen in all ways, and the other cells are
    arranged in the positions that are left.
    """
    first, *others = sizes
    if not others:
        return np.zeros((1, first), dtype=np.int8)
    rest, n = arrangements(others) + 1, sum(sizes)
    found = []
    for positions in combinations(range(n), first):
        order = np.zeros((len(rest), n), dtype=np.int8)
        order[:, np.delete(np.arange(n), positions)] = rest
        found.append(order)
    return np.concatenate(found)


SETTINGS = (
    Scorings(DP, (0,) * 5 + (1,) * 5, (1,) * 10),
    Scorings(DP, (0,) * 3 + (1,) * 7, (1,) * 10),
    Scorings(EO, (0,) * 5 + (1,) * 5, (1, 2, 2, 3, 3) * 2),
    Scorings(EO, (0,) * 3 + (1,) * 7, (1, 2, 3, 1, 1, 2, 2, 2, 3, 3)),
)


def cells(options: Options) -> list[ExperimentCell]:
    """Return the four settings; the options have no effect."""
    return [*SETTINGS]


def columns(rows: Sequence[Row], setting: str) -> tuple[Array, Array, Array]:
    """Return the violations, shares of fair thresholds, and numbers of scorings of a setting."""
    names = ("violation", "fair_share", "n_scorings")
    chosen = [[row[name] for name in names] for row in rows if row["setting"] == setting]
    violation, share, number = np.array(chosen, dtype=float).reshape(-1, 3).T
    return violation, share, number


def correlation(x: Array, y: Array, weight: Array) -> float:
    """Return Pearson's correlation of weighted pairs."""
    covariance = np.cov(x, y, aweights=weight)
    return float(covariance[0, 1] / np.sqrt(covariance[0, 0] * covariance[1, 1]))


def mean_shares(violation: Array, share: Array, number: Array) -> tuple[Array, Array]:
    """Return the distinct violations, and the mean share of fair thresholds at each."""
    levels, index = np.unique(violation, return_inverse=True)
    return levels, np.bincount(index, share * number) / np.bincount(index, number)


def settings_of(rows: Sequence[Row]) -> dict[str, str]:
    """Return the criterion of each setting."""
    return {row["setting"]: row["criterion"] for row in rows}


def findings(rows: Sequence[Row]) -> list[ClaimCheck]:
    """Compare each setting with the paper."""
    return [finding for setting in settings_of(rows) for finding in setting_findings(rows, setting)]


def setting_findings(rows: Sequence[Row], setting: str) -> list[ClaimCheck]:
    """Report the correlation, and the share of fair thresholds for the extreme violations."""
    violation, share, number = columns(rows, setting)
    strength = correlation(violation, share, number)
    curve = [*zip(*mean_shares(violation, share, number), strict=True)]
    ends = [f"{mean:.0%} at violation {level:.2f}" for level, mean in (curve[0], curve[-1])]
    where = f"{setting} (our choice): "
    return [
        ClaimCheck(
            where + "correlation of violation and share of fair thresholds",
            "strong",
            f"{strength:.2f} over {number.sum():.0f} scorings",
            strength < -STRONG,
        ),
        ClaimCheck(
            where + "share of fair thresholds, for the fairest and the least fair scores",
            NOT_STATED,
            ", ".join(ends),
        ),
    ]


def picture(rows: Sequence[Row]) -> Any:
    """Draw the share of fair thresholds against the violation; areas show numbers of scorings."""
    figure, axes = panels(2, 2)
    for (setting, criterion), ax in zip(settings_of(rows).items(), axes.flat, strict=False):
        violation, share, number = columns(rows, setting)
        ax.scatter(violation, share, s=MARKS_AREA * number / number.sum(), alpha=0.5, linewidths=0)
        ax.plot(*mean_shares(violation, share, number), color="black", lw=0.8, label="mean")
        x = f"{SHORT[criterion]} violation of the scores"
        label_axes(ax, x, "share of fair thresholds", setting)
        ax.set_ylim(0, None)
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
