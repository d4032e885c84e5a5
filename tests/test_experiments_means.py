"""Means over splits, and what points save against curves."""

import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairordinal.experiments.figures.panels import Mean, cost_at, means, pick, savings

DP, EO = "demographic_parity", "equal_opportunity"


def mean_of(**fields):
    known = {"data": "d", "criterion": DP, "kind": "k", "parameter": 0.0, "n_splits": 1}
    return Mean(**(known | {"cost_spread": 0.0, "violation_spread": 0.0} | fields))


numbers = st.sampled_from([0.0, 0.1, 0.25, 0.5, math.nan])
row = st.fixed_dictionaries(
    {
        "data": st.sampled_from("de"),
        "criterion": st.sampled_from([DP, EO]),
        "kind": st.sampled_from("kl"),
        "parameter": st.sampled_from([0.5, 0.0]),
        "cost": numbers,
        "violation": numbers,
    }
)


@given(rows=st.lists(row, max_size=30))
def test_means_are_over_the_splits_in_which_both_numbers_are_defined(rows):
    found = [mean for kind in means(rows).values() for mean in kind]
    keys = [(mean.data, mean.criterion, mean.kind, mean.parameter) for mean in found]
    assert len(set(keys)) == len(keys)
    for key, mean in zip(keys, found, strict=True):
        same = [r for r in rows if (r["data"], r["criterion"], r["kind"], r["parameter"]) == key]
        kept = [r for r in same if not math.isnan(r["cost"] + r["violation"])]
        assert mean.n_splits == len(kept)
        for name in ("cost", "violation"):
            values = [r[name] for r in kept]
            middle = sum(values) / len(values) if values else math.nan
            spread = (
                math.sqrt(sum((v - middle) ** 2 for v in values) / len(values))
                if values
                else math.nan
            )
            found_values = getattr(mean, name), getattr(mean, f"{name}_spread")
            assert found_values == pytest.approx((middle, spread), abs=1e-12, nan_ok=True)


@given(rows=st.lists(row, max_size=30))
def test_predictors_are_picked_by_parameter_where_they_are_defined(rows):
    chosen = pick(means(rows), data="d", criterion=DP, kind="k")
    assert [mean.parameter for mean in chosen] == sorted({m.parameter for m in chosen})
    same = [r for r in rows if (r["data"], r["criterion"], r["kind"]) == ("d", DP, "k")]
    defined = {r["parameter"] for r in same if not math.isnan(r["cost"] + r["violation"])}
    assert {mean.parameter for mean in chosen} == defined


levels = st.sampled_from([0.0, 0.1, 0.2, 0.3, 0.5])
points = st.lists(st.tuples(levels, levels), min_size=1, max_size=6)


def cheapest_by_hand(curve, wanted):
    """Walk along each segment in steps that hit all levels."""
    best = math.inf
    for (v, c), (w, d) in pairwise(curve):
        for step in range(601):
            t = step / 600
            if abs((1 - t) * v + t * w - wanted) < 1e-9:
                best = min(best, (1 - t) * c + t * d)
    return best


@given(curve=points, wanted=levels)
def test_the_cost_of_a_curve_is_the_least_of_all_segments(curve, wanted):
    drawn = [mean_of(violation=v, cost=c) for v, c in curve]
    expected = cheapest_by_hand(curve, wanted)
    found = cost_at(drawn, wanted)
    if math.isinf(expected):
        assert math.isnan(found)
    else:
        assert found == pytest.approx(expected, abs=1e-9)


@given(curve=points, others=points)
def test_what_points_save_is_the_cost_of_the_curve_less_their_own(curve, others):
    drawn, tried = ([mean_of(violation=v, cost=c) for v, c in each] for each in (curve, others))
    by_hand = [cheapest_by_hand(curve, v) - c for v, c in others]
    assert savings(tried, drawn) == pytest.approx([x for x in by_hand if x < math.inf], abs=1e-9)
