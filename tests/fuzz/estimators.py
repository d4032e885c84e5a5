"""Laws of estimators: what must not matter does not, and what is reported is what is predicted."""

from copy import deepcopy

import numpy as np
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.svm import LinearSVC

from fairordinal import FairOrdinalClassifier, FairThresholdClassifier, metrics
from fairordinal.ranker import FairLinearRanker
from fuzz import chance, choose
from fuzz.rows import draw_groups, draw_names

CRITERIA = ["demographic_parity", "equal_opportunity"]
VIOLATIONS = {
    "demographic_parity": metrics.pairwise_demographic_parity_difference,
    "equal_opportunity": metrics.pairwise_equal_opportunity_difference,
}
CLOSE = 2e-3  # thresholds are proved to be as close to the best


def draw_data(generator, *, n_labels=None, n_groups=None, least=30, most=60):
    """Features, codes of labels that depend on them, codes of groups; all of them occur."""
    n = int(generator.integers(least, most))
    n_labels = n_labels or int(generator.integers(2, 5))
    n_groups = n_groups or int(generator.integers(2, 4))
    X = generator.normal(size=(n, int(generator.integers(1, 4))))
    a = generator.integers(0, n_groups, n)
    latent = X[:, 0] + 0.5 * a + generator.normal(0, 0.5, n)
    y = np.searchsorted(np.quantile(latent, np.arange(1, n_labels) / n_labels), latent)
    y[: 2 * n_labels], a[: 2 * n_groups] = [*range(n_labels)] * 2, [*range(n_groups)] * 2
    return X, y, a


def draw_goal(generator):
    goal = choose(generator, "trade_off", "max_violation")
    return {goal: float(choose(generator, 0.05, 0.2, 0.5)),
            "criterion": choose(generator, *CRITERIA)}  # fmt: skip


def fitted_scorer(generator, X, y):
    """A fitted estimator of labels in their alphabetical or numerical order."""
    model = choose(generator, Ridge(), LogisticRegression()) if len(np.unique(y)) > 2 else choose(
        generator, LogisticRegression(), LinearSVC()
    )  # fmt: skip
    return model.fit(X, y)


def thresholds_for(generator, X, y, **options):
    """A classifier with fair thresholds on a fitted scorer, and that scorer."""
    scorer = fitted_scorer(generator, X, y)
    if chance(generator, 0.5):
        return FairThresholdClassifier(FrozenEstimator(scorer), **options), scorer
    return FairThresholdClassifier(scorer, cv="prefit", **options), scorer


def check_reported(model, X, y, a, weights=None, *, labels=None, criterion):
    """Cost and violation that are reported are those of `predict`."""
    predicted = model.predict(X)
    given = {"sample_weight": weights, "labels": labels}
    cost = metrics.mean_cost(y, predicted, **given)
    violation = VIOLATIONS[criterion](y, predicted, sensitive_features=a, **given)
    assert abs(model.cost_ - cost) <= 1e-9 * max(1.0, cost)
    assert np.isnan(violation) or abs(model.violation_ - violation) <= 1e-9


def the_order_of_rows_does_not_matter(generator):
    X, y, a = draw_data(generator)
    model, _ = thresholds_for(generator, X, y, **draw_goal(generator))
    order = generator.permutation(len(y))
    one = deepcopy(model).fit(X, y, sensitive_features=a)
    other = deepcopy(model).fit(X[order], y[order], sensitive_features=a[order])
    np.testing.assert_array_equal(one.predict(X), other.predict(X))


def reports_are_of_what_is_predicted(generator):
    X, y, a = draw_data(generator)
    weights = None if chance(generator, 0.5) else generator.integers(1, 5, len(y)).astype(float)
    goal = draw_goal(generator)
    model, _ = thresholds_for(generator, X, y, **goal)
    model.fit(X, y, sensitive_features=a, sample_weight=weights)
    check_reported(model, X, y, a, weights, criterion=goal["criterion"])


def names_of_groups_do_not_matter(generator):
    X, y, a = draw_data(generator)
    names = draw_groups(generator, int(a.max()) + 1)
    column = np.empty(len(a), dtype=object)
    column[:] = [names[i] for i in a]
    model, _ = thresholds_for(generator, X, y, **draw_goal(generator))
    one = deepcopy(model).fit(X, y, sensitive_features=a).result_
    other = deepcopy(model).fit(X, y, sensitive_features=column).result_
    assert abs(one.objective - other.objective) <= CLOSE, (names, one.objective, other.objective)


def labels_in_any_order_are_understood(generator):
    """Two labels whose alphabetical order is not theirs: scores were upside down."""
    X, y, a = draw_data(generator, n_labels=2)
    names = choose(generator, draw_names(generator, 2), ["low", "high"], [1, 0], [0, 1])
    labels = np.array(names)[y]
    model, scorer = thresholds_for(generator, X, labels, trade_off=0.0, labels=names)
    model.fit(X, labels, sensitive_features=a)
    plain = metrics.mean_cost(labels, scorer.predict(X), labels=names)
    found = metrics.mean_cost(labels, model.predict(X), labels=names)
    assert found <= plain + CLOSE, f"{names}: {found}, but {plain} without thresholds"
    assert list(model.classes_) == names
    check_reported(model, X, labels, a, labels=names, criterion="demographic_parity")


def linear(generator, **options):
    ranker = choose(generator, "reduction", "auto")
    return FairOrdinalClassifier(alpha=0.01, cv=2, ranker=ranker, **options)


def weights_count_by_their_ratios(generator):
    """Any factor: rounding must not decide between equals."""
    X, y, a = draw_data(generator, most=40)
    X = X * 10.0 ** generator.integers(-4, 5, X.shape[1])
    weights = generator.integers(1, 4, len(y)).astype(float)
    factor = float(choose(generator, 2.0**-60, 2.0**-33, 0.1, 7.0, 100.0, 1e10, 2.0**60))
    goal = draw_goal(generator)
    model, _ = thresholds_for(generator, X, y, **goal)
    if chance(generator, 0.3):
        model = linear(generator, **goal)
    one = deepcopy(model).fit(X, y, sensitive_features=a, sample_weight=weights)
    other = deepcopy(model).fit(X, y, sensitive_features=a, sample_weight=weights * factor)
    what = f"{factor}: {one.result_}, {other.result_}"
    assert abs(one.result_.objective - other.result_.objective) <= CLOSE, what


WRONG = {
    "a missing feature": lambda X, y, a: (np.where(np.arange(X.size).reshape(X.shape) == 0,
                                                   np.nan, X), y, a),
    "one group": lambda X, y, a: (X, y, np.zeros(len(a))),
    "one label": lambda X, y, a: (X, np.zeros(len(y), dtype=int), a),
    "too few groups": lambda X, y, a: (X, y, a[:-1]),
    "other columns and a missing group": lambda X, y, a: (
        X[:, [0, *range(X.shape[1])]], y, [None, *a[1:]]),
    "labels nobody knows": lambda X, y, a: (X, [None, *y[1:].tolist()], a),
    "labels that are the groups": lambda X, y, a: (-X, (a > 0).astype(int), a > 0),
}  # fmt: skip


def a_failed_refit_changes_nothing(generator):
    """Of labels that are the groups, equal opportunity is undefined, which shows late."""
    X, y, a = draw_data(generator, most=40)
    goal = draw_goal(generator) | {"criterion": "equal_opportunity"}
    model = choose(
        generator,
        FairThresholdClassifier(Ridge(), cv=2, **goal),
        thresholds_for(generator, X, y, **goal)[0],
        FairLinearRanker("equal_opportunity", alpha=0.01, ranker="reduction"),
        *[linear(generator, **goal)] * chance(generator, 0.3),
    )
    model.fit(X, y, sensitive_features=a)
    answer = model.decision_function if hasattr(model, "transform") else model.predict
    before, attributes = answer(X), sorted(vars(model))
    name, spoil = choose(generator, *WRONG.items())
    wrong_X, wrong_y, wrong_a = spoil(X, y, a)
    try:
        model.fit(wrong_X, wrong_y, sensitive_features=wrong_a)
    except ValueError:
        np.testing.assert_array_equal(answer(X), before, err_msg=f"{model}: {name}")
        assert sorted(vars(model)) == attributes, f"{model}: {name}"
        return True
    return False


def linear_models_report_what_they_predict(generator):
    many = {"n_groups": 30, "least": 80, "most": 90}  # intervals did not hold their estimate
    X, y, a = draw_data(generator, **(many if chance(generator, 0.1) else {"most": 40}))
    X = X * choose(generator, 1.0, 1.0, 1e-6, 1e6)
    X[:, 0] += float(choose(generator, 0.0, 1e3, 1e9, 1e15, 1e15))
    goal = draw_goal(generator)
    model = linear(generator, **goal)
    try:
        model.fit(X, y, sensitive_features=a)
    except ValueError:
        return False
    check_reported(model, X, y, a, criterion=goal["criterion"])
    for value, interval in (
        (model.expected_cost_, model.expected_cost_interval_),
        (model.expected_violation_, model.expected_violation_interval_),
    ):
        assert interval[0] - 1e-9 <= value <= interval[1] + 1e-9, (value, interval)
    assert 0 <= model.expected_violation_ <= 1
    return True


LAWS = {
    the_order_of_rows_does_not_matter: 300,
    reports_are_of_what_is_predicted: 400,
    names_of_groups_do_not_matter: 300,
    labels_in_any_order_are_understood: 400,
    weights_count_by_their_ratios: 60,
    a_failed_refit_changes_nothing: 200,
    linear_models_report_what_they_predict: 30,
}
