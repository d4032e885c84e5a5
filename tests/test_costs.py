"""Costs of any size: means, intervals and thresholds are the same, in other units."""

import numpy as np
import pytest

from fairordinal import FairOrdinalClassifier, audit, compare, optimize_thresholds
from fairordinal._costs import cost_matrix
from fairordinal.baselines import (
    ConstantClassifier,
    ProportionalOddsClassifier,
    RandomizedMixtureClassifier,
)
from fairordinal.metrics import (
    conditional_harm_parity_difference,
    harm_parity_difference,
    mean_cost,
)

pytestmark = pytest.mark.usefixtures("small_effort")

random = np.random.default_rng(0)
n = 120
y, a = random.integers(0, 3, n), random.integers(0, 3, n)
f = np.clip(y + random.integers(-1, 2, n), 0, 2)
X = random.normal(size=(n, 2)) + y[:, None]
s = X.sum(axis=1)
USUAL = cost_matrix("absolute", np.arange(3))
GROUPS = {"sensitive_features": a}
MIXTURE = RandomizedMixtureClassifier(ProportionalOddsClassifier(alpha=1.0), probability=0.3)


def audited(C):
    result = audit(y, f, cost_matrix=C, **GROUPS)
    harm = result["harm_parity"]
    return [*result.group_columns()["mean_cost"], harm.violation, *harm.violation_interval]


def cut(C, **options):
    result = optimize_thresholds(s, y, cost_matrix=C, tol=1e-3 * C.max(), **options, **GROUPS)
    return [result.cost, result.lower_bound, *result.summary()["after"][3:]]


def compared(C):
    frame = compare({"f": f, "y": y}, X, y, cost_matrix=C, **GROUPS).frame()
    names = ["cost", "cost_lower", "cost_upper", "cost_difference_lower", "cost_difference_upper"]
    return frame[names].to_numpy()


def learned(C):
    model = FairOrdinalClassifier(max_violation=0.3, cost_matrix=C, alpha=1e-2, cv=2)
    return model.fit(X, y, **GROUPS).cost_


MEASURES = {
    "mean_cost": lambda C: mean_cost(y, f, cost_matrix=C),
    "harm": lambda C: harm_parity_difference(y, f, cost_matrix=C, **GROUPS),
    "conditional harm": lambda C: conditional_harm_parity_difference(
        y, f + (f == y), cost_matrix=C, labels=[0, 1, 2, 3], **GROUPS
    ),
    "audit": audited,
    "bootstrap": lambda C: (
        audit(y, f, cost_matrix=C, interval="bootstrap", n_resamples=20, **GROUPS)[
            "harm_parity"
        ].violation_interval
    ),
    "limit": lambda C: cut(C, max_violation=0.1),
    "exact": lambda C: cut(C, max_violation=0.1, method="exact"),
    "compare": compared,
    "constant": lambda C: ConstantClassifier(C).fit(X, y).cost_,
    "mixture": lambda C: MIXTURE.set_params(cost_matrix=C).fit(X, y).expected_cost(X, y),
    "classifier": learned,
}


@pytest.mark.parametrize("factor", [1e-300, 1e-170, 1e7, 1e160, 5e307])
@pytest.mark.parametrize("name", MEASURES)
def test_costs_of_any_size_are_reported_in_their_units(name, factor):
    if name == "classifier" and factor < 1:
        pytest.skip("its thresholds are proved to 1e-3, whatever the unit of costs")
    matrix = cost_matrix("absolute", np.arange(4)) if name == "conditional harm" else USUAL
    found = np.asarray(MEASURES[name](matrix * factor)) / factor
    assert np.isfinite(found).all()
    np.testing.assert_allclose(found, MEASURES[name](matrix), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    ("labels", "name"), [([-1e308, 1e308], "absolute"), ([0, 1e200], "squared")]
)
def test_labels_whose_costs_no_float_can_hold_are_refused(labels, name):
    with pytest.raises(ValueError, match=f"cost_matrix='{name}' overflows"):
        mean_cost(labels, labels[::-1], cost_matrix=name)


def test_a_limit_on_harms_without_measure_is_refused():
    with pytest.raises(ValueError, match="Divide cost_matrix by a constant"):
        cut(USUAL * 1e100, criterion="harm_parity", max_violation=0.1)
