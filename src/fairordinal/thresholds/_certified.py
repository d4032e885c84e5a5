r"""The best cuts with a proof: dual bounds, and branch and bound where they do not meet.

A *region* is a list of windows for each cut. At multipliers τ its bound is a shortest path
(`chain_bound`), and so is, for each window, the bound of all cuts through it: windows whose bound
reaches the best objective known, less the tolerance, hold nothing of interest and go. Then

* if the path's own Lagrangian lies well above the bound, windows are too wide: halve them;
* if other multipliers promise more (`best_multipliers`), take those;
* else the paths that tie at the best multipliers differ, and no mixture of them is a set of
  cuts: branch between them.

Go on with the region of the lowest bound. One step computes one bound.

The cuts of each path, improved by local search, are candidates for the best. A region whose
bound is within the tolerance of the best is closed; the lowest bound of all that was closed,
dropped or is still open bounds the optimum, whenever the search is stopped.
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from fairordinal._cuts import (
    Deadline,
    Goal,
    OutOfTimeError,
    Problem,
    Windows,
    chain_bound,
    cheapest_cuts,
)
from fairordinal._validation import Array
from fairordinal.thresholds._local import descend
from fairordinal.thresholds._multipliers import Plane, best_multipliers

FIRST_WINDOWS = 128  # of each cut
MOST_STEPS = 6  # changes of multipliers in a region
WORTH_A_STEP = 0.4  # of the gap, that other multipliers must promise
TOO_WIDE = 0.03  # of the gap, that windows may cost
MOST_WINDOWS = 512  # of a cut; rather branch than have more
PROMISING = 0.05  # candidates this near to the best, relatively, are improved
FIRST_CANDIDATES = 8  # are improved in any case
MOST_PLACES = 4096  # of a scan of a candidate

Report = Callable[[float, float, int], None]  # takes objective, lower bound, bounds computed


class Region(NamedTuple):
    """Cuts within windows, what bounds them, and where to go on."""

    bound: float
    number: int  # order of birth, so that equal bounds compare
    windows: list[Windows]
    multipliers: Array
    planes: list[Plane]  # of cuts that were met within
    steps: int = 0  # changes of multipliers


@dataclass
class Certified:
    """The state of a search; may be stopped at any moment."""

    problem: Problem
    goal: Goal
    tol: float
    deadline: Deadline
    report: Report | None = None
    most_bounds: float = math.inf
    best: Plane = field(init=False)
    objective: float = field(init=False, default=math.inf)
    floor: float = field(init=False, default=math.inf)  # lowest bound of what was left behind
    regions: list[Region] = field(init=False, default_factory=list)
    n_iter: int = field(init=False, default=0)
    multipliers: Array = field(init=False)  # of the last bound
    stopped_by: str = field(init=False, default="")

    def __post_init__(self) -> None:
        self._numbers = itertools.count()
        self._improved: set[tuple[int, ...]] = set()
        self.best = self._plane(self.problem.constant(0))
        constants = [self.problem.constant(label) for label in range(self.problem.n_cuts + 1)]
        planes = [self.offer(cuts) for cuts in (*constants, cheapest_cuts(self.problem.gains))]
        windows = [Windows.spread(self.problem.n_positions + 1, FIRST_WINDOWS)]
        none = self.multipliers = np.zeros(self.problem.n_contrasts)
        cheapest = planes[-1].cost  # whatever the disparities, hence a bound
        self._open(cheapest, windows * self.problem.n_cuts, none, planes)

    @property
    def lower_bound(self) -> float:
        """No cuts have a lower objective."""
        lowest = self.regions[0].bound if self.regions else math.inf
        return min(lowest, self.floor, self.objective)

    def run(self) -> Certified:
        """Search until the gap is small, time is up, or the user interrupts."""
        try:
            while self._goes_on():
                self._step(self.regions[0])  # opens its parts before it goes: a stop in
                heapq.heappop(self.regions)  # between loses nothing
                if self.report is not None:
                    self.report(self.objective, self.lower_bound, self.n_iter)
            if self._is_open():
                self.stopped_by = "max_bounds"
        except OutOfTimeError:
            self.stopped_by = "max_time"
        except KeyboardInterrupt:
            self.stopped_by = "interrupt"
        return self

    def _goes_on(self) -> bool:
        return self.n_iter < self.most_bounds and self._is_open()

    def _is_open(self) -> bool:
        return bool(self.regions) and self.regions[0].bound < self.objective - self.tol

    def offer(self, cuts: Array) -> Plane:
        """Take cuts as the best, if they are."""
        plane = self._plane(cuts)
        value = self.goal.value(plane.cost, plane.violation)
        if value < self.objective:
            self.best, self.objective = plane, value
        return plane

    def _plane(self, cuts: Array) -> Plane:
        return Plane(self.problem.cost(cuts), self.problem.disparities(cuts), cuts)

    def _open(
        self,
        bound: float,
        windows: list[Windows],
        multipliers: Array,
        planes: list[Plane],
        steps: int = 0,
    ) -> None:
        region = Region(bound, next(self._numbers), windows, multipliers, planes, steps)
        heapq.heappush(self.regions, region)

    def _step(self, region: Region) -> None:
        """Bound a region, and open what is left of it."""
        multipliers, toll = region.multipliers, self.goal.toll(region.multipliers)
        found = chain_bound(
            self.problem, region.windows, multipliers, self.best.cuts, self.deadline
        )
        self.n_iter += 1
        self.multipliers = multipliers
        bound = max(region.bound, found.value - toll)
        plane = self._candidate(found.cuts)
        if bound >= self.objective - self.tol:
            self.floor = min(self.floor, bound)
            return
        windows = self._drop(region.windows, [through - toll for through in found.through])
        if not all(len(window.first) for window in windows):
            return
        loss = plane.lagrangian(multipliers) - found.value
        planes = _spanned([*region.planes, plane], windows)
        rest = region._replace(bound=bound, windows=windows, planes=planes)
        self._continue(rest, too_wide=loss > TOO_WIDE * (self.objective - bound))

    def _candidate(self, cuts: Array) -> Plane:
        """Offer the cuts of a path and, if they are promising, what local search makes of them."""
        plane = self.offer(cuts)
        value = float(self.goal.penalised(plane.cost, plane.violation))
        near = value <= self.objective + PROMISING * abs(self.objective)
        seen = tuple(cuts.tolist())
        if seen not in self._improved and (near or len(self._improved) < FIRST_CANDIDATES):
            self._improved.add(seen)
            better, _ = descend(self.problem, self.goal, cuts, self.deadline, MOST_PLACES)
            self.offer(better)
        return plane

    def _drop(self, windows: list[Windows], bounds: list[Array]) -> list[Windows]:
        """Leave behind the windows that hold nothing better than the best, less the tolerance."""
        kept = []
        for window, bound in zip(windows, bounds, strict=True):
            wanted = bound < self.objective - self.tol
            self.floor = min(self.floor, float(bound[~wanted].min(initial=math.inf)))
            kept.append(window.keep(wanted))
        return kept

    def _continue(self, region: Region, *, too_wide: bool) -> None:
        """Narrower windows, other multipliers, or two parts."""
        bound, _, windows, _, planes, steps = region
        if all(window.n_places == 1 for window in windows):
            only = self.offer(np.array([window.first[0] for window in windows]))
            self.floor = min(self.floor, self.goal.value(only.cost, only.violation))
            return
        others, promise = self._other_multipliers(region)
        if too_wide and _can_be_halved(windows):
            self._open(bound, [window.halve() for window in windows], others, planes, steps)
        elif steps < MOST_STEPS and promise > bound + WORTH_A_STEP * (self.objective - bound):
            self._open(bound, windows, others, planes, steps + 1)
        else:
            self._branch(region)

    def _other_multipliers(self, region: Region) -> tuple[Array, float]:
        """The most promising multipliers, and their promise; no promise if there are no others."""
        if not region.planes:
            return region.multipliers, -math.inf
        others, promise = best_multipliers(region.planes, self.goal)
        return others, promise if (others != region.multipliers).any() else -math.inf

    def _branch(self, region: Region) -> None:
        t, place = _where_to_branch(region)
        for part in (region.windows[t].below(place), region.windows[t].from_(place)):
            windows = [*region.windows[:t], part, *region.windows[t + 1 :]]
            planes = _spanned(region.planes, windows)
            self._open(region.bound, windows, region.multipliers, planes)


def _where_to_branch(region: Region) -> tuple[int, int]:
    """Between the two lowest paths, where they are furthest apart; else in the middle."""
    windows = region.windows
    lowest = sorted(region.planes, key=lambda plane: plane.lagrangian(region.multipliers))[:2]
    if len(lowest) == 2:
        one, other = (plane.cuts for plane in lowest)
        apart = [w.windows_between(a, b) for w, a, b in zip(windows, one, other, strict=True)]
        t = int(np.argmax(apart))
        if apart[t]:
            return t, (int(one[t]) + int(other[t]) + 1) // 2
    t = int(np.argmax([window.n_places for window in windows]))
    return t, (int(windows[t].first[0]) + int(windows[t].last[-1]) + 1) // 2


def _can_be_halved(windows: list[Windows]) -> bool:
    few = max(len(window.first) for window in windows) <= MOST_WINDOWS // 2
    return few and not all(window.are_points for window in windows)


def _spanned(planes: list[Plane], windows: list[Windows]) -> list[Plane]:
    """The planes of cuts within the windows' spans."""
    lowest = np.array([window.first[0] for window in windows])
    highest = np.array([window.last[-1] for window in windows])
    return [p for p in planes if ((lowest <= p.cuts) & (p.cuts <= highest)).all()]
