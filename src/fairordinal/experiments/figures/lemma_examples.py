"""Examples of appendices A.8 and A.9, which prove lemmas 1 and 2.

Rows have two features, p1 and p2, and one of them is the score. The cost of the best fair
thresholds is computed twice: by trying all thresholds, and by `optimize_thresholds`.

All thresholds are tried at once. A *cell* is a group and a true label, as in
``fairordinal._table``. Let c(b) be the number of rows of each cell at the b lowest positions. Cuts
``0 ≤ b_1 ≤ … ≤ b_{k-1} ≤ b_k = n`` predict label l between b_{l-1} and b_l, and a pairwise
criterion with signed pair weights Q has the disparity::

    sum_l (c(b_{l+1}) - c(b_l))ᵀ Q c(b_l)

All products c(b')ᵀ Q c(b) are computed once: for ten rows and three labels, an 11 × 11 table gives
the disparities of all 66 predictors.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import Any, NamedTuple

import numpy as np

from fairordinal._costs import cost_matrix
from fairordinal._table import ScoreTable, read_table
from fairordinal._validation import Array
from fairordinal.criteria import as_criterion, pair_tables
from fairordinal.experiments._cells import DataclassCell, Row
from fairordinal.experiments.figures.panels import SHORT
from fairordinal.experiments.methods import DP, EO
from fairordinal.thresholds import optimize_thresholds

LABELS = (1, 2, 3, 4)
EXACT = 1e-9  # numbers that differ by less are equal


# Examples


class Example(NamedTuple):
    """Features p1 and p2 of some rows, their true labels and groups."""

    p1: Array
    p2: Array
    y: Array
    groups: Array

    def table(self, feature: str) -> ScoreTable:
        """Count the rows by cell and score, which is one of the features."""
        scores = getattr(self, feature)
        return read_table(self.y, scores, self.groups, labels=LABELS, as_scores=True)

    def flips(self, feature: str) -> int:
        """Count the pairs whose scores are in the opposite order of their labels."""
        scores = getattr(self, feature)
        return int(((self.y[:, None] > self.y) & (scores[:, None] < scores)).sum())


def first_claim(criterion: str, m: int) -> Example:
    """Return an example whose unfair score has fewer flips, but no fair thresholds of low cost."""
    return parity_example(m) if criterion == DP else opportunity_example(m)


def parity_example(m: int) -> Example:
    """Return the example for demographic parity, with 2m + 1 rows."""
    i = np.arange(1, 2 * m + 2)
    p2 = np.where(i == 1, 3, np.where(i <= m + 1, 2, 4))
    y = np.where(i == 1, 1, np.where(i <= m + 1, 2, 4))
    return Example(i, p2, y, np.where(i == 1, 0, 1))


def opportunity_example(m: int) -> Example:
    """Return the example for equal opportunity: 2m + 5 rows, the first and third in group 0."""
    n = 2 * m + 5
    i = np.arange(1, n + 1)
    p2, y, groups = i.copy(), np.where(i <= m + 5, 3, 4), np.ones(n, dtype=int)
    p2[1:5] = 3, 2, 4, n + 1
    y[:5] = 1, 1, 2, 2, 4
    groups[[0, 2]] = 0
    return Example(i, p2, y, groups)


def second_claim(criterion: str) -> Example:
    """Return the example of six rows whose score p1 is fair."""
    y, groups = {
        DP: ([1, 1, 1, 1, 2, 2], [0, 0, 1, 1, 0, 0]),
        EO: ([1, 2, 1, 1, 2, 2], [0, 1, 1, 1, 0, 0]),
    }[criterion]
    return Example(np.arange(1, 7), np.array(groups), np.array(y), np.array(groups))


# All thresholds


class ThresholdTable(NamedTuple):
    """Cost and violation of all thresholds of a score, one entry for each predictor."""

    cost: Array
    violation: Array


def try_all_thresholds(table: ScoreTable, criterion: str) -> ThresholdTable:
    """Return cost and violation of all thresholds of a score."""
    below = counts_below(table.counts.toarray())
    cuts = all_cuts(len(table.axis), len(LABELS))
    contrast = contrast_of(criterion, table)
    cost = np.tile(cost_matrix("absolute", table.labels), (len(table.groups), 1))
    return ThresholdTable(
        mean_costs(below, cost, cuts),
        np.abs(disparities(below, contrast, cuts)).round(12),
    )


def all_cuts(n_positions: int, n_labels: int) -> Array:
    """Return all ``b_1 ≤ … ≤ b_k = n``, one row for each predictor."""
    cuts = combinations_with_replacement(range(n_positions + 1), n_labels - 1)
    return np.array([(*cut, n_positions) for cut in cuts], dtype=np.intp)


def contrast_of(criterion: str, table: ScoreTable) -> Array:
    """Return Q of a pairwise criterion between two groups, (n_cells, n_cells)."""
    checked: Any = as_criterion(criterion)
    (contrast,) = pair_tables(checked.contrasts(table)).toarray()
    return contrast.reshape(table.totals.size, -1)


def counts_below(counts: Array) -> Array:
    """Return c(b) for b = 0 … n, (…, n + 1, n_cells), of counts (…, n_cells, n)."""
    through = np.cumsum(counts, axis=-1, dtype=np.float64)
    padded = np.concatenate([np.zeros((*through.shape[:-1], 1)), through], axis=-1)
    return np.swapaxes(padded, -1, -2)


def disparities(below: Array, contrast: Array, cuts: Array) -> Array:
    """Return the disparity of each predictor, (…, n_predictors), given c(b) and Q."""
    products = below @ contrast.T @ np.swapaxes(below, -1, -2)  # c(b')ᵀ Q c(b) at [..., b, b']
    lower, upper = cuts[:, :-1], cuts[:, 1:]
    gained = products[..., lower, upper] - products[..., lower, lower]
    return gained.sum(axis=-1)


def score_disparity(below: Array, contrast: Array) -> Array:
    """Return the disparity of the scores themselves: that of a cut at every position."""
    everywhere = np.arange(below.shape[-2])[None]
    return disparities(below, contrast, everywhere)[..., 0]


def mean_costs(below: Array, cost: Array, cuts: Array) -> Array:
    """Return the mean cost of each predictor, given the cost matrix with a row for each cell."""
    edges = np.pad(cuts, ((0, 0), (1, 0)))
    predicted = np.diff(below[edges], axis=1)  # (n_predictors, n_labels, n_cells)
    return np.einsum("nlu,ul->n", predicted, cost) / below[-1].sum()


# Cells


@dataclass(frozen=True)
class FirstClaim(DataclassCell):
    """Lemma 1, first claim: fair thresholds for an unfair score can be arbitrarily costly."""

    criterion: str
    m: int

    @property
    def title(self) -> str:
        return f"claim 1 {SHORT[self.criterion]} m={self.m}"

    def rows(self) -> list[Row]:
        return [self._row(feature) for feature in ("p1", "p2")]

    def _row(self, feature: str) -> Row:
        example = first_claim(self.criterion, self.m)
        table = example.table(feature)
        tried = try_all_thresholds(table, self.criterion)
        solved = fair_thresholds(example, feature, self.criterion)
        return {
            "claim": 1,
            "criterion": self.criterion,
            "m": self.m,
            "n": len(example.y),
            "feature": feature,
            "flips": example.flips(feature),
            "violation": as_criterion(self.criterion).violation(table),
            "cost": float(tried.cost[tried.violation == 0].min()),
            "solved_cost": solved.cost,
            "solved_violation": solved.violation,
        }


def fair_thresholds(example: Example, feature: str, criterion: str) -> Any:
    """Return the solver's thresholds of least cost with violation 0."""
    return optimize_thresholds(
        getattr(example, feature).astype(float),
        example.y,
        sensitive_features=example.groups,
        criterion=criterion,
        max_violation=0.0,
        labels=LABELS,
        method="exact",
    )


@dataclass(frozen=True)
class SecondClaim(DataclassCell):
    """Lemma 1, second claim: thresholds of least cost for a fair score need not be fair."""

    criterion: str

    @property
    def title(self) -> str:
        return f"claim 2 {SHORT[self.criterion]}"

    def rows(self) -> list[Row]:
        example = second_claim(self.criterion)
        tried = try_all_thresholds(example.table("p1"), self.criterion)
        cheapest = tried.cost <= tried.cost.min() + EXACT
        of_features = {
            f"violation_{feature}": as_criterion(self.criterion).violation(example.table(feature))
            for feature in ("p1", "p2")
        }
        found = {
            "claim": 2,
            "criterion": self.criterion,
            "cost": float(tried.cost.min()),
            "violation": float(tried.violation[cheapest].max()),
            "fair_violation": fair_thresholds(example, "p1", self.criterion).violation,
        }
        return [found | of_features]


@dataclass(frozen=True)
class Bound(DataclassCell):
    """Lemma 2: random scores and thresholds, and examples that reach the bound."""

    n_draws: int
    seed: int = 0

    @property
    def title(self) -> str:
        return f"lemma 2 {self.n_draws} draws"

    def rows(self) -> list[Row]:
        generator = np.random.default_rng(self.seed)
        drawn = [bound_row(*random_rows(generator)) for _ in range(self.n_draws)]
        made = [bound_row(*extreme_rows(above)) for above in range(10, 21)]
        return [row | {"extreme": False} for row in drawn] + [
            row | {"extreme": True} for row in made
        ]


def random_rows(generator: np.random.Generator) -> tuple[Array, Array, Array]:
    """Draw scores of two groups, their groups, and thresholds for two to five labels."""
    groups = np.arange(generator.integers(4, 40)) % generator.integers(2, 5) == 0
    scores = generator.normal(size=len(groups)) * generator.choice([0.1, 1.0, 3.0], 2)[groups * 1]
    scores = (scores + generator.uniform(0, 3) * groups).round(1)  # with ties
    cuts = np.sort(generator.choice(scores, generator.integers(1, 5)))
    return scores, groups, cuts


def extreme_rows(n_above: int) -> tuple[Array, Array, Array]:
    """Return one row of a group, and 20 of the other, `n_above` of which have a higher score.

    The threshold lies above the single row, so that it ties with all rows below.
    """
    scores = np.repeat([1.0, 0.0, 2.0], [1, 20 - n_above, n_above])
    return scores, np.arange(21) == 0, np.array([1.5])


def bound_row(scores: Array, groups: Array, cuts: Array) -> Row:
    """Return the violations of scores and of the predicted labels."""
    labels = [*range(len(cuts) + 1)]
    y = np.resize(labels, len(scores))  # arbitrary: demographic parity ignores true labels
    table = read_table(y, scores, groups.astype(int), labels=labels, as_scores=True)
    of_scores, predicted = (as_criterion(DP).violation(each) for each in (table, table.cut(cuts)))
    return {"claim": 3, "of_scores": of_scores, "violation": predicted}
