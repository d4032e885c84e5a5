"""Synthetic data whose violations in the population are known.

A row of group g has a merit ``s ~ N(shift_g, 1)``, the projection of its features on a direction,
and an outcome ``z = s + label_shift_g + noise * N(0, 1)``, which thresholds cut into labels.
Disparities of merits and labels are therefore integrals of normal distributions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.optimize import brentq
from scipy.stats import norm
from sklearn.utils import check_random_state

from fairordinal.datasets._dataset import Array, Dataset, as_bunch

TAIL = 9.0  # standard deviations; a normal variable is farther away with probability 1e-19
GRID_STEPS = 40  # grid points in the smallest standard deviation

DESCRIPTION = """Synthetic data with ordered labels and a known bias.

{n_rows} rows, {n_inputs} inputs, {n_labels} ordered labels (equally frequent in the population),
{n_groups} groups with shares {shares}.

Merit s is normal with variance 1; its mean by group is {shifts}. Inputs are normal, and
`data @ coefficients` is s. Labels are s + ({label_shifts}) by group + {noise:g} N(0, 1), cut at
thresholds.
"""


@dataclass(frozen=True)
class Population:
    """The distribution of merits and labels in each group."""

    shares: Array
    shifts: Array  # mean merit of each group
    label_shifts: Array  # added to the outcomes of each group, independently of merit
    noise: float
    n_labels: int

    @cached_property
    def thresholds(self) -> Array:
        """Thresholds of the outcome for which all labels are equally frequent."""
        means, spread = self.shifts + self.label_shifts, np.hypot(1.0, self.noise)
        ends = means.min() - TAIL * spread, means.max() + TAIL * spread

        def excess(threshold: float, share: float) -> float:
            return float(self.shares @ norm.cdf(threshold, means, spread) - share)

        wanted = np.arange(1, self.n_labels) / self.n_labels
        return np.array([brentq(excess, *ends, args=(share,), xtol=1e-13) for share in wanted])

    def label_shares(self) -> Array:
        """Return P[label | group], (n_groups, n_labels)."""
        means, spread = self.shifts + self.label_shifts, np.hypot(1.0, self.noise)
        cuts = np.concatenate([[-np.inf], self.thresholds, [np.inf]])
        return np.diff(norm.cdf(cuts, means[:, None], spread), axis=1)

    def violations(self) -> dict[str, dict[str, float]]:
        """Return the violations of the labels and of the merit as predictions, by criterion.

        Labels as predictions of themselves put all pairs of unequal labels in the right order, so
        that they never violate equal opportunity.
        """
        labels, merits = self._label_disparities(), self._merit_disparities()
        return {
            "labels": {"demographic_parity": _largest(labels), "equal_opportunity": 0.0},
            "scores": {
                "demographic_parity": _largest(merits),
                "equal_opportunity": _largest(self._opportunity_disparities()),
            },
        }

    def _label_disparities(self) -> Array:
        """Return P[y_g > y_h] - P[y_h > y_g] for all groups g and h, by sums over labels."""
        shares = self.label_shares()
        above = shares @ (np.cumsum(shares, axis=1) - shares).T
        return above - above.T

    def _merit_disparities(self) -> Array:
        """Return P[s_g > s_h] - P[s_h > s_g]: s_g - s_h is N(shift_g - shift_h, 2)."""
        return 2 * norm.cdf(np.subtract.outer(self.shifts, self.shifts) / np.sqrt(2)) - 1

    def _opportunity_disparities(self) -> Array:
        """Return P[s_g > s_h | y_g > y_h] - P[s_h > s_g | y_h > y_g], by quadrature over merits.

        With the density f_g(s, l) of merit and label, P[s_g > s_h, y_g > y_h] is the sum over l of
        the integral over s of f_g(s, l) P[s_h < s, y_h < l].
        """
        grid, density = self._density()
        lower = np.cumsum(density, axis=2) - density  # density of merit s and a label below l
        below = CubicSpline(grid, lower, axis=1).antiderivative()(grid)
        both = np.einsum("gsl,hsl->gh", density, below) * (grid[1] - grid[0])
        shares = self.label_shares()
        rates = both / (shares @ (np.cumsum(shares, axis=1) - shares).T)
        return rates - rates.T

    def _density(self) -> tuple[Array, Array]:
        """Return a grid of merits, and f_g(s, l) on it, (n_groups, n_grid, n_labels)."""
        step = min(1.0, self.noise) / GRID_STEPS
        grid = np.arange(self.shifts.min() - TAIL, self.shifts.max() + TAIL, step)
        cuts = np.concatenate([[-np.inf], self.thresholds, [np.inf]])
        outcomes = grid[None, :, None] + self.label_shifts[:, None, None]
        labels = np.diff(norm.cdf((cuts - outcomes) / self.noise), axis=2)
        return grid, norm.pdf(grid - self.shifts[:, None])[:, :, None] * labels


def _largest(disparities: Array) -> float:
    return float(max(abs(disparities[g, h]) for g, h in combinations(range(len(disparities)), 2)))


def make_biased_ordinal(
    n_samples: int = 1000,
    *,
    n_labels: int = 5,
    groups: int | Sequence[float] = 2,
    bias: float = 1.0,
    label_bias: float = 0.0,
    noise: float = 0.5,
    n_features: int = 4,
    random_state: Any = None,
    return_X_y: bool = False,
    as_frame: bool = False,
) -> Any:
    """Draw synthetic data with ordered labels, groups, and known violations in the population.

    Parameters
    ----------
    n_samples : int, default=1000
        Number of rows.
    n_labels : int, default=5
        Number of labels, equally frequent in the population.
    groups : int or sequence of float, default=2
        Number of groups of equal size, or relative sizes of the groups.
    bias : float, default=1.0
        Distance between the mean merits of the first and the last group, in standard deviations.
        The means of the groups between them are evenly spaced. It affects features and labels.
    label_bias : float, default=0.0
        Distance between the mean outcomes of rows with equal merit in the first and the last
        group. It affects labels only.
    noise : float, default=0.5
        Standard deviation of the outcome, given merit and group; at least 0.01.
    n_features : int, default=4
        Number of features.
    random_state : int, RandomState instance or None, default=None
        Seed. Pass an int for the same rows at each call.
    return_X_y : bool, default=False
        Return ``(data, target)``. Groups are only in the Bunch.
    as_frame : bool, default=False
        Return pandas objects; this needs ``pip install fairordinal[data]``.

    Returns
    -------
    data : Bunch
        Dictionary-like object, with these attributes:

        data : ndarray or DataFrame of shape (n_samples, n_features)
            Features.
        target : ndarray or Series of shape (n_samples,)
            Labels 1 to `n_labels`.
        sensitive_features : ndarray or Series of shape (n_samples,)
            Groups, numbered from 0.
        scores : ndarray of shape (n_samples,)
            The merit of each row, ``data @ coefficients``.
        coefficients : ndarray of shape (n_features,)
            Coefficients of the merit.
        thresholds : ndarray of shape (n_labels - 1,)
            Thresholds of the outcome.
        population_violations : dict of dict
            Limits of the pairwise violations for many rows, as
            ``{"labels": {...}, "scores": {...}}``: the labels or the merit as predictions, each
            for ``"demographic_parity"`` and ``"equal_opportunity"``.
        feature_names : list of str
            Names of the columns of `data`.
        sensitive_names : dict
            Names of the groups.
        frame : DataFrame or None
            All columns, if `as_frame`.
        DESCR : str
            Description.

        `target_names` is None, and `splits` and `split_sensitive_features` are empty, as in other
        data sets without them. If `return_X_y`, the tuple ``(data, target)`` instead.

    See Also
    --------
    load_diabetes : Real data that needs no download.

    Notes
    -----
    With merits s ~ N(m_g, 1) in group g and outcomes z = s + b_g + noise·N(0, 1), the disparity of
    merits for demographic parity is 2Φ((m_g - m_h)/√2) - 1. That of labels is a sum over labels,
    whose shares are differences of Φ. The disparity of merits for equal opportunity is computed by
    quadrature, with an error below 1e-8. Labels as predictions of themselves satisfy equal
    opportunity: 0.

    Examples
    --------
    >>> from fairordinal.datasets import make_biased_ordinal
    >>> from fairordinal.metrics import pairwise_demographic_parity_difference
    >>> data = make_biased_ordinal(20000, bias=1.0, random_state=0)
    >>> round(data.population_violations["scores"]["demographic_parity"], 3)  # 2Φ(1/√2) - 1
    0.52
    >>> round(pairwise_demographic_parity_difference(
    ...     data.target, data.scores, sensitive_features=data.sensitive_features), 2)
    0.5...
    """
    _check(n_samples, n_labels, noise, n_features)
    shares = _shares(groups)
    offsets = np.linspace(-0.5, 0.5, len(shares))
    population = Population(shares, bias * offsets, label_bias * offsets, float(noise), n_labels)
    drawn = _draw(population, n_samples, n_features, check_random_state(random_state))
    bunch = as_bunch(drawn.dataset, return_X_y=return_X_y, as_frame=as_frame)
    return bunch if return_X_y else _with_truth(bunch, population, drawn)


@dataclass(frozen=True)
class _Draw:
    dataset: Dataset
    scores: Array
    coefficients: Array


def _draw(population: Population, n: int, n_features: int, generator: Any) -> _Draw:
    direction = generator.normal(size=n_features)
    direction /= np.linalg.norm(direction)
    groups = generator.choice(len(population.shares), size=n, p=population.shares)
    data = generator.normal(size=(n, n_features)) + np.outer(population.shifts[groups], direction)
    scores = data @ direction
    outcomes = (
        scores + population.label_shifts[groups] + population.noise * generator.normal(size=n)
    )
    dataset = Dataset(
        data=data,
        target=np.searchsorted(population.thresholds, outcomes) + 1,
        sensitive_features=groups,
        feature_names=[f"x{number}" for number in range(n_features)],
        sensitive_names={group: f"group {group}" for group in range(len(population.shares))},
        description=_description(population, n, n_features),
    )
    return _Draw(dataset, scores, direction)


def _with_truth(bunch: Any, population: Population, drawn: _Draw) -> Any:
    """Add merits, thresholds and violations of the population to a Bunch."""
    bunch.scores = drawn.scores
    bunch.coefficients = drawn.coefficients
    bunch.thresholds = population.thresholds
    bunch.population_violations = population.violations()
    return bunch


def _shares(groups: int | Sequence[float]) -> Array:
    sizes = np.ones(groups) if isinstance(groups, int) else np.asarray(groups, dtype=float)
    if sizes.ndim != 1 or len(sizes) < 2 or not (np.isfinite(sizes) & (sizes > 0)).all():
        raise ValueError(
            "groups must be 2 or more, or the sizes of 2 or more groups, all above 0; "
            f"got {groups!r}."
        )
    return sizes / sizes.sum()


def _check(n_samples: int, n_labels: int, noise: float, n_features: int) -> None:
    least = {"n_samples": (n_samples, 1), "n_labels": (n_labels, 2), "n_features": (n_features, 1)}
    for name, (value, bound) in least.items():
        if value < bound:
            raise ValueError(f"{name} must be {bound} or more, got {value}.")
    if not 0.01 <= noise < np.inf:
        raise ValueError(f"noise must be 0.01 or more, and finite; got {noise}.")


def _description(population: Population, n_rows: int, n_inputs: int) -> str:
    def listed(values: Array) -> str:
        return ", ".join(f"{value + 0.0:.3g}" for value in values)

    return DESCRIPTION.format(
        n_rows=n_rows,
        n_inputs=n_inputs,
        n_labels=population.n_labels,
        n_groups=len(population.shares),
        shares=listed(population.shares),
        shifts=listed(population.shifts),
        label_shifts=listed(population.label_shifts),
        noise=population.noise,
    )
