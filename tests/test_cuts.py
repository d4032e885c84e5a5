"""The threshold problem: cost and disparities of cuts, scans, and bounds that never lie."""

from itertools import combinations_with_replacement

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from fairordinal._costs import cost_matrix
from fairordinal._table import read_table
from fairordinal.criteria import NAMED
from fairordinal.thresholds import _problem
from fairordinal.thresholds._goal import Deadline, Goal, OutOfTimeError
from fairordinal.thresholds._lower_bound import Windows, chain_bound
from fairordinal.thresholds._problem import cheapest_cuts, read_problem
from strategies import scored_rows

LINEAR = [criterion for name, criterion in NAMED.items() if name != "conditional_harm_parity"]


def table_of(data):
    return read_table(
        data.y,
        data.s,
        data.a,
        sample_weight=data.w,
        labels=range(data.n_labels),
        as_scores=True,
    )


def problems_of(table):
    """The problems of all linear criteria that the table can be judged by."""
    matrix = cost_matrix("absolute", table.labels)
    problems = [(criterion, read_problem(table, criterion, matrix)) for criterion in LINEAR]
    return [(criterion, problem) for criterion, problem in problems if problem.n_contrasts]


def size_of(table):
    """Numbers of positions and of cuts; all problems of a table have the same."""
    return len(table.axis), len(table.labels) - 1


def some_cuts(draw, table):
    n_positions, n_cuts = size_of(table)
    places = st.integers(0, n_positions)
    return np.array(sorted(draw(st.lists(places, min_size=n_cuts, max_size=n_cuts))))


def some_multipliers(draw, problem):
    number = st.floats(-5, 5, allow_subnormal=False)
    size = problem.n_contrasts
    return np.array(draw(st.lists(number, min_size=size, max_size=size)))


@given(data=scored_rows(), draw=st.data())
def test_cuts_mean_what_the_cut_table_means(data, draw):
    table = table_of(data)
    cuts = some_cuts(draw.draw, table)
    below = np.concatenate([[-np.inf], table.axis])
    cut = table.cut(below[cuts])
    matrix = cost_matrix("absolute", table.labels)
    cost = np.einsum("gyl,yl->", cut.cube, matrix) / cut.rows.sum()
    for criterion, problem in problems_of(table):
        assert problem.cost(cuts) == pytest.approx(cost, abs=1e-12)
        assert problem.violation(cuts) == pytest.approx(criterion.violation(cut), abs=1e-12)


@given(data=scored_rows(), draw=st.data())
def test_a_scan_is_each_move_by_itself(data, draw):
    table = table_of(data)
    n_positions, n_cuts = size_of(table)
    cuts = some_cuts(draw.draw, table)
    t = draw.draw(st.integers(0, n_cuts - 1))
    lowest = cuts[t - 1] if t else 0
    highest = cuts[t + 1] if t < n_cuts - 1 else n_positions
    places = np.arange(lowest, highest + 1)
    for _, problem in problems_of(table):
        costs, violations = problem.scan(cuts, np.full_like(places, t), places)
        for place, cost, violation in zip(places, costs, violations, strict=True):
            moved = cuts.copy()
            moved[t] = place
            assert abs(cost - problem.cost(moved)) <= 1e-12
            assert abs(violation - problem.violation(moved)) <= 1e-12


@given(data=scored_rows(), draw=st.data())
def test_a_scan_in_blocks_is_the_same(data, draw):
    table = table_of(data)
    cuts = some_cuts(draw.draw, table)
    moved = np.repeat(np.arange(len(cuts)), 2)
    places = np.repeat(cuts, 2) // 2  # scans do not mind whether cuts cross
    for _, problem in problems_of(table):
        expected = problem.scan(cuts, moved, places)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(_problem, "MOST_SCANNED", 1)
            found = problem.scan(cuts, moved, places)
        np.testing.assert_allclose(found, expected, atol=1e-14)


@given(data=scored_rows(max_rows=8, max_labels=4), draw=st.data())
def test_bounds_hold_for_any_windows_multipliers_and_anchor(data, draw):
    table = table_of(data)
    n_positions, n_cuts = size_of(table)
    n_windows = st.integers(1, n_positions + 1)
    windows = [Windows.spread(n_positions + 1, draw.draw(n_windows)) for _ in range(n_cuts)]
    anchor = some_cuts(draw.draw, table)
    every = [np.array(c) for c in combinations_with_replacement(range(n_positions + 1), n_cuts)]
    at = [
        [
            np.searchsorted(w.first, cut, side="right") - 1
            for cut, w in zip(cuts, windows, strict=True)
        ]
        for cuts in every
    ]
    for _, problem in problems_of(table):
        multipliers = some_multipliers(draw.draw, problem)
        bound = chain_bound(problem, windows, multipliers, anchor, Deadline())
        for cuts, windows_of_cuts in zip(every, at, strict=True):
            value = problem.cost(cuts) + multipliers @ problem.disparities(cuts)
            for t, window in enumerate(windows_of_cuts):
                assert bound.through[t][window] <= value + 1e-12


@given(data=scored_rows(max_rows=8, max_labels=4), draw=st.data())
def test_bounds_of_single_places_are_attained_by_their_cuts(data, draw):
    table = table_of(data)
    n_positions, n_cuts = size_of(table)
    windows = [Windows.spread(n_positions + 1, n_positions + 1)] * n_cuts
    for _, problem in problems_of(table):
        multipliers = some_multipliers(draw.draw, problem)
        bound = chain_bound(problem, windows, multipliers, problem.constant(0), Deadline())
        reached = problem.cost(bound.cuts) + multipliers @ problem.disparities(bound.cuts)
        assert bound.value == pytest.approx(reached, abs=1e-10)


@given(data=scored_rows(), cost=st.sampled_from(["absolute", "zero_one", "squared"]))
def test_the_cheapest_cuts_are(data, cost):
    table = table_of(data)
    matrix = cost_matrix(cost, table.labels)
    problem = read_problem(table, NAMED["demographic_parity"], matrix)
    assume(problem.n_contrasts)
    costs = [
        problem.cost(np.array(cuts))
        for cuts in combinations_with_replacement(range(problem.n_positions + 1), problem.n_cuts)
    ]
    assert problem.cost(cheapest_cuts(problem.gains)) == pytest.approx(min(costs), abs=1e-12)


def test_demographic_parity_knows_groups_only():
    generator = np.random.default_rng(0)
    y, a = generator.integers(0, 5, 200), generator.integers(0, 3, 200)
    table = read_table(y, generator.normal(size=200), a, as_scores=True)
    problem = read_problem(
        table, NAMED["demographic_parity"], cost_matrix("absolute", table.labels)
    )
    assert problem.cumulative.shape[1] == 3


@given(n_places=st.integers(1, 40), n_windows=st.integers(1, 50), place=st.integers(0, 40))
def test_windows_partition_their_places(n_places, n_windows, place):
    windows = Windows.spread(n_places, n_windows)
    for some in (windows, windows.halve(), windows.halve().halve()):
        places, begin = some.positions()
        assert places.tolist() == list(range(n_places))
        assert places[begin].tolist() == some.first.tolist()
        boundary = some.boundary(place)
        assert ((some.last <= boundary) | (some.first > boundary)).all()
        both = [*some.below(place).positions()[0], *some.from_(place).positions()[0]]
        assert both == list(range(n_places))


def test_a_limit_is_infinite_beyond_it_and_a_price_is_not():
    limit, price = Goal(100.0, 0.1, hard=True), Goal(3.0)
    assert limit.value(1.0, 0.1) == 1.0
    assert limit.value(1.0, 0.11) == float("inf")
    assert price.value(1.0, 0.5) == 2.5


def test_a_deadline_stops_the_work():
    with pytest.raises(OutOfTimeError):
        Deadline(0.0).check()
