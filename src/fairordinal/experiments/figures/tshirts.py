"""Appendix A.3: two vendors of T-shirts, for which equalized odds holds and pairwise EO does not.

Vendor A has 1, n and 2 T-shirts of one, two and three stars; vendor B has 1, 1 and 2n. Predictions
are correct, except that half of the three-star T-shirts of each vendor are predicted two stars.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fairordinal import metrics
from fairordinal.experiments._cells import DataclassCell, ExperimentCell, Row
from fairordinal.experiments._experiment import ClaimCheck, Experiment, Options
from fairordinal.experiments.figures.panels import label_axes, panels

NUMBERS = tuple(int(n) for n in np.unique(np.geomspace(1, 10**4, 41).round()))
EXACT = 1e-12


@dataclass(frozen=True)
class TShirts(DataclassCell):
    """Violations of several criteria, for some values of n."""

    numbers: tuple[int, ...]

    @property
    def title(self) -> str:
        return f"T-shirts up to {max(self.numbers)}"

    def rows(self) -> list[Row]:
        return [self.row(n) for n in self.numbers]

    def row(self, n: int) -> Row:
        """Return the computed values, and those of the closed forms that the paper prints."""
        vendor, stars, predicted, number = shirts(n)
        options: dict[str, Any] = {"sensitive_features": vendor, "sample_weight": number}
        matrix = metrics.pairwise_equal_opportunity_matrix(stars, predicted, **options)
        return {
            "n": n,
            "a_above_b": float(matrix.probability[0, 1]),
            "a_above_b_printed": (n + 3) / (n + 4),
            "b_above_a": float(matrix.probability[1, 0]),
            "b_above_a_printed": (1 + 2 * n + n**2) / (1 + 2 * n + 2 * n**2),
            "violation": abs(float(matrix.disparity[0, 1])),
        } | {name: float(metric(stars, predicted, **options)) for name, metric in OTHERS.items()}


OTHERS = {
    "standard_equalized_odds": metrics.standard_equalized_odds_difference,
    "standard_demographic_parity": metrics.standard_demographic_parity_difference,
    "pairwise_demographic_parity": metrics.pairwise_demographic_parity_difference,
}


def shirts(n: int) -> tuple[list[str], list[int], list[int], list[int]]:
    """Return vendor, true stars, predicted stars and number of each kind of T-shirts."""
    kinds = [
        ("A", 1, 1, 1), ("A", 2, 2, n), ("A", 3, 3, 1), ("A", 3, 2, 1),
        ("B", 1, 1, 1), ("B", 2, 2, 1), ("B", 3, 3, n), ("B", 3, 2, n),
    ]  # fmt: skip
    vendor, stars, predicted, number = map(list, zip(*kinds, strict=True))
    return vendor, stars, predicted, number


def cells(options: Options) -> list[ExperimentCell]:
    """Return the only cell; the options have no effect."""
    return [TShirts(NUMBERS)]


def findings(rows: Sequence[Row]) -> list[ClaimCheck]:
    """Check the closed forms, their limit, and the other criteria."""
    if not rows:
        return []
    forms = [
        closed_form(rows, "a_above_b", "P[A above B | A truly above B] = (n+3)/(n+4)"),
        closed_form(rows, "b_above_a", "P[B above A | B truly above A] = (1+2n+n²)/(1+2n+2n²)"),
    ]
    last = max(rows, key=lambda row: row["n"])
    limit = ClaimCheck(
        "violation of pairwise EO as n → ∞",
        "→ 1/2",
        f"{last['violation']:.4f} at n = {last['n']}",
        abs(last["violation"] - 0.5) < 1e-3,
    )
    return [*forms, limit, satisfied(rows), *(violated(rows, name) for name in [*OTHERS][1:])]


def closed_form(rows: Sequence[Row], name: str, claim: str) -> ClaimCheck:
    """Check that computed values follow the printed formula."""
    error = max(abs(row[name] - row[f"{name}_printed"]) for row in rows)
    here = f"equal to {error:.0e} for {len(rows)} values of n, 1 to {rows[-1]['n']}"
    return ClaimCheck(claim, "yes", here, error <= EXACT)


def satisfied(rows: Sequence[Row]) -> ClaimCheck:
    """Check that standard equalized odds holds."""
    most = max(row["standard_equalized_odds"] for row in rows)
    return ClaimCheck(
        "standard equalized odds (and EO) is satisfied", "yes", f"≤ {most:g}", most == 0
    )


def violated(rows: Sequence[Row], name: str) -> ClaimCheck:
    """Check that demographic parity is violated for n > 1; with n = 1 both vendors are equal."""
    least = min(row[name] for row in rows if row["n"] > 1)
    claim = f"{name.replace('_', ' ')} is not satisfied, n > 1"
    return ClaimCheck(claim, "yes", f"violation of {least:.3f} or more", least > 0)


def picture(rows: Sequence[Row]) -> Any:
    """Draw violations against n."""
    figure, axes = panels(1, 1, width=5.0, height=3.4)
    ax, n = axes[0, 0], [row["n"] for row in rows]
    ax.axhline(0.5, color="0.6", lw=0.8, ls="--", label="limit of pairwise EO, 1/2")
    ax.plot(n, [row["violation"] for row in rows], ".-", label="pairwise EO")
    odds = [row["standard_equalized_odds"] for row in rows]
    ax.plot(n, odds, "s-", ms=3, label="standard equalized odds")
    ax.set_xscale("log")
    label_axes(ax, "n, T-shirts", "violation", "Two vendors of T-shirts")
    ax.legend(fontsize=8, loc="center right")
    return figure


EXPERIMENTS = (
    Experiment(
        "tshirts",
        "Appendix A.3: T-shirts of two vendors",
        cells,
        findings,
        {"tshirts": picture},
    ),
)
