r"""The optimism of estimates, and what is done about it.

**Of thresholds** (`Smoothing`): they fit the rows that they were cut on. Let r_c be the violation
that the thresholds of candidate c reach on these rows, and v_c the violation of its cross-fitted
predictions. The excess v_c - r_c is the optimism of the thresholds, plus noise. Optimism changes
slowly with r, and noise differs between candidates, so the estimate averages the excess over
candidates that reach a similar violation::

    v̂_c = r_c + sum_d M_cd (v_d - r_d),        M = (1 - w) S + w I

The rows of S are Gaussian weights in r, with the bandwidth `BANDWIDTH`; w is `OWN_SHARE`. Constant
predictors have no noise and are left as they are. On the settled half of
benchmarks/bench_promise.py, the true violation of a chosen model exceeds v̂ by 0.006 and 0.007 on
average (limits 0.05 and 0.1); a model chosen by v exceeds it by 0.012 and 0.019.

**Of the choice** (`SimulatedSamples`): the best of many candidates looks better than it is. The
estimates of all candidates come from the same rows. A multiplier bootstrap simulates what they
would be on other samples of the same size. Let ψ_i be the influence of row i on an estimate v (a
cost or a disparity), and ξ_i independent standard Gaussian numbers. Then::

    v* = v + sum_i ψ_i ξ_i

has the distribution of the estimate around v, jointly for all candidates if they share the ξ. In
each simulated sample the rule chooses a candidate by the simulated estimates v*. Its true values in
that simulation are the v. The mean differences between v and v* of the chosen candidates are the
optimism of the rule (`Optimism`).

Without confidence, the rule needs no correction: estimates are smoothed, and what is left of the
optimism only raises the upper ends of intervals. With confidence c, the limit is made stricter by a
`margin`, so that the rule keeps the limit in a share ``1 - (1 - c) / 5`` of the simulated samples.
The rest of the error that is allowed is left for what simulations cannot show: they are centred at
estimates, and not at the truth. This was settled on one half of the settings of
benchmarks/bench_promise.py.

Each row counts as one observation here, regardless of its weight, so that the unit of weights does
not matter.

References
----------
Tsamardinos, Greasidou, Borboudakis, Machine Learning 2018 (bootstrap bias-corrected
cross-validation, which resamples rows). Chernozhukov, Chetverikov, Kato, Annals of Statistics 2013
(Gaussian multipliers).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from fairordinal._costs import cost_unit
from fairordinal._inference import measured_contrasts, row_effects
from fairordinal._validation import Array
from fairordinal.thresholds._cross_fit import BinnedScores, Candidate, HeldOutRows
from fairordinal.thresholds._evaluation import Measured, measured
from fairordinal.thresholds._goal import Goal

OWN_SHARE = 0.5  # weight of the excess of the candidate itself
BANDWIDTH = 0.03  # in units of the scale of the criterion
SIMULATED_ERROR = 0.2  # share of the error allowed by a confidence that simulations may have
MARGINS = (0.0, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5)  # tried with confidence, shares of the limit
N_SAMPLES = 200
MOST_ROWS = 1 << 13  # by which samples are simulated; with more rows, a random subset
MOST_CONTRASTS = 8  # of a candidate: those that may be its largest
SEED = 0


# Optimism of thresholds


class Smoothing(NamedTuple):
    """A linear map from violations of cross-fitted predictions to estimates for new rows."""

    reached: Array  # (n_candidates,)
    weights: Array  # (n_candidates, n_candidates), M

    def __call__(self, violations: Array) -> Array:
        """Estimates for new rows, (n_candidates, ...)."""
        reached = self.reached.reshape(-1, *(1,) * (violations.ndim - 1))
        return np.maximum(reached + self.weights @ (violations - reached), 0.0)


def smoothing_of(candidates: Sequence[Candidate]) -> Smoothing:
    """The smoothing of a set of candidates, which depends on the violations they reach."""
    varies = np.array([not candidate.is_constant for candidate in candidates])
    own = np.array([candidate.cross_fitted_violation for candidate in candidates])
    reached = np.array([candidate.reached.violation for candidate in candidates])
    reached = np.where(varies, reached, own)
    scale = candidates[0].evaluation.criterion.scale(candidates[0].table)
    distance = (reached[:, None] - reached) / (BANDWIDTH * scale)
    similar = np.exp(-0.5 * distance**2) * varies
    similar /= np.maximum(similar.sum(axis=1, keepdims=True), np.finfo(float).tiny)
    weights = (1.0 - OWN_SHARE) * similar + OWN_SHARE * np.eye(len(candidates))
    return Smoothing(reached, np.where(varies[:, None], weights, np.eye(len(candidates))))


def smoothed(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Candidates whose estimated violations are smoothed over all of them."""
    if not candidates:
        return []
    own = np.array([candidate.cross_fitted_violation for candidate in candidates])
    corrections = smoothing_of(candidates)(own) - own
    return [
        replace(candidate, correction=float(correction))
        for candidate, correction in zip(candidates, corrections, strict=True)
    ]


# Optimism of the choice


class Optimism(NamedTuple):
    """By how much the estimates of the chosen candidate are expected to be too low."""

    margin: float = 0.0  # by which the limit is made stricter
    violation: float = 0.0
    cost: float = 0.0


class SimulatedSamples:
    """Simulated estimates of the costs and disparities of candidates."""

    def __init__(
        self,
        rows: HeldOutRows,
        candidates: Sequence[Candidate],
        binned: Mapping[int, BinnedScores],
    ) -> None:
        self.rows = rows
        generator = np.random.default_rng(SEED)
        n_rows = len(rows.cells)
        self._some = np.arange(n_rows)
        if n_rows > MOST_ROWS:
            self._some = np.sort(generator.choice(n_rows, MOST_ROWS, replace=False))
        # each row of a subset stands for n / len(subset) rows: its noise has that variance
        size = rows.weight[self._some] * np.sqrt(n_rows / len(self._some))
        draws = generator.standard_normal((len(self._some), N_SAMPLES), dtype=np.float32)
        self._noise = size[:, None].astype(np.float32) * draws
        self._generator = generator
        self._one = float(rows.weight.mean())  # weight of one row
        self.unit = cost_unit(rows.evaluation.cost)
        self.costs = np.array([candidate.cost / self.unit for candidate in candidates])
        self.smoothing = smoothing_of(candidates)
        self.surely_fair = np.array([candidate.is_surely_fair for candidate in candidates])
        self.values = np.zeros((len(candidates), MOST_CONTRASTS))
        self.deviations = np.zeros_like(self.values)
        self._moved = np.zeros((*self.values.shape, N_SAMPLES), dtype=np.float32)
        self._moved_costs = np.zeros((len(candidates), N_SAMPLES), dtype=np.float32)
        for number, candidate in enumerate(candidates):
            self._simulate(number, candidate, binned[candidate.ranker])
        del self.rows, self._some, self._generator, self._noise  # data of single rows are not kept

    def _simulate(self, number: int, candidate: Candidate, binned: BinnedScores) -> None:
        """Simulate the estimates of one candidate."""
        rows, cells = self.rows, self.rows.cells[self._some]
        predicted = rows.predicted(binned, candidate, self._some)
        # 1. The influence of a row on the mean cost is its cost, less the mean, divided by n.
        cost, unit = rows.evaluation.cost, cost_unit(rows.evaluation.cost)
        own = cost[cells % len(cost), predicted] / unit - candidate.cost / unit
        self._moved_costs[number] = (own / (self._one * len(rows.cells))) @ self._noise
        if candidate.is_surely_fair:
            return
        # 2. The influence of a row on a disparity depends on its cell and predicted label only.
        criterion, table = rows.evaluation.criterion, replace(candidate.table, one=self._one)
        contrasts = measured_contrasts(criterion, table)
        effects = row_effects(criterion, table, contrasts)
        values = contrasts.pick(criterion.disparities(table))
        variance = table.one * np.einsum("ecb,cb->e", effects**2, table.counts.toarray())
        # 3. The violation is the largest disparity: those that may be, by two deviations, suffice.
        largest = np.argsort(-np.abs(values) - 2 * np.sqrt(variance), kind="stable")
        largest = largest[:MOST_CONTRASTS]
        at = slice(len(largest))
        self.values[number, at] = values[largest]
        # 4. Thresholds vary, too: independent noise with the deviation of the instability.
        unstable = contrasts.pick(candidate.instability.disparities)[largest]
        self.deviations[number, at] = np.hypot(np.sqrt(variance[largest]), unstable)
        moved = effects[largest][:, cells, predicted] @ self._noise
        self._moved[number, at] = moved + unstable[:, None] * self._generator.standard_normal(
            (1, N_SAMPLES)
        )

    def optimism(self, goal: Goal, confidence: float | None) -> Optimism:
        """The optimism of the choice for a limit, with the margin by which the limit is stricter.

        With confidence, the smallest margin is taken with which few enough simulated choices
        exceed the limit.
        """
        if not goal.hard or not len(self.costs):
            return Optimism()
        simulated = np.abs(self.values[:, :, None] + self._moved)
        estimates = self.smoothing(simulated.max(axis=1))
        if confidence is None:
            return self._optimism(estimates, estimates, goal.limit)
        reach = float(ndtri(confidence)) * self.deviations[:, :, None]
        bounds = np.maximum((simulated + reach).max(axis=1), estimates)
        margin = self._margin(bounds, goal.limit, SIMULATED_ERROR * (1.0 - confidence))
        return self._optimism(bounds, estimates, goal.limit - margin)._replace(margin=margin)

    def _margin(self, bounds: Array, limit: float, most_broken: float) -> float:
        """The smallest margin with which few enough simulated choices exceed the limit."""
        true = np.abs(self.values).max(axis=1)
        for margin in np.multiply(MARGINS, limit):
            if (true[self._chosen(bounds, limit - margin)] > limit).mean() <= most_broken:
                break
        return float(margin)

    def _optimism(self, judged: Array, estimates: Array, limit: float) -> Optimism:
        """Mean differences between true values and estimates of the chosen candidates."""
        chosen, sample = self._chosen(judged, limit), np.arange(N_SAMPLES)
        true = self.smoothing(np.abs(self.values).max(axis=1))
        excess = true[chosen] - estimates[chosen, sample]
        cheaper = -self._moved_costs[chosen, sample]
        return Optimism(
            violation=max(float(excess.mean()), 0.0),
            cost=self.unit * max(float(cheaper.mean()), 0.0),
        )

    def _chosen(self, judged: Array, limit: float) -> Array:
        """The candidate that the rule of `choose` takes in each sample, by simulated estimates."""
        costs = self.costs[:, None] + self._moved_costs
        kept = (judged <= limit) | self.surely_fair[:, None]
        cheapest = np.where(kept, costs, np.inf).argmin(axis=0)
        return np.where(kept.any(axis=0), cheapest, judged.argmin(axis=0))


def expected(candidate: Candidate, confidence: float, optimism: Optimism) -> Measured:
    """Cost and violation of a candidate on new rows, by its cross-fitted predictions.

    The violation is smoothed over similar candidates; its interval is that of the cross-fitted
    predictions, and extended to the violation if need be. The optimism of the choice is added to
    the upper ends of the intervals.
    """
    found = measured(candidate.evaluation, candidate.table, confidence, candidate.instability)
    low, high = found.cost_interval
    highest = max(float(candidate.evaluation.cost.max()), high)
    found = found._replace(cost_interval=(low, min(high + optimism.cost, highest)))
    if candidate.is_surely_fair:
        return found._replace(violation=0.0, violation_interval=(0.0, 0.0))
    most = candidate.evaluation.criterion.scale(candidate.table)
    if np.isnan(found.violation):  # no disparity is defined: the violation may be anything
        return found._replace(violation=0.0, violation_interval=(0.0, most))
    low, high = found.violation_interval
    violation = min(candidate.violation, most)
    ends = min(low, violation), max(high, min(high + optimism.violation, most), violation)
    return found._replace(violation=violation, violation_interval=ends)
