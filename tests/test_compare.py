"""Comparing models on the same rows: differences with paired intervals."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

from fairordinal import FairOrdinalClassifier, compare
from fairordinal.metrics import (
    mean_cost,
    pairwise_demographic_parity_difference,
    pairwise_equal_opportunity_difference,
)
from test_ordinal import people

MEASURES = {
    "demographic_parity": pairwise_demographic_parity_difference,
    "equal_opportunity": pairwise_equal_opportunity_difference,
}


def predictions(n, seed, n_groups=2):
    """A fairer and a cheaper predictor of the same rows."""
    X, y, a = people(n, seed=seed, n_groups=n_groups)
    cheap = np.digitize(X[:, 0], [-0.8, 0.3, 1.2])
    fair = np.digitize(X[:, 0] - 0.5 * a, [-0.8, 0.0, 0.9])
    return y, a, {"cheap": cheap, "fair": fair}


@pytest.mark.parametrize("criterion", MEASURES)
@pytest.mark.parametrize("n_groups", [2, 3])
def test_values_are_those_of_the_metrics(criterion, n_groups):
    y, a, models = predictions(300, 0, n_groups)
    frame = compare(models, None, y, sensitive_features=a, criterion=criterion).frame()
    for i, predicted in enumerate(models.values()):
        violation = MEASURES[criterion](y, predicted, sensitive_features=a)
        assert frame["cost"][i] == pytest.approx(mean_cost(y, predicted))
        assert frame["violation"][i] == pytest.approx(violation)
    assert frame["cost_difference"][0] == frame["violation_difference_upper"][0] == 0.0
    assert frame["cost_difference"][1] == pytest.approx(frame["cost"][1] - frame["cost"][0])


@pytest.mark.parametrize("criterion", MEASURES)
def test_intervals_of_differences_cover(criterion):
    many = predictions(200_000, 99)
    truth = compare(many[2], None, many[0], sensitive_features=many[1], criterion=criterion).frame()
    covered = []
    for seed in range(200):
        y, a, models = predictions(400, seed)
        found = compare(models, None, y, sensitive_features=a, criterion=criterion).frame()
        covered.append(
            [
                found[f"{kind}_difference_lower"][1]
                <= truth[f"{kind}_difference"][1]
                <= found[f"{kind}_difference_upper"][1]
                for kind in ("cost", "violation")
            ]
        )
    cost, violation = np.mean(covered, axis=0)
    assert 0.91 <= cost <= 0.985  # 0.95 ± 2.6 standard errors
    assert violation >= 0.91  # more, where signs are not clear


def test_pairing_makes_differences_surer_than_the_values():
    y, a, models = predictions(400, 0)
    frame = compare(models, None, y, sensitive_features=a).frame()
    apart = frame["violation_difference_upper"][1] - frame["violation_difference_lower"][1]
    alone = frame["violation_upper"][1] - frame["violation_lower"][1]
    assert apart < alone


def test_fitted_models_and_text():
    X, y, a = people(300)
    options = {"alpha": 1e-3, "ranker": "reduction", "cv": 3}
    models = {
        "plain": FairOrdinalClassifier(trade_off=0.0, **options).fit(X, y, sensitive_features=a),
        "<b>fair</b>": FairOrdinalClassifier(trade_off=0.5, **options).fit(
            X, y, sensitive_features=a
        ),
    }
    found = compare(models, *people(200, seed=1)[:2], sensitive_features=people(200, seed=1)[2])
    assert str(found).startswith("2 models on 200 rows: pairwise demographic parity")
    assert "&lt;b&gt;fair" in found._repr_html_()


def test_the_models_are_drawn():
    plt.switch_backend("Agg")
    y, a, models = predictions(300, 0)
    found = compare(models, None, y, sensitive_features=a)
    drawn = found.plot().frame()
    assert drawn["name"].tolist() == ["cheap", "fair"]
    np.testing.assert_allclose(drawn["cost"], found.frame()["cost"])
    plt.close("all")


@pytest.mark.parametrize(
    ("models", "message"),
    [
        ({}, "models must be a mapping"),
        ([1, 2], "models must be a mapping"),
        ({"scores": [0.25, 0.5, 0.75, 0.1]}, "predicts scores"),
    ],
)
def test_what_cannot_be_compared_is_refused(models, message):
    with pytest.raises(ValueError, match=message):
        compare(models, None, [1, 2, 3, 1], sensitive_features=list("abab"))
