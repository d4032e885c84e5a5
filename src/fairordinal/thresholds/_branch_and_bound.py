r"""The best cuts with a proof: bounds by multipliers, and branching where they leave a gap.

A *region* is a list of windows for each cut. At multipliers τ a shortest path bounds the objective
of all cuts in the region, and of all cuts through each of its windows (`chain_bound`). A step takes
the region of the lowest bound and computes one such bound:

1. If the bound is within the tolerance of the best objective known, the region is closed.
2. Windows whose own bound is, are dropped: they hold nothing better.
3. What is left becomes one region or two:

   * if the Lagrangian of the path is well above the bound, windows are too wide, and are halved;
   * if other multipliers may give a much higher bound (`best_multipliers`), they are taken;
   * otherwise several paths have the lowest Lagrangian at the best multipliers, and no multipliers
     can close the gap between them: the region is divided between two of these paths.

The cuts of each path, improved by local search, are candidates for the best cuts. The optimum is at
least the lowest bound of all regions that are open or closed and of all windows that were dropped.
So the search may be stopped at any time, with a valid bound.
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from fairordinal._support import advance, progress
from fairordinal._validation import Array
from fairordinal.thresholds._goal import Deadline, Goal, OutOfTimeError, Settings, Solution
from fairordinal.thresholds._local_search import descend
from fairordinal.thresholds._lower_bound import Windows, chain_bound
from fairordinal.thresholds._multipliers import Plane, best_multipliers
from fairordinal.thresholds._problem import Problem, cheapest_cuts

FIRST_WINDOWS = 128  # of each cut
MOST_STEPS = 6  # changes of multipliers in a region
WORTH_A_STEP = 0.4  # share of the gap that other multipliers have to be able to close
TOO_WIDE = 0.03  # share of the gap that may be due to the width of windows
MOST_WINDOWS = 512  # of a cut; with more, a region is divided instead
PROMISING = 0.05  # cuts within this share of the best objective are improved by local search
FIRST_CANDIDATES = 8  # cuts that are improved in any case
MOST_POSITIONS = 4096  # of each cut in a scan of local search
EXACT = 1e-10  # least tolerance, relative to the size of costs: bounds are rounded
ROUGH = 5e-3  # gap at which a search for multipliers stops, relative to the size of costs
SIZES = (0.0, *np.geomspace(0.03, 30.0, 9))  # of one multiplier, relative to the size of costs
OPPOSITE_SIZES = (0.1, 1.0)  # of a multiplier with the less likely sign
FACTORS = (0.5, 1.0, 2.0)  # by which multipliers of a search are varied
NO_DEADLINE = Deadline()


class Region(NamedTuple):
    """Cuts within windows, a lower bound of their objective, and the multipliers to try next."""

    bound: float
    number: int  # in the order of creation; breaks ties between equal bounds
    windows: list[Windows]
    multipliers: Array
    planes: list[Plane]  # of known cuts within the region
    steps: int = 0  # changes of multipliers


@dataclass
class Certified:
    """A search for the best cuts, with a lower bound that is valid at any time."""

    problem: Problem
    goal: Goal
    tol: float
    deadline: Deadline
    most_bounds: float = math.inf
    best: Plane = field(init=False)
    objective: float = field(init=False, default=math.inf)
    floor: float = field(init=False, default=math.inf)  # lowest bound of what was closed or dropped
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
        cheapest = planes[-1].cost  # no cuts cost less, hence a bound
        self._open(cheapest, windows * self.problem.n_cuts, none, planes)

    @property
    def lower_bound(self) -> float:
        """A lower bound of the objective of all cuts."""
        lowest = self.regions[0].bound if self.regions else math.inf
        return min(lowest, self.floor, self.objective)

    def run(self) -> Certified:
        """Search until the gap is at most `tol`, the time is over, or the user interrupts."""
        try:
            while self._goes_on():
                # the parts of a region are opened before it is removed: whenever the search is
                # interrupted, all cuts belong to a region that counts for the lower bound
                self._step(self.regions[0])
                heapq.heappop(self.regions)
                gap = self.objective - self.lower_bound
                advance(note=f"gap {gap:.1e} after {self.n_iter} bounds")
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
        """Make these the best cuts, if their objective is lower."""
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
        multipliers = region.multipliers
        limit_term = self.goal.limit_term(multipliers)
        found = chain_bound(
            self.problem, region.windows, multipliers, self.best.cuts, self.deadline
        )
        self.n_iter += 1
        self.multipliers = multipliers
        bound = max(region.bound, found.value - limit_term)
        plane = self._candidate(found.cuts)
        if bound >= self.objective - self.tol:
            self.floor = min(self.floor, bound)
            return
        windows = self._drop(region.windows, [each - limit_term for each in found.through])
        if not all(len(window.first) for window in windows):
            return
        loss = plane.lagrangian(multipliers) - found.value
        planes = _spanned([*region.planes, plane], windows)
        rest = region._replace(bound=bound, windows=windows, planes=planes)
        self._continue(rest, too_wide=loss > TOO_WIDE * (self.objective - bound))

    def _candidate(self, cuts: Array) -> Plane:
        """Offer the cuts of a path; if they are promising, improve them by local search."""
        plane = self.offer(cuts)
        value = float(self.goal.penalised(plane.cost, plane.violation))
        near = value <= self.objective + PROMISING * abs(self.objective)
        seen = tuple(cuts.tolist())
        if seen not in self._improved and (near or len(self._improved) < FIRST_CANDIDATES):
            self._improved.add(seen)
            better, _ = descend(self.problem, self.goal, cuts, self.deadline, MOST_POSITIONS)
            self.offer(better)
        return plane

    def _drop(self, windows: list[Windows], bounds: list[Array]) -> list[Windows]:
        """Drop windows whose bound is within the tolerance of the best objective."""
        kept = []
        for window, bound in zip(windows, bounds, strict=True):
            wanted = bound < self.objective - self.tol
            self.floor = min(self.floor, float(bound[~wanted].min(initial=math.inf)))
            kept.append(window.keep(wanted))
        return kept

    def _continue(self, region: Region, *, too_wide: bool) -> None:
        """Open a region again: with narrower windows, with other multipliers, or in two parts."""
        bound, _, windows, _, planes, steps = region
        if all(window.n_positions == 1 for window in windows):
            only = self.offer(np.array([window.first[0] for window in windows]))
            self.floor = min(self.floor, self.goal.value(only.cost, only.violation))
            return
        others, highest = self._other_multipliers(region)
        if too_wide and _can_be_halved(windows):
            self._open(bound, [window.halve() for window in windows], others, planes, steps)
        elif steps < MOST_STEPS and highest > bound + WORTH_A_STEP * (self.objective - bound):
            self._open(bound, windows, others, planes, steps + 1)
        else:
            self._branch(region)

    def _other_multipliers(self, region: Region) -> tuple[Array, float]:
        """The best multipliers for the known planes, and the highest bound that they may give.

        That is -inf if they are the present ones.
        """
        if not region.planes:
            return region.multipliers, -math.inf
        others, highest = best_multipliers(region.planes, self.goal)
        return others, highest if (others != region.multipliers).any() else -math.inf

    def _branch(self, region: Region) -> None:
        """Divide a region in two by the position of one cut."""
        t, position = _where_to_branch(region)
        for part in (region.windows[t].below(position), region.windows[t].from_(position)):
            windows = [*region.windows[:t], part, *region.windows[t + 1 :]]
            planes = _spanned(region.planes, windows)
            self._open(region.bound, windows, region.multipliers, planes)


def _where_to_branch(region: Region) -> tuple[int, int]:
    """A cut and a position: between the two lowest paths where they are farthest apart.

    If there are no two paths in different windows, the middle of the widest cut.
    """
    windows = region.windows
    lowest = sorted(region.planes, key=lambda plane: plane.lagrangian(region.multipliers))[:2]
    if len(lowest) == 2:
        one, other = (plane.cuts for plane in lowest)
        apart = [w.windows_between(a, b) for w, a, b in zip(windows, one, other, strict=True)]
        t = int(np.argmax(apart))
        if apart[t]:
            return t, (int(one[t]) + int(other[t]) + 1) // 2
    t = int(np.argmax([window.n_positions for window in windows]))
    return t, (int(windows[t].first[0]) + int(windows[t].last[-1]) + 1) // 2


def _can_be_halved(windows: list[Windows]) -> bool:
    few = max(len(window.first) for window in windows) <= MOST_WINDOWS // 2
    return few and not all(window.are_points for window in windows)


def _spanned(planes: list[Plane], windows: list[Windows]) -> list[Plane]:
    """The planes of cuts between the first and the last position of the windows."""
    lowest = np.array([window.first[0] for window in windows])
    highest = np.array([window.last[-1] for window in windows])
    return [p for p in planes if ((lowest <= p.cuts) & (p.cuts <= highest)).all()]


def certified(problem: Problem, goal: Goal, settings: Settings) -> Solution:
    """Cuts whose objective is proved to be within the tolerance of the best."""
    with progress("thresholds"):
        tol = max(settings.tol, EXACT * problem.scale)
        search = Certified(problem, goal, tol, settings.deadline, settings.most_bounds)
        if settings.known is not None:
            search.offer(settings.known)
        search.run()
    return Solution(search.best.cuts, search.lower_bound, search.n_iter, search.stopped_by)


def multipliers_for(problem: Problem, goals: Sequence[Goal], most_bounds: int) -> Array:
    """Multipliers whose shortest paths are good starts for some goals, (n, n_contrasts).

    For two groups, a grid of sizes, mostly with the sign of the disparity at the least cost. For
    more groups, the multipliers that a short search for each goal ends with, and multiples of them.
    """
    if problem.n_contrasts <= 1:
        lean = problem.disparities(cheapest_cuts(problem.gains))
        sign = np.where(lean < 0, -1.0, 1.0)
        sizes = [*SIZES, *(-size for size in OPPOSITE_SIZES)]
        return problem.scale * np.outer(sizes, sign)
    found = [np.zeros(problem.n_contrasts)]
    for goal in goals:
        tol = ROUGH * problem.scale
        search = Certified(problem, goal, tol, NO_DEADLINE, most_bounds=most_bounds).run()
        if search.stopped_by == "interrupt":  # the user wants to stop more than this search
            raise KeyboardInterrupt
        found += [factor * search.multipliers for factor in FACTORS]
    return np.unique(found, axis=0)
