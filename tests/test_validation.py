"""What comes in: bad input is refused with advice; good input of any library means the same."""

import re
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from fairordinal import audit, audit_counts
from fairordinal.metrics import (
    consistency_score,
    harm_parity_difference,
    margin_loss,
    mean_cost,
    pairwise_demographic_parity_difference,
    pairwise_demographic_parity_matrix,
    pairwise_equal_opportunity_difference,
    standard_equal_opportunity_difference,
)

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")

nan, inf = np.nan, np.inf
Y, F, A = [0, 1, 2, 0, 1, 2], [0, 2, 2, 0, 0, 1], list("aaabbb")
GOOD = {"y_true": Y, "y_pred": F, "sensitive_features": A}
NAMES = ["low", "mid", "high", "top"]  # not in alphabetical order
V_SHAPED = [[0, 1, 2], [1, 0, 1], [2, 1, 0]]


def groupless_cost(y_true, y_pred, sensitive_features=None, **options):
    return mean_cost(y_true, y_pred, **options)


def counted(y_true, y_pred, sensitive_features, sample_weight=None, **options):
    weight = [1] * len(y_true) if sample_weight is None else sample_weight
    columns = {"group": sensitive_features, "y_true": y_true, "y_pred": y_pred, "count": weight}
    return audit_counts(columns, **options)


def named(table):
    return [pytest.param(value, id=name) for name, value in table.items()]


def cases(table):
    return [pytest.param(*value, id=name) for name, value in table.items()]


PARITY = {"parity": pairwise_demographic_parity_difference}
GROUPED = {**PARITY, "opportunity": pairwise_equal_opportunity_difference, "audit": audit}
READERS = {**GROUPED, "mean_cost": groupless_cost}  # take columns of every library
every_entry = pytest.mark.parametrize("call", named({**READERS, "counts": counted}))
every_reader = pytest.mark.parametrize("call", named(READERS))
every_grouped_entry = pytest.mark.parametrize("call", named({**GROUPED, "counts": counted}))
every_grouped_reader = pytest.mark.parametrize("call", named(GROUPED))
every_audit = pytest.mark.parametrize("call", named({"audit": audit, "counts": counted}))
each_y = pytest.mark.parametrize("name", ["y_true", "y_pred"])


def assert_refused(call, *parts, **changes):
    """The message holds all parts, and nothing but a ValueError will do."""
    with pytest.raises(ValueError, match=re.escape(parts[0])) as caught:
        call(**{**GOOD, **changes})
    for part in parts[1:]:
        assert part in str(caught.value)


# ---------------------------------------------------------------- rows that do not fit together


@every_entry
@pytest.mark.parametrize("name", ["y_pred", "sample_weight", "sensitive_features"])
def test_columns_of_different_lengths_are_refused_with_both_lengths(call, name):
    if call is groupless_cost and name == "sensitive_features":
        pytest.skip("takes no groups")
    shown = "count" if call is counted and name == "sample_weight" else name
    assert_refused(call, shown, "5", "6", **{name: [0, 1, 2, 3, 4]})


EMPTY = [[], np.array([]), pd.Series([], dtype=str), pd.Categorical([]), pa.array([], pa.int64())]
NO_GROUPS = [{}, pd.DataFrame(index=range(6)), np.empty((6, 0)), np.empty((0, 2))]


@every_grouped_reader
@pytest.mark.parametrize(("name", "empty"), [
    *((name, empty) for name in GOOD for empty in EMPTY),
    *(("sensitive_features", empty) for empty in NO_GROUPS)])  # fmt: skip
def test_what_is_empty_is_called_empty(call, name, empty):
    assert_refused(call, name, "empty", **{name: empty})


@every_grouped_entry
@pytest.mark.parametrize(("group", "shown"), [("f", "('f')"), (1, "(1)")])
def test_one_group_alone_is_refused_by_name(call, group, shown):
    parts = f"sensitive_features has one group {shown}", "need two", "full audit sample"
    assert_refused(call, *parts, sensitive_features=[group] * 6)


# ---------------------------------------------------------------- labels that are not labels


HOLES = {
    "None": [0, 1, None, 0, 1, 2],
    "nan": [0, 1, nan, 0, 1, 2],
    "NA": [0, 1, pd.NA, 0, 1, 2],
    "names": ["low", "mid", None, "mid", "low", "mid"],
    "polars": pl.Series([0, 1, None, 0, 1, 2]),
    "Enum": pl.Series(["a", "b", None, "a", "b", "a"], dtype=pl.Enum(["b", "a"])),
    "Int64": pd.Series([0, 1, None, 0, 1, 2], dtype="Int64"),
    "arrow-backed": pd.Series([0, 1, None, 0, 1, 2], dtype="int64[pyarrow]"),
    "categorical": pd.Categorical([0, 1, None, 0, 1, 2], ordered=True),
    "pyarrow": pa.array([0, 1, None, 0, 1, 2]),
    "masked": np.ma.array([0, 1, 7, 0, 1, 2], mask=[0, 0, 1, 0, 0, 0]),
}


@every_reader
@each_y
@pytest.mark.parametrize("column", named(HOLES))
def test_a_missing_label_of_any_library_is_refused_with_its_row(call, name, column):
    parts = f"{name} must be complete", "at row 2 (1 such rows)", "Drop these rows"
    assert_refused(call, *parts, **{name: column})


@pytest.mark.parametrize("score", [nan, inf, -inf])
def test_scores_that_are_not_finite_are_refused_with_their_row(score):
    scores, shown = [0.1, score, *F[2:]], f"got {score} at row 1"
    for call in READERS.values():
        assert_refused(call, "y_pred must", shown, y_pred=scores)
    assert_refused(audit, "scores must", shown, scores=scores)
    assert_refused(lambda **_: margin_loss(Y, scores, [0.5, 1.5]), "scores must", shown)


@every_entry
@each_y
def test_a_label_outside_of_the_given_ones_is_refused_with_value_row_and_number(call, name):
    parts = f"{name} must hold labels from [0, 1, 2]", "got 7 at row 3 (2 such rows)", "labels="
    assert_refused(call, *parts, **{name: [0, 1, 2, 7, 7, 0]}, labels=[0, 1, 2])


UNORDERED = {"list": list, "categorical": pd.Categorical, "polars": pl.Series,
             "series": lambda v: pd.Series(v, dtype="category"),
             "polars categorical": lambda v: pl.Series(v, dtype=pl.Categorical)}  # fmt: skip


@every_reader
@each_y
@pytest.mark.parametrize("make", named(UNORDERED))
def test_names_without_an_order_are_listed_with_the_remedy(call, name, make):
    parts = f"{name} holds names without an order", "'high', 'low', 'mid'", "labels=[", "ordered"
    assert_refused(call, *parts, **{name: make(["low", "mid", "high"] * 2)})


@every_entry
@each_y
@pytest.mark.parametrize("column", [[True, False] * 3, np.array([True, False] * 3)], ids=type)
def test_booleans_are_no_ordinal_labels(call, name, column):
    assert_refused(call, f"{name} holds booleans", "astype(int)", **{name: column})


@every_grouped_entry
def test_a_single_true_label_is_refused_unless_others_are_named(call):
    assert_refused(call, "y_true has one label (1)", "labels=[", y_true=[1] * 6)
    call(**{**GOOD, "y_true": [1] * 6}, labels=[0, 1, 2])


TWO = {"y": Y, "z": Y}
ROWS = "must be a column of rows"
NOT_ONE = {
    **{str(type(value)): (value, ROWS) for value in (
        3, np.array(3), "012012", None, {"y": Y}, {0, 1, 2}, pl.col("y"))},
    "array": (np.array([Y, Y]).T, "(6, 2)"),
    "rows": ([[1, 2]] * 6, "(6, 2)"),
    "pandas": (pd.DataFrame(TWO), "2 columns"),
    "polars": (pl.DataFrame(TWO), "2 columns"),
    "pyarrow": (pa.table(TWO), "2 columns"),
    "ragged": ([[1], [1, 2], [1], [1], [1], [1]], "different lengths"),
    "lazy": (pl.LazyFrame({"y": Y}), "LazyFrame of polars, whose rows are not in memory"),
    "complex": ([1j] * 6, "complex128"),
}  # fmt: skip


@every_reader
@each_y
@pytest.mark.parametrize(("value", "shown"), cases(NOT_ONE))
def test_what_is_not_one_column_of_labels_is_refused_with_what_it_is(call, name, value, shown):
    assert_refused(call, name, shown, **{name: value})


@every_grouped_reader
@pytest.mark.parametrize(("value", "shown"), cases({
    "ragged": ([["a", "b"], ["a"], ["b", "b"], ["a", "a"], ["a", "b"], ["a", "b"]], "lengths"),
    "lazy": (pl.LazyFrame({"g": A}), "collect"), "string": ("aaabbb", "column of rows"),
    "None": (None, "column of rows"), "complex": ([1j] * 6, "complex"),
    "records": ([{"sex": "f"}, {"sex": "m"}] * 3, "column")}))  # fmt: skip
def test_sensitive_features_that_are_no_columns_are_refused(call, value, shown):
    assert_refused(call, "sensitive_features", shown, sensitive_features=value)


ID = np.random.default_rng(0).permutation(5000)


@every_grouped_reader
@pytest.mark.parametrize("column", named({
    "numbers": ID, "names": [f"id{i}" for i in ID], "scattered": ID * 10**12,
    "six columns": {str(i): np.roll(ID, i) for i in range(6)}}))  # fmt: skip
def test_an_identifier_as_sensitive_feature_is_refused(call, column):
    parts = "sensitive_features has 5000 groups", "identifier", "Bin it"
    changes = {"y_true": ID % 3, "y_pred": ID % 3, "sensitive_features": column}
    assert_refused(call, *parts, **changes)


# ---------------------------------------------------------------- weights, labels=, options

BAD_WEIGHTS = {
    "negative": ([1, 1, -1, 1, 1, -1], "got -1.0 at row 2 (2 such rows)"),
    "nan": ([1, nan, 1, 1, 1, 1], "got nan at row 1 (1 such rows)"),
    "missing": ([1, None, 1, 1, 1, 1], "at row 1"),
    "infinite": ([1, 1, 1, 1, 1, inf], "got inf at row 5 (1 such rows)"),
    "zero": ([0] * 6, "is zero in every row"),
    "strings": (list("111111"), "must hold numbers, got '1' at row 0"),
    "a string": ([1, 1, 1, "x", 1, 1], "must hold numbers, got 'x' at row 3"),
}


@every_entry
@pytest.mark.parametrize(("weight", "shown"), cases(BAD_WEIGHTS))
def test_impossible_weights_are_refused_with_their_row(call, weight, shown):
    assert_refused(call, shown, "count" if call is counted else "weight", sample_weight=weight)


@every_grouped_entry
def test_weights_that_leave_one_group_are_refused(call):
    assert_refused(call, "only group 'a'", "sample_weight", sample_weight=[1, 1, 1, 0, 0, 0])


@every_entry
@pytest.mark.parametrize("labels", named({
    "repeated": [0, 1, 1, 2], "single": [0], "missing": [0, 1, 2, None],
    "infinite": [0, 1, 2, inf],
    "empty": [], "string": "012", "set": {0, 1, 2},
    "repeated category": pd.Categorical([0, 0, 2], categories=[0, 1, 2])}))  # fmt: skip
def test_labels_must_be_a_sequence_of_distinct_labels(call, labels):
    with pytest.raises(ValueError, match=r"^labels "):
        call(**GOOD, labels=labels)


BAD_OPTIONS = {
    "criteria as a string": ("criteria must be a list", {"criteria": "demographic_parity"}),
    "no criteria": ("criteria must be a list", {"criteria": []}),
    "criteria as a number": ("criteria must be a list", {"criteria": 3}),
    "unknown criterion": ("'demographic_parity', 'equal_opportunity'", {"criteria": ["dp"]}),
    "unknown interval": ("['delta', 'bootstrap', 'distribution_free']", {"interval": "exact"}),
    "unknown missing_group": ("missing_group must be 'error' or 'own'", {"missing_group": "drop"}),
    **{f"confidence {c!r}": ("confidence must lie strictly between 0 and 1", {"confidence": c})
       for c in (0, 1, 95, -0.5, nan, "0.95", None)},
    **{f"n_resamples {n!r}": ("n_resamples must", {"interval": "bootstrap", "n_resamples": n})
       for n in (0, -1, 1.5, "many")},
}  # fmt: skip


@every_audit
@pytest.mark.parametrize(("shown", "options"), cases(BAD_OPTIONS))
def test_an_option_of_an_audit_is_refused_with_what_it_may_be(call, shown, options):
    got = [str(value) for value in options.values() if value != "bootstrap"]
    assert_refused(call, shown, got[0].strip("[]'"), **options)


BAD_COSTS = {
    "falls away from the truth": ([[0, 2, 1], [1, 0, 1], [2, 1, 0]], "wrong at column 2"),
    "negative": ([[0, -1, 2], [1, 0, 1], [2, 1, 0]], "wrong at column 1"),
    "nan": ([[0, nan, 2], [1, 0, 1], [2, 1, 0]], "wrong at column 1"),
    "infinite": ([[0, 1, inf], [1, 0, 1], [2, 1, 0]], "wrong at column 2"),
    "costly truth": ([[1, 1, 2], [1, 0, 1], [2, 1, 0]], "wrong at column 0"),
    "too small": ([[0, 1], [1, 0]], "shape (2, 2) but there are 3 labels"),
    "ragged": ([[0, 1, 2], [1, 0]], "row"),
    "strings": ([list("abc")] * 3, "numbers"),
    "dict": ({}, "V-shaped"),
    "unknown name": ("cubic", "one of ['absolute', 'zero_one', 'squared', 'asymmetric']"),
}


@pytest.mark.parametrize(
    "call",
    named(
        {
            "mean_cost": groupless_cost,
            "audit": audit,
            "harm": harm_parity_difference,
            "counts": counted,
        }
    ),
)
@pytest.mark.parametrize(("matrix", "shown"), cases(BAD_COSTS))  # fmt: skip
def test_a_cost_matrix_must_be_v_shaped_and_fit_the_labels(call, matrix, shown):
    assert_refused(call, "cost_matrix", shown, cost_matrix=matrix)
    call(**GOOD, cost_matrix=V_SHAPED)


def margin(thresholds=(0.5, 1.5), **options):
    kept = {name: value for name, value in options.items() if name not in GOOD}
    return margin_loss(Y, [0.1, 0.7, 1.9, 0.2, 1.1, 1.6], thresholds, **kept)


def consistency(n_neighbors, **_):
    return consistency_score(np.arange(6.0)[:, None], F, n_neighbors=n_neighbors)


@pytest.mark.parametrize(("call", "name", "value"), [
    *((standard_equal_opportunity_difference, "preferred", v) for v in (9, "x", nan)),
    *((margin, "thresholds", v) for v in ([1], [2, 1], [1, nan], ["a", "b"], 1, None)),
    *((margin, "margin", v) for v in (-1, nan, "a", None)),
    *((consistency, "n_neighbors", v) for v in (0, -1, 6, 1.5, nan, "a", None))])  # fmt: skip
def test_an_option_of_a_metric_is_refused_by_name(call, name, value):
    assert_refused(call, name, **{name: value})


COUNTS = {"group": list("aabb"), "y_true": [0, 3, 0, 2], "y_pred": [3, 3, 0, 2], "count": [1] * 4}


@pytest.mark.parametrize("table", named({
    "lazy": pl.LazyFrame(COUNTS), "no rows": [], "empty frame": pd.DataFrame(COUNTS)[:0],
    "None": None, "number": 3, "numbers": [1, 2], "short rows": [("a", 0, 3)], "string": "abcd",
    "scalar column": {**COUNTS, "count": 1}, "lacking": {"group": list("ab")},
    "series": pd.DataFrame(COUNTS).set_index(["group", "y_true", "y_pred"])["count"],
}))  # fmt: skip
def test_what_is_no_table_of_counts_is_refused(table):
    with pytest.raises(ValueError, match="count"):
        audit_counts(table)


def test_no_table_and_no_column_of_groups_are_refused():
    assert_refused(lambda **_: audit_counts(), "at least one table")
    assert_refused(lambda **_: audit_counts(COUNTS, sensitive_features=[]), "sensitive_features")


SMALL = pl.DataFrame(COUNTS).with_columns(pl.col("count").cast(pl.UInt32))


@pytest.mark.parametrize("table", named({
    "pandas": pd.DataFrame(COUNTS), "polars": pl.DataFrame(COUNTS), "pyarrow": pa.table(COUNTS),
    "UInt32": SMALL, "arrow int32": SMALL.to_arrow(), "rows": [*zip(*COUNTS.values(), strict=True)],
    "mappings": pl.DataFrame(COUNTS).to_dicts(),
    "decimals": {**COUNTS, "count": [Decimal(1)] * 4}}))  # fmt: skip
@pytest.mark.parametrize("other", named({
    "polars": pl.DataFrame(COUNTS), "pyarrow": pa.table(COUNTS), "columns": COUNTS}))  # fmt: skip
def test_tables_of_counts_of_any_two_libraries_add_up(table, other):
    assert audit_counts(table, other).table.rows.tolist() == [4.0, 4.0]


# ---------------------------------------------------------------- missing groups

HOLED_GROUPS = {
    "None": ["a", "a", None, "b", "b", "b"],
    "nan": ["a", "a", nan, "b", "b", "b"],
    "NA": ["a", "a", pd.NA, "b", "b", "b"],
    "floats": [1.0, 1.0, nan, 2.0, 2.0, 2.0],
    "booleans": [False, False, None, True, True, True],
    "pandas string": pd.Series(["a", "a", None, "b", "b", "b"], dtype="string"),
    "category": pd.Series(["a", "a", None, "b", "b", "b"], dtype="category"),
    "polars": pl.Series(["a", "a", None, "b", "b", "b"]),
    "pyarrow": pa.array(["a", "a", None, "b", "b", "b"]),
    "masked": np.ma.array([1, 1, 7, 2, 2, 2], mask=[0, 0, 1, 0, 0, 0]),
    "two columns": {"one": ["a", "a", None, "b", "b", "b"], "two": ["x"] * 6},
    "frame": pd.DataFrame({"one": ["a", "a", None, "b", "b", "b"], "two": ["x"] * 6}),
}


@pytest.mark.parametrize("groups", named(HOLED_GROUPS))
def test_a_missing_group_is_refused_with_its_row_and_the_way_to_keep_it(groups):
    for call in GROUPED.values():
        parts = "sensitive_features must be complete", "at row 2 (1 such rows)", "='own'"
        assert_refused(call, *parts, sensitive_features=groups)


@pytest.mark.parametrize("groups", named(HOLED_GROUPS))
def test_missing_groups_can_be_a_group_of_their_own(groups):
    matrix = pairwise_demographic_parity_matrix
    own = matrix(Y, F, sensitive_features=groups, missing_group="own")
    by_hand = matrix(Y, F, sensitive_features=[1, 1, 3, 2, 2, 2])
    np.testing.assert_array_equal(own.disparity, by_hand.disparity)
    last = own.groups[-1]
    assert last == ("(missing)", "x") if isinstance(last, tuple) else last == "(missing)"


@pytest.mark.parametrize(
    "make",
    named(
        {
            "list": list,
            "polars": pl.Series,
            "pyarrow": pa.array,
            "Int64": lambda v: pd.Series(v, dtype="Int64"),
        }
    ),
)
def test_whole_numbers_beside_a_missing_group_keep_their_names(make):
    result = audit(Y, F, sensitive_features=make([1, 1, None, 2, 2, 2]), missing_group="own")
    assert [str(group) for group in result.table.groups] == ["1", "2", "(missing)"]


BIG = [2**60 + 1, 2**60 + 1, None, 2**60 + 2, 2**60 + 2, 2**60 + 2]
DATES = np.array(["2020-01-01"] * 2 + ["NaT"] + ["2021-01-01"] * 3, dtype="M8[D]")
KEPT_APART = {
    "list": BIG,
    "Int64": pd.Series(BIG, dtype="Int64"),
    "arrow-backed": pd.Series(BIG, dtype="int64[pyarrow]"),
    "polars": pl.Series(BIG),
    "pyarrow": pa.array(BIG),
    "masked": np.ma.array([2**60 + 1] * 2 + [7] + [2**60 + 2] * 3, mask=[0, 0, 1, 0, 0, 0]),
    "mixed with floats": [2**60 + 1, 2**60 + 1, 0.5, 2**60 + 2, 2**60 + 2, 2**60 + 2],
    "beyond int64": [2**63 + 1, 2**63 + 1, -1, 2**63 + 2, 2**63 + 2, 2**63 + 2],
    "decimals": [Decimal("0.1")] * 2 + [Decimal("7")] + [Decimal("0.1") + Decimal("1e-22")] * 3,
    "long decimals": pl.Series(["0.1", "0.1", None, *["0.1" + "0" * 20 + "1"] * 3]).cast(
        pl.Decimal(38, 22)),
    "NaT": DATES,
    "durations": DATES - np.datetime64("2019-01-01"),
    "dates as objects": DATES.astype(object),
    "NumPy's dates as objects": np.array([*DATES], dtype=object),
}  # fmt: skip


@pytest.mark.parametrize("groups", named(KEPT_APART))
def test_groups_that_differ_are_never_merged(groups):
    matrix = pairwise_demographic_parity_matrix
    found = matrix(Y, F, sensitive_features=groups, missing_group="own")
    by_hand = matrix(Y, F, sensitive_features=[1, 1, 3, 2, 2, 2])
    assert len(found.groups) == 3
    assert np.nanmax(found.disparity) == np.nanmax(by_hand.disparity)
    names = [str(group) for group in found.groups]
    assert "NaT" not in names
    if "(missing)" in names:
        assert_refused(audit, "sensitive_features must be complete", sensitive_features=groups)


def test_large_whole_numbers_beside_missing_ones_are_groups_of_counts_and_lazy_rows():
    table = {"group": BIG, "y_true": Y, "y_pred": F, "count": [1] * 6}
    names = [2**60 + 1, 2**60 + 2, "(missing)"]
    assert audit_counts(table, missing_group="own").table.groups.tolist() == names
    columns = {"sensitive_features": "group", "missing_group": "own"}
    lazy = audit("y_true", "y_pred", data=pl.LazyFrame(table), **columns)
    assert lazy.table.groups.tolist() == names


ODD_GROUPS = {
    "matrix": np.matrix([1, 1, 1, 2, 2, 2]).T,
    "float16": np.array([1, 1, 1, 2, 2, 2], dtype=np.float16),
    "long double": np.array([1, 1, 1, 2, 2, 2], dtype=np.longdouble),
    "bytes": np.array([b"a", b"a", b"a", b"b", b"b", b"b"]),
    "structured": np.array([(1, 2)] * 3 + [(2, 3)] * 3, dtype=[("a", int), ("b", int)]),
    "periods": pd.Series(pd.PeriodIndex(["2020"] * 3 + ["2021"] * 3, freq="Y")),
    "intervals": pd.Series(pd.cut([1, 1, 1, 5, 5, 5], [0, 3, 6])),
    "uint64": np.array([2**63] * 3 + [2**63 + 1] * 3, dtype=np.uint64),
    "int and float": [2**60 + 1] * 3 + [0.5] * 3,
    "beyond 64 bits": [2**70] * 3 + [2**70 + 1] * 3,
}
FRAMES = {"pandas": pd.Series, "polars": pl.Series, "pyarrow": lambda v: pa.chunked_array([v])}


@pytest.mark.parametrize("make", named(FRAMES))
@pytest.mark.parametrize("groups", named(ODD_GROUPS))
def test_groups_of_odd_types_are_read_and_shown(groups, make):
    result, usual = (audit(make(Y), F, sensitive_features=each) for each in (groups, A))
    for criterion in ("demographic_parity", "equal_opportunity"):
        assert result[criterion].violation == usual[criterion].violation
    assert len(result.frame()) == len(usual.frame())
    assert len(result.group_frame()) == 2
    assert len(result.counts_frame()) == len(usual.counts_frame())
    assert "Audit of 6 rows" in str(result)


def test_long_doubles_that_differ_beyond_float64_are_groups():
    if np.finfo(np.longdouble).eps == np.finfo(np.float64).eps:
        pytest.skip("long doubles are float64 here")
    groups = np.ones(6, dtype=np.longdouble)
    groups[3:] += np.finfo(np.longdouble).eps
    assert len(audit(Y, F, sensitive_features=groups).table.groups) == 2
    groups[2] = nan
    own = audit(Y, F, sensitive_features=groups, missing_group="own").table.groups
    assert own.tolist()[-1] == "(missing)"


def test_a_matrix_of_several_columns_means_their_intersections():
    groups = np.matrix([[1, 1, 1, 2, 2, 2], [1, 1, 1, 1, 1, 1]]).T
    result = audit(Y, F, sensitive_features=groups)
    assert result.table.groups.tolist() == [(1, 1), (2, 1)]


def test_labels_beyond_int64_are_shown_as_they_are():
    first = 2**63
    labels = np.array([first, first + 1, first + 4096] * 2, dtype=np.uint64)
    predicted = labels[[0, 2, 2, 0, 0, 1]]
    result = audit(labels, predicted, sensitive_features=A)
    assert result.table.labels.tolist() == [first, first + 1, first + 4096]
    assert str(first + 4096) in str(result)
    # of 6 rows, errors of 4095, 1 and 4095
    assert mean_cost(labels, predicted) == (4095 + 1 + 4095) / 6
    assert mean_cost(np.array([0, first], dtype=np.uint64), [-1, -1]) == (1 + 2**63) / 2


# ---------------------------------------------------------------- good input of every kind

random = np.random.default_rng(7)
y, f, a = random.integers(0, [[4], [4], [3]], (3, 500))  # labels 0..3, groups 0..2
w = random.integers(0, 4, 500)


def measured(y_true, y_pred, groups, **options):
    """Three metrics and an audit, which must all be the same, to the last bit."""
    shared = {"sensitive_features": groups, **options}
    violations = [call(y_true, y_pred, **shared) for call in [*GROUPED.values()][:2]]
    (finding,) = audit(y_true, y_pred, **shared, criteria=["demographic_parity"]).findings
    wrong = mean_cost(y_true, y_pred, cost_matrix="zero_one", labels=options.get("labels"))
    return [*violations, finding.violation, wrong]


def read_only(column):
    column = column.copy()
    column.setflags(write=False)
    return column


NUMBERS = {
    **{kind: lambda v, kind=kind: v.astype(kind) for kind in (
        "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", ">i4",
        "float16", "float32", "float64", "object")},
    "list": lambda v: v.tolist(), "tuple": tuple, "read-only": read_only,
    "every other": lambda v: np.repeat(v, 2)[::2], "one column": lambda v: v[:, None],
    "unmasked": np.ma.array,
    "index": pd.Index, "repeated index": lambda v: pd.Series(v, index=[0] * len(v)),
    **{f"pandas {kind}": lambda v, kind=kind: pd.Series(v).astype(kind) for kind in (
        "Int8", "Int64", "UInt64", "Float64", "int64[pyarrow]", "double[pyarrow]", "object")},
    "bare ordered": lambda v: pd.Categorical(v, [0, 1, 2, 3], ordered=True),
    "pandas ordered": lambda v: pd.Series(pd.Categorical(v, [0, 1, 2, 3], ordered=True)),
    "pandas frame": lambda v: pd.DataFrame({"v": v}), "nameless frame": pd.DataFrame,
    **{f"polars {kind}": lambda v, kind=kind: pl.Series(v).cast(kind) for kind in (
        pl.Int8, pl.UInt64, pl.Float32, pl.Decimal(9, 0))},
    "polars frame": lambda v: pl.DataFrame({"v": v}),
    "pyarrow": pa.array, "chunks": lambda v: pa.chunked_array([v[:9], v[9:]]),
    "pyarrow decimal": lambda v: pa.array([Decimal(int(x)) for x in v]),
    "pyarrow table": lambda v: pa.table({"v": v}),
    "negative": lambda v: v - 7, "far away": lambda v: v + 10**12,
    "far apart": lambda v: v * 10**12 - 10**15,
}  # fmt: skip
STRINGS = {
    "list": list, "array": np.array, "object": lambda v: np.array(v, dtype=object),
    **{f"pandas {kind}": lambda v, kind=kind: pd.Series(v, dtype=kind) for kind in (
        "object", "str", "string", "string[pyarrow]", "category")},
    "arrow-backed": lambda v: pd.Series(v, dtype=pd.ArrowDtype(pa.string())),
    "bare category": pd.Categorical, "polars": pl.Series,
    "polars category": lambda v: pl.Series(v, dtype=pl.Categorical),
    "pyarrow": pa.array, "chunks": lambda v: pa.chunked_array([pa.array(v)]),
    "dictionary": lambda v: pa.array(v).dictionary_encode(),
}  # fmt: skip
ORDERED = {
    "bare": lambda v: pd.Categorical(v, NAMES, ordered=True),
    "series": lambda v: pd.Series(pd.Categorical(v, NAMES, ordered=True)),
    "index": lambda v: pd.CategoricalIndex(v, NAMES, ordered=True),
    "Enum": lambda v: pl.Series(v, dtype=pl.Enum(NAMES)),
}
every_length = pytest.mark.parametrize("times", [1, 40], ids=["short", "long"])  # 500, 20 000 rows


def spelt(codes, names=NAMES):
    return [names[code] for code in codes]


@pytest.mark.parametrize("make", named(NUMBERS))
def test_numbers_of_every_library_and_type_measure_the_same(make):
    assert measured(make(y), make(f), make(a)) == measured(y, f, a)


def test_ranges_are_columns():
    columns = range(9), range(8, -1, -1)
    assert measured(*columns, a[:9]) == measured(*map(np.array, columns), a[:9])


@pytest.mark.parametrize("far", [300, -3])
def test_predictions_need_not_fit_the_type_of_the_true_labels(far):
    assert mean_cost(np.array([0, 1], dtype=np.uint8), np.array([0, far])) == abs(far - 1) / 2


@every_length
@pytest.mark.parametrize("make", named(STRINGS))
def test_names_of_every_library_follow_labels(make, times):
    columns = [make(spelt(np.tile(codes, times))) for codes in (y, f)]
    found = measured(*columns, np.tile(a, times), labels=NAMES)
    assert found == measured(*np.tile([y, f, a], times))


@every_length
@pytest.mark.parametrize("make", named(ORDERED))
def test_ordered_categoricals_keep_their_declared_order(make, times):
    columns = [make(spelt(np.tile(codes, times))) for codes in (y, f)]
    assert measured(*columns, np.tile(a, times)) == measured(*np.tile([y, f, a], times))
    assert audit(*columns, sensitive_features=np.tile(a, times)).table.labels.tolist() == NAMES


@pytest.mark.parametrize("make", named({**ORDERED, "pyarrow": lambda v: pa.array(v)}))
def test_a_mapping_of_counts_takes_columns_of_every_library(make):
    labels = NAMES if isinstance(make(NAMES), pa.Array) else None
    by_counts = counted(*(make(spelt(codes)) for codes in (y, f, a)), labels=labels)
    by_rows = audit(y, f, sensitive_features=a)
    assert by_counts["equal_opportunity"].violation == by_rows["equal_opportunity"].violation


@pytest.mark.parametrize("make", named(STRINGS))
def test_labels_are_ascending_in_the_order_in_which_they_are_listed(make):
    result = audit(spelt(y), spelt(f), sensitive_features=a, labels=make(NAMES))
    assert result.table.labels.tolist() == NAMES


@every_length
@pytest.mark.parametrize("make", named(STRINGS))
def test_an_empty_name_is_a_group_and_a_missing_one_is_another(make, times):
    rows, groups = np.tile([y, f], times), np.tile(a, times)
    make = STRINGS["object"] if make is np.array else make  # would spell None
    matrix = pairwise_demographic_parity_matrix(
        *rows, sensitive_features=make(spelt(groups, ["", "b", None])), missing_group="own"
    )
    assert matrix.groups.tolist() == ["", "b", "(missing)"]
    by_hand = pairwise_demographic_parity_matrix(*rows, sensitive_features=groups)
    np.testing.assert_array_equal(matrix.disparity, by_hand.disparity)


@every_length
def test_categories_that_look_alike_stay_apart(times):
    groups = pd.Series(spelt(np.tile(a, times), [1, "1", 2]), dtype="category")
    result = audit(*np.tile([y, f], times), sensitive_features=groups)
    assert result.table.groups.tolist() == [1, 2, "1"]


sex, region = np.array(["f", "m", "x"])[a], w % 2
INTERSECTIONS = {
    "pandas": pd.DataFrame({"sex": sex, "region": region}),
    "pandas, numbered": pd.DataFrame({0: sex, 1: region}),
    "categories": pd.DataFrame({"sex": pd.Categorical(sex), "region": region}),
    "polars": pl.DataFrame({"sex": sex, "region": region}),
    "pyarrow": pa.table({"sex": sex, "region": region}),
    "dict": {"sex": sex, "region": pd.Series(region)},
    "array": np.array([sex, region.astype(str)]).T,
    "objects": np.array([sex.astype(object), region], dtype=object).T,
    "tuples": [*zip(sex, region, strict=True)],
    "series of tuples": pd.Series([*zip(sex, region, strict=True)]),
}


@pytest.mark.parametrize("columns", named(INTERSECTIONS))
def test_several_columns_mean_their_intersections(columns):
    matrix = pairwise_demographic_parity_matrix
    combined = matrix(y, f, sensitive_features=[f"{s}{r}" for s, r in INTERSECTIONS["tuples"]])
    found = matrix(y, f, sensitive_features=columns)
    assert ["".join(map(str, group)) for group in found.groups] == combined.groups.tolist()
    np.testing.assert_array_equal(found.disparity, combined.disparity)


def test_many_columns_of_few_intersections_are_read():
    columns = {str(i): a for i in range(70)}
    assert measured(y, f, columns) == measured(y, f, a)


def test_inputs_are_left_as_they_were():
    groups = np.where(a == 0, None, a)
    inputs = [y, f.astype(np.float16), groups, w, pd.DataFrame({"g": groups, "h": w})]
    before = [column.copy() for column in inputs]
    for sensitive in (inputs[2], inputs[4], a > 0):
        audit(*inputs[:2], sensitive_features=sensitive, sample_weight=w, missing_group="own")
    for column, copy in zip(inputs, before, strict=True):
        assert type(column) is type(copy)
        np.testing.assert_array_equal(column, copy)


@pytest.mark.parametrize(("y_true", "y_pred", "labels", "are_labels"), [
    ([0, 1], [1, 0], None, True),
    ([0, 1], [1.0, 2.0], None, True),  # whole, and one of two labels is known
    ([0, 1], [2.0, 7.0], None, False),  # half of the values are no labels
    ([1, 3], [2, 2], None, True),
    ([0, 1], [0.5, 1], None, False),
    ([0.5, 1.5], [1.5, 0.5], None, True),  # not whole, but labels of y_true
    ([0, 1] * 5, range(1, 11), None, False),  # deciles of a risk
    ([0, 1] * 5, range(1, 11), [0, 1], False),
    ([1, 2, 3] * 4, [*range(1, 10), 1, 1, 1], None, False),
    ([1, 2, 3, 4, 5, 5], [1, 2, 3, 4, 6, 7], None, True),
    (range(60), range(1, 61), None, True),
    ([0, 1], [0.5, 1], [0, 1], False),
    (["lo", "hi"], [0.5, 1.0], ["lo", "hi"], False)])  # fmt: skip
def test_predictions_are_labels_or_scores_by_rule(y_true, y_pred, labels, are_labels):
    groups = [*"ab"] * (len(y_true) // 2)
    for call in (audit, counted):
        result = call(y_true, y_pred, sensitive_features=groups, labels=labels)
        assert result.table.predicts_labels is are_labels


def test_whole_numbers_do_not_stand_for_names():
    parts = "y_pred holds whole numbers", "predictions='scores'"
    assert_refused(audit, *parts, y_true=spelt(Y), labels=NAMES[:3])
    given = {"sensitive_features": [*"ab"] * 3, "labels": NAMES[:3]}
    assert not audit(spelt(Y), Y, predictions="scores", **given).table.predicts_labels
    many = audit(spelt(Y), range(6), **given)  # more values than names: no codes of them
    assert not many.table.predicts_labels
    assert not many.table.reading_is_guessed


DECILES = {"y_true": [0, 1] * 5, "y_pred": [*range(1, 11)], "sensitive_features": [*"ab"] * 5}


@pytest.mark.parametrize("call", [audit, counted], ids=["audit", "audit_counts"])
def test_predictions_are_read_as_asked(call):
    for wanted, are_labels in {"auto": False, "scores": False, "labels": True}.items():
        assert call(**DECILES, predictions=wanted).table.predicts_labels is are_labels
    assert not call(**DECILES, predictions="scores", labels=[0, 1]).table.predicts_labels
    options = {**DECILES, "labels": [0, 1], "predictions": "labels"}
    assert_refused(call, "y_pred must hold labels from [0, 1], got 2", **options)
    assert_refused(call, "predictions must be one of", **{**DECILES, "predictions": "score"})
    halves = {**DECILES, "y_pred": [0.5, 1] * 5, "predictions": "labels"}
    assert_refused(call, "y_pred must hold predicted labels, got 0.5 at row 0", **halves)
    names = {**DECILES, "y_pred": ["low"] * 10, "predictions": "scores"}
    assert_refused(call, "y_pred must hold numbers, got 'low'", **names)


@pytest.mark.parametrize(
    ("y_true", "y_pred", "note", "remedy"),
    [
        (
            [0, 1],
            [3, 7],
            "read as scores, because none of their 2",
            "predictions='labels'",
        ),
        ([0, 1], [1, 2], "read as labels, although 1 of their 2 distinct", "predictions='scores'"),
        ([0, 1], [0.5, 1.5], "", ""),
        ([0, 1], [1, 0], "", ""),
    ],
)
def test_a_guess_about_predictions_is_said_with_the_remedy(y_true, y_pred, note, remedy):
    groups = {"sensitive_features": [*"ab"] * 2}
    result = audit(y_true * 2, y_pred * 2, **groups)
    assert result.table.reading_is_guessed is bool(note)
    for shown in (" ".join(str(result).split()), result._repr_html_().replace("&#x27;", "'")):
        assert note in shown
        assert remedy in shown
        assert bool(note) is ("were read as" in shown)
    for wanted in ("labels", "scores")[isinstance(y_pred[0], float) :]:
        certain = audit(y_true * 2, y_pred * 2, **groups, predictions=wanted)
        assert "were read as" not in str(certain)
