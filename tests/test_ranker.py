"""Fair linear rankers: gradients, paths, and what they reach."""

import numpy as np
import pandas as pd
import pytest
from fairlearn import reductions
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from fairordinal._pairloss import LOSSES, STEP, make_pair_loss
from fairordinal._rows import Block, Features
from fairordinal.criteria import DemographicParity, EqualOpportunity, as_criterion
from fairordinal.metrics import pairwise_demographic_parity_difference
from fairordinal.ranker import FairLinearRanker, pair_data, pairwise_gradient
from fairordinal.ranker import _pairs as pairs_module
from fairordinal.ranker._objective import Aim, Objective, ScoredPairs
from fairordinal.ranker._paths import (
    GRID,
    LIMITS,
    METHODS,
    accuracy_of,
    direct,
    disparities_of,
    grid,
    plain,
    violation_of,
)
from fairordinal.ranker._solver import Training, minimise, steepness_at
from made_up import people


def rows_of(n=400, n_groups=2):
    return people(n, n_groups=n_groups, n_features=4)


def data_of(X, y, a, criterion="demographic_parity", loss="logistic"):
    rows = Block.of(Features.plain(X), a, y, a.max() + 1, y.max() + 1)
    return pair_data(rows, as_criterion(criterion), LOSSES[loss])


def tables_of(data):
    """The contrasts with all their zeros, (E, m, m)."""
    return data.contrasts.toarray().reshape(-1, data.n_cells, data.n_cells)


@pytest.mark.parametrize("criterion", ["demographic_parity", "equal_opportunity", "equalized_odds"])
@pytest.mark.parametrize("n_groups", [2, 3])
@pytest.mark.parametrize("loss", LOSSES)
def test_gradients_agree_with_a_stencil(criterion, n_groups, loss):
    data = data_of(*rows_of(n_groups=n_groups), criterion, loss)
    tilt = 0.3 * tables_of(data)[0] / data.unit_weight
    aim = Aim(tilt=tilt, penalty=30.0, limit=0.05, sharpness=2.0, mean_penalty=0.2)
    objective = Objective(data, 0.1, aim)
    coef = np.random.default_rng(1).normal(size=4)
    _, gradient = objective(coef)
    for i, step in enumerate(1e-4 * np.eye(4)):
        slope = (objective(coef + step)[0] - objective(coef - step)[0]) / 2e-4
        assert gradient[i] == pytest.approx(slope, rel=1e-5, abs=1e-7)


@pytest.mark.parametrize("loss", LOSSES)
def test_the_gradient_of_smooth_steps_is_subtracted(loss):
    X, y, a = rows_of()
    data, coef = data_of(X, y, a, loss=loss), np.array([1.0, -0.5, 0.2, 0.0])
    cells, weight = a * 4 + y, np.ones(len(y))
    pairs = ScoredPairs(data.rows, data.loss, coef, data.loss.detail)
    steps = pairs.histogram.potential(STEP, data.pair_weights)
    slopes = make_pair_loss(data.loss, X @ coef, cells, data.n_cells, weight).slopes_of(steps)
    expected = pairs.loss(data.pair_weights)[1] - X.T @ slopes
    np.testing.assert_allclose(pairs.loss(data.pair_weights, steps)[1], expected, atol=1e-9)


def test_all_pairs_are_those_of_a_logistic_regression_on_explicit_pairs():
    X, y, a = rows_of(80)
    data, alpha = data_of(X, y, a), 0.01
    above, below = np.nonzero(y[:, None] > y[None, :])
    differences = np.concatenate([X[above] - X[below], X[below] - X[above]])
    signs = np.repeat([1, 0], len(above))
    explicit = LogisticRegression(C=1 / (alpha * len(signs)), fit_intercept=False, tol=1e-10)
    explicit.fit(differences, signs)
    found = minimise(Objective(data, alpha), np.zeros(4), tol=1e-9, max_iter=500)
    np.testing.assert_allclose(found.coef, explicit.coef_[0], rtol=1e-4)


def test_the_squared_hinge_is_that_of_a_support_vector_machine_on_explicit_pairs():
    X, y, a = rows_of(80)
    data, alpha = data_of(X, y, a, loss="squared_hinge"), 0.01
    above, below = np.nonzero(y[:, None] > y[None, :])
    differences = np.concatenate([X[above] - X[below], X[below] - X[above]])
    signs = np.repeat([1, 0], len(above))
    explicit = LinearSVC(
        C=1 / (alpha * len(signs)), fit_intercept=False, dual=False, tol=1e-10, max_iter=10**4
    )
    explicit.fit(differences, signs)
    found = minimise(Objective(data, alpha), np.zeros(4), tol=1e-9, max_iter=500)
    np.testing.assert_allclose(found.coef, explicit.coef_[0], rtol=1e-6)


def explicit_pairs(X, y, a):
    """The paper's D': all pairs of unequal labels, both ways round, with the groups of each."""
    i, j = np.nonzero(y[:, None] != y[None, :])
    return X[i] - X[j], (y[i] > y[j]).astype(int), np.char.add(a[i].astype(str), a[j].astype(str))


CRITERIA = {
    "demographic parity": (DemographicParity(pairs="unequal_labels"), reductions.DemographicParity),
    "equal opportunity": (EqualOpportunity(), reductions.TruePositiveRateParity),
}


@pytest.mark.filterwarnings("ignore:Setting a")  # fairlearn's use of pandas
@pytest.mark.parametrize("multiplier", [0.03, 0.015, -0.025])
@pytest.mark.parametrize("criterion", CRITERIA)
def test_a_multiplier_gives_what_grid_search_of_fairlearn_gives_on_explicit_pairs(
    criterion, multiplier
):
    X, y, a = rows_of(60)
    criterion, moment = CRITERIA[criterion]
    data, alpha = data_of(X, y, a, criterion), 0.01
    D, signs, groups = explicit_pairs(X, y, a)
    probe = moment()
    probe.load_data(D, signs, sensitive_features=groups)
    lagrange = pd.Series(0.0, index=probe.index)
    lagrange.loc[("+", slice(None), "01")] = multiplier
    lagrange.loc[("+", slice(None), "10")] = -multiplier
    assert (probe.signed_weights(lagrange).abs() < 1).all()  # beyond, it turns one way of a pair
    base = LogisticRegression(C=1 / (alpha * len(signs)), fit_intercept=False, tol=1e-10)
    search = reductions.GridSearch(base, moment(), grid=pd.DataFrame({0: lagrange}))
    search.fit(D, signs, sensitive_features=groups)
    aim = Aim(tilt=multiplier * tables_of(data)[0] / data.unit_weight)
    found = minimise(Objective(data, alpha, aim), np.zeros(4), tol=1e-9, max_iter=500)
    np.testing.assert_allclose(found.coef, search.predictors_[0].coef_[0], rtol=1e-4, atol=1e-5)


def hessian_at(objective, coef):
    root = np.linalg.cholesky(objective.hessian_at_0)
    return root @ steepness_at(objective, coef) @ root.T


@pytest.mark.parametrize("aim", [Aim(), Aim(penalty=30.0, limit=0.02), Aim(mean_penalty=1.0)])
def test_the_hessian_elsewhere_is_how_gradients_change(aim):
    data = data_of(*rows_of(300))
    objective = Objective(data, 0.01, aim)
    coef = minimise(objective, np.zeros(4), tol=1e-6, max_iter=500).coef + 0.02
    hessian = hessian_at(objective, coef)
    np.testing.assert_allclose(hessian, hessian.T)
    assert np.linalg.eigvalsh(hessian).min() > 0
    for direction in np.eye(4):
        ends = [objective(coef + size * direction)[1] for size in (0.01, -0.01)]
        change = (ends[0] - ends[1]) / 0.02
        np.testing.assert_allclose(hessian @ direction, change, atol=0.02 * np.abs(hessian).max())


def test_at_0_both_hessians_are_one():
    objective = Objective(data_of(*rows_of(300)), 0.01)
    there = hessian_at(objective, np.zeros(4))
    np.testing.assert_allclose(there, objective.hessian_at_0, rtol=0.01, atol=1e-4)


def test_very_many_features_have_the_diagonal_of_the_hessian(monkeypatch):
    rows = rows_of(n_groups=3)
    whole = data_of(*rows).hessian_at_0
    monkeypatch.setattr(pairs_module, "MOST_WHITENED", 3)
    np.testing.assert_allclose(data_of(*rows).hessian_at_0, np.diag(whole))


def test_who_knows_the_hessian_takes_fewer_steps_to_the_same_place():
    data = data_of(*rows_of(300))
    objective = Objective(data, 0.01, Aim(penalty=30.0, limit=0.02))
    plainly = minimise(objective, np.zeros(4), tol=1e-7, max_iter=500)
    start = plainly.coef + 0.05
    known = steepness_at(objective, start)
    found = minimise(objective, start, tol=1e-7, max_iter=500, steepness=known)
    again = minimise(objective, start, tol=1e-7, max_iter=500)
    assert found.n_iter < again.n_iter
    np.testing.assert_allclose(found.coef, plainly.coef, atol=1e-5)


@pytest.mark.parametrize("method", ["direct", "reduction", "relaxed"])
def test_a_path_fitted_again_to_its_own_rows_stays_where_it_is(method):
    data, training = data_of(*rows_of()), Training(0.01, 1e-6, 500)
    path = METHODS[method](data, plain(data, training), training)
    for fit, again in zip(path, training.fit_again(data, path), strict=True):
        np.testing.assert_allclose(again.coef, fit.coef, atol=1e-4)


def test_beyond_its_weight_a_pair_is_turned_round():
    X, y, a = rows_of(60)
    data = data_of(X, y, a)
    lean = np.sign(tables_of(data)[0] - tables_of(data)[0].T)
    weights = Objective(data, 0.1, Aim(tilt=0.5 * 3.0 * lean)).weights
    np.testing.assert_allclose(weights, weights * (weights > 0))
    tilted = data.pair_weights - data.pair_weights.T - 3.0 * data.unit_weight * lean
    np.testing.assert_allclose(weights - weights.T, tilted)


def test_the_grid_of_the_paper_is_selected_from_for_every_weight():
    X, y, a = rows_of()
    model = FairLinearRanker(ranker="grid", alpha=1e-3).fit(X, y, sensitive_features=a)
    assert len(model.path_) == 1 + len(GRID) == 101
    for share in (0.0, 0.3, 0.9):
        value = (1 - share) * (1 - model.accuracies_) + share * model.violations_
        chosen = model.at(share)
        np.testing.assert_array_equal(chosen.coef_, model.path_[value.argmin()])
        again = FairLinearRanker(ranker="grid", alpha=1e-3, violation_weight=share)
        np.testing.assert_array_equal(again.fit(X, y, sensitive_features=a).coef_, chosen.coef_)
    assert model.violation_weight == 0.5  # at() leaves the ranker alone


def test_the_grid_passes_through_fair_and_beyond():
    data = data_of(*rows_of())
    training = Training(1e-3, 1e-6, 500)
    first = plain(data, training)
    disparities = [disparities_of(data, fit.coef)[0] for fit in grid(data, first, training)]
    start = disparities_of(data, first.coef)[0]
    assert np.sign(disparities[49]) == -np.sign(start)  # multiplier 3
    assert abs(disparities[99]) > abs(start)  # multiplier -3


def test_other_rows_get_the_same_aims():
    X, y, a = rows_of()
    data = data_of(X, y, a)
    training = Training(1e-3, 1e-7, 500)
    first = plain(data, training)
    fits = [fit for method in METHODS.values() for fit in method(data, first, training)]
    for fit, again in zip(fits, training.fit_again(data, fits), strict=True):
        assert again.aim is fit.aim
        if not fit.aim.penalty:  # else the smooth step depends on where the fit starts
            np.testing.assert_allclose(again.coef, fit.coef, atol=1e-4)


@pytest.mark.parametrize("ranker", ["direct", "reduction", "relaxed", "auto"])
@pytest.mark.parametrize("criterion", ["demographic_parity", "equal_opportunity"])
@pytest.mark.parametrize("n_groups", [2, 3])
def test_paths_lead_from_accurate_to_fair(ranker, criterion, n_groups):
    X, y, a = rows_of(n_groups=n_groups)
    model = FairLinearRanker(criterion, ranker=ranker, alpha=1e-3, violation_weight=0.9)
    model.fit(X, y, sensitive_features=a)
    plain = model.violations_[0]
    assert model.accuracies_[0] == pytest.approx(model.accuracies_.max(), abs=0.01)
    assert model.violations_.min() < 0.4 * plain
    chosen = np.flatnonzero((model.path_ == model.coef_).all(axis=1))[0]
    assert model.violations_[chosen] < plain


@pytest.mark.parametrize("ranker", ["direct", "reduction", "relaxed"])
@pytest.mark.parametrize("loss", LOSSES)
def test_every_loss_has_fair_rankers(ranker, loss):
    X, y, a = rows_of()
    model = FairLinearRanker(ranker=ranker, loss=loss, alpha=1e-3).fit(X, y, sensitive_features=a)
    assert model.accuracies_[0] > 0.75
    assert model.violations_.min() < 0.4 * model.violations_[0]


def test_without_a_price_on_fairness_the_plain_ranker_is_taken():
    X, y, a = rows_of()
    model = FairLinearRanker(violation_weight=0.0, alpha=1e-3).fit(X, y, sensitive_features=a)
    assert model.coef_ @ model.path_[0] > 0
    assert model.accuracies_.max() >= model.accuracies_[0]


def test_sparse_and_dense_features_rank_alike():
    X, y, a = rows_of()
    X[np.abs(X) < 0.5] = 0.0
    options = {"alpha": 1e-8, "ranker": "relaxed", "violation_weight": 0.3}
    dense = FairLinearRanker(**options).fit(X, y, sensitive_features=a)
    thin = FairLinearRanker(**options).fit(sparse.csr_array(X), y, sensitive_features=a)
    np.testing.assert_allclose(thin.violations_[0], dense.violations_[0], atol=1e-3)
    assert thin.decision_function(sparse.csr_array(X)).shape == (400,)


@pytest.mark.parametrize(
    "spoil",
    {
        "constant column": lambda X: np.column_stack([X, np.ones(len(X))]),
        "collinear columns": lambda X: np.column_stack([X, X[:, 0]]),
        "unscaled column": lambda X: X * [1e6, 1, 1, 1e-6],
        "far from 0": lambda X: X + 1e6,
        "more columns than rows": lambda X: np.column_stack(
            [X, np.random.default_rng(0).normal(size=(len(X), 500))]
        ),
    }.items(),
    ids=lambda item: item[0],
)
def test_awkward_features_are_no_obstacle(spoil):
    X, y, a = rows_of()
    plain = FairLinearRanker(alpha=1e-2, ranker="relaxed").fit(X, y, sensitive_features=a)
    spoilt = FairLinearRanker(alpha=1e-2, ranker="relaxed").fit(
        spoil[1](X), y, sensitive_features=a
    )
    assert spoilt.accuracies_[0] >= plain.accuracies_[0] - 0.005


def test_a_fit_that_does_not_converge_says_so():
    X, y, a = rows_of()
    with pytest.warns(ConvergenceWarning, match="did not converge in max_iter=1 steps"):
        FairLinearRanker(alpha=1e-4, max_iter=1).fit(X, y, sensitive_features=a)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"criterion": "harm_parity"}, "HarmParity is about single samples"),
        ({"ranker": "guess"}, "ranker must be one of"),
        ({"loss": "exponential"}, "loss must be one of"),
        ({"alpha": -1.0}, "alpha must be"),
        ({"violation_weight": 2.0}, "violation_weight must be"),
    ],
)
def test_bad_parameters_are_refused(options, message):
    X, y, a = rows_of(50)
    with pytest.raises(ValueError, match=message):
        FairLinearRanker(**options).fit(X, y, sensitive_features=a)


def test_missing_features_are_refused_and_changed_columns_too():
    X, y, a = rows_of(50)
    X[3, 1] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        FairLinearRanker().fit(X, y, sensitive_features=a)
    X[3, 1] = 0.0
    model = FairLinearRanker(alpha=0.1, ranker="relaxed").fit(X, y, sensitive_features=a)
    with pytest.raises(ValueError, match="3 features"):
        model.decision_function(X[:, :3])


@pytest.mark.parametrize("n_groups", [2, 3])
@pytest.mark.parametrize("criterion", ["demographic_parity", "equalized_odds"])
@pytest.mark.parametrize("price", [0.0, 30.0])
@pytest.mark.parametrize("loss", LOSSES)
def test_the_gradient_for_other_learners_agrees_with_a_stencil(price, criterion, n_groups, loss):
    """With a price it did not: the step grew sharper as the scores came closer."""
    _, y, a = rows_of(60, n_groups)
    s = 0.3 * np.random.default_rng(5).normal(size=60) + 0.2 * a
    options = {"sensitive_features": a, "criterion": criterion, "price": price, "loss": loss}
    found = pairwise_gradient(s, y, **options)
    for i in range(0, 60, 7):
        step = 1e-4 * (np.arange(60) == i)
        up, down = (pairwise_gradient(s + d, y, **options).loss for d in (step, -step))
        assert found.gradient[i] == pytest.approx((up - down) / 2e-4, abs=1e-6)
    assert (found.curvature >= 0).all()


@pytest.mark.parametrize("price", [1.0, 30.0, 1000.0])
def test_steps_by_gradient_and_curvature_do_not_overshoot(price):
    """The penalty had no curvature: with a price of 30 trees went astray."""
    X, y, a = rows_of(300)
    s, losses = X[:, 0] + X[:, 1], []
    for _ in range(30):
        found = pairwise_gradient(s, y, sensitive_features=a, price=price)
        losses.append(found.loss)
        s = s - 0.5 * found.gradient / found.curvature
    assert (np.diff(losses) < 0).all()


def test_prices_lead_from_accurate_to_fair_without_shrinking_the_scores():
    """The step had a fixed width: at a price of 100 the spread of scores fell to 0.04."""
    _, y, a = rows_of(400)
    start = 2.0 * y + 1.5 * a + np.random.default_rng(0).normal(size=400)
    violations, spreads = [], []
    for price in (0.0, 1.0, 10.0, 100.0):
        s = start.copy()
        for _ in range(300):
            found = pairwise_gradient(s, y, sensitive_features=a, price=price)
            s = s - 0.2 * found.gradient / np.maximum(found.curvature, 1e-6)
        violations.append(pairwise_demographic_parity_difference(y, s, sensitive_features=a))
        spreads.append(s.std())
    assert (np.diff(violations) <= 0).all()
    assert violations[-1] < 0.2 * violations[0]
    assert min(spreads) > 0.4 * start.std()


@pytest.mark.parametrize("value", [0.0, 0.1, 0.3, 1 / 3])
def test_equal_scores_have_no_spread_whatever_the_rounding_of_their_mean(value):
    _, y, a = rows_of()
    found = pairwise_gradient(np.full(400, value), y, sensitive_features=a, price=1.0)
    expected = pairwise_gradient(np.zeros(400), y, sensitive_features=a, price=1.0)
    np.testing.assert_allclose(found.gradient, expected.gradient, rtol=1e-5)


def test_a_loss_of_integers_is_that_of_names():
    _, y, a = rows_of(60)
    s = np.arange(60.0)
    named = pairwise_gradient(s, y, sensitive_features=np.array(["f", "m"])[a], price=3.0)
    coded = pairwise_gradient(s, y, sensitive_features=a, price=3.0)
    np.testing.assert_array_equal(named.gradient, coded.gradient)


def test_a_price_on_unfairness_pushes_groups_together():
    _, y, a = rows_of(200)
    s = y + 2.0 * a
    priced = pairwise_gradient(s, y, sensitive_features=a, price=50.0)
    plain = pairwise_gradient(s, y, sensitive_features=a)
    push = priced.gradient - plain.gradient
    assert push[a == 1].sum() > 0 > push[a == 0].sum()  # descent lowers group 1
    assert priced.loss > plain.loss


def test_accuracy_and_violation_of_a_ranking_are_those_of_its_scores():
    X, y, a = rows_of(40)
    data = data_of(X, y, a)
    coef = np.array([1.0, 0.0, 0.0, 0.0])
    s = X[:, 0]
    above, below = np.nonzero(y[:, None] > y[None, :])
    assert accuracy_of(data, coef) == pytest.approx((s[above] > s[below]).mean())
    forward = np.subtract.outer(s[a == 0], s[a == 1])
    assert violation_of(data, coef) == pytest.approx(
        abs((forward > 0).mean() - (forward < 0).mean())
    )


def test_rows_without_weight_are_no_rows():
    """They took part in the scaling of features."""
    X, y, a = rows_of()
    weight = np.random.default_rng(0).integers(0, 3, len(y)).astype(float)
    wild = X.copy()
    wild[weight == 0] *= 1000
    options = {"alpha": 1e-2, "ranker": "relaxed"}
    first, second = (
        FairLinearRanker(**options).fit(data, y, sensitive_features=a, sample_weight=weight).path_
        for data in (X, wild)
    )
    np.testing.assert_array_equal(first, second)
    times = weight.astype(int)
    repeated = FairLinearRanker(**options).fit(
        np.repeat(X, times, axis=0), np.repeat(y, times), sensitive_features=np.repeat(a, times)
    )
    np.testing.assert_allclose(repeated.path_, first, rtol=1e-3, atol=1e-4)


def test_weights_that_leave_one_label_or_one_group_are_refused():
    X, y, a = rows_of(60)
    for column, name in ((y, "y"), (a, "sensitive_features")):
        weight = (column == column[0]).astype(float)
        with pytest.raises(ValueError, match=f"one value of {name}"):
            FairLinearRanker().fit(X, y, sensitive_features=a, sample_weight=weight)
        with pytest.raises(ValueError, match=f"one value of {name}"):
            pairwise_gradient(X[:, 0], y, sensitive_features=a, sample_weight=weight)


def test_constant_features_rank_nothing():
    _, y, a = rows_of(60)
    model = FairLinearRanker(alpha=0.0, ranker="relaxed").fit(
        np.ones((60, 2)), y, sensitive_features=a
    )
    assert not model.coef_.any()


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_folds_without_pairs_do_not_decide_the_penalty():
    """One such fold made every accuracy nan, and the first alpha was taken."""
    X, _, a = rows_of(200)
    rare = (np.arange(200) < 3).astype(int)
    X[:3, 2] += 5.0
    model = FairLinearRanker(ranker="relaxed").fit(X, rare, sensitive_features=a)
    assert np.isfinite(model.coef_).all()


def test_scores_and_labels_of_unequal_length_are_refused():
    with pytest.raises(ValueError, match="scores has 3 rows but y has 2"):
        pairwise_gradient([1.0, 2.0, 3.0], [1, 2], sensitive_features=["a", "b"])


@pytest.mark.parametrize("criterion", ["demographic_parity", "equalized_odds"])
def test_contrasts_without_their_zeros_are_the_same(criterion):
    X, y, a = rows_of(n_groups=4)
    data = data_of(X, y, a, criterion)
    generator = np.random.default_rng(0)
    wins = generator.random((data.n_cells, data.n_cells))
    tables = tables_of(data)
    tau = generator.normal(size=len(tables))
    same = np.einsum("euv,uv->e", tables, wins)
    np.testing.assert_allclose(data.disparities(wins), same, atol=1e-14)
    np.testing.assert_allclose(data.mix_contrasts(tau), np.tensordot(tau, tables, 1), atol=1e-14)
    netted = np.abs(tables - tables.transpose(0, 2, 1)).max(axis=(1, 2))
    np.testing.assert_allclose(data.largest_net_weights, netted, rtol=1e-14)
    ahead = np.einsum("euv,v,ud->ed", tables, data.totals, data.cell_sums)
    behind = np.einsum("euv,u,vd->ed", tables, data.totals, data.cell_sums)
    np.testing.assert_allclose(data.mean_differences, ahead - behind, atol=1e-12)
    for u, number in enumerate(data.merged.number):
        v = data.merged.first[number]
        np.testing.assert_array_equal(tables[:, u], tables[:, v])
        np.testing.assert_array_equal(tables[:, :, u], tables[:, :, v])


def test_the_direct_way_ends_where_fairness_is_out_of_reach():
    """A single feature ranks as it does: its coefficient would only shrink, in many steps."""
    X, y, a = rows_of()
    data = data_of(X[:, :1], y, a)
    training = Training(1e-3, 1e-4, 500)
    first = plain(data, training)
    path = direct(data, first, training)
    assert len(path) < len(LIMITS)
    assert np.abs(path[-1].coef).max() > 1e-6 * np.abs(first.coef).max()
