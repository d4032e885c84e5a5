r"""Smooth estimates of violations: similar candidates share what cross-fitting adds.

Let r_c be the violation that the thresholds of candidate c reach on the rows they were cut on, and
v_c the violation of its cross-fitted predictions. The excess v_c - r_c is the optimism of the
thresholds, plus noise. Optimism changes slowly with r, and noise differs between candidates, so the
estimate averages the excess over candidates that reach a similar violation::

    v̂_c = r_c + sum_d M_cd (v_d - r_d),        M = (1 - w) S + w I

The rows of S are Gaussian weights in r, with the bandwidth `BANDWIDTH`; w is `OWN_SHARE`. Constant
predictors have no noise and are left as they are.

On the settled half of benchmarks/bench_promise.py, the true violation of a chosen model exceeds
v̂ by 0.006 and 0.007 on average (limits 0.05 and 0.1); a model chosen by v exceeds it by 0.012 and
0.019.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from fairordinal._validation import Array
from fairordinal.thresholds._cross_fit import Candidate

OWN_SHARE = 0.5  # weight of the excess of the candidate itself
BANDWIDTH = 0.03  # in units of the scale of the criterion


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
