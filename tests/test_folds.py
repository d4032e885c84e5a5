"""Folds: shuffled, alike in groups and labels; scores of different folds, aligned."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression, Ridge

from fairordinal import FairOrdinalClassifier, FairThresholdClassifier
from fairordinal._rows import align, fold_numbers
from fairordinal._rows._scores import N_QUANTILES, TOLD_APART
from fairordinal.datasets import make_biased_ordinal
from fairordinal.metrics import mean_cost
from fairordinal.ranker import FairLinearRanker
from oracles import align_by_loops

pytestmark = pytest.mark.usefixtures("small_effort")

N_GROUPS, N_LABELS = 3, 4


def shares(codes, fold, n_folds, n_codes):
    return np.array([np.bincount(codes[fold == f], minlength=n_codes) for f in range(n_folds)])


@given(
    cells=st.lists(st.integers(0, N_GROUPS * N_LABELS - 1), min_size=6, max_size=120),
    n_folds=st.integers(2, 6),
    seed=st.integers(0, 10**6),
)
def test_each_cell_group_and_fold_gets_its_share_to_within_one_row(cells, n_folds, seed):
    cells = np.array(cells)
    fold = fold_numbers(cells, n_folds, seed)
    assert np.ptp(np.bincount(fold, minlength=n_folds)) <= 1
    assert np.ptp(shares(cells, fold, n_folds, N_GROUPS * N_LABELS), axis=0).max() <= 1
    by_group = shares(cells // N_LABELS, fold, n_folds, N_GROUPS)
    assert np.ptp(by_group, axis=0).max() <= 1
    enough = np.bincount(cells // N_LABELS, minlength=N_GROUPS) >= n_folds
    assert (by_group[:, enough] > 0).all()  # every group is in every fold


def test_folds_depend_on_the_seed_alone():
    cells = np.random.default_rng(0).integers(0, 12, 300)
    one, again, other = (fold_numbers(cells, 5, seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(one, again)
    assert (one != other).mean() > 0.5


@pytest.mark.parametrize("sorted_by", ["group", "label", "feature", "nothing"])
def test_rows_in_any_order_are_shuffled(sorted_by):
    data = make_biased_ordinal(600, groups=3, random_state=0)
    keys = {
        "group": data.sensitive_features,
        "label": data.target,
        "feature": data.data[:, 0],
        "nothing": np.arange(600),
    }
    order = np.argsort(keys[sorted_by], kind="stable")
    cells = data.sensitive_features[order] * 5 + data.target[order] - 1
    fold = fold_numbers(cells, 5, 0)
    place = np.arange(600)
    for f in range(5):  # each fold is spread over the whole file
        assert abs(place[fold == f].mean() - place.mean()) < 60


ORDERS = ["group", "label", "feature"]


@pytest.mark.parametrize("sorted_by", ORDERS)
def test_estimates_of_a_sorted_file_agree_with_those_of_a_shuffled_one(sorted_by):
    data = make_biased_ordinal(400, groups=[0.5, 0.3, 0.2], n_labels=3, random_state=1)
    X, y, a = data.data, data.target, data.sensitive_features
    keys = {"group": a, "label": y, "feature": X[:, 0]}
    order = np.argsort(keys[sorted_by], kind="stable")

    def fitted(at):
        model = FairOrdinalClassifier(max_violation=0.2, alpha=1e-3, ranker="reduction", cv=3)
        return model.fit(X[at], y[at], sensitive_features=a[at])

    one, other = fitted(order), fitted(np.arange(400))
    for name in ("expected_violation_interval_", "expected_cost_interval_"):
        (low, high), (other_low, other_high) = getattr(one, name), getattr(other, name)
        assert max(low, other_low) <= min(high, other_high), name


@pytest.mark.parametrize(
    "model",
    [
        FairOrdinalClassifier(max_violation=0.2, ranker="reduction", cv=2),
        FairThresholdClassifier(Ridge(), max_violation=0.2),
        FairLinearRanker(ranker="reduction", cv=2),
    ],
    ids=lambda model: type(model).__name__,
)
def test_the_same_seed_gives_the_same_model(model):
    data = make_biased_ordinal(150, n_labels=3, random_state=2)

    def scores():
        model.fit(data.data, data.target, sensitive_features=data.sensitive_features)
        return model.decision_function(data.data)

    np.testing.assert_array_equal(scores(), scores())


def test_more_folds_than_rows_of_any_label_are_refused_and_rare_labels_are_warned_of():
    data = make_biased_ordinal(40, n_labels=2, random_state=3)
    columns = {"sensitive_features": data.sensitive_features}
    with pytest.raises(ValueError, match="cv=50 needs at least one label with 50 rows"):
        FairThresholdClassifier(Ridge(), cv=50).fit(data.data, data.target, **columns)
    y = data.target.copy()
    y[:3] = 3
    with pytest.warns(UserWarning, match="the least populated class in y has 3 rows") as record:
        FairThresholdClassifier(Ridge(), cv=5).fit(data.data, y, **columns)
    assert record[0].filename == __file__


class Drifting(RegressorMixin, BaseEstimator):
    """Ridge whose scores have another shift and scale at each fit, as those of rankers do."""

    def __init__(self, drift=True):
        self.drift = drift

    def fit(self, X, y):
        seed = int(abs(np.sum(X) * 1e6)) % 2**32  # differs from fold to fold
        generator = np.random.default_rng(seed)
        self.shift_ = generator.normal(0, 100) if self.drift else 0.0
        self.factor_ = generator.uniform(0.01, 100) if self.drift else 1.0
        self.ridge_ = Ridge().fit(X, y)
        self.n_features_in_ = X.shape[1]
        return self

    def predict(self, X):
        return self.shift_ + self.factor_ * self.ridge_.predict(X)


@pytest.mark.parametrize("criterion", ["demographic_parity", "equal_opportunity"])
def test_shift_and_scale_of_scores_in_each_fold_do_not_matter(criterion):
    data = make_biased_ordinal(300, n_labels=4, random_state=4)
    steady, drifting = (
        FairThresholdClassifier(Drifting(drift), criterion=criterion, max_violation=0.1).fit(
            data.data, data.target, sensitive_features=data.sensitive_features
        )
        for drift in (False, True)
    )
    np.testing.assert_array_equal(drifting.predict(data.data), steady.predict(data.data))
    assert drifting.violation_ == pytest.approx(steady.violation_)


def test_scores_of_a_frozen_estimator_are_those_of_predict():
    data = make_biased_ordinal(200, n_labels=3, random_state=6)
    frozen = FrozenEstimator(Ridge().fit(data.data, data.target))
    model = FairThresholdClassifier(frozen, max_violation=0.3).fit(
        data.data, data.target, sensitive_features=data.sensitive_features
    )
    assert model.cost_ == pytest.approx(mean_cost(data.target, model.predict(data.data)))


def test_scores_in_units_of_labels_stay_as_they_are():
    data = make_biased_ordinal(200, n_labels=3, random_state=5)
    model = FairThresholdClassifier(
        LogisticRegression(), response_method="predict", max_violation=0.5
    ).fit(data.data, data.target, sensitive_features=data.sensitive_features)
    assert set(model.result_.score_table.axis) <= {1.0, 2.0, 3.0}


# Alignment of scores of different fits


few_scores = st.lists(st.integers(-4, 4).map(float), min_size=2, max_size=12)


@given(st.data())
def test_alignment_maps_quantiles_to_quantiles(data):
    own = data.draw(few_scores)
    same_size = {"min_size": len(own), "max_size": len(own)}
    common = data.draw(st.lists(st.integers(-9, 9).map(float), **same_size))
    weight = data.draw(st.lists(st.integers(1, 3).map(float), **same_size))
    scores = data.draw(few_scores)
    found = align(*map(np.array, (scores, own, common, weight)))
    if own == common:
        np.testing.assert_array_equal(found, scores)
        return
    numbers = (own, common, weight, N_QUANTILES, TOLD_APART)
    expected = [align_by_loops(score, *numbers) for score in scores]
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)
    order = np.argsort(scores, kind="stable")
    rising = np.diff(np.array(scores)[order]) > 0
    assert (np.diff(found[order])[rising] > 0).all()  # order is kept


@pytest.mark.parametrize(
    "bent", [lambda s: 7 * s - 3, np.exp, np.arctan, lambda s: s**3 + 0.01 * s]
)
def test_alignment_undoes_increasing_maps_of_scores(bent):
    generator = np.random.default_rng(0)
    common, new = generator.normal(size=2000), generator.uniform(-2.0, 2.0, 500)
    found = align(bent(new), bent(common), common)
    np.testing.assert_allclose(found, new, atol=0.05)
    affine = 7 * new - 3
    np.testing.assert_allclose(align(affine, 7 * common - 3, common), new, atol=1e-9)


def test_weights_are_repetitions_for_scores_of_folds():
    generator = np.random.default_rng(0)
    X, a = generator.normal(size=(120, 3)), generator.integers(0, 2, 120)
    y = np.digitize(X[:, 0] + 0.5 * a + 0.5 * generator.normal(size=120), [-0.5, 0.7])
    weight, fold = generator.integers(1, 5, 120), np.arange(120) % 3
    times = np.repeat(np.arange(120), weight)
    found = []
    for at, counts in ((np.arange(120), weight), (times, None)):
        folds = [(np.flatnonzero(fold[at] != f), np.flatnonzero(fold[at] == f)) for f in range(3)]
        model = FairThresholdClassifier(Ridge(), max_violation=0.3, cv=folds)
        model.fit(X[at], y[at], sensitive_features=a[at], sample_weight=counts)
        found.append([*model.thresholds_, model.expected_cost_, model.expected_violation_])
    np.testing.assert_allclose(*found, rtol=1e-6)
