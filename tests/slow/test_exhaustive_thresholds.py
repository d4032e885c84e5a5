"""Thousands of random instances, each against all thresholds there are."""

import warnings

import numpy as np
import pytest

import oracles
from fairordinal import optimize_thresholds
from fairordinal._costs import cost_matrix

N_INSTANCES = 400
CRITERIA = oracles.CRITERIA_OF_CUTTINGS
COSTS = ["absolute", "zero_one", "squared", "asymmetric"]

pytestmark = pytest.mark.slow


def instance(generator):
    """Rows full of ties, of 2 to 4 groups, with weights; None if a group is missing."""
    n, k, n_groups = generator.integers(4, 13), generator.integers(2, 6), generator.integers(2, 5)
    y, a = generator.integers(0, k, n), generator.integers(0, n_groups, n)
    s = generator.integers(0, generator.integers(2, 2 * n), n)
    w = generator.choice([0.5, 1.0, 1.0, 2.0, 3.0], n)
    return (y, s, a, w, int(k)) if len(set(a)) > 1 else None


def optimum(y, s, a, w, k, criterion, cost, form):
    predictions = oracles.every_cutting(s, k)
    costs = oracles.costs_of_cuttings(y, predictions, w, cost)
    violations = oracles.violations_of_cuttings(criterion, y, predictions, a, w, cost)
    if "trade_off" in form:
        return (costs + k * form["trade_off"] / (1 - form["trade_off"]) * violations).min()
    return costs[violations <= form["max_violation"] + 1e-12].min()


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("form", ["trade_off", "max_violation"])
def test_certified_and_exact_are_the_optimum_of_exhaustive_search(criterion, form):
    generator = np.random.default_rng([CRITERIA.index(criterion), len(form)])
    solved = 0
    while solved < N_INSTANCES:
        found = instance(generator)
        if found is None:
            continue
        y, s, a, w, k = found
        name = str(generator.choice(COSTS))
        goal = {form: float(generator.choice([0.0, 0.05, 0.1, 0.3, 0.5, 0.9, 0.99]))}
        truth = optimum(y, s, a, w, k, criterion, cost_matrix(name, np.arange(k)), goal)
        for method, tol in (("certified", 1e-3), ("exact", 1e-9)):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    result = optimize_thresholds(
                        s,
                        y,
                        sensitive_features=a,
                        criterion=criterion,
                        cost_matrix=name,
                        sample_weight=w,
                        labels=range(k),
                        method=method,
                        **goal,
                    )
                except ValueError as error:
                    if "undefined for every pair" not in str(error):
                        raise
                    continue
            assert result.lower_bound <= truth + 1e-12
            assert truth - 1e-12 <= result.objective <= truth + tol + 1e-12
            solved += 1
