"""Figure 2 and those of appendix B.5: 33 benchmark sets, the method against those of ORCA."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from fairordinal.baselines import orca_methods
from fairordinal.datasets import orca_names
from fairordinal.experiments._cell import Cell, Method, Row, SplitCell
from fairordinal.experiments._experiment import Experiment, Finding, Options
from fairordinal.experiments._means import Mean, means, pick, saved
from fairordinal.experiments._split import n_splits
from fairordinal.experiments.figures.panel import (
    LOOKS,
    NAMES,
    SHORT,
    draw_kind,
    draw_levels,
    draw_spread,
    name_axes,
    panels,
    share_legend,
)
from fairordinal.experiments.methods import Constant, Orca, Recipe

TRADE_OFFS = tuple(round(0.1 * i, 1) for i in range(10))
DP, EO = "demographic_parity", "equal_opportunity"
SHOWN = (("automobile", DP), ("balance-scale", DP), ("ERA", EO), ("ESL", EO))
SHAPES = "os^v<>DPXhdp8HsDo"  # of the 17 methods, with colours that differ
ABLATION = "YlOrBr"


def cells(options: Options) -> list[Cell]:
    """The cheap methods before those of ORCA, each of all sets before the next split."""
    names = options.methods or tuple(orca_methods())
    steps: list[list[Method]] = [
        [*(Recipe(criterion, TRADE_OFFS) for criterion in (DP, EO)), Constant()],
        [Orca(name, quick=options.quick) for name in names],
    ]
    most = {data: min(options.splits or n_splits(data), n_splits(data)) for data in orca_names()}
    return [
        SplitCell(data, split, method)
        for methods in steps
        for split in range(max(most.values()))
        for data in orca_names()
        if split < most[data]
        for method in methods
    ]


# Pictures


def collection(name: str) -> str:
    """Real ordinal data, or regression data cut into 5 or 10 classes."""
    return {"-5": "five", "10": "ten"}.get(name[-2:], "real")


def best_method(found: Sequence[Mean], data: str, criterion: str) -> Mean | None:
    """The method of ORCA with the least cost on a data set."""
    tried = [
        point
        for method in orca_methods()
        for point in pick(found, data=data, criterion=criterion, kind=method)
    ]
    return min(tried, key=lambda point: point.cost, default=None)


def coins(found: Sequence[Mean], data: str, criterion: str) -> list[Mean]:
    """The best method of ORCA, mixed with the best constant."""
    best = best_method(found, data, criterion)
    kind = f"{best.kind} mixture" if best else ""
    ends = [best] if best else []
    between = pick(found, data=data, criterion=criterion, kind=kind)
    return [*ends, *between, *pick(found, data=data, criterion=criterion, kind="constant")]


def looks() -> dict[str, dict[str, Any]]:
    """A mark for each method of ORCA."""
    from matplotlib import colormaps

    palette = colormaps["tab20"]
    return {
        name: {"marker": shape, "color": palette(i), "markersize": 5, "zorder": 3}
        for i, (name, shape) in enumerate(zip(orca_methods(), SHAPES, strict=True))
    }


def draw_comparison(
    ax: Any, found: Sequence[Mean], data: str, criterion: str, *, spread: bool = False
) -> None:
    """A data set: the methods of ORCA, coins, and the paper's method."""
    draw_kind(
        ax, coins(found, data, criterion)[1:-1], LOOKS["mixture"], "best or constant, by a coin"
    )
    constant = pick(found, data=data, criterion=criterion, kind="constant")
    draw_kind(ax, constant, LOOKS["constant"], NAMES["constant"])
    for method, look in looks().items():
        points = pick(found, data=data, criterion=criterion, kind=method)
        if points:
            draw_kind(ax, points, look, method)
            if spread:
                draw_spread(ax, points, look["color"])
    ours = pick(found, data=data, criterion=criterion, kind="ours")
    if spread:
        draw_spread(ax, ours)
    draw_levels(ax, ours, NAMES["ours"])
    name_axes(ax, criterion, data)


def draw_ablation(ax: Any, found: Sequence[Mean], data: str, criterion: str) -> None:
    """The paper's method with and without fair thresholds."""
    ours, alone = (
        pick(found, data=data, criterion=criterion, kind=kind) for kind in ("ours", "ranker only")
    )
    draw_levels(ax, alone, NAMES["ranker only"], marker="x", colours=ABLATION)
    draw_levels(ax, ours, NAMES["ours"])
    name_axes(ax, criterion, data)


def figure2(rows: Sequence[Row]) -> Any:
    """Four data sets; below, what fair thresholds add."""
    found = means(rows)
    figure, axes = panels(2, 4, width=3.0, height=2.7)
    for column, case in enumerate(SHOWN):
        draw_comparison(axes[0, column], found, *case)
        draw_ablation(axes[1, column], found, *case)
    share_legend(figure, axes, columns=8)
    return figure


def appendix(kind: str, criterion: str, spread: bool, rows: Sequence[Row]) -> Any:
    """All data sets of a collection."""
    found = means(rows)
    names = [name for name in orca_names() if collection(name) == kind]
    figure, axes = panels(3, 4, width=3.0, height=2.5)
    for name, ax in zip(names, axes.flat, strict=False):
        draw_comparison(ax, found, name, criterion, spread=spread)
    for ax in axes.flat[len(names) :]:
        ax.set_axis_off()
    share_legend(figure, axes, columns=8)
    return figure


def pictures() -> dict[str, Callable[[Sequence[Row]], Any]]:
    """All by name."""
    named: dict[str, Callable[[Sequence[Row]], Any]] = {"figure2": figure2}
    for kind in ("real", "five", "ten"):
        for criterion in (DP, EO):
            for spread in (False, True):
                name = f"figure2-{kind}-{SHORT[criterion]}{'-spread' if spread else ''}"
                named[name] = partial(appendix, kind, criterion, spread)
    return named


# Findings


def findings(rows: Sequence[Row]) -> list[Finding]:
    """Observations (i) to (v) of section 5.2, and the exceptions of appendix B.5."""
    found = means(rows)
    cases = [
        (data, criterion)
        for data in orca_names()
        for criterion in (DP, EO)
        if pick(found, data=data, criterion=criterion, kind="ours")
    ]
    general = [unfair, explores, comparable, against_coins, against_ablation]
    checks = [check(found, cases) for check in general]
    return checks + [finding for check in EXCEPTIONS for finding in check(found)]


Cases = Sequence[tuple[str, str]]


def unfair(found: Sequence[Mean], cases: Cases) -> Finding:
    """(i) The methods of ORCA can be highly unfair."""
    best = [best_method(found, *case) for case in cases]
    high = [point.violation > 0.2 for point in best if point]
    here = f"the cheapest one violates by more than 0.2 in {sum(high)} of {len(high)} cases"
    return Finding("(i) state-of-the-art methods can be highly unfair", "yes", here, any(high))


def explores(found: Sequence[Mean], cases: Cases) -> Finding:
    """(ii) The method explores the trade-off, sometimes with holes."""
    reach = []
    for case in cases:
        violations = [
            p.violation for p in pick(found, data=case[0], criterion=case[1], kind="ours")
        ]
        reach.append((max(violations), min(violations)))
    high = [(most, least) for most, least in reach if most > 0.1]
    halved = sum(least < most / 2 for most, least in high)
    here = f"some µ halves the violation in {halved} of {len(high)} cases where it exceeds 0.1"
    return Finding("(ii) µ explores the trade-off", "yes", here, halved > 0.8 * len(high))


def comparable(found: Sequence[Mean], cases: Cases) -> Finding:
    """(iii) For EO much fairer, hardly dearer."""
    won, tried = 0, 0
    for data, criterion in cases:
        best = best_method(found, data, criterion)
        if criterion == EO and best and best.violation > 0.1:
            ours = pick(found, data=data, criterion=criterion, kind="ours")
            tried += 1
            won += any(
                point.violation < best.violation / 2 and point.cost < 1.25 * best.cost
                for point in ours
            )
    here = f"half the violation for at most 25 % more cost in {won} of {tried} cases above 0.1"
    agrees = won > tried / 2 if tried else None
    return Finding("(iii) EO: often much fairer, only slightly less accurate", "yes", here, agrees)


def against_coins(found: Sequence[Mean], cases: Cases) -> Finding:
    """(iv) Better than coins between the best method and the constant."""
    gains = [
        saved(
            pick(found, data=data, criterion=criterion, kind="ours"),
            coins(found, data, criterion),
        )
        for data, criterion in cases
        if best_method(found, data, criterion)
    ]
    better = [np.mean(gain) > 0 for gain in gains if gain]
    here = f"cheaper than coins of the same violation, on average over µ, in {sum(better)} of "
    agrees = bool(np.mean(better) > 0.5) if better else None
    return Finding("(iv) better than coins", "yes", f"{here}{len(better)} cases", agrees)


def against_ablation(found: Sequence[Mean], cases: Cases) -> Finding:
    """(v) Fair thresholds help."""
    gains = []
    for data, criterion in cases:
        ours, alone = (
            pick(found, data=data, criterion=criterion, kind=kind)
            for kind in ("ours", "ranker only")
        )
        least = min(point.violation for point in alone)
        beyond_reach = [point for point in ours if point.violation < least]
        gains.append((bool(beyond_reach), saved(ours, alone)))
    fairer = sum(reached for reached, _ in gains)
    cheaper = [np.mean(gain) > 0 for _, gain in gains if gain]
    here = (
        f"fairer than λ'=0 can be in {fairer} of {len(gains)} cases; where both reach a violation, "
        f"cheaper in {sum(cheaper)} of {len(cheaper)}"
    )
    return Finding("(v) µ=λ' can be much better than λ'=0", "yes", here, fairer > len(gains) / 2)


def balance_scale(found: Sequence[Mean]) -> list[Finding]:
    """The example of section 5.2: µ = λ' = 0.5 against λ' = 0."""
    ours, alone = (
        pick(found, data="balance-scale", criterion=DP, kind=kind)
        for kind in ("ours", "ranker only")
    )
    point = next((each for each in ours if each.parameter == 0.5), None)
    if point is None:
        return []
    near = [each.violation for each in alone if each.cost <= point.cost + 0.005]
    here = f"cost {point.cost:.2f}, violation {point.violation:.2f}"
    other = f"{min(near):.2f}" if near else "not reached"
    return [
        Finding(
            "balance-scale, DP, µ=λ'=0.5",
            "cost 0.39, violation 0.03",
            here,
            bool(abs(point.cost - 0.39) < 0.02 and abs(point.violation - 0.03) < 0.02),
        ),
        Finding(
            "balance-scale, DP: violation of λ'=0 at that cost",
            "twice as high",
            other,
            bool(not near or min(near) > 1.5 * point.violation),
        ),
    ]


def at_most(data: str, criterion: str, limit: float, found: Sequence[Mean]) -> list[Finding]:
    """All methods violate by no more than the paper says."""
    seen = [
        point.violation
        for kind in ("ours", *orca_methods())
        for point in pick(found, data=data, criterion=criterion, kind=kind)
    ]
    if not seen:
        return []
    claim = f"{data}, {SHORT[criterion]}: violation of every predictor"
    return [Finding(claim, f"≤ {limit}", f"≤ {max(seen):.3f}", bool(max(seen) < limit + 0.02))]


def toy(found: Sequence[Mean]) -> list[Finding]:
    """The best constant outperforms all."""
    constant = pick(found, data="toy", criterion=DP, kind="constant")
    best = best_method(found, "toy", DP)
    if not constant or best is None:
        return []
    here = f"{constant[0].cost:.3f} against {best.cost:.3f} of {best.kind}"
    claim = "toy: no predictor is better than the best constant"
    return [Finding(claim, "yes", here, bool(best.cost >= constant[0].cost - 0.005))]


EXCEPTIONS: tuple[Callable[[Sequence[Mean]], list[Finding]], ...] = (
    balance_scale,
    partial(at_most, "eucalyptus", DP, 0.08),
    partial(at_most, "eucalyptus", EO, 0.07),
    partial(at_most, "bank1-5", DP, 0.012),
    partial(at_most, "bank1-10", DP, 0.012),
    partial(at_most, "bank2-5", EO, 0.012),
    partial(at_most, "bank2-10", EO, 0.012),
    toy,
)

EXPERIMENTS = (
    Experiment(
        "figure2",
        "Figure 2 and appendix B.5: benchmark sets, section 5.2",
        cells,
        findings,
        pictures(),
    ),
)
