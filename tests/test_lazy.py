"""An audit of out-of-core rows is the audit of the same rows in memory."""

import subprocess
import sys

import dask
import dask.array as da
import dask.dataframe as dd
import duckdb
import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.utils.fixes import parse_version

from fairordinal import assert_pairwise_fair, audit, audit_counts, metrics, rows_needed
from fairordinal._lazy import _arrow, _dask, _group_by
from lazy_frames import HOLDERS, dask_frame, duckdb_connection, duckdb_relation, polars_lazy, split
from strategies import rows

NAMES = {"y_true": "grade", "y_pred": "predicted", "sensitive_features": "sex"}
LEVELS = ["bad", "fair", "good"]


every_holder = pytest.mark.parametrize("hold", HOLDERS.values(), ids=HOLDERS)


def assert_same(found, expected):
    for name in ("groups", "labels", "axis"):
        values, wanted = getattr(found.table, name), getattr(expected.table, name)
        assert values.tolist() == wanted.tolist()
        assert [type(v) for v in values.tolist()] == [type(v) for v in wanted.tolist()]
    assert (found.table.counts != expected.table.counts).nnz == 0
    assert found.table.predicts_labels == expected.table.predicts_labels
    for finding, wanted in zip(found.findings, expected.findings, strict=True):
        np.testing.assert_array_equal(finding.disparities, wanted.disparities)
        np.testing.assert_array_equal(finding.lower, wanted.lower)


@st.composite
def frames(draw, scores=False):
    """Rows as a frame of pandas with a second, incomplete feature, and places to cut it at."""
    data = draw(rows(scores=scores))
    n = len(data.y)
    region = draw(st.lists(st.sampled_from(["north", "", None]), min_size=n, max_size=n))
    columns = {"grade": data.y, "predicted": data.s, "sex": data.a, "w": data.w}
    frame = pd.DataFrame({**columns, "region": pd.Series(region, dtype="str")})
    return frame, draw(st.lists(st.integers(0, 20), max_size=3))


@every_holder
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@settings(max_examples=25)
@given(data=st.booleans().flatmap(frames), weighted=st.booleans(), several=st.booleans())
def test_counting_rows_where_they_are_is_auditing_them(hold, data, weighted, several):
    frame, cuts = data
    features = ["sex", "region"] if several else "sex"
    chosen = {"sensitive_features": features, "sample_weight": "w" if weighted else None}
    options = {**chosen, "missing_group": "own", "criteria": ["demographic_parity"]}
    found = audit("grade", "predicted", data=hold(split(frame, cuts)), **options)
    expected = audit("grade", "predicted", data=frame, **options)
    assert_same(found, expected)
    given_rows = audit(
        frame["grade"],
        frame["predicted"],
        sensitive_features=frame[["sex", "region"]] if several else frame["sex"],
        sample_weight=frame["w"] if weighted else None,
        missing_group="own",
        criteria=["demographic_parity"],
    )
    assert_same(expected, given_rows)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@settings(max_examples=25)
@given(data=st.booleans().flatmap(frames), arrays=st.booleans())
def test_columns_of_dask_are_audited_as_rows(data, arrays):
    frame, cuts = data
    lazy = dask_frame(split(frame, cuts))
    columns = {name: lazy[name].values if arrays else lazy[name] for name in frame}
    found = audit(
        columns["grade"],
        columns["predicted"],
        sensitive_features=columns["sex"],
        sample_weight=columns["w"],
        criteria=["demographic_parity"],
    )
    options = {"sensitive_features": "sex", "criteria": ["demographic_parity"]}
    assert_same(found, audit("grade", "predicted", data=frame, sample_weight="w", **options))


def small_frame(n=60):
    """True and predicted grades, groups, scores and whole weights."""
    random = np.random.default_rng(0)
    y = random.integers(0, 3, n)
    predicted = np.clip(y + random.integers(-1, 2, n), 0, 2)
    columns = {"grade": y, "predicted": predicted, "sex": random.choice(["f", "m"], n)}
    score = predicted + random.integers(0, 4, n) / 4
    return pd.DataFrame({**columns, "score": score, "w": random.integers(1, 4, n)})


def parts_of(frame):
    return [frame.iloc[:20], frame.iloc[20:20], frame.iloc[20:]]


def of(data, **options):
    return audit(**{**NAMES, **options, "data": data})


@every_holder
def test_scores_that_were_cut_are_counted_as_well(hold):
    frame = small_frame()
    found, expected = of(hold(parts_of(frame)), scores="score"), of(frame, scores="score")
    assert_same(found, expected)
    assert str(found.attribution()) == str(expected.attribution())


@every_holder
def test_a_column_may_be_used_twice_and_be_called_anything(hold):
    frame = small_frame().rename(columns={"grade": "rows", "w": "key 0"})
    options = {"y_true": "rows", "y_pred": "rows", "sample_weight": "key 0"}
    assert_same(of(hold(parts_of(frame)), **options), of(frame, **options))
    twice = {"y_true": "rows", "y_pred": "key 0", "sample_weight": "key 0"}
    assert_same(of(hold(parts_of(frame)), **twice), of(frame, **twice))


@every_holder
@pytest.mark.parametrize("kind", ["bool", "int8", "float32", "Int64", "double[pyarrow]"])
def test_weights_of_any_numeric_type_are_summed(hold, kind):
    frame = small_frame()
    frame["w"] = (frame.w > 1).astype(kind)
    assert_same(of(hold(parts_of(frame)), sample_weight="w"), of(frame, sample_weight="w"))


def test_a_missing_weight_of_a_nullable_type_is_refused_by_dask():
    frame = small_frame().astype({"w": "Int64"})
    frame.loc[2, "w"] = pd.NA
    with pytest.raises(ValueError, match="got a missing value in 1 rows"):
        of(dask_frame(parts_of(frame)), sample_weight="w")


@pytest.mark.parametrize("weight", ["1.5", [1], None])
def test_weights_that_are_no_numbers_are_refused_by_dask(weight):
    frame = small_frame().astype({"w": object})
    frame["w"] = [weight] * len(frame)
    with pytest.raises(ValueError, match="sample_weight must"):
        of(dask_frame(parts_of(frame)), sample_weight="w")


@every_holder
def test_names_follow_labels(hold):
    frame = small_frame()
    named = frame.assign(grade=frame.grade.map(dict(enumerate(LEVELS))))
    named = named.assign(predicted=frame.predicted.map(dict(enumerate(LEVELS))))
    assert_same(of(hold(parts_of(named)), labels=LEVELS), of(named, labels=LEVELS))
    with pytest.raises(ValueError, match="y_true holds names without an order"):
        of(hold(parts_of(named)))


ORDERED = ["dask", "dataset", "polars", "duckdb enum", "parquet", "parquet of polars"]
NOT_WRITTEN = "polars writes the order of an Enum to Parquet files since 1.41"


def ordered_frame(kind, tmp_path):
    frame = small_frame()
    columns = {
        name: pd.Categorical.from_codes(frame[name], LEVELS, ordered=True)
        for name in ("grade", "predicted")
    }
    frame = frame.assign(**columns)
    as_polars = pl.from_pandas(frame).with_columns(
        pl.col("grade", "predicted").cast(pl.Enum(LEVELS))
    )
    if kind == "duckdb enum":
        connection = duckdb_connection()
        connection.register("people", as_polars.cast({pl.Enum: pl.String}).to_arrow())
        connection.sql("CREATE TYPE level AS ENUM ('bad', 'fair', 'good')")
        query = "SELECT grade::level AS grade, predicted::level AS predicted, sex FROM people"
        return connection.sql(query)
    if kind == "polars":
        return as_polars.lazy()
    if kind == "parquet":
        frame.iloc[:20].to_parquet(tmp_path / "1.parquet")
        frame.iloc[20:].to_parquet(tmp_path / "2.parquet", row_group_size=7)
    if kind == "parquet of polars":
        as_polars.write_parquet(tmp_path / "1.parquet", row_group_size=7)
    if kind.startswith("parquet"):
        return ds.dataset(tmp_path)
    return HOLDERS[kind](parts_of(frame))


@pytest.mark.parametrize("kind", ORDERED)
def test_a_declared_order_is_kept(kind, tmp_path):
    if kind == "parquet of polars" and parse_version(pl.__version__) < parse_version("1.41"):
        pytest.skip(NOT_WRITTEN)
    found = of(ordered_frame(kind, tmp_path))
    assert found.table.labels.tolist() == LEVELS
    np.testing.assert_array_equal(found.table.cube, of(small_frame()).table.cube)


def test_an_order_that_a_parquet_file_does_not_keep_is_not_made_up(tmp_path):
    frame = small_frame()
    for name in ("grade", "predicted"):
        frame[name] = pd.Categorical.from_codes(frame[name], LEVELS, ordered=True)
    table = pa.Table.from_pandas(frame)
    pq.write_table(table, tmp_path / "plain.parquet", use_dictionary=False)
    with pytest.raises(ValueError, match="names without an order"):
        of(ds.dataset(tmp_path))
    assert of(ds.dataset(tmp_path), labels=LEVELS).table.labels.tolist() == LEVELS


@every_holder
@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        ({"sex": None}, {}, "sensitive_features must be complete, got .* in 3 rows. .*'own'"),
        ({"grade": np.nan}, {}, "y_true must be complete, got .* in 3 rows"),
        ({"predicted": np.inf}, {}, "y_pred must hold finite numbers, got inf in 3 rows"),
        ({"w": np.nan}, {"sample_weight": "w"}, "sample_weight .* got .*(missing value in 3|nan)"),
        ({"w": -1.0}, {"sample_weight": "w"}, r"sample_weight must be finite .* got -1\.0"),
        ({"w": np.inf}, {"sample_weight": "w"}, "sample_weight must be finite .* got inf"),
        ({}, {"sample_weight": "sex"}, "sample_weight must hold numbers, got column 'sex'"),
        ({}, {"labels": [0, 1]}, r"must hold labels from \[0, 1\], got 2 in \d+ rows"),
        ({}, {"y_true": "grad"}, "y_true: data has no column 'grad'. Did you mean 'grade'"),
        ({}, {"sensitive_features": ["sex", "x"]}, "sensitive_features: data has no column 'x'"),
        ({}, {"y_pred": [1, 2]}, "with data=, y_pred must be the name of a column, got"),
        ({}, {"sensitive_features": []}, "sensitive_features must be the name of a column or"),
    ],
)
def test_bad_rows_and_names_are_refused_without_a_row_number(hold, change, options, message):
    frame = small_frame().astype({"grade": float, "predicted": float, "w": float})
    for name, value in change.items():
        frame.loc[[3, 30, 31], name] = value
    if not change:
        frame = small_frame()
    with pytest.raises((ValueError, pa.ArrowInvalid), match=message):
        of(hold(parts_of(frame)), **options)


@every_holder
def test_no_rows_at_all_are_called_empty(hold):
    with pytest.raises(ValueError, match="is empty; it must hold at least one row"):
        of(hold([small_frame().iloc[:0]]))


@pytest.mark.parametrize("data", ["folder", {"grade": [1]}, 3, [small_frame()]])
def test_what_is_no_frame_is_refused(data):
    with pytest.raises(ValueError, match=r"(?s)data must be a frame .* Open files first"):
        of(data)


def test_names_need_data():
    with pytest.raises(ValueError, match=r"y_true must be .* only with data=frame"):
        audit("grade", "predicted", sensitive_features="sex")


@every_holder
@pytest.mark.parametrize("options", [{"y_pred": "score"}, {"sensitive_features": ["sex", "score"]}])
def test_too_many_distinct_rows_are_refused_with_the_column_that_has_them(
    hold, options, monkeypatch
):
    frame = small_frame(2000)
    frame["score"] += np.arange(2000) / 4096
    for module in (_group_by, _dask):
        monkeypatch.setattr(module, "MOST_DISTINCT", 1000)
    monkeypatch.setattr(_arrow, "MOST_PENDING", 100)
    with pytest.raises(
        ValueError, match=r"more than 1,000 distinct .*'score'\) has the most .*bin"
    ):
        of(hold(parts_of(frame)), **options)
    assert of(hold(parts_of(frame))).table.rows.sum() == 2000


@every_holder
def test_results_are_frames_of_the_library_that_suits(hold):
    data = hold(parts_of(small_frame()))
    wanted = {dask_frame: "pandas", duckdb_relation: "pandas", polars_lazy: "polars"}
    library = wanted.get(hold, "pyarrow")
    assert type(of(data).frame()).__module__.startswith(library)


# Dask


def test_partitions_may_differ_in_types_categories_and_groups():
    whole = small_frame()
    first, second, third = whole.iloc[:20], whole.iloc[20:25], whole.iloc[25:]
    women = second.assign(sex="f", grade=second.grade.astype(float))
    parts = [
        first.astype({"sex": "category"}),
        women.astype({"sex": pd.CategoricalDtype(["f", "x"])}),
        third.astype({"sex": object, "predicted": "Int64"}),
    ]
    loaded = pd.concat([first, women, third]).astype({"grade": float})
    assert_same(of(dask_frame(parts)), of(loaded))


def test_ordered_categories_that_differ_between_partitions_need_labels():
    whole = small_frame()
    whole["grade"] = whole.grade.map(dict(enumerate(LEVELS)))
    whole["predicted"] = whole.predicted.map(dict(enumerate(LEVELS)))
    kinds = [pd.CategoricalDtype(LEVELS, ordered=True), pd.CategoricalDtype(LEVELS[::-1], True)]
    parts = [
        part.astype({"grade": kind, "predicted": kind})
        for part, kind in zip((whole.iloc[:30], whole.iloc[30:]), kinds, strict=True)
    ]
    with pytest.raises(ValueError, match="names without an order"):
        of(dask_frame(parts))
    assert_same(of(dask_frame(parts), labels=LEVELS), of(whole, labels=LEVELS))


def test_arrays_of_other_chunks_are_matched():
    frame = small_frame()
    y, predicted = (da.from_array(frame[n].to_numpy(), chunks=c) for n, c in
                    (("grade", 7), ("predicted", 20)))  # fmt: skip
    features = da.from_array(frame[["sex", "w"]].to_numpy(dtype=object), chunks=(9, 1))
    found = audit(y, predicted, sensitive_features=features)
    assert_same(found, of(frame, sensitive_features=["sex", "w"]))


def test_features_of_dask_may_be_a_frame_a_list_or_a_mapping():
    frame = small_frame()
    lazy = dd.from_pandas(frame, npartitions=3)
    expected = of(frame, sensitive_features=["sex", "w"])
    columns = lazy.sex, lazy.w
    for features in (lazy[["sex", "w"]], [*columns], dict(enumerate(columns))):
        assert_same(audit(lazy.grade, lazy.predicted, sensitive_features=features), expected)


LAZY = dd.from_pandas(small_frame(), npartitions=3)
SHORT = LAZY.predicted[LAZY.w > 1]


@pytest.mark.parametrize(
    ("y_pred", "message"),
    [
        (small_frame().predicted, "y_pred must be a column of Dask .* got a Series of pandas"),
        (
            small_frame().predicted.tolist(),
            "y_pred must be a column of Dask .* got a list of builtins",
        ),
        (LAZY.predicted.repartition(npartitions=2), "has 2 partitions but .* has 3"),
        (SHORT, r"a partition of y_pred has \d+ rows but that of sensitive_features has 20"),
        (SHORT.values, r"a partition of y_pred has \d+ rows but that of sensitive_feat"),
        (LAZY[["w", "predicted"]], "y_pred must be a column of Dask"),
        (dask.delayed(small_frame().predicted), "y_pred must be a column of Dask"),
    ],
)
def test_columns_that_do_not_match_are_refused(y_pred, message):
    with pytest.raises(ValueError, match=message):
        audit(LAZY.grade, y_pred, sensitive_features=LAZY.sex)


def test_arrays_of_different_lengths_are_refused():
    y = da.zeros(10, chunks=5)
    with pytest.raises(ValueError, match="y_true has 10 rows but sensitive_features has 11"):
        audit(y, y, sensitive_features=da.zeros(11, chunks=5))


def test_workers_of_a_cluster_count():
    distributed = pytest.importorskip("distributed")
    frame = small_frame()
    with (
        dask.config.set({"distributed.worker.daemon": False}),
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=1, dashboard_address=None, processes=True
        ) as cluster,
        distributed.Client(cluster),
    ):
        lazy = dask_frame(parts_of(frame))
        assert_same(of(lazy, sample_weight="w"), of(frame, sample_weight="w"))
        found = audit(lazy.grade, lazy.predicted, sensitive_features=lazy.sex)
        assert_same(found, of(frame))
        with pytest.raises(ValueError, match="a partition of y_pred has"):
            audit(lazy.grade, lazy.predicted[lazy.w > 1], sensitive_features=lazy.sex)


# what is not loaded


def test_polars_collects_counts_alone(monkeypatch):
    heights = []
    collect = pl.LazyFrame.collect

    def noted(self, *positional, **options):
        found = collect(self, *positional, **options)
        heights.append(found.height)
        return found

    monkeypatch.setattr(pl.LazyFrame, "collect", noted)
    of(pl.from_pandas(small_frame(5000)).lazy())
    assert max(heights) <= 2 * 3 * 3


def test_partitions_of_dask_are_read_once_and_become_counts():
    read, results = [], []

    def load(i):
        read.append(i)
        return small_frame(500)

    class Watch(dask.callbacks.Callback):
        def _finish(self, dsk, state, errored):
            results.extend(value for value in state["cache"].values() if hasattr(value, "shape"))

    lazy = dd.from_map(load, range(10), meta=small_frame(1))
    read.clear()
    with Watch(), dask.config.set(scheduler="synchronous"):
        audit(lazy.grade, lazy.predicted, sensitive_features=lazy.sex)
    assert sorted(read) == [*range(10)]
    assert all(len(value) <= 2 * 3 * 3 for value in results)


def test_an_audit_of_lists_imports_no_library_of_frames():
    code = (
        "import sys; from fairordinal import audit; "
        "audit([0, 1, 2, 0], [0, 1, 1, 2], sensitive_features=[0, 0, 1, 1]); "
        "print(*sys.modules)"
    )
    command = [sys.executable, "-W", "ignore", "-c", code]
    found = subprocess.run(command, capture_output=True, text=True, check=True)
    imported = {*found.stdout.split()}
    assert "fairordinal" in imported
    assert not {"dask", "polars", "pyarrow", "pandas", "duckdb"} & imported


COLUMNS = {
    "dask series": lambda: LAZY.grade,
    "dask array": lambda: LAZY.grade.values,
    "dask frame": lambda: LAZY[["grade"]],
    "polars": lambda: pl.LazyFrame({"y": [1, 2]}),
    "duckdb": lambda: duckdb.sql("SELECT 1 AS y"),
}


@pytest.mark.parametrize("column", COLUMNS.values(), ids=COLUMNS)
@pytest.mark.parametrize("name", ["y_true", "y_pred", "sensitive_features"])
@pytest.mark.parametrize("metric", ["pairwise_demographic_parity_difference", "mean_cost"])
def test_metrics_do_not_load_what_is_not_in_memory(metric, name, column):
    columns = {"y_true": [1, 2], "y_pred": [1, 2], "sensitive_features": ["a", "b"]}
    if metric == "mean_cost":
        columns.pop("sensitive_features")
    if name not in columns:
        return
    with pytest.raises(ValueError, match=f"{name} is a .* not in memory. audit.*data=frame"):
        getattr(metrics, metric)(**{**columns, name: column()})


def test_guards_take_rows_that_are_elsewhere():
    frame = small_frame()
    lazy = pl.from_pandas(frame).lazy()
    assert_pairwise_fair(**NAMES, max_violation=0.9, data=lazy)
    with pytest.raises(AssertionError, match="pairwise demographic parity"):
        assert_pairwise_fair(**NAMES, max_violation=0.0, data=lazy)
    assert rows_needed(**NAMES, data=lazy) == rows_needed(**NAMES, data=frame)


def test_a_lazy_table_of_counts_is_audited_with_its_counts_as_weights():
    counts = pl.from_pandas(small_frame()).group_by("grade", "predicted", "sex").len("n")
    expected = audit_counts(counts, **NAMES, count="n")
    assert_same(of(counts.lazy(), sample_weight="n"), expected)


def test_a_lazy_frame_is_no_eager_one():
    assert isinstance(nw.from_native(LAZY), nw.LazyFrame)  # what `gather` relies on
