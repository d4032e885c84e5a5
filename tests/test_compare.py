"""Comparing models on the same rows: differences with paired intervals."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
import sklearn
from scipy.stats import norm
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import oracles
from fairordinal import (
    FairOrdinalClassifier,
    FairOrdinalFrontier,
    FairThresholdClassifier,
    compare,
)
from fairordinal.baselines import (
    ConstantClassifier,
    ProportionalOddsClassifier,
    WassersteinFairClassifier,
    fair_thresholds_only,
)
from fairordinal.frontier._paired_intervals import _joint_covariance
from fairordinal.metrics import (
    mean_cost,
    pairwise_demographic_parity_difference,
    pairwise_equal_opportunity_difference,
)
from made_up import people

pytestmark = pytest.mark.usefixtures("small_effort")

MEASURES = {
    "demographic_parity": pairwise_demographic_parity_difference,
    "equal_opportunity": pairwise_equal_opportunity_difference,
}
NAMES = np.array(["low", "middle", "high", "top"])


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
    assert violation >= 0.91


def shifted(n, seed, shifts, n_groups):
    """Two predictors that know nothing but the group, by so much."""
    _, y, a = people(n, seed=seed, n_groups=n_groups)
    generator = np.random.default_rng(seed)
    score, noise = generator.normal(size=n), generator.normal(size=n)
    models = {
        "one": np.digitize(score + shifts[0] * a, [-0.8, 0.3, 1.2]),
        "two": np.digitize(score + 0.5 * noise + shifts[1] * a, [-0.8, 0.3, 1.2]),
    }
    return compare(models, None, y, sensitive_features=a).frame().loc[1]


@pytest.mark.parametrize(
    ("shifts", "n_groups"),
    [
        pytest.param((0.0, 0.3), 2, marks=pytest.mark.slow),
        ((0.3, 0.0), 2),
        ((0.4, -0.4), 2),
        ((0.0, 0.2), 6),
        pytest.param((0.2, 0.0), 6, marks=pytest.mark.slow),
    ],
)
def test_intervals_of_differences_cover_whatever_sign_and_pair_are_the_worst(shifts, n_groups):
    truth = shifted(200_000, 99, shifts, n_groups)["violation_difference"]
    rows = [shifted(500, seed, shifts, n_groups) for seed in range(200)]
    ends = [(row["violation_difference_lower"], row["violation_difference_upper"]) for row in rows]
    assert np.mean([low <= truth <= high for low, high in ends]) >= 0.91
    assert np.mean([high - low for low, high in ends]) < (0.4 if n_groups == 2 else 0.8)


@pytest.mark.parametrize("criterion", ["demographic_parity", "harm_parity"])
def test_variances_are_those_of_the_jackknife(criterion):
    y, a, models = predictions(120, 3)  # two groups: the worst pair stays the same

    def difference(kept):
        some = {name: predicted[kept] for name, predicted in models.items()}
        found = compare(some, None, y[kept], sensitive_features=a[kept], criterion=criterion)
        return found.frame()["violation_difference"][1]

    without = np.array([difference(np.arange(len(y)) != i) for i in range(len(y))])
    parts = [without[a == g] for g in range(2)]
    variance = sum((len(part) - 1) * part.var() for part in parts)
    found = compare(models, None, y, sensitive_features=a, criterion=criterion)
    first, model = (compared.effects for compared in found.models)
    signs = np.sign([*model.disparities, *first.disparities]) * [1, -1]
    ours = signs @ _joint_covariance(model, first, found.sample) @ signs
    assert ours == pytest.approx(variance, rel=0.05)


def weighted(n, seed, n_groups=2):
    """Two predictors, and weights from 0 to 3 that depend on the label."""
    y, a, models = predictions(n, seed, n_groups)
    return y, a, models, (y + np.arange(n)) % 4


def test_frequency_weights_are_repetitions():
    y, a, models, w = weighted(150, 4, n_groups=3)
    w[(a == 2) | (y == 3)] = 0  # this group and this label have no weight
    found = compare(models, None, y, sensitive_features=a, sample_weight=w).frame()
    repeated = {name: np.repeat(predicted, w) for name, predicted in models.items()}
    whole = compare(repeated, None, np.repeat(y, w), sensitive_features=np.repeat(a, w))
    assert str(whole).startswith(f"2 models on {w.sum()} rows")
    expected = whole.frame().drop(columns="model").to_numpy(float)
    np.testing.assert_allclose(found.drop(columns="model").to_numpy(float), expected, atol=1e-12)


@pytest.mark.parametrize("criterion", ["demographic_parity", "harm_parity"])
def test_survey_weights_have_the_variance_of_single_rows(criterion):
    y, a, models, w = weighted(40, 4)
    found = compare(
        models, None, y, sensitive_features=a, criterion=criterion, sample_weight=w,
        weights="survey",
    )  # fmt: skip
    for model in found.models:
        own = _joint_covariance(model.effects, model.effects, found.sample)[0, 0]
        ((expected,),) = oracles.survey_covariance(
            criterion, y, models[model.name], a, w, [(0, 0, 1)]
        )
        assert own == pytest.approx(expected, rel=1e-10)


def test_mean_costs_of_survey_weights_have_the_variance_of_single_rows():
    y, a, models, w = weighted(40, 4)
    found = compare(models, None, y, sensitive_features=a, sample_weight=w, weights="survey")
    costs = [np.abs(y - predicted) for predicted in models.values()]
    change = costs[1] - costs[0]
    mean, n = np.average(change, weights=w), w.sum() ** 2 / (w**2).sum()
    deviation = np.sqrt(sum((w * (change - mean)) ** 2) * n / (n - 1)) / w.sum()
    row = found.frame().loc[1]
    assert row["cost_difference"] == pytest.approx(mean)
    assert row["cost_difference_upper"] == pytest.approx(mean + norm.ppf(0.975) * deviation)
    mean = np.average(costs[1], weights=w)
    deviation = np.sqrt(sum((w * (costs[1] - mean)) ** 2)) / w.sum()
    assert row["cost_upper"] == pytest.approx(mean + norm.ppf(0.975) * deviation)


@pytest.mark.parametrize("factor", [1e-200, 0.3, 54.0])
def test_equal_survey_weights_change_nothing(factor):
    y, a, models, _ = weighted(120, 5)
    same = np.full(len(y), factor)
    plain = compare(models, None, y, sensitive_features=a)
    found = compare(models, None, y, sensitive_features=a, sample_weight=same, weights="survey")
    expected = plain.frame().drop(columns="model").to_numpy(float)
    np.testing.assert_allclose(found.frame().drop(columns="model").to_numpy(float), expected)
    assert str(found).startswith("2 models on 120 rows")


def drawn(n, seed):
    """Rows of a population, of which some labels are drawn less often, and weigh more."""
    y, a, models = predictions(3 * n, seed)
    share = np.array([1.0, 0.5, 0.25, 0.1])[y]
    kept = np.random.default_rng(seed).random(len(y)) < share
    return y[kept], a[kept], {name: p[kept] for name, p in models.items()}, 1 / share[kept]


@pytest.mark.slow
def test_intervals_of_survey_weights_cover():
    y, a, models = predictions(200_000, 99)
    truth = compare(models, None, y, sensitive_features=a).frame().loc[1]
    hits = {"cost": 0, "violation": 0, "cost_difference": 0, "violation_difference": 0}
    for seed in range(300):
        y, a, models, w = drawn(400, seed)
        found = compare(models, None, y, sensitive_features=a, sample_weight=w, weights="survey")
        row = found.frame().loc[1]
        for name in hits:
            hits[name] += row[f"{name}_lower"] <= truth[name] <= row[f"{name}_upper"]
    assert min(hits.values()) >= 0.91 * 300


def test_an_unclear_sign_does_not_make_violations_negative():
    X, y, a = people(300, seed=1)
    models = {"unfair": np.digitize(X[:, 0], [-0.8, 0.3, 1.2]), "exact": y}
    row = compare(models, None, y, sensitive_features=a, criterion="equal_opportunity").frame()
    reach = row["violation_difference_upper"][1] - row["violation_difference"][1]
    assert row["violation"][1] == 0.0
    lowest = row["violation_difference"][1] - reach
    assert row["violation_difference_lower"][1] == pytest.approx(lowest)


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


def competitors(X, y, a):
    """Models that look at groups, and one that does not, though its `predict` takes them."""
    scaled = make_pipeline(
        StandardScaler(), FairThresholdClassifier(Ridge(), group_aware=True, cv=3)
    )
    return {
        "group-aware": fair_thresholds_only(group_aware=True, cv=3).fit(X, y, sensitive_features=a),
        "Wasserstein": WassersteinFairClassifier(Ridge()).fit(X, y, sensitive_features=a),
        "in a pipeline": scaled.fit(X, y, fairthresholdclassifier__sensitive_features=a),
        "one set": fair_thresholds_only(cv=3).fit(X, y, sensitive_features=a),
    }


def test_models_that_look_at_groups_are_told_them():
    X, y, a = people(300)
    new, truth, groups = people(200, seed=1)
    models = competitors(X, y, a)
    frame = compare(models, new, truth, sensitive_features=groups).frame()
    for i, (name, model) in enumerate(models.items()):
        told = {} if name == "one set" else {"sensitive_features": groups}
        predicted = model.predict(new, **told)
        assert frame["cost"][i] == pytest.approx(mean_cost(truth, predicted))
    assert frame["violation"][:3].max() < 0.2


def test_a_routed_pipeline_is_told_the_groups():
    X, y, a = people(200)
    with sklearn.config_context(enable_metadata_routing=True):
        last = FairThresholdClassifier(Ridge(), group_aware=True, cv=3)
        last.set_fit_request(sensitive_features=True).set_predict_request(sensitive_features=True)
        model = make_pipeline(StandardScaler(), last).fit(X, y, sensitive_features=a)
        frame = compare({"routed": model}, X, y, sensitive_features=a).frame()
    assert frame["violation"][0] < 0.2


def test_competitors_are_drawn_beside_a_frontier():
    plt.switch_backend("Agg")
    X, y, a = people(300)
    new = people(200, seed=1)
    frontier = FairOrdinalFrontier(alpha=1e-3, ranker="reduction", cv=3)
    frontier.fit(X, y, sensitive_features=a, eval_set=new)
    found = compare(competitors(X, y, a), *new[:2], sensitive_features=new[2])
    drawn = frontier.plot(measured_on="held-out", baselines=found).frame()
    drawn = drawn[drawn["name"] != "model"].reset_index()
    assert drawn["name"].tolist() == ["group-aware", "Wasserstein", "in a pipeline", "one set"]
    for key in ("cost", "cost_lower", "violation", "violation_upper"):
        np.testing.assert_array_equal(drawn[key], found.frame()[key])
    other = compare({"y": y}, X, y, sensitive_features=a, criterion="equal_opportunity")
    with pytest.raises(ValueError, match=r"compared by pairwise equal opp.*'demographic_parity'"):
        frontier.plot(baselines=other)
    plt.close("all")


def test_names_have_the_order_that_models_were_fitted_with():
    X, y, a = people(300)
    models = {
        "any": LogisticRegression().fit(X, NAMES[y]),
        "constant": ConstantClassifier(labels=NAMES.tolist()).fit(X, NAMES[y]),
        "part": ConstantClassifier(labels=["low", "top"]).fit(X, np.where(y > 1, "top", "low")),
    }
    found = compare(models, X, NAMES[y], sensitive_features=a).frame()
    assert found["cost"][1] == mean_cost(y, np.full_like(y, np.median(y)))
    models["reverse"] = ConstantClassifier(labels=NAMES[::-1].tolist()).fit(X, NAMES[y])
    with pytest.raises(ValueError, match=r"models\['constant'\] and models\['reverse'\] have"):
        compare(models, X, NAMES[y], sensitive_features=a)


def test_numbers_that_no_model_was_fitted_to_may_occur():
    X, y, a = people(300)
    model = ProportionalOddsClassifier().fit(X, np.minimum(y, 2))
    found = compare({"POM": model}, X, y, sensitive_features=a).frame()
    assert found["cost"][0] == pytest.approx(mean_cost(y, model.predict(X)))


def test_an_unfitted_model_is_named():
    X, y, a = people(50)
    models = {"fine": y, "raw": ProportionalOddsClassifier()}
    with pytest.raises(NotFittedError, match=r"models\['raw'\] is not fitted"):
        compare(models, X, y, sensitive_features=a)


def test_undefined_differences_are_said_to_be_so():
    found = compare(
        {"one": [1, 2], "two": [2, 1]}, None, [1, 2],
        sensitive_features=["a", "b"], criterion="equal_opportunity",
    )  # fmt: skip
    table, evidence = str(found).split("\n\n")[1:]
    assert table.split()[-2:] == ["undefined", "undefined"]
    assert "From 'one' to 'two', the violation cannot be compared and the mean cost" in evidence
    assert np.isnan(found.frame()["violation_difference"][1])


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
        ({"scores": [0.25, 0.5, 0.75, 0.1]}, "must predict labels, got scores such as 0.1"),
        ({"short": [1, 2, 3]}, r"models\['short'\] has 3 rows but y has 4"),
        ({"none": None}, r"models\['none'\] must be a column of rows"),
    ],
)
def test_what_cannot_be_compared_is_refused(models, message):
    with pytest.raises(ValueError, match=message):
        compare(models, None, [1, 2, 3, 1], sensitive_features=list("abab"))


def test_scores_of_a_regressor_are_refused_with_two_ways_to_labels_that_work():
    X, y, a = people(300)
    model = Ridge().fit(X[:150], y[:150])
    rows = (X[150:], y[150:])
    with pytest.raises(ValueError, match=r"must predict labels.*cv='prefit'") as error:
        compare({"ridge": model}, *rows, sensitive_features=a[150:])
    assert "np.rint(scores).clip(0, 3)" in str(error.value)
    rounded = np.rint(model.predict(X[150:])).clip(0, 3)
    cut = FairThresholdClassifier(model, cv="prefit", trade_off=0.0)
    cut.fit(X[150:], y[150:], sensitive_features=a[150:])
    compare({"rounded": rounded, "cut": cut}, *rows, sensitive_features=a[150:])


@pytest.mark.parametrize("labels", [NAMES, np.array([0, 10, 20, 30]), np.array([0, 0.5, 1, 2])])
def test_scores_are_not_rounded_to_labels_that_are_not_consecutive(labels):
    _, y, a = people(100)
    order = labels.tolist()
    models = {"scores": np.linspace(0.1, 2.9, 100)}
    with pytest.raises(ValueError, match=r"and pass that classifier\.$"):
        compare(models, None, labels[y], sensitive_features=a, labels=order)
