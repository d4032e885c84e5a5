"""Findings of appendices A.8 and A.9: the examples of lemma 1, and the bound of lemma 2."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from fairordinal.experiments._cells import ExperimentCell, Row
from fairordinal.experiments._experiment import NOT_STATED, ClaimCheck, Experiment, Options
from fairordinal.experiments.figures.lemma_examples import EXACT, Bound, FirstClaim, SecondClaim
from fairordinal.experiments.figures.panels import SHORT, label_axes, panels
from fairordinal.experiments.methods import DP, EO

SIZES = (2, 3, 4, 6, 8, 12, 16, 24)  # m
N_DRAWS = 600


def cells(options: Options) -> list[ExperimentCell]:
    """Return the examples; the options have no effect."""
    first = [FirstClaim(criterion, m) for criterion in (DP, EO) for m in SIZES]
    return [*first, *(SecondClaim(criterion) for criterion in (DP, EO)), Bound(N_DRAWS)]


# Findings


class Printed(NamedTuple):
    """What the paper states about a score of the first claim of lemma 1."""

    feature: str
    flips: str  # formula, a key of FORMULAS
    fair: bool
    cost: str  # formula, a key of FORMULAS


FIRST_PRINTED = {
    DP: (Printed("p1", "0", False, "1"), Printed("p2", "m", True, "2/(2m+1)")),
    EO: (Printed("p1", "m", True, "1/n"), Printed("p2", "1", False, "(6+m)/(2m+5)")),
}
SECOND_PRINTED = {DP: (0.0, 0.5), EO: (1 / 6, 1.0)}  # cost, violation


def of_claim(rows: Sequence[Row], claim: int, criterion: str = "") -> list[Row]:
    """Return the rows of a claim: 1 and 2 are those of lemma 1, and 3 is lemma 2."""
    return [
        row for row in rows if row["claim"] == claim and criterion in ("", row.get("criterion"))
    ]


def findings(rows: Sequence[Row]) -> list[ClaimCheck]:
    """Compare each number of the two proofs."""
    found = []
    for criterion in (DP, EO):
        for printed in FIRST_PRINTED[criterion]:
            tried = [
                row for row in of_claim(rows, 1, criterion) if row["feature"] == printed.feature
            ]
            found += first_findings(printed, tried, f"lemma 1.1, {SHORT[criterion]}: ")
    found += solver_findings(of_claim(rows, 1))
    for criterion in (DP, EO):
        for row in of_claim(rows, 2, criterion):
            found += second_findings(row, *SECOND_PRINTED[criterion])
    return found + bound_findings(of_claim(rows, 3))


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
    """Check that a column is given by a formula of m and n, for each m."""
    expected = [FORMULAS[formula](row["m"], row["n"]) for row in rows]
    return bool(np.allclose([row[column] for row in rows], expected, rtol=0, atol=EXACT))


def formula_of(rows: Sequence[Row], column: str, printed: str) -> str:
    """Return the formula that a column follows; the printed one is tried first."""
    known = (name for name in (printed, *FORMULAS) if follows(rows, column, name))
    return next(known, "no known formula")


def first_findings(printed: Printed, rows: Sequence[Row], where: str) -> list[ClaimCheck]:
    """Check label flips, fairness, and the cost of the best fair thresholds of one score."""
    if not rows:
        return []
    flips, cost = (formula_of(rows, name, getattr(printed, name)) for name in ("flips", "cost"))
    worst = max(row["violation"] for row in rows)
    tried = ", ".join(str(row["m"]) for row in rows)
    where += f"{printed.feature}, "
    return [
        ClaimCheck(where + "label flips", printed.flips, flips, flips == printed.flips),
        ClaimCheck(
            where + "fair",
            "yes" if printed.fair else "no",
            f"violation {worst:g}",
            (worst == 0) == printed.fair,
        ),
        ClaimCheck(
            where + f"MAE of the best fair thresholds, m = {tried}",
            printed.cost,
            f"{cost}{misprint(printed.cost, cost)}",
            cost == printed.cost,
        ),
    ]


def solver_findings(rows: Sequence[Row]) -> list[ClaimCheck]:
    """Count the cases in which `optimize_thresholds` finds the best of all thresholds."""
    same = [abs(row["cost"] - row["solved_cost"]) < EXACT for row in rows]
    claim = "lemma 1.1: the solver finds the best of all fair thresholds"
    return [ClaimCheck(claim, NOT_STATED, f"in {sum(same)} of {len(same)} cases")] if rows else []


def misprint(printed: str, found: str) -> str:
    """Explain the difference from the printed formula, if it is the known misprint."""
    if (printed, found) != ("(6+m)/(2m+5)", "(7+m)/(2m+5)"):
        return ""
    return " (constant 3: 2+2 for label 1, 1+1 for label 2, 1+m for label 4; a misprint)"


def second_findings(row: Row, cost: float, violation: float) -> list[ClaimCheck]:
    """Check the thresholds of least cost, and the fair thresholds."""
    where = f"lemma 1.2, {SHORT[row['criterion']]}: "
    features = row["violation_p1"], row["violation_p2"]
    return [
        ClaimCheck(
            where + "violation of p1, p2",
            "0, above 0",
            "{:g}, {:g}".format(*features),
            features[0] == 0 < features[1],
        ),
        ClaimCheck(
            where + "thresholds of least MAE: MAE, violation",
            f"{cost:.3g}, {violation:g}",
            f"{row['cost']:.3g}, {row['violation']:g}",
            bool(np.allclose([row["cost"], row["violation"]], [cost, violation], atol=EXACT)),
        ),
        ClaimCheck(
            where + "violation of fair thresholds",
            "0",
            f"{row['fair_violation']:g}",
            row["fair_violation"] == 0,
        ),
    ]


def bound_findings(rows: Sequence[Row]) -> list[ClaimCheck]:
    """Check the slack of the bound of lemma 2, for random rows and for the extreme examples."""
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
        ClaimCheck(
            "lemma 2: DP violation of thresholds ≤ 1/2 + that of the scores / 2",
            "always",
            f"in all of {len(rows)} cases" if least >= -EXACT else f"exceeded by {-least:.2g}",
            least >= -EXACT,
        ),
        ClaimCheck(
            "lemma 2: the bound is reached for any violation of the scores",
            "for 0",
            f"to {most:.0e} for {len(slack[True])} values from 0 to 1",
            most <= EXACT,
        ),
    ]


# Pictures


def picture(rows: Sequence[Row]) -> Any:
    """Draw the costs of the first claim against m, and the bound of lemma 2."""
    figure, axes = panels(1, 3)
    for criterion, ax in zip((DP, EO), axes.flat, strict=False):
        draw_costs(ax, of_claim(rows, 1, criterion), criterion)
    draw_bound(axes[0, 2], of_claim(rows, 3))
    return figure


def draw_costs(ax: Any, rows: Sequence[Row], criterion: str) -> None:
    """Draw the MAE of the best fair thresholds of both scores."""
    for printed in FIRST_PRINTED[criterion]:
        chosen = [row for row in rows if row["feature"] == printed.feature]
        kind = "fair" if printed.fair else "unfair, fewer flips"
        line = {True: "oC0-", False: "sC1-"}[printed.fair]
        x, y = ([row[name] for row in chosen] for name in ("m", "cost"))
        ax.plot(x, y, line, ms=4, label=f"{printed.feature}: {kind}")
    ax.set_ylim(0, None)
    label_axes(ax, "m", "MAE of the best fair thresholds", f"Lemma 1.1, {SHORT[criterion]}")
    ax.legend(fontsize=7)


def draw_bound(ax: Any, rows: Sequence[Row]) -> None:
    """Draw the violations of scores and predictors, and the bound."""
    marks = {False: ("C0", 8, "random"), True: ("C3", 18, "extreme examples")}
    for extreme, (colour, size, name) in marks.items():
        chosen = [row for row in rows if row["extreme"] == extreme]
        x, y = ([row[axis] for row in chosen] for axis in ("of_scores", "violation"))
        ax.scatter(x, y, s=size, color=colour, alpha=0.6, linewidths=0, label=name)
    ax.plot([0, 1], [0.5, 1], color="black", lw=0.8, label="1/2 + violation / 2")
    label_axes(ax, "DP violation of the scores", "DP violation of the predictor", "Lemma 2")
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
