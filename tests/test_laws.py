"""Laws that every criterion inherits. A new criterion joins by its name in the registry."""

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

EVERY = [pytest.param(criterion, id=name) for name, criterion in NAMED.items()]
PAIRWISE = [pytest.param(c, id=n) for n, c in NAMED.items() if isinstance(c, PairwiseCriterion)]
LINEAR = [pytest.param(c, id=n) for n, c in NAMED.items() if n != "conditional_harm_parity"]
LABELS = [0, 1, 2, 3, 4]

every_criterion = pytest.mark.parametrize("criterion", EVERY)
every_pairwise = pytest.mark.parametrize("criterion", PAIRWISE)
thorough = settings(max_examples=400)


def table_of(data, labels=None):
    whole = all(float(score).is_integer() for score in data.s)
    reading = "labels" if whole else "scores"
    return read_table(
        data.y, data.s, data.a, sample_weight=data.w, labels=labels, predictions=reading
    )


def assert_same(first, second, tolerance=1e-12):
    np.testing.assert_allclose(first, second, rtol=0, atol=tolerance, equal_nan=True)


@every_criterion
@thorough
@given(data=rows())
def test_the_violation_is_that_of_pair_by_pair_enumeration(criterion, data):
    assert_same(criterion.violation(table_of(data)), oracles.violation(criterion.name, *data))


@every_criterion
@thorough
@given(data=rows())
def test_each_disparity_is_that_of_pair_by_pair_enumeration(criterion, data):
    table = table_of(data)
    disparities = criterion.disparities(table)
    for g, first in enumerate(table.groups):
        for h, second in enumerate(table.groups):
            if g != h:
                expected = oracles.disparity(criterion.name, *data, first, second)
                assert_same(disparities[:, g, h], expected)


@every_criterion
@given(data=rows())
def test_each_probability_is_that_of_pair_by_pair_enumeration(criterion, data):
    table = table_of(data)
    shown = criterion.probabilities(table)
    for g, first in enumerate(table.groups):
        for h, second in enumerate(table.groups):
            expected = np.array(oracles.RATES[criterion.name](*data, first, second))
            defined = ~np.isnan(criterion.disparities(table)[:, g, h])
            if g != h:
                assert_same(shown[defined, g, h], expected[defined])


@every_pairwise
@thorough
@given(data=rows(scores=True))
def test_scores_are_judged_by_the_same_rule(criterion, data):
    assert_same(criterion.violation(table_of(data)), oracles.violation(criterion.name, *data))


@every_criterion
@given(data=rows(), random=st.randoms(use_true_random=False))
def test_the_order_of_rows_is_irrelevant(criterion, data, random):
    order = list(range(len(data.y)))
    random.shuffle(order)
    shuffled = type(data)(*([column[i] for i in order] for column in data))
    assert_same(criterion.disparities(table_of(data)), criterion.disparities(table_of(shuffled)))


@every_pairwise
@given(data=rows(weights=False))
def test_an_increasing_map_of_predictions_changes_nothing(criterion, data):
    table = table_of(data)
    mapped = table_of(data._replace(s=[np.exp(score) - 0.5 for score in data.s]))
    np.testing.assert_array_equal(criterion.disparities(table), criterion.disparities(mapped))


@every_criterion
@given(data=rows())
def test_exchanging_two_groups_flips_the_sign(criterion, data):
    exchange = {0: 1, 1: 0}
    turned = data._replace(a=[exchange.get(group, group) for group in data.a])
    before = criterion.disparities(table_of(data))[:, 0, 1]
    assert_same(criterion.disparities(table_of(turned))[:, 0, 1], -before)
    assert_same(criterion.disparities(table_of(data))[:, 1, 0], -before)


@every_criterion
@given(data=rows())
def test_a_weight_is_so_many_rows(criterion, data):
    weights = [int(2 * weight) for weight in data.w]
    repeated = [np.repeat(column, weights) for column in as_arrays(data)[:3]]
    if len(set(repeated[0])) < 2:
        return
    table = read_table(*repeated, labels=LABELS)
    assert_same(criterion.disparities(table), criterion.disparities(table_of(data, LABELS)))


@every_criterion
@given(data=rows())
def test_doubling_all_weights_changes_nothing(criterion, data):
    doubled = data._replace(w=[2 * weight for weight in data.w])
    assert_same(criterion.disparities(table_of(data)), criterion.disparities(table_of(doubled)))


@every_pairwise
@given(data=rows())
def test_a_constant_prediction_is_fair(criterion, data):
    constant = data._replace(s=[3] * len(data.s))
    violation = criterion.violation(table_of(constant))
    assert violation == 0 or np.isnan(violation)


@every_criterion
@given(data=rows(weights=False), cuts=st.lists(st.sampled_from([-2.0, 0.1, 0.25, 3.0]), min_size=4,
                                               max_size=4))  # fmt: skip
def test_the_cut_table_has_the_metric_of_the_predictions(criterion, data, cuts):
    scores = np.array([-1.5, 0.0, 0.25, 0.5, 7.25])[data.s]
    thresholds = np.sort(cuts)
    cut = table_of(data._replace(s=scores), LABELS).cut(thresholds)
    predicted = [sum(score > threshold for threshold in thresholds) for score in scores]
    assert_same(
        criterion.disparities(cut),
        criterion.disparities(table_of(data._replace(s=predicted), LABELS)),
    )


HARMS = pytest.mark.parametrize("harm", [HarmParity, ConditionalHarmParity])


@HARMS
@given(data=rows())
def test_if_higher_is_worse_harm_is_being_rated_too_high(harm, data):
    criterion = harm(higher_is="worse")
    expected = oracles.violation(f"{criterion.name}, higher is worse", *data)
    assert_same(criterion.violation(table_of(data)), expected)


@HARMS
@pytest.mark.parametrize("cost", ["absolute", "squared", "asymmetric"])
@given(data=rows())
def test_worse_is_better_for_the_labels_in_reverse(harm, cost, data):
    turned = data._replace(y=[4 - y for y in data.y], s=[4 - f for f in data.s])
    costs = cost_matrix(cost, np.array(LABELS))
    worse = harm(costs, "worse").disparities(table_of(data, LABELS))
    assert_same(harm(costs[::-1, ::-1], "better").disparities(table_of(turned, LABELS)), worse)


@pytest.mark.parametrize("criterion", LINEAR)
@given(data=rows())
def test_the_signed_tables_give_the_disparities(criterion, data):
    table = table_of(data)
    contrasts = criterion.contrasts(table)
    if isinstance(criterion, PairwiseCriterion):
        linear = pair_tables(contrasts) @ table.wins.ravel()
    else:
        signed = np.einsum("pyl,gyl->pg", contrasts.tables, table.cube)
        part, g, h, ahead, behind = contrasts[:5]
        linear = ahead * signed[part, g] - behind * signed[part, h]
    disparities = criterion.disparities(table)
    upper = np.triu_indices(len(table.groups), 1)
    expected = disparities[:, *upper].ravel()
    assert_same(linear, expected[~np.isnan(expected)])


@every_criterion
@given(data=rows())
def test_the_influence_is_the_derivative_of_the_disparity(criterion, data):
    table = table_of(data)
    (block,) = table.blocks()
    influence = criterion.influence(table)(block)(np.arange(len(block.group)))
    step = 1e-6
    defined = ~np.isnan(criterion.disparities(table))
    for i, (g, y, b) in enumerate(zip(block.group, block.label, block.position, strict=True)):
        up, down = table.cube.copy(), table.cube.copy()
        up[g, y, b] += step
        down[g, y, b] -= step
        moved = [criterion.disparities(table_of_cube(cube, table.labels)) for cube in (up, down)]
        slope = (moved[0] - moved[1]) / (2 * step)
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
