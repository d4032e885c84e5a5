"""Figure 1 and the figures of appendices B.3 and B.4: five kinds of predictors on real data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from fairordinal.experiments._cells import (
    CRIME,
    CRIME_THREE,
    DRUGS,
    ExperimentCell,
    Method,
    Row,
    SplitCell,
    n_splits,
)
from fairordinal.experiments._experiment import ClaimCheck, Experiment, Options
from fairordinal.experiments.figures.figure1_claims import TITLES, panel_findings
from fairordinal.experiments.figures.panels import (
    MARKS,
    NAMES,
    SHORT,
    Means,
    draw_levels,
    draw_points,
    label_axes,
    means,
    panels,
    pick,
    share_legend,
)
from fairordinal.experiments.methods import DP, EO, Constant, Limits, Odds, Recipe

TRADE_OFFS = (0.0, 0.1, 0.2, 0.3, 0.33, 0.36, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
FINER = (0.11, 0.12, 0.13, 0.15, 0.18)
LIMITS = (0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7)


@dataclass(frozen=True)
class Study:
    """Data sets and criteria with one cost."""

    data: tuple[str, ...]
    cost: str = "absolute"
    more: tuple[float, ...] = ()  # values of µ in addition to those of figure 1

    @property
    def cases(self) -> list[tuple[str, str]]:
        """Data set and criterion of each panel."""
        return [(data, criterion) for data in self.data for criterion in (DP, EO)]

    def cells(self, options: Options) -> list[ExperimentCell]:
        """Return the cells, split by split."""
        most = min(n_splits(data) for data in self.data)  # fails at once if the data is missing
        methods: list[Method] = [
            method(criterion, values, self.cost)
            for criterion in (DP, EO)
            for method, values in ((Recipe, TRADE_OFFS), (Limits, LIMITS))
        ]
        methods += [Recipe(criterion, self.more, self.cost) for criterion in (DP, EO) if self.more]
        methods += [Odds(TRADE_OFFS, self.cost), Constant(self.cost)]
        return [
            SplitCell(data, split, method)
            for split in range(min(options.splits or most, most))
            for data in self.data
            for method in methods
        ]

    def picture(self, rows: Sequence[Row]) -> Any:
        """Draw a panel for each data set and criterion."""
        found = means(rows)
        figure, axes = panels(len(self.data), 2)
        for (data, criterion), ax in zip(self.cases, axes.flat, strict=True):
            self._draw(ax, found, data, criterion)
        share_legend(figure, axes, columns=3)
        return figure

    def _draw(self, ax: Any, found: Means, data: str, criterion: str) -> None:
        for kind, marks in MARKS.items():
            points = pick(found, data=data, criterion=criterion, kind=kind)
            draw_points(ax, points, marks, NAMES[kind])
        ours = pick(found, data=data, criterion=criterion, kind="ours")
        draw_levels(ax, ours, NAMES["ours"])
        cost = "MAE" if self.cost == "absolute" else f"mean {self.cost} cost"
        label_axes(ax, f"{SHORT[criterion]} violation", cost, TITLES[data])

    def findings(self, rows: Sequence[Row]) -> list[ClaimCheck]:
        """Compare each panel with the paper's observations."""
        found = means(rows)
        return [
            finding
            for case in self.cases
            for finding in panel_findings(found, *case, self.cost, finer=bool(self.more))
        ]


def experiment(name: str, title: str, study: Study) -> Experiment:
    """Return an experiment with one picture."""
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
