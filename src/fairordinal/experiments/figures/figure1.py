"""Figure 1 and the figures of appendices B.3 and B.4: five kinds of predictors on real data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import spearmanr

from fairordinal.experiments._cell import Cell, Method, Row, SplitCell
from fairordinal.experiments._experiment import Experiment, Finding, Options
from fairordinal.experiments._means import Mean, means, pick, saved
from fairordinal.experiments._split import CRIME, CRIME_THREE, DRUGS
from fairordinal.experiments.figures.panel import (
    LOOKS,
    NAMES,
    SHORT,
    draw_kind,
    draw_levels,
    name_axes,
    panels,
    share_legend,
)
from fairordinal.experiments.methods import Constant, Limits, Odds, Recipe

TRADE_OFFS = (0.0, 0.1, 0.2, 0.3, 0.33, 0.36, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
FINER = (0.11, 0.12, 0.13, 0.15, 0.18)
LIMITS = (0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7)
N_SPLITS = 20
DP, EO = "demographic_parity", "equal_opportunity"
TITLES = {DRUGS: "drug consumption", CRIME: "communities and crime"}
TITLES[CRIME_THREE] = "communities and crime, 3 groups"
POM_SAYS = {(DRUGS, DP): 0.29, (DRUGS, EO): 0.23, (CRIME, DP): 0.76, (CRIME, EO): 0.58}
HOLE = (0.25, 0.65)  # of the violation: unexplored in the paper's bottom left plot


@dataclass(frozen=True)
class Study:
    """Data sets and criteria under one cost."""

    data: tuple[str, ...]
    cost: str = "absolute"
    more: tuple[float, ...] = ()  # values of µ besides those of figure 1

    @property
    def cases(self) -> list[tuple[str, str]]:
        return [(data, criterion) for data in self.data for criterion in (DP, EO)]

    def cells(self, options: Options) -> list[Cell]:
        splits = range(min(options.splits or N_SPLITS, N_SPLITS))
        methods: list[Method] = [
            method(criterion, values, self.cost)
            for criterion in (DP, EO)
            for method, values in ((Recipe, TRADE_OFFS), (Limits, LIMITS))
        ]
        methods += [Recipe(criterion, self.more, self.cost) for criterion in (DP, EO) if self.more]
        methods += [Odds(TRADE_OFFS, self.cost), Constant(self.cost)]
        return [
            SplitCell(data, split, method)
            for split in splits
            for data in self.data
            for method in methods
        ]

    def picture(self, rows: Sequence[Row]) -> Any:
        found = means(rows)
        figure, axes = panels(len(self.data), 2)
        for (data, criterion), ax in zip(self.cases, axes.flat, strict=True):
            self._draw(ax, found, data, criterion)
        share_legend(figure, axes, columns=3)
        return figure

    def _draw(self, ax: Any, found: Sequence[Mean], data: str, criterion: str) -> None:
        for kind, look in LOOKS.items():
            points = pick(found, data=data, criterion=criterion, kind=kind)
            draw_kind(ax, points, look, NAMES[kind])
        ours = pick(found, data=data, criterion=criterion, kind="ours")
        draw_levels(ax, ours, NAMES["ours"])
        cost = "MAE" if self.cost == "absolute" else f"mean {self.cost} cost"
        name_axes(ax, criterion, TITLES[data], cost)

    def findings(self, rows: Sequence[Row]) -> list[Finding]:
        found = means(rows)
        lists = [case_findings(found, *case, self.cost) for case in self.cases]
        return [finding for findings in lists for finding in findings]


def case_findings(found: Sequence[Mean], data: str, criterion: str, cost: str) -> list[Finding]:
    """Observations (i) to (v) of section 5.1 for one panel."""
    kinds = {
        kind: pick(found, data=data, criterion=criterion, kind=kind)
        for kind in ("ours", "POM", "constant", "mixture", "POM thresholds", "frontier")
    }
    where = f"{TITLES[data]}, {SHORT[criterion]}: "
    checks = [unfair(kinds, data, criterion, cost), *trade_off(kinds), *accurate(kinds, criterion)]
    checks += [*against_coins(kinds), *against_thresholds(kinds, criterion), beyond(kinds)]
    return [finding._replace(claim=where + finding.claim) for finding in checks]


Kinds = dict[str, list[Mean]]


def unfair(kinds: Kinds, data: str, criterion: str, cost: str) -> Finding:
    """(i) POM can be highly unfair."""
    here = kinds["POM"][0].violation
    printed = POM_SAYS.get((data, criterion)) if cost == "absolute" else None
    agrees = None if printed is None else bool(abs(here - printed) < 0.01)
    said = "–" if printed is None else f"{printed:.2f}"
    return Finding("(i) violation of POM", said, f"{here:.3f}", agrees)


def trade_off(kinds: Kinds) -> list[Finding]:
    """(ii) The larger µ, the more fair and the less accurate; is there a hole?"""
    ours = kinds["ours"]
    level = [point.parameter for point in ours]
    fairer = spearmanr(level, [point.violation for point in ours]).statistic
    dearer = spearmanr(level, [point.cost for point in ours]).statistic
    violations = np.sort([point.violation for point in ours])
    widest = int(np.argmax(np.diff(violations)))
    hole = f"from {violations[widest]:.2f} to {violations[widest + 1]:.2f}"
    return [
        Finding(
            "(ii) rank correlation of µ with violation, cost",
            "falls, rises",
            f"{fairer:.2f}, {dearer:.2f}",
            bool(fairer < -0.5 and dearer > 0.5),
        ),
        Finding("(ii) widest step of the violation between values of µ", "–", hole),
    ]


def accurate(kinds: Kinds, criterion: str) -> list[Finding]:
    """(iii) Small µ is no dearer than POM; with EO, neither is a large one by much."""
    pom, ours = kinds["POM"][0], kinds["ours"]
    least = min(point.cost for point in ours if point.parameter <= 0.1)
    found = [
        Finding(
            "(iii) cost for µ ≤ 0.1, and of POM",
            "smaller",
            f"{least:.3f}, {pom.cost:.3f}",
            bool(least < pom.cost),
        )
    ]
    if criterion == EO:
        large = [point for point in ours if point.parameter >= 0.5]
        cost = np.mean([point.cost for point in large])
        violation = np.mean([point.violation for point in large])
        found.append(
            Finding(
                "(iii) µ ≥ 0.5 against POM: cost, violation",
                "comparable, smaller",
                f"{cost:.3f} against {pom.cost:.3f}, {violation:.3f} against {pom.violation:.3f}",
                bool(cost < 1.25 * pom.cost and violation < pom.violation / 2),
            )
        )
    return found


def against_coins(kinds: Kinds) -> list[Finding]:
    """(iv) The method outperforms randomised predictors."""
    curve = [*kinds["POM"], *kinds["mixture"], *kinds["constant"]]
    gains = saved(kinds["ours"], curve)
    better = np.mean([gain > 0 for gain in gains]) if gains else np.nan
    return [
        Finding(
            "(iv) cheaper than coins of the same violation",
            "clearly",
            f"{better:.0%} of µ, by {np.mean(gains):.3f} on average" if gains else "–",
            bool(better >= 0.9) if gains else None,
        )
    ]


def against_thresholds(kinds: Kinds, criterion: str) -> list[Finding]:
    """(v) Fair thresholds alone are dearer, in particular for EO."""
    curve = kinds["POM thresholds"]
    pom, least = kinds["POM"][0].cost, min(point.cost for point in curve)
    gains = saved([point for point in kinds["ours"] if point.parameter >= 0.3], curve)
    return [
        Finding(
            "(v) thresholds of least cost improve POM",
            "yes",
            f"{least:.3f} against {pom:.3f}",
            bool(least < pom),
        ),
        Finding(
            "(v) both steps save, µ ≥ 0.3, against thresholds of the same violation",
            "much" if criterion == EO else "–",
            f"{np.mean(gains):.3f}" if gains else "thresholds do not reach it",
            bool(np.mean(gains) > 0) if gains else None,
        ),
    ]


def beyond(kinds: Kinds) -> Finding:
    """What the frontier of this library saves at the same violation."""
    gains = saved(kinds["frontier"], kinds["ours"])
    here = f"{np.mean(gains):.3f} on average" if gains else "–"
    return Finding("the frontier saves, against µ = λ' at the same violation", "–", here)


def experiment(name: str, title: str, study: Study) -> Experiment:
    """A study with one picture."""
    return Experiment(name, title, study.cells, study.findings, {name: study.picture})


EXPERIMENTS = (
    experiment("figure1", "Figure 1: real data, section 5.1", Study((DRUGS, CRIME))),
    experiment(
        "figure1-finer",
        "Appendix B.3, left and centre: more values of µ",
        Study((CRIME,), more=FINER),
    ),
    experiment("three-groups", "Appendix B.3, right: three groups", Study((CRIME_THREE,))),
    experiment(
        "asymmetric-cost",
        "Appendix B.4: an asymmetric cost",
        Study((DRUGS,), cost="asymmetric"),
    ),
)
