"""Appendices A.8 and A.9: the examples that prove lemma 1, and the bound of lemma 2."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from fairordinal.experiments._cell import Cell, Row
from fairordinal.experiments._experiment import Experiment, Finding, Options
from fairordinal.experiments.figures.lemma_examples import (
    DP,
    EO,
    EXACT,
    Bound,
    FirstClaim,
    SecondClaim,
)
from fairordinal.experiments.figures.panel import SHORT, panels

SIZES = (2, 3, 4, 6, 8, 12, 16, 24)  # m
N_DRAWS = 600


def cells(options: Options) -> list[Cell]:
    """The examples; there are no splits."""
    first = [FirstClaim(criterion, m) for criterion in (DP, EO) for m in SIZES]
    return [*first, *(SecondClaim(criterion) for criterion in (DP, EO)), Bound(N_DRAWS)]


# Findings


class Printed(NamedTuple):
    """What the paper says of the first claim: feature, label flips, violation, cost."""

    feature: str
    flips: str
    fair: bool
    cost: str


FIRST_SAYS = {
    DP: (Printed("p1", "0", False, "1"), Printed("p2", "m", True, "2/(2m+1)")),
    EO: (Printed("p1", "m", True, "1/n"), Printed("p2", "1", False, "(6+m)/(2m+5)")),
}
SECOND_SAYS = {DP: (0.0, 0.5), EO: (1 / 6, 1.0)}  # cost, violation


def of_claim(rows: Sequence[Row], claim: int, criterion: str = "") -> list[Row]:
    """Rows of a claim of lemma 1, or of lemma 2 as the third."""
    return [
        row for row in rows if row["claim"] == claim and criterion in ("", row.get("criterion"))
    ]


def findings(rows: Sequence[Row]) -> list[Finding]:
    """Each number of the two proofs."""
    found = []
    for criterion in (DP, EO):
        for printed in FIRST_SAYS[criterion]:
            tried = [
                row for row in of_claim(rows, 1, criterion) if row["feature"] == printed.feature
            ]
            found += about_first(printed, tried, f"lemma 1.1, {SHORT[criterion]}: ")
    found += about_solver(of_claim(rows, 1))
    for criterion in (DP, EO):
        for row in of_claim(rows, 2, criterion):
            found += about_second(row, *SECOND_SAYS[criterion])
    return found + about_bound(of_claim(rows, 3))


FORMULAS: dict[str, Callable[[int, int], float]] = {
    "0": lambda m, n: 0,
    "1": lambda m, n: 1,
    "m": lambda m, n: m,
    "1/n": lambda m, n: 1 / n,
    "2/(2m+1)": lambda m, n: 2 / (2 * m + 1),
    "(6+m)/(2m+5)": lambda m, n: (6 + m) / n,
    "(7+m)/(2m+5)": lambda m, n: (7 + m) / n,
}


def follows(rows: Sequence[Row], column: str, formula: str) -> bool:
    """Whether a column is given by a formula of m and n, for each m."""
    expected = [FORMULAS[formula](row["m"], row["n"]) for row in rows]
    return bool(np.allclose([row[column] for row in rows], expected, rtol=0, atol=EXACT))


def formula_of(rows: Sequence[Row], column: str, printed: str) -> str:
    """The formula that a column follows, first the one that is printed."""
    known = (name for name in (printed, *FORMULAS) if follows(rows, column, name))
    return next(known, "no known formula")


def about_first(printed: Printed, rows: Sequence[Row], where: str) -> list[Finding]:
    """Label flips, fairness and least cost under fair thresholds of one score."""
    if not rows:
        return []
    flips, cost = (formula_of(rows, name, getattr(printed, name)) for name in ("flips", "cost"))
    worst = max(row["violation"] for row in rows)
    tried = ", ".join(str(row["m"]) for row in rows)
    where += f"{printed.feature}, "
    return [
        Finding(where + "label flips", printed.flips, flips, flips == printed.flips),
        Finding(
            where + "fair",
            "yes" if printed.fair else "no",
            f"violation {worst:g}",
            (worst == 0) == printed.fair,
        ),
        Finding(
            where + f"MAE of the best fair thresholds, m = {tried}",
            printed.cost,
            f"{cost}{misprint(printed.cost, cost)}",
            cost == printed.cost,
        ),
    ]


def about_solver(rows: Sequence[Row]) -> list[Finding]:
    """Whether `optimize_thresholds` finds what is best among all."""
    same = [abs(row["cost"] - row["solved_cost"]) < EXACT for row in rows]
    claim = "lemma 1.1: the solver finds the best of all fair thresholds"
    return [Finding(claim, "–", f"in {sum(same)} of {len(same)} cases")] if rows else []


def misprint(printed: str, found: str) -> str:
    """Why the sum of the costs is not the printed one."""
    if (printed, found) != ("(6+m)/(2m+5)", "(7+m)/(2m+5)"):
        return ""
    return " (constant 3: 2+2 for label 1, 1+1 for label 2, 1+m for label 4; a misprint)"


def about_second(row: Row, cost: float, violation: float) -> list[Finding]:
    """Thresholds of least cost, and fair ones."""
    where = f"lemma 1.2, {SHORT[row['criterion']]}: "
    features = row["violation_p1"], row["violation_p2"]
    return [
        Finding(
            where + "violation of p1, p2",
            "0, more",
            "{:g}, {:g}".format(*features),
            features[0] == 0 < features[1],
        ),
        Finding(
            where + "thresholds of least MAE: MAE, violation",
            f"{cost:.3g}, {violation:g}",
            f"{row['cost']:.3g}, {row['violation']:g}",
            bool(np.allclose([row["cost"], row["violation"]], [cost, violation], atol=EXACT)),
        ),
        Finding(
            where + "violation of fair thresholds",
            "0",
            f"{row['fair_violation']:g}",
            row["fair_violation"] == 0,
        ),
    ]


def about_bound(rows: Sequence[Row]) -> list[Finding]:
    """Slack of the bound of lemma 2, in random rows and in made ones."""
    slack = {
        extreme: [
            0.5 + row["of_scores"] / 2 - row["violation"]
            for row in rows
            if row["extreme"] == extreme
        ]
        for extreme in (False, True)
    }
    if not rows:
        return []
    least, most = min(slack[False] + slack[True]), max(slack[True])
    return [
        Finding(
            "lemma 2: DP violation of thresholds ≤ 1/2 + that of the scores / 2",
            "always",
            f"in all of {len(rows)} cases" if least >= -EXACT else f"exceeded by {-least:.2g}",
            least >= -EXACT,
        ),
        Finding(
            "lemma 2: the bound is reached, whatever the violation of the scores",
            "for 0",
            f"to {most:.0e} for {len(slack[True])} values from 0 to 1",
            most <= EXACT,
        ),
    ]


# Pictures


def picture(rows: Sequence[Row]) -> Any:
    """Costs of the first claim against m, and the bound of lemma 2."""
    figure, axes = panels(1, 3)
    for criterion, ax in zip((DP, EO), axes.flat, strict=False):
        draw_costs(ax, of_claim(rows, 1, criterion), criterion)
    draw_bound(axes[0, 2], of_claim(rows, 3))
    return figure


def draw_costs(ax: Any, rows: Sequence[Row], criterion: str) -> None:
    """MAE of the best fair thresholds of both scores."""
    for printed in FIRST_SAYS[criterion]:
        chosen = [row for row in rows if row["feature"] == printed.feature]
        kind = "fair" if printed.fair else "unfair, fewer flips"
        line = {True: "oC0-", False: "sC1-"}[printed.fair]
        x, y = ([row[name] for row in chosen] for name in ("m", "cost"))
        ax.plot(x, y, line, ms=4, label=f"{printed.feature}: {kind}")
    ax.set_ylim(0, None)
    ax.set_xlabel("m", fontsize=8)
    ax.set_ylabel("MAE of the best fair thresholds", fontsize=8)
    ax.set_title(f"Lemma 1.1, {SHORT[criterion]}", fontsize=9)
    ax.tick_params(labelsize=7)
    ax.legend(fontsize=7)


def draw_bound(ax: Any, rows: Sequence[Row]) -> None:
    """Violations of scores and predictors under the line."""
    looks = {False: ("C0", 8, "random"), True: ("C3", 18, "made to reach it")}
    for extreme, (colour, size, name) in looks.items():
        chosen = [row for row in rows if row["extreme"] == extreme]
        x, y = ([row[axis] for row in chosen] for axis in ("of_scores", "violation"))
        ax.scatter(x, y, s=size, color=colour, alpha=0.6, linewidths=0, label=name)
    ax.plot([0, 1], [0.5, 1], color="black", lw=0.8, label="1/2 + violation / 2")
    ax.set_xlabel("DP violation of the scores", fontsize=8)
    ax.set_ylabel("DP violation of the predictor", fontsize=8)
    ax.set_title("Lemma 2", fontsize=9)
    ax.tick_params(labelsize=7)
    ax.set_ylim(-0.03, 1.3)
    ax.legend(fontsize=7, loc="upper left")


EXPERIMENTS = (
    Experiment(
        "lemmas",
        "Appendices A.8 and A.9: examples of lemmas 1 and 2",
        cells,
        findings,
        {"lemmas": picture},
    ),
)
