import math
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import UndefinedMetricWarning

import oracles
from fairordinal import metrics
from fairordinal.criteria import NAMED
from strategies import rows

ASYMMETRIC = {
    "absolute": lambda i, j: abs(i - j),
    "zero_one": lambda i, j: float(i != j),
    "squared": lambda i, j: (i - j) ** 2,
    "asymmetric": lambda i, j: abs(i - j) + abs(i - j) * (j > i),
}

BY_NAME = {
    "demographic_parity": metrics.pairwise_demographic_parity_difference,
    "equal_opportunity": metrics.pairwise_equal_opportunity_difference,
    "equalized_odds": metrics.pairwise_equalized_odds_difference,
    "harm_parity": metrics.harm_parity_difference,
    "conditional_harm_parity": metrics.conditional_harm_parity_difference,
    "standard_demographic_parity": metrics.standard_demographic_parity_difference,
    "standard_equal_opportunity": metrics.standard_equal_opportunity_difference,
    "standard_equalized_odds": metrics.standard_equalized_odds_difference,
}

MATRICES = {
    "demographic_parity": metrics.pairwise_demographic_parity_matrix,
    "equal_opportunity": metrics.pairwise_equal_opportunity_matrix,
    "equalized_odds": metrics.pairwise_equalized_odds_matrix,
}


@settings(max_examples=150)  # the criteria themselves are tested in test_laws
@given(data=rows())
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
def test_each_metric_is_its_definition(data):
    for name, metric in BY_NAME.items():
        found = metric(data.y, data.s, sensitive_features=data.a, sample_weight=data.w)
        expected = oracles.violation(name, *data)
        assert found == pytest.approx(expected, abs=1e-12, nan_ok=True), name


@given(data=rows(scores=True))
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
def test_the_metric_is_the_greatest_entry_of_its_matrix(data):
    options = {"sensitive_features": data.a, "sample_weight": data.w}
    groups = sorted({a for a, w in zip(data.a, data.w, strict=True) if w})
    for name, matrix_of in MATRICES.items():
        matrix = matrix_of(data.y, data.s, **options)
        entries = np.abs(np.asarray(matrix))[~np.eye(len(matrix.groups), dtype=bool)]
        found = BY_NAME[name](data.y, data.s, **options)
        defined = entries[~np.isnan(entries)]
        greatest = defined.max() if defined.size else math.nan
        assert found == pytest.approx(greatest, nan_ok=True), name
        np.testing.assert_allclose(
            matrix.disparity, -matrix.disparity.T, atol=1e-12, equal_nan=True
        )
        assert list(matrix.groups) == groups


def test_the_greatest_disparity_is_1():
    y, f, a = [0, 1, 2, 3], [3, 3, 0, 2], [0, 0, 1, 1]
    assert metrics.pairwise_demographic_parity_difference(y, f, sensitive_features=a) == 1.0


@pytest.mark.parametrize("method", ["between_groups", "to_overall"])
def test_harms_of_very_large_costs_are_multiples_of_small_ones(method):
    y, f, a = [0, 1, 2, 0, 1, 2], [0, 0, 0, 0, 1, 1], list("aaabbb")
    steps = np.abs(np.subtract.outer(range(3), range(3)))
    small, large = (
        metrics.harm_parity_difference(
            y, f, sensitive_features=a, cost_matrix=c * steps, sample_weight=[30] * 6, method=method
        )
        for c in (1.0, 2.0**1020)
    )
    assert large == 2.0**1020 * small > 0


@pytest.mark.parametrize("method", ["between_groups", "to_overall"])
def test_harm_compares_groups_or_each_with_all(method):
    y, f, a = [2, 2, 2, 2, 2, 2], [1, 2, 2, 2, 2, 0], list("aabbbb")
    # harm of a 1/2, of b 2/4, of c none: with a third group c of harm 0
    y, f, a = [*y, 2, 1], [*f, 2, 1], [*a, "c", "c"]
    # a 1/2, b 2/4, c 0; overall 3/8
    found = metrics.harm_parity_difference(y, f, sensitive_features=a, method=method)
    assert found == (1 / 2 if method == "between_groups" else 3 / 8)


def test_conditional_harm_leaves_out_groups_without_harm():
    y, f, a = [2, 2, 3, 3, 3, 3], [1, 2, 1, 3, 3, 3], list("aabbcc")
    with pytest.warns(UndefinedMetricWarning, match="'a' and 'c'; 'b' and 'c'"):
        found = metrics.conditional_harm_parity_difference(y, f, sensitive_features=a)
    assert found == 2 - 1
    with pytest.warns(UndefinedMetricWarning):
        overall = metrics.conditional_harm_parity_difference(
            y, f, sensitive_features=a, method="to_overall"
        )
    assert overall == 1 / 2  # of harms 1 and 2 the mean is 3/2


@pytest.mark.parametrize("method", ["between_groups", "to_overall"])
def test_harm_of_one_harmed_group_alone_is_undefined(method):
    with pytest.warns(UndefinedMetricWarning):
        found = metrics.conditional_harm_parity_difference(
            [2, 2, 3, 3], [1, 2, 3, 3], sensitive_features=list("aabb"), method=method
        )
    assert math.isnan(found)


def test_the_cost_of_one_label_alone_is_defined():
    assert metrics.mean_cost([1, 1], [1, 2]) == 1 / 2
    assert metrics.mean_cost([1, 1], [1, 1]) == 0


def test_a_single_threshold_that_is_nan_is_refused():
    with pytest.raises(ValueError, match="thresholds must be in ascending order"):
        metrics.margin_loss([0, 1, 0], [0.1, 0.2, 0.3], [math.nan])


def test_rows_without_weight_are_no_neighbours():
    X = [[0.0], [0.1], [0.2], [0.3]]
    found = metrics.consistency_score(X, [1, 3, 1, 3], n_neighbors=1, sample_weight=[1, 0, 1, 1])
    assert found == metrics.consistency_score([[0.0], [0.2], [0.3]], [1, 1, 3], n_neighbors=1)


def test_undefined_equal_opportunity_warns_and_is_left_out():
    y, f, a = [1, 2, 1, 2, 1, 1], [1, 2, 1, 1, 1, 2], list("aabbcc")
    with pytest.warns(UndefinedMetricWarning, match="'a' and 'c'; 'b' and 'c'"):
        found = metrics.pairwise_equal_opportunity_difference(y, f, sensitive_features=a)
    assert found == 1.0  # a over b always, b over a never


def test_undefined_equal_opportunity_of_all_pairs_is_nan():
    with pytest.warns(UndefinedMetricWarning, match="undefined for groups 'a' and 'b'"):
        found = metrics.pairwise_equal_opportunity_difference(
            [1, 1, 2, 2], [1, 2, 1, 2], sensitive_features=list("aabb")
        )
    assert math.isnan(found)


def test_a_warning_points_at_the_caller():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        metrics.pairwise_equal_opportunity_difference(
            [1, 1, 2, 2], [1, 2, 1, 2], sensitive_features=list("aabb")
        )
    assert caught[0].filename == __file__


@pytest.mark.parametrize("name", [n for n in BY_NAME if NAMED[n].needs_labels])
def test_metrics_of_labels_refuse_scores(name):
    with pytest.raises(ValueError, match=r"y_pred must hold predicted labels, got 0\.1 at row 0 "):
        BY_NAME[name]([1, 2, 1, 2], [0.1, 0.2, 0.3, 0.4], sensitive_features=list("aabb"))


@pytest.mark.parametrize("name", ASYMMETRIC)
@given(data=rows())
def test_mean_cost_is_its_definition(name, data):
    expected = oracles.mean_cost(data.y, data.s, data.w, ASYMMETRIC[name])
    found = metrics.mean_cost(data.y, data.s, cost_matrix=name, sample_weight=data.w)
    assert found == pytest.approx(expected, abs=1e-12)
    matrix = [[ASYMMETRIC[name](i, j) for j in range(5)] for i in range(5)]
    found = metrics.mean_cost(
        data.y, data.s, cost_matrix=matrix, sample_weight=data.w, labels=range(5)
    )
    assert found == pytest.approx(expected, abs=1e-12)


def test_numbers_are_as_far_apart_as_they_are_and_names_one_step():
    assert metrics.mean_cost([10, 30], [30, 30]) == 10
    assert metrics.mean_cost(["a", "c"], ["c", "c"], labels=["a", "b", "c"]) == 1
    assert metrics.mean_cost([3, 1], [1, 1], labels=[3, 2, 1]) == 1


@given(
    data=rows(scores=True),
    cuts=st.lists(st.sampled_from([-2.0, 0.0, 0.25, 0.3, 7.0]), min_size=4, max_size=4),
    margin=st.sampled_from([0.0, 0.25, 1.0]),
)
def test_margin_loss_is_its_definition(data, cuts, margin):
    cuts = sorted(cuts)
    y = [label + 1 for label in data.y]
    expected = oracles.margin_loss(y, data.s, cuts, margin, data.w)
    found = metrics.margin_loss(
        y, data.s, cuts, margin=margin, sample_weight=data.w, labels=range(1, 6)
    )
    assert found == pytest.approx(expected, abs=1e-12)


@given(data=rows(scores=True))
def test_margin_loss_without_margin_is_the_mean_absolute_error(data):
    cuts = [-2.0, 0.1, 0.3, 7.0]  # no score lies on a cut
    f = np.searchsorted(cuts, data.s)
    found = metrics.margin_loss(data.y, data.s, cuts, sample_weight=data.w, labels=range(5))
    assert found == pytest.approx(metrics.mean_cost(data.y, f, sample_weight=data.w), abs=1e-12)


@given(
    data=rows(max_rows=10),
    n_neighbors=st.integers(1, 3),
    features=st.data(),
)
def test_consistency_is_its_definition_with_ties(data, n_neighbors, features):
    n = len(data.y)
    n_neighbors = min(n_neighbors, n - 1)
    point = st.tuples(st.integers(0, 2), st.integers(0, 2))
    X = features.draw(st.lists(point, min_size=n, max_size=n))
    w = [weight + 1 for weight in data.w]
    found = metrics.consistency_score(
        np.array(X, float), data.s, n_neighbors=n_neighbors, sample_weight=w, labels=range(5)
    )
    assert found == pytest.approx(oracles.consistency(X, data.s, n_neighbors, w, 4), abs=1e-12)
