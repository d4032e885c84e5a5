"""Thresholds against all thresholds there are."""

import numpy as np

import oracles
from fairordinal import optimize_thresholds
from fairordinal._costs import cost_matrix
from fuzz import choose
from fuzz.rows import draw_rows

CRITERIA = ["demographic_parity", "equal_opportunity", "equalized_odds",
           "conditional_demographic_parity", "harm_parity"]  # fmt: skip
COSTS = ["absolute", "zero_one", "squared", "asymmetric"]
ROUNDING = 1e-9


def draw_problem(generator):
    """Rows with scores, a criterion, costs and what is asked for."""
    drawn = draw_rows(generator, scores=True, most_rows=11, zeros=False)
    goal = choose(generator, "trade_off", "max_violation")
    value = float(choose(generator, 0.0, 0.05, 0.1, 0.3, 0.5, 0.9, 0.99))
    return drawn, choose(generator, *CRITERIA), choose(generator, *COSTS), goal, value


def best(drawn, criterion, cost, goal, value):
    """The least objective, by exhaustive search."""
    k = drawn.n_labels
    weights = np.array(drawn.w or [1.0] * len(drawn.y))
    weights = np.ldexp(weights, -int(np.frexp(weights.max())[1]))  # exact; products stay in range
    predictions = oracles.every_cutting(drawn.s, k)
    costs = oracles.costs_of_cuttings(drawn.y, predictions, weights, cost)
    violations = oracles.violations_of_cuttings(
        criterion, drawn.y, predictions, drawn.a, weights, cost
    )
    if goal == "trade_off":
        return (costs + k * value / (1 - value) * violations).min()
    return costs[violations <= value + 1e-12].min()


def thresholds_are_the_best_of_all(generator):
    drawn, criterion, name, goal, value = draw_problem(generator)
    method, tol = choose(generator, ("certified", 1e-3), ("exact", 1e-9))
    try:
        found = optimize_thresholds(
            drawn.s,
            drawn.y,
            sensitive_features=drawn.a,
            criterion=criterion,
            cost_matrix=name,
            sample_weight=drawn.w,
            labels=range(drawn.n_labels),
            method=method,
            **{goal: value},
        )
    except ValueError as error:
        if "undefined for every pair" in str(error):
            return False
        raise
    truth = best(drawn, criterion, cost_matrix(name, np.arange(drawn.n_labels)), goal, value)
    what = f"{found.objective!r}, best {truth!r}: {(drawn, criterion, name, goal, value, method)}"
    assert found.lower_bound <= truth + ROUNDING, what
    assert truth - ROUNDING <= found.objective <= truth + tol + ROUNDING, what
    check_prediction(found, drawn)
    return True


def check_prediction(found, drawn):
    """What is reported is what the thresholds give."""
    predicted = np.searchsorted(found.thresholds, drawn.s, side="left")
    weights = drawn.exact
    again = oracles.violation(found.criterion.name, drawn.y, predicted.tolist(), drawn.a, weights)
    if found.criterion.name != "harm_parity" and not np.isnan(found.violation):
        assert abs(found.violation - float(again)) <= ROUNDING, drawn


def a_factor_of_weights_moves_no_threshold(generator):
    drawn, criterion, name, goal, value = draw_problem(generator)
    weights = generator.integers(1, 4, len(drawn.y)).astype(float)
    factor = 2.0 ** float(choose(generator, -900, -500, -40, 40, 500, 900))
    options = {"sensitive_features": drawn.a, "criterion": criterion, "cost_matrix": name,
               "labels": range(drawn.n_labels), goal: value}  # fmt: skip
    found = []
    for scaled in (weights, weights * factor):
        try:
            found.append(optimize_thresholds(drawn.s, drawn.y, sample_weight=scaled, **options))
        except ValueError as error:
            if "undefined for every pair" not in str(error):
                raise
            found.append(None)
    one, other = found
    assert (one is None) == (other is None)
    if one is None:
        return False
    assert abs(one.objective - other.objective) <= ROUNDING, (drawn, criterion, name, goal, value)
    return True


LAWS = {thresholds_are_the_best_of_all: 700, a_factor_of_weights_moves_no_threshold: 250}
