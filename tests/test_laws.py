"""Laws that every criterion inherits. A new criterion joins by its name in the registry.

Rows are drawn once for all criteria: drawing and counting them takes most of the time.
"""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles
from fairordinal._costs import cost_matrix
from fairordinal._table import read_table
from fairordinal.criteria import (
    NAMED,
    ConditionalHarmParity,
    HarmParity,
    PairwiseCriterion,
    pair_tables,
)
from strategies import as_arrays, rows, table_of_cube

EVERY = [*NAMED.values()]
PAIRWISE = [criterion for criterion in EVERY if isinstance(criterion, PairwiseCriterion)]
LINEAR = [criterion for criterion in EVERY if criterion.name != "conditional_harm_parity"]
LABELS = [0, 1, 2, 3, 4]

thorough = settings(max_examples=400)


def table_of(data, labels=None):
    whole = all(float(score).is_integer() for score in data.s)
    reading = "labels" if whole else "scores"
    return read_table(
        data.y, data.s, data.a, sample_weight=data.w, labels=labels, predictions=reading
    )


def assert_same(criterion, first, second, tolerance=1e-12):
    np.testing.assert_allclose(
        first, second, rtol=0, atol=tolerance, equal_nan=True, err_msg=criterion.name
    )


@thorough
@given(data=rows())
def test_the_violation_is_that_of_pair_by_pair_enumeration(data):
    table = table_of(data)
    for criterion in EVERY:
        expected = oracles.violation(criterion.name, *data)
        assert_same(criterion, criterion.violation(table), expected)


@thorough
@given(data=rows())
def test_each_disparity_is_that_of_pair_by_pair_enumeration(data):
    table = table_of(data)
    for criterion in EVERY:
        disparities = criterion.disparities(table)
        for (g, first), (h, second) in permutations(enumerate(table.groups), 2):
            expected = oracles.disparity(criterion.name, *data, first, second)
            assert_same(criterion, disparities[:, g, h], expected)


@given(data=rows())
def test_each_probability_is_that_of_pair_by_pair_enumeration(data):
    table = table_of(data)
    for criterion in EVERY:
        shown, disparities = criterion.probabilities(table), criterion.disparities(table)
        for (g, first), (h, second) in permutations(enumerate(table.groups), 2):
            expected = np.array(oracles.RATES[criterion.name](*data, first, second))
            defined = ~np.isnan(disparities[:, g, h])
            assert_same(criterion, shown[defined, g, h], expected[defined])


@thorough
@given(data=rows(scores=True))
def test_scores_are_judged_by_the_same_rule(data):
    table = table_of(data)
    for criterion in PAIRWISE:
        expected = oracles.violation(criterion.name, *data)
        assert_same(criterion, criterion.violation(table), expected)


@given(data=rows(), random=st.randoms(use_true_random=False))
def test_the_order_of_rows_is_irrelevant(data, random):
    order = list(range(len(data.y)))
    random.shuffle(order)
    shuffled = table_of(type(data)(*([column[i] for i in order] for column in data)))
    table = table_of(data)
    for criterion in EVERY:
        assert_same(criterion, criterion.disparities(table), criterion.disparities(shuffled))


@given(data=rows(weights=False))
def test_an_increasing_map_of_predictions_changes_nothing(data):
    table = table_of(data)
    mapped = table_of(data._replace(s=[np.exp(score) - 0.5 for score in data.s]))
    for criterion in PAIRWISE:
        np.testing.assert_array_equal(criterion.disparities(table), criterion.disparities(mapped))


@given(data=rows())
def test_exchanging_two_groups_flips_the_sign(data):
    exchange = {0: 1, 1: 0}
    table = table_of(data)
    turned = table_of(data._replace(a=[exchange.get(group, group) for group in data.a]))
    for criterion in EVERY:
        disparities = criterion.disparities(table)
        before = disparities[:, 0, 1]
        assert_same(criterion, criterion.disparities(turned)[:, 0, 1], -before)
        assert_same(criterion, disparities[:, 1, 0], -before)


@given(data=rows())
def test_a_weight_is_so_many_rows(data):
    weights = [int(2 * weight) for weight in data.w]
    repeated = [np.repeat(column, weights) for column in as_arrays(data)[:3]]
    if len(set(repeated[0])) < 2:
        return
    table, weighted = read_table(*repeated, labels=LABELS), table_of(data, LABELS)
    for criterion in EVERY:
        assert_same(criterion, criterion.disparities(table), criterion.disparities(weighted))


@given(data=rows())
def test_doubling_all_weights_changes_nothing(data):
    table, doubled = (
        table_of(data._replace(w=[times * weight for weight in data.w])) for times in (1, 2)
    )
    for criterion in EVERY:
        assert_same(criterion, criterion.disparities(table), criterion.disparities(doubled))


@given(data=rows())
def test_a_constant_prediction_is_fair(data):
    table = table_of(data._replace(s=[3] * len(data.s)))
    for criterion in PAIRWISE:
        violation = criterion.violation(table)
        assert violation == 0 or np.isnan(violation)


@given(data=rows(weights=False), cuts=st.lists(st.sampled_from([-2.0, 0.1, 0.25, 3.0]), min_size=4,
                                               max_size=4))  # fmt: skip
def test_the_cut_table_has_the_metric_of_the_predictions(data, cuts):
    scores = np.array([-1.5, 0.0, 0.25, 0.5, 7.25])[data.s]
    thresholds = np.sort(cuts)
    cut = table_of(data._replace(s=scores), LABELS).cut(thresholds)
    predicted = [sum(score > threshold for threshold in thresholds) for score in scores]
    table = table_of(data._replace(s=predicted), LABELS)
    for criterion in EVERY:
        assert_same(criterion, criterion.disparities(cut), criterion.disparities(table))


HARMS = pytest.mark.parametrize("harm", [HarmParity, ConditionalHarmParity])


@HARMS
@given(data=rows())
def test_if_higher_is_worse_harm_is_being_rated_too_high(harm, data):
    criterion = harm(higher_is="worse")
    expected = oracles.violation(f"{criterion.name}, higher is worse", *data)
    assert_same(criterion, criterion.violation(table_of(data)), expected)


@HARMS
@pytest.mark.parametrize("cost", ["absolute", "squared", "asymmetric"])
@given(data=rows())
def test_worse_is_better_for_the_labels_in_reverse(harm, cost, data):
    turned = data._replace(y=[4 - y for y in data.y], s=[4 - f for f in data.s])
    costs = cost_matrix(cost, np.array(LABELS))
    worse = harm(costs, "worse").disparities(table_of(data, LABELS))
    better = harm(costs[::-1, ::-1], "better")
    assert_same(better, better.disparities(table_of(turned, LABELS)), worse)


@given(data=rows())
def test_the_signed_tables_give_the_disparities(data):
    table = table_of(data)
    upper = np.triu_indices(len(table.groups), 1)
    for criterion in LINEAR:
        contrasts = criterion.contrasts(table)
        if isinstance(criterion, PairwiseCriterion):
            linear = pair_tables(contrasts) @ table.wins.ravel()
        else:
            signed = np.einsum("pyl,gyl->pg", contrasts.tables, table.cube)
            part, g, h, ahead, behind = contrasts[:5]
            linear = ahead * signed[part, g] - behind * signed[part, h]
        expected = criterion.disparities(table)[:, *upper].ravel()
        assert_same(criterion, linear, expected[~np.isnan(expected)])


@given(data=rows())
def test_the_influence_is_the_derivative_of_the_disparity(data):
    table, step = table_of(data), 1e-6
    (block,) = table.blocks()
    cells = [*zip(block.group, block.label, block.position, strict=True)]
    moved = []
    for g, y, b in cells:
        up, down = table.cube.copy(), table.cube.copy()
        up[g, y, b] += step
        down[g, y, b] -= step
        moved.append([table_of_cube(cube, table.labels) for cube in (up, down)])
    for criterion in EVERY:
        influence = criterion.influence(table)(block)(np.arange(len(block.group)))
        defined = ~np.isnan(criterion.disparities(table))
        for i, (g, _, _) in enumerate(cells):
            up, down = (criterion.disparities(each) for each in moved[i])
            slope = (up - down) / (2 * step)
            others = defined[:, g].copy()
            others[:, g] = False  # a group has no disparity with itself
            np.testing.assert_allclose(influence[:, i][others], slope[:, g][others], atol=1e-6)


UNDEFINED = {
    # nobody's true label is above another's
    "equal_opportunity": [0, 0, 0, 0],
    "conditional_demographic_parity": [0, 0, 0, 0],
    # nobody is rated too low
    "conditional_harm_parity": [0, 0, 0, 0],
    # no label occurs in both groups
    "standard_equal_opportunity": [0, 0, 1, 1],
    "standard_equalized_odds": [0, 0, 1, 1],
}


@pytest.mark.parametrize(("name", "y_true"), UNDEFINED.items())
def test_undefined_is_nan_and_never_zero(name, y_true):
    table = read_table(y_true, [1, 0, 1, 0], list("aabb"), labels=[0, 1, 2])
    assert np.isnan(NAMED[name].violation(table))


def test_one_defined_part_is_enough_for_a_violation():
    table = read_table([0, 0, 0, 0], [1, 0, 1, 1], list("aabb"), labels=[0, 1, 2])
    above, not_below = NAMED["equalized_odds"].disparities(table)[:, 0, 1]
    assert np.isnan(above)
    # of 4 pairs with equal labels a is not below b in 2 (its 1 against both), b never below a
    assert not_below == 2 / 4 - 4 / 4
    assert NAMED["equalized_odds"].violation(table) == 0.5
