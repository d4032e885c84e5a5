"""Observations (i) to (v) of section 5.2, and the exceptions of appendix B.5."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from fairordinal.baselines import orca_methods
from fairordinal.datasets import orca_names
from fairordinal.experiments._cell import Row
from fairordinal.experiments._experiment import Finding
from fairordinal.experiments._means import Mean, Means, means, pick, saved
from fairordinal.experiments.figures.panel import SHORT

DP, EO = "demographic_parity", "equal_opportunity"
HIGH = 0.2  # a violation that is called highly unfair
SEEN = 0.1  # a violation that leaves room for being fairer


def best_method(found: Means, data: str, criterion: str) -> Mean | None:
    """The method of ORCA with the least cost on a data set."""
    tried = [
        point
        for method in orca_methods()
        for point in pick(found, data=data, criterion=criterion, kind=method)
    ]
    return min(tried, key=lambda point: point.cost, default=None)


def coins(found: Means, data: str, criterion: str) -> list[Mean]:
    """The best method of ORCA, mixed with the best constant."""
    best = best_method(found, data, criterion)
    kind = f"{best.kind} mixture" if best else ""
    ends = [best] if best else []
    between = pick(found, data=data, criterion=criterion, kind=kind)
    return [*ends, *between, *pick(found, data=data, criterion=criterion, kind="constant")]


def findings(rows: Sequence[Row]) -> list[Finding]:
    """Observations (i) to (v) of section 5.2, and the exceptions of appendix B.5."""
    found = means(rows)
    cases = [
        (data, criterion)
        for data in orca_names()
        for criterion in (DP, EO)
        if pick(found, data=data, criterion=criterion, kind="ours")
    ]
    general = [unfair, explores, comparable, against_coins, against_ablation, steady]
    checks = [check(found, cases) for check in general]
    return checks + [finding for check in EXCEPTIONS for finding in check(found)]


Cases = Sequence[tuple[str, str]]


def unfair(found: Means, cases: Cases) -> Finding:
    """(i) The methods of ORCA can be highly unfair."""
    best = [best_method(found, *case) for case in cases]
    high = [point.violation > HIGH for point in best if point]
    here = f"the cheapest one violates by more than {HIGH} in {sum(high)} of {len(high)} cases"
    agrees = any(high) if high else None
    return Finding("(i) state-of-the-art methods can be highly unfair", "yes", here, agrees)


def explores(found: Means, cases: Cases) -> Finding:
    """(ii) The method explores the trade-off, sometimes with holes."""
    reach = []
    for case in cases:
        violations = [
            p.violation for p in pick(found, data=case[0], criterion=case[1], kind="ours")
        ]
        reach.append((max(violations), min(violations)))
    high = [(most, least) for most, least in reach if most > SEEN]
    halved = sum(least < most / 2 for most, least in high)
    here = f"some µ halves the violation in {halved} of {len(high)} cases where it exceeds {SEEN}"
    agrees = halved > 0.8 * len(high) if high else None
    return Finding("(ii) µ explores the trade-off", "yes", here, agrees)


def comparable(found: Means, cases: Cases) -> Finding:
    """(iii) For EO much fairer, hardly dearer."""
    pairs = [
        (pick(found, data=data, criterion=criterion, kind="ours"), best)
        for data, criterion in cases
        if criterion == EO
        and (best := best_method(found, data, criterion))
        and best.violation > SEEN
    ]
    won = [sum(halves_for(more, ours, best) for ours, best in pairs) for more in (0.1, 0.25)]
    here = (
        f"half the violation of the cheapest method in {won[0]} (for at most 10 % more cost) and "
        f"{won[1]} (25 %) of {len(pairs)} cases above {SEEN}"
    )
    agrees = won[0] > len(pairs) / 2 if pairs else None
    return Finding("(iii) EO: often much fairer, only slightly less accurate", "yes", here, agrees)


def halves_for(more: float, ours: Sequence[Mean], best: Mean) -> bool:
    """Whether some µ halves the violation of a method for so much more of its cost."""
    return any(
        point.violation < best.violation / 2 and point.cost < (1 + more) * best.cost
        for point in ours
    )


def against_coins(found: Means, cases: Cases) -> Finding:
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


def against_ablation(found: Means, cases: Cases) -> Finding:
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
    agrees = fairer > len(gains) / 2 if gains else None
    return Finding("(v) µ=λ' can be much better than λ'=0", "yes", here, agrees)


def steady(found: Means, cases: Cases) -> Finding:
    """(B.5) Standard deviations over splits are like those of the methods of ORCA."""
    ratios: dict[str, list[float]] = {"cost_spread": [], "violation_spread": []}
    for data, criterion in cases:
        best = best_method(found, data, criterion)
        ours = pick(found, data=data, criterion=criterion, kind="ours")
        for name, known in ratios.items():
            if best and getattr(best, name) > 0:
                usual = np.median([getattr(point, name) for point in ours])
                known.append(float(usual / getattr(best, name)))
    medians = [float(np.median(known)) for known in ratios.values() if known]
    here = " and ".join(f"{ratio:.2f}" for ratio in medians) or "–"
    agrees = all(0.5 < ratio < 2 for ratio in medians) if medians else None
    claim = "(B.5) standard deviations of cost and violation, relative to the cheapest method"
    return Finding(claim, "mostly comparable", here, agrees)


def balance_scale(found: Means) -> list[Finding]:
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


def at_most(data: str, criterion: str, limit: float, found: Means) -> list[Finding]:
    """All methods violate by no more than the paper says."""
    seen = [
        point.violation
        for kind in ("ours", *orca_methods())
        for point in pick(found, data=data, criterion=criterion, kind=kind)
    ]
    if not seen:
        return []
    claim = f"{data}, {SHORT[criterion]}: violation of every predictor"
    return [Finding(claim, f"≤ {limit}", f"≤ {max(seen):.3f}", max(seen) < 1.25 * limit)]


def strange(data: str, criterion: str, found: Means) -> list[Finding]:
    """Two phenomena that the paper cannot explain: coins and larger µ are less fair."""
    ours = pick(found, data=data, criterion=criterion, kind="ours")
    curve = coins(found, data, criterion)
    where = f"{data}, {SHORT[criterion]}: "
    findings = []
    if len(ours) > 1:
        ends = ours[0].violation, ours[-1].violation
        here = f"from {ends[0]:.3f} to {ends[1]:.3f}"
        findings.append(Finding(where + "violation rises with µ", "yes", here, ends[1] > ends[0]))
    if len(curve) > 2:
        middle = min(curve[1:-1], key=lambda point: abs(point.parameter - 0.5)).violation
        here = f"{middle:.3f} against {curve[0].violation:.3f}"
        claim = where + "coins violate more than the cheapest method, p near 0.5"
        findings.append(Finding(claim, "yes", here, middle > curve[0].violation))
    return findings


def toy(found: Means) -> list[Finding]:
    """The best constant outperforms all."""
    constant = pick(found, data="toy", criterion=DP, kind="constant")
    best = best_method(found, "toy", DP)
    if not constant or best is None:
        return []
    here = f"{constant[0].cost:.3f} against {best.cost:.3f} of {best.kind}"
    claim = "toy: no predictor is better than the best constant"
    return [Finding(claim, "yes", here, bool(best.cost >= constant[0].cost - 0.005))]


BANKS = (("bank1-5", DP), ("bank1-10", DP), ("bank2-5", EO), ("bank2-10", EO))
EXCEPTIONS: tuple[Callable[[Means], list[Finding]], ...] = (
    balance_scale,
    partial(at_most, "eucalyptus", DP, 0.08),
    partial(at_most, "eucalyptus", EO, 0.07),
    partial(strange, "newthyroid", EO),
    *(partial(at_most, *case, 0.012) for case in BANKS),
    *(partial(strange, *case) for case in BANKS),
    toy,
)
