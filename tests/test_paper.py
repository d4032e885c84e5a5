"""The paper's remarks, examples, lemmas and figures (Kleindessner et al., AISTATS 2022)."""

from itertools import combinations_with_replacement

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairordinal import metrics
from fairordinal._table import read_table
from fairordinal.criteria import DemographicParity, EqualOpportunity
from paper_data import needs_paper_data, stored_splits
from strategies import rows


def dp(y, f, a, **options):
    return metrics.pairwise_demographic_parity_difference(y, f, sensitive_features=a, **options)


def eo(y, f, a, **options):
    return metrics.pairwise_equal_opportunity_difference(y, f, sensitive_features=a, **options)


# Section 2 and appendix A.2: the remarks


@pytest.mark.parametrize("constant", [1, 2, 3])
def test_a_constant_predictor_satisfies_both_criteria(constant):
    y, a = [1, 2, 3, 1, 2, 3], [0, 0, 0, 1, 1, 1]
    assert dp(y, [constant] * 6, a) == eo(y, [constant] * 6, a) == 0


@given(data=rows(weights=False))
def test_the_perfect_predictor_satisfies_eo(data):
    violation = EqualOpportunity().violation(read_table(data.y, data.y, data.a))
    assert violation == 0 or np.isnan(violation)


def test_the_perfect_predictor_need_not_satisfy_dp():
    assert dp([1, 1, 2, 2], [1, 1, 2, 2], [0, 0, 1, 1]) == 1


@given(data=rows(weights=False, max_label=1))
def test_with_two_labels_pairwise_and_standard_dp_are_the_same_number(data):
    standard = metrics.standard_demographic_parity_difference(
        data.y, data.s, sensitive_features=data.a
    )
    assert dp(data.y, data.s, data.a) == pytest.approx(standard, abs=1e-12)


@given(column=st.lists(st.integers(0, 4), min_size=2, max_size=6), copies=st.integers(1, 3))
def test_standard_dp_implies_pairwise_dp(column, copies):
    f = column + column * copies  # the same shares in both groups
    a = [0] * len(column) + [1] * len(column) * copies
    y = [0, 1] * len(f)
    assert metrics.standard_demographic_parity_difference(
        y[: len(f)], f, sensitive_features=a
    ) == pytest.approx(0, abs=1e-12)
    assert dp(y[: len(f)], f, a) == pytest.approx(0, abs=1e-12)


def test_pairwise_dp_does_not_imply_standard_dp():
    y, f, a = [1, 2, 3], [1, 2, 3], [0, 1, 0]
    assert dp(y, f, a) == 0
    assert metrics.standard_demographic_parity_difference(y, f, sensitive_features=a) == 1


def test_standard_eo_is_neither_sufficient_nor_necessary_for_pairwise_eo():
    y, a = [1, 1, 1, 2, 2, 2], [0, 0, 1, 0, 1, 0]
    for first, pairwise, standard in [(2, 0.0, 0.5), (1, 0.5, 0.0)]:
        f = [first, 1, 1, 2, 2, 1]
        assert eo(y, f, a) == pytest.approx(pairwise, abs=1e-12)
        found = metrics.standard_equal_opportunity_difference(
            y, f, sensitive_features=a, preferred=1
        )
        assert found == standard


@given(
    hits=st.tuples(st.integers(0, 3), st.integers(0, 3)),
    copies=st.tuples(st.integers(1, 3), st.integers(1, 3)),
)
def test_with_two_labels_equalized_odds_implies_pairwise_eo(hits, copies):
    y, f, a = [], [], []
    for label, hit in enumerate(hits):  # of each label, the same share is predicted 1
        for group, times in enumerate([1, copies[label]]):
            y += [label] * 3 * times
            f += ([1] * hit + [0] * (3 - hit)) * times
            a += [group] * 3 * times
    odds = metrics.standard_equalized_odds_difference(y, f, sensitive_features=a)
    assert odds == pytest.approx(0, abs=1e-12)
    assert eo(y, f, a) == pytest.approx(0, abs=1e-12)


def test_with_three_labels_equalized_odds_does_not_imply_pairwise_eo():
    y = [1, 2, 3, 3, 1, 2, 2, 3, 3]
    f = [1, 2, 3, 2, 1, 2, 2, 3, 2]
    a = [0, 0, 0, 0, 1, 1, 1, 1, 1]
    assert metrics.standard_equalized_odds_difference(y, f, sensitive_features=a) == 0
    # 0 over 1: 7 pairs (2>1, and two 3s against 1, 2, 2), lost where 3 is predicted 2: 5/7
    # 1 over 0: 6 pairs (two 2s > 1, and two 3s against 1, 2), one lost: 5/6
    assert eo(y, f, a) == pytest.approx(5 / 6 - 5 / 7, abs=1e-12)


# Appendix A.3: two vendors of T-shirts


@pytest.mark.parametrize("n", [1, 2, 7, 100, 10_000])
def test_t_shirts_have_the_closed_forms(n):
    counts = [  # vendor, true stars, predicted stars, number
        ("A", 1, 1, 1), ("A", 2, 2, n), ("A", 3, 3, 1), ("A", 3, 2, 1),
        ("B", 1, 1, 1), ("B", 2, 2, 1), ("B", 3, 3, n), ("B", 3, 2, n),
    ]  # fmt: skip
    a, y, f, w = map(list, zip(*counts, strict=True))
    matrix = metrics.pairwise_equal_opportunity_matrix(y, f, sensitive_features=a, sample_weight=w)
    assert matrix.probability[0, 1] == pytest.approx((n + 3) / (n + 4), rel=1e-12)
    assert matrix.probability[1, 0] == pytest.approx(
        (1 + 2 * n + n**2) / (1 + 2 * n + 2 * n**2), rel=1e-12
    )
    odds = metrics.standard_equalized_odds_difference(y, f, sensitive_features=a, sample_weight=w)
    assert odds == 0
    if n == 10_000:
        assert matrix.disparity[0, 1] == pytest.approx(1 / 2, abs=1e-3)


# Lemma 1 (appendix A.8): fairness in both steps


def best_fair_cost(y, scores, a, criterion):
    """Least mean absolute error over all thresholds that are perfectly fair."""
    places = [-np.inf, *np.unique(scores)]
    table = read_table(y, scores, a, labels=[1, 2, 3, 4], as_scores=True)
    best = np.inf
    for cuts in combinations_with_replacement(places, 3):
        if criterion.violation(table.cut(np.array(cuts))) == 0:
            f = 1 + np.searchsorted(cuts, scores)
            best = min(best, np.abs(f - y).mean())
    return best


@pytest.mark.parametrize("m", [2, 4])
def test_lemma_1_dp_a_fair_ranker_is_needed(m):
    i = np.arange(1, 2 * m + 2)
    p1, p2 = i, np.where(i == 1, 3, np.where(i <= m + 1, 2, 4))
    y = np.where(i == 1, 1, np.where(i <= m + 1, 2, 4))
    a = np.where(i == 1, 0, 1)
    assert dp(y, p2 + 0.5, a) == 0
    assert dp(y, p1 + 0.5, a) == 1
    assert best_fair_cost(y, p1, a, DemographicParity()) == pytest.approx(1)
    f = 1 + np.searchsorted([0, 2.5, 3.5], p2)
    assert dp(y, f, a) == 0
    assert metrics.mean_cost(y, f) == pytest.approx(2 / (2 * m + 1))


@pytest.mark.parametrize("m", [2, 3])
def test_lemma_1_eo_a_fair_ranker_is_needed(m):
    n = 2 * m + 5
    i = np.arange(1, n + 1)
    p1, p2 = i, i.copy()
    p2[[1, 2, 3, 4]] = 3, 2, 4, n + 1
    y = np.where(i <= m + 5, 3, 4)
    y[:5] = 1, 1, 2, 2, 4
    a = np.ones(n, dtype=int)
    a[[0, 2]] = 0
    assert eo(y, p1 + 0.5, a) == 0
    assert eo(y, p2 + 0.5, a) == 1
    # constant 3: 2 + 2 for label 1, 1 + 1 for label 2, 1 + m for label 4 (the paper prints 6 + m)
    assert best_fair_cost(y, p2, a, EqualOpportunity()) == pytest.approx((7 + m) / n)
    f = 1 + np.searchsorted([2.5, 4.5, m + 5.5], p1)
    assert eo(y, f, a) == 0
    assert metrics.mean_cost(y, f) == pytest.approx(1 / n)


@pytest.mark.parametrize(
    ("metric", "y", "a", "violation", "cost"),
    [
        (dp, [1, 1, 1, 1, 2, 2], [0, 0, 1, 1, 0, 0], 0.5, 0.0),
        (eo, [1, 2, 1, 1, 2, 2], [0, 1, 1, 1, 0, 0], 1.0, 1 / 6),
    ],
)
def test_lemma_1_fair_thresholds_are_needed(metric, y, a, violation, cost):
    scores = np.arange(1, 7)
    assert metric(y, scores + 0.5, a) == 0
    f = 1 + np.searchsorted([4.5, 7, 7], scores)
    assert metric(y, f, a) == violation
    assert metrics.mean_cost(y, f) == pytest.approx(cost)


# Lemma 2 (appendix A.9)


@settings(max_examples=300)
@given(data=rows(scores=True), cuts=st.lists(st.floats(-2, 8), min_size=4, max_size=4))
def test_lemma_2_bounds_the_violation_of_any_thresholds_by_that_of_the_scores(data, cuts):
    table = read_table(data.y, data.s, data.a, sample_weight=data.w, labels=range(5))
    of_scores = DemographicParity().violation(table)
    assert DemographicParity().violation(table.cut(np.sort(cuts))) <= 0.5 + of_scores / 2 + 1e-12


# Section 5.1: the proportional-odds predictions that the authors published

PRINTED = [
    ("drug_consumption", "a", 0.29397, 0.22934, 1.00390),
    ("communities_and_crime", "a2", 0.76322, 0.58114, 0.92794),
    ("communities_and_crime", "a3", 0.86806, 0.74698, 0.92794),
]


@needs_paper_data
@pytest.mark.parametrize(("name", "group", "parity", "opportunity", "cost"), PRINTED)
def test_published_predictions_have_the_known_means(name, group, parity, opportunity, cost):
    values = [
        (dp(y, f, a), eo(y, f, a), metrics.mean_cost(y, f))
        for y, f, a in stored_splits(name, group)
    ]
    assert len(values) == 20
    assert np.mean(values, axis=0) == pytest.approx([parity, opportunity, cost], abs=5e-6)
