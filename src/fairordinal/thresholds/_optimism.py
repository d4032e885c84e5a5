r"""The optimism of a choice: the best of many candidates looks better than it is.

The estimates of all candidates come from the same rows. What they would be on another sample of
the same size is simulated: with the influence ψ of a row on an estimate and independent Gaussian ξ,
``estimate + sum_i ψ_i ξ_i`` has the distribution of the estimate around its value, jointly for all
candidates (a multiplier bootstrap). In each simulated sample a candidate is chosen by the rule; its
violation there is compared with the value that the sample was simulated around. The mean
difference is the optimism of the rule. With confidence, limits are made stricter by all of it;
without, by half of it: the simulated candidates differ more than the true ones, because their
estimates contain noise already. (Half was settled on one half of the settings of
benchmarks/bench_promise.py.) Each row counts as one observation here, whatever its weight, so that
the unit of weights does not matter.

References
----------
Tsamardinos, Greasidou, Borboudakis, Machine Learning 2018 (bootstrap bias-corrected
cross-validation, which resamples rows). Chernozhukov, Chetverikov, Kato, Annals of Statistics 2013
(Gaussian multipliers).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from scipy.special import ndtri

from fairordinal._costs import cost_unit
from fairordinal._cuts import Goal
from fairordinal._inference import measured_contrasts, row_effects
from fairordinal.thresholds._cross_fit import Binned, Candidate, HeldOutRows

HALF = 0.5  # of the optimism counts without confidence
N_SAMPLES = 200
MOST_ROWS = 1 << 13  # by which samples are simulated; they stand for all
MOST_CONTRASTS = 8  # of a candidate: those that may be its largest
SEED = 0


class SimulatedSamples:
    """Estimates of candidates on simulated samples."""

    def __init__(
        self, rows: HeldOutRows, candidates: Sequence[Candidate], binned: Mapping[int, Binned]
    ) -> None:
        self.rows = rows
        generator = np.random.default_rng(SEED)
        n_rows = len(rows.cells)
        self._some = np.arange(n_rows)
        if n_rows > MOST_ROWS:
            self._some = np.sort(generator.choice(n_rows, MOST_ROWS, replace=False))
        size = rows.weight[self._some] * np.sqrt(n_rows / len(self._some))
        draws = generator.standard_normal((len(self._some), N_SAMPLES), dtype=np.float32)
        self._noise = size[:, None].astype(np.float32) * draws
        self._generator = generator
        self._one = float(rows.weight.mean())  # weight of one row
        unit = cost_unit(rows.evaluation.cost)
        self.costs = np.array([candidate.cost / unit for candidate in candidates])
        self.values = np.zeros((len(candidates), MOST_CONTRASTS))
        self.deviations = np.zeros_like(self.values)
        self._moved = np.zeros((*self.values.shape, N_SAMPLES), dtype=np.float32)
        self._moved_costs = np.zeros((len(candidates), N_SAMPLES), dtype=np.float32)
        for number, candidate in enumerate(candidates):
            self._simulate(number, candidate, binned[candidate.ranker])
        del self.rows, self._some, self._generator, self._noise  # no rows are kept

    def _simulate(self, number: int, candidate: Candidate, binned: Binned) -> None:
        rows, cells = self.rows, self.rows.cells[self._some]
        predicted = rows.predicted(binned, candidate, self._some)
        cost, unit = rows.evaluation.cost, cost_unit(rows.evaluation.cost)
        own = cost[cells % len(cost), predicted] / unit - candidate.cost / unit
        self._moved_costs[number] = (own / (self._one * len(rows.cells))) @ self._noise
        if candidate.is_surely_fair:
            return
        criterion, table = rows.evaluation.criterion, replace(candidate.table, one=self._one)
        contrasts = measured_contrasts(criterion, table)
        effects = row_effects(criterion, table, contrasts)
        values = contrasts.pick(criterion.disparities(table))
        variance = table.one * np.einsum("ecb,cb->e", effects**2, table.counts.toarray())
        largest = np.argsort(-np.abs(values) - 2 * np.sqrt(variance), kind="stable")
        largest = largest[:MOST_CONTRASTS]
        at = slice(len(largest))
        self.values[number, at] = values[largest]
        unstable = contrasts.pick(candidate.instability.disparities)[largest]
        self.deviations[number, at] = np.hypot(np.sqrt(variance[largest]), unstable)
        moved = effects[largest][:, cells, predicted] @ self._noise
        self._moved[number, at] = moved + unstable[:, None] * self._generator.standard_normal(
            (1, N_SAMPLES)
        )

    def optimism(self, goal: Goal, confidence: float | None) -> float:
        """By how much limits should be stricter; at least 0."""
        if not goal.hard or not len(self.costs):
            return 0.0
        simulated = np.abs(self.values[:, :, None] + self._moved)
        estimates = simulated.max(axis=1)
        judged = estimates
        if confidence is not None:
            reach = float(ndtri(confidence)) * self.deviations
            judged = (simulated + reach[:, :, None]).max(axis=1)
        costs = self.costs[:, None] + self._moved_costs
        costs = np.where(judged <= goal.allowance, costs, np.inf)
        some = np.isfinite(costs).any(axis=0)
        chosen = np.where(some, costs.argmin(axis=0), judged.argmin(axis=0))
        excess = np.abs(self.values).max(axis=1)[chosen] - estimates[chosen, np.arange(N_SAMPLES)]
        return share_of(confidence) * max(float(excess.mean()), 0.0)


def share_of(confidence: float | None) -> float:
    """The share of the optimism by which limits are made stricter."""
    return HALF if confidence is None else 1.0
