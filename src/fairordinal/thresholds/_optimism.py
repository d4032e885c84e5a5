r"""The optimism of a choice: the best of many candidates looks better than it is.

The estimates of all candidates come from the same rows. What they would be on another sample of
the same size is simulated: with the influence ψ of a row on an estimate and independent Gaussian ξ,
``estimate + sum_i ψ_i ξ_i`` has the distribution of the estimate around its value, jointly for all
candidates (a multiplier bootstrap). In each simulated sample a candidate is chosen by the rule; its
cost and violation there are compared with the values that the sample was simulated around. The mean
differences are the optimism of the rule (`Optimism`).

Limits are made stricter by a `margin`:

* Without confidence, by half of the optimism. The simulated candidates differ more than the true
  ones, because their estimates contain noise already.
* With confidence c, by so much that the rule keeps the limit in a share ``1 - (1 - c) / 5`` of the
  simulated samples. Most of the error that is allowed is left for what samples cannot show, since
  they are simulated around estimates, and not around the truth.

Both were settled on one half of the settings of benchmarks/bench_promise.py. Each row counts as one
observation here, whatever its weight, so that the unit of weights does not matter.

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
from fairordinal._cuts import Goal
from fairordinal._inference import measured_contrasts, row_effects
from fairordinal._validation import Array
from fairordinal.thresholds._cross_fit import Binned, Candidate, HeldOutRows

HALF = 0.5  # of the optimism counts without confidence
SIMULATED_ERROR = 0.2  # share of the error allowed by a confidence that samples may have
MARGINS = (0.0, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5)  # tried with confidence, shares of the limit
N_SAMPLES = 200
MOST_ROWS = 1 << 13  # by which samples are simulated; they stand for all
MOST_CONTRASTS = 8  # of a candidate: those that may be its largest
SEED = 0


class Optimism(NamedTuple):
    """What choosing the best of many candidates does to its estimates."""

    margin: float = 0.0  # by which the limit is made stricter
    violation: float = 0.0  # by how much the violation of the chosen one is expected to be too low
    cost: float = 0.0  # the same of its cost


class SimulatedSamples:
    """Estimates of candidates on simulated samples."""

    def __init__(
        self,
        rows: HeldOutRows,
        candidates: Sequence[Candidate],
        binned: Mapping[int, Binned],
        errors: Array,
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
        self.unit = cost_unit(rows.evaluation.cost)
        self.costs = np.array([candidate.cost / self.unit for candidate in candidates])
        self.errors = errors / self.unit
        self.simplicity = simplicity_ranks(candidates)
        self.surely_fair = np.array([candidate.is_surely_fair for candidate in candidates])
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

    def optimism(self, goal: Goal, confidence: float | None) -> Optimism:
        """How optimistic the choice for a limit is, and by how much the limit is made stricter."""
        if not goal.hard or not len(self.costs):
            return Optimism()
        simulated = np.abs(self.values[:, :, None] + self._moved)
        reach = (
            0.0 if confidence is None else float(ndtri(confidence)) * self.deviations[:, :, None]
        )
        judged, estimates = (simulated + reach).max(axis=1), simulated.max(axis=1)
        if confidence is None:
            found = self._optimism(judged, estimates, goal.allowance)
            return found._replace(margin=HALF * found.violation)
        most_broken = SIMULATED_ERROR * (1.0 - confidence)
        for share in MARGINS:
            margin = share * goal.allowance
            chosen = self._chosen(judged, goal.allowance - margin)
            if (self._violations[chosen] > goal.allowance).mean() <= most_broken:
                break
        return self._optimism(judged, estimates, goal.allowance - margin)._replace(margin=margin)

    def _optimism(self, judged: Array, estimates: Array, limit: float) -> Optimism:
        chosen, sample = self._chosen(judged, limit), np.arange(N_SAMPLES)
        excess = self._violations[chosen] - estimates[chosen, sample]
        cheaper = -self._moved_costs[chosen, sample]
        return Optimism(
            violation=max(float(excess.mean()), 0.0),
            cost=self.unit * max(float(cheaper.mean()), 0.0),
        )

    @property
    def _violations(self) -> Array:
        """Violations that the samples are simulated around."""
        return np.abs(self.values).max(axis=1)

    def _chosen(self, judged: Array, limit: float) -> Array:
        """The candidate that the rule chooses in each sample; see `choose`."""
        costs, sample = self.costs[:, None] + self._moved_costs, np.arange(N_SAMPLES)
        kept = (judged <= limit) | self.surely_fair[:, None]
        best = np.where(kept, costs, np.inf).argmin(axis=0)
        equal = kept & (costs - costs[best, sample] <= self.errors[best].T)
        simplest = np.where(equal, self.simplicity[:, None], np.inf)
        simplest = np.where(simplest == simplest.min(axis=0), costs, np.inf).argmin(axis=0)
        return np.where(kept.any(axis=0), simplest, judged.argmin(axis=0))


def simplicity_ranks(candidates: Sequence[Candidate]) -> Array:
    """Numbers that are lower for rankers nearer to the plain one; constant predictors are last."""
    last = 1 + max(candidate.ranker for candidate in candidates)
    return np.array([last if c.is_constant else c.ranker for c in candidates])
